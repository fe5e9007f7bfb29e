"""The steps of a closed-form solution as assignments, which each language prints in nested loops.

An unknown angle is represented by its cosine and sine: steps compute these without trigonometric functions, sums of
angles are expanded, and atan2 is called once per angle, when a solution is stored.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph, Level, Printer, Style, numeric_value, reachable
from robosym.errors import InputError
from robosym.languages.header import UNITS, named_entries, provenance
from robosym.languages.language import find_language
from robosym.languages.program import double
from robosym.model.solution.expanded_angles import Turn, turned, without_angles
from robosym.model.solution.recipe import Recipe, StepsRecipe, by_graph
from robosym.model.solution.steps import Step
from robosym.safe_text import comment, identifier

__all__ = [
    "ARGUMENTS", "KERNELS", "SolutionBlock", "SolutionProgram", "describe_solution", "given", "last_states",
    "number_rows", "solution_name", "strength",
]  # fmt: skip

#: Helper function per form of equation; "difference" needs none.
KERNELS = {
    "sine": "sine", "pair": "pair", "linear": "linear", "quadratic": "roots", "quartic": "roots", "sine2": "sine2",
}  # fmt: skip
#: Argument name of each input group.
ARGUMENTS = {"T": "T", "q": "q_known", "parameters": "parameters"}


def strength(form: str, k: str, hypot: str) -> str:
    """Return the expression a step divides by, in terms of the array `k` of its coefficients."""
    if form == "sine":
        return f"{hypot}({k}[0], {k}[1])"
    return f"{k}[0]*{k}[4] - {k}[1]*{k}[3]" if form == "pair" else f"{k}[1]"


def solution_name(recipe: Recipe, given: str = "") -> str:
    """Return the function name: the given one, or robot and method."""
    if not given:
        return identifier(f"{recipe.name}_{recipe.kind}")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", given) or given in find_language("cpp").reserved:
        raise InputError(f"name: expected an identifier that is not reserved, found {given!r}")
    return given


def describe_solution(recipe: Recipe) -> list[str]:
    """Return the lines of the header comment: title, provenance, arguments and results."""
    meaning = {
        "T": f"desired pose{f' of {recipe.goal}' if recipe.goal else ''}, a 4x4 matrix row by row",
        "q": "known joints",
        "parameters": "parameters",
    }
    lines = [f"{recipe.name}: {recipe.title}", "", *provenance(recipe.robot), "", UNITS, ""]
    for group, names in recipe.inputs.items():
        entries = f": {' '.join(names)}" if group != "T" else ""
        lines.append(f"in  {ARGUMENTS[group]}: {meaning[group]}{entries}")
    lines.append(f"out q: {' '.join(recipe.outputs)}")
    for text in (recipe.modes, *recipe.geometry.splitlines()):
        lines += textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="    ")
    robot = recipe.robot
    if robot is None:
        return lines
    labels = {variable: joint.name for variable, joint in zip(robot.variables, robot.joints, strict=False)}
    return [*lines, *named_entries(["q"], [labels.get(output, "") for output in recipe.outputs])]


def given(recipe: Recipe) -> str:
    """Return the argument names, separated by commas."""
    return ", ".join(ARGUMENTS[group] for group in recipe.inputs)


def last_states(recipe: Recipe) -> list[str]:
    """Return the lines of the header comment that explain the status codes."""
    rotation = "3 not a rotation, " if recipe.turns else ""
    return [
        f"Status: 0 solved, 1 unreachable, 2 singular (solved; joints are free), {rotation}4 outside the joint limits,",
        "5 an input is not finite or exceeds 1e30.",
    ]


def number_rows(texts: Iterable[str], indent: str = "    ") -> list[str]:
    """Return array entries, wrapped to the line width."""
    return textwrap.wrap(", ".join(texts), 110, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


#: name stems of the loop variables of a step; its number follows
_LOOP_NAMES = tuple("k n v c s i a free mask scale once roots".split())


@dataclass(frozen=True)
class SolutionBlock:
    """The assignments before a step (or the end) and the coefficients of the step's equations."""

    step: Step | None
    statements: tuple[tuple[str, str], ...]
    equations: tuple[tuple[str, ...], ...]  #: the preferred equation and its alternatives
    checks: tuple[str, ...]  #: expressions that are zero for a solution and can be evaluated here

    @property
    def remark(self) -> str:
        """Origin of the step, for a comment."""
        assert self.step is not None
        return comment(f"{self.step.joint}: {self.step.type}, {' and '.join(self.step.origins)}")


class _Turns(Mapping[str, Turn]):
    """Symbols for cosines and sines, created in the graph on first use."""

    def __init__(self, graph: Graph, unknown: Mapping[str, tuple[str, ...]]) -> None:
        self._graph = graph
        self._names = {joint: names for joint, names in unknown.items() if len(names) == 2}

    def __getitem__(self, joint: str) -> Turn:
        c, s = self._names[joint]
        return self._graph.symbol(c, online=True), self._graph.symbol(s, online=True)

    def __contains__(self, joint: object) -> bool:
        return joint in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class SolutionProgram:
    """A solution recipe printed for one language."""

    def __init__(self, recipe: StepsRecipe, style: Style, reserved: frozenset[str]) -> None:
        self.recipe = recipe
        # loop variables of each step
        loops = {f"{stem}{n}" for stem in _LOOP_NAMES for n in range(len(recipe.steps) + 2)}
        self._taken = set(reserved) | loops
        self.spelled = {name: self._fresh(name) for names in recipe.inputs.values() for name in names}
        self.unknown: dict[str, tuple[str, ...]] = {}  #: variables per unknown: (cosine, sine) or (length,)
        for step in recipe.steps:
            if step.joint in recipe.lengths:
                self.unknown[step.joint] = (self._fresh(step.joint),)
            else:
                self.unknown[step.joint] = (self._fresh(f"c_{step.joint}"), self._fresh(f"s_{step.joint}"))
        self._graph = Graph()
        self._uses: Counter[Expr] = Counter()
        self._named: dict[Expr, tuple[str, bool]] = {}
        self._count = 0
        self._kept: set[Expr] = set()  # nodes printed in a scope that all later blocks share
        self._printer = Printer(style, self._named.get)
        roots = self._roots()
        for node in reachable([root for group in roots for root in group]):
            for argument in node.args:
                self._uses[argument.node] += 1
            if node.op == "symbol":
                self._named[node] = self.spelled.get(node.value, node.value), False
            elif node.level is Level.NUMBER and node.args:
                value = numeric_value(node)
                assert value is not None
                self._named[node] = double(abs(value)), value < 0
        for group in roots:
            for root in group:
                self._uses[root.node] += 1
        self.blocks = self._blocks(roots)
        self.used = {node.value for node in reachable([r for group in roots for r in group]) if node.op == "symbol"}

    @property
    def whole(self) -> bool:
        """Whether all entries of the pose are used, in which case it is orthonormalized first."""
        return "T" in self.recipe.inputs and set(self.recipe.inputs["T"][:11]) - {""} <= self.used

    @property
    def kernels(self) -> set[str]:
        """Names of the required helper functions."""
        found = {KERNELS[step.form] for step in self.recipe.steps if step.form in KERNELS}
        return found | {"store"} | ({"orthonormal"} if self.whole else set())

    def loads(self) -> Iterator[tuple[str, int, str]]:
        """Yield (group, index, name) of every input that is used."""
        for group, names in self.recipe.inputs.items():
            for place, name in enumerate(names):
                if not {name, self.spelled[name]}.isdisjoint(self.used):
                    yield group, place, self.spelled[name]

    def bit(self, step: Step) -> int:
        """Return 2^j if the step computes joint j of the outputs, else 0."""
        return 1 << self.recipe.outputs.index(step.joint) if step.joint in self.recipe.outputs else 0

    def _fresh(self, name: str) -> str:
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        name = f"x{name}" if name.startswith("_") else name
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    # ---------------------------------------------------------------- angles

    def _roots(self) -> list[list[Expr]]:
        """Return the coefficients of each step, then the checks after each step, without unknown angles."""
        recipe = self.recipe
        groups: list[list[Expr]] = []
        turns = _Turns(self._graph, self.unknown)
        for step in recipe.steps:
            flat = [c for equation in step.coefficients for c in equation]
            if step.form == "difference" and step.joint not in recipe.lengths:
                groups.append(list(turned(flat[0], self._graph, turns)))
            else:
                groups.append(without_angles(flat, self._graph, turns))
        last = len(recipe.steps)
        for number in range(1, last + 1):
            vanishing = [value for after, value in recipe.checks if after == number]
            parts = [without_angles(part, self._graph, turns) for part in by_graph(vanishing)]
            groups.append([value for part in parts for value in part])
        return groups

    # ------------------------------------------------------------ statements

    def _blocks(self, roots: list[list[Expr]]) -> list[SolutionBlock]:
        recipe = self.recipe
        count = len(recipe.steps)
        blocks = []
        for number, step in enumerate(recipe.steps):
            group = roots[number]
            width = len(group) // len(step.coefficients)
            checks = roots[count + number - 1] if number else []
            statements = self._statements([*checks, *group[:width]])
            checked = tuple(self._printer.text(value) for value in checks)
            first = tuple(self._printer.text(value) for value in group[:width])
            others = []
            for k in range(1, len(step.coefficients)):
                part = group[k * width : (k + 1) * width]
                self._printer.inline(node for node in reachable(part) if node not in self._printer.pieces)
                others.append(tuple(self._printer.text(value) for value in part))
            for k in range(1, len(step.coefficients)):  # printed in an inner scope: forget
                for node in reachable(group[k * width : (k + 1) * width]):
                    if node not in self._kept:
                        self._printer.pieces.pop(node, None)
            blocks.append(SolutionBlock(step, statements, (first, *others), checked))
        last = roots[-1]
        statements = self._statements(last)
        blocks.append(SolutionBlock(None, statements, (), tuple(self._printer.text(value) for value in last)))
        return blocks

    def _statements(self, roots: Sequence[Expr]) -> tuple[tuple[str, str], ...]:
        statements = []
        for node in reachable(roots):
            if node in self._kept or node.op == "symbol":
                continue
            self._kept.add(node)
            if node in self._named:
                continue
            if node.args and (self._uses[node] > 1 or node.op not in ("add", "mul", "div")):
                self._count += 1
                text = self._printer.definition(node, False)
                name = self._fresh(f"x{self._count}")
                self._named[node] = name, False
                statements.append((name, text))
            else:
                self._printer.inline([node])
        return tuple(statements)
