"""Test random loops, closed by construction: Pinocchio's Jacobians give both sides of the cut equal velocities."""

from __future__ import annotations

import random

import numpy as np
import pinocchio as pin
import pytest

from cases.kinematic import Array, numbers
from cases.random_loops import FIELDS, placed, random_loop
from oracles.pinocchio import Oracle
from robosym.errors import InputError
from robosym.kinematics import loop_kinematics
from robosym.mechanism import PRISMATIC


@pytest.mark.parametrize("seed", range(12))
def test_both_sides_of_the_cut_have_equal_velocity(seed: int) -> None:
    robot, q = random_loop(random.Random(seed))
    try:
        loops = loop_kinematics(robot)
    except InputError as error:  # several prismatic joints may give a different mobility
        assert "degrees of freedom" in str(error) or "do not determine" in str(error)
        prismatic = sum(f.sigma == PRISMATIC for f in robot.frames)
        assert prismatic >= 3
        return
    rates = loops.rates(q, [1.0])
    oracle = Oracle(robot, {})
    at = oracle.q(q)
    pin.computeJointJacobians(oracle.model, oracle.data, at)
    pin.updateFramePlacements(oracle.model, oracle.data)

    def motion(link: int, point: pin.SE3) -> Array:
        """Return the velocity of the link at a frame, expressed in that frame, from the joint rates."""
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.getFrameJacobian(oracle.model, oracle.data, oracle.frames[link], aligned)
        v = J @ oracle.v(rates)
        arm = point.translation - oracle.data.oMf[oracle.frames[link]].translation
        linear = v[:3] + np.cross(v[3:], arm)
        return np.concatenate([point.rotation.T @ linear, point.rotation.T @ v[3:]])

    fixed = robot.frame(8)
    where = oracle.data.oMf[oracle.frames[6]] * placed(*(float(str(getattr(fixed, n))) for n in FIELDS))
    relative = motion(6, where) - motion(robot.frame(7).ant, where)
    along = 2 if robot.frame(7).sigma == PRISMATIC else 5
    np.testing.assert_allclose(np.delete(relative, along), 0, atol=1e-9 * max(1, np.abs(rates).max()))
    values = dict(zip(loops.inputs["q"], q, strict=True))
    W, Wcut = numbers(loops.solution(), values)
    np.testing.assert_allclose(relative[along], Wcut[0, 0], atol=1e-8 * max(1, np.abs(rates).max()))
    assert W.shape == (5, 1)
