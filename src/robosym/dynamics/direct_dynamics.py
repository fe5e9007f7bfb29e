"""The direct dynamic model: accelerations from torques (guide 3.6.1, Appendix 4.4, 5.7.5; RNE 3.3, 6.2, 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    """Of a robot with a transmission, from the inertia matrix and the bias of its joints."""
    if route != "recursive":
        raise InputError(f"route: a robot with a transmission is solved by its inertia matrix, found {route!r}")
    joints = prepared(robot.in_joints(), None, base_parameters, None, friction)
    need_no_load(joints, "its direct model in motor coordinates")
    return direct_in_motors(robot, inertia_matrix(joints), bias_torques(joints))


@accepts(
    "floating", motors="route base_parameters friction", platform="base_parameters modes friction",
    modules="base_parameters modes friction", variants={"motors": _in_motors},
)  # fmt: skip
def direct_dynamics(
    robot: Robot,
    route: str = "recursive",
    structure: str | None = None,
    base_parameters: bool = False,
    passive: str = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Accelerations QDPj of the joints, and WP10.. VP30 of a floating base, from the torques GAMj of the motors.

    `route="recursive"` never forms the inertia matrix, and its reactions E1j..N3j can be selected; "cholesky" solves
    A qdd = tau - H by straight-line code, which needs fewer operations on short arms. The other arguments are those
    of `inverse_dynamics`; a closed robot has also the accelerations of its passive joints.

    The coordinates of a robot with a platform are its pose, twist and acceleration; `modes` numbers the branch of each
    of its legs, by default those of the reference position.
    """
    if route not in ROUTES:
        raise InputError(f"route: expected 'recursive' or 'cholesky', found {route!r}")
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return direct_of(robot, route, structure, passive, rest, modes=modes)


def direct_of(
    robot: Robot, route: str, structure: str | None = None, passive: str = "driven", rest: Rest | None = None,
    **others: Any,
) -> Model:  # fmt: skip
    """The model of a robot whose parameters are chosen; `others`: modes, or other recursions than the book's."""
    equations = equations_of(robot, DIRECT, structure, passive=passive, rest=rest, **others)
    with equations.work:
        method = equations.route(route)
        outputs = equations.accelerations(equations.solved(method))
        made = equations.origin(direct_of, {"passive": passive, "rest": rest, "route": route})
        return equations.model("ddm", "Direct dynamic model", ROUTES[method], outputs, made)
