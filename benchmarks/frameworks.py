"""Overhead of models in JAX and PyTorch over a direct call, for a batch of 2,000 states of the RX90, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from table import Row, print_table, spread_of

import robosym as rs

STATES, ROUNDS, CALLS = 2000, 40, 25


def seconds(call: Callable[[], Any]) -> float:
    """Return the shortest of a few calls."""
    best = np.inf
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return float(best)


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    robot = rs.load("rx90")
    model = rs.inverse_dynamics(robot)
    rng = np.random.default_rng(1)
    sizes = {group: len(names) for group, names in model.inputs.items()}
    parameters = {g: rng.uniform(0.1, 1, n) for g, n in sizes.items() if g not in ("q", "qd", "qdd")}
    fixed = rs.inverse_dynamics(robot.with_values({
        name: float(value) for g, values in parameters.items()
        for name, value in zip(model.inputs[g], values, strict=True)
    }))  # fmt: skip
    arrays = [rng.normal(size=(STATES, 6)) for _ in fixed.inputs]
    own, call = fixed.compile(), jax.jit(fixed.to_jax())
    on_jax = [jnp.asarray(array) for array in arrays]
    calls: dict[str, Callable[[], Any]] = {"own": lambda: own(*arrays)}
    calls["JAX"] = lambda: call(*on_jax).block_until_ready()
    if find_spec("torch"):
        import torch

        of_torch, tensors = fixed.to_torch(), [torch.as_tensor(array) for array in arrays]
        calls["PyTorch"] = lambda: of_torch(*tensors)
    for run in calls.values():
        run()
    times = {name: [] for name in calls}  # type: dict[str, list[float]]
    for _ in range(ROUNDS):
        for name, run in calls.items():
            times[name].append(seconds(run))
    rows = []
    for name in [*calls][1:]:
        ratios = [a / b for a, b in zip(times[name], times["own"], strict=True)]
        what = f"{name}: batch of {STATES:,} over a direct call, times"
        rows.append(Row(what, float(np.median(ratios)), 1.3, spread=spread_of(ratios)))
    print_table("Models in other frameworks", rows)


if __name__ == "__main__":
    main()
