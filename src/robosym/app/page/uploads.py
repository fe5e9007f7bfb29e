"""Files that are chosen or dropped: read in the browser and sent to this program alone, up to a length."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from nicegui import app, ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request
from starlette.responses import JSONResponse

from robosym.files import MAX_BYTES

__all__ = ["ROBOT_FILES", "FileDrop", "receive_files"]

ROBOT_FILES = ".par,.yaml,.yml,.urdf,.xml,.mjcf,.sdf"  #: what a robot can be read from

LONGEST_LOG = 500_000_000  #: bytes of a log of measurements
_received: dict[str, bytes] = {}  #: what was sent and not yet fetched, by a random name
_WAITING = 4  #: files


def receive_files() -> None:
    """The address to which the browser sends files; the guard before it lets only our own page through."""

    @app.post("/file")
    async def receive(request: Request) -> JSONResponse:
        asked = request.query_params.get("longest", "")
        longest = min(int(asked) if asked.isdecimal() else MAX_BYTES + 1, LONGEST_LOG)
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > longest:
                return JSONResponse(
                    {"error": f"the file is longer than {longest - 1} bytes, the most that is read"}, 413
                )
        while len(_received) >= _WAITING:
            _received.pop(next(iter(_received)))
        name = secrets.token_hex(8)
        _received[name] = bytes(data)
        return JSONResponse({"id": name})


class FileDrop(ui.element, component="assets/file_drop.js"):
    """Takes a file that is dropped on it, or on the whole page, or chosen: `on_file(name, data)`."""

    def __init__(
        self,
        on_file: Callable[[str, bytes], Any],
        on_error: Callable[[str], Any],
        accept: str,
        longest: int = MAX_BYTES,
        whole_page: bool = False,
    ) -> None:
        super().__init__()
        self.props["accept"] = accept
        self.props["longest"] = longest + 1
        self.props["whole"] = whole_page

        def arrived(event: GenericEventArguments) -> None:
            data = _received.pop(str(event.args.get("id")), None)
            if data is not None:
                on_file(str(event.args.get("name", "")), data)

        self.on("file", arrived)
        self.on("refused", lambda event: on_error(str(event.args)))

    def choose(self) -> None:
        """Open the browser's dialog; it does so only while a click or a key is being handled, see `opens`."""
        self.run_method("choose")

    def opens(self, other: ui.element) -> None:
        """Let a click on another element open the dialog."""
        other.on("click", js_handler=f"() => getElement({self.id}).choose()")
