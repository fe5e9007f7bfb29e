"""Motor loads against formulas, Pinocchio and the energy of a simulation; selection from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.experiment import MotorLoads

MOTORS = [
    {"name": "large", "torque": 5.0, "speed": 300, "peak": 15, "inertia": 4e-4, "mass": 4},
    {"name": "small", "torque": 0.8, "speed": 400, "peak": 2.5, "inertia": 3e-5, "mass": 1},
    {"name": "middle", "torque": 2.0, "speed": 400, "peak": 6, "inertia": 1e-4, "mass": 2},
]


def path(t: Any) -> tuple[Any, Any, Any]:
    w = np.arange(1.0, 7.0)
    return 0.5 * np.sin(w * t), 0.5 * w * np.cos(w * t), -0.5 * w * w * np.sin(w * t)


def test_pendulum_against_formulas() -> None:
    """One point mass on a link follows a sine, so that torque and power are known."""
    robot = rs.robot(
        "pendulum",
        frames=[{"theta": "t1"}],
        links=[{"M": 2, "MX": 2, "XX": 0.1, "YY": 2.1, "ZZ": 2.1}],
        gravity=[0, 0, -9.81],
    )
    a, w = 0.3, 4.0
    loads = rs.motor_loads(
        robot, lambda t: ([a * np.sin(w * t)], [a * w * np.cos(w * t)], [-a * w * w * np.sin(w * t)]), drives=50,
        duration=2 * np.pi / w,
    )  # fmt: skip
    top = 2.1 * a * w * w / 50
    assert loads.peak_torque[0] == pytest.approx(top, rel=1e-4)
    assert loads.rms_torque[0] == pytest.approx(top / np.sqrt(2), rel=1e-4)
    assert loads.peak_speed[0] == pytest.approx(50 * a * w, rel=1e-4)
    assert loads.peak_power[0] == pytest.approx(2.1 / 2 * a * a * w**3, rel=1e-3)  # 2.1 (a w^2) (a w) sin cos
    assert abs(loads.energy[0]) < 1e-3 and 0.9 < loads.duty[0] <= 1
    assert "rms torque" in str(loads) and "1 motor," in repr(loads)


def test_torques_through_coupled_gears_match_pinocchio() -> None:
    robot = rs.load("ur10e")
    R = np.diag([100.0, 100, 80, 50, 50, 50])
    R[5, 4] = 25.0
    loads = rs.motor_loads(robot, path, rs.Drive(ratio=R), duration=1.0)
    k = 700
    q, qd, qdd = path(loads.t[k])
    tau, _ = Oracle(robot, {}).efforts(q, qd, qdd, {})
    np.testing.assert_allclose(loads.torque[k], np.linalg.solve(R.T, tau), rtol=1e-8)
    np.testing.assert_allclose(loads.speed[k], R @ qd, rtol=1e-12)
    np.testing.assert_allclose(loads.power[k].sum(), tau @ qd, rtol=1e-8)


def test_work_equals_that_of_simulation() -> None:
    robot = rs.load("ur10e")
    run = rs.simulate(robot, np.zeros(6), until=0.5, torque=[1.0, 2.0, -1.0, 0.5, 0.2, 0.01])
    loads = rs.motor_loads(robot, run)
    assert loads.energy.sum() == pytest.approx(run.work["motors"][-1], abs=0.05)


def test_selects_motors_from_last_joint(tmp_path: Path) -> None:
    robot = rs.load("ur10e")
    loads = rs.motor_loads(robot, path, [120.0, 120, 100, 80, 80, 80], MOTORS, duration=6.0)
    names = [motor.name if motor else "none" for motor in loads.chosen]
    assert names[-1] == "small" and set(names) <= {"small", "middle", "large", "none"}
    for k, motor in enumerate(loads.chosen):
        assert motor is None or motor.is_sufficient(loads.rms_torque[k], loads.peak_torque[k], loads.peak_speed[k])
    light = rs.motor_loads(robot, path, [120.0, 120, 100, 80, 80, 80], duration=6.0)
    assert loads.rms_torque[1] > light.rms_torque[1]  # because of the masses of motors further out
    text = "name,torque,speed,peak,inertia,mass\n" + "".join(
        f"{m['name']},{m['torque']},{m['speed']},{m['peak']},{m['inertia']},{m['mass']}\n" for m in MOTORS
    )
    (tmp_path / "motors.csv").write_text(text)
    planar = rs.load("planar2r")
    line = {"t": loads.t, "q": np.column_stack([np.sin(loads.t), np.cos(loads.t)])}
    again = rs.motor_loads(planar, line, 100, tmp_path / "motors.csv")
    assert again.chosen == rs.motor_loads(planar, line, 100, MOTORS).chosen
    assert (loads.write(tmp_path / "loads.csv")).read_text().startswith("t,tau1,")
    none = rs.motor_loads(planar, line, 1.0, MOTORS)
    assert None in none.chosen and "none" in str(none)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"duration": None}, "duration: expected a positive number of seconds"),
        ({"duration": -1}, "duration: expected a positive number of seconds"),
        ({"trajectory": 5}, "trajectory: expected a motion"),
        ({"trajectory": {"t": [0, 1, 2], "q": np.zeros((3, 5))}}, r"q: expected numbers of the shape \(3, 6\)"),
        ({"trajectory": {"t": [0, 2, 1], "q": np.zeros((3, 6))}}, "expected at least two increasing times"),
        ({"trajectory": {"t": [0, 1, 2], "q": np.full((3, 6), np.nan)}}, "q: expected finite numbers"),
        ({"trajectory": lambda t: (1, 2)}, "expected a function that returns q, qd and qdd|expected t and q"),
        ({"drives": [1, 2]}, "ratio: expected 6 motors"),
        ({"motors": []}, "expected at least one motor"),
        ({"motors": [{"torque": 1}]}, "motors: row 1: expected name"),
        ({"motors": [{"torque": -1, "speed": 1}]}, "torque: expected a positive number"),
        ({"trajectory": {"t": [0, 1], "pose": np.zeros((2, 12))}}, "expected a parallel robot"),
        ({"robot": "rx90"}, "parameters: expected values for"),
    ],
)
def test_rejects_invalid_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.Error, match=message):
        rs.motor_loads(**{"robot": "ur10e", "trajectory": path, "duration": 1.0, **given})


def stationary_loads(robot: rs.Robot, q: list[float], **given: Any) -> Any:
    """Return the loads of a stationary robot."""
    line = {"t": [0.0, 1.0, 2.0], "q": np.tile(q, (3, 1)), "qd": np.zeros((3, 2)), "qdd": np.zeros((3, 2))}
    return rs.motor_loads(robot, line, **given)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_motor_mass_acts_on_carrying_link(kind: str) -> None:
    """The motor of joint 2 is 1.5 m out on link 1: joint 1 lifts it wherever joint 2 slides."""
    second = {"d": 1.5, "theta": "t2"} if kind == "revolute" else {"sigma": 1, "d": 1.5, "alpha": "Pi/2", "r": "r2"}
    robot = rs.robot("arm", frames=[{"theta": "t1"}, second], links=[{"M": 1}, {"M": 1}], gravity=[0, -9.81, 0])
    motor = {"name": "only", "torque": 1e3, "speed": 1e3, "mass": 4.0}
    before, after = stationary_loads(robot, [0.7, 0.5]), stationary_loads(robot, [0.7, 0.5], motors=[motor])
    np.testing.assert_allclose(after.torque[0] - before.torque[0], [4 * 9.81 * 1.5 * np.cos(0.7), 0], atol=1e-9)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_selects_least_powerful_motor(order: tuple[int, ...]) -> None:
    """The order of the table does not matter; power is torque times speed."""
    slow, fast, large = (
        {"name": "slow", "torque": 40.0, "speed": 1.0}, {"name": "fast", "torque": 30.0, "speed": 50.0},
        {"name": "large", "torque": 400.0, "speed": 50.0},
    )  # fmt: skip
    table = [(slow, fast, large)[k] for k in order]
    assert [motor.name for motor in stationary_loads(rs.load("planar2r"), [0.0, 0.0], motors=table).chosen] == [
        "slow",
        "slow",
    ]
    table = [{**motor, "torque": motor["torque"] / 4} for motor in table]  # joint 1 needs 19.62 N m
    assert [motor.name for motor in stationary_loads(rs.load("planar2r"), [0.0, 0.0], motors=table).chosen] == [
        "large",
        "slow",
    ]


@pytest.mark.parametrize("bad", [2, 3, 5])
def test_names_invalid_row_of_table(tmp_path: Path, bad: int) -> None:
    lines = ["name,torque,speed", "a,1,2", "b,2,3", "c,3,4", "d,4,5"]
    lines[bad - 1] += ",6,7"
    (tmp_path / "motors.csv").write_text("\n".join(lines))
    with pytest.raises(rs.FormatError, match=rf"motors.csv:{bad}: expected 3 columns, found 5"):
        stationary_loads(rs.load("planar2r"), [0, 0], motors=tmp_path / "motors.csv")


def test_rotor_inertia() -> None:
    """A rotor J behind a gear n adds n^2 J qdd at the joint and n J qdd at the motor."""
    robot = rs.robot(
        "wheel", frames=[{"theta": "t1"}], links=[{"XX": 0.4, "YY": 0.4, "ZZ": 0.5, "IA": 0.25}], gravity=[0, 0, -9.81]
    )
    t = np.linspace(0, 1, 11)
    line = {"t": t, "q": 1.5 * t[:, None] ** 2, "qd": 3 * t[:, None], "qdd": np.full((11, 1), 3.0)}
    motor = {"name": "only", "torque": 1e3, "speed": 1e3, "inertia": 0.02}
    loads = rs.motor_loads(robot, line, 7, [motor])
    np.testing.assert_allclose(loads.torque[:, 0], (0.75 + 49 * 0.02) * 3 / 7, rtol=1e-12)


def test_motor_accelerates_its_own_rotor() -> None:
    robot = rs.robot(
        "wheel", frames=[{"theta": "t1"}], links=[{"XX": 0.4, "YY": 0.4, "ZZ": 0.5}], gravity=[0, 0, -9.81]
    )
    t = np.linspace(0, 1, 11)
    line = {"t": t, "q": 1.5 * t[:, None] ** 2, "qd": 3 * t[:, None], "qdd": np.full((11, 1), 3.0)}
    needed = (0.5 + 49 * 0.02) * 3 / 7
    for torque, name in ((1.001 * needed, "only"), (0.999 * needed, None)):
        motor = {"name": "only", "torque": torque, "speed": 1e3, "inertia": 0.02}
        (chosen,) = rs.motor_loads(robot, line, 7, [motor]).chosen
        assert (chosen and chosen.name) == name


def test_means_over_uneven_times() -> None:
    """Linear interpolation between samples against sums by hand; the motor is stationary half of the time."""
    t = np.array([0.0, 1, 2, 4, 7, 8])
    torque = np.array([[1.0, 0], [3, 0], [2, 5], [-4, -5], [0, 1], [1, 1]])
    speed = np.array([[0.0, 0], [2, 0], [4, 0], [4, 0], [0, 0], [0, 0]])
    loads = MotorLoads(rs.load("planar2r"), t, torque, speed)

    def integral(y: Any) -> Any:
        return trapezoid(y, t, axis=0)

    np.testing.assert_allclose(loads.peak_torque, [4, 5])
    np.testing.assert_allclose(loads.rms_torque, np.sqrt(integral(torque**2) / 8))
    np.testing.assert_allclose(loads.peak_speed, [4, 0])
    np.testing.assert_allclose(loads.mean_speed, integral(np.abs(speed)) / 8)
    np.testing.assert_allclose(loads.peak_power, [16, 0])
    np.testing.assert_allclose(loads.rms_power, np.sqrt(integral((torque * speed) ** 2) / 8))
    np.testing.assert_allclose(loads.energy, integral(torque * speed))
    np.testing.assert_allclose(loads.duty, [(0.5 + 1 + 2 + 1.5) / 8, 0])
    shown = {line[:20].strip(): line[20:].split() for line in str(loads).splitlines()}
    assert shown["motor"] == ["1", "2"] and shown["peak power, W"] == ["16", "0"]
    assert [float(x) for x in shown["work, J"]] == pytest.approx(list(loads.energy), rel=1e-3)


def test_differentiates_positions(tmp_path: Path) -> None:
    """From positions only, from positions and velocities, and from a file of either."""
    t = np.linspace(0, 1, 2001)
    q = np.column_stack([np.sin(2 * t), np.cos(3 * t)])
    qd = np.column_stack([2 * np.cos(2 * t), -3 * np.sin(3 * t)])
    qdd = np.column_stack([-4 * np.sin(2 * t), -9 * np.cos(3 * t)])
    robot = rs.load("planar2r")
    right = rs.motor_loads(robot, {"t": t, "q": q, "qd": qd, "qdd": qdd}, 10)
    for given in ({"q": q}, {"q": q, "qd": qd}, {"q": q, "qd": qd, "qdd": qdd}):
        head = ["t", *(f"{group}{k}" for group in given for k in (1, 2))]
        table = np.column_stack([t, *given.values()])
        np.savetxt(tmp_path / "motion.csv", table, delimiter=",", header=",".join(head), comments="")
        for motion in ({"t": t, **given}, tmp_path / "motion.csv"):
            found = rs.motor_loads(robot, motion, 10)
            np.testing.assert_allclose(found.torque[5:-5], right.torque[5:-5], atol=1e-4)
            np.testing.assert_allclose(found.speed[5:-5], right.speed[5:-5], atol=1e-4)


def test_writes_torques_and_speeds(tmp_path: Path) -> None:
    loads = rs.motor_loads(rs.load("ur10e"), path, [120.0, 120, 100, 80, 80, 80], duration=1.0)
    table = np.genfromtxt(loads.write(tmp_path / "loads.csv"), delimiter=",", names=True)
    assert table.dtype.names == ("t", *(f"{name}{k}" for name in ("tau", "speed") for k in range(1, 7)))
    np.testing.assert_allclose(table["tau3"], loads.torque[:, 2], rtol=1e-8)
    np.testing.assert_allclose(table["speed6"], loads.speed[:, 5], rtol=1e-8)


@pytest.mark.parametrize(
    ("entry", "served"),
    [
        ({}, True), ({"torque": 0.999}, False), ({"peak": 1.5}, False), ({"speed": 1.999}, False),
        ({"torque": 1.0, "peak": 2.0, "speed": 2.0}, True), ({"peak": None}, False),
        ({"peak": None, "torque": 2.0}, True),
    ],
)  # fmt: skip
def test_motor_limits(entry: dict[str, Any], served: bool) -> None:
    motor = rs.Motor(**{"name": "m", "torque": 1.5, "speed": 3.0, "peak": 2.5, **entry})
    assert motor.is_sufficient(rms=1.0, peak=2.0, speed=2.0) is served


@pytest.mark.parametrize("field", ["torque", "speed", "peak", "inertia", "mass"])
def test_ratings_must_be_positive(field: str) -> None:
    row = {"name": "m", "torque": 1.0, "speed": 1.0, "peak": 1.0, "inertia": 1.0, "mass": 1.0}
    for wrong in (-1.0, np.inf, np.nan, "much"):
        with pytest.raises(rs.InputError, match=rf"motor m: {field}: expected (a|a \w+|finite) numbers?"):
            rs.Motor(**{**row, field: wrong})
    if field in ("torque", "speed"):
        with pytest.raises(rs.InputError, match=rf"motor m: {field}: expected a positive number, found 0"):
            rs.Motor(**{**row, field: 0})
    else:
        assert getattr(rs.Motor(**{**row, field: 0}), field) == 0


@pytest.mark.parametrize("name", ["t", "q"])
def test_motion_needs_times_and_positions(name: str) -> None:
    """An object with only one of them is a motion only if it can be evaluated at a time."""
    half = type("Half", (), {name: np.zeros(3)})()
    with pytest.raises(rs.InputError, match="trajectory: expected a motion, a motion file or a function"):
        rs.motor_loads(rs.load("planar2r"), half)
    moving = type("Moving", (), {name: np.zeros(3), "period": 2.0, "at": lambda self, t: ([t, 0], [1, 0], [0, 0])})()
    loads = rs.motor_loads(rs.load("planar2r"), moving)
    assert loads.t[-1] == 2 and loads.mean_speed == pytest.approx([1, 0])


def test_reads_motion_like_log(tmp_path: Path) -> None:
    """Units in names, semicolons, decimal commas, text above: the loads equal those of the arrays."""
    t = np.linspace(0, 2, 41)
    q, qd = np.column_stack([np.sin(t), np.cos(t)]), np.column_stack([np.cos(t), -np.sin(t)])
    table = np.column_stack([1e3 * t, np.rad2deg(q), np.rad2deg(qd)])
    lines = [";".join(f"{x:.12g}".replace(".", ",") for x in row) for row in table]
    head = ["recorded on Monday", "time [ms];q1 [deg];q2 [deg];qd1 [deg/s];qd2 [deg/s]"]
    (tmp_path / "motion.csv").write_text("\n".join([*head, *lines]))
    robot = rs.load("planar2r")
    read = rs.motor_loads(robot, tmp_path / "motion.csv", 100)
    np.testing.assert_allclose(read.torque, rs.motor_loads(robot, {"t": t, "q": q, "qd": qd}, 100).torque, atol=1e-9)
    np.testing.assert_allclose(read.speed, 100 * qd, atol=1e-9)


def test_selected_motor_drives_simulation() -> None:
    """Its peak torque limits the joint; its rotor and mass count as in the loads."""
    arm = rs.robot(
        "arm", frames=[{"theta": "t1"}, {"d": 0.8, "theta": "t2"}], links=[{"M": 1, "ZZ": 1}, {"M": 1, "ZZ": 0.5}],
        gravity=[0, -9.81, 0],
    )  # fmt: skip
    motor = rs.Motor("m", torque=0.2, speed=100.0, peak=0.5, inertia=1e-3, mass=3.0, ratio=10)
    run = rs.simulate(arm, [0.0, 0.0], torque=[100.0, 0.0], until=0.01, actuators={1: motor, 2: motor})
    np.testing.assert_allclose(run.tau[:, 0], 10 * 0.5)
    moved = arm.with_links([{"M": 1, "ZZ": 1, "IA": 0.1}, {"M": 1, "ZZ": 0.5, "IA": 0.1}]).with_payload(
        1, 3, (0.8, 0, 0)
    )
    assert moved == run.robot
    found = rs.achievable_accelerations(arm, {1: motor, 2: motor}).compile()(
        q=[0.0, 0.0], qd=[0.0, 0.0], qdd=[1e3, 0.0]
    )
    wanted = rs.direct_dynamics(moved).compile()(q=[0.0, 0.0], qd=[0.0, 0.0], tau=10 * found.motor)
    np.testing.assert_allclose(found.qdd, wanted, rtol=1e-10, atol=1e-10)
    assert found.motor[0] == 0.5


def test_delta_along_poses_equals_the_model_of_its_platform() -> None:
    delta = rs.load("delta")
    delta = delta.with_values({n: 0.3 for n in delta.parameters if n[:2] not in ("QP", "QD", "GA")})
    t, w = np.linspace(0, 1, 801), 6.0
    poses = rs.platform_pose(delta, x=0.1 * np.cos(w * t), y=0.1 * np.sin(w * t), z=-0.9)
    loads = rs.motor_loads(delta, {"t": t, "pose": poses}, drives=20)
    twist, acceleration = np.zeros((2, len(t), 6))
    twist[:, :2] = 0.1 * w * np.column_stack([-np.sin(w * t), np.cos(w * t)])
    acceleration[:, :2] = -(w**2) * poses[:, 9:11]
    model = rs.inverse_dynamics(delta).compile()
    tau = model(pose=poses, twist=twist, acceleration=acceleration) / 20
    assert np.abs(loads.torque - tau)[4:-4].max() < 1e-4 * np.abs(tau).max()
    chosen = rs.motor_loads(delta, {"t": t, "pose": poses}, drives=20, motors=MOTORS)
    assert [motor and motor.name for motor in chosen.chosen] == ["small"] * 3
    assert (chosen.peak_torque > loads.peak_torque).all()  # rotors are accelerated, too
