"""Limits of a motion: joint limits as arrays, and a box for a point of the end link."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robosym.algebra.arrays import Array, numbers
from robosym.errors import InputError, Pass, closest
from robosym.files import read_text
from robosym.formats.yaml_nodes import ListNode, MapNode, Node, read_nodes
from robosym.mechanism import Robot

__all__ = ["MotionLimits", "motion_limits"]


#: accepted names of limits, by the input group that they bound
_NAMES = {
    "q": "q", "position": "q", "positions": "q",
    "qd": "qd", "velocity": "qd", "velocities": "qd",
    "qdd": "qdd", "acceleration": "qdd", "accelerations": "qdd",
    "tau": "tau", "torque": "tau", "torques": "tau", "effort": "tau",
    "jerk": "jerk", "jerks": "jerk",
    "box": "box", "floor": "floor", "spheres": "spheres",
}  # fmt: skip
_MOST = 1_000_000  #: maximum size of a limits file in bytes; 1,000 joints need about 100,000
_WORDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "torque", "jerk": "jerk"}
_NEEDED = {"q": "a position range", "qd": "a maximum velocity", "qdd": "a maximum acceleration"}
_DESCRIBED = {
    "qd": "velocity",
    "qdd": "acceleration",
    "tau": "effort",
}  #: names in a robot description


@dataclass(frozen=True)
class Sphere:
    """A sphere that is fixed to a link."""

    frame: int
    center: tuple[float, float, float]  #: in this frame, in m
    radius: float


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Lower and upper limits per group, one number per joint; infinite for a joint without limit.

    `box` limits the position of a point in frame 0, in m.
    """

    joints: Mapping[str, tuple[Array, Array]]
    box: tuple[Array, Array]
    spheres: tuple[Sphere, ...] = ()  #: those of links that must not meet

    def of(self, group: str) -> tuple[Array, Array]:
        """Return the (lower, upper) limits of a group."""
        return self.box if group == "box" else self.joints[group]

    def limits(self, group: str) -> bool:
        """Return whether any entry of the group is limited."""
        return bool(np.isfinite(np.concatenate(self.of(group))).any())


def motion_limits(
    robot: Robot, limits: object, joints: Sequence[int], needed: Collection[str] = ("q", "qd"), jerk: bool = False,
    spheres: bool = False,
) -> MotionLimits:  # fmt: skip
    """Return the given limits, completed by those of the robot description.

    Each joint must have finite limits of the groups in `needed`.

    Limits in the description are those of joints, and do not apply to the motors of a transmission.

    A limit is a magnitude (one number for all joints, or one per joint) or a range (a pair, one pair per joint, or two
    rows with the lower and upper limits). Limits of jerk are an error unless the caller supports them (`jerk`), and so
    are `spheres`.
    """
    given = _by_group(limits)
    if "jerk" in given and not jerk:
        raise InputError(
            "limits: jerk: not supported by this function: expected position, velocity, acceleration or torque"
        )
    if "spheres" in given and not spheres:
        raise InputError("limits: spheres: not supported by this function: exciting_trajectory avoids collisions")
    count = len(joints)
    found = {}
    unlimited = np.full(count, np.inf)
    for group, word in _WORDS.items():
        if group in given:
            found[group] = _pair(word, given[group], count)
        elif robot.coordinates == "motors":
            found[group] = (-unlimited, unlimited)
        elif group == "q":
            found[group] = _described_positions(robot, joints)
        else:
            values = [getattr(robot.joint(j).limits, _DESCRIBED.get(group, ""), None) for j in joints]
            upper = np.array([np.inf if value is None else value for value in values])
            found[group] = (-upper, upper)
    for group in needed:
        words = _NEEDED[group]
        for j, low, high in zip(joints, *found[group], strict=True):
            if not (np.isfinite(low) and np.isfinite(high)):
                hint = ("pass ", Pass("limits", {_WORDS[group]: None}))
                raise InputError(f"limits: joint {j}: expected {words}, found none", hint=hint)
    return MotionLimits(found, _box(given.get("box"), given.get("floor")), _spheres(robot, given.get("spheres", ())))


def _spheres(robot: Robot, given: object) -> tuple[Sphere, ...]:
    """Return spheres from rows of a frame by number or name, the center in this frame, and the radius."""
    found = []
    for row in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != 5:
            raise InputError(f"limits: spheres: expected rows [frame, x, y, z, radius], found {row!r}")
        frame, *rest = row
        frame = int(frame) if isinstance(frame, float) and frame.is_integer() else frame
        x, y, z, radius = numbers("limits: spheres", rest).tolist()
        if radius <= 0:
            raise InputError(f"limits: spheres: expected a positive radius, found {radius:g}")
        found.append(Sphere(0 if frame == 0 else robot.frame_number(frame), (x, y, z), radius))
    return tuple(found)


def _by_group(limits: object) -> dict[str, object]:
    if limits is None:
        return {}
    if isinstance(limits, (str, Path)):
        limits = _file(limits)
    if not isinstance(limits, Mapping):
        raise InputError(
            "limits: expected a mapping such as {'position': 3.1, 'velocity': [2, 2, 3, 3, 3, 3], 'acceleration': 10}, "
            f"found {type(limits).__name__}"
        )
    given = {}
    for name, value in limits.items():
        group = _NAMES.get(name)
        if group is None:
            raise InputError(
                f"limits: unknown name {name!r}{closest(name, _NAMES)}; expected one of {', '.join(_NAMES)}"
            )
        if group in given:
            raise InputError(f"limits: {name!r}: duplicate limit, already given under another name")
        given[group] = value
    return given


def _file(path: str | Path) -> object:
    """Read the mapping of limits from a YAML file; tags and aliases are not supported."""
    return _plain(read_nodes(read_text(path, _MOST), str(path)))


def _plain(node: Node | None) -> object:
    if isinstance(node, MapNode):
        return {str(key): _plain(item) for key, item in node.items()}
    if isinstance(node, ListNode):
        return [_plain(item) for item in node]
    try:
        return float(node) if node is not None else None
    except ValueError:
        return str(node) if node is not None else None


def _described_positions(robot: Robot, joints: Sequence[int]) -> tuple[Array, Array]:
    """Return the position limits of the description; a revolute joint without limits gets one full turn."""
    lower, upper = [], []
    for j in joints:
        limits, turns = robot.joint(j).limits, robot.frame(j).sigma == 0
        reach = np.pi if turns and limits.lower is None and limits.upper is None else np.inf
        lower.append(-reach if limits.lower is None else limits.lower)
        upper.append(reach if limits.upper is None else limits.upper)
    return np.array(lower), np.array(upper)


def _pair(word: str, value: object, count: int) -> tuple[Array, Array]:
    array = numbers(f"limits: {word}", value, finite=False)
    signed = array.shape == (2,) and (count != 2 or array[0] < 0)
    if array.shape == (count, 2) and not (count == 2 and (array[0] < 0).all()):
        lower, upper = array.T
    elif array.shape == (2, count):
        lower, upper = array
    elif signed:
        lower, upper = (np.full(count, end) for end in array)
    elif array.shape in ((), (count,)):
        upper = np.broadcast_to(array, (count,)).copy()
        lower = -upper
    else:
        raise InputError(
            f"limits: {word}: expected a number, {count} numbers, or lower and upper limits of {count} joints, "
            f"found an array of shape {array.shape}"
        )
    for k, (low, high) in enumerate(zip(lower, upper, strict=True), 1):
        if not low < high:
            raise InputError(f"limits: {word}: expected lower < upper, found {low:g} and {high:g} at joint {k} of q")
        if word != "position" and not low < 0 < high:
            raise InputError(f"limits: {word}: expected a range that contains 0, found {low:g} and {high:g}")
    return np.array(lower), np.array(upper)


def _box(box: object, floor: object) -> tuple[Array, Array]:
    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    if box is not None:
        array = numbers("limits: box", box, finite=False)
        if array.shape == (3, 2):
            array = array.T
        if array.shape != (2, 3) or not (array[0] < array[1]).all():
            raise InputError(f"limits: box: expected [[xmin, xmax], [ymin, ymax], [zmin, zmax]], found {box!r}")
        lower, upper = array.copy()
    if floor is not None:
        height = float(numbers("limits: floor", floor, (), finite=False))
        lower[2] = max(lower[2], height)
        if lower[2] >= upper[2]:
            raise InputError(
                f"limits: floor: expected a height below the top of the box, {upper[2]:g}, found {height:g}"
            )
    return lower, upper
