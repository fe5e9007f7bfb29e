"""A joint that follows another, as fingers and gears do."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Follow"]


@dataclass(frozen=True, slots=True)
class Follow:
    """q = `ratio` times the position of `joint`, plus `offset`.

    A relation that the description keeps: models have both joints, and whoever moves them moves them so.
    """

    joint: str
    ratio: float = 1.0
    offset: float = 0.0
