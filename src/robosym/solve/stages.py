"""Loops solved one after the other: each is a chain that must close, from its fixed frame around to its cut joint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robosym.algebra import Expr, Graph, reachable, substitute
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import TIGHTLY
from robosym.chains.chain import JointChain, PoseProblem, closing_problem, known_at_once
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.numeric_chain import NumericChain, Solver, distinct
from robosym.chains.paul import closed_form, closed_form_solver
from robosym.coordinates.loops import Loop, loop_chain, loops_of
from robosym.coordinates.reference import remembered
from robosym.mechanism import Robot
from robosym.model.solution.book_steps import BookStep, book_steps
from robosym.model.solution.recipe import Recipe
from robosym.model.solution.steps import Step, Variable, latex_steps
from robosym.solve.general import GeneralStep, general_solver

__all__ = ["Branch", "SharedClosedForms", "SolvedInSteps", "Stage", "once", "run_stages", "stages", "steps_of_loops"]

_TRIES = 40
_POINTS, _STARTS = 3, 16  #: number of samples of the known joints and parameters, and of start positions for each


class SolvedInSteps(ABC):
    """Joints that are solved in steps, which can be explained and printed."""

    if TYPE_CHECKING:  # a field of one class, a property of the other

        @property
        def steps(self) -> tuple[Step | GeneralStep, ...]: ...

    @property
    def closed_steps(self) -> tuple[Step, ...]:
        """The steps of a closed form."""
        return tuple(step for step in self.steps if isinstance(step, Step))

    @abstractmethod
    def explain(self) -> str: ...

    @abstractmethod
    def recipe(self, name: str = "") -> Recipe:
        """Return the program that the languages print, named after the robot or as given."""

    def __str__(self) -> str:
        return self.explain()

    def latex(self) -> str:
        """Return the steps as an `align*` environment."""
        return latex_steps(self.steps)

    def _repr_latex_(self) -> str:
        return self.latex()

    def code(self, language: str = "c", name: str = "") -> str:
        """Return source code that computes all solutions (all assembly modes of loops), named `<robot>_<method>`.

        C (with "h", its header), C++ and Python take singular poses too; "listing" and "latex" print the steps, all
        other languages the straight-line model `branches`.
        """
        return self.recipe().code(language, name=name)

    def write(self, path: str | Path, language: str | None = None, name: str = "") -> list[Path]:
        """Write the function, in the language of the extension, and the header beside a C file; gives the paths."""
        return self.recipe().write(path, language, name=name)


@dataclass(frozen=True)
class Stage:
    """Solution of one loop from the joints that are known before it."""

    robot: Robot
    loop: Loop
    problem: PoseProblem
    solver: Solver
    steps: tuple[Step | GeneralStep, ...]
    method: str
    idle: tuple[str, ...]  #: joints that the loop leaves free, put to 0

    @property
    def unknown(self) -> tuple[str, ...]:
        return self.problem.unknown


@dataclass(frozen=True)
class Branch:
    """A partially computed assembly mode: its input, the joints known so far, its error and its free joints."""

    row: int
    values: dict[str, float]
    error: float = 0.0
    free: tuple[str, ...] = ()


def run_stages(
    stages: Sequence[Stage],
    branches: list[Branch],
    parameters: Mapping[str, float],
    tolerance: float,
    wanted: Sequence[str] | None = None,
) -> list[Branch]:
    """Extend every branch by the solutions of the loops. A loop may split a branch or end it.

    With `wanted`, branches that differ neither in these joints nor in any that a later loop needs are merged.
    """
    for number, stage in enumerate(stages, 1):
        if not branches:
            return []
        names = stage.problem.chain.names
        q = np.array([[branch.values.get(name, 0.0) for name in names] for branch in branches])
        T = np.broadcast_to(np.eye(4), (len(branches), 4, 4)).copy()
        found = stage.solver.solve(T, q, parameters, np.full(len(branches), tolerance))
        grown = []
        for branch, known in zip(branches, found, strict=True):
            for solution, error, places in zip(known.q, known.errors, known.free, strict=True):
                values = {**branch.values, **dict(zip(names, map(float, solution), strict=True))}
                loose = (*branch.free, *stage.idle, *(names[place] for place in places))
                grown.append(Branch(branch.row, values, max(branch.error, float(error)), loose))
        branches = grown
        if wanted and branches:
            later = {name for other in stages[number:] for name in other.problem.chain.names}
            needed = [name for name in branches[0].values if name in later or name in wanted]
            table = np.array([[branch.values[name] for name in needed] for branch in branches])
            branches = [branches[k] for k in once(table, needed, stage.robot)]
    return branches


def once(table: Array, names: Sequence[str], robot: Robot) -> list[int]:
    """Return which rows of joint values differ from all preceding ones, with angles modulo full turns."""
    types = dict(zip(robot.variables, robot.frames, strict=True))
    slides = np.array([types[name].joint_type.slides for name in names], dtype=bool)
    length = max(1.0, float(np.abs(table[:, slides]).max(initial=0.0)))
    return [int(row) for row in distinct(table, slides, length)]


def steps_of_loops(loops: Sequence[Stage], before: Sequence[BookStep] = ()) -> list[BookStep]:
    """Return steps in the notation of the book, followed by those of the loops with their headings."""
    found = list(before)
    for stage in loops:
        heading = f"Loop of frames {stage.loop.cut} and {stage.loop.fixed}"
        found += book_steps(stage.steps, len(found) + 1, heading)
    return found


def stages(robot: Robot, known: Sequence[str]) -> tuple[list[Stage], list[Loop]]:
    """Return the loops in an order in which each can be solved separately, and the remaining ones."""
    what = f"stages from {' '.join(sorted(known))}"
    found: tuple[list[Stage], list[Loop]] = remembered(robot, what, lambda: _stages(robot, known), "_derivations")
    return found


def _stages(robot: Robot, known: Sequence[str]) -> tuple[list[Stage], list[Loop]]:
    done = set(known)
    left = list(loops_of(robot))
    alike = SharedClosedForms()
    result: list[Stage] = []
    while left:
        sizes = {loop: _names(robot, loop) - done for loop in left}
        for loop in sorted(left, key=lambda loop: len(sizes[loop])):
            if not sizes[loop]:
                left.remove(loop)  # nothing is unknown: it only has to close
                break
            shared = {name for other in left if other != loop for name in _names(robot, other)} - done
            stage = _stage(robot, loop, done, shared, alike)
            if stage is not None:
                result.append(stage)
                done |= {*stage.unknown, *stage.idle}
                left.remove(loop)
                break
        else:
            return result, left
    return result, []


def _names(robot: Robot, loop: Loop) -> set[str]:
    return set(loop_chain(robot, loop).names)


def _stage(robot: Robot, loop: Loop, done: set[str], shared: set[str], alike: SharedClosedForms) -> Stage | None:
    """Return the stage of a loop; None if it leaves a joint free that another loop shares."""
    chain = loop_chain(robot, loop)
    unknown = [name for name in chain.names if name not in done]
    finder = _Finder(unknown)
    problem = closing_problem(chain, unknown, finder.find)
    if problem is None or finder.rank > len(unknown):
        return None
    surplus = len(unknown) - finder.rank
    if surplus and finder.loose & shared:
        return None
    if not surplus:
        return _solved(robot, loop, problem, (), alike)
    for idle in combinations(reversed([name for name in unknown if name in finder.loose]), surplus):
        rest = [name for name in unknown if name not in idle]
        finder = _Finder(rest, idle)
        problem = closing_problem(chain, rest, finder.find)
        stage = None if problem is None or finder.rank < len(rest) else _solved(robot, loop, problem, idle, alike)
        if stage is not None:
            return stage
    return None


def _solved(
    robot: Robot, loop: Loop, problem: PoseProblem, idle: tuple[str, ...], alike: SharedClosedForms
) -> Stage | None:
    short, unknown = known_at_once(problem), problem.unknown
    before = alike.steps(short)
    if before is not None:
        return Stage(robot, loop, problem, closed_form_solver(problem, before), before, "paul", idle)
    equations = MatrixEquations(short)
    for quartic in (False, True):
        steps = closed_form(equations, quartic)
        if steps is not None:
            if not quartic:
                alike.keep(short, steps)
            solver = closed_form_solver(problem, steps)
            return Stage(robot, loop, problem, solver, steps, "pieper" if quartic else "paul", idle)
    if len(unknown) <= 6:
        solver, general, _ = general_solver(problem)
        return Stage(robot, loop, problem, solver, general, "general", idle)
    return None


class _Finder:
    """Moves sampled joints to positions in which a loop closes, and counts the unknowns that it fixes there."""

    def __init__(self, unknown: Sequence[str], idle: Sequence[str] = ()) -> None:
        self.unknown = list(unknown)
        self.idle = list(idle)
        self.rank = 0
        self.loose: set[str] = set()

    def find(self, chain: JointChain) -> dict[str, Array] | None:
        """Return values of parameters and joints at a few points, in every assembly mode found there.

        With points of a single mode, equations would be accepted that hold in no other mode: opposite sides of a
        parallelogram are parallel, those of the crossed linkage of the same rods are not.
        """
        rng = random_arrays("loops solved by stages")
        points: list[dict[str, float]] = []
        for _ in range(_POINTS):
            for _ in range(_TRIES):
                values = {name: float(rng.uniform(0.4, 2.0)) for name in chain.parameters}
                modes = self._closed(chain, values, rng)
                if len(modes):
                    break
            else:
                return None
            points += [values | dict(zip(chain.names, map(float, q), strict=True)) for q in modes]
        return {name: np.array([point[name] for point in points]) for name in points[0]}

    def _closed(self, chain: JointChain, values: Mapping[str, float], rng: np.random.Generator) -> Array:
        """Return the most regular closed position, and other positions that close with the same known joints."""
        names = chain.names
        part = NumericChain.of(chain, values, "snaP", self.unknown)
        everything = NumericChain.of(chain, values, "snaP", [name for name in names if name not in self.idle])
        sizes = np.where(everything.prismatic, everything.length, np.pi)
        sizes[[names.index(name) for name in self.idle]] = 0.0
        q = _settled(everything, rng.uniform(-1, 1, (_STARTS, len(names))) * sizes)
        if not len(q):
            return q
        measured = [part.rank(row) for row in q]
        best = max(range(len(q)), key=lambda row: measured[row][0])
        self.rank = max(self.rank, measured[best][0])
        self.loose |= {names[place] for place in measured[best][1]}
        if measured[best][0] < len(self.unknown):
            return q[best : best + 1]  # the first position of a continuum
        others = np.tile(q[best], (_STARTS, 1))
        others[:, part.unknown] = (rng.uniform(-1, 1, others.shape) * sizes)[:, part.unknown]
        modes = np.concatenate([q[best : best + 1], _settled(part, others)])
        modes = modes[distinct(modes, part.prismatic, part.length)]
        ranks = np.array([part.rank(row)[0] for row in modes])
        return np.asarray(modes[ranks == ranks[0]])


def _settled(chain: NumericChain, starts: Array) -> Array:
    """Return the closed positions reached from some starts; joints that are not unknowns do not move."""
    q, errors = chain.polish(starts, np.broadcast_to(np.eye(4), (len(starts), 4, 4)), turns=40)
    return np.asarray(q[errors < TIGHTLY * max(1.0, chain.length)])


# -------------------------------------------------------------------------- problems that differ in names alone


class SharedClosedForms:
    """Cache of closed forms, shared by problems that differ only in the names of their symbols."""

    def __init__(self) -> None:
        self._solved: dict[object, tuple[list[str], tuple[Step, ...]]] = {}

    def keep(self, problem: PoseProblem, steps: tuple[Step, ...]) -> None:
        key, names = _form(problem)
        self._solved[key] = names, steps

    def steps(self, problem: PoseProblem) -> tuple[Step, ...] | None:
        """Return the steps of a problem that was solved with other names."""
        key, names = _form(problem)
        if key not in self._solved:
            return None
        before, steps = self._solved[key]
        called = dict(zip(before, names, strict=True))
        for step in steps:  # names of sums of joints
            if step.joint not in called:
                called[step.joint] = _name(step.variable, called)
        return tuple(_renamed(step, called, problem.chain.graph) for step in steps)


def _form(problem: PoseProblem) -> tuple[object, list[str]]:
    """Return the chain with symbols numbered by occurrence, and their names in this order."""
    chain = problem.chain
    names = {name: place for place, name in enumerate(chain.names)}
    transforms = (*chain.constants, problem.target)
    entries = [entry for T in transforms for entry in (*(x for row in T.A.rows for x in row), *T.P)]
    nodes = reachable(entries)
    place = {node: at for at, node in enumerate(nodes)}

    def reference(e: Expr) -> tuple[int, bool]:
        return place[e.node], e.negative

    table = []
    for node in nodes:
        value = names.setdefault(node.value, len(names)) if node.op == "symbol" else node.value
        table.append((node.op, value, *map(reference, node.args)))
    joints = tuple((j.prismatic, j.sign, j.name in problem.unknown) for j in chain.joints)
    return (problem.given, joints, tuple(table), tuple(map(reference, entries))), list(names)


def _name(variable: Variable, called: Mapping[str, str]) -> str:
    (first, _), *rest = variable.terms
    name = called[first] + "".join(f"{'p' if sign > 0 else 'm'}{called[other]}" for other, sign in rest)
    while name in called.values():
        name += "_"
    return name


def _renamed(step: Step, called: Mapping[str, str], graph: Graph) -> Step:
    symbols = {old: graph.symbol(new) for old, new in called.items()}
    terms = tuple((called[name], sign) for name, sign in step.variable.terms)
    coefficients = tuple(tuple(substitute(row, graph, symbols)) for row in step.coefficients)
    variable = replace(step.variable, terms=terms)
    return replace(step, joint=called[step.joint], variable=variable, coefficients=coefficients)
