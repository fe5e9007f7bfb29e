"""Singular poses and dexterity of robots with geometrically known singularities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.coordinates.reference import numeric_reference
from robosym.studies.conditioning import Conditioning

DexTAR = 0.09, 0.118  # links, and distance of the motors


def rotation(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def pose(R: np.ndarray, P: object) -> np.ndarray:
    return np.concatenate([R.ravel(), np.asarray(P, dtype=float)])


def five_bar(x: float, y: float) -> np.ndarray:
    """Return the pose of the platform, the second link of the second leg, with its end at a point."""
    link, apart = DexTAR
    reach = np.array([x - apart, y])
    distance = np.linalg.norm(reach)
    first = np.arctan2(reach[1], reach[0]) - np.arccos(distance / 2 / link)
    elbow = np.array([apart, 0]) + link * np.array([np.cos(first), np.sin(first)])
    along = np.array([x, y]) - elbow
    return pose(rotation("z", float(np.arctan2(along[1], along[0]))), [x, y, 0])


def test_five_bar_robot() -> None:
    """Type 2 where both second links are collinear, type 1 where an arm is stretched, 0.18 m from its motor."""
    robot = rs.load("fivebar")
    link, apart = DexTAR
    middle = apart / 2
    inside = float(np.sqrt((2 * link) ** 2 - middle**2))
    path = [five_bar(middle, y) for y in np.linspace(0.05, inside - 1e-9, 30)]
    found = rs.singularities(robot, path)
    assert found.reached.all()
    # the platform is the second link of the other leg: its twist, turn included, tells of this leg's joints everywhere
    assert [one.motor for one in found.found if one.kind == "type 1"] == ["t1"]
    (stretched,) = (one for one in found.found if one.kind == "type 1")
    assert abs(stretched.pose[10] - inside) < 1e-6
    (folded,) = (one for one in found.found if one.kind == "type 2")
    q = rs.inverse_geometry(robot).solve(folded.pose)
    elbows = np.array([[0, 0], [apart, 0]]) + link * np.stack([np.cos(q), np.sin(q)], axis=1)
    one, other = folded.pose[9:11] - elbows
    assert abs(one[0] * other[1] - one[1] * other[0]) < 1e-9  # the second links on a line
    assert "type 1" in found.report()


def test_octahedron_rotated_by_90_degrees_is_type_2() -> None:
    """Fichter: a platform parallel to its base and rotated by 90 degrees about z can move with all legs locked."""
    robot = rs.load("gough33")
    reference = numeric_reference(robot)
    assert reference is not None
    height = reference.samples[0].pose[2, 3]
    path = [pose(rotation("z", a), [0, 0, height]) for a in np.radians(np.linspace(0, 100, 8))]
    found = rs.singularities(robot, path)
    kinds = [(one.kind, round(float(np.degrees(np.arctan2(one.pose[3], one.pose[0]))), 5)) for one in found.found]
    assert kinds == [("type 2", 90.0)]
    assert found.type2[0] > 0.05


def test_delta_is_out_of_reach_beyond_type_1() -> None:
    robot = rs.load("delta")
    start = np.array([*numeric_reference(robot).samples[0].pose_values.values()])  # type: ignore[union-attr,arg-type]
    low = start.copy()
    low[11] = -2.0
    found = rs.singularities(robot, [start, low])
    assert [one.kind for one in found.found] == ["out of reach", "type 1"]
    base, platform = 0.567 * np.sqrt(3) / 6, 0.076 * np.sqrt(3) / 3
    wanted = -np.sqrt((0.524 + 1.244) ** 2 - (base - platform) ** 2)
    assert abs(found.found[0].pose[11] - wanted) < 1e-6


def test_agile_eye_is_isotropic() -> None:
    assert abs(rs.dexterity(rs.load("agile_eye"), np.eye(4)) - 1) < 1e-9


def test_dexterity_matches_finite_differences() -> None:
    """Compare with J_p of a planar robot from differences of its inverse geometry."""
    robot = rs.load("planar3rrr")
    geometry = rs.inverse_geometry(robot)
    sample = numeric_reference(robot).samples[1].pose  # type: ignore[union-attr,arg-type]

    def motors(x: float, y: float, a: float) -> np.ndarray:
        T = sample.copy()
        T[:2, 3] += x, y
        T[:3, :3] = rotation("z", a) @ T[:3, :3]
        return geometry.solve(T)

    h = 1e-6
    columns = [(motors(*(h * e)) - motors(*(-h * e))) / (2 * h) for e in np.eye(3)]
    J = np.stack(columns, axis=1)
    J[:, 2] /= 0.1  # turns by the size of the platform
    sizes = np.linalg.svd(J, compute_uv=False)
    assert abs(float(rs.dexterity(robot, sample)) - sizes[-1] / sizes[0]) < 1e-6


def test_workspace_grid() -> None:
    robot = rs.load("delta")
    reach = rs.workspace(robot, x=np.linspace(-0.4, 0.4, 5), y=[0.0], z=np.linspace(-1.8, -0.8, 4))
    assert reach.reached.shape == (5, 1, 4) and 0 < reach.share < 1
    assert np.isnan(reach.dexterity[~reach.reached]).all()
    assert (reach.dexterity[reach.reached] > 0).all() and (reach.dexterity[reach.reached] <= 1).all()
    assert "reachable" in reach.report()
    low, high = reach.volume_bounds
    assert low < reach.volume < high
    weights = np.outer([0.5, 1, 1, 1, 0.5], [0.5, 1, 1, 0.5])  # a pose at the edge of the grid has half a cell
    assert reach.volume == pytest.approx(0.2 / 3 * weights[reach.reached[:, 0]].sum())
    turned = rs.workspace(robot, yaw=[0.0, 0.2], z=[-1.0])
    assert turned.reached.ravel().tolist() == [True, False]  # the platform of a Delta does not turn
    gough = rs.workspace("gough63", roll=np.linspace(-0.3, 0.3, 3), pitch=[-0.2, 0.2], yaw=[0.0, 0.1])
    assert gough.reached.all()


def test_reach_matches_inverse_geometry() -> None:
    robot = rs.load("delta")
    geometry = rs.inverse_geometry(robot)
    reach = rs.workspace(robot, x=np.linspace(-1, 1, 5), y=np.linspace(-1, 1, 3), z=[-1.0])
    for row, reached in zip(reach.poses.reshape(-1, 12), reach.reached.ravel(), strict=True):
        if reached:
            geometry.solve(row)
        else:
            with pytest.raises(rs.InputError, match="does not reach"):
                geometry.solve(row)


def test_rejects_invalid_arguments() -> None:
    with pytest.raises(rs.InputError, match="is not a rotation"):
        rs.dexterity("delta", np.ones(12))
    with pytest.raises(rs.InputError, match="expected poses of shape"):
        rs.singularities("delta", np.eye(4))
    with pytest.raises(rs.InputError, match="expected a parallel robot"):
        rs.dexterity("rx90", np.eye(4))
    with pytest.raises(rs.InputError, match="hybrid robot"):
        rs.dexterity("tricept_wrist", np.eye(4))
    with pytest.raises(rs.InputError, match="one of x, y, z"):
        rs.workspace("delta")
    with pytest.raises(rs.InputError, match="expected values for"):
        rs.dexterity("gough", np.eye(4))
    with pytest.raises(rs.InputError, match="z: expected a list of finite numbers"):
        rs.workspace("delta", z=[np.nan])


def models_at(robot: object, *poses: np.ndarray) -> list[dict[str, np.ndarray]]:
    """Return outputs of compiled models in poses, with generic motion and parameters."""
    J = rs.jacobian(robot)
    models = {"forces": rs.inverse_dynamics(robot), "J": J.inverse(), "Ji": J, "direct": rs.direct_dynamics(robot)}
    models["A of the motors"] = rs.inertia_matrix(robot, space="joint")
    still = sorted(numeric_reference(robot).still)  # type: ignore[union-attr,arg-type]
    compiled = {name: (model.compile(), moving(model, still)) for name, model in models.items()}
    return [{name: np.asarray(f(pose=at, **given)) for name, (f, given) in compiled.items()} for at in poses]


def moving(model: rs.Model, still: Sequence[int] = ()) -> dict[str, np.ndarray]:
    """Return motions; `still` are components of the twist that the legs do not allow."""
    rng = np.random.default_rng(2)
    given = {group: rng.uniform(0.5, 1.5, len(model.inputs[group])) for group in model.inputs if group != "pose"}
    for group in {"twist", "acceleration"} & set(given):
        given[group][list(still)] = 0
    return given


def legs_in_line() -> tuple[object, np.ndarray]:
    """Return a 3-RRR robot whose second links intersect in one point."""
    robot = rs.load("planar3rrr")
    start = numeric_reference(robot).samples[0].pose_values  # type: ignore[union-attr,arg-type]
    first = np.array([*start.values()])
    turned = [pose(rotation("z", a) @ first[:9].reshape(3, 3), first[9:]) for a in np.linspace(0, 1.2, 30)]
    (one, *_) = (one for one in rs.singularities(robot, turned).found if one.kind == "type 2")
    return robot, one.pose


def octahedron() -> tuple[object, np.ndarray]:
    return rs.load("gough33"), pose(rotation("z", np.pi / 2), [0, 0, 0.6])


@pytest.mark.parametrize("case", [octahedron, legs_in_line])
def test_type_2_has_no_finite_forces(case: object) -> None:
    """Undetermined outputs are not finite, the others are, and all are finite nearby."""
    robot, singular = case()  # type: ignore[operator]
    beside = pose(rotation("z", 1e-3) @ singular[:9].reshape(3, 3), singular[9:])
    found, nearby = models_at(robot, singular, beside)
    assert not np.isfinite(found["forces"]).any()
    assert not np.isfinite(found["A of the motors"]).any()
    assert not np.isfinite(found["J"]).all(axis=0).any()
    assert np.isfinite(found["Ji"]).all()
    assert np.isfinite(found["direct"]).all()
    assert all(np.isfinite(each).all() for each in nearby.values())


def test_type_2_without_reference_position() -> None:
    """The geometry is numeric and the assembly mode is not given; forces are not finite in a singular pose."""
    from dataclasses import replace

    robot, singular = octahedron()
    model = rs.inverse_dynamics(replace(robot, position={}))
    forces, given = model.compile(), moving(model)
    assert not np.isfinite(forces(pose=singular, **given)).any()
    assert np.isfinite(forces(pose=pose(rotation("z", 0.1), [0, 0, 0.6]), **given)).all()


def test_type_1_has_no_finite_rates() -> None:
    """A Delta that hangs straight down, and a strut along the first axis of its universal joint."""
    delta = rs.load("delta")
    base, platform = 0.567 * np.sqrt(3) / 6, 0.076 * np.sqrt(3) / 3
    lowest = -np.sqrt((0.524 + 1.244) ** 2 - (base - platform) ** 2)
    found, nearby = models_at(delta, *(pose(np.eye(3), [0, 0, z]) for z in (lowest, lowest + 1e-4)))
    assert not np.isfinite(found["forces"]).any()
    assert not np.isfinite(found["direct"][:3]).any()  # the platform does not turn
    assert not np.isfinite(found["Ji"]).all(axis=1).any()
    assert all(np.isfinite(each).all() for each in nearby.values())
    gough = rs.load("gough33")
    axis = np.array([0.0, 1.0, 0.0])  # z of the first joint: x0 is towards it, and alpha -Pi/2
    foot, ball = np.array([0.6, 0, 0]), 0.4 * np.array([0.5, np.sqrt(3) / 2, 0])
    assert float(gough.frame(1).d.number) == 0.6
    model = rs.inverse_dynamics(gough)
    assert not np.isfinite(model.compile()(pose=pose(np.eye(3), foot + 0.8 * axis - ball), **moving(model))).any()


def test_length_is_size_of_platform() -> None:
    """The mean distance of the leg ends from the origin, also for symbolic lengths."""
    robot = rs.load("gough")
    assert robot.structure == "parallel"
    values = {name: 0.1 + 0.05 * k for k, name in enumerate(robot.parameters)}
    ends = [0.0, abs(values["pd2"]), *(np.hypot(values[f"pb{k}"], values[f"pd{k}"]) for k in (3, 4, 5)), values["pd6"]]
    assert Conditioning(robot, parameters=values).length == pytest.approx(np.mean(ends), rel=1e-12)
    assert Conditioning(robot, length=0.7).length == 0.7
    with pytest.raises(rs.InputError, match="expected values for pd2"):
        Conditioning(robot, parameters={name: 0.3 for name in values if name != "pd2"})


def test_path_in_a_file(tmp_path: Path) -> None:
    """Positions, positions with angles, and whole poses give what the poses give as an array."""
    robot = rs.load("delta")
    poses = rs.platform_pose(robot, x=[0.0, 0.1], y=[0.0, 0.05], z=[-1.0, -1.1])
    file = tmp_path / "path.txt"
    file.write_text(f"# two poses\n0 0 -1\n{','.join(map(repr, poses[1].tolist()))}  # as rows\n")
    assert rs.singularities(robot, file).report() == rs.singularities(robot, poses).report()
    for text, message in (("# none\n", "expected one pose per line"), ("1 2\n", "expected 12, 3 or 6 numbers"),
                          ("1 2 x\n", "path.txt:1: expected numbers")):  # fmt: skip
        file.write_text(text)
        with pytest.raises(rs.InputError, match=message):
            rs.singularities(robot, file)
