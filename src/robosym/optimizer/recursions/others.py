"""What the optimizer may ask about the models of one algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from robosym.model import Model, Origin
from robosym.optimizer.recursions.trial import Trial

__all__ = ["Others"]


def _none(made: Origin) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Others:
    """The other recursions for the models of one algorithm."""

    outputs: frozenset[str]  #: the groups that they have; other variables belong to one algorithm
    search: Callable[[Origin, Trial], Iterator[Model]]  #: the best of them, each finished
    quick: Callable[[Origin], Model | None] = _none  #: one that takes little time to make, where there is one
