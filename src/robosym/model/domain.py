"""The domain of a model. Inputs outside it, such as poses that the legs do not allow, give NaN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from robosym.algebra import Expr

if TYPE_CHECKING:
    from robosym.model.model import Model

__all__ = ["Domain", "joined_domain", "within_domain"]

#: A function that returns a margin, an expression of the inputs in a separate graph: positive inside the domain,
#: negative or NaN outside; None if every input is valid. It is called when a model is compiled.
Domain = Callable[[], "Expr | None"]


def within_domain(model: Model) -> Model:
    """Return the model whose outputs are NaN outside its domain, for machine code.

    Operation counts and generated code are those of the model without the check.
    """
    margin = None if model.domain is None else model.domain()
    if margin is None:
        return model
    graph = model.graph
    (margin,) = graph.copy([margin])
    factor = 1 / graph.function("sqrt", graph.function("sign", margin))
    definitions = {**model.definitions, **{name: model.definitions[name] * factor for name in model.output_names}}
    return replace(model, definitions=definitions, domain=None, made=None)


def joined_domain(domains: Sequence[Domain | None]) -> Domain | None:
    """Return the intersection of domains, for a model that is composed of others."""
    given = [domain for domain in domains if domain is not None]
    if len(given) < 2:
        return given[0] if given else None
    return partial(_least_margin, tuple(given))


def _least_margin(domains: tuple[Domain, ...]) -> Expr | None:
    margins = [margin for margin in (domain() for domain in domains) if margin is not None]
    if not margins:
        return None
    graph = margins[0].graph
    total, *others = graph.copy(margins)
    total = 1 / graph.function("sqrt", graph.function("sign", total))
    for margin in others:
        total = total * (1 / graph.function("sqrt", graph.function("sign", margin)))
    return total
