"""Generic closed positions, at which generic properties are decided numerically."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.generic import random_arrays, random_numbers
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, TIGHTLY, ZERO
from robosym.coordinates.closing import Closing, reached_from, reference_position
from robosym.coordinates.loops import Parallelogram, loops_of, parallelogram_of
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places

__all__ = [
    "assembled_parallelograms",
    "closed_positions",
    "closed_samples",
    "fitted_lengths",
    "more_closed_samples",
    "samples_of_mode",
    "staying",
]

_STEPS = 24  #: one where the position gives all joints: the gaps are linear in lengths
_DAMPING = Damping(first=1e-6, less=1, more=10, least=1e-6, most=1e4)  #: lengths that close the loops as well stay
_DIFFERENCE = 1e-5  #: step of a length for finite differences
_SMALLEST = 0.05  #: smallest value of a fitted length, relative to its first value


def fitted_lengths(
    closing: Closing, position: Mapping[str, float], values: Mapping[str, float], lengths: Sequence[str]
) -> dict[str, float] | None:
    """Return parameter values with the `lengths` changed as little as possible so that the loops close.

    Joints that the position does not give move too. Returns None if the loops do not close with lengths of the same
    sign.
    """
    gaps = closing.gaps
    loose = [column for column, name in enumerate(gaps.names) if name not in position]
    q = np.array([[position.get(name, 0.0) for name in gaps.names]])

    def at(x: Array) -> tuple[Array, Array]:
        q[0, loose] = x[len(lengths) :]
        return gaps.linearized(gaps.geometry({**values, **dict(zip(lengths, x.tolist(), strict=False))}), q)

    def equations(x: Array, _: Array) -> tuple[Array, Array]:
        steps = _DIFFERENCE * np.eye(len(x[0]))[: len(lengths)]
        columns = [(at(x[0] + step)[0] - at(x[0] - step)[0]) / (2 * _DIFFERENCE) for step in steps]
        gap, slope = at(x[0])
        return gap, np.concatenate([*(column[..., None] for column in columns), slope[..., loose]], axis=2)

    start = np.array([[*(values[name] for name in lengths), *q[0, loose]]])
    (x,), (left,) = levenberg_marquardt(equations, start, _DAMPING, CLOSED, _STEPS)
    now = dict(zip(lengths, x.tolist(), strict=False))
    kept = all(now[name] * values[name] >= _SMALLEST * values[name] ** 2 for name in lengths)
    return {**values, **now} if kept and np.abs(left).max() < CLOSED else None


_STARTS = 60  #: tried for each position wanted
_MANY = 45  #: starts of more of them
_GEOMETRIES = 3  #: tried where lengths are symbols


def closed_samples(closing: Closing, wanted: int = 3) -> Iterator[dict[str, float]]:
    """Return closed positions for random values of the parameters, different for each position."""
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


def more_closed_samples(closing: Closing, found: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Return many more positions with the parameters of those found, to reach rare modes too."""
    low, high = _ranges(closing)
    rng = random_arrays("closed positions of loops", 2)
    more: list[dict[str, float]] = []
    for values in found if closing.gaps.lengths else found[:1]:
        starts = rng.uniform(low, high, (_MANY // len(found) if closing.gaps.lengths else _MANY, len(low)))
        positions, left = closing.settle(values, starts)
        more += [dict(values) | closing.gaps.named(q) for q in positions[left < CLOSED]]
    return more


def samples_of_mode(closing: Closing, reference: Mapping[str, float], wanted: int = 60) -> list[dict[str, float]]:
    """Return closed positions in the mode of a reference position, which comes first, for several geometries."""
    robot = closing.robot
    rng, arrays = random_numbers("closed positions of loops"), random_arrays("closed positions of loops")
    motors = [j for j in robot.tree_joints if robot.frame(j).mu]
    parameters = closing.gaps.parameters
    lengths = closing.gaps.lengths
    unknown = [name for name in lengths if name not in reference]
    found: list[dict[str, float]] = []
    trouble: InputError | None = None
    geometries, done = _GEOMETRIES if lengths else 1, 0
    for trial in range(_STARTS if unknown else geometries):
        values = {name: reference.get(name, rng.uniform(0.4, 1.6)) for name in parameters}
        if trial and not unknown:  # other lengths, so that no relation is accepted that holds for the first ones only
            values |= {name: values[name] * rng.uniform(0.9, 1.1) for name in lengths}
        if unknown or trial:
            values = fitted_lengths(closing, reference, values, unknown or lengths) or values
        try:
            start = reference_position(closing, reference, values)
            found += reached_from(closing, start, wanted // geometries, arrays, motors)
        except InputError as error:
            trouble = error
            continue
        done += 1
        if done == geometries:
            break
    if not found and trouble is not None:
        raise trouble
    return found


def closed_positions(
    closing: Closing, parameters: Mapping[str, float], rng: np.random.Generator, wanted: int
) -> list[dict[str, float]]:
    """Return closed positions for these parameters, in the mode of the reference position if there is one."""
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
            raise InputError(f"{closing.robot.name}: the loops cannot be closed with this geometry")
        starts = rng.uniform(low, high, (max(wanted, 20), len(low)))
        positions, left = closing.settle(parameters, starts)
        found += [dict(parameters) | closing.gaps.named(q) for q in positions[left < TIGHTLY]]
        tried += len(starts)
    return found[:wanted]


def _ranges(closing: Closing) -> tuple[Array, Array]:
    """Return the lower and upper initial values of each joint."""
    turning = np.array([closing.robot.frame(j).joint_type.turns for j in closing.gaps.joints], dtype=bool)
    return np.where(turning, -2.5, 0.3), np.where(turning, 2.5, 2.0)


def assembled_parallelograms(
    robot: Robot, samples: Sequence[Mapping[str, float]] | None = None
) -> dict[int, Parallelogram]:
    """Return the parallelograms by loop; all possible ones if neither samples nor the position decide."""
    places, _ = frame_places(robot, Graph())
    found = {number: parallelogram_of(robot, places, loop) for number, loop in enumerate(loops_of(robot))}
    shapes = {number: shape for number, shape in found.items() if shape is not None}
    if shapes and samples is None and robot.position:
        samples = samples_of_mode(Closing(robot), robot.position, 8)
    return {number: shape for number, shape in shapes.items() if samples is None or staying(robot, shape, samples)}


def staying(robot: Robot, shape: Parallelogram, samples: Sequence[Mapping[str, float]]) -> bool:
    """Return whether the links that a parallelogram keeps parallel do not rotate relative to each other."""
    closing = Closing(robot)
    for values in samples[:3]:
        basis = closing.velocities(values)
        for relation in shape.relations:
            turning = sum(sense * basis[robot.tree_joints.index(j)] for j, sense in relation.items())
            if np.abs(turning).max(initial=0.0) > ZERO:
                return False
    return True
