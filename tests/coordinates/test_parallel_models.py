"""Test geometry, kinematics and dynamics of parallel robots against Pinocchio's constrained tree."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from cases.parallel import gough, positions, values_of
from evaluation import agree
from oracles.parallel import State, state
from robosym.mechanism import Robot

ROBOTS = {"gough": gough, "delta": lambda: rs.load("delta"), "planar3rrr": lambda: rs.load("planar3rrr")}


def states(name: str) -> tuple[Robot, dict[str, float], list[State], list[dict[str, float]]]:
    rng = np.random.default_rng(7)
    robot = ROBOTS[name]()
    values = values_of(robot, rng)
    joints = list(positions(robot))
    return robot, values, [state(robot, q, values, rng) for q in joints], joints


@pytest.mark.parametrize("name", ROBOTS)
def test_models_agree_with_pinocchio(name: str) -> None:
    robot, values, motions, joints = states(name)
    geometry = rs.inverse_geometry(robot)
    inverse, direct = rs.inverse_dynamics(robot), rs.direct_dynamics(robot)
    forces, accelerate = inverse.compile(), direct.compile()
    matrix, jp = rs.jacobian(robot).compile(), rs.jacobian(robot).inverse().compile()
    A, h = (m(robot, space="joint").compile() for m in (rs.inertia_matrix, rs.bias_torques))
    given = {"parameters": values, "gravity": [values[n] for n in inverse.inputs.get("gravity", ())]}
    for motion, q in zip(motions, joints, strict=True):
        agree(geometry.solve(motion.pose), motion.q, 1e-9)
        every = geometry.solve(motion.pose, passive=True)
        wanted = np.array([q[robot.variable(j)] for j in robot.tree_joints])
        agree(np.exp(1j * every), np.exp(1j * wanted), 1e-7)
        agree(matrix(pose=motion.pose) @ motion.twist, motion.qd, 1e-9)
        agree(jp(pose=motion.pose) @ motion.qd, motion.twist, 1e-9)
        agree(forces(pose=motion.pose, twist=motion.twist, acceleration=motion.acceleration, **given), motion.tau, 1e-9)
        agree(accelerate(pose=motion.pose, twist=motion.twist, tau=motion.tau, **given), motion.acceleration, 1e-9)
        inertia = A(pose=motion.pose, parameters=values)
        pushed = inertia @ motion.qdd
        rest = h(pose=motion.pose, twist=motion.twist, **given)
        agree((pushed + rest - motion.tau) / max(np.abs(pushed).max(), np.abs(rest).max()), np.zeros(len(rest)), 1e-9)
        agree(inertia, inertia.T, 1e-9)


def test_base_parameters_of_the_gough_stewart_robot() -> None:
    """There are 88 of 190 (GS table II); they give the same forces and accelerations."""
    symbolic = rs.load("gough")
    base = rs.base_parameters(symbolic)
    assert (len(base.names), len(base.standard_names)) == (88, 190)
    robot, values, motions, _ = states("gough")
    base = rs.base_parameters(robot)
    reduced = base.values(values)
    inverse, direct = (f(base.robot).compile() for f in (rs.inverse_dynamics, rs.direct_dynamics))
    for motion in motions:
        given = {"pose": motion.pose, "twist": motion.twist, "parameters": reduced, "gravity": [values["G3"]]}
        agree(inverse(acceleration=motion.acceleration, **given), motion.tau, 1e-9)
        agree(direct(tau=motion.tau, **given), motion.acceleration, 1e-9)


def test_struts_agree_with_general_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check drives and friction of the joints, a wrench on the platform, and the forces of the legs on it."""
    robot = gough().symbolic().with_values({"IA2": 0.3})
    rng = np.random.default_rng(2)
    values = values_of(robot, rng)
    motion = next(iter(states("gough")[2]))

    def forces() -> np.ndarray:
        names = [f"{part}{axis}{leg}" for part in ("FL", "CL") for axis in "XYZ" for leg in (1, 4)]
        model = rs.inverse_dynamics(robot).select(*(f"GAM{j}" for j in robot.motors), *names)
        given = {"pose": motion.pose, "twist": motion.twist, "acceleration": motion.acceleration}
        found = model.compile()(**given, parameters=values, gravity=[-9.81])
        return np.concatenate([np.ravel(part) for part in found]) if isinstance(found, tuple) else np.asarray(found)

    by_vectors = forces()
    monkeypatch.setattr("robosym.coordinates.leg_modes.is_strut", lambda *_: False)
    by_recursion = forces()
    agree(by_vectors, by_recursion, 1e-9)


def test_identification_model() -> None:
    """The matrix times the parameters gives the motor forces; its rank on random motions is their number."""
    robot, values, motions, _ = states("gough")
    base = rs.base_parameters(robot)
    model = rs.dynamic_identification(base.robot)
    parameters = base.values(values)
    D = model.compile()
    assert len(model.columns) == 88
    for motion in motions:
        found = D(pose=motion.pose, twist=motion.twist, acceleration=motion.acceleration, gravity=[values["G3"]])
        agree(found @ np.array([parameters[name] for name in model.columns]), motion.tau, 1e-8)
    rng = np.random.default_rng(3)
    pose = np.resize([motion.pose for motion in motions], (60, 12))
    pose = pose + np.concatenate([np.zeros((60, 9)), rng.normal(size=(60, 3)) * 0.05], axis=1)
    stacked = D(pose=pose, twist=rng.normal(size=(60, 6)), acceleration=rng.normal(size=(60, 6)) * 3, gravity=[-9.81])
    assert np.linalg.matrix_rank(stacked.reshape(-1, 88), tol=1e-9 * np.abs(stacked).max()) == 88
