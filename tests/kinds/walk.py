"""Evaluation of public functions on all kinds of robots, and its table as text."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from inspect import isclass

import robosym as rs
from kinds import models, uses  # noqa: F401 - they fill CELLS
from kinds.models import CELLS
from kinds.states import KINDS, state_of

__all__ = ["ERROR", "LONG", "WITHOUT_A_ROBOT", "cell_of", "public_functions", "row_text", "table"]

ERROR = "error"
#: public functions without a robot argument
WITHOUT_A_ROBOT = ("cartesian_trajectory", "library", "prepare", "robot", "study", "time_limit")
#: slow rows
LONG = (
    "calibrate", "calibration_postures", "exciting_trajectory", "identify", "identify_drives", "identify_payload",
    "book", "build", "bundle", "simulate", "fmu", "ros2",
)  # fmt: skip


def public_functions() -> list[str]:
    """Return the public functions with a robot argument, without classes."""
    others = (name for name in rs.__all__ if not isclass(getattr(rs, name)))
    return sorted(name for name in others if name not in WITHOUT_A_ROBOT)


def cell_of(function: str, kind: str) -> str:
    """Return the oracle that confirmed a function for a kind of robot, or "error" for a robosym error.

    A wrong value raises an AssertionError; other exceptions propagate.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return CELLS[function](state_of(kind))
        except rs.Error:
            return ERROR


def row_text(function: str, cells: Iterable[str]) -> str:
    return f"| `{function}` | {' | '.join(cells)} |"


def table() -> str:
    """Return all rows in Markdown."""
    head = [f"| | {' | '.join(KINDS)} |", f"| --- |{' --- |' * len(KINDS)}"]
    rows = [row_text(function, (cell_of(function, kind) for kind in KINDS)) for function in public_functions()]
    return "\n".join([*head, *rows])
