"""Linear models against Pinocchio's derivatives, differences along loops and along simulated motions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import eigh

import robosym as rs
from cases.dynamic import draw
from cases.floating import closed, coupled, quadruped, tree
from evaluation import agree
from oracles.constrained import Constrained
from oracles.reduced import Reduced
from robosym.drawing.modes import positions_of_mode

Array = np.ndarray


@pytest.mark.parametrize("seed", range(8))
def test_tree_agrees_with_aba_derivatives(seed: int) -> None:
    case = draw(seed, symbolic=seed % 2 == 0, drives=False, wrenches=False)
    oracle, n = case.oracle, case.n
    place = {j: joint.idx_v for joint, j in zip(oracle._joints(), oracle.order, strict=True)}
    order = [place[j] for j in case.robot.tree_joints]
    motion = oracle.q(case.vector("q")), oracle.v(case.vector("QP")), oracle.v(case.vector("GAM"))
    by_q, by_v, by_tau = (
        np.array(part)[np.ix_(order, order)] for part in pin.computeABADerivatives(oracle.model, oracle.data, *motion)
    )
    found = case.number(rs.linearize(case.robot))
    agree(found["A"], np.block([[np.zeros((n, n)), np.eye(n)], [by_q, by_v]]), 1e-9)
    agree(found["B"], np.vstack([np.zeros((n, n)), by_tau]), 1e-9)
    assert np.array_equal(found["C"], np.eye(n, 2 * n)) and not found["D"].any()


def floating_state(robot: rs.Robot) -> Reduced:
    rng = np.random.default_rng(2)
    return Reduced(robot, rng.uniform(-1, 1, len(robot.tree_joints)), rng)


@pytest.mark.parametrize("robot", [tree("floating"), quadruped()], ids=lambda robot: robot.name)
def test_floating_base_agrees_with_free_flyer(robot: rs.Robot) -> None:
    """Pinocchio's tangent of a free-flyer is a displacement, then a rotation, in axes of the body, as here."""
    robot = robot.edit({f"link{j}.{name}": 0 for j in range(1, len(robot.links) + 1) for name in ("IA", "FS", "FV")})
    s = floating_state(robot)
    n, tau = 6 + len(s.y), np.random.default_rng(5).uniform(-3, 3, len(s.y))
    order = [3, 4, 5, 0, 1, 2, *s.order]
    efforts = np.zeros(s.model.nv)
    efforts[s.order] = tau
    data = s.model.createData()  # holds the arrays
    slopes = pin.computeABADerivatives(s.model, data, s.pin_q, s.pin_v, efforts)
    by_q, by_v, by_tau = (np.array(part)[np.ix_(order, order)] for part in slopes)
    linear = rs.linearize(robot)
    A, B, _, _ = linear.numbers(q=s.q, qd=s.y, tau=tau, base_velocity=s.base_velocity)
    agree(A[n:, :n], by_q, 1e-9)
    agree(A[n:, n:], by_v, 1e-9)
    agree(B[n:], by_tau[:, 6:], 1e-9)
    names = [*"BR1 BR2 BR3 BP1 BP2 BP3".split(), *robot.variables[: len(s.y)]]
    assert [*linear.state[:n]] == names
    step = 1e-6  # of Pinocchio's own integration of two nearby motions
    for k in range(n):
        delta = np.zeros(n)
        delta[order[k]] = 1e-3
        ends = [
            pin.integrate(s.model, pin.integrate(s.model, s.pin_q, sign * delta), s.pin_v * step) for sign in (1, -1)
        ]
        middle = pin.integrate(s.model, s.pin_q, s.pin_v * step)
        moved = (pin.difference(s.model, middle, ends[0]) - pin.difference(s.model, middle, ends[1])) / 2
        np.testing.assert_allclose((moved - delta)[order] / step / 1e-3, A[:n, k], atol=1e-4)
    agree(A[:n, n:], np.eye(n))


@pytest.mark.parametrize("make", [closed, coupled])
def test_closed_robot_moves_along_its_loops(make: Any) -> None:
    """Differences of the accelerations of Pinocchio's constrained tree at positions with closed loops."""
    robot = make("floating").edit({"base.type": "fixed"})
    robot = robot.edit({f"link{j}.FS": 0 for j in range(1, robot.NL + 1)})
    joints = robot.tree_joints
    active = [k for k, j in enumerate(joints) if robot.frame(j).mu]
    y, rates, tau = np.array([0.2, 1.3, 0.1]), np.array([0.4, -0.3, 0.6]), np.array([3.0, -2.0, 1.0])
    start = np.array(rs.loop_geometry(robot).solve(y)[0])

    def acceleration(y: Array, rates: Array, tau: Array) -> Array:
        q = np.array(rs.loop_geometry(robot).near(y, start))
        s = Reduced(robot, q, np.random.default_rng(0))
        efforts = np.zeros(len(joints))
        efforts[active] = tau
        found: Array = Constrained(robot, s.values).accelerations(q, s.G @ rates, efforts)
        return found[active]

    A, B, _, _ = rs.linearize(robot, at={"q": start, "qd": rates, "tau": tau}).numbers()
    step = 1e-5
    for part, place in ((A[3:, :3], 0), (A[3:, 3:], 1), (B[3:], 2)):
        for k in range(3):
            args = [[y, rates, tau], [y, rates, tau]]
            for one, sign in zip(args, (1, -1), strict=True):
                one[place] = one[place] + sign * step * np.eye(3)[k]
            slope = (acceleration(*args[0]) - acceleration(*args[1])) / (2 * step)
            np.testing.assert_allclose(part[:, k], slope, rtol=1e-5, atol=1e-5 * np.abs(part).max())


def test_eigenfrequencies_of_elastic_arm() -> None:
    """Against the generalized eigenvalues of stiffness and inertia of a chain with springs, without gravity."""
    frames = [{"theta": f"t{j}", "d": 0.3, "alpha": 0.4 * j} for j in range(4)]
    links = [{"XX": 0.2, "YY": 0.3, "ZZ": 0.25, "MX": 0.4, "M": 2}] * 4
    stiff = np.array([300.0, 200, 150, 80])
    robot = rs.robot("whip", frames=frames, links=links, gravity=[0, 0, 0]).edit(
        {f"joint{j}.{name}": value for j, k in enumerate(stiff, 1) for name, value in (("eta", 1), ("k", float(k)))}
    )
    q = np.array([0.1, 0.2, -0.3, 0.4])
    inertia = np.array(rs.inertia_matrix(robot).compile()(q=q))
    linear = rs.linearize(robot, at={"q": np.zeros(4)})
    at_rest = np.array(rs.inertia_matrix(robot).compile()(q=np.zeros(4)))
    modes = linear.eigenmodes()
    right = np.sqrt(eigh(np.diag(stiff), at_rest, eigvals_only=True))
    np.testing.assert_allclose(2 * np.pi * modes.frequencies, right, rtol=1e-9)
    assert np.abs(modes.damping).max() < 1e-6 and modes.shapes.shape == (8, 4)
    assert linear.outputs["B"][0] == () and not np.allclose(inertia, at_rest)


def test_default_torques_hold_the_position() -> None:
    robot = rs.load("ur5e")
    linear = rs.linearize(robot, at={"q": [0.1, -1, 0.6, 0.3, 0.2, 0.5]})
    tau = linear.values()["tau"]
    found = rs.direct_dynamics(robot).compile()(q=linear.point["q"], qd=np.zeros(6), tau=tau)
    np.testing.assert_allclose(found, 0, atol=1e-9)
    assert np.abs(tau).max() > 1


def test_rejects_invalid_points() -> None:
    with pytest.raises(rs.InputError, match="at: unknown group 'torque'"):
        rs.linearize("planar2r", at={"torque": [0, 0]})
    with pytest.raises(rs.InputError, match="at: expected a mapping of groups"):
        rs.linearize("planar2r", at=[0, 0])  # type: ignore[arg-type]
    with pytest.raises(rs.InputError, match="at: parameters: expected values for"):
        rs.linearize(rs.load("planar2r").symbolic()).numbers()
    with pytest.raises(rs.InputError, match="to_closed"):
        rs.linearize("gough")


def test_pages_play_modes(tmp_path: Path) -> None:
    """Displacements of the picture are those of the eigenvector, and loops stay closed to first order."""
    robot = closed("floating").edit({"base.type": "fixed"})
    start = np.array(rs.loop_geometry(robot).solve([0.2, 1.3, 0.1])[0])
    linear = rs.linearize(robot, at={"q": start}, friction=False)
    t, q, bases, title = positions_of_mode(linear, 3, 1e-4, {})
    s = Reduced(robot, start, np.random.default_rng(0))
    shape = linear.eigenmodes().shapes[:3, 2]
    shape = shape / shape[np.abs(shape).argmax()] * 1e-4
    np.testing.assert_allclose(q[0] - start, s.G @ shape.real, atol=1e-12)
    assert bases is None and np.array_equal(q[0], q[-1]) and t[-1] == 2 and "Hz" in title
    free = rs.linearize(tree("floating").edit({"joint2.eta": 1, "joint2.k": 300}))
    last = len(free.eigenmodes().frequencies)
    _, _, bases, _ = positions_of_mode(free, last, 0.2, {})
    assert bases is not None and np.abs(bases[0] - np.eye(4)).max() > 1e-3
    page = free.animate(tmp_path / "mode.html", mode=last)
    assert f"mode {last}: 3." in page.read_text()
    with pytest.raises(rs.InputError, match=f"mode: expected a number from 1 to {last}"):
        free.animate(tmp_path / "mode.html", mode=99)
    with pytest.raises(rs.FormatError, match=r"expected \.html"):
        free.animate(tmp_path / "mode.gif")
