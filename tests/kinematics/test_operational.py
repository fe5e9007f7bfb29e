"""Test Jacobians of operational coordinates against finite differences of Pinocchio's placements."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from cases.kinematic import Array, Case, numbers, random_case
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import operational_jacobian

EXTERNAL = {
    "cosines": lambda A: A.T.ravel(),
    "euler": lambda A: Rotation.from_matrix(A).as_euler("ZXZ"),
    "rpy": lambda A: Rotation.from_matrix(A).as_euler("ZYX"),
    "quaternion": lambda A: Rotation.from_matrix(A).as_quat(canonical=True, scalar_first=True),
}
SEEDS = [0, 1, 5, 8, 13]


def coordinates(case: Case, orientation: str) -> Array:
    T = case.placement(case.robot.NL)
    return np.concatenate([T[:3, 3], EXTERNAL[orientation](T[:3, :3])])


@pytest.mark.parametrize("orientation", EXTERNAL)
@pytest.mark.parametrize("seed", SEEDS)
def test_coordinates_and_jacobian(seed: int, orientation: str) -> None:
    case = random_case(seed, tree=False, prismatic=False, fixed_frames=False)
    robot = case.robot
    if robot.NL < 3:
        pytest.skip("every parametrization may be singular for an arm this short")
    X, Jx, omega, back = numbers(operational_jacobian(robot, robot.NL, orientation), case.values)
    np.testing.assert_allclose(X, coordinates(case, orientation), atol=1e-10)
    h = 1e-6
    for column, j in enumerate(robot.tree_joints):
        name = robot.variable(j)
        moved = [Case(robot, case.values | {name: case.values[name] + s * h}) for s in (1, -1)]
        after, before = (coordinates(m, orientation) for m in moved)
        change = (after - before) / (2 * h)
        np.testing.assert_allclose(Jx[:, column], change, atol=1e-6 * max(1, np.abs(Jx).max()))
    np.testing.assert_allclose(back @ omega, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(back, np.linalg.pinv(omega), atol=1e-9 * max(1, np.abs(back).max()))


def test_quaternion_agrees_with_pinocchio() -> None:
    case = random_case(8, tree=False)
    expected = pin.Quaternion(case.placement(case.robot.NL)[:3, :3]).coeffs()
    X = numbers(operational_jacobian(case.robot, case.robot.NL, "quaternion"), case.values)[0]
    found = np.array([*X[4:], X[3]])
    np.testing.assert_allclose(found * np.sign(found[3]), expected * np.sign(expected[3]), atol=1e-12)


def test_rejects_unknown_orientation() -> None:
    with pytest.raises(InputError, match="unknown orientation 'eulr' \\(did you mean 'euler'"):
        operational_jacobian(load("rx90"), 6, "eulr")
