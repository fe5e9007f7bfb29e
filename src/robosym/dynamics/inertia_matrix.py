"""The inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import INERTIA, equations_of
from robosym.mechanism import Robot
from robosym.model import Layout, Model

__all__ = ["inertia_matrix", "inertia_of"]


@accepts("floating", motors=True, platform="base_parameters space modes", modules="base_parameters modes")
def inertia_matrix(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, gravity: bool = False, space: str = "platform", modes: Any = None,
) -> Model:  # fmt: skip
    """A of tau = A qdd + H over all joints of the tree, rotors included; over the motors of a closed robot.

    With `gravity` the same composite links also give the gravity torques, in the group "Q".
    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration. Its weight is then the group "base_gravity".

    Of a robot with a platform A is that of the free coordinates of the platform's twist, or of its motors
    (`space="joint"`); `modes` as of `inverse_dynamics`.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    return inertia_of(robot, structure, gravity, modes=modes, space=space)


def inertia_of(robot: Robot, structure: str | None = None, gravity: bool = False, **others: Any) -> Model:
    """The model of a robot whose parameters are chosen; `others`: modes and space of platforms."""
    groups = ("q", "gravity", "parameters") if gravity else INERTIA
    equations = equations_of(robot, groups, structure, **others)
    with equations.work as work:
        A, numbers = equations.inertia(), equations.numbers
        outputs: dict[str, Layout] = {"A": work.matrix("A", A, numbers, numbers), **equations.base_inertia()}
        if gravity:
            outputs |= equations.weights()
        made = equations.origin(inertia_of, {"gravity": gravity})
        about = {"A": "inertia matrix over {}, symmetric (kg, kg m, kg m^2)"}
        return equations.model("inm", "Inertia matrix", "composite links", outputs, made, about)
