"""What the optimizer hands to the searches among other recursions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

from robosym.errors import InputError
from robosym.model import Layout, Model, Origin, flat
from robosym.optimizer import effort

__all__ = ["Others", "Tell", "Trial"]


class Tell(Protocol):
    """Hears what is done, and the share of it that is behind us, where that is known."""

    def __call__(self, text: str, share: float | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Trial:
    """The outputs that are wanted, what a model costs, and the passes that make it cheaper."""

    outputs: Mapping[str, Layout]  #: those that are wanted
    passes: Callable[[Model], Model]  #: the algebraic passes of the optimizer
    measure: Callable[[Model], float]  #: what a model costs: what is sought is the least
    thorough: bool  #: whether to search on from the first variants
    tell: Tell  #: progress
    in_time: Callable[[], bool]  #: whether there is time for more
    given: float = inf  #: what the model that was given costs, before the passes

    def wanted(self, variant: Model) -> Model:
        """A variant with the outputs that are wanted, and no others."""
        for layout in self.outputs.values():
            for name in flat(layout):
                if name not in variant.definitions:
                    raise InputError(f"the other recursion has no {name}")
        return replace(variant, outputs=self.outputs)

    def finished(self, variant: Model) -> Model:
        """A variant with the outputs that are wanted, after the passes."""
        return self.passes(self.wanted(variant))

    def cost(self, variant: Model) -> float:
        """Of a variant as it stands."""
        return self.measure(self.wanted(variant))

    def promises(self, cost: float, least: float) -> bool:
        """Whether a variant of a cost may become better than one of the least cost known, both before the passes."""
        return cost <= least * (1 + effort.MARGIN)

    def best_of(self, variants: Iterable[Model]) -> Iterator[Model]:
        """Those that are worth it, finished, the cheapest first."""
        known: list[tuple[float, int, Model]] = []
        for place, variant in enumerate(variants):
            known.append((self.cost(variant), place, variant))
            if not self.in_time():
                break
        known.sort(key=_first)
        for cost, place, variant in known:
            if self.promises(cost, known[0][0]) and self.in_time():
                self.tell(f"finishing one of {len(known)} variants", place / len(known))
                yield self.finished(variant)


def _first(known: tuple[float, int, Model]) -> tuple[float, int]:
    return known[:2]


def _none(made: Origin) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Others:
    """The other recursions for the models of one algorithm."""

    outputs: frozenset[str]  #: the groups that they have; other variables belong to one algorithm
    search: Callable[[Origin, Trial], Iterator[Model]]  #: the best of them, each finished
    quick: Callable[[Origin], Model | None] = _none  #: one that takes little time to make, where there is one
