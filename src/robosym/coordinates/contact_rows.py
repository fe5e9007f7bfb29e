"""Constraints of contacts with the ground as rows acting on the rates of base and joints.

A point foot does not move; a plane foot does not rotate either. A wheel is a thin disc about the z axis of its frame:
the point of the disc that is lowest along the normal of the ground does not slide, in any posture of the disc. Rollers
let the wheel slide across their axis. The normal of the ground is the z axis of the world.

The joints of loops follow the active joints: their columns are added to those of the latter.

Each row is zero along admissible rates; `drift` is the part of its derivative that contains no accelerations. Forces of
the ground along the rows do no work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import generic_values, random_arrays, vanishes
from robosym.algebra.subspaces import independent_columns
from robosym.algebra.tolerances import RANK
from robosym.coordinates.joint_motion import JointMotion
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.edit import ORIENTATION
from robosym.mechanism.elements import Contact
from robosym.mechanism.motion import Accelerations, acceleration_pass, base_of
from robosym.mechanism.path import Poses, moving_joints, path
from robosym.spatial import Mat3, Scalar, Transform, Vec3, cos, sin

__all__ = ["BASE_COLUMNS", "ContactRow", "ContactRows", "Coordinate", "need_base_in_contact"]

Coordinate = int | str
#: rates of a floating base in frame 0, in the order of the equations of motion
BASE_COLUMNS: tuple[str, ...] = ("V1", "V2", "V3", "W1", "W2", "W3")
_SAMPLES = 5
_X, _Y, _Z, _O = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class ContactRow:
    """One row: its entries by coordinate, its drift, and the name of the force along it."""

    contact: int  #: from 1
    force: str
    entries: Mapping[Coordinate, Expr]
    drift: Expr


class ContactRows:
    """All rows of a robot in contact, over the graph of a motion; rows that vanish everywhere are omitted."""

    def __init__(self, motion: JointMotion, floating: bool) -> None:
        """Create the rows; `motion` has the joint rates, and with `floating` the velocity of the base, as inputs."""
        self.motion, self.robot, self.work = motion, motion.robot, motion.work
        if any(contact.rolls for contact in self.robot.contacts):
            _check_orientation(self)
        self.floating = floating
        self.columns: tuple[Coordinate, ...] = (*(BASE_COLUMNS if self.floating else ()), *motion.active)
        self._poses = Poses(self.robot, self.work.value, self.work.define)
        self._accelerations: Accelerations | None = None
        every = [row for number, one in enumerate(self.robot.contacts, 1) for row in self._rows(number, one)]
        #: rows that do not vanish everywhere
        self.rows = [row for row in every if any(not entry.is_zero for entry in row.entries.values())]
        if not self.rows:
            raise InputError(f"{self.robot.name}: contacts: expected contacts that constrain the motion, found none")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the forces along the rows."""
        return tuple(row.force for row in self.rows)

    def matrix(
        self, columns: Sequence[Coordinate] | None = None, rows: Sequence[int] | None = None
    ) -> list[list[Expr]]:
        """Return the rows as a matrix over all or some coordinates."""
        zero = self.work.graph.zero
        chosen = self.rows if rows is None else [self.rows[r] for r in rows]
        return [[row.entries.get(c, zero) for c in self.columns if columns is None or c in columns] for row in chosen]

    def drift(self, rows: Sequence[int] | None = None) -> list[Expr]:
        return [row.drift for row in (self.rows if rows is None else [self.rows[r] for r in rows])]

    # ------------------------------------------------------------------------------------------------ structure

    def samples(self) -> list[dict[str, float]]:
        """Return generic positions; a floating base on wheels is upright, because tilted wheels leave the ground."""
        found = []
        closed = self.motion.closed_positions
        names = [name for name in symbols([v for row in self.matrix() for v in row]) if name not in ORIENTATION]
        for k in range(_SAMPLES):
            values = generic_values(names, k)
            rng = random_arrays("positions of contacts", k)
            values |= {self.robot.variable(j): float(rng.uniform(-np.pi, np.pi)) for j in self.robot.tree_joints
                       if self.robot.frame(j).joint_type.angular}  # fmt: skip
            values |= closed[k % len(closed)] if closed else {}
            found.append(values | dict(zip(ORIENTATION, (1.0, 0.0, 0.0, 0.0), strict=True)))
        return found

    def numeric(self, columns: Sequence[Coordinate] | None = None) -> list[np.ndarray]:
        """Return the matrix in the generic positions."""
        table = self.matrix(columns)
        flat = [value for row in table for value in row]
        return [np.array(evaluate(flat, values), dtype=float).reshape(len(table), -1) for values in self.samples()]

    def independent(self) -> list[int]:
        """Return the rows that are independent of previous ones; the others leave forces undetermined."""
        choices = [independent_columns(_scaled(table).T, RANK)[0] for table in self.numeric()]
        return max(choices, key=len)

    # ------------------------------------------------------------------------------------------------- the rows

    def _rows(self, number: int, contact: Contact) -> list[ContactRow]:
        return self._wheel(number, contact) if contact.rolls else self._foot(number, contact)

    def _motion_of(self, j: int) -> tuple[Vec3, Vec3, Vec3, Vec3]:
        """Return angular and linear velocity of frame j, and their derivatives without accelerations, in frame j."""
        if self._accelerations is None:
            base = replace(base_of(self.robot, self.work.value), wp=_O, vp=_O)
            drift = self.motion.drift
            moving = {k: replace(h, qdd=drift[k]) if k in drift else h for k, h in self.motion.hinges.items()}
            self._accelerations = acceleration_pass(moving, base, self.motion.velocities)
        v, a = self.motion.velocities, self._accelerations
        return v.w[j], v.v[j], a.wp[j], a.vp[j]

    def _columns(self, i: int, j: int) -> dict[Coordinate, tuple[Vec3, Vec3]]:
        """Return linear velocity of the origin of frame j and angular velocity per unit rate, in frame i."""
        poses, found = self._poses, dict[Coordinate, tuple[Vec3, Vec3]]()
        if self.floating:
            A = poses(i, 0).A if i else Mat3.identity()
            lever = (poses(i, j).P if i != j else _O) - (poses(i, 0).P if i else _O)
            axes = [A @ axis for axis in (_X, _Y, _Z)]
            found |= {name: (axis, _O) for name, axis in zip(BASE_COLUMNS[:3], axes, strict=True)}
            found |= {name: (axis.cross(lever), axis) for name, axis in zip(BASE_COLUMNS[3:], axes, strict=True)}
        for k in moving_joints(self.robot, path(self.robot, 0, j)[1]):
            column = poses.column(i, j, k)
            for active, share in self.motion.shares(k).items():
                before = found.get(active, (_O, _O))
                found[active] = before[0] + column[0] * share, before[1] + column[1] * share
        return found

    def _foot(self, number: int, contact: Contact) -> list[ContactRow]:
        """Return the velocity of a point of frame j and, for a plane foot, its angular velocity, in frame j."""
        j = contact.frame
        P = Vec3(*map(self.work.value, contact.at))
        w, _, wp, vp = self._motion_of(j)
        columns = {c: (linear + angular.cross(P), angular) for c, (linear, angular) in self._columns(j, j).items()}
        drifts = [*(vp + wp.cross(P) + w.cross(w.cross(P))), *wp]
        found = []
        for place, name in enumerate(contact.components):
            part, axis = divmod(place, 3)
            entries = {c: list(both[part])[axis] for c, both in columns.items()}
            found.append(self._row(number, name, entries, drifts[place]))
        return found

    def _wheel(self, number: int, contact: Contact) -> list[ContactRow]:
        """Return the velocity of the lowest point of a disc, in the frame i that carries the wheel."""
        j, value = contact.frame, self.work.value
        i = self.robot.frame(j).ant
        T = self.motion.hinges[j].T
        disc = self._disc(i, T, value(contact.radius))
        w, v, wp, vp = (T.A @ part for part in self._motion_of(j))
        shift = disc.axis * value(contact.at[2])  # from the origin of frame j to the center
        v, vp = v + w.cross(shift), vp + wp.cross(shift) + w.cross(w.cross(shift))
        moved = disc.moved(w)
        slip = v + w.cross(disc.point)
        slipping = vp + wp.cross(disc.point) + w.cross(moved.point)
        if contact.kind == "wheel":
            ways = list(zip((disc.forward, disc.across, disc.normal), (moved.forward, moved.across, _O), strict=True))
        else:
            c, s = cos(value(contact.angle)), sin(value(contact.angle))
            ways = [(disc.across * c - disc.forward * s, moved.across * c - moved.forward * s), (disc.normal, _O)]
        lever = shift + disc.point
        columns = {c: linear + angular.cross(lever) for c, (linear, angular) in self._columns(i, j).items()}
        return [
            self._row(
                number,
                name,
                {c: way.dot(velocity) for c, velocity in columns.items()},
                way.dot(slipping) + turning.dot(slip),
            )
            for name, (way, turning) in zip(contact.components, ways, strict=True)
        ]

    def _disc(self, i: int, T: Transform, radius: Expr) -> _Disc:
        zero, one = self.work.graph.zero, self.work.graph.one
        normal = Vec3(*(self.work.value(self.robot.base.Z[k]) for k in (8, 9, 10)))
        normal = (self._poses(i, 0).A if i else Mat3.identity()) @ normal
        axis = T.A.z_axis
        tilt = zero + normal.dot(axis)
        tilt = zero if vanishes(tilt) else tilt
        upright = one if tilt.is_zero else self.work.graph.function("sqrt", 1 - tilt * tilt)
        return _Disc(axis, normal, radius, tilt, upright)

    def _row(self, number: int, name: str, entries: Mapping[Coordinate, Scalar], drift: Scalar) -> ContactRow:
        zero = self.work.graph.zero
        cleared = {c: zero + value for c, value in entries.items()}
        cleared = {c: zero if vanishes(value) else value for c, value in cleared.items()}
        return ContactRow(number, f"{name}{number}", cleared, zero + drift)


@dataclass(frozen=True, slots=True)
class _Disc:
    """A disc on the ground: its axis a, the normal n, c = n . a and s = sqrt(1 - c^2), the sine between them."""

    axis: Vec3
    normal: Vec3
    radius: Expr
    tilt: Expr
    upright: Expr

    @property
    def down(self) -> Vec3:
        """Unit vector in the disc, up from its lowest point to its center."""
        down: Vec3 = (self.normal - self.axis * self.tilt) * (1 / self.upright)
        return down

    @property
    def point(self) -> Vec3:
        """Lowest point, from the center."""
        return -(self.down * self.radius)

    @property
    def forward(self) -> Vec3:
        """Horizontal direction in which the disc rolls, for a positive rate of its joint: a x n."""
        forward: Vec3 = self.axis.cross(self.normal) * (1 / self.upright)
        return forward

    @property
    def across(self) -> Vec3:
        """Horizontal direction across the disc, n x (a x n)."""
        return self.normal.cross(self.forward)

    def moved(self, w: Vec3) -> _Moved:
        """Return the derivatives of the directions, with the angular velocity of the disc."""
        rate, over = w.cross(self.axis), 1 / self.upright
        tilting = self.normal.dot(rate)
        rising = -(self.tilt * tilting) * over  # derivative of s
        down = -((self.axis * tilting + rate * self.tilt) * over) - self.down * (rising * over)
        forward = rate.cross(self.normal) * over - self.forward * (rising * over)
        return _Moved(-(down * self.radius), forward, self.normal.cross(forward))


@dataclass(frozen=True, slots=True)
class _Moved:
    """Derivatives of the lowest point, from the center, and of the horizontal directions."""

    point: Vec3
    forward: Vec3
    across: Vec3


def need_base_in_contact(robot: Robot) -> None:
    """Raise `InputError` for a robot in contact whose base has a given motion."""
    if robot.base.kind == "mobile":
        raise InputError(
            f"{robot.name} has a mobile base: contacts support a fixed base, or a floating base whose motion follows"
        )


def _check_orientation(rows: ContactRows) -> None:
    """Raise `InputError` if the normal of the ground is not known in frame 0 of a base that turns."""
    robot = rows.robot
    if robot.base.kind != "fixed" and not {*ORIENTATION} & {*symbols(robot.base.Z)}:
        raise InputError(
            f"{robot.name}: wheels on a floating base need the normal of the ground: pass "
            "robot.with_inputs('orientation')"
        )


def _scaled(table: np.ndarray) -> np.ndarray:
    """Return a matrix with rows of length 1."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.where(lengths > 0, lengths, 1.0))
