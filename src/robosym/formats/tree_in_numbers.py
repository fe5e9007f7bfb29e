"""Numeric description of a robot, link by link, for URDF, MJCF and SDF."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from robosym.algebra import Expr, evaluate, symbols
from robosym.errors import RobotError, RobotWarning
from robosym.formats.placements import exact_screw_x, exact_screw_z
from robosym.mechanism import INERTIA, PRISMATIC, REVOLUTE, WRENCH, Follow, Link, Robot
from robosym.mechanism.central_inertia import stored_central
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = [
    "TENSOR", "NumericLink", "fixed_place", "is_identity", "joint_kind", "numeric_tree", "relation_of", "world_gravity",
]  # fmt: skip

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")  #: names of the entries of `NumericLink.tensor` in URDF and SDF
_ROTORS = ("MJCF",)  #: formats that can describe rotor inertias
_WEIGHTS = ("MJCF",)  #: formats that can describe gravity
_KINDS = {REVOLUTE: "revolute", PRISMATIC: "prismatic"}  #: joints in URDF and SDF
_SLIDE_AND_HINGE = {REVOLUTE: "hinge", PRISMATIC: "slide"}  #: the same in MJCF
_USUAL, _ABOUT = (0.0, 0.0, -9.81), 0.05  #: default gravity of other programs in m/s^2, and its tolerance


@dataclass(frozen=True, slots=True)
class NumericLink:
    """A link, the pose of its frame in its antecedent at joint position zero, and its inertia."""

    number: int
    ant: int
    names: tuple[str, ...]  #: its own name, then other names of the same frame
    place: Transform
    mass: float
    center: Vec3
    tensor: tuple[float, ...]  #: xx, xy, xz, yy, yz, zz at the center of mass
    IA: float
    FV: float
    FS: float

    @property
    def has_inertia(self) -> bool:
        return bool(self.mass or any(self.tensor))


def numeric_tree(robot: Robot, form: str, reference: bool = False) -> list[NumericLink]:
    """Return the base in the world and every link, with joints at zero or at the reference position."""
    _warn_ignored(robot, form)
    taken = set(robot.frame_names)
    links = [_link(robot, 0, robot.base.link, form, taken, reference)]
    _warn_gravity(robot, links[0], form)
    return links + [_link(robot, j, robot.link(j), form, taken, reference) for j in range(1, robot.NL + 1)]


def _warn_ignored(robot: Robot, form: str) -> None:
    """Warn about entries that the format cannot describe."""
    lost = [f"{n}{j}" for j, joint in enumerate(robot.joints, 1) for n, v in joint.friction.values if not v.is_zero]
    lost += [f"smooth of joint {j}" for j, joint in enumerate(robot.joints, 1) if joint.friction.smooth]
    if lost:
        message = f"{form} can only describe FV and FS: {', '.join(lost)} ignored"
        warnings.warn(message, RobotWarning, stacklevel=5)
    springs = [f"the spring of joint {j}" for j, joint in enumerate(robot.joints, 1) if joint.eta]
    wrenches = [
        f"wrench {j}" for j, link in enumerate(robot.links, 1) if any(not getattr(link, f).is_zero for f in WRENCH)
    ]
    rotors = [f"IA{j}" for j, link in enumerate(robot.links, 1) if form not in _ROTORS and not link.IA.is_zero]
    left = [*springs, *wrenches, *rotors]
    if left:
        warnings.warn(
            f"{form} cannot describe these entries, which are ignored: {', '.join(left)}", RobotWarning, stacklevel=5
        )


def _warn_gravity(robot: Robot, base: NumericLink, form: str) -> None:
    """Warn about a nonstandard gravity if the format does not describe it."""
    if form in _WEIGHTS:
        return
    unusual = bool(list(symbols(robot.gravity)))
    if not unusual:
        gravity = world_gravity(robot, base, form)
        unusual = max(abs(float(g) - usual) for g, usual in zip(gravity, _USUAL, strict=True)) > _ABOUT
    if unusual:
        stated = ", ".join(map(str, robot.gravity))
        warnings.warn(
            f"{form} cannot describe gravity: ({stated}) is ignored, other programs assume 9.81 m/s^2 downwards",
            RobotWarning,
            stacklevel=5,
        )


def joint_kind(robot: Robot, j: int, form: str) -> str:
    """Return the word of a format for the type of joint j."""
    frame, kinds = robot.frame(j), _SLIDE_AND_HINGE if form == "MJCF" else _KINDS
    if frame.sigma not in kinds:
        raise RobotError(f"{form} cannot describe {frame.joint_type.name} joints", frame=j, field="sigma")
    return kinds[frame.sigma]


def relation_of(robot: Robot, j: int, form: str) -> Follow | None:
    """Return the relation of joint j by its description or coupling; files allow one leader only."""
    coupling = robot.couplings.get(robot.variable(j))
    if coupling is None:
        return robot.joint(j).follows
    if len(coupling.ratios) > 1:
        message = f"{form}: expected a joint that follows one other, found {len(coupling.ratios)}"
        raise RobotError(message, j, "couplings")
    [(leader, ratio)] = coupling.ratios.items()
    names = {robot.variable(k): robot.joint_name(k) for k in robot.tree_joints}
    return Follow(names[leader], ratio, coupling.offset)


def world_gravity(robot: Robot, base: NumericLink, form: str) -> Vec3:
    """Return gravity in the world frame."""
    gravity: Vec3 = base.place.A @ Vec3(*_numbers(robot, robot.gravity, form))
    return gravity


def is_identity(T: Transform) -> bool:
    return [*T.A, *T.P] == [*Transform.identity().A, *Transform.identity().P]


def _numbers(robot: Robot, entries: Sequence[Expr], form: str) -> list[float]:
    found = list(symbols(entries))
    if found:
        names = ", ".join(found[:5])
        message = f"{form}: expected numbers, found the symbols {names}: use robot.with_values({{...}}) first"
        raise RobotError(message)
    return evaluate(entries, {})


def fixed_place(robot: Robot, j: int, form: str, reference: bool = False) -> Transform:
    """Return the pose of frame j in its antecedent, at joint position zero or at the reference position."""
    frame = robot.frame(j)
    if frame.is_joint:
        variable = robot.graph.symbol(robot.variable(j))
        start = robot.position.get(robot.variable(j), 0.0) if reference else 0.0
        frame = frame.at(getattr(frame, frame.joint_type.variable) - variable + start)
    entries = frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r
    gamma, b, alpha, d, theta, r = _numbers(robot, entries, form)
    return exact_screw_z(gamma, b) @ exact_screw_x(alpha, d) @ exact_screw_z(theta, r)


def _link(robot: Robot, j: int, link: Link | None, form: str, taken: set[str], reference: bool) -> NumericLink:
    names = robot.names_of(j)
    if not names:
        own = f"link{j}" if j else "base"
        while own in taken:
            own += "_"
        taken.add(own)
        names = (own,)
    frame = robot.frame(j) if j else None
    place = fixed_place(robot, j, form, reference) if j else Transform.of(*_numbers(robot, robot.base.Z[:12], form))
    if link is None:
        return NumericLink(j, 0, names, place, 0.0, Vec3(0.0, 0.0, 0.0), (0.0,) * 6, 0.0, 0.0, 0.0)
    stated = stored_central(link)
    *ten, IA, FV, FS = _numbers(robot, [getattr(link, name) for name in (*INERTIA, "IA", "FV", "FS")], form)
    body = RigidInertia(*ten)
    if not body.M and any(body.MS):
        raise RobotError(f"{form}: expected M above 0 for a link with first moments", frame=j, field="M")
    mass, ant = ten[-1], frame.ant if frame else 0
    if stated is not None:
        nine = _numbers(robot, [*stated], form)
        return NumericLink(j, ant, names, place, mass, Vec3(*nine[:3]), tuple(nine[3:]), IA, FV, FS)
    center = Vec3(*(moment / mass for moment in body.MS)) if mass else Vec3(0.0, 0.0, 0.0)
    tensor = (body.about(center) if mass else body).numbers()[:6]
    if not all(map(isfinite, (*center, *tensor))):
        raise RobotError(f"{form}: the center of mass is not finite: MX, MY or MZ is too large for M", frame=j)
    return NumericLink(j, ant, names, place, mass, center, tensor, IA, FV, FS)
