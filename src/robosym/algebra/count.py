"""Operation counts by the rule of SYMORO+, so that counts are comparable.

A binary + or - is one addition; `*`, `/`, a square and 2*x are one multiplication each; a unary minus is free; sin,
cos, sign and other functions are counted separately and not in the total. Operations on numbers are evaluated when the
model is generated and are not counted; operations on parameters count, but not in `.online`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from robosym.algebra import FUNCTIONS, Expr, Level, reachable

__all__ = ["Operations", "count", "count_nodes"]


@dataclass(frozen=True)
class Operations:
    """Number of additions, multiplications (including divisions), divisions and function calls."""

    additions: int
    multiplications: int
    divisions: int
    functions: int
    online: Operations | None = None  #: operations that depend on joint variables

    @property
    def total(self) -> int:
        return self.additions + self.multiplications

    def __str__(self) -> str:
        text = f"{self.additions} '+' or '-', {self.multiplications} '*' or '/', {self.functions} functions"
        if self.online is not None and self.online.total != self.total:
            text += f" (online: {self.online})"
        return text


def _tally(nodes: Iterable[Expr], online: Operations | None) -> Operations:
    ops = [node.op for node in nodes]
    divisions = ops.count("div")
    return Operations(
        additions=ops.count("add"),
        multiplications=ops.count("mul") + divisions,
        divisions=divisions,
        functions=sum(op in FUNCTIONS for op in ops),
        online=online,
    )


def count(roots: Iterable[Expr]) -> Operations:
    """Count the operations that compute the roots; common subexpressions count once."""
    return count_nodes(reachable(roots))


def count_nodes(nodes: Iterable[Expr]) -> Operations:
    """Count the operations of nodes of one graph."""
    number, online = Level.NUMBER, Level.ONLINE
    levels = [(node, node.level) for node in nodes if node.args]
    late = _tally((node for node, level in levels if level is online), None)
    return _tally((node for node, level in levels if level is not number), late)
