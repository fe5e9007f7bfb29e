"""The legs of a parallel robot over one graph, and the degrees of freedom that they leave to the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from robosym.algebra import Expr, evaluate, symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.linear.regular import Sizes, solve_where_regular
from robosym.algebra.matrix import Matrix
from robosym.algebra.once import cached_property
from robosym.algebra.subspaces import best_rows
from robosym.coordinates.allowed_poses import motion_margins, pose_margin
from robosym.coordinates.idle_spin import without_spin
from robosym.coordinates.leg import Leg, Wrench
from robosym.coordinates.leg_chain import LegChain, leg_chain
from robosym.coordinates.leg_modes import by_vectors, in_modes, modes_of, nearest_mode
from robosym.coordinates.platform_motion import POSE, PlatformMotion
from robosym.coordinates.reference import numeric_reference, remembered, watched_sizes
from robosym.coordinates.reference_position import warn_of_reference
from robosym.coordinates.vector_leg import VectorLeg
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY, INERTIA, Robot, need_no_load
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model.domain import Domain, joined_domain
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import RigidInertia, point_mass

__all__ = ["Leg", "Legs", "Wrench", "drift_of", "drifting"]

_RANGE = 0.4, 2.0  #: range of the sampled values


class Legs:
    """All legs of a robot over one workspace, with the tree of their links."""

    def __init__(
        self,
        robot: Robot,
        groups: tuple[str, ...],
        others: tuple[str, ...] = ("parameters",),
        modes: Sequence[int] | None = None,
        vectors: bool = True,
        carried: bool = False,
    ) -> None:
        """Prepare the legs of a robot.

        With `vectors`, legs of a universal, a prismatic and a ball joint are treated by vectors, without angles. With
        `carried`, the base moves, and the tree of links includes the legs treated by vectors.
        """
        need_no_load(robot, "a parallel robot")
        if modes is None:
            warn_of_reference(robot)
        self.robot = robot = without_spin(robot)
        self.reference = numeric_reference(robot)
        if modes is not None and self.reference is not None:  # around the same pose, the legs in these branches
            self.robot = robot = in_modes(robot, self.reference, modes_of(modes, len(robot.legs)))
            self.reference, modes = numeric_reference(robot), None
        constants = self.reference.constants if self.reference else None
        still = self.reference.still if self.reference else ()
        self.motion = PlatformMotion(robot, groups, others, constants, still, carried)
        self.work = self.motion.work
        self.work.domain = self.domain(groups)
        chosen = modes_of(modes, len(robot.legs))
        self.legs: list[Leg] = []
        self.struts: list[VectorLeg] = []  #: legs that need no more than their vectors
        for i in range(len(robot.legs)):
            chain = leg_chain(robot, i, self.reference, points=vectors)
            leg = by_vectors(self.motion, chain, chosen[i] if chosen else None) if vectors else None
            if leg is not None:
                self.struts.append(leg)
                continue
            self.legs.append(Leg(self.motion, chain, self._mode(chain, chosen[i] if chosen else None), self.reference))

    def domain(self, groups: Sequence[str]) -> Domain | None:
        """Return the poses, and the twists and accelerations named in `groups`, that the legs allow."""
        if self.reference is None or self.reference.freedom == 6:
            return None
        inputs = tuple(group for group in ("pose", "twist", "acceleration") if group in groups)
        return joined_domain([partial(_margin, self.robot, inputs, place) for place in range(len(inputs))])

    def _mode(self, chain: LegChain, chosen: int | None) -> int:
        """Return the mode of the reference position; without one, the chosen or the first mode."""
        if self.reference is None:
            return chosen or 0
        samples = ((sample.pose_values, sample.joints) for sample in self.reference.informative_samples(chain.leg))
        return nearest_mode(chain, samples)

    @property
    def in_tree(self) -> list[Leg | VectorLeg]:
        """The legs whose links are treated by the recursion of trees: all of them if the base moves."""
        return [*self.legs, *(self.struts if self.motion.base is not None else ())]

    @cached_property
    def platform_inertia(self) -> RigidInertia:
        """Inertia of the platform and of the strut masses at their spherical joints, in the frame of the platform."""
        value = self.work.value
        found = RigidInertia(*(value(getattr(self.robot.platform, name)) for name in INERTIA))
        for strut in self.struts:
            if not strut.mass.is_zero:
                found = found + point_mass(strut.mass, *self.motion.place(strut.leg).P)
        return found

    @cached_property
    def tree(self) -> Tree:
        """The links of the legs at rest, with their solved joints; without the wrists and the platform."""
        held = {entry: leg for leg in self.in_tree for entry in leg._held}

        def value(entry: Expr) -> Scalar:
            leg = held.get(entry)
            return self.work.value(entry) if leg is None else leg.value(entry)

        tree = tree_of(self.work.robot, value, self.work.note)
        kept = {j for leg in self.in_tree for j in (*leg.chain.numbers, *leg.chain.sides) if j not in leg.chain.wrist}
        bodies = [body if j in kept else None for j, body in enumerate(tree.bodies)]
        return replace(tree, bodies=bodies, base=self.motion.base or tree.base)

    def moving(self, accelerated: bool = True) -> Tree:
        """Return the moving tree."""
        rates = {j: rate for leg in self.in_tree for j, rate in leg.joint_rates.items()}
        gained = {j: a for leg in self.in_tree for j, a in leg.joint_accelerations.items()} if accelerated else {}
        return self.tree.with_rates(rates).with_accelerations(gained)

    def rows(self) -> list[tuple[int, Wrench]]:
        """Return each motor with its row of J_p^-1."""
        found = [(strut.motor, strut.row) for strut in self.struts]
        return sorted(found + self._motors_of_chains(), key=lambda each: each[0])

    def pushes(self) -> list[tuple[int, Wrench, Scalar]]:
        """Return each motor with a row of J_p^-1 times a factor that saves divisions, and the factor."""
        found = [(strut.motor, strut.push, strut.lever) for strut in self.struts]
        one = self.work.graph.one
        return sorted(found + [(j, row, one) for j, row in self._motors_of_chains()], key=lambda each: each[0])

    def _motors_of_chains(self) -> list[tuple[int, Wrench]]:
        found = []
        for leg in self.legs:
            for j in leg.chain.numbers:
                if self.robot.frame(j).mu and self.robot.frame(j).is_joint:
                    if j not in leg.joints:
                        raise InputError(
                            f"frame {j}: expected no motor in a coupled joint or in the spherical joint on the platform"
                        )
                    found.append((j, leg.motor_row(j)))
        return found

    @cached_property
    def basis(self) -> tuple[tuple[int, ...], Matrix[Expr]]:
        """Components of the twist that determine it, and E (6 rows): V = E of these."""
        graph = self.work.graph
        one, zero = graph.one, graph.zero
        if self.reference is None or self.reference.freedom == 6:
            short = [leg for leg in self.legs if len(leg.rows) < (3 if leg.ball else 6)]
            assert not short
            return tuple(range(6)), Matrix.unit(graph, 6)
        free = self.reference.coordinates
        constant = self.reference.constant_basis
        if constant is not None:
            return free, Matrix([graph.number(float(x)) for x in row] for row in constant)
        bound = self.reference.bound
        rows = [[*w[0], *w[1]] for w, _ in self.chosen_constraints]
        left = [[zero + row[b] for b in bound] for row in rows]
        right = [[zero - row[f] for f in free] for row in rows]
        X = solve_where_regular(left, right, self.sizes)
        E = {b: X[k] for k, b in enumerate(bound)}
        E |= {f: [one if f == g else zero for g in free] for f in free}
        return free, Matrix(E[r] for r in range(6))

    @cached_property
    def chosen_constraints(self) -> list[tuple[Wrench, Scalar]]:
        """The constraints of the legs on the platform that are independent at the reference position."""
        assert self.reference is not None
        bound = self.reference.bound
        zero = self.work.graph.zero
        if self.reference.constant_basis is not None:
            free, E = self.basis
            rows = [{b: 1, **{f: -x for f, x in zip(free, E[b], strict=True)}} for b in bound]
            return [((Vec3(*(row.get(k, 0) for k in (0, 1, 2))), Vec3(*(row.get(k, 0) for k in (3, 4, 5)))), zero)
                    for row in rows]  # fmt: skip
        every = [c for leg in self.legs for c in leg.constraints]
        values = self.values
        numbers = np.array([evaluate([zero + x for x in (*w[0], *w[1])], values) for w, _ in every])[:, bound]
        return [every[k] for k in best_rows([numbers], len(bound))]

    @property
    def values(self) -> dict[str, float]:
        """A numeric position of the robot, for decisions that need numbers."""
        assert self.reference is not None
        sample = self.reference.samples[-1]
        return dict(sample.pose_values)

    @property
    def sizes(self) -> Sizes:
        """Values at the reference positions or, without a reference, at poses that a leg reaches."""
        if self.reference is not None:
            return self.reference.sizes
        if self.legs:
            return self.legs[-1].sizes_here()
        frames = self.work.robot.frames
        names = {*POSE, *symbols(getattr(frame, name) for frame in frames for name in GEOMETRY)}
        rng = random_arrays("positions of a parallel robot")
        return watched_sizes(self.robot, {name: float(rng.uniform(*_RANGE)) for name in sorted(names)})

    def projected(self, wrench: Wrench) -> list[Any]:
        """Project a wrench to the degrees of freedom of the platform by E^T."""
        _, E = self.basis
        return E.T @ (*wrench[0], *wrench[1])

    def by_motors(self) -> Matrix[Expr]:
        """Return the matrix from motor velocities to coordinates of the twist: J_p in the basis of allowed twists."""
        graph, (free, _) = self.work.graph, self.basis
        rows = Matrix(self.projected(row) for _, row in self.rows()).over(graph)
        if len(rows) != len(free):
            raise InputError(
                f"{self.robot.name}: {len(rows)} motors for {len(free)} degrees of freedom: J_p is not square, "
                "so that models in joint space do not exist"
            )
        return Matrix(solve_where_regular(rows, Matrix.unit(graph, len(free)), self.sizes))


def _margin(robot: Robot, groups: tuple[str, ...], place: int) -> Expr:
    """Return an expression that is positive if the legs allow this group in the branches of the reference position."""

    def made() -> list[Expr]:
        legs = Legs(robot, groups, vectors=False)
        with legs.work:
            assert legs.reference is not None
            found = [pose_margin(legs.legs, legs.reference)]
            if "twist" in groups:
                found += motion_margins(legs.legs, legs.reference, "acceleration" in groups)
            return found

    found: list[Expr] = remembered(robot, f"margins of {', '.join(groups)}", made)
    return found[place]


def drifting(robot: Robot, modes: Sequence[int] | None, groups: tuple[str, ...]) -> Legs:
    """Return the legs with the platform acceleration that the constraints require at zero free acceleration."""
    legs = Legs(robot, ("pose", "twist"), groups, modes)
    six = drift_of(legs)
    legs.motion.accelerate(Vec3(*six[:3]), Vec3(*six[3:]))
    return legs


def drift_of(legs: Legs) -> list[Scalar]:
    """Return the six accelerations that the constraints require at zero acceleration along the free motions."""
    zero = legs.work.graph.zero
    six: list[Scalar] = [zero] * 6
    if legs.reference is not None and legs.reference.freedom < 6 and legs.reference.constant_basis is None:
        bound, rows = legs.reference.bound, legs.chosen_constraints
        left = [[zero + [*w[0], *w[1]][b] for b in bound] for w, _ in rows]
        drift = solve_where_regular(left, [[zero + d] for _, d in rows], legs.sizes)
        for b, x in zip(bound, drift, strict=True):
            six[b] = x[0]
    return six
