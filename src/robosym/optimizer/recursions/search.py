"""Which of the equivalent recursions needs the fewest operations for this robot: generated, counted, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from robosym.mechanism import Robot
from robosym.model import Model
from robosym.optimizer import effort
from robosym.optimizer.recursions.points import points
from robosym.optimizer.recursions.trial import Trial
from robosym.optimizer.recursions.units import lengths
from robosym.optimizer.recursions.ways import ACROSS, LUMPED, MIXED, OWN, PAST, TURNED, Choice

__all__ = ["by_second_moments", "choices", "searched"]

Way = TypeVar("Way")
Changing = Callable[[], list[Callable[[Way], list[Way]]]]
Generate = Callable[[Robot, Choice], Model]


def by_second_moments(generate: Generate, robot: Robot, trial: Trial) -> Iterator[Model]:
    """The model with the first choice, and the best few that a search from there finds, the very best last."""
    return (model for _, model in choices(generate, robot, trial))


def choices(generate: Generate, robot: Robot, trial: Trial) -> Iterator[tuple[Choice, Model]]:
    """The same, each with its choice."""
    first = [Choice(sums_outward=True, sums_inward=True), Choice()]
    return searched(generate, robot, trial, first, partial(_changes, robot))


def searched(
    generate: Callable[[Robot, Way], Model], robot: Robot, trial: Trial, first: Sequence[Way], changing: Changing[Way]
) -> Iterator[tuple[Way, Model]]:
    """The best of some first ways to make a model, and the best few that changes of it lead to, the very best last."""
    generated = {place: generate(robot, choice) for place, choice in enumerate(first) if not place or trial.in_time()}
    costs = {place: trial.cost(model) for place, model in generated.items()}
    place = min(costs, key=lambda place: (costs[place], place))
    choice, least, best = first[place], costs[place], trial.finished(generated[place])
    yield choice, best
    far = robot.NL > effort.LONG and costs[place] > trial.given  # of a long arm no search makes up for that
    if not trial.thorough or not trial.in_time() or far:
        return
    changes = changing()
    waiting, most = len(changes), 0.0  # until none of them has changed anything
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
            if robot.NL > effort.LONG:
                better = cost < least
            else:
                candidate = trial.finished(candidate)
                if all(candidate.operations != other.operations for _, other in near):
                    near = sorted([*near, (changed, candidate)], key=lambda pair: trial.measure(pair[1]))[: effort.KEPT]
                better = trial.measure(candidate) < trial.measure(best)
            if better:
                best, choice, least, waiting = candidate, changed, min(cost, least), len(changes) - 1
        most = max(most, 1 - waiting / len(changes))
        trial.tell(f"{best.operations.total} operations", most)
    if robot.NL > effort.LONG:
        near = [(choice, trial.finished(best))]
    yield from reversed(near)


def _changes(robot: Robot) -> list[Callable[[Choice], list[Choice]]]:
    """What to try, one after the other, on the best choice so far."""
    carriers = {robot.frame(j).ant for j in range(1, robot.NL + 1)}
    depth = {0: 0}
    changes: list[Callable[[Choice], list[Choice]]] = []
    if robot.NL <= effort.LONGEST:
        changes.append(lambda choice: [replace(choice, sums_outward=False), replace(choice, sums_inward=False)])
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
            changes.append(lambda choice, j=j: [replace(choice, slid=choice.slid ^ {j})])  # type: ignore[misc]
        if len(ways) > 1 and (robot.NL <= effort.LONGEST or j in (2, robot.NL)):
            changes.append(lambda choice, j=j, ways=ways: [_with(choice, j, way) for way in ways])  # type: ignore[misc]
    if robot.NL <= effort.LONG:
        for j in points(robot):
            changes.append(lambda choice, j=j: [replace(choice, points=choice.points ^ {j})])  # type: ignore[misc]
        changes.append(lambda choice: [replace(choice, phases=not choice.phases)])
        units = lengths(robot)
        changes.append(lambda choice: [replace(choice, unit=unit) for unit in (None, *units)])
    return changes


def _with(choice: Choice, j: int, way: str) -> Choice:
    return replace(choice, ways={**choice.ways, j: way})
