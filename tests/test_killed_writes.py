"""Inspection of all writers before every step: old or new files, never partial ones.

A killed process leaves the folder in its current state. The folder is therefore inspected whenever Python is about to
open, move, create or remove a file (audit events), and no file may be opened for writing at its final place.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.session.state_files import SessionFiles
from robosym.files import TEMPORARY_SUFFIX

STEPS = {"open", "os.rename", "os.remove", "os.chmod", "os.mkdir", "os.rmdir", "os.truncate"}
WRITTEN = "opened for writing"
_watched: list[Callable[[str, tuple[object, ...]], None]] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _watched and event in STEPS:
        watch = _watched.pop()  # the inspection opens files itself
        try:
            watch(event, arguments)
        finally:
            _watched.append(watch)


sys.addaudithook(_hook)  # permanent, without cost while inactive


def contents(folder: Path) -> dict[str, bytes]:
    """Return the visible files; temporary files of a killed process are hidden and end in `.tmp`."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(TEMPORARY_SUFFIX)
    }


@contextmanager
def watching(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> Iterator[list[str]]:
    """Record the steps; a file that is neither old nor new fails."""
    steps: list[str] = []

    def look(event: str, arguments: tuple[object, ...]) -> None:
        subject = os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes, os.PathLike)) else ""
        if not subject.startswith(str(folder)):
            return
        steps.append(event)
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
            steps[-1] = WRITTEN
            assert subject.endswith(TEMPORARY_SUFFIX), f"{subject} is written in place"
        for name, found in contents(folder).items():
            assert found in (old.get(name), new.get(name)), f"{name} is half at {event}"

    _watched.append(look)
    try:
        yield steps
    finally:
        _watched.remove(look)


def _simulation(name: str) -> rs.Simulation:
    robot = rs.load("planar2r")
    start = 0.1 if name == "planar2r" else 0.2
    return rs.simulate(robot, start * np.ones(2), np.zeros(2), until=0.05, step=0.01)


Writer = Callable[[str], Callable[[Path], object]]
#: writers by name, as functions of a robot's name; only writing happens in the inner function
WRITERS: dict[str, Writer] = {
    **{
        f"robot {suffix}": lambda name, suffix=suffix: lambda to: rs.load(name).write(to / f"arm{suffix}")  # type: ignore[misc]
        for suffix in (".yaml", ".par", ".urdf", ".xml", ".sdf")
    },
    "C and header": lambda name: lambda to: rs.inverse_dynamics(rs.load(name)).write(to / "arm.c"),
    "closed form": lambda name: lambda to: rs.inverse_geometry(rs.load(name)).write(to / "igm.c"),
    "bundle": lambda name: lambda to: rs.bundle(rs.load(name), to, prefix="arm"),
    "picture": lambda name: lambda to: rs.draw(rs.load(name)).write(to / "a.svg"),
    "simulation .npz": lambda name: lambda to: _simulation(name).write(to / "run.npz"),
    "simulation .csv": lambda name: lambda to: _simulation(name).write(to / "run.csv"),
    "plot": lambda name: lambda to: _simulation(name).plot(to / "run.svg"),
    "study": lambda name: lambda to: rs.study(_cube if name == "planar2r" else _square, [1.0, 2.0]).write(to / "s.npz"),
    "page": lambda name: lambda to: SessionFiles(to).store("a" * 12, {"robot": name}),
}


def _square(x: float) -> float:
    return float(x) ** 2


def _cube(x: float) -> float:
    return float(x) ** 3


@pytest.mark.parametrize("what", [pytest.param(w, marks=pytest.mark.long) if w == "bundle" else w for w in WRITERS])
def test_old_or_new_at_every_step(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)  # files of the page contain a date
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * size)
    first, second = (WRITERS[what](name) for name in ("planar2r", "scara"))
    for name, write in (("old", first), ("new", second)):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    shutil.copytree(tmp_path / "old", tmp_path / "there")
    old, new = contents(tmp_path / "old"), contents(tmp_path / "new")
    assert old.keys() == new.keys() and old and old != new
    with watching(tmp_path / "there", old, new) as steps:
        second(tmp_path / "there")
    assert steps.count("os.rename") == len(new) and steps.count(WRITTEN) >= len(new)
    last = len(steps) - 1 - steps[::-1].index(WRITTEN)
    assert what == "page" or last < steps.index("os.rename"), (
        "files that belong together are all made before one is moved"
    )
    assert contents(tmp_path / "there") == new


def test_umask_is_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New files have the default mode, existing ones keep theirs; umask would affect all threads."""
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the mask is set"))
        write = WRITERS["robot .yaml"]("planar2r")
        write(tmp_path)
        assert (tmp_path / "arm.yaml").stat().st_mode & 0o777 == 0o640
        (tmp_path / "arm.yaml").chmod(0o604)
        write(tmp_path)
        assert (tmp_path / "arm.yaml").stat().st_mode & 0o777 == 0o604
    finally:
        monkeypatch.undo()
        os.umask(before)


def test_study_resumes_after_early_kill(tmp_path: Path) -> None:
    (tmp_path / ".study.json.abc.tmp").write_text("{")
    assert rs.study(_square, [1.0, 2.0], path=tmp_path).done.all()


def _as_nobody(action: Callable[[], object]) -> str:
    """Return the message of an action in a process without root privileges, or an empty text."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            action()
            os.write(writer, b"")
        except rs.Error as error:
            os.write(writer, str(error).encode())
        except BaseException as error:
            os.write(writer, f"uncontrolled: {error!r}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as stream:
        return stream.read()


def test_read_only_folder(tmp_path: Path) -> None:
    """Each message names the file, and existing files are unchanged."""
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    place = tmp_path / "there"
    place.mkdir()
    chosen = ("robot .yaml", "C and header", "simulation .npz", "study")
    for what in chosen:
        WRITERS[what]("planar2r")(place)
    before = contents(place)
    place.chmod(0o555)
    for what in chosen:
        message = _as_nobody(lambda what=what: WRITERS[what]("scara")(place))  # type: ignore[misc]
        assert "permission denied" in message and str(place) in message, (what, message)
    message = _as_nobody(lambda: rs.study(_square, [1.0], path=place / "pieces"))
    assert message and "uncontrolled" not in message
    assert _as_nobody(lambda: SessionFiles(place).store("a" * 12, {})) == ""
    assert contents(place) == before


def _make(folder: str, seconds: float) -> None:
    """Generate models repeatedly with the cache in a folder; the exit code is 0 if all values are correct."""
    os.environ["ROBOSYM_CACHE"] = folder
    from robosym.runtime import engine

    def torques(name: str) -> bytes:
        compiled = rs.inverse_dynamics(rs.load(name)).compile()
        return bytes(compiled(*([0.3] * len(names) for names in compiled.inputs.values())).tobytes())

    names = ("planar2r", "scara")
    right = {name: torques(name) for name in names}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        engine._loaded.clear()
        if any(torques(name) != right[name] for name in names):
            os._exit(2)
    os._exit(0)


def test_shared_and_damaged_cache(tmp_path: Path) -> None:
    """Two processes share it, one is killed, and entries are truncated, changed and removed."""
    folder = tmp_path / "code"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_make, args=(str(folder), 1.0)) for _ in range(3)]
    for worker in workers:
        worker.start()
    numbers = np.random.default_rng(7)
    harmed = 0
    while any(worker.is_alive() for worker in workers[:2]):
        time.sleep(0.02)
        for entry in list(folder.glob("*")):
            try:
                data = entry.read_bytes()
                place = int(numbers.integers(max(1, len(data))))
                how = int(numbers.integers(3))
                if how == 0:
                    entry.write_bytes(data[:place])
                elif how == 1:
                    entry.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
                else:
                    entry.unlink()
                harmed += 1
            except OSError:
                continue
        if harmed > 5 and workers[2].is_alive():
            os.kill(workers[2].pid or 0, signal.SIGKILL)
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers[:2]] == [0, 0] and harmed > 5
