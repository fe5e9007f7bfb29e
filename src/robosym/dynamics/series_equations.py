"""Equations of motion of modules in series, each on the platform of the previous one (RNE; Ibrahim, Khalil).

The coordinates are the free ones of each platform's twist relative to its base, and the joints of arms. The generalized
forces are linear in their accelerations, which are symbols here: A is the derivative, h the value at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.algebra import Expr, derivatives, substitute
from robosym.algebra.matrix import Matrix
from robosym.algebra.once import cached_property
from robosym.coordinates.platform_motion import ACCELERATION, platform_groups
from robosym.coordinates.roles import Weights
from robosym.dynamics.equations_of_motion import Equations
from robosym.dynamics.moving_modules import MovingPlatform, MovingSeries
from robosym.mechanism import Robot, need_no_load
from robosym.model import Layout
from robosym.spatial import Scalar

__all__ = ["SeriesEquations"]

_EFFORT = "E{}_"  #: effort of a motor, inside its module
_ALONG = "S{}_"  #: accelerations of the coordinates, module by module


class SeriesEquations(Equations):
    """Equations in the coordinates of the modules, in order."""

    coordinates = "modules"
    of_robot = " of the hybrid robot"
    along = "the coordinates of the modules: free ones of each platform's twist, joints of arms"

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: None = None, modes: Any = None, **_: Any
    ) -> None:
        self.series = MovingSeries(robot, *platform_groups(groups), modes)
        self.work, self.robot = self.series.work, robot

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Return the motor efforts, module by module.

        Pose, twist and acceleration of each platform are relative to its base, in the axes of that base; arms have
        joint positions, velocities and accelerations.
        """
        series = self.series
        series.walk_out()
        series.walk_back()
        efforts = series.efforts()
        series.names()
        return dict(efforts), {}

    # ----------------------------------------------------------------------------- A and h

    @cached_property
    def _accelerations(self) -> tuple[list[str], list[list[Expr]]]:
        """Return symbols of the accelerations; by module, six of each platform, and those of arms' joints."""
        need_no_load(self.robot, "the direct model of a hybrid robot")
        series, graph = self.series, self.work.graph
        symbols: list[str] = []
        by_module: list[list[Expr]] = []
        for k, model in enumerate(series.models):
            names = model.coordinates
            own = [graph.symbol(_ALONG.format(len(symbols) + i), online=True) for i in range(len(names))]
            symbols += [str(symbol.value) for symbol in own]
            series.set(k, dict(zip(names, own, strict=True)))
            if isinstance(model, MovingPlatform):
                inner = model.work.graph
                own = series.here(k, model.along([inner.symbol(name) for name in names]))
                series.set(k, dict(zip(ACCELERATION, own, strict=True)))
            by_module.append(own)
        return symbols, by_module

    @cached_property
    def _needed(self) -> list[Expr]:
        """Return the generalized forces of the motion."""
        self._accelerations  # noqa: B018 - the modules need them before the walk
        self.series.walk_out()
        return [x for own in self.series.walk_back() for x in own]

    def _at(self, entries: Sequence[Expr], values: Sequence[Any]) -> list[Expr]:
        """Return expressions with values for the accelerations."""
        symbols, _ = self._accelerations
        return substitute(entries, self.work.graph, dict(zip(symbols, values, strict=True)))

    def inertia(self) -> Matrix[Scalar]:
        needed, (symbols, _) = self._needed, self._accelerations
        return Matrix(self._at(list(row), [0] * len(symbols)) for row in derivatives(needed, symbols))

    def bias(self) -> dict[int, Scalar]:
        needed, (symbols, _) = self._needed, self._accelerations
        return dict(enumerate(self._at(needed, [0] * len(symbols)), 1))

    # ------------------------------------------------------------- from torques to motion

    def driving(self) -> list[Scalar]:
        series, work = self.series, self.work
        bias = self.bias().values()
        given: list[Scalar] = []
        for k, (model, at) in enumerate(zip(series.models, series.offsets, strict=True)):
            inner = {j: model.work.graph.symbol(_EFFORT.format(j), online=True) for j in model.motors}
            series.set(k, {_EFFORT.format(j): work.graph.symbol(f"GAM{at + j}") for j in inner})
            given += series.here(k, model.given(inner))
        return [force - h for force, h in zip(given, bias, strict=True)]

    def accelerations(self, found: Sequence[Scalar]) -> dict[str, Layout]:
        """Return accelerations of platforms relative to their bases (VPX_k .. WPZ_k), and of the joints of arms."""
        names: dict[str, list[str]] = {"acceleration": [], "qdd": []}
        _, by_module = self._accelerations
        modules = zip(self.series.models, self.series.offsets, by_module, strict=True)
        for k, (model, at, own) in enumerate(modules, 1):
            if isinstance(model, MovingPlatform):
                group, new = "acceleration", [f"{name}_{k}" for name in ACCELERATION]
            else:
                group, new = "qdd", [f"QDP{at + j}" for j in model.robot.tree_joints]
            names[group] += new
            for name, value in zip(new, self._at(own, found), strict=True):
                self.work.define(name, value)
        return {group: tuple(own) for group, own in names.items() if own}
