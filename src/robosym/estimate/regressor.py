"""The regressor of a robot along a motion: inertial base parameters, friction, and motors that several joints turn."""

from __future__ import annotations

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
from robosym.estimate.prepare import Motion, Stretch
from robosym.identification import IdentificationModel, dynamic_identification

__all__ = ["Regressor", "Table", "unknown_inertia"]

Array = NDArray[np.float64]

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


class Table:
    """The columns of a regressor along one motion, filtered, with the load that depends on an estimate still open."""

    def __init__(self, regressor: Regressor, motion: Motion) -> None:
        self.regressor = regressor
        self.motion = motion
        self.stretches = [(stretch, regressor.entries(stretch)) for stretch in motion.stretches]
        width = len(regressor.names)
        self.fixed = np.concatenate([self._matrix(stretch, entries, width) for stretch, entries in self.stretches])
        if len(self.fixed) != len(motion):
            raise InputError("motion: its samples are not those of its stretches")

    def _matrix(self, stretch: Stretch, entries: list[_Entry], width: int) -> Array:
        filtered = stretch.sampled(np.column_stack([entry.values for entry in entries]))
        matrix = np.zeros((len(filtered), len(self.regressor.joints), width))
        for at, entry in enumerate(entries):
            matrix[:, entry.joint, entry.column] += filtered[:, at]
        return matrix

    def matrix(self, values: Array | None = None) -> Array:
        """(samples, joints, parameters); with values of all parameters, the columns of load follow from them."""
        friction = self.regressor.friction
        if not friction.load or values is None:
            return self.fixed
        result = self.fixed.copy()
        start = 0
        for stretch, entries in self.stretches:
            torque = np.zeros((len(stretch.qd), len(self.regressor.joints)))
            for entry in entries:
                if entry.column < self.regressor.inertial:
                    torque[:, entry.joint] += entry.values * values[entry.column]
            qd = self.regressor.of_rows(stretch.qd)
            felt = stretch.sampled(np.abs(torque) * direction(friction, qd))
            for at, column in enumerate(self.regressor.load_columns):
                result[start : start + len(felt), at, column] = felt[:, at]
            start += len(felt)
        return result


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
