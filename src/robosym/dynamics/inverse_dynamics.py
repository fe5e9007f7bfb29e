"""The inverse dynamic model: motor torques from the motion of the joints (guide 3.4, 4.2; RNE 3.2, 6.3, 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.coordinates.roles import Rest, Weights
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import INVERSE, equations_of
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["inverse_dynamics", "inverse_of"]


@accepts(
    "floating", motors=True, platform="base_parameters modes weights friction",
    modules="base_parameters modes friction",
)  # fmt: skip
def inverse_dynamics(
    robot: Robot,
    structure: str | None = None,
    base_parameters: bool = False,
    passive: str = "driven",
    rest: Rest | None = None,
    reference: Mapping[str, float] | None = None,
    weights: Weights | None = None,
    friction: bool | str = True,
    modes: Any = None,
) -> Model:
    """Torques (forces) GAMj of the motors; E1j..N3j, what each antecedent exerts on link j, can be selected.

    The accelerations QDPj of elastic joints, and the acceleration of a floating base (WP10.. VP30, in frame 0, without
    gravity), are outputs; a mobile base has a given motion. `rest` gives rest positions of elastic joints. With
    `passive="free"` a joint without a motor (mu = 0) moves freely, otherwise its torque is computed as if it had one.
    A closed robot gives the torques of its motors, in the mode of `reference` (values of joint variables) or of its
    position; where it has fewer motors than freedoms, the accelerations of the joints that move freely are outputs, and
    where it has more, the torques are those with the least sum of squares, each times its weight where `weights` gives
    one (by the joint's name or number, 1 for the others). `structure="tree"` gives the model of the
    equivalent tree, with all joints rigid and driven and the motion of the base given. `friction=False` leaves
    friction out, "smooth" has tanh(qd / 0.01) in the place of its signs.

    The coordinates of a robot with a platform are its pose, twist and acceleration; `modes` numbers the branch of each
    of its legs, by default those of the reference position.
    """
    robot = prepared(robot, structure, base_parameters, reference, friction)
    return inverse_of(robot, structure, passive, rest, weights, base_parameters, modes=modes)


def inverse_of(
    robot: Robot, structure: str | None = None, passive: str = "driven", rest: Rest | None = None,
    weights: Weights | None = None, reduced: bool = False, **others: Any,
) -> Model:  # fmt: skip
    """The model of a robot whose parameters are chosen; `others`: modes, or another recursion than Newton-Euler."""
    equations = equations_of(robot, INVERSE, structure, passive=passive, rest=rest, accelerated=False, **others)
    with equations.work as work:
        torques, more = equations.torques(weights)
        tau = work.vector("GAM", torques)
        equations.name_internal_forces(torques)
        options = {"passive": passive, "rest": rest, "weights": weights}
        made = equations.origin(inverse_of, options, reduced and not more)
        return equations.model("dyn", "Inverse dynamic model", "Newton-Euler method", {"tau": tau, **more}, made)
