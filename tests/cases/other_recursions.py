"""Models whose algorithm is said to have other recursions."""

from __future__ import annotations

from dataclasses import replace

import pytest

import robosym as rs
from robosym.model import Model, Origin
from robosym.optimizer import recursions
from robosym.optimizer.recursions.trial import Others

__all__ = ["offered"]


def offered(monkeypatch: pytest.MonkeyPatch, model: Model, *others: Model) -> Model:
    """The model, of which the optimizer is offered others as its variants, the first of them as the quick one."""
    known = Others(frozenset(model.outputs), lambda made, trial: iter(others), lambda made: others[0])
    monkeypatch.setattr(recursions, "others_of", lambda made: known)
    return replace(model, made=Origin(lambda robot: model, model.robot or rs.Robot.new(1)))
