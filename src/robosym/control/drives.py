"""Drives: motors with gears, limits and friction, and their effect on the joints.

`Actuator` is the motor of one joint, `Motor` the same as a row of a catalog, and `Drive` the gears between all motors
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
from robosym.errors import InputError, closest
from robosym.kinematics.transform import transform
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.model.groups import declare

__all__ = ["Actuator", "Drive", "Motor", "Winding", "with_motors"]

_SINGULAR = 1e-12  #: relative determinant of a singular matrix of ratios


@dataclass(frozen=True)
class Actuator:
    """Motor of one joint, with all quantities on the motor side of the gear.

    Each entry is a number or an expression ("TMAX1").

    Attributes
    ----------
    torque : float or str
        Maximum continuous torque in N m, in both directions.
    ratio : float or str
        Gear ratio: motor turns per unit of the joint.
    inertia : float or str
        Rotor inertia in kg m².
    viscous, coulomb : float or str
        Viscous and Coulomb friction, in N m s/rad and N m.
    speed : float or str, optional
        Maximum speed in rad/s, used by `simulate`.
    peak : float or str, optional
        Maximum short-term torque in N m. The default is `torque`.
    mass : float or str
        Mass in kg, added to the link that carries the motor.
    name : str
        Name of the motor.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.Actuator(torque=2, ratio=100, peak=5).largest
    5
    """

    torque: Number | str
    ratio: Number | str = 1
    inertia: Number | str = 0
    viscous: Number | str = 0
    coulomb: Number | str = 0
    speed: Number | str | None = None
    peak: Number | str | None = None
    mass: Number | str = 0
    name: str = ""

    @property
    def largest(self) -> Number | str:
        """Maximum short-term torque."""
        return self.torque if self.peak is None else self.peak

    def number(self, entry: str, j: int) -> float:
        """Return an entry as a number.

        Parameters
        ----------
        entry : str
            Name of the entry.
        j : int
            Number of the joint, for error messages.

        Returns
        -------
        float
            Value of the entry; a ratio keeps its sign.

        Raises
        ------
        InputError
            If the entry is not a number, or not positive where it must be.
        """
        given = ("torque" if self.peak is None else "peak") if entry == "largest" else entry
        what = f"actuators: joint {j}: {given}"
        value = float(numbers(what, getattr(self, entry), ()))
        if value == 0 and entry == "ratio":
            raise InputError(f"{what}: expected a nonzero number, found {value:g}")
        if value <= 0 and entry in ("largest", "speed"):
            raise InputError(f"{what}: expected a positive number, found {value:g}")
        return value


@dataclass(frozen=True)
class Winding:
    """Data of a motor that determine its temperature, from its data sheet."""

    resistance: float  #: of the winding in ohm at 25 degrees Celsius
    constant: float  #: torque constant in N m/A
    to_housing: float  #: thermal resistance from winding to housing in K/W
    to_ambient: float  #: thermal resistance from housing to surroundings in K/W
    winding_time: float  #: thermal time constant of the winding in s
    housing_time: float  #: thermal time constant of the motor in s
    highest: float = 125.0  #: highest temperature of the winding in degrees Celsius


class Motor(Actuator):
    """Motor of a catalog, in SI units on the motor side of the gear: an `Actuator` with numbers only.

    Parameters
    ----------
    name : str
        Name of the motor.
    torque : float
        Rated torque in N m.
    speed : float
        Maximum speed in rad/s.
    peak : float, optional
        Maximum short-term torque in N m. The default is `torque`.
    inertia : float
        Rotor inertia in kg m².
    mass : float
        Mass in kg.
    winding : Winding or mapping, optional
        Data for temperatures: `resistance` (ohm), `constant` (N m/A), `to_housing` and `to_ambient` (K/W),
        `winding_time` and `housing_time` (s), `highest` (degrees Celsius).
    **others
        `ratio`, `viscous` and `coulomb` of `Actuator`.

    Raises
    ------
    InputError
        If an entry is not a number, or torque, speed or peak is not positive.

    Examples
    --------
    >>> import robosym as rs
    >>> motor = rs.Motor("M1", torque=1.2, speed=300, inertia=1e-4)
    >>> motor.largest
    1.2
    """

    torque: float
    speed: float
    peak: float | None
    inertia: float
    mass: float
    winding: Winding | None

    def __init__(
        self, name: str, torque: float, speed: float, peak: float | None = None, inertia: float = 0.0,
        mass: float = 0.0, winding: Winding | Mapping[str, float] | None = None, **others: Number | str,
    ) -> None:  # fmt: skip
        """Create a motor; see the class."""

        def number(entry: str, value: float, positive: bool = False) -> float:
            found = float(numbers(f"motor {name}: {entry}", value, ()))
            if found < 0 or (positive and not found):
                least = "positive" if positive else "nonnegative"
                raise InputError(f"motor {name}: {entry}: expected a {least} number, found {value!r}")
            return found

        data = None if winding is None else _winding(name, winding)
        object.__setattr__(self, "winding", data)
        super().__init__(
            number("torque", torque, positive=True), inertia=number("inertia", inertia), mass=number("mass", mass),
            speed=number("speed", speed, positive=True), peak=None if peak is None else number("peak", peak), name=name,
            **others,
        )  # fmt: skip

    def is_sufficient(self, rms: float, peak: float, speed: float) -> bool:
        """Return whether the motor is sufficient for a load.

        Parameters
        ----------
        rms, peak : float
            Root mean square and maximum torque in N m.
        speed : float
            Maximum speed in rad/s.

        Returns
        -------
        bool
            True if all values are within the ratings.
        """
        return rms <= self.torque and peak <= (self.torque if self.peak is None else self.peak) and speed <= self.speed


def _winding(name: str, given: Winding | Mapping[str, float]) -> Winding:
    """Return the data of a winding, all of them positive numbers."""
    if isinstance(given, Winding):
        given = vars(given)
    known = Winding.__dataclass_fields__
    for key in given:
        if key not in known:
            raise InputError(f"motor {name}: winding: unknown key {key!r}{closest(str(key), known)}")
    values = {key: float(numbers(f"motor {name}: winding: {key}", value, ())) for key, value in given.items()}
    for key in known:
        if key != "highest" and not values.get(key, 0.0) > 0:
            raise InputError(f"motor {name}: winding: {key}: expected a positive number, found {given.get(key)!r}")
    return Winding(**values)


def with_motors(robot: Robot, motors: Mapping[int, Actuator]) -> Robot:
    """Return the robot with rotors and friction of motors at the joints, and their masses at the joint origins."""
    more: list[dict[str, float]] = [{} for _ in robot.links]
    for j, motor in motors.items():
        n, link = motor.number("ratio", j), robot.link(j)
        for name, own, entry, scale in (
            ("IA", link.IA, "inertia", n * n), ("FV", link.FV, "viscous", n * n), ("FS", link.FS, "coulomb", abs(n)),
        ):  # fmt: skip
            if added := scale * motor.number(entry, j):
                known = numeric_value(own)
                if known is None:
                    raise InputError(
                        f"actuators: joint {j}: expected a number for {name}{j} of the robot, found a symbol: use "
                        "robot.with_values"
                    )
                more[j - 1][name] = known + added
    robot = robot.with_links(more) if any(more) else robot
    for j, motor in motors.items():
        if robot.frame(j).ant > 0 and (mass := motor.number("mass", j)):
            robot = robot.with_payload(robot.frame(j).ant, mass, com=_joint_origin(robot, j))
    return robot


def _joint_origin(robot: Robot, j: int) -> list[str]:
    """Return the origin of frame j on the preceding link, with the joint at zero."""
    model = transform(robot, robot.frame(j).ant, j)
    place = [model.definitions[str(row[3])] for row in model.outputs["T"][:3]]
    return [to_text(entry) for entry in substitute(place, Graph(), {robot.variable(j): 0.0})]


@dataclass(frozen=True, eq=False)
class Drive:
    """Gears and gains between motors and joints: motor positions are R q, joint torques R^T K i.

    A matrix R that is not diagonal describes coupled joints, such as a wrist in which a motor turns with several
    joints.

    Parameters
    ----------
    ratio : float or array_like
        Gear ratios: one for all joints, one per joint, or the matrix of coupled joints, row by row. The log then
        contains motor positions.
    gain : float or array_like, optional
        Torque constants in N m/A. The log then contains currents; without gains it contains motor torques.

    Raises
    ------
    InputError
        If R is singular, or the sizes differ.

    Examples
    --------
    >>> import numpy as np
    >>> import robosym as rs
    >>> rs.Drive([100, 50]).joint_positions(np.array([[100.0, 100.0]]))
    array([[1., 2.]])
    """

    ratio: Array
    gain: Array | None = None

    def __init__(self, ratio: ArrayLike, gain: ArrayLike | None = None) -> None:
        object.__setattr__(self, "ratio", _matrix("ratio", ratio))
        object.__setattr__(self, "gain", None if gain is None else _matrix("gain", gain))
        if abs(np.linalg.det(self.ratio)) <= _SINGULAR * np.linalg.norm(self.ratio) ** len(self.ratio):
            raise InputError("drive: ratio: expected an invertible matrix, found a singular one")
        if self.gain is not None and len(self.gain) not in (1, len(self.ratio)) and len(self.ratio) > 1:
            raise InputError(f"drive: gain: expected {len(self.ratio)} motors, as in ratio, found {len(self.gain)}")

    def sized(self, joints: int) -> tuple[Array, Array]:
        """Return R and K for a number of joints.

        Parameters
        ----------
        joints : int
            Number of joints.

        Returns
        -------
        tuple of ndarray, shape (joints, joints)
            R and K; a single number applies to all joints.

        Raises
        ------
        InputError
            If the drive has another number of motors.
        """
        found = []
        for name, matrix in (("ratio", self.ratio), ("gain", self.gain if self.gain is not None else np.eye(1))):
            if len(matrix) == 1:
                matrix = matrix[0, 0] * np.eye(joints)
            if len(matrix) != joints:
                raise InputError(f"drive: {name}: expected {joints} motors, as in the log, found {len(matrix)}")
            found.append(matrix)
        return found[0], found[1]

    def joint_positions(self, motor: Array) -> Array:
        """Return joint positions from motor positions; velocities and accelerations alike.

        Parameters
        ----------
        motor : ndarray, shape (..., motors)
            Motor positions, velocities or accelerations.

        Returns
        -------
        ndarray, shape (..., joints)
            The same quantity of the joints.
        """
        R, _ = self.sized(motor.shape[-1])
        return np.asarray(np.linalg.solve(R, motor.T).T, dtype=float)

    def joint_torques(self, effort: Array) -> Array:
        """Return joint torques from currents, or from motor torques if the drive has no gains.

        Parameters
        ----------
        effort : ndarray, shape (..., motors)
            Currents in A or motor torques in N m.

        Returns
        -------
        ndarray, shape (..., joints)
            Joint torques.
        """
        R, K = self.sized(effort.shape[-1])
        return effort @ (R.T @ K).T

    def direct_dynamics(self, robot: Robot, **options: Any) -> Model:
        """Return the direct dynamic model with currents, or motor torques, as inputs.

        Parameters
        ----------
        robot : Robot
            Robot.
        **options
            Options of `rs.direct_dynamics`.

        Returns
        -------
        Model
            Model with the input group "current" ("motor_torque" without gains) in place of "tau".
        """
        model = direct_dynamics(robot, **options)
        torques = model.inputs["tau"]
        R, K = self.sized(len(torques))
        return self._fed(model, torques, R.T @ K)

    def inverse_dynamics(self, robot: Robot, **options: Any) -> Model:
        """Return the inverse dynamic model with currents, or motor torques, as outputs.

        Parameters
        ----------
        robot : Robot
            Robot.
        **options
            Options of `rs.inverse_dynamics`.

        Returns
        -------
        Model
            Model with the output group "current" ("motor_torque" without gains), K^-1 R^-T times the joint torques.
        """
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
        """Return the model with torques computed from the inputs of the motors."""
        graph, group = Graph(), self._group
        own = tuple(f"I{k}" for k in range(1, len(torques) + 1))
        taken = {name for names in model.inputs.values() for name in names}
        if taken & set(own):
            raise InputError(
                f"drive: name conflict: {', '.join(sorted(taken & set(own)))} is also a symbol of the robot"
            )
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
        """Return the motors that several joints turn.

        Parameters
        ----------
        joints : int
            Number of joints.

        Returns
        -------
        dict of int to ndarray
            Turns of the motor per unit of each joint, scaled to 1 for its own joint.
        """
        R, _ = self.sized(joints)
        return {k: R[k] / R[k, k] for k in range(joints) if R[k, k] and np.count_nonzero(R[k]) > 1}


def _matrix(name: str, given: object) -> Array:
    matrix = numbers(f"drive: {name}", given)
    if matrix.ndim < 2:
        matrix = np.diag(np.atleast_1d(matrix))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InputError(f"drive: {name}: expected a square matrix or a list, found an array of shape {matrix.shape}")
    return matrix
