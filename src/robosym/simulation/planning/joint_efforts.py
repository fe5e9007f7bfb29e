"""Torques of a robot of any kind along motions of its independent joints, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.once import cached_property
from robosym.coordinates.following import LoopFollower
from robosym.coordinates.reference import remembered
from robosym.dynamics import base_velocity, inverse_dynamics
from robosym.errors import InputError, missing_values
from robosym.mechanism import Robot
from robosym.solve.loop_geometry import loop_geometry

__all__ = ["JointEfforts"]


def _inverse(robot: Robot) -> tuple[Any, dict[str, Array], Any]:
    """Return the inverse dynamic model, zeros for its further inputs, and the model of the velocity of a floating base.

    A robot on a floating base flies freely from rest: its momentum is that of its weight, which exerts no torque.
    """
    flies = robot.base.kind == "floating"
    if flies:
        robot = replace(robot, gravity=(robot.graph.zero,) * 3)
    model = inverse_dynamics(robot)
    missing = (*model.inputs.get("parameters", ()), *model.inputs.get("gravity", ()))
    if missing:
        raise missing_values(missing)
    motors = robot.joint_names if robot.coordinates == "motors" else robot.motors
    if robot.base.kind == "mobile" or robot.contacts or len(model.outputs.get("tau", ())) != len(motors):
        found = "a mobile base" if robot.base.kind == "mobile" else "contacts" if robot.contacts else "other joints"
        raise InputError(
            f"{robot.name}: expected a robot with a motor in each joint, on a fixed base or in free flight, "
            f"found {found}"
        )
    others = {group: np.zeros(len(names)) for group, names in model.inputs.items() if group not in ("q", "qd", "qdd")}
    return model.compile(), others, base_velocity(robot).compile() if flies else None


class JointEfforts:
    """The inverse dynamic model in the independent joints; a robot with a platform is treated as a closed robot."""

    def __init__(self, robot: Robot, parameters: Mapping[str, float] | None = None) -> None:
        """Compile the model; `parameters` are values of symbols."""
        self.robot = robot.to_closed() if robot.coordinates in ("platform", "modules") else robot
        if parameters:
            self.robot = self.robot.with_values(dict(parameters))
        self.closed = self.robot.dependent
        if self.robot.coordinates == "motors":
            self.names = self.robot.joint_names
            self.joints = tuple(range(1, len(self.names) + 1))  #: numbers of the independent joints, or of the motors
        else:
            self.joints = self.robot.motors
            self.names = tuple(map(self.robot.joint_name, self.joints))
        if not self.names:  # as of a robot of springs
            raise InputError(f"{robot.name}: expected a robot with a motor in at least one joint, found none")

    def start(self) -> None:
        """Compile the inverse dynamic model."""
        self._inverse, self._others, self._of_base = remembered(
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
            self.robot, "following motors", lambda: LoopFollower(self.robot, self.robot.motor_names), "_derivations"
        )
        return found

    def _start(self, q: Array) -> Array:
        """Return a position in the assembly mode of the reference position, or in the first mode if there is none."""
        variables, known = [self.robot.variable(j) for j in self.robot.tree_joints], self.robot.position
        if not self.robot.loops or known:
            return np.array([known.get(name, 0.0) for name in variables])
        geometry = loop_geometry(self.robot)
        modes = geometry.solve(q[[self.robot.motor_names.index(name) for name in geometry.known]])
        if not len(modes):
            raise InputError(f"path: the loops of {self.robot.name} cannot close at its start, {self.text(q)}")
        return np.asarray(modes[0])

    def text(self, q: Array) -> str:
        """Return positions of the independent joints for messages."""
        return ", ".join(f"{name} = {value:.4g}" for name, value in zip(self.names, q, strict=True))

    def at(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques; `q` holds all joints, `qd` and `qdd` the independent ones."""
        given = {**self._others, "q": q, "qd": qd, "qdd": qdd}
        if self._of_base is not None:
            given["centroidal_momentum"] = np.zeros(6)
            given["base_velocity"] = self._of_base(**{group: given[group] for group in self._of_base.model.inputs})
        found = self._inverse(**{group: given[group] for group in self._inverse.model.inputs})
        return np.asarray(found if self._of_base is None else found.tau)
