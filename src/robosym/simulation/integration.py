"""Time integration: fixed steps in machine code, variable steps by SciPy, and controllers with a sampling period."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.errors import InputError, Pass
from robosym.model import Model
from robosym.runtime.fixed_step import METHODS, FixedStepIntegrator
from robosym.simulation.motions import DrivingValues
from robosym.simulation.system import System

__all__ = ["SOLVERS", "Controller", "Steps", "integrated", "sampled_control"]

#: our names of methods and those of SciPy
SOLVERS = {"dop853": "DOP853", "rk45": "RK45", "rk23": "RK23", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}
#: a model with the output "tau", or a function (t, q, qd) -> tau
Controller = Union[Model, Callable[..., ArrayLike]]


class Steps(NamedTuple):
    """Integration method and the times that are stored."""

    t: Array
    step: float
    total: int  #: number of steps
    every: int  #: number of steps between stored times
    method: str
    tolerance: float  #: tolerance of variable-step methods


def integrated(system: System, sources: Mapping[str, DrivingValues], start: Array, steps: Steps) -> Array:
    """Return the states, shape (batch, samples, size), at the stored times."""
    if steps.method not in METHODS:
        return _solved(system, sources, start, steps.t, steps)
    integrator = _integrator(system, steps.method, len(start))
    times: Array = np.arange(integrator.parts * steps.total + 1, dtype=float) * (steps.step / integrator.parts)
    return integrator(start, _table(system, sources, times), steps.step, steps.total, steps.every)


def _integrator(system: System, method: str, batch: int) -> FixedStepIntegrator:
    key = f"{method}, alone" if batch == 1 else method
    if key not in system.compiled:
        system.compiled[key] = FixedStepIntegrator(system.flow, METHODS[method], system.after, batch == 1)
    return system.compiled[key]


def _table(system: System, sources: Mapping[str, DrivingValues], times: Array, one_by_one: bool = False) -> Array:
    """Return the input groups side by side, with one row per time if any of them changes."""
    tables = [sources[group].table(times, one_by_one) for group in system.driven]
    if not tables:
        return np.zeros((1, 1, 0))
    blocks, rows = (max(table.shape[axis] for table in tables) for axis in (0, 1))
    return np.concatenate([np.broadcast_to(table, (blocks, rows, table.shape[2])) for table in tables], axis=2)


def _solved(
    system: System, sources: Mapping[str, DrivingValues], start: Array, t: Array, steps: Steps, begin: float = 0.0
) -> Array:
    """Return the states, shape (batch, samples, size), at the times t after `begin`, by a solver of SciPy."""
    try:
        solve_ivp = import_module("scipy.integrate").solve_ivp
    except ImportError:
        raise InputError(f"method: {steps.method!r} requires SciPy: run pip install robosym[simulation]") from None
    compiled = system.flow.compile()
    places = [(group, system.place(group)) for group in system.state]
    states = []
    for number, first in enumerate(start):

        def slope(time: float, y: Array, number: int = number) -> Array:
            given = {group: y[place] for group, place in places}
            for group in system.driven:
                value = sources[group].at(time + begin)
                given[group] = np.ascontiguousarray(value[number] if value.ndim == 2 else value)
            found: Array = compiled(**given)
            return found

        with np.errstate(all="ignore"):
            found = solve_ivp(
                slope, (0.0, t[-1]), first, method=SOLVERS[steps.method], t_eval=t, rtol=steps.tolerance,
                atol=steps.tolerance,
            )  # fmt: skip
        if not found.success or found.y.shape[1] != len(t):
            reached = found.t[-1] if len(found.t) else 0
            raise InputError(f"{steps.method} stopped at t = {reached:g} s: {found.message}")
        states.append(found.y.T)
    return np.array(states)


def sampled_control(
    system: System, controller: Controller, sources: Mapping[str, DrivingValues], start: Array, steps: Steps,
    period: float | None, values: Mapping[str, float],
) -> tuple[Array, Array]:  # fmt: skip
    """Return states and torques, shape (batch, samples, ...), for a controller that is called periodically."""
    t, step, count, every, method, _ = steps
    if "tau" not in system.driven:
        raise InputError("controller: expected a robot with motors, found none")
    hold = 1 if period is None else max(1, round(period / step))
    size = len(system.flow.inputs["tau"])
    law = _law(system, controller, sources, values)
    state, torques = start.copy(), np.empty((len(start), len(t), size))
    states = np.empty((len(start), len(t), system.size))
    tau = np.zeros((len(start), size))
    integrator = _integrator(system, method, len(start)) if method in METHODS else None
    for k in range(count + 1):
        if k % hold == 0:
            tau = _checked_torques(law(k * step, state), k * step, tau.shape)
        if k % every == 0:
            states[:, k // every], torques[:, k // every] = state, tau
        if k == count:
            break
        driving = {**sources, "tau": DrivingValues("tau", size, None, tau)}
        if integrator is not None:
            times = (k + np.arange(integrator.parts + 1) / integrator.parts) * step
            integrator(state, _table(system, driving, times, one_by_one=True), step, 1)
        else:
            state = _solved(system, driving, state, np.array([0.0, step]), steps, k * step)[:, -1]
        if not np.isfinite(state).all():
            raise InputError(
                f"the state is not finite after t = {k * step:g} s: check the controller or reduce the step"
            )
    return states, torques


def _law(
    system: System, controller: Controller, sources: Mapping[str, DrivingValues], values: Mapping[str, float]
) -> Callable[[float, Array], ArrayLike]:
    """Return the torques of the motors as a function of time and state."""
    if not isinstance(controller, Model):

        def by_call(t: float, state: Array) -> ArrayLike:
            q, qd = (state[:, system.place(group)].copy() for group in (system.positions, system.velocities))
            return controller(t, q, qd) if len(state) > 1 else controller(t, q[0], qd[0])

        return by_call
    if any(group.endswith("_rate") for group in controller.outputs):
        raise InputError("period: expected a controller without internal state: leave period out")
    compiled = controller.compile()
    needed = controller.inputs.get("parameters", ())
    if missing := [name for name in needed if name not in values]:
        few = ", ".join(missing[:8])
        hint = ("pass ", Pass("parameters", {missing[0]: None}))
        raise InputError(f"controller: expected values for {few}, found none", hint=hint, code="E404")
    fixed = {"parameters": np.array([values[name] for name in needed])} if needed else {}
    groups = [group for group in controller.inputs if group != "parameters"]
    alone = len(controller.outputs) == 1

    def by_model(t: float, state: Array) -> ArrayLike:
        given = {g: state[:, system.place(g)] if g in system.state else sources[g].at(t) for g in groups}
        result = compiled(**given, **fixed)
        torques: Array = result if alone else result.tau
        return torques

    return by_model


def _checked_torques(found: ArrayLike, t: float, shape: tuple[int, ...]) -> Array:
    try:
        tau = np.broadcast_to(np.asarray(found, dtype=float), shape)
    except (TypeError, ValueError):
        raise InputError(
            f"controller: expected {shape[-1]} torques at t = {t:g} s, found {np.shape(found)} {found!r:.60}"
        ) from None
    if not np.isfinite(tau).all():
        raise InputError(f"controller: expected finite torques at t = {t:g} s, found {found!r:.60}")
    return np.ascontiguousarray(tau)
