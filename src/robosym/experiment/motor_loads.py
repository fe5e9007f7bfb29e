"""Loads of the motors along a motion, and motors that bear them (guide 3.6.2).

The inverse dynamic model gives the torques. Motors are chosen from the last joint to the first: the rotor of each
counts at its own joint, its mass on the link that carries it, and so for all motors that are chosen after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import numeric_value
from robosym.coordinates.accepts import accepts
from robosym.dynamics import inverse_dynamics
from robosym.errors import InputError
from robosym.experiment.drive import Drive
from robosym.files import each_row, read_text, write_text
from robosym.mechanism import Robot

__all__ = ["Motor", "MotorLoads", "columns_of", "motor_loads"]

Array = NDArray[np.float64]
_COLUMNS = 1000  #: of a table
_SAMPLES = 2000  #: of a motion that is a function of time
_STILL = 0.01  #: part of the highest speed below which a motor is at rest


@dataclass(frozen=True)
class Motor:
    """A row of a table of motors, in SI units, on the motor's side of the gear."""

    name: str
    torque: float  #: that it can give always (rated)
    speed: float  #: the highest, rad/s
    peak: float | None = None  #: torque that it can give for a moment; None: the rated one
    inertia: float = 0.0  #: of the rotor
    mass: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "name" or (entry.name == "peak" and value is None):
                continue
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise InputError(f"motor {self.name}: {entry.name}: expected a number, found {value!r}") from None
            if not np.isfinite(number) or number < 0 or (number == 0 and entry.name in ("torque", "speed")):
                raise InputError(f"motor {self.name}: {entry.name}: expected a number above 0, found {value!r}")
            object.__setattr__(self, entry.name, number)

    def bears(self, rms: float, peak: float, speed: float) -> bool:
        return rms <= self.torque and peak <= (self.torque if self.peak is None else self.peak) and speed <= self.speed


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
        count = self.torque.shape[1]
        head = ["t", *(f"{name}{k}" for name in ("tau", "speed") for k in range(1, count + 1))]
        rows = np.column_stack([self.t, self.torque, self.speed])
        write_text(path, "\n".join([",".join(head), *(",".join(f"{x:.10g}" for x in row) for row in rows)]) + "\n")
        return Path(path)


@accepts("fixed")
def motor_loads(
    robot: Robot,
    trajectory: Any,
    drives: Drive | float | Sequence[Any] | None = None,
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
    if robot.constrained:
        raise InputError("motor_loads takes a serial robot or a tree")
    robot = robot.with_values(dict(parameters)) if parameters else robot
    joints = robot.tree_joints
    t, q, qd, qdd = _motion(trajectory, duration, len(joints))
    drive = drives if isinstance(drives, Drive) else Drive(1 if drives is None else drives)
    R, _ = drive.sized(len(joints))
    speed = qd @ R.T
    known = _table(motors)
    chosen: list[Motor | None] = [None] * len(joints)
    torque = _torques(robot, R, q, qd, qdd)
    if known:
        for place in reversed(range(len(joints))):
            fast = float(np.abs(speed[:, place]).max())
            motor = next((m for m in known if _bears_with_rotor(m, robot, place, R, t, torque, qdd, fast)), None)
            chosen[place] = motor
            if motor is not None:
                robot = _with_motor(robot, place, motor, float(R[place, place]))
                torque = _torques(robot, R, q, qd, qdd)
    return MotorLoads(robot, t, torque, speed, tuple(chosen) if known else ())


def _bears_with_rotor(
    motor: Motor, robot: Robot, place: int, R: Array, t: Array, torque: Array, qdd: Array, speed: float
) -> bool:
    """Whether a motor bears the load that it makes itself: its rotor takes R^2 J qdd more at its joint."""
    rotor = np.zeros_like(torque)
    rotor[:, place] = R[place, place] ** 2 * motor.inertia * qdd[:, place]
    borne = (torque + np.linalg.solve(R.T, rotor.T).T)[:, [place]]
    loads = MotorLoads(robot, t, borne, np.zeros_like(borne))
    return motor.bears(float(loads.rms_torque[0]), float(loads.peak_torque[0]), speed)


def _with_motor(robot: Robot, place: int, motor: Motor, ratio: float) -> Robot:
    """The robot with the rotor at a joint, and the mass of the motor where the joint begins."""
    j = robot.tree_joints[place]
    own = numeric_value(robot.link(j).IA)
    if own is None:
        raise InputError(f"IA{j} is a symbol: give it a value with parameters=")
    links: list[dict[str, Any]] = [{} for _ in robot.links]
    links[j - 1]["IA"] = own + ratio**2 * motor.inertia
    robot = robot.with_links(links)
    ant = robot.frame(j).ant
    if motor.mass and ant > 0:
        from robosym.kinematics import transform

        model = transform(robot, ant, j)
        T = model.compile()(**{group: np.zeros(len(names)) for group, names in model.inputs.items()})
        robot = robot.with_payload(ant, motor.mass, com=[float(x) for x in T[:3, 3]])
    return robot


def _torques(robot: Robot, R: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Of the motors: R^-T times those of the joints."""
    model = inverse_dynamics(robot)
    missing = model.inputs.get("parameters", ())
    if missing or "gravity" in model.inputs:
        names = (*missing, *model.inputs.get("gravity", ()))
        raise InputError(f"parameters: no value is given for {', '.join(names[:8])}")
    if set(model.outputs) != {"tau"}:
        raise InputError(f"{robot.name}: motor_loads needs a motor in each joint, on a fixed base")
    given: dict[str, Any] = {"q": q, "qd": qd, "qdd": qdd}
    given |= {group: np.zeros(len(names)) for group, names in model.inputs.items() if group not in given}
    tau = np.asarray(model.compile()(**given))
    return np.asarray(np.linalg.solve(R.T, tau.T).T)


def _motion(trajectory: Any, duration: float | None, count: int) -> tuple[Array, Array, Array, Array]:
    """Times, positions, velocities and accelerations of a motion given in one of many ways."""
    if isinstance(trajectory, (str, Path)):
        trajectory = columns_of(trajectory, count)
    at = getattr(trajectory, "at", trajectory)
    if isinstance(trajectory, Mapping):
        parts = [trajectory.get(name) for name in ("t", "q", "qd", "qdd")]
    elif hasattr(trajectory, "t") and hasattr(trajectory, "q"):
        parts = [getattr(trajectory, name, None) for name in ("t", "q", "qd", "qdd")]
    elif callable(at):
        length = duration if duration is not None else getattr(trajectory, "period", None)
        if length is None or not (isinstance(length, (int, float)) and 0 < length < np.inf):
            raise InputError(f"duration: expected seconds above 0 for a function of time, found {length!r}")
        t = np.linspace(0, length, _SAMPLES)
        rows = [at(float(x)) for x in t]
        try:
            parts = [t, *(np.array([row[k] for row in rows], dtype=float) for k in range(3))]
        except (TypeError, ValueError, IndexError):
            raise InputError("trajectory: expected q, qd and qdd at each time") from None
    else:
        raise InputError(f"trajectory: expected a motion or a function of time, found {trajectory!r}")
    if parts[0] is None or parts[1] is None:
        raise InputError("trajectory: expected t and q")
    t, q = np.asarray(parts[0], dtype=float), np.asarray(parts[1], dtype=float)
    if t.ndim != 1 or len(t) < 3 or q.shape != (len(t), count):
        raise InputError(f"trajectory: expected t and q with {count} columns, found {t.shape} and {q.shape}")
    if not np.isfinite(t).all() or not (np.diff(t) > 0).all():
        raise InputError("trajectory: expected times that grow")
    qd = np.gradient(q, t, axis=0) if parts[2] is None else np.asarray(parts[2], dtype=float)
    qdd = np.gradient(qd, t, axis=0) if parts[3] is None else np.asarray(parts[3], dtype=float)
    for name, part in (("q", q), ("qd", qd), ("qdd", qdd)):
        if part.shape != q.shape or not np.isfinite(part).all():
            raise InputError(f"trajectory: {name}: expected {q.shape} finite numbers, found the shape {part.shape}")
    return t, q, qd, qdd


def columns_of(path: str | Path, count: int | None = None) -> dict[str, Array]:
    """A table t, q1 .., qd1 .., qdd1 .. as arrays; the last two may be missing."""
    head, rows = _read(path)
    if count is None:
        count = sum(1 for name in head if name and name[0] == "q" and name[1:].isdigit())
    if not count:
        raise InputError(f"{path}: expected columns q1 .., found {', '.join(head)}")
    found: dict[str, Array] = {"t": _numbers(head, rows, "t", path)}
    for group in ("q", "qd", "qdd"):
        names = [f"{group}{k}" for k in range(1, count + 1)]
        if group == "q" or all(name in head for name in names):
            found[group] = np.column_stack([_numbers(head, rows, name, path) for name in names])
    return found


def _read(path: str | Path) -> tuple[list[str], list[list[str]]]:
    head, *rows = [row for row in each_row(read_text(path), str(path)) if row] or [[]]
    if not rows:
        raise InputError(f"{path}: expected a line of names and rows of values")
    if len(head) > _COLUMNS:
        raise InputError(f"{path}: expected at most {_COLUMNS} columns, found {len(head)}")
    for number, row in enumerate(rows, 2):
        if len(row) > len(head):
            raise InputError(f"{path}: row {number}: expected {len(head)} cells, found {len(row)}")
    return head, rows


def _numbers(head: list[str], rows: list[list[str]], name: str, path: str | Path) -> Array:
    if name not in head:
        raise InputError(f"{path}: expected a column {name}, found {', '.join(head)}")
    column = {known: k for k, known in enumerate(head)}[name]
    try:
        return np.array([float(row[column]) for row in rows])
    except (IndexError, ValueError):
        raise InputError(f"{path}: column {name}: expected numbers") from None


def _told(path: str | Path) -> Iterator[dict[str, str | None]]:
    """Rows of a file as mappings, one at a time: a wrong one is told before the others take memory."""
    head, rows = _read(path)
    yield from (dict(zip_longest(head, row)) for row in rows)


def _table(motors: Any) -> list[Motor]:
    """The motors, the least powerful first."""
    if motors is None:
        return []
    rows: Iterable[Any] = _told(motors) if isinstance(motors, (str, Path)) else list(motors)
    known = {entry.name for entry in fields(Motor)}
    found = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Motor):
            found.append(row)
            continue
        if not isinstance(row, Mapping):
            raise InputError(f"motors: row {number}: expected a Motor or a mapping, found {row!r}")
        filled = {key: value for key, value in row.items() if value not in (None, "")}
        unknown = [str(key) for key in filled if key not in known]
        if unknown or not {"torque", "speed"} <= filled.keys():
            keys = ", ".join(map(str, row))
            raise InputError(f"motors: row {number}: expected name, torque, speed, peak, inertia, mass; found {keys}")
        found.append(Motor(**{"name": f"motor {number}", **filled}))
    if not found:
        raise InputError("motors: expected a table of motors, found none")
    return sorted(found, key=lambda motor: motor.torque * motor.speed)
