"""A robot with platforms as the same robot with loops: each platform on leg 1, the last joints of the others cut."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from robosym.algebra import Expr, symbols
from robosym.mechanism.elements import GEOMETRY, Frame, Joint, Link, expressions, marking_frame
from robosym.mechanism.modules import module_robot

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["ClosedForm", "closed_form"]


class ClosedForm(NamedTuple):
    """The robot with loops, and the numbers that its links have in the robot with platforms."""

    robot: Robot
    links: dict[int, int]


class _Table:
    """Frames, links and joints of a robot under construction."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.joints: list[Joint] = []

    def add(self, frame: Frame, joint: Joint, link: Link | None = None) -> int:
        self.frames.append(frame)
        self.joints.append(joint)
        if link is not None:
            self.links.append(link)
        return len(self.frames)


def closed_form(robot: Robot, position: Mapping[str, float]) -> ClosedForm:
    """The robot with loops, at a reference position.

    The legs keep their order, each without its last frame but the first; the platform follows leg 1. Velocities,
    accelerations and efforts of joints that have the standard symbols get those of the new numbers.
    """
    if not robot.modules[0].place:
        return _of_platform(robot, position)
    table, carrying, links = _Table(), 0, {}
    numbers: list[dict[int, int]] = []
    parts: list[Robot] = []
    _, none, rest = marking_frame(0, robot.graph.zero)
    for module in robot.modules:
        part = module_robot(robot, module)
        closed, own = part, {j: j for j in range(1, part.NL + 1)}
        if module.has_platform:
            closed, own = _of_platform(part, _known_to(part, position))
        if not all(getattr(robot.frame(module.place), name).is_zero for name in GEOMETRY):
            carrying = table.add(replace(robot.frame(module.place), ant=carrying), rest, none)
            links[carrying] = module.place
        at = len(table.frames)
        number = {0: carrying} | {j: at + j for j in range(1, closed.NL + 1)}
        for frame, joint, link in zip(closed.frames, closed.joints, closed.links, strict=False):
            table.add(replace(frame, ant=number[frame.ant]), joint, link)
        count = module.last - module.first + 1
        whole = {j: module.first + j - 1 for j in range(1, count + 1)} | {count + 1: module.end}
        links |= {at + j: whole[k] for j, k in own.items()}
        ending = {k: j for j, k in own.items()}
        carrying = at + ending[count + 1 if module.has_platform else module.end - module.first + 1]
        parts.append(closed)
        numbers.append(number)
    for part, number in zip(parts, numbers, strict=True):
        for k in range(part.NL, part.NJ):
            table.add(replace(part.frames[k], ant=number[part.frames[k].ant]), part.joints[k])
    closing = [
        replace(frame, ant=number[frame.ant])
        for part, number in zip(parts, numbers, strict=True) for frame in part.frames[part.NJ :]
    ]  # fmt: skip
    known = {name: value for part in parts for name, value in part.position.items()}
    made = replace(
        robot, frames=(*table.frames, *closing), links=tuple(table.links), joints=_renumbered(table.joints),
        frame_names={}, position=known, picture={}, modules=(),
    )  # fmt: skip
    return ClosedForm(made, links)


def _of_platform(robot: Robot, position: Mapping[str, float]) -> ClosedForm:
    (module,) = robot.modules
    legs, zero = robot.legs, robot.graph.zero
    first, table = legs[0], _Table()
    numbers: dict[int, int] = {0: 0}

    def leg_frame(j: int, link: Link | None) -> None:
        numbers[j] = table.add(replace(robot.frame(j), ant=numbers[robot.frame(j).ant]), robot.joint(j), link)

    for j in first:
        leg_frame(j, robot.link(j))
    links = {numbers[j]: j for j in first}
    rest = marking_frame(0, zero)[2]
    platform = numbers[first[-1]]
    back = _inverse(robot.places[0], platform)
    if all(getattr(back, name).is_zero for name in GEOMETRY):
        table.links[-1] = replace(robot.platform, IA=zero, FV=zero, FS=zero)
    else:
        platform = table.add(back, rest, robot.platform)
    links[platform] = module.end
    others = [shape.other for shape in module.parallelograms]
    for j in (*(j for leg in legs[1:] for j in leg[:-1]), *others):
        leg_frame(j, robot.link(j))
        links[numbers[j]] = j
    for leg in legs[1:]:
        leg_frame(leg[-1], None)
    closing = [replace(place, ant=platform) for place in robot.places[1:]]
    for shape in module.parallelograms:
        near, far, d = robot.frame(shape.rod), robot.frame(shape.other), robot.frame(shape.link).d
        turning = (zero, zero, zero, d, robot.graph.symbol(shape.cut), zero)
        table.add(Frame(numbers[shape.other], 0, 0, *turning), rest)
        closing.append(Frame(numbers[shape.link], 2, 0, zero, zero, zero, far.d - near.d, zero, zero))
    names = {name: numbers[j] for name, j in robot.frame_names.items() if j in numbers}
    made = replace(
        robot, frames=(*table.frames, *closing), links=tuple(table.links), joints=_renumbered(table.joints),
        frame_names=names, position=dict(position), modules=(),
    )  # fmt: skip
    return ClosedForm(made, links)


def _known_to(robot: Robot, position: Mapping[str, float]) -> dict[str, float]:
    """What a position says of one module: its joints, those of its parallelograms, and its lengths."""
    names = {*robot.variables, *(shape.cut for module in robot.modules for shape in module.parallelograms)}
    names |= {*symbols(value for frame in robot.frames for _, value in expressions(frame))}
    return {name: value for name, value in position.items() if name in names}


def _renumbered(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Joints with the standard symbols QPj, QDPj, GAMj of their places, where they had those of other numbers."""

    def symbol(entry: Expr, letters: str, j: int) -> Expr:
        standard = entry.name is not None and re.fullmatch(rf"{letters}\d+", entry.name)
        return entry.graph.symbol(f"{letters}{j}") if standard else entry

    return tuple(
        replace(joint, QP=symbol(joint.QP, "QP", j), QDP=symbol(joint.QDP, "QDP", j), GAM=symbol(joint.GAM, "GAM", j))
        for j, joint in enumerate(joints, 1)
    )


def _inverse(place: Frame, ant: int) -> Frame:
    """The way back through a fixed frame, again by six parameters, in the opposite order with opposite signs."""
    gamma, b, alpha, d, theta, r = (getattr(place, name) for name in GEOMETRY)
    return Frame(ant, 2, 0, -theta, -r, -alpha, -d, -gamma, -b)
