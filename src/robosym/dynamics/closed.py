"""Models of robots with closed loops, in their active joints (guide 4.3, 4.4; RNE 4).

The loops bind the passive joints of the equivalent tree to the active ones: qd_p = W qd_a and qdd_p = W qdd_a + b.
With G the unit matrix over W, the torques of the motors are G^T times those of the tree, A_c = G^T A G, and H_c are the
torques of the motors at qdd_a = 0. The multipliers of the loop equations are what the cut joints transmit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.description import Robot
from robosym.dynamics.arguments import BASE_ACCELERATION, define_base_acceleration
from robosym.dynamics.composite import TreeInertia, tree_inertia
from robosym.dynamics.newton_euler import Efforts, newton_euler
from robosym.dynamics.roles import Rest, Roles
from robosym.errors import InputError
from robosym.geometry.poses import Poses
from robosym.loops.constraints import LoopConstraints
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import sum_of
from robosym.tree.bodies import Tree, still_tree, tree_of

__all__ = ["ClosedMotion", "closed_bias", "closed_direct", "closed_gravity", "closed_inertia", "closed_inverse"]

_STATE = ("q", "qd")
_SURROUNDINGS = ("base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


class ClosedMotion:
    """The motion of a closed robot in its active joints, over the graph of a workspace: G, and what follows from it."""

    def __init__(self, robot: Robot, groups: tuple[str, ...]) -> None:
        self.robot = robot
        self.constraints = LoopConstraints(robot)
        self.active, self.passive = self.constraints.active, self.constraints.passive
        self.base_free = robot.base.kind == "floating"
        groups = tuple(g for g in groups if not (self.base_free and g == "base_acceleration"))
        self.work = work = Workspace(robot, groups, dict.fromkeys(("qd", "qdd", "tau"), self.active))
        self.poses = Poses(robot, work.value, work.define)
        self.equations = self.constraints.equations(self.poses, work.graph)
        #: column by column of the active joints: what a unit rate of each gives every joint of the tree
        self.G: dict[int, list[Expr]] = {j: [work.graph.number(int(i == j)) for i in self.active] for j in self.active}
        W = self.equations.solution()
        for j, row in zip(self.passive, W, strict=True):
            self.G[j] = [work.define(f"G{j}_{i}", entry) for i, entry in zip(self.active, row, strict=True)]
        #: the same of virtual joints, whose links have no mass: the drift needs their rates, the dynamics does not
        self.virtual: dict[int, list[Expr]] = {}
        if any(j in robot.tree_joints for j in self.constraints.cut):
            rows = zip(self.constraints.cut, self.equations.cut_solution(W), strict=True)
            self.virtual = {j: row for j, row in rows if j in robot.tree_joints}

    def tree(self) -> Tree:
        return tree_of(self.robot, self.work.value, self.work.note, self.base_free)

    def spread(self, values: Mapping[int, Any], drift: Mapping[int, Any], name: str) -> dict[int, Any]:
        """Rates or accelerations of all joints from those of the active ones."""
        given = [values[i] for i in self.active]
        return dict(values) | {
            j: self.work.define(f"{name}{j}", _dot(self.G[j], given) + drift.get(j, 0)) for j in self.passive
        }

    def rates(self) -> dict[int, Any]:
        given = {j: self.work.value(self.robot.joint(j).QP) for j in self.active}
        slack = {j: _dot(row, list(given.values())) for j, row in self.virtual.items()}
        return self.spread(given, {}, "QP") | slack

    def drift(self, qd: Mapping[int, Any]) -> dict[int, Any]:
        """b: accelerations of the passive joints when the active ones have none."""
        psi, _ = self.constraints.drift(self.poses, self.work.value, lambda j: qd.get(j, 0))
        zero = self.work.graph.zero
        found = self.equations.passive_drift([zero + entry for entry in psi])
        return {j: self.work.define(f"QDB{j}", entry) for j, entry in zip(self.passive, found, strict=True)}

    def project(self, efforts: Mapping[int, Any]) -> dict[int, Any]:
        """G^T: efforts on the motors that do the work of efforts on the joints of the tree (4.40)."""
        joints = (*self.active, *self.passive)
        return {i: sum_of(self.G[j][a] * efforts[j] for j in reversed(joints)) for a, i in enumerate(self.active)}

    def needed(self, tree: Tree, along: Mapping[int, Any], roles: Roles, rest: Rest) -> dict[int, Any]:
        """Efforts that motors and loops must exert on the joints of the tree, springs in passive joints taken off."""
        needed = {j: along[j] + tree.body(j).friction + tree.body(j).IA * tree.body(j).qdd for j in along}
        for j in roles.springs:
            if j in self.passive:
                needed[j] = needed[j] - roles.effort(j, self.work, rest)
        return needed

    def transmit(self, lacking: Mapping[int, Any]) -> None:
        """Name the multipliers LAM1.. and, of each cut joint k, what its antecedent exerts: E1k..N3k in frame k + B.

        `lacking` is the effort on each passive joint of the tree that the loops must supply. Of rows that depend on
        others, as of a planar loop out of its plane, nothing is known: those components are zero.
        """
        constraints, equations = self.constraints, self.equations
        if any(row.relation for row in constraints.rows):  # relations between rates say nothing about forces
            constraints = LoopConstraints(self.robot, parallelograms=False)
            equations = constraints.equations(self.poses, self.work.graph)
        zero, none = self.work.graph.zero, Vec3(0, 0, 0)
        multipliers = equations.multipliers([zero + lacking[j] for j in self.passive])
        cuts = constraints.cuts(self.poses)
        wrenches = [[none, none] for _ in cuts]
        for number, (row, multiplier) in enumerate(zip(constraints.rows, multipliers, strict=True), 1):
            self.work.define(f"LAM{number}", multiplier)
            wrenches[row.loop][row.part] = wrenches[row.loop][row.part] + row.direction(cuts) * multiplier
        for loop, (force, moment) in zip(constraints.loops, wrenches, strict=True):
            self.work.note("E", loop.cut, force)
            self.work.note("N", loop.cut, moment)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Any:
    return sum_of(x * y for x, y in zip(a, b, strict=True))


def closed_inverse(robot: Robot, roles: Roles, rest: Rest) -> Model:
    """Torques of the motors from the motion of the active joints (4.39); LAM1.. and E1k..N3k can be selected."""
    closed = ClosedMotion(robot, (*_STATE, "qdd", *_SURROUNDINGS))
    if any(j in roles.springs for j in closed.active):
        raise InputError(f"{robot.name}: an elastic joint of a robot with loops must be passive (mu = 0)")
    with closed.work as work:
        qd = closed.rates()
        drift = closed.drift(qd)
        qdd = closed.spread({j: work.value(robot.joint(j).QDP) for j in closed.active}, drift, "QDP")
        tree = closed.tree().with_rates(qd).with_accelerations(qdd)
        efforts = newton_euler(tree, work.note)
        along = dict(efforts.along)
        outputs: dict[str, Layout] = {"tau": tuple(f"GAM{j}" for j in closed.active)}
        if closed.base_free:
            along = _on_floating_base(closed, tree, efforts)
            outputs["base_acceleration"] = BASE_ACCELERATION
        needed = closed.needed(tree, along, roles, rest)
        for j, torque in closed.project(needed).items():
            work.define(f"GAM{j}", torque)
        closed.transmit(needed)
        return work.model("dyn", "Inverse dynamic model of the closed robot: Newton-Euler method", outputs)


def _on_floating_base(closed: ClosedMotion, tree: Tree, efforts: Efforts) -> dict[int, Any]:
    """Efforts along the joints when the base yields to what the motion exerts on it (RNE 86, 87)."""
    inertia = tree_inertia(tree)
    assert inertia.base is not None
    base = solve_symmetric(inertia.base.entries, [-part for part in (*efforts.f[0], *efforts.n[0])])
    define_base_acceleration(closed.work, Vec3(*base[:3]), Vec3(*base[3:]))
    return {j: effort + _dot(inertia.coupling[j], base) for j, effort in efforts.along.items()}


def _reduced(closed: ClosedMotion, inertia: TreeInertia) -> list[list[Any]]:
    """A_c = G^T A G (4.48)."""
    joints = (*closed.active, *closed.passive)
    size = len(closed.active)
    moved = {j: [sum_of(inertia.entry(j, k) * closed.G[k][a] for k in joints) for a in range(size)] for j in joints}
    A: list[list[Any]] = [[0] * size for _ in range(size)]
    for a in range(size):
        for b in range(a, size):
            A[a][b] = A[b][a] = sum_of(closed.G[j][a] * moved[j][b] for j in reversed(joints))
    return A


def closed_inertia(robot: Robot) -> Model:
    """A_c over the active joints."""
    closed = ClosedMotion(robot, ("q", "parameters"))
    with closed.work as work:
        A = _reduced(closed, tree_inertia(closed.tree(), work.note))
        layout = work.matrix("A", A, closed.active, closed.active)
        return work.model("inm", "Inertia matrix of the closed robot", {"A": layout})


def closed_bias(robot: Robot, roles: Roles) -> Model:
    """H_c over the active joints, with gravity, friction, wrenches and the springs of passive joints (4.49)."""
    closed = ClosedMotion(robot, (*_STATE, *_SURROUNDINGS))
    with closed.work as work:
        needed, _ = _bias(closed, roles, {})
        for j, torque in closed.project(needed).items():
            work.define(f"H{j}", torque)
        outputs = {"H": tuple(f"H{j}" for j in closed.active)}
        return work.model("ccg", "Centrifugal, Coriolis and gravity torques of the closed robot", outputs)


def _bias(
    closed: ClosedMotion, roles: Roles, rest: Rest
) -> tuple[dict[int, Any], tuple[dict[int, Any], Tree, Efforts]]:
    """Efforts on the joints of the tree at qdd_a = 0, springs taken off; the drift, the tree and its wrenches."""
    qd = closed.rates()
    drift = closed.drift(qd)
    tree = closed.tree().with_rates(qd).with_accelerations(drift)
    efforts = newton_euler(tree, closed.work.note)
    needed = closed.needed(tree, efforts.along, roles, rest)
    return needed, (drift, tree, efforts)


def closed_gravity(robot: Robot) -> Model:
    """Torques of the motors that hold the robot against gravity."""
    closed = ClosedMotion(robot, ("q", "gravity", "parameters"))
    with closed.work as work:
        tree = still_tree(tree_of(robot, work.value, work.note, base_free=True))
        for j, torque in closed.project(newton_euler(tree, work.note).along).items():
            work.define(f"Q{j}", torque)
        outputs = {"Q": tuple(f"Q{j}" for j in closed.active)}
        return work.model("grav", "Gravity torques of the closed robot", outputs)


def closed_direct(robot: Robot, roles: Roles, rest: Rest) -> Model:
    """Accelerations of the active joints, and as a second group those of the passive ones (4.46 to 4.49)."""
    closed = ClosedMotion(robot, (*_STATE, "tau", *_SURROUNDINGS))
    with closed.work as work:
        needed, (drift, tree, efforts) = _bias(closed, roles, rest)
        bias = closed.project(needed)
        inertia = tree_inertia(tree, work.note)
        matrix = _reduced(closed, inertia)
        right = [roles.effort(j, work, rest) - bias[j] for j in closed.active]
        if closed.base_free:
            matrix, right = _bordered(closed, inertia, efforts, matrix, right)
        solution = solve_symmetric(matrix, right)
        base, found = (solution[:6], solution[6:]) if closed.base_free else ([], solution)
        qdd = closed.spread(dict(zip(closed.active, found, strict=True)), drift, "QDP")
        for j in closed.active:
            work.define(f"QDP{j}", qdd[j])
        outputs: dict[str, Layout] = {"qdd": tuple(f"QDP{j}" for j in closed.active)}
        if closed.passive:
            outputs["qdd_passive"] = tuple(f"QDP{j}" for j in closed.passive)
        if closed.base_free:
            outputs["base_acceleration"] = BASE_ACCELERATION
            define_base_acceleration(work, Vec3(*base[:3]), Vec3(*base[3:]))
        gained = {j: qdd[j] - drift.get(j, 0) for j in qdd}  # beyond those of the bias
        for j in closed.passive:
            more = sum_of(inertia.entry(j, k) * gained[k] for k in gained)
            more = more + (_dot(inertia.coupling[j], base) if base else 0)
            needed[j] = needed[j] + more
        closed.transmit(needed)
        return work.model("ddm", "Direct dynamic model of the closed robot", outputs)


def _bordered(
    closed: ClosedMotion, inertia: TreeInertia, efforts: Efforts, matrix: list[list[Any]], right: list[Any]
) -> tuple[list[list[Any]], list[Any]]:
    """With the six equations of a floating base before those of the motors (RNE 88)."""
    assert inertia.base is not None
    joints = (*closed.active, *closed.passive)
    columns = [
        [sum_of(inertia.coupling[j][row] * closed.G[j][a] for j in joints) for row in range(6)]
        for a in range(len(closed.active))
    ]
    top = [[*inertia.base.entries[row], *(column[row] for column in columns)] for row in range(6)]
    bottom = [[*column, *row] for column, row in zip(columns, matrix, strict=True)]
    return top + bottom, [*(-part for part in (*efforts.f[0], *efforts.n[0])), *right]
