"""Compiled models in many threads and processes give the same values while other models are created and released.

A few seconds here; `make soak` runs a minute.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.algebra.once import cached_property

SEED = 20
THREADS = 8
CALLED = ("ur5e", "puma560", "scara")
MADE = ("planar2r", "stanford", "gantry3p3r", "scara")
SOLVED = 24  #: index of the inverse geometric model among the calls
Call = Callable[[], np.ndarray]


def state_of(compiled: rs.Compiled, rows: int | None = None) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(SEED)
    return {
        group: numbers.uniform(0.2, 1, len(names) if rows is None else (rows, len(names)))
        for group, names in compiled.inputs.items()
    }


def calls_of(name: str) -> list[Call]:
    """Ways to call one model: a state by place, by name, in dicts; a batch, by columns, in threads, into an array."""
    compiled = rs.inverse_dynamics(rs.load(name)).compile()
    one, many = state_of(compiled), state_of(compiled, 100)
    named = {group: dict(zip(compiled.inputs[group], map(float, value), strict=True)) for group, value in one.items()}
    columns = {group: np.asfortranarray(value) for group, value in many.items()}
    single = {group: value.astype(np.float32) for group, value in many.items()}
    shape = compiled(**many).shape
    return [
        lambda: compiled(*one.values()),
        lambda: compiled(**one),
        lambda: compiled(**named),
        lambda: compiled(**many),
        lambda: compiled(**columns),
        lambda: compiled(**single),
        lambda: compiled(**many, threads=2),
        lambda: compiled(**many, out=np.empty(shape)),
    ]


def solve_of(name: str) -> Call:
    robot = rs.load(name)
    pose = np.asarray(rs.transform(robot, 0, 6).compile()(q=[0.3, -0.4, 0.5, 0.6, 0.7, 0.8]))
    solver = rs.inverse_geometry(robot)
    return lambda: np.array(sorted(map(tuple, np.asarray(solver.solve(pose), dtype=float))))


def _same(found: np.ndarray, expected: np.ndarray, place: int) -> bool:
    """Compare exactly; solutions of the inverse geometric model, with or without machine code, up to rounding."""
    return found.tobytes() == expected.tobytes() or (place == SOLVED and np.allclose(found, expected, rtol=1e-9))


def together(seconds: float, makers: int) -> tuple[int, int]:
    """Call models in eight threads while others create models for a given time; return both numbers."""
    calls = [call for name in CALLED for call in calls_of(name)] + [solve_of("puma560")]
    expected = [call() for call in calls]
    assert len(calls) == SOLVED + 1
    end = time.monotonic() + seconds
    wrong: list[str] = []
    called, made = [0] * THREADS, [0] * makers
    barrier = threading.Barrier(THREADS + makers)

    def call(turn: int) -> None:
        barrier.wait()
        places = cycle(range(turn, turn + len(calls)))
        for place in (place % len(calls) for place in places):
            for _ in range(20):
                try:
                    found = calls[place]()
                    if not _same(found, expected[place], place):
                        wrong.append(f"call {place}: other numbers")
                except Exception as error:
                    wrong.append(f"call {place}: {error!r}")
                called[turn] += 1
            if time.monotonic() > end or wrong:
                return

    def make(turn: int) -> None:
        """Create the same models in every thread, so that they share code, and release them."""
        barrier.wait()
        results: dict[str, bytes] = {}
        for name in cycle(MADE):
            try:
                compiled = rs.inverse_dynamics(rs.load(name)).compile()
                found = compiled(**state_of(compiled)).tobytes()
                if results.setdefault(name, found) != found:
                    wrong.append(f"{name}: other numbers when made again")
            except Exception as error:
                wrong.append(f"{name}: {error!r}")
            made[turn] += 1
            if turn == 0:
                gc.collect()
            if time.monotonic() > end or wrong:
                return

    threads = [threading.Thread(target=call, args=(turn,)) for turn in range(THREADS)]
    threads += [threading.Thread(target=make, args=(turn,)) for turn in range(makers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:5]
    assert min(called) > 0 and min(made) > 0
    return sum(called), sum(made)


def test_calls_during_compilation() -> None:
    together(1, makers=2)


@pytest.mark.long
def test_calls_during_compilation_for_a_minute() -> None:
    print(together(60, makers=3))


def torques(compiled: rs.Compiled) -> bytes:
    """Return the torques of a pickled model and of a newly created one, in another process."""
    made = rs.inverse_dynamics(rs.load("planar2r")).compile()
    return bytes(np.concatenate([compiled(**state_of(compiled)), made(**state_of(made))]).tobytes())


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes(way: str) -> None:
    compiled = rs.inverse_dynamics(rs.load("ur5e")).compile()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        found = list(pool.map(torques, [compiled] * 3, timeout=100))
    assert set(found) == {torques(compiled)}


def test_fork_during_compilation() -> None:
    """A forked child has the models of its parent and generates machine code, independent of threads at the fork."""
    compiled = rs.inverse_dynamics(rs.load("scara")).compile()
    expected = torques(compiled)
    stop = threading.Event()

    def make() -> None:
        while not stop.is_set():
            rs.inverse_dynamics(rs.load("scara")).compile(cached=False)

    makers = [threading.Thread(target=make) for _ in range(2)]
    for maker in makers:
        maker.start()
    try:
        for _ in range(6):
            time.sleep(0.05)
            child = os.fork()
            if not child:
                try:
                    os._exit(0 if torques(compiled) == expected else 2)
                finally:
                    os._exit(3)
            end = time.monotonic() + 60
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    pytest.fail("the child hangs")
                time.sleep(0.02)
            assert os.waitstatus_to_exitcode(ended[1]) == 0
    finally:
        stop.set()
        for maker in makers:
            maker.join()


def test_fork_during_cached_property() -> None:
    """Before Python 3.12, cached_property has a global lock, which could stay locked in the child."""
    begun, go_on = threading.Event(), threading.Event()

    class Thing:
        def __init__(self, waits: bool) -> None:
            self.waits = waits

        @cached_property
        def value(self) -> int:
            if self.waits:
                begun.set()
                go_on.wait()
            return 7

    worker = threading.Thread(target=lambda: Thing(True).value)
    worker.start()
    begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if Thing(False).value == 7 else 2)
    _, status = os.waitpid(child, 0)
    go_on.set()
    worker.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_properties_have_no_lock() -> None:
    sources = Path(rs.__file__).parent.rglob("*.py")
    theirs = re.compile(r"^from functools import .*cached_property", re.M)
    assert [path.name for path in sources if theirs.search(path.read_text(encoding="utf-8"))] == []
