"""The inverse geometric model of a parallel robot: motors and leg joints from the pose, one branch a leg."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import Expr
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.coordinates.idle_spin import idle_joints, without_spin
from robosym.coordinates.leg_chain import leg_chain
from robosym.coordinates.legs import Legs
from robosym.coordinates.platform_poses import poses_given
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model

__all__ = ["LegJoints", "leg_joints"]


@dataclass(frozen=True, eq=False)
class LegJoints(Model):
    """Outputs "q", the motors, and "passive", the other joints, leg by leg."""

    parallel: Robot | None = None

    @property
    def motors(self) -> tuple[str, ...]:
        assert self.parallel is not None
        return self.parallel.motor_names

    @property
    def leg_modes(self) -> tuple[int, ...]:
        """How many modes each leg has."""
        assert self.parallel is not None
        robot = without_spin(self.parallel)
        reference = numeric_reference(robot)
        chains = (leg_chain(robot, i, reference) for i in range(len(self.parallel.legs)))
        return tuple(len(chain.modes) for chain in chains)

    @cached_property
    def _function(self) -> Any:
        return self.compile()

    def solve(self, pose: Any, parameters: Mapping[str, float] | None = None, passive: bool = False) -> Array:
        """The motors at a pose (4, 4) or (12,), R row by row and then P, or at many; with `passive` all joints.

        A pose out of reach, or with an orientation that the legs do not allow, gives an error.
        """
        twelve = poses_given(pose)
        given: dict[str, Any] = {"pose": twelve}
        if "parameters" in self.inputs:
            given["parameters"] = dict(parameters or {})
        joints = self.joints_at(given)
        if not np.isfinite(joints).all():
            raise InputError(self._why_not(twelve, given))
        assert self.parallel is not None
        chosen = self.parallel.tree_joints if passive else self.parallel.motors
        names = self._order
        return joints[..., [names.index(f"Q{j}") for j in chosen]]

    @property
    def _order(self) -> list[Any]:
        return [*self.outputs["q"], *self.outputs.get("passive", ())]

    def joints_at(self, given: Mapping[str, Any], ordered: bool = False) -> Array:
        """All outputs side by side, NaN where the legs do not allow the pose; `ordered` as the joints of the legs."""
        found = self._function(**given)
        parts = [found.q, found.passive] if len(self.outputs) > 1 else [found]
        joints = np.concatenate([np.asarray(part) for part in parts], axis=-1)
        if not ordered:
            return joints
        assert self.parallel is not None
        names = self._order
        return joints[..., [names.index(f"Q{j}") for j in self.parallel.tree_joints]]

    def _why_not(self, poses: Array, given: Mapping[str, Any]) -> str:
        """What is wrong with poses that have no joints."""
        assert self.parallel is not None
        free = replace(self, domain=None).compile()(**given)
        parts = [free] if len(self.outputs) == 1 else [*free]
        if self.domain is None or not all(np.isfinite(part).all() for part in parts):
            return f"{self.name}: a leg does not reach this pose in its mode"
        freedom = numeric_reference(without_spin(self.parallel)).freedom  # type: ignore[union-attr]
        return (
            f"{self.name}: the legs do not allow this pose: the platform has {freedom} degrees of freedom, and the "
            "rest of its pose follows from them; rs.platform_pose(robot, x=, y=, z=) computes it"
        )


def leg_joints(robot: Robot, modes: Sequence[int] | None = None, passive: bool = True) -> LegJoints:
    """Qj of the motors and, with `passive`, of the other joints, from the pose of the platform.

    `modes` numbers the branch of each leg, from 0; by default that of the reference position, or the first. `.solve`
    gives numbers, `.compile()` machine code, `.code(language)` a program.
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
        return work.model("igm", "Inverse geometric model of the legs", outputs, LegJoints, parallel=robot)
