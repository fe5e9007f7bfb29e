"""Loads of the motors along a motion, and selection of motors (guide 3.6.2).

The inverse dynamic model gives the torques. Motors are selected from the last joint to the first: the rotor of each
acts on its own joint, its mass on the link that carries it, and thereby on all motors that are selected later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.control.drives import Drive, Motor, with_motors
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.platform_poses import poses_given
from robosym.errors import InputError, PathPart, counted
from robosym.mechanism import Robot
from robosym.simulation.motions import SampledMotion, sampled_motion
from robosym.simulation.motor_heat import MotorHeat, motor_heat
from robosym.simulation.planning.joint_efforts import JointEfforts
from robosym.solve.leg_joints import leg_joints
from robosym.table_files import TableKind, read_table, write_columns

__all__ = ["MotorLoads", "motor_loads", "motors_of"]

_AMBIENT = 25.0  #: temperature of the surroundings in degrees Celsius
_STILL = 0.01  #: fraction of the maximum speed below which a motor is stationary


@dataclass(frozen=True, eq=False, repr=False)
class MotorLoads:
    """Torques, speeds and powers of the motors, shape (samples, motors), and their summaries, shape (motors,)."""

    robot: Robot  #: robot with the rotors and masses of the selected motors
    t: Array
    torque: Array
    speed: Array
    chosen: tuple[Motor | None, ...] = ()  #: None if no motor of the table is sufficient

    @property
    def power(self) -> Array:
        """Mechanical power in W, shape (samples, motors)."""
        found: Array = self.torque * self.speed
        return found

    def _mean(self, values: Array) -> Array:
        """Return the mean over time by the trapezoidal rule."""
        steps = np.diff(self.t)[:, None]
        found: Array = ((values[1:] + values[:-1]) / 2 * steps).sum(axis=0) / (self.t[-1] - self.t[0])
        return found

    @property
    def peak_torque(self) -> Array:
        """Maximum absolute torque in N m."""
        return np.asarray(np.abs(self.torque).max(axis=0))

    @property
    def rms_torque(self) -> Array:
        """Root mean square torque in N m, which determines the heating of the motor."""
        return np.sqrt(self._mean(self.torque**2))

    @property
    def peak_speed(self) -> Array:
        """Maximum absolute speed in rad/s."""
        return np.asarray(np.abs(self.speed).max(axis=0))

    @property
    def mean_speed(self) -> Array:
        """Mean absolute speed in rad/s."""
        return self._mean(np.abs(self.speed))

    @property
    def peak_power(self) -> Array:
        """Maximum absolute power in W."""
        return np.asarray(np.abs(self.power).max(axis=0))

    @property
    def rms_power(self) -> Array:
        """Root mean square power in W."""
        return np.sqrt(self._mean(self.power**2))

    @property
    def energy(self) -> Array:
        """Work of each motor over the motion in J, minus recovered energy."""
        found: Array = self._mean(self.power) * (self.t[-1] - self.t[0])
        return found

    @property
    def duty(self) -> Array:
        """Fraction of time during which each motor turns."""
        highest = np.where(self.peak_speed > 0, self.peak_speed, 1.0)
        return self._mean((np.abs(self.speed) > _STILL * highest).astype(float))

    def heat(self, ambient: float = 25.0) -> list[MotorHeat | None]:
        """Return the temperatures of the selected motors when the motion is repeated without a pause.

        Parameters
        ----------
        ambient : float
            Temperature of the surroundings in degrees Celsius.

        Returns
        -------
        list of MotorHeat or None
            Temperatures of winding and housing over the motion per joint; None without thermal data.
        """
        windings = [None if motor is None else motor.winding for motor in self.chosen]
        return [
            None if winding is None else motor_heat(winding, self.t, torque, ambient)
            for winding, torque in zip(windings, self.torque.T, strict=False)
        ]

    def table(self) -> list[tuple[str, Array]]:
        """Return the summaries with their titles."""
        heat = self.heat()
        hottest = [np.nan if found is None else found.peak for found in heat]
        more = [("winding, °C", np.array(hottest))] if any(heat) else []
        return [
            ("peak torque, N m", self.peak_torque), ("rms torque, N m", self.rms_torque),
            ("peak speed, rad/s", self.peak_speed), ("mean speed, rad/s", self.mean_speed),
            ("peak power, W", self.peak_power), ("rms power, W", self.rms_power), ("work, J", self.energy),
            ("duty", self.duty), *more,
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
        motors = counted(self.torque.shape[1], "motor")
        return f"<MotorLoads of {self.robot.name}: {motors}, {self.t[-1] - self.t[0]:g} s>"

    def write(self, path: str | Path) -> Path:
        """Write torques and speeds over time to a .csv file with columns t, tau1 .., speed1 .. ."""
        return write_columns(path, {"t": self.t, "tau": self.torque, "speed": self.speed})


@accepts("fixed", platform=ALL, modules=ALL)
def motor_loads(
    robot: Robot,
    trajectory: object,
    drives: Drive | ArrayLike | None = None,
    motors: Iterable[Motor | Mapping[str, Any]] | str | Path | None = None,
    duration: float | None = None,
    parameters: Mapping[str, float] | None = None,
) -> MotorLoads:
    """Compute torque, speed and power of each motor along a motion, and select motors from a table.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base. Loops and platforms are followed in the assembly mode of the reference position.
    trajectory : object
        Motion of the motors: a trajectory, motion or simulation with t, q, qd and qdd; a .csv file with columns t,
        q1 ..; or a function of time that returns (q, qd, qdd). For a parallel robot also a mapping of t and poses of
        the platform, {"t": (n,), "pose": (n, 12)}.
    drives : Drive or array_like, optional
        Drives, or gear ratios: one for all motors or one per motor.
    motors : iterable of Motor or mapping, or path, optional
        Available motors: rows, or a .csv file, of name, torque, speed, peak, inertia, mass. The least powerful
        sufficient motor is selected for each joint, from the last joint to the first. Further entries of a row
        give temperatures: resistance (ohm), constant (N m/A), to_housing, to_ambient (K/W), winding_time,
        housing_time (s) and highest (degrees Celsius, default 125); see `MotorLoads.heat`.
    duration : float, optional
        Duration in s of a motion that is a function.
    parameters : mapping of str to float, optional
        Values of symbols of the robot.

    Returns
    -------
    MotorLoads
        Loads over time, summaries, and the selected motors.

    Raises
    ------
    InputError
        If the motion does not match the robot, or a symbol has no value.

    Examples
    --------
    >>> import robosym as rs
    >>> loads = rs.motor_loads(rs.load("planar2r"), {"t": [0, 1], "q": [[0, 0], [0, 0]]}, drives=[100, 100])
    >>> loads.peak_torque.shape
    (2,)
    """
    robot = robot.with_values(dict(parameters)) if parameters else robot
    efforts = JointEfforts(robot)
    efforts.start()
    joints = efforts.joints
    motion = sampled_motion(_of_motors(robot, trajectory), len(joints), duration, "trajectory")
    positions = efforts.all_joints(motion.q)
    try:
        drive = drives if isinstance(drives, Drive) else Drive(1 if drives is None else drives)
        R, _ = drive.sized(len(joints))
    except InputError as error:
        raise error.within(PathPart("drives")) from None
    speed = motion.qd @ R.T
    known = motors_of(motors)
    chosen: list[Motor | None] = [None] * len(joints)
    torque = _torques(efforts, R, positions, motion)
    robot = efforts.robot if known else robot
    if known:
        for place in reversed(range(len(joints))):
            fast = float(np.abs(speed[:, place]).max())
            motor = next((m for m in known if _is_sufficient(m, robot, place, R, motion, torque, fast)), None)
            chosen[place] = motor
            if motor is not None:
                robot = with_motors(robot, {joints[place]: replace(motor, ratio=float(R[place, place]))})
                efforts = JointEfforts(robot)
                efforts.start()
                torque = _torques(efforts, R, positions, motion)
    return MotorLoads(robot, motion.t, torque, speed, tuple(chosen) if known else ())


def _of_motors(robot: Robot, trajectory: object) -> object:
    """Return the motion of the motors for poses of a platform; other motions are unchanged."""
    if not (isinstance(trajectory, Mapping) and "pose" in trajectory):
        return trajectory
    if robot.coordinates != "platform":
        raise InputError(f"trajectory: pose: expected a parallel robot, found {robot.name}")
    t = numbers("trajectory: t", trajectory.get("t"), (None,))
    poses = poses_given(trajectory["pose"])
    if poses.shape != (len(t), 12):
        raise InputError(f"trajectory: pose: expected {len(t)} poses, as in t, found the shape {poses.shape}")
    q = leg_joints(robot, passive=False).solve(poses)
    turns = [robot.frame(j).joint_type.turns for j in robot.motors]
    return {"t": t, "q": np.where(turns, np.unwrap(q, axis=0), q)}


def _is_sufficient(
    motor: Motor, robot: Robot, place: int, R: Array, motion: SampledMotion, torque: Array, speed: float
) -> bool:
    """Return whether a motor is strong enough for the load and its own rotor, which adds R^2 J qdd at its joint."""
    rotor = np.zeros_like(torque)
    rotor[:, place] = R[place, place] ** 2 * motor.inertia * motion.qdd[:, place]
    borne = (torque + np.linalg.solve(R.T, rotor.T).T)[:, [place]]
    loads = MotorLoads(robot, motion.t, borne, np.zeros_like(borne))
    data = motor.winding
    if data is not None and not motor_heat(data, motion.t, borne[:, 0], _AMBIENT).peak <= data.highest:
        return False
    return motor.is_sufficient(float(loads.rms_torque[0]), float(loads.peak_torque[0]), speed)


def _torques(efforts: JointEfforts, R: Array, positions: Array, motion: SampledMotion) -> Array:
    """Return the torques of the motors, R^-T times those of the joints."""
    tau = efforts.at(positions, motion.qd, motion.qdd)
    return np.asarray(np.linalg.solve(R.T, tau.T).T)


_OF_WINDING = ("resistance", "constant", "to_housing", "to_ambient", "winding_time", "housing_time", "highest")
_KNOWN = ("name", "torque", "speed", "peak", "inertia", "mass", *_OF_WINDING)
_TABLE = TableKind(f"expected columns {', '.join(_KNOWN)}", _KNOWN.__contains__, texts=frozenset(_KNOWN), short=True)


def motors_of(given: Iterable[Motor | Mapping[str, Any]] | str | Path | None) -> list[Motor]:
    """Return the motors of a table, sorted by power."""
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
            raise InputError(f"motors: row {number}: expected {', '.join(_KNOWN)}, found {keys}")
        winding = {key: filled.pop(key) for key in _OF_WINDING if key in filled}
        found.append(Motor(**{"name": f"motor {number}", "winding": winding or None, **filled}))
    if not found:
        raise InputError("motors: expected at least one motor, found an empty table")
    return sorted(found, key=lambda motor: motor.torque * motor.speed)


def _rows(given: Iterable[Any] | str | Path) -> Iterable[Any]:
    if not isinstance(given, (str, Path)):
        return given
    columns = read_table(given, _TABLE)
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
