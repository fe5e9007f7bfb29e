"""What is wrong with a draft: every cell that cannot be read, else what the robot as a whole lacks; and what is odd."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from robosym.app.session.draft import Draft, robot_of, symbols_of
from robosym.app.session.grid import Grid
from robosym.app.session.problems import CellProblem, cell_message, located, place, remedy, sentence
from robosym.errors import Error, RobotWarning
from robosym.mechanism import Robot

__all__ = ["cell_problem", "checked", "heard", "odd", "with_remedy"]


def cell_problem(grid: Grid, row: int, column: str, text: str) -> CellProblem | None:
    """What is wrong with the text of a cell by itself."""
    own = grid.column(column)
    message = cell_message(own.kind, text, own.usual)
    return CellProblem(grid.key, row, column, sentence(message), place(grid, row, column)) if message else None


def checked(draft: Draft, tables: list[Grid]) -> tuple[Robot | None, list[CellProblem]]:
    """The robot of a draft, or none, and what is wrong: every cell that cannot be read, else what the robot lacks."""
    cells = [
        cell_problem(grid, row, column.key, grid.read(row, column.key))
        for grid in tables
        for row in range(len(grid.labels))
        for column in grid.columns
        if not grid.locked(row, column.key)
    ]
    found = [problem for problem in cells if problem is not None]
    if found:
        return None, found
    try:
        with heard() as remarks:
            robot = robot_of(draft)
    except Error as error:
        return None, _in_modules(draft, tables)[:1] or [located(error, tables)]
    return robot, odd(draft, tables, remarks)


def odd(draft: Draft, tables: list[Grid], remarks: list[RobotWarning]) -> list[CellProblem]:
    """What is odd, at its cells."""
    inside = _in_modules(draft, tables) if remarks else []
    return inside or [
        located(remark, tables, is_warning=True) for remark in {str(one): one for one in remarks}.values()
    ]


def _in_modules(draft: Draft, tables: list[Grid]) -> list[CellProblem]:
    """What is wrong or odd with a module of a hybrid robot by itself: there frames are numbered anew."""
    found = []
    for k, module in enumerate(draft.get("modules", ()), 1):
        own = [table for table in tables if table.key.startswith(f"module{k}.")]
        alone = {key: item for key, item in module.items() if key not in ("place", "suffix", "end", "values")}
        alone |= {"name": f"module{k}", "gravity": draft.get("gravity", ["0", "0", "0"])}
        remarks: list[RobotWarning] = []
        try:
            with heard() as remarks:
                robot_of(alone)
        except Error as error:
            problem = located(error, own)
            found += [problem] if problem.table else []
        found += [one for one in (located(remark, own, is_warning=True) for remark in remarks) if one.table]
    return found


def with_remedy(problem: CellProblem, tables: list[Grid], robot: Robot, text: str | None = None) -> CellProblem:
    """The problem with a remedy where one is certain; `text` is what stands in the cell where it is only tried."""
    grid = next((table for table in tables if table.key == problem.table), None)
    if grid is None or problem.remedy or problem.column not in [column.key for column in grid.columns]:
        return problem
    taken = set(robot.parameters) | {
        name
        for table in tables
        if table.key.rpartition(".")[2] == "frames"
        for row in range(len(table.labels))
        for key in ("theta", "r")
        if (table.key, row, key) != (problem.table, problem.row, problem.column)
        for name in symbols_of(table.read(row, key))
    }
    text = grid.read(problem.row, problem.column) if text is None else text
    return replace(problem, remedy=remedy(problem, grid.column(problem.column), text, problem.row, taken))


@contextmanager
def heard() -> Iterator[list[RobotWarning]]:
    """What is odd in a description, as it is said; it is told with the tables, not on the terminal."""
    remarks: list[RobotWarning] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RobotWarning)
        yield remarks
    remarks += [one.message for one in told if isinstance(one.message, RobotWarning)]
