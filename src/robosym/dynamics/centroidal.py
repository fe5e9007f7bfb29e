"""Momentum of a whole robot about its center of mass, and the velocity of a floating base that follows from it.

The columns of the momentum matrix are those of the inertia matrix of a free base: the momentum of all links for a unit
velocity of the base or of a joint, at the origin of frame 0 (guide 3.97 to 3.103, RNE 84). Rotors (IA) are not
included, because their axes are not described.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from robosym.algebra import symbols
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import dot
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.dynamics.composite import BASE_RATES, Coordinate, tree_inertia
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree
from robosym.mechanism.edit import ORIENTATION, with_reference
from robosym.mechanism.motion import base_of
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["base_velocity", "centroidal_momentum"]

#: angular momentum about the center of mass, then linear momentum
_MOMENTUM = ("LG1", "LG2", "LG3", "PG1", "PG2", "PG3")
_BASE_VELOCITY = ("WB1", "WB2", "WB3", "VB1", "VB2", "VB3")
Axes = Literal["base", "world"]


@accepts("floating", contacts=ALL)
def centroidal_momentum(
    robot: Robot, axes: Axes = "base", structure: Literal["tree"] | None = None,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Return the momentum of a robot about its center of mass, and the matrix that gives it from the velocities.

    Without external forces other than gravity, the angular momentum is constant along the axes of the world, and the
    linear momentum changes by the weight. Rotor inertias (IA) are not part of it.

    Parameters
    ----------
    robot : Robot
        Tree or closed robot on any base; a library name or a path is accepted too.
    axes : {"base", "world"}, optional
        Axes of the momentum: those of frame 0, or those of the world. For a base that rotates, the latter need its
        orientation as an input, `robot.with_inputs("orientation")`.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    Model
        Outputs: "momentum" (6), angular (N m s), then linear (N s); "matrix" (6, columns), whose product with the
        velocities is the momentum: the six of a moving base (angular, then linear, in frame 0), then those of the
        (active) joints; "center" (3), the center of mass in frame 0 (m).

    Raises
    ------
    InputError
        If the robot is not supported, has no mass, or the orientation of a moving base is not an input.

    Examples
    --------
    >>> import robosym as rs
    >>> links = [{"XX": 0.01, "YY": 0.2, "ZZ": 0.2, "MX": 0.3, "M": 2}]
    >>> base = {"type": "floating", "link": {"XX": 3, "YY": 3, "ZZ": 4, "M": 20}}
    >>> robot = rs.robot("satellite", frames=[{"theta": "t1", "d": 0.5}], links=links, base=base)
    >>> model = rs.centroidal_momentum(robot)
    >>> {
    ...     group: model.compile()(q=[0.2], qd=[1], base_velocity=[0] * 6)._asdict()[group].shape
    ...     for group in model.outputs
    ... }
    {'momentum': (6,), 'matrix': (6, 7), 'center': (3,)}
    """
    motion = _motion(robot, axes, structure, reference, ("q", "qd", "base_velocity"))
    with motion.work as work:
        found = _momentum(motion)
        R = _orientation(robot, axes, work)
        columns: list[Coordinate] = [*(BASE_RATES if robot.base.kind != "fixed" else ()), *motion.active]
        matrix = [found.seen(found.columns[c], R) for c in columns]
        base = base_of(robot, work.value)
        rates = [*((*base.w, *base.v) if robot.base.kind != "fixed" else ()), *(motion.rate(j) for j in motion.active)]
        for name, row in zip(_MOMENTUM, zip(*matrix, strict=True), strict=True):
            work.define(name, dot(row, rates))
        center = work.vector("CG", dict(enumerate(found.center, 1)))
        rows = [[column[r] for column in matrix] for r in range(6)]
        outputs: dict[str, Layout] = {
            "momentum": _MOMENTUM, "matrix": work.matrix("AG", rows, columns=columns), "center": center,
        }  # fmt: skip
        return work.model("cmm", "Centroidal momentum: composite links", outputs, about=_about(axes))


@accepts("floating")
def base_velocity(
    robot: Robot, axes: Axes = "base", structure: Literal["tree"] | None = None,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """Return the velocity of a floating base from the motion of the joints and the momentum of the robot.

    In free flight the momentum is known: its angular part is constant along the axes of the world, zero after a start
    at rest, and its linear part changes by the weight. The velocity of the base then follows from measured joints
    without an accelerometer.

    Parameters
    ----------
    robot : Robot
        Tree or closed robot on a floating base; a library name or a path is accepted too.
    axes : {"base", "world"}, optional
        Axes of the given momentum: those of frame 0, or those of the world. The latter need the orientation of the
        base as an input, `robot.with_inputs("orientation")`.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    Model
        Output "velocity" (6): angular (rad/s), then linear velocity (m/s) of the base in frame 0. Inputs q, qd and
        centroidal_momentum (6): angular about the center of mass, then linear.

    Raises
    ------
    InputError
        If the robot is not supported, has no mass, or the orientation of the base is not an input.

    Examples
    --------
    >>> import robosym as rs
    >>> links = [{"XX": 0.01, "YY": 0.2, "ZZ": 0.2, "MX": 0.3, "M": 2}]
    >>> base = {"type": "floating", "link": {"XX": 3, "YY": 3, "ZZ": 4, "M": 20}}
    >>> robot = rs.robot("satellite", frames=[{"theta": "t1", "d": 0.5}], links=links, base=base)
    >>> model = rs.base_velocity(robot)
    >>> model.compile()(q=[0.2], qd=[1], centroidal_momentum=[0] * 6).round(3).tolist()[2]
    -0.067
    """
    if robot.base.kind != "floating":
        raise InputError(f"{robot.name} has a {robot.base.kind} base: base_velocity supports a floating base")
    motion = _motion(robot, axes, structure, reference, ("q", "qd"))
    with motion.work as work:
        found = _momentum(motion)
        given = work.input("centroidal_momentum", _MOMENTUM)
        R = _orientation(robot, axes, work)
        angular, linear = R.T @ Vec3(*given[:3]), R.T @ Vec3(*given[3:])
        held = [*(angular + found.center.cross(linear)), *linear]  # at the origin of frame 0
        rates = [motion.rate(j) for j in motion.active]
        own = [[found.columns[c][r] for c in BASE_RATES] for r in range(6)]
        carried = [dot([found.columns[j][r] for j in motion.active], rates) for r in range(6)]
        velocity = solve_symmetric(own, [h - c for h, c in zip(held, carried, strict=True)])
        for name, value in zip(_BASE_VELOCITY, velocity, strict=True):
            work.define(name, value)
        return work.model("bve", "Velocity of a floating base from the momentum", {"velocity": _BASE_VELOCITY})


def _motion(
    robot: Robot, axes: str, structure: str | None, reference: Mapping[str, float] | None, groups: tuple[str, ...]
) -> JointMotion:
    if axes not in ("base", "world"):
        raise InputError(f"axes: expected 'base' or 'world', found {axes!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    if axes == "world" and robot.base.kind != "fixed" and not {*ORIENTATION} & {*symbols(robot.base.Z)}:
        raise InputError(
            f"axes: {robot.name} has a {robot.base.kind} base, which rotates: pass robot.with_inputs('orientation')"
        )
    if reference is not None:
        robot = with_reference(robot, reference)
    oriented = ("base_orientation",) if axes == "world" else ()
    return joint_motion(robot, (*groups, *oriented, "parameters"), structure)


@dataclass(frozen=True)
class _Momentum:
    """Momentum per unit of each velocity, angular then linear, at the origin of frame 0 and in its axes."""

    columns: Mapping[Coordinate, Sequence[Scalar]]
    center: Vec3

    def seen(self, column: Sequence[Scalar], R: Mat3) -> list[Scalar]:
        """Return a column about the center of mass, in axes with the orientation R of frame 0."""
        angular, linear = Vec3(*column[:3]), Vec3(*column[3:])
        return [*(R @ (angular - self.center.cross(linear))), *(R @ linear)]


def _momentum(motion: JointMotion) -> _Momentum:
    """Return the momentum of all links per unit of each velocity."""
    tree, note = _with_base(motion.links()), motion.work.note
    inertia = tree_inertia(tree, note)
    whole = inertia.composite[0].body
    if not (mass := motion.work.graph.zero + whole.M) or mass.is_zero:
        raise InputError(f"{motion.robot.name}: expected links with a mass, found none")
    columns: dict[Coordinate, Sequence[Scalar]] = {c: [inertia.entry(r, c) for r in BASE_RATES] for c in BASE_RATES}
    rows = [motion.project({j: inertia.entry(r, j) for j in inertia.coupling}) for r in BASE_RATES]
    columns |= {j: [row[j] for row in rows] for j in motion.active}
    return _Momentum(columns, whole.MS * (1 / mass))


def _with_base(tree: Tree) -> Tree:
    """Return the tree with a base body, massless where the description has none."""
    if tree.bodies[0] is not None:
        return tree
    first = next(body for _, body in tree.items())
    none = Vec3(0, 0, 0)
    base = replace(first, ant=0, inertia=RigidInertia(), force=none, moment=none, qd=0, qdd=0, IA=0, FV=0, FS=0)
    return replace(tree, bodies=[base, *tree.bodies[1:]])


def _orientation(robot: Robot, axes: str, work: Workspace) -> Mat3:
    """Return the orientation of frame 0 in the axes of the momentum."""
    if axes == "base":
        return Mat3.identity()
    return Mat3.of(*(work.value(robot.base.Z[4 * r + c]) for r in range(3) for c in range(3)))


def _about(axes: str) -> dict[str, str]:
    words = "in frame 0" if axes == "base" else "in the world"
    return {
        "momentum": f"momentum {words}: angular about the center of mass (N m s), then linear (N s)",
        "matrix": "the same per unit velocity of a moving base in frame 0 (angular, then linear) and of each joint",
    }
