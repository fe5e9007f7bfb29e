"""Alternative recursions for trees: the same outputs with the same names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from robosym.algebra import Expr, Level
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.coordinates.roles import resting, roles_of
from robosym.dynamics.bias_torques import bias_of, gravity_of
from robosym.dynamics.coriolis import coriolis_of
from robosym.dynamics.direct_dynamics import ROUTES, direct_of
from robosym.dynamics.energy import energy_of
from robosym.dynamics.inertia_matrix import inertia_of
from robosym.dynamics.inverse_dynamics import inverse_of
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, still_tree, tree_of
from robosym.model import Layout, Model, Origin, Workspace
from robosym.optimizer.recursions.composites import composites, weights
from robosym.optimizer.recursions.lengths import in_unit, points
from robosym.optimizer.recursions.moments import regrouped, regrouped_inertia, regrouped_onto_base, regrouped_robot
from robosym.optimizer.recursions.recursion import torques
from robosym.optimizer.recursions.search import choices, gatherings
from robosym.optimizer.recursions.treatments import OF_WEIGHTS, CompositeOptions, Treatments
from robosym.optimizer.recursions.trial import Alternatives, Trial

__all__ = [
    "OTHERS", "bias_by_second_moments", "direct_by_second_moments", "gravity_by_first_moments",
    "inertia_by_composites", "inverse_by_second_moments",
]  # fmt: skip

_BIAS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
_INVERSE = ("q", "qd", "qdd", *_BIAS[2:])
_DIRECT = ("q", "qd", "tau", *_BIAS[2:])
_TITLE = "Newton-Euler method over regrouped second moments"


def _titled(kind: str, robot: Robot, choice: Treatments) -> str:
    """Return the title of a model; it names lengths that are divided by."""
    unit, parts = _unit(robot, choice.unit), _in_parts(robot, choice.unit)
    found = points(robot) if choice.points else {}
    lengths = {str(found[j].node) for j in choice.points if j in found and found[j].level is not Level.NUMBER}
    for length in sorted(lengths - {str(unit)}):
        parts += f", a mass at the distance {length}, which must not be 0"
    return f"{kind}: {_TITLE}{parts}"


def _unit(robot: Robot, place: tuple[int, str] | None) -> Expr | None:
    return None if place is None else getattr(robot.frame(place[0]), place[1]).node


def _in_parts(robot: Robot, place: tuple[int, str] | None) -> str:
    """Return the part of a title that names a symbolic unit of length."""
    unit = _unit(robot, place)
    return "" if unit is None or unit.op == "number" else f", lengths relative to {unit}, which must not be 0"


def inverse_by_second_moments(robot: Robot, choice: Treatments) -> Model:
    """Return a model of the torques GAMj of all joints of the tree."""
    with Workspace(in_unit(robot, choice.unit), _INVERSE) as work:
        tree = tree_of(work.robot, work.value, work.note)
        names = _define_torques(work, "GAM", tree, choice)
        return work.model("dyn", _titled("Inverse dynamic model", robot, choice), {"tau": names})


def bias_by_second_moments(robot: Robot, choice: Treatments) -> Model:
    """Return a model of the torques Hj at zero acceleration."""
    with Workspace(in_unit(robot, choice.unit), _BIAS) as work:
        tree = tree_of(work.robot, work.value, work.note).with_accelerations({})
        names = _define_torques(work, "H", tree, choice)
        return work.model("ccg", _titled("Centrifugal, Coriolis and gravity torques", robot, choice), {"H": names})


def _define_torques(work: Workspace, prefix: str, tree: Tree, choice: Treatments) -> tuple[str, ...]:
    along = torques(tree, choice, work.note)
    return work.vector(prefix, {j: tree.body(j).torque(along[j]) for j in work.robot.tree_joints})


def gravity_by_first_moments(robot: Robot, way: CompositeOptions) -> Model:
    """Return a model of the torques Qj that hold the robot at rest."""
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        along = weights(tree, way, work.note)
        names = work.vector("Q", {j: along[j] for j in robot.tree_joints})
        return work.model("grav", "Gravity torques: first moments of the links that a joint carries", {"Q": names})


def inertia_by_composites(robot: Robot, way: CompositeOptions, gravity: bool) -> Model:
    """Return a model of the inertia matrix A and, with `gravity`, of the torques Qj that hold the robot at rest."""
    title = f"Inertia matrix: composite links over regrouped second moments{_in_parts(robot, way.unit)}"
    robot = in_unit(robot, way.unit)
    with Workspace(robot, ("q", *(("gravity",) if gravity else ()), "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        found = composites(tree, way)
        entries = {(i, j): a + (tree.body(j).IA if i == j else 0) for (i, j), a in found.inertia.items()}
        joints = robot.tree_joints
        A = [[entries.get((min(i, j), max(i, j)), 0) for j in joints] for i in joints]
        outputs: dict[str, Layout] = {"A": work.matrix("A", A, joints, joints)}
        if gravity:
            outputs["Q"] = work.vector("Q", {j: found.weights[j] for j in joints})
        return work.model("inm", title, outputs)


def direct_by_second_moments(robot: Robot, choice: Treatments) -> Model:
    """Return a model of QDPj from A qdd = tau - H, with H by second moments and A by regrouped composite links."""
    title = _titled("Direct dynamic model", robot, replace(choice, unit=None))
    with Workspace(robot, _DIRECT) as work:
        # in this order: a walk over the forms of the model depends on the order of its operations
        inertia = regrouped_inertia(tree_of(robot, work.value), work.note)
        tree = tree_of(robot, work.value, work.note).with_accelerations({})
        along = torques(tree, choice, work.note)  # regroups the given links itself
        joints = robot.tree_joints
        right = [tree.body(j).without_friction(work.value(robot.joint(j).GAM)) - along[j] for j in joints]
        solution = solve_symmetric([[inertia.entry(i, j) for j in joints] for i in joints], right)
        names = work.vector("QDP", dict(zip(joints, solution, strict=True)))
        return work.model("ddm", f"{title}, Cholesky factors", {"qdd": names})


# ------------------------------------------------------------------------------ interface of the optimizer


def _is_rigid(made: Origin) -> bool:
    """Return whether there are neither elastic joints nor a free base, which second moments do not support."""
    structure, passive, rest = (made.options[name] for name in ("structure", "passive", "rest"))
    return roles_of(made.robot, structure, passive, resting(made.robot, rest)).rigid


def _inverse(made: Origin, trial: Trial) -> Iterator[Model]:
    if _is_rigid(made):
        yield from (model for _, model in choices(inverse_by_second_moments, made.robot, trial))
    else:
        yield trial.finished(made.again(regrouped_robot(made.robot)))


def _direct(made: Origin, trial: Trial) -> Iterator[Model]:
    robot, regrouped = made.robot, regrouped_robot(made.robot)
    if not _is_rigid(made):
        yield from trial.best_of(made.again(regrouped, route=route) for route in ROUTES)
        return
    bias = replace(trial, outputs={"H": tuple(f"H{j}" for j in robot.tree_joints)})  # a small part, searched separately
    bias = replace(bias, given=bias.cost(bias_of(robot, "tree")))
    *_, (choice, _) = choices(bias_by_second_moments, robot, bias)
    routes = (made.again(each, route=route, structure="tree") for route in ROUTES for each in (robot, regrouped))
    # the inertia matrix has no masses at origins: offline work of both may be less without them
    ways = dict.fromkeys([choice.points, frozenset()])
    others = (direct_by_second_moments(robot, replace(choice, points=points)) for points in ways)
    yield from trial.best_of(chain(routes, others))


def _bias(made: Origin, trial: Trial) -> Iterator[Model]:
    return (model for _, model in choices(bias_by_second_moments, made.robot, trial))


def _gravity(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(gravity_by_first_moments(made.robot, way) for way in OF_WEIGHTS)


def _inertia(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(regrouped_robot(made.robot), structure="tree"))
    generate = partial(inertia_by_composites, gravity=made.options["gravity"])
    yield from (model for _, model in gatherings(generate, made.robot, trial))


def _coriolis(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(moments=lambda tree: regrouped(tree)[0]))


def _energy(made: Origin, trial: Trial) -> Iterator[Model]:
    """Yield the model with regrouped mass: on the axis of a revolute joint it has the same energy on either side."""
    robot, still = regrouped_onto_base(made.robot)
    yield trial.finished(made.again(robot, still=still))


OTHERS: dict[Callable[..., Model], Alternatives] = {
    inverse_of: Alternatives(
        frozenset({"tau", "qdd", "base_acceleration"}), _inverse,
        lambda made: inverse_by_second_moments(made.robot, Treatments()) if _is_rigid(made) else None,
    ),
    direct_of: Alternatives(
        frozenset({"qdd", "base_acceleration"}), _direct,
        lambda made: direct_by_second_moments(made.robot, Treatments()) if _is_rigid(made) else None,
    ),
    bias_of: Alternatives(
        frozenset({"H"}), _bias,
        lambda made: bias_by_second_moments(made.robot, Treatments()),
    ),
    gravity_of: Alternatives(
        frozenset({"Q"}), _gravity, lambda made: gravity_by_first_moments(made.robot, OF_WEIGHTS[0])
    ),
    inertia_of: Alternatives(frozenset({"A", "Q"}), _inertia),
    coriolis_of: Alternatives(frozenset({"C"}), _coriolis),
    energy_of: Alternatives(frozenset({"energy", "power"}), _energy),
}  # fmt: skip
