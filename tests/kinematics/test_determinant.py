"""Test factorized determinants against NumPy, and singularities against those of the textbooks."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy

from cases.kinematic import Array, numbers, random_case, values_for
from robosym.algebra import Graph, evaluate
from robosym.algebra.polynomial import Polynomials
from robosym.errors import InputError
from robosym.formats import load, loads
from robosym.kinematics import Jacobian, jacobian
from robosym.kinematics.determinant import _along, _TooLarge
from robosym.mechanism import Robot


def expected(matrix: Array) -> float:
    rows, columns = matrix.shape
    if rows == columns:
        return float(np.linalg.det(matrix))
    return float(np.linalg.det(matrix @ matrix.T if rows < columns else matrix.T @ matrix))


def check(J: Jacobian, values: dict[str, float]) -> None:
    found = evaluate([J.determinant().definitions["DET"]], values)[0]
    scale = np.linalg.norm(numbers(J, values)[0], axis=0).prod()
    assert found == pytest.approx(expected(numbers(J, values)[0]), rel=1e-9, abs=1e-13 * max(1.0, scale))


@pytest.mark.parametrize("name", ["rx90", "puma560", "stanford", "tx90", "sr400", "ur5e", "gantry3p3r", "iiwa14"])
@pytest.mark.parametrize("frame", [0, 6])
def test_determinants_of_known_arms(name: str, frame: int) -> None:
    robot = load(name)
    for seed in range(3):
        check(jacobian(robot, 6, projection=frame), values_for(robot, random.Random(seed)))


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 6, 8, 9, 10, 11, 12])
def test_determinants_of_random_arms(seed: int) -> None:
    case = random_case(seed, tree=False)
    check(jacobian(case.robot, case.robot.NL), case.values)


def test_determinants_of_parts() -> None:
    robot = load("rx90")
    values = values_for(robot, random.Random(5))
    check(jacobian(robot, 6, rows=(1, 2, 3), joints=(1, 2, 3)), values)
    check(jacobian(robot, 6, rows=(4, 5, 6), joints=(6, 4, 5)), values)
    check(jacobian(robot, 6, projection=2, rows=(1, 3, 5), joints=(1, 2, 5)), values)
    check(jacobian(robot, 6, projection=2, rows=(6, 1), joints=(1, 2, 5)), values)
    check(jacobian(load("scara"), 4, rows=(1, 2, 3, 6)), values_for(load("scara"), random.Random(1)))


def vanishing(robot: Robot, link: int) -> set[sympy.Expr]:
    return {sympy.expand(factor) for factor in jacobian(robot, link, projection=0).singularities()}


def test_singularities_of_the_rx90() -> None:
    D3, RL4, t2, t3, t5 = sympy.symbols("D3 RL4 t2 t3 t5", real=True)
    assert vanishing(load("rx90"), 6) == {
        sympy.cos(t3), sympy.sin(t5), D3 * sympy.cos(t2) - RL4 * sympy.sin(t2 + t3),
    }  # fmt: skip
    factors = jacobian(load("rx90"), 6, projection=0).determinant().factors
    assert dict(factors)[D3] == dict(factors)[RL4] == 1


def test_singularities_of_the_puma() -> None:
    """Elbow stretched, wrist center on the first axis, axes 4 and 6 aligned."""
    t2, t3, t5 = sympy.symbols("t2 t3 t5", real=True)
    elbow = sympy.Rational(4331) * sympy.cos(t3) + 203 * sympy.sin(t3)
    shoulder = 203 * sympy.cos(t2 + t3) - 4331 * sympy.sin(t2 + t3) - 4318 * sympy.cos(t2)
    found = vanishing(load("puma560"), 6)
    assert found == {sympy.sin(t5), elbow, shoulder} or found == {sympy.sin(t5), elbow, -shoulder}


def test_singularities_of_the_stanford_arm() -> None:
    r3, t2, t5 = sympy.symbols("r3 t2 t5", real=True)
    assert vanishing(load("stanford"), 6) == {r3, sympy.sin(t2), sympy.sin(t5)}
    powers = dict(jacobian(load("stanford"), 6).determinant().factors)
    assert powers == {r3: 2, sympy.sin(t2): 1, sympy.sin(t5): 1}


def test_singularities_of_parallel_axes() -> None:
    t3, t5 = sympy.symbols("t3 t5", real=True)
    found = vanishing(load("ur5e"), 6)
    assert {sympy.sin(t3), sympy.sin(t5)} < found and len(found) == 3


def test_common_factors_of_a_redundant_arm() -> None:
    determinant = jacobian(load("iiwa14"), 7).determinant()
    assert dict(determinant.factors)[sympy.sin(sympy.Symbol("t4", real=True))] == 2


def test_planar_arm_is_singular_everywhere() -> None:
    text = (
        "name: flat\nframes:\n"
        + "".join(f"  - {{d: 0.3, theta: t{j}}}\n" for j in range(1, 7))
        + "gravity: [0, 0, 0]\n"
    )
    robot = loads(text, format="yaml")
    J = jacobian(robot, 6)
    assert J.determinant().operations.total == 0
    assert evaluate([J.determinant().definitions["DET"]], {}) == [0.0]
    assert J.singularities() == (0,)
    assert J.determinant().always_singular and "always singular" in J.determinant().explain()
    with pytest.raises(InputError, match="singular in every position"):
        J.inverse()


@pytest.mark.parametrize(
    ("frames", "rows", "frame", "words"),
    [
        (
            "{sigma: 1, r: r1}, {sigma: 1, alpha: Pi/2, r: r2}",
            (2, 3),
            0,
            "never singular: the determinant is zero at no position",
        ),
        (
            "{sigma: 1, r: r1}, {alpha: Pi/2, theta: t2}, {sigma: 2, d: L}",
            (1, 3),
            0,
            "singular where one of these is zero:\n  sin(t2)",
        ),
        ("{theta: t1}, {sigma: 1, d: L, r: r2}", (2, 3), 1, "zero at no position, unless a factor of L is"),
    ],
)
def test_explanation_of_singularities_agrees_with_numpy_rank(
    frames: str, rows: tuple[int, ...], frame: int, words: str
) -> None:
    """Check the text at random positions."""
    robot = loads(f"name: two\nframes: [{frames}]\ngravity: [0, 0, 0]\n", format="yaml")
    J = jacobian(robot, robot.NF, frame, rows=rows)
    found = J.determinant()
    assert words in found.explain(), found.explain()
    given = {"parameters": [0.4]} if "L" in frames else {}
    q = np.random.default_rng(0).uniform(-3, 3, (50, 2))
    ranks = np.linalg.matrix_rank(J.plain().compile()(q=q, **given).reshape(-1, 2, 2))
    assert (ranks == 2).all() and not found.always_singular
    assert found.never_singular == ("never" in found.explain())


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rx90", {}), ("rx90", {"projection": 3, "intermediate": 4}), ("rx90", {"projection": 6}), ("puma560", {}),
        ("stanford", {"projection": 2}), ("ur5e", {}), ("sr400", {}), ("gantry3p3r", {}),
        ("lwr", {"joints": (1, 2, 3, 4, 5, 6)}), ("lwr", {"rows": (1, 2, 3), "joints": (1, 2, 4)}),
    ],
)  # fmt: skip
def test_inverse(name: str, options: dict[str, object]) -> None:
    robot = load(name)
    J = jacobian(robot, 7 if name == "lwr" else 6, **options)
    inverse = J.inverse()
    for seed in range(3):
        values = values_for(robot, random.Random(seed))
        product = numbers(inverse, values)[0] @ numbers(J, values)[0]
        np.testing.assert_allclose(product, np.eye(len(J.joints)), atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 7, 13])
def test_inverse_of_random_parts(seed: int) -> None:
    case = random_case(seed, tree=False, fixed_frames=False, prismatic=False)
    joints = jacobian(case.robot, case.robot.NL).joints[-3:]
    rows = (1, 2, 3) if len(joints) == 3 else (1,) * len(joints)
    if len(joints) < 3:
        pytest.skip("too few joints")
    J = jacobian(case.robot, case.robot.NL, rows=rows, joints=joints)
    matrix = numbers(J, case.values)[0]
    if np.linalg.cond(matrix) > 1e6:
        with pytest.raises(InputError):
            J.inverse()
        return
    np.testing.assert_allclose(numbers(J.inverse(), case.values)[0] @ matrix, np.eye(3), atol=1e-8)


def test_inverse_uses_the_blocks_of_a_wrist() -> None:
    """With a spherical wrist the upper right block is zero: two 3x3 inverses replace one 6x6 inverse."""
    assert jacobian(load("rx90"), 6, projection=3, intermediate=4).inverse().operations.total <= 45


def test_inverse_rejects_rectangular_matrix() -> None:
    with pytest.raises(InputError, match="expected a square matrix, found 6 rows and 7 joints"):
        jacobian(load("lwr"), 7).inverse()


def test_simplifies_sum_of_squared_minors() -> None:
    """With fewer joints than rows, det(J^T J) contains no sin^2 + cos^2 and agrees with NumPy."""
    J = jacobian(load("rx90"), 3)
    found = J.determinant()
    assert str(found.expression("DET")) == "D3**2*(D3**2*cos(t2)**2 + 1)"
    q, lengths = np.array([0.3, -0.8, 1.1, 0.0, 0.0, 0.0]), {"D3": 0.45}
    matrix = J.compile()(q=q, parameters=lengths)
    np.testing.assert_allclose(found.compile()(q=q, parameters=lengths), [np.linalg.det(matrix.T @ matrix)], rtol=1e-12)


@pytest.mark.parametrize(("rows", "power", "names"), [((1, 2), "", "V1 V2"), ((1, 2, 3), "^2", "V1 V2 V3")])
def test_explains_factors_and_rows(rows: tuple[int, ...], power: str, names: str) -> None:
    frames = "[{theta: t1}, {d: L1, theta: t2}, {sigma: 2, d: L2}]"
    robot = loads(f"name: arm\nframes: {frames}\nlinks: symbolic\ngravity: [0, 0, 0]\n", "yaml")
    J = jacobian(robot, 3, rows=rows)
    lines = J.determinant().explain().splitlines()
    preamble = [] if len(rows) == 2 else ["J has 3 rows and 2 columns: the determinant is that of J^T J"]
    assert lines[: len(preamble) + 1] == [*preamble, "factors:"]
    assert lines[len(preamble) + 1 : len(preamble) + 4] == [f"  (L1){power}", f"  (L2){power}", f"  (sin(t2)){power}"]
    assert lines[-1] == "  sin(t2)"
    assert J.about["J"].startswith(f"rows {names}: velocity of the origin of frame 3")


def test_does_not_expand_large_products() -> None:
    """A product of 30 by 30 terms is expanded, a product of 40 by 40 terms is not."""
    graph = Graph()
    polynomials = Polynomials(graph)
    for terms, large in ((30, False), (40, True)):
        left, right = (
            polynomials.of(sum((graph.symbol(f"{name}{k}") for k in range(terms)), graph.zero)) for name in "ab"
        )
        if large:
            with pytest.raises(_TooLarge):
                _along([left], (0,), {(): right})
        else:
            assert len(_along([left], (0,), {(): right})) == terms**2
