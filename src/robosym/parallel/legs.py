"""The legs over one graph: joints, their rates and accelerations from the motion of the platform, and what follows.

The end of a leg is a point of the platform where the leg ends in a ball, and otherwise its whole pose: with t the
velocity of that end (three or six rows, in frame 0), t = J q'. Legs with fewer joints than rows bind the platform; the
rows that determine their joints are chosen at the reference position, and K = J^-1 over these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.linear.solve import Sizes, sizes_at, solve
from robosym.algebra.samples import Array
from robosym.description import GEOMETRY, INERTIA, Parallel
from robosym.errors import ExpressionError, InputError
from robosym.parallel.leg_chain import LegChain
from robosym.parallel.platform_motion import POSE, PlatformMotion
from robosym.parallel.point_mass import point_mass
from robosym.parallel.reference import Reference, numeric_reference
from robosym.parallel.strut import Strut, is_strut
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia, sum_of
from robosym.spatial.numeric import rigid
from robosym.tree.bodies import Tree, tree_of
from robosym.tree.frame import frame_transform

__all__ = ["Leg", "Legs", "Wrench", "modes_of"]

_REACHED = 1e-6  #: metres and radians: how well a branch must fit the reference position

#: Force and moment at the platform's origin, in frame 0.
Wrench = tuple[Vec3, Vec3]
_O = Vec3(0, 0, 0)
_RANGE = 0.4, 2.0  #: of what is sampled


@dataclass(frozen=True)
class LegAxis:
    """A joint of a leg in frame 0."""

    z: Vec3
    origin: Vec3
    slides: bool


class Leg:
    """One leg: its geometry solved, and the motion of its joints."""

    def __init__(self, motion: PlatformMotion, chain: LegChain, mode: int, reference: Reference | None) -> None:
        self.motion, self.chain, self.leg = motion, chain, chain.leg
        self.reference = reference
        self.joints = chain.core
        self.solved = chain.solved(motion, mode)
        tree, work = motion.robot.tree, motion.work
        self._held = {getattr(tree.frame(j), tree.frame(j).joint_type.variable): tree.variable(j) for j in chain.core}
        T = Transform.identity()
        self.axes: dict[int, LegAxis] = {}
        for j in chain.numbers:
            if j in chain.wrist:
                break
            frame = tree.frame(j)
            T = T @ frame_transform(frame, self.value, j)
            if frame.is_joint:
                self.axes[j] = LegAxis(T.A.z_axis, T.P, frame.joint_type.slides)
        self.ball = chain.ball
        L = motion.station(chain.leg)
        self.arm = L if chain.ball else _O  #: from the platform's origin to the end
        self.end = motion.P + self.arm
        self.graph = work.graph

    def value(self, entry: Expr) -> Any:
        """An entry of the description, joint variables as they were solved."""
        copy = self.motion.work.value(entry)
        name = self._held.get(entry)
        if name is None:
            return copy
        offset = copy - copy.graph.symbol(name)
        return self.solved[name] if offset.is_zero else self.solved[name] + offset

    # ------------------------------------------------------------------ velocity

    def _column(self, j: int) -> list[Any]:
        axis = self.axes[j]
        linear, angular = (axis.z, _O) if axis.slides else (axis.z.cross(self.end - axis.origin), axis.z)
        return [*linear] if self.ball else [*linear, *angular]

    @cached_property
    def J(self) -> list[list[Expr]]:
        """Rows of the velocity of the end by joints, all of them."""
        columns = [self._column(j) for j in self.joints]
        return [[self.graph.zero + column[r] for column in columns] for r in range(3 if self.ball else 6)]

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows of J that determine the joints."""
        n, count = len(self.joints), 3 if self.ball else 6
        if n == count:
            return tuple(range(n))
        if n > count:
            raise InputError(f"{self.chain.robot.name}: leg {self.leg + 1} can move while the platform stands still")
        if self.reference is None:
            raise InputError(
                f"{self.chain.robot.name}: leg {self.leg + 1} has {n} joints for {count} conditions: how the platform "
                "moves is decided at the reference position: give position and numbers for the geometry"
            )
        matrices = [self._numbers(sample.pose, sample.jacobians[self.leg]) for sample in self.reference.samples]

        def worth(rows: tuple[int, ...]) -> float:
            return min(abs(float(np.linalg.det(J[list(rows)]))) for J in matrices)

        return max(combinations(range(count), n), key=lambda rows: round(worth(rows), 9))

    def _numbers(self, pose: Array, J: Array) -> Array:
        """J of a sample, from the twists of the platform's origin."""
        if not self.ball:
            return J
        place = frame_transform(self.motion.robot.places[self.leg], lambda e: evaluate([e], {})[0], 0)
        arm = pose[:3, :3] @ np.array([*place.P])
        return np.asarray(J[:3] + np.cross(J[3:].T, arm).T)[:, : len(self.joints)]

    @cached_property
    def K(self) -> list[list[Expr]]:
        """The inverse of the chosen rows of J."""
        n = len(self.rows)
        unit = [[self.graph.number(int(a == b)) for b in range(n)] for a in range(n)]
        return solve([self.J[r] for r in self.rows], unit, self.sizes_here())

    def sizes_here(self) -> Sizes:
        """Values at the positions of the reference, or at a pose of no particularity that the leg reaches."""
        return sizes_at(self._values()) if self.reference is None else self.reference.sizes

    def _values(self) -> dict[str, float]:
        """A pose of no particularity that the leg reaches, and values of the parameters."""
        samples, motion = self.chain.problem.samples, self.motion
        values = {name: float(np.asarray(v).flat[0]) for name, v in samples.symbols.items()}
        parameters = dict(zip(motion.work.inputs.get("parameters", ()), np.linspace(0.7, 1.9, 997), strict=False))
        values = {**{k: float(v) for k, v in parameters.items()}, **values}
        names = [str(entry.value) for row in (*motion.R.rows, motion.P) for entry in row if entry.op == "symbol"]
        entries = self.chain.problem.entries
        if not self.ball:
            table = [*(4 * i + k for i in range(3) for k in range(3)), 3, 7, 11]
            given = {name: values[entries[place]] for name, place in zip(POSE, table, strict=True)}
        else:
            R = rigid(np.array([0.3, -0.2, 0.4]), np.zeros(3))[:3, :3]
            place = frame_transform(motion.robot.places[self.leg], lambda e: evaluate([e], values)[0], 0)
            P = np.array([values[entries[k]] for k in (3, 7, 11)]) - R @ np.array([*place.P])
            given = dict(zip(POSE, map(float, (*R.ravel(), *P)), strict=True))
        return {**values, **{name: given[name] for name in names}}

    def times(self, matrix: Sequence[Sequence[Any]], vector: Sequence[Any]) -> list[Any]:
        return [sum_of(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]

    def _end_rows(self, linear: Vec3, angular: Vec3) -> list[Any]:
        every = [*linear] if self.ball else [*linear, *angular]
        return [every[r] for r in self.rows]

    @cached_property
    def rates(self) -> dict[int, Any]:
        """q' of the joints that carry load (GS 14)."""
        v = self.motion.velocity(self.arm)
        return dict(zip(self.joints, self.times(self.K, self._end_rows(v, self.motion.w)), strict=True))

    @cached_property
    def bias(self) -> tuple[Vec3, Vec3]:
        """Acceleration of the end, linear and angular, at q'' = 0: J' q' of GS 18."""
        a, w, alpha, at = _O, _O, _O, _O
        for j, axis in self.axes.items():
            r = axis.origin - at
            a = a + alpha.cross(r) + w.cross(w.cross(r))
            step = axis.z * self.rates[j]
            if axis.slides:  # the shift along the axis is in r already
                a = a + w.cross(step) * 2
            else:
                alpha, w = alpha + w.cross(step), w + step
            at = axis.origin
        r = self.end - at
        return a + alpha.cross(r) + w.cross(w.cross(r)), alpha

    @cached_property
    def accelerations(self) -> dict[int, Any]:
        """q'' of the joints that carry load (GS 19)."""
        linear, angular = self.motion.acceleration(self.arm), self.motion.wp
        a = [x - b for x, b in zip(self._end_rows(linear, angular), self._end_rows(*self.bias), strict=True)]
        return dict(zip(self.joints, self.times(self.K, a), strict=True))

    # -------------------------------------------------------------------- forces

    def wrench(self, efforts: Sequence[Any]) -> Wrench:
        """What the end must be given for efforts of the joints: J^-T of GS 22, at the platform's origin."""
        forces = self.times(list(zip(*self.K, strict=True)), efforts)
        six: list[Any] = [0] * 6
        for r, f in zip(self.rows, forces, strict=True):
            six[r] = f
        force = Vec3(*six[:3])
        return force, Vec3(*six[3:]) + self.arm.cross(force)

    def motor_row(self, j: int) -> Wrench:
        """The row of J_p^-1 of a motor of this leg (GS 13): q' = force . v + moment . w."""
        return self.wrench([int(k == j) for k in self.joints])

    @cached_property
    def constraints(self) -> list[tuple[Wrench, Any]]:
        """(row, d): the twists that the leg allows have row . V = 0, the accelerations row . V' = d."""
        found = []
        every = [*self.bias[0]] if self.ball else [*self.bias[0], *self.bias[1]]
        for r in range(3 if self.ball else 6):
            if r in self.rows:
                continue
            share = self.times(list(zip(*self.K, strict=True)), self.J[r])  # of the chosen rows in this one
            six: list[Any] = [0] * 6
            for s, x in zip(self.rows, share, strict=True):
                six[s] = -x
            six[r] = 1
            force = Vec3(*six[:3])
            d = every[r] - sum_of(x * every[s] for s, x in zip(self.rows, share, strict=True))
            found.append(((force, Vec3(*six[3:]) + self.arm.cross(force)), d))
        return found


def modes_of(modes: Sequence[int] | None, legs: int) -> list[int] | None:
    if modes is None:
        return None
    if isinstance(modes, (str, int)) or len(modes) != legs or not all(isinstance(m, (int, np.integer)) for m in modes):
        raise InputError(f"modes: expected a number for each of the {legs} legs, found {modes!r}")
    return [int(m) for m in modes]


class Legs:
    """All legs of a robot over one workspace, with the tree of their links."""

    def __init__(
        self,
        robot: Parallel,
        groups: tuple[str, ...],
        others: tuple[str, ...] = ("parameters",),
        modes: Sequence[int] | None = None,
        vectors: bool = True,
    ) -> None:
        """`vectors`: legs of a universal joint, a prismatic joint and a ball are treated by vectors, without angles."""
        self.robot = robot
        self.reference = numeric_reference(robot)
        constants = self.reference.constants if self.reference else None
        still = self.reference.still if self.reference else ()
        self.motion = PlatformMotion(robot, groups, others, constants, still)
        self.work = self.motion.work
        chosen = modes_of(modes, len(robot.legs))
        self.legs: list[Leg] = []
        self.struts: list[Strut] = []  #: legs that need no more than their vectors
        for i in range(len(robot.legs)):
            chain = LegChain(robot, i, self.reference)
            if vectors and not (chosen and chosen[i]) and is_strut(robot, chain):
                self.struts.append(Strut(self.motion, chain))
                continue
            mode = chosen[i] if chosen else self._nearest(chain)
            self.legs.append(Leg(self.motion, chain, mode, self.reference))

    def _nearest(self, chain: LegChain) -> int:
        """The mode of the reference position; the first where there is none."""
        return 0 if self.reference is None else nearest_mode(chain, self.reference)

    @cached_property
    def platform_inertia(self) -> RigidInertia:
        """Of the platform and the masses that struts leave at their balls, about the platform's origin in its frame."""
        value = self.work.value
        found = RigidInertia(*(value(getattr(self.robot.platform, name)) for name in INERTIA))
        for strut in self.struts:
            if not strut.mass.is_zero:
                found = found + point_mass(strut.mass, *self.motion.place(strut.leg).P)
        return found

    @cached_property
    def tree(self) -> Tree:
        """The links of the legs, with their joints as solved, at rest; the wrists and what is the platform left out."""
        held = {entry: leg for leg in self.legs for entry in leg._held}

        def value(entry: Expr) -> Any:
            leg = held.get(entry)
            return self.work.value(entry) if leg is None else leg.value(entry)

        tree = tree_of(self.work.robot, value, self.work.note)
        kept = {j for leg in self.legs for j in leg.chain.numbers if j not in leg.chain.wrist}
        bodies = [body if j in kept else None for j, body in enumerate(tree.bodies)]
        return replace(tree, bodies=bodies)

    def moving(self, accelerated: bool = True) -> Tree:
        """The tree in motion."""
        rates = {j: rate for leg in self.legs for j, rate in leg.rates.items()}
        tree = self.tree.with_rates(rates)
        gained = {j: a for leg in self.legs for j, a in leg.accelerations.items()} if accelerated else {}
        return tree.with_accelerations(gained)

    def rows(self) -> list[tuple[int, Wrench]]:
        """Each motor with its row of J_p^-1."""
        found = [(strut.motor, strut.row) for strut in self.struts]
        for leg in self.legs:
            for j in leg.chain.numbers:
                if self.robot.tree.frame(j).mu and self.robot.tree.frame(j).is_joint:
                    if j not in leg.joints:
                        raise InputError(f"frame {j}: a motor in the spherical joint on the platform")
                    found.append((j, leg.motor_row(j)))
        return sorted(found, key=lambda one: one[0])

    @cached_property
    def basis(self) -> tuple[tuple[int, ...], list[list[Any]]]:
        """Components of the twist that determine it, and E (6 rows): V = E of these."""
        graph = self.work.graph
        one, zero = graph.one, graph.zero
        if self.reference is None or self.reference.freedom == 6:
            short = [leg for leg in self.legs if len(leg.rows) < (3 if leg.ball else 6)]
            assert not short
            return tuple(range(6)), [[one if a == b else zero for b in range(6)] for a in range(6)]
        free = self.reference.coordinates
        constant = self.reference.constant_basis
        if constant is not None:
            return free, [[graph.number(float(x)) for x in row] for row in constant]
        bound = [r for r in range(6) if r not in free]
        rows = [[*w[0], *w[1]] for w, _ in self.chosen_constraints]
        left = [[zero + row[b] for b in bound] for row in rows]
        right = [[zero - row[f] for f in free] for row in rows]
        X = solve(left, right, self.sizes)
        E = {b: X[k] for k, b in enumerate(bound)}
        E |= {f: [one if f == g else zero for g in free] for f in free}
        return free, [E[r] for r in range(6)]

    @cached_property
    def chosen_constraints(self) -> list[tuple[Wrench, Any]]:
        """As many constraints of the legs as bind the platform, independent at the reference position."""
        assert self.reference is not None
        every = [c for leg in self.legs for c in leg.constraints]
        bound = [r for r in range(6) if r not in self.reference.coordinates]
        zero = self.work.graph.zero
        values = self.values
        numbers = np.array([evaluate([zero + x for x in (*w[0], *w[1])], values) for w, _ in every])[:, bound]

        def worth(chosen: tuple[int, ...]) -> float:
            return abs(float(np.linalg.det(numbers[list(chosen)])))

        best = max(combinations(range(len(every)), len(bound)), key=worth)
        return [every[k] for k in best]

    @property
    def values(self) -> dict[str, float]:
        """A position of the robot in numbers, for what is decided by them."""
        assert self.reference is not None
        sample = self.reference.samples[-1]
        return dict(sample.pose_values)

    @property
    def sizes(self) -> Sizes:
        """Values at the positions of the reference, or where a leg reaches the platform of a robot without one."""
        if self.reference is not None:
            return self.reference.sizes
        if self.legs:
            return self.legs[-1].sizes_here()
        frames = self.work.robot.frames
        names = {*POSE, *symbols(getattr(frame, name) for frame in frames for name in GEOMETRY)}
        rng = random_arrays("positions of a parallel robot")
        return sizes_at({name: float(rng.uniform(*_RANGE)) for name in sorted(names)})

    def projected(self, wrench: Wrench) -> list[Any]:
        """E^T of a wrench: what it does along the freedom of the platform."""
        _, E = self.basis
        six = [*wrench[0], *wrench[1]]
        return [sum_of(E[r][k] * six[r] for r in range(6)) for k in range(len(E[0]))]


def nearest_mode(chain: LegChain, reference: Reference) -> int:
    """The mode that gives the joints of a reference sample back."""
    sample = reference.samples[-1]
    names = chain._names(chain.core)
    wanted = np.array([sample.joints[name] for name in names])
    lengths = [chain.robot.tree.frame(j).joint_type.slides for j in chain.core]
    best, at = np.inf, 0
    for mode in range(len(chain.modes)):
        motion = PlatformMotion(chain.robot, ("pose",))
        solved = chain.solved(motion, mode)
        try:
            found = _angles([solved[name] for name in names], motion, sample.pose_values)
        except ExpressionError:  # no real root here
            continue
        apart = found - wanted
        off = float(np.abs(np.where(lengths, apart, (apart + np.pi) % (2 * np.pi) - np.pi)).max())
        if off < best:
            best, at = off, mode
    if best > _REACHED:
        raise InputError(f"{chain.robot.name}: leg {chain.leg + 1}: no closed form gives the reference position back")
    return at


def _angles(solved: Sequence[Any], motion: PlatformMotion, pose: Mapping[str, float]) -> Array:
    entries = [value if isinstance(value, Expr) else value.angle for value in solved]
    return np.array(evaluate(entries, pose))
