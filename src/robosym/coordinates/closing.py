"""Numerical closing of the loops: positions in which both sides of each cut meet, and motions that keep them so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, follow, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import null_spaces
from robosym.algebra.tolerances import CLOSED, EXACTLY, TIGHTLY
from robosym.coordinates.gaps import Gaps, Slopes, unit
from robosym.coordinates.loops import Parallelogram
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot

__all__ = ["Closing", "joint_units", "reached_from", "reference_position"]

_ROUNDS = 60
_DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-16, most=3e8, relative=False)
_STRIDE = 0.12  #: radians, or parts of the robot's size: largest step of a joint that is moved to a given value
_SHORTEST = 1e-5  #: share of a motion: with shorter steps it would take too long
_JUMP = 0.3  #: radians, or parts of the robot's size: a step that moves a joint further may jump to another mode


class Closing:
    """Positions of a robot as values of its symbols: parameters, joints of the tree and cut joints."""

    def __init__(self, robot: Robot, parallelograms: Sequence[Parallelogram] = ()) -> None:
        self.robot = robot
        self.gaps = Gaps(robot, parallelograms)

    def _linearized(self, values: Mapping[str, float]) -> tuple[Array, Array]:
        return self.gaps.linearized(self.gaps.geometry(values), self.gaps.position(values))

    def gap(self, values: Mapping[str, float]) -> Array:
        """Return the gap of each loop as a row: position of the cut frame, then its rotation vector."""
        loops = len(self.gaps.loops)
        gap, _ = self._linearized(values)
        return gap[0, : 6 * loops].reshape(-1, 6)

    def settle(self, values: Mapping[str, float], q: Array, held: Sequence[int] = ()) -> tuple[Array, Array]:
        """Close the loops as far as possible from each row of q; return positions (m, joints) and gaps (m,).

        Only the parameters of `values` are used; joints in `held` do not move.
        """
        gaps, geometry = self.gaps, self.gaps.geometry(values)
        free = [column for column, joint in enumerate(gaps.joints) if joint not in held]
        if not gaps.loops:
            return q, np.zeros(len(q))

        def equations(x: Array, starts: Array) -> tuple[Array, Array]:
            moved = q[starts]
            moved[:, free] = x
            gap, slope = gaps.linearized(geometry, moved)
            return gap, slope[..., free]

        rounds = _ROUNDS if free else 0
        x, left = levenberg_marquardt(equations, q[:, free], _DAMPING, EXACTLY, rounds, settled=TIGHTLY)
        settled = q.copy()
        settled[:, free] = x
        return settled, np.abs(left).max(axis=1)

    def move(self, values: Mapping[str, float], held: Sequence[int] = ()) -> tuple[dict[str, float], float]:
        """Close the loops as far as possible without moving the joints `held`, and return the values and the gap."""
        q, left = self.settle(values, self.gaps.position(values), held)
        return dict(values) | self.gaps.named(q[0]), float(left[0])

    def lead(
        self, start: Mapping[str, float], wanted: Mapping[str, float], held: Sequence[int] = (), halvings: int = 6
    ) -> tuple[dict[str, float], bool]:
        """Move joints from a closed position to the values `wanted` in one assembly mode; joints `held` do not move.

        Return the final position, and whether the joints have reached the values. Steps are halved at most `halvings`
        times, so that the motion stops near a dead center of the loops.
        """
        units = joint_units(self, start)
        led = {self.gaps.names.index(name): value - start[name] for name, value in wanted.items()}
        held = [*held, *(self.gaps.joints[column] for column in led)]
        far = max((abs(way) / units[column] for column, way in led.items()), default=0.0)
        part = min(1.0, _STRIDE / far) if far else 1.0

        def step(share: float, here: dict[str, float]) -> dict[str, float] | None:
            goal = {name: start[name] + share * (value - start[name]) for name, value in wanted.items()}
            found, left = self.move(here | goal, held)
            moved = np.abs((self.gaps.position(found) - self.gaps.position(here)) / units).max()
            return found if left <= CLOSED and moved < _JUMP else None

        here, done = follow(step, dict(start), part, part, max(part / 2**halvings, _SHORTEST))
        return here, done == 1

    def close(self, values: Mapping[str, float], active: Sequence[int]) -> dict[str, float]:
        """Return joint values that close the loops, with the given active joints and the others near given values."""
        closed, left = self.move(values, active)
        if left > CLOSED:
            raise InputError(
                f"{self.robot.name}: the passive joints cannot close the loops from this position: "
                f"{self.widest(closed)} with the active joints as given"
            )
        return closed

    def check(self, values: Mapping[str, float], tolerance: float = 1e-6) -> None:
        """Raise an error if a loop is open, a parallelogram is crossed, or a coupling is violated."""
        gap, _ = self._linearized(self.with_cut(values))
        loops, couplings = 6 * len(self.gaps.loops), len(self.robot.couplings) if self.gaps.loops else 0
        if np.abs(gap[0, :loops]).max(initial=0.0) > tolerance:
            raise InputError(f"{self.robot.name}: the loops are open in this position: {self.widest(values)}")
        if np.abs(gap[0, loops : gap.shape[1] - couplings]).max(initial=0.0) > tolerance:
            raise InputError(
                f"{self.robot.name}: a parallelogram is crossed in this position",
                hint=("give a reference position of that mode (`position:` in the description, or ", Pass("reference"),
                      "), or ", Pass("parallelograms", False)),
            )  # fmt: skip
        if np.abs(gap[0, gap.shape[1] - couplings :]).max(initial=0.0) > tolerance:
            raise InputError(f"{self.robot.name}: a coupling is violated in this position")

    def with_cut(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the values completed by those of the cut joints, which follow from the tree."""
        cut = [j for j in self.gaps.joints if j not in self.robot.tree_joints]
        full = dict.fromkeys((self.robot.variable(k) for k in cut), 0.0) | dict(values)
        if all(self.robot.variable(k) in values for k in cut):
            return full
        near = self.gaps.cut_positions(self.gaps.geometry(full), self.gaps.position(full))
        return self.move(full | self.gaps.named(near[0]) | dict(values), self.robot.tree_joints)[0]

    def widest(self, values: Mapping[str, float]) -> str:
        """Describe the loop with the largest gap."""
        gaps = np.abs(self.gap(self.with_cut(values)))
        widest = int(gaps.max(axis=1).argmax())
        loop, (position, turn) = self.gaps.loops[widest], gaps[widest].reshape(2, 3)
        return (
            f"frames {loop.cut} and {loop.fixed} stay {np.linalg.norm(position):.3g} apart "
            f"and {np.linalg.norm(turn):.3g} rad askew"
        )

    def velocities(self, values: Mapping[str, float], cut: bool = False) -> Array:
        """Return a basis of the tree joint rates that keep the loops closed, by columns; of all joints with `cut`."""
        return self.motions(values, self.gaps.position(values), cut)[0]

    def motions(self, values: Mapping[str, float], q: Array, cut: bool = False) -> list[Array]:
        """Return the same basis in each of the positions q (m, joints)."""
        if not self.gaps.loops:
            return [np.eye(len(self.gaps.joints))] * len(q)
        _, slope = self.gaps.linearized(self.gaps.geometry(values), q)
        shown = slope.shape[-1] if cut else len(self.robot.tree_joints)
        return [free[:shown] for free in null_spaces(slope)]


_STEP = 0.12  #: largest step of a joint, in rad or relative to the size of the robot
_STEPS = 12  #: moves
_FAR = 1.0  #: maximum distance of a joint from its value in the reference position
_LESS = 0.2  #: the share of the regularity of the reference position that must be left
_STRAY = 0.5  #: closing the loops moves the joints by no more than this share of a step, or another mode was met
_STARTS = 40  #: number of start values for joints without a value in the reference position
_NEARBY = 0.5  #: a complete reference position is closed by no more than this, or it does not describe the robot


def reference_position(
    closing: Closing, given: Mapping[str, float], parameters: Mapping[str, float]
) -> dict[str, float]:
    """Return the closed reference position; given joints move as little as possible, the others are searched.

    Raises an error if the loops do not close there or if the position is singular.
    """
    gaps, robot = closing.gaps, closing.robot
    rng = random_arrays("closed positions of loops", 1)
    named = [name in given for name in gaps.names]
    start = np.array([[given.get(name, 0.0) for name in gaps.names]])
    if not all(named):
        start = np.where(named, start, gaps.cut_positions(gaps.geometry(parameters), start))
        more = np.repeat(start, _STARTS, axis=0)
        more[1:, ~np.array(named)] += rng.uniform(-2, 2, (_STARTS - 1, named.count(False)))
        start = more
    held = [j for j, known in zip(gaps.joints, named, strict=True) if known and not all(named)]
    q, left = closing.settle(parameters, start, held)
    if left.min() > CLOSED:
        q, left = closing.settle(parameters, start)
    moved = np.where(left < CLOSED, np.abs(np.where(named, q - start, 0.0)).max(axis=1), np.inf)
    best = int(moved.argmin())
    if not np.isfinite(moved[best]) or (moved[best] > _NEARBY and not gaps.lengths):
        values = dict(parameters) | gaps.named(q[int(left.argmin())])
        far = f"{closing.widest(values)}" if not np.isfinite(moved[best]) else f"the nearest is {moved[best]:.3g} away"
        raise InputError(f"{robot.name}: the reference position does not close the loops: {far}")
    return dict(parameters) | gaps.named(q[best])


def reached_from(
    closing: Closing, start: Mapping[str, float], wanted: int, rng: np.random.Generator, motors: Sequence[int] = ()
) -> list[dict[str, float]]:
    """Return closed positions in the mode of `start`, which comes first; a singular `start` raises an error."""
    gaps, geometry = closing.gaps, closing.gaps.geometry(start)
    here = np.repeat(gaps.position(start), max(wanted, 8), axis=0)
    units = joint_units(closing, start)
    columns = [gaps.joints.index(j) for j in motors]
    _, slope = gaps.linearized(geometry, here[:1])
    slopes = Slopes.of(slope * units)
    rank = slopes.ranks()
    least, first = _LESS * slopes.regularity(rank, columns)[0], int(rank[0])
    if first == len(gaps.joints):
        raise InputError(f"{closing.robot.name}: the loops leave no degree of freedom: none of its joints can move")
    origin, found = here[0].copy(), [here[0].copy()]
    higher = tried = 0
    direction = rng.normal(size=here.shape)
    for _ in range(_STEPS):
        _, slope = gaps.linearized(geometry, here)
        slopes = Slopes.of(slope * units)
        step = _STEP * unit(slopes.allowed(direction, slopes.ranks()))
        ahead, left = closing.settle(start, here + step * units)
        stray = np.abs((ahead - here) / units - step).max(axis=1)
        _, slope = gaps.linearized(geometry, ahead)
        slopes = Slopes.of(slope * units)
        rank = slopes.ranks()
        closed = (left < TIGHTLY * 10) & (stray < _STRAY * _STEP)
        higher += int((closed & (rank > first)).sum())
        tried += int(closed.sum())
        near = np.abs((ahead - origin) / units).max(axis=1) < _FAR
        good = closed & (rank == first) & (slopes.regularity(rank, columns) >= least) & near
        here[good] = ahead[good]
        direction[~good] = rng.normal(size=(int((~good).sum()), here.shape[1]))
        if tried >= 8 and higher > tried / 2:
            raise InputError(
                f"{closing.robot.name}: the reference position is singular: the loops leave {len(gaps.joints) - first} "
                "degrees of freedom there, but fewer in the positions around it"
            )
    for _ in range(2):  # to rounding, so that entries that are zero in the mode are recognized
        gap, slope = gaps.linearized(geometry, here)
        slopes = Slopes.of(slope)
        here = here - slopes.solved(gap, slopes.ranks())
    found += [q for q in here if np.abs(q - origin).max() > TIGHTLY]
    return [dict(start) | gaps.named(q) for q in found[:wanted]]


def joint_units(closing: Closing, values: Mapping[str, float]) -> Array:
    """Return the unit of each joint: one radian, or the size of the robot."""
    gaps = closing.gaps
    frames = gaps.geometry(values).frames
    kinds = [closing.robot.frame(j).joint_type for j in gaps.joints]
    screws = [abs(float(kind.linear)) for kind in kinds if kind.turns]  # all lengths may be 0 where axes are in line
    size = max(float(np.abs(frames[[1, 3, 5]]).max(initial=0.0)), *screws, 0.0)
    return np.where([kind.only_slides for kind in kinds], size if size > TIGHTLY else 1.0, 1.0)
