"""Motion of a path planner's cycle within the limits of the motors (Kvrgic and Vidakovic, section II).

In each cycle, the planner requests the velocity of the next one. Positions and velocities are clipped to the limits
of the joints. The motors receive the acceleration that leads there; if a motor reaches its limit, the other joints
keep their acceleration. The resulting velocities and positions start the next cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array, numbers
from robosym.control.achievable import achievable_accelerations
from robosym.control.drives import Actuator
from robosym.errors import InputError, Pass, missing_values
from robosym.mechanism import Robot
from robosym.mechanism.needs import need_base
from robosym.simulation.hardware import Hardware, need_single_joints
from robosym.simulation.motions import desired, source_of
from robosym.simulation.run import Simulation
from robosym.simulation.system import system_of

__all__ = ["attained_motion"]


def attained_motion(
    robot: Robot, reference: object, actuators: object, t: Array, q: ArrayLike | None, qd: ArrayLike | None
) -> Simulation:
    """Return the positions and velocities of each cycle; `run.reached` is True where the motors were sufficient."""
    if not isinstance(actuators, Mapping) or reference is None:
        hint = ("pass ", Pass("reference"), " and ", Pass("actuators"))
        raise InputError("method: cycle requires a reference and one actuator per joint", hint=hint)
    need_single_joints(robot, "method: 'cycle'")
    need_base(robot, "simulate with method='cycle'", "fixed")
    joints = robot.tree_joints
    motors = {  # the robot already contains rotors, friction and masses
        j: replace(actuators[j], inertia=0, viscous=0, coulomb=0, mass=0) for j in joints if j in actuators
    }
    model = achievable_accelerations(robot, motors, others="acceleration")
    if "parameters" in model.inputs:
        raise missing_values(model.inputs["parameters"])
    given = desired(reference)
    if "q_desired" not in given:
        raise InputError(f"reference: expected positions q, found {', '.join(given) or 'nothing'}")
    path = source_of("reference", given["q_desired"], robot.joint_names, t, 1).table(t)[0]
    if len(path) == 1:
        path = np.repeat(path, len(t), axis=0)
    compiled, step = model.compile(), t[1] - t[0]
    low, high, fastest = _limits(robot, actuators)
    wanted = np.diff(np.clip(path, low, high), axis=0) / step  # requested velocity of each cycle
    start = numbers("q", path[0] if q is None else q, (len(joints),))
    rate = numbers("qd", wanted[0] if qd is None else qd, (len(joints),))
    others = {g: np.zeros(len(n)) for g, n in model.inputs.items() if g not in ("q", "qd", "qdd")}
    positions, rates = np.empty((len(t), len(joints))), np.empty((len(t), len(joints)))
    torques, reached = np.zeros((len(t), len(joints))), np.ones(len(t), dtype=bool)
    positions[0], rates[0] = start, rate
    ratio = np.array([motors[j].number("ratio", j) for j in joints])
    for k in range(len(t) - 1):
        place = np.clip(positions[k] + rates[k] * step, low, high)
        # request the velocity that leads back to the path in the next cycle
        goal = path[k + 2] if k + 2 < len(t) else 2 * path[-1] - path[-2]
        next_rate = np.clip((np.clip(goal, low, high) - place) / step, -fastest, fastest)
        found = compiled(q=positions[k], qd=rates[k], qdd=(next_rate - rates[k]) / step, **others)
        if not np.isfinite(found.qdd).all():
            raise InputError(
                f"method: 'cycle': the accelerations within the motor limits were not found at t = {t[k]:g} s"
            )
        positions[k + 1], rates[k + 1] = place, rates[k] + found.qdd * step
        torques[k], reached[k] = found.motor * ratio, not found.excess.any()
    torques[-1] = torques[-2]
    system = system_of(robot, 1 / step, True, None, Hardware(), False, (), {})
    states = np.concatenate([positions, rates], axis=1)[None]
    run = Simulation.of(system, t, states, (), {}, torques[None], {})
    return replace(run, reached=reached)


def _limits(robot: Robot, actuators: Mapping[int, Actuator]) -> tuple[Array, Array, Array]:
    limits = robot.joint_limits
    low = np.array([-np.inf if at.lower is None else at.lower for at in limits], dtype=float)
    high = np.array([np.inf if at.upper is None else at.upper for at in limits], dtype=float)
    fastest = np.array([np.inf if at.velocity is None else at.velocity for at in limits], dtype=float)
    for place, j in enumerate(robot.tree_joints):
        motor = actuators.get(j)
        if motor is not None and motor.speed is not None:
            fastest[place] = min(fastest[place], motor.number("speed", j) / abs(motor.number("ratio", j)))
    return low, high, fastest
