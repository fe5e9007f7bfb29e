"""A chain of joints, and the pose that it must reach: C0 J1 C1 J2 ... Jn Cn = T, with Ji a screw motion along z.

A serial arm, the direct path of a closed robot, and a loop (whose pose is the identity) are all of this form. Constant
transforms hold everything else: gamma, b, fixed frames, joints that are known, the tool. They are normalised so that
the origin of axis i + 1 is the foot of its common normal with axis i (the variable change r' = r + b of guide 2.3.8,
for any fixed frames between): where axes meet, origins coincide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

import numpy as np

from robosym.algebra import Expr, Graph, symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array, Samples, evaluate_arrays
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.path import WORLD, path, world
from robosym.spatial import Transform
from robosym.spatial.numeric import screws

__all__ = [
    "ChainJoint",
    "JointChain",
    "PoseProblem",
    "Rigid",
    "chain_between",
    "closing_problem",
    "fold_joints",
    "known_at_once",
    "pose_names",
    "pose_problem",
]  # fmt: skip

Rigid = TypeVar("Rigid", Transform, Array)
_POINTS = 3  #: at which expressions are sampled
_RANGE = 0.4, 2.0  #: of what is sampled
_RUN = 4  #: so many known joints, one after the other, are taken at once


@dataclass(frozen=True, slots=True)
class ChainJoint:
    """A joint: rotation about z, or translation along z, by `sign` times its variable."""

    name: str
    prismatic: bool
    sign: int = 1

    def inverse(self) -> ChainJoint:
        return replace(self, sign=-self.sign)

    def in_symbols(self, graph: Graph) -> Transform:
        """The motion of the joint by its variable."""
        q = graph.symbol(self.name) * self.sign
        return Transform.screw_z(graph.zero, q) if self.prismatic else Transform.screw_z(q, graph.zero)

    def motion(self, q: Array) -> Array:
        """The matrices of the joint at given values: (..., 4, 4)."""
        q = self.sign * np.asarray(q, dtype=float)
        return screws(2, 0.0, q) if self.prismatic else screws(2, q, 0.0)


def fold_joints(
    joints: Sequence[ChainJoint], constants: Sequence[Rigid], motions: Mapping[int, Rigid]
) -> tuple[list[ChainJoint], list[Rigid]]:
    """Joints and constants of a chain, the joints in the places of `motions` among the constants."""
    left: list[ChainJoint] = []
    made = [constants[0]]
    for place, (joint, constant) in enumerate(zip(joints, constants[1:], strict=True)):
        if place in motions:
            made[-1] = made[-1] @ motions[place] @ constant
        else:
            left.append(joint)
            made.append(constant)
    return left, made


@dataclass(frozen=True)
class JointChain:
    """C0 J1 C1 ... Jn Cn, over one graph."""

    joints: tuple[ChainJoint, ...]
    constants: tuple[Transform, ...]
    graph: Graph
    goal: str = ""  #: which pose it reaches, in words

    @property
    def names(self) -> list[str]:
        """Of the joints, along the chain."""
        return [joint.name for joint in self.joints]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols in the constants."""
        return tuple(symbols(entry for constant in self.constants for entry in (*constant.A, *constant.P)))

    def at(self, values: Mapping[str, float | Array]) -> list[Array]:
        """The constants with numbers for their symbols: (4, 4) each."""
        entries = [entry for constant in self.constants for entry in (*constant.A, *constant.P)]
        numbers = dict(zip(entries, evaluate_arrays(entries, values), strict=True))
        return [_matrix(constant, numbers.__getitem__) for constant in self.constants]

    def sampled(self, samples: Samples) -> list[Array]:
        """The constants at the sample points: (points, 4, 4) each."""
        return [_matrix(constant, samples.array) for constant in self.constants]

    def holding(self, names: Collection[str]) -> JointChain:
        """The chain with some joints held at 0."""
        return self._with({place: Transform.identity() for place, name in enumerate(self.names) if name in names})

    def carrying(self, names: Collection[str]) -> JointChain:
        """The chain with some joints, which are known, as part of its constants."""
        known = {place: joint for place, joint in enumerate(self.joints) if joint.name in names}
        return self._with({place: joint.in_symbols(self.graph) for place, joint in known.items()})

    def _with(self, motions: Mapping[int, Transform]) -> JointChain:
        joints, constants = fold_joints(self.joints, self.constants, motions)
        written = (constant.map(lambda entry: self.graph.zero + entry) for constant in constants)
        return JointChain(tuple(joints), tuple(written), self.graph, self.goal)

    def reached(self, samples: Samples) -> Array:
        """The pose of the chain at the sample points: (points, 4, 4)."""
        T, *constants = self.sampled(samples)
        for joint, constant in zip(self.joints, constants, strict=True):
            T = T @ joint.motion(samples.symbols[joint.name]) @ constant
        return T

    def normalised(self, samples: Samples) -> JointChain:
        """The same chain with each axis' origin at the foot of its common normal with the axis before it.

        Entries that are 0 or +-1 but for rounding, or by an identity, are written so.
        """
        zero, clean = self.graph.zero, samples.simplified
        constants = [constant.map(clean) for constant in self.constants]
        for i in range(1, len(self.joints)):
            A, p = constants[i].A, constants[i].P
            x, y, z = (row.z for row in A.rows)  # the next axis seen from this one
            if samples.is_zero(x) and samples.is_zero(y):
                shift = -(p.z * z)
            else:
                shift = -(p.x * x + p.y * y) / (x * x + y * y)
            if not samples.is_zero(shift):
                constants[i] = (constants[i] @ Transform.screw_z(zero, shift)).map(clean)
                constants[i + 1] = (Transform.screw_z(zero, -shift) @ constants[i + 1]).map(clean)
        return JointChain(self.joints, tuple(constants), self.graph, self.goal)


def _matrix(T: Transform, value: Callable[[Expr], float | Array]) -> Array:
    """A transform as a matrix of numbers, of arrays of them where the entries' values are arrays."""
    entries = [[value(entry) for entry in row] for row in T.rows]
    result = np.zeros((*np.shape(entries[0][0]), 4, 4))
    for row, numbers in enumerate(entries):
        for column, number in enumerate(numbers):
            result[..., row, column] = number
    result[..., 3, 3] = 1
    return result


# -------------------------------------------------------------------------- from a robot


def chain_between(robot: Robot, i: int, j: int, tool: Callable[[Graph], Transform] | None = None) -> JointChain:
    """The path from frame i (-1: the world) to frame j, and the tool behind it, over a graph of its own."""
    graph = Graph()
    graph.expect_online(name for name in robot.variables if name is not None)
    entries = [value for _, _, value in robot.entries()]
    copies: dict[Expr, Expr] = dict(zip(entries, graph.copy(entries), strict=True))
    value = copies.__getitem__
    current = Transform.identity() if i != WORLD else world(robot, value)
    joints: list[ChainJoint] = []
    constants: list[Transform] = []
    up, down = path(robot, i, j)
    for sense, frames in ((-1, up), (1, down)):
        for k in frames:
            before, joint, behind = _frame_parts(robot, k, value, graph)
            if sense < 0:
                before, behind = behind.inverse(), before.inverse()
            if joint is None:
                current = current @ (before @ behind)
            else:
                joints.append(joint if sense > 0 else joint.inverse())
                constants.append(current @ before)
                current = behind
    if tool is not None:
        current = current @ tool(graph)
    constants.append(current)
    goal = f"{'the tool on ' if tool is not None else ''}{frame_words(robot, j)} in {frame_words(robot, i)}"
    return JointChain(
        tuple(joints), tuple(constant.map(lambda entry: graph.zero + entry) for constant in constants), graph, goal
    )


def _frame_parts(
    robot: Robot, k: int, value: Callable[[Expr], Expr], graph: Graph
) -> tuple[Transform, ChainJoint | None, Transform]:
    """Frame k (guide 1.3) as what is before the joint, the joint, and the constant motion along its axis behind it."""
    frame = robot.frame(k)
    theta, r = value(frame.theta), value(frame.r)
    gamma, b, alpha, d = (value(entry) for entry in (frame.gamma, frame.b, frame.alpha, frame.d))
    before = Transform.screw_z(gamma, b) @ Transform.screw_x(alpha, d)
    joint = None
    name = robot.variables[k - 1]
    if name is not None:
        variable = graph.symbol(name)
        if frame.joint_type.only_turns:
            theta = theta - variable
        elif frame.joint_type.only_slides:
            r = r - variable
        else:
            raise InputError(f"frame {k}: a chain is solved for joints that turn or slide, {name} does both")
        joint = ChainJoint(name, frame.joint_type.slides)
    return before, joint, Transform.screw_z(theta, r)


# -------------------------------------------------------------------------- and its pose


@dataclass(frozen=True)
class PoseProblem:
    """Joints of `chain` in `unknown` are to be found; the rest are inputs, as are the entries of the pose."""

    chain: JointChain  #: normalised
    unknown: tuple[str, ...]
    given: str  #: the columns of the pose that are given, of s, n, a, P
    target: Transform  #: the pose, in symbols
    entries: tuple[str, ...]  #: those symbols, row by row (3 x 4); none for a loop
    samples: Samples  #: values of all symbols at points where the chain reaches the pose

    @property
    def columns(self) -> str:
        """The columns that are known: two axes give the third."""
        axes = [column for column in self.given if column != "P"]
        return self.given if len(axes) < 2 else "snaP" if "P" in self.given else "sna"

    @property
    def sampled_target(self) -> Array:
        """The pose at the sample points: (points, 4, 4)."""
        return _matrix(self.target, self.samples.array)

    @property
    def known(self) -> dict[str, Expr]:
        """The joints that are inputs."""
        return {name: self.chain.graph.symbol(name) for name in self.chain.names if name not in self.unknown}


def known_at_once(problem: PoseProblem) -> PoseProblem:
    """The same problem with long runs of known joints as constants: their product is worked out once, not in every
    equation. Short runs stay, since a joint next to an unknown one may have a parallel axis."""
    runs = groupby(problem.chain.names, key=lambda name: name in problem.unknown)
    known = [names for unknown, run in runs if not unknown and len(names := list(run)) >= _RUN]
    if not known:
        return problem
    return replace(problem, chain=problem.chain.carrying({name for names in known for name in names}))


def pose_names(taken: Iterable[str], graph: Graph | None = None) -> tuple[str, ...]:
    """sx nx ax Px sy ..: the entries of the desired matrix, row by row, with underscores where a name is taken.

    A parameter of the robot takes its name even where the chain does not have it: an acceleration ax of the base.
    """
    taken = set(taken)
    names: list[str] = []
    for row in "xyz":
        for column in "snaP":
            name = column + row
            while name in taken or (graph is not None and graph.is_offline(name)):
                name += "_"
            names.append(name)
    return tuple(names)


def pose_problem(
    chain: JointChain, unknown: Iterable[str], given: str, at: Mapping[str, Array] | None = None
) -> PoseProblem:
    """The problem of a chain that must reach a desired pose; `at`: joint values of the sample points, where others
    are out of the question."""
    samples = _sampled(chain)
    samples.symbols.update({name: values for name, values in (at or {}).items() if name in samples.symbols})
    entries = pose_names(samples.symbols, chain.graph)
    chain = chain.normalised(samples)
    T = chain.reached(samples)
    target = Transform.of(*(samples.define(name, T[:, p // 4, p % 4]) for p, name in enumerate(entries)))
    return PoseProblem(chain, tuple(unknown), given, target, entries, samples)


def closing_problem(
    chain: JointChain, unknown: Iterable[str], find: Callable[[JointChain], Mapping[str, Array] | None]
) -> PoseProblem | None:
    """The problem of a loop: the pose is the identity.

    `find` gives values of all symbols at points where the loop closes, in every way it can be assembled; None where it
    finds none.
    """
    values = find(chain)
    if values is None:
        return None
    target = Transform.identity().map(chain.graph.number)
    samples = Samples(chain.graph, values)
    return PoseProblem(chain.normalised(samples), tuple(unknown), "snaP", target, (), samples)


def _sampled(chain: JointChain) -> Samples:
    """Values for the joints and parameters of a chain."""
    rng = random_arrays("poses of a chain")
    names = sorted({*chain.names, *chain.parameters})
    return Samples(chain.graph, {name: rng.uniform(*_RANGE, _POINTS) for name in names})
