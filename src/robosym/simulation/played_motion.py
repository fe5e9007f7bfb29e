"""Motions to animate: the poses of all frames and the curves of the plots, from points, a file or a simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robosym.drawing.draw import poses_of_motion
from robosym.drawing.parts import Array
from robosym.drawing.posture import Posture
from robosym.dynamics import inverse_dynamics
from robosym.errors import Error, InputError
from robosym.simulation.motions import columns_of, point_to_point
from robosym.simulation.run import Simulation
from robosym.solve.reaching import follow_joints

__all__ = ["MotionPanel", "PlayedMotion", "motion_through", "played_simulation", "read_motion"]

_PICTURES = 240  #: number of pictures of a motion; poses between them are interpolated
_POINTS = 800  #: number of points of a curve
_DIGITS = 5  #: number of digits of the poses
_RATE = 50.0  #: samples per second of a trajectory
_LONGEST = 3600.0  #: maximum duration of a motion, in seconds


@dataclass(frozen=True)
class MotionPanel:
    """The curves of one plot over time."""

    title: str
    names: tuple[str, ...]
    values: list[list[float]]  #: one list per curve


@dataclass(frozen=True)
class PlayedMotion:
    """A motion as plain data: times and poses of the pictures, and plotted curves with their own times."""

    t: list[float]
    poses: list[list[list[float]]]  #: twelve numbers per picture and frame
    times: list[float]
    panels: tuple[MotionPanel, ...]
    summary: str = ""

    def way(self, frame: int) -> list[list[float]]:
        """Return the path of the origin of a frame, one point per picture."""
        return [[picture[frame][k] for k in (3, 7, 11)] for picture in self.poses]


def _spread(t: Array, most: int) -> NDArray[np.intp]:
    """Return at most `most` evenly spaced sample indices, including the first and the last."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), most)).round().astype(int))


def _played(t: Array, poses: Array, lines: Mapping[str, tuple[Array, Sequence[str]]]) -> PlayedMotion:
    """Return the motion sampled at `t`, with the poses of the frames (pictures, frames, 4, 4)."""
    chosen = _spread(t, _POINTS)
    panels = tuple(
        MotionPanel(group, tuple(names), [[float(f"{x:.6g}") for x in line] for line in np.asarray(values)[chosen].T])
        for group, (values, names) in lines.items()
    )
    return PlayedMotion(
        t[_spread(t, _PICTURES)].tolist(),
        np.round(poses[:, :, :3].reshape(len(poses), -1, 12), _DIGITS).tolist(),
        [float(f"{x:.6g}") for x in t[chosen]], panels, f"{len(t)} samples, {t[-1]:g} s",
    )  # fmt: skip


def played_simulation(run: Simulation, numbers: Mapping[str, float]) -> PlayedMotion:
    """Return the motion of a simulation; `numbers` are the values of symbols in the frames."""
    drawn, positions = run._drawn()
    shown, bases = _spread(run.t, _PICTURES), run._bases()
    _, poses = poses_of_motion(
        drawn, [positions[k] for k in shown], None if bases is None else bases[shown], values=numbers
    )
    return _played(run.t, poses, run.plot().panels)


def read_motion(posture: Posture, path: str | Path) -> PlayedMotion:
    """Read a motion from a .csv file with columns t and q1, q2, .. (tree joints, or motors of a closed robot)."""
    columns = columns_of(str(path))
    t = np.asarray(columns["t"], dtype=float)
    if len(t) < 2 or not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise InputError(f"{Path(path).name}: expected at least two increasing times")
    if "q" not in columns:
        raise InputError(f"{Path(path).name}: expected columns q1, q2, .. in addition to t")
    return _along(posture, t, {name: columns[name] for name in ("q", "qd", "qdd") if name in columns})


def motion_through(posture: Posture, points: Sequence[Mapping[str, float]], seconds: float = 2.0) -> PlayedMotion:
    """Return a motion that stops at every point, with `seconds` per segment and polynomials of degree 5."""
    if len(points) < 2:
        raise InputError("expected at least two points")
    if not (math.isfinite(seconds) and 0 < seconds * (len(points) - 1) <= _LONGEST):
        raise InputError(f"expected more than 0 and at most {_LONGEST:g} s in all, found {seconds!r} per segment")
    names = [posture.closed.variable(j) for j in posture.movable]
    motion = point_to_point([[point[name] for name in names] for point in points], seconds, _RATE)
    return _along(posture, motion.t, {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}, points[0])


def _along(
    posture: Posture, t: Array, groups: Mapping[str, Array], start: Mapping[str, float] | None = None
) -> PlayedMotion:
    """Return the motion of the joints that have sliders, with torques if the robot is numeric."""
    names = [posture.closed.variable(j) for j in posture.movable]
    tree = [posture.closed.variable(j) for j in posture.closed.tree_joints]
    q = groups["q"]
    if q.shape[1] == len(tree) != len(names):
        q = q[:, [tree.index(name) for name in names]]
    if q.shape[1] != len(names):
        raise InputError(f"expected {len(names)} columns of q ({', '.join(names)}), found {q.shape[1]}")
    here = posture.joints if start is None else posture.whole(start)
    joints = follow_joints(posture.numeric, here, names, q[_spread(t, _PICTURES)])
    poses = np.array([posture.numeric.poses(one) for one in joints])
    lines = {"q": (q, names)} | {name: (groups[name], names) for name in ("qd", "qdd") if name in groups}
    torques = _torques(posture, groups, names)
    if torques is not None:
        lines["tau"] = (torques, names)
    return _played(t, poses, lines)


def _torques(posture: Posture, groups: Mapping[str, Array], names: Sequence[str]) -> Array | None:
    """Return the torques of an open robot whose parameters are all numbers, or None for other robots."""
    robot = posture.robot
    if posture.closed.loops or not {"qd", "qdd"} <= set(groups):
        return None
    known = {symbol.name: symbol.value for symbol in posture.symbols}
    try:
        model = inverse_dynamics(robot.with_values(known))
        if set(model.inputs) - {"q", "qd", "qdd"} or len(model.inputs["q"]) != len(names):
            return None
        return np.asarray(model.compile()(**{name: groups[name] for name in ("q", "qd", "qdd")}))
    except Error:
        return None
