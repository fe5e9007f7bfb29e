"""Closed robots against numeric Lagrange multipliers, reactions, and conservation of energy."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import robosym as rs
from cases.closed_robots import (
    cylindrical_cut,
    five_bar,
    four_bar,
    gough_stewart,
    rssr,
    slider_crank,
    universal_cut,
)
from cases.dynamic import body_values
from evaluation import agree
from oracles.constrained import Constrained
from oracles.pinocchio import Oracle
from robosym.algebra import evaluate
from robosym.coordinates.closed_samples import closed_samples
from robosym.coordinates.constraints import LoopConstraints
from robosym.dynamics import bias_torques, direct_dynamics, gravity_torques, inertia_matrix, inverse_dynamics
from robosym.kinematics import loop_kinematics
from robosym.mechanism import INERTIA, Robot
from robosym.model import Model, flat

ROBOTS: dict[str, Callable[[], Robot]] = {
    "sr400": lambda: rs.load("sr400"), "akr3000": lambda: rs.load("akr3000"), "five_bar": five_bar,
    "four_bar": four_bar, "slider_crank": slider_crank, "rssr": rssr, "universal": universal_cut,
    "cylindrical": cylindrical_cut, "gough_stewart": gough_stewart,
}  # fmt: skip


class Machine:
    """A moving closed robot with masses, gravity and friction."""

    def __init__(self, name: str, friction: bool = True) -> None:
        rng = random.Random(name)
        robot = ROBOTS[name]()
        constraints = LoopConstraints(robot)
        numbers = [{} for _ in robot.links]
        for j, _ in enumerate(robot.links, 1):
            if j not in constraints.cut:  # virtual links of cut joints have no mass
                values = body_values(rng, j)
                numbers[j - 1] = {n: values[f"{n}{j}"] for n in INERTIA}
                driven = j in constraints.active
                numbers[j - 1] |= {"IA": 0.3 * driven, "FV": 0.2 * friction, "FS": 0.1 * friction}
        robot = robot.with_links(numbers)
        gravity = tuple(robot.graph.number(g) for g in (1.5, -3.0, -9.0))
        self.robot = robot = replace(robot, gravity=gravity)
        self.constraints = LoopConstraints(robot)
        self.values = dict(self._position(name))
        rate = {j: rng.uniform(-0.7, 0.7) for j in self.constraints.active}
        self.oracle = Constrained(robot, self.values)
        self.q = np.array([self.values[robot.variable(j)] for j in robot.tree_joints])
        self.qd = self.oracle.consistent(self.q, rate)
        self.torques = {j: rng.uniform(-8, 8) for j in self.constraints.active}
        efforts = np.array([self.torques.get(j, 0.0) for j in robot.tree_joints])
        self.qdd = self.oracle.accelerations(self.q, self.qd, efforts)
        of = dict(zip(robot.tree_joints, zip(self.qd, self.qdd, strict=True), strict=True))
        for j in self.constraints.active:
            self.values |= {f"QP{j}": of[j][0], f"QDP{j}": of[j][1], f"GAM{j}": self.torques[j]}

    def _position(self, name: str) -> dict[str, float]:
        if name == "sr400":
            t2, t7 = 0.4, -0.3
            angles = {"t2": t2, "t7": t7, "t3": np.pi / 2 - t2 + t7, "t8": t2 - t7, "t9": np.pi - t2 + t7}
            return self.constraints.choice.sample | angles
        if name == "four_bar":
            return self.constraints.choice.sample | {"t1": 0.7, "t2": -0.7, "t3": 0.7, "t4": 0.7}
        if name == "gough_stewart":  # the least singular of several positions
            loops = loop_kinematics(self.robot)
            names = [loops.definitions[n] for n in flat(loops.outputs["Wp"])]

            def condition(values: dict[str, float]) -> float:
                return float(np.linalg.cond(np.reshape(evaluate(names, values), 2 * (len(loops.passive),))))

            return min(closed_samples(self.constraints.closing, 10), key=condition)
        return self.constraints.choice.sample

    def number(self, model: Model, group: str) -> np.ndarray:
        return np.array(evaluate([model.definitions[n] for n in flat(model.outputs[group])], self.values))

    def over(self, vector: np.ndarray, joints: tuple[int, ...]) -> np.ndarray:
        return np.array([vector[self.robot.tree_joints.index(j)] for j in joints])


@cache
def machine(name: str) -> Machine:
    return Machine(name)


@cache
def direct(name: str) -> Model:
    return direct_dynamics(machine(name).robot)


@cache
def inverse(name: str) -> Model:
    return inverse_dynamics(machine(name).robot)


@pytest.mark.parametrize("name", ROBOTS)
def test_direct_model(name: str) -> None:
    m, model = machine(name), direct(name)
    assert model.inputs["tau"] == tuple(f"GAM{j}" for j in m.constraints.active)
    assert model.inputs["q"] == tuple(m.robot.variable(j) for j in m.robot.tree_joints)
    agree(m.number(model, "qdd"), m.over(m.qdd, m.constraints.active), 1e-8)
    agree(m.number(model, "qdd_passive"), m.over(m.qdd, m.constraints.passive), 1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_model(name: str) -> None:
    m, model = machine(name), inverse(name)
    assert model.inputs["qd"] == tuple(f"QP{j}" for j in m.constraints.active)
    assert model.inputs["qdd"] == tuple(f"QDP{j}" for j in m.constraints.active)
    agree(m.number(model, "tau"), np.array(list(m.torques.values())), 1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_matrices_give_inverse_model(name: str) -> None:
    m = machine(name)
    A = m.number(inertia_matrix(m.robot), "A").reshape(2 * (len(m.constraints.active),))
    H = m.number(bias_torques(m.robot), "H")
    agree(A @ m.over(m.qdd, m.constraints.active) + H, np.array(list(m.torques.values())), 1e-8)
    assert np.linalg.eigvalsh(A)[0] > 0


@pytest.mark.parametrize("name", ROBOTS)
def test_gravity_power_is_rate_of_potential(name: str) -> None:
    """The power of the gravity torques is the rate of the potential energy of the tree, by Pinocchio."""
    m = machine(name)
    oracle = m.oracle.oracle
    slope = oracle.back(pin.computeGeneralizedGravity(oracle.model, oracle.model.createData(), oracle.q(m.q)))
    Q = m.number(gravity_torques(m.robot), "Q")
    assert Q @ m.over(m.qd, m.constraints.active) == pytest.approx(slope @ m.qd, rel=1e-8)


@pytest.mark.parametrize("build", [direct, inverse])
@pytest.mark.parametrize("name", ROBOTS)
def test_cut_reactions_balance_the_tree(name: str, build: Callable[[str], Model]) -> None:
    """With the reactions as external wrenches, Pinocchio's tree needs the motor torques and no passive torques."""
    m, model = machine(name), build(name)
    oracle = m.oracle.oracle
    forces = oracle.external(m.values)
    for (_, near, far), (cut, _) in zip(m.oracle.pairs, m.robot.loops, strict=True):
        names = [f"{letter}{axis}{cut}" for letter in "EN" for axis in "123"]
        wrench = np.array(evaluate([model.definitions[n] for n in names], m.values))
        data = oracle.model.createData()
        pin.framesForwardKinematics(oracle.model, data, oracle.q(m.q))
        world = data.oMf[far].act(pin.Force(wrench[:3], wrench[3:]))
        for frame, sense in ((far, 1), (near, -1)):
            joint = oracle.model.frames[frame].parentJoint
            if joint:
                forces[joint] = forces[joint] + data.oMi[joint].actInv(pin.Force(sense * world.vector))
    torques = pin.rnea(oracle.model, oracle.data, oracle.q(m.q), oracle.v(m.qd), oracle.v(m.qdd), forces)
    drive = [
        np.dot(evaluate([getattr(m.robot.link(j), n) for n in ("IA", "FV", "FS")], m.values), [a, v, np.sign(v)])
        for j, v, a in zip(m.robot.tree_joints, m.qd, m.qdd, strict=True)
    ]
    expected = np.array([m.torques.get(j, 0.0) for j in m.robot.tree_joints])
    agree(oracle.back(torques) + np.array(drive), expected, 1e-7)


def test_springs_in_passive_joints() -> None:
    m = Machine("five_bar")
    joints = list(m.robot.joints)
    stiffness = {2: 30.0, 4: 12.0}
    for j, k in stiffness.items():
        joints[j - 1] = replace(joints[j - 1], eta=1, k=m.robot.graph.number(k))
    elastic = replace(m.robot, joints=tuple(joints))
    rest = {2: 0.3}
    efforts = np.array([
        m.torques.get(j, -stiffness.get(j, 0.0) * (q - rest.get(j, 0)))
        for j, q in zip(m.robot.tree_joints, m.q, strict=True)
    ])  # fmt: skip
    qdd = m.oracle.accelerations(m.q, m.qd, efforts)
    agree(m.number(direct_dynamics(elastic, rest=rest), "qdd"), m.over(qdd, m.constraints.active), 1e-8)
    for j, a in zip(m.constraints.active, m.over(qdd, m.constraints.active), strict=True):
        m.values[f"QDP{j}"] = a
    agree(m.number(inverse_dynamics(elastic, rest=rest), "tau"), np.array(list(m.torques.values())), 1e-8)
    joints[0] = replace(joints[0], eta=1)
    with pytest.raises(rs.InputError, match="passive"):
        inverse_dynamics(replace(m.robot, joints=tuple(joints)))


def test_floating_base() -> None:
    """Five-bar linkage on a floating body: direct and inverse models agree with Pinocchio's tree."""
    m = Machine("five_bar", friction=False)
    graph = m.robot.graph
    body = replace(m.robot.links[0], **{n: graph.number(v) for n, v in zip(INERTIA, body_of(5).values(), strict=True)})
    zeros = 3 * (graph.zero,)
    motion = {"W0": tuple(graph.number(x) for x in (0.2, -0.4, 0.3)), "V0": zeros, "WP0": zeros, "VP0": zeros}
    robot = replace(m.robot, base=replace(m.robot.base, kind="floating", link=body, **motion))
    forward, backward = direct_dynamics(robot), inverse_dynamics(robot)
    assert "base_acceleration" not in forward.inputs
    found = m.number(forward, "qdd")
    base = m.number(forward, "base_acceleration")
    for j, a in zip(m.constraints.active, found, strict=True):
        m.values[f"QDP{j}"] = a
    agree(m.number(backward, "tau"), np.array(list(m.torques.values())), 1e-8)
    agree(m.number(backward, "base_acceleration"), base, 1e-8)
    # Newton's law for the system: this motion, with the internal reactions of the cut, has no wrench on the base
    qdd = dict(zip(forward.outputs["qdd"], found, strict=True))
    qdd |= dict(zip(forward.outputs["qdd_passive"], m.number(forward, "qdd_passive"), strict=True))
    qd = dict(zip(robot.tree_joints, m.qd, strict=True))
    wp0, vp0 = (tuple(graph.number(float(x)) for x in part) for part in (base[:3], base[3:]))
    given = replace(robot, base=replace(robot.base, WP0=wp0, VP0=vp0))
    order = robot.tree_joints
    rates = np.array([qd[j] for j in order])
    _, wrench = Oracle(given, m.values).efforts(m.q, rates, np.array([qdd[f"QDP{j}"] for j in order]), m.values)
    assert np.abs(wrench).max() < 1e-8


def body_of(seed: int) -> dict[str, float]:
    return body_values(random.Random(seed), 0)


@pytest.mark.parametrize("name", ["five_bar", "akr3000"])
def test_energy_is_conserved(name: str) -> None:
    """Simulation without friction and torques: kinetic energy by the active inertia, potential of the tree."""
    m = Machine(name, friction=False)
    robot, active, passive = m.robot, m.constraints.active, m.constraints.passive
    model = direct_dynamics(robot)
    W = loop_kinematics(robot).solution()
    names = [robot.variable(j) for j in (*active, *passive)]
    oracle = m.oracle.oracle
    fixed = {k: v for k, v in m.values.items() if k not in names} | {f"GAM{j}": 0.0 for j in active}

    def state(y: np.ndarray) -> dict[str, float]:
        return (
            fixed
            | dict(zip(names, y, strict=False))
            | {f"QP{j}": v for j, v in zip(active, y[len(names) :], strict=True)}
        )

    def passive_rates(values: dict[str, float], rate: np.ndarray) -> np.ndarray:
        layout = W.outputs["W"]
        table = np.array(evaluate([W.definitions[n] for n in flat(layout)], values)).reshape(len(passive), len(active))
        return table @ rate

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        values, rate = state(y), y[len(names) :]
        qdd = evaluate([model.definitions[n] for n in flat(model.outputs["qdd"])], values)
        return np.concatenate([rate, passive_rates(values, rate), qdd])

    def energy(y: np.ndarray) -> float:
        values, rate = state(y), y[len(names) :]
        rates = dict(zip((*active, *passive), (*rate, *passive_rates(values, rate)), strict=True))
        q = np.array([values[robot.variable(j)] for j in robot.tree_joints])
        qd = np.array([rates.get(j, 0.0) for j in robot.tree_joints])
        data = oracle.model.createData()
        kinetic = pin.computeKineticEnergy(oracle.model, data, oracle.q(q), oracle.v(qd))
        rotors = 0.5 * sum(0.3 * rates[j] ** 2 for j in active)
        return float(kinetic + pin.computePotentialEnergy(oracle.model, data, oracle.q(q)) + rotors)

    start = np.array([m.values[n] for n in names] + [m.values[f"QP{j}"] for j in active])
    path = solve_ivp(slope, (0, 0.15), start, method="DOP853", rtol=1e-10, atol=1e-10)
    first, last = energy(path.y[:, 0]), energy(path.y[:, -1])
    assert np.abs(path.y[:, -1] - start).max() > 0.02
    assert last == pytest.approx(first, rel=1e-8, abs=1e-7)


def test_tree_structure_of_closed_robot() -> None:
    tree = inverse_dynamics(rs.load("sr400"), structure="tree")
    assert len(tree.outputs["tau"]) == 8
    assert len(direct_dynamics(rs.load("sr400"), structure="tree").inputs["tau"]) == 8
    assert len(inertia_matrix(rs.load("akr3000"), structure="tree").outputs["A"]) == 10
    assert len(bias_torques(rs.load("akr3000"), structure="tree").outputs["H"]) == 10
