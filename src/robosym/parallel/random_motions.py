"""Motions of a parallel robot at random: positions in the mode of its reference, twists and accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array, evaluate_arrays
from robosym.description import Parallel
from robosym.errors import InputError
from robosym.parallel.balance import drifting
from robosym.parallel.platform_motion import ACCELERATION, POSE, TWIST
from robosym.parallel.reference import numeric_reference

__all__ = ["random_motions"]


def random_motions(robot: Parallel, positions: int, motions: int) -> dict[str, Array]:
    """Values of the symbols of pose, twist and acceleration, `motions` of them at each position."""
    reference = numeric_reference(robot)
    if reference is None:
        raise InputError(
            f"{robot.name}: what its legs allow is found by numbers: give position and numbers for the geometry"
        )
    samples = [*reference.samples, *reference.around(max(positions - len(reference.samples), 0), 1)]
    rng = random_arrays("positions of a parallel robot", 2)
    pose = np.array([[sample.pose_values[name] for name in POSE] for sample in samples for _ in range(motions)])
    basis = np.array([sample.twists for sample in samples for _ in range(motions)])
    twist, gained = (np.einsum("srk,sk->sr", basis, rng.normal(size=basis.shape[::2])) for _ in range(2))
    values: dict[str, Any] = dict(zip((*POSE, *TWIST), (*pose.T, *twist.T), strict=True))
    legs = drifting(robot, None, ("parameters",))
    free = reference.coordinates
    rows = list(free)
    E = basis @ np.linalg.inv(basis[:, rows])  # the twist from its coordinates
    drift = evaluate_arrays([legs.work.graph.zero + x for x in (*legs.motion.vp, *legs.motion.wp)], values)
    acceleration = np.column_stack([np.broadcast_to(x, len(pose)) for x in drift])
    acceleration = acceleration + np.einsum("srk,sk->sr", E, 3 * gained[:, rows])
    return values | dict(zip(ACCELERATION, acceleration.T, strict=True))
