"""Samples of the energy functions of a robot's links: rows whose rank is the number of base parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from robosym.algebra import Expr, Graph, reachable, rebuild, symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing, reference_position
from robosym.coordinates.loops import Parallelogram
from robosym.coordinates.meeting_modes import meeting_modes
from robosym.coordinates.whole_motion import whole_motion
from robosym.mechanism import Robot
from robosym.mechanism.motion import AT_REST, hinges, velocity_pass, weight_pass
from robosym.parameters.standard import LinkField, energy_functions
from robosym.spatial import Vec3

__all__ = ["EnergyRow", "follow_couplings"]

_MORE = 10  #: additional rows, in case of unfavorable ones
_VELOCITIES = 6  #: largest number per position of a closed robot, whose computation is costly
_POSITIONS = 40  #: smallest number of positions of a closed robot
_OF_MODE = 20  #: smallest number per assembly mode
_STARTS = 8  #: number of starting positions of a robot without a reference position
_BASE_RATES = tuple(f"velocity {n} of the base" for n in range(1, 7))  #: angular, then linear
_LOW = 0.05  #: rows that are smaller relative to the largest one are not normalized


@dataclass(frozen=True)
class EnergyRow:
    """Energy functions of a robot's tree as expressions, and their numeric evaluation."""

    robot: Robot
    functions: Mapping[LinkField, Expr]

    @classmethod
    def of(cls, robot: Robot, columns: Sequence[LinkField]) -> EnergyRow:
        graph = Graph()
        value = _exact_entries(robot, graph).__getitem__

        def rate(j: int) -> Expr:
            return graph.symbol(_rate(j), online=True)

        hinge = hinges(robot, range(1, robot.NL + 1), value, accelerated=False, rate=rate)
        weight = weight_pass(hinge, Vec3(*map(value, robot.gravity)))
        w1, w2, w3, v1, v2, v3 = (graph.symbol(name, online=True) for name in _BASE_RATES)
        base = AT_REST if robot.base.kind == "fixed" else replace(AT_REST, w=Vec3(w1, w2, w3), v=Vec3(v1, v2, v3))
        values = energy_functions(hinge, velocity_pass(hinge, base), weight, columns)
        return cls(robot, dict(zip(columns, (graph.zero + value for value in values), strict=True)))

    @property
    def varying(self) -> list[str]:
        """Positions and velocities of the joints, and the velocity of a moving base."""
        joints = [name for j in self.robot.tree_joints for name in (self.robot.variable(j), _rate(j))]
        return joints if self.robot.base.kind == "fixed" else [*joints, *_BASE_RATES]

    @property
    def constants(self) -> list[str]:
        """Symbols of geometry and gravity on which the functions depend."""
        varying = set(self.varying)
        return [name for name in symbols(self.functions.values()) if name not in varying]

    @property
    def domain(self) -> str:
        """Description of the sampled states, for a remark."""
        if not self.robot.loops:
            return "in random states"
        if self.robot.position:
            where = "the mode of the reference position and modes that meet it at dead centers of one loop"
        else:
            where = f"the modes of {_STARTS} random closed positions"
        return f"all along {where}, followed over complex joint values; other modes of the loops were not examined"

    def samples(self, geometry: Mapping[str, float], shapes: Sequence[Parallelogram], seed: int) -> Array:
        """Return W: the functions (columns) in kinetic energies and in differences of potential energies.

        Velocities can be scaled arbitrarily, so that a relation between energies (A3-2) holds for kinetic and
        potential energies separately. A closed robot is sampled throughout its assembly mode. On a mobile base,
        energies of the motion of the base alone do not affect the joints.
        """
        rng = random_arrays("energy functions", seed)
        count = len(self.functions) + _MORE
        if self.robot.loops:
            return self._closed_samples(geometry, shapes, rng, count)
        q = np.array([[position[self.robot.variable(j)] for j in self.robot.tree_joints]
                      for position in closed_positions(Closing(self.robot), geometry, rng, count)])  # fmt: skip
        rates = rng.normal(size=q.shape)
        follow_couplings(self.robot, q, rates)
        return self._rows(geometry, q, [rates], np.zeros(count, dtype=int), rng)

    def _closed_samples(
        self, geometry: Mapping[str, float], shapes: Sequence[Parallelogram], rng: np.random.Generator, count: int
    ) -> Array:
        robot, closing = self.robot, Closing(self.robot, shapes)
        if robot.position:
            starts = meeting_modes(closing, reference_position(closing, robot.position, geometry))
        else:
            starts = closed_positions(closing, geometry, rng, _STARTS)
        degrees_of_freedom = max(basis.shape[1] for basis in closing.motions(starts[0], _positions(closing, starts)))
        degrees_of_freedom += 0 if robot.base.kind == "fixed" else len(_BASE_RATES)
        shared = min(_VELOCITIES, degrees_of_freedom * (degrees_of_freedom + 1) // 2)
        wanted = max(_POSITIONS, -(-2 * count // (shared + 1)), _OF_MODE * len(starts))
        motion = whole_motion(closing, starts, wanted, rng)
        tree = len(robot.tree_joints)
        velocities = []
        for _ in range(shared):
            shares = [rng.normal(size=(2, basis.shape[1])) for basis in motion.rates]
            rates = [basis @ (s[0] + 1j * s[1]) for basis, s in zip(motion.rates, shares, strict=True)]
            velocities.append(np.array(rates)[:, :tree])
        apart = np.zeros_like(motion.start) if robot.position else motion.start  # connected modes share one potential
        return self._rows(geometry, motion.q[:, :tree], velocities, apart, rng)

    def _rows(
        self, geometry: Mapping[str, float], q: Array, velocities: Sequence[Array], start: Array,
        rng: np.random.Generator,
    ) -> Array:  # fmt: skip
        """Return rows at positions of the tree, which may be complex; potentials are compared per start."""
        still, kind = np.zeros_like(q), self.robot.base.kind
        at_rest = self._table(geometry, q, still)
        first = np.array([int(np.argmax(start == k)) for k in start])
        moving = []
        for velocity in velocities:
            base = None if kind == "fixed" else rng.normal(size=(len(q), len(_BASE_RATES)))
            moving.append(self._table(geometry, q, velocity, base) - at_rest)
            if kind == "mobile":
                moving[-1] -= self._table(geometry, q[first], still, base) - at_rest[first]
        rows = np.concatenate([at_rest - at_rest[first], *moving])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.maximum(lengths, _LOW * lengths.max(initial=0.0) + np.finfo(float).tiny)
        return np.concatenate([rows.real, rows.imag]) if np.iscomplexobj(rows) else rows

    def _table(self, geometry: Mapping[str, float], q: Array, qd: Array, base: Array | None = None) -> Array:
        """Evaluate the functions (columns) in these states (rows)."""
        values: dict[str, Array | float] = {**geometry, **dict.fromkeys(_BASE_RATES, 0.0)}
        if base is not None:
            values |= dict(zip(_BASE_RATES, base.T, strict=True))
        for n, j in enumerate(self.robot.tree_joints):
            values[self.robot.variable(j)], values[_rate(j)] = q[:, n], qd[:, n]
        columns = evaluate_arrays(self.functions.values(), values)
        return np.column_stack([np.broadcast_to(column, len(q)) for column in columns])


def follow_couplings(robot: Robot, q: Array, rates: Array) -> None:
    """Return positions and rates of the tree joints (columns) of a robot without loops, coupled joints included."""
    place = {robot.variable(j): n for n, j in enumerate(robot.tree_joints)}
    for name, coupling in robot.couplings.items():
        q[:, place[name]] = sum(r * q[:, place[other]] for other, r in coupling.ratios.items()) + coupling.offset
        rates[:, place[name]] = sum(r * rates[:, place[other]] for other, r in coupling.ratios.items())


def _positions(closing: Closing, values: Sequence[Mapping[str, float]]) -> Array:
    return np.concatenate([closing.gaps.position(one) for one in values])


def _rate(j: int) -> str:
    return f"rate of joint {j}"  # cannot be a name in a description


def _exact_entries(robot: Robot, graph: Graph) -> dict[Expr, Expr]:
    """Return the description in another graph, with decimals as fractions, so that equal values stay equal."""
    entries = list(dict.fromkeys(value for _, _, value in robot.entries()))
    decimals = {
        node: graph.number(Fraction(repr(node.value)))
        for node in reachable(entries)
        if node.op == "number" and isinstance(node.value, float)
    }
    return dict(zip(entries, rebuild(entries, graph, decimals), strict=True))
