"""Test numeric chains of joints and their equations against Pinocchio's placements and finite differences."""

from __future__ import annotations

import random

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, place
from random_robots import random_robot
from robosym.algebra import evaluate
from robosym.chains.chain import chain_between, pose_problem
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.numeric_chain import NumericChain
from robosym.chains.products import Products, SolvedJoints, checks
from robosym.errors import InputError
from robosym.mechanism.joints import JOINT_TYPES, JointType


def random_chain(seed):
    """Return a random tree with fixed frames, the chain between two of its frames, and values of all symbols."""
    rng = random.Random(seed)
    robot = random_robot(rng, links=6, symbolic=True)
    i, j = rng.sample(range(robot.NF + 1), 2)
    chain = chain_between(robot, i, j)
    values = {name: rng.uniform(0.3, 2.0) for name in (*filter(None, robot.variables), *robot.parameters)}
    return robot, i, j, chain, values


@pytest.mark.parametrize("seed", range(12))
def test_forward_between_any_two_frames(seed):
    robot, i, j, chain, values = random_chain(seed)
    if not chain.joints:
        pytest.skip("the chain has no joints")
    numeric = NumericChain.of(chain, values, "snaP", chain.names)
    T = numeric.forward(np.array([[values[name] for name in chain.names]]))[0]
    assert np.linalg.inv(place(robot, values, i)) @ place(robot, values, j) == pytest.approx(T, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_normalized_chain_has_origins_on_common_normals(seed):
    _, _, _, chain, values = random_chain(seed)
    if len(chain.joints) < 2:
        pytest.skip("the chain has a single axis")
    normal = pose_problem(chain, chain.names, "snaP").chain
    q = np.array([[values[name] for name in chain.names]])
    before, after = (NumericChain.of(c, values, "snaP", chain.names) for c in (chain, normal))
    assert before.forward(q) == pytest.approx(after.forward(q), abs=1e-10)
    for C in after.constants[1:-1]:
        parallel = np.abs(C[:2, 2]).max() < 1e-9
        assert abs(C[2, 3] if parallel else C[:2, 3] @ C[:2, 2]) < 1e-9


def test_jacobian_agrees_with_finite_differences():
    _, _, _, chain, values = random_chain(3)
    numeric = NumericChain.of(chain, values, "snaP", chain.names)
    q = np.array([[values[name] for name in chain.names]])
    _, J = numeric.jacobian(q)
    for column in range(len(chain.names)):
        h = 1e-6 * np.eye(len(chain.names))[column]
        assert J[:, column] == pytest.approx((numeric.forward(q + h) - numeric.forward(q - h)) / 2e-6, abs=1e-8)


def test_fixed_joints_keep_their_value():
    robot = rs.load("rx90")
    chain = chain_between(robot, 0, 6)
    held = chain.holding(["t2", "t5"])
    values = dict.fromkeys(chain.parameters, 0.4)
    q = np.array([[0.1, 0.0, 0.3, 0.4, 0.0, 0.6]])
    parts = [NumericChain.of(c, values, "snaP", c.names) for c in (chain, held)]
    assert parts[1].forward(q[:, [0, 2, 3, 5]]) == pytest.approx(parts[0].forward(q))


@pytest.mark.parametrize("given, columns", [("P", "P"), ("aP", "aP"), ("naP", "snaP"), ("sn", "sna"), ("snaP", "snaP")])
def test_two_given_axes_imply_the_third(given, columns):
    chain = chain_between(rs.load("rx90"), 0, 6)
    assert pose_problem(chain, chain.names, given).columns == columns


@pytest.mark.parametrize("name, given", [("rx90", "snaP"), ("stanford", "aP"), ("ur5e", "sna")])
def test_equations_hold_when_the_pose_is_reached(name, given):
    """Check at a configuration other than those from which the equations were derived."""
    chain = chain_between(rs.load(name), 0, 6)
    problem = pose_problem(chain, chain.names, given)
    equations = MatrixEquations(problem)
    rng = np.random.default_rng(8)
    values = {s: rng.uniform(0.3, 1.5) for s in (*chain.names, *chain.parameters)}
    T = NumericChain.of(chain, values, "snaP", chain.names).forward(np.array([[values[n] for n in chain.names]]))[0]
    values |= dict(zip(problem.entries, T[:3].flat, strict=True))
    graph, seen = chain.graph, 0
    for where in [where for where, depends in equations.dependence.items() if len(depends) <= 3]:
        equation = equations.equation(where, SolvedJoints({}))
        if equation is None:
            continue
        total = graph.zero
        for monomial, coefficient in equation.polynomial.terms.items():
            for (variable, kind), power in monomial:
                angle = graph.zero
                for joint, sign in variable.terms:
                    angle = angle + graph.symbol(joint) * sign
                atom = angle if kind == "r" else graph.function({"c": "cos", "s": "sin"}[kind], angle)
                for _ in range(power):
                    coefficient = coefficient * atom
            total = total + coefficient
        assert evaluate([total], values)[0] == pytest.approx(0, abs=1e-12), equation.origin
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("name, given, kinds", [("rx90", "snaP", {"norm"}), ("stanford", "aP", {"norm", "dot"})])
def test_norms_and_dot_products_do_not_depend_on_their_own_joint(name, given, kinds):
    """A rotation about an axis preserves distances from the axis and angles with it."""
    chain = chain_between(rs.load(name), 0, 6)
    dependence = MatrixEquations(pose_problem(chain, chain.names, given)).dependence
    seen = dict.fromkeys(kinds, 0)
    for where, depends in dependence.items():
        if where.kind in kinds and where.i and not chain.joints[where.i - 1].prismatic:
            assert depends and chain.names[where.i - 1] not in depends, where
            seen[where.kind] += 1
    assert min(seen.values()) >= 4


def test_checks_vanish_only_at_a_solution():
    chain = chain_between(rs.load("rx90"), 0, 6)
    problem = pose_problem(chain, chain.names, "snaP")
    values = {name: float(array[0]) for name, array in problem.samples.symbols.items()}
    expressions = [value for _, value in checks(problem, 6)]
    assert len(expressions) == 12
    assert evaluate(expressions, values) == pytest.approx([0] * 12, abs=1e-12)
    values["t5"] += 0.1
    assert np.abs(evaluate(expressions, values)).max() > 1e-3


def test_product_merges_angles_of_parallel_axes():
    chain = chain_between(
        build("planar", [{"theta": "t1"}, {"d": 0.5, "theta": "t2"}, {"d": 0.4, "theta": "t3"}]), 0, 3
    )
    problem = pose_problem(chain, chain.names, "snaP")
    products = Products(problem)
    factors = [products.constants[0]]
    for joint, constant in zip(chain.joints, products.constants[1:], strict=True):
        factors += [joint, constant]
    column = products.column(factors, 0, chain.names, SolvedJoints({}))
    assert [v.name for v in column.x.variables()] == ["t1 + t2 + t3"]


def test_rejects_helical_joint(monkeypatch):
    monkeypatch.setitem(JOINT_TYPES, 7, JointType(7, "helical", "theta", angular=1, linear=0.35))
    robot = build("helical", [{"sigma": 7, "theta": "t1"}])
    with pytest.raises(InputError, match=r"frame 1: .* t1 is helical"):
        chain_between(robot, 0, 1)
