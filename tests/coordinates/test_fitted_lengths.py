"""Test lengths that close the loops at a given position, on the remaining gaps and on a four-bar."""

from __future__ import annotations

import numpy as np
import pytest

from cases.forward import build, place
from robosym.coordinates.closed_samples import fitted_lengths
from robosym.coordinates.closing import Closing
from robosym.mechanism import Robot

NAMES = ("L0", "L1", "L2", "L3")


def four_bar() -> Robot:
    rows = [{"theta": "t1"}, {"mu": 0, "d": "L1", "theta": "t2"}, {"ant": 0, "mu": 0, "d": "L0", "theta": "t3"},
            {"ant": 2, "mu": 0, "d": "L2", "theta": "t4"}, {"ant": 3, "sigma": 2, "d": "L3"}]  # fmt: skip
    return build("loop", rows, loops=1)


def ends(values: dict[str, float]) -> np.ndarray:
    """Return the end points of coupler and rocker, which coincide when the loop is closed."""
    joints = {"t1": values["t1"], "t2": values["t2"], "t3": values["t3"], "t4": 0.0}
    robot = four_bar()
    return np.array([place(robot, {**values, **joints}, frame)[:2, 3] for frame in (4, 5)])


@pytest.mark.parametrize("given", [("t1", "t2", "t3", "t4"), ("t1", "t2", "t3"), ("t1",)])
def test_fitted_lengths_close_the_position(given: tuple[str, ...]) -> None:
    closing = Closing(four_bar())
    angles = {"t1": 0.6, "t2": -0.4, "t3": 0.9}
    angles["t4"] = angles["t3"] - angles["t1"] - angles["t2"]
    position = {name: angles[name] for name in given}
    values = {"L0": 0.8, "L1": 0.5, "L2": 1.0, "L3": 0.7}
    found = fitted_lengths(closing, position, values, NAMES)
    assert found is not None and all(found[name] > 0 for name in NAMES)
    if len(given) >= 3:
        one, other = ends(found | position)
        assert one == pytest.approx(other, abs=1e-9)
        change = np.array([found[name] - values[name] for name in NAMES])
        # closure is linear in the lengths (two rows); the smallest change is orthogonal to its null space
        rows = np.array([ends(dict.fromkeys(NAMES, 0.0) | {name: 1.0} | position) for name in NAMES])
        table = (rows[:, 0] - rows[:, 1]).T
        assert table @ np.array([found[name] for name in NAMES]) == pytest.approx([0, 0], abs=1e-9)
        assert change == pytest.approx(np.linalg.pinv(table) @ table @ change, abs=1e-6)
    else:
        _, left = closing.move(dict.fromkeys(angles, 0.0) | found | position, [1])
        assert left < 1e-9


def test_keeps_closed_positions_and_signs_of_lengths() -> None:
    closing = Closing(four_bar())
    square = {"t1": 0.3, "t2": -0.3, "t3": 0.3, "t4": 0.3}
    values = {"L0": 1.0, "L1": 0.5, "L2": 1.0, "L3": 0.5}
    assert fitted_lengths(closing, square, values, NAMES) == pytest.approx(values)
    away = {"t1": 0.3, "t2": 0.0, "t3": 0.3 + np.pi, "t4": np.pi}  # aligned, with the rocker reversed
    assert fitted_lengths(closing, away, values, ("L3",)) is None
    open_turn = {**square, "t4": 1.0}  # lengths cannot change the orientation of the coupler
    assert fitted_lengths(closing, open_turn, values, NAMES) is None
