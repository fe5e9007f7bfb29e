"""Context that the optimizer passes to the searches among recursions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

from robosym.errors import InputError
from robosym.model import Layout, Model, Origin, flat
from robosym.optimizer import effort

__all__ = ["Alternatives", "Report", "Trial"]


class Report(Protocol):
    """A callback for progress messages with the completed share of the work, if known."""

    def __call__(self, text: str, share: float | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Trial:
    """The wanted outputs, the cost of a model, and the passes that reduce it."""

    outputs: Mapping[str, Layout]  #: wanted outputs
    passes: Callable[[Model], Model]  #: the algebraic passes of the optimizer
    measure: Callable[[Model], float]  #: cost of a model, to be minimized
    thorough: bool  #: whether to search from the first variants
    report: Report  #: progress
    in_time: Callable[[], bool]  #: whether there is time left
    given: float = inf  #: cost of the given model before the passes

    def wanted(self, variant: Model) -> Model:
        """Return a variant with the wanted outputs only."""
        for layout in self.outputs.values():
            for name in flat(layout):
                if name not in variant.definitions:
                    raise InputError(f"the alternative recursion does not compute {name}")
        return replace(variant, outputs=self.outputs)

    def finished(self, variant: Model) -> Model:
        """Return a variant with the wanted outputs, after the passes."""
        return self.passes(self.wanted(variant))

    def cost(self, variant: Model) -> float:
        """Return the cost of a variant before the passes."""
        return self.measure(self.wanted(variant))

    def promises(self, cost: float, least: float) -> bool:
        """Return whether a variant may become better than one with the least known cost, both before the passes."""
        return cost <= least * (1 + effort.MARGIN)

    def best_of(self, variants: Iterable[Model]) -> Iterator[Model]:
        """Yield the promising variants, simplified, the cheapest first."""
        known: list[tuple[float, int, Model]] = []
        for place, variant in enumerate(variants):
            known.append((self.cost(variant), place, variant))
            if not self.in_time():
                break
        known.sort(key=_first)
        for cost, place, variant in known:
            if self.promises(cost, known[0][0]) and self.in_time():
                self.report(f"simplifying {place + 1} of {len(known)} variants", place / len(known))
                yield self.finished(variant)


def _first(known: tuple[float, int, Model]) -> tuple[float, int]:
    return known[:2]


def _none(made: Origin) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The alternative recursions for the models of one algorithm."""

    outputs: frozenset[str]  #: output groups they compute; other variables are specific to one algorithm
    search: Callable[[Origin, Trial], Iterator[Model]]  #: yields the best of them, simplified
    quick: Callable[[Origin], Model | None] = _none  #: one that is quick to generate, if any
