"""Runs each formulation on the same robot and motion with numbers that count what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from robosym.algebra import evaluate
from robosym.algebra.generic import random_numbers
from robosym.coordinates.accepts import accepts
from robosym.dynamics.formulations.counted import Counted, Tally
from robosym.dynamics.formulations.lagrangian_3x3 import hollerbach_3x3
from robosym.dynamics.formulations.lagrangian_4x4 import hollerbach_4x4, uicker_kahn
from robosym.dynamics.formulations.luh_silver import luh, silver
from robosym.dynamics.formulations.plain_chain import Chain, chain_of
from robosym.dynamics.inverse_dynamics import inverse_dynamics
from robosym.dynamics.newton_euler import newton_euler
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.mechanism.motion import AT_REST
from robosym.spatial import Mat3, Scalar, Transform, Vec3
from robosym.spatial.inertia import RigidInertia

__all__ = ["Comparison", "Formulation", "compare"]

FORMULATIONS: dict[str, Callable[[Chain], dict[int, Scalar]]] = {
    "Uicker-Kahn, 4x4": uicker_kahn,
    "Hollerbach, recursive 4x4": hollerbach_4x4,
    "Hollerbach, recursive 3x3": hollerbach_3x3,
    "Silver, angular velocity": silver,
    "Luh, Newton-Euler": luh,
}


@dataclass(frozen=True)
class Formulation:
    """One row: operations of the general algorithm on this number of links, and the torques that it found."""

    name: str
    additions: int
    multiplications: int
    torques: tuple[float, ...]

    @property
    def total(self) -> int:
        return self.additions + self.multiplications


@dataclass(frozen=True)
class Comparison:
    """All rows; `ratio` is to Luh's Newton-Euler."""

    rows: tuple[Formulation, ...]

    def __getitem__(self, start: str) -> Formulation:
        """The row whose name starts so."""
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
    """Torques of the rigid tree, without friction, rotors and wrenches, by each formulation, and what it cost.

    The counts are those of the general algorithms: no zero, no one and no symmetry of this robot is exploited. The last
    row is what is left of ours when the model is generated for the robot, with rotors and friction. `values` gives
    numbers to symbols; the others are drawn at random.
    """
    rng = random_numbers("comparison of formulations", seed)
    names = [name for name in (*robot.variables, *robot.parameters) if name is not None]
    drawn = {name: rng.uniform(0.2, 1.2) for name in names} | dict(values or {})
    tree = tree_of(robot, lambda entry: evaluate([entry], drawn)[0], base_free=True)
    gravity = evaluate(robot.gravity, drawn)
    rows = []
    for name, formulation in FORMULATIONS.items():
        tally = Tally()
        chain = chain_of(tree, gravity, lambda x, tally=tally: Counted(x, tally))  # type: ignore[misc]
        rows.append(_row(name, tally, robot, formulation(chain)))
    tally = Tally()
    rows.append(_row("ours, general", tally, robot, newton_euler(_counted(tree, tally)).along))
    model = inverse_dynamics(robot, structure="tree").operations
    rows.append(Formulation("ours, generated for this robot", model.additions, model.multiplications, ()))
    return Comparison(tuple(rows))


def _row(name: str, tally: Tally, robot: Robot, efforts: Mapping[int, Any]) -> Formulation:
    torques = tuple(float(efforts[j]) for j in robot.tree_joints)
    return Formulation(name, tally.additions, tally.multiplications, torques)


def _counted(tree: Tree, tally: Tally) -> Tree:
    """The same tree over counting numbers, on a fixed base, without wrenches."""

    def number(x: Any) -> Counted:
        return Counted(float(x), tally)

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
