"""The form of a model that goes to a compiler, unless another was asked for."""

from __future__ import annotations

from dataclasses import replace

from robosym.errors import Error
from robosym.model import Model
from robosym.optimizer import effort
from robosym.optimizer.goals import MACHINE
from robosym.optimizer.optimize import optimize, same_function
from robosym.optimizer.recursions import quick_variant

__all__ = ["COMPILED", "fastest", "quickly"]

COMPILED = ("c", "h", "cpp")  #: languages whose files have this form

_LEVEL = 2  #: without a search


def fastest(model: Model) -> Model:
    """The form that is estimated to run fastest, of those with the same outputs; its file says so."""
    said = 'the one that is estimated to run fastest, of those with the same outputs: optimize(model, 2, goal="speed")'
    return replace(optimize(model, _LEVEL, goal="speed", budget=effort.FILE), form=said)


def quickly(model: Model) -> Model:
    """For machine code that is wanted at once: the recursion that is less work, if the model knows of one.

    It is compared with the model's own at random states. A model that was optimized is the form that was asked for.
    """
    if model.optimized or len(model.nodes) > effort.COMPILED:
        return model
    try:
        other = quick_variant(model)
    except Error:  # a robot that the other recursion does not cover
        return model
    if other is None:
        return model
    less = all(a < b for a, b in zip(_work(other), _work(model), strict=True))
    return other if less and same_function(model, other, states=1) else model


def _work(model: Model) -> tuple[float, ...]:
    """Of one state, and of many that have the parameters in common."""
    whole = model.operations
    assert whole.online is not None
    return tuple(part.total + MACHINE.angle / 2 * part.functions for part in (whole, whole.online))
