"""Transmission between motors and joints: q = K qc + q0, with the motor positions qc (guide 1.3).

The models of a robot with a transmission are functions of qc and its derivatives. The efforts of the motors are K^T
times those of the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from robosym.algebra import Expr, Graph, numeric_value, symbols
from robosym.algebra.tolerances import PIVOT
from robosym.errors import InputError
from robosym.mechanism.edit import entry

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["Transmission", "with_transmission"]


@dataclass(frozen=True, slots=True)
class Transmission:
    """Matrix of a transmission, and joint positions at zero of the motors."""

    K: tuple[tuple[Expr, ...], ...]  #: one row per joint of the tree, one column per motor
    q0: tuple[Expr, ...]

    @property
    def motors(self) -> int:
        """Number of motors."""
        return len(self.K[0])

    @property
    def motor_names(self) -> tuple[str, ...]:
        """Variables of the motors, in the order of `q`."""
        return tuple(f"qc{k}" for k in range(1, self.motors + 1))

    def entries(self) -> Iterator[tuple[str, Expr]]:
        """Iterate over the entries of K and q0 with their names."""
        for r, row in enumerate(self.K, 1):
            for c, value in enumerate(row, 1):
                yield f"K[{r},{c}]", value
        for r, value in enumerate(self.q0, 1):
            yield f"q0[{r}]", value

    def through(self, image: Callable[[Expr], Expr]) -> Transmission:
        """Return the transmission with `image` applied to its entries."""
        return Transmission(tuple(tuple(map(image, row)) for row in self.K), tuple(map(image, self.q0)))


def with_transmission(robot: Robot, K: Sequence[Sequence[object]], q0: Sequence[object] | None = None) -> Robot:
    """Return the robot with joints q = K qc + q0; see `Robot.with_transmission`.

    Rows of coupled joints may be omitted in K and q0; given rows must agree with the couplings.
    """
    joints = len(robot.tree_joints)
    if robot.loops or robot.modules or robot.base.kind != "fixed" or any(joint.eta for joint in robot.joints):
        raise InputError(f"{robot.name}: transmission: expected a fixed base, and neither loops nor elastic joints")
    rows = [list(row) if not isinstance(row, str) else [] for row in K] if not isinstance(K, str) else []
    width = len(rows[0]) if rows else 0
    offsets: list[object] | None = None if q0 is None else list(q0)
    if robot.couplings:
        robot, rows, offsets = _uncoupled(robot, rows, offsets)
    if len(rows) != joints or not 1 <= width <= joints or any(len(row) != width for row in rows):
        found = f"{len(rows)} rows of {', '.join(str(n) for n in dict.fromkeys(map(len, rows))) or '0'}"
        raise InputError(f"K: expected {joints} rows of at most {joints} entries, found {found} (joints x motors)")
    offsets = [0] * joints if offsets is None else offsets
    if len(offsets) != joints:
        raise InputError(f"q0: expected {joints} entries, found {len(offsets)} (one per joint)")
    graph = Graph()
    robot = robot.in_joints().in_graph(graph)
    matrix = tuple(tuple(entry(value, graph, "K") for value in row) for row in rows)
    made = Transmission(matrix, tuple(entry(value, graph, "q0") for value in offsets))
    for value in (*(v for row in matrix for v in row), *made.q0):
        for name in symbols([value]):
            if name in robot.variables or name in made.motor_names:
                raise InputError(f"{name} is a joint variable: expected parameters in a transmission")
    for j in robot.tree_joints:
        if robot.joint(j).QP.name is None or robot.joint(j).QDP.name is None:
            raise InputError(f"transmission: joint {j}: expected symbols for QP{j} and QDP{j}, found a value")
    numbers = [[numeric_value(value) for value in row] for row in matrix]
    if all(value is not None for row in numbers for value in row) and _rank(numbers) < width:
        raise InputError("K: expected linearly independent columns: each motor must have an effect of its own")
    return replace(robot, transmission=made)


def _uncoupled(
    robot: Robot, rows: Sequence[Sequence[object]], offsets: Sequence[object] | None
) -> tuple[Robot, list[list[object]], list[object]]:
    """Return the tree of a robot with couplings, and rows and offsets of all joints, coupled ones included.

    The power of all joints equals that of the motors, so that efforts are still multiplied by K^T.
    """
    names = [robot.variable(j) for j in robot.tree_joints]
    free = [name for name in names if name not in robot.couplings]
    width = len(rows[0]) if rows else 0
    given = names if len(rows) == len(names) else free
    if len(rows) != len(given) or not 1 <= width <= len(free) or any(len(row) != width for row in rows):
        raise InputError(
            f"K: expected {len(free)} rows, of the joints {', '.join(free)} that are not coupled, or {len(names)} of "
            f"all joints, for at most {len(free)} motors; found {len(rows)} rows of {width}"
        )
    if offsets is not None and len(offsets) != len(given):
        raise InputError(f"q0: expected {len(given)} entries, one per row of K, found {len(offsets)}")
    graph = Graph()
    own = dict(zip(given, ([entry(value, graph, "K") for value in row] for row in rows), strict=True))
    zeros = [0] * len(given) if offsets is None else offsets
    place = dict(zip(given, (entry(value, graph, "q0") for value in zeros), strict=True))
    zero = graph.zero
    for name, coupling in robot.couplings.items():
        row = [sum((own[n][k] * r for n, r in coupling.ratios.items()), start=zero) for k in range(width)]
        at = sum((place[n] * r for n, r in coupling.ratios.items()), start=zero + coupling.offset)
        if given is names:
            written = [*own[name], *([] if offsets is None else [place[name]])]
            follows = [*row, *([] if offsets is None else [at])]
            if not all(_agree(a, b) for a, b in zip(written, follows, strict=True)):
                raise InputError(f"K: the row of {name} contradicts its coupling: omit the rows of coupled joints")
        own[name], place[name] = row, at
    tree = replace(robot, couplings={})
    return tree, [[*own[name]] for name in names], [place[name] for name in names]


def _agree(one: Expr, other: Expr) -> bool:
    difference = one - other
    number = numeric_value(difference)
    return difference.is_zero if number is None else abs(number) <= PIVOT * max(1.0, abs(numeric_value(one) or 0.0))


def _rank(rows: Sequence[Sequence[float | None]]) -> int:
    """Return the rank by Gaussian elimination with complete pivoting; the matrix is small."""
    left, rank = [[float(x or 0.0) for x in row] for row in rows], 0
    for column in range(len(left[0])):
        pivot = max(left[rank:], key=lambda row: abs(row[column]), default=None)
        if pivot is None or abs(pivot[column]) < PIVOT:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        for row in left[rank + 1 :]:
            factor = row[column] / pivot[column]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        rank += 1
    return rank
