"""The form of a model that goes to a compiler, unless another was asked for."""

from __future__ import annotations

from dataclasses import replace

from robosym.errors import Error
from robosym.model import Model
from robosym.optimizer.optimize import optimize, same_function

__all__ = ["COMPILED", "fastest", "quickly"]

COMPILED = ("c", "h", "cpp")  #: languages whose files have this form

_LEVEL = 2  #: without a search
_BUDGET = 5.0  #: seconds in which it is looked for
_LARGE = 10_000  #: nodes of a model that is compiled as it stands: to make it in another way takes long, too
_FUNCTION = 50  #: sums and products that take as long as a sine or another function


def fastest(model: Model) -> Model:
    """The form that is estimated to run fastest, of those with the same outputs; its file says so."""
    said = 'the one that is estimated to run fastest, of those with the same outputs: optimize(model, 2, goal="speed")'
    return replace(optimize(model, _LEVEL, goal="speed", budget=_BUDGET), form=said)


def quickly(model: Model) -> Model:
    """For machine code that is wanted at once: the recursion that is less work, if the model knows of one.

    It is compared with the model's own at random states. A model that was optimized is the form that was asked for.
    """
    variants = model.variants
    if model.optimized or variants is None or variants.quick is None or len(model.nodes) > _LARGE:
        return model
    try:
        other = variants.quick()
    except Error:  # a robot that the other recursion does not cover
        return model
    if not set(model.output_names) <= set(variants.outputs) & set(other.definitions):
        return model
    other = replace(other, outputs=model.outputs)
    less = all(a < b for a, b in zip(_work(other), _work(model), strict=True))
    return other if less and same_function(model, other, states=1) else model


def _work(model: Model) -> tuple[float, ...]:
    """Of one state, and of many that have the parameters in common."""
    whole = model.operations
    assert whole.online is not None
    return tuple(part.total + _FUNCTION * part.functions for part in (whole, whole.online))
