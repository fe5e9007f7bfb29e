"""Redundant arms: solutions at a redundancy parameter, curves of the self-motion, intervals within limits.

Newton's method from random configurations, which shares nothing with the curves, says which positions reach a pose.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import NumericChain
from robosym.solve.self_motion import SelfMotion

PANDA = np.array([
    [-2.8973, 2.8973], [-1.7628, 1.7628], [-2.8973, 2.8973], [-3.0718, -0.0698], [-2.8973, 2.8973], [-0.0175, 3.7525],
    [-2.8973, 2.8973],
])  # fmt: skip
IIWA = np.radians([[-170, 170], [-120, 120], [-170, 170], [-120, 120], [-170, 170], [-120, 120], [-175, 175]])
LIMITS = {"panda": PANDA, "iiwa14": IIWA}
#: positions whose self-motion is hard to find: curves of a short range of the last joint, an arm nearly straight
HARD = {
    "panda": [2.0023166, -0.16530345, -0.8475206, -1.66195722, 1.16451208, 0.77237318, 1.54803115],
    "iiwa14": [-1.34072807, 0.63302944, -1.39313289, 0.02130605, 2.40523605, -1.8904356, 1.06867003],
}


@cache
def arm(name: str) -> tuple[rs.Robot, Any, Any]:
    robot = rs.load(name)
    return robot, rs.inverse_geometry(robot), rs.direct_geometry(robot).compile()


def around(d: Array) -> Array:
    return np.asarray(d - 2 * np.pi * np.round(d / (2 * np.pi)))


def reached(motion: SelfMotion, starts: int) -> Array:
    """Positions with the pose of a self-motion that Newton's method finds from random configurations."""
    chain: NumericChain = motion.tracer.chain
    rng = np.random.default_rng(4)
    q, errors = chain.polish(rng.uniform(-np.pi, np.pi, (starts, 7)), np.broadcast_to(motion.pose, (starts, 4, 4)))
    return np.asarray(q[errors < 1e-12])


def place_on(motion: SelfMotion, q: Array) -> tuple[float, int, float]:
    """The least distance of a position from the curves, the curve, and the place on it."""
    best = (np.inf, -1, 0.0)
    for curve in motion:
        s = np.linspace(0, curve.length, 600, endpoint=False)
        k = int(np.argmin((around(curve.at(s) - q) ** 2).sum(axis=1)))
        for width in (curve.length / 600, curve.length / 30_000, curve.length / 1_500_000):
            s = s[k] + np.linspace(-width, width, 51)
            s = s if curve.closed else np.clip(s, 0, curve.length)
            apart = (around(curve.at(s) - q) ** 2).sum(axis=1)
            k = int(np.argmin(apart))
        best = min(best, (float(np.sqrt(apart[k])), curve.number, float(s[k])))
    return best


@pytest.mark.parametrize("name", ["panda", "iiwa14"])
def test_curves_contain_every_position_with_the_pose(name: str) -> None:
    _, igm, forward = arm(name)
    for q in (HARD[name], [0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8]):
        motion = igm.self_motion(forward(q=q), limits=LIMITS[name])
        for row in reached(motion, 60)[:8]:
            distance, number, s = place_on(motion, row)
            assert distance < 1e-5
            middle, half = LIMITS[name].mean(axis=1), np.diff(LIMITS[name], axis=1)[:, 0] / 2
            margin = (half - np.abs(around(row - middle))).min()
            ranges = [(part.start, part.end) for part in motion[number].intervals]
            turns = (-motion[number].length, 0.0, motion[number].length)
            inside = any(a <= s + turn <= b for a, b in ranges for turn in turns)
            assert inside == (margin > 0) or abs(margin) < 1e-3


@pytest.mark.parametrize("name", ["panda", "iiwa14"])
def test_intervals_end_exactly_at_limits(name: str) -> None:
    _, igm, forward = arm(name)
    T = forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    limits = LIMITS[name]
    motion = igm.self_motion(T, limits=limits)
    ends = 0
    for curve, interval in motion.intervals:
        for row, bound, psi in zip(interval.q, interval.bounds, interval.redundancy, strict=True):
            assert np.abs(forward(q=row) - T).max() < 1e-12
            assert (row > limits[:, 0] - 1e-8).all() and (row < limits[:, 1] + 1e-8).all()
            assert igm.redundancy_of(row) == psi
            if bound:
                joint, side = bound.split()
                place = motion.joints.index(joint)
                assert abs(row[place] - limits[place][int(side == "upper")]) < 1e-12
                ends += 1
        for s, inside in ((interval.start - 1e-6, False), (interval.start + 1e-6, True), (interval.end - 1e-6, True)):
            if interval.bounds[0]:
                q = curve.at(s)
                assert ((q > limits[:, 0]) & (q < limits[:, 1])).all() == inside
    assert ends > 4
    samples = motion.sample(50)
    assert 40 < len(samples) < 60 and np.abs(forward(q=samples) - T).max() < 1e-12


def test_every_solution_at_a_value_lies_on_a_curve() -> None:
    _, igm, forward = arm("panda")
    T = forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    found = igm.solve(T, redundancy=-0.8)
    assert found.joints == tuple(f"t{j}" for j in range(1, 8)) and (np.asarray(found)[:, 6] == -0.8).all()
    assert np.abs(forward(q=np.asarray(found)) - T).max() < 1e-12
    motion = igm.self_motion(T)
    assert max(place_on(motion, row)[0] for row in np.asarray(found)) < 1e-5
    crossings = 0
    for curve in motion:
        psi = around(np.unwrap(curve.redundancy) + 0.8)
        crossings += int((np.abs(np.diff(psi)) < 1).astype(int) @ (np.diff(np.sign(psi)) != 0))
    assert crossings == len(found)


def test_folds_are_where_branches_meet() -> None:
    _, igm, forward = arm("panda")
    motion = igm.self_motion(forward(q=HARD["panda"]))
    curve = motion[0]
    assert len(curve.folds) >= 2
    for point in curve.folds:
        beside = [len(igm.solve(motion.pose, redundancy=point.value + d)) for d in (-1e-4, 1e-4)]
        assert abs(beside[0] - beside[1]) in (2, 4)  # two arms of the shoulder have the same fold


def test_nearest_returns_the_start_position() -> None:
    _, igm, forward = arm("iiwa14")
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = rng.uniform(IIWA[:, 0], IIWA[:, 1])
        found = igm.solve(forward(q=q), near=q, limits=IIWA)
        assert np.abs(np.asarray(found)[0] - q).max() < 1e-9
        goal = q + rng.normal(size=7) * 0.05
        motion = igm.self_motion(forward(q=q), limits=IIWA)
        best = motion.nearest(goal)[0]
        fine = [curve.at(np.linspace(part.start, part.end, 4000)) for curve, part in motion.intervals]
        least = min(float(np.linalg.norm(rows - goal, axis=1).min()) for rows in fine)
        assert best.value <= least + 1e-12 and best.value > least - 1e-4


@pytest.mark.parametrize("criterion", ["limits", "manipulability", "own"])
def test_best_exceeds_every_sample(criterion: str) -> None:
    _, igm, forward = arm("panda")
    T = forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    motion = igm.self_motion(T, limits=PANDA)
    middle, half = PANDA.mean(axis=1), np.diff(PANDA, axis=1)[:, 0] / 2
    functions = {
        "limits": lambda q: (1 - np.abs(q - middle) / half).min(),
        "manipulability": motion.manipulability, "own": lambda q: -float(np.sum(q**2)),
    }  # fmt: skip
    best = motion.best(functions["own"] if criterion == "own" else criterion)
    most = max(functions[criterion](row) for row in motion.sample(400))
    assert best is not None and best.value >= most and best.value < most + 0.05
    assert abs(functions[criterion](best.q) - best.value) < 1e-9


def test_finds_curves_without_closed_form() -> None:
    robot = rs.load("gen3")
    igm, forward = rs.inverse_geometry(robot, "general", redundant="t3"), rs.direct_geometry(robot).compile()
    assert igm.method == "general"
    motion = igm.self_motion(forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8]))
    assert len(motion) == 8 and all(curve.closed for curve in motion)
    for row in reached(motion, 40)[:6]:
        assert place_on(motion, row)[0] < 1e-5


def test_parameter_is_a_moving_joint() -> None:
    """Offsets of millimeters: the elbow, which leaves a closed form, moves by less than 0.01 rad along the curves."""
    offsets = (0.28, 0.0016, 0.41, 0.0114, 0.31, 0.0, 0.1)
    rows = [f"  - {{alpha: {'0' if j == 1 else 'Pi/2'}, theta: t{j}, r: {r}}}" for j, r in enumerate(offsets, 1)]
    robot = rs.loads("name: arm\nframes:\n" + "\n".join(rows) + "\ngravity: [0, 0, -9.81]\n", "yaml")
    T = rs.direct_geometry(robot).compile()(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    default, elbow = rs.inverse_geometry(robot), rs.inverse_geometry(robot, redundant="t4")
    assert (default.redundancy, default.method, elbow.still) == ("t3", "paul", True)
    for igm in (default, elbow):
        motion = igm.self_motion(T)
        assert np.ptp(motion[0].points[:, 3]) < 0.02
        for row in reached(motion, 40)[:8]:
            assert place_on(motion, row)[0] < 1e-5


def test_free_rotation_about_an_axis_is_a_self_motion() -> None:
    robot = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
    tool = [0.1, 0.0, 0.2, 0.0, 0.7, 0.0]
    igm = rs.inverse_geometry(robot, given="aP", tool=tool)
    forward = rs.inverse_geometry(robot, tool=tool).solver.numeric({}).forward
    q = np.array([0.3, 0.4, -0.5, 0.6, 0.7, 0.8])
    T = forward(q[None])[0]
    motion = igm.self_motion(T)
    for curve in motion:
        poses = forward(np.asarray(curve.points))
        assert np.abs(poses[:, :3, 2:] - T[:3, 2:]).max() < 1e-12
        assert np.ptp(poses[:, 0, 0]) > 0.1  # it turns about the axis
    assert motion.nearest(q)[0].value < 1e-9


def test_rejects_invalid_arguments() -> None:
    _, igm, forward = arm("panda")
    T = forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    with pytest.raises(rs.Error, match="infinitely many solutions"):
        igm.solve(T)
    with pytest.raises(rs.Error, match="redundancy: expected a value of t7, or one for each pose"):
        igm.solve(T, redundancy=[1.0, 2.0])
    with pytest.raises(rs.Error, match="criterion"):
        igm.self_motion(T).best("speed")
    with pytest.raises(rs.Error, match="needs limits"):
        igm.self_motion(T).best()
    with pytest.raises(rs.Error, match="no joint more than the pose needs"):
        rs.inverse_geometry(rs.load("rx90")).solve(np.eye(4), redundancy=0.3)
    with pytest.raises(rs.Error, match="one joint more"):
        rs.inverse_geometry(rs.load("rx90"), redundant="t3")
    far = T.copy()
    far[0, 3] = 9.0
    assert len(igm.self_motion(far)) == 0 and not len(igm.solve(far, near=[0.0] * 7))


def test_arm_angle_is_the_rotation_of_the_elbow() -> None:
    _, igm, forward = arm("iiwa14")
    q = np.array([0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    T, psi = forward(q=q), float(igm.redundancy_of(q))
    found = igm.solve(T, redundancy=psi)
    assert igm.redundancy == "arm_angle" and len(found) == 8 and np.abs(np.asarray(found) - q).max(axis=1).min() < 1e-9
    elbow = rs.direct_geometry(rs.load("iiwa14"), 0, 4).compile()
    shoulder, wrist = np.array([0, 0, 0.36]), T[:3, 3] - 0.126 * T[:3, 2]
    u = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    before = elbow(q=q)[:3, 3] - shoulder
    for turn in (0.3, -2.0):  # the elbow turns about the line by as much as the angle
        turned = before * np.cos(turn) + np.cross(u, before) * np.sin(turn) + u * (u @ before) * (1 - np.cos(turn))
        for row in np.asarray(igm.solve(T, redundancy=psi + turn)):
            assert np.abs(elbow(q=row)[:3, 3] - shoulder - turned).max() < 1e-12
    assert not any(curve.folds for curve in igm.self_motion(T))
    scope: dict[str, Any] = {}
    exec(igm.code("python"), scope)
    status, rows = scope["igm"](T.tolist(), [psi])
    assert status == 0 and np.abs(np.sort(rows, axis=0) - np.sort(found, axis=0)).max() < 1e-9


def test_curves_end_where_the_shoulder_is_singular() -> None:
    _, igm, forward = arm("iiwa14")
    q = np.array([0.3, 0, 0.2, -1, 0.2, 0.4, 0.1])
    T = forward(q=q)
    assert set(igm.solve(T, redundancy=float(igm.redundancy_of(q))).free) == {("t1", "t3")}
    motion = igm.self_motion(T)
    # two elbows and two wrists: two arcs each on which the elbow turns, and two on which the first joint does
    assert len(motion) == 16 and not any(curve.closed for curve in motion) and motion.complete is False
    assert place_on(motion, q)[0] < 1e-5
    straight = forward(q=[0.3, 0.5, 0.2, 0, 0.2, 0.4, 0.1])
    assert igm.self_motion(straight).complete is False


def test_another_parameter_gives_the_same_curves() -> None:
    robot, igm, forward = arm("iiwa14")
    T = forward(q=[0.4, 0.7, -0.5, -1.3, 0.6, 1.1, -0.8])
    other = rs.inverse_geometry(robot, redundant="t3")
    one, two = (np.sort([curve.length for curve in model.self_motion(T)]) for model in (igm, other))
    assert other.redundancy == "t3" and np.abs(one - two).max() < 1e-2
    with pytest.raises(rs.Error, match="no arm angle"):
        rs.inverse_geometry(rs.load("gen3"), redundant="arm_angle")
