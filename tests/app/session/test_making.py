"""Requests of one robot: what is typed for it, what its history keeps over a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import robosym as rs
from robosym.app.session.equivalents import HANDED_OVER
from robosym.app.session.history import History
from robosym.app.session.making import Making, shared_jobs
from robosym.app.session.results import generate


def session_of(robot: Any, origin: str) -> Any:
    return SimpleNamespace(robot=robot, document=SimpleNamespace(origin=origin), tell=lambda what: None, fields={})


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROBOSYM_STATE", str(tmp_path))
    return tmp_path


def test_a_robot_is_told_by_name_or_as_text(folder: Path) -> None:
    robot = rs.load("rx90")
    making = Making(session_of(robot, "rx90"))
    request = making.request("inverse_dynamics", {"base_parameters": True, "select": "GAM1, GAM2", "tree": False})
    assert (request.robot, request.text) == ("rx90", "")
    assert request.values == {"base_parameters": True, "select": ["GAM1", "GAM2"]}
    making.session.robot = robot.with_values({"D3": 0.45})
    changed = making.request("inverse_dynamics", {})
    assert changed.robot == "rx90.yaml" and rs.loads(changed.text, format="yaml") == making.session.robot
    dropped = Making(session_of(robot, "../../../etc/passwd"))
    assert dropped.told()[0] == "passwd.yaml"


def test_what_is_missing_is_said_and_files_go_by_their_names(folder: Path) -> None:
    making = Making(session_of(rs.load("planar2r"), "planar2r"))
    with pytest.raises(rs.InputError, match="File is missing"):
        making.request("optimize", {})
    uploaded = folder / f"{HANDED_OVER}1" / "model.txt"
    uploaded.parent.mkdir()
    uploaded.write_text(rs.velocities(rs.load("planar2r")).code("listing"))
    request = making.request("optimize", {"file": str(uploaded), "level": "2"})
    shown = generate(request, "c")
    assert shown.line.startswith("robosym optimize model.txt --level 2 -o") and str(folder) not in shown.program


def test_history_is_kept(folder: Path) -> None:
    making = Making(session_of(rs.load("planar2r"), "planar2r"))
    request = making.request("velocities", {})
    shown = making.start(request).future.result(30)
    until(lambda: bool(making.history.entries()))  # whoever waits is told first, then it is kept
    assert making.last(request) == shown
    history = History(folder / "history")
    (one,) = history.entries()
    assert one.request == request and one.total == shown.counts.total and one.line.startswith("robosym velocities")
    history.add(request, "planar2r", shown.title, shown.line)
    assert len(history.entries()) == 1
    other = making.request("transform", {"i": "0", "j": "2"})
    shown = generate(other)
    history.add(other, "planar2r", shown.title, shown.line, shown.seconds, shown.counts)
    (folder / "history" / "00000009.json").write_text("{")
    again = History(folder / "history")
    assert [entry.request.command for entry in again.entries()] == ["transform", "velocities"]
    again.remove(again.entries()[0].number)
    assert len(History(folder / "history").entries()) == 1
    shared_jobs()[0].close()
