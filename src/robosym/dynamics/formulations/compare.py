"""Comparison of formulations on the same robot and motion, with numbers that count operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from robosym.algebra import evaluate
from robosym.algebra.generic import random_numbers
from robosym.coordinates.accepts import accepts
from robosym.dynamics.formulations.lagrangian import hollerbach_3x3, hollerbach_4x4, uicker_kahn
from robosym.dynamics.formulations.luh_silver import luh, silver
from robosym.dynamics.formulations.plain_chain import Chain, chain_of
from robosym.dynamics.inverse_dynamics import inverse_dynamics
from robosym.dynamics.newton_euler import newton_euler
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.mechanism.motion import AT_REST
from robosym.spatial import Mat3, Scalar, Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Comparison", "Counted", "Formulation", "OperationCounter", "compare"]

FORMULATIONS: dict[str, Callable[[Chain], dict[int, Scalar]]] = {
    "Uicker-Kahn, 4x4": uicker_kahn,
    "Hollerbach, recursive 4x4": hollerbach_4x4,
    "Hollerbach, recursive 3x3": hollerbach_3x3,
    "Silver, angular velocity": silver,
    "Luh, Newton-Euler": luh,
}


@dataclass
class OperationCounter:
    """Number of operations; a division is a multiplication, a change of sign is free."""

    additions: int = 0
    multiplications: int = 0

    @property
    def total(self) -> int:
        return self.additions + self.multiplications


class Counted:
    """A float that records every addition and multiplication.

    A Python integer represents a 0 or 1 of the algorithm itself (the axis z, a factor sigma), which costs nothing.
    All data of the robot are `Counted`, even if they are zero.
    """

    __slots__ = ("counter", "value")

    def __init__(self, value: float, counter: OperationCounter) -> None:
        self.value = value
        self.counter = counter

    def _new(self, value: float) -> Counted:
        return Counted(value, self.counter)

    def __add__(self, other: Any) -> Counted:
        if isinstance(other, int):
            return self._new(self.value + other)
        self.counter.additions += 1
        return self._new(self.value + other.value)

    __radd__ = __add__

    def __neg__(self) -> Counted:
        return self._new(-self.value)

    def __sub__(self, other: Any) -> Counted:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Counted:
        return self.__neg__().__add__(other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int) and other in (-1, 0, 1):
            return 0 if other == 0 else self._new(other * self.value)
        self.counter.multiplications += 1
        return self._new(self.value * (other if isinstance(other, int) else other.value))

    __rmul__ = __mul__

    def __float__(self) -> float:
        return float(self.value)


@dataclass(frozen=True)
class Formulation:
    """One row: operation counts of the general algorithm for this number of links, and its torques."""

    name: str
    additions: int
    multiplications: int
    torques: tuple[float, ...]

    @property
    def total(self) -> int:
        return self.additions + self.multiplications


@dataclass(frozen=True)
class Comparison:
    """All rows; `ratio` is relative to Luh's Newton-Euler."""

    rows: tuple[Formulation, ...]

    def __getitem__(self, start: str) -> Formulation:
        """Return the row whose name has this prefix."""
        return next(row for row in self.rows if row.name.startswith(start))

    def ratio(self, start: str) -> float:
        return self[start].total / self["Luh"].total

    def __str__(self) -> str:
        lines = [f"{'formulation':34}{'+':>8}{'*':>8}{'total':>9}{'ratio':>8}"]
        for row in self.rows:
            ratio = row.total / self["Luh"].total
            lines.append(f"{row.name:34}{row.additions:8d}{row.multiplications:8d}{row.total:9d}{ratio:8.2f}")
        return "\n".join(lines)


@accepts("fixed")
def compare(robot: Robot, values: Mapping[str, float] | None = None, seed: int = 0) -> Comparison:
    """Compare the torques of the rigid tree, without friction, rotors and wrenches, by each formulation, and its cost.

    The counts are those of the general algorithms, which exploit no zeros, ones or symmetries of this robot. The last
    row is the model generated for the robot, with rotors and friction.

    Parameters
    ----------
    values
        Numbers for symbols; the others are random.
    seed
        Seed of the random numbers.
    """
    rng = random_numbers("comparison of formulations", seed)
    names = [name for name in (*robot.variables, *robot.parameters) if name is not None]
    drawn = {name: rng.uniform(0.2, 1.2) for name in names} | dict(values or {})
    tree = tree_of(robot, lambda entry: evaluate([entry], drawn)[0], base_free=True)
    gravity = evaluate(robot.gravity, drawn)
    rows = []
    for name, formulation in FORMULATIONS.items():
        counter = OperationCounter()
        chain = chain_of(tree, gravity, lambda x, counter=counter: Counted(x, counter))  # type: ignore[misc]
        rows.append(_row(name, counter, robot, formulation(chain)))
    counter = OperationCounter()
    rows.append(_row("ours, general", counter, robot, newton_euler(_counted(tree, counter)).along))
    model = inverse_dynamics(robot, structure="tree").operations
    rows.append(Formulation("ours, generated for this robot", model.additions, model.multiplications, ()))
    return Comparison(tuple(rows))


def _row(name: str, counter: OperationCounter, robot: Robot, efforts: Mapping[int, Any]) -> Formulation:
    torques = tuple(float(efforts[j]) for j in robot.tree_joints)
    return Formulation(name, counter.additions, counter.multiplications, torques)


def _counted(tree: Tree, counter: OperationCounter) -> Tree:
    """Return the same tree over counting numbers, on a fixed base, without wrenches."""

    def number(x: Any) -> Counted:
        return Counted(float(x), counter)

    def vector(v: Vec3) -> Vec3:
        return Vec3(*map(number, v))

    none = Vec3(0, 0, 0)
    bodies = [
        body
        and replace(
            body,
            T=Transform(Mat3.of(*map(number, body.T.A)), vector(body.T.P)),
            qd=number(body.qd),
            qdd=number(body.qdd),
            inertia=RigidInertia(*map(number, body.inertia)),
            force=none,
            moment=none,
        )
        for body in tree.bodies
    ]
    bodies[0] = None
    return Tree(bodies, replace(AT_REST, vp=vector(tree.base.vp)))
