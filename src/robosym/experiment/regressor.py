"""The regressor of a robot along a motion: inertial base parameters, friction, and motors that several joints turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import numeric_value
from robosym.algebra.arrays import Array
from robosym.algebra.once import cached_property
from robosym.algebra.samples import evaluate_arrays
from robosym.control.drives import Drive
from robosym.errors import InputError
from robosym.experiment.joined_motion import LoopJoints, PlatformMotions
from robosym.experiment.least_squares import Triangle, compressed
from robosym.experiment.log import order_of_joints
from robosym.experiment.prepare import Motion, Stretch
from robosym.mechanism import DRIVE, INERTIA, Friction, JointFriction, Robot, need_rigid
from robosym.mechanism.needs import need_base
from robosym.model import Model
from robosym.parameters import IdentificationModel, dynamic_identification

__all__ = ["Reduced", "Regressor", "Table", "columns", "direction", "unknown_inertia"]


_ROOM = 800_000_000  #: bytes that are kept for another fit
_FINER = 5  #: points of a grid for a sample
_BLOCK = 4096  #: samples that are worked on at a time, so that intermediate values stay near the processor
_TURNS = 4 * np.pi  #: positions beyond this are taken for degrees unless the log says that they are meant


def unknown_inertia(robot: Robot) -> Robot:
    """The robot with symbols for the parameters of its links, where all of them are numbers."""
    return {"platform": _unknown_legs}.get(robot.coordinates, _symbolic)(robot)


def _symbolic(robot: Robot, fields: Sequence[str] = (*INERTIA, *DRIVE)) -> Robot:
    entries = (getattr(link, name) for link in robot.links for name in fields)
    return robot.symbolic() if all(numeric_value(entry) is not None for entry in entries) else robot


def _unknown_legs(robot: Robot) -> Robot:
    """The model of a platform holds the rotors of its motors, and friction comes apart."""
    named = _symbolic(robot, INERTIA)
    rotors = [f"IA{j}" if j in robot.motors else 0 for j in range(1, robot.NL + 1)]
    links_only = named.with_links({"IA": rotor, "FV": 0, "FS": 0} for rotor in rotors)
    return replace(links_only, joints=tuple(replace(joint, friction=JointFriction()) for joint in links_only.joints))


@lru_cache(maxsize=8)
def _inertial_model(robot: Robot, passive: bool) -> IdentificationModel:
    rubbing = [j for j in robot.cut_joints if robot.joint(j).acts]
    if rubbing and not passive:
        raise InputError(
            f"{robot.name}: the cut joint {rubbing[0]} has friction: Friction(passive=True) estimates it; "
            "or take it out of the description"
        )
    passive = passive and robot.constrained
    friction = {"platform": None}.get(robot.coordinates, passive)
    model = dynamic_identification(robot, base_parameters=True, friction=friction)
    if passive:
        model = _without_motors(model)
    if missing := [name for group in ("parameters", "gravity") for name in model.inputs.get(group, ())]:
        given = ", ".join(f"'{name}': ..." for name in missing[:3])
        raise InputError(
            f"{robot.name}: expected numbers for {', '.join(missing[:8])}: say robot.with_values({{{given}}})"
        )
    return model


def _without_motors(model: IdentificationModel) -> IdentificationModel:
    """Of the friction in a closed robot that of its passive joints: what drives have is data of the estimate."""
    motors = {row.removeprefix("GAM") for row in model.rows}
    own = {f"{field}{j}" for field in ("FV", "FS") for j in motors}
    places = [at for at, name in enumerate(model.columns) if name not in own]
    layout = tuple(tuple(row[at] for at in places) for row in model.outputs["D"])
    return replace(model, columns=tuple(model.columns[at] for at in places), outputs={"D": layout})


@dataclass(frozen=True)
class _Entry:
    """What multiplies a parameter in the torque of one joint, along a motion."""

    joint: int
    column: int
    values: Array


#: what inertial parameters do along a stretch: the same for all kinds of friction
Shared = dict[int, tuple[Stretch, list[_Entry], Array]]


@dataclass(frozen=True, eq=False)
class Reduced:
    """What is left of a log: of each joint the triangles of its samples in motion and of those at rest."""

    motion: Motion
    joints: list[tuple[Triangle, Triangle]]


class Table:
    """The rows of a regressor along one motion, filtered, with the load that depends on an estimate still open.

    A row holds the columns that its joint feels, `places` among all of them.
    """

    def __init__(self, regressor: Regressor, motion: Motion) -> None:
        self.regressor = regressor
        self.motion = motion
        inertial = [regressor.inertial_part(stretch) for stretch in motion.stretches]
        self.stretches = [(stretch, part[0]) for stretch, part in zip(motion.stretches, inertial, strict=True)]
        drives = [regressor.drive_entries(stretch) for stretch in motion.stretches]
        both = [[*entries, *drive] for (_, entries), drive in zip(self.stretches, drives, strict=True)]
        self.places = [
            np.array(sorted({entry.column for entries in both for entry in entries if entry.joint == at}), dtype=int)
            for at in range(len(regressor.joints))
        ]
        moved = [samples for _, samples in inertial]
        parts = [self._rows(*part) for part in zip(motion.stretches, both, drives, moved, strict=True)]
        self.rows = [np.concatenate([part[at] for part in parts]) for at in range(len(regressor.joints))]
        if len(self.rows[0]) != len(motion):
            raise InputError("motion: its samples are not those of its stretches")

    def _rows(self, stretch: Stretch, entries: list[_Entry], drive: list[_Entry], moved: Array) -> list[Array]:
        filtered = [moved]
        if drive:
            filtered.append(stretch.sampled(np.column_stack([entry.values for entry in drive])))
        samples = np.hstack(filtered)
        rows = [np.zeros((len(samples), len(places))) for places in self.places]
        at = [{int(column): k for k, column in enumerate(places)} for places in self.places]
        for n, entry in enumerate(entries):
            rows[entry.joint][:, at[entry.joint][entry.column]] += samples[:, n]
        return rows

    def row(self, at: int) -> Array:
        """(samples, parameters) of one joint, load apart."""
        whole = np.zeros((len(self.motion), len(self.regressor.names)))
        whole[:, self.places[at]] = self.rows[at]
        return whole

    def load(self, values: Array) -> Array:
        """(samples, joints): what multiplies the friction under load, from values of all parameters."""
        found = []
        for stretch, entries in self.stretches:
            torque = np.zeros((len(stretch.qd), len(self.regressor.joints)))
            for entry in entries:
                if entry.column < self.regressor.inertial:
                    torque[:, entry.joint] += entry.values * values[entry.column]
            qd = self.regressor.of_rows(stretch.qd)
            found.append(stretch.sampled(np.abs(torque) * direction(self.regressor.friction, qd)))
        return np.concatenate(found)

    def predicted(self, values: Array) -> Array:
        """Torques for values of all parameters."""
        torques = np.column_stack([row @ values[places] for row, places in zip(self.rows, self.places, strict=True)])
        if self.regressor.load_columns:
            torques += self.load(values) * values[self.regressor.load_columns]
        return torques

    def triangles(self, values: Array | None = None) -> list[tuple[Triangle, Triangle]]:
        """Of each joint, of its samples in motion and of those at rest; with values, the load follows from them."""
        parts = self._parts(values)
        return [(part(moves), part(~moves)) for part, moves in zip(parts, self.motion.moving.T, strict=True)]

    def _parts(self, values: Array | None) -> list[Callable[[NDArray[np.bool_]], Triangle]]:
        """For each joint, a function that gives the triangle of some of its samples; with values, with its load."""
        columns, width = self.regressor.load_columns, len(self.regressor.names)
        load = self.load(values) if columns and values is not None else None

        def part(at: int) -> Callable[[NDArray[np.bool_]], Triangle]:
            row, places, tau = self.rows[at], self.places[at], self.motion.tau[:, at]
            if load is not None:
                row, places = np.column_stack([row, load[:, at]]), np.append(places, columns[at])
            return lambda some: compressed(row[some], tau[some]).spread(places, width)

        return [part(at) for at in range(len(self.rows))]

    def blocks(self, seconds: float, values: Array | None = None) -> list[list[Triangle]]:
        """Of each stretch of time the triangles of all joints, of their samples in motion."""
        t, parts = self.motion.t, self._parts(values)
        number = np.floor((t - t[0]) / seconds).astype(int)
        return [
            [part(moves & (number == k)) for part, moves in zip(parts, self.motion.moving.T, strict=True)]
            for k in np.unique(number)
        ]


class Regressor:
    """Columns for a robot, in the order of `names`; `joints` are the joints of its rows."""

    def __init__(self, robot: Robot, friction: Friction, drive: Drive | None, shared: Shared | None = None) -> None:
        """`shared` is that of another regressor of the robot, with other friction."""
        need_base(robot, "identify", "fixed")
        need_rigid(robot, "identify")
        if robot.transmission is not None:
            raise InputError(f"{robot.name} has a transmission: expected the robot without it, robot.in_joints()")
        if robot.couplings and not robot.loops:
            raise InputError(
                f"{robot.name} has coupled joints: identify treats trees and loops. The equations to solve are "
                "those of dynamic_identification(robot, base_parameters=True)"
            )
        self.given = robot
        self.shared = shared  #: None where nothing is kept from one table to the next
        self.friction = friction
        self.robot = unknown_inertia(robot)
        self.model = _inertial_model(self.robot, friction.passive)
        self.joints = tuple(int(row.lstrip("GAM")) for row in self.model.rows)
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
        """Of values of all joints those of the rows."""
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

    def inputs(self, stretch: Stretch) -> dict[str, Array]:
        """The motion of the whole mechanism on the grid of a stretch, by the groups of its models."""
        if "pose" in self.model.inputs:
            return self._platform.inputs(stretch)
        q = stretch.q
        if q.shape[1] < len(self.model.inputs["q"]):
            q = self._loops.positions(q)
        return {"q": q, "qd": self.of_rows(stretch.qd), "qdd": self.of_rows(stretch.qdd)}

    def check(self, motion: Motion) -> None:
        """Whether the motion can be one of this robot."""
        n, all_joints = len(self.joints), len(self.model.inputs.get("q", self.joints))
        if motion.joints != n or motion.q.shape[1] not in (n, all_joints):
            more = f" (or {all_joints}, of all joints of the tree)" if all_joints != n else ""
            raise InputError(
                f"{self.robot.name}: expected {n} torque and {n} position columns{more}, one for each joint with a "
                f"motor, found {motion.joints} and {motion.q.shape[1]}"
            )
        order = order_of_joints(motion.joint_names, self.given.joint_names)
        if isinstance(order, str) or order not in (None, [*range(motion.q.shape[1])]):
            raise InputError(
                f"{self.robot.name}: the columns of the log are those of the joints {', '.join(motion.joint_names)}: "
                f"expected the order {', '.join(self.given.joint_names)}; say "
                "prepare(log.in_order(robot.joint_names))"
            )
        if motion.radians:
            return
        measured = self.joints if motion.q.shape[1] == n else self.given.tree_joints
        for at, j in enumerate(measured):
            largest = float(np.abs(motion.q[:, at]).max())
            if self.given.frame(j).joint_type.angular and largest > _TURNS:
                raise InputError(
                    f"joint {j} goes to {largest:.4g} rad, which looks like degrees or the side of the motor: expected "
                    "Log(..., degrees=True) or a drive; Log(..., degrees=False) says that radians are meant"
                )

    def table(self, motion: Motion) -> Table:
        self.check(motion)
        return Table(self, motion)

    def inertial_part(self, stretch: Stretch) -> tuple[list[_Entry], Array]:
        """What inertial parameters do on the grid of a stretch, where it is not zero, and the same as samples."""
        shared = {} if self.shared is None else self.shared
        known = shared.get(id(stretch))
        if known is not None and known[0] is stretch:
            return known[1], known[2]
        entries = [_Entry(r, c, values) for r, c, values in self.evaluated(self.model, "D", stretch)]
        samples = stretch.sampled(np.column_stack([entry.values for entry in entries]))
        if sum(2 * other[2].nbytes * _FINER for other in shared.values()) > _ROOM:
            shared.clear()
        shared[id(stretch)] = stretch, entries, samples
        return entries, samples

    def drive_entries(self, stretch: Stretch) -> list[_Entry]:
        """Of friction, load apart, and of motors that several joints turn."""
        found: list[_Entry] = []
        q, qd, qdd = (self.of_rows(x) for x in (stretch.q, stretch.qd, stretch.qdd))
        for at in range(len(self.joints)):
            for term, values in columns(self.friction, q[:, at], qd[:, at]).items():
                found.append(_Entry(at, self._friction_places[term, at], values))
        column = self._motor_columns
        for row in self.couplings.values():
            turning = np.flatnonzero(row).tolist()
            sign = direction(self.friction, qd @ row)
            for j in turning:
                others = np.where(np.arange(len(row)) == j, 0.0, row) * row[j]  # what j alone feels is in IAj and FVj
                found += [_Entry(j, column, qdd @ others), _Entry(j, column + 1, qd @ others)]
                found.append(_Entry(j, column + 2, row[j] * sign))
            column += 3
        return found

    def evaluated(self, model: Model, group: str, stretch: Stretch) -> list[tuple[int, int, Array]]:
        """(row, column, values on the grid) of a matrix of a model, where it is not zero."""
        layout = model.outputs[group]
        roots = [(r, c, model.definitions[str(n)]) for r, row in enumerate(layout) for c, n in enumerate(row)]
        roots = [(r, c, root) for r, c, root in roots if not root.is_zero]
        count = len(stretch.q)
        table = np.empty((len(roots), count))
        groups = self.inputs(stretch)
        for first in range(0, count, _BLOCK):
            some = slice(first, first + _BLOCK)
            symbols = {
                name: groups[group][some, at] for group in groups for at, name in enumerate(model.inputs.get(group, ()))
            }
            for at, values in enumerate(evaluate_arrays([root for _, _, root in roots], symbols)):
                table[at, some] = values
        return [(r, c, values) for (r, c, _), values in zip(roots, table, strict=True)]


def direction(friction: Friction, qd: Array) -> Array:
    """The sign of the velocity, or what stands for it."""
    return np.asarray(evaluate_arrays([friction.direction()], {"qd": qd})[0], dtype=float)


def columns(friction: Friction, q: Array, qd: Array) -> dict[str, Array]:
    """{name without the joint: what multiplies the parameter}, of the samples of one joint, load apart."""
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
            raise InputError(f"friction: {name}: expected a finite value for each of {len(qd)} samples")
        found[name] = values
    return found
