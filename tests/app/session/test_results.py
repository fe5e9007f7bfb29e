"""Requests of one robot: what is typed for it, what its history keeps over a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import robosym as rs
from robosym.app.session.document import Document
from robosym.app.session.generation import generate
from robosym.app.session.history import History
from robosym.app.session.requests import HANDED_OVER, Request
from robosym.app.session.results import Results, shared_jobs


def results_of(robot: rs.Robot, origin: str) -> Results:
    return Results(Document(robot, origin), {})


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROBOSYM_STATE", str(tmp_path))
    return tmp_path


def test_robot_is_passed_by_name_or_as_text(folder: Path) -> None:
    robot = rs.load("rx90")
    results = results_of(robot, "rx90")
    request = results.request("inverse_dynamics", {"base_parameters": True, "select": "GAM1, GAM2", "tree": False})
    assert (request.robot, request.text) == ("rx90", "")
    assert request.values == {"base_parameters": True, "select": ["GAM1", "GAM2"]}
    results.document.edit("frames", 2, "d", "0.45")
    changed = results.request("inverse_dynamics", {})
    assert changed.robot == "rx90.yaml" and changed.load() == results.document.robot != robot
    assert rs.loads(changed.plain()["text"], format="yaml") == results.document.robot
    dropped = results_of(robot, "../../../etc/passwd")
    assert dropped.subject()[0] == "passwd.yaml"


def test_saved_robot_is_named_by_its_file(folder: Path) -> None:
    path = folder / "arm.yaml"
    rs.load("planar2r").write(path)
    opened = path.read_text()
    results = Results(Document.load(str(path)), {})
    first = results.request("inverse_dynamics", {})
    results.document.edit("links", 0, "M", "3.25")
    assert first.is_named and not results.request("inverse_dynamics", {}).is_named
    assert not results.is_current(first)
    changed = results.request("inverse_dynamics", {})
    assert results.document.unsaved and results.unsaved_file(changed) == "arm.yaml"
    path.write_text(results.document.text("yaml"))
    assert not results.document.unsaved and results.is_current(changed) and not results.unsaved_file(changed)
    _, text = results.document.save("yaml")
    path.write_text(text)
    saved = results.request("inverse_dynamics", {})
    assert saved.is_named and saved.load() == results.document.robot
    assert saved.key != first.key  # what was generated of the file before is not shown for it now
    path.write_text(opened)  # another program has put it back: the tables count
    assert not results.request("inverse_dynamics", {}).is_named


def test_reports_missing_arguments_and_names_files(folder: Path) -> None:
    results = results_of(rs.load("planar2r"), "planar2r")
    with pytest.raises(rs.InputError, match="file: expected"):
        results.request("optimize", {})
    uploaded = folder / f"{HANDED_OVER}1" / "model.txt"
    uploaded.parent.mkdir()
    uploaded.write_text(rs.velocities(rs.load("planar2r")).code("listing"))
    request = results.request("optimize", {"file": str(uploaded), "level": "2"})
    shown = generate(request, "c")
    assert (
        shown.same.line.startswith("robosym optimize model.txt --level 2 -o") and str(folder) not in shown.same.program
    )


def test_history_is_stored(folder: Path) -> None:
    results = results_of(rs.load("planar2r"), "planar2r")
    request = results.request("velocities", {})
    shown = results.start(request).future.result(30)
    until(lambda: bool(results.history.entries()))  # the result comes first, then it is stored
    assert results.last(request) == shown
    history = History(folder / "history")
    (one,) = history.entries()
    assert one.request == request and one.total == shown.counts.total and one.line.startswith("robosym velocities")
    history.add(request, "planar2r", shown.title, shown.same.line)
    assert len(history.entries()) == 1
    other = results.request("transform", {"i": "0", "j": "2"})
    shown = generate(other)
    history.add(other, "planar2r", shown.title, shown.same.line, shown.seconds, shown.counts)
    (folder / "history" / "00000009.json").write_text("{")
    again = History(folder / "history")
    assert [entry.request.command for entry in again.entries()] == ["transform", "velocities"]
    again.remove(again.entries()[0].number)
    assert len(History(folder / "history").entries()) == 1
    shared_jobs()[0].close()


def test_lists_entries_during_additions(monkeypatch: pytest.MonkeyPatch) -> None:
    added, history = History.add, History(None)

    def slow(self: History, *entry: Any) -> None:
        time.sleep(0.1)
        added(self, *entry)

    monkeypatch.setattr(History, "add", slow)
    history.add_soon(Request("velocities", "planar2r"), "planar2r", "Velocities", "robosym velocities")
    assert [one.title for one in history.entries()] == ["Velocities"]
