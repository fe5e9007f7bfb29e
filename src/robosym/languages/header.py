"""What stands above every emitted model: what it is, what goes in and out, and what it costs."""

from __future__ import annotations

from textwrap import wrap

from robosym.languages.joint_names import joint_lines
from robosym.languages.language import Language
from robosym.languages.provenance import provenance
from robosym.model import Model, flat, shape

__all__ = ["NAMES_INDENT", "describe", "tables"]

NAMES_INDENT = 6  #: of the entries of a group below its first line; what goes on telling of the group has less

UNITS = "Angles in rad, lengths in m, masses in kg, forces in N, moments in N m; matrices row by row."

UNCHECKED = (
    "The legs of this robot allow some poses, twists and accelerations of the platform only. This function does not "
    "check them: for others its results mean nothing. Model.checked() in Python gives a function that returns NaN "
    "there."
)


def describe(model: Model, language: Language | None = None) -> list[str]:
    """Lines of text for a comment: title, where it comes from, arguments with units and entries, operations.

    `language` says how it counts the entries of arrays.
    """
    lines = [f"{model.name}: {model.title}", "", *provenance(model.robot), "", UNITS, ""]
    groups: list[tuple[str, tuple[str, ...], tuple[int, ...], str]]
    groups = [(g, names, (len(names),), "in ") for g, names in model.inputs.items()]
    groups += [(g, tuple(flat(layout)), shape(layout), "out") for g, layout in model.outputs.items()]
    for group, names, size, direction in groups:
        said = model.meaning(group, direction == "out")
        head = f"{direction} {group}[{']['.join(map(str, size))}] {said}".rstrip()
        lines += wrap(head, 100, subsequent_indent="    ")
        for start in range(0, len(names), 12):
            row = " ".join(names[start : start + 12])
            lines += wrap(row, 120, initial_indent=NAMES_INDENT * " ", subsequent_indent=NAMES_INDENT * " ")
    lines += joint_lines(model, language)
    if model.domain is not None:
        lines += ["", *wrap(UNCHECKED, 100)]
    lines += ["", f"Number of operations: {model.operations}"]
    return [*lines, *(wrap(f"Form: {model.form}", 100, subsequent_indent="    ") if model.form else [])]


def _table(title: str, columns: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in (columns, *rows)]
    return [title, "", *text, ""]


def tables(model: Model) -> list[str]:
    """The robot's parameters as SYMORO+ prints them above a model."""
    robot = model.robot
    if robot is None:
        return []
    inertia = ["XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", "IA"]
    other = ["FX", "FY", "FZ", "CX", "CY", "CZ", "FS", "FV"]
    geometry = ["ant", "mu", "sigma", "gamma", "b", "alpha", "d", "theta", "r"]
    links = list(enumerate(robot.links, 1))
    lines = _table(
        "Geometric parameters",
        ["j", *geometry],
        [[str(j), *(str(getattr(f, name)) for name in geometry)] for j, f in enumerate(robot.frames, 1)],
    )
    lines += _table(
        "Inertial parameters",
        ["j", *inertia],
        [[str(j), *(str(getattr(link, name)) for name in inertia)] for j, link in links],
    )
    lines += _table(
        "External forces, friction parameters, joint velocities and accelerations",
        ["j", *other, "QP", "QDP"],
        [
            [str(j), *(str(getattr(link, n)) for n in other), str(robot.joint(j).QP), str(robot.joint(j).QDP)]
            for j, link in links
        ],
    )
    base = robot.base
    motion = zip(base.W0, base.WP0, base.V0, base.VP0, robot.gravity, strict=True)
    lines += _table(
        "Base velocity, base accelerations, and gravity",
        ["j", "W0", "WP0", "V0", "VP0", "G"],
        [[str(j), *map(str, row)] for j, row in enumerate(motion, 1)],
    )
    return lines
