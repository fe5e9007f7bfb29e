"""Regressor of a robot along a motion: inertial base parameters, friction, and motors coupled to several joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array
from robosym.algebra.once import cached_property
from robosym.algebra.samples import evaluate_arrays
from robosym.control.drives import Drive
from robosym.dynamics.arguments import BASE_WRENCH
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import InputError
from robosym.experiment.joined_motion import LoopJoints, PlatformMotions
from robosym.experiment.least_squares import Factor, Triangle, compressed
from robosym.experiment.log import order_of_joints
from robosym.experiment.prepare import Motion, Segment
from robosym.mechanism import DRIVE, INERTIA, Friction, JointFriction, Robot, need_rigid, with_given_motion
from robosym.model import Model

__all__ = ["ReducedLog", "Regressor", "Shared", "Table", "columns", "direction", "need_numbers", "unknown_inertia"]


_CACHE_BYTES = 800_000_000  #: maximum size of data cached for another fit
_FINER = 5  #: grid points per sample
_BLOCK = 4096  #: samples evaluated at a time, so that intermediate values fit into the processor cache
_TURNS = 4 * np.pi  #: larger angles are probably degrees, unless the log confirms radians


def unknown_inertia(robot: Robot) -> Robot:
    """Return the robot with symbols for the inertial parameters, if all of them are numbers."""
    return _symbolic_base({"platform": _unknown_legs}.get(robot.coordinates, _symbolic)(robot))


def _symbolic(robot: Robot, fields: Sequence[str] = (*INERTIA, *DRIVE)) -> Robot:
    entries = (getattr(link, name) for link in robot.links for name in fields)
    return robot.symbolic() if all(numeric_value(entry) is not None for entry in entries) else robot


def _symbolic_base(robot: Robot) -> Robot:
    """Return the robot with symbols for the inertia of a moving base, if all of its entries are numbers."""
    link = robot.base.link
    if link is None or any(numeric_value(getattr(link, name)) is None for name in INERTIA):
        return robot
    return robot.edit({f"base.{name}": f"{name}0" for name in INERTIA})


def _unknown_legs(robot: Robot) -> Robot:
    """Return a platform robot with rotor inertias of its motors and without friction, which is added separately."""
    named = _symbolic(robot, INERTIA)
    rotors = [f"IA{j}" if j in robot.motors else 0 for j in range(1, robot.NL + 1)]
    links_only = named.with_links({"IA": rotor, "FV": 0, "FS": 0} for rotor in rotors)
    return replace(links_only, joints=tuple(replace(joint, friction=JointFriction()) for joint in links_only.joints))


@lru_cache(maxsize=8)
def _inertial_model(robot: Robot, passive: bool) -> IdentificationModel:
    rubbing = [j for j in robot.cut_joints if robot.joint(j).acts]
    if rubbing and not passive:
        raise InputError(
            f"{robot.name}: expected cut joints without friction, found friction in joint {rubbing[0]}: "
            "use Friction(passive=True) to estimate it, or remove it from the description"
        )
    passive = passive and robot.constrained
    friction = {"platform": None}.get(robot.coordinates, passive)
    model = dynamic_identification(robot, base_parameters=True, friction=friction)
    if passive:
        model = _without_motors(model)
    need_numbers(robot, model)
    return model


def _in_rows(robot: Robot, wrench: bool) -> Robot:
    """Return a robot whose models have the measured rows: the motion of a floating base is given without its wrench."""
    if wrench and robot.base.kind != "floating":
        raise InputError(
            f"{robot.name}: expected one torque column per joint, found six more for the wrench on a floating base: "
            f"the robot has a {robot.base.kind} base"
        )
    return robot if wrench else with_given_motion(robot)


def need_numbers(robot: Robot, model: Model) -> None:
    """Raise an error if a model of the robot has symbols other than joint variables and rates."""
    missing = [name for group in ("parameters", "gravity") for name in model.inputs.get(group, ())]
    if missing:
        given = ", ".join(f"'{name}': ..." for name in missing[:3])
        raise InputError(
            f"{robot.name}: expected numbers for {', '.join(missing[:8])}: use robot.with_values({{{given}}})"
        )


def _without_motors(model: IdentificationModel) -> IdentificationModel:
    """Keep the friction of passive joints only; friction of the drives has columns of its own."""
    motors = {row.removeprefix("GAM") for row in model.rows}
    own = {f"{field}{j}" for field in ("FV", "FS") for j in motors}
    return model.with_columns([name for name in model.columns if name not in own])


@dataclass(frozen=True)
class _Entry:
    """Coefficient of a parameter in the torque of one joint, along a motion."""

    joint: int
    column: int
    values: Array


#: cached inertial columns per segment, which do not depend on the friction model
class Shared:
    """Cache of fits with different friction along the same motions: inertial entries, filtered columns of friction."""

    def __init__(self) -> None:
        self._inertial: dict[int, tuple[Segment, list[_Entry], Array]] = {}
        self._filtered: dict[tuple[int, bytes], Array] = {}

    def inertial(self, segment: Segment, entries: Callable[[], list[_Entry]]) -> tuple[list[_Entry], Array]:
        """Return the inertial entries of a segment and their samples."""
        known = self._inertial.get(id(segment))
        if known is None or known[0] is not segment:
            found = entries()
            samples = segment.sampled(np.column_stack([entry.values for entry in found]))
            if sum(2 * other[2].nbytes * _FINER for other in self._inertial.values()) > _CACHE_BYTES:
                self._inertial.clear()
                self._filtered.clear()
            known = self._inertial[id(segment)] = segment, found, samples
        return known[1], known[2]

    def filtered(self, segment: Segment, columns: Sequence[Array]) -> list[Array]:
        """Return the samples of columns on the grid of a segment; equal columns are filtered once."""
        keys = [(id(segment), blake2b(values.tobytes(), digest_size=16).digest()) for values in columns]
        new = {key: values for key, values in zip(keys, columns, strict=True) if key not in self._filtered}
        if new:
            samples = segment.sampled(np.column_stack([*new.values()]))
            self._filtered |= dict(zip(new, np.ascontiguousarray(samples.T), strict=True))
        return [self._filtered[key] for key in keys]


@dataclass(frozen=True, eq=False)
class ReducedLog:
    """Compressed log: the triangles of the moving and of the stationary samples of each joint."""

    motion: Motion
    joints: list[tuple[Triangle, Triangle]]


class Table:
    """Filtered rows of a regressor along one motion, except for load-dependent friction.

    A row stores the columns that affect its joint; `places` are their indices among all columns.
    """

    def __init__(self, regressor: Regressor, motion: Motion) -> None:
        self.regressor = regressor
        self.motion = motion
        self._factors: dict[tuple[int, bytes], Factor] = {}
        inertial = [regressor.inertial_part(segment) for segment in motion.segments]
        self.segments = [(segment, part[0]) for segment, part in zip(motion.segments, inertial, strict=True)]
        drives = [regressor.drive_entries(segment) for segment in motion.segments]
        both = [[*entries, *drive] for (_, entries), drive in zip(self.segments, drives, strict=True)]
        self.places = [
            np.array(sorted({entry.column for entries in both for entry in entries if entry.joint == at}), dtype=int)
            for at in range(len(regressor.rows))
        ]
        moved = [samples for _, samples in inertial]
        parts = [self._rows(*part) for part in zip(motion.segments, both, drives, moved, strict=True)]
        self.rows = [np.concatenate([part[at] for part in parts]) for at in range(len(regressor.rows))]
        if len(self.rows[0]) != len(motion):
            raise InputError(f"motion: expected {len(self.rows[0])} samples, as in its segments, found {len(motion)}")

    def _rows(self, segment: Segment, entries: list[_Entry], drive: list[_Entry], moved: Array) -> list[Array]:
        shared = self.regressor.shared or Shared()
        samples = [*moved.T, *shared.filtered(segment, [entry.values for entry in drive])]
        rows = [np.zeros((len(moved), len(places))) for places in self.places]
        at = [{int(column): k for k, column in enumerate(places)} for places in self.places]
        for values, entry in zip(samples, entries, strict=True):
            rows[entry.joint][:, at[entry.joint][entry.column]] += values
        return rows

    def row(self, at: int) -> Array:
        """Return the rows of one joint, shape (samples, parameters), without load-dependent friction."""
        whole = np.zeros((len(self.motion), len(self.regressor.names)))
        whole[:, self.places[at]] = self.rows[at]
        return whole

    def load(self, values: Array) -> Array:
        """Return the coefficients of load-dependent friction, shape (samples, joints), for values of all parameters."""
        found = []
        for segment, entries in self.segments:
            torque = np.zeros((len(segment.qd), len(self.regressor.joints)))
            for entry in entries:
                if entry.column < self.regressor.inertial:
                    torque[:, entry.joint] += entry.values * values[entry.column]
            qd = self.regressor.of_rows(segment.qd)
            found.append(segment.sampled(np.abs(torque) * direction(self.regressor.friction, qd)))
        return np.concatenate(found)

    def predicted(self, values: Array) -> Array:
        """Return the torques for values of all parameters."""
        torques = np.column_stack([row @ values[places] for row, places in zip(self.rows, self.places, strict=True)])
        if self.regressor.load_columns:
            torques += self.load(values) * values[self.regressor.load_columns]
        return torques

    def triangles(self, values: Array | None = None) -> list[tuple[Triangle, Triangle]]:
        """Return the triangles of moving and stationary samples per joint; `values` determine the load."""
        parts = self._parts(values)
        return [(part(moves), part(~moves)) for part, moves in zip(parts, self.motion.moving.T, strict=True)]

    def _parts(self, values: Array | None) -> list[Callable[[NDArray[np.bool_]], Triangle]]:
        """Return one function per joint that compresses some of its samples; `values` determine the load."""
        columns, width = self.regressor.load_columns, len(self.regressor.names)
        load = self.load(values) if columns and values is not None else None

        def part(at: int) -> Callable[[NDArray[np.bool_]], Triangle]:
            row, places, tau = self.rows[at], self.places[at], self.motion.tau[:, at]
            if load is None:
                return lambda some: compressed(row[some], tau[some]).spread(places, width)
            places, column = np.append(places, columns[at]), load[:, at]
            return lambda some: self._factor(at, some).extended(column[some], tau[some]).spread(places, width)

        return [part(at) for at in range(len(self.rows))]

    def _factor(self, at: int, some: NDArray[np.bool_]) -> Factor:
        """Return the factor of some rows of a joint, which is reused for every estimate of the load."""
        key = at, some.tobytes()
        if key not in self._factors:
            self._factors[key] = Factor(self.rows[at][some])
        return self._factors[key]

    def blocks(self, seconds: float, values: Array | None = None) -> list[list[Triangle]]:
        """Return the triangles of the moving samples of all joints per block of `seconds`."""
        t, parts = self.motion.t, self._parts(values)
        number = np.floor((t - t[0]) / seconds).astype(int)
        return [
            [part(moves & (number == k)) for part, moves in zip(parts, self.motion.moving.T, strict=True)]
            for k in np.unique(number)
        ]


class Regressor:
    """Regressor of a robot: one column per name in `names`, one row per joint in `joints`, after those of its base."""

    def __init__(
        self, robot: Robot, friction: Friction, drive: Drive | None, shared: Shared | None = None, wrench: bool = False
    ) -> None:
        """Create the regressor; `shared` is the cache of a regressor of the same robot with other friction.

        With `wrench`, six rows for moment and force on a floating base precede those of the joints.
        """
        need_rigid(robot, "identify")
        if robot.transmission is not None:
            raise InputError(f"{robot.name}: expected a robot without transmission: use robot.in_joints()")
        if robot.couplings and not robot.loops:
            raise InputError(
                f"{robot.name}: expected a robot without coupled joints: solve the equations of "
                "dynamic_identification(robot, base_parameters=True) instead"
            )
        self.given = robot
        self.shared = shared  #: None disables the cache
        self._tables: dict[int, Table] = {}
        self.friction = friction
        self.robot = unknown_inertia(robot)
        self.model = _inertial_model(_in_rows(self.robot, wrench), friction.passive)
        self.rows = tuple(self.model.rows)
        self.on_base = len(BASE_WRENCH) if wrench else 0
        self.joints = tuple(int(row.lstrip("GAM")) for row in self.rows[self.on_base :])
        if wrench and friction.load:
            raise InputError("friction: expected friction without load dependence with a wrench on the base")
        self.couplings = {} if drive is None else drive.couplings(len(self.joints))
        names = list(self.model.columns)
        self.inertial = len([name for name in names if not name.startswith(("FV", "FS"))])
        self._friction_places: dict[tuple[str, int], int] = {}
        for at, j in enumerate(self.joints):
            for term in friction.names:
                self._friction_places[term, at] = len(names)
                names.append(f"{term}{j}")
        self.load_columns: list[int] = []
        if friction.load:
            self.load_columns = [len(names) + at for at in range(len(self.joints))]
            names += [f"FL{j}" for j in self.joints]
        self._motor_columns = len(names)
        for k in self.couplings:
            names += [f"{term}M{self.joints[k]}" for term in ("IA", "FV", "FS")]
        self.names = tuple(names)

    def of_rows(self, values: Array) -> Array:
        """Select the columns of the joints of the rows from values of all joints."""
        if values.shape[1] == len(self.joints):
            return values
        places = [self.given.tree_joints.index(j) for j in self.joints]
        return values[:, places]

    @cached_property
    def _platform(self) -> PlatformMotions:
        return PlatformMotions(self.given)

    @cached_property
    def _loops(self) -> LoopJoints:
        return LoopJoints(self.given, self.joints)

    def inputs(self, segment: Segment) -> dict[str, Array]:
        """Return the motion of the whole mechanism on the grid of a segment, by input group."""
        if "pose" in self.model.inputs:
            return self._platform.inputs(segment)
        q = segment.q
        if q.shape[1] < len(self.model.inputs["q"]):
            q = self._loops.positions(q)
        return {"q": q, "qd": self.of_rows(segment.qd), "qdd": self.of_rows(segment.qdd), **segment.base}

    def check(self, motion: Motion) -> None:
        """Raise an error if the motion cannot belong to this robot."""
        n, all_joints = len(self.joints), len(self.model.inputs.get("q", self.joints))
        self._check_base(motion)
        if motion.joints != n + self.on_base or motion.q.shape[1] not in (n, all_joints):
            more = f" (or {all_joints}, of all tree joints)" if all_joints != n else ""
            raise InputError(
                f"{self.robot.name}: expected {n} torque and {n} position columns{more}, one per motor, "
                f"found {motion.joints} and {motion.q.shape[1]}"
            )
        order = order_of_joints(motion.joint_names, self.given.joint_names)
        if isinstance(order, str) or order not in (None, [*range(motion.q.shape[1])]):
            raise InputError(
                f"{self.robot.name}: expected columns in the order {', '.join(self.given.joint_names)}, "
                f"found {', '.join(motion.joint_names)}: use prepare(log.in_order(robot.joint_names))"
            )
        if motion.radians:
            return
        measured = self.joints if motion.q.shape[1] == n else self.given.tree_joints
        for at, j in enumerate(measured):
            largest = float(np.abs(motion.q[:, at]).max())
            if self.given.frame(j).joint_type.angular and largest > _TURNS:
                raise InputError(
                    f"joint {j}: expected positions in rad, found {largest:.4g}, which looks like degrees or a motor "
                    "position: pass degrees=True to Log or use a drive; degrees=False confirms radians"
                )

    def _check_base(self, motion: Motion) -> None:
        """Raise an error if the motion does not contain the base quantities that the model takes."""
        for group in ("base_velocity", "base_acceleration", "base_orientation"):
            needed = len(self.model.inputs.get(group, ()))
            found = motion.base[group].shape[1] if group in motion.base else 0
            if needed and found != needed:
                raise InputError(
                    f"{self.robot.name} has a moving base: expected its measured motion with {needed} columns in "
                    f"base={{'{group}': ...}} of Motion, found {found or 'none'}"
                )

    def table(self, motion: Motion) -> Table:
        """Return the rows of the regressor along a motion, stored in the cache."""
        known = self._tables.get(id(motion))
        if known is None or known.motion is not motion:
            self.check(motion)
            known = Table(self, motion)
            if self.shared is not None:
                if sum(2 * row.nbytes for table in self._tables.values() for row in table.rows) > _CACHE_BYTES:
                    self._tables.clear()
                self._tables[id(motion)] = known
        return known

    def release(self) -> None:
        """Free the cache."""
        self.shared = None
        self._tables.clear()

    def inertial_part(self, segment: Segment) -> tuple[list[_Entry], Array]:
        """Return the nonzero inertial entries on the grid of a segment, and their samples."""

        def entries() -> list[_Entry]:
            return [_Entry(r, c, values) for r, c, values in self.evaluated(self.model, "D", segment)]

        return (self.shared or Shared()).inertial(segment, entries)

    def drive_entries(self, segment: Segment) -> list[_Entry]:
        """Return the entries of friction, without load, and of motors coupled to several joints."""
        found: list[_Entry] = []
        q, qd, qdd = (self.of_rows(x) for x in (segment.q, segment.qd, segment.qdd))
        for at in range(len(self.joints)):
            for term, values in columns(self.friction, q[:, at], qd[:, at]).items():
                found.append(_Entry(self.on_base + at, self._friction_places[term, at], values))
        column = self._motor_columns
        for row in self.couplings.values():
            turning = np.flatnonzero(row).tolist()
            sign = direction(self.friction, qd @ row)
            for j in turning:
                others = (
                    np.where(np.arange(len(row)) == j, 0.0, row) * row[j]
                )  # the effect of j alone is in IAj and FVj
                place = self.on_base + j
                found += [_Entry(place, column, qdd @ others), _Entry(place, column + 1, qd @ others)]
                found.append(_Entry(place, column + 2, row[j] * sign))
            column += 3
        return found

    def evaluated(self, model: Model, group: str, segment: Segment) -> list[tuple[int, int, Array]]:
        """Return (row, column, values on the grid) of the nonzero entries of a matrix of a model."""
        layout = model.outputs[group]
        roots = [(r, c, model.definitions[str(n)]) for r, row in enumerate(layout) for c, n in enumerate(row)]
        roots = [(r, c, root) for r, c, root in roots if not root.is_zero]
        count = len(segment.q)
        table = np.empty((len(roots), count))
        groups = self.inputs(segment)
        for first in range(0, count, _BLOCK):
            some = slice(first, first + _BLOCK)
            symbols = {
                name: groups[group][some, at] for group in groups for at, name in enumerate(model.inputs.get(group, ()))
            }
            for at, values in enumerate(evaluate_arrays([root for _, _, root in roots], symbols)):
                table[at, some] = values
        return [(r, c, values) for (r, c, _), values in zip(roots, table, strict=True)]


def direction(friction: Friction, qd: Array) -> Array:
    """Return the sign of the velocity, or its smooth replacement."""
    return np.asarray(evaluate_arrays([friction.direction()], {"qd": qd})[0], dtype=float)


def columns(friction: Friction, q: Array, qd: Array) -> dict[str, Array]:
    """Return the coefficients of the friction parameters of one joint by name, without load."""
    found: dict[str, Array] = {}
    for name in friction.names:
        shape, term = friction.shape(name), friction.terms.get(name)
        if shape is not None:
            values = np.asarray(evaluate_arrays([shape], {"q": q, "qd": qd})[0], dtype=float)
        else:
            assert callable(term)
            values = np.asarray(term(q, qd), dtype=float)
        values = np.broadcast_to(values, qd.shape) if values.ndim == 0 else values
        if values.shape != qd.shape or not np.isfinite(values).all():
            raise InputError(
                f"friction: {name}: expected one finite value per sample ({len(qd)}), found shape {values.shape}"
            )
        found[name] = values
    return found
