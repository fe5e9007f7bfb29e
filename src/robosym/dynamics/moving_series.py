"""Modules in series in motion: the motion walks out from module to module, loads walk back."""

from __future__ import annotations

from typing import Any

from robosym.algebra import Expr
from robosym.coordinates.module_geometry import LOAD
from robosym.coordinates.platform_motion import BASE
from robosym.coordinates.series_of_modules import Series
from robosym.dynamics.moving_modules import EndMotion, MovingArm, MovingPlatform
from robosym.mechanism.motion import products, u_matrix
from robosym.spatial import Vec3

__all__ = ["MovingSeries"]


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
        load: list[Any] = [zero] * 6
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
