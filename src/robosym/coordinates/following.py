"""Following one assembly mode: Newton's method on the loops from a nearby position, with steps in machine code.

A step is a model. Its unknowns are the unknown joints of the tree. The equations of a loop are the gaps at its cut,
except along the degrees of freedom of the cut joint. There may be more equations than unknowns (some rows of a planar
loop vanish), so the step solves least squares, J^T J dq = -J^T e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra import Expr, derivatives
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot
from robosym.algebra.newton import follow
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import parameter_values
from robosym.coordinates.cut import pose_across
from robosym.coordinates.loops import Loop, loops_of
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.path import Poses
from robosym.model import Model, Workspace
from robosym.spatial import Mat3, Scalar, cos, sin

__all__ = ["LoopFollower", "closing_step"]

_DAMPED = 1e-13  #: part of the diagonal that keeps the system regular where a joint turns idly
_REACHED = 1e-11  #: the gap, m and rad, at which the loops are closed
_ROUNDS = 12
_FAR = 0.3  #: rad or m: a step beyond it may jump to another mode, so the way there is taken in parts


def closing_step(robot: Robot, known: Sequence[str]) -> Model:
    """Return the model of one Newton step towards closed loops: the next tree joints, and the gap before.

    Joints `known` are constant. `gap` is the sum of squares of the gaps; `turned` detects rotations by half a turn, for
    which the equations vanish too. Both are 0 if the loops are closed.
    """
    with Workspace(robot, ("q", "q_cut", "parameters")) as work:
        given = {*work.inputs["q"], *known}
        work.inputs = {
            group: tuple(name for name in names if group != "q_cut" or name in given)
            for group, names in work.inputs.items()
        }
        work.inputs = {group: names for group, names in work.inputs.items() if names}
        poses, graph = Poses(robot, work.value), work.graph
        gaps: list[Expr] = []
        turned = graph.zero
        for loop in loops_of(robot):
            rows, half = _gaps(work, loop, poses, robot.variables[loop.cut - 1] in (None, *known))
            gaps += [graph.zero + row for row in rows]
            turned = turned + half
        for name, coupling in robot.couplings.items():
            follows = [graph.symbol(other) * ratio for other, ratio in coupling.ratios.items()]
            gaps.append(sum(follows, graph.number(coupling.offset)) - graph.symbol(name))
        gaps = [gap for gap in gaps if not gap.is_number]
        unknown = [robot.variable(j) for j in robot.tree_joints if robot.variable(j) not in known]
        J = Matrix(derivatives(gaps, unknown))
        normal = (J.T @ J).over(graph)
        for place in range(len(unknown)):
            normal[place][place] = normal[place][place] * (1 + _DAMPED) + _DAMPED
        right = J.T @ gaps
        step = dict(zip(unknown, solve_symmetric(normal, right) if unknown else [], strict=True))
        names = [robot.variable(j) for j in robot.tree_joints]
        moved = work.vector("Q", {j: graph.symbol(n) - step.get(n, graph.zero)
                                  for j, n in zip(robot.tree_joints, names, strict=True)})  # fmt: skip
        work.define("GAP", graph.zero + dot(gaps, gaps))
        work.define("TURNED", turned)
        outputs = {"next": moved, "gap": ("GAP", "TURNED")}
        return work.model("clo", "One step towards closed loops", outputs)


def _gaps(work: Workspace, loop: Loop, poses: Poses, held: bool) -> tuple[list[Scalar], Any]:
    """Return the equations of a loop, and a sum that is positive if its sides are turned over.

    With `held`, the cut joint is known or absent, and the frames coincide; otherwise they share its axis.
    """
    kind = work.robot.frame(loop.cut).joint_type
    T = poses(loop.fixed, loop.cut)
    if held:
        return [*T.P, *_twisted(T.A)], 3 - (T.A.rows[0].x + T.A.rows[1].y + T.A.rows[2].z)
    if kind.only_turns:
        x, y, z = (row.z for row in T.A.rows)
        return [*T.P, x, y], 1 - z
    if kind.only_slides:
        back = poses(loop.cut, loop.fixed)  # free of the length that the cut joint has
        return [back.P.x, back.P.y, *_twisted(back.A)], 3 - (back.A.rows[0].x + back.A.rows[1].y + back.A.rows[2].z)
    T = pose_across(work.robot, loop, poses, work.value)  # a screw: its turn must be that of its advance
    turn = T.P.z * (kind.angular / kind.linear)
    c, s = T.A.rows[0].x, T.A.rows[1].x
    astray, same = sin(turn) * c - cos(turn) * s, cos(turn) * c + sin(turn) * s
    return [T.P.x, T.P.y, T.A.rows[0].z, T.A.rows[1].z, astray], 2 - T.A.rows[2].z - same


def _twisted(A: Mat3) -> tuple[Scalar, Scalar, Scalar]:
    """Return the sine of the angle of a rotation, along its axis."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = A.rows
    return (zy - yz) / 2, (xz - zx) / 2, (yx - xy) / 2


class LoopFollower:
    """Tree joints from the known ones and a nearby position: `f(q, near)`, with fixed parameters."""

    def __init__(self, robot: Robot, known: Sequence[str], parameters: Mapping[str, float] | None = None) -> None:
        model = closing_step(robot, known)
        self.robot = robot
        self.known = tuple(known)
        self.joints = tuple(robot.variable(j) for j in robot.tree_joints)
        names = model.inputs.get("parameters", ())
        values = parameter_values(names, {k: v for k, v in (parameters or {}).items() if k in names})
        step = model.compile()
        self._step = step.with_values(parameters=[values[name] for name in names]) if names else step
        cut = model.inputs.get("q_cut", ())
        self._places = [self.joints.index(name) for name in self.known if name not in cut]
        self._columns = [column for column, name in enumerate(self.known) if name not in cut]
        self._cut = [self.known.index(name) for name in cut]

    def __call__(self, q: Any, near: Any) -> Array:
        """Return the tree joints (n,) in the mode of `near`, closed for other known joints; angles are continuous."""
        q, near = np.asarray(q, dtype=float), np.array(near, dtype=float)
        if q.shape != (len(self.known),) or near.shape != (len(self.joints),):
            raise InputError(
                f"expected the {len(self.known)} joints {', '.join(self.known)} and near them the {len(self.joints)} "
                f"joints of the tree, found arrays of shapes {q.shape} and {near.shape}"
            )
        found = self._settled(q, near)
        return self._in_parts(q, near) if found is None else found

    def _settled(self, q: Array, near: Array) -> Array | None:
        """Apply Newton's method; None if it does not converge, or moves so far that the mode may differ."""
        x = near.copy()
        x[self._places] = q[self._columns]
        start, cut = x, [q[self._cut]] if self._cut else []
        for _ in range(_ROUNDS):
            moved, (gap, turned) = self._step(x, *cut)
            if gap < _REACHED**2:
                return x if turned < 1 and np.abs(x - start).max() < _FAR else None
            x = moved
        return None

    def _in_parts(self, q: Array, near: Array) -> Array:
        """Move from the known joints of `near` to the desired ones in enough steps to stay in one mode."""
        if self._cut:
            raise InputError(f"{self.robot.name}: the loops cannot be closed near the given position")
        here = near[self._places]
        start = self._settled(here, near)
        if start is None:
            raise InputError(
                f"{self.robot.name}: the loops are open in the position given as near, and none is close by"
            )
        position, done = follow(
            lambda share, position: self._settled(here + share * (q - here), position), start, first=0.5
        )
        if done == 1:
            return position
        at = ", ".join(
            f"{name} = {value:.6g}" for name, value in zip(self.known, here + done * (q - here), strict=True)
        )
        raise InputError(
            f"{self.robot.name}: the assembly mode of the position nearby ends before these joints are reached, "
            f"at about {at}"
        )
