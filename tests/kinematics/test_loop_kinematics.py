"""Test loop kinematics against finite differences of closed positions, solved here with Pinocchio alone."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.optimize import least_squares

from cases.closed_robots import (
    bennett,
    build,
    cylindrical_cut,
    five_bar,
    four_bar,
    gough_stewart,
    rssr,
    slider_crank,
    spherical_four_bar,
    universal_cut,
)
from cases.kinematic import Array, numbers, values_for
from oracles.pinocchio import rotation, shift
from robosym.algebra import evaluate
from robosym.coordinates.closed_samples import closed_samples
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import jacobian, loop_kinematics
from robosym.kinematics.loop_kinematics import LoopKinematics
from robosym.mechanism import Robot
from robosym.mechanism.path import path

NAMES = ("gamma", "b", "alpha", "d", "theta", "r")


class Mechanism:
    """A robot with values for its parameters, and the tree and cut joints that close its loops."""

    def __init__(self, robot: Robot, values: dict[str, float]) -> None:
        self.robot, self.parameters = robot, values
        self.tree = [robot.variable(j) for j in robot.tree_joints]
        self.cut = [robot.variable(k) for k, _ in robot.loops if robot.frame(k).is_joint]

    def gap(self, values: dict[str, float]) -> Array:
        """Return the closure error kB Tk - 1 of every loop, from frames multiplied by Pinocchio."""
        placed = {0: rotation("z", 0.0)}
        for j, frame in enumerate(self.robot.frames, 1):
            gamma, b, alpha, d, theta, r = evaluate([getattr(frame, n) for n in NAMES], values)
            step = rotation("z", gamma) * shift("z", b) * rotation("x", alpha) * shift("x", d)
            placed[j] = placed[frame.ant] * step * rotation("z", theta) * shift("z", r)
        gaps = [(placed[fixed].inverse() * placed[cut]).homogeneous - np.eye(4) for cut, fixed in self.robot.loops]
        return np.concatenate([gap[:3].ravel() for gap in gaps])

    def closed(self, guess: dict[str, float], held: dict[str, float]) -> dict[str, float]:
        free = [name for name in (*self.tree, *self.cut) if name not in held]
        start = [guess[name] for name in free]

        def residual(x: Array) -> Array:
            return self.gap(self.parameters | guess | held | dict(zip(free, x, strict=True)))

        found = least_squares(residual, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        assert np.abs(found.fun).max() < 1e-9
        return self.parameters | guess | held | dict(zip(free, found.x, strict=True))


def mechanism(robot: Robot, loops: LoopKinematics) -> tuple[Mechanism, dict[str, float]]:
    """Return the mechanism in a generic closed position (found by robosym, checked by `Mechanism`)."""
    values = dict(loops.constraints.choice.sample)
    if robot.name == "sr400":  # assembled as a parallelogram
        t2, t7 = 0.4, -0.3
        values |= {"t2": t2, "t7": t7, "t3": np.pi / 2 - t2 + t7, "t8": t2 - t7, "t9": np.pi - t2 + t7}
    if robot.name == "gough":  # the best conditioned of ten positions

        def condition(values: dict[str, float]) -> float:
            return float(np.linalg.cond(numbers(loops.Wp, values)[0]))

        values = min(closed_samples(loops.constraints.closing, 10), key=condition)
    if robot.name == "fourbar":
        values |= {"t1": 0.7, "t2": -0.7, "t3": 0.7, "t4": 0.7}
    machine = Mechanism(robot, values)
    assert np.abs(machine.gap(values)).max() < 1e-8
    return machine, values


ROBOTS = {
    "sr400": lambda: load("sr400"), "akr3000": lambda: load("akr3000"), "five_bar": five_bar, "four_bar": four_bar,
    "slider_crank": slider_crank, "rssr": rssr, "universal": universal_cut, "cylindrical": cylindrical_cut,
    "gough_stewart": gough_stewart, "bennett": bennett, "spherical_four_bar": spherical_four_bar,
}  # fmt: skip


@pytest.fixture(scope="module", params=ROBOTS)
def closed(request: pytest.FixtureRequest) -> tuple[LoopKinematics, Mechanism, dict[str, float]]:
    robot = ROBOTS[request.param]()
    loops = loop_kinematics(robot)
    return loops, *mechanism(robot, loops)


def along(
    machine: Mechanism, here: dict[str, float], loops: LoopKinematics, direction: Array, h: float
) -> tuple[Array, Array]:
    """Return q' and q'' of all unknown joints by central differences along a straight motion of the active joints."""
    robot = machine.robot
    unknown = [robot.variable(j) for j in (*loops.passive, *loops.cut)]
    active = [robot.variable(j) for j in loops.active]
    points = []
    for s in (-h, 0.0, h):
        held = {name: here[name] + s * rate for name, rate in zip(active, direction, strict=True)}
        there = machine.closed(here, held)
        points.append(np.array([there[name] for name in unknown]))
    before, at, after = points
    return (after - before) / (2 * h), (after - 2 * at + before) / h**2


def direction_of(loops: LoopKinematics, here: dict[str, float], seed: int) -> Array:
    """Return random rates of the active joints such that no joint moves faster than 1, for accurate differences."""
    direction = np.random.default_rng(seed).normal(size=len(loops.active))
    return direction / max(1, *(np.abs(group @ direction).max() for group in numbers(loops.solution(), here)))


def test_w_is_the_derivative_of_the_closed_position(closed: tuple[LoopKinematics, Mechanism, dict[str, float]]) -> None:
    loops, machine, here = closed
    direction = direction_of(loops, here, 1)
    rates, _ = along(machine, here, loops, direction, 1e-5)
    groups = numbers(loops.solution(), here)
    found = np.concatenate([group @ direction for group in groups])
    np.testing.assert_allclose(found, rates, atol=2e-7 * max(1, np.abs(rates).max()))


def test_psi_and_phi_give_the_accelerations(closed: tuple[LoopKinematics, Mechanism, dict[str, float]]) -> None:
    loops, machine, here = closed
    robot = machine.robot
    direction = direction_of(loops, here, 2)
    _, second = along(machine, here, loops, direction, 1e-3)
    groups = numbers(loops.solution(), here)
    rates = np.concatenate([direction, *(group @ direction for group in groups)])
    joints = (*loops.active, *loops.passive, *loops.cut)
    values = here | {f"QP{j}": rate for j, rate in zip(joints, rates, strict=True)}
    named = dict(zip(loops.outputs, numbers(loops, values), strict=True))
    p = len(loops.passive)
    passive = np.linalg.solve(named["Wp"], -named["Psi"])
    cut = np.linalg.solve(named["Wc"], -named["Phi"] - named["Wpc"] @ passive)
    scale = max(1, np.abs(second).max())
    np.testing.assert_allclose(passive, second[:p], atol=3e-5 * scale)
    np.testing.assert_allclose(cut, second[p:], atol=3e-5 * scale)
    assert robot.loops


def test_equations_hold_and_have_expected_shape(closed: tuple[LoopKinematics, Mechanism, dict[str, float]]) -> None:
    loops, _, here = closed
    Wa, Wp, Wac, Wpc, Wc = (numbers(loops.part(name), here)[0] for name in ("Wa", "Wp", "Wac", "Wpc", "Wc"))
    n, p, c = len(loops.active), len(loops.passive), len(loops.cut)
    assert Wa.shape == (p, n) and Wp.shape == (p, p)
    assert Wac.shape == (c, n) and Wpc.shape == (c, p) and Wc.shape == (c, c)
    W, Wcut = numbers(loops.solution(), here)
    np.testing.assert_allclose(Wa + Wp @ W, 0, atol=1e-10 * max(1, np.abs(W).max()))
    np.testing.assert_allclose(Wac + Wpc @ W + Wc @ Wcut, 0, atol=1e-10 * max(1, np.abs(Wcut).max()))


def test_numeric_rates_agree_with_w(closed: tuple[LoopKinematics, Mechanism, dict[str, float]]) -> None:
    loops, machine, here = closed
    direction = np.random.default_rng(3).normal(size=len(loops.active))
    q = [here[name] for name in machine.tree]
    found = dict(zip(machine.robot.tree_joints, loops.rates(q, direction, machine.parameters), strict=True))
    W = numbers(loops.solution(), here)[0]
    np.testing.assert_allclose([found[j] for j in loops.passive], W @ direction, atol=1e-8 * max(1, np.abs(W).max()))
    assert [found[j] for j in loops.active] == list(direction)


def test_jacobian_by_the_active_joints(closed: tuple[LoopKinematics, Mechanism, dict[str, float]]) -> None:
    loops, machine, here = closed
    robot = machine.robot
    link = max(j for j in loops.passive if all(k not in loops.cut for k in path(robot, 0, j)[1]))
    direction = np.random.default_rng(4).normal(size=len(loops.active))
    rates = loops.rates([here[name] for name in machine.tree], direction, here)
    whole = jacobian(robot, link, active=False)
    expected = numbers(whole, here)[0] @ [rates[robot.tree_joints.index(j)] for j in whole.joints]
    found = numbers(loops.jacobian(link), here)[0] @ direction
    np.testing.assert_allclose(found, expected, atol=1e-8 * max(1, np.abs(expected).max()))


def test_classifies_joints() -> None:
    sr400 = loop_kinematics(load("sr400"))
    assert (sr400.active, sr400.passive, sr400.cut) == ((1, 2, 4, 5, 6, 7), (3, 8), (9,))
    spherical = loop_kinematics(rssr())
    assert (spherical.passive, spherical.cut) == ((2, 3, 5), (4, 6, 7))
    assert loop_kinematics(universal_cut()).cut == (7, 8)
    assert loop_kinematics(cylindrical_cut()).cut == (6, 7)


def test_parallelogram_has_constant_solution() -> None:
    for robot, expected in ((load("sr400"), [[-1, 1], [1, -1]]), (four_bar(), [[-1], [1]])):
        loops = loop_kinematics(robot)
        solution = loops.solution()
        assert solution.operations.total == 0
        W = numbers(solution, {})[0]
        columns = [c for c, j in enumerate(loops.active) if j in (2, 7) or robot.name == "fourbar"]
        np.testing.assert_array_equal(W[:, columns], expected)
        assert not np.any(numbers(loops.Psi, {})[0])


def test_crossed_parallelogram_uses_general_equations() -> None:
    loops = loop_kinematics(four_bar(), parallelograms=False)
    values = {"t1": 0.7, "t2": -0.7, "t3": 0.7, "t4": 0.7}
    np.testing.assert_allclose(numbers(loops.solution(), values)[0], [[-1], [1]], atol=1e-12)
    crossed = loops.close([0.9, -2.6, -1.2])
    machine = Mechanism(loops.robot, {})
    here = dict(zip(machine.tree, crossed, strict=True))
    here = machine.closed(here | {"t4": 0.5}, here)
    assert abs(here["t1"] - here["t3"]) > 0.1
    rates, _ = along(machine, here, loops, np.ones(1), 1e-5)
    np.testing.assert_allclose(np.ravel(numbers(loops.solution(), here)[0]), rates[:2], atol=1e-6)


def test_prismatic_cut_does_not_use_the_cut_variable() -> None:
    loops = loop_kinematics(slider_crank())
    assert "q_cut" not in loops.inputs
    assert loops.inputs["q"] == ("t1", "t2", "t3")


def test_rejects_open_position() -> None:
    loops = loop_kinematics(five_bar())
    lengths = dict.fromkeys(("L0", "L1", "L2", "L3", "L4"), 0.5)
    with pytest.raises(InputError, match=r"loops are open in this position: frames 5 and 6 stay .* apart"):
        loops.rates([0.1, 0.2, 0.3, 0.4], [1, 0], lengths)


def test_rejects_position_that_cannot_close() -> None:
    loops = loop_kinematics(five_bar())
    lengths = {"L0": 3.0, "L1": 0.5, "L2": 0.5, "L3": 0.6, "L4": 0.6}
    with pytest.raises(InputError, match="the passive joints cannot close the loops"):
        loops.close([3.0, 0.2, 0.0, 0.4], lengths)


def test_rejects_singular_position() -> None:
    """With the two passive links of the five-bar aligned, their common joint can move either way."""
    loops = loop_kinematics(five_bar())
    lengths = {"L0": 2.0, "L1": 0.5, "L2": 0.5, "L3": 1.0, "L4": 1.0}
    h = np.pi / 2
    with pytest.raises(InputError, match="singular position"):
        loops.rates([h, -h, h, h], [1, 0], lengths)


def test_redundant_motors_depend_on_the_first_ones() -> None:
    frames = ["ant: 0, theta: t1", "ant: 1, d: L1, theta: t2", "ant: 0, mu: 0, d: L0, theta: t3",
              "ant: 2, mu: 0, d: L3, theta: t4", "ant: 3, sigma: 2, d: L4"]  # fmt: skip
    loops = loop_kinematics(build("overdriven", frames, [(4, 5)]))
    assert (loops.active, loops.passive) == ((1,), (2, 3))
    with pytest.raises(InputError, match="rx90: expected a robot with loops"):
        loop_kinematics(load("rx90"))


def test_idle_spin_is_a_separate_degree_of_freedom() -> None:
    """The coupler lies between two spherical joints, each described by three revolute joints."""
    frames = ["ant: 0, theta: t1", "ant: 1, mu: 0, alpha: Pi/2, d: 0.2, theta: t2",
              "ant: 2, mu: 0, alpha: Pi/2, theta: t3", "ant: 3, mu: 0, alpha: Pi/2, theta: t4",
              "ant: 4, mu: 0, alpha: Pi/2, d: 1, theta: t5", "ant: 5, mu: 0, alpha: Pi/2, theta: t6",
              "ant: 0, mu: 0, gamma: 0.4, b: 0.3, alpha: Pi/2 + 0.2, d: 0.9, theta: t7",
              "ant: 6, mu: 0, alpha: Pi/2, theta: t8", "ant: 7, sigma: 2, alpha: Pi/2, d: 0.6"]  # fmt: skip
    active = loop_kinematics(build("rssr", frames, [(8, 9)])).active
    assert active[0] == 1 and active[1] in (2, 3, 4)
    frames[3] = "ant: 3, alpha: Pi/2, theta: t4"
    assert loop_kinematics(build("rssr", frames, [(8, 9)])).active == (1, 4)


def test_rejects_linkage_that_closes_only_when_stretched() -> None:
    """The equations are singular in its only position; the user must not see an error of the linear algebra."""
    frames = ["ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.3, theta: t2", "ant: 0, mu: 0, d: 1, theta: t3",
              "ant: 2, mu: 0, d: 0.4, theta: t4", "ant: 3, sigma: 2, d: 0.3"]  # fmt: skip
    with pytest.raises(InputError, match="degrees of freedom"):
        loop_kinematics(build("stretched", frames, [(4, 5)]))


def test_rejects_wrong_sizes_with_a_motor_in_a_cut_joint() -> None:
    frames = ["ant: 0, mu: 0, theta: t1", "ant: 1, mu: 0, d: L1, theta: t2", "ant: 0, mu: 0, d: L0, theta: t3",
              "ant: 2, d: L3, theta: t4", "ant: 3, sigma: 2, d: L4"]  # fmt: skip
    driven = loop_kinematics(build("driven", frames, [(4, 5)]))
    assert len(driven.active) == 1 and driven.cut == (4,)
    loops = loop_kinematics(four_bar())
    with pytest.raises(InputError, match="q: expected 3 numbers"):
        loops.close([1.0])
    with pytest.raises(InputError, match="active_rates: expected 1 number, found 2"):
        loops.rates([0.7, -0.7, 0.7], [1.0, 2.0])
    with pytest.raises(InputError, match="expected values for L1, L0"):
        loop_kinematics(five_bar()).close([0.1, 0.2, 0.3, 0.4])


def test_rejects_loops_that_never_close() -> None:
    frames = ["ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.1, theta: t2", "ant: 0, mu: 0, d: 5, theta: t3",
              "ant: 2, mu: 0, d: 0.1, theta: t4", "ant: 3, sigma: 2, d: 0.1"]  # fmt: skip
    with pytest.raises(InputError, match="found no position in which the loops are closed"):
        loop_kinematics(build("apart", frames, [(4, 5)]))


def test_rates_keep_loops_closed_for_random_lengths() -> None:
    """Both sides of the cut have the same velocity."""
    robot = load("akr3000")
    loops = loop_kinematics(robot)
    for seed in range(3):
        values = values_for(robot, random.Random(seed)) | loops.constraints.samples[seed]
        machine = Mechanism(robot, values)
        direction = np.random.default_rng(seed).normal(size=len(loops.active))
        rates = loops.rates([values[n] for n in machine.tree], direction, values)
        h = 1e-6
        moved = values | {n: values[n] + h * rate for n, rate in zip(machine.tree, rates, strict=True)}
        cut = numbers(loops.solution(), values)[1] @ direction
        moved |= {n: values[n] + h * rate for n, rate in zip(machine.cut, cut, strict=True)}
        assert np.abs(machine.gap(moved)).max() < 1e-5 * h * max(1, np.abs(rates).max()) ** 2 * 10
