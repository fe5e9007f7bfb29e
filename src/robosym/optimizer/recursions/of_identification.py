"""Other recursions for the identification models: what multiplies the parameters, with fewer operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.dynamics.newton_euler import LinkMotion
from robosym.mechanism.bodies import Tree
from robosym.mechanism.motion import Hinge
from robosym.model import Model, Note, Origin
from robosym.optimizer import effort
from robosym.optimizer.recursions.energy_recursion import ON_AXIS, TURNED, EnergyChoice, EnergyRecursion
from robosym.optimizer.recursions.others import Others
from robosym.optimizer.recursions.recursion import motions
from robosym.optimizer.recursions.trial import Trial
from robosym.parameters.dynamic_identification import dynamic_matrix
from robosym.parameters.energy_identification import energy_row
from robosym.parameters.filtered_identification import Twist, filtered_matrices
from robosym.parameters.joint_space import JointSpace
from robosym.parameters.standard import LinkField
from robosym.spatial import Vec3, cos, sin

__all__ = ["OTHERS", "energy_functions_by"]


def _motion(sums: bool, tree: Tree, note: Note) -> LinkMotion:
    """By the columns of U."""
    found = motions(tree, sums, note)
    w, wp, vp = ({j: getattr(each, name) for j, each in found.items()} for name in ("w", "wp", "vp"))
    return LinkMotion(w, wp, vp, {}, {})


def _dynamic(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(made.again(motion_of=partial(_motion, sums)) for sums in (True, False))


def _filtered(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(carried=_by_sums_of_angles))


def _by_sums_of_angles(screw: Twist, h: Hinge) -> Twist:
    """A screw behind joint h; an axis that stands across several parallel ones is turned by the sum of their angles."""
    carried = screw.carried(h)
    if not is_exactly(h.T.A.rows[2].z, 1):  # the axis before is not turned about that of the joint
        return carried
    return replace(carried, w=_further(screw.w, carried.w, h))


def _further(w: Vec3, carried: Vec3, h: Hinge) -> Vec3:
    """(sin x, cos x, 0), turned about z by a further angle; any other vector as it is carried."""
    x, y, c = w.x, w.y, h.T.A.rows[0].x
    exact = all(isinstance(part, Expr) for part in (x, y, c)) and is_exactly(w.z, 0)
    if not exact or (x.op, y.op, c.op) != ("sin", "cos", "cos") or c.negative or x.negative is not y.negative:
        return carried
    if x.args[0] is not y.args[0] or h.T.A.rows[1].x is not sin(c.args[0]):
        return carried
    angle = x.args[0] + c.args[0]
    return Vec3(sin(angle).signed(x.negative), cos(angle).signed(x.negative), 0)


def energy_functions_by(choice: EnergyChoice, setting: JointSpace, places: Sequence[LinkField]) -> Sequence[Any]:
    """What the parameters at some places are multiplied by, functions of links from those of their antecedents."""
    recursion = EnergyRecursion(setting.tree(accelerated=False), choice, setting.work.note)
    return [recursion.value(*place) for place in places]


def _energy(made: Origin, trial: Trial) -> Iterator[Model]:
    """The best that is found when functions of links are taken from the antecedent one after the other."""

    def generated(choice: EnergyChoice) -> Model:
        return made.again(functions=partial(energy_functions_by, choice))

    robot, best = made.robot, EnergyChoice(sums=True)
    least = trial.cost(generated(best))
    changes = [(j, way) for j in range(1, robot.NL + 1) for way in (ON_AXIS, TURNED)]
    for change in changes if robot.NL <= effort.ENERGY else []:
        changed = replace(best, carried=best.carried | {change})
        cost = trial.cost(generated(changed)) if trial.in_time() else least
        if cost < least:
            best, least = changed, cost
    yield from trial.best_of(generated(replace(best, sums=sums)) for sums in (True, False))


OTHERS: dict[Callable[..., Model], Others] = {
    dynamic_matrix: Others(frozenset({"D"}), _dynamic),
    filtered_matrices: Others(frozenset({"D1", "D2"}), _filtered),
    energy_row: Others(frozenset({"h", "p"}), _energy),
}
