"""A robot with its measurement: shared by identifiability, postures and estimation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra import Graph, evaluate, symbols
from robosym.algebra.generic import generic_values, random_arrays
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing
from robosym.errors import InputError, Pass, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.added_frame import pose_parts
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.series import closed_form
from robosym.parameters.geometric.error_kinematics import ErrorKinematics, PoseColumns
from robosym.parameters.geometric.error_parameters import ErrorParameter, error_parameters, left_out
from robosym.parameters.geometric.measurements import Measurement, measurement_of, pose_gap
from robosym.spatial.numeric import rigid_inverse

__all__ = ["Setting", "numeric_pose", "setting_of"]

_FAR = 3.0  #: distance of a camera or a distance sensor from the base, in parts of the reach, unless given
_TURN = 2.5  #: random angles without limits, in rad
_ROUNDS = 40
_SINGULAR = 1e-4  #: share of the largest singular value below which a motion of the target is not used
_STEP = 0.5  #: largest step of a joint towards contact, in rad or m


@dataclass(frozen=True)
class Setting:
    """Setting of a calibration."""

    given: Robot
    robot: Robot  #: in joints, with loops in place of platforms
    end: int
    measurement: Measurement
    sensors: tuple[int, ...]  #: passive joints that are measured too
    values: Mapping[str, float]  #: values of the symbols of the geometry
    is_generic: bool  #: whether some values are made up
    kinematics: ErrorKinematics

    @property
    def parameters(self) -> tuple[ErrorParameter, ...]:
        """Errors that are considered."""
        return self.kinematics.parameters

    def with_parameters(self, parameters: Sequence[ErrorParameter]) -> Setting:
        """Return the setting with other errors."""
        old = self.kinematics
        made = ErrorKinematics(self.robot, self.end, parameters, self.values, old.base, old.tool)
        made.gravity, made.masses = old.gravity, old.masses
        return replace(self, kinematics=made)

    @cached_property
    def reach(self) -> float:
        """Size of the robot: the sum of its lengths."""
        lengths = [getattr(frame, name) for frame in self.robot.frames for name in ("b", "d", "r")]
        zeros = {**self.values, **{name: 0.0 for name in self.robot.variables if name}}
        return float(np.abs(evaluate(lengths, zeros)).sum()) or 1.0

    @property
    def sensor_names(self) -> tuple[str, ...]:
        """Names of the joints whose positions are given."""
        return tuple(self.robot.joint_name(j) for j in self.kinematics.sensors)

    def rows(self, posture: PoseColumns, joints: bool = False) -> Array:
        """Return the derivatives of the measured values by the errors, or by the sensors: (m, rows, n)."""
        columns = posture.joint_columns if joints else posture.columns
        found = self.measurement.rows(posture.end) @ columns
        if joints or not self.sensors:
            return found
        return np.concatenate([found, posture.passive_columns[:, self.sensor_rows]], axis=1)

    @property
    def sensor_units(self) -> tuple[str, ...]:
        """Units of the measured passive joints."""
        return tuple("rad" if self.robot.frame(j).joint_type.turns else "m" for j in self.sensors)

    @property
    def sensor_rows(self) -> list[int]:
        """Rows of the measured passive joints among the passive ones."""
        passive = [self.kinematics.tree.joints[k] for k in self.kinematics.passive_columns]
        return [passive.index(j) for j in self.sensors]

    # ------------------------------------------------------------------------------------------------ postures

    def random_postures(self, count: int, number: int = 0, margin: float = 0.0) -> tuple[Array, Array]:
        """Return sensor positions (count, sensors) within limits, and passive joints that close the loops."""
        rng = random_arrays("postures of a calibration", number)
        kinematics = self.kinematics
        if self.robot.loops:
            found = closed_positions(Closing(self.robot), self.values, rng, count)
            q = np.array([[position[name] for name in kinematics.tree.names] for position in found])
            return q[:, kinematics.sensor_columns], q[:, kinematics.passive_columns]
        low, high = self.ranges(margin)
        q = rng.uniform(low, high, (count, len(low)))
        if self.measurement.contact:
            q = self._in_contact(q, low, high)
        return q, np.zeros((len(q), 0))

    def ranges(self, margin: float = 0.0) -> tuple[Array, Array]:
        """Return the lowest and highest position of each sensor: its limits, or plausible ones."""
        ends: list[tuple[float, float]] = []
        for j in self.kinematics.sensors:
            limits, slides = self.robot.joint(j).limits, self.robot.frame(j).joint_type.only_slides
            low, high = (0.3 * self.reach, self.reach) if slides else (-_TURN, _TURN)
            low = low if limits.lower is None else max(limits.lower, -2 * np.pi) if not slides else limits.lower
            high = high if limits.upper is None else min(limits.upper, 2 * np.pi) if not slides else limits.upper
            low, high = min(low, high), max(low, high)
            ends.append((low + margin * (high - low), high - margin * (high - low)))
        lowest, highest = np.array(ends).reshape(-1, 2).T
        return lowest, highest

    def _in_contact(self, q: Array, low: Array, high: Array) -> Array:
        """Return the positions moved into contact: the target is at the origin of the measuring frame."""
        kinematics, rows = self.kinematics, list(self.measurement.contact)
        x = np.zeros(len(self.parameters))
        for _ in range(_ROUNDS):
            posture = kinematics.at(x, q)
            left = pose_gap(posture.end)[:, rows]
            J = posture.joint_columns[:, rows]
            q = q - np.clip((np.linalg.pinv(J, _SINGULAR) @ left[..., None])[..., 0], -_STEP, _STEP)
        reached = np.abs(pose_gap(kinematics.at(x, q).end)[:, rows]).max(axis=1) < SOLVED
        inside = ((q >= low) & (q <= high)).all(axis=1)
        return np.asarray(q[reached & inside])


def setting_of(
    robot: Robot, measurement: str = "pose", frame: int | str | None = None, *, components: Sequence[str] | None = None,
    sensors: Iterable[int | str] = (), tool: object = None, base: object = None, ratios: bool = False,
    compliance: bool = False, known: Sequence[str] = (), values: Mapping[str, float] | None = None,
    generic: bool = True,
) -> Setting:  # fmt: skip
    """Return the setting of public functions; see `geometric_parameters` for the arguments."""
    chosen = measurement_of(measurement, components)
    made, end = _with_loops(robot, frame)
    if made.couplings:
        raise InputError(f"{robot.name}: calibration supports independent joints only, found coupled joints")
    numbers, made_up = _values(made, values or {}, generic)
    passive = tuple(made.joint_number(joint, "sensors") for joint in sensors)
    parameters = left_out(error_parameters(made, end, numbers, ratios, compliance), known)
    if chosen.name == "joints":
        parameters = [p for p in parameters if p.kind not in ("base", "tool")]
    kinematics = ErrorKinematics(made, end, parameters, numbers, None, numeric_pose(tool, "tool"))
    for j in passive:
        if j in kinematics.sensors:
            raise InputError(f"sensors: joint {made.joint_name(j)} is measured already: expected passive joints")
    if (chosen.name == "joints") != bool(passive) and chosen.name == "joints":
        raise InputError(
            f"{robot.name}: expected passive joints that are measured, found none",
            hint=("name them with ", Pass("sensors")),
        )
    if compliance:
        _add_masses(kinematics, made, numbers)
    found = Setting(robot, made, end, chosen, passive, numbers, made_up, kinematics)
    placed = numeric_pose(base, "base")
    if base is None and chosen.name in ("camera", "distance"):
        placed[:3, 3] = _FAR * found.reach * np.array([0.3, 0.2, 1.0])
    kinematics.base = placed
    if chosen.contact:
        if made.loops:
            raise InputError(f"{robot.name}: measurement {chosen.name!r} supports arms without loops")
        if base is None:  # some contact within reach
            first = random_arrays("postures of a calibration").uniform(*found.ranges(), (1, len(kinematics.sensors)))
            kinematics.base = rigid_inverse(kinematics.at(np.zeros(len(parameters)), first).end)[0]
    return found


def _with_loops(robot: Robot, frame: int | str | None) -> tuple[Robot, int]:
    """Return the robot in joints with loops, and the number of the end frame in it."""
    if robot.base.kind != "fixed":
        raise InputError(f"{robot.name}: calibration supports a fixed base, found a {robot.base.kind} one")
    robot = robot.in_joints()
    if not robot.modules:
        end = robot.frame_number(chosen_frame(robot, frame), 1)
        if robot.NL < end <= robot.NJ:
            raise InputError(f"frame {frame!r} belongs to a cut joint: expected a link, or a fixed frame on a link")
        return robot, end
    wanted = robot.frame_number(chosen_frame(robot, frame), 1)
    made = closed_form(robot, robot.closed_position())
    numbers = {old: new for new, old in made.links.items()}
    if wanted not in numbers:
        raise InputError(f"{robot.name}: frame {frame!r} is not a link of the robot with loops")
    return made.robot, numbers[wanted]


def _values(robot: Robot, given: Mapping[str, float], generic: bool) -> tuple[dict[str, float], bool]:
    """Return values of the symbols of the geometry."""
    names = [n for n in symbols(getattr(f, g) for f in robot.frames for g in GEOMETRY) if n not in robot.variables]
    known = {*names, *robot.parameters, *robot.variables}
    if unknown := [name for name in given if name not in known]:
        raise InputError(f"values: {robot.name} has no symbol {unknown[0]!r}{closest(unknown[0], names)}")
    missing = [name for name in names if name not in given and name not in robot.position]
    if missing and (not generic or robot.loops):
        raise InputError(
            f"{robot.name}: the lengths and angles {', '.join(missing[:8])} have no values",
            hint=("give them with ", Pass("values")), code="E404",
        )  # fmt: skip
    found = {**generic_values(missing), **{n: float(robot.position[n]) for n in names if n in robot.position}}
    return found | {name: float(value) for name, value in given.items() if name in names}, bool(missing)


def _add_masses(kinematics: ErrorKinematics, robot: Robot, values: Mapping[str, float]) -> None:
    """Give the links their masses, on which the torques of gravity depend."""
    if robot.loops:
        raise InputError(f"{robot.name}: compliance: expected a robot without loops")
    fields = ("M", "MX", "MY", "MZ")
    entries = [getattr(link, name) for link in robot.links for name in fields]
    unknown = [name for name in symbols([*entries, *robot.gravity]) if name not in values]
    numbers = evaluate([*entries, *robot.gravity], {**generic_values(unknown), **values})
    kinematics.masses = np.array(numbers[:-3]).reshape(-1, 4)
    kinematics.gravity = np.array(numbers[-3:])


def numeric_pose(pose: object, argument: str) -> Array:
    """Return a pose, x y z, x y z roll pitch yaw or a 4x4 matrix, as a matrix; None is the identity."""
    T = np.eye(4)
    if pose is None:
        return T
    place, turn = pose_parts(pose, None, None, Graph())
    if any(value.level for value in place):
        raise InputError(f"{argument}: expected numbers, found symbols")
    T[:3, 3] = evaluate(place, {})
    T[:3, :3] = [[float(value) for value in row] for row in turn.rows]
    return T
