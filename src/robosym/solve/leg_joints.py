"""Inverse geometric model of robots with platforms: motors and leg joints from the pose, one branch per leg.

The geometry of modules in series is built on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr, substitute
from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.coordinates.idle_spin import idle_joints, without_spin
from robosym.coordinates.leg_chain import leg_chain
from robosym.coordinates.legs import Legs
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.coordinates.platform_motion import POSE
from robosym.coordinates.platform_poses import LegEnds
from robosym.coordinates.pose_inputs import natural_coordinates
from robosym.coordinates.reference import numeric_reference
from robosym.coordinates.series_of_modules import Series, module_modes
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model, flat
from robosym.solve.reaching import end_in_joints, lead_joints, reach_pose

__all__ = ["LegJoints", "SeriesJoints", "leg_joints", "series_geometry", "series_joints"]


@dataclass(frozen=True, eq=False)
class LegJoints(Model):
    """The model of the motors (output "q") and the other joints (output "passive"), leg by leg."""

    parallel: Robot | None = None
    modes: Sequence[int] | None = None  #: branches of the legs that were chosen

    @property
    def motors(self) -> tuple[str, ...]:
        assert self.parallel is not None
        return self.parallel.motor_names

    @property
    def leg_modes(self) -> tuple[int, ...]:
        """The number of modes of each leg."""
        assert self.parallel is not None
        robot = without_spin(self.parallel)
        reference = numeric_reference(robot)
        chains = (leg_chain(robot, i, reference) for i in range(len(self.parallel.legs)))
        return tuple(len(chain.modes) for chain in chains)

    @cached_property
    def _function(self) -> Any:
        return self.compile()

    def solve(
        self, pose: ArrayLike | Mapping[str, ArrayLike], parameters: Mapping[str, float] | None = None,
        passive: bool = False,
    ) -> Array:  # fmt: skip
        """Return the motor positions at poses; with `passive` all joints.

        A pose is a matrix (4, 4), twelve numbers (R row by row, then P), the free coordinates of the platform such as
        [x, y] of a five-bar robot, or coordinates by name, {"x": 0.1, "y": 0.2}; the legs determine the rest of it. A
        pose that is out of reach, or that the legs do not allow, raises an error.
        """
        from robosym.solve.pose_coordinates import poses_of

        assert self.parallel is not None
        twelve = poses_of(self.parallel, pose, self.modes)
        given: dict[str, object] = {"pose": twelve}
        if "parameters" in self.inputs:
            given["parameters"] = dict(parameters or {})
        joints = self.joints_at(given)
        if not np.isfinite(joints).all():
            raise InputError(self._why_not(twelve, given))
        chosen = self.parallel.tree_joints if passive else self.parallel.motors
        names = self._order
        return joints[..., [names.index(f"Q{j}") for j in chosen]]

    @property
    def _order(self) -> list[str]:
        return [name for layout in self.outputs.values() for name in flat(layout)]

    def joints_at(self, given: Mapping[str, object], ordered: bool = False) -> Array:
        """Return all outputs side by side, NaN where the legs do not allow the pose; `ordered` as the leg joints."""
        found = self._function(**given)
        parts = [found.q, found.passive] if len(self.outputs) > 1 else [found]
        joints = np.concatenate([np.asarray(part) for part in parts], axis=-1)
        if not ordered:
            return joints
        assert self.parallel is not None
        names = self._order
        return joints[..., [names.index(f"Q{j}") for j in self.parallel.tree_joints]]

    def _why_not(self, poses: Array, given: Mapping[str, object]) -> str:
        """Return why poses have no solution."""
        assert self.parallel is not None
        free = replace(self, domain=None).compile()(**given)
        parts = [free] if len(self.outputs) == 1 else [*free]
        if self.domain is None or not all(np.isfinite(part).all() for part in parts):
            return f"{self.name}: a leg does not reach this pose in its mode"
        joints = replace(self, domain=None).joints_at(given, ordered=True)
        values = cast("Mapping[str, float]", given.get("parameters", {}))
        gap = LegEnds(self.parallel).gaps(poses.reshape(-1, 12), joints.reshape(-1, joints.shape[-1]), values).max()
        reference = numeric_reference(without_spin(self.parallel))
        free = natural_coordinates(reference)
        return (
            f"{self.name}: the legs do not allow this pose: their ends miss the platform by up to {gap:.3g} (m, rad). "
            f"It has {len(free)} degrees of freedom, and the rest of its pose follows from them: "
            f"rs.platform_pose(robot, {', '.join(f'{name}=' for name in free)}) computes it"
        )


def leg_joints(robot: Robot, modes: Sequence[int] | None = None, passive: bool = True) -> LegJoints:
    """Return the model of the motors Qj and, with `passive`, of the other joints, from the platform pose.

    `modes` are the branches of the legs, from 0; by default those of the reference position, or the first ones.
    `.solve` returns numbers, `.compile()` machine code, `.code(language)` source code.
    """
    legs = Legs(robot, ("pose",), ("parameters",), modes, vectors=False)
    with legs.work as work:
        values: dict[int, Expr] = {}
        for leg in legs.legs:
            wrist = leg.chain.wrist_joints(legs.motion, leg.solved) if passive else {}
            more = (*leg.chain.wrist, *leg.chain.sides) if passive else ()
            for j in dict.fromkeys((*leg.chain.unknown, *more)):
                name = robot.variable(j)
                value = leg.solved[name] if name in leg.solved else wrist[name]
                values[j] = value if isinstance(value, Expr) else value.angle
        if passive:
            values |= {j: work.graph.number(q) for j, q in idle_joints(robot).items()}
        for j, value in values.items():
            work.define(f"Q{j}", value)
        outputs: dict[str, Layout] = {"q": tuple(f"Q{j}" for j in robot.motors)}
        others = tuple(f"Q{j}" for j in values if j not in robot.motors)
        if passive and others:
            outputs["passive"] = others
        return work.model("igm", "Inverse geometric model of the legs", outputs, LegJoints, parallel=robot, modes=modes)


# -------------------------------------------------------------------------- modules in series


def series_geometry(robot: Robot) -> Model:
    """Return the pose T (4, 4) of the last end in frame 0.

    Inputs are the pose of each platform relative to its own base, and the joints of arms.
    """
    series: Series[Any] = Series(robot, ("pose",))
    with series.work as work:
        layout = work.matrix("T", [*series.poses()[-1].rows, (0, 0, 0, 1)])
        about = {"T": "pose of the end in frame 0, 4x4: rotation (1), position (m)"}
        return work.model("fgm", "Pose of the end of the hybrid robot", {"T": layout}, about=about)


@dataclass(frozen=True, eq=False)
class SeriesJoints(Model):
    """The model of the motors of all modules (output "q"), in order."""

    hybrid: Robot | None = None
    modes: object = None

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
        """Return motors at which the last end has the pose T (4, 4) in frame 0.

        It is the solution that Newton's method reaches from the motors `near`, or from the reference position; with
        more than six motors it is the nearest.

        `start` gives the poses (12 each) of the platforms at `near` where they have no reference position in numbers.
        """
        assert self.hybrid is not None
        robot, goal = NumericRobot(self.hybrid, parameters), numbers("T", T, (4, 4))
        here = robot.at(None if start is None else self._joints_at(start, robot.values))
        if near is not None:
            wanted = dict(zip(self.motors, numbers("near", near, (len(self.motors),)).tolist(), strict=True))
            here, _ = lead_joints(robot, here, wanted)
        found = reach_pose(robot, here, end_in_joints(self.hybrid, robot), goal)
        if found is None:
            raise InputError(
                f"{self.hybrid.name}: the pose was not reached from these motors: "
                "pass motor positions closer to the solution as near"
            )
        return np.array([found[name] for name in self.motors])

    def _joints_at(self, start: ArrayLike, values: Mapping[str, float]) -> dict[str, float]:
        """Return the leg joints at poses of the platforms."""
        assert self.hybrid is not None
        parts = [part for part in self.hybrid.module_robots() if part.legs]
        joints: dict[str, float] = {}
        for part, pose in zip(parts, numbers("start", start, (len(parts), 12)), strict=True):
            legs = leg_joints(part)
            needed = {name: values[name] for name in legs.inputs.get("parameters", ()) if name in values}
            names = map(part.variable, part.tree_joints)
            joints |= dict(zip(names, legs.solve(pose, needed, passive=True).tolist(), strict=True))
        return joints


def series_joints(robot: Robot, modes: object = None) -> SeriesJoints:
    """Return the motors from the motion of the modules: Qj from platform poses, arm joints as given.

    `.solve(T)` returns the motor positions for a pose of the last end.
    """
    series: Series[Any] = Series(robot, ("pose",), ("parameters",), modes)
    with series.work as work:
        names: list[str] = []
        chosen = module_modes(robot, modes)
        for k, (part, at) in enumerate(zip(series.parts, series.offsets, strict=True)):
            if part.legs:
                model = leg_joints(part, modes=chosen[k], passive=False)
                pose = {name: work.graph.symbol(f"{name}_{k + 1}") for name in POSE}
                found = [model.definitions[name] for name in flat(model.outputs["q"])]
                values = substitute(found, work.graph, pose)
            else:
                values = [work.graph.symbol(part.variable(j)) for j in part.motors]
            for j, value in zip(part.motors, values, strict=True):
                work.define(f"Q{at + j}", value)
                names.append(f"Q{at + j}")
        outputs: dict[str, Layout] = {"q": tuple(names)}
        return work.model("igm", "Motors of the hybrid robot", outputs, SeriesJoints, hybrid=robot, modes=modes)
