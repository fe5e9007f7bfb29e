"""A controller that is called from time to time and whose torques are held until the next call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError
from robosym.model import Model
from robosym.runtime.march import METHODS, March
from robosym.simulation.solvers import Steps, solved
from robosym.simulation.sources import DrivingValues
from robosym.simulation.system import System

__all__ = ["held_control"]

Array = NDArray[np.float64]


def held_control(
    system: System, controller: Any, sources: dict[str, DrivingValues], start: Array, steps: Steps,
    period: float | None, values: Mapping[str, float], march: Callable[[System, str, int], March],
) -> tuple[Array, Array]:  # fmt: skip
    """States and torques (batch, samples, ...) where the torque changes every so many steps."""
    t, step, count, every, method, tolerance = steps
    if "tau" not in system.driven:
        raise InputError("controller: the robot has no motor to drive")
    hold = 1 if period is None else max(1, round(period / step))
    size = len(system.flow.inputs["tau"])
    law = _law(system, controller, sources, values, size)
    state, torques = start.copy(), np.empty((len(start), len(t), size))
    states = np.empty((len(start), len(t), system.size))
    states[:, 0] = state
    tau = np.zeros((len(start), size))
    compiled = march(system, method, len(start)) if method in METHODS else None
    for k in range(count + 1):
        if k % hold == 0:
            tau = law(k * step, state)
        if k % every == 0:
            states[:, k // every], torques[:, k // every] = state, tau
        if k == count:
            break
        sources = sources | {"tau": DrivingValues("tau", size, None, tau)}
        if compiled is not None:
            compiled(state, _rows(system, sources, k, step, compiled.parts), step, 1)
        else:
            shifted = {group: _later(source, k * step) for group, source in sources.items()}
            state = solved(system, shifted, state, np.array([0.0, step]), method, tolerance)[:, -1]
        if not np.isfinite(state).all():
            raise InputError(
                f"the motion is not finite after t = {k * step:g} s: the controller or the step is to blame"
            )
    return states, torques


def _later(source: DrivingValues, by: float) -> DrivingValues:
    return DrivingValues(source.name, source.size, None if source.fixed is not None else lambda t: source.at(t + by),
                  source.fixed)  # fmt: skip


def _rows(system: System, sources: Mapping[str, DrivingValues], k: int, step: float, parts: int) -> Array:
    """The table of one step."""
    times = (k + np.arange(parts + 1) / parts) * step
    tables = [
        sources[group].fixed.reshape(-1, 1, sources[group].size)  # type: ignore[union-attr]
        if sources[group].fixed is not None
        else np.stack([sources[group].at(time) for time in times], axis=-2).reshape(-1, parts + 1, sources[group].size)
        for group in system.driven
    ]
    blocks, rows = (max(table.shape[axis] for table in tables) for axis in (0, 1))
    return np.concatenate([np.broadcast_to(table, (blocks, rows, table.shape[2])) for table in tables], axis=2)


def _law(
    system: System, controller: Any, sources: Mapping[str, DrivingValues], values: Mapping[str, float], size: int
) -> Callable[[float, Array], Array]:
    """(t, state) -> tau (batch, size)."""
    positions = next(group for group in ("q", "pose") if group in system.state)
    velocities = next(group for group in ("qd", "twist") if group in system.state)

    def checked(found: Any, t: float, batch: int) -> Array:
        try:
            tau = np.asarray(found, dtype=float)
            tau = np.broadcast_to(tau, (batch, size))
        except (TypeError, ValueError):
            raise InputError(
                f"controller: expected {size} torques at t = {t:g} s, found {np.shape(found)} {found!r:.60}"
            ) from None
        if not np.isfinite(tau).all():
            raise InputError(f"controller: gave a torque that is not finite at t = {t:g} s")
        return np.ascontiguousarray(tau)

    if isinstance(controller, Model):
        if any(group.endswith("_rate") for group in controller.outputs):
            raise InputError("period: a controller that remembers runs continuously: leave period out")
        compiled = controller.compile()
        needed = controller.inputs.get("parameters", ())
        missing = [name for name in needed if name not in values]
        if missing:
            raise InputError(f"parameters: no value is given for {', '.join(missing)}")
        fixed = {"parameters": np.array([values[name] for name in needed])} if needed else {}

        def by_model(t: float, state: Array) -> Array:
            given: dict[str, Any] = {
                group: state[:, system.place(group)] if group in system.state else sources[group].at(t)
                for group in controller.inputs
                if group != "parameters"
            }
            result = compiled(**given, **fixed)
            return checked(result if len(controller.outputs) == 1 else result.tau, t, len(state))

        return by_model

    def by_call(t: float, state: Array) -> Array:
        q, qd = state[:, system.place(positions)].copy(), state[:, system.place(velocities)].copy()
        if len(state) == 1:
            q, qd = q[0], qd[0]
        return checked(controller(t, q, qd), t, len(state))

    return by_call
