"""Torques of a robot of any kind along motions of its independent joints, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.once import cached_property
from robosym.coordinates.following import LoopFollower
from robosym.coordinates.reference import remembered
from robosym.dynamics import inverse_dynamics
from robosym.errors import InputError, missing_values
from robosym.mechanism import Robot
from robosym.solve.loop_geometry import loop_geometry

__all__ = ["JointEfforts"]


def _inverse(robot: Robot) -> tuple[Any, dict[str, Array]]:
    """Return the compiled inverse dynamic model, and zeros for its further inputs."""
    model = inverse_dynamics(robot)
    missing = (*model.inputs.get("parameters", ()), *model.inputs.get("gravity", ()))
    if missing:
        raise missing_values(missing)
    if set(model.outputs) != {"tau"} or len(model.outputs["tau"]) != len(robot.motor_names):
        raise InputError(f"{robot.name}: expected a robot on a fixed base with a motor in each joint")
    others = {group: np.zeros(len(names)) for group, names in model.inputs.items() if group not in ("q", "qd", "qdd")}
    return model.compile(), others


class JointEfforts:
    """The inverse dynamic model in the independent joints; a robot with a platform is treated as a closed robot."""

    def __init__(self, robot: Robot, parameters: Mapping[str, float] | None = None) -> None:
        """Compile the model; `parameters` are values of symbols."""
        self.robot = robot.to_closed() if robot.coordinates in ("platform", "modules") else robot
        if parameters:
            self.robot = self.robot.with_values(dict(parameters))
        self.closed = self.robot.coordinates == "active"
        self.names = tuple(self.robot.motor_names)
        if not self.names:  # as of a robot of springs
            raise InputError(f"{robot.name}: expected a robot with a motor in at least one joint, found none")
        joints = self.robot.tree_joints
        self.numbers = [joints.index(j) for j in self.robot.motors]

    @property
    def joints(self) -> tuple[int, ...]:
        """Numbers of the independent joints."""
        joints = self.robot.tree_joints
        return tuple(joints[k] for k in self.numbers)

    def start(self) -> None:
        """Compile the inverse dynamic model."""
        self._compiled, self._others = remembered(
            self.robot, "efforts of joints", lambda: _inverse(self.robot), "_derivations"
        )

    def all_joints(self, q: Array) -> Array:
        """Return all joints of the tree from the independent ones, shape (points, joints), in one assembly mode."""
        if not self.closed:
            return q
        follow, rows = self._follow, np.empty((len(q), len(self.robot.joint_names)))
        near: Array = self._start(q[0])
        for k, place in enumerate(q):
            near = np.asarray(follow(place, near), dtype=float)
            rows[k] = near
            if not np.isfinite(near).all():
                raise InputError(f"path: the loops of {self.robot.name} cannot close at {self.text(place)}")
        return rows

    @cached_property
    def _follow(self) -> LoopFollower:
        found: LoopFollower = remembered(
            self.robot, "following motors", lambda: LoopFollower(self.robot, self.names), "_derivations"
        )
        return found

    def _start(self, q: Array) -> Array:
        """Return a position in the assembly mode of the reference position, or in the first mode if there is none."""
        names, known = self.robot.joint_names, self.robot.position
        if not self.robot.loops or known:
            return np.array([known.get(name, 0.0) for name in names])
        geometry = loop_geometry(self.robot)
        modes = geometry.solve(q[[self.names.index(name) for name in geometry.known]])
        if not len(modes):
            raise InputError(f"path: the loops of {self.robot.name} cannot close at its start, {self.text(q)}")
        return np.asarray(modes[0])

    def text(self, q: Array) -> str:
        """Return positions of the independent joints for messages."""
        return ", ".join(f"{name} = {value:.4g}" for name, value in zip(self.names, q, strict=True))

    def at(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques; `q` holds all joints, `qd` and `qdd` the independent ones."""
        given = {"q": q, "qd": qd, "qdd": qdd}
        used = {group: given.get(group, self._others.get(group)) for group in self._compiled.model.inputs}
        found: Array = np.asarray(self._compiled(**used))
        return found
