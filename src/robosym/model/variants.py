"""Variants of a model: the same outputs by other algorithms, offered by the one that made it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Protocol

from robosym.errors import InputError
from robosym.model.layout import Layout, flat

if TYPE_CHECKING:
    from robosym.model.model import Model

__all__ = ["Tell", "Trial", "Variants", "derived", "quick_derivative"]

#: The passes gain a few hundredths of a recursion: one that costs so much more to begin with is not finished.
_MARGIN = 0.03
_DIFFERENTIATED = 4  #: so many of the variants with the fewest operations, where derivatives are wanted


class Tell(Protocol):
    """Hears what is done, and the share of it that is behind us, where that is known."""

    def __call__(self, text: str, share: float | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class Trial:
    """What the optimizer hands to an algorithm that looks for its best variant."""

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
        return cost <= least * (1 + _MARGIN)

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


@dataclass(frozen=True, slots=True)
class Variants:
    """Models that have the same `outputs`; other variables belong to one algorithm."""

    outputs: tuple[str, ...]
    offer: Callable[[Trial], Iterator[Model]]  #: each of them finished; a partial of a function, so that models pickle
    prepared: bool = False  #: the parameters are combined off line, before the model is used: base parameters
    quick: Callable[[], Model] | None = None  #: one that takes little time to make and is less work for a processor


def quick_derivative(model: Model, groups: tuple[str, ...]) -> Model:
    """The derivatives of the variant that takes little time to make."""
    assert model.variants is not None
    assert model.variants.quick is not None
    return replace(model.variants.quick(), outputs=model.outputs).derivative(*groups)


def derived(model: Model, groups: tuple[str, ...], trial: Trial) -> Iterator[Model]:
    """The derivatives of the variants of a model: what has fewer operations has fewer derivatives.

    Differentiating comes last, since it multiplies what there is. The best few of a search are differentiated, since
    their order may change: of a form with fewer operations more may depend on what is differentiated by.
    """
    if model.variants is None:
        return
    own = replace(trial, outputs=model.outputs)
    found = sorted(model.variants.offer(own), key=trial.measure)[:_DIFFERENTIATED]
    if found and trial.in_time():
        trial.tell("differentiating the best variants")
        slopes = [form.derivative(*groups) for form in found if form is found[0] or trial.in_time()]
        yield trial.finished(min(slopes, key=trial.cost))
