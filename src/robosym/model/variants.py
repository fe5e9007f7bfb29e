"""Variants of a model: the same outputs by other algorithms, offered by the one that made it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robosym.model.model import Model

__all__ = ["Trial", "Variants"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What the optimizer hands to an algorithm that looks for its best variant."""

    finished: Callable[[Model], Model]  #: a variant with the outputs that are wanted, after the passes of the optimizer
    thorough: bool  #: whether to search on from the first variants
    tell: Callable[[str], None]  #: progress


@dataclass(frozen=True, slots=True)
class Variants:
    """Models that have the same `outputs`; other variables belong to one algorithm."""

    outputs: tuple[str, ...]
    offer: Callable[[Trial], Iterator[Model]]  #: each of them finished; a partial of a function, so that models pickle
