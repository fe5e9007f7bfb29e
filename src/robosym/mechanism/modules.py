"""Platforms and modules: frames of a robot that form an arm, or legs that carry a platform.

The legs of a platform stand one after the other in the table of frames, each a chain from the base. The last joint of a
leg is on the platform: its last frame is fixed to the platform and coincides with a station, a frame that stands on the
platform. A robot of several modules has the base of each on the end of the one before; its table holds the arms and
legs of all modules, then each platform with its stations, then the places of the modules' bases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from robosym.algebra import symbols
from robosym.errors import PathPart, RobotError
from robosym.mechanism.elements import expressions

if TYPE_CHECKING:
    from robosym.mechanism.description import Description
    from robosym.mechanism.robot import Robot

__all__ = ["Module", "TwinRods", "check_modules", "legs_of", "module_part", "module_robot"]

_ROTATION = 1e-3  #: products of rows of a rotation that differ by less from 0 and 1 were rounded


@dataclass(frozen=True, slots=True)
class TwinRods:
    """One joint of a leg: two rods turn together, the link at their ends keeps its direction.

    The first rod and the link are frames of the leg, one after the other. The second rod stands behind all legs, on the
    frame that carries the first; its far end is a joint of the link, `width` along x as its near end is.
    """

    rod: int
    link: int
    other: int
    cut: str  #: the variable of the joint at the far end of the second rod


@dataclass(frozen=True, slots=True)
class Module:
    """The numbers of the frames of one module, and what is known of its platform."""

    first: int  #: the frames of the arm, or of the legs: `first` to `last`
    last: int
    end: int  #: the frame that carries the next module: the platform, or a frame of the arm
    stations: tuple[int, ...] = ()  #: frames on the platform with which the legs' last frames coincide; of an arm none
    place: int = 0  #: the frame of the module's base on what carries it; 0 where the module is the whole robot
    freedom: int | None = None  #: degrees of freedom of the platform; None: found at the reference position
    parallelograms: tuple[TwinRods, ...] = ()
    #: the reference position as a pose: 12 numbers, R row by row and P; x, y, z and roll, pitch, yaw; or x, y, z
    reference_pose: tuple[float, ...] | None = None
    name: str = ""

    @property
    def has_platform(self) -> bool:
        return bool(self.stations)

    def moved(self, tree: int, end: int, place: int = 0) -> Module:
        """The module with its arm or legs, and its platform, at other numbers: from `tree` + 1, and `end`."""
        by = tree + 1 - self.first
        rods = (TwinRods(p.rod + by, p.link + by, p.other + by, p.cut) for p in self.parallelograms)
        stations = tuple(end + k for k in range(1, len(self.stations) + 1))
        return replace(
            self, first=tree + 1, last=self.last + by, end=end, stations=stations, place=place,
            parallelograms=tuple(rods),
        )  # fmt: skip


def legs_of(robot: Description, module: Module) -> tuple[tuple[int, ...], ...]:
    """The numbers of the frames of each leg of a module, from the base to the platform."""
    count = module.last - len(module.parallelograms)
    starts = [j for j in range(module.first, count + 1) if robot.frame(j).ant == 0]
    return tuple(tuple(range(a, b)) for a, b in zip(starts, [*starts[1:], count + 1], strict=True))


def module_robot(robot: Robot, module: Module) -> Robot:
    """A module as a robot of its own: its arm, or its legs with their platform, numbered from 1."""
    if module.place == 0:
        return robot
    numbers = list(range(module.first, module.last + 1))
    if module.has_platform:
        numbers += [module.end, *module.stations]
    new = {0: 0} | {j: k for k, j in enumerate(numbers, 1)}
    count = module.last - module.first + 1
    own = replace(module.moved(0, count + 1), reference_pose=module.reference_pose)
    kept = {robot.variables[j - 1] for j in numbers}
    frames = tuple(replace(robot.frame(j), ant=new[robot.frame(j).ant]) for j in numbers)
    lengths = set(symbols(value for frame in frames for _, value in expressions(frame)))
    return replace(
        robot, name=module.name or robot.name, frames=frames, links=tuple(robot.link(j) for j in numbers),
        joints=tuple(robot.joint(j) for j in numbers), modules=(own,) if module.has_platform else (),
        frame_names={name: new[j] for name, j in robot.frame_names.items() if j in new and j},
        position={name: value for name, value in robot.position.items() if name in kept | lengths},
        picture={name: value for name, value in robot.picture.items() if name in kept | lengths},
        title="", source="",
    )  # fmt: skip


def module_part(robot: Robot, j: int) -> str:
    """What a message calls a frame that stands for a platform, its stations or the place of a module; else nothing."""
    for k, module in enumerate(robot.modules, 1):
        where = f"module {k}: " if module.place else ""
        if module.has_platform and j == module.end:
            return f"{where}platform"
        if j in module.stations:
            return f"{where}leg {module.stations.index(j) + 1}: place"
        if j == module.place:
            return f"{where}place"
    return ""


# --------------------------------------------------------------------- validation


def check_modules(robot: Robot) -> None:
    """Raise `RobotError` where the frames of the modules do not form arms, or legs that carry a platform."""
    if robot.loops:
        raise RobotError(f"{robot.name}: the legs of a parallel robot are chains; they have {len(robot.loops)} loops")
    if robot.base.kind != "fixed":
        raise RobotError(f"base: the base of a robot with a platform is fixed, found {robot.base.kind}")
    if robot.couplings:
        raise RobotError(f"{robot.name}: couplings: a joint of a leg follows no other: pass the robot with loops")
    for k, module in enumerate(robot.modules, 1):
        where = f"module {k}: " if module.place else ""
        try:
            _check_platform(robot, module) if module.has_platform else _check_arm(robot, module)
        except RobotError as error:
            raise error.within(PathPart("module", k)) if where else error from None


def _check_arm(robot: Robot, module: Module) -> None:
    for j in range(module.first, module.last + 1):
        if robot.frame(j).is_joint and (not robot.frame(j).mu or robot.joint(j).eta):
            raise RobotError("the joints of an arm are rigid and have motors", j, "mu")
    if not module.first <= module.end <= module.last:
        count = module.last - module.first + 1
        raise RobotError(f"end: expected a frame from 1 to {count}, found {module.end - module.first + 1}")


def _check_platform(robot: Robot, module: Module) -> None:
    legs = legs_of(robot, module)
    for leg, numbers in enumerate(legs, 1):
        for before, j in pairwise(numbers):
            if robot.frame(j).ant != before:
                raise RobotError(f"leg {leg} is a chain: expected {before}, found {robot.frame(j).ant}", j, "ant")
        last = numbers[-1]
        if not robot.frame(last).is_joint:
            raise RobotError(f"leg {leg} ends in its joint on the platform; its last frame is fixed", last, "sigma")
        for name, value in expressions(robot.link(last)):
            if not value.is_zero:
                raise RobotError(f"the last link of leg {leg} is the platform: give its inertia there", last, name)
    for shape in module.parallelograms:
        rod, link, other = (robot.frame(j) for j in (shape.rod, shape.link, shape.other))
        if link.ant != shape.rod or other.ant != rod.ant or link.mu or other.mu or shape.other > module.last:
            raise RobotError("a parallelogram has two rods on one frame, and a link on the first", shape.rod, "ant")
        if any(getattr(rod, name) != getattr(other, name) for name in ("gamma", "b", "alpha", "r")):
            raise RobotError(
                "the rods of a parallelogram are parallel: expected equal gamma, b, alpha and r", shape.rod
            )
        if any(name is None for name in (rod.theta.name, link.theta.name, other.theta.name)):
            raise RobotError("the rods of a parallelogram turn by their variables alone", shape.rod, "theta")
    if len(legs) < 2:
        raise RobotError(f"legs: a parallel robot has two or more, found {len(legs)}")
    if len(module.stations) != len(legs):
        raise RobotError(f"legs: {len(legs)} legs, and {len(module.stations)} places on the platform")
    if not any(robot.frame(j).mu for j in range(module.first, module.last + 1)):
        raise RobotError("legs: no joint has a motor (mu = 1)")
    if module.reference_pose is not None:
        _check_pose(module.reference_pose)
    if module.freedom is not None and not 1 <= module.freedom <= 6:
        raise RobotError(f"freedom: expected 1 to 6, found {module.freedom}")


def _check_pose(pose: Sequence[float]) -> None:
    """Raise `RobotError` for numbers that are no pose."""
    if len(pose) not in (3, 6, 12):
        raise RobotError(f"pose: expected 3, 6 or 12 numbers, found {len(pose)}", field="position")
    if not all(math.isfinite(x) for x in pose):
        raise RobotError("pose: expected finite numbers", field="position")
    if len(pose) == 12:
        rows = [pose[3 * k : 3 * k + 3] for k in range(3)]
        lack = max(
            abs(sum(a * b for a, b in zip(one, other, strict=True)) - (i == k))
            for i, one in enumerate(rows) for k, other in enumerate(rows)
        )  # fmt: skip
        (a, b, c), (d, e, f), (g, h, i) = rows
        if lack > _ROTATION or a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0:
            raise RobotError("pose: its first nine numbers are no rotation (R row by row)", field="position")
