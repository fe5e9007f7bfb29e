"""Inverse dynamic model: motor torques from the motion of the joints (guide 3.4, 4.2; RNE 3.2, 6.3, 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from robosym.coordinates.accepts import accepts
from robosym.coordinates.roles import Rest, Weights
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import INVERSE, equations_of
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["inverse_dynamics", "inverse_of"]


@accepts(
    "floating", motors=True, platform="base_parameters modes weights friction",
    modules="base_parameters modes friction", contacts="rest friction",
)  # fmt: skip
def inverse_dynamics(
    robot: Robot,
    structure: Literal["tree"] | None = None,
    base_parameters: bool = False,
    passive: Literal["driven", "free"] = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    weights: Weights | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Return the torques or forces GAMj of the motors for a motion of the joints.

    The reactions E1j..N3j of each antecedent on link j can be selected. The accelerations QDPj of elastic joints, and
    the acceleration of a floating base (WP10.. VP30, in frame 0, without gravity), are outputs; the motion of a
    mobile base is given. If a closed robot has fewer motors than degrees of freedom, the accelerations of its free
    joints are outputs. In the model of the equivalent tree, all joints are rigid and driven, and the motion of the
    base is given. The coordinates of a robot with a platform are its pose, twist and acceleration. A robot in contact
    with the ground takes accelerations of all joints and of its base that the contacts allow, and returns the forces
    of the ground (the smallest ones if they are not unique) and the torques of its motors.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    passive : {"driven", "free"}, optional
        Treatment of joints without a motor: `driven` (their torques are computed) or `free` (they move freely).
    rest : dict, optional
        Rest position of the spring of an elastic joint, by joint number or name.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.
    weights : dict, optional
        Weight of a redundant motor, by joint number or name. The weighted sum of squared torques is minimized.
        Default: 1.
    friction : bool or "smooth", optional
        Whether the model includes friction; `smooth` replaces the sign of each velocity by tanh(qd / 0.01).
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    Model
        Model with the output group "tau" (N m, N), and those above.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.inverse_dynamics("planar2r")
    >>> model.outputs
    {'tau': ('GAM1', 'GAM2')}
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return inverse_of(robot, structure, passive, rest, weights, base_parameters, modes=modes)


def inverse_of(
    robot: Robot, structure: str | None = None, passive: str = "driven", rest: Rest | None = None,
    weights: Weights | None = None, reduced: bool = False, **others: Any,
) -> Model:  # fmt: skip
    """Return the model of a robot with chosen parameters; `others`: modes, or another recursion than Newton-Euler."""
    equations = equations_of(robot, INVERSE, structure, passive=passive, rest=rest, accelerated=False, **others)
    with equations.work as work:
        torques, more = equations.torques(weights)
        tau = work.vector("GAM", torques)
        equations.name_internal_forces(torques)
        options = {"passive": passive, "rest": rest, "weights": weights}
        made = equations.origin(inverse_of, options, reduced and not more)
        return equations.model("dyn", "Inverse dynamic model", "Newton-Euler method", {"tau": tau, **more}, made)
