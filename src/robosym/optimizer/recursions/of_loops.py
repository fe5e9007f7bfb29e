"""Alternative recursions for robots with loops: over their trees, with the same projection on the motors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from robosym.dynamics.bias_torques import bias_of, gravity_of
from robosym.dynamics.direct_dynamics import direct_of
from robosym.dynamics.inertia_matrix import inertia_of
from robosym.dynamics.inverse_dynamics import inverse_of
from robosym.dynamics.newton_euler import Efforts
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree
from robosym.model import Model, Note, Origin
from robosym.optimizer import effort
from robosym.optimizer.recursions.composites import weights
from robosym.optimizer.recursions.moments import regrouped_inertia, regrouped_robot
from robosym.optimizer.recursions.recursion import torques
from robosym.optimizer.recursions.search import choices
from robosym.optimizer.recursions.treatments import OF_WEIGHTS, CompositeOptions, Treatments
from robosym.optimizer.recursions.trial import Alternatives, Trial

__all__ = ["OTHERS"]


def _by_choice(choice: Treatments, tree: Tree, note: Note) -> Efforts:
    return Efforts({}, {}, torques(tree, choice, note))


def _by_first_moments(way: CompositeOptions, tree: Tree, note: Note) -> Efforts:
    return Efforts({}, {}, weights(tree, way, note))


def _regrouped(made: Origin, trial: Trial) -> Iterator[Model]:
    """Yield the model with mass regrouped along the axes: efforts stay equal, forces in the loops do not."""
    yield trial.finished(made.again(regrouped_robot(made.robot)))


def _searched(made: Origin, trial: Trial, **more: Any) -> Iterator[Model]:
    """Yield the same, and models by second moments, which do not give the wrench of a floating base."""
    if made.robot.base.kind == "floating":
        yield from _regrouped(made, trial)
        return

    def chosen(robot: Robot, choice: Treatments) -> Model:
        return made.again(robot, recursion=partial(_by_choice, choice), **more)

    regrouped = made.again(regrouped_robot(made.robot))
    first = [chosen(made.robot, Treatments(sums_outward=sums, sums_inward=sums)) for sums in (True, False)]
    yield from trial.best_of([regrouped, *first])
    if min(map(trial.cost, first)) < trial.cost(regrouped) and made.robot.NL <= effort.LOOPS:
        yield from (model for _, model in choices(chosen, made.robot, trial, symbols=False))


def _gravity(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(made.again(recursion=partial(_by_first_moments, way)) for way in OF_WEIGHTS)


OTHERS: dict[Callable[..., Model], Alternatives] = {
    inverse_of: Alternatives(frozenset({"tau"}), _searched),
    direct_of: Alternatives(frozenset({"qdd", "qdd_passive"}), partial(_searched, inertia_of=regrouped_inertia)),
    bias_of: Alternatives(frozenset({"H"}), _searched),
    gravity_of: Alternatives(frozenset({"Q"}), _gravity),
    inertia_of: Alternatives(frozenset({"A", "Q"}), _regrouped),
}
