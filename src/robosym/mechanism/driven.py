"""A robot whose joints are driven together: q = K qc + q0, qc being what the motors turn (guide 1.3).

Its models are functions of qc and its rates, and their efforts are those of the motors, K^T of those of the joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robosym.algebra import Expr, Graph, Number, numeric_value, symbols
from robosym.errors import InputError
from robosym.mechanism.edit import entry
from robosym.mechanism.kinds import hand_over
from robosym.mechanism.robot import Robot

__all__ = ["Driven", "driven"]

_SINGULAR = 1e-12  #: a smaller pivot means that the matrix cannot be inverted

_MODELS = (
    "inverse_dynamics", "direct_dynamics", "inertia_matrix", "bias_torques", "gravity_torques", "direct_geometry",
    "transform", "jacobian", "velocities", "accelerations", "dynamic_identification",
    "friction_torques",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Driven:
    """A robot and its transmission; build one with `Robot.with_transmission`."""

    robot: Robot  #: in its joints
    K: tuple[tuple[Expr, ...], ...]  #: a row for each joint of the tree, a column for each motor
    q0: tuple[Expr, ...]  #: the joints where the motors are at zero

    @property
    def name(self) -> str:
        return self.robot.name

    @property
    def motors(self) -> int:
        return len(self.K[0])

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The variables of the motors, in the order of `q`."""
        return tuple(f"qc{k}" for k in range(1, self.motors + 1))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every symbol of the description and of the transmission that is not a joint variable."""
        own = symbols([*(value for row in self.K for value in row), *self.q0])
        return tuple(dict.fromkeys([*self.robot.parameters, *own]))

    def with_values(self, values: Mapping[str, Number | str]) -> Driven:
        """The same with symbols of the robot replaced; those of the transmission stay."""
        return replace(self, robot=self.robot.with_values(values))

    def with_inputs(self, *inputs: str, link: int | str | None = None) -> Driven:
        """Return the robot whose gravity, base orientation or payload stay inputs; see `Robot.with_inputs`."""
        return replace(self, robot=self.robot.with_inputs(*inputs, link=link))


def driven(robot: Robot, K: Sequence[Sequence[Any]], q0: Sequence[Any] | None = None) -> Driven:
    """The robot with joints q = K qc + q0; no more motors than joints, and none without effect.

    Joints that are coupled to others follow these: K and q0 may leave their rows out, or give rows that agree.
    """
    joints = len(robot.tree_joints)
    if robot.loops or robot.base.kind != "fixed" or any(joint.eta for joint in robot.joints):
        raise InputError(f"a transmission needs a robot without loops and springs, on a fixed base; found {robot.name}")
    rows = [list(row) if not isinstance(row, str) else [] for row in K] if not isinstance(K, str) else []
    width = len(rows[0]) if rows else 0
    offsets: list[Any] | None = None if q0 is None else list(q0)
    if robot.couplings:
        robot, rows, offsets = _uncoupled(robot, rows, offsets)
    if len(rows) != joints or not 1 <= width <= joints or any(len(row) != width for row in rows):
        found = f"{len(rows)} rows of {', '.join(str(n) for n in dict.fromkeys(map(len, rows))) or '0'}"
        raise InputError(f"K: expected {joints} rows, a joint each, of at most {joints} motors; found {found}")
    offsets = [0] * joints if offsets is None else offsets
    if len(offsets) != joints:
        raise InputError(f"q0: expected {joints} entries, a joint each, found {len(offsets)}")
    graph = Graph()
    matrix = tuple(tuple(entry(value, graph, "K") for value in row) for row in rows)
    made = Driven(robot, matrix, tuple(entry(value, graph, "q0") for value in offsets))
    for value in (*(v for row in matrix for v in row), *made.q0):
        for name in symbols([value]):
            if name in robot.variables or name in made.joint_names:
                raise InputError(f"{name} is a joint variable and cannot be in a transmission")
    for j in robot.tree_joints:
        if robot.joint(j).QP.name is None or robot.joint(j).QDP.name is None:
            raise InputError(f"a transmission needs symbols for the motion of the joints: QP{j} or QDP{j} is none")
    numbers = [[numeric_value(value) for value in row] for row in matrix]
    if all(value is not None for row in numbers for value in row) and _rank(numbers) < width:
        raise InputError("K: expected independent columns: a motor has no effect of its own")
    return made


def _uncoupled(
    robot: Robot, rows: Sequence[Sequence[Any]], offsets: Sequence[Any] | None
) -> tuple[Robot, list[list[Any]], list[Any]]:
    """The tree of a robot with couplings, whose coupled joints the transmission turns: rows and offsets of all joints.

    The work of all joints is that of the motors, so that efforts still go by K^T.
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
            told = [*own[name], *([] if offsets is None else [place[name]])]
            follows = [*row, *([] if offsets is None else [at])]
            if not all(_agree(a, b) for a, b in zip(told, follows, strict=True)):
                raise InputError(f"K: the row of {name} contradicts its coupling: leave out rows of coupled joints")
        own[name], place[name] = row, at
    tree = replace(robot, couplings={})
    return tree, [own[name] for name in names], [place[name] for name in names]


def _agree(one: Expr, other: Expr) -> bool:
    difference = one - other
    number = numeric_value(difference)
    return difference.is_zero if number is None else abs(number) <= _SINGULAR * max(1.0, abs(numeric_value(one) or 0.0))


def _rank(rows: Any) -> int:
    """By elimination with the largest pivot: a matrix of a few joints needs no library."""
    left, rank = [list(map(float, row)) for row in rows], 0
    for column in range(len(left[0])):
        pivot = max(left[rank:], key=lambda row: abs(row[column]), default=None)
        if pivot is None or abs(pivot[column]) < _SINGULAR:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        for row in left[rank + 1 :]:
            factor = row[column] / pivot[column]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        rank += 1
    return rank


hand_over(Driven, dict.fromkeys(_MODELS, "robosym.parameters.motor_models"))
