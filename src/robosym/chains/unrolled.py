"""All branches of a closed form as one straight-line model: no loop, no test, so that machine code can take it.

A root that is not real is not a number, and so is everything that follows from it. Beside the solutions the model gives
what tells whether they can be trusted: the error of forward substitution, and for every step on every branch what it
divides by and how far its roots are from a double one. Where those are small the pose is singular or nearly so, and
belongs to the careful way, `numeric_chain.Solver`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph, rebuild
from robosym.chains.chain import PoseProblem
from robosym.model import Layout, Model
from robosym.model.solution.expanded_angles import turned, without_angles
from robosym.model.solution.steps import Step
from robosym.spatial import Transform

__all__ = ["Branches", "all_branches"]

Root = tuple[Expr, ...]  #: the cosine and sine of an angle, or a length alone

_LAST_ROW = 1e3  #: by which an error of the last row of a pose weighs more than one of its rotation
_CLEAR = 1e-5  #: parts of its usual size above which a divisor is clear of zero
_CLEAR_PAIR = 1e-8  #: the same of two equations, whose divisor is a product of two
_DOUBLE = 2e-7  #: parts of its usual size above which what is under a root is clear of a double one
_MANY = 64  #: branches of a program that would be too long


@dataclass(frozen=True)
class Branches:
    """The model, and what its outputs are.

    T: 16 entries. Outputs `q` (branches, joints of the chain), `errors` (branches), `rotation` (how far the pose is
    from one), `margins`.
    """

    model: Model
    #: for each margin the step whose usual size it is judged by (-1 where it is a pure number), what part of it is
    #: clear of zero, and to which power the size is taken
    weak: tuple[tuple[int, float, int], ...]


def all_branches(problem: PoseProblem, steps: Sequence[Step], name: str) -> Branches | None:
    """The model; None where a step needs the roots of a quartic, or only some of the axes of the pose are given."""
    count = 1
    for step in steps:
        if step.form not in _ROOTS:
            return None
        count *= 1 if step.form == "pair" else step.branches
    if problem.given not in ("snaP", "P") or count > _MANY:
        return None
    return _Unrolled(problem, steps).result(name)


class _Unrolled:
    def __init__(self, problem: PoseProblem, steps: Sequence[Step]) -> None:
        self.problem, self.steps = problem, steps
        self.graph = graph = Graph()
        taken = {*problem.samples.symbols, *(step.joint for step in steps)}
        last = []
        for column in "snaP":
            label = f"{column}w"
            while label in taken:
                label += "_"
            last.append(label)
        self.names = (*problem.entries, *last)
        T = [graph.symbol(label, online=True) for label in self.names]
        self.rotation, E = self._orthonormal(T)
        self.pose = Transform.of(*E)
        self.values = dict(zip(problem.entries, E, strict=True))
        self.margins: list[Expr] = []
        self.weak: list[tuple[int, float, int]] = []

    def _orthonormal(self, T: list[Expr]) -> tuple[Expr, list[Expr]]:
        """The square of how far a pose is from one, and its entries with one turn of E (3 - E^T E)/2."""
        row = [T[12], T[13], T[14], T[15] - 1]
        off = sum((x * x for x in row), self.graph.zero) * _LAST_ROW**2
        if self.problem.given == "P":
            return off, T[:12]
        columns = [[T[4 * i + j] for i in range(3)] for j in range(3)]
        G = [[_dot(a, b) - int(i == j) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
        s, n, a = columns
        cross = [s[1] * n[2] - s[2] * n[1], s[2] * n[0] - s[0] * n[2], s[0] * n[1] - s[1] * n[0]]
        determinant = _dot(cross, a) - 1
        off = off + sum((x * x for line in G for x in line), determinant * determinant)
        E = list(T[:12])
        for i in range(3):
            for j in range(3):
                E[4 * i + j] = T[4 * i + j] - _dot([T[4 * i + k] for k in range(3)], [G[k][j] for k in range(3)]) / 2
        return off, E

    def result(self, name: str) -> Branches:
        branches: list[dict[str, Root]] = [{}]
        for number, step in enumerate(self.steps):
            following = []
            for known in branches:
                lengths = {joint: root[0] for joint, root in known.items() if len(root) == 1}
                angles = {joint: (root[0], root[1]) for joint, root in known.items() if len(root) == 2}
                values = {**self.values, **lengths}
                if step.form == "difference" and not step.variable.prismatic:
                    following.append({**known, step.joint: turned(step.coefficients[0][0], self.graph, angles)})
                    continue
                k = without_angles(step.coefficients[0], self.graph, angles, values)
                following += [{**known, step.joint: root} for root in _ROOTS[step.form](self, number, k)]
            branches = following
        joints = [self._joints(branch) for branch in branches]
        errors = [self._error(q) for q in joints]
        outputs: dict[str, Layout] = {}
        definitions: dict[str, Expr] = {}

        def add(group: str, rows: Sequence[Sequence[Expr]]) -> None:
            labels = [[f"{group}_{i}_{j}" for j in range(len(row))] for i, row in enumerate(rows)]
            outputs[group] = tuple(tuple(row) for row in labels) if len(rows) > 1 else tuple(labels[0])
            for one, row in zip(labels, rows, strict=True):
                definitions.update(zip(one, row, strict=True))

        add("q", joints if len(joints) > 1 else [joints[0]])
        add("errors", [errors])
        add("rotation", [[self.rotation]])
        add("margins", [self.margins or [self.graph.one]])
        chain = self.problem.chain
        inputs = {"T": self.names, "q": tuple(self.problem.known), "parameters": chain.parameters}
        model = Model(
            name, "igm", "all branches of the inverse geometric model", inputs, outputs, definitions, self.graph
        )
        return Branches(model, tuple(self.weak) or ((-1, 0.0, 0),))

    def _joints(self, branch: dict[str, Root]) -> list[Expr]:
        result = []
        for joint in self.problem.chain.joints:
            if joint.name not in branch:  # known
                result.append(self.graph.symbol(joint.name, online=True))
            elif len(branch[joint.name]) == 1:
                result.append(branch[joint.name][0])
            else:
                c, s = branch[joint.name]
                result.append(self.graph.function("atan2", s, c))
        return result

    def _error(self, q: list[Expr]) -> Expr:
        """The root of the sum of the squares of the errors of the given entries."""
        chain, graph = self.problem.chain, self.graph
        entries = [entry for constant in chain.constants for entry in (*constant.A, *constant.P)]
        numbers = dict(zip(entries, rebuild(entries, graph, {}), strict=True))
        first, *behind = (constant.map(numbers.__getitem__) for constant in chain.constants)
        reached = first
        for joint, value, constant in zip(chain.joints, q, behind, strict=True):
            value = value if joint.sign > 0 else -value
            if joint.prismatic:
                motion = Transform.screw_z(graph.zero, value)
            else:
                motion = Transform.screw_z(value, graph.zero)
            reached = reached @ (motion @ constant)
        places = ["snaP".index(column) for column in self.problem.columns]
        total = graph.zero
        for made, wanted in zip(reached.rows, self.pose.rows, strict=True):
            for place in places:
                off = made[place] - wanted[place]
                total = total + off * off
        return graph.function("sqrt", total)

    # ----------------------------------------------------------------- forms

    def margin(self, value: Expr, clear: float, step: int = -1, power: int = 1) -> None:
        self.margins.append(self._abs(value))
        self.weak.append((step, clear, power))

    def _abs(self, value: Expr) -> Expr:
        return self.graph.function("abs", value)

    def _sqrt(self, value: Expr) -> Expr:
        return self.graph.function("sqrt", value)

    def difference(self, number: int, k: Sequence[Expr]) -> list[Root]:
        return [(k[0],)]

    def linear(self, number: int, k: Sequence[Expr]) -> list[Root]:
        self.margin(k[1], _CLEAR, number)
        return [(-k[0] / k[1],)]

    def sine(self, number: int, k: Sequence[Expr]) -> list[Root]:
        X, Y, Z = k
        squared = X * X + Y * Y
        h = self._sqrt(squared)
        inside = (h - Z) * (h + Z)
        self.margin(h, _CLEAR, number)
        self.margin(inside / squared, _DOUBLE)
        root = self._sqrt(inside)
        return [
            ((-(Y * Z) - X * r) / squared, (Y * r - X * Z) / squared) for r in (root, -root)
        ]  # fmt: skip

    def pair(self, number: int, k: Sequence[Expr]) -> list[Root]:
        X1, Y1, Z1, X2, Y2, Z2 = k
        D = X1 * Y2 - X2 * Y1
        self.margin(D, _CLEAR_PAIR, number)
        self.margin(D / (X1 * X1 + Y1 * Y1 + X2 * X2 + Y2 * Y2), _DOUBLE)
        s, c = Y1 * Z2 - Y2 * Z1, X2 * Z1 - X1 * Z2
        h = self._sqrt(s * s + c * c) * self.graph.function("sign", D)
        return [(c / h, s / h)]

    def quadratic(self, number: int, k: Sequence[Expr]) -> list[Root]:
        k0, k1, k2 = k
        size = self._abs(k1) + self._abs(k2)
        inside = k1 * k1 - k0 * k2 * 4
        self.margin(size, _CLEAR, number)
        self.margin(k2 / (size + self._abs(k0)), _CLEAR)
        self.margin(inside / (k1 * k1 + self._abs(k0 * k2) * 4), _DOUBLE)
        self.margin(inside, _DOUBLE, number, 2)
        sign = self.graph.function("sign", self.graph.function("sign", k1) + 0.5)  # 1 where k1 is 0
        half = -(k1 + sign * self._sqrt(inside)) / 2
        return [(half / k2,), (k0 / half,)]


_ROOTS: dict[str, Callable[[_Unrolled, int, Sequence[Expr]], list[Root]]] = {
    "difference": _Unrolled.difference, "linear": _Unrolled.linear, "sine": _Unrolled.sine, "pair": _Unrolled.pair,
    "quadratic": _Unrolled.quadratic,
}  # fmt: skip


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
