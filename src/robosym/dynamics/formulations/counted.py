"""A number that counts what is done with it: an algorithm's own cost, before any zero or symbol is exploited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Counted", "Tally"]


@dataclass
class Tally:
    """Operations so far; a division is a multiplication, a change of sign is free."""

    additions: int = 0
    multiplications: int = 0

    @property
    def total(self) -> int:
        return self.additions + self.multiplications


class Counted:
    """A float that reports every addition and multiplication to its tally.

    A Python integer stands for a 0 or 1 that is written into an algorithm (the axis z, a scale by sigma): nobody adds
    or multiplies by it, and it costs nothing. Whatever comes from the robot is a Counted, be it zero or not.
    """

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Tally) -> None:
        self.value = value
        self.tally = tally

    def _new(self, value: float) -> Counted:
        return Counted(value, self.tally)

    def __add__(self, other: Any) -> Counted:
        if isinstance(other, int):
            return self._new(self.value + other)
        self.tally.additions += 1
        return self._new(self.value + other.value)

    __radd__ = __add__

    def __neg__(self) -> Counted:
        return self._new(-self.value)

    def __sub__(self, other: Any) -> Counted:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Counted:
        return self.__neg__().__add__(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int) and other in (-1, 0, 1):
            return 0 if other == 0 else self._new(other * self.value)
        self.tally.multiplications += 1
        return self._new(self.value * (other if isinstance(other, int) else other.value))

    __rmul__ = __mul__

    def __float__(self) -> float:
        return float(self.value)
