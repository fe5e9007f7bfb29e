"""Springs and friction in and near cut joints agree with the same robot cut elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases.recut import Hinge, Solid, recut
from long_cases import quick_and_long
from robosym.algebra import evaluate
from robosym.mechanism import Robot
from robosym.model import flat

ACTS = {"eta": 1, "k": 25, "rest": 0.2, "FV": 0.7, "friction": "{OFF: 0.4, FSP: 0.3, FC: [0.2, 'q*tanh(3*qd)']}"}


def ring(kinds: str, seed: int, acting: Sequence[int], ball: int | None = None) -> tuple[list[Hinge], dict[int, Solid]]:
    """Return a loop of random axes; seven axes leave one degree of freedom. With `ball`, three axes intersect.

    Four joints move in a plane.
    """
    rng = np.random.default_rng(seed)
    n = len(kinds)
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    turn = np.arange(n) * 2 * np.pi / n
    points = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn]) + rng.normal(size=(n, 3)) * 0.15
    if n == 4:
        axes = np.array([[np.cos(1), np.sin(1), 0] if kind == "P" else [0, 0, 1] for kind in kinds])
    solids = {
        body: Solid(rng.uniform(0.5, 2), points[body - 1 : body + 1].mean(axis=0) + 0.1, rng.uniform(0.02, 0.05, 3))
        for body in range(1, n)
    }
    if ball is not None:
        axes[ball : ball + 3], points[ball : ball + 3] = np.eye(3), points[ball]
        solids |= {ball + 1: Solid(), ball + 2: Solid()}
    hinges = [
        Hinge(k, (k + 1) % n, kinds[k], axes[k], points[k], motor=k == 0, acts=ACTS if k in acting else {})
        for k in range(n)
    ]
    return hinges, solids


class Pose:
    """A robot at a closed position, given by the variables of all joints."""

    def __init__(self, robot: Robot, at: float) -> None:
        self.robot, self.loops = robot, rs.loop_kinematics(robot)
        names = self.loops.inputs["q"]
        self.q = self.loops.close([at if name == "x0" else 0.0 for name in names])

    def number(self, model: rs.Model, **given: Sequence[float]) -> np.ndarray:
        given = {"q": self.q, **given}
        values = {name: x for g, names in model.inputs.items() for name, x in zip(names, given[g], strict=True)}
        names = [name for layout in model.outputs.values() for name in flat(layout)]
        return np.array(evaluate([model.definitions[name] for name in names], values))


def both(hinges: Sequence[Hinge], solids: dict[int, Solid], one: int, other: int, at: float = 0.03) -> list[Pose]:
    return [Pose(recut("ring", hinges, solids, [cut]), at) for cut in (one, other)]


def models(pose: Pose) -> list[np.ndarray]:
    """Return torques, bias, acceleration of the motor joint and energies at one state."""
    direct = rs.direct_dynamics(pose.robot)
    return [
        pose.number(rs.inverse_dynamics(pose.robot), qd=[0.8], qdd=[1.1]),
        pose.number(rs.bias_torques(pose.robot), qd=[0.8]),
        pose.number(direct, qd=[0.8], tau=[2.0])[:1],
        pose.number(rs.gravity_torques(pose.robot)),
        pose.number(rs.energy(pose.robot), qd=[0.8], tau=[2.0]),
    ]


#: joints of the loop, and the two alternative cuts
CASES = {
    "pin": ("RRRR", 3, 2), "other pin": ("RRRR", 1, 3), "slide": ("RRPR", 2, 3), "pin of a slider": ("RRPR", 3, 1),
    "revolute": ("RRRRRRR", 3, 5), "prismatic": ("RRRPRRR", 3, 5), "helical": ("RRRHRRR", 3, 5),
    "beside a helical": ("RRHRRRR", 6, 2),
}  # fmt: skip


@pytest.mark.parametrize("case", quick_and_long(CASES, long=[c for c, (k, *_) in CASES.items() if len(k) == 7]))
def test_springs_and_friction_of_a_cut_joint(case: str) -> None:
    kinds, one, other = CASES[case]
    hinges, solids = ring(kinds, 5, [one, other])
    here, there = both(hinges, solids, one, other)
    assert len(here.loops.active) == len(there.loops.active) == 1
    for found, right in zip(models(here), models(there), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-8, atol=1e-8)
    bare = recut("ring", ring(kinds, 5, [])[0], solids, [one])
    assert abs(models(Pose(bare, 0.03))[0] - models(here)[0]).max() > 0.1


@pytest.mark.parametrize("case", [pytest.param("wrench", marks=pytest.mark.long), "friction", "spring"])
def test_forces_between_axes_of_ball_near_cut(case: str) -> None:
    """Massless links between the axes of a ball joint belong to the cut only if nothing acts on them."""
    hinges, solids = ring("RRRRRRR", 5, [], ball=4)
    acts = {"friction": {"friction": "{FVP: 0.4, FVN: 0.4}"}, "spring": {"eta": 1, "k": 12}}.get(case, {})
    hinges[4] = replace(hinges[4], acts=acts)
    if case == "wrench":
        solids[5] = Solid(wrench=[1, 2, -1, 0.5, 0.2, 0.4])
    here, there = both(hinges, solids, 6, 1)
    for found, right in zip(models(here), models(there), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kinds", ["RRRRRRR", "RRRHRRR"])
def test_wrench_of_cut_joint_with_spring(kinds: str) -> None:
    """The joints of the tree need only the wrench of the cut and the torque of the motor."""
    hinges, solids = ring(kinds, 5, [3])
    here = Pose(recut("ring", hinges, solids, [3]), 0.03)
    robot, model = here.robot, rs.inverse_dynamics(here.robot)
    wrench = [f"{letter}{a}7" for letter in "EN" for a in (1, 2, 3)]
    qd = here.loops.rates(here.q, [0.8])
    passive = here.number(rs.direct_dynamics(robot), qd=[0.8], tau=here.number(model, qd=[0.8], qdd=[1.1]))
    needed = here.number(rs.inverse_dynamics(robot, structure="tree"), qd=qd, qdd=passive)
    lacking = needed - [*here.number(model, qd=[0.8], qdd=[1.1]), 0, 0, 0, 0, 0]
    values = {**dict(zip(model.inputs["q"], here.q, strict=True)), "QP1": 0.8, "QDP1": 1.1}
    found = np.array(evaluate([model.definitions[name] for name in wrench], values))
    closing = here.loops._constraints.closing
    gaps, slope = closing._linearized(closing.with_cut(dict(zip(model.inputs["q"], here.q, strict=True))))
    assert np.abs(gaps).max() < 1e-9
    np.testing.assert_allclose(lacking, -slope[0][:, :6].T @ found, rtol=1e-7, atol=1e-7)


def test_regressor_with_friction_of_a_cut_joint() -> None:
    """Torques are the matrix times the parameters, including the cut joint's; also power and filtered models."""
    hinges, solids = ring("RRRR", 5, [])
    hinges[3] = replace(hinges[3], acts={"FV": 0.7, "FS": 0.2, "friction": "{OFF: 0.4}"})
    here = Pose(recut("ring", hinges, solids, [3]), 0.03)
    tau = here.number(rs.inverse_dynamics(here.robot), qd=[0.8], qdd=[1.1])
    D = rs.dynamic_identification(here.robot)
    assert {"FV4", "FS4", "OFF4"} <= set(D.columns)
    friction = dict(here.robot.joint(4).friction.values)
    K = [
        float(str(friction[name[:-1]]))
        if name.endswith("4")
        else float(str(getattr(here.robot.link(int(name[-1])), name[:-1])))
        for name in D.columns
    ]
    np.testing.assert_allclose(here.number(D, qd=[0.8], qdd=[1.1]) @ K, tau, rtol=1e-9)
    power = rs.power_identification(here.robot)
    np.testing.assert_allclose(here.number(power, qd=[0.8], qdd=[1.1]) @ K, 0.8 * tau, rtol=1e-9)
    sprung = recut("ring", *ring("RRRR", 5, [3]), [3])
    with pytest.raises(rs.InputError, match="joint 4 has a spring"):
        rs.dynamic_identification(sprung)


def test_simulation_with_a_spring_in_a_cut_joint() -> None:
    """The motion does not depend on the cut, and its energy is balanced."""
    hinges, solids = ring("RRRR", 5, [3])
    runs = [rs.simulate(recut("ring", hinges, solids, [cut]), until=0.4, step=4e-3) for cut in (3, 1)]
    one, other = np.array([run.q[:, run.robot.joint_names.index("x0")] for run in runs])
    assert np.ptp(one) > 0.02
    np.testing.assert_allclose(one, other, atol=1e-7)
    assert np.abs(runs[0].balance).max() < 1e-5 * np.ptp(runs[0].potential)


def test_helical_cut_joint_has_one_dof() -> None:
    """Screw jack, a rotating spindle and a sliding nut, cut at the thread: the weight is multiplied by pitch / 2 pi."""
    z = np.array([0.0, 0.0, 1.0])
    hinges = [
        Hinge(0, 1, "R", z, np.zeros(3), motor=True), Hinge(0, 2, "P", z, np.zeros(3)),
        Hinge(1, 2, "H", z, np.zeros(3), pitch=0.05),
    ]  # fmt: skip
    robot = recut("jack", hinges, {1: Solid(1, (0, 0, 0), (0.01, 0.01, 0.02)), 2: Solid(4, (0, 0, 0), (1, 1, 1))}, [2])
    lead = 0.05 / (2 * np.pi)
    loops = rs.loop_kinematics(robot)
    assert (loops.active, loops.passive) == ((1,), (2,))
    q = loops.close([40.0, -0.318])  # the nut moves down as the spindle turns
    np.testing.assert_allclose(q, [40, -40 * lead], atol=1e-12)
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=[3.0], qdd=[2.0])
    np.testing.assert_allclose(tau, 2 * 0.02 - lead * 4 * (9 - lead * 2), rtol=1e-12)
    base = rs.base_parameters(robot.symbolic())
    assert base.names == ("ZZ1R", "MX1", "MY1", "M2")  # weight and inertia act differently through the thread
    reduced = rs.inverse_dynamics(robot, base_parameters=True).compile()(q=q, qd=[3.0], qdd=[2.0])
    np.testing.assert_allclose(reduced, tau, rtol=1e-12)
    with pytest.raises(rs.InputError, match="x2 is a screw in a loop"):
        rs.loop_geometry(robot)
    run = rs.simulate(robot, q=q, until=0.2, step=1e-3)
    fall = 4 * 9 * lead / (0.02 + 4 * lead**2)
    np.testing.assert_allclose(run.q[-1], [40 + fall * 0.02, -(40 + fall * 0.02) * lead], rtol=1e-8)


def test_rejects_spring_in_rotating_cut_joint() -> None:
    """The angle of the pin of a rotating crank is known only modulo one turn."""
    pins = [np.array([x, y, 0.0]) for x, y in ((0, 0), (0.4, 0), (1.0333333333333334, 0.8994442728707545), (1, 0))]
    spring = {"eta": 1, "k": 0.1}
    hinges = [
        Hinge(k, (k + 1) % 4, "R", np.array([0.0, 0.0, 1.0]), pin, motor=k == 0, acts=spring if k == 1 else {})
        for k, pin in enumerate(pins)
    ]
    solids = {body: Solid(1, pins[body], (0.1, 0.1, 0.1)) for body in (1, 2, 3)}
    robot = recut("crank", hinges, solids, [1])
    rs.simulate(robot, q=[0.0, 0.0, 0.0], qd=[20.0], until=0.1, step=1e-3)
    with pytest.raises(rs.InputError, match="the cut joint x1 turns by more than half a turn from 0"):
        rs.simulate(robot, q=[0.0, 0.0, 0.0], qd=[20.0], until=0.4, step=1e-3)


def test_limits_of_cut_joint_are_respected() -> None:
    robot = rs.load("sr400").edit({"joint9.limits": {"position": [-1, 1]}})
    geometry = rs.inverse_geometry(robot)
    values = dict.fromkeys(geometry.parameters, 0.5)
    for limits in (True, {"t9": (-1, 1)}):
        with pytest.raises(rs.InputError, match="limits: t9 is a cut joint of sr400"):
            geometry.solve(np.eye(4), values, limits=limits)


def test_rest_position_of_cut_joint() -> None:
    """As for joints of the tree; rest positions are equal modulo one turn."""
    hinges, solids = ring("RRRR", 5, [])
    robots = [
        recut("ring", [*hinges[:3], replace(hinges[3], acts={"eta": 1, "k": 9, **more})], solids, [3])
        for more in ({"rest": 0.3}, {})
    ]
    poses = [Pose(robot, 0.03) for robot in robots]
    right = poses[0].number(rs.inverse_dynamics(robots[0]), qd=[0.8], qdd=[1.1])
    given = rs.inverse_dynamics(robots[1], rest={4: 0.3})
    np.testing.assert_allclose(poses[1].number(given, qd=[0.8], qdd=[1.1]), right, rtol=1e-12)
    free = replace(robots[1], position={name: x for name, x in robots[1].position.items() if name != "x3"})
    turned = rs.inverse_dynamics(free, rest={4: 0.3 + 2 * np.pi})
    np.testing.assert_allclose(poses[1].number(turned, qd=[0.8], qdd=[1.1]), right, rtol=1e-9)
