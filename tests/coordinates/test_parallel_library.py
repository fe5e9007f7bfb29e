"""Test every parallel robot of the library against Pinocchio's constrained tree of the robot with loops."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.hybrid import hybrid_positions
from cases.library import HYBRID, PARALLEL
from cases.parallel import positions, values_of
from evaluation import agree, on_groups
from long_cases import quick_and_long
from oracles.hybrid import hybrid_state
from oracles.parallel import state

#: gough, delta, planar3rrr and cable8 have tests of their own
NUMERIC = tuple(name for name in PARALLEL if name not in ("gough", "delta", "planar3rrr", "cable8"))
FREEDOM = {
    "gough63": 6, "gough33": 6, "hexa": 6, "orthoglide": 3, "fivebar": 2, "agile_eye": 3, "tricept": 3, "delta": 3,
    "planar3rrr": 3,
}  # fmt: skip


@pytest.mark.parametrize("name", quick_and_long(NUMERIC, long="gough63 hexa"))
def test_models_agree_with_pinocchio(name: str) -> None:
    rng = np.random.default_rng(5)
    robot = rs.load(name)
    assert robot.structure == "parallel"
    values = values_of(robot, rng)
    geometry, inverse, direct, jacobian = (
        f(robot) for f in (rs.inverse_geometry, rs.inverse_dynamics, rs.direct_dynamics, rs.jacobian)
    )
    given = {"parameters": values, "gravity": [values[n] for n in inverse.inputs.get("gravity", ())]}
    for joints in list(positions(robot))[1:3]:
        motion = state(robot, joints, values, rng)
        moving = {"pose": motion.pose, "twist": motion.twist, **given}
        motors = on_groups(geometry.select(*geometry.outputs["q"]), **moving)
        agree(motors, motion.q, 1e-7)
        agree(on_groups(jacobian, **moving).reshape(-1, 6) @ motion.twist, motion.qd, 1e-9)
        agree(on_groups(inverse, acceleration=motion.acceleration, **moving), motion.tau, 1e-9)
        agree(on_groups(direct, tau=motion.tau, **moving), motion.acceleration, 1e-9)


@pytest.mark.parametrize("name", FREEDOM)
def test_degrees_of_freedom(name: str) -> None:
    from robosym.coordinates.reference import numeric_reference

    reference = numeric_reference(rs.load(name))  # type: ignore[arg-type]
    assert reference is not None and reference.freedom == FREEDOM[name]


@pytest.mark.parametrize("name", HYBRID)
def test_hybrid_robots(name: str) -> None:
    robot = rs.load(name)
    assert robot.structure == "hybrid"
    rng = np.random.default_rng(6)
    values = values_of(robot, rng)  # type: ignore[arg-type]
    model = rs.inverse_dynamics(robot)
    joints = list(hybrid_positions(robot))[1]
    motion = hybrid_state(robot, joints, values, rng)
    given = {group: getattr(motion, group) for group in ("pose", "twist", "acceleration", "q", "qd", "qdd")}
    agree(on_groups(model, **given, parameters=values, gravity=[values["G3"]]), motion.tau, 1e-9)


def test_base_parameters_of_rods_with_balls() -> None:
    """The Hexa has as many as the rank of its regressor on random motions (76 of 136); the forces agree."""
    robot = rs.load("hexa")
    base = rs.base_parameters(robot)
    assert len(base.names) == 76
    rng = np.random.default_rng(9)
    values = values_of(robot, rng)
    motion = state(robot, list(positions(robot))[2], values, rng)
    model = rs.inverse_dynamics(base.robot)
    known = {**base.values(values), **values}
    moving = {"pose": motion.pose, "twist": motion.twist, "acceleration": motion.acceleration}
    found = on_groups(model, **moving, gravity=[values["G3"]], parameters=known)
    agree(found, motion.tau, 1e-9)
