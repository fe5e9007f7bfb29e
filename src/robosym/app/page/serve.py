"""The command `robosym app`: the page is served on this computer, to its own user only."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from importlib.util import find_spec

from robosym.errors import InputError

__all__ = ["HOST", "app"]

HOST = "127.0.0.1"
_TRIALS, _PAUSE = 1000, 0.01  #: how often it is looked whether the page answers, and seconds in between
_LATER = 3  #: seconds after which what makes models is loaded
_USUAL = 8319  #: the port that is tried first, so that an open window finds a restarted program


def app(robot: str | None = None, port: int | None = None, no_browser: bool = False) -> None:
    """Serve the page until the program is ended; a robot of the library or of a file is opened at once."""
    if find_spec("nicegui") is None:
        raise InputError("the page needs the extra `ui`: python -m pip install 'robosym[ui]'")
    chosen = _free(port)
    from robosym.app.page.application import run
    from robosym.app.session import Sessions

    sessions = Sessions()
    path = f"/robot/{sessions.open(robot).key}" if robot is not None else "/"
    token = sessions.files.token(secrets.token_urlsafe(24))
    address = f"http://{HOST}:{chosen}{path}?token={token}"
    told = threading.Thread(target=_tell, args=(address, chosen, not no_browser), daemon=True)
    run(sessions, chosen, token, told.start)


def _tell(address: str, port: int, show: bool) -> None:
    """Say the address as soon as something answers there, so that whoever reads it may go there at once."""
    for _ in range(_TRIALS):
        with contextlib.suppress(OSError):
            socket.create_connection((HOST, port), timeout=1).close()
            break
        time.sleep(_PAUSE)
    print(f"robosym: {address}\nrobosym: Ctrl C ends the program", flush=True)
    if show:
        import webbrowser

        webbrowser.open(address)
    time.sleep(_LATER)
    import robosym.app.session.generation  # noqa: F401 - loaded while the page is looked at, so that the first model comes at once


def _free(port: int | None) -> int:
    """The port that was asked for, or the usual one, or any that is free."""
    if port is not None and not 0 <= port < 65536:
        raise InputError(f"--port: expected a number from 1 to 65535, found {port}")
    for candidate in [_USUAL, 0] if port is None else [port]:
        with contextlib.suppress(OSError), socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((HOST, candidate))
            return int(trial.getsockname()[1])
    raise InputError(f"--port: {port} is in use: expected another one, or none, and a free one is found")
