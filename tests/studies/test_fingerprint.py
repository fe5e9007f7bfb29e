"""A stored study is reused only if everything that its results depend on is the same."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.studies.fingerprint import fingerprint

ROWS = np.linspace(0, 1, 12).reshape(6, 2)
SCALE = 2.0


def scaled(row: Any) -> float:
    return SCALE * float(row[0])


def weighted(weights: Any, row: Any, power: int = 1) -> float:
    return float(np.dot(weights, row)) ** power


class Weighing:
    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def __call__(self, row: Any) -> float:
        return weighted(self.weights, row)

    def twice(self, row: Any) -> float:
        return 2 * self(row)


def closing_over(factor: Any) -> Callable[[Any], float]:
    def inner(row: Any) -> float:
        return float(factor[0] * row[0])

    return inner


def helper(k: int) -> Callable[[Any], float]:
    """Return functions with the same name and text that call different functions."""
    space: dict[str, Any] = {}
    exec(f"def inside(x): return x + {k}\ndef outside(row): return inside(float(row[0]))", space)
    return space["outside"]  # type: ignore[no-any-return]


class Restored:
    """Object restored by its own function, from items that pickle stores one by one."""

    def __init__(self, setter: Any, items: list[Any], entries: dict[str, Any]) -> None:
        self.setter, self.items, self.entries = setter, items, entries

    def __reduce__(self) -> tuple[Any, ...]:
        return Restored, (None, [], {}), {}, iter(self.items), iter(self.entries.items()), self.setter

    def __call__(self, row: Any) -> float:
        return float(row[0])


class Items(list[Any]):
    def __call__(self, row: Any) -> float:
        return float(np.dot(self, row))


class Entries(dict[str, Any]):
    def __call__(self, row: Any) -> float:
        return float(self["a"] * row[0])


PAIRS = {
    "items": (Items([1.0, 2.0]), Items([1.0, 3.0])),
    "entries": (Entries(a=1.0), Entries(a=2.0)),
    "setter": (Restored(scaled, [], {}), Restored(weighted, [], {})),
    "restored items": (Restored(scaled, [1], {}), Restored(scaled, [2], {})),
    "restored entries": (Restored(scaled, [], {"a": 1}), Restored(scaled, [], {"a": 2})),
    "body": (lambda row: float(row[0]), lambda row: float(row[1])),
    "constant": (lambda row: float(row[0]) + 1, lambda row: float(row[0]) + 2),
    "closure": (closing_over([1.0]), closing_over([2.0])),
    "array in a closure": (
        closing_over(np.arange(5000.0)),
        closing_over(np.arange(5000.0) * (np.arange(5000) != 2500)),
    ),
    "bound arguments": (partial(weighted, [1.0, 2.0]), partial(weighted, [1.0, 3.0])),
    "bound keywords": (partial(weighted, [1.0, 2.0], power=1), partial(weighted, [1.0, 2.0], power=2)),
    "callable object": (Weighing([1.0, 2.0]), Weighing([1.0, 3.0])),
    "method of an object": (Weighing([1.0, 2.0]).twice, Weighing([1.0, 3.0]).twice),
    "method": (Weighing([1.0, 2.0]).twice, Weighing([1.0, 2.0]).__call__),
    "called function": (helper(1), helper(2)),
}


@pytest.mark.parametrize("what", PAIRS)
def test_rejects_another_function(what: str, tmp_path: Path) -> None:
    first, other = PAIRS[what]
    found = rs.study(first, ROWS, path=tmp_path)
    np.testing.assert_array_equal(found.values, [first(row) for row in ROWS])
    with pytest.raises(rs.FormatError, match="another study"):
        rs.study(other, ROWS, path=tmp_path)
    np.testing.assert_array_equal(rs.study(first, ROWS, path=tmp_path).values, found.values)


def test_rejects_changed_global_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rs.study(scaled, ROWS, path=tmp_path)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    with pytest.raises(rs.FormatError, match="another study"):
        rs.study(scaled, ROWS, path=tmp_path)


@pytest.mark.parametrize("name", ["direct", "through"])
def test_rejects_changed_value_in_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Include packages and modules that other modules use."""
    package = f"own_numbers_{name}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(f"from {package} import inner\n")
    (tmp_path / package / "inner.py").write_text("K = 2.0\n")
    (tmp_path / f"factor_{name}.py").write_text(f"import {package}\ndef factor():\n    return {package}.inner.K\n")
    lines = [f"import {package}, factor_{name}", "def direct(row):", f"    return float({package}.inner.K * row[0])"]
    lines += ["def through(row):", f"    return float(factor_{name}.factor() * row[0])"]
    (tmp_path / f"studied_{name}.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    function = getattr(importlib.import_module(f"studied_{name}"), name)
    inner = importlib.import_module(f"{package}.inner")
    found = rs.study(function, ROWS, path=tmp_path / "study")
    np.testing.assert_array_equal(rs.study(function, ROWS, path=tmp_path / "study").values, found.values)
    monkeypatch.setattr(inner, "K", 3.0)
    with pytest.raises(rs.FormatError, match="another study"):
        rs.study(function, ROWS, path=tmp_path / "study")


def test_at_and_options_distinguish_studies(tmp_path: Path) -> None:
    samples = {"t2": np.linspace(0, 1, 3)}
    model = rs.direct_geometry(rs.load("planar2r").edit(frame2={"d": "LENGTH"}), 0, 2)
    at = {"t1": 0.0, "LENGTH": 1.0}
    rs.study(model, samples, at=at, path=tmp_path / "model")
    with pytest.raises(rs.FormatError, match="another study"):
        rs.study(model, samples, at=at | {"LENGTH": 1.0 + 1e-15}, path=tmp_path / "model")


def test_transmissions_distinguish_robots() -> None:
    robot = rs.load("planar2r")
    robots = [robot, *(robot.with_transmission([[1, 0], [1, ratio]]) for ratio in (2, 3))]
    robots.append(robot.with_transmission([[1, 0], [1, 2]], [0, 0.5]))
    assert len({fingerprint(one) for one in robots}) == len(robots)
    assert fingerprint(robots[1]) == fingerprint(robot.with_transmission([[1, 0], [1, 2]]))


def test_rejects_object_that_cannot_be_pickled(tmp_path: Path) -> None:
    stream = open(__file__)  # noqa: SIM115 - an object that cannot be pickled
    with stream, pytest.raises(rs.InputError, match="cannot be pickled"):
        rs.study(lambda row: stream.fileno(), ROWS, path=tmp_path / "none")
    with pytest.raises(rs.InputError, match="cannot be pickled"):
        rs.study(lambda thing: 1.0, [iter([]), (x for x in ())], path=tmp_path / "things")


def test_digest_is_equal_in_another_process() -> None:
    """Other hash seeds give sets in another order."""
    program = "from test_fingerprint import *\nprint(fingerprint(*PAIRS.values(), {'a', 'b', 'c'}))"
    paths = [str(Path(__file__).parent), *sys.path]
    found = {
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{program}"],
            env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1 and fingerprint() not in found
