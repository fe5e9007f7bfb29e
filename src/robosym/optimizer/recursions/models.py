"""Models of a robot by other recursions than the book's: same outputs, same names of outputs."""

from __future__ import annotations

from dataclasses import replace

from robosym.algebra import Expr, Level
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.dynamics.composite import TreeInertia, tree_inertia
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, still_tree, tree_of
from robosym.model import Layout, Model, Note, Workspace
from robosym.optimizer.recursions.composites import composites
from robosym.optimizer.recursions.gathering import Gathering
from robosym.optimizer.recursions.gravity import gravity_along
from robosym.optimizer.recursions.links import regrouped_tree
from robosym.optimizer.recursions.points import points
from robosym.optimizer.recursions.recursion import torques
from robosym.optimizer.recursions.units import in_unit
from robosym.optimizer.recursions.ways import Choice

__all__ = [
    "bias_by_second_moments",
    "direct_by_second_moments",
    "gravity_by_first_moments",
    "inertia_by_composites",
    "inverse_by_second_moments",
    "regrouped_inertia",
]

_BIAS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
_INVERSE = ("q", "qd", "qdd", *_BIAS[2:])
_DIRECT = ("q", "qd", "tau", *_BIAS[2:])
_TITLE = "Newton-Euler method over regrouped second moments"


def _titled(kind: str, robot: Robot, choice: Choice) -> str:
    """What a model is called; who gives the parameters must know what is divided by."""
    unit, parts = _unit(robot, choice.unit), _in_parts(robot, choice.unit)
    found = points(robot) if choice.points else {}
    lengths = {str(found[j].node) for j in choice.points if j in found and found[j].level is not Level.NUMBER}
    for length in sorted(lengths - {str(unit)}):
        parts += f", a mass at the distance {length}, which must not be 0"
    return f"{kind}: {_TITLE}{parts}"


def _unit(robot: Robot, place: tuple[int, str] | None) -> Expr | None:
    return None if place is None else getattr(robot.frame(place[0]), place[1]).node


def _in_parts(robot: Robot, place: tuple[int, str] | None) -> str:
    """What a title says of a unit of length that is a symbol."""
    unit = _unit(robot, place)
    return "" if unit is None or unit.op == "number" else f", lengths in parts of {unit}, which must not be 0"


def regrouped_inertia(tree: Tree, note: Note) -> TreeInertia:
    """The inertia matrix of a tree, from its links with their mass regrouped."""
    return tree_inertia(regrouped_tree(tree)[0], note)


def inverse_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Torques GAMj of all joints of the tree."""
    with Workspace(in_unit(robot, choice.unit), _INVERSE) as work:
        tree = tree_of(work.robot, work.value, work.note)
        names = _define_torques(work, "GAM", tree, choice)
        return work.model("dyn", _titled("Inverse dynamic model", robot, choice), {"tau": names})


def bias_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Torques Hj at zero acceleration."""
    with Workspace(in_unit(robot, choice.unit), _BIAS) as work:
        tree = tree_of(work.robot, work.value, work.note).with_accelerations({})
        names = _define_torques(work, "H", tree, choice)
        return work.model("ccg", _titled("Centrifugal, Coriolis and gravity torques", robot, choice), {"H": names})


def _define_torques(work: Workspace, prefix: str, tree: Tree, choice: Choice) -> tuple[str, ...]:
    along = torques(tree, choice, work.note)
    return work.vector(prefix, {j: tree.body(j).torque(along[j]) for j in work.robot.tree_joints})


def gravity_by_first_moments(robot: Robot, sums: bool) -> Model:
    """Torques Qj that hold the robot at rest."""
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        along = gravity_along(tree, sums, work.note)
        names = work.vector("Q", {j: along[j] for j in robot.tree_joints})
        return work.model("grav", "Gravity torques: first moments of all that a joint carries", {"Q": names})


def inertia_by_composites(robot: Robot, way: Gathering, gravity: bool) -> Model:
    """Inertia matrix A, with `gravity` also the torques Qj that hold the robot at rest."""
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


def direct_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Accelerations QDPj from A qdd = tau - H, with H by second moments and A by regrouped composite links."""
    title = _titled("Direct dynamic model", robot, replace(choice, unit=None))
    with Workspace(robot, _DIRECT) as work:
        # in this order: a walk over the forms of the model depends on the order of its operations
        inertia = regrouped_inertia(tree_of(robot, work.value), work.note)
        tree = tree_of(robot, work.value, work.note).with_accelerations({})
        along = torques(tree, choice, work.note)  # they regroup by themselves, from the links as they are given
        joints = robot.tree_joints
        right = [tree.body(j).without_friction(work.value(robot.joint(j).GAM)) - along[j] for j in joints]
        solution = solve_symmetric([[inertia.entry(i, j) for j in joints] for i in joints], right)
        names = work.vector("QDP", dict(zip(joints, solution, strict=True)))
        return work.model("ddm", f"{title}, Cholesky factors", {"qdd": names})
