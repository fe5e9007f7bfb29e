"""Closing the loops in numbers: a position in which the two sides of each cut meet, and the motions that keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import null_spaces
from robosym.algebra.tolerances import CLOSED, EXACTLY, TIGHTLY
from robosym.coordinates.gaps import Gaps
from robosym.coordinates.loops import Parallelogram
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot

__all__ = ["Closing"]

_ROUNDS = 60
_DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-16, most=3e8, relative=False)


class Closing:
    """Positions of a robot as values of its symbols: parameters, joints of the tree and cut joints."""

    def __init__(self, robot: Robot, parallelograms: Sequence[Parallelogram] = ()) -> None:
        self.robot = robot
        self.gaps = Gaps(robot, parallelograms)

    def _linearised(self, values: Mapping[str, float]) -> tuple[Array, Array]:
        return self.gaps.linearised(self.gaps.geometry(values), self.gaps.position(values))

    def gap(self, values: Mapping[str, float]) -> Array:
        """How far the loops are from closed, a row a loop: the position of the cut frame, then its rotation."""
        loops = len(self.gaps.loops)
        gap, _ = self._linearised(values)
        return gap[0, : 6 * loops].reshape(-1, 6)

    def settle(self, values: Mapping[str, float], q: Array, held: Sequence[int] = ()) -> tuple[Array, Array]:
        """Positions (m, joints) in which the loops are as closed as they get from each of q, and the gaps left (m,).

        Of `values` the parameters count; joints `held` are left alone.
        """
        gaps, geometry = self.gaps, self.gaps.geometry(values)
        free = [column for column, joint in enumerate(gaps.joints) if joint not in held]
        if not gaps.loops:
            return q, np.zeros(len(q))

        def equations(x: Array, starts: Array) -> tuple[Array, Array]:
            moved = q[starts]
            moved[:, free] = x
            gap, slope = gaps.linearised(geometry, moved)
            return gap, slope[..., free]

        rounds = _ROUNDS if free else 0
        x, left = levenberg_marquardt(equations, q[:, free], _DAMPING, EXACTLY, rounds, settled=TIGHTLY)
        settled = q.copy()
        settled[:, free] = x
        return settled, np.abs(left).max(axis=1)

    def move(self, values: Mapping[str, float], held: Sequence[int] = ()) -> tuple[dict[str, float], float]:
        """Values in which the loops are as closed as they get from here, joints `held` left alone, and the gap left."""
        q, left = self.settle(values, self.gaps.position(values), held)
        return dict(values) | self.gaps.named(q[0]), float(left[0])

    def close(self, values: Mapping[str, float], active: Sequence[int]) -> dict[str, float]:
        """Values of all joints in which the loops close: the active ones as given, the others near what is given."""
        closed, left = self.move(values, active)
        if left > CLOSED:
            raise InputError(
                f"{self.robot.name}: no position of the passive joints closes the loops from here: "
                f"{self.widest(closed)} with the active joints as given"
            )
        return closed

    def check(self, values: Mapping[str, float], tolerance: float = 1e-6) -> None:
        """An error where the loops are open, or a parallelogram is crossed, or a coupling does not hold."""
        gap, _ = self._linearised(self.with_cut(values))
        loops, couplings = 6 * len(self.gaps.loops), len(self.robot.couplings) if self.gaps.loops else 0
        if np.abs(gap[0, :loops]).max(initial=0.0) > tolerance:
            raise InputError(f"{self.robot.name}: the loops are open in this position: {self.widest(values)}")
        if np.abs(gap[0, loops : gap.shape[1] - couplings]).max(initial=0.0) > tolerance:
            raise InputError(
                f"{self.robot.name}: a parallelogram is crossed in this position",
                hint=("give a reference position of that mode (`position:` in the description, or ", Pass("reference"),
                      "), or ", Pass("parallelograms", False)),
            )  # fmt: skip
        if np.abs(gap[0, gap.shape[1] - couplings :]).max(initial=0.0) > tolerance:
            raise InputError(f"{self.robot.name}: a coupling does not hold in this position")

    def with_cut(self, values: Mapping[str, float]) -> dict[str, float]:
        """The same values with those of the cut joints, which follow from the tree's."""
        cut = [j for j in self.gaps.joints if j not in self.robot.tree_joints]
        full = dict.fromkeys((self.robot.variable(k) for k in cut), 0.0) | dict(values)
        if all(self.robot.variable(k) in values for k in cut):
            return full
        near = self.gaps.cut_positions(self.gaps.geometry(full), self.gaps.position(full))
        return self.move(full | self.gaps.named(near[0]) | dict(values), self.robot.tree_joints)[0]

    def widest(self, values: Mapping[str, float]) -> str:
        """Which loop is open most, in words."""
        gaps = np.abs(self.gap(self.with_cut(values)))
        widest = int(gaps.max(axis=1).argmax())
        loop, (position, turn) = self.gaps.loops[widest], gaps[widest].reshape(2, 3)
        return (
            f"frames {loop.cut} and {loop.fixed} stay {np.linalg.norm(position):.3g} apart "
            f"and {np.linalg.norm(turn):.3g} rad askew"
        )

    def velocities(self, values: Mapping[str, float], cut: bool = False) -> Array:
        """A basis of the rates of the tree joints that keep the loops closed, as columns; with `cut` of all joints."""
        return self.motions(values, self.gaps.position(values), cut)[0]

    def motions(self, values: Mapping[str, float], q: Array, cut: bool = False) -> list[Array]:
        """The same in each of the positions q (m, joints)."""
        if not self.gaps.loops:
            return [np.eye(len(self.gaps.joints))] * len(q)
        _, slope = self.gaps.linearised(self.gaps.geometry(values), q)
        shown = slope.shape[-1] if cut else len(self.robot.tree_joints)
        return [free[:shown] for free in null_spaces(slope)]
