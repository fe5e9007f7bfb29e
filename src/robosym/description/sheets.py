"""The tables of a description: what `show` prints, `print(robot)` and a notebook show, from one list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, numeric_value, to_sympy
from robosym.errors import InputError
from robosym.safe_text import markup

__all__ = ["Sheet", "as_html_page", "as_latex_array", "as_text", "one_line", "sheets"]

_STYLE = "padding:1px 14px 1px 0;text-align:left"
_LONG = 9  #: characters of a number that is shortened where there is little room
_GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
_INERTIA = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
_DRIVE = ("IA", "FV", "FS")
_WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")


@dataclass(frozen=True)
class Sheet:
    """A table with a title, or a sentence where it has no rows."""

    title: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def cell(value: Any, digits: int | None) -> str:
    """An entry as a text; a long number with so many significant digits."""
    text = str(value)
    if digits is None or len(text) < _LONG or not isinstance(value, (Expr, float)):
        return text
    number = numeric_value(value) if isinstance(value, Expr) else value
    return text if number is None else f"{number:.{digits}g}"


def _table(title: str, names: Sequence[str], parts: Sequence[Any], digits: int | None) -> Sheet:
    rows = (
        (str(j), *(cell(getattr(part, name), digits) for name in names)) for j, part in enumerate(parts, 1)
    )  # fmt: skip
    return Sheet(title, ("j", *names), tuple(rows))


def sheets(robot: Any, digits: int | None = None) -> Iterator[Sheet]:
    """The tables of a robot, a parallel or a hybrid one; `digits` shortens numbers."""
    if hasattr(robot, "modules"):
        yield Sheet(f"hybrid structure, {len(robot.modules)} modules")
        for k, module in enumerate(robot.modules, 1):
            yield Sheet(f"module {k}: {module.robot.name}")
            yield _table(
                "Place of its base on the end of the module before (rad, m)", _GEOMETRY, [module.place], digits
            )
            yield from _parts(module.robot, digits)
    else:
        yield from _parts(robot, digits)
    gravity = getattr(robot, "tree", robot).gravity
    yield Sheet(f"gravity: {', '.join(cell(g, digits) for g in gravity)} (m/s^2, in frame 0)")


def _parts(robot: Any, digits: int | None) -> Iterator[Sheet]:
    if not hasattr(robot, "legs"):
        yield from _tree(robot, digits, f"{robot.structure} structure")
        return
    yield Sheet(f"parallel structure, {len(robot.legs)} legs, motors {', '.join(robot.motor_names)}")
    yield from _tree(robot.tree, digits, "legs, one after the other")
    platform = [robot.platform]
    yield _table("Inertia of the platform at its origin (kg m^2, kg m, kg)", _INERTIA, platform, digits)
    if _given(platform, _WRENCH):
        yield _table("Wrench of the platform on its environment (N, N m)", _WRENCH, platform, digits)
    yield _table("Places of the legs' last frames on the platform (rad, m)", _GEOMETRY, robot.places, digits)
    yield from _reference(robot)


def _reference(robot: Any) -> Iterator[Sheet]:
    """Where the legs meet the platform: what models without a pose of their own, branches and commands refer to."""
    try:
        reference = robot.reference
    except InputError as error:
        yield Sheet(f"reference position: none: {error}")
        return
    if reference is None:
        if not robot.position and robot.reference_pose is None:
            yield Sheet("reference position: none is given (position:)")
        return
    entries = [f"{float(x):.6g}" for x in (reference.pose.round(9) + 0.0)]
    rows = tuple((f"R{k + 1}", *entries[3 * k : 3 * k + 3]) for k in range(3))
    freedom = f"{reference.freedom} degrees of freedom"
    yield Sheet(f"Reference position: pose of the platform in frame 0 (m), {freedom}", ("", "", "", ""),
                (*rows, ("P", *entries[9:])))  # fmt: skip
    joints = ", ".join(f"{name} = {value:.6g}" for name, value in reference.joints.items())
    yield Sheet(f"joints there: {joints}")
    if all(branch is not None for branch in reference.branches):
        yield Sheet(f"branches of the legs (modes): {', '.join(map(str, reference.branches))}")
    for remark in reference.remarks:
        yield Sheet(f"warning: {remark}")


def _tree(robot: Any, digits: int | None, kind: str) -> Iterator[Sheet]:
    yield Sheet(f"{kind}, {robot.NL} links, {robot.NJ} joints, {robot.NF} frames, {robot.base.kind} base")
    yield _table("Geometry (rad, m)", ("ant", "sigma", "mu", *_GEOMETRY), robot.frames, digits)
    yield _table("Inertia at the frame's origin (kg m^2, kg m, kg)", _INERTIA, robot.links, digits)
    drive = "Rotor inertia and friction (kg m^2, N m s, N m; of a prismatic joint kg, N s/m, N)"
    yield _table(drive, _DRIVE, robot.links, digits)
    if _given(robot.links, _WRENCH):
        yield _table("Wrench of the link on its environment, in its frame (N, N m)", _WRENCH, robot.links, digits)
    if any(joint.eta for joint in robot.joints):
        yield _table("Elasticity (N m/rad, N/m)", ("eta", "k"), robot.joints, digits)
    if robot.loops:
        yield Sheet("loops: " + ", ".join(f"frame {k} on frame {fixed}" for k, fixed in robot.loops))


def _given(links: Sequence[Any], names: Sequence[str]) -> bool:
    return any(not getattr(link, name).is_zero for link in links for name in names)


def one_line(robot: Any) -> str:
    """<Robot rx90: Stäubli RX90 (symbolic); simple, 6 joints>."""
    title = f": {robot.title}" if robot.title else ""
    return f"<{type(robot).__name__} {robot.name}{title}; {robot.structure}, {len(robot.joint_names)} joints>"


def as_text(robot: Any) -> str:
    """Everything with full numbers, columns aligned."""
    lines = [f"{robot.name}  {robot.title}".rstrip()]
    for sheet in sheets(robot):
        lines += ["", sheet.title] if sheet.rows else [sheet.title]
        table = [sheet.head, *sheet.rows] if sheet.rows else []
        widths = [max(len(row[k]) for row in table) for k in range(len(sheet.head))]
        lines += ["  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in table]
        lines += [""] if sheet.rows else []
    return "\n".join(lines).replace("\n\n\n", "\n\n").strip()


def as_html_page(heading: str, tables: Sequence[Sheet]) -> str:
    """Tables for a notebook: zeros are dimmed, so that the structure is seen at once."""
    parts = [f"<div><p><b>{markup(heading)}</b></p>"]
    for sheet in tables:
        parts.append(f'<p style="margin:10px 0 4px">{markup(sheet.title)}</p>')
        if sheet.rows:
            head = "".join(f'<th style="{_STYLE}">{markup(name)}</th>' for name in sheet.head)
            rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in sheet.rows)
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return "".join([*parts, "</div>"])


def as_latex_array(robot: Any) -> str:
    """The geometry of the frames as LaTeX, Greek letters for angles."""
    tree = getattr(robot, "tree", None) or getattr(robot, "modules", None) or robot
    if isinstance(tree, (list, tuple)):  # a hybrid robot: one array for each module
        return "\n".join(as_latex_array(module.robot) for module in tree)
    names = ("j", "a(j)", r"\sigma_j", r"\mu_j", r"\gamma_j", "b_j", r"\alpha_j", "d_j", r"\theta_j", "r_j")
    entries = ("ant", "sigma", "mu", *_GEOMETRY)
    rows = [
        " & ".join([str(j), *(_latex(getattr(frame, name)) for name in entries)])
        for j, frame in enumerate(tree.frames, 1)
    ]
    lines = [r"\begin{array}{" + "r" * len(names) + "}", " & ".join(names) + r" \\ \hline"]
    return "\n".join([*lines, " \\\\\n".join(rows), r"\end{array}"])


def _latex(value: Any) -> str:
    from sympy import latex  # loaded only here: it takes long

    return latex(to_sympy([value])[0]) if isinstance(value, Expr) else str(value)


def _cell(text: str) -> str:
    dim = ";opacity:.4" if text == "0" else ""
    return f'<td style="{_STYLE}{dim}">{markup(text)}</td>'
