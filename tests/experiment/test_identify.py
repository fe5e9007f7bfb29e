"""Identification recovers the parameters of simulated logs and the known values of a real arm."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import numeric_value
from robosym.experiment.consistency import pseudo_inertia
from robosym.experiment.filters import derivatives
from robosym.experiment.least_squares import Factor
from robosym.experiment.report import joint_fits

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

SPEEDS = np.array([0.7, 1.1, 1.7, 0.9, 1.3, 2.1])


def puma() -> rs.Robot:
    real = rs.load("puma560")
    return real.with_links({"FV": 2.0 + j, "FS": 1.0 + 0.3 * j} for j in range(6))


def log_of(robot: rs.Robot, noise: float = 0.0, seconds: float = 16.0, step: float = 2e-3, seed: int = 0) -> rs.Log:
    """Return a log of sums of sines with torques of the inverse model, without any filter."""
    random = np.random.default_rng(seed)
    n = len(robot.tree_joints)
    t = np.arange(0, seconds, step)
    q, qd, qdd = np.zeros((3, len(t), n))
    for harmonic in range(1, 5):
        for a, trig in zip(random.uniform(-0.5, 0.5, (2, n)), (0, np.pi / 2), strict=True):
            w = harmonic * SPEEDS[:n]
            phase = np.outer(t, w) + trig
            q += a * np.sin(phase)
            qd += a * w * np.cos(phase)
            qdd -= a * w * w * np.sin(phase)
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    return rs.Log(t=t, q=q + noise * random.normal(size=q.shape), tau=tau + noise * 1e3 * random.normal(size=q.shape))


@pytest.mark.parametrize("method", ["ols", "wls", "tls"])
def test_recovers_values(method: str) -> None:
    robot = puma()
    motion = rs.prepare(log_of(robot), cut=20, rate=100, rest=0.02)
    found = rs.identify(robot, motion, method=method)
    assert found.error(motion).moving < 0.01
    for j in range(6):
        assert found[f"FV{j + 1}"] == pytest.approx(2.0 + j, abs=0.05)
        assert found[f"FS{j + 1}"] == pytest.approx(1.0 + 0.3 * j, abs=0.05)
    other = rs.prepare(log_of(robot, seed=1), cut=20, rate=100)
    assert found.error(other).moving < 0.02
    assert found.predict(other).shape == other.tau.shape
    assert np.allclose(found.deviations**2, np.diag(found.covariance))


def test_identified_robot_has_the_true_torques() -> None:
    robot = puma()
    motion = rs.prepare(log_of(robot), cut=20, rate=100)
    found = rs.identify(robot, motion).robot
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 50, 6))
    torques = [rs.inverse_dynamics(r).compile()(q=q, qd=qd, qdd=qdd) for r in (robot, found)]
    assert np.abs(torques[0] - torques[1]).max() < 0.02 * np.abs(torques[0]).max()


def test_several_logs_and_essential_parameters() -> None:
    robot = puma()
    motions = [rs.prepare(log_of(robot, noise=1e-5, seed=seed), cut=10, rate=50) for seed in (0, 1)]
    found = rs.identify(robot, motions)
    assert len(found.fits) == 2
    few = found.essential()
    assert len(few.names) < len(found.names)
    assert set(few.left_out) == set(found.regressor.names) - set(few.names)
    assert few.error(motions[0]).moving < 1.2 * found.error(motions[0]).moving + 0.01
    assert "FS1" in str(found) and "condition" in str(found)
    with pytest.raises(ValueError):
        found.values[0] = 1


def test_load_dependent_friction() -> None:
    robot = rs.load("puma560").with_links({"FV": 0, "FS": 0} for _ in range(6))
    log = log_of(robot)
    _, qd, _ = derivatives(log.q, 2e-3, 100)
    rigid = log.effort
    tau = rigid + 0.1 * np.abs(rigid) * np.tanh(qd / 0.02) + 0.5 * qd + 0.8 * np.tanh(qd / 0.02)
    motion = rs.prepare(rs.Log(t=log.t, q=log.q, tau=tau), cut=20, rate=100)
    classic = rs.identify(robot, motion, friction=rs.Friction(smooth=0.02))
    found = rs.identify(robot, motion, friction=rs.Friction(smooth=0.02, load=True))
    assert found.error(motion).moving < 0.5 * classic.error(motion).moving
    assert found["FL2"] == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    "friction",
    [
        rs.Friction(asymmetric=True),
        rs.Friction(stribeck=0.1),
        rs.Friction(offset=False),
        rs.Friction(terms={"FC": lambda q, qd: np.cbrt(qd), "FD": "sin(q)*tanh(qd/0.1)"}),
        rs.Friction(smooth=0.05, stribeck=0.3, load=True),
    ],
)
def test_names_of_friction_terms(friction: rs.Friction) -> None:
    robot = puma()
    motion = rs.prepare(log_of(robot, seconds=8), cut=20, rate=100)
    found = rs.identify(robot, motion, friction=friction)
    assert {f"{term}{j}" for term in friction.names for j in range(1, 7)} <= {*found.names}
    assert found.error(motion).moving < 0.01
    assert_same_torques(found)


def assert_same_torques(found: rs.Estimate) -> None:
    """Check that the identified robot contains every term of the table in its models."""
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 30, 6))
    tau = rs.inverse_dynamics(found.robot).compile()(q=q, qd=qd, qdd=qdd)
    assert np.allclose(found.predict(rs.Motion(np.arange(30.0), q, qd, qdd, tau)), tau, atol=1e-9)
    assert np.allclose(rs.direct_dynamics(found.robot).compile()(q=q, qd=qd, tau=tau), qdd, atol=1e-9)


def test_names_joint_that_never_moves() -> None:
    robot = puma()
    log = log_of(robot, seconds=8)
    q = log.q.copy()
    q[:, 4] = 0.3
    motion = rs.prepare(rs.Log(t=log.t, q=q, tau=log.effort), cut=20, rate=100)
    assert any("joint 5 never moves" in remark for remark in motion.remarks)
    found = rs.identify(robot, motion)
    assert {"FV5", "FS5", "OFF5"} <= {*found.left_out}
    assert np.isfinite(found.values).all() and np.isfinite(found.deviations).all()


def test_coupled_motors() -> None:
    """A motor coupled to two joints: its rotor and friction act on both."""
    robot = rs.load("puma560").with_links({"FV": 0, "FS": 0} for _ in range(6))
    log = log_of(robot)
    R = np.diag([50.0, 60, 70, -80, 90, 100])
    R[5, 4] = 100
    _, qd, qdd = derivatives(log.q, 2e-3, 200)
    rotor = 0.03 * (qdd[:, 4] + qdd[:, 5]) + 0.7 * (qd[:, 4] + qd[:, 5]) + 0.4 * np.sign(qd[:, 4] + qd[:, 5])
    tau = log.effort.copy()
    tau[:, 4] += rotor
    tau[:, 5] += rotor
    gain = np.diag([2.0, 3, 4, 5, 6, 7])
    current = tau @ np.linalg.inv(R.T @ gain).T
    drive = rs.Drive(ratio=R, gain=gain)
    motion = rs.prepare(rs.Log(t=log.t, q=log.q @ R.T, current=current), cut=20, rate=100, drive=drive)
    found = rs.identify(robot, motion)
    for name, value in {"IAM6": 0.03, "FVM6": 0.7, "FSM6": 0.4, "FV5": 0.7, "FS5": 0.0}.items():
        assert found[name] == pytest.approx(value, abs=0.02)


def test_real_arm() -> None:
    import identify as benchmark

    if not benchmark.DATA.exists():
        pytest.skip("the log of the TX40 (../shared/data/tx40) is not there")
    found, motion = benchmark.tx40()
    assert max(benchmark.off(found).values()) < 3
    assert 6.9 < found["FS1"] < 7.3
    assert found.error(motion).moving < 0.05
    assert len(found.names) == 61


def test_physically_consistent_estimate() -> None:
    pytest.importorskip("clarabel")
    robot = puma()
    motion = rs.prepare(log_of(robot, noise=1e-4), cut=20, rate=100)
    found = rs.identify(robot, motion)
    right = found.consistent(prior=rs.load("puma560"))
    assert right.error(motion).moving < found.error(motion).moving + 1e-3
    assert right.standard is not None
    for link in right.robot.links:
        body = {
            name: numeric_value(getattr(link, name))
            for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
        }
        assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0


LOAD = {"M": 2.0, "MX": 0.1, "MY": -0.06, "MZ": 0.2, "XX": 0.03, "YY": 0.04, "ZZ": 0.02}


def with_load(robot: rs.Robot) -> rs.Robot:
    last = robot.link(6)
    return robot.with_links([{}] * 5 + [{name: numeric_value(getattr(last, name)) + v for name, v in LOAD.items()}])


def test_payload_and_drive_gains() -> None:
    robot = puma()
    logs = log_of(robot, noise=1e-5), log_of(with_load(robot), noise=1e-5, seed=2)
    free, loaded = (rs.prepare(log, cut=20, rate=100) for log in logs)
    load = rs.identify_payload(rs.identify(robot, free), loaded)
    for name, value in LOAD.items():
        assert load[f"{name}6"] == pytest.approx(value, rel=0.01)
    assert "center of mass in frame 6" in str(load)
    gains = np.array([2.0, 3, 4, 5, 6, 7])
    free, loaded = (rs.prepare(rs.Log(t=log.t, q=log.q, tau=log.effort / gains), cut=20, rate=100) for log in logs)
    drives = rs.identify_drives(robot, free, loaded, mass=2.0)
    for j, gain in enumerate(gains, 1):
        assert drives[f"K{j}"] == pytest.approx(gain, rel=0.01)
    with pytest.raises(rs.InputError, match="mass"):
        rs.identify_drives(robot, free, loaded, mass=0)


def test_instrumental_variables_with_noisy_positions() -> None:
    """Noise of positions passes a filter with a high cutoff frequency."""
    robot = puma()
    clean = log_of(robot, seconds=30)
    random = np.random.default_rng(5)
    q = clean.q + 2e-4 * random.normal(size=clean.q.shape)
    log = rs.Log(t=clean.t, q=q, tau=clean.effort + 0.3 * random.normal(size=q.shape))
    truth = rs.identify(robot, rs.prepare(clean, cut=40, rate=200))
    motion = rs.prepare(log, cut=60, rate=200)

    def farthest(method: str) -> float:
        found = rs.identify(robot, motion, method=method)
        off = np.abs(found.values - [truth[name] for name in found.names]) / found.deviations
        return float(max(value for name, value in zip(found.names, off, strict=True) if not name.startswith("OFF")))

    assert farthest("iv") < 4 < 20 < farthest("wls")
    assert any("replaces the reference" in remark for remark in rs.identify(robot, motion, method="iv").remarks)


def test_report_and_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from robosym.app.cli.main import main

    robot = puma()
    log = log_of(robot, seconds=8, step=0.01)
    table = np.column_stack([log.t, log.q, log.effort])
    names = ["t", *(f"q{j}" for j in range(1, 7)), *(f"tau{j}" for j in range(1, 7))]
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header=",".join(names), comments="")
    robot.write(tmp_path / "arm.yaml")
    line = ["identify", str(tmp_path / "arm.yaml"), str(tmp_path / "log.csv"), "--report", str(tmp_path / "page.html")]
    assert main(line) == 0
    assert "FS1" in capsys.readouterr().out
    more = ["--friction", "smooth=0.02,load", "--also", str(tmp_path / "log.csv"), "--judge", str(tmp_path / "log.csv")]
    assert main([*line[:3], *more, "--essential", "--bootstrap"]) == 0
    text = capsys.readouterr().out
    assert "FL1" in text and "bootstrap" in text and "log.csv: " in text
    assert main([*line[:3], "--friction", "lots"]) != 0
    assert "'lots'" in capsys.readouterr().err
    assert main(["identify-payload", *line[1:3], str(tmp_path / "log.csv")]) == 0
    assert "MX6" in capsys.readouterr().out
    page = (tmp_path / "page.html").read_text()
    assert "Joint 6" in page and "<svg" in page and "nan" not in page


def test_torques_of_each_joint_along_a_motion() -> None:
    robot = puma()
    found = rs.identify(robot, rs.prepare(log_of(robot, noise=1e-3, seconds=8), cut=20, rate=100))
    fits = list(joint_fits(found))
    motion, predicted = found.motions[0], found.predict(found.motions[0])
    assert [one.joint for one in fits] == [1, 2, 3, 4, 5, 6]
    for at, one in enumerate(fits):
        moving = motion.moving[:, at]
        left = (motion.tau - predicted)[moving, at]
        assert one.rms == pytest.approx(np.linalg.norm(left) / np.sqrt(moving.sum()))
        assert one.relative == pytest.approx(found.error(motion).joints[at])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "links"}, 0.02),
        ({"model": "power"}, 0.05),
        ({"model": "energy"}, 0.02),
        ({"model": "filtered"}, 0.01),
    ],
)
def test_alternative_models_agree(options: dict[str, str], error: float) -> None:
    robot = puma()
    motion, other = (rs.prepare(log_of(robot, noise=1e-5, seed=seed), cut=20, rate=100) for seed in (0, 1))
    found = rs.identify(robot, motion, **options)
    assert found.error(other).moving < error
    assert found["FV6"] == pytest.approx(7, abs=0.1)
    with pytest.raises(rs.InputError, match="expected model 'dynamic'"):
        rs.identify(robot, motion, method="iv", model="power")


def test_block_bootstrap_with_correlated_noise() -> None:
    """Standard deviations that assume independent samples are too small, those of blocks are not."""
    robot = puma()
    clean = log_of(robot, seconds=30)
    random = np.random.default_rng(0)
    slow = np.convolve(random.normal(size=len(clean.t) + 299), np.ones(300) / np.sqrt(300), mode="valid")
    tau = clean.effort + 3 * slow[:, None]
    found = rs.identify(robot, rs.prepare(rs.Log(t=clean.t, q=clean.q, tau=tau), cut=20, rate=100))
    blocks = found.bootstrap(seconds=1.5)
    assert np.median(blocks.deviations / found.deviations) > 2
    assert np.array_equal(blocks.values, found.values) and "bootstrap" in str(blocks)
    off = [abs(found[f"FV{j}"] - 1.0 - j) / blocks.deviations[found.names.index(f"FV{j}")] for j in range(1, 7)]
    assert max(off) < 4
    with pytest.raises(rs.InputError, match="blocks"):
        found.bootstrap(seconds=10)


def test_selects_friction_by_cross_validation() -> None:
    robot = rs.load("puma560").with_links({"FV": 0, "FS": 0} for _ in range(6))
    motions = []
    for seed in (0, 1):
        log = log_of(robot, seconds=8, seed=seed)
        _, qd, _ = derivatives(log.q, 2e-3, 100)
        direction = np.tanh(qd / 0.01)
        rubbing = 0.1 * np.abs(log.effort) * direction + 0.5 * qd + 0.8 * direction * (1 + np.exp(-((qd / 0.3) ** 2)))
        motions.append(rs.prepare(rs.Log(t=log.t, q=log.q, tau=log.effort + rubbing), cut=20, rate=100))
    found = rs.identify(robot, motions[0], friction="auto")
    assert found.regressor.friction.load and found.regressor.friction.stribeck == 0.3
    assert any(remark.startswith("friction: load") for remark in found.remarks)
    classic = rs.identify(robot, motions[0])
    assert found.error(motions[1]).moving < 0.4 * classic.error(motions[1]).moving


def test_twenty_logs_equal_one_log() -> None:
    """The triangles of twenty parts give the result of the whole log."""
    robot = puma()
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 2000, 6))
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    tau += np.random.default_rng(1).normal(size=tau.shape)
    t = np.arange(2000.0)
    whole = rs.identify(robot, rs.Motion(t, q, qd, qdd, tau))
    cuts = [slice(k, k + 100) for k in range(0, 2000, 100)]
    parts = rs.identify(robot, [rs.Motion(t[k], q[k], qd[k], qdd[k], tau[k]) for k in cuts])
    assert np.allclose(parts.values, whole.values, rtol=1e-6, atol=1e-8)
    assert np.allclose(parts.deviations, whole.deviations, rtol=1e-6)
    assert len(parts.fits) == 20


def test_simulates_closed_loop() -> None:
    """With a loose controller, the arm does not follow its reference; only a simulation gives its motion."""
    arm = rs.loads(
        "name: arm\nframes:\n  - {theta: q1}\n  - {d: 0.5, theta: q2}\nlinks:\n"
        "  1: {XX: 0.5, YY: 0.8, ZZ: 0.8, MX: 1.5, M: 4, FV: 1.2, FS: 0.8}\n"
        "  2: {XX: 0.2, YY: 0.3, ZZ: 0.3, MX: 0.6, M: 2, FV: 0.6, FS: 0.5}\ngravity: [0, -9.81, 0]\n",
        format="yaml",
    )
    sizes = np.array([0.8, 1.0])

    def wanted(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        w = np.array([3.1, 4.7])
        return sizes * np.sin(w * t), sizes * w * np.cos(w * t), -sizes * w * w * np.sin(w * t)

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([300.0, 120]) * (wanted(t)[0] - q) + np.array([20.0, 6]) * (wanted(t)[1] - qd)

    random = np.random.default_rng(0)
    errors = 2e-4 * random.normal(size=(6100, 2))

    def noisy(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return law(t, q + errors[round(t / 1e-3)], qd)

    run = rs.simulate(arm, *wanted(0)[:2], controller=noisy, until=4, step=1e-3)
    log = rs.Log(t=run.t, q=run.q + errors[: len(run.t)], tau=run.tau)
    motion = rs.prepare(log, cut=80, rate=200, rest=0.1)
    simulated = rs.identify(arm, motion, method="didim", reference=wanted, controller=law)
    followed = rs.identify(arm, motion, method="didim", reference=wanted)
    plain = rs.identify(arm, motion)
    truth = {"ZZ2": 0.3, "MX2": 0.6, "FV1": 1.2, "FV2": 0.6, "FS2": 0.5}

    def far(found: rs.Estimate) -> float:
        return max(abs(found[name] / value - 1) for name, value in truth.items())

    assert far(simulated) < 0.05 < 0.2 < min(far(plain), far(followed))
    with pytest.raises(rs.InputError, match="reference"):
        rs.identify(arm, motion, method="iv", reference=3)
    with pytest.raises(rs.InputError, match="one per motion"):
        rs.identify(arm, motion, method="iv", reference=[motion, motion])


def test_recursive_identification() -> None:
    """The result equals that of all samples at once; with forgetting, a change is followed."""
    robot = puma()
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 1500, 6))
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    tau += 0.1 * np.random.default_rng(1).normal(size=tau.shape)
    on_line = rs.Recursive(robot, rest=0.0)
    with pytest.raises(rs.InputError, match="more moving samples"):
        on_line.update(q[0], qd[0], qdd[0], tau[0]).estimate  # noqa: B018
    for some in range(1, 50):
        on_line.update(q[some], qd[some], qdd[some], tau[some])
    on_line.update(q[50:], qd[50:], qdd[50:], tau[50:])
    whole = rs.identify(robot, rs.Motion(np.arange(1500.0), q, qd, qdd, tau))
    assert np.allclose(on_line.estimate.values, whole.values, rtol=1e-6, atol=1e-8)
    assert on_line.estimate.error(whole.motions[0]).moving == pytest.approx(whole.fits[0].moving, rel=1e-6)
    changed = robot.with_links([{"FV": 9.0}] + [{}] * 5)
    later = rs.inverse_dynamics(changed).compile()(q=q, qd=qd, qdd=qdd)
    forgetful = rs.Recursive(robot, rest=0.0, forget=1.0, step=0.01).update(q, qd, qdd, tau)
    for k in range(0, 1500, 100):
        forgetful.update(q[k : k + 100], qd[k : k + 100], qdd[k : k + 100], later[k : k + 100])
    assert forgetful.values["FV1"] == pytest.approx(9.0, abs=0.05)
    with pytest.raises(rs.InputError, match="forget"):
        rs.Recursive(robot, forget=1.0)


def test_drive_in_models() -> None:
    robot = puma()
    R, gain = np.diag([50.0, 60, 70, -80, 90, 100]), np.array([2.0, 3, 4, 5, 6, 7])
    R[5, 4] = 100
    drive = rs.Drive(ratio=R, gain=gain)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 20, 6))
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    current = tau @ np.linalg.inv(R.T @ np.diag(gain)).T
    assert np.allclose(drive.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd), current)
    assert np.allclose(drive.direct_dynamics(robot).compile()(q=q, qd=qd, current=current), qdd)
    assert "motor_torque" in rs.Drive(ratio=R).direct_dynamics(robot).inputs
    assert "I6" in drive.direct_dynamics(robot).code("c")


@pytest.mark.parametrize("rows", [3, 12, 500])
def test_added_column_gives_the_factor_of_all_columns(rows: int) -> None:
    random = np.random.default_rng(rows)
    W = random.normal(size=(rows, 8))
    W[:, 5] = W[:, 2]  # a dependent column
    column, y = W[:, 0] + 1e-7 * random.normal(size=rows), random.normal(size=rows)
    found = Factor(W).extended(column, y)
    whole = np.column_stack([W, column, y])
    assert np.allclose(found.R.T @ found.R, whole.T @ whole, atol=1e-13 * np.linalg.norm(whole) ** 2)
    gap = found.R[:, -2] - found.R[:, 0]  # the difference of nearly equal columns keeps its digits
    assert np.linalg.norm(gap) == pytest.approx(np.linalg.norm(column - W[:, 0]), rel=1e-6)


def test_delay_is_estimated_and_removed() -> None:
    robot = puma()
    log = log_of(robot, noise=1e-5, seconds=10)
    t = log.t[10:-10]
    tau = np.stack([np.interp(t - 0.0037, log.t, column) for column in log.effort.T], axis=1)
    late = rs.Log(t=t, q=log.q[10:-10], tau=tau)
    found = rs.identify(robot, rs.prepare(late, cut=20, rate=100))
    delay = found.delay()
    assert delay.seconds == pytest.approx(0.0037, abs=max(3 * delay.deviation, 5e-5)) and delay.deviation < 1e-4
    again = rs.identify(robot, rs.prepare(late, cut=20, rate=100, delay=delay.seconds))
    assert abs(again.delay().seconds) < 1e-4 and again.fits[0].moving < 0.6 * found.fits[0].moving
    assert "ms" in str(delay)


def test_cross_validation_equals_fits_without_each_part() -> None:
    robot = puma()
    motion = rs.prepare(log_of(robot, noise=1e-5, seconds=8), cut=20, rate=100)
    found = rs.identify(robot, motion)
    validated = found.cross_validated(4)
    assert found.fits[0].moving < validated.moving < 3 * found.fits[0].moving
    number = np.floor((motion.t - motion.t[0]) / ((motion.t[-1] - motion.t[0]) * (1 + 1e-9) / 4)).astype(int)
    table, names = found.regressor.table(motion), list(found.regressor.names)
    kept = [names.index(name) for name in found.names]
    rows = [table.row(at)[:, kept] for at in range(6)]
    scales = []
    for at, W in enumerate(rows):
        some = motion.moving[:, at]
        own, _, rank, _ = np.linalg.lstsq(W[some], motion.tau[some, at], rcond=1e-10)
        scales.append(np.linalg.norm(motion.tau[some, at] - W[some] @ own) / np.sqrt(some.sum() - rank))
    wrong = size = 0.0
    for fold in range(4):
        out = [motion.moving[:, at] & (number != fold) for at in range(6)]
        W = np.concatenate([rows[at][out[at]] / scales[at] for at in range(6)])
        y = np.concatenate([motion.tau[out[at], at] / scales[at] for at in range(6)])
        x = np.linalg.lstsq(W, y, rcond=None)[0]
        for at in range(6):
            own = motion.moving[:, at] & (number == fold)
            wrong += np.sum((motion.tau[own, at] - rows[at][own] @ x) ** 2)
            size += np.sum(motion.tau[own, at] ** 2)
    assert validated.moving == pytest.approx(np.sqrt(wrong / size), rel=1e-4)
    with pytest.raises(rs.InputError, match="folds"):
        found.cross_validated(1)


def test_payload_in_the_frame_of_the_flange() -> None:
    arm = rs.load("ur5e")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0.02, -0.01, 0.1]
    arm = arm.with_frame("tool", arm.joint_names[-1] if arm.joint_names[-1] in arm.frame_names else 6, T)
    com, inertia = np.array([0.03, -0.05, 0.12]), np.diag([0.02, 0.03, 0.025])
    loaded = arm.with_payload(6, 3.0, com=tuple(com), inertia=[0.02, 0, 0, 0.03, 0, 0.025])
    motions = [rs.prepare(log_of(robot, noise=1e-6, seed=k), cut=20, rate=100) for k, robot in enumerate((arm, loaded))]
    payload = rs.identify_payload(rs.identify(arm, motions[0]), motions[1]).at("tool")
    assert payload.mass == pytest.approx(3.0, rel=0.01)
    assert np.allclose(payload.com, T[:3, :3].T @ (com - T[:3, 3]), atol=2e-3)
    assert np.allclose(payload.inertia, T[:3, :3].T @ inertia @ T[:3, :3], atol=5e-3)


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_tables_hold_units_and_grouping(form: str, tmp_path: Path) -> None:
    robot = rs.load("planar2r")
    motion = rs.prepare(log_of(robot, seconds=6), cut=20, rate=100)
    found = rs.identify(robot, motion)
    path = tmp_path / {"csv": "a.csv", "latex": "a.tex"}[form]
    text = found.write(path).read_text()
    assert text.count("kg m") >= 3 and "ZZ" in text and ("N m s/rad" in text or "N m" in text)
    if form == "csv":
        head, *rows = text.splitlines()
        assert head == "parameter,value,deviation,percent,unit,grouping" and len(rows) == len(found.names)
        assert float(rows[0].split(",")[1]) == found.values[0]
    else:
        assert text.count("\\\\") == len(found.names) + 1
