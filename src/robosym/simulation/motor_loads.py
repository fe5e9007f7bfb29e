"""Loads of the motors along a motion, and motors that bear them (guide 3.6.2).

The inverse dynamic model gives the torques. Motors are chosen from the last joint to the first: the rotor of each
counts at its own joint, its mass on the link that carries it, and so for all motors that are chosen after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.control.drives import Drive, Motor, with_motors
from robosym.coordinates.accepts import accepts
from robosym.dynamics import inverse_dynamics
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.simulation.motions import SampledMotion, sampled_motion
from robosym.table_files import TableKind, read_table, write_columns

__all__ = ["MotorLoads", "motor_loads", "motors_of"]

_STILL = 0.01  #: part of the highest speed below which a motor is at rest


@dataclass(frozen=True, eq=False, repr=False)
class MotorLoads:
    """Torques, speeds and powers of the motors (samples, motors), and what they amount to (motors,)."""

    robot: Robot  #: with the rotors and masses of the motors that were chosen
    t: Array
    torque: Array
    speed: Array
    chosen: tuple[Motor | None, ...] = ()  #: None where no motor of the table bears the load

    @property
    def power(self) -> Array:
        found: Array = self.torque * self.speed
        return found

    def _mean(self, values: Array) -> Array:
        """Over time, by trapezoids."""
        steps = np.diff(self.t)[:, None]
        found: Array = ((values[1:] + values[:-1]) / 2 * steps).sum(axis=0) / (self.t[-1] - self.t[0])
        return found

    @property
    def peak_torque(self) -> Array:
        return np.asarray(np.abs(self.torque).max(axis=0))

    @property
    def rms_torque(self) -> Array:
        """What heats the motor."""
        return np.sqrt(self._mean(self.torque**2))

    @property
    def peak_speed(self) -> Array:
        return np.asarray(np.abs(self.speed).max(axis=0))

    @property
    def mean_speed(self) -> Array:
        return self._mean(np.abs(self.speed))

    @property
    def peak_power(self) -> Array:
        return np.asarray(np.abs(self.power).max(axis=0))

    @property
    def rms_power(self) -> Array:
        return np.sqrt(self._mean(self.power**2))

    @property
    def energy(self) -> Array:
        """Work of each motor over the motion, what it takes back subtracted."""
        found: Array = self._mean(self.power) * (self.t[-1] - self.t[0])
        return found

    @property
    def duty(self) -> Array:
        """The share of the time in which each motor turns."""
        highest = np.where(self.peak_speed > 0, self.peak_speed, 1.0)
        return self._mean((np.abs(self.speed) > _STILL * highest).astype(float))

    def table(self) -> list[tuple[str, Array]]:
        return [
            ("peak torque, N m", self.peak_torque), ("rms torque, N m", self.rms_torque),
            ("peak speed, rad/s", self.peak_speed), ("mean speed, rad/s", self.mean_speed),
            ("peak power, W", self.peak_power), ("rms power, W", self.rms_power), ("work, J", self.energy),
            ("duty", self.duty),
        ]  # fmt: skip

    def __str__(self) -> str:
        count = self.torque.shape[1]
        lines = [f"{'motor':20}" + "".join(f"{k:>12}" for k in range(1, count + 1))]
        lines += [f"{name:20}" + "".join(f"{value:12.4g}" for value in values) for name, values in self.table()]
        if self.chosen:
            names = (motor.name if motor else "none" for motor in self.chosen)
            lines.append(f"{'chosen':20}" + "".join(f"{name:>12}" for name in names))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<MotorLoads of {self.robot.name}: {self.torque.shape[1]} motors, {self.t[-1] - self.t[0]:g} s>"

    def write(self, path: str | Path) -> Path:
        """Torques and speeds over time as .csv: t, tau1 .., speed1 .. ."""
        return write_columns(path, {"t": self.t, "tau": self.torque, "speed": self.speed})


@accepts("fixed", loops=False)
def motor_loads(
    robot: Robot,
    trajectory: object,
    drives: Drive | ArrayLike | None = None,
    motors: Iterable[Motor | Mapping[str, Any]] | str | Path | None = None,
    duration: float | None = None,
    parameters: Mapping[str, float] | None = None,
) -> MotorLoads:
    """Torque, speed and power of each motor along a motion, and a choice from a table of `motors`.

    `trajectory` is one of `exciting_trajectory`, a motion or simulation (t, q, qd, qdd), a table .csv of t, q1 ..,
    or t -> (q, qd, qdd) with its `duration`. `drives` are the gears: a `Drive`, or ratios. `motors` are rows of
    name, torque, speed, peak, inertia, mass, or a .csv file of such columns; the least powerful that bears the rms
    torque, the peaks and the speed is chosen, from the last joint to the first.
    """
    robot = robot.with_values(dict(parameters)) if parameters else robot
    joints = robot.tree_joints
    motion = sampled_motion(trajectory, len(joints), duration, "trajectory")
    drive = drives if isinstance(drives, Drive) else Drive(1 if drives is None else drives)
    R, _ = drive.sized(len(joints))
    speed = motion.qd @ R.T
    known = motors_of(motors)
    chosen: list[Motor | None] = [None] * len(joints)
    torque = _torques(robot, R, motion)
    if known:
        for place in reversed(range(len(joints))):
            fast = float(np.abs(speed[:, place]).max())
            motor = next((m for m in known if _bears_with_rotor(m, robot, place, R, motion, torque, fast)), None)
            chosen[place] = motor
            if motor is not None:
                robot = with_motors(robot, {joints[place]: replace(motor, ratio=float(R[place, place]))})
                torque = _torques(robot, R, motion)
    return MotorLoads(robot, motion.t, torque, speed, tuple(chosen) if known else ())


def _bears_with_rotor(
    motor: Motor, robot: Robot, place: int, R: Array, motion: SampledMotion, torque: Array, speed: float
) -> bool:
    """Whether a motor bears the load that it makes itself: its rotor takes R^2 J qdd more at its joint."""
    rotor = np.zeros_like(torque)
    rotor[:, place] = R[place, place] ** 2 * motor.inertia * motion.qdd[:, place]
    borne = (torque + np.linalg.solve(R.T, rotor.T).T)[:, [place]]
    loads = MotorLoads(robot, motion.t, borne, np.zeros_like(borne))
    return motor.bears(float(loads.rms_torque[0]), float(loads.peak_torque[0]), speed)


def _torques(robot: Robot, R: Array, motion: SampledMotion) -> Array:
    """Of the motors: R^-T times those of the joints."""
    model = inverse_dynamics(robot)
    missing = model.inputs.get("parameters", ())
    if missing or "gravity" in model.inputs:
        names = (*missing, *model.inputs.get("gravity", ()))
        raise InputError(f"parameters: no value is given for {', '.join(names[:8])}")
    if set(model.outputs) != {"tau"}:
        raise InputError(f"{robot.name}: motor_loads needs a motor in each joint, on a fixed base")
    given = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}
    given |= {group: np.zeros(len(names)) for group, names in model.inputs.items() if group not in given}
    tau = np.asarray(model.compile()(**given))
    return np.asarray(np.linalg.solve(R.T, tau.T).T)


_KNOWN = ("name", "torque", "speed", "peak", "inertia", "mass")
_TABLE = TableKind(f"expected columns {', '.join(_KNOWN)}", _KNOWN.__contains__, texts=frozenset(_KNOWN), short=True)


def motors_of(given: Iterable[Motor | Mapping[str, Any]] | str | Path | None) -> list[Motor]:
    """The motors of a table, the least powerful first."""
    if given is None:
        return []
    found = []
    for number, row in enumerate(_rows(given), 1):
        if isinstance(row, Motor):
            found.append(row)
            continue
        if not isinstance(row, Mapping):
            raise InputError(f"motors: row {number}: expected a Motor or a mapping, found {row!r}")
        filled = {key: value for key, value in row.items() if value not in (None, "")}
        if not {"torque", "speed"} <= filled.keys() <= {*_KNOWN}:
            keys = ", ".join(map(str, row))
            raise InputError(f"motors: row {number}: expected {', '.join(_KNOWN)}; found {keys}")
        found.append(Motor(**{"name": f"motor {number}", **filled}))
    if not found:
        raise InputError("motors: expected a table of motors, found none")
    return sorted(found, key=lambda motor: motor.torque * motor.speed)


def _rows(given: Iterable[Any] | str | Path) -> Iterable[Any]:
    if not isinstance(given, (str, Path)):
        return given
    columns = read_table(given, _TABLE)
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
