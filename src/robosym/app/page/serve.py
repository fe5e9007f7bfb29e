"""The command `robosym app`, which serves the page to the user of this computer."""

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
_TRIALS, _PAUSE = 1000, 0.01  #: attempts to reach the server, and seconds between them
_USUAL = 8319  #: the port that is tried first, so that an open window finds a restarted program


def app(robot: str | None = None, port: int | None = None, no_browser: bool = False) -> None:
    """Serve the page until the program ends, and open a robot of the library or of a file.

    Parameters
    ----------
    port
        Port of the address. Default: 8319, or a free port.
    no_browser
        Print the address and do not open a browser.
    """
    if find_spec("nicegui") is None:
        raise InputError("the page needs the extra `ui`: python -m pip install 'robosym[ui]'")
    chosen = _free(port)
    from robosym.app.page.application import run
    from robosym.app.session import Sessions

    sessions = Sessions()
    path = f"/robot/{sessions.open(robot).key}" if robot is not None else "/"
    token = sessions.files.token(secrets.token_urlsafe(24))
    address = f"http://{HOST}:{chosen}{path}?token={token}"
    announcer = threading.Thread(target=_announce, args=(address, chosen, not no_browser), daemon=True)
    run(sessions, chosen, token, announcer.start)


def _announce(address: str, port: int, show: bool) -> None:
    """Print the address once the server answers."""
    for _ in range(_TRIALS):
        with contextlib.suppress(OSError):
            socket.create_connection((HOST, port), timeout=1).close()
            break
        time.sleep(_PAUSE)
    print(f"robosym: {address}\nrobosym: Ctrl C ends the program", flush=True)
    if show:
        import webbrowser

        webbrowser.open(address)


def _free(port: int | None) -> int:
    """Return the requested port, the default port, or any free port."""
    if port is not None and not 0 <= port < 65536:
        raise InputError(f"--port: expected a number from 1 to 65535, found {port}")
    for candidate in [_USUAL, 0] if port is None else [port]:
        with contextlib.suppress(OSError), socket.socket() as trial:
            # on Windows SO_REUSEADDR would accept a port that another program serves
            reuse = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
            trial.setsockopt(socket.SOL_SOCKET, reuse, 1)
            trial.bind((HOST, candidate))
            return int(trial.getsockname()[1])
    raise InputError(f"--port: {port} is in use: choose another port, or omit --port to use a free one")
