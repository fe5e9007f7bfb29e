"""The application: its routes, its static files and the guard in front of them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from nicegui import Client, app, ui
from starlette.requests import Request

from robosym.app.page.guard import Guard
from robosym.app.page.serve import HOST
from robosym.app.page.shell import Shell
from robosym.app.page.uploads import receive_files
from robosym.app.page.widgets import ASSETS
from robosym.app.session import Sessions
from robosym.app.session.jobs import IMPORTS
from robosym.app.session.results import shared_jobs
from robosym.errors import Error

__all__ = ["run"]

#: scripts and styles of other packages: interactive pictures and shared pages
_SCRIPTS = (("drawing", "kinematics.js"), *(("export.share", f"live_values.{kind}") for kind in ("js", "css")))
_LATER = 3  #: seconds until modules are imported that the first page does not need
_WAITING = 16  #: maximum number of pages without a connection
_HEAD = """
<script>document.documentElement.dataset.theme = localStorage.getItem("robosym-theme") ||
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")</script>
<link rel="stylesheet" href="/assets/katex/katex.min.css"><link rel="stylesheet" href="/assets/style.css">
<link rel="stylesheet" href="/assets/frame.css"><link rel="stylesheet" href="/assets/picture.css">
<link rel="stylesheet" href="/assets/results.css"><link rel="stylesheet" href="/assets/narrow.css">
<script defer src="/assets/katex/katex.min.js"></script><script defer src="/assets/shell.js"></script>
<script defer src="/assets/math.js"></script><script defer src="/assets/results.js"></script>
<script defer src="/scripts/kinematics.js"></script><script defer src="/scripts/live_values.js"></script>
<link rel="stylesheet" href="/scripts/live_values.css">
"""


def run(sessions: Sessions, port: int, token: str, started: Callable[[], None]) -> None:
    """Serve the page until the program ends."""
    app.add_static_files("/assets", ASSETS, max_cache_age=0)
    for package, name in _SCRIPTS:
        path = Path(str(files(f"robosym.{package}"))) / name
        app.add_static_file(local_file=path, url_path=f"/scripts/{name}", max_cache_age=0)
    app.add_middleware(Guard, token=token, port=port)
    app.on_startup(started)
    app.on_startup(_prepare)
    app.on_shutdown(shared_jobs()[0].close)
    receive_files()

    @ui.page("/")
    def start(request: Request) -> None:
        _frame(sessions, None, request)

    @ui.page("/robot/{key}")
    def robot(key: str, request: Request) -> None:
        _frame(sessions, key, request)

    ui.run(
        host=HOST,
        port=port,
        title="robosym",
        language="en-US",
        favicon=ASSETS / "icon.svg",
        reload=False,
        show=False,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=30,
        binding_refresh_interval=None,
    )


async def _prepare() -> None:
    """Import what results consist of, so that the first one is fast; in the thread that also imports the views."""
    await asyncio.sleep(_LATER)
    for module in ("drawing.posture", "experiment", "app.session.generation"):
        with IMPORTS:
            import_module(f"robosym.{module}")
        await asyncio.sleep(0.01)  # for requests
    gc.freeze()  # a collection that looks at all that was imported would delay an answer by 50 ms


def _prune() -> None:
    """Delete pages that no browser reconnected to: each takes about 0.5 MB, and NiceGUI keeps them for a minute."""
    waiting = [client for client in Client.instances.values() if not client.has_socket_connection]
    for client in sorted(waiting, key=lambda one: one.created)[:-_WAITING]:
        client.delete()


def _frame(sessions: Sessions, key: str | None, request: Request) -> None:
    _prune()
    ui.add_head_html(_HEAD)
    what = {name: value for name, value in request.query_params.items() if name.isidentifier() and name != "self"}
    missing = ""
    session = None
    if key is not None:
        try:
            session = sessions.session(key)
        except Error as error:
            missing = str(error)
    if session is not None:
        ui.page_title(f"{session.document.name} · robosym")
    shell = Shell(sessions, session)
    view = what.pop("view", "robot")
    shell.go(view if session is not None else "start", **what)
    if missing:
        shell.notify(missing)
