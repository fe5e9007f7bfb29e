"""Where an identification model is built: over the joints of a tree, or over the active joints of a closed robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.algebra import Expr, derivatives
from robosym.algebra.once import cached_property
from robosym.dynamics.closed import ClosedMotion
from robosym.dynamics.energy_functions import Weight, weight_pass
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.mechanism.motion import AT_REST, Hinge, Velocities, hinges, velocity_pass
from robosym.model import Workspace
from robosym.parameters.columns import joint_effort
from robosym.parameters.standard import LinkField
from robosym.spatial import Vec3

__all__ = ["JointSpace"]


class JointSpace:
    """The workspace, the motion of every joint of the tree, and the joints that the rows of a matrix stand for."""

    def __init__(self, robot: Robot, groups: tuple[str, ...], structure: str | None) -> None:
        self.robot = robot
        self.closed = ClosedMotion(robot, groups) if robot.constrained and structure is None else None
        self.work = self.closed.work if self.closed else Workspace(robot, groups)
        self.joints = tuple(self.closed.active) if self.closed else robot.tree_joints
        elastic = [j for j, joint in enumerate(robot.joints, 1) if joint.eta and self.closed]
        if elastic:
            raise InputError(
                f"{robot.name}: joint {elastic[0]} has a spring, which the identification models of a robot with loops "
                "do not hold",
                hint=("take the robot without it (eta = 0) and the torque of the spring off the measured ones, or ",
                      Pass("structure", "tree")),
            )  # fmt: skip

    @cached_property
    def rates(self) -> dict[int, Any]:
        """Velocities of the joints of the tree."""
        if self.closed:
            return self.closed.rates()
        return {j: self.work.value(self.robot.joint(j).QP) for j in self.robot.tree_joints}

    def effort_of(self, place: LinkField, accelerated: bool = True) -> Any:
        """What multiplies a parameter that only its joint feels, in the effort of it; not `accelerated`: q'' is 0."""
        j, field = place
        position = self.closed.position(j) if self.closed and j in self.closed.across else None
        qdd = self.accelerations.get(j, 0) if accelerated and field == "IA" else 0
        return joint_effort(self.work, place, self.rate(j), qdd, position)

    def rate(self, j: int) -> Any:
        """The velocity of a joint of the tree, or of a cut joint in which something acts."""
        if self.closed and j in self.closed.across:
            return self.closed.cut_rates(self.rates)[j]
        return self.rates.get(j, 0)

    @cached_property
    def accelerations(self) -> dict[int, Any]:
        """Accelerations of the joints of the tree."""
        joints = self.closed.active if self.closed else self.robot.tree_joints
        given = {j: self.work.value(self.robot.joint(j).QDP) for j in joints}
        return self.closed.spread(given, self.closed.drift(self.rates), "QDP") if self.closed else given

    def tree(self, accelerated: bool = True) -> Tree:
        """The tree with its motion; not `accelerated`: q'' is zero."""
        tree = tree_of(self.robot, self.work.value, self.work.note)
        tree = tree.with_rates(self.rates) if self.closed else tree
        if not accelerated:
            return tree.with_accelerations({})
        return tree.with_accelerations(self.accelerations) if self.closed else tree

    @cached_property
    def hinges(self) -> dict[int, Hinge]:
        """The frames of the tree with their velocities."""
        return hinges(
            self.robot,
            range(1, self.robot.NL + 1),
            self.work.value,
            self.work.note,
            accelerated=False,
            rate=lambda j: self.rates.get(j, 0),
        )

    @cached_property
    def velocities(self) -> Velocities:
        """Of the frames of the tree, the base at rest."""
        return velocity_pass(self.hinges, AT_REST, self.work.note)

    @cached_property
    def weight(self) -> Weight:
        """Gravity in the frames of the tree, and the potential of a unit mass at their origins."""
        return weight_pass(self.hinges, Vec3(*map(self.work.value, self.robot.gravity)), self.work.note)

    def project(self, efforts: Mapping[int, Any]) -> dict[int, Any]:
        """Efforts on the joints of the rows that do the work of efforts on the joints of the tree (G^T)."""
        if not self.closed:
            return dict(efforts)
        tree = {j: efforts.get(j, 0) for j in (*self.closed.active, *self.closed.passive)}
        return self.closed.project(tree | {j: efforts[j] for j in self.closed.across if j in efforts})

    def project_rate(self, efforts: Mapping[int, Any]) -> dict[int, Any]:
        """The same with the rate of change of G."""
        if not self.closed:
            return {}
        found: dict[int, Any] = {}
        for j, row in self._slopes.items():
            for i, slope in zip(self.closed.active, row, strict=True):
                found[i] = found.get(i, 0) + slope * efforts.get(j, 0)
        return found

    @cached_property
    def _slopes(self) -> dict[int, list[Expr]]:
        """The rate of change of G, a row for each passive joint, by the derivatives of its entries."""
        assert self.closed is not None
        zero = self.work.graph.zero
        variables = [self.robot.variable(j) for j in self.rates]
        found = {}
        for j in self.closed.passive:
            entries = [zero + entry for entry in self.closed.G[j]]
            found[j] = [
                sum((slope * rate for slope, rate in zip(row, self.rates.values(), strict=True)), start=zero)
                for row in derivatives(entries, variables)
            ]
        return found
