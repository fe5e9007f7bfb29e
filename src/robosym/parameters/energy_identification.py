"""The energy identification model: the work of the motors as a row times the parameters (guide 3.6.3.2, 5.8.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.energy_functions import energy_functions
from robosym.mechanism import Robot
from robosym.model import Model, Trial, Variants, flat
from robosym.parameters.columns import Column, IdentificationModel, choose_columns, finish
from robosym.parameters.energy_recursion import ON_AXIS, TURNED, EnergyChoice, EnergyRecursion
from robosym.parameters.joint_space import JointSpace
from robosym.parameters.platform_identification import platform_energy

__all__ = ["energy_identification"]

_INPUTS = ("q", "qd", "gravity", "parameters")
_SEARCHED = 20  #: links of the largest robot of which each is tried in several ways


@accepts("fixed", platform="base_parameters modes")
def energy_identification(
    robot: Robot, base_parameters: bool = False, structure: str | None = None, friction: bool = False, modes: Any = None
) -> IdentificationModel:
    """The row "h" (HXX1 ..): between two times the work of the motors is the difference of h K.

    With `friction` a second row "p": the power that FVj and FSj take, to be integrated over the motion.
    `modes` numbers the branches of the legs of a platform.
    """
    if robot.modules:
        return platform_energy(robot, base_parameters, modes)
    columns = choose_columns(robot, base_parameters, structure, False, False)
    return _row(robot, columns, structure, friction)


def _row(
    robot: Robot, columns: list[Column], structure: str | None, friction: bool, choice: EnergyChoice | None = None
) -> IdentificationModel:
    """`choice`: functions of links from those of their antecedents, or the book's."""
    setting = JointSpace(robot, _INPUTS, structure)
    with setting.work as work:
        hinge = setting.hinges
        if choice is None:
            values = energy_functions(hinge, setting.velocities, setting.weight, [c.place for c in columns])
        else:
            angles = {j: work.value(robot.frame(j).theta) for j in range(1, robot.NL + 1)}
            recursion = EnergyRecursion(setting.tree(accelerated=False), angles, choice, work.note)
            values = [recursion.value(*c.place) for c in columns]
        row = tuple(f"H{c.name}" for c in columns)
        for name, value in zip(row, values, strict=True):
            work.define(name, value)
        outputs: dict[str, Any] = {"h": (row,)}
        if friction:
            taken = {
                f"P{field}{j}": setting.rate(j) * setting.effort_of((j, field), accelerated=False)
                for j in (*robot.tree_joints, *(setting.closed.across if setting.closed else ()))
                for field in ("FV", "FS")
            }
            outputs["p"] = (tuple(taken),)
            for name, value in taken.items():
                work.define(name, value)
        names = tuple(name for layout in outputs.values() for name in flat(layout))
        variants = Variants(names, partial(_from_antecedents, robot, columns, structure, friction))
        return finish(work, "eim", "Energy identification model", outputs, columns, ["H"], variants)


def _from_antecedents(
    robot: Robot, columns: list[Column], structure: str | None, friction: bool, trial: Trial
) -> Iterator[Model]:
    """The best that is found when functions of links are taken from the antecedent one after the other."""

    def generated(choice: EnergyChoice) -> Model:
        return _row(robot, columns, structure, friction, choice)

    best = EnergyChoice(sums=True)
    least = trial.cost(generated(best))
    changes = [(j, way) for j in range(1, robot.NL + 1) for way in (ON_AXIS, TURNED)]
    for change in changes if robot.NL <= _SEARCHED else []:
        changed = replace(best, carried=best.carried | {change})
        cost = trial.cost(generated(changed)) if trial.in_time() else least
        if cost < least:
            best, least = changed, cost
    yield from trial.best_of(generated(replace(best, sums=sums)) for sums in (True, False))
