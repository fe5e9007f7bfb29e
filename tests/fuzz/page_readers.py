"""Readers of the page: messages as calls on a session, stored files, pieces of a study."""

from __future__ import annotations

import inspect
import io
import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from robosym.app.menus.table import COMMANDS
from robosym.app.session.document import Document
from robosym.app.session.history import History
from robosym.app.session.jobs import Jobs
from robosym.app.session.session import Session, Sessions
from robosym.errors import InputError
from robosym.files import decode
from robosym.formats.draft_changes import add_leg, add_loop, remove_leg, set_base
from robosym.studies.pieces import Folder

_FOLDER = Path(tempfile.gettempdir()) / f"robosym_fuzz_{os.getpid()}"  # shared with forked processes
_MOST = 12  #: maximum number of messages per input
_ROBOTS: dict[str, Callable[[], Document]] = {
    "serial": lambda: Document.new("arm", 2),
    "closed": lambda: Document.new("loop", 3, 1, "closed"),
    "parallel": lambda: Document.new_parallel("legs", 3, 3),
    "floating": lambda: Document.new("base", 2, base="floating"),
    "planar2r": lambda: Document.load("planar2r"),
}
_SESSION = ("edit paste add_frame remove_frame move_frame rename undo redo show_links select save").split()
_ROWS = {function.__name__: function for function in (add_leg, add_loop, remove_leg, set_base)}
_POSTURE = "move settle home look_at lead reading poses".split()


def _as_asked(function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Convert arguments as the page does for data of the browser: texts, integers, numbers."""
    known = {name: p for name, p in inspect.signature(function).parameters.items() if name != "draft"}
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"no argument {name}")
        kind = str(known[name].annotation)
        if "int" in kind:
            found[name] = value if value is None and "None" in kind else _whole(value)
        elif "list[list[str]]" in kind:
            rows = value if isinstance(value, list) else [value]
            found[name] = [[str(text) for text in (row if isinstance(row, list) else [row])] for row in rows]
        elif "float" in kind and "Mapping" not in kind:
            found[name] = _number(value)
        elif kind == "Any":
            found[name] = value
        elif "str" in kind and "Mapping" not in kind:
            found[name] = str(value)
    missing = [n for n, p in known.items() if p.default is inspect.Parameter.empty and n not in found]
    if missing:
        raise InputError(f"no {missing[0]}")
    return found


def _whole(value: object) -> int:
    number = _number(value)
    if not math.isfinite(number):
        raise InputError("no whole number")
    return int(number)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e300:
        raise InputError("no number")
    return float(value)


def messages(data: bytes) -> object:
    """Send the messages to one session in sequence; after a rejected message, the session continues."""
    head, *lines = decode(data).split("\n")[: _MOST + 1]
    session = Session("key", _ROBOTS.get(head.strip(), _ROBOTS["serial"])())
    rejected = None
    for line in lines:
        try:
            _message(session, line)
        except rs.Error as error:
            rejected = error
        session.document.tables()
        _ = session.document.errors, session.robot.name
    json.dumps(session.document.content())
    if rejected is not None:
        raise rejected
    return session


def _message(session: Session, line: str) -> object:
    try:
        name, given = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        raise InputError("no message") from None
    if not isinstance(name, str) or not isinstance(given, dict):
        raise InputError("no message")
    if name in _SESSION:
        function = getattr(session if hasattr(session, name) else session.document, name)
    elif name in _ROWS:
        return session.document.change(_ROWS[name], **_as_asked(_ROWS[name], given))
    elif name == "trial":
        function = session.document.trial
    elif name in _POSTURE:
        function = getattr(session.posture, name)
    elif name in COMMANDS:
        return session.results.request(name, given)
    else:
        raise InputError("no such message")
    if name == "lead":
        matrix = given.get("T")
        rows = matrix if isinstance(matrix, list) else []
        T = [[_number(x) for x in row] for row in rows if isinstance(row, list)]
        if len({len(row) for row in T}) > 1:
            raise InputError("no matrix")
        return function(T, 0.05)
    return function(**_as_asked(function, given))


def good_messages() -> list[bytes]:
    T = np.eye(4).tolist()
    cell = {"table": "frames", "row": 0, "column": "d"}
    talks = [
        ("serial", [
            ("edit", {**cell, "text": "L1"}), ("trial", {**cell, "text": "2*"}), ("edit", {**cell, "text": "sin("}),
            ("undo", {}), ("redo", {}), ("paste", {**cell, "block": [["1", "2"], ["Pi/2"]]}),
            ("save", {"form": "yaml"}),
        ]),
        ("planar2r", [
            ("move", {"name": "t1", "value": 0.5}), ("lead", {"T": T}), ("home", {}),
            ("look_at", {"frame": 1}), ("inverse_dynamics", {"base_parameters": True, "optimize": "2"}),
            ("reading", {}),
        ]),
        ("closed", [
            ("add_loop", {}), ("add_frame", {"after": 1}), ("move_frame", {"j": 2, "step": 1}),
            ("remove_frame", {"j": 1}),
            ("set_base", {"kind": "mobile"}), ("rename", {"name": "other", "title": "Other"}), ("select", {"j": 2}),
        ]),
        ("parallel", [
            ("add_leg", {}), ("remove_leg", {"number": 2}), ("add_frame", {"chain": "leg1"}), ("save", {"form": "par"}),
            ("remove_frame", {"j": 3, "chain": "leg2"}), ("show_links", {"table": "leg1.links", "form": "centre"}),
        ]),
        ("floating", [
            ("set_base", {"kind": "fixed"}), ("transform", {"i": "0", "j": "2"}), ("jacobian", {"link": "2"}),
            ("reading", {}), ("home", {}), ("poses", {}), ("save", {"form": "yaml"}),
        ]),
    ]  # fmt: skip
    return ["\n".join([kind, *map(json.dumps, talk)]).encode() for kind, talk in talks]


def kept_work(data: bytes) -> object:
    """Open a stored robot of an interrupted session: the page must start with any contents."""
    folder = _FOLDER / "state"
    (folder / "open").mkdir(parents=True, exist_ok=True)
    (folder / "open" / f"{_KEY}.json").write_bytes(data)
    sessions = Sessions(folder)
    sessions.unsaved()
    session = sessions.session(_KEY)
    session.document.tables()
    return session


_KEY = "0123456789ab"


def good_work() -> list[bytes]:
    made = [make() for make in _ROBOTS.values()]
    made[0].edit("frames", 0, "d", "2*")
    return [json.dumps(document.content()).encode() for document in made]


def history(data: bytes) -> object:
    folder = _FOLDER / "history"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "00000001.json").write_bytes(data)
    entries = History(folder).entries()
    if not entries:
        raise InputError("nothing")
    return entries


def good_history() -> list[bytes]:
    one = {
        "number": 1, "when": 1.0, "name": "rx90", "title": "Inverse dynamics", "line": "robosym", "total": 3,
        "request": {"command": "inverse_dynamics", "robot": "rx90", "values": {"optimize": "2"}, "text": ""},
    }  # fmt: skip
    from dataclasses import fields

    from robosym.app.session.history import Generated

    return [json.dumps({n: v for n, v in one.items() if n in {f.name for f in fields(Generated)}}).encode()]


def jobs(data: bytes) -> object:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    path = _FOLDER / "jobs.json"
    path.write_bytes(data)
    return Jobs(path)


def good_jobs() -> list[bytes]:
    return [json.dumps([{"title": "Inverse dynamics", "again": {"command": "x"}, "begun": 3.0}]).encode()]


def piece(data: bytes) -> object:
    """Read a piece of a study; damaged pieces are computed again."""
    folder = _FOLDER / "study"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "piece_0_0_10.npz").write_bytes(data)
    reading = Folder.__new__(Folder)
    reading._path = folder
    if not reading.known():
        raise InputError("nothing")
    return None


def good_pieces() -> list[bytes]:
    stream = io.BytesIO()
    np.savez(stream, **{"value a": np.ones(10), "failed": np.array(json.dumps({"1": "no"}))})
    return [stream.getvalue()]
