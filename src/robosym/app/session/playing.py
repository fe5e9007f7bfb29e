"""Motions that a page plays: a trajectory through points or of a file, a simulation; pictures with plots in step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import robosym as rs
from robosym.app.session.requests import Request
from robosym.app.session.robot_posture import Posture
from robosym.drawing.draw import poses_of_motion
from robosym.drawing.parts import Array
from robosym.errors import Error, InputError
from robosym.simulation.motions import columns_of

__all__ = ["MotionPanel", "PlayedMotion", "read_motion", "simulated", "travelled"]

_PICTURES = 240  #: of a motion; between them poses are blended
_POINTS = 800  #: of a line
_DIGITS = 5  #: of what is drawn
_RATE = 50.0  #: samples a second of a trajectory
_LONGEST = 3600.0  #: seconds of a motion


@dataclass(frozen=True)
class MotionPanel:
    """Lines over time."""

    title: str
    names: tuple[str, ...]
    values: list[list[float]]  #: a list for each line


@dataclass(frozen=True)
class PlayedMotion:
    """Plain data: times and poses of pictures, the way of the flange, lines over their own times."""

    title: str
    t: list[float]
    poses: list[list[list[float]]]  #: by picture and frame, twelve numbers
    times: list[float]
    panels: tuple[MotionPanel, ...]
    end: Mapping[str, float]  #: joints where it ends, of the drawn robot
    said: str = ""

    def way(self, frame: int) -> list[list[float]]:
        """The origin of a frame along the motion."""
        return [[picture[frame][k] for k in (3, 7, 11)] for picture in self.poses]


def _thinned(
    t: Array, groups: Mapping[str, tuple[Array, Sequence[str]]]
) -> tuple[list[float], tuple[MotionPanel, ...]]:
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), _POINTS)).round().astype(int))
    panels = tuple(
        MotionPanel(title, tuple(names), [[float(f"{x:.6g}") for x in line] for line in np.asarray(values)[chosen].T])
        for title, (values, names) in groups.items()
    )
    return [float(f"{x:.6g}") for x in t[chosen]], panels


def _plain(poses: Array) -> list[list[list[float]]]:
    found: list[list[list[float]]] = np.round(poses[:, :, :3].reshape(len(poses), -1, 12), _DIGITS).tolist()
    return found


def simulated(
    request: Request, numbers: Mapping[str, float], tell: Callable[[str], None] | None = None
) -> PlayedMotion:
    """A simulation as the command `simulate` runs it, the symbols of the frames having these numbers."""
    values = request.run_values()
    robot = values["robot"] if not isinstance(values["robot"], str) else rs.load(values["robot"])
    known = {name: value for name, value in numbers.items() if name in robot.parameters}
    values["robot"] = robot.with_values(known) if known else robot
    if tell is not None:
        tell("the motion")
    run = request.row.run(values, tell).result
    if tell is not None:
        tell("the pictures")
    drawn, positions = run._drawn()
    shown = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), _PICTURES)).round().astype(int))
    bases = run._bases()
    scene, poses = poses_of_motion(
        drawn, [positions[k] for k in shown], None if bases is None else bases[shown], values=numbers
    )
    times, panels = _thinned(run.t, run.plot().panels)
    said = f"{len(run.t)} samples, {run.t[-1]:g} s"
    return PlayedMotion(
        "Simulation", [float(x) for x in run.t[shown]], _plain(poses), times, panels, dict(scene.joints), said
    )


def read_motion(posture: Posture, path: str | Path) -> PlayedMotion:
    """A motion of a .csv file: t, then q1 .. of all joints of the tree, or of the motors of a closed robot."""
    columns = columns_of(str(path))
    t = np.asarray(columns["t"], dtype=float)
    if len(t) < 2 or not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise InputError(f"{Path(path).name}: expected times that grow, two or more")
    if "q" not in columns:
        raise InputError(f"{Path(path).name}: expected columns q1, q2, .. beside t")
    return _along(
        posture, "Trajectory", t, {name: np.asarray(columns[name]) for name in ("q", "qd", "qdd") if name in columns}
    )


def travelled(posture: Posture, points: Sequence[Mapping[str, float]], seconds: float = 2.0) -> PlayedMotion:
    """From point to point in so many seconds each, at rest in every one: polynomials of fifth degree."""
    if len(points) < 2:
        raise InputError("expected two points or more: a trajectory leads from one to the next")
    if not (math.isfinite(seconds) and 0 < seconds * (len(points) - 1) <= _LONGEST):
        raise InputError(f"expected more than 0 and at most {_LONGEST:g} s in all, found {seconds!r} for each way")
    names = [posture.closed.variable(j) for j in posture.movable]
    stops = np.array([[point[name] for name in names] for point in points])
    count = max(2, round(seconds * _RATE))
    x = np.arange(count) / count
    shapes = (10 * x**3 - 15 * x**4 + 6 * x**5, (30 * x**2 - 60 * x**3 + 30 * x**4) / seconds,
              (60 * x - 180 * x**2 + 120 * x**3) / seconds**2)  # fmt: skip
    parts: list[list[Array]] = [[], [], []]
    for here, there in pairwise(stops):
        parts[0].append(here + shapes[0][:, None] * (there - here))
        parts[1].append(shapes[1][:, None] * (there - here))
        parts[2].append(shapes[2][:, None] * (there - here))
    zero = np.zeros((1, len(names)))
    groups = {
        "q": np.vstack([*parts[0], stops[-1:]]),
        "qd": np.vstack([*parts[1], zero]),
        "qdd": np.vstack([*parts[2], zero]),
    }
    t = np.arange(len(groups["q"])) * seconds / count
    return _along(posture, "Trajectory", t, groups, points[0])


def _along(
    posture: Posture, title: str, t: Array, groups: Mapping[str, Array], start: Mapping[str, float] | None = None
) -> PlayedMotion:
    """Pictures of the joints that have sliders, the others following; torques where the robot has numbers."""
    names = [posture.closed.variable(j) for j in posture.movable]
    tree = [posture.closed.variable(j) for j in posture.closed.tree_joints]
    q = groups["q"]
    if q.shape[1] == len(tree) != len(names):
        q = q[:, [tree.index(name) for name in names]]
    if q.shape[1] != len(names):
        raise InputError(f"expected {len(names)} columns of q ({', '.join(names)}), found {q.shape[1]}")
    shown = np.unique(np.linspace(0, len(t) - 1, min(len(t), _PICTURES)).round().astype(int))
    joints = posture.along(names, q[shown], start)
    poses = np.array([posture.numeric.poses(one) for one in joints])
    lines = {"q": (q, names)} | {name: (groups[name], names) for name in ("qd", "qdd") if name in groups}
    torques = _torques(posture, groups, names)
    if torques is not None:
        lines["tau"] = (torques, names)
    times, panels = _thinned(t, lines)
    said = f"{len(t)} samples, {t[-1]:g} s"
    return PlayedMotion(title, [float(x) for x in t[shown]], _plain(poses), times, panels, joints[-1], said)


def _torques(posture: Posture, groups: Mapping[str, Array], names: Sequence[str]) -> Array | None:
    """Of an open robot whose parameters are all numbers; None of any other."""
    robot = posture.robot
    if posture.closed.loops or not {"qd", "qdd"} <= set(groups):
        return None
    known = {symbol.name: symbol.value for symbol in posture.symbols}
    try:
        model = rs.inverse_dynamics(robot.with_values(known))
        if set(model.inputs) - {"q", "qd", "qdd"} or len(model.inputs["q"]) != len(names):
            return None
        return np.asarray(model.compile()(**{name: groups[name] for name in ("q", "qd", "qdd")}))
    except Error:
        return None
