"""Base inertial parameters of a robot in contact with the ground: those that its motion and its torques depend on.

The forces of the ground are unknown and do no work along admissible rates S y. The projected efforts, S^T
times those of the tree, is linear in the parameters; the rank of its coefficients over generic admissible motions gives
the parameters that the contacts group in addition to the rules of the tree. The energy is not sufficient: rolling
constraints are not integrable, and gyroscopic terms do no work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robosym.algebra import Expr, Graph, evaluate, substitute, symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns, null_space
from robosym.algebra.tolerances import DEPENDENT
from robosym.coordinates.contact_rows import BASE_COLUMNS, ContactRows, need_base_in_contact
from robosym.coordinates.joint_motion import joint_motion
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.edit import ORIENTATION
from robosym.mechanism.motion import BaseMotion, acceleration_pass, hinges, velocity_pass
from robosym.parameters.base_set import BaseParameters, base_of_joints
from robosym.parameters.numeric_parameters import tidy
from robosym.parameters.standard import LinkField, named
from robosym.spatial import Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["contact_base"]

_MORE = 1.5  #: rows per column of the sampled matrix
_GROUPS = ("q", "qd", "base_velocity", "base_orientation", "gravity", "parameters")
_O = Vec3(0.0, 0.0, 0.0)


def contact_base(robot: Robot, method: str) -> BaseParameters:
    """Return the base parameters of a robot in contact, from those of its tree and a numeric rank."""
    need_base_in_contact(robot)
    if robot.constrained:
        raise InputError(f"{robot.name}: expected a tree in contact with the ground, found loops or couplings")
    tree = base_of_joints(robot.with_contacts(), method)
    places = list(tree.places.values())
    D, remark = _coefficients(robot, places)
    lengths = np.linalg.norm(D, axis=0)
    kept, left = independent_columns(D, DEPENDENT)
    dropped = [k for k in range(len(places)) if k not in kept]
    shares = np.linalg.lstsq(D[:, kept] / lengths[kept], D[:, dropped], rcond=None)[0].T / lengths[kept]
    graph = Graph()
    own = dict(zip(places, substitute(tree.grouping.values(), graph, {}), strict=True))
    forms: dict[LinkField, Expr] = {places[k]: own[places[k]] for k in kept}
    for k, row in zip(dropped, shares, strict=True):
        for m, share in zip(kept, row, strict=True):
            value = tidy(float(share), float(lengths[k] / lengths[m]))
            if value and lengths[k] > DEPENDENT * lengths.max():
                forms[places[m]] = forms[places[m]] + graph.number(value) * own[places[k]]
    grouping, found = named(forms, tree.standard, robot)
    smallest, largest = left[kept].min(initial=1.0), left[dropped].max(initial=0.0)
    remark = f"rank {len(kept)} of {len(places)} columns of the tree {remark}: smallest residual kept {smallest:.1e}, "
    remark += f"largest dropped {largest:.1e}, tolerance {DEPENDENT:.0e}"
    missed = tuple(name for name, place in tree.places.items() if place not in forms)
    return BaseParameters(robot, tree.standard, grouping, found, "numeric", missed, remark)


def _coefficients(robot: Robot, places: Sequence[LinkField]) -> tuple[Array, str]:
    """Return the coefficients of parameters in S^T times the efforts, along generic admissible motions."""
    geometry = [value for where, name, value in robot.entries() if not where.startswith("link") and value.level]
    free = {*filter(None, robot.variables), *ORIENTATION}
    rates = {robot.joint(j).QP.name for j in robot.tree_joints} | {e.name for e in (*robot.base.W0, *robot.base.V0)}
    motion = {value.name for j in range(1, robot.NJ + 1) for value in (robot.joint(j).QDP, robot.joint(j).GAM)}
    if unknown := [name for name in symbols(geometry) if name not in free | rates | motion]:
        raise InputError(
            f"{robot.name}: expected numbers for its geometry, because contacts group parameters by a numeric rank; "
            f"missing: {', '.join(unknown[:8])}"
        )
    sampled = _Admissible(robot)
    count = int(_MORE * len(places) / max(1, sampled.mobility)) + 4
    rows = [sampled.rows(places, k) for k in range(count)]
    return np.vstack(rows), f"along {count} admissible motions"


class _Admissible:
    """Generic motions that the contacts of a robot allow."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.floating = robot, robot.base.kind == "floating"
        setting = joint_motion(robot, _GROUPS)
        self.names = dict(setting.work.inputs)
        self.contacts = ContactRows(setting, self.floating)
        self.table = [value for row in self.contacts.matrix() for value in row]
        self.mobility = null_space(self._matrix(self._state(0))).shape[1]

    def _state(self, k: int) -> dict[str, float]:
        """Return generic positions; see `ContactRows.samples`."""
        rng = random_arrays("positions of contacts", k)
        values = {self.robot.variable(j): float(rng.uniform(-np.pi, np.pi)) for j in self.robot.tree_joints}
        return values | dict(zip(ORIENTATION, (1.0, 0.0, 0.0, 0.0), strict=True))

    def _matrix(self, values: Mapping[str, float]) -> Array:
        rates = dict.fromkeys([*self.names.get("qd", ()), *self.names.get("base_velocity", ())], 0.0)
        found = evaluate(self.table, {**rates, **values})
        return np.array(found, dtype=float).reshape(len(self.contacts.rows), -1)

    def rows(self, places: Sequence[LinkField], k: int) -> Array:
        """Return the coefficients at one motion, one row per independent rate."""
        values, rng = self._state(k), random_arrays("positions of contacts", 1000 + k)
        J = self._matrix(values)
        S = null_space(J)
        rates = S @ rng.uniform(-2, 2, S.shape[1])
        values |= self._named(rates)
        drift = np.array(evaluate(self.contacts.drift(), values), dtype=float)
        change = S @ rng.uniform(-2, 2, S.shape[1]) - np.linalg.pinv(J) @ drift
        gravity = np.array(evaluate(self.robot.gravity, values))
        w, _, wp, vp = self._moved(values, rates, change, gravity)
        found = []
        for direction in S.T:
            turn, shift, _, _ = self._moved(values, direction, np.zeros(len(direction)), np.zeros(3))
            found.append([self._power(place, w, wp, vp, turn, shift, direction, change) for place in places])
        return np.array(found)

    def _named(self, rates: Array) -> dict[str, float]:
        """Return rates by the symbols of base and joints."""
        robot, columns = self.robot, self.contacts.columns
        base = [*robot.base.V0, *robot.base.W0] if self.floating else []
        own = [*(e.name for e in base), *(robot.joint(int(j)).QP.name for j in columns[len(base) :])]
        return {str(name): float(rate) for name, rate in zip(own, rates, strict=True)}

    def _moved(
        self, values: Mapping[str, float], rates: Array, change: Array, gravity: Array
    ) -> tuple[dict[int, Vec3], dict[int, Vec3], dict[int, Vec3], dict[int, Vec3]]:
        """Return the velocities of the links, w and v, and their accelerations, less gravity, in numbers."""
        robot, columns = self.robot, self.contacts.columns
        first = len(BASE_COLUMNS) if self.floating else 0
        speed, gain = (dict(zip(columns, map(float, part), strict=True)) for part in (rates, change))

        def of_base(part: Mapping[int | str, float], letter: str) -> Vec3:
            return Vec3(*(part[f"{letter}{axis}"] for axis in (1, 2, 3))) if first else _O

        own = {**dict.fromkeys(symbols(e for _, _, e in robot.entries()), 0.0), **values}
        table = hinges(robot, range(1, robot.NL + 1), lambda e: float(evaluate([e], own)[0]))
        table = {j: replace(h, qd=speed.get(j, 0.0), qdd=gain.get(j, 0.0)) for j, h in table.items()}
        falling = of_base(gain, "V") - Vec3(*map(float, gravity))
        base = BaseMotion(of_base(speed, "W"), of_base(gain, "W"), of_base(speed, "V"), falling)
        velocities = velocity_pass(table, base)
        accelerations = acceleration_pass(table, base, velocities)
        return velocities.w, velocities.v, accelerations.wp, accelerations.vp

    def _power(
        self, place: LinkField, w: Mapping[int, Vec3], wp: Mapping[int, Vec3], vp: Mapping[int, Vec3],
        turn: Mapping[int, Vec3], shift: Mapping[int, Vec3], direction: Array, change: Array,
    ) -> float:  # fmt: skip
        """Return the power of the effort of one unit parameter along a direction of rates."""
        j, field = place
        if field == "IA":
            at = self.contacts.columns.index(j)
            return float(direction[at] * change[at])
        unit = RigidInertia(**{field: 1.0})
        momentum = unit.J @ w[j]
        force = vp[j] * unit.M + wp[j].cross(unit.MS) + w[j].cross(w[j].cross(unit.MS))
        moment = unit.J @ wp[j] + w[j].cross(momentum) + unit.MS.cross(vp[j])
        power: float = force.dot(shift[j]) + moment.dot(turn[j])
        return power
