"""Header comments of generated files (contents, provenance, arguments, operation count) and include guards.

Include guards and C++ namespaces contain a hash of the content. Two robots may share a name, such as an arm with and
without its load: a guard made of the name alone would silently drop the second header, and the linker would merge
templates of the same name, so that one robot's functions would be used for the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from importlib import import_module
from textwrap import wrap

from robosym.languages.language import Language
from robosym.mechanism import Robot
from robosym.model import Layout, Model, flat, shape
from robosym.safe_text import comment

__all__ = [
    "NAMES_INDENT", "OWNER", "UNITS", "agreed", "describe", "guarded", "made_by", "named_entries", "own_namespace",
    "provenance", "tables",
]  # fmt: skip

NAMES_INDENT = 6  #: indentation of the entries of a group; lines that continue its description have less

UNITS = "Angles in rad, lengths in m, masses in kg, forces in N, moments in N m; matrices row by row."

UNCHECKED = (
    "The legs of this robot allow only some poses, twists and accelerations of the platform. This function does not "
    "check them; for others its results are meaningless. Model.checked() in Python returns a function that gives NaN "
    "for such inputs."
)
OWNER = "robosym claims no rights on generated files."
_COMMAND: ContextVar[str] = ContextVar("command", default="")
#: prefixes of names that end in a joint number: GAM3, QPD3
_PER_JOINT = frozenset("GAM TAU Q H QP QDP QD QPD QDPD QDA UM UX PO POP RES Z".split())
#: groups with one row per link, whose entries end in the frame number: V13
_PER_LINK = ("V", "W", "VP", "WP")


def describe(model: Model, language: Language | None = None) -> list[str]:
    """Return the lines of the header comment: title, provenance, arguments with units and entries, operation count.

    `language` determines how array elements are written.
    """
    lines = [f"{model.name}: {model.title}", "", *provenance(model.robot), "", UNITS, ""]
    groups: list[tuple[str, tuple[str, ...], tuple[int, ...], str]]
    groups = [(g, names, (len(names),), "in ") for g, names in model.inputs.items()]
    groups += [(g, tuple(flat(layout)), shape(layout), "out") for g, layout in model.outputs.items()]
    for group, names, size, direction in groups:
        meaning = model.meaning(group, direction == "out")
        head = f"{direction} {group}[{']['.join(map(str, size))}] {meaning}".rstrip()
        lines += wrap(head, 100, subsequent_indent="    ")
        for start in range(0, len(names), 12):
            row = " ".join(names[start : start + 12])
            lines += wrap(row, 120, initial_indent=NAMES_INDENT * " ", subsequent_indent=NAMES_INDENT * " ")
    lines += _joint_lines(model, language)
    if model.domain is not None:
        lines += ["", *wrap(UNCHECKED, 100)]
    lines += ["", f"Number of operations: {model.operations}"]
    lines += wrap(f"Form: {model.form}", 100, subsequent_indent="    ") if model.form else []
    return [*lines, *(["", *model.notes] if model.notes else [])]


def _table(title: str, columns: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in (columns, *rows)]
    return [title, "", *text, ""]


def tables(model: Model) -> list[str]:
    """Return the robot's parameters as SYMORO+ prints them above a model."""
    robot = model.robot
    if robot is None:
        return []
    geometry = "ant mu sigma gamma b alpha d theta r".split()
    inertia = "XX XY XZ YY YZ ZZ MX MY MZ M IA".split()
    other = "FX FY FZ CX CY CZ FS FV".split()

    def of(things: Iterable[object], names: list[str]) -> list[list[str]]:
        return [[str(j), *(str(getattr(thing, name)) for name in names)] for j, thing in enumerate(things, 1)]

    joints = [robot.joint(j) for j in range(1, len(robot.links) + 1)]
    moving = [[*row, str(joint.QP), str(joint.QDP)] for row, joint in zip(of(robot.links, other), joints, strict=True)]
    lines = _table("Geometric parameters", ["j", *geometry], of(robot.frames, geometry))
    lines += _table("Inertial parameters", ["j", *inertia], of(robot.links, inertia))
    title = "External forces, friction parameters, joint velocities and accelerations"
    lines += _table(title, ["j", *other, "QP", "QDP"], moving)
    base = robot.base
    motion = zip(base.W0, base.WP0, base.V0, base.VP0, robot.gravity, strict=True)
    lines += _table(
        "Base velocity, base accelerations, and gravity",
        ["j", "W0", "WP0", "V0", "VP0", "G"],
        [[str(j), *map(str, row)] for j, row in enumerate(motion, 1)],
    )
    return lines


# ------------------------------------------------------------------------ provenance


@contextmanager
def made_by(command: str) -> Iterator[None]:
    """Record a command line in the header of every file generated in this context."""
    token = _COMMAND.set(command)
    try:
        yield
    finally:
        _COMMAND.reset(token)


def provenance(robot: Robot | None) -> list[str]:
    """Return the lines that say how a file was generated."""
    version = import_module("robosym").__version__  # a regular import would be circular
    command = _COMMAND.get()
    lines = [f"Written by robosym {version}, {f'command: {command}' if command else 'called from Python'}"]
    if robot is not None and robot.origin:
        lines.append(f"Described by {robot.origin}")
    return [*(comment(line)[:300] for line in lines), OWNER]


# ---------------------------------------------------------------------- joint names


def _joint_lines(model: Model, language: Language | None = None) -> list[str]:
    """Return lines such as `q[0] shoulder_pan_joint` if joints have names, and the groups in the same order."""
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
    """Return lines such as `q[0] shoulder_pan_joint` below a line that lists the groups in the same order."""
    if not any(names):
        return []
    element, first = ("[{}]", 0) if language is None else (language.element, language.first)
    head = f"Joints in the order of {', '.join(groups)}:"
    return ["", head, *(f"  {groups[0]}{element.format(k)} {name}".rstrip() for k, name in enumerate(names, first))]


def _is_list(layout: Layout) -> bool:
    return len(shape(layout)) == 1


def _joints(robot: Robot, names: Sequence[str], coupled: bool) -> tuple[int, ...]:
    """Return the joint of each entry, or () if the entries do not correspond to joints."""
    known = {name: j for j in range(1, robot.NF + 1) for name in [robot.variables[j - 1]] if name is not None}
    for j in robot.tree_joints:
        joint = robot.joint(j)
        known |= {value.name: j for value in (joint.QP, joint.QDP, joint.GAM) if value.name is not None}
    found = [known.get(name) for name in names]
    if None in found and not coupled:  # coordinates of platforms and coupled motors are numbered differently
        ends = [re.fullmatch(r"([A-Z]+)(\d+)", name) for name in names]
        numbers = [int(end[2]) if end is not None and end[1] in _PER_JOINT else 0 for end in ends]
        found = [j if j in robot.tree_joints else None for j in numbers]
    return () if None in found else tuple(j for j in found if j is not None)


def _frame_lines(model: Model, robot: Robot) -> list[str]:
    """Return the names of the frames if a group has one row per frame."""
    if not any(group in model.outputs and not _is_list(model.outputs[group]) for group in _PER_LINK):
        return []
    labels: dict[int, str] = {}
    for name, j in robot.frame_names.items():
        labels.setdefault(j, name)
    return (
        ["", "Frames by row:", *(f"  {j} {labels[j]}" for j in sorted(labels) if 1 <= j <= robot.NL)] if labels else []
    )


# ------------------------------------------------- several generated files in one program


def _digest(lines: Iterable[str]) -> str:
    """Return a hash of the code without `//` comments, which contain the provenance."""
    return sha256("\n".join(line for line in lines if not line.startswith("//")).encode()).hexdigest()[:10]


def guarded(name: str, suffix: str, lines: Sequence[str]) -> list[str]:
    """Return the lines inside an include guard that depends on name and content."""
    guard = f"{name.upper()}_{suffix}_{_digest([name, *lines]).upper()}"
    return [f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""]


def own_namespace(lines: Sequence[str]) -> list[str]:
    """Return C++ definitions inside an inline namespace named after their content; callers need no qualification.

    Two robots of the same name are then distinct functions in separate sources, and a call is ambiguous if one source
    includes both.
    """
    name = f"robosym_{_digest(lines)}"
    return [f"inline namespace {name} {{", "", *lines, "", f"}}  // namespace {name}"]


def agreed(macros: Iterable[tuple[str, int]]) -> list[str]:
    """Return macro definitions that cause a compiler error if a macro already has another value."""
    lines: list[str] = []
    for name, value in macros:
        lines += [f"#if defined({name}) && {name} != {value}"]
        lines += [f'#error "{name} is {value} here but another header defines a different value: change the prefix"']
        lines += ["#endif", f"#define {name} {value}"]
    return lines
