"""All branches of a closed form as one straight-line model without loops and conditions.

In addition to the solutions, the model returns their reliability: the error of forward substitution, and margins for
the divisor and the discriminant of every step on every branch. Small margins indicate a pose at or near a singularity,
for which the slow path is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph, substitute
from robosym.algebra.matrix import cross, dot
from robosym.algebra.tolerances import SOLVED
from robosym.errors import ExpressionError, InputError
from robosym.model.groups import is_online
from robosym.model.model import Model
from robosym.model.naming import Layout
from robosym.model.solution.expanded_angles import turned, without_angles
from robosym.model.solution.recipe import StepsRecipe, by_graph

__all__ = ["MOST_BRANCHES", "Branches", "is_straight", "printed_branches", "unrolled"]

Root = tuple[Expr, ...]  #: cosine and sine of an angle, or a length

_LAST_ROW = 1e3  #: weight of an error in the last row of a pose relative to an error of the rotation
_CLEAR = 1e-5  #: relative to its typical size, a divisor above this value is not zero
_CLEAR_PAIR = 1e-8  #: the same for two equations, whose divisor is a product of two
_DOUBLE = 2e-7  #: relative to its typical size, a discriminant above this value does not belong to a double root
_BELOW, _ABOVE = 1.5e-7, 1e-9  #: the same for an angle: tolerances for a real root and for a double root
_NO_ROTATION = 1e-6  #: largest square of the distance of a pose from a rotation
MOST_BRANCHES = 64  #: number of branches above which the program is too long


@dataclass(frozen=True)
class Branches:
    """A model of all branches.

    Its outputs are `q` (branches, joints), `errors` (branches), `rotation` (square of the distance of the pose from a
    rotation) and `margins`. A root that is not real, and all values that depend on it, are NaN.
    """

    model: Model
    #: for each margin: the step whose typical size it is compared with (-1 for an absolute value), the relative
    #: threshold, and the power of the size
    weak: tuple[tuple[int, float, int], ...]


def is_straight(recipe: StepsRecipe) -> bool:
    """Return whether no step solves a quartic and the number of branches is small enough."""
    count = 1
    for step in recipe.steps:
        count *= 1 if step.form == "pair" else step.branches
    return count <= MOST_BRANCHES and all(step.form in _ROOTS for step in recipe.steps)


def unrolled(recipe: StepsRecipe, given: str, blur: float = 0.0) -> Branches:
    """Return the model for machine code; `given` are the used columns of the pose, of s, n, a, P.

    A divisor or discriminant below `blur`, relative to its typical size, may be zero if the steps are those of a
    geometry near the true one.
    """
    program = _Unrolled(recipe, given, real=False, blur=blur)
    joints, errors, _ = program.branches()
    margins = program.margins or [program.graph.one]
    groups = {"q": joints, "errors": [errors], "rotation": [[program.rotation]], "margins": [margins]}
    return Branches(program.model(groups), tuple(program.weak) or ((-1, 0.0, 1),))


def printed_branches(recipe: StepsRecipe) -> Model:
    """Return the model for a language: every value is a real number, and each branch has one margin."""
    if not is_straight(recipe):
        raise InputError(f"{recipe.name}: the steps contain quartics: print them in C, C++ or Python")
    program = _Unrolled(recipe, "snaP" if recipe.turns else "P", real=True)
    try:
        joints, errors, margins = program.branches()
    except (ExpressionError, ArithmeticError):
        raise InputError(
            f"{recipe.name}: a branch divides by zero at every pose: print the steps in C, C++ or Python"
        ) from None
    groups = {"solutions": joints, "errors": [errors], "margins": [margins], "status": [[program.status()]]}
    near = " ".join(recipe.geometry.split())
    about = {
        "solutions": ". ".join(filter(None, (f"one row per branch: {' '.join(recipe.outputs)}", recipe.modes, near))),
        "errors": f"error of forward substitution: a branch is a solution only if its error is at most {SOLVED:g}",
        "margins": "below 1: the branch is at or near a singularity and unreliable",
        "status": "0: valid input; no solutions for 3 (the pose is not a rotation) and NaN (an input is not finite)",
    }
    return program.model(groups, about)


class _Unrolled:
    def __init__(self, recipe: StepsRecipe, given: str, real: bool, blur: float = 0.0) -> None:
        self.recipe, self.given, self.real, self.blur = recipe, given, real, blur
        self.graph = graph = Graph()
        taken = {name for names in recipe.inputs.values() for name in names} | {step.joint for step in recipe.steps}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.values: dict[str, Expr] = {}
        self.rotation = graph.zero
        for group, names in recipe.inputs.items():
            if group == "T":
                names = tuple(name or _free(f"{'snaP'[place - 12]}w", taken) for place, name in enumerate(names))
            self.inputs[group] = names
            symbols = [graph.symbol(name, online=is_online(group)) for name in names]
            if group == "T":
                self.rotation, symbols = self._orthonormal(symbols)
            self.values.update(zip(names, symbols, strict=False))
        self.margins: list[Expr] = []
        self.weak: list[tuple[int, float, int]] = []
        self._now = 0  # index of the current step

    def _orthonormal(self, T: list[Expr]) -> tuple[Expr, list[Expr]]:
        """Return the square of the distance of a pose E from a rotation, and E after one iteration E (3 - E^T E)/2."""
        row = [T[12], T[13], T[14], T[15] - 1]
        off = sum((x * x for x in row), self.graph.zero) * _LAST_ROW**2
        axes = ["sna".index(name) for name in self.given if name != "P"]
        columns = {j: [T[4 * i + j] for i in range(3)] for j in axes}
        G = {(i, j): dot(columns[i], columns[j]) - int(i == j) for i in axes for j in axes}
        off = off + sum((x * x for x in G.values()), self.graph.zero)
        E = list(T[:12])
        for j in axes:
            for i in range(3):
                E[4 * i + j] = T[4 * i + j] - sum((T[4 * i + k] * G[k, j] for k in axes), self.graph.zero) / 2
        if len(axes) == 3:
            s, n, a = columns.values()
            determinant = dot(cross(s, n), a) - 1
            off = off + determinant * determinant
        if len(axes) == 2:
            missing = 3 - sum(axes)
            one, two = ([E[4 * i + (missing + k) % 3] for i in range(3)] for k in (1, 2))
            for i, value in enumerate(cross(one, two)):
                E[4 * i + missing] = value
        return off, E

    def branches(self) -> tuple[list[list[Expr]], list[Expr], list[Expr]]:
        """Return joints, error and smallest margin of each branch."""
        found: list[tuple[dict[str, Root], Expr | None]] = [({}, None)]
        for number, step in enumerate(self.recipe.steps):
            self._now = number
            following = []
            for known, least in found:
                angles = {joint: (root[0], root[1]) for joint, root in known.items() if len(root) == 2}
                values = {**self.values, **{joint: root[0] for joint, root in known.items() if len(root) == 1}}
                before = len(self.margins)
                if step.form == "difference" and step.joint not in self.recipe.lengths:
                    roots: list[Root] = [turned(step.coefficients[0][0], self.graph, angles, values)]
                else:
                    k = without_angles(step.coefficients[0], self.graph, angles, values)
                    roots = _ROOTS[step.form](self, k)
                if self.real:
                    least = self._least(least, before)
                following += [({**known, step.joint: root}, least) for root in roots]
            found = following
        joints = [self._joints(known) for known, _ in found]
        rows = [[all_of[name] for name in self.recipe.outputs] for all_of in joints]
        return rows, [self._error(all_of) for all_of in joints], [least or self.graph.one for _, least in found]

    def status(self) -> Expr:
        """Return 0 for valid inputs, 3 for a pose that is not a rotation, and NaN for infinite or NaN inputs."""
        bounded = self.graph.zero  # x/(1 + |x|) is NaN for an infinite x
        for group, places in self.recipe.read.items():
            for place in places:
                value = self.graph.symbol(self.inputs[group][place], online=is_online(group))
                bounded = bounded + value / (self._abs(value) + 1)
        finite = self.graph.function("sign", bounded * bounded + 1) - 1
        if not self.recipe.turns:
            return finite
        return finite + (self.graph.function("sign", self.rotation - _NO_ROTATION) + 1) * 3 / 2

    def model(self, groups: Mapping[str, Sequence[Sequence[Expr]]], about: Mapping[str, str] | None = None) -> Model:
        outputs: dict[str, Layout] = {}
        definitions: dict[str, Expr] = {}
        for group, rows in groups.items():
            table = group in ("q", "solutions")
            labels = [tuple(f"{joint}_{i}" for joint in self.recipe.outputs) for i in range(1, len(rows) + 1)]
            labels = labels if table else [tuple(f"{group}_{i}" for i in range(1, len(rows[0]) + 1))]
            outputs[group] = tuple(labels) if table else labels[0]
            for names, row in zip(labels, rows, strict=True):
                definitions.update(zip(names, row, strict=True))
        recipe, title = self.recipe, f"{self.recipe.title}, all branches"
        return Model(
            recipe.name,
            recipe.kind,
            title,
            self.inputs,
            outputs,
            definitions,
            self.graph,
            recipe.robot,
            about=about or {},
        )

    def _joints(self, known: Mapping[str, Root]) -> dict[str, Expr]:
        """Return the value of every joint and sum of joints, including inputs."""
        result = dict(self.values)
        for joint, root in known.items():
            result[joint] = root[0] if len(root) == 1 else self.graph.function("atan2", root[1], root[0])
        return result

    def _error(self, joints: Mapping[str, Expr]) -> Expr:
        """Return the root sum of squares of the expressions that are zero at a solution."""
        off: list[Expr] = []
        for part in by_graph(value for _, value in self.recipe.checks):
            off += substitute(part, self.graph, joints)
        return self.graph.function("sqrt", sum((x * x for x in off), self.graph.zero))

    # ----------------------------------------------------------------- forms

    def _margin(self, value: Expr, clear: float, sized: bool = False, power: int = 1, factors: int = 1) -> None:
        """Record a value that must not be zero, relative to the typical size of the step or absolute.

        It is a product of `factors` quantities that vanish together.
        """
        self.margins.append(self._abs(value))
        self.weak.append((self._now if sized else -1, max(clear, self.blur**factors), power))

    def _least(self, least: Expr | None, first: int) -> Expr | None:
        """Return the minimum of a margin and those from `first` on, relative to their thresholds."""
        scale = self.recipe.steps[self._now].scales[0]
        for value, (step, clear, power) in zip(self.margins[first:], self.weak[first:], strict=True):
            part = value * (1 / (clear * (scale**power if step >= 0 else 1.0)))
            least = part if least is None else (least + part - self._abs(least - part)) / 2
        return least

    def _abs(self, value: Expr) -> Expr:
        return self.graph.function("abs", value)

    def _sqrt(self, value: Expr) -> Expr:
        return self.graph.function("sqrt", value)

    def _root(self, value: Expr) -> Expr:
        """Return the square root; if the result must be real, 0 for a negative value."""
        return self._sqrt((value + self._abs(value)) / 2 if self.real else value)

    def difference(self, k: Sequence[Expr]) -> list[Root]:
        return [(k[0],)]

    def linear(self, k: Sequence[Expr]) -> list[Root]:
        self._margin(k[1], _CLEAR, sized=True)
        return [(-k[0] / k[1],)]

    def sine(self, k: Sequence[Expr]) -> list[Root]:
        X, Y, Z = k
        squared = X * X + Y * Y
        h = self._sqrt(squared)
        inside = (h - Z) * (h + Z)
        self._margin(h, _CLEAR, sized=True)
        self._margin(inside / squared + _BELOW, _BELOW + _ABOVE)
        if self.blur:  # an error of h and Z counts the more, the smaller h is
            self._margin(inside / h, self.blur, sized=True)
        root = self._root(inside)
        return [((-(Y * Z) - X * r) / squared, (Y * r - X * Z) / squared) for r in (root, -root)]

    def pair(self, k: Sequence[Expr]) -> list[Root]:
        X1, Y1, Z1, X2, Y2, Z2 = k
        D = X1 * Y2 - X2 * Y1
        self._margin(D, _CLEAR_PAIR, sized=True, factors=2)
        self._margin(D / (X1 * X1 + Y1 * Y1 + X2 * X2 + Y2 * Y2), _DOUBLE)
        s, c = Y1 * Z2 - Y2 * Z1, X2 * Z1 - X1 * Z2
        h = self._sqrt(s * s + c * c) * self.graph.function("sign", D)
        return [(c / h, s / h)]

    def quadratic(self, k: Sequence[Expr]) -> list[Root]:
        k0, k1, k2 = k
        size = self._abs(k1) + self._abs(k2)
        inside = k1 * k1 - k0 * k2 * 4
        self._margin(size, _CLEAR, sized=True)
        self._margin(k2 / (size + self._abs(k0)), _CLEAR)
        self._margin(inside / (k1 * k1 + self._abs(k0 * k2) * 4), _DOUBLE)
        self._margin(inside, _DOUBLE, sized=True, power=2)
        sign = self.graph.function("sign", self.graph.function("sign", k1) + 0.5)  # 1 where k1 is 0
        half = -(k1 + sign * self._root(inside)) / 2
        return [(half / k2,), (k0 / half,)]


_ROOTS: dict[str, Callable[[_Unrolled, Sequence[Expr]], list[Root]]] = {
    "difference": _Unrolled.difference, "linear": _Unrolled.linear, "sine": _Unrolled.sine, "pair": _Unrolled.pair,
    "quadratic": _Unrolled.quadratic,
}  # fmt: skip


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
