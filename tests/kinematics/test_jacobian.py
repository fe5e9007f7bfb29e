import random

import numpy as np
import pytest

from cases.kinematic import numbers, random_case
from evaluation import agree
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import jacobian


@pytest.mark.parametrize("seed", range(40))
def test_product_and_factors_agree_with_pinocchio(seed: int) -> None:
    case = random_case(seed)
    robot, rng = case.robot, random.Random(seed)
    link = rng.randrange(1, robot.NL + 1)
    i, j = rng.randrange(robot.NL + 1), rng.randrange(robot.NL + 1)
    for choice in ({}, {"projection": i}, {"projection": i, "intermediate": j}, {"intermediate": j, "frame": i}):
        try:
            J = jacobian(robot, link, **choice)
        except InputError:  # no joint between the base and the link
            assert not any(robot.frame(k).is_joint for k in (link,))
            return
        columns = [robot.tree_joints.index(k) for k in J.joints]
        expected = case.jacobian(link, J.frame)
        agree(numbers(J, case.values)[0], expected[:, columns])
        assert np.abs(np.delete(expected, columns, axis=1)).max(initial=0) < 1e-12
        assert J.frame == choice.get("frame", choice.get("projection", 0))
        rotation, shift, core = (numbers(factor, case.values)[0] for factor in J.factors)
        agree(rotation @ shift @ core, expected[:, columns])


def test_selects_rows_and_columns() -> None:
    case = random_case(8, tree=False, fixed_frames=False)
    link = case.robot.NL
    (whole,) = numbers(jacobian(case.robot, link), case.values)
    part = jacobian(case.robot, link).part(rows=(3, 1), joints=(link, 1))
    assert (part.rows, part.joints) == ((3, 1), (link, 1))
    agree(numbers(part, case.values)[0], whole[[2, 0]][:, [link - 1, 0]])


def test_simplest_frames_of_a_wrist_partitioned_arm() -> None:
    J = jacobian(load("rx90"), 6)
    assert J.projection == 3
    assert J.factors.core.operations.total == 9


def test_compiled_model_accepts_arrays() -> None:
    robot = load("rx90")
    J = jacobian(robot, 6, projection=0)
    q = np.linspace(-1, 1, 12).reshape(2, 6)
    lengths = {"D3": 0.45, "RL4": 0.45}
    found = J.compile()(q=q, parameters=lengths)
    values = lengths | {f"t{k + 1}": q[1, k] for k in range(6)}
    agree(found[1], numbers(J, values)[0])


@pytest.mark.parametrize(
    "options", [{"rows": (1, 7)}, {"joints": (9,)}, {"rows": (1, 1)}, {"rows": ()}, {"projection": 12}]
)
def test_rejects_invalid_options(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"expected|has the frames"):
        jacobian(load("rx90"), 6, **options)
