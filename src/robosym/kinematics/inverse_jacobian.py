"""The inverse of a square Jacobian matrix through its factors and their zero blocks (guide 2.9.1 and 2.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robosym.algebra import Expr, reachable
from robosym.algebra.generic import random_numbers
from robosym.algebra.linear.regular import sizes_at, solve
from robosym.errors import InputError
from robosym.mechanism.path import Poses, simplest_frames
from robosym.model import Model, Workspace

if TYPE_CHECKING:
    from robosym.kinematics.jacobian import Jacobian

__all__ = ["inverse_of"]


def inverse_of(J: Jacobian) -> Model:
    """q' = Ji [V; W] for the velocity as J expresses it; output "Ji", a row for each joint.

    With all six rows the simplest iJr,j is inverted in place of J: iJr,j q' = L^-1 R^T [V; W].
    """
    robot = J.robot
    assert robot is not None
    n = len(J.joints)
    if len(J.rows) != n:
        raise InputError(
            f"expected a square matrix, found {len(J.rows)} rows and {n} joints: choose some with rows= and joints="
        )
    with Workspace(robot, ("q", "parameters")) as work:
        poses, graph = Poses(robot, work.value, work.define), work.graph
        whole = n == 6
        i, j = simplest_frames(poses, J.link, None, None, graph.one) if whole else (J.frame, J.link)
        columns = [[graph.zero + e for e in column] for column in J.columns(poses, i, j, graph)]
        left = [[column[r - 1] for column in columns] for r in (range(1, 7) if whole else J.rows)]
        right = [[graph.number(int(r == c)) for c in range(n)] for r in range(n)]
        if whole:
            right = _unshifted(poses, i, j, J.frame, J.link, graph.zero)
            right = [[row[r - 1] for r in J.rows] for row in right]
        sample = _sample([e for row in left for e in row])
        inverse = solve(left, right, sizes_at(sample))
        title = f"Inverse of the Jacobian matrix of link {J.link}"
        return work.model("inv", title, {"Ji": work.matrix("Ji", inverse)})


def _unshifted(poses: Poses, i: int, j: int, frame: int, link: int, zero: Expr) -> list[list[Expr]]:
    """L^-1 R^T, 6 x 6: [A L^ A; 0 A] with A = iA_r."""
    A = poses(i, frame).A
    L = poses.shift(i, j, link)
    columns = A.T.rows
    linear = [[*column, zero, zero, zero] for column in columns]
    angular = [[*L.cross(column), *column] for column in columns]
    return [[zero + column[r] for column in (*linear, *angular)] for r in range(6)]


def _sample(entries: list[Expr]) -> dict[str, float]:
    """A position of no particularity."""
    rng = random_numbers("position of a Jacobian")
    return {node.value: rng.uniform(0.4, 1.4) for node in reachable(entries) if node.op == "symbol"}
