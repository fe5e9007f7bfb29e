"""Validation of a description: structure, joint variables, names, and physical consistency of inertias.

Each error names the frame and the field. A physically inconsistent inertia is only a remark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from robosym.algebra import Expr, numeric_value, symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.trigonometry import linear_terms
from robosym.errors import RobotError, closest
from robosym.mechanism.coupling import check_couplings
from robosym.mechanism.elements import BASE_MOTION, expressions
from robosym.mechanism.joints import HELICAL, JOINT_TYPES
from robosym.mechanism.modules import module_part
from robosym.safe_text import wrong_name

if TYPE_CHECKING:
    from robosym.mechanism.elements import Link
    from robosym.mechanism.robot import Robot

__all__ = [
    "check_names", "check_structure", "check_variables", "implausible", "is_name", "joint_variable", "short_text",
]  # fmt: skip


def check_structure(robot: Robot) -> None:
    """Raise `RobotError` if frames, links, joints and base are inconsistent."""
    if not robot.links:
        raise RobotError("links: expected at least one")
    loops = robot.NJ - robot.NL
    if loops < 0 or robot.NL + 2 * loops != robot.NF:
        raise RobotError(
            f"{robot.NF} frames, {robot.NL} links and {robot.NJ} joints are inconsistent: "
            f"expected NJ >= NL and NF = 2 NJ - NL = {2 * robot.NJ - robot.NL}"
        )
    for j, frame in enumerate(robot.frames, 1):
        if not 0 <= frame.ant < j:
            raise _wrong(j, "ant", f"expected an antecedent from 0 to {j - 1}, found {frame.ant}", "E204")
        if frame.sigma not in JOINT_TYPES:
            *others, last = (f"{kind.sigma} ({kind.name})" for kind in JOINT_TYPES.values())
            raise _wrong(j, "sigma", f"expected {', '.join(others)} or {last}, found {frame.sigma}")
        if (frame.sigma == HELICAL) != (frame.pitch != 0) or not math.isfinite(frame.pitch):
            wanted = "a finite, nonzero advance per turn" if frame.sigma == HELICAL else "0 unless the joint is helical"
            raise _wrong(j, "pitch", f"expected {wanted}, found {frame.pitch!r}")
        if frame.mu not in (0, 1):
            raise _wrong(j, "mu", f"expected 1 (active) or 0 (passive), found {frame.mu}")
        if robot.NL < frame.ant <= robot.NJ:
            raise _wrong(j, "ant", f"expected a link, found {frame.ant}, the frame of a cut joint")
        if j > robot.NJ and frame.is_joint:
            raise _wrong(j, "sigma", f"expected 2 (fixed), because it closes the loop of frame {j - loops}")
    for j, joint in enumerate(robot.joints, 1):
        if joint.eta not in (0, 1):
            raise _wrong(j, "eta", f"expected 1 (elastic) or 0 (rigid), found {joint.eta}")
        if joint.eta and not robot.frame(j).is_joint:
            raise _wrong(j, "eta", "expected 0 (a fixed frame has no joint)")
    carrier = list(range(robot.NF + 1))  # link that carries a frame: for a fixed frame, that of its antecedent
    for j in range(robot.NJ + 1, robot.NF + 1):
        carrier[j] = carrier[robot.frame(j).ant]
    for cut, fixed in robot.loops:
        if carrier[robot.frame(cut).ant] == carrier[robot.frame(fixed).ant]:
            raise _wrong(
                fixed,
                "ant",
                f"frames {cut} and {fixed} close a loop: expected different links, found the same",
            )
    if robot.base.kind not in ("fixed", "mobile", "floating"):
        raise RobotError(f"base: expected fixed, mobile or floating, found {robot.base.kind!r}")
    if (robot.base.kind == "fixed") is not (robot.base.link is None):
        wanted = "no inertia (fixed base)" if robot.base.kind == "fixed" else f"the inertia of a {robot.base.kind} base"
        raise RobotError(f"base: expected {wanted}")
    if len(robot.base.Z) != 16:
        raise RobotError(f"base: Z: expected 16 entries, row by row, found {len(robot.base.Z)}")
    for name in BASE_MOTION:
        if len(getattr(robot.base, name)) != 3:
            raise RobotError(f"base: {name}: expected 3 entries, found {len(getattr(robot.base, name))}")
        moves = [k for k, value in enumerate(getattr(robot.base, name), 1) if not value.is_zero]
        if moves and robot.base.kind == "fixed":
            raise RobotError(
                f"base: a fixed base does not move, found {short_text(getattr(robot.base, name)[moves[0] - 1])}: "
                "expected type mobile (its motion is given) or floating (it is unknown), or 0",
                field=f"{name}[{moves[0]}]",
            )
    if len(robot.gravity) != 3:
        raise RobotError(f"gravity: expected 3 entries, found {len(robot.gravity)}")


def joint_variable(robot: Robot, j: int) -> str | None:
    """Return the symbol of the joint variable in theta or r of frame j, where it may have a constant offset."""
    frame = robot.frame(j)
    if not frame.is_joint:
        return None
    where, kind = frame.joint_type.variable, frame.joint_type.name
    value: Expr = getattr(frame, where)
    names = list(symbols([value]))
    if not names:
        raise _wrong(
            j, where, f"expected the variable of the {kind} joint, found the constant {short_text(value)}", "E205"
        )
    if len(names) > 1:
        raise _wrong(
            j, where, f"expected one variable and a constant offset, found {len(names)} symbols in {short_text(value)}"
        )
    for base, coefficient in linear_terms(value).items():
        if base.op == "symbol" and coefficient == 1:
            continue
        if list(symbols([base])):
            example = f"{short_text(names[0])} + Pi/2"
            raise _wrong(j, where, f"expected a variable plus a constant, such as {example}, found {short_text(value)}")
    return names[0]


def check_variables(robot: Robot) -> None:
    """Raise `RobotError` if two joints have the same variable, or a variable is used as a parameter."""
    owner: dict[str, int] = {}
    for j, name in enumerate(robot.variables, 1):
        if name is not None and owner.setdefault(name, j) != j:
            where, message = (
                robot.frame(j).joint_type.variable,
                f"the variable {name} is already used by frame {owner[name]}",
            )
            raise _wrong(j, where, message, "E206")
    held = {(f"frame {j}", frame.joint_type.variable) for j, frame in enumerate(robot.frames, 1) if frame.is_joint}
    for place, name, value in robot.entries():
        if (place, name) in held:
            continue
        for symbol in symbols([value]):
            if symbol in owner:
                message = f"{symbol} is the variable of frame {owner[symbol]}: expected a parameter"
                what, _, number = place.partition(" ")
                part = module_part(robot, int(number)) if number else ""
                if part:
                    raise RobotError(f"{part}: {name}: {symbol} is a joint variable: expected a parameter")
                if number:  # links and joints have the number of their frame
                    raise _wrong(int(number), name, message)
                raise RobotError(f"{what}: {message}", field=name)


def check_names(robot: Robot) -> None:
    """Raise `RobotError` for invalid names, relations, couplings and reference positions."""
    wrong = wrong_name(robot.name)
    if wrong:
        raise RobotError(wrong, field="name")
    for name, j in robot.frame_names.items():
        if not is_name(name):
            raise _wrong(j, "name", f"expected a name of printable characters, found {short_text(name)!r}")
        if not 0 <= j <= robot.NF:
            raise RobotError(f"name: {short_text(name)!r} is given to frame {j}: expected 0 to {robot.NF}")
    owner: dict[str, int] = {}
    for j, joint in enumerate(robot.joints, 1):
        joint.limits.check(j)
        joint.friction.check(j, cut=j > robot.NL)
        if not joint.name:
            continue
        if not is_name(joint.name):
            raise _wrong(j, "joint", f"expected a name of printable characters, found {short_text(joint.name)!r}")
        if owner.setdefault(joint.name, j) != j:
            raise _wrong(j, "joint", f"the name {joint.name} is already used by joint {owner[joint.name]}")
    for j, joint in enumerate(robot.joints, 1):
        follows = joint.follows
        if follows is not None and j > robot.NL:
            raise _wrong(j, "follows", "a cut joint cannot follow another: cut this loop elsewhere")
        if follows is not None and follows.joint not in {robot.joint_name(k) for k in robot.tree_joints if k != j}:
            raise _wrong(j, "follows", f"expected the name of another joint, found {short_text(follows.joint)!r}")
        if follows is not None and not (math.isfinite(follows.ratio) and math.isfinite(follows.offset)):
            raise _wrong(j, "follows", f"expected finite numbers, found {follows.ratio!r}, {follows.offset!r}")
    motors = [robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu]
    cut = {robot.variable(j) for j in robot.cut_joints}
    for name in cut & {name for one, coupling in robot.couplings.items() for name in (one, *coupling.ratios)}:
        raise RobotError(f"{name} is a cut joint, which cannot be coupled: cut this loop elsewhere", field="couplings")
    check_couplings(robot.couplings, [robot.variable(j) for j in robot.tree_joints], motors)
    known = [name for name in robot.variables if name]
    if not known or not {*robot.position} <= {*known}:
        known += [name for name in symbols(v for f in robot.frames for _, v in expressions(f)) if name not in known]
    for variable, value in robot.position.items():
        if variable not in known:
            message = (
                f"{short_text(str(variable))} is not a joint variable or length of a frame{closest(variable, known)}"
            )
            raise RobotError(message, field="position")
        if not math.isfinite(value):
            raise RobotError(f"{variable}: expected a finite number, found {value!r}", field="position")


def is_name(text: str) -> bool:
    """Whether a text can name a frame or a joint: it must fit on a line and in a comment of a .par file."""
    return bool(text) and text == text.strip() and text.isprintable() and "(*" not in text and "*)" not in text


def short_text(value: Expr | str) -> str:
    """Return an expression as text, shortened for a message."""
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _wrong(frame: int, name: str, message: str, code: str = "") -> RobotError:
    return RobotError(message, frame=frame, field=name, code=code)


Rows = list[list[float]]
_ROUNDING = 1e-6  #: tolerance relative to the largest moment, for files with six digits


def implausible(robot: Robot) -> tuple[str, ...]:
    """Return remarks on physically inconsistent links; links with symbols in their inertia are skipped."""
    found = []
    for j, link in enumerate((robot.base.link, *robot.links)):
        if link is not None:
            found += [f"{_called(robot, j)}: {remark}" for remark in _link(link)]
    return tuple(found)


def _called(robot: Robot, j: int) -> str:
    """Return how a message names a link of a platform, a module or the tree."""
    for k, module in enumerate(robot.modules, 1):
        if module.place and module.first <= j <= module.last:
            return f"module {k}: link {j - module.first + 1}"
    return module_part(robot, j) or f"link {j}"


def _link(link: Link) -> Iterator[str]:
    for name in ("IA", "FV", "FS"):
        value = numeric_value(getattr(link, name))
        if value is not None and value < 0:
            yield f"{name} is negative: {value!r}"
    mass = numeric_value(link.M)
    if mass is not None and mass < 0:
        yield f"the mass is negative: {mass!r}"
    moments = [numeric_value(getattr(link, name)) for name in ("MX", "MY", "MZ")]
    tensor = [numeric_value(getattr(link, name)) for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]
    if mass is None or mass < 0 or None in moments or None in tensor:
        return
    x, y, z = (m or 0.0 for m in moments)
    xx, xy, xz, yy, yz, zz = (t or 0.0 for t in tensor)
    if mass == 0:
        if x or y or z:
            yield "the mass is zero, but the first moments MX, MY, MZ are not"
            return
        scale = 1.0
    else:  # at the center of mass
        scale = mass
    about = [
        [xx - (y * y + z * z) / scale, xy + x * y / scale, xz + x * z / scale],
        [xy + x * y / scale, yy - (x * x + z * z) / scale, yz + y * z / scale],
        [xz + x * z / scale, yz + y * z / scale, zz - (x * x + y * y) / scale],
    ]
    size = max(abs(value) for value in (xx, yy, zz, *(e for row in about for e in row)))
    if not any((xx, xy, xz, yy, yz, zz)) or size == 0:  # a point mass, or no inertia matrix given
        return
    about = [[value / size for value in row] for row in about]  # products of three entries do not overflow
    if not _positive(about):
        yield "the inertia matrix at the center of mass is not positive"
        return
    half = sum(about[k][k] for k in range(3)) / 2
    second = [[(half if r == c else 0.0) - about[r][c] for c in range(3)] for r in range(3)]
    if not _positive(second):
        yield "a principal moment of inertia is larger than the sum of the other two"


def _positive(matrix: Rows) -> bool:
    """Whether all principal minors are nonnegative within rounding; the largest element is 1."""
    return all(_minor(matrix, places) >= -_ROUNDING for count in (1, 2, 3) for places in combinations(range(3), count))


def _minor(matrix: Rows, places: tuple[int, ...]) -> float:
    m = [[matrix[r][c] for c in places] for r in places]
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][a] * (m[1][b] * m[2][c] - m[1][c] * m[2][b]) for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))
