"""Poses by products of Pinocchio's elementary placements, the oracle of inverse solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from oracles.pinocchio import rotation, shift
from robosym.algebra import Graph, evaluate, parse
from robosym.mechanism import DRIVE, INERTIA, WRENCH, Base, Frame, Joint, Link, Robot

Array = NDArray[np.float64]


def place(robot: Robot, values: Mapping[str, float], j: int) -> Array:
    """Frame j of any kind (cut joints and fixed frames too) in frame 0; `values` holds parameters and joints."""
    T = pin.SE3.Identity()
    while j:
        frame = robot.frame(j)
        gamma, b, alpha, d, theta, r = evaluate(
            [frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r], values
        )
        local = rotation("z", gamma) * shift("z", b) * rotation("x", alpha) * shift("x", d)
        T = local * rotation("z", theta) * shift("z", r) * T
        j = frame.ant
    return np.asarray(T.homogeneous)


def poses(robot: Robot, names: Sequence[str], q: Array, parameters: Mapping[str, float], j: int) -> Array:
    """Return frame j for configurations (m, n) of the joints `names`."""
    return np.array([place(robot, {**parameters, **dict(zip(names, row, strict=True))}, j) for row in q])


def gap(found: Array, q: Array, lengths: Sequence[bool]) -> float:
    """Return the distance of a configuration to the nearest solution; angles are compared on the circle."""
    if not len(found):
        return np.inf
    apart = np.where(lengths, found - q, 2 * np.sin((np.asarray(found) - q) / 2))
    return float(np.abs(apart).max(axis=1).min())


def build(name: str, rows: Sequence[Mapping[str, object]], loops: int = 0) -> Robot:
    """A robot from its table; rows without `ant` follow each other, the last `loops` rows close the loops."""
    graph = Graph()

    def entry(value: object) -> object:
        return parse(value if isinstance(value, str) else repr(value), graph)

    frames = tuple(
        Frame(
            int(row.get("ant", j - 1)), int(row.get("sigma", 0)), int(row.get("mu", 1)),
            *(entry(row.get(key, 0)) for key in ("gamma", "b", "alpha", "d", "theta", "r")),
        )
        for j, row in enumerate(rows, 1)
    )  # fmt: skip
    zero = graph.zero
    count = len(rows) - 2 * loops
    link = Link(*(zero for _ in (*INERTIA, *DRIVE, *WRENCH)))
    joint = Joint(zero, zero, zero, 0, zero)
    three = (zero, zero, zero)
    Z = tuple(graph.number(int(place % 5 == 0)) for place in range(16))
    base = Base("fixed", Z, three, three, three, three, None)
    return Robot(name, frames, (link,) * count, (joint,) * (count + loops), base, three, graph)
