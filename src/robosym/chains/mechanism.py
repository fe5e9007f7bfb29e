"""A chain of joints that must reach a pose: C0 J1 C1 J2 ... Jn Cn = T, with Ji a screw motion along z.

A serial arm, the direct path of a closed robot, and a loop (whose pose is the identity) are all of this form. Constant
transforms hold everything else: gamma, b, fixed frames, joints that are known, the tool. They are normalised so that
the origin of axis i + 1 is the foot of its common normal with axis i (the variable change r' = r + b of guide 2.3.8,
for any fixed frames between): where axes meet, origins coincide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import Expr, Graph
from robosym.algebra.samples import Array, Samples
from robosym.description import Robot
from robosym.geometry.compose import product, world
from robosym.geometry.path import WORLD, path
from robosym.spatial import Mat3, Transform, Vec3, cos, sin
from robosym.spatial.numeric import screws
from robosym.tree.frame import frame_transform

__all__ = [
    "ChainJoint",
    "Mechanism",
    "frozen",
    "identity",
    "inverse",
    "mechanism",
    "motion",
    "normalised",
    "terminal_frame",
    "values_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChainJoint:
    """A joint: rotation about z, or translation along z, by `sign` times its variable."""

    name: str
    prismatic: bool
    sign: int = 1


@dataclass(frozen=True)
class Mechanism:
    """C0 J1 C1 ... Jn Cn, over one graph."""

    joints: tuple[ChainJoint, ...]
    constants: tuple[Transform, ...]
    graph: Graph


def identity(graph: Graph) -> Transform:
    return rotation_z(graph.one, graph.zero)


def rotation_z(c: Any, s: Any) -> Transform:
    return Transform(Mat3.of(c, -s, 0 * c, s, c, 0 * c, 0 * c, 0 * c, 1 + 0 * c), Vec3(0 * c, 0 * c, 0 * c))


def inverse(T: Transform) -> Transform:
    return Transform(T.A.T, -(T.A.T @ T.P))


def translation(v: Vec3, graph: Graph) -> Transform:
    return Transform(identity(graph).A, v)


def terminal_frame(robot: Robot) -> int | None:
    """The last frame of a simple robot; else the one leaf of the tree that no loop hangs on, None if not one."""
    if robot.structure == "simple":
        return robot.NF
    inner = {frame.ant for frame in robot.frames}
    leaves = [j for j in range(1, robot.NL + 1) if j not in inner]
    return leaves[0] if len(leaves) == 1 else None


def mechanism(robot: Robot, i: int, j: int, graph: Graph, tool: Transform | None = None) -> Mechanism:
    """The path from frame i (-1: the world) to frame j, and the tool behind it."""
    graph.expect_online(name for name in robot.variables if name is not None)
    entries = [value for _, _, value in robot.entries()]
    copies: dict[Expr, Expr] = dict(zip(entries, graph.copy(entries), strict=True))
    value = copies.__getitem__
    current = identity(graph) if i != WORLD else world(robot, value)
    joints: list[ChainJoint] = []
    constants: list[Transform] = []
    up, down = path(robot, max(i, 0), j)
    for sense, frames in ((-1, up), (1, down)):
        for k in frames:
            before, screw, after = _frame_parts(robot, k, value, graph)
            if screw is None:
                constant = product(before, after)
                current = product(current, constant if sense > 0 else inverse(constant))
                continue
            first, last = (before, after) if sense > 0 else (inverse(after), inverse(before))
            joints.append(ChainJoint(screw.name, screw.prismatic, sense))
            constants.append(product(current, first))
            current = last
    if tool is not None:
        current = product(current, tool)
    return Mechanism(tuple(joints), (*constants, current), graph)


def frozen(chain: Mechanism, names: Sequence[str]) -> Mechanism:
    """The chain with some joints held at 0."""
    joints: list[ChainJoint] = []
    constants = [chain.constants[0]]
    for joint, constant in zip(chain.joints, chain.constants[1:], strict=True):
        if joint.name in names:
            constants[-1] = product(constants[-1], constant)
        else:
            joints.append(joint)
            constants.append(constant)
    return Mechanism(tuple(joints), tuple(constants), chain.graph)


def _frame_parts(
    robot: Robot, k: int, value: Callable[[Expr], Expr], graph: Graph
) -> tuple[Transform, ChainJoint | None, Transform]:
    """Frame k as what is before the joint, the joint, and the constant motion along the same axis behind it."""
    frame = robot.frame(k)
    theta, r = value(frame.theta), value(frame.r)
    zero = graph.zero
    still = replace(frame, theta=zero, r=zero)
    before = frame_transform(still, lambda entry: zero if entry is zero else value(entry), k)
    screw = None
    name = robot.variables[k - 1]
    if name is not None:
        variable = graph.symbol(name)
        if frame.joint_type.turns:
            theta = theta - variable
        else:
            r = r - variable
        screw = ChainJoint(name, not frame.joint_type.turns)
    behind = product(rotation_z(cos(theta), sin(theta)), translation(Vec3(zero, zero, r), graph))
    return before, screw, behind


def normalised(chain: Mechanism, samples: Samples) -> Mechanism:
    """The same chain with each axis' origin at the foot of its common normal with the axis before it."""
    graph = chain.graph
    constants = [_clean(constant, samples) for constant in chain.constants]
    for i in range(1, len(chain.joints)):
        A, p = constants[i].A, constants[i].P
        x, y, z = (row.z for row in A.rows)  # the next axis seen from this one
        if samples.is_zero(x) and samples.is_zero(y):
            shift = -(p.z * z)
        else:
            shift = -(p.x * x + p.y * y) / (x * x + y * y)
        if samples.is_zero(shift):
            continue
        along = Vec3(graph.zero, graph.zero, shift)
        constants[i] = _clean(product(constants[i], translation(along, graph)), samples)
        constants[i + 1] = _clean(product(translation(-along, graph), constants[i + 1]), samples)
    return Mechanism(chain.joints, tuple(constants), graph)


def _clean(T: Transform, samples: Samples) -> Transform:
    """Entries that are 0 or +-1 but for rounding, or by an identity, written so."""
    return Transform(
        Mat3.of(*(samples.simplified(entry) for entry in T.A)), Vec3(*(samples.simplified(entry) for entry in T.P))
    )


def values_of(T: Transform, evaluate: Callable[[Sequence[Expr]], Sequence[Any]], count: int | None) -> Array:
    """A transform as numbers: (4, 4), or (count, 4, 4) where symbols have `count` values."""
    rows = [(*row, p) for row, p in zip(T.A.rows, T.P, strict=True)]
    flat = evaluate([entry for row in rows for entry in row])
    result = np.zeros((*(() if count is None else (count,)), 4, 4))
    for place, entry in enumerate(flat):
        result[..., place // 4, place % 4] = entry
    result[..., 3, 3] = 1
    return result


def motion(joint: ChainJoint, q: Array) -> Array:
    """The matrices of a joint at given values: (..., 4, 4)."""
    q = joint.sign * np.asarray(q, dtype=float)
    return screws(2, 0.0, q) if joint.prismatic else screws(2, q, 0.0)
