"""Drives: motors with their gears, limits and friction, and what they mean for the joints that they move.

`Actuator` is the motor of one joint, `Motor` the same as a row of a catalogue, `Drive` the gears between all motors
and all joints of a robot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Graph, Number, numeric_value, substitute, to_text
from robosym.algebra.arrays import Array, numbers
from robosym.dynamics import direct_dynamics, inverse_dynamics
from robosym.errors import InputError
from robosym.kinematics import transform
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.model.groups import declare

__all__ = ["Actuator", "Drive", "Motor", "with_motors"]

_SINGULAR = 1e-12  #: of the determinant of the ratios, in parts of their size


@dataclass(frozen=True)
class Actuator:
    """A motor, everything on its own side of the gear; each entry a number or an expression ("TMAX1")."""

    torque: Number | str  #: the largest that it gives always, in both directions
    ratio: Number | str = 1  #: motor turns for one unit of the joint
    inertia: Number | str = 0  #: of the rotor
    viscous: Number | str = 0
    coulomb: Number | str = 0
    speed: Number | str | None = None  #: the highest; simulations heed it
    peak: Number | str | None = None  #: torque that it gives for a moment; None: `torque`
    mass: Number | str = 0  #: on the link that carries the motor
    name: str = ""

    @property
    def largest(self) -> Number | str:
        """Torque that it gives for a moment."""
        return self.torque if self.peak is None else self.peak

    def number(self, entry: str, j: int) -> float:
        """An entry in numbers, for joint j; the ratio keeps its sign."""
        what = f"actuators: {entry} of joint {j}"
        value = float(numbers(what, getattr(self, entry), ()))
        if value == 0 and entry == "ratio":
            raise InputError(f"{what}: expected a number other than 0, found {value:g}")
        if value <= 0 and entry in ("largest", "speed"):
            raise InputError(f"actuators: joint {j}: expected torque and speed above 0")
        return value


class Motor(Actuator):
    """A row of a table of motors, in SI units, on the motor's side of the gear: an actuator in numbers."""

    torque: float
    speed: float
    peak: float | None
    inertia: float
    mass: float

    def __init__(
        self, name: str, torque: float, speed: float, peak: float | None = None, inertia: float = 0.0,
        mass: float = 0.0, **others: Number | str,
    ) -> None:  # fmt: skip
        """`torque` is the rated one; `others` are `ratio`, `viscous` and `coulomb`."""

        def number(entry: str, value: float, positive: bool = False) -> float:
            found = float(numbers(f"motor {name}: {entry}", value, ()))
            if found < 0 or (positive and not found):
                raise InputError(f"motor {name}: {entry}: expected a number above 0, found {value!r}")
            return found

        super().__init__(
            number("torque", torque, positive=True), inertia=number("inertia", inertia), mass=number("mass", mass),
            speed=number("speed", speed, positive=True), peak=None if peak is None else number("peak", peak), name=name,
            **others,
        )  # fmt: skip

    def bears(self, rms: float, peak: float, speed: float) -> bool:
        """Whether it gives such torques at such a speed."""
        return rms <= self.torque and peak <= (self.torque if self.peak is None else self.peak) and speed <= self.speed


def with_motors(robot: Robot, motors: Mapping[int, Actuator]) -> Robot:
    """The robot with rotors and friction of motors at the joints, and their masses where the joints begin."""
    more: list[dict[str, float]] = [{} for _ in robot.links]
    for j, motor in motors.items():
        n, link = motor.number("ratio", j), robot.link(j)
        for name, own, entry, scale in (
            ("IA", link.IA, "inertia", n * n), ("FV", link.FV, "viscous", n * n), ("FS", link.FS, "coulomb", abs(n)),
        ):  # fmt: skip
            if added := scale * motor.number(entry, j):
                known = numeric_value(own)
                if known is None:
                    raise InputError(f"actuators: {name}{j} of the robot is a symbol: give it a value")
                more[j - 1][name] = known + added
    robot = robot.with_links(more) if any(more) else robot
    for j, motor in motors.items():
        if robot.frame(j).ant > 0 and (mass := motor.number("mass", j)):
            robot = robot.with_payload(robot.frame(j).ant, mass, com=_where_it_stands(robot, j))
    return robot


def _where_it_stands(robot: Robot, j: int) -> list[str]:
    """The origin of frame j on the link before it, where the joint is at zero."""
    model = transform(robot, robot.frame(j).ant, j)
    place = [model.definitions[str(row[3])] for row in model.outputs["T"][:3]]
    return [to_text(entry) for entry in substitute(place, Graph(), {robot.variable(j): 0.0})]


@dataclass(frozen=True, eq=False)
class Drive:
    """Motor positions are R q, joint torques R^T K i: ratios R and gains K as a matrix, a list, or one number.

    A matrix R that is not diagonal is a coupled wrist: a motor that turns with several joints. With a gain the efforts
    of the log are currents; without one they are torques of the motors.
    """

    ratio: Array
    gain: Array | None = None

    def __init__(self, ratio: ArrayLike, gain: ArrayLike | None = None) -> None:
        object.__setattr__(self, "ratio", _matrix("ratio", ratio))
        object.__setattr__(self, "gain", None if gain is None else _matrix("gain", gain))
        if abs(np.linalg.det(self.ratio)) <= _SINGULAR * np.linalg.norm(self.ratio) ** len(self.ratio):
            raise InputError("drive: ratio: expected a matrix that can be inverted: each joint has its motor")
        if self.gain is not None and len(self.gain) not in (1, len(self.ratio)) and len(self.ratio) > 1:
            raise InputError(f"drive: gain: expected {len(self.ratio)} motors, as in ratio, found {len(self.gain)}")

    def sized(self, joints: int) -> tuple[Array, Array]:
        """R and K for so many joints; one number holds for all."""
        found = []
        for name, matrix in (("ratio", self.ratio), ("gain", self.gain if self.gain is not None else np.eye(1))):
            if len(matrix) == 1:
                matrix = matrix[0, 0] * np.eye(joints)
            if len(matrix) != joints:
                raise InputError(f"drive: {name}: expected {joints} motors, as the log has, found {len(matrix)}")
            found.append(matrix)
        return found[0], found[1]

    def joint_positions(self, motor: Array) -> Array:
        """Also of velocities and accelerations."""
        R, _ = self.sized(motor.shape[-1])
        return np.asarray(np.linalg.solve(R, motor.T).T, dtype=float)

    def joint_torques(self, effort: Array) -> Array:
        """From currents, or from torques of the motors where the drive has no gain."""
        R, K = self.sized(effort.shape[-1])
        return effort @ (R.T @ K).T

    def direct_dynamics(self, robot: Robot, **options: Any) -> Model:
        """Accelerations of the joints from currents (or torques of the motors): the direct model after R^T K i.

        Inputs are those of `rs.direct_dynamics`, but the group "current" ("motor_torque" without gains) for "tau".
        """
        model = direct_dynamics(robot, **options)
        torques = model.inputs["tau"]
        R, K = self.sized(len(torques))
        return self._fed(model, torques, R.T @ K)

    def inverse_dynamics(self, robot: Robot, **options: Any) -> Model:
        """Currents (or torques of the motors) from the motion of the joints: K^-1 R^-T of the torques."""
        model = inverse_dynamics(robot, **options)
        names = [str(name) for name in model.outputs["tau"]]
        R, K = self.sized(len(names))
        matrix, group = np.linalg.inv(R.T @ K), self._group
        graph, torques = model.graph, [model.definitions[name] for name in names]
        own = tuple(f"I{k}" for k in range(1, len(names) + 1))
        definitions = dict(model.definitions)
        for name, row in zip(own, matrix, strict=True):
            definitions[name] = sum(
                (graph.number(float(x)) * torque for x, torque in zip(row, torques, strict=True) if x), graph.zero
            )
        return replace(model, outputs={group: own}, definitions=definitions, title=f"{model.title}, at the motors")

    @property
    def _group(self) -> str:
        return "motor_torque" if self.gain is None else "current"

    def _fed(self, model: Model, torques: tuple[str, ...], matrix: Array) -> Model:
        """The model with its torques made of the motors' inputs."""
        graph, group = Graph(), self._group
        own = tuple(f"I{k}" for k in range(1, len(torques) + 1))
        taken = {name for names in model.inputs.values() for name in names}
        if taken & set(own):
            raise InputError(f"drive: {', '.join(sorted(taken & set(own)))} is a symbol of the robot")
        inputs = {group if g == "tau" else g: own if g == "tau" else names for g, names in model.inputs.items()}
        declare(graph, inputs)
        currents = [graph.symbol(name) for name in own]
        images = {
            name: sum((graph.number(float(x)) * i for x, i in zip(row, currents, strict=True) if x), graph.zero)
            for name, row in zip(torques, matrix, strict=True)
        }
        roots = substitute(list(model.definitions.values()), graph, images)
        definitions = dict(zip(model.definitions, roots, strict=True))
        return replace(
            model, inputs=inputs, definitions=definitions, graph=graph, title=f"{model.title}, from the motors",
            made=None,
        )  # fmt: skip

    def couplings(self, joints: int) -> dict[int, Array]:
        """{motor: turns of the motor for a unit of each joint, its own joint 1} of motors that several joints turn."""
        R, _ = self.sized(joints)
        return {k: R[k] / R[k, k] for k in range(joints) if R[k, k] and np.count_nonzero(R[k]) > 1}


def _matrix(name: str, given: object) -> Array:
    matrix = numbers(f"drive: {name}", given)
    if matrix.ndim < 2:
        matrix = np.diag(np.atleast_1d(matrix))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InputError(f"drive: {name}: expected a square matrix or a list, found the shape {matrix.shape}")
    return matrix
