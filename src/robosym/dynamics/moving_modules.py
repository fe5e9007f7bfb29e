"""Dynamics of modules in series: motion of the end of a module, generalized forces, and reaction on its base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.matrix import Matrix
from robosym.algebra.once import cached_property
from robosym.coordinates.legs import Wrench, drift_of
from robosym.coordinates.platform_motion import ACCELERATION, BASE
from robosym.coordinates.series_of_modules import LOAD, Arm, LegsAndPlatform, Series
from robosym.dynamics.newton_euler import Efforts, newton_euler, outward
from robosym.dynamics.platform_equations import Loads, balance, total
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.spatial import Scalar, Vec3

__all__ = ["EndMotion", "MovingArm", "MovingPlatform", "MovingSeries"]

_O = Vec3(0, 0, 0)


@dataclass(frozen=True)
class EndMotion:
    """Motion of the end of a module, in its axes: angular velocity, angular and linear acceleration less gravity."""

    w: Vec3
    wp: Vec3
    vp: Vec3

    def entries(self) -> tuple[Scalar, ...]:
        return (*self.w, *self.wp, *self.vp)


def at_base(tree: Tree, efforts: Efforts) -> Wrench:
    """Return the wrench of all bodies on the base, about its origin."""
    force, moment = _O, _O
    for j, body in tree.items():
        if body.ant == 0:
            f = body.T.A @ efforts.f[j]
            force, moment = force + f, moment + body.T.A @ efforts.n[j] + body.T.P.cross(f)
    return force, moment


class MovingArm(Arm):
    """Dynamics of an arm."""

    @property
    def end(self) -> EndMotion:
        motion = outward(self.tree)
        return EndMotion(*(part[self.number] for part in (motion.w, motion.wp, motion.vp)))

    @cached_property
    def efforts(self) -> Efforts:
        return newton_euler(self.tree, self.work.note)

    def needed(self) -> list[Scalar]:
        """Return the generalized forces of the motion, along the coordinates of the module."""
        along = self.efforts.along
        return [self.tree.body(j).torque(along[j]) for j in self.robot.tree_joints]

    def forces(self) -> dict[int, Scalar]:
        """Return the motor efforts of the motion, by the module's own numbers."""
        return dict(zip(self.robot.tree_joints, self.needed(), strict=True))

    def given(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        """Return the generalized forces of the motors."""
        return [efforts[j] for j in self.robot.tree_joints]

    def reaction(self) -> Wrench:
        """Return force and moment on the base of the module about its origin, in frame 0 of the module."""
        return at_base(self.tree, self.efforts)


class MovingPlatform(LegsAndPlatform):
    """Dynamics of legs and their platform."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(ACCELERATION[r] for r in self.legs.basis[0])

    def along(self, accelerations: Sequence[Any]) -> list[Any]:
        """Return the six accelerations of the platform from those of its coordinates."""
        _, E = self.legs.basis
        drift = drift_of(self.legs)
        return [start + gained for start, gained in zip(drift, E @ list(accelerations), strict=True)]

    @property
    def end(self) -> EndMotion:
        back = self.motion.R.T
        return EndMotion(*(back @ part for part in self.motion.motion_less_gravity))

    @cached_property
    def loads(self) -> Loads:
        return Loads(self.legs, self.load)

    def needed(self) -> list[Scalar]:
        return self.loads.projected(motors=True)

    def forces(self) -> dict[int, Scalar]:
        return balance(self.legs, self.loads.projected(motors=False))

    def given(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        rows = self.legs.rows()
        return Matrix(self.legs.projected(row) for _, row in rows).T @ [efforts[j] for j, _ in rows]

    def reaction(self) -> Wrench:
        f, n = self.loads.platform
        return total([at_base(*self.loads.moving), (f, n + self.motion.P.cross(f))])


class MovingSeries(Series["MovingArm | MovingPlatform"]):
    """Modules of a robot with their dynamics."""

    arm_type = MovingArm
    platform_type = MovingPlatform

    def walk_out(self) -> None:
        """Compute the motion of each base from that of the previous end; the first is subject to gravity only."""
        zero = self.work.graph.zero
        none = Vec3(zero, zero, zero)
        end = EndMotion(none, none, Vec3(*(-self.work.value(g) for g in self.robot.gravity)))
        for k, model in enumerate(self.models):
            T = self.place(k)
            vp = end.vp + u_matrix(products(end.w), end.wp) @ T.P
            base = EndMotion(T.A.T @ end.w, T.A.T @ end.wp, T.A.T @ vp)
            self._given[k] |= {name: zero + x for name, x in zip(BASE, base.entries(), strict=True)}
            found = self.here(k, model.end.entries())
            end = EndMotion(Vec3(*found[:3]), Vec3(*found[3:6]), Vec3(*found[6:]))

    def walk_back(self) -> list[list[Expr]]:
        """Compute the generalized forces of each module, whose reaction loads the previous module."""
        zero = self.work.graph.zero
        load: list[Scalar] = [zero] * 6
        needed: list[list[Expr]] = [[] for _ in self.models]
        for k in range(len(self.models) - 1, -1, -1):
            model = self.models[k]
            self._given[k] |= dict(zip(LOAD, load, strict=True))
            needed[k] = self.here(k, model.needed())
            if k:
                found = self.here(k, (part for vector in model.reaction() for part in vector))
                T = self.place(k)
                f = T.A @ Vec3(*found[:3])
                n = T.A @ Vec3(*found[3:]) + T.P.cross(f)
                load = [zero + x for x in (*f, *n)]
        return needed

    def efforts(self) -> dict[int, Expr]:
        """Return the motor efforts, numbered consecutively, after both passes."""
        found: dict[int, Expr] = {}
        for k, (model, at) in enumerate(zip(self.models, self.offsets, strict=True)):
            forces = model.forces()
            found |= {at + j: x for j, x in zip(forces, self.here(k, forces.values()), strict=True)}
        return found
