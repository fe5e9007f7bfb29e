"""The velocity and acceleration constraints of the loops (guide 2.6 and 2.7), for kinematics and for dynamics.

    system = LoopSystem(robot)                    # which joints and which rows: found once, in numbers
    equations = system.equations(poses)           # [Wa Wp 0; Wac Wpc Wc] [q'a; q'p; q'c] = 0, over expressions
    W = equations.solution()                      # q'p = W q'a
    psi, phi = system.drift(poses, value, rate)   # ... q'' + [Psi; Phi] = 0, with rate(j) the velocity of tree joint j
    b = equations.passive_drift(psi)              # q''p = W q''a + b

`poses` is a `Poses` over a workspace's `value`. No quantity here depends on the variables or rates of the cut joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, Graph, evaluate
from robosym.algebra.count import count
from robosym.algebra.generic import RANK, ZERO
from robosym.algebra.linear.solve import Sizes, sizes_at, solve
from robosym.description import Robot
from robosym.errors import InputError
from robosym.geometry.path import path
from robosym.geometry.poses import Poses
from robosym.loops.closing import Closing
from robosym.loops.cut import cut_of
from robosym.loops.parallelogram import parallelogram_of
from robosym.model import Note, Workspace, no_name
from robosym.spatial import Vec3
from robosym.tree.motion import AT_REST, acceleration_pass, hinges, products, u_matrix, velocity_pass
from robosym.tree.zero import frame_places

__all__ = ["ConstraintEquations", "LoopSystem", "Row"]

Array = NDArray[np.float64]
_SAMPLES = 3


@dataclass(frozen=True)
class Row:
    """One equation of a loop: along a direction of its cut, or a relation between rates that always holds."""

    loop: int  #: its place among the loops
    field: str  #: of `Cut`: "linear", "angular", "free_linear" or "free_angular"; "" for a relation
    place: int
    relation: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ConstraintEquations:
    """[Wa Wp 0; Wac Wpc Wc] of equation 2.36."""

    Wa: list[list[Expr]]
    Wp: list[list[Expr]]
    Wac: list[list[Expr]]
    Wpc: list[list[Expr]]
    Wc: list[list[Expr]]
    sizes: Sizes  #: of entries in a closed position of no particularity

    def solution(self) -> list[list[Expr]]:
        """W of q'p = W q'a, a row for each passive joint (2.39)."""
        return solve(self.Wp, [[-entry for entry in row] for row in self.Wa], self.sizes)

    def cut_solution(self, W: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """The rates of the cut joints: q'c = Wcut q'a."""
        right = [
            [-_sum(a, zip(p, column, strict=True)) for a, column in zip(active, _columns(W, len(active)), strict=True)]
            for active, p in zip(self.Wac, self.Wpc, strict=True)
        ]
        return solve(self.Wc, right, self.sizes) if self.Wc else []

    def passive_drift(self, psi: Sequence[Expr]) -> list[Expr]:
        """b of q''p = W q''a + b."""
        return [row[0] for row in solve(self.Wp, [[-entry] for entry in psi], self.sizes)]


def _columns(rows: Sequence[Sequence[Expr]], width: int) -> list[list[Expr]]:
    return [[row[c] for row in rows] for c in range(width)]


def _sum(first: Expr, products: Any) -> Expr:
    for a, b in products:
        first = first + a * b
    return first


class LoopSystem:
    """Which joints are active, passive and cut, and which rows of the loops' equations are independent."""

    def __init__(self, robot: Robot, parallelograms: bool = True) -> None:
        """`parallelograms` off leaves them to the general equations, for those that are assembled crossed."""
        if not robot.loops:
            raise InputError(f"{robot.name} has no loop")
        self.robot = robot
        self.closure = Closing(robot)
        self.loops = self.closure.loops
        self.samples = list(self.closure.samples(_SAMPLES))
        if not self.samples:
            raise InputError(f"{robot.name}: no position was found in which its loops close")
        with Workspace(robot, ("q", "parameters")) as work:
            poses = Poses(robot, work.value)
            cuts = [cut_of(robot, loop, poses) for loop in self.loops]
            self.cut = tuple(joint for cut in cuts for joint in cut.joints)
            self.active = tuple(j for j in robot.tree_joints if robot.frame(j).mu)
            self.passive = tuple(j for j in robot.tree_joints if not robot.frame(j).mu and j not in self.cut)
            if not self.active:
                driven = [str(k) for k, _ in robot.loops if robot.frame(k).mu]
                remark = f": a cut joint ({', '.join(driven)}) cannot be active, cut its loop elsewhere"
                raise InputError(f"{robot.name} has no active joint{remark if driven else ''}")
            candidates = self._candidates(cuts, parallelograms)
            self.rows = self._independent(candidates, poses, work.graph)
        self.cut_rows = [
            Row(number, field, place)
            for number, cut in enumerate(cuts)
            for field in ("free_linear", "free_angular")
            for place in range(len(getattr(cut, field)))
        ]

    def _candidates(self, cuts: Sequence[Any], parallelograms: bool) -> list[Row]:
        rows: list[Row] = []
        places, _ = frame_places(self.robot, Graph())
        for number, (loop, cut) in enumerate(zip(self.loops, cuts, strict=True)):
            shape = parallelogram_of(self.robot, places, loop) if parallelograms else None
            if shape is not None and cut.joints == (loop.cut,):
                rows += [Row(number, "", 0, tuple(relation.items())) for relation in shape.relations]
                continue
            rows += [Row(number, f, place) for f in ("linear", "angular") for place in range(len(getattr(cut, f)))]
        return rows

    # ------------------------------------------------------------------ choice of rows

    def _independent(self, candidates: Sequence[Row], poses: Poses, graph: Graph) -> list[Row]:
        """As many rows as there are passive joints, independent where the loops are closed, the simplest ones."""
        entries = self._entries(candidates, poses, graph)
        kept = [k for k, row in enumerate(entries) if any(not e.is_zero for e in row.values())]
        joints = (*self.active, *self.passive)
        flat = [entries[k].get(j, graph.zero) for k in kept for j in joints]
        n, p = len(self.active), len(self.passive)
        order = sorted(range(len(kept)), key=lambda k: (count(entries[kept[k]].values()).total, k))
        tables = [np.array(evaluate(flat, values)).reshape(len(kept), n + p) for values in self.samples]
        ranks = [(_rank(table[:, n:]), _rank(table), _regularity(table[:, n:])) for table in tables]
        best = max(range(len(ranks)), key=lambda k: ranks[k])
        passive_rank, rank, _ = ranks[best]
        self.sample = self.samples[best]
        if n + p - rank != n:
            raise InputError(
                f"{self.robot.name}: the loops leave {n + p - rank} degrees of freedom, but {n} joints are active "
                f"({', '.join(map(str, self.active))}); {self._advice(tables[best], n + p - rank)}"
            )
        if passive_rank != p:
            raise InputError(
                f"{self.robot.name}: the active joints do not determine the passive ones: "
                f"{passive_rank} independent equations for {p} passive joints ({', '.join(map(str, self.passive))})"
            )
        chosen: list[int] = []
        for k in order:
            if len(chosen) < p and _rank(tables[best][[*chosen, k], n:]) == len(chosen) + 1:
                chosen.append(k)
        return [candidates[kept[k]] for k in sorted(chosen)]

    def _advice(self, table: Array, freedoms: int) -> str:
        """What to change where the number of active joints is not that of the degrees of freedom."""
        n = len(self.active)
        if freedoms < n:
            return f"make {n - freedoms} of them passive (mu = 0)"
        _, _, motions = np.linalg.svd(table[:, n:])
        free = np.abs(motions[n - freedoms :]).max(axis=0) > RANK  # the last ones are those the loops resist least
        moving = ", ".join(str(j) for j, moves in zip(self.passive, free, strict=True) if moves)
        return (
            f"joints {moving} still move when these are held: make {freedoms - n} of them active (mu = 1), or describe "
            "one spherical joint of a coupler that spins idly between two as a universal joint (two revolute joints)"
        )

    # ---------------------------------------------------------------------- equations

    def _entries(self, rows: Sequence[Row], poses: Poses, graph: Graph) -> list[dict[int, Expr]]:
        """Each row as {joint of the tree: coefficient}."""
        cuts = [cut_of(self.robot, loop, poses) for loop in self.loops]
        found: list[dict[int, Expr]] = []
        for row in rows:
            if row.relation:
                found.append({joint: graph.number(sense) for joint, sense in row.relation})
                continue
            loop, direction = self.loops[row.loop], getattr(cuts[row.loop], row.field)[row.place]
            part = 1 if row.field.endswith("angular") else 0
            found.append(
                {
                    k: graph.zero + sense * direction.dot(poses.column(loop.fixed, loop.fixed, k)[part])
                    for sense, joints in ((1, loop.near), (-1, loop.far))
                    for k in joints
                }
            )
        return found

    def equations(self, poses: Poses, graph: Graph) -> ConstraintEquations:
        """The matrices of equation 2.36 over the graph of `poses`."""

        def matrix(rows: Sequence[Mapping[int, Expr]], joints: Sequence[int]) -> list[list[Expr]]:
            return [[row.get(j, graph.zero) for j in joints] for row in rows]

        main = self._entries(self.rows, poses, graph)
        cut = self._entries(self.cut_rows, poses, graph)
        for row, entries in zip(self.cut_rows, cut, strict=True):
            joint = self.loops[row.loop].cut
            kind = self.robot.frame(joint).joint_type
            if kind.slides if row.field == "free_linear" else kind.turns:
                loop = self.loops[row.loop]
                entries[joint] = graph.zero + getattr(cut_of(self.robot, loop, poses), row.field)[row.place].z
        return ConstraintEquations(
            matrix(main, self.active), matrix(main, self.passive),
            matrix(cut, self.active), matrix(cut, self.passive), matrix(cut, self.cut), sizes_at(self.sample),
        )  # fmt: skip

    # -------------------------------------------------------------------------- drift

    def drift(
        self, poses: Poses, value: Callable[[Expr], Any], rate: Callable[[int], Any], note: Note = no_name
    ) -> tuple[list[Any], list[Any]]:
        """Psi and Phi of equation 2.40a: what the rates alone make of the accelerations along each row."""
        cuts = [cut_of(self.robot, loop, poses) for loop in self.loops]
        vectors = {number: self._loop_drift(number, poses, value, rate, note) for number in range(len(self.loops))}

        def along(row: Row) -> Any:
            if row.relation:
                return 0
            direction = getattr(cuts[row.loop], row.field)[row.place]
            return direction.dot(vectors[row.loop][1 if row.field.endswith("angular") else 0])

        return [along(row) for row in self.rows], [along(row) for row in self.cut_rows]

    def _loop_drift(
        self, number: int, poses: Poses, value: Callable[[Expr], Any], rate: Callable[[int], Any], note: Note
    ) -> tuple[Vec3, Vec3]:
        """Acceleration of the near side of the cut less that of the far side, joint accelerations zero.

        Both at the origin of the fixed frame and in it, the motion of the root left out: both sides share it.
        """
        robot, loop = self.robot, self.loops[number]
        sides = path(robot, loop.root, robot.frame(loop.cut).ant)[1], path(robot, loop.root, loop.fixed)[1]
        frames = hinges(robot, sorted({*sides[0], *sides[1]}), value, note, accelerated=False, rate=rate)
        speed = velocity_pass(frames, AT_REST, note, root=loop.root)
        gain = acceleration_pass(frames, AT_REST, speed, note, root=loop.root)
        i, e = robot.frame(loop.cut).ant, loop.fixed
        kind = robot.frame(loop.cut).joint_type
        to_cut = poses(i, loop.fixed if kind.slides else loop.cut).P  # where it turns the origin stays on link i
        turn = poses(e, i).A
        w, wp = turn @ speed.w[i], turn @ gain.wp[i]
        v = turn @ (speed.v[i] + speed.w[i].cross(to_cut))
        vp = turn @ (gain.vp[i] + u_matrix(products(speed.w[i]), gain.wp[i]) @ to_cut)
        linear, angular = vp - gain.vp[e], wp - gain.wp[e]
        z = Vec3(0, 0, 1)
        if kind.turns:
            angular = angular + w.cross(z) * (speed.w[e].z - w.z)
        if kind.slides:
            linear = linear + w.cross(z) * (2 * (speed.v[e].z - v.z))
        return linear, angular


def _regularity(table: Array) -> float:
    """The smallest singular value that counts over the largest."""
    values = np.linalg.svd(table, compute_uv=False) if table.size else np.ones(1)
    return float(values[: _rank(table) or 1][-1] / max(values[0], ZERO))


def _rank(table: Array) -> int:
    if not table.size:
        return 0
    values = np.linalg.svd(table, compute_uv=False)
    return int((values > RANK * max(values[0], ZERO)).sum())
