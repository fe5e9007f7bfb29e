"""Which of the equivalent recursions needs the fewest operations for this robot: generated, counted, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from robosym.dynamics.second_moments.points import points
from robosym.dynamics.second_moments.units import lengths
from robosym.dynamics.second_moments.ways import ACROSS, LUMPED, MIXED, OWN, PAST, TURNED, Choice
from robosym.mechanism import Robot
from robosym.model import Model, Trial

__all__ = ["LONG", "by_second_moments", "choices", "searched"]

Way = TypeVar("Way")
Changing = Callable[[], list[Callable[[Way], list[Way]]]]
Generate = Callable[[Robot, Choice], Model]

#: Near the base the motion has few terms, and a link may be cheaper in axes that do not turn with it.
NEAR_BASE = 3
#: So many of the best are handed over: what the passes find in the end may change their order.
NEAR_BEST = 4
#: Of an arm with more links the recursions are compared before the passes, which would take too long for each.
LONG = 10


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
    far = robot.NL > LONG and costs[place] > trial.given  # of a long arm no search makes up for that
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
            if robot.NL > LONG:
                better = cost < least
            else:
                candidate = trial.finished(candidate)
                if all(candidate.operations != other.operations for _, other in near):
                    near = sorted([*near, (changed, candidate)], key=lambda pair: trial.measure(pair[1]))[:NEAR_BEST]
                better = trial.measure(candidate) < trial.measure(best)
            if better:
                best, choice, least, waiting = candidate, changed, min(cost, least), len(changes) - 1
        most = max(most, 1 - waiting / len(changes))
        trial.tell(f"{best.operations.total} operations", most)
    if robot.NL > LONG:
        near = [(choice, trial.finished(best))]
    yield from reversed(near)


def _changes(robot: Robot) -> list[Callable[[Choice], list[Choice]]]:
    """What to try, one after the other, on the best choice so far."""
    carriers = {robot.frame(j).ant for j in range(1, robot.NL + 1)}
    depth = {0: 0}
    changes: list[Callable[[Choice], list[Choice]]] = []
    if robot.NL <= 40:
        changes.append(lambda choice: [replace(choice, sums_outward=False), replace(choice, sums_inward=False)])
    for j in range(1, robot.NL + 1):
        depth[j] = depth[robot.frame(j).ant] + 1
        if not robot.frame(j).joint_type.only_turns:
            continue
        ways = [OWN, *([TURNED] if depth[j] <= NEAR_BASE or j not in carriers else [])]
        ways += [LUMPED, MIXED] if j not in carriers else []
        ways += [ACROSS, PAST] if 2 <= depth[j] <= NEAR_BASE else []
        near = robot.NL <= 12 or depth[j] <= NEAR_BASE or j not in carriers  # a long arm has too many joints to try
        if near and not robot.frame(j).r.is_zero and robot.NL <= 40:
            changes.append(lambda choice, j=j: [replace(choice, slid=choice.slid ^ {j})])  # type: ignore[misc]
        if len(ways) > 1 and (robot.NL <= 40 or j in (2, robot.NL)):
            changes.append(lambda choice, j=j, ways=ways: [_with(choice, j, way) for way in ways])  # type: ignore[misc]
    if robot.NL <= LONG:
        for j in points(robot):
            changes.append(lambda choice, j=j: [replace(choice, points=choice.points ^ {j})])  # type: ignore[misc]
        changes.append(lambda choice: [replace(choice, phases=not choice.phases)])
        units = lengths(robot)
        changes.append(lambda choice: [replace(choice, unit=unit) for unit in (None, *units)])
    return changes


def _with(choice: Choice, j: int, way: str) -> Choice:
    return replace(choice, ways={**choice.ways, j: way})
