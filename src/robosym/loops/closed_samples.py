"""Closed positions of no particularity: where what holds in general is decided in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from robosym.algebra.generic import random_arrays, random_numbers
from robosym.errors import InputError
from robosym.loops.closing import CLOSED, TIGHTLY, Closing
from robosym.loops.component import reached_from, reference_position

__all__ = ["closed_positions", "closed_samples", "many_closed_samples", "samples_of_mode"]

Array = np.ndarray[Any, np.dtype[Any]]
_STARTS = 60  #: tried for each position wanted
_MANY = 40  #: more of them, where lengths are numbers
_GEOMETRIES = 3  #: tried where lengths are symbols


def closed_samples(closing: Closing, wanted: int = 3) -> Iterator[dict[str, float]]:
    """Closed positions for random values of the parameters, other ones for each."""
    rng = random_numbers("closed positions of loops")
    low, high = _ranges(closing)
    found = 0
    for _ in range(_STARTS):
        values = {name: rng.uniform(0.4, 1.6) for name in closing.gaps.parameters}
        start = np.array([rng.uniform(*ends) for ends in zip(low, high, strict=True)])
        values, left = closing.move(values | closing.gaps.named(start))
        if left < CLOSED:
            found += 1
            yield values
            if found == wanted:
                return


def many_closed_samples(closing: Closing) -> list[dict[str, float]]:
    """The same, and of a geometry in numbers more of them, so that modes which few positions are in show up too."""
    found = list(closed_samples(closing))
    if found and not closing.gaps.lengths:
        low, high = _ranges(closing)
        starts = random_arrays("closed positions of loops", 2).uniform(low, high, (_MANY, len(low)))
        positions, left = closing.settle(found[0], starts)
        found += [found[0] | closing.gaps.named(q) for q in positions[left < CLOSED]]
    return found


def samples_of_mode(closing: Closing, reference: Mapping[str, float], wanted: int = 60) -> list[dict[str, float]]:
    """Closed positions in the mode of a reference position, which comes first; of several geometries with symbols."""
    robot = closing.robot
    rng, arrays = random_numbers("closed positions of loops"), random_arrays("closed positions of loops")
    motors = [j for j in robot.tree_joints if robot.frame(j).mu]
    parameters = closing.gaps.parameters
    unknown = [name for name in closing.gaps.lengths if name not in reference]
    found: list[dict[str, float]] = []
    trouble: InputError | None = None
    geometries = _GEOMETRIES if unknown else 1
    for _ in range(_STARTS if unknown else 1):
        values = {name: reference.get(name, rng.uniform(0.4, 1.6)) for name in parameters}
        try:
            start = reference_position(closing, reference, values)
            found += reached_from(closing, start, wanted // geometries, arrays, motors)
        except InputError as error:
            trouble = error
            continue
        geometries -= 1
        if geometries == 0:
            break
    if not found and trouble is not None:
        raise trouble
    return found


def closed_positions(
    closing: Closing, parameters: Mapping[str, float], rng: np.random.Generator, wanted: int
) -> list[dict[str, float]]:
    """Closed positions for these parameters; of a robot with a reference position, in its mode."""
    robot = closing.robot
    motors = [j for j in robot.tree_joints if robot.frame(j).mu]
    if robot.position and robot.loops:
        start = reference_position(closing, robot.position, parameters)
        return reached_from(closing, start, wanted, rng, motors)
    low, high = _ranges(closing)
    found: list[dict[str, float]] = []
    tried = 0
    while len(found) < wanted:
        if tried >= _STARTS * (len(found) + 1):
            raise InputError(f"no configuration closes the loops of {closing.robot.name} for this geometry")
        starts = rng.uniform(low, high, (max(wanted, 20), len(low)))
        positions, left = closing.settle(parameters, starts)
        found += [dict(parameters) | closing.gaps.named(q) for q in positions[left < TIGHTLY]]
        tried += len(starts)
    return found[:wanted]


def _ranges(closing: Closing) -> tuple[Array, Array]:
    """Between which values each joint starts: lower and upper ones."""
    turning = np.array([closing.robot.frame(j).joint_type.turns for j in closing.gaps.joints], dtype=bool)
    return np.where(turning, -2.5, 0.3), np.where(turning, 2.5, 2.0)
