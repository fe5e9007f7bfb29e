"""What a step solves for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Angle", "Variable"]

#: Joints that a variable is the signed sum of: (("t2", 1), ("t3", 1)); a length has one.
Angle = tuple[tuple[str, int], ...]


@dataclass(frozen=True, order=True, slots=True)
class Variable:
    """An unknown: a sum of angles, or the length of a prismatic joint."""

    terms: Angle
    prismatic: bool = False

    @property
    def name(self) -> str:
        """`t2`, `t2 + t3`, `t2 - t3`."""
        first, *rest = self.terms
        return first[0] + "".join(f" {'+' if sign > 0 else '-'} {name}" for name, sign in rest)
