"""Equations of motion of a robot in contact with the ground: feet and wheels, on a tree or on links of loops.

The rows J of the contacts act on the rates of base and joints, and the forces of the ground along them are their
multipliers: A a + h = S^T tau + J^T force with J a = -drift. The direct model solves both; the inverse model takes
admissible accelerations of base and joints and returns the torques of the motors and the forces. Where these are not
unique, the sum of the squared forces is least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import dot
from robosym.algebra.subspaces import rank
from robosym.coordinates.contact_rows import BASE_COLUMNS, ContactRows, Coordinate, need_base_in_contact
from robosym.coordinates.roles import Weights
from robosym.dynamics.joint_equations import JointEquations
from robosym.dynamics.loop_equations import LoopEquations
from robosym.errors import InputError
from robosym.mechanism import Robot, need_no_load
from robosym.mechanism.bodies import Tree
from robosym.mechanism.needs import with_given_motion
from robosym.model import Layout, Model, Origin
from robosym.spatial import Scalar

__all__ = ["ContactEquations", "LoopContactEquations"]


class ContactEquations(JointEquations):
    """Equations with forces of the ground; joints without a motor exert no effort."""

    coordinates = "contacts"
    of_robot = " in contact with the ground"

    def __new__(cls, robot: Robot, *_: Any, **__: Any) -> ContactEquations:
        """Return equations in the active joints for a robot with loops or couplings."""
        return super().__new__(LoopContactEquations if robot.constrained else cls)

    def __init__(
        self, robot: Robot, groups: tuple[str, ...], structure: str | None = None, pull: float = 0.0, **options: Any
    ) -> None:
        """Initialize; a model with given accelerations has those of a floating base as inputs, too.

        `pull` is the rate in 1/s at which a simulation reduces slip velocities that rounding errors cause.
        """
        self.pull = pull
        need_base_in_contact(robot)
        self.floating = robot.base.kind == "floating"
        given = with_given_motion(robot) if "qdd" in groups else robot
        if self.floating and any(contact.rolls for contact in robot.contacts):
            groups = (*(group for group in groups if group != "parameters"), "base_orientation", "parameters")
        super().__init__(given, groups, None, **{**options, "passive": "free", "accelerated": True})
        self.contacts = ContactRows(self.motion, self.floating)

    def model(
        self, kind: str, title: str, method: str, outputs: Mapping[str, Layout], made: Origin | None,
        about: Mapping[str, str] | None = None,
    ) -> Model:  # fmt: skip
        """Return the finished model; alternative recursions apply to trees without contacts only."""
        return super().model(kind, title, method, outputs, None, about)

    # ------------------------------------------------------------- from motion to torques

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Return the torques of the motors and the forces of the ground for accelerations that contacts allow."""
        if weights:
            raise InputError(f"{self.robot.name}: weights: expected none for a robot in contact with the ground")
        need_no_load(self.robot, "the inverse model of a robot in contact")
        motion = self.motion
        tree = motion.tree()
        efforts = self.recursion(tree, self.work.note)
        needed = self._along(tree, efforts.along)
        on_base = [*efforts.f[0], *efforts.n[0]] if self.floating else []
        without: list[Coordinate] = [*(BASE_COLUMNS if self.floating else ()), *motion.free]
        forces = self._least_forces([*on_base, *(needed[j] for j in motion.free)], without)
        more = self._forces(forces)
        rows = self.contacts.rows
        zero = self.work.graph.zero
        pushed = {j: [row.entries.get(j, zero) for row in rows] for j in motion.active}
        return self._of_motors({j: needed[j] - dot(pushed[j], forces) for j in motion.active}), more

    def _along(self, tree: Tree, along: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return the efforts that motors and the ground must exert on the coordinates."""
        motion = self.motion
        needed = {j: tree.body(j).torque(along[j]) for j in motion.active}
        return needed | {j: needed[j] - motion.roles.effort(j, self.work, motion.rest) for j in motion.free}

    def _of_motors(self, efforts: Mapping[int, Scalar]) -> dict[int, Scalar]:
        return {j: efforts[j] for j in self.motion.motors}

    def _least_forces(self, lacking: Sequence[Scalar], without: Sequence[Coordinate]) -> list[Scalar]:
        """Return the smallest forces that supply the efforts of coordinates without a motor."""
        zero = self.work.graph.zero
        if not without:
            return [zero] * len(self.contacts.rows)
        found = max(rank(table) for table in self.contacts.numeric(without))
        if found < len(without):
            raise InputError(
                f"{self.robot.name}: the contacts support {found} of the {len(without)} coordinates without a motor: "
                "expected more contacts, or use direct_dynamics, because such a motion cannot be prescribed"
            )
        J = self.contacts.matrix(without)
        columns = list(zip(*J, strict=True))
        gram = [[zero + dot(a, b) for b in columns] for a in columns]
        shares = solve_symmetric(gram, list(lacking))
        return [dot(row, shares) for row in J]

    def _forces(self, forces: Sequence[Scalar]) -> dict[str, Layout]:
        for name, value in zip(self.contacts.names, forces, strict=True):
            self.work.define(name, value)
        return {"contact": self.contacts.names}

    # ------------------------------------------------------------- from torques to motion

    def route(self, wanted: str) -> str:
        return "cholesky"

    def solved(self, route: str) -> Sequence[Scalar]:
        """Return the accelerations of base and joints, after the forces of the ground along independent rows."""
        A = self.bordered(self.inertia())
        free = solve_symmetric(A, self.driving())
        kept = self.contacts.independent()
        J, drift = self.contacts.matrix(rows=kept), self.contacts.drift(kept)
        if self.pull:
            rates = self._rates()
            drift = [d + self.pull * dot(row, rates) for row, d in zip(J, drift, strict=True)]
        responses = [solve_symmetric(A, row) for row in J]
        yielding = [[dot(row, response) for response in responses] for row in J]
        forces = solve_symmetric(yielding, [-(dot(row, free) + d) for row, d in zip(J, drift, strict=True)])
        zero = self.work.graph.zero
        by_row = dict(zip(kept, forces, strict=True))
        self.forces = [by_row.get(r, zero) for r in range(len(self.contacts.rows))]
        by_coordinate = zip(free, *responses, strict=True)
        self.found: Sequence[Scalar] = [own + dot(response, forces) for own, *response in by_coordinate]
        return self.found

    def _rates(self) -> list[Scalar]:
        """Return the rates of base and joints in the order of the columns."""
        base = self.motion.links().base
        own = [*base.v, *base.w] if self.floating else []
        return [*own, *(self.motion.rate(j) for j in self.motion.active)]

    def accelerations(self, found: Sequence[Scalar]) -> dict[str, Layout]:
        return {**super().accelerations(found), **self._forces(self.forces)}


class LoopContactEquations(ContactEquations, LoopEquations):
    """The same in the active joints of loops and couplings."""

    def _along(self, tree: Tree, along: Mapping[int, Scalar]) -> dict[int, Scalar]:
        return self.motion.project(self._needed(tree, along))

    def _of_motors(self, efforts: Mapping[int, Scalar]) -> dict[int, Scalar]:
        return self.motion.distributed(efforts)

    def name_internal_forces(self, torques: Mapping[int, Scalar]) -> None:
        """Name nothing: the loops also transmit the forces of the ground."""
