"""Closed robots in the mode of their reference position: 60 states each against Pinocchio's constrained tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.closed_robots import bennett, cylindrical_cut, five_bar, four_bar, rssr, slider_crank
from cases.linkages import LINKAGES, delta_four
from cases.moving import Moving, off
from cases.parallel_robots import REFERENCED
from long_cases import quick_and_long
from robosym.coordinates.closed_samples import closed_samples
from robosym.coordinates.constraints import LoopConstraints
from robosym.kinematics import loop_kinematics
from robosym.mechanism import Coupling, Robot
from robosym.model import Model


def _numeric(robot: Robot) -> tuple[Robot, dict[str, float]]:
    """Return the robot with numeric lengths, and the most regular of several closed positions as reference."""
    constraints = LoopConstraints(robot, positions=lambda closing: closed_samples(closing, 20))
    sample = dict(constraints.choice.sample)
    names = [robot.variable(j) for j in (*robot.tree_joints, *(k for k, _ in robot.loops if robot.frame(k).is_joint))]
    robot = robot.with_values({name: sample[name] for name in robot.parameters if name in sample})
    return robot, {name: sample[name] for name in names}


ROBOTS: dict[str, Callable[[], tuple[Robot, dict[str, float]]]] = {
    **REFERENCED, **LINKAGES,
    "sr400": lambda: _numeric(rs.load("sr400")), "akr3000": lambda: _numeric(rs.load("akr3000")),
    "five_bar": lambda: _numeric(five_bar()),
    "four_bar": lambda: (four_bar(), {"t1": 0.7, "t2": -0.7, "t3": 0.7, "t4": 0.7}),
    "slider_crank": lambda: _numeric(slider_crank()), "bennett": lambda: _numeric(bennett()),
    "rssr": lambda: _numeric(rssr()), "cylindrical": lambda: _numeric(cylindrical_cut()),
}  # fmt: skip


@cache
def moving(name: str) -> Moving:
    return Moving(*ROBOTS[name]())


#: robots with many loops, which are slow
LONG = (
    "delta_rods delta_pa tricept gough orthoglide orthoglide_home upu_home three_upu tripteron "
    "excavator scissor peaucellier sarrus akr3000 palletizer delta_ruu cylindrical"
)


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long=LONG))
def test_rates_of_the_passive_joints(name: str) -> None:
    m = moving(name)
    c = m.constraints
    W = m.number(loop_kinematics(m.robot).solution(), "W").reshape(-1, len(c.passive), len(c.active))
    found = np.einsum("spa,sa->sp", W, m.over(m.qd, c.active))
    assert off(found, m.over(m.qd, c.passive)) < 1e-9


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long=LONG))
def test_torques_accelerations_and_inertia(name: str) -> None:
    m = moving(name)
    torques = np.array([list(tau.values()) for tau in m.tau])
    active = m.constraints.active
    inverse = rs.inverse_dynamics(m.robot)
    assert off(m.number(inverse, "tau"), torques) < 1e-9
    direct = rs.direct_dynamics(m.robot)
    assert off(m.number(direct, "qdd"), m.over(m.qdd, active)) < 1e-9
    assert off(m.number(direct, "qdd_passive"), m.over(m.qdd, m.constraints.passive)) < 1e-9
    A = m.number(rs.inertia_matrix(m.robot), "A").reshape(-1, len(active), len(active))
    H = m.number(rs.bias_torques(m.robot), "H")
    assert off(np.einsum("sab,sb->sa", A, m.over(m.qdd, active)) + H, torques) < 1e-9


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long=LONG))
def test_reactions_balance_the_tree(name: str) -> None:
    m = moving(name)
    assert unbalanced(m, rs.inverse_dynamics(m.robot), m.tau) < 1e-10


def unbalanced(m: Moving, model: Model, tau: list[dict[int, float]]) -> float:
    """Return the largest imbalance of Pinocchio's tree with the reactions as external wrenches.

    The tree must need the motor torques and no passive torques. The result is relative to the wrenches, which grow
    near dead centers.
    """
    oracle = m.oracle.oracle
    wrenches = {
        cut: m.named(model, [f"{letter}{axis}{cut}" for letter in "EN" for axis in "123"]) for cut, _ in m.robot.loops
    }
    worst = 0.0
    for s, q in enumerate(m.q):
        forces = oracle.external({k: float(v[s]) for k, v in m.values.items()})
        data = oracle.model.createData()
        pin.framesForwardKinematics(oracle.model, data, oracle.q(q))
        for cut, near, far in m.oracle.pairs:
            wrench = wrenches[cut][s]
            world = data.oMf[far].act(pin.Force(wrench[:3], wrench[3:]))
            for frame, sense in ((far, 1), (near, -1)):
                joint = oracle.model.frames[frame].parentJoint
                if joint:
                    forces[joint] = forces[joint] + data.oMi[joint].actInv(pin.Force(sense * world.vector))
        torques = pin.rnea(oracle.model, oracle.data, oracle.q(q), oracle.v(m.qd[s]), oracle.v(m.qdd[s]), forces)
        expected = np.array([tau[s].get(j, 0.0) for j in m.robot.tree_joints])
        largest = max(float(np.abs(wrench[s]).max()) for wrench in wrenches.values())
        worst = max(worst, off(oracle.back(torques), expected) / max(1.0, largest))
    return worst


def with_motors(robot: Robot, *motors: int) -> Robot:
    """Return the robot with motors in these joints only."""
    frames = tuple(replace(frame, mu=int(j in motors)) for j, frame in enumerate(robot.frames, 1))
    return replace(robot, frames=frames)


def test_fewer_motors_than_dof() -> None:
    """Five-bar with one motor: the other crank moves freely, and the inverse model returns its acceleration."""
    robot, position = ROBOTS["five_bar"]()
    m = Moving(with_motors(robot, 1), position, 20)
    free = tuple(j for j in m.constraints.active if j != 1)
    assert len(m.constraints.active) == 2
    model = rs.inverse_dynamics(m.robot)
    assert model.inputs["qdd"] == ("QDP1",) and model.outputs["qdd"] == tuple(f"QDP{j}" for j in free)
    assert off(m.number(model, "tau")[:, 0], np.array([tau[1] for tau in m.tau])) < 1e-9
    assert off(m.number(model, "qdd"), m.over(m.qdd, free)) < 1e-9
    direct = rs.direct_dynamics(m.robot)
    assert direct.inputs["tau"] == ("GAM1",)
    assert off(m.number(direct, "qdd"), m.over(m.qdd, m.constraints.active)) < 1e-9


@pytest.mark.parametrize("name", ["five_bar", "delta_four"])
def test_more_motors_than_dof(name: str) -> None:
    """Three motors on a five-bar, a Delta with four legs: torques of equal work and minimal norm."""
    robot, position = delta_four() if name == "delta_four" else ROBOTS[name]()
    m = Moving(robot if name == "delta_four" else with_motors(robot, 1, 2, 3), position, 20)
    given = np.array([list(tau.values()) for tau in m.tau])
    model, motors = rs.inverse_dynamics(m.robot), list(m.tau[0])
    found = m.number(model, "tau")
    assert unbalanced(m, model, [dict(zip(motors, tau, strict=True)) for tau in found]) < 1e-9
    places = [m.robot.tree_joints.index(j) for j in motors]
    G = np.array([m.constraints.closing.velocities(p)[places] for p in m.positions])
    assert off(np.einsum("sja,sj->sa", G, found), np.einsum("sja,sj->sa", G, given)) < 1e-9
    least = np.array([np.linalg.pinv(g.T) @ (g.T @ tau) for g, tau in zip(G, given, strict=True)])
    assert off(found, least) < 1e-9
    weights = np.array([4.0, *(1.0 for _ in motors[1:])])
    heavy = rs.inverse_dynamics(m.robot, weights={m.robot.variable(motors[0]): 4.0})
    root = np.sqrt(weights)
    least = np.array([np.linalg.pinv(g.T / root) @ (g.T @ tau) / root for g, tau in zip(G, given, strict=True)])
    tau = m.number(heavy, "tau")
    assert off(tau, least) < 1e-9 and (tau[:, 0] ** 2).sum() < (found[:, 0] ** 2).sum()
    assert unbalanced(m, heavy, [dict(zip(motors, row, strict=True)) for row in tau]) < 1e-9
    N = m.number(loop_kinematics(m.robot).internal_torques(), "N").reshape(len(G), len(motors), -1)
    assert N.shape[2] == len(motors) - G.shape[2] and np.abs(np.einsum("sja,sjn->san", G, N)).max() < 1e-9
    with pytest.raises(rs.InputError, match="weights: expected motors"):
        rs.inverse_dynamics(m.robot, weights={5: 2.0})
    with pytest.raises(rs.InputError, match="expected a positive number, found -1"):
        rs.inverse_dynamics(m.robot, weights={motors[0]: -1})
    direct = rs.direct_dynamics(m.robot)
    assert off(m.number(direct, "qdd"), m.over(m.qdd, m.constraints.active)) < 1e-9
    assert unbalanced(m, direct, m.tau) < 1e-9
    J = rs.jacobian(m.robot, places[-1] + 1)
    assert J.joints == m.constraints.active


def test_motor_in_cut_joint() -> None:
    """Its torque does the same work as that of a motor in the crank."""
    robot, position = ROBOTS["four_bar"]()
    m = Moving(robot, position, 20)
    crank = np.array([tau[1] for tau in m.tau])
    moved = with_motors(m.robot, 4)
    model = rs.inverse_dynamics(moved)
    active = rs.loop_kinematics(moved).active
    assert model.outputs["tau"] == ("GAM4",) and model.inputs["qd"] == tuple(f"QP{j}" for j in active)
    torque = m.number(model, "tau")[:, 0]
    cut = m.number(rs.loop_kinematics(m.robot).solution(), "Wcut")[:, 0]
    assert off(torque * cut, crank) < 1e-9
    assert unbalanced(m, model, [{}] * len(m.q)) < 1e-9
    m.values["GAM4"] = torque
    assert off(m.number(rs.direct_dynamics(moved), "qdd"), m.over(m.qdd, active)) < 1e-9


def geared(ratio: float, where: str) -> tuple[Robot, dict[str, float]]:
    """Return a five-bar with a gear between its cranks, or between a crank and an elbow."""
    robot, position = ROBOTS["five_bar"]()
    follower, leader = ("t3", "t1") if where == "crank" else ("t2", "t3")
    offset = position[follower] - ratio * position[leader]
    motors = (1,) if where == "crank" else (3,)
    coupled = replace(with_motors(robot, *motors), couplings={follower: Coupling({leader: ratio}, offset)})
    return coupled, position


@pytest.mark.parametrize(("ratio", "where"), [(-1.0, "crank"), (0.6, "elbow")])
def test_couplings_and_loops(ratio: float, where: str) -> None:
    """Compare with Pinocchio's tree constrained by the loops and the gear."""
    m = Moving(*geared(ratio, where), 20)
    c = m.constraints
    assert len(c.active) == 1
    W = m.number(loop_kinematics(m.robot).solution(), "W").reshape(-1, len(c.passive), 1)
    assert off(np.einsum("spa,sa->sp", W, m.over(m.qd, c.active)), m.over(m.qd, c.passive)) < 1e-9
    inverse, direct = rs.inverse_dynamics(m.robot), rs.direct_dynamics(m.robot)
    assert off(m.number(inverse, "tau")[:, 0], np.array([next(iter(tau.values())) for tau in m.tau])) < 1e-9
    assert off(m.number(direct, "qdd"), m.over(m.qdd, c.active)) < 1e-9
    assert off(m.number(direct, "qdd_passive"), m.over(m.qdd, c.passive)) < 1e-9
    (name, coupling), *_ = m.robot.couplings.items()
    if where == "crank":
        geometry = rs.loop_geometry(m.robot)
        modes = geometry.solve([m.q[3][0]])
        assert np.abs(np.sin((modes - m.q[3]) / 2)).max(axis=1).min() < 1e-9
    else:
        with pytest.raises(rs.InputError, match="t3 is in a loop and coupled to t2"):
            rs.loop_geometry(
                replace(m.robot, couplings={"t3": Coupling({"t2": 1.0})}, frames=with_motors(m.robot, 1).frames)
            )
    closed = loop_kinematics(m.robot).close(m.q[2] + 1e-3 * (np.arange(len(m.q[2])) != 0))
    assert (
        abs(
            closed[list(m.robot.joint_names).index(name)]
            - coupling.value(dict(zip(m.robot.joint_names, closed, strict=True)))
        )
        < 1e-9
    )


def test_rejects_robots_without_motor_and_invalid_references() -> None:
    robot, position = ROBOTS["four_bar"]()
    with pytest.raises(rs.InputError, match="no active joint"):
        rs.inverse_dynamics(with_motors(robot), reference=position)
    with pytest.raises(rs.InputError, match="expected more motors than"):
        loop_kinematics(robot, reference=position).internal_torques()
    with pytest.raises(rs.InputError, match="does not close the loops"):
        loop_kinematics(robot, reference={"t1": 0.7, "t2": 1.2, "t3": -2.9, "t4": 2.0})
    with pytest.raises(rs.InputError, match="singular"):
        loop_kinematics(robot, reference={"t1": 0.0, "t2": 0.0, "t3": 0.0, "t4": 0.0})
    crossed = loop_kinematics(robot, reference=_crossed(robot))
    assert crossed.solution().operations.total > 0


def _crossed(robot: Robot) -> dict[str, float]:
    loops = loop_kinematics(robot, parallelograms=False)
    tree = loops.close([0.9, -2.6, -1.2])
    return dict(zip(("t1", "t2", "t3"), map(float, tree), strict=True))


@pytest.mark.parametrize("name", quick_and_long(REFERENCED, long=[name for name in LONG.split() if name in REFERENCED]))
def test_all_modes_without_reference_position(name: str) -> None:
    """Random positions may miss modes of a special geometry, so that no decision may depend on them."""
    m = moving(name)
    W = m.number(loop_kinematics(replace(m.robot, position={})).solution(), "W")
    c = m.constraints
    found = np.einsum("spa,sa->sp", W.reshape(-1, len(c.passive), len(c.active)), m.over(m.qd, c.active))
    assert off(found, m.over(m.qd, c.passive)) < 1e-9
