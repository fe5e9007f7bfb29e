"""Geometry of hybrid robots: the end from the modules, their joints, the Jacobian by the motors, and poses reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, substitute
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.coordinates.platform_motion import POSE
from robosym.coordinates.reference import numeric_reference
from robosym.coordinates.series_of_modules import Series, module_modes
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.solve.forward import DirectGeometry, platform_geometry
from robosym.solve.leg_joints import LegJoints, leg_joints
from robosym.spatial import Mat3, Vec3
from robosym.spatial.numeric import displacement

__all__ = ["SeriesJoints", "series_geometry", "series_jacobian", "series_joints"]

_ROUNDS, _REACHED = 60, 1e-10  #: of Newton's method; what is left in metres and radians
_FARTHEST = 0.3  #: the longest step of a motor in one round


def series_geometry(robot: Robot) -> Model:
    """The pose T (4, 4) of the last end in frame 0, from the poses of the platforms, each against its own base, and
    the joints of arms."""
    series: Series[Any] = Series(robot, ("pose",))
    with series.work as work:
        T = series.poses()[-1]
        zero = work.graph.zero
        rows: list[list[Any]] = [
            [*(zero + x for x in row), zero + p] for row, p in zip(T.A.rows, T.P, strict=True)
        ]  # fmt: skip
        rows.append([zero, zero, zero, work.graph.one])
        outputs: dict[str, Layout] = {"T": work.matrix("T", rows)}
        return work.model("fgm", "Pose of the end of the hybrid robot", outputs, about={
            "T": "pose of the end in frame 0, 4x4: rotation (1), position (m)"
        })  # fmt: skip


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

    @cached_property
    def _reach(self) -> _Reach:
        assert self.hybrid is not None
        return _Reach(self.hybrid, self.modes)

    def solve(
        self, T: Any, near: Any = None, parameters: Mapping[str, float] | None = None, start: Any = None
    ) -> Array:
        """Motors at which the last end has the pose T (4, 4) in frame 0: one solution, that which Newton's method
        reaches from the motors `near`, or from the reference position; with more motors than six the nearest.

        `start` gives the poses (12 each) of the platforms at `near` where they have no reference position in numbers.
        """
        return self._reach.solve(np.asarray(T, dtype=float), near, dict(parameters or {}), start)


def series_joints(robot: Robot, modes: Any = None) -> SeriesJoints:
    """Motors from the motion of the modules: Qj from the poses of platforms, joints of arms as they are given.

    `.solve(T)` finds the motors for a pose of the last end.
    """
    series: Series[Any] = Series(robot, ("pose",), ("parameters",), modes)
    with series.work as work:
        names: list[str] = []
        chosen = module_modes(robot, modes)
        for k, (part, at) in enumerate(zip(series.parts, series.offsets, strict=True)):
            if part.modules:
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


class _Reach:
    """A pose of the end by Newton's method over the motors: platforms follow them, the Jacobian shows the way."""

    def __init__(self, robot: Robot, modes: Any) -> None:
        self.robot = robot
        self.pose, self.jacobian = series_geometry(robot), series_jacobian(robot, modes)
        self._T, self._J = self.pose.compile(), self.jacobian.compile()
        self.parts = robot.module_robots()
        self.direct: list[DirectGeometry | None] = [
            platform_geometry(part) if part.modules else None for part in self.parts
        ]
        self.legs: list[LegJoints | None] = [
            leg_joints(part, passive=False) if part.modules else None for part in self.parts
        ]

    def start(self, start: Any, parameters: Mapping[str, float]) -> tuple[Array, list[Array]]:
        """Motors and poses at the reference position, or at the poses given."""
        q: list[float] = []
        poses: list[Array] = []
        given = iter(np.reshape(np.asarray(start, dtype=float), (-1, 12)) if start is not None else ())
        for k, (part, legs) in enumerate(zip(self.parts, self.legs, strict=True), 1):
            if legs is None:
                q += [part.position.get(part.variable(j), 0.0) for j in part.motors]
                continue
            reference = numeric_reference(part) if start is None else None
            if start is None and reference is None:
                raise InputError(f"{self.robot.name}: module {k} has no reference position in numbers: give start")
            pose = np.array([*reference.samples[0].pose_values.values()]) if reference is not None else next(given)
            needed = {name: parameters[name] for name in legs.inputs.get("parameters", ()) if name in parameters}
            q += [float(x) for x in legs.solve(pose, needed)]
            poses.append(pose)
        return np.array(q), poses

    def follow(self, q: Array, poses: list[Array], parameters: Mapping[str, float]) -> tuple[list[Array], Array]:
        """Poses of the platforms for these motors, near the last ones, and the joints of arms."""
        found: list[Array] = []
        joints: list[float] = []
        at, last = 0, iter(poses)
        for part, direct in zip(self.parts, self.direct, strict=True):
            own = q[at : at + len(part.motors)]
            at += len(part.motors)
            if direct is None:
                joints += [float(x) for x in own]
            else:
                needed = {name: parameters[name] for name in direct.parameters}
                found.append(np.asarray(direct.near(own, next(last), needed or None)))
        return found, np.array(joints)

    def solve(self, T: Array, near: Any, parameters: dict[str, float], start: Any) -> Array:
        if T.shape != (4, 4) or not np.isfinite(T).all():
            raise InputError(f"T: expected a matrix (4, 4) of finite numbers, found an array of shape {T.shape}")
        q, poses = self.start(start, parameters)
        if near is not None:
            wanted = np.asarray(near, dtype=float)
            if wanted.shape != q.shape:
                raise InputError(f"near: expected {len(q)} motors, found an array of shape {wanted.shape}")
            steps = 1 + int(np.abs(wanted - q).max() / _FARTHEST)
            for part in range(1, steps + 1):  # platforms follow the motors on their way there
                poses, _ = self.follow(q + (wanted - q) * part / steps, poses, parameters)
            q = wanted
        for _ in range(_ROUNDS):
            poses, joints = self.follow(q, poses, parameters)
            given: dict[str, Any] = {"pose": np.concatenate(poses)} if poses else {}
            given |= {"q": joints} if len(joints) else {}
            here = np.asarray(self._T(**given, **self._own(self.pose, parameters)))
            left = displacement(T[None], here[None])[0]
            if np.abs(left).max() < _REACHED:
                return q
            J = np.asarray(self._J(**given, **self._own(self.jacobian, parameters)))
            step = -np.linalg.lstsq(J, left, rcond=None)[0]
            q = q + step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), _REACHED))
        raise InputError(
            f"{self.robot.name}: no motors for this pose from here: {np.abs(left).max():.2g} are left; give others near"
        )

    @staticmethod
    def _own(model: Model, parameters: Mapping[str, float]) -> dict[str, Any]:
        return {"parameters": dict(parameters)} if "parameters" in model.inputs else {}
