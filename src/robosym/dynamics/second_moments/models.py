"""Models of a robot by other recursions than the book's: same outputs, same names of outputs."""

from __future__ import annotations

from dataclasses import replace

from robosym.algebra import Expr, Level
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.dynamics.composite import tree_inertia
from robosym.dynamics.second_moments.composites import composites
from robosym.dynamics.second_moments.gathering import Gathering
from robosym.dynamics.second_moments.gravity import gravity_along
from robosym.dynamics.second_moments.links import regrouped_robot
from robosym.dynamics.second_moments.points import points
from robosym.dynamics.second_moments.recursion import torques
from robosym.dynamics.second_moments.units import in_unit
from robosym.dynamics.second_moments.ways import Choice
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, still_tree, tree_of
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Scalar

__all__ = [
    "bias_by_second_moments",
    "direct_by_second_moments",
    "gravity_by_first_moments",
    "inertia_by_composites",
    "inverse_by_second_moments",
]

_BIAS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
_INVERSE = ("q", "qd", "qdd", *_BIAS[2:])
_DIRECT = ("q", "qd", "tau", *_BIAS[2:])
_TITLE = "Newton-Euler method over regrouped second moments"


def _along(work: Workspace, tree: Tree, choice: Choice) -> dict[int, Scalar]:
    angles = {j: work.value(work.robot.frame(j).theta) for j in range(1, work.robot.NL + 1)}
    return torques(tree, angles, choice, work.note)


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


def inverse_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Torques GAMj of all joints of the tree."""
    title = _titled("Inverse dynamic model", robot, choice)
    robot = in_unit(robot, choice.unit)
    with Workspace(robot, _INVERSE) as work:
        tree = tree_of(robot, work.value, work.note)
        along = _along(work, tree, choice)
        for j in robot.tree_joints:
            work.define(f"GAM{j}", tree.body(j).torque(along[j]))
        outputs = tuple(f"GAM{j}" for j in robot.tree_joints)
        return work.model("dyn", title, {"tau": outputs})


def bias_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Torques Hj at zero acceleration."""
    title = _titled("Centrifugal, Coriolis and gravity torques", robot, choice)
    robot = in_unit(robot, choice.unit)
    with Workspace(robot, _BIAS) as work:
        tree = tree_of(robot, work.value, work.note).with_accelerations({})
        along = _along(work, tree, choice)
        for j in robot.tree_joints:
            work.define(f"H{j}", tree.body(j).torque(along[j]))
        outputs = tuple(f"H{j}" for j in robot.tree_joints)
        return work.model("ccg", title, {"H": outputs})


def gravity_by_first_moments(robot: Robot, sums: bool) -> Model:
    """Torques Qj that hold the robot at rest."""
    with Workspace(robot, ("q", "gravity", "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        angles = {j: work.value(robot.frame(j).theta) for j in range(1, robot.NL + 1)}
        along = gravity_along(tree, angles, sums, work.note)
        for j in robot.tree_joints:
            work.define(f"Q{j}", work.graph.zero + along[j])
        outputs = {"Q": tuple(f"Q{j}" for j in robot.tree_joints)}
        return work.model("grav", "Gravity torques: first moments of all that a joint carries", outputs)


def inertia_by_composites(robot: Robot, way: Gathering, gravity: bool) -> Model:
    """Inertia matrix A, with `gravity` also the torques Qj that hold the robot at rest."""
    title = f"Inertia matrix: composite links over regrouped second moments{_in_parts(robot, way.unit)}"
    robot = in_unit(robot, way.unit)
    with Workspace(robot, ("q", *(("gravity",) if gravity else ()), "parameters")) as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        angles = {j: work.value(robot.frame(j).theta) for j in range(1, robot.NL + 1)}
        found = composites(tree, angles, way)
        entries = {(i, j): a + (tree.body(j).IA if i == j else 0) for (i, j), a in found.inertia.items()}
        joints = robot.tree_joints
        A = [[work.graph.zero + entries.get((min(i, j), max(i, j)), 0) for j in joints] for i in joints]
        outputs: dict[str, Layout] = {"A": work.matrix("A", A, joints, joints)}
        if gravity:
            for j in joints:
                work.define(f"Q{j}", work.graph.zero + found.weights[j])
            outputs["Q"] = tuple(f"Q{j}" for j in joints)
        return work.model("inm", title, outputs)


def direct_by_second_moments(robot: Robot, choice: Choice) -> Model:
    """Accelerations QDPj from A qdd = tau - H, with H by second moments and A by regrouped composite links."""
    title = _titled("Direct dynamic model", robot, replace(choice, unit=None))
    regrouped = regrouped_robot(robot)
    with Workspace(regrouped, _DIRECT) as work:
        inertia = tree_inertia(tree_of(regrouped, work.value), work.note)
        # H regroups by itself, from the links as they were given
        entries = [entry for _, _, entry in robot.entries()]
        given = dict(zip(entries, work.graph.copy(entries), strict=True))
        tree = tree_of(robot, given.__getitem__, work.note).with_accelerations({})
        angles = {j: given[robot.frame(j).theta] for j in range(1, robot.NL + 1)}
        along = torques(tree, angles, choice, work.note)
        joints = robot.tree_joints
        right = [tree.body(j).without_friction(given[robot.joint(j).GAM]) - along[j] for j in joints]
        solution = solve_symmetric([[inertia.entry(i, j) for j in joints] for i in joints], right)
        for j, value in zip(joints, solution, strict=True):
            work.define(f"QDP{j}", value)
        outputs = tuple(f"QDP{j}" for j in joints)
        return work.model("ddm", f"{title}, Cholesky factors", {"qdd": outputs})
