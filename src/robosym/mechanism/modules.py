"""Platforms and modules: frames of a robot that form an arm, or legs that carry a platform.

The legs of a platform follow each other in the table of frames, each a chain from the base. The last joint of a leg is
on the platform: its last frame is fixed to the platform and coincides with a station, a fixed frame of the platform.
In a robot of several modules, the base of each is fixed to the end of the previous one; the table contains the arms and
legs of all modules, then each platform with its stations, then the frames of the modules' bases.
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

__all__ = ["Module", "RodPair", "check_modules", "legs_of", "module_part", "module_robot"]

_ROTATION = 1e-3  #: tolerance on the orthonormality of a rounded rotation matrix


@dataclass(frozen=True, slots=True)
class RodPair:
    """Parallelogram in a leg: two rods turn together, and the link at their ends keeps its orientation.

    The first rod and the link are consecutive frames of the leg. The second rod follows all legs in the table, on the
    frame that carries the first rod; its far end is a joint of the link, at the same distance along x as its near
    end.
    """

    rod: int
    link: int
    other: int
    cut: str  #: variable of the joint at the far end of the second rod


@dataclass(frozen=True, slots=True)
class Module:
    """Numbers of the frames of one module, and data of its platform."""

    first: int  #: frames `first` to `last` are those of the arm or of the legs
    last: int
    end: int  #: frame that carries the next module: the platform, or a frame of the arm
    stations: tuple[int, ...] = ()  #: frames of the platform that coincide with the legs' last frames
    place: int = 0  #: frame of the module's base; 0 if the module is the whole robot
    freedom: int | None = None  #: degrees of freedom of the platform; None: computed at the reference position
    parallelograms: tuple[RodPair, ...] = ()
    #: the reference position as a pose: 12 numbers, R row by row and P; x, y, z and roll, pitch, yaw; or x, y, z
    reference_pose: tuple[float, ...] | None = None
    name: str = ""

    @property
    def has_platform(self) -> bool:
        """Whether the module consists of legs with a platform."""
        return bool(self.stations)

    def moved(self, tree: int, end: int, place: int = 0) -> Module:
        """Return the module with its frames renumbered from `tree` + 1 and its platform at `end`."""
        by = tree + 1 - self.first
        rods = (RodPair(p.rod + by, p.link + by, p.other + by, p.cut) for p in self.parallelograms)
        stations = tuple(end + k for k in range(1, len(self.stations) + 1))
        return replace(
            self, first=tree + 1, last=self.last + by, end=end, stations=stations, place=place,
            parallelograms=tuple(rods),
        )  # fmt: skip


def legs_of(robot: Description, module: Module) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the frames of each leg of a module, from the base to the platform."""
    count = module.last - len(module.parallelograms)
    starts = [j for j in range(module.first, count + 1) if robot.frame(j).ant == 0]
    return tuple(tuple(range(a, b)) for a, b in zip(starts, [*starts[1:], count + 1], strict=True))


def module_robot(robot: Robot, module: Module) -> Robot:
    """Return a module as a separate robot: its arm, or its legs with their platform, numbered from 1."""
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
    """Return how messages name the frame of a platform, a station or the base of a module; otherwise an empty text."""
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
    """Raise `RobotError` if the frames of the modules do not form arms, or legs that carry a platform."""
    if robot.loops:
        raise RobotError(f"{robot.name}: legs: expected chains without loops, found {len(robot.loops)} loops")
    if robot.base.kind != "fixed":
        raise RobotError(f"base: expected fixed, found {robot.base.kind} (the robot has a platform)")
    if robot.couplings:
        raise RobotError(f"{robot.name}: couplings: expected none in a robot with a platform; use robot.to_closed()")
    for k, module in enumerate(robot.modules, 1):
        where = f"module {k}: " if module.place else ""
        try:
            _check_platform(robot, module) if module.has_platform else _check_arm(robot, module)
        except RobotError as error:
            raise error.within(PathPart("module", k)) if where else error from None


def _check_arm(robot: Robot, module: Module) -> None:
    for j in range(module.first, module.last + 1):
        if robot.frame(j).is_joint and (not robot.frame(j).mu or robot.joint(j).eta):
            raise RobotError("expected a rigid joint with a motor (mu = 1, eta = 0) in an arm", j, "mu")
    if not module.first <= module.end <= module.last:
        count = module.last - module.first + 1
        raise RobotError(f"end: expected a frame from 1 to {count}, found {module.end - module.first + 1}")


def _check_platform(robot: Robot, module: Module) -> None:
    legs = legs_of(robot, module)
    for leg, numbers in enumerate(legs, 1):
        for before, j in pairwise(numbers):
            if robot.frame(j).ant != before:
                found = robot.frame(j).ant
                raise RobotError(f"expected {before}, found {found} (leg {leg} is a chain)", j, "ant")
        last = numbers[-1]
        if not robot.frame(last).is_joint:
            message = f"expected a joint, found a fixed frame (leg {leg} ends in a joint on the platform)"
            raise RobotError(message, last, "sigma")
        for name, value in expressions(robot.link(last)):
            if not value.is_zero:
                message = f"expected 0 (the last link of leg {leg} is the platform): set the inertia of the platform"
                raise RobotError(message, last, name)
    for shape in module.parallelograms:
        rod, link, other = (robot.frame(j) for j in (shape.rod, shape.link, shape.other))
        if link.ant != shape.rod or other.ant != rod.ant or link.mu or other.mu or shape.other > module.last:
            raise RobotError("expected two parallel rods on one frame, and a link on the first", shape.rod, "ant")
        if any(getattr(rod, name) != getattr(other, name) for name in ("gamma", "b", "alpha", "r")):
            raise RobotError("expected parallel rods of a parallelogram: equal gamma, b, alpha and r", shape.rod)
        if any(name is None for name in (rod.theta.name, link.theta.name, other.theta.name)):
            raise RobotError("expected a joint variable without an offset in a parallelogram", shape.rod, "theta")
    if len(legs) < 2:
        raise RobotError(f"legs: expected at least 2, found {len(legs)}")
    if len(module.stations) != len(legs):
        found = len(module.stations)
        raise RobotError(f"legs: expected {len(legs)} places on the platform, found {found} (one per leg)")
    if not any(robot.frame(j).mu for j in range(module.first, module.last + 1)):
        raise RobotError("legs: expected at least one joint with a motor (mu = 1), found none")
    if module.reference_pose is not None:
        _check_pose(module.reference_pose)
    if module.freedom is not None and not 1 <= module.freedom <= 6:
        raise RobotError(f"freedom: expected 1 to 6, found {module.freedom}")


def _check_pose(pose: Sequence[float]) -> None:
    """Raise `RobotError` for numbers that do not represent a pose."""
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
            raise RobotError("pose: expected a rotation in the first nine numbers (R row by row)", field="position")
