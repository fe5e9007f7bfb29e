"""Which of the equivalent recursions needs the fewest operations for this robot: generated, counted, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from robosym.description import Robot
from robosym.dynamics import direct_dynamics, inertia_matrix
from robosym.dynamics.second_moments.links import regrouped_robot
from robosym.dynamics.second_moments.models import (
    bias_by_second_moments,
    direct_by_second_moments,
    inverse_by_second_moments,
)
from robosym.dynamics.second_moments.recursion import LUMPED, OWN, TURNED, Choice
from robosym.errors import InputError
from robosym.model import Model

__all__ = ["alternatives"]

#: Near the base the motion has few terms, and a link may be cheaper in axes that do not turn with it.
NEAR_BASE = 3
_BY_SECOND_MOMENTS: dict[str, Callable[[Robot, Choice], Model]] = {
    "dyn": inverse_by_second_moments,
    "ccg": bias_by_second_moments,
    "ddm": direct_by_second_moments,
}
_PREFIX = {"dyn": "GAM", "ccg": "H", "ddm": "QDP", "inm": "A"}


def alternatives(
    model: Model, level: int, simplified: Callable[[Model], Model], tell: Callable[[str], None]
) -> Iterator[Model]:
    """Models of the same robot with the outputs that are selected, each after the algebraic passes (`simplified`)."""
    robot = model.robot
    if robot is None or model.kind not in _PREFIX:
        return
    if not all(name.startswith(_PREFIX[model.kind]) for name in model.output_names):
        return  # reactions and other variables belong to one recursion

    def finished(other: Model) -> Model:
        missing = [name for name in model.output_names if name not in other.definitions]
        if missing:
            raise InputError(f"the other recursion has no {missing[0]}")
        return simplified(replace(other, outputs=model.outputs))

    if model.kind == "inm":
        yield finished(inertia_matrix(regrouped_robot(robot), structure="tree"))
        return
    if model.kind == "ddm":
        for route in ("recursive", "cholesky"):
            yield finished(direct_dynamics(robot, route=route, structure="tree"))
            yield finished(direct_dynamics(regrouped_robot(robot), route=route, structure="tree"))
    generate = _BY_SECOND_MOMENTS[model.kind]
    choice = Choice(sums_outward=True, sums_inward=True)
    best = finished(generate(robot, choice))
    yield best
    if level < 3:
        return
    changes = _changes(robot)
    waiting = len(changes)  # until none of them has changed anything
    while waiting:
        change = changes.pop(0)
        changes.append(change)
        waiting -= 1
        for changed in change(choice):
            candidate = finished(generate(robot, changed))
            if candidate.operations.total < best.operations.total:
                best, choice, waiting = candidate, changed, len(changes) - 1
                tell(f"{best.operations.total} operations")
    yield best


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
        ways += [LUMPED] if j not in carriers else []
        near = robot.NL <= 12 or depth[j] <= NEAR_BASE or j not in carriers  # a long arm has too many joints to try
        if near and not robot.frame(j).r.is_zero and robot.NL <= 40:
            changes.append(lambda choice, j=j: [replace(choice, slid=choice.slid ^ {j})])  # type: ignore[misc]
        if len(ways) > 1 and (robot.NL <= 40 or j in (2, robot.NL)):
            changes.append(lambda choice, j=j, ways=ways: [_with(choice, j, way) for way in ways])  # type: ignore[misc]
    return changes


def _with(choice: Choice, j: int, way: str) -> Choice:
    return replace(choice, ways={**choice.ways, j: way})
