"""Inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import INERTIA, equations_of
from robosym.mechanism import Robot
from robosym.model import Layout, Model

__all__ = ["inertia_matrix", "inertia_of"]


@accepts("floating", motors=True, platform="base_parameters space modes", modules="base_parameters modes")
def inertia_matrix(
    robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, gravity: bool = False,
    space: Literal["platform", "joint"] = "platform", modes: Any = None,
) -> Model:  # fmt: skip
    """Return A of tau = A qdd + H over the joints of a tree or the motors of a closed robot, with rotors.

    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration. The group "base_gravity" is its weight. For a
    robot with a platform, A is that of the free coordinates of the platform's twist, or of its motors.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.
    gravity : bool, optional
        Also return the gravity torques Q, which share the composite links.
    space : {"platform", "joint"}, optional
        Coordinates of a parallel robot: `platform` or `joint`.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    Model
        Model with the output group "A" (kg m^2, kg m, kg), and those above.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.inertia_matrix("planar2r")
    >>> model.outputs
    {'A': (('A11', 'A12'), ('A21', 'A22'))}
    """
    robot = prepared(robot, structure, base_parameters, reference)
    return inertia_of(robot, structure, gravity, modes=modes, space=space)


def inertia_of(robot: Robot, structure: str | None = None, gravity: bool = False, **others: Any) -> Model:
    """Return the model of a robot with chosen parameters; `others`: modes and space of platforms."""
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
