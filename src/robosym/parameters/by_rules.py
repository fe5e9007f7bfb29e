"""Base parameters by symbolic rules: those of trees, then the relations of loops (guide 4.5.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph
from robosym.algebra.linear.echelon import Coefficient, Row, coefficients, reduced_rows
from robosym.coordinates.assembly import assembled_parallelograms
from robosym.coordinates.loops import loops_of, parallelogram_of
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.motion import frame_places
from robosym.parameters.freedom import motions
from robosym.parameters.grouping import grouped_in_tree
from robosym.parameters.linear_forms import linear_coefficients
from robosym.parameters.loop_relations import loop_relations
from robosym.parameters.standard import LinkField, Standard, inertial_fields, unused

__all__ = ["grouped_by_rules"]


def grouped_by_rules(robot: Robot, standard: Standard, closed: bool) -> dict[LinkField, Expr]:
    """Linear forms in the standard parameters that are left on the links; `closed` applies the rules of loops too."""
    graph = Graph()
    places, gravity = frame_places(robot, graph)
    # of the robot's mode, but over the expressions of this graph
    stay = assembled_parallelograms(robot) if closed and robot.position else None
    shapes = [
        shape for n, loop in enumerate(loops_of(robot) if closed else ()) if stay is None or n in stay
        if (shape := parallelogram_of(robot, places, loop)) is not None
    ]  # fmt: skip
    motion = motions(robot, places, shapes)
    present = names = {p.place: p.name for p in standard.inertial}
    if closed:  # every parameter takes part, as a relation may go through a link that has none; M15 may be taken
        taken = {*present.values(), *robot.parameters}
        absent = [(j, field) for j in range(1, robot.NL + 1) for field in INERTIA if (j, field) not in present]
        names = {(j, field): unused(f"{field}{j}", taken, "_") for j, field in absent} | present
    left = grouped_in_tree(robot, graph, names, places, gravity, motion)
    if not closed and all(place in present for place in left):
        return left
    place_of = {name: place for place, name in names.items()}
    matrix = {
        base: coefficients({place_of[name]: c for name, c in linear_coefficients(form, place_of).items()})
        for base, form in left.items()
    }
    order = [(j, field) for j in range(robot.NL + 1) for field in inertial_fields]
    if closed:
        relations = loop_relations(robot, places, shapes, motion)
        matrix = _with_relations(matrix, ({at: graph.zero + c for at, c in r.items()} for r in relations), order)
    return {base: _form(row, present, graph) for base, row in _minimal(matrix, present, order).items()}


def _with_relations(
    matrix: Mapping[LinkField, Row[LinkField]],
    relations: Iterable[Mapping[LinkField, Expr]],
    order: Sequence[LinkField],
) -> dict[LinkField, Row[LinkField]]:
    """Base parameters when also the energy functions of the standard ones are related.

    A relation between standard parameters is one between base parameters by the matrix; the one that comes last in
    `order` is eliminated, and what it holds goes to the others.
    """
    over_base: list[Row[LinkField]] = []
    for relation in relations:
        weights = coefficients(relation)
        row: Row[LinkField] = {}
        for base, entries in matrix.items():
            shares = [entries[place] * weight for place, weight in weights.items() if place in entries]
            if shares:
                total = shares[0]
                for share in shares[1:]:
                    total = total + share
                if not total.is_zero:
                    row[base] = total
        over_base.append(row)
    last_first = sorted(matrix, key=order.index, reverse=True)
    left = {base: dict(entries) for base, entries in matrix.items()}
    for gone, row in reduced_rows(over_base, last_first).items():
        entries = matrix[gone]
        del left[gone]
        for base, weight in row.items():  # h_gone = - sum weight h_base
            if base != gone:
                _add(left[base], entries, -weight)
    return left


def _minimal(
    matrix: Mapping[LinkField, Row[LinkField]], present: Collection[LinkField], order: Sequence[LinkField]
) -> dict[LinkField, Row[LinkField]]:
    """Base parameters when only some standard parameters are there: each is one of these, with others grouped.

    Parameters that keep their place come first, then those nearer to the base.
    """
    rows = {
        base: {place: entry for place, entry in entries.items() if place in present} for base, entries in matrix.items()
    }
    rows = {base: row for base, row in rows.items() if row}
    if all(base in present for base in rows):
        return rows
    preference = sorted(present, key=lambda place: (place not in rows, order.index(place)))
    reduced = reduced_rows(rows.values(), preference)
    if len(reduced) == len(rows):  # none too many: they may stand on links that have no such parameter of their own
        return rows
    return {place: reduced[place] for place in order if place in reduced}


def _add(row: Row[LinkField], other: Mapping[LinkField, Coefficient], factor: Coefficient) -> None:
    for place, entry in other.items():
        change = entry * factor
        total = row[place] + change if place in row else change
        if total.is_zero:
            row.pop(place, None)
        else:
            row[place] = total


def _form(row: Row[LinkField], names: Mapping[LinkField, str], graph: Graph) -> Expr:
    """The sum of coefficient times standard parameter."""
    total = graph.zero
    for place, entry in row.items():
        total = total + entry.expression * graph.symbol(names[place])
    return total
