"""Free motion of closed robots: energy is conserved, and loops stay closed."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases.linkages import LINKAGES
from cases.moving import Moving
from cases.parallel_robots import REFERENCED
from long_cases import quick_and_long

STEPS, STEP = 60, 2e-3

ROBOTS = ["orthoglide_home", "three_upu", "tripteron", "excavator", "peaucellier", "sarrus"]


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long="orthoglide_home three_upu sarrus excavator"))
def test_energy_and_loops(name: str) -> None:
    """Runge-Kutta in machine code; energy by Pinocchio, loop gaps computed directly."""
    m = Moving(*{**REFERENCED, **LINKAGES}[name](), 8)
    robot, c, oracle = m.robot, m.constraints, m.oracle.oracle
    joints = robot.tree_joints
    places = [joints.index(j) for j in c.active]
    order = [*c.active, *c.passive, *c.cut]
    back = [order.index(j) for j in joints]
    solution, direct = rs.loop_kinematics(robot).solution(), rs.direct_dynamics(robot)
    rates, accelerations = solution.compile(), direct.compile()
    still = np.zeros(len(direct.inputs["tau"]))

    def slope(y: np.ndarray) -> np.ndarray:
        q, v = y[: len(joints)], y[len(joints) :]
        spread = rates(q=q)
        passive = np.concatenate([table @ v for table in spread])
        qd = np.concatenate([v, passive])[back]
        found = accelerations(q=q, qd=v, tau=still)
        return np.concatenate([qd, found[0] if isinstance(found, tuple) else found])

    def energy(y: np.ndarray) -> float:
        q, qd = y[: len(joints)], slope(y)[: len(joints)]
        data = oracle.model.createData()
        kinetic = pin.computeKineticEnergy(oracle.model, data, oracle.q(q), oracle.v(qd))
        return float(kinetic + pin.computePotentialEnergy(oracle.model, data, oracle.q(q)))

    y = np.concatenate([m.q[0], 0.3 * m.qd[0][places]])
    first = energy(y)
    for _ in range(STEPS):
        k1 = slope(y)
        k2 = slope(y + STEP / 2 * k1)
        k3 = slope(y + STEP / 2 * k2)
        k4 = slope(y + STEP * k3)
        y = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    moved = np.abs(y[: len(joints)] - m.q[0]).max()
    assert moved > 5e-3
    assert energy(y) == pytest.approx(first, rel=1e-7, abs=1e-6)
    values = dict(m.positions[0]) | dict(zip((robot.variable(j) for j in joints), y, strict=False))
    cut = {robot.variable(k) for k, _ in robot.loops}
    assert np.abs(c.closing.gap(c.closing.with_cut({n: v for n, v in values.items() if n not in cut}))).max() < 1e-7
