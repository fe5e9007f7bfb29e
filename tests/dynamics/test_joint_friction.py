"""Joint friction terms other than FV and FS: models against Pinocchio's torques plus separately computed terms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from robosym.algebra import numeric_value
from robosym.dynamics.formulations import compare

SMOOTH, SPEED = 0.05, 0.3


def robot_with_friction() -> rs.Robot:
    """Return a Puma with all friction terms, different for each joint."""
    plain = rs.load("puma560").with_links({"FV": 0.0, "FS": 0.0, "IA": 0.2} for _ in range(6))
    lines = plain.dumps("yaml").splitlines()
    for j in range(1, 7):
        at = next(n for n, line in enumerate(lines) if line.startswith(f"  {j}: {{") and "IA" in line)
        own = f"FV: {j}, FS: {0.4 * j}, friction: {{smooth: {SMOOTH}, stribeck: {SPEED}, OFF: {0.1 * j}, "
        own += f'FB: 0.7, FVP: 0.2, FSN: 0.6, FC: [{0.3 * j}, "cos(q)*qd"], FL: {0.05 * j}}}'
        lines[at] = f"{lines[at][:-1]}, {own}}}"
    return rs.loads("\n".join(lines), format="yaml")


def by_hand(q: np.ndarray, qd: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    j, sign = np.arange(1, 7), np.tanh(qd / SMOOTH)
    terms = j * qd + 0.4 * j * sign + 0.1 * j + 0.7 * sign * np.exp(-((qd / SPEED) ** 2))
    terms = terms + 0.2 * np.maximum(qd, 0) + 0.6 * sign * (qd < 0) + 0.3 * j * np.cos(q) * qd
    return rigid + terms + 0.05 * j * np.abs(rigid) * sign


def rigid_torques(robot: rs.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return Pinocchio's torques, with the rotors."""
    plain = robot.with_links({"FV": 0.0, "FS": 0.0} for _ in range(6))
    oracle = Oracle(plain, {})
    return np.array([oracle.torques(a, b, c, {}) for a, b, c in zip(q, qd, qdd, strict=True)])


def states(count: int = 25) -> np.ndarray:
    return np.random.default_rng(2).uniform(-1, 1, (3, count, 6))


def test_inverse_direct_and_bias() -> None:
    robot, (q, qd, qdd) = robot_with_friction(), states()
    tau = by_hand(q, qd, rigid_torques(robot, q, qd, qdd))
    inverse = rs.inverse_dynamics(robot)
    assert np.allclose(inverse.compile()(q=q, qd=qd, qdd=qdd), tau, atol=1e-10)
    assert np.allclose(rs.optimize(inverse).compile()(q=q, qd=qd, qdd=qdd), tau, atol=1e-10)
    for route in ("recursive", "cholesky"):
        assert np.allclose(rs.direct_dynamics(robot, route=route).compile()(q=q, qd=qd, tau=tau), qdd, atol=1e-9)
    assert np.allclose(rs.optimize(rs.direct_dynamics(robot)).compile()(q=q, qd=qd, tau=tau), qdd, atol=1e-9)
    held = by_hand(q, qd, rigid_torques(robot, q, qd, 0 * qdd))
    assert np.allclose(rs.bias_torques(robot).compile()(q=q, qd=qd), held, atol=1e-10)
    assert np.allclose(rs.modified_newton_euler(robot).compile()(q=q, qd=qd).H, held, atol=1e-10)


def test_energy_balance() -> None:
    """d(EK + EG)/dt along the motion, by central differences, is the power of motors less friction."""
    robot, (q, qd, _) = robot_with_friction(), states()
    tau = np.random.default_rng(5).uniform(-30, 30, q.shape)
    qdd = rs.direct_dynamics(robot).compile()(q=q, qd=qd, tau=tau)
    energy = rs.energy(robot).compile()
    h = 1e-5
    ends = [energy(q=q + s * qd + s * s * qdd / 2, qd=qd + s * qdd, tau=tau).energy.sum(-1) for s in (-h, h)]
    motors, friction, _ = energy(q=q, qd=qd, tau=tau).power.T
    assert np.allclose((ends[1] - ends[0]) / (2 * h), motors - friction, rtol=1e-6, atol=1e-5)


def test_emitted_code(tmp_path: Path) -> None:
    robot, (q, qd, qdd) = robot_with_friction(), states(3)
    tau = by_hand(q, qd, rigid_torques(robot, q, qd, qdd))
    given = [{"q": a.tolist(), "qd": b.tolist(), "qdd": c.tolist()} for a, b, c in zip(q, qd, qdd, strict=True)]
    assert np.allclose(toolchains.c(rs.inverse_dynamics(robot), given, tmp_path), tau, atol=1e-10)


def test_round_trip_and_edits() -> None:
    robot = robot_with_friction()
    assert rs.loads(robot.dumps("yaml"), format="yaml") == robot
    assert robot.numbers()["joint3.OFF"] == pytest.approx(0.3)
    assert robot.edit(robot.numbers()) == robot
    changed = robot.edit({"joint3.OFF": "c3", "joint3.smooth": 0})
    assert "c3" in rs.inverse_dynamics(changed).inputs["parameters"]
    assert changed.with_values({"c3": 0.1 * 3}).edit({"joint3.smooth": SMOOTH}) == robot
    with pytest.warns(rs.RobotWarning, match="OFF1"):
        robot.dumps("urdf")
    with pytest.raises(rs.RobotError, match="friction"):
        robot.dumps("par")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{FB: 1}", "stribeck"),
        ("{FX: 1}", "or a name with its own shape"),
        ('{FC: [1, "x*qd"]}', "function of q and qd"),
        ("{smooth: -1}", "speed"),
        ("{FL: 1.5}", "less than 1"),
        ("{FV: 1}", "expected this parameter in the link"),
        ("[1]", "mapping"),
    ],
)
def test_rejects_invalid_friction(entry: str, words: str) -> None:
    text = f"name: a\nframes:\n  - {{theta: q1}}\nlinks:\n  1: {{ZZ: 1, friction: {entry}}}\ngravity: [0, 0, 0]\n"
    with pytest.raises(rs.Error, match=words):
        rs.loads(text, format="yaml")


@pytest.mark.parametrize("name", quick_and_long(["sr400", "akr3000"], long="akr3000"))
def test_closed_robots(name: str) -> None:
    """The direct model inverts the inverse model, and terms of the motor joints add to the other torques."""
    given = rs.load(name)
    symbols = [s for s in given.parameters if not s.startswith(("QP", "QDP", "GAM"))]
    robot = given.with_values(dict(zip(symbols, np.linspace(0.3, 0.9, len(symbols)).tolist(), strict=True)))
    plain = rs.inverse_dynamics(robot)
    motors = [int(n.removeprefix("GAM")) for n in plain.outputs["tau"]]
    changes: dict[str, float] = {}
    for j in motors:
        changes |= {f"joint{j}.OFF": 0.1 * j, f"joint{j}.FL": 0.08}
    passive = next(j for j in robot.tree_joints if j not in motors)
    full = robot.edit(changes)
    rng = np.random.default_rng(0)
    q = rng.uniform(-0.5, 0.5, len(robot.tree_joints))
    qd, qdd = rng.uniform(-1, 1, (2, len(motors)))
    quiet = robot.with_links({"FV": 0.0, "FS": 0.0} for _ in range(robot.NL))
    whole, rigid = (np.asarray(rs.inverse_dynamics(r).compile()(q=q, qd=qd, qdd=qdd)) for r in (robot, quiet))
    wanted = whole + 0.1 * np.array(motors) + 0.08 * np.abs(rigid) * np.sign(qd)
    tau = np.asarray(rs.inverse_dynamics(full).compile()(q=q, qd=qd, qdd=qdd))
    assert np.allclose(tau, wanted, rtol=1e-9)
    found = rs.direct_dynamics(full).compile()(q=q, qd=qd, tau=tau)
    assert np.allclose(found.qdd, qdd, atol=1e-7)
    with pytest.raises(rs.InputError, match="only in joints with a motor"):
        rs.inverse_dynamics(robot.edit({f"joint{passive}.FL": 0.1}))


def test_strut_and_regressor() -> None:
    given = rs.load("gough")
    motor = given.motors[0]
    more = given.edit({f"joint{motor}.OFF": 1.5, f"joint{motor}.FVP": 2})
    plain, full = rs.inverse_dynamics(given), rs.inverse_dynamics(more)
    rng = np.random.default_rng(0)
    values = {group: rng.uniform(0.5, 1, len(names)) for group, names in plain.inputs.items()}
    values["pose"] = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0.05, -0.03, 0.9])
    assert full.inputs == plain.inputs
    added = np.asarray(full.compile()(**values)) - np.asarray(plain.compile()(**values))
    assert added[0] > 0 and np.allclose(added[1:], 0, atol=1e-9)
    robot = robot_with_friction().edit({f"joint{j}.FL": 0 for j in range(1, 7)})
    model = rs.dynamic_identification(robot)
    assert {"OFF1", "FB2", "FC3"} <= {*model.columns}
    q, qd, qdd = states(5)
    links = [robot.link(j) for j in range(1, 7)]
    values = []
    for column in model.columns:
        field, j = column.rstrip("0123456789"), int(column[-1])
        held = dict(robot.joint(j).friction.values)
        values.append(numeric_value(held[field] if field in held else getattr(links[j - 1], field)))
    D = model.compile()(q=q, qd=qd, qdd=qdd)
    assert np.allclose(D @ np.array(values), rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd), atol=1e-9)
    with pytest.raises(rs.InputError, match="load-dependent friction"):
        rs.dynamic_identification(robot_with_friction())


def test_comparison_omits_friction() -> None:
    """The comparison of formulations omits position-dependent friction."""
    robot, (q, qd, qdd) = robot_with_friction(), states(1)[:, 0]
    values = {name: float(x) for f, row in (("t", q), ("QP", qd), ("QDP", qdd)) for name, x in _named(robot, f, row)}
    plain = robot.with_links({"FV": 0.0, "FS": 0.0, "IA": 0.0} for _ in range(6))
    right = Oracle(plain, {}).torques(q, qd, qdd, {})
    for row in compare(robot, values).rows[:-1]:
        assert np.allclose(row.torques, right, atol=1e-10), row.name


def _named(robot: rs.Robot, field: str, row: np.ndarray) -> list[tuple[str, float]]:
    names = [robot.variable(j) if field == "t" else f"{field}{j}" for j in robot.tree_joints]
    return list(zip(names, row, strict=True))
