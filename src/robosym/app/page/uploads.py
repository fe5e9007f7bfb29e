"""Selected or dropped files: the browser sends them to this program only, up to a maximum size."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import app, ui
from nicegui.events import GenericEventArguments, UploadEventArguments
from starlette.requests import Request
from starlette.responses import JSONResponse

from robosym.app.page.widgets import button
from robosym.app.session.state_files import place_for
from robosym.files import MAX_BYTES

__all__ = ["ROBOT_FILES", "FileDrop", "hidden_upload", "receive_files", "upload_button"]

ROBOT_FILES = ".par,.yaml,.yml,.urdf,.xml,.mjcf,.sdf"  #: extensions of robot files

LONGEST_LOG = 500_000_000  #: bytes of a log of measurements
_received: dict[str, bytes] = {}  #: uploaded data not fetched yet, by a random name
_WAITING = 4  #: files


def hidden_upload(
    on_file: Callable[[Path], Awaitable[None]], longest: int, several: bool = False, classes: str = ""
) -> ui.upload:
    """Create an upload that stores a file under its own name in a folder of its own, where a restart finds it."""

    async def taken(event: UploadEventArguments) -> None:
        path = place_for(event.file.name)
        await event.file.save(path)
        made.reset()
        await on_file(path)

    made = ui.upload(on_upload=taken, auto_upload=True, multiple=several, max_file_size=longest)
    return made.classes(f"hidden-upload {classes}")


def upload_button(
    label: str, on_file: Callable[[Path], Awaitable[None]], longest: int, several: bool = False
) -> ui.upload:
    """Draw a button that lets the user select a file to upload."""
    made = hidden_upload(on_file, longest, several)
    button(label, lambda: made.run_method("pickFiles"), sign="upload", kind="s")
    return made


def receive_files() -> None:
    """Register the address that receives files; the guard only admits requests of the page itself."""

    @app.post("/file")
    async def receive(request: Request) -> JSONResponse:
        asked = request.query_params.get("longest", "")
        longest = min(int(asked) if asked.isdecimal() else MAX_BYTES + 1, LONGEST_LOG)
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > longest:
                words = f"the file is longer than {longest - 1} bytes, the most that is read"
                return JSONResponse({"error": words}, 413)
        while len(_received) >= _WAITING:
            _received.pop(next(iter(_received)))
        name = secrets.token_hex(8)
        _received[name] = bytes(data)
        return JSONResponse({"id": name})


class FileDrop(ui.element, component="assets/file_drop.js"):
    """Accepts a file that is selected, or dropped anywhere on the page: `on_file(name, data)`."""

    def __init__(self, on_file: Callable[[str, bytes], Any], on_error: Callable[[str], Any], accept: str) -> None:
        super().__init__()
        self.props["accept"] = accept
        self.props["longest"] = MAX_BYTES + 1
        self.props["whole"] = True

        def arrived(event: GenericEventArguments) -> None:
            data = _received.pop(str(event.args.get("id")), None)
            if data is not None:
                on_file(str(event.args.get("name", "")), data)

        self.on("file", arrived)
        self.on("refused", lambda event: on_error(str(event.args)))

    def choose(self) -> None:
        """Open the file dialog; browsers only allow this while a click or key is handled, see `opens`."""
        self.run_method("choose")

    def opens(self, other: ui.element) -> None:
        """Let a click on another element open the file dialog."""
        other.on("click", js_handler=f"() => getElement({self.id}).choose()")
