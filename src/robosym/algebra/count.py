"""The operation count by SYMORO+'s rule, so that figures compare.

A binary + or - is one addition; `*`, `/` and a square are one multiplication each (2*x too); a unary minus is free;
sin, cos, sign and the other functions are counted apart and not in the total. Work on numbers alone is done before the
model is written and costs nothing; work on parameters alone counts, but not in `.online`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from robosym.algebra import FUNCTIONS, Expr, Level, reachable

__all__ = ["Operations", "count", "count_nodes"]


@dataclass(frozen=True)
class Operations:
    """Additions, multiplications (divisions among them), divisions and function calls."""

    additions: int
    multiplications: int
    divisions: int
    functions: int
    online: Operations | None = None  #: the share that depends on joint variables

    @property
    def total(self) -> int:
        return self.additions + self.multiplications

    def __str__(self) -> str:
        text = f"{self.additions} '+' or '-', {self.multiplications} '*' or '/', {self.functions} functions"
        if self.online is not None and self.online.total != self.total:
            text += f" (on line: {self.online})"
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
    """The operations that compute the roots, each shared expression once."""
    return count_nodes(reachable(roots))


def count_nodes(nodes: Iterable[Expr]) -> Operations:
    """The operations among nodes of one graph."""
    number, online = Level.NUMBER, Level.ONLINE
    levels = [(node, node.level) for node in nodes if node.args]
    late = _tally((node for node, level in levels if level is online), None)
    return _tally((node for node, level in levels if level is not number), late)
