"""Jacobian matrices of robots with platforms: J_p^-1, J_p, and that of the last of several modules (GS 12, 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr
from robosym.coordinates.legs import Legs
from robosym.coordinates.series_of_modules import Series
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.spatial import Mat3, Vec3

__all__ = ["PlatformJacobian", "platform_jacobian", "series_jacobian"]


@dataclass(frozen=True, eq=False)
class PlatformJacobian(Model):
    """J_p^-1 (output "Ji"): rows of the motors, columns VX VY VZ WX WY WZ, in frame 0 at the platform's origin."""

    parallel: Robot | None = None
    modes: tuple[int, ...] | None = None

    def inverse(self) -> Model:
        """Return J_p (output "J", six rows), which maps motor velocities to the twist of the platform."""
        assert self.parallel is not None
        return _twist_from_motors(self.parallel, self.modes)


def platform_jacobian(robot: Robot, modes: Sequence[int] | None = None) -> PlatformJacobian:
    """J_p^-1 of qa' = J_p^-1 V (GS 12), and `.inverse()`, J_p of V = J_p qa'.

    If J_p^-1 loses rank along the degrees of freedom of the platform, the platform can move while the motors are locked
    (type 2). If it grows without bound, a leg is stretched or folded and the platform loses a degree of freedom (type
    1).
    """
    legs = Legs(robot, ("pose",), ("parameters",), modes)
    with legs.work as work:
        rows = [[work.graph.zero + x for x in (*w[0], *w[1])] for _, w in legs.rows()]
        outputs: dict[str, Layout] = {"Ji": work.matrix("Ji", rows)}
        kept = None if modes is None else tuple(modes)
        return work.model(
            "jac", "Inverse Jacobian matrix of the platform", outputs, PlatformJacobian, parallel=robot, modes=kept
        )


def _twist_from_motors(robot: Robot, modes: Sequence[int] | None) -> Model:
    legs = Legs(robot, ("pose",), ("parameters",), modes)
    with legs.work as work:
        _, E = legs.basis
        J = E @ legs.by_motors()
        return work.model("jac", "Jacobian matrix of the platform", {"J": work.matrix("J", J)}, about={
            "J": "rows VX VY VZ WX WY WZ: twist of the platform (m/s, rad/s) at its origin in frame 0; columns: motors"
        })  # fmt: skip


def series_jacobian(robot: Robot, modes: object = None) -> Model:
    """Return J (output "J", six rows): the twist of the last end in frame 0 from motor velocities."""
    series: Series[Any] = Series(robot, ("pose",), ("parameters",), modes)
    with series.work as work:
        zero = work.graph.zero
        ends = series.poses()
        target = ends[-1].P
        columns: list[list[Expr]] = []
        before = None
        for k, (model, end) in enumerate(zip(series.models, ends, strict=True)):
            axes: Mat3 = series.place(k).A if before is None else before.A @ series.place(k).A
            for column in model.columns():
                six = series.here(k, column)
                v, w = axes @ Vec3(*six[:3]), axes @ Vec3(*six[3:])
                columns.append([zero + x for x in (*(v + w.cross(target - end.P)), *w)])
            before = end
        J = [[column[r] for column in columns] for r in range(6)]
        return work.model("jac", "Jacobian matrix of the hybrid robot", {"J": work.matrix("J", J)}, about={
            "J": "rows VX VY VZ WX WY WZ: twist of the end (m/s, rad/s) in frame 0 at its origin; columns: the motors"
        })  # fmt: skip
