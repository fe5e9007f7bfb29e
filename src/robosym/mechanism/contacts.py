"""Contacts of links with the ground as data: feet, wheels, and wheels with rollers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from robosym.algebra import Graph
from robosym.errors import InputError, RobotError, closest
from robosym.mechanism.edit import entry
from robosym.mechanism.elements import CONTACTS, WHEELS, Contact
from robosym.mechanism.screws import exact_angle, in_radians

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["CONTACT_KEYS", "check_contacts", "contact_of", "with_contacts"]

CONTACT_KEYS = ("frame", "type", "name", "at", "radius", "angle")


def contact_of(robot_frames: Mapping[str, int], given: Mapping[str, object], graph: Graph, number: int) -> Contact:
    """Return a contact from the keys of a description; frames may be given by name or number."""
    what = f"contact {number}"
    for key in given:
        if key not in CONTACT_KEYS:
            raise RobotError(f"unknown key {key!r}{closest(key, CONTACT_KEYS)}", field=what)
    kind = str(given.get("type", "point"))
    if kind not in CONTACTS:
        message = f"type: expected {', '.join(CONTACTS)}, found {kind!r}{closest(kind, CONTACTS)}"
        raise RobotError(message, field=what)
    frame = given.get("frame")
    place = robot_frames.get(frame) if isinstance(frame, str) else frame
    if isinstance(place, bool) or not isinstance(place, int):
        raise RobotError(f"frame: expected the number or name of a link, found {frame!r}", field=what)
    for key, needed in (("radius", kind in WHEELS), ("angle", kind == "roller")):
        if (key in given) != needed:
            words = f"missing key of a {kind}" if needed else f"not allowed for a {kind}"
            raise RobotError(f"{key}: {words}", field=what)
    at = given.get("at", (0, 0, 0))
    if isinstance(at, str) or not isinstance(at, Sequence) or len(at) != 3:
        raise RobotError(f"at: expected three coordinates, found {at!r}", field=what)
    angle = given.get("angle", 0)
    angle = in_radians(angle) if isinstance(angle, str) else angle
    return Contact(
        place, kind, tuple(entry(value, graph, f"{what}: at") for value in at),
        entry(given.get("radius", 0), graph, f"{what}: radius"),
        exact_angle(entry(angle, graph, f"{what}: angle"), graph), str(given.get("name", "")),
    )  # fmt: skip


def check_contacts(robot: Robot) -> None:
    """Raise `RobotError` for contacts of frames that are no links, of equal names, or of impossible wheels."""
    if not robot.contacts:
        return
    if robot.modules or robot.transmission is not None:
        raise RobotError(f"{robot.name}: expected a robot without transmission and platform", field="contacts")
    names: dict[str, int] = {}
    for number, contact in enumerate(robot.contacts, 1):
        what = f"contact {number}"
        if not 0 <= contact.frame <= robot.NL or (contact.frame == 0 and robot.base.kind == "fixed"):
            message = f"frame: expected a moving link from 1 to {robot.NL}, found {contact.frame}"
            raise RobotError(message, field=what)
        if contact.name and names.setdefault(contact.name, number) != number:
            message = f"name: {contact.name!r} is the name of contact {names[contact.name]}"
            raise RobotError(message, field=what)
        if not contact.rolls:
            continue
        if contact.frame == 0 or not robot.frame(contact.frame).joint_type.angular:
            message = f"frame: expected a revolute joint about the axis of the wheel, found frame {contact.frame}"
            raise RobotError(message, field=what)
        if contact.radius.is_number and not float(contact.radius.number) > 0:
            raise RobotError("radius: expected a positive number", field=what)
        if not all(value.is_zero for value in contact.at[:2]):
            raise RobotError("at: expected a center on the z axis of its frame", field=what)


def with_contacts(robot: Robot, given: Iterable[object]) -> Robot:
    """Return the robot with these contacts; see `Robot.with_contacts`."""
    graph = Graph()
    robot = robot.in_graph(graph)
    known = {contact.name: contact for contact in robot.contacts if contact.name}
    frames = {robot.joint_name(j): j for j in robot.tree_joints} | dict(robot.frame_names)
    found = []
    for number, one in enumerate(given, 1):
        if isinstance(one, Contact):
            at, radius, angle = (tuple(graph.copy(part)) for part in (one.at, [one.radius], [one.angle]))
            found.append(replace(one, at=at, radius=radius[0], angle=angle[0]))
        elif isinstance(one, Mapping):
            found.append(contact_of(frames, one, graph, number))
        elif isinstance(one, str) and one in known:
            found.append(known[one])
        elif isinstance(one, int) and not isinstance(one, bool) and 1 <= one <= len(robot.contacts):
            found.append(robot.contacts[one - 1])
        else:
            hint = closest(one, known) if isinstance(one, str) else ""
            has = ", ".join(known) or f"{len(robot.contacts)} contacts without names"
            raise InputError(
                f"{robot.name}: contacts: expected the name or number of a contact ({has}) or a mapping, found "
                f"{one!r}{hint}"
            )
    return replace(robot, contacts=tuple(found)).changed()
