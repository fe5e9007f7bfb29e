"""Time limits and interruptions of commands: nothing is left half written."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

import robosym as rs
from robosym.app.cli.main import main

LONG = ("lagrange", "rx90", "--form", "expanded", "-o")


@pytest.mark.parametrize("typed", ["0.2", "1/5"])
def test_command_stops_at_its_time_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: str) -> None:
    file = tmp_path / "model.Elag"
    begin = time.monotonic()
    assert main([*LONG, str(file), "--time-limit", typed]) == 124
    assert time.monotonic() - begin < 20
    assert capsys.readouterr().err == "robosym: --time-limit: the call did not finish within 0.2 s\n"
    assert not list(tmp_path.iterdir())


def test_command_within_its_limit_succeeds(tmp_path: Path) -> None:
    file = tmp_path / "model.c"
    assert main(["velocities", "planar2r", "-o", str(file), "--time-limit", "100"]) == 0
    assert file.stat().st_size > 0


@pytest.mark.parametrize(("typed", "code"), [("0", 1), ("-1", 1), ("soon", 2)])
def test_rejects_invalid_time_limits(capsys: pytest.CaptureFixture[str], typed: str, code: int) -> None:
    try:
        found = main(["velocities", "planar2r", f"--time-limit={typed}"])
    except SystemExit as end:
        found = end.code
    message = capsys.readouterr().err
    assert found == code and "--time-limit: expected" in message and typed in message


@pytest.mark.skipif(sys.platform == "win32", reason="processes of Windows have no such signals")
def test_time_limit_stops_worker_processes(tmp_path: Path) -> None:
    """A background job of a shell ignores Ctrl C."""
    (tmp_path / "limits.yaml").write_text("position: 1.2\nvelocity: 3\n")
    line = "excite planar2r --starts 200 --workers 2 --limits limits.yaml --write motion.csv --time-limit 2"
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"from robosym.app.cli.main import main; sys.exit(main({line.split()}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (124, "robosym: --time-limit: the call did not finish within 2 s\n")
    assert [path.name for path in tmp_path.iterdir()] == ["limits.yaml"]


def test_time_limit_in_python_stops_a_call(tmp_path: Path) -> None:
    begin = time.monotonic()
    with (
        pytest.raises(rs.TimeLimitReached, match=r"did not finish within 0\.2 s"),
        rs.time_limit(0.2),
    ):
        rs.lagrange(rs.load("rx90"), form="expanded").write(tmp_path / "model.Elag")
    assert time.monotonic() - begin < 20
    assert not list(tmp_path.iterdir())
    with rs.time_limit(100):
        assert rs.velocities(rs.load("planar2r")).operations.total


def test_time_limit_survives_a_swallowed_interrupt() -> None:
    """Python ignores exceptions in callbacks of weak references."""

    class Nothing:
        pass

    def busy(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass

    begin = time.monotonic()
    with pytest.raises(rs.TimeLimitReached), rs.time_limit(0.05):
        dying = Nothing()
        watched = weakref.ref(dying, lambda _: busy(60))
        del dying
        busy(60)
    assert watched() is None and time.monotonic() - begin < 20


def test_rejects_results_after_the_limit() -> None:
    with pytest.raises(rs.TimeLimitReached), rs.time_limit(0.05):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a library that ignores every interruption
        time.sleep(0.1)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "3", True])
def test_rejects_limits_that_are_not_positive(seconds: object) -> None:
    with pytest.raises(rs.InputError, match="time_limit: expected seconds above 0, found"), rs.time_limit(seconds):
        pass


def test_rejects_limits_outside_the_main_thread() -> None:
    found: list[Exception] = []

    def limited() -> None:
        try:
            with rs.time_limit(1):
                pass
        except rs.InputError as error:
            found.append(error)

    thread = threading.Thread(target=limited)
    thread.start()
    thread.join()
    assert "expected a call in the main thread" in str(found[0])


def test_interrupt_is_not_reported_as_time_limit() -> None:
    with pytest.raises(KeyboardInterrupt), rs.time_limit(100):
        raise KeyboardInterrupt


def test_long_functions_report_progress() -> None:
    from robosym.app.menus import COMMANDS

    stages: list[str] = []
    COMMANDS["lagrange"].run({"robot": "planar2r", "form": "expanded"}, stages.append)
    assert stages and stages[-1].share == 1.0
    stages.clear()
    COMMANDS["study"].run({"function": "manipulability", "samples": "20", "robot": "planar2r"}, stages.append)
    assert stages[-1].share == 1.0


def test_progress_may_cancel() -> None:
    class Enough(Exception):
        pass

    def cancel(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        rs.lagrange(rs.load("planar2r"), form="expanded", progress=cancel)
