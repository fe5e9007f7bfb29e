"""The equations of motion of a robot, A n' + h = what its motors exert, in the coordinates of its models.

The public functions of this package are written over these quantities. A class for each set of coordinates computes
them: joints of a tree, active joints of loops, the platform of legs, modules in series.
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

#: Groups of inputs of the models, those of a base that moves among them.
_SURROUNDINGS = ("base_velocity", "base_acceleration", "wrench", "gravity", "parameters")
INVERSE = ("q", "qd", "qdd", *_SURROUNDINGS)
DIRECT = ("q", "qd", "tau", *_SURROUNDINGS)
BIAS = ("q", "qd", *_SURROUNDINGS)
INERTIA = ("q", "parameters")

#: The class that holds the equations in each set of coordinates; NumPy comes with most, which trees do not need.
_CLASSES = {
    "joints": "joint_equations.JointEquations",
    "active": "loop_equations.LoopEquations",
    "platform": "platform_equations.PlatformEquations",
    "modules": "series_equations.SeriesEquations",
}


class Equations:
    """The equations of motion over the graph of a workspace."""

    coordinates: ClassVar[str]  #: "joints", "active", "platform" or "modules"
    of_robot: ClassVar[str] = ""  #: in the titles of models
    along: str = ""  #: what the rows of A and h stand for, where it is not the joints
    work: Workspace

    def torques(self, weights: Weights | None) -> tuple[dict[int, Scalar], dict[str, Layout]]:
        """Efforts of the motors for the given motion, and groups of accelerations that are not given."""
        raise NotImplementedError

    def name_internal_forces(self, torques: Mapping[int, Scalar]) -> None:
        """Name forces inside the robot, so that they can be selected."""

    def bias(self) -> Mapping[int, Scalar]:
        """h along the coordinates, by their numbers."""
        raise NotImplementedError

    def base_bias(self) -> dict[str, Layout]:
        """The group of the wrench on a base that floats, once the bias is known."""
        return {}

    def inertia(self) -> Matrix[Scalar]:
        """A over the coordinates."""
        raise NotImplementedError

    @property
    def numbers(self) -> Sequence[int] | None:
        """Of the coordinates, in the names of entries; None: counted from 1."""
        return None

    def base_inertia(self) -> dict[str, Layout]:
        """The groups of a base that floats, once the inertia matrix is known."""
        return {}

    def gravity(self) -> dict[str, Layout]:
        """The groups of efforts that hold the robot at rest."""
        raise NotImplementedError

    def weights(self) -> dict[str, Layout]:
        """The same beside the inertia matrix, which may already know them."""
        found = self.gravity()
        return {"base_gravity" if group == "base" else group: names for group, names in found.items()}

    def driving(self) -> list[Scalar]:
        """What the torques of the motors exert along the coordinates, beyond the bias."""
        raise NotImplementedError

    def route(self, wanted: str) -> str:
        """The method of the direct model; the recursive one is for trees."""
        return "cholesky"

    def solved(self, route: str) -> Sequence[Scalar]:
        """Accelerations of the coordinates."""
        right = self.driving()
        return solve_symmetric(self.bordered(self.inertia()), right)

    def bordered(self, A: Matrix[Scalar]) -> Matrix[Scalar]:
        """A with the rows and columns of a floating base, where there is one, before the others."""
        return A

    def accelerations(self, found: Sequence[Scalar]) -> dict[str, Layout]:
        """The groups of accelerations that follow from those of the coordinates."""
        raise NotImplementedError

    def origin(self, maker: Callable[..., Model], options: Mapping[str, Any], prepared: bool = False) -> Origin | None:
        """How a model of these equations is made, where there are other recursions for it."""
        return None

    def model(
        self, kind: str, title: str, method: str, outputs: Mapping[str, Layout], made: Origin | None,
        about: Mapping[str, str] | None = None,
    ) -> Model:  # fmt: skip
        """The finished model; `about` says what a group holds, beside the coordinates."""
        words = {group: text.format(self.along) for group, text in (about or {}).items()} if self.along else {}
        return self.work.model(kind, f"{title}{self.of_robot}: {method}", outputs, about=words, made=made)


def equations_of(robot: Robot, groups: tuple[str, ...], structure: str | None = None, **options: Any) -> Equations:
    """The equations of motion of a robot in its coordinates, with these groups of inputs."""
    coordinates = "joints" if structure == "tree" else robot.coordinates
    module, name = _CLASSES[coordinates].split(".")
    found: Equations = getattr(import_module(f"robosym.dynamics.{module}"), name)(robot, groups, structure, **options)
    return found
