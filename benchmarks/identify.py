"""Identify a Stäubli TX40 from a logged motion and compare the result with values identified earlier."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from table import Row, print_table

import robosym as rs
from robosym.experiment.consistency import pseudo_inertia

#: next to the repository
_PLACES = [folder / "shared" / "data" / "tx40" / "tx40.npz" for folder in Path(__file__).parents[2:]]
DATA = next((path for path in _PLACES if path.exists()), _PLACES[0])
ARM = """
name: tx40
frames:
  - {theta: q1}
  - {alpha: -Pi/2, theta: q2 - Pi/2}
  - {d: 0.225, theta: q3 + Pi/2, r: 0.035}
  - {alpha: Pi/2, theta: q4, r: 0.225}
  - {alpha: -Pi/2, theta: q5}
  - {alpha: Pi/2, theta: q6 + Pi}
links: symbolic
gravity: [0, 0, -9.81]
"""
KNOWN = {
    "FV1": 8.05, "FV2": 5.53, "FV3": 1.97, "FV4": 1.11, "FV5": 1.86, "FV6": 0.65,
    "FS1": 7.14, "FS2": 8.26, "FS3": 6.34, "FS4": 2.48, "FS5": 3.03, "FS6": 0.282,
    "IA3": 0.0988, "IA4": 0.0313, "IA5": 0.0468, "IA6": 0.0105,
    "OFF1": 0.392, "OFF2": 1.37, "OFF3": 0.326, "OFF4": -0.102, "OFF5": -0.0288, "OFF6": 0.127,
    "IAM6": 0.00964, "FVM6": 0.616, "FSM6": 1.95,
}  # fmt: skip


def tx40(cut: float = 10, rate: float = 100, rest: float = 0.02) -> tuple[rs.Estimate, rs.Motion]:
    """Identify the TX40 from its log."""
    data = np.load(DATA)
    ratio = np.diag([32.0, 32, 45, -48, 45, 32])
    ratio[5, 4] = 32  # motor 6 also turns with joint 5
    log = rs.Log(q=data["motor_position"], tau=data["motor_torque"], step=float(data["sample_time"]))
    motion = rs.prepare(log, cut=cut, rate=rate, rest=rest, drive=rs.Drive(ratio=ratio))
    return rs.identify(rs.loads(ARM, format="yaml"), motion, method="wls"), motion


def off(found: rs.Estimate) -> dict[str, float]:
    """Return the error of each known value, in standard deviations."""
    at = {name: n for n, name in enumerate(found.names)}
    return {name: float(abs(found.values[at[name]] - v) / found.deviations[at[name]]) for name, v in KNOWN.items()}


THREE_AXES = """
name: three axes
frames:
  - {theta: q1}
  - {alpha: -Pi/2, theta: q2}
  - {d: 0.4, theta: q3}
links:
  1: {XX: 0.9, YY: 0.9, ZZ: 1.2, M: 6, IA: 0.4, FV: 4, FS: 3}
  2: {XX: 0.1, YY: 0.9, ZZ: 0.9, XY: 0.05, MX: 1.6, MY: 0.1, M: 5, IA: 0.5, FV: 3, FS: 4}
  3: {XX: 0.05, YY: 0.25, ZZ: 0.22, XZ: 0.02, MX: 0.5, MY: 0.05, M: 2.5, IA: 0.1, FV: 1.5, FS: 2}
gravity: [0, 0, -9.81]
"""
_SPEEDS = np.array([[1.3, 2.1, 2.9], [3.1, 3.7, 4.9]])
_SIZES = np.array([[0.7, 0.5, 0.6], [0.25, 0.2, 0.3]])
_STIFF, _DAMP = np.array([4000.0, 4000, 1500]), np.array([200.0, 200, 60])


def wanted(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the reference q, qd and qdd of the controller."""
    angle = _SPEEDS * t
    q = _SIZES * (1 - np.cos(angle))
    return q.sum(0), (_SIZES * _SPEEDS * np.sin(angle)).sum(0), (_SIZES * _SPEEDS**2 * np.cos(angle)).sum(0)


def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Proportional and derivative control."""
    return np.asarray(_STIFF * (wanted(t)[0] - q) + _DAMP * (wanted(t)[1] - qd))


def closed_loop(robot: rs.Robot, seconds: float = 15.0, noise: float = 2e-4, step: float = 1e-3) -> rs.Log:
    """Return a closed-loop log: the noise of the logged positions acts on the controller."""
    errors = noise * np.random.default_rng(0).normal(size=(int(seconds / step) + 8, 3))
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def noisy(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        measured = q + errors[round(t / step)]
        tau = law(t, measured, qd)
        seen.append((np.ravel(measured), np.ravel(tau)))
        return tau

    run = rs.simulate(robot, *wanted(0)[:2], controller=noisy, until=seconds, step=step)
    q, tau = (np.array(column)[: len(run.t)] for column in zip(*seen, strict=True))
    return rs.Log(t=run.t, q=q, tau=tau)


def from_truth(robot: rs.Robot, found: rs.Estimate) -> float:
    """Return the largest error of a parameter, in standard deviations."""
    numbers = robot.numbers()
    base = rs.base_parameters(robot.symbolic())
    own = {name: numbers[f"link{name[-1]}.{name[:-1]}"] for name in base.standard_names}
    truth = base.values(own) | {name: numbers.get(f"link{name[-1]}.{name[:-1]}", 0.0) for name in found.names[-9:]}
    values = zip(found.names, found.values, found.deviations, strict=True)
    return max(abs(value - truth[name]) / deviation for name, value, deviation in values)


def under_control() -> None:
    """Compare instrumental variables with least squares on a closed-loop log."""
    robot = rs.loads(THREE_AXES, format="yaml")
    motion = rs.prepare(closed_loop(robot), cut=60, rate=200, rest=0.1)
    ways = {
        "no reference": {}, "with the reference": {"reference": wanted},
        "closed loop simulated": {"reference": wanted, "controller": law},
    }  # fmt: skip
    rows = [Row("least squares, largest error, std. dev.", from_truth(robot, rs.identify(robot, motion)), 20,
                at_least=True)]  # fmt: skip
    rows += [
        Row(f"instruments, {how}", from_truth(robot, rs.identify(robot, motion, method="iv", **more)), 4)
        for how, more in ways.items()
    ]
    direct = rs.identify(robot, motion, method="didim", **ways["closed loop simulated"])
    rows.append(Row("DIDIM, closed loop simulated", from_truth(robot, direct), 4))
    print_table("closed-loop log, 2e-4 rad of noise, filter at 60 Hz", rows)


def unseen() -> None:
    """Identify friction under load and at low speed on three logs and validate it on three others."""
    robot = rs.load("ur10e")
    motions = [rs.prepare(log, cut=8, rate=100, drive=drive) for log, drive in map(rubbing_arm, range(6))]
    rows = []
    for name, friction, bar in (
        ("viscous and Coulomb", None, 4.8), ("smooth, under load", rs.Friction(smooth=0.02, load=True), 3.3),
        ("chosen", "auto", 3.3),
    ):  # fmt: skip
        found = rs.identify(robot, motions[:3], friction=friction)
        errors = [100 * found.error(motion).moving for motion in motions[3:]]
        rows.append(Row(f"{name}: largest error of another log, %", max(errors), bar))
    rows.append(Row("chosen: mean, %", float(np.mean(errors)), 2.6))
    print_table("simulated UR10e: currents, coarse and uneven samples, friction under load", rows)


def rubbing_arm(seed: int) -> tuple[rs.Log, rs.Drive]:
    """Return a 30 s log of a UR10e whose friction fits no classic model, with positions quantized to 2e-5 rad."""
    random = np.random.default_rng(seed)
    t = np.arange(0, 30, 0.002) + random.uniform(-6e-4, 6e-4, 15000)
    q, qd, qdd = np.zeros((3, len(t), 6))
    for k in range(1, 6):
        w, (a, b) = 2 * np.pi * k / 20, random.normal(size=(2, 6)) / k
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q, qd, qdd = q + (a * s - b * c) / w, qd + a * c + b * s, qdd + w * (b * c - a * s)
    q, qd, qdd = (1.2 * x / np.abs(qd).max(axis=0) for x in (q, qd, qdd))
    robot = rs.load("ur10e").with_links({"FV": 0, "FS": 0, "IA": ia} for ia in (3, 3, 1.5, 0.5, 0.5, 0.5))
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    size, sign = np.array([1, 1, 0.6, 0.2, 0.2, 0.2]), np.tanh(qd / 0.015)
    tau = tau + 0.08 * np.abs(tau) * sign + size * (0.5 + 8 * qd / (1 + 0.3 * np.abs(qd)) + np.sin(30 * q))
    tau = tau + size * sign * (6 + 3 * np.exp(-((qd / 0.15) ** 2)))
    gain = np.array([14.0, 14, 10, 9, 9, 9])
    current = np.round((tau / gain + 0.05 * random.normal(size=tau.shape)) / 0.01) * 0.01
    q = np.round((q + 3e-5 * random.normal(size=q.shape)) / 2e-5) * 2e-5
    return rs.Log(t=t, q=q, current=current), rs.Drive(ratio=1.0, gain=gain)


def main() -> None:
    under_control()
    unseen()
    if not DATA.exists():
        print(f"the log of the TX40 is missing: {DATA.name}")
        return
    assert rs.identify and rs.loads  # imported before the measurement
    start = time.perf_counter()
    found, motion = tx40()
    took = time.perf_counter() - start
    found.consistent()  # import dependencies before the measurement
    start = time.perf_counter()
    bodies = found.consistent()
    took_bodies = time.perf_counter() - start
    assert bodies.standard is not None
    least = min(
        np.linalg.eigvalsh(pseudo_inertia({name: v for (j, name), v in bodies.standard.items() if j == link}))[0]
        for link in range(1, 7)
    )
    print_table(
        "TX40, physically consistent inertias",
        [
            Row("loss of fit, points", 100 * (bodies.error(motion).moving - found.error(motion).moving), 0.1),
            Row("least eigenvalue of the pseudo-inertias", least, 1e-9, at_least=True),
            Row("time, s", took_bodies, 0.3),
        ],
    )
    _, fine = tx40(rate=1140)
    start = time.perf_counter()
    rs.identify(rs.loads(ARM, format="yaml"), fine, friction="auto")
    took_choice = time.perf_counter() - start
    chosen = rs.identify(rs.loads(ARM, format="yaml"), motion, friction="auto")
    print_table(
        "TX40, from the log to the estimate",
        [
            Row("known values within 3 std. dev.", sum(value <= 3 for value in off(found).values()), 25, at_least=True),
            Row("largest error of these, std. dev.", max(off(found).values()), 3),
            Row("FS1, at least", found["FS1"], 6.9, at_least=True),
            Row("FS1, at most", found["FS1"], 7.3),
            Row("error over moving samples, %", 100 * found.error(motion).moving, 5.0),
            Row(f"friction='auto', {len(fine):,} samples, s", took_choice, 10, key="friction auto"),
            Row("the same with chosen friction, %", 100 * chosen.error(motion).moving, 4.0),
            Row("time, s", took, 1.0),
        ],
    )


if __name__ == "__main__":
    main()
