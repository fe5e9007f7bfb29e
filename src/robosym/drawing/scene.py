"""A robot in a position as data: solids, axes and frames with names, and the poses that place them.

SVG, PNG, the page that turns and any other surface draw the same scene. Another position is another set of poses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import numeric_value, symbols
from robosym.coordinates.numeric_robot import Given, NumericRobot
from robosym.drawing.parts import Array, AxisLine, Solid
from robosym.drawing.posture import drawn_position
from robosym.drawing.solids import Anatomy
from robosym.drawing.stand_ins import stand_ins
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import frame_geometry

__all__ = ["Scene", "scene"]

_APART = 1e-3  #: of the reach: sides of a loop farther apart than this are seen to be open


@dataclass(frozen=True, eq=False)
class Scene:
    """What there is to draw; lengths in metres, angles in radians, points in frame 0 or in the frame that is named."""

    name: str
    title: str
    numeric: NumericRobot  #: the robot in numbers; a parallel robot as the closed one that it is
    joints: Mapping[str, float]  #: the position, by joint variable, cut joints included
    poses: Array  #: (frames + 1, 4, 4) of every frame in frame 0, that of frame 0 first
    solids: tuple[Solid, ...]
    axes: tuple[AxisLine, ...]
    up: tuple[float, float, float]  #: against gravity
    floor: float | None  #: its height along `up`, where there is one
    reach: float  #: the diagonal of all that is drawn
    gaps: tuple[tuple[int, int], ...] = ()  #: pairs of frames that a loop should close and this position does not

    @property
    def robot(self) -> Robot:
        """The robot with numbers in its frames."""
        return self.numeric.robot

    def moved(self, q: Given) -> Scene:
        """The same robot in another position; of a closed one the motors do."""
        return self.standing(drawn_position(self.numeric, q))

    def standing(self, joints: Mapping[str, float]) -> Scene:
        """The same robot at the values of all its joints, cut ones included."""
        poses = self.numeric.poses(joints)
        return replace(self, joints=dict(joints), poses=poses, gaps=_open(self.robot, poses, self.reach))

    def data(self) -> dict[str, Any]:
        """Everything as plain lists and numbers, to be sent as JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "joints": dict(self.joints),
            "poses": self.poses[:, :3].reshape(len(self.poses), 12).tolist(),
            "solids": [asdict(solid) for solid in self.solids],
            "axes": [asdict(line) for line in self.axes],
            "frames": self.frames,
            "loops": [list(pair) for pair in self.robot.loops],
            "gaps": [list(pair) for pair in self.gaps],
            "up": list(self.up),
            "floor": self.floor,
            "reach": self.reach,
        }

    @property
    def frames(self) -> list[dict[str, Any]]:
        """Number, antecedent and names of every frame."""
        names: dict[int, list[str]] = {}
        for name, j in self.robot.frame_names.items():
            names.setdefault(j, []).append(name)
        ants = [-1, *(frame.ant for frame in self.robot.frames)]
        return [{"frame": j, "ant": ant, "names": names.get(j, [])} for j, ant in enumerate(ants)]


def scene(robot: Robot, q: Given = None, *, values: Mapping[str, float] | None = None) -> Scene:
    """The scene of a robot at the joint positions `q`, with `values` for its symbols.

    `q` holds all joints of the tree or, of a closed robot, its motors, in order or by name. Without it the robot stands
    as its description says (`picture`, `position`), or so that it is seen well. Symbols without a value have that of
    `picture`, or a sensible length.
    """
    if not isinstance(robot, Robot):
        raise InputError(f"draw: expected a Robot, found {type(robot).__name__}")
    closed = robot.to_closed()
    mechanism = NumericRobot(closed, stand_ins(closed, values or {}))
    numeric = mechanism.robot
    joints = drawn_position(mechanism, q)
    poses = mechanism.poses(joints)
    up = _up(closed)
    anatomy = Anatomy(numeric, frame_geometry(numeric.frames, joints), poses, np.array(up))
    return Scene(
        robot.name, robot.title, mechanism, joints, poses, anatomy.solids, anatomy.axes(), up, anatomy.floor,
        anatomy.reach, _open(numeric, poses, anatomy.reach),
    )  # fmt: skip


def _up(robot: Robot) -> tuple[float, float, float]:
    """Against gravity: the axis of frame 0 along which it has an entry, z where that does not tell."""
    given = [None if list(symbols([g])) else numeric_value(g) for g in robot.gravity]
    numbers = np.array([0.0 if g is None else g for g in given])
    if any(g is None for g in given):
        vector = np.array([float(g is None) for g in given])
        vector = vector if vector.sum() == 1 else np.array([0.0, 0.0, 1.0])
    else:
        vector = -numbers if numbers.any() else np.array([0.0, 0.0, 1.0])
    x, y, z = vector / np.linalg.norm(vector)
    return (float(x), float(y), float(z))


def _open(robot: Robot, poses: Array, reach: float) -> tuple[tuple[int, int], ...]:
    """Loops whose two sides are visibly apart."""

    def gap(cut: int, fixed: int) -> float:
        return float(np.linalg.norm(poses[cut][:3, 3] - poses[fixed][:3, 3]))

    return tuple(pair for pair in robot.loops if gap(*pair) > _APART * reach)
