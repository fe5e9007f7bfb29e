"""Direct dynamic model: accelerations from torques (guide 3.6.1, Appendix 4.4, 5.7.5; RNE 3.3, 6.2, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from robosym.coordinates.accepts import accepts
from robosym.coordinates.motor_coordinates import direct_in_motors
from robosym.coordinates.roles import Rest
from robosym.dynamics.arguments import prepared
from robosym.dynamics.bias_torques import bias_torques
from robosym.dynamics.equations_of_motion import DIRECT, equations_of
from robosym.dynamics.inertia_matrix import inertia_matrix
from robosym.errors import InputError
from robosym.mechanism import Robot, need_no_load
from robosym.model import Model

__all__ = ["ROUTES", "direct_dynamics", "direct_of"]

ROUTES = {"recursive": "recursive Newton-Euler method", "cholesky": "Cholesky factors of the inertia matrix"}


def _in_motors(
    robot: Robot, route: str = "recursive", base_parameters: bool = False, friction: bool | str = True
) -> Model:
    """Return the model of a robot with a transmission, from the inertia matrix and the bias of its joints."""
    if route != "recursive":
        raise InputError(f"route: expected the default for a robot with a transmission, found {route!r}")
    joints = prepared(robot.in_joints(), None, base_parameters, None, friction)
    need_no_load(joints, "the direct model in motor coordinates")
    return direct_in_motors(robot, inertia_matrix(joints), bias_torques(joints))


@accepts(
    "floating", motors="route base_parameters friction", platform="base_parameters modes friction",
    modules="base_parameters modes friction", variants={"motors": _in_motors}, contacts="rest friction",
)  # fmt: skip
def direct_dynamics(
    robot: Robot,
    route: Literal["recursive", "cholesky"] = "recursive",
    structure: Literal["tree"] | None = None,
    base_parameters: bool = False,
    passive: Literal["driven", "free"] = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Return the accelerations QDPj of the joints, and WP10.. VP30 of a floating base, from the motor torques GAMj.

    For a closed robot, the accelerations of passive joints are outputs too. The coordinates of a robot with a
    platform are its pose, twist and acceleration. The forces of the ground on a robot in contact are the group
    "contact"; those along dependent rows are undetermined and set to zero.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    route : {"recursive", "cholesky"}, optional
        Algorithm: `recursive` never forms the inertia matrix, and its reactions E1j..N3j can be selected; `cholesky`
        solves A qdd = tau - H, with fewer operations on short arms.
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
    friction : bool or "smooth", optional
        Whether the model includes friction; `smooth` replaces the sign of each velocity by tanh(qd / 0.01).
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    Model
        Model with the output group "qdd" (rad/s^2, m/s^2), and "base_acceleration" for a floating base.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.direct_dynamics("planar2r")
    >>> model.outputs
    {'qdd': ('QDP1', 'QDP2')}
    """
    if route not in ROUTES:
        raise InputError(f"route: expected 'recursive' or 'cholesky', found {route!r}")
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return direct_of(robot, route, structure, passive, rest, modes=modes)


def direct_of(
    robot: Robot, route: str, structure: str | None = None, passive: str = "driven", rest: Rest | None = None,
    **others: Any,
) -> Model:  # fmt: skip
    """Return the model of a robot with chosen parameters; `others`: modes, or other recursions than the book's."""
    equations = equations_of(robot, DIRECT, structure, passive=passive, rest=rest, **others)
    with equations.work:
        method = equations.route(route)
        outputs = equations.accelerations(equations.solved(method))
        made = equations.origin(direct_of, {"passive": passive, "rest": rest, "route": route})
        return equations.model("ddm", "Direct dynamic model", ROUTES[method], outputs, made)
