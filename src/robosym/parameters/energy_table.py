"""The numeric method: rank and grouping from energy functions at random points (guide, appendix 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, Graph, reachable, rebuild, symbols
from robosym.algebra.samples import evaluate_arrays
from robosym.description import Robot, need_fixed_base
from robosym.loops.closing import Closing
from robosym.loops.parallelogram import Parallelogram
from robosym.parameters.energy_functions import energy_functions, weight_pass
from robosym.spatial import Vec3
from robosym.tree.motion import AT_REST, hinges, velocity_pass

__all__ = ["Dependence", "EnergyTable", "dependence"]

Array = NDArray[np.float64]
Place = tuple[int, str]


@dataclass(frozen=True)
class EnergyTable:
    """The energy functions of a robot's tree as expressions, and how to put numbers into them."""

    robot: Robot
    functions: Mapping[Place, Expr]

    @classmethod
    def of(cls, robot: Robot, columns: Sequence[Place]) -> EnergyTable:
        need_fixed_base(robot, "energy functions need")
        graph = Graph()
        copies = exact_entries(robot, graph)
        value = copies.__getitem__
        hinge = hinges(robot, range(1, robot.NL + 1), value, accelerated=False)
        moving = set(robot.tree_joints)
        hinge = {j: replace(h, qd=graph.symbol(_rate(j), online=True)) if j in moving else h for j, h in hinge.items()}
        weight = weight_pass(hinge, Vec3(*map(value, robot.gravity)))
        values = energy_functions(hinge, velocity_pass(hinge, AT_REST), weight, columns)
        return cls(robot, dict(zip(columns, (graph.zero + value for value in values), strict=True)))

    @property
    def varying(self) -> list[str]:
        """Positions and velocities of the joints."""
        return [name for j in self.robot.tree_joints for name in (self.robot.variable(j), _rate(j))]

    def constants(self) -> list[str]:
        """Symbols of the geometry and of gravity that the functions depend on."""
        varying = set(self.varying)
        return [name for name in symbols(self.functions.values()) if name not in varying]

    def samples(self, geometry: Mapping[str, float], parallelograms: Sequence[Parallelogram], seed: int) -> Array:
        """Differences of the functions between random points of the closed robot: rows of samples."""
        robot, rng = self.robot, np.random.default_rng(seed)
        closure = Closing(robot, parallelograms)
        count = 2 * (len(self.functions) + 10)
        # one configuration serves several velocities, as it is the costly part
        shared = 1 if not robot.loops else 4
        positions: list[Mapping[str, float]] = []
        velocities: list[Array] = []
        while len(positions) < count:
            position = closure.sample(geometry, rng)
            basis = closure.velocities(position)
            for _ in range(shared):
                positions.append(position)
                velocities.append(basis @ rng.normal(size=basis.shape[1]))
        values: dict[str, Array | float] = dict(geometry)
        for n, j in enumerate(robot.tree_joints):
            values[robot.variable(j)] = np.array([position[robot.variable(j)] for position in positions])
            values[_rate(j)] = np.array([v[n] for v in velocities])
        columns = evaluate_arrays(self.functions.values(), values)
        table: Array = np.column_stack([np.broadcast_to(column, len(positions)) for column in columns])
        half = len(positions) // 2
        return table[:half] - table[half : 2 * half]


def exact_entries(robot: Robot, graph: Graph) -> dict[Expr, Expr]:
    """The description in another graph, its decimal numbers as fractions, so that what is equal stays equal."""
    entries = list(dict.fromkeys(value for _, _, value in robot.entries()))
    decimals = {
        node: graph.number(Fraction(repr(node.value)))
        for node in reachable(entries)
        if node.op == "number" and isinstance(node.value, float)
    }
    return dict(zip(entries, rebuild(entries, graph, decimals), strict=True))


def _rate(j: int) -> str:
    return f"rate of joint {j}"  # never a name that a description can hold


@dataclass(frozen=True)
class Dependence:
    """Which columns of a matrix depend on those before them, and how."""

    independent: list[int]
    dependent: list[int]
    weights: Array  #: dependent columns = independent columns @ weights
    tolerance: float
    smallest_kept: float
    largest_dropped: float

    @property
    def clear(self) -> bool:
        """Whether the residuals leave no doubt about the rank."""
        return self.largest_dropped < 0.01 * self.smallest_kept


def dependence(matrix: Array) -> Dependence:
    """QR by Gram-Schmidt, each column orthogonalized twice, in the given order of columns.

    A column depends on those before it if what is left of it is below the tolerance, in parts of its length.
    """
    tolerance = 1e4 * max(matrix.shape) * float(np.finfo(float).eps)
    basis = np.zeros((matrix.shape[0], 0))
    independent: list[int] = []
    dependent: list[int] = []
    kept, dropped = [1.0], [0.0]
    largest = float(np.max(np.linalg.norm(matrix, axis=0), initial=1e-300))
    for column in range(matrix.shape[1]):
        length = float(np.linalg.norm(matrix[:, column]))
        if length <= tolerance * largest:
            dependent.append(column)
            continue
        unit = matrix[:, column] / length
        rest = unit - basis @ (basis.T @ unit)
        rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > tolerance:
            independent.append(column)
            kept.append(size)
            basis = np.column_stack([basis, rest / size])
        else:
            dependent.append(column)
            dropped.append(size)
    solution = np.linalg.lstsq(matrix[:, independent], matrix[:, dependent], rcond=None)[0]
    return Dependence(
        independent, dependent, np.asarray(solution, dtype=np.float64), tolerance, min(kept), max(dropped)
    )
