"""Search among equivalent recursions for the one with the fewest operations: generate, count, compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from robosym.mechanism import Robot
from robosym.model import Model
from robosym.optimizer import effort
from robosym.optimizer.recursions.lengths import lengths, points
from robosym.optimizer.recursions.treatments import (
    ACROSS,
    LUMPED,
    MIXED,
    OWN,
    PAST,
    TURNED,
    CompositeOptions,
    Treatments,
)
from robosym.optimizer.recursions.trial import Trial

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["choices", "gatherings"]

Way = TypeVar("Way", bound="DataclassInstance")
Change = Callable[[Way], Iterable[Way]]


def choices(
    generate: Callable[[Robot, Treatments], Model], robot: Robot, trial: Trial, symbols: bool = True
) -> Iterator[tuple[Treatments, Model]]:
    """Yield the first choice with its model, and the best few found by a search from there, the best last.

    `symbols` allows division by symbolic lengths; the title of the model says that they must not be 0.
    """
    first = [Treatments(sums_outward=True, sums_inward=True), Treatments()]
    return _searched(generate, robot, trial, first, partial(_changes_of_choice, symbols=symbols))


def gatherings(
    generate: Callable[[Robot, CompositeOptions], Model], robot: Robot, trial: Trial
) -> Iterator[tuple[CompositeOptions, Model]]:
    """Yield the best of the first gatherings with its model, and the best few found by a search from there."""
    first = [CompositeOptions(sums=True), CompositeOptions(), CompositeOptions(sums=True, apart=_every(robot))]
    return _searched(generate, robot, trial, first, _changes_of_gathering)


def _searched(
    generate: Callable[[Robot, Way], Model],
    robot: Robot,
    trial: Trial,
    first: Sequence[Way],
    changes_of: Callable[[Robot], list[Change[Way]]],
) -> Iterator[tuple[Way, Model]]:
    """Yield the best of some first options with its model, and the best few found by changing it, the best last."""
    generated = {place: generate(robot, choice) for place, choice in enumerate(first) if not place or trial.in_time()}
    costs = {place: trial.cost(model) for place, model in generated.items()}
    place = min(costs, key=lambda place: (costs[place], place))
    choice, least, best = first[place], costs[place], trial.finished(generated[place])
    yield choice, best
    long = robot.NL > effort.LONG
    if not trial.thorough or not trial.in_time() or (long and least > trial.given):  # a search cannot compensate
        return
    changes = changes_of(robot)
    waiting, most = len(changes), 0.0  # until no change has an effect
    near = [(choice, best)]
    while waiting and trial.in_time():
        change = changes.pop(0)
        changes.append(change)
        waiting -= 1
        for changed in change(choice):
            if changed == choice or not trial.in_time():
                continue
            candidate = generate(robot, changed)
            cost = trial.cost(candidate)
            if not trial.promises(cost, least):
                continue
            if long:
                better = cost < least
            else:
                candidate = trial.finished(candidate)
                if all(candidate.operations != other.operations for _, other in near):
                    near = sorted([*near, (changed, candidate)], key=lambda pair: trial.measure(pair[1]))[: effort.KEPT]
                better = trial.measure(candidate) < trial.measure(best)
            if better:
                best, choice, least, waiting = candidate, changed, min(cost, least), len(changes) - 1
        most = max(most, 1 - waiting / len(changes))
        trial.report(f"{best.operations.total} operations", most)
    yield from [(choice, trial.finished(best))] if long else reversed(near)


# ---------------------------------------------------------------------- changes to try on the best option so far


def _varied(field: str, *values: object) -> Change[Way]:
    """Return a change that tries other values of a field."""
    return lambda way: [replace(way, **{field: value}) for value in values]


def _toggled(field: str, j: int) -> Change[Way]:
    """Return a change that adds joint j to a set, or removes it."""
    return lambda way: [replace(way, **{field: getattr(way, field) ^ {j}})]


def _treated(j: int, ways: list[str]) -> Change[Treatments]:
    """Return a change that tries other treatments of link j."""
    return lambda choice: [replace(choice, ways={**choice.ways, j: way}) for way in ways]


def _without_sums(choice: Treatments) -> list[Treatments]:
    return [replace(choice, sums_outward=False), replace(choice, sums_inward=False)]


def _changes_of_choice(robot: Robot, symbols: bool) -> list[Change[Treatments]]:
    carriers = {robot.frame(j).ant for j in range(1, robot.NL + 1)}
    depth = {0: 0}
    changes: list[Change[Treatments]] = [_without_sums] if robot.NL <= effort.LONGEST else []
    for j in range(1, robot.NL + 1):
        depth[j] = depth[robot.frame(j).ant] + 1
        if not robot.frame(j).joint_type.only_turns:
            continue
        outermost = j not in carriers
        ways = [OWN, *([TURNED] if depth[j] <= effort.NEAR_BASE or outermost else [])]
        ways += [LUMPED, MIXED] if outermost else []
        ways += [ACROSS, PAST] if 2 <= depth[j] <= effort.NEAR_BASE else []
        tried = robot.NL <= effort.SLID_ANYWHERE or depth[j] <= effort.NEAR_BASE or outermost
        if tried and not robot.frame(j).r.is_zero and robot.NL <= effort.LONGEST:
            changes.append(_toggled("slid", j))
        if len(ways) > 1 and (robot.NL <= effort.LONGEST or j in (2, robot.NL)):
            changes.append(_treated(j, ways))
    if robot.NL <= effort.LONG:
        changes += [_toggled("points", j) for j in points(robot, symbols)]
        changes += [_varied("phases", False, True), _varied("unit", None, *lengths(robot))]
    return changes


def _changes_of_gathering(robot: Robot) -> list[Change[CompositeOptions]]:
    several = [
        CompositeOptions(sums, phases, apart)
        for apart in (_every(robot), frozenset[int]())
        for phases in (False, True)
        for sums in (True, False)
    ]

    def together(way: CompositeOptions) -> list[CompositeOptions]:
        return [replace(other, unit=way.unit) for other in several]

    changes: list[Change[CompositeOptions]] = [together]
    if robot.NL <= effort.LONG:
        changes.append(_varied("unit", None, *lengths(robot)))
        changes += [_toggled("apart", j) for j in range(2, robot.NL + 1)]
    return changes


def _every(robot: Robot) -> frozenset[int]:
    return frozenset(range(1, robot.NL + 1))
