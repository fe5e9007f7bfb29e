"""Motion of a floating base whose joints follow a given motion, and the required motor torques (RNE 7.2).

The state is the pose and the velocity of the base. Its acceleration and the torques are outputs of the inverse dynamic
model, which takes the motion of the joints as input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.dynamics import inverse_dynamics
from robosym.errors import InputError, missing_values
from robosym.mechanism import Robot
from robosym.mechanism.needs import need_rigid
from robosym.model import compose
from robosym.runtime.fixed_step import METHODS
from robosym.simulation.hardware import Hardware
from robosym.simulation.integration import Steps, integrated
from robosym.simulation.motions import DrivingValues, State, source_of, state_function
from robosym.simulation.run import Simulation
from robosym.simulation.start import base_start
from robosym.simulation.system import BASE_STATE, System, base_system, floating_with_symbols, gravity_in_base, system_of
from robosym.solve import loop_geometry

__all__ = ["prescribed_motion"]


def prescribed_motion(
    robot: Robot, motion: object, steps: Steps, base: ArrayLike | None, base_velocity: ArrayLike | None
) -> Simulation:
    """Return the motion of a floating base under the given motion of its joints, with the torques of the motors."""
    if robot.base.kind != "floating":
        raise InputError(f"motion: expected a robot with a floating base, found a {robot.base.kind} base")
    need_rigid(robot, "a prescribed motion")
    inverse = inverse_dynamics(floating_with_symbols(robot))
    if missing := inverse.inputs.get("parameters", ()):
        raise missing_values(missing)
    model = compose(gravity_in_base(robot), inverse)
    system = base_system(robot, model, 1 / steps.step, steps.method in METHODS)
    start = base_start(base, base_velocity)
    sources = _sources(robot, motion, system, steps.t)
    if any(part.ndim != 1 for part in start.values()):
        raise InputError("base: expected one initial state with a given motion of the joints, found several")
    first = np.concatenate([start[group] for group in BASE_STATE])
    states = integrated(system, sources, first[None], steps)[0]
    given = {group: states[:, system.place(group)] for group in BASE_STATE}
    given |= {group: source.table(steps.t)[0] for group, source in sources.items()}
    found = model.compile()(**{group: np.ascontiguousarray(given[group]) for group in model.inputs})
    whole = system_of(robot, 1 / steps.step, True, None, Hardware(), False, (), {})
    parts = [np.broadcast_to(given[group], (len(steps.t), given[group].shape[-1])) for group in whole.state]
    run = Simulation.of(whole, steps.t, np.concatenate(parts, axis=1)[None], (), {}, np.array(found.tau)[None], {})
    return replace(run, stepwise=False)


def _sources(robot: Robot, motion: object, system: System, times: Array) -> dict[str, DrivingValues]:
    """Return q, qd and qdd over time; other inputs, such as wrenches, are zero."""
    state, inputs = state_function(motion), system.flow.inputs
    closed = _closing(robot, len(inputs["q"]), len(inputs["qd"]))
    found = {}
    for group in system.driven:
        if group not in State._fields:
            found[group] = source_of(group, 0.0, inputs[group], times, 1)
            continue
        part = partial(_part, state, group, closed if group == "q" else None)
        found[group] = DrivingValues(f"motion: {group}", len(inputs[group]), part)
    return found


def _part(state: Callable[[Any], State], group: str, closed: Callable[[Array], Array] | None, t: Any) -> Array:
    value: Array = np.asarray(getattr(state(t), group), dtype=float)
    return value if closed is None else closed(value)


def _closing(robot: Robot, size: int, active: int) -> Callable[[Array], Array] | None:
    """Return a function that adds the passive joints of a closed robot to positions of the active ones."""
    if not robot.constrained or size == active:
        return None
    geometry = loop_geometry(robot)

    def closed(q: Array) -> Array:
        if q.shape[-1] == size:
            return q
        rows = [geometry.usual(row) for row in q.reshape(-1, q.shape[-1])]
        return np.array(rows).reshape(*q.shape[:-1], size)

    return closed
