"""Geometry of hybrid robots: the end from the modules, their joints, the Jacobian by the motors, and poses reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr, substitute
from robosym.algebra.samples import Array
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.coordinates.platform_motion import POSE
from robosym.coordinates.platform_poses import numbers
from robosym.coordinates.series_of_modules import Series, module_modes
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.series import closed_form
from robosym.model import Layout, Model
from robosym.solve.leg_joints import leg_joints
from robosym.solve.reaching import lead_joints, reach_pose
from robosym.spatial import Mat3, Vec3

__all__ = ["SeriesJoints", "series_geometry", "series_jacobian", "series_joints"]


def series_geometry(robot: Robot) -> Model:
    """The pose T (4, 4) of the last end in frame 0, from the poses of the platforms, each against its own base, and
    the joints of arms."""
    series: Series[Any] = Series(robot, ("pose",))
    with series.work as work:
        layout = work.matrix("T", [*series.poses()[-1].rows, (0, 0, 0, 1)])
        about = {"T": "pose of the end in frame 0, 4x4: rotation (1), position (m)"}
        return work.model("fgm", "Pose of the end of the hybrid robot", {"T": layout}, about=about)


def series_jacobian(robot: Robot, modes: Any = None) -> Model:
    """J (output "J", six rows): the twist of the last end, in frame 0 at its origin, from the velocities of the motors,
    module by module."""
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


@dataclass(frozen=True, eq=False)
class SeriesJoints(Model):
    """Output "q": the motors of all modules, in their order."""

    hybrid: Robot | None = None
    modes: Any = None

    @property
    def motors(self) -> tuple[str, ...]:
        assert self.hybrid is not None
        return self.hybrid.motor_names

    def solve(
        self,
        T: ArrayLike,
        near: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
        start: ArrayLike | None = None,
    ) -> Array:
        """Motors at which the last end has the pose T (4, 4) in frame 0: one solution, that which Newton's method
        reaches from the motors `near`, or from the reference position; with more motors than six the nearest.

        `start` gives the poses (12 each) of the platforms at `near` where they have no reference position in numbers.
        """
        assert self.hybrid is not None
        robot, goal = NumericRobot(self.hybrid, parameters), numbers("T", T, (4, 4))
        here = robot.at(None if start is None else self._joints_at(start, robot.values))
        if near is not None:
            wanted = dict(zip(self.motors, numbers("near", near, (len(self.motors),)).tolist(), strict=True))
            here, _ = lead_joints(robot, here, wanted)
        links = closed_form(self.hybrid, robot.robot.position).links
        frame = next(j for j, link in links.items() if link == self.hybrid.modules[-1].end)
        found = reach_pose(robot, here, frame, goal)
        if found is None:
            raise InputError(f"{self.hybrid.name}: no motors for this pose from here: give others near")
        return np.array([found[name] for name in self.motors])

    def _joints_at(self, start: ArrayLike, values: Mapping[str, float]) -> dict[str, float]:
        """The joints of the legs at poses of the platforms."""
        assert self.hybrid is not None
        parts = [part for part in self.hybrid.module_robots() if part.legs]
        joints: dict[str, float] = {}
        for part, pose in zip(parts, numbers("start", start, (len(parts), 12)), strict=True):
            legs = leg_joints(part)
            needed = {name: values[name] for name in legs.inputs.get("parameters", ()) if name in values}
            names = map(part.variable, part.tree_joints)
            joints |= dict(zip(names, legs.solve(pose, needed, passive=True).tolist(), strict=True))
        return joints


def series_joints(robot: Robot, modes: Any = None) -> SeriesJoints:
    """Motors from the motion of the modules: Qj from the poses of platforms, joints of arms as they are given.

    `.solve(T)` finds the motors for a pose of the last end.
    """
    series: Series[Any] = Series(robot, ("pose",), ("parameters",), modes)
    with series.work as work:
        names: list[str] = []
        chosen = module_modes(robot, modes)
        for k, (part, at) in enumerate(zip(series.parts, series.offsets, strict=True)):
            if part.legs:
                model = leg_joints(part, modes=chosen[k], passive=False)
                pose = {name: work.graph.symbol(f"{name}_{k + 1}") for name in POSE}
                found = [model.definitions[name] for name in model.outputs["q"]]  # type: ignore[index]
                values = substitute(found, work.graph, pose)
            else:
                values = [work.graph.symbol(part.variable(j)) for j in part.motors]
            for j, value in zip(part.motors, values, strict=True):
                work.define(f"Q{at + j}", value)
                names.append(f"Q{at + j}")
        outputs: dict[str, Layout] = {"q": tuple(names)}
        return work.model("igm", "Motors of the hybrid robot", outputs, SeriesJoints, hybrid=robot, modes=modes)
