"""A leg over the graph: its joints, their rates and accelerations from the motion of the platform, and its efforts.

The end of a leg is a point of the platform if the leg ends in a ball, otherwise the whole pose of the platform. With
the velocity t of that end (three or six rows, in frame 0), t = J q'. Legs with fewer joints than rows constrain the
platform. The rows that determine their joints are chosen at the reference position, and K is the inverse of these rows
of J.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate
from robosym.algebra.linear.regular import Sizes, solve_where_regular
from robosym.algebra.matrix import Matrix, dot, sum_of
from robosym.algebra.once import cached_property
from robosym.algebra.subspaces import best_rows
from robosym.coordinates.leg_chain import LegChain
from robosym.coordinates.platform_motion import POSE, PlatformMotion
from robosym.coordinates.reference import Reference, watched_sizes
from robosym.errors import InputError
from robosym.mechanism.joints import JointType
from robosym.mechanism.motion import frame_transform
from robosym.spatial import Scalar, Transform, Vec3
from robosym.spatial.numeric import rigid

__all__ = ["Leg", "LegAxis", "Wrench"]

#: Force and moment at the platform's origin, in frame 0.
Wrench = tuple[Vec3, Vec3]
_O = Vec3(0, 0, 0)


@dataclass(frozen=True)
class LegAxis:
    """A joint of a leg in frame 0."""

    z: Vec3
    origin: Vec3
    kind: JointType


class Leg:
    """One leg: its geometry solved, and the motion of its joints."""

    def __init__(self, motion: PlatformMotion, chain: LegChain, mode: int, reference: Reference | None) -> None:
        self.motion, self.chain, self.leg = motion, chain, chain.leg
        self.reference = reference
        self.joints = chain.core
        self.solved = chain.solved(motion, mode)
        robot, work = motion.robot, motion.work
        known = (*chain.unknown, *chain.sides)
        self._held = {getattr(robot.frame(j), robot.frame(j).joint_type.variable): robot.variable(j) for j in known}
        T = Transform.identity()
        self.axes: dict[int, LegAxis] = {}
        for j in chain.numbers:
            if j in chain.wrist:
                break
            frame = robot.frame(j)
            T = T @ frame_transform(frame, self.value, j)
            if frame.is_joint:
                self.axes[j] = LegAxis(T.A.z_axis, T.P, frame.joint_type)
        self.ball = chain.ball
        L = motion.station(chain.leg)
        self.arm = L if chain.ball else _O  #: from the platform's origin to the end
        self.end = motion.P + self.arm
        self.graph = work.graph

    def value(self, entry: Expr) -> Any:
        """Return an entry of the description with the solved joint variables."""
        copy = self.motion.work.value(entry)
        name = self._held.get(entry)
        if name is None:
            return copy
        offset = copy - copy.graph.symbol(name)
        return self.solved[name] if offset.is_zero else self.solved[name] + offset

    def spring(self, j: int) -> Scalar:
        """Return the effort of an elastic joint: k times its deflection, an angle of at most half a turn.

        Raises InputError if the joint has a motor, whose position would differ from that of the joint.
        """
        robot, work = self.motion.robot, self.motion.work
        joint = robot.joint(j)
        if not joint.eta:
            return 0
        name = robot.variable(j)
        if robot.frame(j).mu:
            raise InputError(f"{self.chain.robot.name}: {name}: an elastic joint of a leg must be passive (mu = 0)")
        rest = work.graph.zero if joint.rest is None else work.value(joint.rest)
        away = self.solved[name] - rest if isinstance(self.solved[name], Expr) else self.solved[name] + -rest
        return work.value(joint.k) * (away if isinstance(away, Expr) else away.angle)

    # ------------------------------------------------------------------ velocity

    def _column(self, j: int) -> list[Scalar]:
        linear, angular = _O, _O
        for k, way in self.chain.members(j):
            if k not in self.axes:  # a second rod moves nothing
                continue
            axis = self.axes[k]
            own, turn = axis.kind.twist(axis.z, self.end - axis.origin)
            linear, angular = (linear + own, angular + turn) if way > 0 else (linear - own, angular - turn)
        return [*linear] if self.ball else [*linear, *angular]

    @cached_property
    def J(self) -> Matrix[Expr]:
        """All rows of the Jacobian of the end with respect to the joints."""
        return Matrix(self._column(j) for j in self.joints).T.over(self.graph)

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows of J that determine the joints."""
        n, count = len(self.joints), 3 if self.ball else 6
        if n == count:
            return tuple(range(n))
        if n > count:
            raise InputError(f"{self.chain.robot.name}: leg {self.leg + 1} can move while the platform is at rest")
        if self.reference is None:
            raise InputError(
                f"{self.chain.robot.name}: leg {self.leg + 1} has {n} joints for {count} conditions: the motion of the "
                "platform is found at a reference position: set `position`, and numbers for the geometry"
            )
        reference = self.reference
        matrices = [
            reference.at_point(sample, self.leg)[:, :n] if self.ball else sample.jacobians[self.leg]
            for sample in reference.samples
        ]
        return best_rows(matrices, n)

    @property
    def determined(self) -> bool:
        """Whether the joint efforts determine the wrench of the leg on the platform."""
        return len(self.rows) == (3 if self.ball else 6) and len(self.chain.wrist) in (0, 3)

    @cached_property
    def K(self) -> Matrix[Expr]:
        """The inverse of the chosen rows of J; not finite where the leg is stretched out or folded."""
        unit = Matrix.unit(self.graph, len(self.rows))
        return Matrix(solve_where_regular([self.J[r] for r in self.rows], unit, self.sizes_here()))

    def sizes_here(self) -> Sizes:
        """Return values at the reference positions, or at a generic pose that the leg reaches."""
        return watched_sizes(self.chain.robot, self._values()) if self.reference is None else self.reference.sizes

    def _values(self) -> dict[str, float]:
        """Return a generic pose that the leg reaches, and values of the parameters."""
        samples, motion = self.chain.problem.samples, self.motion
        values = {name: float(np.asarray(v).flat[0]) for name, v in samples.symbols.items()}
        parameters = dict(zip(motion.work.inputs.get("parameters", ()), np.linspace(0.7, 1.9, 997), strict=False))
        values = {**{k: float(v) for k, v in parameters.items()}, **values}
        names = [str(entry.value) for row in (*motion.R.rows, motion.P) for entry in row if entry.op == "symbol"]
        entries = self.chain.problem.entries
        if not self.chain.to_point:
            table = [*(4 * i + k for i in range(3) for k in range(3)), 3, 7, 11]
            given = {name: values[entries[place]] for name, place in zip(POSE, table, strict=True)}
        else:
            R = rigid(np.array([0.3, -0.2, 0.4]), np.zeros(3))[:3, :3]
            place = frame_transform(motion.robot.places[self.leg], lambda e: evaluate([e], values)[0], 0)
            P = np.array([values[entries[k]] for k in (3, 7, 11)]) - R @ np.array([*place.P])
            given = dict(zip(POSE, map(float, (*R.ravel(), *P)), strict=True))
        return {**values, **{name: given[name] for name in names}}

    def _end_rows(self, linear: Vec3, angular: Vec3) -> list[Any]:
        every = [*linear] if self.ball else [*linear, *angular]
        return [every[r] for r in self.rows]

    @cached_property
    def joint_rates(self) -> dict[int, Any]:
        """q' of the joints that carry load (GS 14)."""
        v = self.motion.velocity(self.arm)
        return self._spread(self.K @ self._end_rows(v, self.motion.w))

    def _spread(self, values: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return rates or accelerations of all joints from those that carry load."""
        found = dict(zip(self.joints, values, strict=True))
        for j in self.joints:
            for k, way in self.chain.members(j)[1:]:
                found[k] = found[j] if way > 0 else -found[j]
        return found

    def gathered(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        """Return efforts on the joints that carry load from those on all joints."""
        return [sum_of(efforts[k] * way for k, way in self.chain.members(j)) for j in self.joints]

    @cached_property
    def bias(self) -> tuple[Vec3, Vec3]:
        """Acceleration of the end, linear and angular, at q'' = 0: J' q' of GS 18."""
        a, w, alpha, at = _O, _O, _O, _O
        for j, axis in self.axes.items():
            r = axis.origin - at
            a = a + alpha.cross(r) + w.cross(w.cross(r))
            step = axis.z * self.joint_rates[j]
            if axis.kind.slides:  # the shift along the axis is in r already
                a = a + w.cross(step) * 2
            else:
                alpha, w = alpha + w.cross(step), w + step
            at = axis.origin
        r = self.end - at
        return a + alpha.cross(r) + w.cross(w.cross(r)), alpha

    @cached_property
    def joint_accelerations(self) -> dict[int, Any]:
        """q'' of the joints that carry load (GS 19)."""
        linear, angular = self.motion.acceleration(self.arm), self.motion.wp
        a = [x - b for x, b in zip(self._end_rows(linear, angular), self._end_rows(*self.bias), strict=True)]
        return self._spread(self.K @ a)

    # -------------------------------------------------------------------- forces

    def wrench(self, efforts: Sequence[Any]) -> Wrench:
        """Return the wrench on the end that balances joint efforts: J^-T of GS 22, at the platform origin."""
        forces = self.K.T @ list(efforts)
        six: list[Any] = [0] * 6
        for r, f in zip(self.rows, forces, strict=True):
            six[r] = f
        force = Vec3(*six[:3])
        return force, Vec3(*six[3:]) + self.arm.cross(force)

    def motor_row(self, j: int) -> Wrench:
        """Return the row of J_p^-1 of a motor of this leg (GS 13): q' = force . v + moment . w."""
        return self.wrench([int(k == j) for k in self.joints])

    @cached_property
    def constraints(self) -> list[tuple[Wrench, Scalar]]:
        """Pairs (row, d): twists that the leg allows satisfy row . V = 0, accelerations row . V' = d."""
        found = []
        every = [*self.bias[0]] if self.ball else [*self.bias[0], *self.bias[1]]
        for r in range(3 if self.ball else 6):
            if r in self.rows:
                continue
            share = self.K.T @ self.J[r]  # of the chosen rows in this one
            six: list[Scalar] = [0] * 6
            for s, x in zip(self.rows, share, strict=True):
                six[s] = -x
            six[r] = 1
            force = Vec3(*six[:3])
            d = every[r] - dot(share, (every[s] for s in self.rows))
            d = d - force.dot(self.motion.w.cross(self.motion.w.cross(self.arm)))  # of the end about the origin
            found.append(((force, Vec3(*six[3:]) + self.arm.cross(force)), d))
        return found
