"""Dynamic models of a robot with loops or couplings, in its independent joints."""

from __future__ import annotations

from collections.abc import Mapping

from robosym.dynamics import closed
from robosym.dynamics.other_coordinates import Coordinates
from robosym.dynamics.roles import Rest, resting, roles_of
from robosym.model import Model

__all__ = ["ActiveJoints"]


class ActiveJoints(Coordinates):
    """The independent joints of a robot with loops or couplings."""

    def inverse(self, passive: str, rest: Rest | None, weights: Mapping[str | int, float] | None) -> Model:
        at = resting(self.robot, rest)
        return closed.closed_inverse(self.robot, roles_of(self.robot, None, passive, at), at, weights or {})

    def direct(self, passive: str, rest: Rest | None) -> Model:
        at = resting(self.robot, rest)
        return closed.closed_direct(self.robot, roles_of(self.robot, None, passive, at), at)

    def inertia(self, gravity: bool, space: str) -> Model:
        return closed.closed_inertia(self.robot, gravity)

    def bias(self, space: str) -> Model:
        return closed.closed_bias(self.robot, roles_of(self.robot, None, "driven", {}))

    def gravity(self) -> Model:
        return closed.closed_gravity(self.robot)
