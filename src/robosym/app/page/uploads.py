"""Selected or dropped files: the browser sends them to this program only, up to a maximum size."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import app
from nicegui.element import Element
from nicegui.events import GenericEventArguments
from starlette.requests import Request
from starlette.responses import JSONResponse

from robosym.app.page.widgets import button
from robosym.app.session.state_files import place_for
from robosym.files import MAX_BYTES

__all__ = ["ROBOT_FILES", "FileDrop", "receive_files"]

ROBOT_FILES = ".par,.yaml,.yml,.urdf,.xml,.mjcf,.sdf"  #: extensions of robot files

LONGEST_LOG = 500_000_000  #: bytes of a log of measurements
_received: dict[str, Path] = {}  #: uploaded files that no view has taken yet, by a random name
_WAITING = 4  #: files


def receive_files() -> None:
    """Register the address that receives files; the guard only admits requests of the page itself.

    A file is stored under its own name in a folder of its own, where a restart finds it.
    """

    @app.post("/file")
    async def receive(request: Request) -> JSONResponse:
        asked = request.query_params.get("longest", "")
        longest = min(int(asked) if asked.isdecimal() else MAX_BYTES + 1, LONGEST_LOG)
        path, size = place_for(request.query_params.get("name", "")), 0
        with path.open("wb") as stream:
            async for part in request.stream():
                size += len(part)
                if size > longest:
                    path.unlink()
                    words = f"the file is longer than {longest - 1} bytes, the most that is read"
                    return JSONResponse({"error": words}, 413)
                stream.write(part)
        while len(_received) >= _WAITING:
            _received.pop(next(iter(_received)))
        name = secrets.token_hex(8)
        _received[name] = path
        return JSONResponse({"id": name})


class FileDrop(Element, component="assets/file_drop.js"):
    """Takes files that are selected or, with `whole`, dropped anywhere on the page, and calls `on_file(path)`."""

    def __init__(
        self, on_file: Callable[[Path], Any], on_error: Callable[[str], Any], accept: str = "",
        longest: int = MAX_BYTES, whole: bool = True, several: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self._props |= {"accept": accept, "longest": longest + 1, "whole": whole, "several": several}

        def arrived(event: GenericEventArguments) -> Any:
            path = _received.pop(str(event.args.get("id")), None)
            return None if path is None else on_file(path)  # the caller awaits a coroutine

        self.on("file", arrived)
        self.on("refused", lambda event: on_error(str(event.args)))

    def choose(self) -> None:
        """Open the file dialog; browsers only allow this while a click or key is handled, see `opens`."""
        self.run_method("choose")

    def opens(self, other: Element) -> None:
        """Let a click on another element open the file dialog."""
        other.on("click", js_handler=f"() => getElement({self.id}).choose()")

    def button(self, label: str, kind: str = "s", sign: str = "upload") -> None:
        """Draw a button that opens the file dialog."""
        self.opens(button(label, sign=sign, kind=kind))
