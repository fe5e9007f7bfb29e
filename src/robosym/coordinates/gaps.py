"""Numerical gaps between the two sides of each cut, and their derivatives with respect to the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import ranks
from robosym.algebra.tolerances import TIGHTLY
from robosym.coordinates.loops import Parallelogram, loops_of
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.numeric_tree import NumericTree
from robosym.mechanism.path import Poses
from robosym.model import Workspace
from robosym.spatial.numeric import axis_twists, rotation_vector

__all__ = ["Gaps", "Geometry", "Slopes", "unit"]


@dataclass(frozen=True)
class Geometry:
    """Geometry of the robot in numbers, with joint variables at zero."""

    frames: Array  #: gamma, b, alpha, d, theta, r of every frame: (6, frames)
    sides: Array  #: along and across both links of each pair of a parallelogram: (pairs, 2, 2, 3)


class Gaps(NumericTree):
    """The gaps of all loops as functions of the tree's and the cut joints, for many positions at once.

    The links that a parallelogram keeps parallel count too: the angles between them are gaps, so that it does not
    fold over.
    """

    def __init__(self, robot: Robot, parallelograms: Sequence[Parallelogram] = ()) -> None:
        self.loops = loops_of(robot)
        cut = (loop.cut for loop in self.loops if robot.frame(loop.cut).is_joint)
        super().__init__(robot, (*robot.tree_joints, *cut))
        self._cut, self._fixed = np.array(robot.loops, dtype=int).reshape(-1, 2).T
        self._moves = _moves(robot, self.joints)
        pairs = [pair for shape in parallelograms for pair in shape.pairs]
        self._links = np.array([[side.link for side in pair] for pair in pairs], dtype=int).reshape(-1, 2).T
        relations = [relation for shape in parallelograms for relation in shape.relations]
        turning = [[relation.get(j, 0) for j in self.joints] for relation in relations]
        self._turning = np.array(turning, dtype=float).reshape(-1, len(self.joints))
        couplings = robot.couplings if self.loops else {}  # couplings are closed together with loops only
        self._ratios = np.array(
            [[float(n == name) - c.ratios.get(n, 0.0) for n in self.names] for name, c in couplings.items()]
        ).reshape(-1, len(self.joints))
        self._offsets = np.array([coupling.offset for coupling in couplings.values()])
        sides = [entry for pair in pairs for side in pair for row in side.basis.T.rows[:2] for entry in row]
        with Workspace(robot, ("q", "q_cut", "parameters")) as work:
            graph, poses = work.graph, Poses(robot, work.value)
            self._sides = [graph.copy([e])[0] if isinstance(e, Expr) else graph.number(e) for e in sides]
            closures = [poses(loop.fixed, loop.cut) for loop in self.loops]
            needed = set(symbols([*(graph.zero + e for T in closures for e in (*T.P, *T.A)), *self._sides]))
            self.parameters = work.inputs.get("parameters", ())
            #: those of the parameters on which the loops depend
            self.lengths = tuple(name for name in self.parameters if name in needed)
            #: values of parameters without effect on the loops, which need not be given
            geometry = (getattr(frame, name) for name in GEOMETRY for frame in robot.frames)
            self._any = {name: 1.0 for name in symbols(geometry) if name not in needed}

    def geometry(self, values: Mapping[str, float]) -> Geometry:
        """Return the parameters among the values."""
        return Geometry(
            self.at_zero(self._any | dict(values)), np.array(evaluate(self._sides, values)).reshape(-1, 2, 2, 3)
        )

    def cut_positions(self, geometry: Geometry, q: Array) -> Array:
        """Return q with the cut joints that bring the two sides of each cut closest together: (m, joints)."""
        found = q.copy()
        cuts = [column for column, joint in enumerate(self.joints) if joint in self._cut]
        found[:, cuts] = 0.0
        poses = self.poses(geometry.frames, found)
        for column in cuts:
            place = self._cut.tolist().index(self.joints[column])
            across = np.linalg.inv(poses[:, self._cut[place]]) @ poses[:, self._fixed[place]]
            slides, turns = self.linear[column], self.angular[column]
            turn = np.arctan2(across[:, 1, 0] - across[:, 0, 1], across[:, 0, 0] + across[:, 1, 1])
            found[:, column] = across[:, 2, 3] / slides if slides else turn / turns
        return found

    def linearized(self, geometry: Geometry, q: Array) -> tuple[Array, Array]:
        """Return the gap of every loop (position, rotation vector) and its derivative, in the fixed frames.

        Further rows are, for each parallelogram, the angles between its opposite links, and the error of each
        coupling. Shapes: (m, gaps), (m, gaps, joints).
        """
        poses = self.poses(geometry.frames, q)
        gap, slope = self._of_loops(poses)
        gaps, slopes = [gap], [slope]
        if len(self._turning):
            gaps.append(self._angles(geometry, poses))
            slopes.append(np.broadcast_to(self._turning, (len(q), *self._turning.shape)))
        if len(self._ratios):
            gaps.append(q @ self._ratios.T - self._offsets)
            slopes.append(np.broadcast_to(self._ratios, (len(q), *self._ratios.shape)))
        return np.concatenate(gaps, axis=1), np.concatenate(slopes, axis=1)

    def _of_loops(self, poses: Array) -> tuple[Array, Array]:
        A, P, z = poses[..., :3, :3], poses[..., :3, 3], poses[..., :3, 2]
        cut, fixed = self._cut, self._fixed
        shift = _seen_from(A[:, fixed], P[:, cut] - P[:, fixed])
        turn = _turn(np.swapaxes(A[:, fixed], -1, -2) @ A[:, cut])
        gap = np.concatenate([shift, turn], axis=-1)
        number, joint, column, sense = self._moves
        arms = P[:, cut[number]] - P[:, joint]
        twists = axis_twists(z[:, joint], arms, self.angular[column], self.linear[column])
        rates = (twists.reshape(*twists.shape[:-1], 2, 3) @ A[:, fixed[number]]).reshape(twists.shape)
        slope = np.zeros((len(poses), len(self.loops), 6, len(self.joints)), dtype=poses.dtype)
        slope[:, number, :, column] = np.swapaxes(sense[:, None] * rates, 0, 1)
        return gap.reshape(len(poses), -1), slope.reshape(len(poses), -1, len(self.joints))

    def data(self, geometry: Geometry) -> dict[str, list[Any]]:
        """Return loops and parallelograms as plain lists.

        `moves` are loop, frame of the joint, joint and sign; `sides` are link and direction along one side of a pair
        of links, then link, direction along and across the other; `turning` are their rates by joint.
        """
        sides = [
            [int(one), along.tolist(), int(other), parallel.tolist(), across.tolist()]
            for one, other, ((along, _), (parallel, across)) in zip(*self._links, geometry.sides, strict=True)
        ]
        return {
            "loops": [[int(cut), int(fixed)] for cut, fixed in zip(self._cut, self._fixed, strict=True)],
            "moves": self._moves.T.tolist(),
            "sides": sides,
            "turning": self._turning.tolist(),
        }

    def _angles(self, geometry: Geometry, poses: Array) -> Array:
        """Return the angles between the links of each pair that a parallelogram keeps parallel."""
        one, other = (poses[:, links, :3, :3] for links in self._links)
        sides = geometry.sides
        along, parallel, across = (
            np.einsum("mpij,pj->mpi", A, side)
            for A, side in ((one, sides[:, 0, 0]), (other, sides[:, 1, 0]), (other, sides[:, 1, 1]))
        )
        return np.asarray(np.arctan2((along * across).sum(axis=-1), (along * parallel).sum(axis=-1)))


def _moves(robot: Robot, joints: Sequence[int]) -> Array:
    """Return the effect of each joint on each loop: loop, joint, column, and sign at the cut."""
    found = [
        (number, j, joints.index(j), -1 if j in loop.far else 1)
        for number, loop in enumerate(loops_of(robot))
        for j in loop.round
        if j in joints
    ]
    return np.array(found, dtype=int).reshape(-1, 4).T


def _turn(A: Array) -> Array:
    """Return the rotation vector; for complex matrices its sine, which is analytic with the same derivative at 0."""
    if not np.iscomplexobj(A):
        return rotation_vector(A)
    sines = [A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]]
    return np.stack(sines, axis=-1) / 2


def _seen_from(A: Array, vectors: Array) -> Array:
    """Return vectors of frame 0 in frames with orientations A."""
    return np.asarray(np.einsum("...i,...ij->...j", vectors, A))


@dataclass
class Slopes:
    """The singular value decomposition of the slopes (m, gaps, joints), over real or complex numbers."""

    left: Array
    singular: Array
    rows: Array

    @classmethod
    def of(cls, slope: Array) -> Slopes:
        return cls(*np.linalg.svd(slope))

    @property
    def shares(self) -> Array:
        """Singular values relative to the largest."""
        return np.asarray(self.singular / np.maximum(self.singular[:, :1], TIGHTLY))

    def ranks(self) -> Array:
        return ranks(self.singular)

    def solved(self, gap: Array, rank: Array) -> Array:
        """Return the smallest joint step that cancels a gap, from the first singular values (a Newton step)."""
        known = np.arange(self.singular.shape[1]) < rank[:, None]
        share = np.einsum("mji,mj->mi", self.left.conj()[..., : known.shape[1]], gap)
        share = np.where(known, share / np.maximum(self.singular, TIGHTLY), 0.0)
        return np.asarray(np.einsum("mij,mi->mj", self.rows.conj()[:, : known.shape[1]], share))

    def allowed(self, lead: Array, rank: Array) -> Array:
        """Return the part of a direction that the loops allow."""
        share = np.einsum("mij,mj->mi", self.rows, lead)
        share[np.arange(share.shape[1]) < rank[:, None]] = 0.0
        return np.asarray(np.einsum("mij,mi->mj", self.rows.conj(), share))

    def around(self, rank: Array) -> tuple[Array, Array]:
        """Return the singular values around the rank (last counted, first not counted), relative to the largest."""
        padded = np.pad(self.shares, ((0, 0), (1, 1)))
        padded[:, 0] = 1.0
        least, next_one = (np.take_along_axis(padded, rank[:, None] + k, axis=1)[:, 0] for k in (0, 1))
        return least, next_one

    def regularity(self, rank: Array, motors: Sequence[int]) -> Array:
        """Return the smallest relative regularity of the loops, or of the motions that these joints observe."""
        regular = self.around(rank)[0]
        for r in set(rank.tolist()):
            if 0 < len(motors) <= self.rows.shape[2] - r:
                same = rank == r
                seen = np.linalg.svd(self.rows[same][:, r:, motors], compute_uv=False)[:, -1]
                regular[same] = np.minimum(regular[same], seen)
        return regular

    def take(self, others: Slopes, where: Array) -> None:
        for own, other in ((self.left, others.left), (self.singular, others.singular), (self.rows, others.rows)):
            own[where] = other[where]


def unit(directions: Array) -> Array:
    """Return directions scaled to a largest entry of one."""
    return np.asarray(directions / np.maximum(np.abs(directions).max(axis=1, keepdims=True), TIGHTLY))
