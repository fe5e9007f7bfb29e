"""Calibration of simulated robots with known errors: recovered within three standard deviations, down to the noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.parameters.geometric.corrected_robot import corrected_robot
from robosym.parameters.geometric.geometric_parameters import identifiable
from robosym.parameters.geometric.setting import setting_of

#: errors of an arm that its description can contain
ERRORS = {
    "frame2.alpha": 0.002, "frame3.d": 0.0012, "frame4.r": -0.0008, "frame5.alpha": -0.0015, "frame5.r": 0.0007,
    "frame6.d": -0.0004, "frame3.theta": 0.0021, "frame5.theta": -0.0018, "frame4.gamma": 0.0009,
}  # fmt: skip


def erroneous(arm: rs.Robot) -> rs.Robot:
    changes = {}
    for path, error in ERRORS.items():
        frame, field = arm.frame(int(path[5])), path.partition(".")[2]
        changes[path] = getattr(frame, field) + frame.theta.graph.number(error)
    return arm.edit(changes)


def pose_of(robot: rs.Robot, q: Any, frame: int) -> Any:
    """Return the pose of a frame by Pinocchio."""
    oracle = Oracle(robot, dict.fromkeys(robot.parameters, 0.5))
    data = oracle.model.createData()
    pin.framesForwardKinematics(oracle.model, data, oracle.q(np.asarray(q)))
    return data.oMf[oracle.frames[frame]].homogeneous.copy()


def measured(real: rs.Robot, q: Any, noise: float, rng: np.random.Generator) -> Any:
    """Return poses by Pinocchio, with noise of position and rotation."""
    poses = np.array([pose_of(real, row, 6) for row in q])
    for T in poses:
        T[:3, :3] = pin.exp3(rng.normal(size=3) * noise) @ T[:3, :3]
        T[:3, 3] += rng.normal(size=3) * noise
    return poses


@pytest.mark.parametrize("name", ["puma560", "ur5e", "rx90"])
def test_recovers_errors_within_three_standard_deviations(name: str) -> None:
    arm = rs.load(name)
    values = {symbol: 0.4 for symbol in ("D3", "RL4") if symbol in arm.parameters}
    arm = arm.with_values(values) if values else arm
    rng = np.random.default_rng(3)
    q = rng.uniform(-2.4, 2.4, (60, 6))
    noise = 2e-5
    found = rs.calibrate(arm, {"q": q, "pose": measured(erroneous(arm), q, noise, rng)})
    truth = dict.fromkeys(found.parameters.setting.kinematics.parameters, 0.0)
    errors = {f"{path.partition('.')[2]}{path[5]}": error for path, error in ERRORS.items()}
    for p, value, deviation in zip(found.fit.parameters, found.values, found.deviations, strict=True):
        if p.kind in ("base", "tool"):
            continue
        group = found.parameters.grouping[p.name]
        true = sum(float(str(share)) * errors.get(part, 0.0) for part, share in group.items() if part in errors)
        assert abs(value - true) < 4 * deviation, (p.name, value, true, deviation)
    assert len(truth) > 0
    assert 0.8 * noise < found.fit.rms()["m"] < 1.2 * noise < 0.05 * found.before.rms()["m"]
    new = rng.uniform(-2.4, 2.4, (40, 6))
    exact = measured(erroneous(arm), new, 0.0, rng)
    assert np.abs(found.poses(new)[:, :3, 3] - exact[:, :3, 3]).max() < 2 * noise


def simulated(name: str, measurement: str, count: int, noise: float, seed: int = 0, **options: Any) -> Any:
    """Return data with known errors of all identifiable parameters, and these errors."""
    rng = np.random.default_rng(seed)
    setting = setting_of(rs.load(name), measurement, **options)
    found = identifiable(setting)
    real = setting.with_parameters(found.parameters)
    x = rng.normal(size=len(found)) * 1e-3
    x = np.array([abs(v) * 1e-2 if p.kind == "compliance" else v for v, p in zip(x, found.parameters, strict=True)])
    q, passive = setting.random_postures(count, number=7)
    T = real.kinematics.at(x, q, passive).end
    values = {
        "pose": T, "position": T[:, :3, 3], "distance": np.linalg.norm(T[:, :3, 3], axis=1),
        "camera": T[:, :2, 3] / T[:, 2:3, 3],
    }[measurement]  # fmt: skip
    if measurement == "pose":
        values = T.copy()
        for one in values:
            one[:3, :3] = pin.exp3(rng.normal(size=3) * noise) @ one[:3, :3]
            one[:3, 3] += rng.normal(size=3) * noise
    else:
        values = values + rng.normal(size=values.shape) * noise
    return {"q": q, measurement: values}, dict(zip(found.names, x, strict=True))


@pytest.mark.parametrize(
    ("name", "measurement", "options"),
    [
        ("ur5e", "pose", {"ratios": True, "compliance": True, "base": [0, 0, 0]}),
        ("ur5e", "position", {"tool": [0.1, 0, 0.05], "base": [0.2, 0.1, 0.3, 0.1, 0.2, 0.3]}),
        ("ur5e", "distance", {"tool": [0.1, 0, 0.05], "base": [1.5, 1, 0.5]}),
        ("ur5e", "camera", {"tool": [0.1, 0, 0.05], "base": [0.3, 0.2, 4, 0.1, 0.2, 0.3]}),
        ("scara", "position", {"tool": [0.1, 0, 0], "base": [0, 0, 0]}),
        ("planar3rrr", "pose", {"base": [0, 0, 0]}),
    ],
)
def test_all_measurements_recover_all_parameters(name: str, measurement: str, options: dict[str, Any]) -> None:
    """The errors in parts of their standard deviations are those of a normal distribution."""
    data, truth = simulated(name, measurement, 80, 2e-5, **options)
    found = rs.calibrate(name, data, measurement, **options)
    assert set(found.names) == set(truth)
    parts = (found.values - [truth[n] for n in found.names]) / found.deviations
    assert np.abs(parts).max() < 4 and 0.6 < np.sqrt(np.mean(parts**2)) < 1.5
    assert all(1.5e-5 < rms < 2.3e-5 for rms in found.fit.rms().values())


@pytest.mark.long
@pytest.mark.parametrize("name", ["gough63", "delta"])
def test_calibrates_parallel_robot_from_positions(name: str) -> None:
    data, truth = simulated(name, "position", 90, 2e-5, base=[0, 0, 0])
    found = rs.calibrate(name, data, "position", base=[0, 0, 0])
    parts = (found.values - [truth[n] for n in found.names]) / found.deviations
    assert np.abs(parts).max() < 4 and 0.6 < np.sqrt(np.mean(parts**2)) < 1.5


def test_finds_base_without_initial_value() -> None:
    data, _ = simulated("ur5e", "position", 60, 1e-5, tool=[0.1, 0, 0.05], base=[3, -2, 1, 0.4, -1.2, 2.2])
    found = rs.calibrate("ur5e", data, "position", tool=[0.1, 0, 0.05])
    assert found.fit.rms()["m"] < 1.2e-5
    assert np.abs(found.base[:3, 3] - [3, -2, 1]).max() < 0.02


def test_calibrates_arm_from_contact_with_a_plane() -> None:
    options: dict[str, Any] = {"tool": [0.1, 0.05, 0.08], "known": ["base"]}
    setting = setting_of(rs.load("puma560"), "plane", tool=options["tool"])
    found = identifiable(setting)
    q, _ = setting.random_postures(400)
    x = np.random.default_rng(1).normal(size=len(found)) * 1e-3
    real = setting.with_parameters(found.parameters).kinematics
    for _ in range(8):  # the real arm touches the plane with slightly other joints
        posture = real.at(x, q)
        J, z = posture.joint_columns[:, 2], posture.end[:, 2, 3]
        q = q - J * (z / (J**2).sum(axis=1))[:, None]
    base = np.array(setting.kinematics.base)
    made = rs.calibrate("puma560", {"q": q}, "plane", tool=options["tool"], base=base.tolist())
    assert made.fit.rms()["m"] < 1e-6 < 1e-4 < made.before.rms()["m"]


def test_robust_fit_tolerates_outliers() -> None:
    data, truth = simulated("scara", "position", 80, 2e-5, tool=[0.1, 0, 0], base=[0, 0, 0])
    data["position"][::10] += 0.01
    errors = {}
    for loss in ("linear", "huber", "cauchy"):
        found = rs.calibrate("scara", data, "position", tool=[0.1, 0, 0], base=[0, 0, 0], loss=loss)  # type: ignore[arg-type]
        errors[loss] = max(abs(found[n] - truth[n]) for n in found.names if n[0] != "b" and n[0] != "t")
    assert errors["cauchy"] < errors["linear"] / 10 and errors["huber"] < errors["linear"] / 3


def test_removes_insignificant_parameters() -> None:
    arm = rs.load("ur5e")
    rng = np.random.default_rng(5)
    q = rng.uniform(-2.4, 2.4, (60, 6))
    real = arm.edit({"frame3.d": float(str(arm.frame(3).d)) + 0.001})
    found = rs.calibrate(arm, {"q": q, "pose": measured(real, q, 2e-5, rng)}, significance=4)
    assert [n for n in found.names if n[:4] not in ("base", "tool")] == ["d3"]
    assert found["d3"] == pytest.approx(0.001, abs=1e-5)
    assert all("not significant" in reason for reason in found.left_out.values())


def test_corrected_robot_reaches_measured_poses() -> None:
    """Its inverse geometric model uses the closed form of the nominal arm; Pinocchio confirms the poses."""
    data, _ = simulated("ur5e", "pose", 60, 1e-5, base=[0.5, 0.2, 0.1, 0, 0, 1])
    found = rs.calibrate("ur5e", data, "pose", base=[0.5, 0.2, 0.1, 0, 0, 1])
    goal = found.poses(data["q"][0])
    every = found.solve(goal)
    assert len(every) == 8
    assert np.abs(np.exp(1j * every) - np.exp(1j * data["q"][0])).max(axis=1).min() < 1e-9
    for row in every:
        np.testing.assert_allclose(found.poses(row), goal, atol=1e-9)
    made = found.robot
    T = pose_of(made, data["q"][0], made.frame_number(found.target))
    np.testing.assert_allclose(found.base @ T, goal, atol=1e-9)
    model = rs.transform(made, -1, found.target).compile()
    np.testing.assert_allclose(model(q=data["q"][0]), goal, atol=1e-9)


def test_ratios_and_compliances_are_inverted() -> None:
    options: dict[str, Any] = {"ratios": True, "compliance": True, "base": [0, 0, 0]}
    data, _ = simulated("ur5e", "pose", 60, 1e-5, **options)
    found = rs.calibrate("ur5e", data, **options)
    for row in found.solve(found.poses(data["q"][3])):
        np.testing.assert_allclose(found.poses(row), found.poses(data["q"][3]), atol=1e-9)


def test_corrected_loops_close_with_every_error() -> None:
    """The description with loops has the poses of the errors, fixed frames for beta and e included."""
    setting = setting_of(rs.load("planar3rrr"), "pose")
    found = identifiable(setting)
    rng = np.random.default_rng(2)
    parameters = [p for p in setting.parameters if p.name not in found.impossible and p.kind not in ("base", "tool")]
    x = rng.normal(size=len(parameters)) * 1e-3
    sensors, passive = setting.random_postures(4)
    posture = setting.with_parameters(parameters).kinematics.at(x, sensors, passive)
    made = corrected_robot(setting.robot, parameters, x)
    other = setting_of(made, "pose", made.NL).kinematics
    assert other.at(np.zeros(len(other.parameters)), sensors, passive[:, : len(other.passive_columns)]).gap.max() < 1e-9
    assert posture.gap.max() < 1e-9


def test_cross_validation_and_other_measurements() -> None:
    data, _ = simulated("scara", "position", 80, 2e-5, tool=[0.1, 0, 0], base=[0, 0, 0])
    fitted, kept = ({key: value[part] for key, value in data.items()} for part in (slice(50), slice(50, None)))
    found = rs.calibrate("scara", fitted, "position", tool=[0.1, 0, 0], base=[0, 0, 0])
    folds = found.cross_validated(4)
    assert len(folds) == 4 and all(1e-5 < fold["m"] < 4e-5 for fold in folds)
    assert 1e-5 < found.residuals(kept)["m"] < 3.5e-5
    with pytest.raises(rs.InputError, match="folds: expected 2 to 50"):
        found.cross_validated(1)


def test_files_have_units_and_reports_have_plots(tmp_path: Path) -> None:
    data, truth = simulated("scara", "position", 40, 2e-5, tool=[0.1, 0, 0], base=[0, 0, 0])
    table = np.hstack([np.rad2deg(data["q"]), 1e3 * data["position"]])
    table[:, 2] = data["q"][:, 2]
    head = "q1 [deg],q2 [deg],q3 [m],q4 [deg],x [mm],y [mm],z [mm]"
    np.savetxt(tmp_path / "data.csv", table, delimiter=",", header=head, comments="")
    found = rs.calibrate("scara", tmp_path / "data.csv", "position", tool=[0.1, 0, 0], base=[0, 0, 0])
    assert found["d2"] == pytest.approx(truth["d2"], abs=1e-4)
    page = found.report(tmp_path / "report.html").read_text()
    assert page.count("<svg") >= 2 and "d2" in page
    assert "\\Delta d_{2}" in found.table("latex")
    assert found.write(tmp_path / "t.csv").read_text().startswith("name,unit,meaning,value,standard_deviation")
    for wrong, message in (("report.pdf", r"expected an \.html"), ("t.doc", r"expected a \.csv")):
        with pytest.raises(rs.Error, match=message):
            (found.report if "report" in wrong else found.write)(tmp_path / wrong)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({"pose": np.zeros((9, 6))}, {}, "expected a column q1 or"),
        ({"q": np.zeros((9, 3)), "pose": np.zeros((9, 6))}, {}, "data: q: expected one row per posture and 6 columns"),
        ({"q": np.zeros((9, 6))}, {}, "expected a column x, found q"),
        ({"q": np.zeros((9, 6)), "pose": np.zeros((8, 6))}, {}, "measured values: expected 9 postures"),
        ({"q": np.full((9, 6), np.nan), "pose": np.zeros((9, 6))}, {}, "posture 1: expected finite joint positions"),
        ({"q": np.zeros((2, 6)), "pose": np.zeros((2, 6))}, {}, "expected more measured values than"),
        ({"q": np.zeros((9, 6)), "pose": np.zeros((9, 6))}, {"loss": "l1"}, "loss: expected linear, huber or cauchy"),
        ({"q": np.zeros((9, 6)), "pose": np.zeros((9, 6))}, {"noise": [1]}, "noise: expected 2 positive"),
        ({"q": np.zeros((9, 6)), "pose": np.zeros((9, 6))}, {"significance": -1}, "significance: expected"),
        ({"q": np.zeros((9, 6)), "camera": np.zeros((9, 2))}, {"measurement": "camera"}, "expected the nominal pose"),
    ],
)
def test_rejects_invalid_data(data: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        rs.calibrate("ur5e", data, **options)


def test_chosen_postures_exceed_random_ones() -> None:
    setting = identifiable(setting_of(rs.load("ur5e"), "pose")).setting
    chosen = rs.calibration_postures("ur5e", 14, pool=150)
    low, high = setting.ranges()
    assert (chosen.q >= low).all() and (chosen.q <= high).all()
    q = setting.random_postures(14, number=9)[0]
    plain = rs.calibration_postures("ur5e", 14, pool=q.tolist())
    assert chosen.determinant > 1.1 * plain.determinant
    best = rs.calibration_postures("ur5e", 14, pool=150, criterion="condition")
    assert best.condition <= chosen.condition * 1.02


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 4}, "count: expected at least 5 postures for 30 parameters, found 4"),
        ({"count": 9, "pool": 5}, "pool: expected at least 9 postures, found 5"),
        ({"count": 9, "pool": np.zeros((20, 6)).tolist()}, "pool: expected postures that determine all 30 parameters"),
        ({"criterion": "trace"}, "criterion: expected 'determinant' or 'condition'"),
    ],
)
def test_rejects_invalid_arguments_of_postures(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        rs.calibration_postures("ur5e", **options)
