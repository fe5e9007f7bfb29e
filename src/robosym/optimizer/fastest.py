"""The form of a model that goes into a file for a compiler, unless another was asked for."""

from __future__ import annotations

from dataclasses import replace

from robosym.model import Model
from robosym.optimizer.optimize import optimize

__all__ = ["COMPILED", "fastest"]

COMPILED = ("c", "h", "cpp")  #: languages whose files have this form

_LEVEL = 2  #: without a search
_BUDGET = 5.0  #: seconds in which it is looked for


def fastest(model: Model) -> Model:
    """The form that is estimated to run fastest, of those with the same outputs; its file says so."""
    said = 'the one that is estimated to run fastest, of those with the same outputs: optimize(model, 2, goal="speed")'
    return replace(optimize(model, _LEVEL, goal="speed", budget=_BUDGET), form=said)
