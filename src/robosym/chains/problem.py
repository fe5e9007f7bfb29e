"""The problem that every method solves: a chain that must reach a pose, with values of its symbols at sample points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.samples import Array, Samples
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.mechanism import Mechanism, identity, motion, normalised, values_of
from robosym.spatial import Mat3, Transform, Vec3

__all__ = ["COUNT", "Problem", "parameters_of", "pose_names", "pose_problem"]

COUNT = 3  #: sample points


@dataclass(frozen=True)
class Problem:
    """Joints of `chain` in `unknown` are to be found; the rest are inputs, as are the entries of the pose."""

    chain: Mechanism  #: normalised
    unknown: tuple[str, ...]
    given: str
    closure: MatrixEquations
    samples: Samples
    entries: tuple[str, ...]  #: symbols of the pose, row by row (3 x 4); none for a loop


def parameters_of(chain: Mechanism) -> tuple[str, ...]:
    """The symbols in the constants of a chain."""
    return tuple(symbols(entry for constant in chain.constants for entry in (*constant.A, *constant.P)))


def pose_names(taken: Iterable[str]) -> tuple[str, ...]:
    """sx nx ax Px sy ..: the entries of the desired matrix, row by row, with underscores where a name is taken."""
    taken = set(taken)
    names: list[str] = []
    for row in "xyz":
        for column in "snaP":
            name = column + row
            while name in taken:
                name += "_"
            names.append(name)
    return tuple(names)


def pose_problem(
    chain: Mechanism,
    unknown: Iterable[str],
    given: str,
    find: Callable[[Mechanism, Samples], bool] | None = None,
) -> Problem | None:
    """The problem of a chain and a pose; with `find`, of a loop: the pose is the identity.

    `find` moves the sampled values of the unknown joints to where the loop closes, and says whether it could.
    """
    graph = chain.graph
    rng = np.random.default_rng(20)
    joints = [joint.name for joint in chain.joints]
    names = sorted({*joints, *parameters_of(chain)})
    samples = Samples(graph, {name: rng.uniform(0.4, 2.0, COUNT) for name in names})
    if find is not None and not find(chain, samples):
        return None
    chain = normalised(chain, samples)
    target, entries = identity(graph), tuple[str, ...]()
    if find is None:
        entries = pose_names(names)
        T = sampled_pose(chain, samples)
        symbol = [samples.define(name, T[:, place // 4, place % 4]) for place, name in enumerate(entries)]
        target = Transform(Mat3.of(*symbol[0:3], *symbol[4:7], *symbol[8:11]), Vec3(symbol[3], symbol[7], symbol[11]))
    unknown = tuple(unknown)
    return Problem(chain, unknown, given, MatrixEquations(chain, samples, target, given, unknown), samples, entries)


def sampled_pose(chain: Mechanism, samples: Samples) -> Array:
    """The pose of the chain at each sample point."""

    def numbers(T: Transform) -> Array:
        return values_of(T, lambda entries: [samples.value(entry) for entry in entries], COUNT)

    T = numbers(chain.constants[0])
    for joint, constant in zip(chain.joints, chain.constants[1:], strict=True):
        T = T @ motion(joint, samples.symbols[joint.name]) @ numbers(constant)
    return T
