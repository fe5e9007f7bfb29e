"""Chapters of a book that describe the robot: mechanism, frames, joints, links, symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from robosym.algebra import POWERS, numeric_value, to_text
from robosym.drawing import draw
from robosym.export.book.blocks import BookFigure, BookTable, Chapter, Paragraph, Section
from robosym.mechanism import GEOMETRY, INERTIA, Robot

__all__ = ["described", "facts", "notation"]

_UNITS = {"gamma": "rad", "b": "m", "alpha": "rad", "d": "m", "theta": "rad", "r": "m"}
_KINDS = {0: "revolute", 1: "prismatic", 2: "fixed"}
_STRUCTURES = {
    "simple": "serial robot", "tree": "robot with branches", "closed": "robot with closed loops",
    "parallel": "parallel robot", "hybrid": "robot of modules in series",
}  # fmt: skip


def facts(robot: Robot) -> list[str]:
    """Return short sentences about a robot."""
    kind = _STRUCTURES.get(robot.structure, robot.structure)
    count = len(robot.motor_names) if robot.motor_names else len(robot.joint_names)
    found = [f"{kind}, {count} motor{'s' if count != 1 else ''}"]
    if robot.loops:
        found.append(f"{len(robot.loops)} closed loop{'s' if len(robot.loops) > 1 else ''}")
    return found


def cell(value: object) -> str:
    """Return an entry as a formula."""
    number = numeric_value(value)  # type: ignore[arg-type]
    text = to_text(value, POWERS)  # type: ignore[arg-type]
    if number is not None and len(text) > 9:
        text = f"{number:.6g}"
    return f"${text}$"


def described(robot: Robot, values: Mapping[str, float]) -> Chapter:
    """Return the description: picture, geometric parameters, links, limits, values of symbols."""
    chapter = Chapter("Description")
    chapter.paragraph(
        f"The {', '.join(facts(robot))} is described by frames with the parameters of Khalil and Kleinfinger: "
        "frame j follows from its antecedent i by a rotation $gamma$ about z, a translation $b$ along z, a "
        "rotation $alpha$ about x, a translation $d$ along x, a rotation $theta$ about z and a translation $r$ "
        "along z. The axis z of a frame is the axis of its joint."
    )
    picture = draw(robot, size=(760, 560))
    chapter.add(
        BookFigure(picture.svg(ground=False), "Frames and joint axes: x red, y green, z blue.", 0.86)
    )  # fmt: skip
    head = ("j", "i", "joint", *(f"${name}$ [{unit}]" for name, unit in _UNITS.items()))
    rows = []
    for j, frame in enumerate(robot.frames, 1):
        kind = _KINDS.get(frame.sigma, frame.joint_type.name)
        kind += ", driven" if robot.structure != "simple" and frame.mu else ""
        rows.append((str(j), str(frame.ant), kind, *(cell(getattr(frame, name)) for name in GEOMETRY)))
    chapter.add(BookTable(head, tuple(rows), "Geometric parameters of the frames.", 3))
    if robot.loops:
        pairs = "; ".join(f"frames {a} and {b}" for a, b in robot.loops)
        chapter.paragraph(f"Loops are cut at a joint. When a loop is closed, two frames coincide: {pairs}.")
    gravity = ", ".join(cell(g) for g in robot.gravity)
    chapter.paragraph(f"Acceleration of gravity in frame 0: ({gravity}) m/s².")
    chapter.add(*_limits(robot), *_links(robot), *_values(values))
    return chapter


def _limits(robot: Robot) -> Iterator[BookTable]:
    fields = (("lower", "lower"), ("upper", "upper"), ("velocity", "velocity"), ("effort", "effort"))
    rows = []
    for j in robot.tree_joints:
        limits = robot.joint(j).limits
        given = [getattr(limits, name) for name, _ in fields]
        if any(value is not None for value in given):
            unit = "m" if robot.frame(j).joint_type.only_slides else "rad"
            effort = "N" if unit == "m" else "N m"
            units = (unit, unit, f"{unit}/s", effort)
            cells = (f"{value:.5g} {u}" if value is not None else "" for value, u in zip(given, units, strict=True))
            rows.append((f"{j}", f"${robot.variable(j)}$", *cells))
    if rows:
        yield BookTable(("j", "joint", *(word for _, word in fields)), tuple(rows), "Limits of the joints.", 2)


def _links(robot: Robot) -> Iterator[BookTable]:
    head = ("j", *(f"${name}$" for name in INERTIA), "$IA$", "$FV$", "$FS$")
    rows = [
        (str(j), *(cell(getattr(link, name)) for name in (*INERTIA, "IA", "FV", "FS")))
        for j, link in enumerate(robot.links, 1)
        if any(not getattr(link, name).is_zero for name in (*INERTIA, "IA"))
    ]
    if rows:
        yield BookTable(
            head, tuple(rows),
            "Inertial parameters in link frames: inertia tensor about the origin [kg m²], first moments [kg m], "
            "mass [kg], inertia of the rotor [kg m²], viscous [N m s] and Coulomb friction [N m].",
        )  # fmt: skip


def _values(values: Mapping[str, float]) -> Iterator[Section | Paragraph | BookTable]:
    if not values:
        return
    yield Section("Numbers for the examples")
    yield Paragraph(
        "The description contains symbols. Pictures and numerical examples of this book use the values below; "
        "the models hold for any others."
    )
    pairs = [(f"${name}$", f"{value:.6g} {_unit(name)}".strip()) for name, value in values.items()]
    across = 4
    pairs += [("", "")] * (-len(pairs) % across)
    down = len(pairs) // across
    rows = tuple(tuple(x for k in range(across) for x in pairs[k * down + row]) for row in range(down))
    yield BookTable(("symbol", "value") * across, rows, "Values of the symbols in the examples.")


def _unit(name: str) -> str:
    letters = name.rstrip("0123456789R_")
    if letters in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "IA"):
        return "kg m²"
    if letters in ("MX", "MY", "MZ"):
        return "kg m"
    units = {"M": "kg", "FV": "N m s", "FS": "N m", "G": "m/s²", "pg": "rad", "g": "rad"}
    return units.get(letters, "m" if letters in ("D", "RL", "B", "R", "L", "pd", "pb", "d", "r", "b") else "")


def notation() -> Chapter:
    """Return the notation of the book."""
    chapter = Chapter("Notation", appendix=True)
    rows = (
        ("$t1, r1$", "position of revolute joint 1, of prismatic joint 1", "rad, m"),
        ("$QP1$", "velocity of joint 1, `QP1` in programs", "rad/s, m/s"),
        ("$QDP1$", "acceleration of joint 1, `QDP1`", "rad/s², m/s²"),
        ("$GAM1$", "torque or force of motor 1, `GAM1`", "N m, N"),
        ("$C23, S23$", "cosine and sine of the sum of joint angles 2 and 3", ""),
        ("$sx, nx, ax, Px$", "components of the axes x, y, z and of the origin of a frame", "1, m"),
        ("$XX1, XY1, ZZ1$", "inertia tensor of link 1 about the origin of frame 1", "kg m²"),
        ("$MX1, MY1, MZ1$", "first moments of link 1", "kg m"),
        ("$M1$", "mass of link 1", "kg"),
        ("$IA1$", "inertia of rotor 1, referred to the joint", "kg m²"),
        ("$FV1, FS1$", "viscous and Coulomb friction of joint 1", "N m s, N m"),
        ("$XX1R$", "base parameter: `XX1` grouped with others", "kg m²"),
    )
    chapter.add(BookTable(("symbol", "meaning", "unit"), rows, "Symbols of this book.", 3))
    return chapter
