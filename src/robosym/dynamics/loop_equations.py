"""Equations of motion of a robot with closed loops, in its active joints (guide 4.3, 4.4; RNE 4).

The torques of the motors are G^T times those of the tree, A_c = G^T A G, and H_c are the torques of the motors at zero
acceleration of the active joints. The multipliers of the loop equations are the forces that the cut joints transmit.

Active joints without a motor move freely: their accelerations are outputs of the inverse model too. Springs and
friction of cut joints act through the rows of the rates of these joints, those of passive joints through G.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot, sum_of
from robosym.coordinates.active_joints import ActiveJoints
from robosym.coordinates.constraints import constraints_of
from robosym.coordinates.roles import Weights
from robosym.dynamics.composite import TreeInertia, tree_inertia
from robosym.dynamics.equations_of_motion import Equations
from robosym.dynamics.joint_equations import JointEquations
from robosym.dynamics.newton_euler import Efforts
from robosym.errors import InputError
from robosym.mechanism.bodies import Tree
from robosym.model import Layout, Model, Origin
from robosym.spatial import Scalar, Vec3

__all__ = ["LoopEquations"]


class LoopEquations(JointEquations):
    """Equations with one coordinate per active joint."""

    motion: ActiveJoints
    motion_type = ActiveJoints
    coordinates = "active"
    of_robot = " of the closed robot"
    weights = Equations.weights

    def origin(self, maker: Callable[..., Model], options: Mapping[str, Any], prepared: bool = False) -> Origin:
        """Return None: alternative recursions exist for trees only."""
        return super().origin(maker, options)

    # ------------------------------------------------------------- from motion to torques

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Return the motor torques by (4.39)."""
        motion, more = self.motion, dict[str, Layout]()
        tree = motion.tree()
        efforts = self.recursion(tree, self.work.note)
        along = dict(efforts.along)
        if self.base_free:
            along, more = self._on_floating_base(tree, efforts)
        self.needed = self._needed(tree, along)
        if motion.free:
            self.needed = self._with_free_joints(tree)
            more["qdd"] = tuple(f"QDP{j}" for j in motion.free)
        return motion.loaded(tree, motion.distributed(motion.project(self.needed), weights)), more

    def _needed(self, tree: Tree, along: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return the efforts that motors and loops must exert on the joints, less those of the springs."""
        motion, roles = self.motion, self.motion.roles
        motion.check_springs()
        needed = {j: along[j] + tree.body(j).friction + tree.body(j).IA * tree.body(j).qdd for j in along}
        needed |= motion.cut_friction()
        for j in roles.springs:
            if j in needed:
                needed[j] = needed[j] - roles.effort(j, self.work, motion.rest, motion.position(j))
        return needed

    def _on_floating_base(self, tree: Tree, efforts: Efforts) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Return the efforts along the joints of a robot whose base moves freely (RNE 86, 87)."""
        inertia = tree_inertia(tree)
        assert inertia.base is not None
        base = solve_symmetric(inertia.base.entries, [-part for part in (*efforts.f[0], *efforts.n[0])])
        more = self._base_acceleration((Vec3(*base[:3]), Vec3(*base[3:])))
        return {j: effort + dot(inertia.coupling[j], base) for j, effort in efforts.along.items()}, more

    def _with_free_joints(self, tree: Tree) -> dict[int, Scalar]:
        """Return the efforts with free active joints without a motor, and name their accelerations."""
        motion = self.motion
        if self.base_free:
            raise InputError(f"{self.robot.name}: expected one motor per DoF on a floating base, found fewer")
        inertia = tree_inertia(tree)
        places = [motion.active.index(j) for j in motion.free]
        A, lacking = self._over_active(inertia), motion.project(self.needed)
        found = solve_symmetric([[A[a][b] for b in places] for a in places], [-lacking[j] for j in motion.free])
        for j, acceleration in zip(motion.free, found, strict=True):
            self.work.define(f"QDP{j}", acceleration)
        gained = {j: dot((motion.G[j][a] for a in places), found) for j in motion.G}
        more = {j: sum_of(inertia.entry(j, k) * gained[k] for k in gained) for j in self.needed if j in motion.G}
        return {j: effort + more.get(j, 0) for j, effort in self.needed.items()}

    def name_internal_forces(self, torques: Mapping[int, Scalar]) -> None:
        """Name the multipliers LAM1.. and the wrench E1k..N3k of the antecedent on each cut joint k, in frame k + B.

        The loops supply the efforts on passive joints of the tree that no motor supplies. Components of linearly
        dependent rows, as out of the plane of a planar loop, are undetermined and set to zero.
        """
        motion, needed = self.motion, self.needed
        constraints, equations = motion.constraints, motion.equations
        if not constraints.loops:
            return
        if any(row.relation for row in constraints.solved):  # relations between rates do not determine forces
            try:
                constraints = constraints_of(self.robot, parallelograms=False)
                equations = constraints.equations(motion.poses, self.work.graph)
            except InputError:  # optional: the torques do not depend on the transmitted forces
                return
            if constraints.passive != motion.passive:
                return
        zero, none = self.work.graph.zero, Vec3(0, 0, 0)
        lacking = [zero + needed[j] - torques.get(j, 0) for j in motion.passive]
        cuts = constraints.cuts(motion.poses)
        wrenches = [[none, none] for _ in cuts]
        exerted = [zero + torques.get(j, 0) - needed.get(j, 0) for j in constraints.cut]  # by springs and friction
        if motion.across:
            sizes = equations.cut_multipliers(exerted)
            for row, size, entries in zip(constraints.cut_rows, sizes, equations.Wpc, strict=True):
                _add(wrenches[row.loop], row.wrench(cuts, size))
                lacking = [effort + entry * size for effort, entry in zip(lacking, entries, strict=True)]
        multipliers = equations.multipliers(lacking)
        for number, (row, multiplier) in enumerate(zip(constraints.solved, multipliers, strict=True), 1):
            self.work.define(f"LAM{number}", multiplier)
            if row.relation:  # a coupling has no cut joint
                continue
            _add(wrenches[row.loop], row.wrench(cuts, multiplier))
        for loop, (force, moment) in zip(constraints.loops, wrenches, strict=True):
            self.work.note("E", loop.cut, force)
            self.work.note("N", loop.cut, moment)

    # ------------------------------------------------------------------- A, h and gravity

    def _at_bias(self) -> tuple[Tree, dict[int, Scalar]]:
        """Return the tree at zero acceleration of the active joints, and the efforts on them, less springs."""
        tree = self.motion.tree(self.motion.drift)
        self.at_bias = self.recursion(tree, self.work.note)
        self.needed = self._needed(tree, self.at_bias.along)
        return tree, self.motion.project(self.needed)

    def bias(self) -> dict[int, Scalar]:
        """Return H_c, with gravity, friction, wrenches and the springs of passive joints (4.49)."""
        return self.motion.loaded(*self._at_bias())

    def reduced(self) -> Matrix[Scalar]:
        return self._over_active(self.tree_inertia)

    def _over_active(self, inertia: TreeInertia) -> Matrix[Scalar]:
        """Return A_c = G^T A G (4.48)."""
        joints = (*self.motion.active, *self.motion.passive)
        A = Matrix([inertia.entry(j, k) for k in joints] for j in joints)
        return A.congruence(self._G(joints))

    def _G(self, joints: Sequence[int]) -> Matrix[Scalar]:
        return Matrix(self.motion.G[j] for j in joints)

    def coupling(self) -> dict[int, Sequence[Scalar]]:
        joints = (*self.motion.active, *self.motion.passive)
        coupling: Matrix[Scalar] = Matrix(self.tree_inertia.coupling[j] for j in joints)
        return dict(zip(self.motion.active, self._G(joints).T @ coupling, strict=True))

    # ------------------------------------------------------------- from torques to motion

    def driving(self) -> list[Scalar]:
        """Return the generalized forces by (4.46 to 4.49)."""
        motion = self.motion
        tree, bias = self._at_bias()
        self.given = {j: self.work.value(self.robot.joint(j).GAM) for j in motion.motors}
        exerted = motion.unloaded(tree, motion.exerted(self.given))
        return self.with_base([exerted[j] - bias[j] for j in motion.active])

    def _left(self, tree: Tree, along: Mapping[int, Scalar]) -> list[Scalar]:
        motion = self.motion
        given = {j: self.work.value(self.robot.joint(j).GAM) for j in motion.motors}
        exerted, needed = motion.unloaded(tree, motion.exerted(given)), motion.project(self._needed(tree, along))
        return [exerted[j] - needed[j] for j in motion.active]

    def route(self, wanted: str) -> str:
        return "cholesky"

    def solved(self, route: str) -> Sequence[Scalar]:
        self.found = super().solved(route)
        return self.found

    def joint_accelerations(self, qdd: Mapping[int, Scalar]) -> dict[str, Layout]:
        """Return the groups of active and passive accelerations."""
        motion, inertia = self.motion, self.tree_inertia
        outputs = super().joint_accelerations(qdd)
        if motion.passive:
            outputs["qdd_passive"] = tuple(f"QDP{j}" for j in motion.passive)
        base = self.found[:6] if self.base_free else ()
        gained = {j: qdd[j] - motion.drift.get(j, 0) for j in qdd}  # without those of the bias
        for j in motion.passive:
            more = sum_of(inertia.entry(j, k) * gained[k] for k in gained)
            self.needed[j] = self.needed[j] + (more + dot(inertia.coupling[j], base) if base else more)
        self.name_internal_forces(self.given)
        return outputs


def _add(wrench: list[Vec3], more: tuple[Vec3, Vec3]) -> None:
    wrench[:] = [part + added for part, added in zip(wrench, more, strict=True)]
