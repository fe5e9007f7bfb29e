"""Models of robots with closed loops, in their active joints (guide 4.3, 4.4; RNE 4).

The loops bind the passive joints of the equivalent tree to the active ones: qd_p = W qd_a and qdd_p = W qdd_a + b.
With G the unit matrix over W, the torques of the motors are G^T times those of the tree, A_c = G^T A G, and H_c are the
torques of the motors at qdd_a = 0. The multipliers of the loop equations are what the cut joints transmit.

The active joints are as many as the loops leave freedoms. Motors may be fewer: the active joints without one move
freely, and their accelerations are outputs of the inverse model too. They may be more, or sit in cut joints: of the
torques that do the work of those asked for, the ones with the least sum of squares are given. Springs and friction of
cut joints act by the rows that give the rates of these joints, as those of passive joints do by G.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, sqrt
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.linear.orthogonal import Orthogonal
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix, dot, sum_of
from robosym.coordinates.constraints import constraints_of
from robosym.coordinates.cut_position import cut_position
from robosym.dynamics.arguments import BASE_ACCELERATION, define_base_acceleration, define_base_wrench
from robosym.dynamics.composite import TreeInertia, base_blocks, tree_inertia
from robosym.dynamics.newton_euler import Efforts, Recursion, newton_euler
from robosym.dynamics.roles import Rest, Roles
from robosym.errors import ExpressionError, InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, still_tree, tree_of
from robosym.mechanism.friction import driving, under_load
from robosym.mechanism.path import Poses
from robosym.model import Layout, Model, Note, Origin, Workspace
from robosym.spatial import Vec3

__all__ = [
    "ClosedMotion", "closed_bias", "closed_direct", "closed_gravity", "closed_inertia", "closed_inverse",
    "closed_rates",
]  # fmt: skip

_EQUAL: Mapping[str | int, float] = {}
_AT_ZERO: Rest = {}
_STATE = ("q", "qd")
_SURROUNDINGS = ("base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


class ClosedMotion:
    """The motion of a closed robot in its active joints, over the graph of a workspace: G, and what follows from it."""

    def __init__(self, robot: Robot, groups: tuple[str, ...], accelerated: bool = True) -> None:
        """`accelerated`: joints without a motor have a given acceleration too."""
        self.robot = robot
        self.constraints = constraints_of(robot)
        self.active, self.passive = self.constraints.active, self.constraints.passive
        cut = tuple(loop.cut for loop in self.constraints.loops if robot.frame(loop.cut).mu)
        self.motors = (*self.constraints.motors, *cut)
        #: active joints without a motor, where there are too few motors
        self.free = tuple(j for j in self.active if j not in self.motors) if len(self.motors) < len(self.active) else ()
        self._check_motors(cut)
        self.base_free = robot.base.kind == "floating"
        groups = tuple(g for g in groups if not (self.base_free and g == "base_acceleration"))
        given = self.active if accelerated else tuple(j for j in self.active if j not in self.free)
        self.work = work = Workspace(robot, groups, {"qd": self.active, "qdd": given, "tau": self.motors})
        self.poses = Poses(robot, work.value, work.define)
        self.equations = self.constraints.equations(self.poses, work.graph)
        #: column by column of the active joints: what a unit rate of each gives every joint of the tree
        self.G: dict[int, list[Expr]] = {j: [work.graph.number(int(i == j)) for i in self.active] for j in self.active}
        W = self.equations.solution()
        for j, row in zip(self.passive, W, strict=True):
            self.G[j] = [work.define(f"G{j}_{i}", entry) for i, entry in zip(self.active, row, strict=True)]
        #: the same of virtual joints, in which nothing acts: the drift needs their rates, the dynamics does not
        self.virtual: dict[int, list[Expr]] = {}
        #: the same of cut joints in which something acts: a motor, a spring or friction
        self.across: dict[int, list[Expr]] = {}
        acting = tuple(j for j in robot.cut_joints if j in cut or robot.joint(j).acts)
        if acting or any(j in robot.tree_joints for j in self.constraints.cut):
            rows = dict(zip(self.constraints.cut, self.equations.cut_solution(W), strict=True))
            self.virtual = {j: row for j, row in rows.items() if j in robot.tree_joints}
            self.across = {j: rows[j] for j in acting}

    def _check_motors(self, cut: tuple[int, ...]) -> None:
        if not self.motors:
            raise InputError(
                f"{self.robot.name} has no active joint: expected at least one joint with a motor (mu = 1)"
            )
        lazy = [j for j in self.motors if j not in self.active]
        if self.free and lazy:
            raise InputError(
                f"{self.robot.name}: the motors {', '.join(map(str, self.motors))} are too few for the "
                f"{len(self.active)} freedoms of its loops, and {', '.join(map(str, lazy))} "
                f"{'is a cut joint: cut its loop elsewhere' if set(lazy) & set(cut) else 'depend on the others'}"
            )

    @property
    def motors_are_active(self) -> bool:
        """A motor in each active joint and nowhere else."""
        return self.motors == self.active

    def transmission(self) -> Matrix[Expr]:
        """Rates of the motors from those of the active joints, a row a motor."""
        return Matrix(self.G[j] if j in self.G else self.across[j] for j in self.motors)

    def torques(self, efforts: Mapping[int, Any], weights: Mapping[int, float] | None = None) -> dict[int, Any]:
        """The smallest torques of the motors, by weight, that do the work of efforts on the active joints."""
        if self.motors_are_active or self.free:
            return {j: efforts[j] for j in self.active if j in self.motors}
        # of tau = s x the smallest x, s^2 being one over the weight
        scales = [1 / sqrt((weights or {}).get(j, 1.0)) for j in self.motors]
        rows = [[s * entry for entry in row] for s, row in zip(scales, self.transmission(), strict=True)]
        sizes = self.constraints.choice.sizes
        try:
            regular = Orthogonal(rows, sizes.cleared)
        except ExpressionError:  # a column that depends on the others in every position
            raise InputError(
                f"{self.robot.name}: the motors {', '.join(map(str, self.motors))} do not determine the motion of its "
                f"loops: expected motors of joints that move, and of {len(self.active)} of them independently"
            ) from None
        found = regular.solve_transposed([self.work.graph.zero + efforts[j] for j in self.active])
        return {j: s * x for j, s, x in zip(self.motors, scales, found, strict=True)}

    def weighted(self, weights: Mapping[str | int, float]) -> dict[int, float]:
        """Weights by joint, given by their names or numbers; an error where one cannot be."""
        found: dict[int, float] = {}
        known: dict[str | int, int] = {self.robot.variable(j): j for j in self.motors}
        known |= dict(zip(self.robot.joint_names, self.robot.tree_joints, strict=True))
        for name, weight in weights.items():
            j = known.get(name, name)
            if j not in self.motors:
                motors = ", ".join(self.robot.variable(j) for j in self.motors)
                raise InputError(f"{self.robot.name}: weights: expected motors ({motors}), found {name!r}")
            if not (isfinite(weight) and weight > 0):
                raise InputError(f"{self.robot.name}: weights: {name}: expected a positive number, found {weight!r}")
            found[int(j)] = float(weight)
        if found and (self.motors_are_active or self.free):
            raise InputError(f"{self.robot.name}: weights: it has no more motors than freedoms: nothing to distribute")
        return found

    def exerted(self, torques: Mapping[int, Any]) -> dict[int, Any]:
        """Efforts on the active joints that do the work of torques of the motors."""
        if self.motors_are_active or self.free:
            return {j: torques.get(j, 0) for j in self.active}
        return dict(zip(self.active, self.transmission().T @ [torques[m] for m in self.motors], strict=True))

    def tree(self) -> Tree:
        return tree_of(self.robot, self.work.value, self.work.note, self.base_free)

    def spread(self, values: Mapping[int, Any], drift: Mapping[int, Any], name: str) -> dict[int, Any]:
        """Rates or accelerations of all joints from those of the active ones."""
        given = [values[i] for i in self.active]
        return dict(values) | {
            j: self.work.define(f"{name}{j}", dot(self.G[j], given) + drift.get(j, 0)) for j in self.passive
        }

    def rates(self) -> dict[int, Any]:
        given = {j: self.work.value(self.robot.joint(j).QP) for j in self.active}
        slack = {j: dot(row, list(given.values())) for j, row in self.virtual.items()}
        return self.spread(given, {}, "QP") | slack

    def cut_rates(self, qd: Mapping[int, Any]) -> dict[int, Any]:
        """Rates of the cut joints in which something acts, from those of the active joints."""
        given = [qd[j] for j in self.active]
        return {j: dot(row, given) for j, row in self.across.items()}

    def position(self, j: int, rest: Rest = _AT_ZERO) -> Expr:
        """The variable of a joint; an angle of a cut joint is that within half a turn of the reference position.

        Where the reference position does not give it, the turn is the one about which the spring is at rest.
        """
        work, robot = self.work, self.robot
        if j in robot.tree_joints:
            return work.graph.symbol(robot.variable(j))
        own, known = robot.joint(j).rest, robot.position.get(robot.variable(j))
        if known is not None:
            about = work.graph.number(known)
        elif j in rest:
            about = work.parameter(rest[j])
        else:
            about = work.graph.zero if own is None else work.value(own)
        loop = next(loop for loop in self.constraints.loops if loop.cut == j)
        return cut_position(robot, loop, self.poses, work.value, about)

    def cut_friction(self, qd: Mapping[int, Any]) -> dict[int, Any]:
        """Friction of the cut joints, from the rates of the active joints."""
        found = {}
        for j, rate in self.cut_rates(qd).items():
            friction = self.robot.joint(j).friction
            place = self.position(j) if friction.needs_position else self.work.graph.zero
            found[j] = friction.effort(0, self.work.value, place, rate)
        return found

    def drift(self, qd: Mapping[int, Any]) -> dict[int, Any]:
        """b: accelerations of the passive joints when the active ones have none."""
        psi, _ = self.constraints.drift(self.poses, self.work.value, lambda j: qd.get(j, 0))
        zero = self.work.graph.zero
        found = self.equations.passive_drift([zero + entry for entry in psi])
        return {j: self.work.define(f"QDB{j}", entry) for j, entry in zip(self.passive, found, strict=True)}

    def project(self, efforts: Mapping[int, Any]) -> dict[int, Any]:
        """G^T: efforts on the motors that do the work of efforts on the joints of the tree (4.40) and on cut joints."""
        rows = self.G | {j: row for j, row in self.across.items() if j in efforts}
        joints = (*self.active, *self.passive, *(j for j in rows if j not in self.G))[::-1]
        return dict(zip(self.active, Matrix(rows[j] for j in joints).T @ [efforts[j] for j in joints], strict=True))

    def needed(self, tree: Tree, along: Mapping[int, Any], roles: Roles, rest: Rest) -> dict[int, Any]:
        """Efforts that motors and loops must exert on the joints, those of the springs taken off."""
        self.check_springs()
        needed = {j: along[j] + tree.body(j).friction + tree.body(j).IA * tree.body(j).qdd for j in along}
        needed |= self.cut_friction({j: tree.body(j).qd for j in self.active})
        for j in roles.springs:
            if j in needed:
                needed[j] = needed[j] - roles.effort(j, self.work, rest, self.position(j, rest))
        return needed

    def check_springs(self) -> None:
        """Raise an error where a joint has both a motor and a spring."""
        both = [j for j in self.motors if self.robot.joint(j).eta]
        if both:
            raise InputError(
                f"{self.robot.name}: joint {both[0]} has a motor and a spring: an elastic joint of a robot with loops "
                "must be passive (mu = 0)"
            )

    def loads(self, tree: Tree) -> dict[int, Any]:
        """Of active joints whose friction depends on load, the share of it; those of passive joints are refused."""
        shares = {j: tree.body(j).load for j in (*self.active, *self.passive) if tree.body(j).more is not None}
        shares |= {j: self.robot.joint(j).friction.load(self.work.value, 0, self.work.graph.one) for j in self.across}
        found = {j: share for j, share in shares.items() if isinstance(share, Expr) and not share.is_zero}
        if found and not (self.motors_are_active and {*found} <= {*self.active} and not self.base_free):
            raise InputError(f"{self.robot.name}: FL: expected friction under load in the joints of the motors alone")
        return found

    def rubbing(self, tree: Tree) -> dict[int, Any]:
        """Friction of all joints but that under load, at the motors."""
        cuts = self.cut_friction({j: tree.body(j).qd for j in self.active})
        return self.project({j: tree.body(j).friction for j in (*self.active, *self.passive)} | cuts)

    def loaded(self, tree: Tree, torques: Mapping[int, Any]) -> dict[int, Any]:
        """Torques of the motors with what friction adds under their load."""
        loads = self.loads(tree)
        rubbing = self.rubbing(tree) if loads else {}
        return {j: x + under_load(x - rubbing[j], loads[j]) if j in loads else x for j, x in torques.items()}

    def unloaded(self, tree: Tree, torques: Mapping[int, Any]) -> dict[int, Any]:
        """The other way round."""
        loads = self.loads(tree)
        rubbing = self.rubbing(tree) if loads else {}
        return {j: driving(x - rubbing[j], loads[j]) + rubbing[j] if j in loads else x for j, x in torques.items()}

    def transmit(self, needed: Mapping[int, Any], torques: Mapping[int, Any]) -> None:
        """Name the multipliers LAM1.. and, of each cut joint k, what its antecedent exerts: E1k..N3k in frame k + B.

        Of the effort `needed` on each passive joint of the tree, the loops supply what motors there do not. Of rows
        that depend on others, as of a planar loop out of its plane, nothing is known: those components are zero.
        """
        constraints, equations = self.constraints, self.equations
        if not constraints.loops:
            return
        if any(row.relation for row in constraints.solved):  # relations between rates say nothing about forces
            try:
                constraints = constraints_of(self.robot, parallelograms=False)
                equations = constraints.equations(self.poses, self.work.graph)
            except InputError:  # what the loops transmit is extra: the torques do not depend on it
                return
            if constraints.passive != self.passive:
                return
        zero, none = self.work.graph.zero, Vec3(0, 0, 0)
        lacking = [zero + needed[j] - torques.get(j, 0) for j in self.passive]
        cuts = constraints.cuts(self.poses)
        wrenches = [[none, none] for _ in cuts]
        exerted = [zero + torques.get(j, 0) - needed.get(j, 0) for j in constraints.cut]  # by what acts in cut joints
        if self.across:
            sizes = equations.cut_multipliers(exerted)
            for row, size, entries in zip(constraints.cut_rows, sizes, equations.Wpc, strict=True):
                _add(wrenches[row.loop], row.wrench(cuts, size))
                lacking = [effort + entry * size for effort, entry in zip(lacking, entries, strict=True)]
        multipliers = equations.multipliers(lacking)
        for number, (row, multiplier) in enumerate(zip(constraints.solved, multipliers, strict=True), 1):
            self.work.define(f"LAM{number}", multiplier)
            if row.relation:  # a coupling: its gear is no cut joint
                continue
            _add(wrenches[row.loop], row.wrench(cuts, multiplier))
        for loop, (force, moment) in zip(constraints.loops, wrenches, strict=True):
            self.work.note("E", loop.cut, force)
            self.work.note("N", loop.cut, moment)


def _add(wrench: list[Vec3], more: tuple[Vec3, Vec3]) -> None:
    wrench[:] = [part + added for part, added in zip(wrench, more, strict=True)]


def closed_inverse(
    robot: Robot, roles: Roles, rest: Rest, weights: Mapping[str | int, float] = _EQUAL,
    recursion: Recursion = newton_euler,
) -> Model:  # fmt: skip
    """Torques of the motors from the motion of the active joints (4.39); LAM1.. and E1k..N3k can be selected.

    `recursion` gives the efforts of the tree, on a floating base with the wrenches between its links.
    """
    closed = ClosedMotion(robot, (*_STATE, "qdd", *_SURROUNDINGS), accelerated=False)
    with closed.work as work:
        qd = closed.rates()
        drift = closed.drift(qd)
        given = {j: work.graph.zero if j in closed.free else work.value(robot.joint(j).QDP) for j in closed.active}
        qdd = closed.spread(given, drift, "QDP" if not closed.free else "QDG")
        tree = closed.tree().with_rates(qd).with_accelerations(qdd)
        efforts = recursion(tree, work.note)
        along = dict(efforts.along)
        outputs: dict[str, Layout] = {"tau": tuple(f"GAM{j}" for j in closed.motors)}
        if closed.base_free:
            along = _on_floating_base(closed, tree, efforts)
            outputs["base_acceleration"] = BASE_ACCELERATION
        needed = closed.needed(tree, along, roles, rest)
        if closed.free:
            needed = _with_free_joints(closed, tree, needed)
            outputs["qdd"] = tuple(f"QDP{j}" for j in closed.free)
        torques = closed.loaded(tree, closed.torques(closed.project(needed), closed.weighted(weights)))
        for j, torque in torques.items():
            work.define(f"GAM{j}", torque)
        closed.transmit(needed, torques)
        title = "Inverse dynamic model of the closed robot: Newton-Euler method"
        made = Origin(closed_inverse, robot, {"roles": roles, "rest": rest, "weights": weights})
        return work.model("dyn", title, outputs, made=made)


def _with_free_joints(closed: ClosedMotion, tree: Tree, needed: Mapping[int, Any]) -> dict[int, Any]:
    """Efforts when active joints without a motor yield, so that none is needed on them; names their accelerations."""
    if closed.base_free:
        raise InputError(f"{closed.robot.name}: too few motors on a floating base: expected a motor for each freedom")
    inertia = tree_inertia(tree)
    places = [closed.active.index(j) for j in closed.free]
    A, lacking = _reduced(closed, inertia), closed.project(needed)
    found = solve_symmetric([[A[a][b] for b in places] for a in places], [-lacking[j] for j in closed.free])
    for j, acceleration in zip(closed.free, found, strict=True):
        closed.work.define(f"QDP{j}", acceleration)
    gained = {j: dot((closed.G[j][a] for a in places), found) for j in closed.G}
    more = {j: sum_of(inertia.entry(j, k) * gained[k] for k in gained) for j in needed if j in closed.G}
    return {j: effort + more.get(j, 0) for j, effort in needed.items()}


def _on_floating_base(closed: ClosedMotion, tree: Tree, efforts: Efforts) -> dict[int, Any]:
    """Efforts along the joints when the base yields to what the motion exerts on it (RNE 86, 87)."""
    inertia = tree_inertia(tree)
    assert inertia.base is not None
    base = solve_symmetric(inertia.base.entries, [-part for part in (*efforts.f[0], *efforts.n[0])])
    define_base_acceleration(closed.work, Vec3(*base[:3]), Vec3(*base[3:]))
    return {j: effort + dot(inertia.coupling[j], base) for j, effort in efforts.along.items()}


def _reduced(closed: ClosedMotion, inertia: TreeInertia) -> Matrix[Any]:
    """A_c = G^T A G (4.48)."""
    joints = (*closed.active, *closed.passive)
    A = Matrix([inertia.entry(j, k) for k in joints] for j in joints)
    return A.congruence(Matrix(closed.G[j] for j in joints))


def closed_rates(robot: Robot) -> Model:
    """Rates QV1.. of all joints of the tree, virtual ones included, from those of the active joints."""
    closed = ClosedMotion(robot, (*_STATE, "parameters"))
    with closed.work as work:
        rates = closed.rates()
        names = work.vector("QV", {j: rates.get(j, 0) for j in robot.tree_joints})
        return work.model("rat", "Rates of all joints of the closed robot", {"rates": names})


def closed_inertia(robot: Robot, gravity: bool = False) -> Model:
    """A_c over the active joints, and with `gravity` the torques Q that hold the robot."""
    closed = ClosedMotion(robot, ("q", *(("gravity",) if gravity else ()), "parameters"))
    with closed.work as work:
        inertia = tree_inertia(closed.tree(), work.note)
        A = _reduced(closed, inertia)
        outputs: dict[str, Layout] = {"A": work.matrix("A", A, closed.active, closed.active)}
        if closed.base_free:
            outputs |= base_blocks(work, inertia, _coupling(closed, inertia), closed.active)
        weights: dict[str, Layout] = _gravity(closed) if gravity else {}
        if "base" in weights:
            weights["base_gravity"] = weights.pop("base")
        outputs |= weights
        made = Origin(closed_inertia, robot, {"gravity": gravity})
        return work.model("inm", "Inertia matrix of the closed robot", outputs, made=made)


def closed_bias(robot: Robot, roles: Roles, recursion: Recursion = newton_euler) -> Model:
    """H_c over the active joints, with gravity, friction, wrenches and the springs of passive joints (4.49)."""
    closed = ClosedMotion(robot, (*_STATE, *_SURROUNDINGS))
    with closed.work as work:
        needed, (_, tree, efforts) = _bias(closed, roles, {}, recursion)
        for j, torque in closed.loaded(tree, closed.project(needed)).items():
            work.define(f"H{j}", torque)
        outputs: dict[str, Layout] = {"H": tuple(f"H{j}" for j in closed.active)}
        if closed.base_free:
            outputs["base"] = define_base_wrench(work, efforts.f[0], efforts.n[0])
        title = "Centrifugal, Coriolis and gravity torques of the closed robot"
        return work.model("ccg", title, outputs, made=Origin(closed_bias, robot, {"roles": roles}))


def _bias(
    closed: ClosedMotion, roles: Roles, rest: Rest, recursion: Recursion
) -> tuple[dict[int, Any], tuple[dict[int, Any], Tree, Efforts]]:
    """Efforts on the joints of the tree at qdd_a = 0, springs taken off; the drift, the tree and its wrenches."""
    qd = closed.rates()
    drift = closed.drift(qd)
    tree = closed.tree().with_rates(qd).with_accelerations(drift)
    efforts = recursion(tree, closed.work.note)
    needed = closed.needed(tree, efforts.along, roles, rest)
    return needed, (drift, tree, efforts)


def closed_gravity(robot: Robot, recursion: Recursion = newton_euler) -> Model:
    """Torques of the motors that hold the robot against gravity."""
    closed = ClosedMotion(robot, ("q", "gravity", "parameters"))
    with closed.work as work:
        outputs = _gravity(closed, recursion)
        return work.model("grav", "Gravity torques of the closed robot", outputs, made=Origin(closed_gravity, robot))


def _gravity(closed: ClosedMotion, recursion: Recursion = newton_euler) -> dict[str, Layout]:
    work = closed.work
    held = recursion(still_tree(tree_of(closed.robot, work.value, work.note, base_free=True)), work.note)
    for j, torque in closed.project(held.along).items():
        work.define(f"Q{j}", torque)
    outputs: dict[str, Layout] = {"Q": tuple(f"Q{j}" for j in closed.active)}
    if closed.base_free and held.f:
        outputs["base"] = define_base_wrench(work, held.f[0], held.n[0])
    return outputs


def closed_direct(
    robot: Robot, roles: Roles, rest: Rest, recursion: Recursion = newton_euler,
    inertia_of: Callable[[Tree, Note], TreeInertia] = tree_inertia,
) -> Model:  # fmt: skip
    """Accelerations of the active joints, and as a second group those of the passive ones (4.46 to 4.49)."""
    closed = ClosedMotion(robot, (*_STATE, "tau", *_SURROUNDINGS))
    with closed.work as work:
        needed, (drift, tree, efforts) = _bias(closed, roles, rest, recursion)
        bias = closed.project(needed)
        inertia = inertia_of(tree, work.note)
        matrix = _reduced(closed, inertia)
        torques = {j: work.value(robot.joint(j).GAM) for j in closed.motors}
        exerted = closed.unloaded(tree, closed.exerted(torques))
        right = [exerted[j] - bias[j] for j in closed.active]
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
            more = more + (dot(inertia.coupling[j], base) if base else 0)
            needed[j] = needed[j] + more
        closed.transmit(needed, torques)
        made = Origin(closed_direct, robot, {"roles": roles, "rest": rest})
        return work.model("ddm", "Direct dynamic model of the closed robot", outputs, made=made)


def _coupling(closed: ClosedMotion, inertia: TreeInertia) -> dict[int, list[Any]]:
    """What a unit acceleration of each active joint exerts on the base: force, then moment."""
    joints = (*closed.active, *closed.passive)
    coupling: Matrix[Any] = Matrix(inertia.coupling[j] for j in joints)
    return dict(zip(closed.active, Matrix(closed.G[j] for j in joints).T @ coupling, strict=True))


def _bordered(
    closed: ClosedMotion, inertia: TreeInertia, efforts: Efforts, matrix: Matrix[Any], right: list[Any]
) -> tuple[Matrix[Any], list[Any]]:
    """With the six equations of a floating base before those of the motors (RNE 88)."""
    assert inertia.base is not None
    columns = list(_coupling(closed, inertia).values())
    top = [[*inertia.base.entries[row], *(column[row] for column in columns)] for row in range(6)]
    bottom = [[*column, *row] for column, row in zip(columns, matrix, strict=True)]
    return Matrix(top + bottom), [*(-part for part in (*efforts.f[0], *efforts.n[0])), *right]
