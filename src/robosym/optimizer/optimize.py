"""The optimizer: the same outputs with fewer operations (guide 3.5.1, 5.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from robosym.algebra import Expr, Graph, evaluate, symbols
from robosym.algebra.generic import random_numbers
from robosym.errors import Error, ExpressionError, InputError
from robosym.model import Model, Trial
from robosym.model.groups import declare
from robosym.optimizer.kernels import extract_common
from robosym.optimizer.squares import collect_squares
from robosym.optimizer.sums_of_products import SumsOfProducts

__all__ = ["HIGHEST", "optimize", "same_function", "simplified"]

HIGHEST = 3
_SAME = 1e-7  #: outputs that differ by less, in parts of the largest one, differ by rounding: states may be singular
Progress = Callable[[str], None]


def optimize(model: Model, level: int | str = 2, progress: Progress | None = None) -> Model:
    """The model with fewer operations; the values of its outputs do not change but for rounding.

    level 0   the plain customized form: what the selected outputs do not need is left out;
    level 1   common sub-expressions and factors across all sums and products, squares, as long as anything is found;
    level 2   also another recursion for dynamic models, where it needs fewer operations: mass regrouped along the axes,
              for trees also second moments instead of moments of inertia;
    level 3   or "max": also a search, joint by joint, for the axes in which each link is treated; it may take seconds,
              and `progress` is told what it does. Closed robots have mass regrouped along the axes.

    Another recursion replaces the intermediate variables; it is taken only where the selected outputs are those of the
    whole model, and where its values agree with the model's at random states.
    """
    wanted = HIGHEST if level == "max" else level
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 0 <= wanted <= HIGHEST:
        raise InputError(f'level: expected 0, 1, 2, 3 or "max", found {level!r}')
    tell = progress or (lambda text: None)
    if wanted == 0:
        return _pruned(model)
    best = simplified(model)
    if wanted >= 2 and model.variants is not None:
        tell(f"{best.operations.total} operations; trying other recursions")
        for candidate in _variants(model, wanted == HIGHEST, tell):
            if _cost(candidate) < _cost(best) and same_function(model, candidate):
                tell(f"{candidate.operations.total} operations: {candidate.title}")
                best = candidate
    best = settled(best)
    return replace(best, name=model.name, kind=model.kind, variants=model.variants, about=model.about, optimized=True)


def _cost(model: Model) -> tuple[int, int]:
    operations = model.operations
    assert operations.online is not None
    return operations.total, operations.online.total


def _pruned(model: Model) -> Model:
    """Only the variables that the outputs are made of."""
    used = set(model.nodes)
    kept = {name: e for name, e in model.definitions.items() if e.node in used or name in model.output_names}
    return replace(model, definitions=kept, optimized=True)


def settled(model: Model) -> Model:
    """The passes once more on what they left, as long as they find anything."""
    while _cost(again := _rewritten(model, 1.0)) < _cost(model):
        model = again
    return model


def simplified(model: Model) -> Model:
    """The algebraic passes; the best of their results with what is off line counted in full and for less."""
    candidates = [_rewritten(model, weight) for weight in (1.0, 0.5)]
    return min([*candidates, _pruned(model)], key=_cost)


def _rewritten(model: Model, offline_weight: float) -> Model:
    polynomials = SumsOfProducts(model.roots)
    collect_squares(polynomials)
    extract_common(polynomials, offline_weight)
    graph = Graph()
    declare(graph, model.inputs)
    roots, images = polynomials.build(graph)
    definitions: dict[str, Expr] = {}
    for name, value in model.definitions.items():
        image = images.get(value.node)
        if image is not None and value.args:
            definitions[name] = image.signed(value.negative)
    definitions.update(zip(model.output_names, roots, strict=True))
    return replace(model, definitions=definitions, graph=graph, optimized=True)


def _variants(model: Model, thorough: bool, tell: Progress) -> Iterator[Model]:
    """The same outputs by other recursions, simplified; what the robot does not allow is left out."""
    variants = model.variants
    if variants is None or not set(model.output_names) <= set(variants.outputs):
        return

    def finished(other: Model) -> Model:
        missing = [name for name in model.output_names if name not in other.definitions]
        if missing:
            raise InputError(f"the other recursion has no {missing[0]}")
        return simplified(replace(other, outputs=model.outputs))

    try:
        yield from variants.offer(Trial(finished, thorough, tell))
    except Error:  # a robot or an option that the other recursions do not cover
        return


def same_function(model: Model, other: Model, states: int = 3) -> bool:
    """Whether two models have the same inputs and the same outputs at random states, to rounding."""
    names = {name for group in model.inputs.values() for name in group}
    if model.output_names != other.output_names or not set(symbols(other.roots)) <= names:
        return False
    draw = random_numbers("comparison of models")
    for _ in range(states):
        values = {name: draw.uniform(0.3, 1.2) * draw.choice((-1, 1)) for name in sorted(names)}
        try:
            right, found = evaluate(model.roots, values), evaluate(other.roots, values)
        except ExpressionError:
            continue
        scale = max(map(abs, right), default=0.0)
        if any(abs(a - b) > _SAME * scale for a, b in zip(right, found, strict=True)):
            return False
    return True
