"""A robot in a position as data: solids, axes and frames with names, and the poses that place them.

SVG, PNG, the page that turns and any other surface draw the same scene. Another position is another set of poses.
What a description leaves open, positions and symbolic lengths, is chosen so that the robot is seen well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from robosym.algebra import numeric_value, symbols
from robosym.coordinates.numeric_robot import Given, NumericRobot
from robosym.drawing.parts import Array, AxisLine, Solid
from robosym.drawing.solids import Anatomy
from robosym.errors import InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.numeric_tree import frame_geometry
from robosym.mechanism.screws import ANGLES

__all__ = ["Scene", "drawn_position", "scene", "stand_ins"]

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


_LENGTH = 0.4  #: of a link about which nothing is known, m


def stand_ins(robot: Robot, given: Mapping[str, float]) -> dict[str, float]:
    """A number for every symbol in the frames that is not a joint variable: as given, or else pictured, or chosen.

    A length is the median of the lengths that are numbers; frames that stand on the same link at symbolic angles are
    spread evenly around its axis.
    """
    variables = set(robot.variables)
    fields: dict[str, set[str]] = {}
    for frame in robot.frames:
        for name in GEOMETRY:
            for symbol in symbols([getattr(frame, name)]):
                if symbol not in variables:
                    fields.setdefault(symbol, set()).add(name)
    for name, value in given.items():
        if name not in fields and name not in robot.parameters:
            raise InputError(f"{robot.name} has no symbol {name}{closest(name, fields)}")
        if not math.isfinite(value):
            raise InputError(f"{name}: expected a finite number, found {value!r}")
    known = {name: value for name, value in robot.picture.items() if name in fields} | dict(given)
    length = _usual_length(robot, known)
    around = _around(robot)
    return {
        name: known[name] if name in known else around.get(name, math.pi / 2) if where <= set(ANGLES) else length
        for name, where in fields.items()
    }


def _usual_length(robot: Robot, known: Mapping[str, float]) -> float:
    entries = [getattr(frame, name) for frame in robot.frames for name in ("b", "d", "r")]
    numbers = [numeric_value(entry) for entry in entries]
    lengths = [abs(number) for number in numbers if number]
    lengths += [abs(known[entry.name]) for entry in entries if known.get(entry.name or "")]
    return median(lengths) if lengths else _LENGTH


def _around(robot: Robot) -> dict[str, float]:
    """Symbols that are alone in gamma of a frame: an even share of the turn among the frames of the same link."""
    found = {}
    for frame in robot.frames:
        name = frame.gamma.name
        if name is not None:
            brothers = [other for other in robot.frames if other.ant == frame.ant]
            found[name] = 2 * math.pi * brothers.index(frame) / len(brothers)
    return found


_TRIALS = 300  #: postures among which one is chosen


def drawn_position(robot: NumericRobot, q: Given) -> dict[str, float]:
    """Every joint: as q or the description says; where both are silent, so that little of an open robot hides."""
    if q is not None or robot.robot.loops or robot.has_position or not robot.names:
        return robot.at(q)
    postures = robot.random_positions(_TRIALS)
    for row in postures if robot.robot.couplings else ():
        row[:] = [*robot.coupled(dict(zip(robot.names, row, strict=True))).values()]
    origins = robot.poses_of_tree(postures)[..., :3, 3]
    best = int(np.argmax([_legibility(points) for points in origins]))
    return dict(zip(robot.names, map(float, postures[best]), strict=True))


def _legibility(points: Array) -> float:
    """How far the origins of a posture lie apart and above the foot."""
    size = np.zeros(3)  # a robot of one link has two points
    found = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    size[: len(found)] = found
    below = np.minimum(points[:, 2], 0).min()
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    far = np.abs(np.subtract.outer(range(len(points)), range(len(points)))) > 3
    clash = np.clip(0.25 * apart.max() - apart[far], 0, None).sum() if far.any() else 0.0
    return float(0.4 * size[0] + 1.5 * size[1] + 0.6 * size[2] + 2 * below - clash)
