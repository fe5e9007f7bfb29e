"""Fewer parameters than the rules of trees leave: relations of loops, and links without some of their parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph
from robosym.algebra.linear.echelon import Coefficient, Row, coefficients, reduced_rows

__all__ = ["as_expression", "as_rows", "minimal", "with_relations"]

Place = tuple[int, str]
Matrix = Mapping[Place, Mapping[Place, Expr]]  #: base parameter -> standard parameter -> coefficient


def with_relations(
    matrix: Mapping[Place, Row[Place]], relations: Iterable[Mapping[Place, Expr]], order: Sequence[Place]
) -> dict[Place, Row[Place]]:
    """Base parameters when also the energy functions of the standard ones are related.

    A relation between standard parameters is one between base parameters by the matrix; the one that comes last in
    `order` is eliminated, and what it holds goes to the others.
    """
    over_base: list[Row[Place]] = []
    for relation in relations:
        weights = coefficients(relation)
        row: Row[Place] = {}
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


def minimal(
    matrix: Mapping[Place, Row[Place]], present: Collection[Place], order: Sequence[Place]
) -> dict[Place, Row[Place]]:
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


def _add(row: Row[Place], other: Mapping[Place, Coefficient], factor: Coefficient) -> None:
    for place, entry in other.items():
        change = entry * factor
        total = row[place] + change if place in row else change
        if total.is_zero:
            row.pop(place, None)
        else:
            row[place] = total


def as_rows(matrix: Matrix) -> dict[Place, Row[Place]]:
    """Each coefficient with its value in general position."""
    return {base: coefficients(entries) for base, entries in matrix.items()}


def as_expression(row: Row[Place], names: Mapping[Place, str], graph: Graph) -> Expr:
    """The sum of coefficient times standard parameter."""
    total = graph.zero
    for place, entry in row.items():
        total = total + entry.expression * graph.symbol(names[place])
    return total
