"""Models for which other recursions are declared."""

from __future__ import annotations

from dataclasses import replace

import pytest

import robosym as rs
from robosym.model import Model, Origin
from robosym.optimizer import recursions
from robosym.optimizer.recursions.trial import Alternatives

__all__ = ["offered"]


def offered(monkeypatch: pytest.MonkeyPatch, model: Model, *others: Model) -> Model:
    """Return the model, with `others` as variants for the optimizer, the first one as the quick variant."""
    known = Alternatives(frozenset(model.outputs), lambda made, trial: iter(others), lambda made: others[0])
    monkeypatch.setattr(recursions, "alternatives_of", lambda made: known)
    return replace(model, made=Origin(lambda robot: model, model.robot or rs.Robot.new(1)))
