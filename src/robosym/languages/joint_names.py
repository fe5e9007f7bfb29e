"""Which joint, and which frame, each entry of an array belongs to, for the comment above emitted code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from robosym.languages.language import Language
from robosym.mechanism import Robot
from robosym.model import Model, flat, shape

__all__ = ["joint_lines", "named_entries"]

#: of names that end in the number of their joint: GAM3, QPD3
_PER_JOINT = frozenset("GAM TAU Q H QP QDP QD QPD QDPD QDA UM UX PO POP RES Z".split())
#: groups with one row per link, whose entries end in the number of its frame: V13
_PER_LINK = ("V", "W", "VP", "WP")


def joint_lines(model: Model, language: Language | None = None) -> list[str]:
    """Return `q[0] shoulder_pan_joint` for each joint that has a name, and the groups of the same order."""
    robot = model.robot
    if robot is None:
        return []
    groups = [
        *model.inputs.items(),
        *((g, tuple(flat(names))) for g, names in model.outputs.items() if _is_list(names)),
    ]
    coupled = "pose" in model.inputs or not {*model.inputs.get("q", ())} <= {*robot.variables}
    orders: dict[tuple[int, ...], list[str]] = {}
    for group, names in groups:
        joints = _joints(robot, names, coupled)
        if joints and group not in orders.get(joints, ()):
            orders.setdefault(joints, []).append(group)
    lines: list[str] = []
    for joints, same in orders.items():
        labels = [robot.joint(j).name for j in joints]
        lines += named_entries(same, labels, language)
    return [*lines, *_frame_lines(model, robot)]


def named_entries(groups: Sequence[str], names: Sequence[str], language: Language | None = None) -> list[str]:
    """Return lines `q[0] shoulder_pan_joint` of the first group, below the names of all groups of this order."""
    if not any(names):
        return []
    element, first = ("[{}]", 0) if language is None else (language.element, language.first)
    head = f"Joints in the order of {', '.join(groups)}:"
    return ["", head, *(f"  {groups[0]}{element.format(k)} {name}".rstrip() for k, name in enumerate(names, first))]


def _is_list(layout: object) -> bool:
    return len(shape(layout)) == 1  # type: ignore[arg-type]


def _joints(robot: Robot, names: Sequence[str], coupled: bool) -> tuple[int, ...]:
    """The joint of each entry; nothing where the entries are of no joint."""
    known = {name: j for j in range(1, robot.NF + 1) for name in [robot.variables[j - 1]] if name is not None}
    for j in robot.tree_joints:
        joint = robot.joint(j)
        known |= {value.name: j for value in (joint.QP, joint.QDP, joint.GAM) if value.name is not None}
    found = [known.get(name) for name in names]
    if None in found and not coupled:  # the coordinates of platforms and of coupled motors are counted otherwise
        ends = [re.fullmatch(r"([A-Z]+)(\d+)", name) for name in names]
        numbers = [int(end[2]) if end is not None and end[1] in _PER_JOINT else 0 for end in ends]
        found = [j if j in robot.tree_joints else None for j in numbers]
    return () if None in found else tuple(j for j in found if j is not None)


def _frame_lines(model: Model, robot: Robot) -> list[str]:
    """Return the names of the frames where a group has a row for each."""
    if not any(group in model.outputs and not _is_list(model.outputs[group]) for group in _PER_LINK):
        return []
    labels: dict[int, str] = {}
    for name, j in robot.frame_names.items():
        labels.setdefault(j, name)
    return (
        ["", "Frames by row:", *(f"  {j} {labels[j]}" for j in sorted(labels) if 1 <= j <= robot.NL)] if labels else []
    )
