import random

import numpy as np
import pytest

from cases.kinematic import Case, numbers, random_case, values_for
from evaluation import agree
from random_robots import random_robot
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import accelerations, jacobian, jdot_qdot, velocities

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_agree_with_pinocchio(seed: int) -> None:
    case = random_case(seed)
    v, w = numbers(velocities(case.robot), case.values)
    agree(np.hstack([v, w]), [case.velocity(j) for j in range(1, case.robot.NL + 1)])


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_agree_with_pinocchio_classical_accelerations(seed: int) -> None:
    case = random_case(seed)
    vp, wp = numbers(accelerations(case.robot), case.values)
    agree(np.hstack([vp, wp]), [case.acceleration(j) for j in range(1, case.robot.NL + 1)])


@pytest.mark.parametrize("seed", SEEDS)
def test_jdot_qdot_is_the_acceleration_without_joint_accelerations(seed: int) -> None:
    case = random_case(seed)
    still = Case(case.robot, {name: 0.0 if name.startswith("QDP") else v for name, v in case.values.items()})
    link = case.robot.NL
    vp, wp = numbers(jdot_qdot(case.robot, link), case.values)
    agree([*vp, *wp], still.acceleration(link))
    all_vp, all_wp = numbers(jdot_qdot(case.robot), case.values)
    agree(np.hstack([all_vp, all_wp]), [still.acceleration(j) for j in range(1, link + 1)])


@pytest.mark.parametrize("seed", range(8))
def test_moving_base_adds_rigid_motion(seed: int) -> None:
    """In frame j, V = V0 + w0 x P plus the velocity relative to the base."""
    rng = random.Random(seed)
    robot = random_robot(rng, links=5, mobile=True, symbolic=True, drives=False, wrenches=False)
    values = values_for(robot, rng)
    case = Case(robot, values)
    v, w = numbers(velocities(robot), values)
    w0, v0 = (np.array([values[f"{name}{axis}0"] for axis in "xyz"]) for name in ("W", "V"))
    for j in range(1, robot.NL + 1):
        T = case.placement(j)
        A, P = T[:3, :3], T[:3, 3]
        relative = case.velocity(j)
        agree(v[j - 1], relative[:3] + A.T @ (v0 + np.cross(w0, P)))
        agree(w[j - 1], relative[3:] + A.T @ w0)


def test_accelerations_follow_from_jacobian_and_drift() -> None:
    case = random_case(11, tree=False)
    link = case.robot.NL
    J = jacobian(case.robot, link, projection=link)
    (matrix,) = numbers(J, case.values)
    drift = np.concatenate(numbers(jdot_qdot(case.robot, link), case.values))
    agree(matrix @ case.qdd + drift, case.acceleration(link))


def test_uses_variable_names_of_the_guide() -> None:
    model = velocities(load("rx90"))
    assert model.outputs["V"][2] == ("V13", "V23", "V33")
    assert model.outputs["W"][5] == ("W16", "W26", "W36")
    assert accelerations(load("rx90")).outputs["WP"][0] == ("WP11", "WP21", "WP31")
    assert jdot_qdot(load("rx90"), 6).outputs == {
        "VPJ": ("VPJ16", "VPJ26", "VPJ36"),
        "WPJ": ("WPJ16", "WPJ26", "WPJ36"),
    }


def test_rejects_unknown_link() -> None:
    with pytest.raises(InputError, match="frames 1 to 6, found 9"):
        jdot_qdot(load("rx90"), 9)
    with pytest.raises(InputError, match="cut joint"):
        jdot_qdot(load("sr400"), 9)
