"""Rounding errors of a model for a line that is typed: ranges of its inputs as words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import robosym as rs
from robosym.algebra import Graph, evaluate, parse
from robosym.app.menus.table import CHECKED
from robosym.errors import InputError

if TYPE_CHECKING:
    from robosym.runtime.precision import Precision

__all__ = ["precision"]


def precision(
    robot: rs.Robot,
    model: str = "inverse_dynamics",
    ranges: Sequence[str] = (),
    samples: int = 100,
    tolerance: float | None = None,
) -> Precision:
    """`Model.precision` of one of the models of a robot; ranges as `q=-1:1`, `D3=0.45`."""
    if model.replace("-", "_") not in CHECKED:
        raise InputError(f"--model: expected one of {', '.join(CHECKED)}, found {model!r}")
    found: rs.Model = getattr(rs, model.replace("-", "_"))(robot)
    return found.precision(dict(map(_range, ranges)), samples=samples, tolerance=tolerance)


def _range(word: str) -> tuple[str, tuple[float, ...]]:
    name, equals, text = (part.strip() for part in word.partition("="))
    try:
        if not (name and equals):
            raise InputError(word)
        return name, tuple(evaluate([parse(end, Graph())], {})[0] for end in text.split(":"))
    except rs.Error:
        raise InputError(f"--range: expected NAME=LOW:HIGH or NAME=NUMBER, such as q=-Pi:Pi, found {word!r}") from None
