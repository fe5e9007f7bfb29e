"""A chain of joints, and the pose that it must reach: C0 J1 C1 J2 ... Jn Cn = T, with Ji a screw motion along z.

A serial arm, the direct path of a closed robot, and a loop (whose pose is the identity) are all of this form. Constant
transforms contain everything else: gamma, b, fixed frames, known joints, the tool. They are normalized so that
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
    "conditions_of",
    "fold_joints",
    "known_at_once",
    "pose_names",
    "pose_problem",
]  # fmt: skip

Rigid = TypeVar("Rigid", Transform, Array)
_POINTS = 3  #: number of points at which expressions are sampled
_RANGE = 0.4, 2.0  #: range of the sampled values
_FAR = 1e3  #: in units of the robot's length: axes with a common normal farther away count as parallel
_RUN = 4  #: this many known joints in a row are replaced by their product


@dataclass(frozen=True, slots=True)
class ChainJoint:
    """A joint: rotation about z, or translation along z, by `sign` times its variable."""

    name: str
    prismatic: bool
    sign: int = 1

    def inverse(self) -> ChainJoint:
        return replace(self, sign=-self.sign)

    def in_symbols(self, graph: Graph) -> Transform:
        """Return the motion of the joint as a function of its variable."""
        q = graph.symbol(self.name) * self.sign
        return Transform.screw_z(graph.zero, q) if self.prismatic else Transform.screw_z(q, graph.zero)

    def motion(self, q: Array) -> Array:
        """Return the matrices of the joint at given values, shape (..., 4, 4)."""
        q = self.sign * np.asarray(q, dtype=float)
        return screws(2, 0.0, q) if self.prismatic else screws(2, q, 0.0)


def fold_joints(
    joints: Sequence[ChainJoint], constants: Sequence[Rigid], motions: Mapping[int, Rigid]
) -> tuple[list[ChainJoint], list[Rigid]]:
    """Return joints and constants of a chain in which the joints in `motions` are part of the constants."""
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
    goal: str = ""  #: name of the pose that it reaches

    @property
    def names(self) -> list[str]:
        """The names of the joints along the chain."""
        return [joint.name for joint in self.joints]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols in the constants."""
        return tuple(symbols(entry for constant in self.constants for entry in (*constant.A, *constant.P)))

    def at(self, values: Mapping[str, float | Array]) -> list[Array]:
        """Return the constants with numbers for their symbols, each of shape (4, 4)."""
        entries = [entry for constant in self.constants for entry in (*constant.A, *constant.P)]
        numbers = dict(zip(entries, evaluate_arrays(entries, values), strict=True))
        return [_matrix(constant, numbers.__getitem__) for constant in self.constants]

    def sampled(self, samples: Samples) -> list[Array]:
        """Return the constants at the sample points, each of shape (points, 4, 4)."""
        return [_matrix(constant, samples.array) for constant in self.constants]

    def holding(self, names: Collection[str]) -> JointChain:
        """Return the chain with some joints fixed at 0."""
        return self._with({place: Transform.identity() for place, name in enumerate(self.names) if name in names})

    def carrying(self, names: Collection[str]) -> JointChain:
        """Return the chain with some known joints merged into its constants."""
        known = {place: joint for place, joint in enumerate(self.joints) if joint.name in names}
        return self._with({place: joint.in_symbols(self.graph) for place, joint in known.items()})

    def _with(self, motions: Mapping[int, Transform]) -> JointChain:
        joints, constants = fold_joints(self.joints, self.constants, motions)
        written = (constant.map(lambda entry: self.graph.zero + entry) for constant in constants)
        return JointChain(tuple(joints), tuple(written), self.graph, self.goal)

    def reached(self, samples: Samples) -> Array:
        """Return the pose of the chain at the sample points, shape (points, 4, 4)."""
        T, *constants = self.sampled(samples)
        for joint, constant in zip(self.joints, constants, strict=True):
            T = T @ joint.motion(samples.symbols[joint.name]) @ constant
        return T

    def normalized(self, samples: Samples) -> JointChain:
        """Return the chain with the origin of each axis at the common normal with the preceding axis.

        Entries that equal 0 or +-1 up to rounding, or by an identity, are replaced by these numbers. If axes are so
        nearly parallel that their common normal is far outside the robot, the origin is chosen as for parallel axes,
        because lengths of 1e6 m would leave too few digits for the others.
        """
        zero, clean = self.graph.zero, samples.simplified
        constants = [constant.map(clean) for constant in self.constants]
        far = _FAR * sum(np.linalg.norm([samples.array(entry) for entry in T.P], axis=0) for T in constants)
        for i in range(1, len(self.joints)):
            A, p = constants[i].A, constants[i].P
            x, y, z = (row.z for row in A.rows)  # the next axis seen from this one
            if samples.is_zero(x) and samples.is_zero(y):
                shift = -(p.z * z)
            else:
                shift = -(p.x * x + p.y * y) / (x * x + y * y)
                if np.any(np.abs(samples.array(shift)) > far):
                    shift = -(p.z * z)
            if not samples.is_zero(shift):
                constants[i] = (constants[i] @ Transform.screw_z(zero, shift)).map(clean)
                constants[i + 1] = (Transform.screw_z(zero, -shift) @ constants[i + 1]).map(clean)
        return JointChain(self.joints, tuple(constants), self.graph, self.goal)


def _matrix(T: Transform, value: Callable[[Expr], float | Array]) -> Array:
    """Return a transform as a numeric matrix, or as an array of matrices if its entries are arrays."""
    entries = [[value(entry) for entry in row] for row in T.rows]
    result = np.zeros((*np.shape(entries[0][0]), 4, 4))
    for row, numbers in enumerate(entries):
        for column, number in enumerate(numbers):
            result[..., row, column] = number
    result[..., 3, 3] = 1
    return result


# -------------------------------------------------------------------------- from a robot


def chain_between(robot: Robot, i: int, j: int, tool: Callable[[Graph], Transform] | None = None) -> JointChain:
    """Return the path from frame i (-1: the world) to frame j, with the tool, over a graph of its own."""
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
    """Split frame k (guide 1.3): constant transform before the joint, joint, constant motion along its axis."""
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
            raise InputError(f"frame {k}: chains support revolute and prismatic joints only, {name} is helical")
        joint = ChainJoint(name, frame.joint_type.slides)
    return before, joint, Transform.screw_z(theta, r)


# -------------------------------------------------------------------------- and its pose


@dataclass(frozen=True)
class PoseProblem:
    """The problem of finding the joints `unknown` of `chain`; the other joints and the pose are inputs."""

    chain: JointChain  #: normalized
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
    def conditions(self) -> int:
        """The number of independent conditions of the given columns."""
        return conditions_of(self.given)

    @property
    def sampled_target(self) -> Array:
        """The pose at the sample points: (points, 4, 4)."""
        return _matrix(self.target, self.samples.array)

    @property
    def known(self) -> dict[str, Expr]:
        """The joints that are inputs."""
        return {name: self.chain.graph.symbol(name) for name in self.chain.names if name not in self.unknown}


def conditions_of(given: str) -> int:
    """Return the number of independent conditions of some columns of a pose."""
    axes = sum(column != "P" for column in given)
    return 3 * ("P" in given) + (0, 2, 3, 3)[axes]


def known_at_once(problem: PoseProblem) -> PoseProblem:
    """Replace long sequences of known joints by their products, so that no equation repeats them.

    Short sequences are unchanged: a joint next to an unknown one may have a parallel axis.
    """
    runs = groupby(problem.chain.names, key=lambda name: name in problem.unknown)
    known = [names for unknown, run in runs if not unknown and len(names := list(run)) >= _RUN]
    if not known:
        return problem
    return replace(problem, chain=problem.chain.carrying({name for names in known for name in names}))


def pose_names(taken: Iterable[str], graph: Graph | None = None) -> tuple[str, ...]:
    """Return the names of the entries of the desired matrix, by rows: sx nx ax Px sy .. .

    Underscores are appended to names that are already used, also those of parameters that the chain does not contain,
    such as an acceleration ax of the base.
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
    """Return the problem of a chain that must reach a desired pose.

    `at` contains joint values for the sample points if arbitrary values are not allowed.
    """
    samples = _sampled(chain)
    samples.symbols.update({name: values for name, values in (at or {}).items() if name in samples.symbols})
    entries = pose_names(samples.symbols, chain.graph)
    chain = chain.normalized(samples)
    T = chain.reached(samples)
    target = Transform.of(*(samples.define(name, T[:, p // 4, p % 4]) for p, name in enumerate(entries)))
    return PoseProblem(chain, tuple(unknown), given, target, entries, samples)


def closing_problem(
    chain: JointChain, unknown: Iterable[str], find: Callable[[JointChain], Mapping[str, Array] | None]
) -> PoseProblem | None:
    """Return the problem of a loop: the pose is the identity.

    `find` returns values of all symbols at points where the loop closes, in all its assembly modes, or None if it
    finds none.
    """
    values = find(chain)
    if values is None:
        return None
    target = Transform.identity().map(chain.graph.number)
    samples = Samples(chain.graph, values)
    return PoseProblem(chain.normalized(samples), tuple(unknown), "snaP", target, (), samples)


def _sampled(chain: JointChain) -> Samples:
    """Return values for the joints and parameters of a chain."""
    rng = random_arrays("poses of a chain")
    names = sorted({*chain.names, *chain.parameters})
    return Samples(chain.graph, {name: rng.uniform(*_RANGE, _POINTS) for name in names})
