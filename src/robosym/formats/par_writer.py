"""Write a robot as .par text, in the dialect of SYMORO+ or OpenSYMORO."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.canonical import canonical_text
from robosym.algebra.parse import MAX_LENGTH
from robosym.errors import RobotError
from robosym.formats.par_reader import FRAME_KEYS, LINK_KEYS, SYMORO
from robosym.formats.source import MAX_LINE, check_name
from robosym.mechanism import BASE_MOTION, Robot

__all__ = ["write_opensymoro", "write_symoro"]

_BANNER = """\
(*******************************************)
(*     Robot parameters in the format      *)
(*     of SYMORO+, written by robosym      *)
(*******************************************)
"""
_TYPES = {"simple": "0 (* Simple *)", "tree": "1 (* Tree *)", "closed": "2 (* Closed *)"}


def entry_text(value: Expr | int, what: str, power: str = "^", pi: str = "Pi") -> str:
    """Return the text of an entry; raise an error if it could not be read back."""
    text = str(value) if isinstance(value, int) else canonical_text(value, power=power, pi=pi)
    if len(text) > MAX_LENGTH:
        raise RobotError(f"{what}: expected an expression of at most {MAX_LENGTH} characters, found {len(text)}")
    return text


def checked_name(robot: Robot) -> str:
    wrong = check_name(robot.name)
    if wrong:
        raise RobotError(f"name: {wrong}")
    return robot.name


def _without_screws(robot: Robot) -> Robot:
    for j, frame in enumerate(robot.frames, 1):
        if frame.pitch:
            raise RobotError(".par cannot describe helical joints: write yaml", frame=j, field="pitch")
    for j, joint in enumerate(robot.joints, 1):
        if joint.friction:
            raise RobotError(".par can only describe FV and FS: write yaml", frame=j, field="friction")
    return robot


def _columns(parts: Sequence[Any], keys: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each key with its value in every part."""
    return ((key, [getattr(part, key) for part in parts]) for key in keys)


def _wrapped(texts: Sequence[str]) -> str:
    """Return ten values per line, indented; one per line if the lines would be too long to be read back."""
    lines = [",".join(texts[i : i + 10]) for i in range(0, len(texts), 10)]
    if any(len(line) + 10 > MAX_LINE for line in lines):
        lines = list(texts)
    return "\n        " + ",\n        ".join(lines)


def write_symoro(robot: Robot) -> str:
    """Write in the dialect of SYMORO+, with keys of OpenSYMORO where SYMORO+ has none."""

    def array(key: str, values: Sequence[Expr | int]) -> str:
        return f"{SYMORO.get(key, key)} = {{{_wrapped([entry_text(value, key) for value in values])}}}"

    name, base = checked_name(_without_screws(robot)), robot.base
    lines = [_BANNER, "(* General parameters *)", f"(* Robotname = '{name}' *)"]
    lines += [f"NF = {robot.NF}", f"NL = {robot.NL}", f"NJ = {robot.NJ}", f"Type = {_TYPES[robot.structure]}"]
    if base.kind != "fixed":
        lines.append(f"is_{base.kind} = True")
    lines += ["", "(* Geometric parameters *)"]
    lines += [array(key, values) for key, values in _columns(robot.frames, FRAME_KEYS)]
    lines += ["", "(* Dynamic parameters and external forces *)"]
    lines += [array(key, values) for key, values in _columns(robot.all_links, LINK_KEYS)]
    lines += ["", "(* Joints velocity and acceleration *)"]
    lines += [array(key, values) for key, values in _columns(robot.joints, ("QP", "QDP"))]
    if any(joint.eta or not joint.k.is_zero for joint in robot.joints):
        lines += [array(key, values) for key, values in _columns(robot.joints, ("eta", "k"))]
    if any(joint.GAM.name != f"GAM{j}" for j, joint in enumerate(robot.joints, 1)):
        lines.append(array("GAM", [joint.GAM for joint in robot.joints]))
    lines += ["", "(* Speed and acceleration of the base *)"]
    lines += [array(key, getattr(base, key)) for key in BASE_MOTION]
    lines += ["", "(* Matrix Z *)", array("Z", base.Z)]
    lines += ["", "(* Acceleration of gravity *)", array("G", robot.gravity)]
    return "\n".join([*lines, "", "(* End of definition *)", ""])


def write_opensymoro(robot: Robot) -> str:
    """Write in the dialect of OpenSYMORO: lower case, one array per line, powers as in Python."""

    def array(key: str, values: Sequence[Expr | int]) -> str:
        texts = [entry_text(value, key, "**", "pi") for value in values]
        line = f"{key} = {{{','.join(texts)}}}"
        return line if len(line) <= MAX_LINE else f"{key} = {{{_wrapped(texts)}}}"

    name, base = checked_name(_without_screws(robot)), robot.base
    lines = [f"(* Robotname = '{name}' *)", f"NL = {robot.NL}", f"NJ = {robot.NJ}", f"NF = {robot.NF}"]
    lines += [f"Type = {_TYPES[robot.structure][0]}"]
    lines += [f"is_{kind} = {base.kind == kind}" for kind in ("floating", "mobile")]
    lines += ["", "(* Geometric parameters *)"]
    lines += [array(key, values) for key, values in _columns(robot.frames, FRAME_KEYS)]
    lines += ["", "(* Dynamic parameters and external forces *)"]
    lines += [array(key, values) for key, values in _columns(robot.all_links, LINK_KEYS)]
    lines += ["", "(* Joint parameters *)"]
    lines += [array(key, values) for key, values in _columns(robot.joints, ("eta", "k", "QP", "QDP", "GAM"))]
    lines += ["", "(* Velocity and acceleration of the base *)"]
    lines += [array(key, getattr(base, key)) for key in BASE_MOTION]
    lines += ["", "(* Acceleration of gravity *)", array("G", robot.gravity)]
    lines += ["", "(* Transformation of 0 frame position fT0 *)", array("Z", base.Z)]
    return "\n".join([*lines, "", "(* End of definition *)", ""])
