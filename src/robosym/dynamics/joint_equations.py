"""Equations of motion of a tree in its joints: the recursions of the book, a floating base and elastic joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from robosym.algebra.matrix import Matrix
from robosym.coordinates.joint_motion import JointMotion
from robosym.coordinates.roles import Weights
from robosym.dynamics.arguments import BASE_ACCELERATION, define_base_acceleration, define_base_wrench
from robosym.dynamics.articulated import respond
from robosym.dynamics.composite import TreeInertia, base_blocks, base_weight, composite_weights, tree_inertia
from robosym.dynamics.equations_of_motion import Equations
from robosym.dynamics.newton_euler import Efforts, Recursion, newton_euler
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, still_tree
from robosym.model import Layout, Model, Note, Origin, no_name
from robosym.spatial import Scalar, Vec3

__all__ = ["JointEquations"]


class JointEquations(Equations):
    """Equations with one coordinate per joint of the tree, and six for a floating base."""

    coordinates = "joints"
    motion_type: ClassVar[type[JointMotion]] = JointMotion

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: str | None = None, recursion: Recursion = newton_euler,
        inertia_of: Callable[[Tree, Note], TreeInertia] = tree_inertia, modes: Any = None,
        space: str = "", **options: Any,
    ) -> None:  # fmt: skip
        """Initialize with the recursion for the efforts of the tree.

        On a floating base, `recursion` must also give the wrenches between links. `modes` and `space` are options of
        platforms.
        """
        self.robot, self.structure, self.recursion, self.inertia_of = robot, structure, recursion, inertia_of
        self.motion = self.motion_type(robot, groups, structure, **options)
        self.work, self.base_free = self.motion.work, self.motion.base_free

    @property
    def numbers(self) -> tuple[int, ...]:
        return self.motion.active

    def origin(self, maker: Callable[..., Model], options: Mapping[str, Any], prepared: bool = False) -> Origin:
        return Origin(maker, self.robot, {"structure": self.structure, **options}, prepared, self.coordinates)

    # ------------------------------------------------------------- from motion to torques

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        if weights:
            raise InputError(f"{self.robot.name}: weights: expected none, because every joint has its own motor")
        motion, work, roles = self.motion, self.work, self.motion.roles
        tree, more = motion.tree(), dict[str, Layout]()
        if roles.rigid:
            along = self.recursion(tree, work.note).along
        else:
            response = respond(tree, self._efforts(tree, roles.free), roles.base_free, work.note)
            along = response.along
            if roles.free:
                more["qdd"] = work.vector("QDP", {j: response.qdd[j] for j in roles.free})
            more |= self._base_acceleration(response.base)
        return {j: tree.body(j).torque(along[j]) for j in motion.motors}, more

    def _efforts(self, tree: Tree, joints: Sequence[int]) -> dict[int, Scalar]:
        """Return the efforts of motors and springs on joints, less friction."""
        roles, work, rest = self.motion.roles, self.work, self.motion.rest
        return {j: tree.body(j).without_friction(roles.effort(j, work, rest)) for j in joints}

    def _base_acceleration(self, base: tuple[Vec3, Vec3]) -> dict[str, Layout]:
        if not self.base_free:
            return {}
        define_base_acceleration(self.work, *base)
        return {"base_acceleration": BASE_ACCELERATION}

    # ------------------------------------------------------------------- A, h and gravity

    def bias(self) -> dict[int, Scalar]:
        tree = self.motion.tree(self.motion.drift)
        self.at_bias = self.recursion(tree, self.work.note)
        return {j: tree.body(j).torque(self.at_bias.along[j]) for j in self.motion.active}

    def base_bias(self) -> dict[str, Layout]:
        return self._base_wrench("base", self.at_bias)

    def _base_wrench(self, group: str, efforts: Efforts) -> dict[str, Layout]:
        known = self.base_free and efforts.f  # some recursions compute efforts along the joints only
        return {group: define_base_wrench(self.work, efforts.f[0], efforts.n[0])} if known else {}

    def inertia(self) -> Matrix[Scalar]:
        self.links = self.motion.links(base_free=True)
        self.tree_inertia = self.inertia_of(self.links, self.work.note)
        return self.reduced()

    def reduced(self) -> Matrix[Scalar]:
        """Return A over the coordinates from A over the joints of the tree."""
        joints = self.motion.active
        return Matrix([self.tree_inertia.entry(i, j) for j in joints] for i in joints)

    def coupling(self) -> dict[int, Sequence[Scalar]]:
        """Return force and moment on the base for a unit acceleration of each coordinate."""
        return dict(self.tree_inertia.coupling)

    def base_inertia(self) -> dict[str, Layout]:
        return base_blocks(self.work, self.tree_inertia, self.coupling(), self.numbers) if self.base_free else {}

    def gravity(self) -> dict[str, Layout]:
        held = self.recursion(still_tree(self.motion.links(base_free=True)), self.work.note)
        return {"Q": self.work.vector("Q", self.motion.project(held.along)), **self._base_wrench("base", held)}

    def weights(self) -> dict[str, Layout]:
        composite = self.tree_inertia.composite
        along = composite_weights(self.links, composite, self.work.note)
        found: dict[str, Layout] = {"Q": self.work.vector("Q", along)}
        if self.base_free:
            found["base_gravity"] = define_base_wrench(self.work, *base_weight(self.links, composite))
        return found

    # ------------------------------------------------------------- from torques to motion

    def driving(self) -> list[Scalar]:
        tree = self.motion.tree(self.motion.drift)
        efforts = self._efforts(tree, self.motion.active)
        self.at_bias = self.recursion(tree, self.work.note)
        return self.with_base([efforts[j] - self.at_bias.along[j] for j in self.motion.active])

    def unbalanced(self, found: Sequence[Scalar]) -> list[Scalar]:
        """Return the generalized forces less those that accelerations take, in the order of `solved`."""
        base, along = (found[:6], found[6:]) if self.base_free else ((), found)
        tree = self.motion.tree(self.motion.spread(dict(zip(self.motion.active, along, strict=True))))
        if self.base_free:
            moved = replace(tree.base, vp=tree.base.vp + Vec3(*base[:3]), wp=Vec3(*base[3:]))
            tree = replace(tree, base=moved)
        efforts = self.recursion(tree, no_name)
        left = self._left(tree, efforts.along)
        return [*(-part for part in (*efforts.f[0], *efforts.n[0])), *left] if self.base_free else left

    def _left(self, tree: Tree, along: Mapping[int, Scalar]) -> list[Scalar]:
        """Return the efforts on the coordinates less those of links and rotors."""
        given = self._efforts(tree, self.motion.active)
        return [given[j] - along[j] - tree.body(j).IA * tree.body(j).qdd for j in self.motion.active]

    def with_base(self, right: list[Scalar]) -> list[Scalar]:
        """Return right-hand sides preceded by those of a floating base (RNE 88)."""
        if not self.base_free:
            return right
        return [*(-part for part in (*self.at_bias.f[0], *self.at_bias.n[0])), *right]

    def bordered(self, A: Matrix[Scalar]) -> Matrix[Scalar]:
        if not self.base_free:
            return A
        own = self.tree_inertia.base
        assert own is not None
        columns = list(self.coupling().values())
        top = [[*own.entries[row], *(column[row] for column in columns)] for row in range(6)]
        return Matrix(top + [[*column, *row] for column, row in zip(columns, A, strict=True)])

    def route(self, wanted: str) -> str:
        return wanted

    def solved(self, route: str) -> Sequence[Scalar]:
        if route == "recursive":
            tree = self.motion.tree()
            response = respond(tree, self._efforts(tree, self.motion.active), self.base_free, self.work.note)
            base = [*response.base[0], *response.base[1]] if self.base_free else []
            return [*base, *(response.qdd[j] for j in self.motion.active)]
        return super().solved(route)

    def accelerations(self, found: Sequence[Scalar]) -> dict[str, Layout]:
        base, along = (found[:6], found[6:]) if self.base_free else ((), found)
        qdd = self.motion.spread(dict(zip(self.motion.active, along, strict=True)))
        outputs = self.joint_accelerations(qdd)
        if self.base_free:
            outputs |= self._base_acceleration((Vec3(*base[:3]), Vec3(*base[3:])))
        return outputs

    def joint_accelerations(self, qdd: Mapping[int, Scalar]) -> dict[str, Layout]:
        """Return the groups of joint accelerations."""
        return {"qdd": self.work.vector("QDP", {j: qdd[j] for j in self.motion.active})}
