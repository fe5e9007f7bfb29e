"""The velocity and acceleration constraints of the loops (guide 2.6 and 2.7), for kinematics and for dynamics.

    constraints = constraints_of(robot)              # joints and rows, chosen once numerically,
                                                     # in the mode of the robot's reference position
    equations = constraints.equations(poses, graph)  # [Wa Wp 0; Wac Wpc Wc] [q'a; q'p; q'c] = 0, over expressions
    W = equations.solution()                         # q'p = W q'a
    psi, phi = constraints.drift(poses, value, rate) # ... q'' + [Psi; Phi] = 0, rate(j) that of tree joint j
    b = equations.passive_drift(psi)                 # q''p = W q''a + b

`poses` is a `Poses` over a workspace's `value`. No quantity here depends on the variables or rates of the cut joints.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from robosym.algebra import Expr, Graph
from robosym.algebra.canonical import canonical_text
from robosym.algebra.generic import random_arrays
from robosym.algebra.linear.consistent import Consistent
from robosym.algebra.linear.regular import Sizes, solve
from robosym.algebra.once import cached_property
from robosym.coordinates.choice import Positions, choose
from robosym.coordinates.closed_samples import (
    assembled_parallelograms,
    closed_samples,
    more_closed_samples,
    samples_of_mode,
)
from robosym.coordinates.closing import Closing, reached_from
from robosym.coordinates.cut import Cut, bare, cut_of, drift_across
from robosym.coordinates.loops import loops_of
from robosym.errors import InputError, ModeWarning, Pass
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.needs import need_loops
from robosym.mechanism.path import Poses
from robosym.model import Note, Workspace, no_name
from robosym.spatial import Scalar, Vec3

__all__ = ["Constraint", "ConstraintEquations", "LoopConstraints", "constraints_of"]

_KEPT = 8  #: number of robots whose decisions about loops are cached


@dataclass(frozen=True)
class Constraint:
    """One equation of a loop: along a direction of its cut, or a relation between rates that always holds."""

    loop: int  #: its place among the loops
    field: str  #: field of `Cut`: "linear", "angular", "screw", "free_linear" or "free_angular"; "" for a relation
    place: int
    relation: tuple[tuple[int, float], ...] = ()

    @property
    def part(self) -> int:
        """Part of a twist or wrench that the row constrains: 0 linear, 1 angular."""
        return 1 if self.field.endswith("angular") else 0

    def direction(self, cuts: Sequence[Cut]) -> Vec3:
        """Return the direction in the fixed frame of the loop."""
        found: Vec3 = getattr(cuts[self.loop], self.field)[self.place]
        return found

    def along(self, cuts: Sequence[Cut], twist: Sequence[Vec3]) -> Any:
        """Return the component of a relative motion (linear, angular) that the row constrains."""
        share = self.direction(cuts).dot(twist[self.part])
        return share - self._turn(cuts).dot(twist[1]) if self.field == "screw" else share

    def wrench(self, cuts: Sequence[Cut], size: Any) -> tuple[Vec3, Vec3]:
        """Return force and moment of the constraint if its multiplier is `size`."""
        none, main = Vec3(0, 0, 0), self.direction(cuts) * size
        if self.field == "screw":
            return main, self._turn(cuts) * -size
        return (none, main) if self.part else (main, none)

    def _turn(self, cuts: Sequence[Cut]) -> Vec3:
        """Return the rotation of a screw per unit of translation, as a row."""
        return self.direction(cuts) * cuts[self.loop].lead


def _along(number: int, cut: Cut, *fields: str) -> list[Constraint]:
    return [Constraint(number, field, place) for field in fields for place in range(len(getattr(cut, field)))]


@dataclass(frozen=True)
class ConstraintEquations:
    """[Wa Wp 0; Wac Wpc Wc] of equation 2.36."""

    Wa: list[list[Expr]]
    Wp: list[list[Expr]]
    Wac: list[list[Expr]]
    Wpc: list[list[Expr]]
    Wc: list[list[Expr]]
    sizes: Sizes  #: sizes of entries in closed positions

    def _solve(self, right: list[list[Expr]]) -> list[list[Expr]]:
        """Return X with Wp X = right, in the least-squares sense if there are more rows than passive joints."""
        if len(self.Wp) == len(self.Wp[0] if self.Wp else ()):
            return solve(self._cleared, right, self.sizes)
        return self._every.solve(right)

    @cached_property
    def _cleared(self) -> list[list[Expr]]:
        """Return Wp without entries that are zero in the mode, up to the rounding of decimals in a description."""
        if self.sizes.pivots and not self.sizes.one_mode:
            return self.Wp
        return [self.sizes.cleared(row) for row in self.Wp]

    @cached_property
    def _every(self) -> Consistent:
        return self.sizes.without_pivots(self._cleared)

    def solution(self) -> list[list[Expr]]:
        """Return W of q'p = W q'a, one row per passive joint (2.39); not finite where the loops are singular."""
        W = self._solve([[-entry for entry in row] for row in self.Wa])
        regular = self.sizes.guard()
        return W if regular is None else [[entry * regular for entry in row] for row in W]

    def cut_solution(self, W: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return Wcut, the rates of the cut joints: q'c = Wcut q'a."""
        right = [
            [-_sum(a, passive, [row[k] for row in W]) for k, a in enumerate(active)]
            for active, passive in zip(self.Wac, self.Wpc, strict=True)
        ]
        return solve(self.Wc, right, self.sizes) if self.Wc else []

    def passive_drift(self, psi: Sequence[Expr]) -> list[Expr]:
        """Return b of q''p = W q''a + b."""
        return [row[0] for row in self._solve([[-entry] for entry in psi])]

    def multipliers(self, lacking: Sequence[Expr]) -> list[Expr]:
        """Return the multipliers of the main rows from missing passive efforts: Wp^T lambda = -lacking (4.37)."""
        transposed = [list(column) for column in zip(*self._cleared, strict=True)]
        if len(transposed) != len(self.Wp):
            return self._every.solve_transposed([-effort for effort in lacking])
        return [row[0] for row in solve(transposed, [[-effort] for effort in lacking], self.sizes)]

    def cut_multipliers(self, efforts: Sequence[Expr]) -> list[Expr]:
        """Return the multipliers of the cut joint rows from their efforts: Wc^T mu = efforts."""
        transposed = [list(column) for column in zip(*self.Wc, strict=True)]
        return [row[0] for row in solve(transposed, [[effort] for effort in efforts], self.sizes)]


def _sum(first: Expr, factors: Sequence[Expr], others: Sequence[Expr]) -> Expr:
    for a, b in zip(factors, others, strict=True):
        first = first + a * b
    return first


class LoopConstraints:
    """The constraints of all loops of a robot: active, passive and cut joints, and the independent rows."""

    def __init__(
        self, robot: Robot, parallelograms: bool = True, positions: Positions | None = None,
        reference: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        """Create the constraints; without `parallelograms`, general equations handle crossed ones.

        Rows, zeros and pivots are decided in the mode of `reference`, or else of the position of the robot; if there
        is neither, at random closed positions or at `positions`.
        """
        need_loops(robot)
        self.robot = robot
        self.loops = loops_of(robot)
        known = reference or robot.position
        one_mode = bool(known) and positions is None
        if one_mode:
            self.samples: list[Mapping[str, float]] = list(samples_of_mode(Closing(robot), known))
        mode = self.samples if one_mode else None
        self._shapes = assembled_parallelograms(robot, mode) if parallelograms else {}
        self.closing = Closing(robot, list(self._shapes.values()))
        if not one_mode:
            self.samples = list((positions or closed_samples)(self.closing))
        if not self.samples:
            raise InputError(f"{robot.name}: found no position in which the loops are closed")
        more = [] if one_mode or positions is not None else more_closed_samples(self.closing, self.samples)
        with Workspace(robot, ("q", "parameters")) as work:
            poses = Poses(robot, work.value)
            cuts = self.cuts(poses)
            self.cut = tuple(joint for cut in cuts for joint in cut.joints)
            joints = tuple(j for j in robot.tree_joints if j not in self.cut)
            self._check_couplings()
            self.motors = tuple(j for j in robot.tree_joints if robot.frame(j).mu)
            offered = self._offered(cuts)
            entries = self._entries(offered, cuts, poses, work.graph)
            # a geometry in numbers may be a particular one, with modes that random positions never show
            trusted = one_mode or positions is not None or bool(self.closing.gaps.lengths)
            if not trusted:  # all samples count
                self.samples, more = [*self.samples, *more], []
            self.choice = choose(robot.name, entries, self.motors, joints, self.samples, one_mode, trusted, more)
        self.active, self.passive = self.choice.active, self.choice.passive
        self._assumed = "" if one_mode or positions is not None else self._uncrossed()
        if not one_mode and (self.active != self.motors or self.choice.remark):
            self._check_motion()  # is that freedom real, or only that of a singular position?
        self.warn()
        self.rows = [offered[k] for k in self.choice.rows]  #: one row per passive joint
        self.solved = [offered[k] for k in self.choice.solved]  #: those that determine the passive joints
        self.cut_rows = [
            row for number, cut in enumerate(cuts) for row in _along(number, cut, "free_linear", "free_angular")
        ]

    def warn(self) -> None:
        """Warn if the assembly mode is ambiguous."""
        hint = ("to select the mode, set joint values in `position` of the description or pass ", Pass("reference"))
        for remark in filter(None, (self.choice.remark, self._assumed)):
            warnings.warn(ModeWarning(remark, hint=hint), stacklevel=4)

    def _uncrossed(self) -> str:
        """Return the remark on numeric parallelograms, whose links also allow the crossed assembly."""
        if not self._shapes or self.closing.gaps.lengths:
            return ""
        cuts = [(self.loops[number].cut, self.loops[number].fixed) for number in self._shapes]
        named = " and ".join(f"{cut} and {fixed}" for cut, fixed in cuts)
        return (
            f"{self.robot.name}: the loop of frames {named} can be a parallelogram or crossed; the models hold for the "
            "parallelogram"
        )

    def _check_motion(self) -> None:
        found = reached_from(self.closing, self.choice.sample, 8, random_arrays("closed positions of loops"))
        if len(found) < 2:
            raise InputError(
                f"{self.robot.name}: the loops cannot move: the position found is singular, although it leaves "
                f"{len(self.active)} degrees of freedom"
            )

    def _check_couplings(self) -> None:
        virtual = {self.robot.variable(j) for j in self.cut if j in self.robot.tree_joints}
        for name, coupling in self.robot.couplings.items():
            for other in {name, *coupling.ratios} & virtual:
                raise InputError(
                    f"{self.robot.name}: couplings: {other} belongs to a cut joint: cut this loop elsewhere"
                )

    def cuts(self, poses: Poses) -> list[Cut]:
        """Return the cut of each loop over the graph of `poses`."""
        return [cut_of(self.robot, loop, poses) for loop in self.loops]

    def _offered(self, cuts: Sequence[Cut]) -> list[Constraint]:
        """Return all rows of the loops, including dependent ones; a parallelogram contributes its relations."""
        rows: list[Constraint] = []
        for number, (loop, cut) in enumerate(zip(self.loops, cuts, strict=True)):
            shape = self._shapes.get(number)
            if shape is not None and cut.joints == (loop.cut,):
                rows += [Constraint(number, "", 0, tuple(relation.items())) for relation in shape.relations]
            else:
                rows += _along(number, cut, "linear", "screw", "angular")
        numbers = {self.robot.variable(j): j for j in self.robot.tree_joints}
        for name, coupling in self.robot.couplings.items():
            others = tuple((numbers[other], -ratio) for other, ratio in coupling.ratios.items())
            rows.append(Constraint(-1, "", 0, ((numbers[name], 1), *others)))
        return rows

    def _entries(
        self, rows: Sequence[Constraint], cuts: Sequence[Cut], poses: Poses, graph: Graph
    ) -> list[dict[int, Expr]]:
        """Return each row as {joint of the tree: coefficient}."""
        found: list[dict[int, Expr]] = []
        for row in rows:
            if row.relation:
                found.append({joint: graph.number(sense) for joint, sense in row.relation})
                continue
            loop = self.loops[row.loop]
            found.append(
                {
                    k: graph.zero + sense * row.along(cuts, poses.column(loop.fixed, loop.fixed, k))
                    for sense, joints in ((1, loop.near), (-1, loop.far))
                    for k in joints
                }
            )
        return found

    def equations(self, poses: Poses, graph: Graph, solved: bool = True) -> ConstraintEquations:
        """Return the matrices of equation 2.36 over the graph of `poses`: the solved rows, or a square Wp."""

        def matrix(rows: Sequence[Mapping[int, Expr]], joints: Sequence[int]) -> list[list[Expr]]:
            return [[row.get(j, graph.zero) for j in joints] for row in rows]

        cuts = self.cuts(poses)
        main = self._entries(self.solved if solved else self.rows, cuts, poses, graph)
        cut = self._entries(self.cut_rows, cuts, poses, graph)
        for row, entries in zip(self.cut_rows, cut, strict=True):
            joint = self.loops[row.loop].cut
            kind = self.robot.frame(joint).joint_type
            if (kind.slides, kind.turns)[row.part]:
                entries[joint] = graph.zero + row.direction(cuts).z
        return ConstraintEquations(
            matrix(main, self.active), matrix(main, self.passive),
            matrix(cut, self.active), matrix(cut, self.passive), matrix(cut, self.cut), self.choice.sizes,
        )  # fmt: skip

    def drift(
        self, poses: Poses, value: Callable[[Expr], Scalar], rate: Callable[[int], Any], note: Note = no_name,
        solved: bool = True,
    ) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
        """Return Psi and Phi of equation 2.40a: the accelerations along each row that are due to velocities."""
        cuts = self.cuts(poses)
        across = [drift_across(self.robot, loop, poses, value, rate, note) for loop in self.loops]

        def along(row: Constraint) -> Scalar:
            return 0 if row.relation else row.along(cuts, across[row.loop])

        return [along(row) for row in (self.solved if solved else self.rows)], [along(row) for row in self.cut_rows]


_decided: OrderedDict[str, LoopConstraints] = OrderedDict()


def constraints_of(
    robot: Robot, parallelograms: bool = True, reference: Mapping[str, float] | None = None
) -> LoopConstraints:
    """Return `LoopConstraints`, cached for robots with the same loops, whatever their links."""
    known = reference or robot.position
    geometry = [
        (f.ant, f.sigma, f.mu, f.pitch, *(canonical_text(getattr(f, n)) for n in GEOMETRY)) for f in robot.frames
    ]
    empty = [j for j in robot.tree_joints if bare(robot, j)]
    key = repr((robot.name, parallelograms, geometry, empty, robot.loops, robot.couplings, sorted(known.items())))
    if key in _decided:
        _decided.move_to_end(key)
        found = copy(_decided[key])
        found.robot = robot  # its entries are those that a workspace knows
        found.warn()
        return found
    found = _decided[key] = LoopConstraints(robot, parallelograms, reference=reference)
    if len(_decided) > _KEPT:
        _decided.popitem(last=False)
    return found
