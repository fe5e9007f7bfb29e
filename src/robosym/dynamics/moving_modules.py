"""Modules in motion: how the end of a module moves, which forces its motion takes, and what it asks of its base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from robosym.algebra import Expr
from robosym.algebra.matrix import Matrix
from robosym.algebra.once import cached_property
from robosym.coordinates.legs import Wrench, drift_of
from robosym.coordinates.platform_motion import ACCELERATION, BASE
from robosym.coordinates.series_of_modules import LOAD, Arm, LegsAndPlatform, Series
from robosym.dynamics.newton_euler import Efforts, newton_euler, outward
from robosym.dynamics.platform_equations import balance, joint_efforts, platform_wrench, strut_load, total
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Workspace
from robosym.spatial import Scalar, Transform, Vec3

__all__ = ["EndMotion", "ModuleModel", "MovingArm", "MovingPlatform", "MovingSeries"]

_O = Vec3(0, 0, 0)


@dataclass(frozen=True)
class EndMotion:
    """Of the end of a module, in its own axes: angular velocity and acceleration, acceleration less gravity."""

    w: Vec3
    wp: Vec3
    vp: Vec3

    def entries(self) -> tuple[Scalar, ...]:
        return (*self.w, *self.wp, *self.vp)


class ModuleModel(Protocol):
    """A module in motion; expressions are of `work.graph`."""

    work: Workspace
    motors: tuple[int, ...]  #: by the module's own numbers
    coordinates: tuple[str, ...]  #: the accelerations along its freedom: symbols of inputs

    @property
    def end(self) -> EndMotion: ...
    @property
    def pose(self) -> Transform: ...
    def needed(self) -> list[Scalar]:
        """Generalised forces that the motion takes, along its coordinates."""
        ...

    def forces(self) -> dict[int, Scalar]:
        """Efforts of the motors, by the module's own numbers, that the motion takes."""
        ...

    def given(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        """Generalised forces that the motors give."""
        ...

    def reaction(self) -> Wrench:
        """What the module asks of its base: force and moment about its origin, in frame 0 of the module."""
        ...


def at_base(tree: Tree, efforts: Efforts) -> Wrench:
    """What all bodies that stand on the base ask of it, about its origin."""
    force, moment = _O, _O
    for j, body in tree.items():
        if body.ant == 0:
            f = body.T.A @ efforts.f[j]
            force, moment = force + f, moment + body.T.A @ efforts.n[j] + body.T.P.cross(f)
    return force, moment


class MovingArm(Arm):
    """An arm in motion."""

    @property
    def end(self) -> EndMotion:
        motion = outward(self.tree)
        return EndMotion(*(part[self.number] for part in (motion.w, motion.wp, motion.vp)))

    @cached_property
    def efforts(self) -> Efforts:
        return newton_euler(self.tree, self.work.note)

    def needed(self) -> list[Scalar]:
        along = self.efforts.along
        return [self.tree.body(j).torque(along[j]) for j in self.robot.tree_joints]

    def forces(self) -> dict[int, Scalar]:
        return dict(zip(self.robot.tree_joints, self.needed(), strict=True))

    def given(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        return [efforts[j] for j in self.robot.tree_joints]

    def reaction(self) -> Wrench:
        return at_base(self.tree, self.efforts)


class MovingPlatform(LegsAndPlatform):
    """Legs and their platform in motion."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(ACCELERATION[r] for r in self.legs.basis[0])

    def along(self, accelerations: Sequence[Any]) -> list[Any]:
        """The six accelerations of the platform from those of its coordinates."""
        _, E = self.legs.basis
        drift = drift_of(self.legs)
        return [start + gained for start, gained in zip(drift, E @ list(accelerations), strict=True)]

    @property
    def end(self) -> EndMotion:
        back = self.motion.R.T
        return EndMotion(*(back @ part for part in self.motion.felt_motion))

    @cached_property
    def _moving(self) -> tuple[Tree, Efforts]:
        tree = self.legs.moving()
        return tree, newton_euler(tree, self.work.note)

    def _platform(self) -> Wrench:
        """What the platform takes with its load, about its origin in frame 0 of the module."""
        return platform_wrench(self.legs, self.load)

    def _projected(self, motors: bool) -> list[Scalar]:
        """What the motion takes along the freedom; without `motors`, less what is the motors' own matter."""
        legs = self.legs
        efforts = joint_efforts(legs, *self._moving) if legs.in_tree else []
        loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
        loads += [strut_load(strut, motors) for strut in legs.struts]
        return legs.projected(total([self._platform(), *loads]))

    def needed(self) -> list[Scalar]:
        return self._projected(motors=True)

    def forces(self) -> dict[int, Scalar]:
        return balance(self.legs, self._projected(motors=False))

    def given(self, efforts: Mapping[int, Scalar]) -> list[Scalar]:
        rows = self.legs.rows()
        return Matrix(self.legs.projected(row) for _, row in rows).T @ [efforts[j] for j, _ in rows]

    def reaction(self) -> Wrench:
        f, n = self._platform()
        return total([at_base(*self._moving), (f, n + self.motion.P.cross(f))])


class MovingSeries(Series["MovingArm | MovingPlatform"]):
    """The modules of a robot with their dynamics."""

    arm_type = MovingArm
    platform_type = MovingPlatform

    def walk_out(self) -> None:
        """The motion of each base from that of the end before it; the first feels gravity alone."""
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
        """The generalised forces that the motion of each module takes; what it asks of its base loads the last."""
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
        """Of the motors, numbered through, after both walks."""
        found: dict[int, Expr] = {}
        for k, (model, at) in enumerate(zip(self.models, self.offsets, strict=True)):
            forces = model.forces()
            found |= {at + j: x for j, x in zip(forces, self.here(k, forces.values()), strict=True)}
        return found
