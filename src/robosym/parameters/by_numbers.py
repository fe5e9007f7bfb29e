"""Numeric base parameters: the rank of the energy functions at random points (guide, appendix 4.3).

The energy is H = h K, with K the standard parameters (A3-1). The columns of differences of the row h between random
points of the closed robot (A3-2) show which parameters are independent, and how the others are grouped with them. The
columns of parameters that remain after the symbolic rules come first, so that they are preferred as independent ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, Graph, Level, evaluate
from robosym.algebra.generic import generic_values
from robosym.algebra.modular import PRIME, modular_rank, residues
from robosym.algebra.subspaces import independent_columns
from robosym.coordinates.closed_samples import assembled_parallelograms
from robosym.coordinates.loops import Parallelogram
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY, Robot
from robosym.parameters.energy_rows import EnergyRow
from robosym.parameters.linear_forms import linear_coefficients
from robosym.parameters.standard import LinkField, Standard
from robosym.spatial import cos, sin

__all__ = [
    "Check",
    "Dependence",
    "NotMinimal",
    "Vocabulary",
    "are_independent",
    "check_by_numbers",
    "dependence",
    "exact_rank",
    "geometry_entries",
    "has_full_rank",
    "has_symbols",
]

_CLOSE = 1e-7  #: accuracy of a least-squares solution; other expressions rarely agree so closely
_DENOMINATOR = 1000  #: largest denominator of fractions that are considered exact
_FACTORS = (Fraction(1), Fraction(2), Fraction(1, 2))


def geometry_entries(robot: Robot, graph: Graph) -> list[Expr]:
    """Return lengths, and sines and cosines of angles, of the constant geometry, and coefficients of couplings."""
    found: list[Expr] = []
    for frame in robot.frames:
        entries = {name: graph.copy([getattr(frame, name)])[0] for name in GEOMETRY}
        for name, entry in entries.items():
            if name == frame.joint_type.variable:
                continue
            if name in ("gamma", "alpha", "theta"):
                found += [cos(entry), sin(entry)] if entry.level is not Level.NUMBER or not entry.is_zero else []
            else:
                found.append(entry)
        if frame.joint_type.turns and frame.joint_type.slides:
            found.append(graph.number(frame.joint_type.linear))
    for coupling in robot.couplings.values():
        offset = graph.number(coupling.offset)
        found += [cos(offset), sin(offset)] if coupling.offset else []
        for ratio in coupling.ratios.values():  # for the joint, and for its link if axes are parallel
            found += [graph.number(ratio), graph.number(1 + ratio), graph.number(1 - ratio)]
    return found


def has_symbols(entries: Iterable[Expr]) -> bool:
    """Whether some entries contain symbols."""
    return any(entry.level is not Level.NUMBER for entry in entries)


class Vocabulary:
    """Products and quotients of geometric quantities, with their values for several geometries."""

    def __init__(self, graph: Graph, entries: Iterable[Expr], geometries: Sequence[Mapping[str, float]]) -> None:
        self.graph = graph
        one = graph.one
        atoms = [e for e in dict.fromkeys(e.node for e in entries) if not e.is_number or e.number not in (0, 1)]
        words = dict.fromkeys(
            [one, *atoms, *(a * b for a, b in product(atoms, atoms)), *(a / b for a, b in product(atoms, atoms)),
             *(1 / a for a in atoms), *(a * a / b for a, b in product(atoms, atoms))]
        )  # fmt: skip
        self.words = [word for word in words if not word.is_zero]
        self.values = np.array([evaluate(self.words, geometry) for geometry in geometries]).T

    def recognize(self, numbers: Sequence[float]) -> Expr | None:
        """Return the expression with these values, one per geometry, or None if there is no short one."""
        wanted = np.array(numbers)
        if np.all(np.abs(wanted) < _CLOSE):
            return self.graph.zero
        for factor in _FACTORS:
            for sign in (1, -1):
                near = np.all(np.abs(sign * float(factor) * self.values - wanted) < _CLOSE, axis=1)
                if near.any():
                    return self.graph.number(sign * factor) * self.words[int(np.argmax(near))]
        exact = Fraction(wanted[0]).limit_denominator(_DENOMINATOR)
        return self.graph.number(exact) if np.all(np.abs(wanted - float(exact)) < _CLOSE) else None


Array = NDArray[np.float64]
_LOST_DIGITS = 1e4  #: iterative loop closure loses more digits than one sum; twelve remain
_FEW_DIGITS = 1e-8
_GAP = 0.01  #: largest ratio of residuals of dependent and independent columns for a clear rank
_MORE = 8  #: additional rows, so that an unfavorable row does not reduce the exact rank


def exact_rank(functions: Iterable[Expr], varying: Sequence[str]) -> int:
    """Return the generic rank of functions of the `varying` symbols, up to constants, from differences of samples.

    It is never larger than the true rank; see `robosym.algebra.modular`.
    """
    functions = list(functions)
    rows = residues(functions, varying, len(functions) + _MORE + 1)
    return modular_rank((rows[1:] - rows[:1]) % PRIME)[0]


@dataclass(frozen=True)
class Dependence:
    """Columns of a matrix that depend linearly on earlier columns, and their coefficients."""

    independent: list[int]
    dependent: list[int]
    weights: Array  #: dependent columns = independent columns @ weights
    tolerance: float
    smallest_kept: float
    largest_dropped: float

    @property
    def clear(self) -> bool:
        """Whether the residuals determine the rank clearly."""
        return self.largest_dropped < _GAP * self.smallest_kept


def has_full_rank(matrix: Array) -> bool:
    """Whether the columns are independent, by singular values of the normalized columns."""
    lengths = np.linalg.norm(matrix, axis=0)
    if not matrix.shape[1] or lengths.min() <= _tolerance(matrix) * lengths.max():
        return not matrix.shape[1]
    return bool(np.linalg.svd(matrix / lengths, compute_uv=False)[-1] > _tolerance(matrix) / _GAP)


def _tolerance(matrix: Array) -> float:
    return float(_LOST_DIGITS * max(matrix.shape) * np.finfo(float).eps)


def dependence(matrix: Array, few_digits: bool = False) -> Dependence:
    """Return the columns that depend on earlier ones (`independent_columns`), and their coefficients.

    A column is dependent if its relative residual is below the tolerance. Loops whose geometry is rounded do not close
    exactly: with `few_digits`, a larger tolerance is tried if the rank is unclear.
    """
    found = _dependence(matrix, _tolerance(matrix))
    if few_digits and not found.clear:
        coarse = _dependence(matrix, _FEW_DIGITS)
        found = coarse if coarse.clear else found
    return found


def _dependence(matrix: Array, tolerance: float) -> Dependence:
    independent, left = independent_columns(matrix, tolerance)
    dependent = [column for column in range(matrix.shape[1]) if column not in independent]
    smallest, largest = float(left[independent].min(initial=1.0)), float(left[dependent].max(initial=0.0))
    solution = np.linalg.lstsq(matrix[:, independent], matrix[:, dependent], rcond=None)[0]
    return Dependence(independent, dependent, np.asarray(solution, dtype=np.float64), tolerance, smallest, largest)


_AGREE = 1e-7  #: relative tolerance for energies of the symbolic grouping
_SMALL = 1e-6  #: columns that are smaller relative to the largest one are not compared
_TRIALS = 8  #: maximum number of random geometries, until two agree


class NotMinimal(InputError):
    """Raised if a dependence between parameters cannot be written for a geometry with symbols."""


@dataclass(frozen=True)
class Check:
    """Result of the numeric check of a symbolic grouping."""

    missed: tuple[str, ...]  #: base parameters that depend on others
    left: Mapping[LinkField, Expr]  #: remaining parameters after grouping these too
    remark: str


def check_by_numbers(
    robot: Robot, standard: Standard, grouping: Mapping[str, Expr], places: Mapping[str, LinkField]
) -> Check:
    """Compare the base parameters of a closed robot or a tree, with groupings and places, with a numeric rank."""
    kept = list(places.values())
    present = [p.place for p in standard.inertial]
    row = EnergyRow.of(robot, [*kept, *(place for place in present if place not in kept)])
    graph = Graph()
    shapes = list(assembled_parallelograms(robot).values())
    geometries, found = _agreeing(row, shapes, _matrix(standard, grouping, list(row.functions)))
    first = found[0]
    remark = (
        f"rank {len(first.independent)} of {len(present)} columns by QR of energies {row.domain}: "
        f"smallest residual kept {first.smallest_kept:.1e}, largest dropped {first.largest_dropped:.1e}, "
        f"tolerance {first.tolerance:.1e}"
    )
    if not robot.constrained and robot.base.kind == "fixed":
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
    """Whether a numeric rank shows clearly that these base parameters are independent."""
    row = EnergyRow.of(robot, list(places.values()))
    shapes = list(assembled_parallelograms(robot).values())
    for seed in range(_TRIALS):
        geometry = generic_values({*robot.parameters, *row.constants}, seed)
        try:
            return has_full_rank(row.samples(geometry, shapes, seed))
        except InputError:  # the loops do not close for this geometry
            continue
    return False


# ----------------------------------------------------------------------------- the rank, and the symbolic grouping

#: base = matrix @ standard, as nonzero coefficients: {row: {column: coefficient}}
Matrix = Sequence[Mapping[int, Expr]]


def _matrix(standard: Standard, grouping: Mapping[str, Expr], order: Sequence[LinkField]) -> Matrix:
    """Return the matrix of a grouping, with columns in this order."""
    column = {p.name: order.index(p.place) for p in standard.inertial}
    rows = (linear_coefficients(form, standard.names) for form in grouping.values())
    return [{column[name]: coefficient for name, coefficient in row.items()} for row in rows]


def _agreeing(
    row: EnergyRow, shapes: Sequence[Parallelogram], matrix: Matrix
) -> tuple[list[dict[str, float]], list[Dependence]]:
    """Return results for two geometries with a clear rank that agree with each other and with the symbolic grouping.

    A random geometry may be unsuitable: its loops do not close, or hardly move.
    """
    robot = row.robot
    known: list[tuple[dict[str, float], Dependence]] = []
    trouble = ""
    for seed in range(_TRIALS):
        geometry = generic_values({*robot.parameters, *row.constants}, seed)
        try:
            samples = row.samples(geometry, shapes, seed)
            found = dependence(samples, few_digits=bool(robot.loops))
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
        off = max(_differences(numbers, found, samples), default=0.0)
        if off > _AGREE:
            trouble = f"energies of the symbolic grouping differ by {off:.1e}"
            continue
        for other, same in known:
            if same.independent == found.independent:
                return [other, geometry], [same, found]
        known.append((geometry, found))
    raise InputError(f"the numeric rank of the base parameters of {robot.name} is unclear: {trouble}")


def _differences(matrix: Array, found: Dependence, samples: Array) -> Iterator[float]:
    """Return the relative error of each dependent column as computed from the symbolic grouping."""
    count = len(matrix)
    # a dependent base column is replaced by the combination of the others
    reduction = np.zeros((len(found.independent), count))
    for row, n in enumerate(found.independent):
        reduction[row, n] = 1
    for at, n in enumerate(found.dependent):
        if n < count:
            reduction[:, n] = found.weights[:, at]
    grouped: Array = reduction @ matrix
    kept = samples[:, found.independent]
    lengths = np.linalg.norm(kept, axis=0)
    least = _SMALL * float(lengths.max(initial=0.0))  # a column without effect contains only rounding errors
    for n in found.dependent:
        if n >= count:
            rest = float(np.linalg.norm(kept @ grouped[:, n] - samples[:, n]))
            size = float(np.linalg.norm(samples[:, n]) + np.max(lengths * np.abs(grouped[:, n]), initial=0.0))
            yield rest / max(size, least) if least else 0.0


# ----------------------------------------------------------------------------- dependencies that the rules missed


def _grouped(
    robot: Robot, grouping: Mapping[str, Expr], missed: Sequence[int], found: Sequence[Dependence], words: Vocabulary
) -> dict[str, Expr]:
    """Return the remaining parameters after grouping the missed ones with those on which they depend."""
    names, first = list(grouping), found[0]
    forms = words.graph.copy(grouping.values())
    left = {n: forms[n] for n in first.independent}
    for column in missed:
        at = first.dependent.index(column)
        for row, n in enumerate(first.independent):
            weights = [dependence.weights[row, at] for dependence in found]
            weight = words.recognize(weights)
            if weight is None:
                if has_symbols(words.words):
                    raise NotMinimal(
                        f"the rank is {len(first.independent)}, and {names[column]} is grouped with {names[n]} by a "
                        f"coefficient that is not a short expression of the geometry of {robot.name}: give numbers for "
                        "its lengths and angles"
                    )
                weight = words.graph.number(float(weights[0]))
            left[n] = left[n] + weight * forms[column]
    return {names[n]: form for n, form in left.items()}
