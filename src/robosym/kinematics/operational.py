"""Jacobians of operational coordinates: position with one of the usual sets for orientation (guide 2.4.6 and 2.9.1).

X' = [1 0; 0 Omega] [V; W] with V, W in frame 0, and back by the pseudo-inverse: W = Omega+ X'r.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from robosym.algebra import Expr
from robosym.algebra.matrix import Matrix
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, closest
from robosym.kinematics.jacobian import column_joints, joint_columns
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.path import Poses, check_link
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Mat3, Scalar

__all__ = ["ORIENTATIONS", "operational_jacobian"]

Rows = Sequence[Sequence[Scalar]]
#: Coordinates, Omega and its pseudo-inverse.
Set = tuple[Sequence[Scalar], Rows, Rows]


def _sqrt(value: Expr) -> Expr:
    return value.graph.function("sqrt", value)


def _atan2(y: Expr, x: Expr) -> Expr:
    return y.graph.function("atan2", y, x)


def _transposed(rows: Rows, factor: Scalar) -> Rows:
    return [[factor * entry for entry in column] for column in zip(*rows, strict=True)]


def direction_cosines(A: Mat3) -> Set:
    """Return the coordinates s, n, a with s' = w x s; Omega^T Omega = 2, so Omega+ = Omega^T / 2."""
    vectors = A.T.rows
    omega: list[list[Scalar]] = []
    for v in vectors:
        omega += [[0, v.z, -v.y], [-v.z, 0, v.x], [v.y, -v.x, 0]]
    half = A.rows[0].x.graph.number(1) / 2
    return [entry for v in vectors for entry in v], omega, _transposed(omega, half)


def euler(A: Mat3) -> Set:
    """Rot(z, phi) Rot(x, theta) Rot(z, psi), theta from 0 to Pi; singular where theta is 0 or Pi."""
    (sx, nx, ax), (_, _, ay), (sz, nz, az) = A.rows
    del sx, nx
    s = _sqrt(ax * ax + ay * ay)  # sin theta
    c_phi, s_phi = -ay / s, ax / s
    cot = az / s
    omega = [[-(s_phi * cot), c_phi * cot, 1], [c_phi, s_phi, 0], [s_phi / s, -(c_phi / s), 0]]
    back = [[0, c_phi, s_phi * s], [0, s_phi, -(c_phi * s)], [1, 0, az]]
    return [_atan2(ax, -ay), _atan2(s, az), _atan2(sz, nz)], omega, back


def roll_pitch_yaw(A: Mat3) -> Set:
    """Rot(z, phi) Rot(y, theta) Rot(x, psi), theta from -Pi/2 to Pi/2; singular at both ends."""
    (sx, _, _), (sy, _, _), (sz, nz, az) = A.rows
    c = _sqrt(sx * sx + sy * sy)  # cos theta
    c_phi, s_phi = sx / c, sy / c
    tan = -(sz / c)
    omega = [[c_phi * tan, s_phi * tan, 1], [-s_phi, c_phi, 0], [c_phi / c, s_phi / c, 0]]
    back = [[0, -s_phi, c_phi * c], [0, c_phi, s_phi * c], [1, 0, sz]]
    return [_atan2(sy, sx), _atan2(-sz, c), _atan2(nz, az)], omega, back


def quaternion(A: Mat3) -> Set:
    """L1 (the scalar, not negative) to L4. Omega^T Omega = 1/4, so Omega+ = 4 Omega^T."""
    (sx, nx, ax), (sy, ny, ay), (sz, nz, az) = A.rows
    half: Expr = sx.graph.number(1) / 2

    def component(square: Expr, towards: Expr) -> Expr:
        return half * towards.graph.function("sign", towards) * _sqrt(_positive(square))

    q1 = half * _sqrt(_positive(1 + sx + ny + az))
    q2, q3, q4 = (
        component(1 + sx - ny - az, nz - ay),
        component(1 - sx + ny - az, ax - sz),
        component(1 - sx - ny + az, sy - nx),
    )
    omega = [[half * e for e in row] for row in ([-q2, -q3, -q4], [q1, q4, -q3], [-q4, q1, q2], [q3, -q2, q1])]
    return [q1, q2, q3, q4], omega, _transposed(omega, sx.graph.number(4))


def _positive(value: Expr) -> Expr:
    """Return a square that rounding may make slightly negative, clipped at zero."""
    return (value + value.graph.function("abs", value)) / 2


ORIENTATIONS: dict[str, Callable[[Mat3], Set]] = {
    "cosines": direction_cosines,
    "euler": euler,
    "rpy": roll_pitch_yaw,
    "quaternion": quaternion,
}


@accepts("floating", contacts=ALL)
def operational_jacobian(
    robot: Robot,
    link: int | str | None = None,
    orientation: Literal["rpy", "euler", "quaternion", "cosines"] = "rpy",
    tool: object = None,
) -> Model:
    """Return X, Jx with X' = Jx q', Omega and Omega+ ("OmegaInverse"), for position and orientation in frame 0.

    The columns of a closed robot are its active joints, as those of `jacobian`.

    Parameters
    ----------
    robot
        Robot of any structure in joint coordinates.
    link
        Link whose velocity is computed. Default: the end of the arm, found by its name (tool0, flange, ...) or by the
        structure. Not for a robot with a platform.
    orientation
        Coordinates of the orientation: `rpy` (z y x), `euler` (z x z), `quaternion` or `cosines` (nine direction
        cosines).
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    Model
        Output "J", one row per operational coordinate and one column per joint.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.operational_jacobian(rs.load("ur5e"), orientation="quaternion")
    >>> list(model.outputs)
    ['X', 'Jx', 'Omega', 'OmegaInverse']
    """
    if orientation not in ORIENTATIONS:
        hint = closest(str(orientation), ORIENTATIONS)
        raise InputError(f"unknown orientation {orientation!r}{hint}: expected one of {', '.join(ORIENTATIONS)}")
    robot, link = tool_frame(robot, link, tool, "link")
    link = check_link(robot, link)
    with Workspace(robot, ("q", "parameters")) as work:
        poses, zero = Poses(robot, work.value, work.define), work.graph.zero
        T = poses(0, link)
        A = Mat3.of(*(zero + entry for entry in T.A))
        coordinates, omega, back = ORIENTATIONS[orientation](A)
        joints = column_joints(robot, link, robot.constrained)
        columns = joint_columns(poses, link, (0, link), work.graph, joints, robot.constrained)
        J = Matrix(columns).T
        jx: Rows = [*J[:3], *(Matrix(omega) @ Matrix(J[3:]))]
        outputs: dict[str, Layout] = {"X": work.vector("X", dict(enumerate((*T.P, *coordinates), 1)))}
        for group, rows in (("Jx", jx), ("Omega", omega), ("OmegaInverse", back)):
            outputs[group] = work.matrix(group, rows)
        return work.model("opj", f"Jacobian matrix of the operational coordinates of link {link}", outputs)
