"""Unsaved work outlives the program."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import robosym as rs
from robosym.app.session import Sessions
from robosym.app.session.history import History
from robosym.app.session.requests import Request
from robosym.app.session.state_files import place_for


def test_stores_and_restores_work(tmp_path: Path) -> None:
    session = Sessions(tmp_path).open("rx90")
    assert session.is_stored or session.document is not None
    session.document.edit("frames", 3, "r", "0.45")
    session.document.edit("frames", 5, "theta", "t4")  # wrong, and kept as it is
    later = Sessions(tmp_path)  # the program was killed
    (kept,) = later.unsaved()
    assert kept.name == "rx90" and kept.key == session.key
    again = later.session(kept.key)
    assert again.document.errors[0].where == "frame 6, θ"
    assert str(again.robot.frame(4).r) == "0.45" and again.robot.variable(6) == "t6"
    again.document.edit("frames", 5, "theta", "t6")
    name, text = again.document.save("yaml")
    assert name == "rx90.yaml" and rs.loads(text) == again.robot
    assert not Sessions(tmp_path).unsaved()
    assert str(Sessions(tmp_path).session(kept.key).robot.frame(4).r) == "0.45"  # a reload finds it open
    later.discard(kept.key)
    with pytest.raises(rs.InputError, match="no longer open"):
        Sessions(tmp_path).session(kept.key)


@pytest.mark.parametrize("name", ["gough", "tricept_wrist", "sr400", "lumped2axis"])
def test_stores_every_kind_of_robot(name: str, tmp_path: Path) -> None:
    session = Sessions(tmp_path).open(name)
    session.document.edit("gravity", 0, "x", "1")
    assert Sessions(tmp_path).session(session.key).robot == session.robot


def test_rejects_damaged_files(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = sessions.open("rx90")
    session.document.edit("gravity", 0, "x", "1")
    path = tmp_path / "open" / f"{session.key}.json"
    content = json.loads(path.read_text())
    for damage in ("", "{", "[]", json.dumps({"draft": 1}), json.dumps({**content, "draft": {"rows": 3}})):
        path.write_text(damage)
        with pytest.raises(rs.InputError):
            Sessions(tmp_path).session(session.key)
    with pytest.raises(rs.InputError):
        sessions.session("../../etc/passwd")
    nowhere = Sessions(tmp_path / "token" / "file", keep=True)
    assert nowhere.open("rx90").robot.NJ == 6
    assert not Sessions(keep=False).open("rx90").is_stored


def test_token_survives_restart_and_is_private(tmp_path: Path) -> None:
    first = Sessions(tmp_path).files.token("a" * 30)
    assert Sessions(tmp_path).files.token("b" * 30) == first == "a" * 30
    (tmp_path / "token").chmod(0o644)
    assert Sessions(tmp_path).files.token("c" * 30) == "c" * 30
    assert (tmp_path / "token").stat().st_mode & 0o077 == 0


def test_windows_synchronize(tmp_path: Path) -> None:
    session = Sessions(tmp_path).open("scara")
    changes: list[str] = []
    stop = session.listen(changes.append)
    session.document.edit("frames", 0, "r", "1")
    session.select(2)
    session.select(2)
    stop()
    session.document.undo()
    assert changes == ["document", "selection"]


@pytest.mark.parametrize(
    ("structure", "links", "loops"), [("simple", 6, 0), ("tree", 4, 0), ("closed", 5, 2), ("parallel", 3, 4)]
)
def test_new_robots(structure: str, links: int, loops: int, tmp_path: Path) -> None:
    session = Sessions(tmp_path).new("mine", links, loops, structure)
    assert session.document.unsaved and not session.document.errors
    assert [kept.name for kept in Sessions(tmp_path).unsaved()] == ["mine"]
    with pytest.raises(rs.Error):
        Sessions(tmp_path).new("mine", 0, 0, structure)


def test_requests_and_uploads_survive_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBOSYM_STATE", str(tmp_path))
    session = Sessions().open("rx90")
    log = place_for("../../run 3.csv")
    log.write_text("t,q1\n0,1\n")
    session.results.fields.setdefault("identify", {})["log"] = str(log)
    session.store()
    again = Sessions().session(session.key)
    kept = Path(again.results.fields["identify"]["log"])
    assert kept.name == "run 3.csv" and kept.read_text() == "t,q1\n0,1\n" and tmp_path in kept.parents
    assert not again.document.unsaved
    path = tmp_path / "open" / f"{session.key}.json"
    path.write_text(path.read_text().replace('"fields": {"identify"', '"fields": {"x": 3, "identify"'))
    assert list(Sessions().session(session.key).fields) == ["identify"]


def test_old_uploads_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBOSYM_STATE", str(tmp_path))
    old, new = place_for("old.csv"), place_for("new.csv")
    for path in (old, new):
        path.write_text("t\n")
    os.utime(old, (1, 1))
    place_for("third.csv")
    assert not old.exists() and new.exists()


@pytest.mark.parametrize(
    "damage",
    [
        '{"when": "yesterday", "draft": {}}', '{"when": null, "draft": {}, "unsaved": true}', '{"when": 1e400}', "{}",
        '{"when": NaN, "draft": {}}', '{"draft": [], "unsaved": true}', '{"draft": null, "unsaved": true}', "\x00",
        "[" * 100_000,
    ],
)  # fmt: skip
def test_damaged_file_does_not_affect_others(damage: str, tmp_path: Path) -> None:
    session = Sessions(tmp_path).open("rx90")
    session.document.edit("gravity", 0, "x", "1")
    (tmp_path / "open" / "0123456789ab.json").write_text(damage)
    os.mkfifo(tmp_path / "open" / "aaaaaaaaaaaa.json")
    os.mkfifo(tmp_path / "token")
    sessions = Sessions(tmp_path)
    assert session.key in [kept.key for kept in sessions.unsaved()]
    assert sessions.files.token("t" * 30) == "t" * 30


def test_two_programs_keep_all_edits(tmp_path: Path) -> None:
    """Both have the robot open, and edit it in turn: the second one continues as a copy, and reports it."""
    session = Sessions(tmp_path).open("rx90")
    session.document.edit("gravity", 0, "x", "1")
    first, second = Sessions(tmp_path), Sessions(tmp_path)
    one, other = first.session(session.key), second.session(session.key)
    changes: list[str] = []
    other.listen(changes.append)
    one.document.edit("gravity", 0, "x", "2")
    one.document.edit("gravity", 0, "y", "3")  # a program may write over what it wrote itself
    assert not changes
    other.document.edit("gravity", 0, "x", "4")
    other.document.edit("gravity", 0, "y", "5")
    assert changes.count("copied") == 1
    assert second.session(session.key) is second.session(other.key) is other and other.key != session.key
    kept = {Sessions(tmp_path).session(unsaved.key).robot.gravity[:2] for unsaved in Sessions(tmp_path).unsaved()}
    assert sorted([str(x) for x in pair] for pair in kept) == [["2", "3"], ["4", "5"]]


def test_two_programs_share_the_history(tmp_path: Path) -> None:
    first, second = History(tmp_path), History(tmp_path)
    entries = []
    for number, history in enumerate((first, second, first, second)):
        request = Request("gravity_torques", {"select": str(number)})
        entries.append(history.add(request, "rx90", "Gravity", f"line {number}"))
    assert [one.number for one in entries] == [1, 2, 3, 4]
    assert [one.line for one in first.entries()] == [f"line {k}" for k in (3, 2, 1, 0)]
