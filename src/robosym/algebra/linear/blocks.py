"""The block triangular form of a square matrix with zeros: what can be solved, or multiplied out, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["block_triangular", "matching"]


def matching(nonzero: Sequence[Sequence[bool]]) -> list[int] | None:
    """A column for each row, all different, where the entry is not zero; None where there is none (det is zero)."""
    size = len(nonzero)
    owner: list[int | None] = [None] * size  # of each column, the row
    for start in range(size):
        reached: dict[int, int] = {}  # column -> the row from which it was reached
        waiting, free = [start], None
        while waiting and free is None:
            row = waiting.pop()
            for column in range(size):
                if nonzero[row][column] and column not in reached:
                    reached[column] = row
                    holder = owner[column]
                    if holder is None:
                        free = column
                        break
                    waiting.append(holder)
        if free is None:
            return None
        given = {row: column for column, row in enumerate(owner) if row is not None}
        passed: int | None = free
        while passed is not None:  # hand each column on along the path to its new row
            row = reached[passed]
            owner[passed] = row
            passed = given.get(row)
    columns = [0] * size
    for column, holder in enumerate(owner):
        assert holder is not None
        columns[holder] = column
    return columns


def block_triangular(nonzero: Sequence[Sequence[bool]]) -> list[tuple[list[int], list[int]]] | None:
    """Diagonal blocks as (rows, columns); each involves its own columns and those of earlier blocks only.

    None where the pattern alone makes the matrix singular.
    """
    column_of = matching(nonzero)
    if column_of is None:
        return None
    row_of = {column: row for row, column in enumerate(column_of)}
    needs = [[row_of[c] for c, there in enumerate(row) if there and c != column_of[r]] for r, row in enumerate(nonzero)]
    return [(sorted(rows), [column_of[r] for r in sorted(rows)]) for rows in _components(needs)]


def _components(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, those needed by others first (Tarjan, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    placed: set[int] = set()
    found: list[list[int]] = []
    for start in range(len(needs)):
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        work = [(start, iter(needs[start]))]
        while work:
            row, successors = work[-1]
            for other in successors:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    work.append((other, iter(needs[other])))
                    break
                if other not in placed:
                    low[row] = min(low[row], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[row])
                if low[row] == order[row]:
                    component = stack[stack.index(row):]  # fmt: skip
                    del stack[-len(component):]  # fmt: skip
                    placed.update(component)
                    found.append(component)
    return found
