"""Manipulability of a frame, sqrt(det(J J^T)) (Yoshikawa), without divisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from robosym.algebra import Expr, Graph
from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["TASKS", "manipulability", "moving_columns", "task_rows"]

#: rows of a Jacobian matrix
TASKS = {"all": (1, 2, 3, 4, 5, 6), "position": (1, 2, 3), "rotation": (4, 5, 6)}
_MOST = 12  #: joints; the minors of more are too many


def task_rows(task: str) -> tuple[int, ...]:
    if task not in TASKS:
        raise InputError(f"task: expected one of {', '.join(map(repr, TASKS))}, found {task!r}")
    return TASKS[task]


def moving_columns(J: Jacobian) -> list[int]:
    """Return the columns of joints that move the frame; in a closed robot some active joints may not."""
    core = J.factors.core
    columns = list(zip(*core.outputs["K"], strict=True))
    return [k for k, names in enumerate(columns) if not all(core.definitions[name].is_zero for name in names)]


@accepts("fixed")
def manipulability(
    robot: Robot,
    link: int | str | None = None,
    task: Literal["all", "position", "rotation"] = "all",
    tool: object = None,
) -> Model:
    """Return the manipulability w = sqrt(det(J J^T)) of a frame; sqrt(det(J^T J)) if joints are fewer than rows.

    By the Cauchy-Binet formula, w^2 is the sum of the squares of all minors of full size. No division occurs, so that
    singular positions give 0.

    Parameters
    ----------
    robot
        Serial or tree-structured robot.
    link
        Number or name of the link. Default: the end of the arm.
    task
        Rows of the Jacobian: `all`, `position` or `rotation`.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    Model
        Output "w", one number per position.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.manipulability(rs.load("ur5e"))
    >>> model.compile()(q=[0, -1.2, 1.4, -1.8, -1.6, 0]).round(4)
    array([0.1048])
    """
    J = jacobian(robot, link, rows=task_rows(task), tool=tool)
    if len(J.joints) > _MOST:
        raise InputError(
            f"manipulability: expected at most {_MOST} joints on the path to the frame, found {len(J.joints)}"
        )
    if len(J.rows) == 6 and len(J.joints) >= 6:
        core = J.factors.core  # rotations and shifts change no minor of all six rows
        layout, definitions = core.outputs["K"], core.definitions
    else:
        layout, definitions = J.outputs["J"], J.definitions
    moving = moving_columns(J)
    entries = [[definitions[row[k]] for k in moving] for row in layout]
    if len(entries) > len(entries[0]):
        entries = [list(column) for column in zip(*entries, strict=True)]
    minors = [minor for minor in _minors(entries, J.graph) if not minor.is_zero]
    if len(minors) == 1:
        w = J.graph.function("abs", minors[0])
    else:
        total = J.graph.zero
        for minor in minors:
            total = total + minor * minor
        w = J.graph.function("sqrt", total)
    words = {"w": f"manipulability of frame {J.link}, {task}"}
    title = f"Manipulability of link {J.link}"
    known = {**J.definitions, "w": w}
    found: Model = replace(J.plain(), kind="man", title=title, outputs={"w": ("w",)}, definitions=known, about=words)
    return found


def _minors(rows: Sequence[Sequence[Expr]], graph: Graph) -> list[Expr]:
    """Return the determinants of all choices of as many columns as rows, by Laplace expansion."""
    rows = sorted(rows, key=lambda row: sum(not entry.is_zero for entry in row))  # zeros first: short sums
    found: dict[tuple[int, ...], Expr] = {(): graph.one}
    for size, row in enumerate(rows, 1):
        larger = {}
        for columns in combinations(range(len(row)), size):
            total = graph.zero
            for place, column in enumerate(columns):
                rest = found[columns[:place] + columns[place + 1 :]]
                total = total + (row[column] * rest).signed((size - 1 + place) % 2 == 1)
            larger[columns] = total
        found = larger
    return list(found.values())
