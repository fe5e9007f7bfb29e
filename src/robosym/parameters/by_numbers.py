"""Base parameters by numbers: the rank of the energy functions at random points (guide, appendix 4.3).

The energy is H = h K, K the standard parameters (A3-1). The columns of differences of the row h between random points
of the closed robot (A3-2) tell which parameters are independent, and how the others are grouped with them. Columns of
the parameters that the symbolic rules kept come first, so that the first independent ones are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from robosym.algebra import Expr, Graph, evaluate, reachable, rebuild, symbols
from robosym.algebra.generic import generic_values, random_arrays
from robosym.algebra.samples import evaluate_arrays
from robosym.description import Robot
from robosym.description.kinds import need_base
from robosym.errors import InputError
from robosym.loops.assembly import assembled_parallelograms
from robosym.loops.closed_samples import closed_positions
from robosym.loops.closing import Closing
from robosym.loops.parallelogram import Parallelogram
from robosym.parameters.energy_functions import energy_functions, weight_pass
from robosym.parameters.linear_forms import linear_coefficients
from robosym.parameters.rank import Array, Dependence, dependence, exact_rank, has_full_rank
from robosym.parameters.standard import LinkField, Standard
from robosym.parameters.vocabulary import Vocabulary, geometry_entries, has_symbols
from robosym.spatial import Vec3
from robosym.tree.motion import AT_REST, hinges, velocity_pass

__all__ = ["Check", "are_independent", "check_by_numbers"]

_AGREE = 1e-6  #: symbolic and numeric coefficients, of the order of one, differ by no more
_TRIALS = 8  #: of geometries, until two agree
_MORE = 10  #: rows than columns, so that an unlucky one does no harm
_SHARED = 4  #: velocities at one configuration of a closed robot, which is the costly part


@dataclass(frozen=True)
class Check:
    """What numbers say about a symbolic grouping."""

    missed: tuple[str, ...]  #: base parameters that depend on others
    left: Mapping[LinkField, Expr]  #: what is left on each link when these are grouped too
    remark: str


def check_by_numbers(
    robot: Robot, standard: Standard, grouping: Mapping[str, Expr], places: Mapping[str, LinkField]
) -> Check:
    """The base parameters of a closed robot or a tree, with their groupings and places, compared with numbers."""
    kept = list(places.values())
    present = [p.place for p in standard.inertial]
    row = EnergyRow.of(robot, [*kept, *(place for place in present if place not in kept)])
    graph = Graph()
    shapes = list(assembled_parallelograms(robot).values())
    geometries, found = _agreeing(row, shapes, _matrix(standard, grouping, list(row.functions)))
    first = found[0]
    remark = (
        f"rank {len(first.independent)} of {len(present)} columns by QR of energy differences: "
        f"smallest residual kept {first.smallest_kept:.1e}, largest dropped {first.largest_dropped:.1e}, "
        f"tolerance {first.tolerance:.1e}"
    )
    if not robot.loops:
        proved = exact_rank((row.functions[place] for place in present), row.varying)
        remark += f"; exact rank {proved}" + (" (proved)" if proved == len(kept) else "")
    names = list(grouping)
    missed = [n for n in first.dependent if n < len(kept)]
    left: dict[LinkField, Expr] = {}
    if missed:
        words = Vocabulary(graph, geometry_entries(robot, graph), geometries)
        forms = _grouped(robot, grouping, missed, found, words)
        left = {places[name]: form for name, form in forms.items()}
    return Check(tuple(names[n] for n in missed), left, remark)


def are_independent(robot: Robot, places: Mapping[str, LinkField]) -> bool:
    """Whether numbers leave no doubt that none of these base parameters of a closed robot depends on the others."""
    row = EnergyRow.of(robot, list(places.values()))
    shapes = list(assembled_parallelograms(robot).values())
    for seed in range(_TRIALS):
        geometry = generic_values({*robot.parameters, *row.constants}, seed)
        try:
            return has_full_rank(row.differences(geometry, shapes, seed))
        except InputError:  # the loops do not close for this geometry
            continue
    return False


# ----------------------------------------------------------------------------- the row h, and samples of it


@dataclass(frozen=True)
class EnergyRow:
    """The energy functions of a robot's tree as expressions, and how to put numbers into them."""

    robot: Robot
    functions: Mapping[LinkField, Expr]

    @classmethod
    def of(cls, robot: Robot, columns: Sequence[LinkField]) -> EnergyRow:
        need_base(robot, "base_parameters by method='numeric'", "fixed")
        graph = Graph()
        value = _exact_entries(robot, graph).__getitem__

        def rate(j: int) -> Expr:
            return graph.symbol(_rate(j), online=True)

        hinge = hinges(robot, range(1, robot.NL + 1), value, accelerated=False, rate=rate)
        weight = weight_pass(hinge, Vec3(*map(value, robot.gravity)))
        values = energy_functions(hinge, velocity_pass(hinge, AT_REST), weight, columns)
        return cls(robot, dict(zip(columns, (graph.zero + value for value in values), strict=True)))

    @property
    def varying(self) -> list[str]:
        """Positions and velocities of the joints."""
        return [name for j in self.robot.tree_joints for name in (self.robot.variable(j), _rate(j))]

    @property
    def constants(self) -> list[str]:
        """Symbols of the geometry and of gravity that the functions depend on."""
        varying = set(self.varying)
        return [name for name in symbols(self.functions.values()) if name not in varying]

    def differences(self, geometry: Mapping[str, float], shapes: Sequence[Parallelogram], seed: int) -> Array:
        """W: of the functions (columns) between random points of the closed robot (A3-2, remark 1)."""
        robot, rng = self.robot, random_arrays("energy functions", seed)
        closing = Closing(robot, shapes)
        rows = len(self.functions) + _MORE
        positions: list[Mapping[str, float]] = []
        velocities: list[Array] = []
        shared = _SHARED if robot.loops else 1
        closed = closed_positions(closing, geometry, rng, -(-2 * rows // shared))
        bases = closing.motions(geometry, np.concatenate([closing.gaps.position(position) for position in closed]))
        for position, basis in zip(closed, bases, strict=True):
            for _ in range(shared):
                positions.append(position)
                velocities.append(basis @ rng.normal(size=basis.shape[1]))
        values: dict[str, Array | float] = dict(geometry)
        for n, j in enumerate(robot.tree_joints):
            values[robot.variable(j)] = np.array([position[robot.variable(j)] for position in positions])
            values[_rate(j)] = np.array([v[n] for v in velocities])
        columns = evaluate_arrays(self.functions.values(), values)
        table: Array = np.column_stack([np.broadcast_to(column, len(positions)) for column in columns])
        half = len(positions) // 2
        return table[:half] - table[half : 2 * half]


def _rate(j: int) -> str:
    return f"rate of joint {j}"  # never a name that a description can hold


def _exact_entries(robot: Robot, graph: Graph) -> dict[Expr, Expr]:
    """The description in another graph, its decimal numbers as fractions, so that what is equal stays equal."""
    entries = list(dict.fromkeys(value for _, _, value in robot.entries()))
    decimals = {
        node: graph.number(Fraction(repr(node.value)))
        for node in reachable(entries)
        if node.op == "number" and isinstance(node.value, float)
    }
    return dict(zip(entries, rebuild(entries, graph, decimals), strict=True))


# ----------------------------------------------------------------------------- the rank, and the symbolic grouping

#: base = matrix @ standard: of each row {column: coefficient}, zeros left out
Matrix = Sequence[Mapping[int, Expr]]


def _matrix(standard: Standard, grouping: Mapping[str, Expr], order: Sequence[LinkField]) -> Matrix:
    """Of a grouping, columns in this order."""
    column = {p.name: order.index(p.place) for p in standard.inertial}
    rows = (linear_coefficients(form, standard.names) for form in grouping.values())
    return [{column[name]: coefficient for name, coefficient in row.items()} for row in rows]


def _agreeing(
    row: EnergyRow, shapes: Sequence[Parallelogram], matrix: Matrix
) -> tuple[list[dict[str, float]], list[Dependence]]:
    """Two geometries that leave no doubt about the rank, and agree on it and with the symbolic grouping.

    A geometry may be bad by chance: one in which the loops do not close, or hardly move.
    """
    robot = row.robot
    known: list[tuple[dict[str, float], Dependence]] = []
    trouble = ""
    for seed in range(_TRIALS):
        geometry = generic_values({*robot.parameters, *row.constants}, seed)
        try:
            found = dependence(row.differences(geometry, shapes, seed))
        except InputError as error:  # the loops do not close
            if not has_symbols(geometry_entries(robot, Graph())):
                raise
            trouble = str(error)
            continue
        trouble = f"largest residual dropped {found.largest_dropped:.1e}, smallest kept {found.smallest_kept:.1e}"
        if found.independent[-1:] >= [len(matrix)] or not found.clear:
            continue
        numbers = np.zeros((len(matrix), len(row.functions)))
        for n, entries in enumerate(matrix):
            numbers[n, list(entries)] = evaluate(entries.values(), geometry)
        off = max(_differences(numbers, found), default=0.0)
        if off > _AGREE:
            trouble = f"the coefficients of the symbolic grouping are off by {off:.1e}"
            continue
        for other, same in known:
            if same.independent == found.independent:
                return [other, geometry], [same, found]
        known.append((geometry, found))
    raise InputError(f"the base parameters of {robot.name} are not clear from numbers: {trouble}")


def _differences(matrix: Array, found: Dependence) -> Iterator[float]:
    """How far each dependent column is from what the symbolic grouping says, in units of coefficients."""
    count = len(matrix)
    # a base column that depends on others counts as their sum
    reduction = np.zeros((len(found.independent), count))
    for row, n in enumerate(found.independent):
        reduction[row, n] = 1
    for at, n in enumerate(found.dependent):
        if n < count:
            reduction[:, n] = found.weights[:, at]
    grouped: Array = reduction @ matrix
    for at, n in enumerate(found.dependent):
        if n >= count:
            yield float(np.max(np.abs(grouped[:, n] - found.weights[:, at]), initial=0.0))


# ----------------------------------------------------------------------------- what the rules missed


def _grouped(
    robot: Robot, grouping: Mapping[str, Expr], missed: Sequence[int], found: Sequence[Dependence], words: Vocabulary
) -> dict[str, Expr]:
    """What is left when the missed parameters, numbers in `grouping`, go to those that they depend on."""
    names, first = list(grouping), found[0]
    forms = words.graph.copy(grouping.values())
    left = {n: forms[n] for n in first.independent}
    for column in missed:
        at = first.dependent.index(column)
        for row, n in enumerate(first.independent):
            weights = [dependence.weights[row, at] for dependence in found]
            weight = words.recognise(weights)
            if weight is None:
                if has_symbols(words.words):
                    raise InputError(
                        f"{names[column]} is grouped with {names[n]} by a coefficient that is no short expression of "
                        f"the geometry of {robot.name}: give numbers for its lengths and angles"
                    )
                weight = words.graph.number(float(weights[0]))
            left[n] = left[n] + weight * forms[column]
    return {names[n]: form for n, form in left.items()}
