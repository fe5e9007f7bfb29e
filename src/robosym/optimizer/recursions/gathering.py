"""How composite links are put together (composites.py), and which way needs the fewest operations for a robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from robosym.mechanism import Robot
from robosym.model import Model
from robosym.optimizer import effort
from robosym.optimizer.recursions.search import searched
from robosym.optimizer.recursions.trial import Trial
from robosym.optimizer.recursions.units import lengths

__all__ = ["Gathering", "by_gathering"]


@dataclass(frozen=True)
class Gathering:
    """How composite links are put together."""

    sums: bool = False  #: parallel axes are turned by the sum of their angles
    phases: bool = False  #: what stands still is turned apart from the rest, with phases
    apart: frozenset[int] = frozenset()  #: joints whose burden keeps its points of reference
    unit: tuple[int, str] | None = None  #: the length that is the unit of length: d or r of a frame (units.py)


def by_gathering(generate: Callable[[Robot, Gathering], Model], robot: Robot, trial: Trial) -> Iterator[Model]:
    """The model with the best of the first ways, and the best few that a search from there finds."""
    joints = frozenset(range(1, robot.NL + 1))
    first = [Gathering(sums=True), Gathering(), Gathering(sums=True, apart=joints)]
    return (model for _, model in searched(generate, robot, trial, first, partial(_changes, robot)))


def _changes(robot: Robot) -> list[Callable[[Gathering], list[Gathering]]]:
    """What to try, one after the other, on the best way so far."""
    joints = frozenset(range(1, robot.NL + 1))
    several = [
        Gathering(sums, phases, apart)
        for apart in (joints, frozenset[int]())
        for phases in (False, True)
        for sums in (True, False)
    ]
    changes: list[Callable[[Gathering], list[Gathering]]] = [
        lambda way: [replace(other, unit=way.unit) for other in several]  # what pays together
    ]
    if robot.NL <= effort.LONG:
        changes.append(lambda way: [replace(way, unit=unit) for unit in (None, *lengths(robot))])
        for j in range(2, robot.NL + 1):
            changes.append(lambda way, j=j: [replace(way, apart=way.apart ^ {j})])  # type: ignore[misc]
    return changes
