"""Equations of motion of a robot, A n' + h = generalized forces of the motors, in the coordinates of its models.

The public functions of this package use these quantities. One class per set of coordinates computes them: joints of a
tree, active joints of loops, the platform of legs, modules in series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix
from robosym.coordinates.roles import Weights
from robosym.mechanism import Robot
from robosym.model import Layout, Model, Origin, Workspace
from robosym.spatial import Scalar

__all__ = ["BIAS", "DIRECT", "INERTIA", "INVERSE", "Equations", "equations_of"]

#: input groups of the models, including those of a moving base
_SURROUNDINGS = ("base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
INVERSE = ("q", "qd", "qdd", *_SURROUNDINGS)
DIRECT = ("q", "qd", "tau", *_SURROUNDINGS)
BIAS = ("q", "qd", *_SURROUNDINGS)
INERTIA = ("q", "parameters")

#: class of the equations by coordinates, loaded on demand: most import NumPy, which trees do not need
_CLASSES = {
    "joints": "joint_equations.JointEquations",
    "active": "loop_equations.LoopEquations",
    "platform": "platform_equations.PlatformEquations",
    "modules": "series_equations.SeriesEquations",
    "contacts": "contact_equations.ContactEquations",
}


class Equations:
    """Equations of motion over the graph of a workspace."""

    coordinates: ClassVar[str]  #: "joints", "active", "platform", "modules" or "contacts"
    of_robot: ClassVar[str] = ""  #: suffix of the titles of models
    along: str = ""  #: meaning of the rows of A and h, if they are not joints
    work: Workspace

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Return the motor efforts for the given motion, and groups of unknown accelerations."""
        raise NotImplementedError

    def name_internal_forces(self, torques: Mapping[int, Scalar]) -> None:
        """Name internal forces, so that they can be selected."""

    def bias(self) -> Mapping[int, Scalar]:
        """Return h by coordinate number."""
        raise NotImplementedError

    def base_bias(self) -> dict[str, Layout]:
        """Return the group of the wrench on a floating base, after `bias`."""
        return {}

    def inertia(self) -> Matrix[Scalar]:
        """Return A."""
        raise NotImplementedError

    @property
    def numbers(self) -> Sequence[int] | None:
        """Return the numbers of the coordinates in the names of entries, or None if they are counted from 1."""
        return None

    def base_inertia(self) -> dict[str, Layout]:
        """Return the groups of a floating base, after `inertia`."""
        return {}

    def gravity(self) -> dict[str, Layout]:
        """Return the groups of efforts that hold the robot at rest."""
        raise NotImplementedError

    def weights(self) -> dict[str, Layout]:
        """Return the same as `gravity`, reusing results of `inertia`."""
        found = self.gravity()
        return {"base_gravity" if group == "base" else group: names for group, names in found.items()}

    def driving(self) -> list[Scalar]:
        """Return the generalized forces of the motors, less the bias."""
        raise NotImplementedError

    def route(self, wanted: str) -> str:
        """Return the method of the direct model; only trees have the recursive one."""
        return "cholesky"

    def solved(self, route: str) -> Sequence[Scalar]:
        """Return the accelerations of the coordinates."""
        right = self.driving()
        return solve_symmetric(self.bordered(self.inertia()), right)

    def bordered(self, A: Matrix[Scalar]) -> Matrix[Scalar]:
        """Return A preceded by the rows and columns of a floating base, if there is one."""
        return A

    def accelerations(self, found: Sequence[Scalar]) -> dict[str, Layout]:
        """Return the groups of accelerations that follow from those of the coordinates."""
        raise NotImplementedError

    def origin(self, maker: Callable[..., Model], options: Mapping[str, Any], prepared: bool = False) -> Origin | None:
        """Return how a model of these equations was made, if other recursions exist for it."""
        return None

    def model(
        self, kind: str, title: str, method: str, outputs: Mapping[str, Layout], made: Origin | None,
        about: Mapping[str, str] | None = None,
    ) -> Model:  # fmt: skip
        """Return the finished model; `about` describes groups other than the coordinates."""
        words = {group: text.format(self.along) for group, text in (about or {}).items()} if self.along else {}
        return self.work.model(kind, f"{title}{self.of_robot}: {method}", outputs, about=words, made=made)


def equations_of(robot: Robot, groups: tuple[str, ...], structure: str | None = None, **options: Any) -> Equations:
    """Return the equations of motion of a robot in its coordinates, with these input groups."""
    coordinates = "joints" if structure == "tree" else robot.coordinates
    module, name = _CLASSES[coordinates].split(".")
    found: Equations = getattr(import_module(f"robosym.dynamics.{module}"), name)(robot, groups, structure, **options)
    return found
