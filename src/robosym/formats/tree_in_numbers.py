"""A robot in numbers, link by link, as URDF and MJCF want it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from robosym.algebra import Expr, evaluate, symbols
from robosym.errors import RobotError, RobotWarning
from robosym.formats.placements import exact_screw_x, exact_screw_z
from robosym.mechanism import INERTIA, WRENCH, Follow, Link, Robot
from robosym.mechanism.central_inertia import told_at_centre
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["TENSOR", "NumericLink", "fixed_place", "is_identity", "numeric_tree", "relation_of", "world_gravity"]

TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")  #: how URDF and SDF call the entries of `NumericLink.tensor`
_ROTORS = ("MJCF",)  #: forms that have a place for the inertia of rotors
_WEIGHTS = ("MJCF",)  #: forms that have a place for gravity
_USUAL, _ABOUT = (0.0, 0.0, -9.81), 0.05  #: what other programs take for gravity, and what does not differ from it


@dataclass(frozen=True, slots=True)
class NumericLink:
    """A link, its frame in that of its antecedent where the joint variable is zero, and its inertia."""

    number: int
    ant: int
    names: tuple[str, ...]  #: the first is its own, the others stand for the same frame
    place: Transform
    mass: float
    centre: Vec3
    tensor: tuple[float, ...]  #: xx, xy, xz, yy, yz, zz at the centre of mass
    IA: float
    FV: float
    FS: float

    @property
    def has_inertia(self) -> bool:
        return bool(self.mass or any(self.tensor))


def numeric_tree(robot: Robot, form: str, reference: bool = False) -> list[NumericLink]:
    """The base in the world and every link, with joints at zero or at the reference position; no symbols."""
    _tell_what_is_left_out(robot, form)
    taken = set(robot.frame_names)
    links = [_link(robot, 0, robot.base.link, form, taken, reference)]
    _tell_gravity(robot, links[0], form)
    return links + [_link(robot, j, robot.link(j), form, taken, reference) for j in range(1, robot.NL + 1)]


def _tell_what_is_left_out(robot: Robot, form: str) -> None:
    """A warning for entries that the form has no place for."""
    lost = [f"{n}{j}" for j, joint in enumerate(robot.joints, 1) for n, v in joint.friction.values if not v.is_zero]
    lost += [f"smooth of joint {j}" for j, joint in enumerate(robot.joints, 1) if joint.friction.smooth]
    if lost:
        warnings.warn(f"{form} has FV and FS alone: {', '.join(lost)} are left out", RobotWarning, stacklevel=5)
    springs = [f"the spring of joint {j}" for j, joint in enumerate(robot.joints, 1) if joint.eta]
    wrenches = [
        f"wrench {j}" for j, link in enumerate(robot.links, 1) if any(not getattr(link, f).is_zero for f in WRENCH)
    ]
    rotors = [f"IA{j}" for j, link in enumerate(robot.links, 1) if form not in _ROTORS and not link.IA.is_zero]
    left = [*springs, *wrenches, *rotors]
    if left:
        warnings.warn(
            f"{form} has no place for these, which are left out: {', '.join(left)}", RobotWarning, stacklevel=5
        )


def _tell_gravity(robot: Robot, base: NumericLink, form: str) -> None:
    """A warning for a gravity other than the usual one, where the form leaves it to other programs."""
    if form in _WEIGHTS:
        return
    unusual = bool(list(symbols(robot.gravity)))
    if not unusual:
        gravity = world_gravity(robot, base, form)
        unusual = max(abs(float(g) - usual) for g, usual in zip(gravity, _USUAL, strict=True)) > _ABOUT
    if unusual:
        told = ", ".join(map(str, robot.gravity))
        warnings.warn(
            f"{form} has no gravity: ({told}) is left out, other programs take 9.81 m/s^2 downwards",
            RobotWarning,
            stacklevel=5,
        )


def relation_of(robot: Robot, j: int, form: str) -> Follow | None:
    """What joint j follows, by its description or its coupling; several leaders have no place in a file."""
    coupling = robot.couplings.get(robot.variable(j))
    if coupling is None:
        return robot.joint(j).follows
    if len(coupling.ratios) > 1:
        raise RobotError(f"{form} has joints that follow one other, found {len(coupling.ratios)}", j, "couplings")
    [(leader, ratio)] = coupling.ratios.items()
    names = {robot.variable(k): robot.joint_name(k) for k in robot.tree_joints}
    return Follow(names[leader], ratio, coupling.offset)


def world_gravity(robot: Robot, base: NumericLink, form: str) -> Vec3:
    """Gravity in the axes of the world, in which the base stands."""
    gravity: Vec3 = base.place.A @ Vec3(*_numbers(robot, robot.gravity, form))
    return gravity


def is_identity(T: Transform) -> bool:
    return [*T.A, *T.P] == [*Transform.identity().A, *Transform.identity().P]


def _numbers(robot: Robot, entries: Sequence[Expr], form: str) -> list[float]:
    found = list(symbols(entries))
    if found:
        names = ", ".join(found[:5])
        raise RobotError(f"{form} holds numbers alone, found {names}: give them with robot.with_values({{...}}) first")
    return evaluate(entries, {})


def fixed_place(robot: Robot, j: int, form: str, reference: bool = False) -> Transform:
    """Frame j in its antecedent, its joint variable at zero, or at the reference position."""
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
    told = told_at_centre(link)
    *ten, IA, FV, FS = _numbers(robot, [getattr(link, name) for name in (*INERTIA, "IA", "FV", "FS")], form)
    body = RigidInertia(*ten)
    if not body.M and any(body.MS):
        raise RobotError(f"{form} has no first moments without a mass: expected M above 0", frame=j, field="M")
    mass, ant = ten[-1], frame.ant if frame else 0
    if told is not None:
        nine = _numbers(robot, [*told], form)
        return NumericLink(j, ant, names, place, mass, Vec3(*nine[:3]), tuple(nine[3:]), IA, FV, FS)
    centre = Vec3(*(moment / mass for moment in body.MS)) if mass else Vec3(0.0, 0.0, 0.0)
    tensor = (body.about(centre) if mass else body).numbers()[:6]
    if not all(map(isfinite, (*centre, *tensor))):
        raise RobotError(f"{form}: its centre of mass is too far away to be written: MX, MY or MZ over M", frame=j)
    return NumericLink(j, ant, names, place, mass, centre, tensor, IA, FV, FS)
