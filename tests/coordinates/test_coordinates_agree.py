"""Test that platform and joint coordinates of the same robot give the same efforts.

The oracle of the motion is Pinocchio's constrained tree. The models of the closed robot come from its loops and share
nothing with those of its legs. Some of the random robots have redundant motors or legs in other branches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin
import pytest

import robosym as rs
from cases import reduced_mobility
from cases.leg_kinds import random_parallel
from cases.parallel import positions, values_of
from cases.reduced_mobility import parallel
from evaluation import agree, on_graph
from long_cases import quick_and_long
from oracles.constrained import Constrained
from oracles.parallel import all_joints
from robosym.coordinates.closing import Closing
from robosym.coordinates.platform_motion import ACCELERATION, POSE, TWIST
from robosym.mechanism import Robot
from robosym.spatial.numeric import rigid

_H = np.pi / 2


def driven(robot: Robot, *more: int) -> Robot:
    """Return the robot with additional motors."""
    frames = [replace(f, mu=1) if j in more else f for j, f in enumerate(robot.frames, 1)]
    return replace(robot, frames=tuple(frames))


def prr4() -> Robot:
    """Return a planar 4-PRR robot, which has one redundant motor."""
    rng = np.random.default_rng(11)
    legs = []
    for g in np.arange(4) * _H + 0.2:
        q = rng.uniform(-0.4, 0.4, 3)
        slide = {"gamma": g, "b": 0.0, "alpha": _H, "d": 0.5, "v": "r", "q": 0.3 + q[0], "motor": 1}
        legs.append([slide, {"alpha": -_H, "v": "t", "q": 1.0 + q[1]}, {"d": 0.4, "v": "t", "q": q[2]}])
    place = rigid(np.array([0, 0, 0.3]), np.array([0.05, 0.1, 0]))
    return parallel("prr4", place, legs, (1, 2), "0, G2, 0")


ROBOTS: dict[str, Callable[[], Robot]] = {
    "rpr": reduced_mobility.rpr,
    "rps": reduced_mobility.rps,
    "upu": reduced_mobility.upu,
    "delta_pa": reduced_mobility.delta_pa,
    "delta": lambda: rs.load("delta"),
    "tricept": lambda: rs.load("tricept"),
    "tricept with a fourth motor": lambda: driven(rs.load("tricept"), 21),
    "rpr with a fourth motor": lambda: driven(reduced_mobility.rpr(), 4),
    "prr4": prr4,
    "gough33 with a seventh motor": lambda: driven(rs.load("gough33"), 2),
    "six random legs": lambda: random_parallel(["UPS", "RUS", "PUS", "RUS across", "RRRS", "URR"], 6, drives=True),
}


def motion(robot: Robot, joints: dict[str, float], values: dict[str, float], seed: int) -> dict[str, float]:
    """Return a random motion: the symbols of platform and joints, with joint rates and accelerations."""
    rng = np.random.default_rng(seed)
    closed, joints = robot.to_closed(), all_joints(robot, joints)
    closing, oracle = Closing(closed), Constrained(closed, {**values, **joints})
    tree = closed.tree_joints
    q = np.array([joints[closed.variable(j)] for j in tree])
    qd = closing.velocities({**values, **joints}) @ rng.normal(size=closing.velocities({**values, **joints}).shape[1])
    qdd = oracle.accelerations(q, qd, np.array([rng.normal() * 10 * closed.frame(j).mu for j in tree]))
    model = oracle.oracle.model
    data = model.createData()
    pin.forwardKinematics(model, data, oracle.oracle.q(q), oracle.oracle.v(qd), oracle.oracle.v(qdd))
    pin.updateFramePlacements(model, data)
    last = len(robot.legs[0])
    number = last + 1 if closed.frame(last + 1).sigma == 2 and closed.frame(last + 1).ant == last else last
    frame, world = oracle.oracle.frames[number], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    numbers = [
        *data.oMf[frame].rotation.ravel(), *data.oMf[frame].translation,
        *pin.getFrameVelocity(model, data, frame, world).vector,
        *pin.getFrameClassicalAcceleration(model, data, frame, world).vector,
    ]  # fmt: skip
    found = dict(zip((*POSE, *TWIST, *ACCELERATION), map(float, numbers), strict=True))
    found |= {f"QP{j}": float(x) for j, x in zip(tree, qd, strict=True)}
    return values | joints | found | {f"QDP{j}": float(x) for j, x in zip(tree, qdd, strict=True)}


same = partial(agree, tolerance=1e-7)  # loops are closed by Newton's method
LONG = [
    "delta_pa",
    "gough33 with a seventh motor",
    "six random legs",
    "tricept",
    "rps",
    "upu",
    "rpr",
    "tricept with a fourth motor",
]


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long=LONG))
def test_platform_and_loops_give_the_same_efforts(name: str) -> None:
    robot = ROBOTS[name]()
    values = values_of(robot, np.random.default_rng(3))
    closed = robot.to_closed()
    models = rs.inverse_dynamics(robot), rs.inverse_dynamics(closed)
    assert [closed.variable(int(n[3:])) for n in models[1].outputs["tau"]] == list(robot.motor_names)
    for joints in list(positions(robot))[:2]:
        given = motion(robot, joints, values, 1)
        same(*(on_graph(model, given) for model in models))
    if len(robot.motors) > robot.reference.freedom:
        weights = dict(zip(robot.motor_names, (1.0, 4.0, 0.5, 9.0, 2.0, 3.0, 7.0), strict=False))
        weighted = [rs.inverse_dynamics(one, weights=weights) for one in (robot, closed)]
        same(*(on_graph(model, given) for model in weighted))
        tau = on_graph(weighted[0], given)
        assert np.abs(tau - on_graph(models[0], given)).max() > 1e-3
    else:
        with pytest.raises(rs.InputError, match="weights: it has no more motors than degrees of freedom"):
            rs.inverse_dynamics(robot, weights={robot.motor_names[0]: 2})


@pytest.mark.parametrize("name", quick_and_long(["rpr", "delta", "tricept", "delta_pa"], long="delta tricept delta_pa"))
def test_efforts_with_legs_in_other_branches(name: str) -> None:
    """In branches chosen by `modes`, the efforts agree with those of the loops."""
    robot = ROBOTS[name]()
    values = values_of(robot, np.random.default_rng(3))
    pose = robot.reference.pose
    counts = rs.inverse_geometry(robot).leg_modes
    names = [robot.variable(j) for j in robot.tree_joints]
    rng = np.random.default_rng(5)
    tried = 0
    for _ in range(6):
        modes = [int(rng.integers(n)) for n in counts]
        try:
            joints = rs.inverse_geometry(robot, modes=modes).solve(pose, passive=True)
        except rs.InputError:
            continue
        there = dict(zip(names, map(float, joints), strict=True))
        given = motion(robot, there, values, 2)
        closed = rs.inverse_dynamics(replace(robot.to_closed(), position=all_joints(robot, there)))
        same(on_graph(rs.inverse_dynamics(robot, modes=modes), given), on_graph(closed, given))
        tried += 1
        if tried == 2:
            return
    assert tried


def test_closed_robot_numbers_variables_by_frame() -> None:
    """Rates, accelerations and efforts of a joint carry the number of its frame."""
    closed = rs.load("tricept").to_closed()
    model = rs.inverse_dynamics(closed)
    numbers = [int(name[3:]) for name in model.outputs["tau"]]
    assert model.inputs["qd"] == tuple(f"QP{j}" for j in numbers)
    assert model.inputs["qdd"] == tuple(f"QDP{j}" for j in numbers)
    assert [closed.variable(j) for j in numbers] == ["r3", "r9", "r15"]
    hybrid = rs.load("tricept_wrist").to_closed()
    assert all(hybrid.joint(j).QP.name == f"QP{j}" for j in hybrid.tree_joints)


#: further properties of legs besides inertia, viscous and Coulomb friction: leg, link, entries
LOADS = {
    "a spring in a passive joint": (0, 1, "eta: 1, k: 40, rest: 0.3"),
    "friction of a motor": (0, 3, "FS: 2, friction: {OFF: 1.5, smooth: 0.1}"),
    "friction of a passive joint": (1, 2, "FS: 1, friction: {FB: 0.7, stribeck: 0.2}"),
    "friction in a ball": (0, 5, "friction: {OFF: 0.8}"),
}


@pytest.mark.parametrize("name", quick_and_long(LOADS, long=["friction of a motor"]))
def test_models_include_springs_and_friction_of_legs(name: str) -> None:
    """The robot is read from a file and compared with the closed robot and with one without springs."""
    leg, link, entry = LOADS[name]
    plain = rs.load("tricept")
    text = plain.dumps()
    parts = text.split("  - frames:")
    lines = parts[leg + 1].splitlines()
    at = next(k for k, line in enumerate(lines) if line.strip().startswith(f"{link}:")) if link < 4 else None
    if at is None:
        at = next(k for k, line in enumerate(lines) if line.strip().startswith("place:"))
        lines.insert(at, f"      {link}: {{{entry}}}")
    else:
        kept = lines[at].rstrip().rstrip("}")
        kept = kept.replace("FS: FS3", "FV: 0").replace(", FV: FV3, FV: 0", "") if "FS:" in entry else kept
        lines[at] = f"{kept}, {entry}}}"
    parts[leg + 1] = "\n".join(lines) + "\n"
    robot = rs.loads("  - frames:".join(parts), format="yaml")
    assert rs.loads(robot.dumps(), format="yaml") == robot
    values = values_of(robot, np.random.default_rng(3)) | values_of(plain, np.random.default_rng(3))
    given = motion(robot, list(positions(robot))[1], values, 1)
    found = on_graph(rs.inverse_dynamics(robot), given)
    same(found, on_graph(rs.inverse_dynamics(robot.to_closed()), given))
    assert np.abs(found - on_graph(rs.inverse_dynamics(plain), given)).max() > 1e-3
    accelerations = rs.direct_dynamics(robot)
    given |= {f"GAM{j}": float(x) for j, x in zip(robot.motors, found, strict=True)}
    same(on_graph(accelerations, given), np.array([given[n] for n in ACCELERATION]))
    with pytest.raises(rs.InputError, match="identification models"):
        rs.dynamic_identification(robot)


def test_rejects_spring_at_a_motor() -> None:
    text = rs.load("fivebar").dumps().replace("1: {ZZ: ZZ1", "1: {eta: 1, k: 5, ZZ: ZZ1")
    with pytest.raises(rs.InputError, match="must be passive"):
        rs.inverse_dynamics(rs.loads(text, format="yaml"))


def test_rejects_position_dependent_friction_of_legs() -> None:
    text = rs.load("fivebar").dumps().replace("2: {ZZ: ZZ2", "2: {friction: {FC: [2, sin(q)]}, ZZ: ZZ2")
    with pytest.raises(rs.InputError, match="expected terms that depend on the velocity only"):
        rs.inverse_dynamics(rs.loads(text, format="yaml"))


def test_rejects_drive_of_the_platform() -> None:
    text = rs.load("fivebar").dumps().replace("platform: {", "platform: {friction: {OFF: 1}, ")
    with pytest.raises(rs.FormatError, match="the platform has no motor"):
        rs.loads(text, format="yaml")
