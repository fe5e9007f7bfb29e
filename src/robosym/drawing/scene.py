"""Robot in a position as data: solids, axes and frames with names, and the poses that place them.

SVG, PNG and the interactive page draw the same scene. Another position is another set of poses. Positions and
symbolic lengths without values in the description are chosen so that the robot is clearly visible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from robosym.algebra import numeric_value, symbols
from robosym.coordinates.numeric_robot import Given, NumericRobot
from robosym.drawing.parts import Array, AxisLine, FramePoint, Solid
from robosym.drawing.solids import RobotSolids
from robosym.errors import InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.elements import length_entries
from robosym.mechanism.numeric_tree import frame_geometry
from robosym.mechanism.screws import ANGLES

__all__ = ["Scene", "drawn_position", "scene", "substitute_values"]

_APART = 1e-3  #: gap of a loop, relative to the reach, that is drawn as open


@dataclass(frozen=True, eq=False)
class Scene:
    """Scene to draw; lengths in m, angles in rad, points in frame 0 or in the named frame."""

    name: str
    title: str
    numeric: NumericRobot  #: numeric robot; a parallel robot in joint coordinates
    joints: Mapping[str, float]  #: position by joint variable, including cut joints
    poses: Array  #: shape (frames + 1, 4, 4), poses of all frames in frame 0, frame 0 first
    solids: tuple[Solid, ...]
    axes: tuple[AxisLine, ...]
    up: tuple[float, float, float]  #: direction opposite to gravity
    floor: float | None  #: height of the floor along `up`, if there is one
    reach: float  #: diagonal of the drawn robot
    gaps: tuple[tuple[int, int], ...] = ()  #: pairs of frames of loops that are open in this position

    @property
    def robot(self) -> Robot:
        """Robot with numbers in its frames."""
        return self.numeric.robot

    def moved(self, q: Given) -> Scene:
        """Return the robot in another position; for a closed robot, of the motors."""
        return self.standing(drawn_position(self.numeric, q))

    def standing(self, joints: Mapping[str, float]) -> Scene:
        """Return the robot at the values of all joints, including cut ones."""
        poses = self.numeric.poses(joints)
        return replace(self, joints=dict(joints), poses=poses, gaps=_open(self.robot, poses, self.reach))

    def data(self) -> dict[str, Any]:
        """Return everything as plain lists and numbers for JSON."""
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
    """Return the scene of a robot at the joint positions `q`, with `values` for its symbols.

    `q` contains all tree joints or, for a closed robot, its motors, in order or by name. The default is the position
    in the description (`picture`, `position`), or one that shows the robot well. Symbols without a value get that of
    `picture`, or a plausible length.
    """
    closed = robot.to_closed()
    mechanism = NumericRobot(closed, substitute_values(closed, values or {}))
    numeric = mechanism.robot
    joints = drawn_position(mechanism, q)
    poses = mechanism.poses(joints)
    up = _up(closed)
    anatomy = RobotSolids(numeric, frame_geometry(numeric.frames, joints), poses, np.array(up))
    return Scene(
        robot.name, robot.title, mechanism, joints, poses, (*anatomy.solids, *_contacts(numeric, anatomy.reach)),
        anatomy.axes(), up, anatomy.floor,
        anatomy.reach, _open(numeric, poses, anatomy.reach),
    )  # fmt: skip


_TREAD, _FOOT = 0.15, 0.015  #: half width of a wheel relative to its radius, radius of a foot relative to the robot


def _contacts(robot: Robot, reach: float) -> Iterator[Solid]:
    """Return wheels as discs and feet as balls; those with symbols are not drawn."""
    for contact in robot.contacts:
        numbers = [numeric_value(value) for value in (*contact.at, contact.radius)]
        x, y, z, radius = (float(value) if value is not None else math.nan for value in numbers)
        j = contact.frame
        if math.isnan(x + y + z + radius):
            continue
        if contact.rolls:
            ends = FramePoint(j, (0.0, 0.0, z - _TREAD * radius)), FramePoint(j, (0.0, 0.0, z + _TREAD * radius))
            yield Solid("tube", ends, radius, "joint", j, radius)
        else:
            yield Solid("ball", (FramePoint(j, (x, y, z)),), _FOOT * reach, "joint", j)


def _up(robot: Robot) -> tuple[float, float, float]:
    """Return the direction opposite to gravity: an axis of frame 0, z if gravity does not determine it."""
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
    """Return the loops whose two sides are visibly apart."""

    def gap(cut: int, fixed: int) -> float:
        return float(np.linalg.norm(poses[cut][:3, 3] - poses[fixed][:3, 3]))

    return tuple(pair for pair in robot.loops if gap(*pair) > _APART * reach)


_LENGTH = 0.4  #: length in m of a link without numeric lengths


def substitute_values(robot: Robot, given: Mapping[str, float]) -> dict[str, float]:
    """Return a number for every symbol of the frames except joint variables: given, from `picture`, or chosen.

    A chosen length is the median of the numeric lengths; frames at symbolic angles on one link are distributed evenly
    around its axis.
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
            raise InputError(f"values: unknown symbol {name!r} of {robot.name}{closest(name, fields)}")
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
    entries = length_entries(robot.frames)
    numbers = [numeric_value(entry) for entry in entries]
    lengths = [abs(number) for number in numbers if number]
    lengths += [abs(known[name]) for name in (entry.name or "" for entry in entries) if known.get(name)]
    return median(lengths) if lengths else _LENGTH


def _around(robot: Robot) -> dict[str, float]:
    """Return evenly distributed angles for symbols that are alone in gamma of frames on the same link."""
    found = {}
    for frame in robot.frames:
        name = frame.gamma.name
        if name is not None:
            brothers = [other for other in robot.frames if other.ant == frame.ant]
            found[name] = 2 * math.pi * brothers.index(frame) / len(brothers)
    return found


_TRIALS = 300  #: number of random postures to choose from


def drawn_position(robot: NumericRobot, q: Given) -> dict[str, float]:
    """Return all joints: from q, from the description, or chosen so that an open robot hides little of itself."""
    if q is not None or robot.robot.loops or robot.has_position or not robot.names:
        return robot.at(q)
    postures = robot.random_positions(_TRIALS)
    for row in postures if robot.robot.couplings else ():
        row[:] = [*robot.coupled(dict(zip(robot.names, row, strict=True))).values()]
    origins = robot.poses_of_tree(postures)[..., :3, 3]
    best = int(np.argmax([_legibility(points) for points in origins]))
    return dict(zip(robot.names, map(float, postures[best]), strict=True))


def _legibility(points: Array) -> float:
    """Return a measure of the distances between the origins of a posture, and of their heights above the base."""
    size = np.zeros(3)  # a robot with one link has two points
    found = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    size[: len(found)] = found
    below = np.minimum(points[:, 2], 0).min()
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    far = np.abs(np.subtract.outer(range(len(points)), range(len(points)))) > 3
    clash = np.clip(0.25 * apart.max() - apart[far], 0, None).sum() if far.any() else 0.0
    return float(0.4 * size[0] + 1.5 * size[1] + 0.6 * size[2] + 2 * below - clash)
