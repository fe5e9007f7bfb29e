"""The motion of a robot with loops or couplings in its active joints (guide 4.3, 4.4; RNE 4).

The loops determine the passive joints of the equivalent tree: qd_p = W qd_a and qdd_p = W qdd_a + b. G is the unit
matrix stacked on W. Joint efforts tau are equivalent to G^T tau on the active joints.

The number of active joints equals the degrees of freedom that the loops leave. With fewer motors, active joints without
a motor move freely. With more motors, or motors in cut joints, the equivalent torques with the smallest sum of
squares are returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robosym.algebra import Expr, derivatives
from robosym.algebra.linear.consistent import Orthogonal
from robosym.algebra.matrix import Matrix, dot
from robosym.algebra.once import cached_property
from robosym.coordinates.constraints import constraints_of
from robosym.coordinates.cut import cut_position
from robosym.coordinates.joint_motion import JointMotion
from robosym.coordinates.roles import Rest, Weights, weight_factors
from robosym.errors import ExpressionError, InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree
from robosym.mechanism.path import Poses
from robosym.spatial import Scalar

__all__ = ["ActiveJoints"]


class ActiveJoints(JointMotion):
    """The motion of a closed robot: the active joints are the coordinates, from which the passive joints follow."""

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: str | None = None, passive: str = "driven",
        rest: Rest | None = None, accelerated: bool = True,
    ) -> None:  # fmt: skip
        self.constraints = constraints_of(robot)
        self.passive = self.constraints.passive
        super().__init__(robot, groups, structure, passive, rest, accelerated)
        work = self.work
        self.poses = Poses(robot, work.value, work.define)
        self.equations = self.constraints.equations(self.poses, work.graph)
        #: columns of G by active joint: rates of all tree joints for a unit rate of this joint
        self.G: dict[int, list[Expr]] = {j: [work.graph.number(int(i == j)) for i in self.active] for j in self.active}
        W = self.equations.solution()
        for j, row in zip(self.passive, W, strict=True):
            self.G[j] = [work.define(f"G{j}_{i}", entry) for i, entry in zip(self.active, row, strict=True)]
        #: the same of virtual joints, in which nothing acts: the drift needs their rates, the dynamics does not
        self.virtual: dict[int, list[Expr]] = {}
        acting = tuple(j for j in robot.cut_joints if j in self.motors or robot.joint(j).acts)
        if acting or any(j in robot.tree_joints for j in self.constraints.cut):
            rows = dict(zip(self.constraints.cut, self.equations.cut_solution(W), strict=True))
            self.virtual = {j: row for j, row in rows.items() if j in robot.tree_joints}
            self.across = {j: rows[j] for j in acting}

    def _coordinates(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        robot, active = self.robot, self.constraints.active
        cut = tuple(loop.cut for loop in self.constraints.loops if robot.frame(loop.cut).mu)
        motors = (*self.constraints.motors, *cut)
        free = tuple(j for j in active if j not in motors) if len(motors) < len(active) else ()
        if not motors:
            raise InputError(f"{robot.name} has no active joint: expected at least one joint with a motor (mu = 1)")
        lazy = [j for j in motors if j not in active]
        if free and lazy:
            raise InputError(
                f"{robot.name}: the motors {', '.join(map(str, motors))} are too few for the "
                f"{len(active)} degrees of freedom of its loops, and {', '.join(map(str, lazy))} "
                f"{'is a cut joint: cut its loop elsewhere' if set(lazy) & set(cut) else 'depend on the others'}"
            )
        return active, motors, free

    # --------------------------------------------------------------------- motion

    @property
    def closed_positions(self) -> Sequence[Mapping[str, float]]:
        return self.constraints.samples

    def _followed(self, values: Mapping[int, Scalar], drift: Mapping[int, Scalar], name: str) -> dict[int, Scalar]:
        """Return rates or accelerations of all joints from those of the active ones."""
        given = [values[i] for i in self.active]
        return dict(values) | {
            j: self.work.define(f"{name}{j}", dot(self.G[j], given) + drift.get(j, 0)) for j in self.passive
        }

    @cached_property
    def rates(self) -> dict[int, Scalar]:
        given = {j: self.work.value(self.robot.joint(j).QP) for j in self.active}
        slack = {j: dot(row, list(given.values())) for j, row in self.virtual.items()}
        return self._followed(given, {}, "QP") | slack

    @cached_property
    def drift(self) -> dict[int, Scalar]:
        """Return b, the accelerations of the passive joints for zero accelerations of the active ones."""
        rates = self.rates
        psi, _ = self.constraints.drift(self.poses, self.work.value, lambda j: rates.get(j, 0))
        zero = self.work.graph.zero
        found = self.equations.passive_drift([zero + entry for entry in psi])
        return {j: self.work.define(f"QDB{j}", entry) for j, entry in zip(self.passive, found, strict=True)}

    @cached_property
    def accelerations(self) -> dict[int, Scalar]:
        drift = self.drift
        return self._followed(self._given(), drift, "QDG" if self.sought else "QDP")

    def spread(self, accelerations: Mapping[int, Scalar]) -> dict[int, Scalar]:
        return self._followed(accelerations, self.drift, "QDP")

    def tree(self, accelerations: Mapping[int, Scalar] | None = None) -> Tree:
        rates, qdd = self.rates, self.accelerations if accelerations is None else accelerations
        return self.links().with_rates(rates).with_accelerations(qdd)

    def rate(self, j: int) -> Scalar:
        if j in self.across:
            return dot(self.across[j], [self.rates[i] for i in self.active])
        return self.rates.get(j, 0)

    def shares(self, j: int) -> Mapping[int, Scalar]:
        if j not in self.G:
            raise InputError(f"{self.robot.name}: a contact follows joint {j}, a cut joint: cut its loop elsewhere")
        return {i: share for i, share in zip(self.active, self.G[j], strict=True) if not share.is_zero}

    def motor_rates(self) -> dict[int, Scalar]:
        given = [self.rates[j] for j in self.active]
        return {j: dot(row, given) for j, row in zip(self.motors, self.transmission(), strict=True)}

    def position(self, j: int) -> Expr:
        """Return the variable of a joint; the angle of a cut joint is within half a turn of the reference.

        If the reference position does not contain it, the angle is within half a turn of the rest position of the
        spring.
        """
        work, robot = self.work, self.robot
        if j in robot.tree_joints:
            return super().position(j)
        own, known = robot.joint(j).rest, robot.position.get(robot.variable(j))
        if known is not None:
            about = work.graph.number(known)
        elif j in self.rest:
            about = work.parameter(self.rest[j])
        else:
            about = work.graph.zero if own is None else work.value(own)
        loop = next(loop for loop in self.constraints.loops if loop.cut == j)
        return cut_position(robot, loop, self.poses, work.value, about)

    # --------------------------------------------------------------------- efforts

    def project(self, efforts: Mapping[int, Any]) -> dict[int, Any]:
        """G^T (4.40)."""
        rows = self.G | {j: row for j, row in self.across.items() if j in efforts}
        joints = (*self.active, *self.passive, *(j for j in rows if j not in self.G))[::-1]
        found = Matrix(rows[j] for j in joints).T @ [efforts.get(j, 0) for j in joints]
        return dict(zip(self.active, found, strict=True))

    def project_rate(self, efforts: Mapping[int, Scalar]) -> dict[int, Scalar]:
        found: dict[int, Scalar] = {}
        for j, row in self._slopes.items():
            for i, slope in zip(self.active, row, strict=True):
                found[i] = found.get(i, 0) + slope * efforts.get(j, 0)
        return found

    @cached_property
    def _slopes(self) -> dict[int, list[Expr]]:
        """Return the time derivative of G, one row per passive joint, from the derivatives of its entries."""
        zero = self.work.graph.zero
        variables = [self.robot.variable(j) for j in self.rates]
        found = {}
        for j in self.passive:
            entries = [zero + entry for entry in self.G[j]]
            found[j] = [
                sum((slope * rate for slope, rate in zip(row, self.rates.values(), strict=True)), start=zero)
                for row in derivatives(entries, variables)
            ]
        return found

    @property
    def motors_are_active(self) -> bool:
        """Whether the motors drive exactly the active joints."""
        return self.motors == self.active

    def check_springs(self) -> None:
        """Raise an error if a joint has both a motor and a spring."""
        both = [j for j in self.motors if self.robot.joint(j).eta]
        if both:
            raise InputError(
                f"{self.robot.name}: joint {both[0]} has a motor and a spring: an elastic joint of a robot with loops "
                "must be passive (mu = 0)"
            )

    def load_shares(self, tree: Tree) -> dict[int, Scalar]:
        """Return the load shares of joints with a motor; load-dependent friction elsewhere is an error."""
        found = super().load_shares(tree)
        if found and not (self.motors_are_active and {*found} <= {*self.active} and not self.base_free):
            raise InputError(f"{self.robot.name}: FL: expected load-dependent friction only in joints with a motor")
        return found

    def transmission(self) -> Matrix[Expr]:
        """Return the rates of the motors from those of the active joints, one row per motor."""
        return Matrix(self.G[j] if j in self.G else self.across[j] for j in self.motors)

    def distributed(self, efforts: Mapping[int, Scalar], weights: Weights | None = None) -> dict[int, Scalar]:
        """Return the weighted least-norm motor torques that do the work of efforts on the active joints."""
        redundant = not (self.motors_are_active or self.free)
        factors = weight_factors(self.robot, self.motors, weights, redundant)
        if not redundant:
            return {j: efforts[j] for j in self.active if j in self.motors}
        scales = [factors.get(j, 1.0) for j in self.motors]  # of tau = s x the smallest x
        rows = [[s * entry for entry in row] for s, row in zip(scales, self.transmission(), strict=True)]
        sizes = self.constraints.choice.sizes
        try:
            regular = Orthogonal(rows, sizes.cleared)
        except ExpressionError:  # a column that depends on the others in every position
            raise InputError(
                f"{self.robot.name}: the motors {', '.join(map(str, self.motors))} do not determine the motion of its "
                f"loops: expected motors on joints that move, {len(self.active)} of them independent"
            ) from None
        found = regular.solve_transposed([self.work.graph.zero + efforts[j] for j in self.active])
        return {j: s * x for j, s, x in zip(self.motors, scales, found, strict=True)}

    def exerted(self, torques: Mapping[int, Any]) -> dict[int, Any]:
        """Return the efforts on the active joints that are equivalent to motor torques."""
        if self.motors_are_active or self.free:
            return {j: torques.get(j, 0) for j in self.active}
        return dict(zip(self.active, self.transmission().T @ [torques[m] for m in self.motors], strict=True))
