"""Test hybrid robots against Pinocchio's constrained tree of the same machine."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.hybrid import HYBRIDS, delta_on_gantry, hybrid_positions, two_goughs, wrist
from cases.parallel import gough, values_of
from evaluation import agree, on_groups
from long_cases import quick_and_long
from oracles.hybrid import HybridState, hybrid_state
from robosym.mechanism import Robot


def states(robot: Robot, count: int = 2) -> tuple[dict[str, float], list[HybridState]]:
    rng = np.random.default_rng(3)
    values = values_of(robot, rng)  # type: ignore[arg-type]
    positions = [joints for _, joints in zip(range(count), hybrid_positions(robot), strict=False)]
    return values, [hybrid_state(robot, joints, values, rng) for joints in positions]


def given(model: rs.Model, state: HybridState, values: dict[str, float]) -> dict[str, object]:
    found: dict[str, object] = {name: getattr(state, name) for name in model.inputs if name in state._fields}
    if "gravity" in model.inputs:
        found["gravity"] = [values[name] for name in model.inputs["gravity"]]
    return found | ({"parameters": values} if "parameters" in model.inputs else {})


LARGE = "two_goughs", "delta_on_gough", "gough_on_arm", "hexa_on_slide", "arm_on_gough"


#: the other robots have a tree below, above or on both sides of a platform
LONG = "two_goughs delta_on_gough arm_on_rps arm_on_agile_eye delta_on_gantry turning_delta gough_on_arm"


@pytest.mark.parametrize("name", quick_and_long(HYBRIDS, long=LONG))
def test_models_agree_with_pinocchio(name: str) -> None:
    """Check efforts, motor power, accelerations, motor positions, and pose and twist of the end frame."""
    robot = HYBRIDS[name]()
    values, motions = states(robot, 1 if name in LARGE else 2)
    inverse, pose = rs.inverse_dynamics(robot), rs.direct_geometry(robot)
    jacobian, motors = rs.jacobian(robot), rs.inverse_geometry(robot)
    for state in motions:
        tau = on_groups(inverse, **given(inverse, state, values))
        agree(tau, state.tau, 1e-10)
        agree(tau @ state.motors, state.power, 1e-10)
        agree(on_groups(pose, **given(pose, state, values)).reshape(4, 4), state.end, 1e-9)
        J = on_groups(jacobian, **given(jacobian, state, values)).reshape(6, -1)
        agree(J @ state.motors, state.end_twist, 1e-9)
        assert on_groups(motors, **given(motors, state, values)).shape == state.tau.shape
    if name in LARGE:  # slow checks run with the other robots
        return
    direct = rs.direct_dynamics(robot)
    wanted = np.concatenate([motions[0].acceleration, motions[0].qdd])
    agree(on_groups(direct, **given(direct, motions[0], values)), wanted, 1e-9)


def test_direct_model_is_inertia_and_bias() -> None:
    """For a Delta on a gantry, A s' + h equals the generalized efforts of the motors."""
    robot = delta_on_gantry()
    values, (state, *_) = states(robot)
    inertia, bias = rs.inertia_matrix(robot), rs.bias_torques(robot)
    A = on_groups(inertia, **given(inertia, state, values)).reshape(5, 5)
    h = on_groups(bias, **given(bias, state, values))
    agree(A, A.T, 1e-9)
    assert np.linalg.eigvalsh(A).min() > 0
    along = np.concatenate([state.qdd, state.acceleration[:3]])
    Ji = rs.jacobian(rs.load("delta")).compile()(pose=state.pose)[:, :3]
    agree(A @ along + h, np.concatenate([state.tau[:2], Ji.T @ state.tau[2:]]), 1e-9)


COUNTS = [
    ("two_goughs", 200),
    ("delta_on_gantry", 37),
    ("planar_with_arm", 38),
    ("arm_on_agile_eye", 57),
    ("arm_on_rps", 49),
]


@pytest.mark.parametrize(
    ("name", "count"), quick_and_long(COUNTS, long=[case for case in COUNTS if case[0] in LONG.split()])
)
def test_base_parameters(name: str, count: int) -> None:
    """There are as many as for the robot with loops, and they give the same forces."""
    robot = HYBRIDS[name]()
    base = rs.base_parameters(robot)
    assert len(base.names) == count
    values, motions = states(robot, 1)
    model = rs.inverse_dynamics(base.robot)
    known = {**base.values(values), **values}
    needed = (*model.inputs["parameters"], *model.inputs["gravity"])
    found = on_groups(model, **given(model, motions[0], {name: known[name] for name in needed}))
    agree(found, motions[0].tau, 1e-10)


def test_base_parameters_of_a_wrist_on_a_gough() -> None:
    robot = Robot.in_series("gough_wrist", [gough(), wrist()], [{}, {"d": 0.3}])
    base = rs.base_parameters(robot)
    assert len(base.names) == 88 + 3 * 8  # the number of the robot with loops, which takes longer


def test_reaches_a_pose_of_the_end_frame() -> None:
    robot = HYBRIDS["turning_delta"]()
    _, (state, *_) = states(robot, 1)
    model = rs.inverse_geometry(robot)
    q = model.solve(state.end)
    assert len(q) == len(model.motors) == 8
    assert np.abs(model.solve(state.end, near=q) - q).max() < 1e-8
    out_of_reach = state.end.copy()
    out_of_reach[:3, 3] += 10
    with pytest.raises(rs.InputError, match=r"was not reached|stay|gap|does not converge|no pose"):
        model.solve(out_of_reach)


@pytest.mark.parametrize("name", HYBRIDS)
def test_yaml(name: str) -> None:
    robot = HYBRIDS[name]()
    text = robot.dumps()
    again = rs.loads(text)
    assert again == robot
    assert again.dumps() == text


def test_modules_from_the_library_and_a_carrier() -> None:
    robot = rs.loads(
        "name: two\nmodules:\n  - {robot: gough, values: {D2: 0.5}}\n  - {robot: gough, place: {r: 0.2}}\n"
        "  - {frames: [{theta: a1}, {theta: a2, alpha: Pi/2}], links: symbolic}\ngravity: [0, 0, G3]\n"
    )
    assert robot.structure == "hybrid"
    assert robot.motor_names[5:7] == ("r33", "r3_2")
    assert "M1_3" in robot.parameters
    carried = rs.load("planar3rrr").dumps("yaml") + "modules:\n  - {frames: [{theta: a1}], links: symbolic}\n"
    assert [part.structure for part in rs.loads(carried).module_robots()] == ["parallel", "simple"]


MISTAKES = {
    "modules:\n  - {robot: goug}\n  - {robot: gough}": r"module 1: unknown robot 'goug' of the library",
    "modules:\n  - {robot: gough}": "two or more, found 1",
    "modules:\n  - {frames: [{theta: t1}]}\n  - {frames: [{theta: t1}]}": "t1 is also a joint variable of module 1",
    "modules:\n  - {frames: [{theta: t1}], end: 2}\n  - {robot: delta}": "end: expected a frame from 1 to 1, found 2",
    "modules:\n  - {robot: gough, end: 2}\n  - {robot: delta}": "a platform carries the next module itself",
    "modules:\n  - {robot: gough, values: {XY: 2}}\n  - {robot: delta}": "has no parameter XY",
    "modules:\n  - {robot: sr400}\n  - {robot: delta}": "without loops",
    "modules:\n  - {frames: [{theta: t1, mu: 0}]}\n  - {robot: delta}": "a rigid joint with a motor",
    "modules:\n  - {robot: gough, place: {z: 1}}\n  - {robot: delta}": "unknown key z",
    "modules:\n  - {robot: delta}\n  - {frames: [{theta: w}]}\nposition: {x: 1}": "x is not a joint variable",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_error_messages(text: str) -> None:
    with pytest.raises(rs.Error, match=MISTAKES[text]):
        rs.loads(f"name: wrong\n{text}\ngravity: [0, 0, G3]\n")


def test_rejects_unsupported_functions() -> None:
    robot = two_goughs()
    with pytest.raises(rs.InputError, match="to_closed"):
        rs.lagrange(robot)
    with pytest.raises(rs.FormatError, match="yaml"):
        robot.dumps("par")
    with pytest.raises(rs.InputError, match="modes"):
        rs.inverse_dynamics(robot, modes=[0])


def test_deprecated_names_still_work() -> None:
    with pytest.warns(DeprecationWarning, match="in_series"):
        robot = rs.Hybrid.of("two", [rs.load("delta"), rs.load("planar2r")])  # type: ignore[attr-defined]
    assert robot == Robot.in_series("two", [rs.load("delta"), rs.load("planar2r")])
    with pytest.warns(DeprecationWarning, match="structure"):
        kind = rs.Parallel  # type: ignore[attr-defined]
    assert isinstance(rs.load("delta"), kind) and not isinstance(robot, kind)
