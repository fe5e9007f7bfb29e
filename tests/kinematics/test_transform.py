import random
from dataclasses import replace

import numpy as np
import pytest

from cases.kinematic import Case, numbers, random_case, values_for
from evaluation import agree
from oracles.pinocchio import rotation, shift
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.errors import InputError
from robosym.formats import load, loads
from robosym.kinematics import direct_geometry, transform

SEEDS = range(60)


@pytest.mark.parametrize("function", [transform, direct_geometry])
@pytest.mark.parametrize("seed", SEEDS)
def test_transforms_agree_with_pinocchio(seed: int, function: object) -> None:
    case = random_case(seed)
    rng = random.Random(seed)
    i, j = (rng.randrange(case.robot.NL + 1) for _ in range(2))
    agree(numbers(function(case.robot, i, j), case.values)[0], case.transform(i, j))


@pytest.mark.parametrize("seed", range(12))
def test_transforms_of_closed_robots_include_cut_frames(seed: int) -> None:
    """The expected placements are products of elementary Pinocchio transforms."""
    rng = random.Random(seed)
    robot = random_robot(rng, links=6, loops=2, symbolic=bool(seed % 2))
    values = values_for(robot, rng)
    placed = {0: rotation("z", 0.0)}
    for j, frame in enumerate(robot.frames, 1):
        fields = (frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r)
        gamma, b, alpha, d, theta, r = evaluate(fields, values)
        before = rotation("z", gamma) * shift("z", b) * rotation("x", alpha) * shift("x", d)
        placed[j] = placed[frame.ant] * before * rotation("z", theta) * shift("z", r)
    for _ in range(4):
        i, j = (rng.randrange(robot.NF + 1) for _ in range(2))
        expected = (placed[i].inverse() * placed[j]).homogeneous
        agree(numbers(transform(robot, i, j), values)[0], expected)
        agree(numbers(direct_geometry(robot, i, j), values)[0], expected)


@pytest.mark.parametrize("function", [transform, direct_geometry])
@pytest.mark.parametrize("seed", range(6))
def test_world_is_frame_minus_one(seed: int, function: object) -> None:
    case = random_case(seed)
    robot, rng = case.robot, np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    Z = np.eye(4)
    Z[:3, :3], Z[:3, 3] = turn * np.linalg.det(turn), rng.normal(size=3)
    base = replace(robot.base, Z=tuple(robot.graph.number(float(z)) for z in Z.flat))
    moved = replace(robot, base=base)
    n = robot.NL
    agree(numbers(function(moved, -1, n), case.values)[0], Z @ case.transform(0, n))
    agree(numbers(function(moved, n, -1), case.values)[0], np.linalg.inv(Z @ case.transform(0, n)))
    agree(numbers(function(moved, -1, -1), case.values)[0], np.eye(4))


def test_several_pairs_of_frames() -> None:
    case = random_case(4, tree=False)
    n = case.robot.NL
    model = transform(case.robot, (0, n), (n, 1))
    assert list(model.outputs) == [f"T0T{n}", f"T{n}T1"]
    first, second = numbers(model, case.values)
    agree(first, case.transform(0, n))
    agree(second, case.transform(n, 1))


def test_parallel_axes_merge() -> None:
    model = transform(load("rx90"), 0, 6)
    assert {"C23", "S23"} <= set(model.definitions)
    assert str(model.expression("T0T614")) == "(D3*cos(t2) - RL4*sin(t2 + t3))*cos(t1)"
    assert model.outputs["T"][0] == ("T0T611", "T0T612", "T0T613", "T0T614")


def test_opposite_parallel_axes_merge_to_a_difference() -> None:
    frames = "  - {theta: t1}\n  - {alpha: Pi, d: L, theta: t2}\n  - {alpha: Pi, d: L, theta: t3}\n"
    robot = loads(f"name: flip\nframes:\n{frames}gravity: [0, 0, 0]\n", format="yaml")
    model = transform(robot, 0, 3)
    values = {"t1": 0.3, "t2": 1.1, "t3": -0.4, "L": 0.7}
    agree(numbers(model, values)[0], Case(robot, values).transform(0, 3))
    assert {"C1m2", "C1m23"} <= set(model.definitions)
    assert str(model.expression("T0T311")) == "cos(t1 - t2 + t3)"


def test_transform_across_a_cut_joint() -> None:
    """In a closed position of the SR400, frame 9 (cut) and frame 10 (fixed to link 3) coincide."""
    robot = load("sr400")
    model = transform(robot, 9, 10)
    assert model.inputs["q_cut"] == ("t9",)
    t2, t7 = 0.4, -0.3
    t8 = t2 - t7
    values = values_for(robot, random.Random(1)) | {
        "t2": t2,
        "t7": t7,
        "t3": np.pi / 2 - t8,
        "t8": t8,
        "t9": np.pi - t8,
    }
    found = numbers(model, values)[0]
    np.testing.assert_allclose(found[:3, 3], 0, atol=1e-12)
    np.testing.assert_allclose(abs(found[2, 2]), 1, atol=1e-12)


def test_compiled_model_accepts_arrays() -> None:
    robot = load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
    model = direct_geometry(robot, 0, 6)
    q = np.linspace(-2, 2, 18).reshape(3, 6)
    found = model.compile()(q=q)
    agree(
        found[2],
        Case(robot, values_for(robot, random.Random(0)) | dict(zip(model.inputs["q"], q[2], strict=True))).placement(6),
    )


def test_long_chain() -> None:
    frames = "\n".join(f"  - {{alpha: {'Pi/2' if j % 2 else 0.3}, d: 0.1, theta: t{j}}}" for j in range(1, 151))
    robot = loads(f"name: snake\nframes:\n{frames}\ngravity: [0, 0, 0]\n", format="yaml")
    model = direct_geometry(robot, 0, 150)
    values = {f"t{j}": 0.01 * j for j in range(1, 151)}
    np.testing.assert_allclose(numbers(model, values)[0], Case(robot, values).placement(150), atol=1e-10)


def test_number_of_operations_is_at_most_the_published_one() -> None:
    """The published counts for the RX90 are 25 additions and 56 multiplications."""
    found = direct_geometry(load("rx90"), 0, 6).operations
    assert found.additions <= 25 and found.multiplications <= 56


@pytest.mark.parametrize("frames", [(0, 7), (-2, 1), (1.0, 2), (0,), (), ((0, 1, 2),), (True, 2)])
def test_rejects_unknown_frame_numbers(frames: tuple[object, ...]) -> None:
    with pytest.raises(InputError, match=r"has the frames -1 to 6|expected two frames"):
        transform(load("rx90"), *frames)


def test_rejects_unknown_frame_names() -> None:
    with pytest.raises(InputError, match="rx90 has no frame '0': its frames have numbers only"):
        transform(load("rx90"), "0", "6")  # type: ignore[arg-type]


def test_sums_of_angles_are_named_by_their_frames() -> None:
    """C12 means frames 1 and 2; underscores separate numbers of two digits, so that C1_12 differs from C11_2."""
    frames = ", ".join(f"{{d: 0.1, theta: t{j}}}" for j in range(1, 13))
    robot = loads(f"name: flat\nframes: [{frames}]\ngravity: [0, 0, 0]", format="yaml")
    assert {"C12", "S12"} <= set(transform(robot, 0, 2).definitions)
    assert {"C9_10", "S9_10"} <= set(transform(robot, 8, 10).definitions)
    assert {"C10_11_12", "S10_11_12"} <= set(transform(robot, 9, 12).definitions)


def test_names_of_intermediate_entries_start_at_row_one() -> None:
    names = set(direct_geometry(load("rx90"), 0, 6).definitions)
    entries = {name for name in names if name[:1] == "T" and not name.startswith("T0T6")}
    assert {name[-2] for name in entries} == set("123") and {name[-1] for name in entries} == set("234")
