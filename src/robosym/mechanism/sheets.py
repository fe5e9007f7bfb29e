"""Tables of a description, shared by `show`, `print(robot)` and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robosym.algebra import Expr, numeric_value, to_sympy
from robosym.errors import InputError, counted
from robosym.mechanism.coupling import Follow
from robosym.mechanism.elements import DRIVE, GEOMETRY, INERTIA, WRENCH, Frame, Joint, Link
from robosym.mechanism.end_frame import end_frame
from robosym.safe_text import markup

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["Sheet", "as_html_page", "as_latex_array", "as_text", "one_line", "sheets"]

_STYLE = "padding:1px 14px 1px 0;text-align:left"
_LONG = 9  #: numbers with at least as many characters are shortened


@dataclass(frozen=True)
class Sheet:
    """A table with a title, or only a sentence if it has no rows."""

    title: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def cell(value: object, digits: int | None) -> str:
    """Return an entry as text; `digits` is the number of significant digits of long numbers."""
    text = str(value)
    if digits is None or len(text) < _LONG or not isinstance(value, (Expr, float)):
        return text
    number = numeric_value(value) if isinstance(value, Expr) else value
    return text if number is None else f"{number:.{digits}g}"


def _table(
    title: str, names: Sequence[str], parts: Sequence[Frame | Link | Joint], digits: int | None,
    only: Iterable[int] | None = None, called: Mapping[int, str] | None = None,
) -> Sheet:  # fmt: skip
    """Return a table with one row per part, or per number in `only`; `called` adds a column of names."""
    rows = (
        (
            str(j),
            *([called.get(j, "")] if called else []),
            *(cell(getattr(parts[j - 1], name), digits) for name in names),
        )
        for j in (range(1, len(parts) + 1) if only is None else only)
    )
    return Sheet(title, ("j", *(["name"] if called else []), *names), tuple(rows))


def sheets(robot: Robot, digits: int | None = None) -> Iterator[Sheet]:
    """Iterate over the tables of a robot; `digits` shortens numbers."""
    if len(robot.modules) > 1:
        yield Sheet(f"hybrid structure, {len(robot.modules)} modules")
        for k, (module, part) in enumerate(zip(robot.modules, robot.module_robots(), strict=True), 1):
            yield Sheet(f"module {k}: {part.name}")
            place = [robot.frame(module.place)]
            yield _table("Base with respect to the end of the previous module (rad, m)", GEOMETRY, place, digits)
            yield from _parts(part, digits)
    else:
        yield from _parts(robot, digits)
    yield Sheet(f"gravity: {', '.join(cell(g, digits) for g in robot.gravity)} (m/s^2, in frame 0)")


def _parts(robot: Robot, digits: int | None) -> Iterator[Sheet]:
    if not robot.modules:
        yield from _tree(robot, digits, f"{robot.structure} structure")
        return
    yield Sheet(f"parallel structure, {len(robot.legs)} legs, motors {', '.join(robot.motor_names)}")
    yield from _tree(robot.leg_tree, digits, "legs, one after the other")
    platform = [robot.platform]
    yield _table("Inertia of the platform at its origin (kg m^2, kg m, kg)", INERTIA, platform, digits)
    if _given(platform, WRENCH):
        yield _table("Wrench of the platform on its environment (N, N m)", WRENCH, platform, digits)
    yield _table("Last frames of the legs with respect to the platform (rad, m)", GEOMETRY, robot.places, digits)
    yield from _reference(robot)


def _reference(robot: Robot) -> Iterator[Sheet]:
    """Iterate over the tables of the reference position, the default pose of models and branches."""
    try:
        reference = robot.reference
    except InputError as error:
        yield Sheet(f"reference position: not available: {error}")
        return
    if reference is None:
        if not robot.position and robot.module.reference_pose is None:
            yield Sheet("reference position: not given (key position)")
        return
    entries = [f"{float(x):.6g}" for x in (reference.pose.round(9) + 0.0)]
    rows = tuple((f"R{k + 1}", *entries[3 * k : 3 * k + 3]) for k in range(3))
    freedom = f"{reference.freedom} degrees of freedom"
    yield Sheet(f"Reference position: pose of the platform in frame 0 (m), {freedom}", ("", "", "", ""),
                (*rows, ("P", *entries[9:])))  # fmt: skip
    joints = ", ".join(f"{name} = {value:.6g}" for name, value in reference.joints.items())
    yield Sheet(f"joints at the reference position: {joints}")
    if all(branch is not None for branch in reference.branches):
        yield Sheet(f"branches of the legs (modes): {', '.join(map(str, reference.branches))}")
    for remark in reference.remarks:
        yield Sheet(f"warning: {remark}")


def _tree(robot: Robot, digits: int | None, kind: str) -> Iterator[Sheet]:
    moving = sum(frame.is_joint for frame in robot.frames)
    frames = counted(robot.NF, "frame") + (f" ({robot.NF - moving} fixed)" if moving < robot.NF else "")
    yield Sheet(f"{kind}, {moving} {'joint' if moving == 1 else 'joints'}, {frames}, {robot.base.kind} base")
    if not kind.startswith("legs"):  # the legs end on the platform
        yield from _ends(robot)
    called = _called(robot)
    marks = _marks(robot)
    kept = [j for j in range(1, robot.NF + 1) if j not in marks]
    links = [j for j in kept if j <= robot.NL]
    yield from _joints(robot)
    yield _table("Geometry (rad, m)", ("ant", "sigma", "mu", *GEOMETRY), robot.frames, digits, kept, called)
    if marks:
        yield _table("Fixed frames (rad, m)", ("ant", *GEOMETRY), robot.frames, digits, marks, called)
    yield _table("Inertia at the frame's origin (kg m^2, kg m, kg)", INERTIA, robot.links, digits, links, called)
    drive = "Rotor inertia and friction (kg m^2, N m s, N m; of a prismatic joint kg, N s/m, N)"
    yield _table(drive, DRIVE, robot.links, digits, [j for j in links if robot.frame(j).is_joint])
    if _given(robot.links, WRENCH):
        title = "Wrench of the link on its environment, in its frame (N, N m)"
        yield _table(title, WRENCH, robot.links, digits, links)
    if any(joint.eta for joint in robot.joints):
        yield _table("Elasticity (N m/rad, N/m)", ("eta", "k"), robot.joints, digits)
    if robot.loops:
        yield Sheet("loops: " + ", ".join(f"frame {k} on frame {fixed}" for k, fixed in robot.loops))


def _called(robot: Robot) -> dict[int, str]:
    """Return the names of frames by number."""
    return {j: ", ".join(robot.names_of(j)) for j in set(robot.frame_names.values()) if j}


def _marks(robot: Robot) -> list[int]:
    """Return the fixed frames that only mark a place: nothing is attached to them, and they have no inertia."""
    followed = {frame.ant for frame in robot.frames}
    return [
        j
        for j in range(1, robot.NL + 1)
        if not robot.frame(j).is_joint and j not in followed and not _given([robot.link(j)], (*INERTIA, *WRENCH))
    ]


def _joints(robot: Robot) -> Iterator[Sheet]:
    """Iterate over the table of joints, if they have names, limits or relations."""
    joints = [j for j in range(1, robot.NJ + 1) if robot.frame(j).is_joint]
    limits = ("lower", "upper", "velocity", "acceleration", "effort")
    given = [k for k in limits if any(getattr(robot.joint(j).limits, k) is not None for j in joints)]
    follow = any(robot.joint(j).follows is not None for j in joints)
    if not given and not follow and not any(robot.joint(j).name for j in joints):
        return
    rows = []
    for j in joints:
        joint = robot.joint(j)
        bounds = (getattr(joint.limits, key) for key in given)
        row = [str(j), joint.name, robot.variable(j), robot.frame(j).joint_type.name]
        row += ["" if bound is None else f"{bound:.6g}" for bound in bounds]
        rows.append((*row, *([_leader(joint.follows)] if follow else [])))
    head = ("j", "joint", "q", "type", *given, *(["follows"] if follow else []))
    yield Sheet("Joints (rad, m; rad/s, m/s; N m, N)", head, tuple(rows))


def _leader(follow: Follow | None) -> str:
    if follow is None:
        return ""
    factor = "" if follow.ratio == 1 else f"{follow.ratio:.6g} * "
    return f"{factor}{follow.joint}" + (f" {follow.offset:+.6g}" if follow.offset else "")


def _ends(robot: Robot) -> Iterator[Sheet]:
    """Report the default frame of functions, if the choice is not obvious."""
    try:
        end = end_frame(robot)
    except InputError as error:
        yield Sheet(f"end of the arm: the candidates are {error.expected}")
        return
    others = f"; other candidates: {', '.join(end.others)}" if end.others else ""
    path, j = set(), end.number
    while j > 0:
        path.add(j)
        j = robot.frame(j).ant
    if others or not path >= {*robot.tree_joints}:  # there are other limbs, or a hand
        yield Sheet(f"end of the arm: {end.label} ({end.reason}){others}")


def _given(links: Sequence[Link], names: Sequence[str]) -> bool:
    return any(not getattr(link, name).is_zero for link in links for name in names)


def one_line(robot: Robot) -> str:
    """Return the representation `<Robot rx90: Stäubli RX90 (symbolic); simple, 6 joints>`."""
    title = f": {robot.title}" if robot.title else ""
    joints = counted(len(robot.joint_names), "joint")
    return f"<{type(robot).__name__} {robot.name}{title}; {robot.structure}, {joints}>"


def as_text(robot: Robot, digits: int | None = None) -> str:
    """Return all tables with aligned columns, by default with full precision."""
    lines = [f"{robot.name}  {robot.title}".rstrip()]
    for sheet in sheets(robot, digits):
        lines += ["", sheet.title] if sheet.rows else [sheet.title]
        table = [sheet.head, *sheet.rows] if sheet.rows else []
        widths = [max(len(row[k]) for row in table) for k in range(len(sheet.head))]
        lines += ["  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in table]
        lines += [""] if sheet.rows else []
    return "\n".join(lines).replace("\n\n\n", "\n\n").strip()


def as_html_page(heading: str, tables: Sequence[Sheet]) -> str:
    """Return tables for a notebook, with dimmed zeros that make the structure visible."""
    parts = [f"<div><p><b>{markup(heading)}</b></p>"]
    for sheet in tables:
        parts.append(f'<p style="margin:10px 0 4px">{markup(sheet.title)}</p>')
        if sheet.rows:
            head = "".join(f'<th style="{_STYLE}">{markup(name)}</th>' for name in sheet.head)
            rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in sheet.rows)
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return "".join([*parts, "</div>"])


def as_latex_array(robot: Robot) -> str:
    """Return the geometry of the frames in LaTeX, one array per module."""
    if len(robot.modules) > 1:
        return "\n".join(map(as_latex_array, robot.module_robots()))
    tree = robot.leg_tree if robot.modules else robot
    names = ("j", "a(j)", r"\sigma_j", r"\mu_j", r"\gamma_j", "b_j", r"\alpha_j", "d_j", r"\theta_j", "r_j")
    entries = ("ant", "sigma", "mu", *GEOMETRY)
    rows = [
        " & ".join([str(j), *(_latex(getattr(frame, name)) for name in entries)])
        for j, frame in enumerate(tree.frames, 1)
    ]
    lines = [r"\begin{array}{" + "r" * len(names) + "}", " & ".join(names) + r" \\ \hline"]
    return "\n".join([*lines, " \\\\\n".join(rows), r"\end{array}"])


def _latex(value: Expr | int) -> str:
    from sympy import latex  # importing SymPy is slow

    return latex(to_sympy([value])[0]) if isinstance(value, Expr) else str(value)


def _cell(text: str) -> str:
    dim = ";opacity:.4" if text == "0" else ""
    return f'<td style="{_STYLE}{dim}">{markup(text)}</td>'
