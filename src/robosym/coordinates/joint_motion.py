"""The motion of a robot in its joints, over the graph of a workspace: models in joint coordinates start from it.

Each joint of a tree moves independently: G, which maps the rates of the coordinates to those of the joints, is the
unit matrix. Robots with loops and couplings have fewer coordinates; `ActiveJoints` has the same interface for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.once import cached_property
from robosym.coordinates.roles import Rest, Roles, resting, roles_of
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.mechanism.friction import driving, under_load
from robosym.mechanism.motion import Hinge, Velocities, Weight, base_of, hinges, velocity_pass, weight_pass
from robosym.model import Model, Workspace
from robosym.spatial import Scalar, Vec3

__all__ = ["JointMotion", "joint_motion", "joint_rates"]


class JointMotion:
    """The motion of a tree: each joint is a coordinate."""

    passive: tuple[int, ...] = ()  #: joints that follow the active ones

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: str | None = None, passive: str = "driven",
        rest: Rest | None = None, accelerated: bool = True,
    ) -> None:  # fmt: skip
        """Create the motion; with `accelerated`, joints without a motor have a given acceleration, too."""
        self.robot = robot
        self.rest = resting(robot, rest)
        self.roles: Roles = roles_of(robot, structure, passive, self.rest)
        self.base_free = self.roles.base_free
        #: joints whose rates are the coordinates, those that motors drive, and those of the former without a motor
        self.active, self.motors, self.free = self._coordinates()
        #: rows of G of cut joints in which something acts
        self.across: dict[int, list[Expr]] = {}
        groups = tuple(g for g in groups if not (self.base_free and g == "base_acceleration"))
        self._links: dict[bool, Tree] = {}
        #: coordinates whose acceleration is no input: joints without a motor, where it is sought
        self.sought = () if accelerated else self.free
        given = tuple(j for j in self.active if j not in self.sought)
        self.work = Workspace(robot, groups, {"qd": self.active, "qdd": given, "tau": self.motors})

    def _coordinates(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        return self.robot.tree_joints, self.roles.motors, self.roles.free

    # --------------------------------------------------------------------- motion

    @property
    def closed_positions(self) -> Sequence[Mapping[str, float]]:
        """Generic positions at which loops are closed, by symbol; empty for a tree, whose joints are free."""
        return ()

    @cached_property
    def rates(self) -> dict[int, Scalar]:
        """Velocities of the joints of the tree."""
        return {j: self.work.value(self.robot.joint(j).QP) for j in self.active}

    @cached_property
    def drift(self) -> dict[int, Scalar]:
        """Accelerations of the joints for zero accelerations of the coordinates."""
        return {}

    @cached_property
    def accelerations(self) -> dict[int, Scalar]:
        """Accelerations of the joints; 0 for coordinates whose acceleration is unknown."""
        return self.spread(self._given())

    def _given(self) -> dict[int, Scalar]:
        zero, value = self.work.graph.zero, self.work.value
        return {j: zero if j in self.sought else value(self.robot.joint(j).QDP) for j in self.active}

    def spread(self, accelerations: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return the accelerations of all joints from those of the coordinates."""
        return dict(accelerations)

    def links(self, base_free: bool | None = None) -> Tree:
        """Return the tree of links, with the motion of the description."""
        free, work = self.base_free if base_free is None else base_free, self.work
        if free not in self._links:
            self._links[free] = tree_of(self.robot, work.value, work.note, free)
        return self._links[free]

    def tree(self, accelerations: Mapping[int, Scalar] | None = None) -> Tree:
        """Return the moving links, by default with the accelerations that are inputs of the model."""
        return self.links() if accelerations is None else self.links().with_accelerations(accelerations)

    def rate(self, j: int) -> Scalar:
        """Return the velocity of a tree joint, or of a cut joint on which something acts."""
        return self.rates.get(j, 0)

    def shares(self, j: int) -> Mapping[int, Scalar]:
        """Return the rates of a joint of the tree per unit rate of each coordinate that moves it."""
        return {j: 1}

    def motor_rates(self) -> dict[int, Scalar]:
        """Return the velocities of the motors."""
        return {j: self.rate(j) for j in self.motors}

    def position(self, j: int) -> Expr:
        """Return the variable of a joint."""
        return self.work.graph.symbol(self.robot.variable(j))

    @cached_property
    def hinges(self) -> dict[int, Hinge]:
        """The frames of the tree with their velocities."""
        frames = range(1, self.robot.NL + 1)
        return hinges(self.robot, frames, self.work.value, self.work.note, accelerated=False, rate=self.rate)

    @cached_property
    def velocities(self) -> Velocities:
        """Velocities of the frames of the tree."""
        return velocity_pass(self.hinges, base_of(self.robot, self.work.value), self.work.note)

    @cached_property
    def weight(self) -> Weight:
        """Gravity in the frames of the tree, and the potential of a unit mass at their origins."""
        return weight_pass(self.hinges, Vec3(*map(self.work.value, self.robot.gravity)), self.work.note)

    # --------------------------------------------------------------------- efforts

    def project(self, efforts: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return G^T times efforts on tree joints and cut joints: the efforts along the coordinates."""
        return {j: efforts[j] for j in self.active if j in efforts}

    def project_rate(self, efforts: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return the same with the time derivative of G."""
        return {}

    @property
    def motors_are_active(self) -> bool:
        """Whether each coordinate has its own effort: that of its motor or, in a tree, of its spring."""
        return True

    def check_springs(self) -> None:
        """Raise an error for springs that the model does not support."""

    # -------------------------------------------------------------------- friction

    def cut_friction(self) -> dict[int, Scalar]:
        """Friction of the cut joints."""
        found = {}
        for j in self.across:
            friction = self.robot.joint(j).friction
            place = self.position(j) if friction.needs_position else self.work.graph.zero
            found[j] = friction.effort(0, self.work.value, place, self.rate(j))
        return found

    def friction(self, tree: Tree) -> dict[int, Scalar]:
        """Friction of all joints along the coordinates, without friction that depends on load."""
        own = {j: tree.body(j).friction for j in (*self.active, *self.passive)}
        return self.project(own | self.cut_friction())

    def load_shares(self, tree: Tree) -> dict[int, Scalar]:
        """Return the fraction of the transmitted torque that load-dependent friction adds, by joint."""
        shares = {j: tree.body(j).load for j in (*self.active, *self.passive) if tree.body(j).more is not None}
        shares |= {j: self.robot.joint(j).friction.load(self.work.value, 0, self.work.graph.one) for j in self.across}
        return {j: share for j, share in shares.items() if isinstance(share, Expr) and not share.is_zero}

    def loaded(self, tree: Tree, torques: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return torques along the coordinates including load-dependent friction."""
        shares = self.load_shares(tree)
        own = self.friction(tree) if shares else {}
        return {j: x + under_load(x - own[j], shares[j]) if j in shares else x for j, x in torques.items()}

    def unloaded(self, tree: Tree, torques: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return torques without load-dependent friction, the inverse of `loaded`."""
        shares = self.load_shares(tree)
        own = self.friction(tree) if shares else {}
        return {j: driving(x - own[j], shares[j]) + own[j] if j in shares else x for j, x in torques.items()}


def joint_motion(robot: Robot, groups: tuple[str, ...], structure: str | None = None, **options: Any) -> JointMotion:
    """Return the motion of a robot in its joints, or in its active joints if loops or couplings constrain it."""
    if not robot.constrained or structure is not None:
        return JointMotion(robot, groups, structure, **options)
    loops = import_module("robosym.coordinates.active_joints")  # NumPy comes with it, which trees do not need
    found: JointMotion = loops.ActiveJoints(robot, groups, structure, **options)
    return found


def joint_rates(robot: Robot) -> Model:
    """Return the rates QV1.. of all tree joints, including virtual ones, from those of the active joints."""
    motion = joint_motion(robot, ("q", "qd", "parameters"))
    with motion.work as work:
        names = work.vector("QV", {j: motion.rates.get(j, 0) for j in robot.tree_joints})
        return work.model("rat", "Rates of all joints of the closed robot", {"rates": names})
