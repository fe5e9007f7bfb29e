"""Other recursions for the models of trees: torques, accelerations, inertia and Coriolis matrix, energy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from robosym.dynamics.bias_torques import bias_torques, gravity_torques
from robosym.dynamics.coriolis import coriolis_of
from robosym.dynamics.direct_dynamics import ROUTES, direct_dynamics
from robosym.dynamics.energy import energy_of
from robosym.dynamics.inertia_matrix import inertia_matrix
from robosym.dynamics.inverse_dynamics import inverse_dynamics
from robosym.dynamics.roles import roles_of
from robosym.model import Model, Origin
from robosym.optimizer.recursions.gathering import by_gathering
from robosym.optimizer.recursions.links import regrouped_onto_base, regrouped_robot
from robosym.optimizer.recursions.models import (
    bias_by_second_moments,
    direct_by_second_moments,
    gravity_by_first_moments,
    inertia_by_composites,
    inverse_by_second_moments,
)
from robosym.optimizer.recursions.moments import regrouped
from robosym.optimizer.recursions.others import Others
from robosym.optimizer.recursions.search import by_second_moments, choices
from robosym.optimizer.recursions.trial import Trial
from robosym.optimizer.recursions.ways import Choice

__all__ = ["OTHERS"]


def _is_rigid(made: Origin) -> bool:
    """Neither elastic joints nor a free base: for those the recursions over second moments do not serve."""
    return roles_of(made.robot, **made.options).rigid


def _inverse(made: Origin, trial: Trial) -> Iterator[Model]:
    if _is_rigid(made):
        yield from by_second_moments(inverse_by_second_moments, made.robot, trial)
    else:
        yield trial.finished(made.again(regrouped_robot(made.robot)))


def _quick_inverse(made: Origin) -> Model | None:
    return inverse_by_second_moments(made.robot, Choice()) if _is_rigid(made) else None


def _direct(made: Origin, trial: Trial) -> Iterator[Model]:
    robot, regrouped = made.robot, regrouped_robot(made.robot)
    if not _is_rigid(made):
        yield from trial.best_of(made.again(regrouped, route=route) for route in ROUTES)
        return
    bias = replace(trial, outputs={"H": tuple(f"H{j}" for j in robot.tree_joints)})  # a small part, searched alone
    bias = replace(bias, given=bias.cost(bias_torques(robot, structure="tree")))
    *_, (choice, _) = choices(bias_by_second_moments, robot, bias)
    routes = (made.again(each, route=route, structure="tree") for route in ROUTES for each in (robot, regrouped))
    # the inertia matrix has no masses at origins: what is off line for both may be less without them
    ways = dict.fromkeys([choice.points, frozenset()])
    others = (direct_by_second_moments(robot, replace(choice, points=points)) for points in ways)
    yield from trial.best_of(chain(routes, others))


def _quick_direct(made: Origin) -> Model | None:
    return direct_by_second_moments(made.robot, Choice()) if _is_rigid(made) else None


def _bias(made: Origin, trial: Trial) -> Iterator[Model]:
    return by_second_moments(bias_by_second_moments, made.robot, trial)


def _quick_bias(made: Origin) -> Model:
    return bias_by_second_moments(made.robot, Choice())


def _gravity(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(gravity_by_first_moments(made.robot, sums) for sums in (False, True))


def _quick_gravity(made: Origin) -> Model:
    return gravity_by_first_moments(made.robot, sums=False)


def _inertia(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(regrouped_robot(made.robot), structure="tree"))
    yield from by_gathering(partial(inertia_by_composites, gravity=made.options["gravity"]), made.robot, trial)


def _coriolis(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(moments=lambda tree: regrouped(tree)[0]))


def _energy(made: Origin, trial: Trial) -> Iterator[Model]:
    """Mass on the axis of a revolute joint moves alike on both of its sides, and hangs as high."""
    robot, still = regrouped_onto_base(made.robot)
    yield trial.finished(made.again(robot, still=still))


OTHERS: dict[Callable[..., Model], Others] = {
    inverse_dynamics: Others(frozenset({"tau", "qdd", "base_acceleration"}), _inverse, _quick_inverse),
    direct_dynamics: Others(frozenset({"qdd", "base_acceleration"}), _direct, _quick_direct),
    bias_torques: Others(frozenset({"H"}), _bias, _quick_bias),
    gravity_torques: Others(frozenset({"Q"}), _gravity, _quick_gravity),
    inertia_matrix: Others(frozenset({"A", "Q"}), _inertia),
    coriolis_of: Others(frozenset({"C"}), _coriolis),
    energy_of: Others(frozenset({"energy", "power"}), _energy),
}
