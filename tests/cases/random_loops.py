"""Loops with random frames, closed by construction."""

from __future__ import annotations

import random
from math import atan2, cos, hypot, sin

import numpy as np
import pinocchio as pin

from cases.closed_robots import build
from cases.kinematic import Array
from oracles.pinocchio import rotation, shift
from robosym.mechanism import PRISMATIC, Robot

FIELDS = ("gamma", "b", "alpha", "d", "theta", "r")


def placed(gamma: float, b: float, alpha: float, d: float, theta: float, r: float) -> pin.SE3:
    return (
        rotation("z", gamma)
        * shift("z", b)
        * rotation("x", alpha)
        * shift("x", d)
        * rotation("z", theta)
        * shift("z", r)
    )


def six_parameters(T: pin.SE3) -> tuple[float, ...]:
    """Return gamma, b, alpha, d, theta, r of a placement."""
    A, P = T.rotation, T.translation
    alpha = atan2(hypot(A[0, 2], A[1, 2]), A[2, 2])
    gamma, theta = atan2(A[0, 2], -A[1, 2]), atan2(A[2, 0], A[2, 1])
    basis = np.array(
        [[0, cos(gamma), sin(gamma) * sin(alpha)], [0, sin(gamma), -cos(gamma) * sin(alpha)], [1, 0, cos(alpha)]]
    )
    b, d, r = np.linalg.solve(basis, P)
    return gamma, float(b), alpha, float(d), theta, float(r)


def frame(ant: int, sigma: int, mu: int, values: tuple[float, ...], variable: str | None) -> str:
    numbers = dict(zip(FIELDS, (f"{value:.15g}" for value in values), strict=True))
    if variable:
        numbers["r" if sigma == PRISMATIC else "theta"] = variable
    return f"ant: {ant}, sigma: {sigma}, mu: {mu}, " + ", ".join(f"{k}: {v}" for k, v in numbers.items())


def random_loop(rng: random.Random) -> tuple[Robot, Array]:
    """Return a spatial loop of seven joints, one active, and its closed position."""
    count = rng.randrange(2, 5)
    ants = [*range(count), 0, *range(count + 1, 6)]
    frames, where, q = [], {0: pin.SE3.Identity()}, []
    for j, ant in enumerate(ants, 1):
        sigma = int(rng.random() < 0.2)
        values = tuple(rng.uniform(-1, 1) if k in (0, 2, 4) else rng.uniform(-0.5, 0.5) for k in range(6))
        where[j] = where[ant] * placed(*values)
        q.append(values[5] if sigma else values[4])
        frames.append(frame(ant, sigma, int(j == 1), values, f"q{j}"))
    sigma = int(rng.random() < 0.3)
    values = tuple(rng.uniform(-0.8, 0.8) for _ in range(6))
    cut = where[count] * placed(*values)
    frames.append(frame(count, sigma, 0, values, "q7"))
    frames.append(frame(6, 2, 0, six_parameters(where[6].inverse() * cut), None))
    return build("loop", frames, [(7, 8)]), np.array(q)
