"""Test that outputs at singular positions of the loops are not finite, in machine code and every language."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import atan2, cos, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from robosym.errors import InputError
from robosym.mechanism import INERTIA, Robot
from robosym.model import Model

TEXT = """
name: five_bar
frames:
  - {theta: t1}
  - {ant: 1, mu: 0, d: 0.5, theta: t2}
  - {ant: 0, d: 0.8, theta: t3}
  - {ant: 3, mu: 0, d: 0.5, theta: t4}
  - {ant: 2, mu: 0, d: 0.6, theta: t5}
  - {ant: 4, sigma: 2, d: 0.7}
loops: [[5, 6]]
position: {t1: 2.0, t2: -1.3, t3: 0.9, t4: 1.1}
gravity: [0, -9.81, 0]
"""


@cache
def five_bar(position: bool = True) -> Robot:
    robot = rs.loads(TEXT if position else TEXT.replace("position:", "# "), "yaml")
    body = {"M": 2, "MX": 0.3, "ZZ": 0.2, "XX": 0.1, "YY": 0.2}
    return robot.with_links([{n: body.get(n, 0) for n in INERTIA}] * robot.NL)


def in_line() -> np.ndarray:
    """Return positions with aligned distal links: the point between them can move while the motors are locked."""
    t1, reach = 2.4, 0.6 + 0.7
    elbow = 0.5 * np.array([cos(t1), sin(t1)]) - [0.8, 0]
    # |elbow - 0.5 (cos t3, sin t3)| = reach
    a, b, c = elbow[0], elbow[1], (elbow @ elbow + 0.25 - reach * reach) / (2 * 0.5)
    t3 = atan2(b, a) - np.arccos(c / sqrt(a * a + b * b))
    other = np.array([cos(t3), sin(t3)]) * 0.5
    along = atan2(*(other - elbow)[::-1])
    return np.array([t1, along - t1, t3, along + pi - t3])


MODELS: dict[str, Callable[[Robot], Model]] = {
    "W": lambda robot: rs.loop_kinematics(robot).solution().select("W"), "inverse": rs.inverse_dynamics,
    "direct": lambda robot: rs.direct_dynamics(robot).select("qdd"), "inertia": rs.inertia_matrix,
    "jacobian": lambda robot: rs.jacobian(robot, 2, rows=(6,)), "gravity": rs.gravity_torques, "bias": rs.bias_torques,
}  # fmt: skip


def inputs(model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
    return {group: q if group == "q" else np.full(len(names), 0.3) for group, names in model.inputs.items()}


@pytest.mark.parametrize("position", [True, False])
@pytest.mark.parametrize("kind", MODELS)
def test_machine_code_is_not_finite(kind: str, position: bool) -> None:
    model = MODELS[kind](five_bar(position))
    regular = np.array([2.0, -1.3, 0.9, 1.1])
    f = model.compile()
    assert np.isfinite(f(**inputs(model, regular))).all()
    found = np.asarray(f(**inputs(model, in_line())))
    assert not np.isfinite(found[found != 0]).any() and np.count_nonzero(found)


@pytest.mark.parametrize("language", ["c", "fortran", "octave", "python", "rust"])
def test_emitted_code_is_not_finite(language: str, tmp_path: Path) -> None:
    model = rs.inverse_dynamics(five_bar())
    state = {group: values.tolist() for group, values in inputs(model, in_line()).items()}
    run: Callable[..., toolchains.Outputs] = getattr(toolchains, language)
    assert not np.isfinite(np.array(run(model, [state], tmp_path))).any()


def test_error_messages() -> None:
    robot, q = five_bar(), in_line()
    loops = rs.loop_kinematics(robot)
    with pytest.raises(
        InputError, match="five_bar: singular position of its loops: the active joints do not determine"
    ):
        loops.check(q)
    with pytest.raises(InputError, match="the loops are open in this position"):
        loops.check(q + 0.1)
    loops.check(loops.close([1.8, -1.3, 1.2, 1.1]))
