"""Dynamic models of hybrid robots: modules in series, each on the platform of the one before (RNE; Ibrahim, Khalil)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.algebra import Expr, derivatives, substitute
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.coordinates.platform_motion import ACCELERATION
from robosym.dynamics.moving_modules import MovingPlatform
from robosym.dynamics.moving_series import MovingSeries
from robosym.dynamics.other_coordinates import Coordinates
from robosym.dynamics.roles import Rest
from robosym.mechanism import Robot, need_no_load
from robosym.model import Layout, Model

__all__ = ["ModulesInSeries"]

_OTHERS = ("wrench", "gravity", "parameters")
_EFFORT = "E{}_"  #: of a motor, inside its module
_ALONG = "S{}_"  #: accelerations along the freedom of the modules, one after the other


def series_inverse(robot: Robot, modes: Any = None) -> Model:
    """Efforts GAMj of all motors, module by module, from the motion of each module.

    Pose, twist and acceleration of each platform are those against its own base, in the axes of that base; arms have
    joint positions, velocities and accelerations.
    """
    series = MovingSeries(robot, ("pose", "twist", "acceleration"), _OTHERS, modes)
    with series.work as work:
        series.walk_out()
        series.walk_back()
        efforts = series.efforts()
        series.names()
        for j, value in efforts.items():
            work.define(f"GAM{j}", value)
        outputs: dict[str, Layout] = {"tau": tuple(f"GAM{j}" for j in efforts)}
        return work.model("dyn", "Inverse dynamic model of the hybrid robot", outputs)


class _Along:
    """A series whose accelerations are those along the freedom of the modules, symbols of which all are linear."""

    def __init__(self, robot: Robot, groups: tuple[str, ...], others: tuple[str, ...], modes: Any) -> None:
        need_no_load(robot, "the direct model of a hybrid robot")
        self.series = series = MovingSeries(robot, groups, others, modes)
        graph = series.work.graph
        self.symbols: list[Expr] = []
        self.accelerations: list[list[Expr]] = []  #: six of each platform, those of the joints of each arm
        for k, model in enumerate(series.models):
            names = model.coordinates
            start = len(self.symbols)
            own = [graph.symbol(_ALONG.format(start + i), online=True) for i in range(len(names))]
            self.symbols += own
            series.set(k, dict(zip(names, own, strict=True)))
            if isinstance(model, MovingPlatform):
                inner = model.work.graph
                six = series.here(k, model.along([inner.symbol(name) for name in names]))
                series.set(k, dict(zip(ACCELERATION, six, strict=True)))
                own = six
            self.accelerations.append(own)

    def needed(self) -> list[Expr]:
        self.series.walk_out()
        return [x for own in self.series.walk_back() for x in own]

    @property
    def names(self) -> list[str]:
        return [str(symbol.value) for symbol in self.symbols]

    def at(self, entries: list[Expr], values: list[Any]) -> list[Expr]:
        return substitute(entries, self.series.work.graph, dict(zip(self.names, values, strict=True)))

    def matrix(self, needed: list[Expr]) -> list[list[Expr]]:
        """A: what is needed is linear in the accelerations."""
        rows = derivatives(needed, self.names)
        still = [[0] * len(self.names)] * len(rows)
        return [self.at(list(row), none) for row, none in zip(rows, still, strict=True)]


def series_direct(robot: Robot, modes: Any = None) -> Model:
    """Accelerations from efforts: of each platform against its own base (VPX_k .. WPZ_k), and of the joints of arms."""
    along = _Along(robot, ("pose", "twist"), ("tau", *_OTHERS), modes)
    series = along.series
    with series.work as work:
        needed = along.needed()
        A, h = along.matrix(needed), along.at(needed, [0] * len(along.symbols))
        given: list[Any] = []
        for k, (model, at) in enumerate(zip(series.models, series.offsets, strict=True)):
            inner = {j: model.work.graph.symbol(_EFFORT.format(j), online=True) for j in model.motors}
            series.set(k, {_EFFORT.format(j): work.graph.symbol(f"GAM{at + j}") for j in inner})
            given += series.here(k, model.given(inner))
        found = solve_symmetric(A, [g - x for g, x in zip(given, h, strict=True)])
        outputs: dict[str, Layout] = {}
        platforms: list[str] = []
        joints: list[str] = []
        for k, (model, at) in enumerate(zip(series.models, series.offsets, strict=True)):
            values = along.at(along.accelerations[k], found)
            if isinstance(model, MovingPlatform):
                names = [f"{name}_{k + 1}" for name in ACCELERATION]
                platforms += names
            else:
                names = [f"QDP{at + j}" for j in model.robot.tree_joints]
                joints += names
            for name, value in zip(names, values, strict=True):
                work.define(name, value)
        if platforms:
            outputs["acceleration"] = tuple(platforms)
        if joints:
            outputs["qdd"] = tuple(joints)
        return work.model("ddm", "Direct dynamic model of the hybrid robot", outputs)


_COORDINATES = "the coordinates of the modules: free ones of each platform's twist, joints of arms"


def series_matrix(robot: Robot, modes: Any = None) -> Model:
    """A in the coordinates of the modules: the free ones of each platform's twist, the joints of arms."""
    along = _Along(robot, ("pose",), ("parameters",), modes)
    with along.series.work as work:
        outputs: dict[str, Layout] = {"A": work.matrix("A", along.matrix(along.needed()))}
        return work.model("inm", "Inertia matrix of the hybrid robot", outputs, about={
            "A": f"inertia matrix over {_COORDINATES}, symmetric (kg, kg m, kg m^2)"
        })  # fmt: skip


def series_bias(robot: Robot, modes: Any = None) -> Model:
    """h of A s' + h = what the motors give along the coordinates of the modules."""
    along = _Along(robot, ("pose", "twist"), _OTHERS, modes)
    with along.series.work as work:
        h = along.at(along.needed(), [0] * len(along.symbols))
        outputs: dict[str, Layout] = {"H": work.vector("H", dict(enumerate(h, 1)))}
        return work.model("ccg", "Centrifugal, Coriolis and gravity forces of the hybrid robot", outputs, about={
            "H": f"centrifugal, Coriolis and gravity forces along {_COORDINATES} (N, N m)"
        })  # fmt: skip


class ModulesInSeries(Coordinates):
    """Those of each platform against its own base, and the joints of arms."""

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        return series_inverse(self.robot, self.modes)

    def direct(self, passive: str, rest: Rest | None) -> Model:
        return series_direct(self.robot, self.modes)

    def inertia(self, gravity: bool, space: str) -> Model:
        return series_matrix(self.robot, self.modes)

    def bias(self, space: str) -> Model:
        return series_bias(self.robot, self.modes)
