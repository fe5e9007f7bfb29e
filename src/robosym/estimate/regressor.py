"""The regressor of a robot along a motion: inertial base parameters, friction, and motors that several joints turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import numeric_value
from robosym.algebra.samples import evaluate_arrays
from robosym.description import DRIVE, INERTIA, Friction, Robot
from robosym.errors import InputError
from robosym.estimate.drive import Drive
from robosym.estimate.friction_columns import columns, direction
from robosym.estimate.least_squares import Triangle, compressed
from robosym.estimate.prepare import Motion, Stretch
from robosym.identification import IdentificationModel, dynamic_identification

__all__ = ["Reduced", "Regressor", "Table", "unknown_inertia"]

Array = NDArray[np.float64]

_ROOM = 800_000_000  #: bytes of tables that are kept for another fit
_BLOCK = 4096  #: samples that are worked on at a time, so that intermediate values stay near the processor
_TURNS = 4 * np.pi  #: positions beyond this are taken for degrees unless the log says that they are meant


def unknown_inertia(robot: Robot) -> Robot:
    """The robot with symbols for the parameters of its links, where all of them are numbers."""
    entries = (getattr(link, name) for link in robot.links for name in (*INERTIA, *DRIVE))
    return robot.symbolic() if all(numeric_value(entry) is not None for entry in entries) else robot


@lru_cache(maxsize=8)
def _inertial_model(robot: Robot) -> IdentificationModel:
    model = dynamic_identification(robot, base_parameters=True, friction=False)
    if missing := [name for group in ("parameters", "gravity") for name in model.inputs.get(group, ())]:
        given = ", ".join(f"'{name}': ..." for name in missing[:3])
        raise InputError(
            f"{robot.name}: expected numbers for {', '.join(missing[:8])}: say robot.with_values({{{given}}})"
        )
    return model


@dataclass(frozen=True)
class _Entry:
    """What multiplies a parameter in the torque of one joint, along a motion."""

    joint: int
    column: int
    values: Array


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
        self.stretches = [(stretch, regressor.entries(stretch)) for stretch in motion.stretches]
        felt = [{entry.column for _, entries in self.stretches for entry in entries if entry.joint == at}
                for at in range(len(regressor.joints))]  # fmt: skip
        self.places = [np.array(sorted(columns), dtype=int) for columns in felt]
        parts = [self._rows(stretch, entries) for stretch, entries in self.stretches]
        self.rows = [np.concatenate([part[at] for part in parts]) for at in range(len(regressor.joints))]
        if len(self.rows[0]) != len(motion):
            raise InputError("motion: its samples are not those of its stretches")

    def _rows(self, stretch: Stretch, entries: list[_Entry]) -> list[Array]:
        filtered = stretch.sampled(np.column_stack([entry.values for entry in entries]))
        rows = [np.zeros((len(filtered), len(places))) for places in self.places]
        at = [{int(column): k for k, column in enumerate(places)} for places in self.places]
        for n, entry in enumerate(entries):
            rows[entry.joint][:, at[entry.joint][entry.column]] += filtered[:, n]
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
        columns = self.regressor.load_columns
        load = self.load(values) if columns and values is not None else None
        found = []
        for at, (row, places) in enumerate(zip(self.rows, self.places, strict=True)):
            if load is not None:
                row, places = np.column_stack([row, load[:, at]]), np.append(places, columns[at])
            moves, tau = self.motion.moving[:, at], self.motion.tau[:, at]
            width = len(self.regressor.names)
            pair = [compressed(row[some], tau[some]).spread(places, width) for some in (moves, ~moves)]
            found.append((pair[0], pair[1]))
        return found


class Tables:
    """The table of each motion, made when it is asked for; kept where it is asked for `again` and there is room."""

    def __init__(self, regressor: Regressor, motions: Sequence[Motion], again: bool) -> None:
        self.regressor, self.motions, self.again = regressor, motions, again
        self._kept: dict[int, Table] = {}
        self._room = _ROOM

    def __iter__(self) -> Iterator[tuple[Motion, Table]]:
        for at, motion in enumerate(self.motions):
            table = self._kept.get(at) or self.regressor.table(motion)
            size = sum(entry.values.nbytes for _, entries in table.stretches for entry in entries)
            if self.again and at not in self._kept and 2 * size <= self._room:
                self._kept[at] = table
                self._room -= 2 * size
            yield motion, table


class Regressor:
    """Columns for a robot, in the order of `names`; `joints` are the joints of its rows."""

    def __init__(self, robot: Robot, friction: Friction, drive: Drive | None) -> None:
        self.given = robot
        self.robot = unknown_inertia(robot)
        self.friction = friction
        self.model = _inertial_model(self.robot)
        self.joints = tuple(int(row.removeprefix("GAM")) for row in self.model.rows)
        self.couplings = {} if drive is None else drive.couplings(len(self.joints))
        names = list(self.model.columns)
        self.inertial = len(names)
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
        places = [self.robot.tree_joints.index(j) for j in self.joints]
        return values[:, places]

    def check(self, motion: Motion) -> None:
        """Whether the motion can be one of this robot."""
        n, all_joints = len(self.joints), len(self.model.inputs["q"])
        if motion.joints != n or motion.q.shape[1] != all_joints:
            raise InputError(
                f"{self.robot.name} has {n} joints with motors: expected so many columns of torque "
                f"and {all_joints} of position, found {motion.joints} and {motion.q.shape[1]}"
            )
        if motion.radians:
            return
        for at, j in enumerate(self.robot.tree_joints[: motion.q.shape[1]]):
            largest = float(np.abs(motion.q[:, at]).max())
            if self.robot.frame(j).joint_type.angular and largest > _TURNS:
                raise InputError(
                    f"joint {j} goes to {largest:.4g} rad, which looks like degrees or the side of the motor: expected "
                    "Log(..., degrees=True) or a drive; Log(..., degrees=False) says that radians are meant"
                )

    def table(self, motion: Motion) -> Table:
        self.check(motion)
        return Table(self, motion)

    def entries(self, stretch: Stretch) -> list[_Entry]:
        """All that is not zero, on the grid of a stretch; load apart."""
        found = self._inertial_entries(stretch)
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

    def _inertial_entries(self, stretch: Stretch) -> list[_Entry]:
        layout = self.model.outputs["D"]
        roots = [(r, c, self.model.definitions[str(n)]) for r, row in enumerate(layout) for c, n in enumerate(row)]
        roots = [(r, c, root) for r, c, root in roots if not root.is_zero]
        count = len(stretch.q)
        table = np.empty((len(roots), count))
        groups = {"q": stretch.q, "qd": self.of_rows(stretch.qd), "qdd": self.of_rows(stretch.qdd)}
        for first in range(0, count, _BLOCK):
            some = slice(first, first + _BLOCK)
            symbols = {
                name: groups[group][some, at]
                for group in ("q", "qd", "qdd")
                for at, name in enumerate(self.model.inputs.get(group, ()))
            }
            for at, values in enumerate(evaluate_arrays([root for _, _, root in roots], symbols)):
                table[at, some] = values
        return [_Entry(r, c, values) for (r, c, _), values in zip(roots, table, strict=True)]
