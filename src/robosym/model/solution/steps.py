"""A closed-form solution as a program: each step solves an equation of a known type for one unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from robosym.algebra import POWERS, Expr, Graph, Printer, reachable, to_sympy, to_text
from robosym.algebra.interpret import rebuild
from robosym.algebra.once import cached_property
from robosym.algebra.textbook import textbook
from robosym.algebra.typeset import shortened
from robosym.model.display import latex

__all__ = [
    "BRANCHES", "Angle", "Step", "Variable", "Writer", "explain_steps", "latex_steps", "step_rows", "substituted",
]  # fmt: skip

#: Joints whose signed sum is a variable: (("t2", 1), ("t3", 1)). A length has one joint.
Angle = tuple[tuple[str, int], ...]
Solved = tuple[str, tuple[Expr, ...]]  #: a pattern, and the expressions that fill it

_DIGITS, _NOISE = 12, 1e-13  #: displayed significant digits, and rounding noise that is not displayed
_READABLE = 900  #: length in characters up to which a solution is displayed with its coefficients
_WIDTH = 140  #: line width of such a solution
_LONG = 8  #: number of nodes from which a repeated expression gets a name
#: Largest number of solutions of each form of equation.
BRANCHES = {"linear": 1, "pair": 1, "difference": 1, "sine": 2, "quadratic": 2, "quartic": 4, "sine2": 4}
_NAMES = {
    "linear": ("{1}*{u} + {0} = 0", "{u} = -Z/X", ("Z", "X")),
    "sine": ("X*sin({u}) + Y*cos({u}) + Z = 0", "{u} = atan2(X, Y) +- acos(-Z/sqrt(X^2 + Y^2))", ("X", "Y", "Z")),
    "pair": (
        "X1*sin({u}) + Y1*cos({u}) + Z1 = 0, X2*sin({u}) + Y2*cos({u}) + Z2 = 0",
        "{u} = atan2((Y1*Z2 - Y2*Z1)/D, (X2*Z1 - X1*Z2)/D), D = X1*Y2 - X2*Y1",
        ("X1", "Y1", "Z1", "X2", "Y2", "Z2"),
    ),
    "quadratic": ("a2*{u}^2 + a1*{u} + a0 = 0", "{u} = (-a1 +- sqrt(a1^2 - 4*a0*a2))/(2*a2)", ("a0", "a1", "a2")),
    "quartic": (
        "a4*{u}^4 + a3*{u}^3 + a2*{u}^2 + a1*{u} + a0 = 0", "{u} = real roots", ("a0", "a1", "a2", "a3", "a4")
    ),
    "sine2": (
        "a4*cos({u})^2 + a3*cos({u})*sin({u}) + a2*cos({u}) + a1*sin({u}) + a0 = 0",
        "{u} = angle(z) of the roots z of unit length, z = exp(i*{u})",
        ("a4", "a3", "a2", "a1", "a0"),
    ),
    "difference": ("{u} = X", "{u} = X", ("X",)),
}  # fmt: skip
_SINGULAR = {
    "linear": "X = 0: {u} is free", "sine": "X = Y = Z = 0: {u} is free",
    "pair": "X1 = Y1 = X2 = Y2 = 0: {u} is free; D = 0: the larger equation alone, two values",
    "quadratic": "a2 = a1 = a0 = 0: {u} is free", "quartic": "a4 = .. = a0 = 0: {u} is free",
    "sine2": "a4 = .. = a0 = 0: {u} is free", "difference": "never",
}  # fmt: skip

_LATEX = {
    "linear": r"-Z / X",
    "sine": r"\operatorname{atan2}(X, Y) \pm \arccos\frac{-Z}{\sqrt{X^2 + Y^2}}",
    "pair": r"\operatorname{atan2}\left(\frac{Y_1 Z_2 - Y_2 Z_1}{D}, \frac{X_2 Z_1 - X_1 Z_2}{D}\right),"
    r"\quad D = X_1 Y_2 - X_2 Y_1",
    "quadratic": r"\frac{-a_1 \pm \sqrt{a_1^2 - 4 a_0 a_2}}{2 a_2}",
    "quartic": r"\text{the real roots of } a_4 x^4 + a_3 x^3 + a_2 x^2 + a_1 x + a_0",
    "sine2": r"\arg z \text{ of the roots } |z| = 1,\ z = e^{i x},\text{ of }"
    r"a_4 \cos^2 x + a_3 \cos x \sin x + a_2 \cos x + a_1 \sin x + a_0",
    "difference": "X",
}


@dataclass(frozen=True, order=True, slots=True)
class Variable:
    """Unknown of a step: a sum of angles, or the length of a prismatic joint."""

    terms: Angle
    prismatic: bool = False

    @property
    def name(self) -> str:
        """Text of the sum: `t2`, `t2 + t3`, `t2 - t3`."""
        first, *rest = self.terms
        return first[0] + "".join(f" {'+' if sign > 0 else '-'} {name}" for name, sign in rest)


class Writer:
    """Print expressions, naming long common subexpressions w1, w2, .. at their first use."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        nodes = reachable(roots)
        self._uses = Counter(argument.node for node in nodes for argument in node.args)
        self._uses.update(root.node for root in roots)
        self._taken = {node.value for node in nodes if node.op == "symbol"}
        self._named: dict[Expr, tuple[str, bool]] = {}
        self._printer = Printer(POWERS, self._named.get)
        self._done: set[Expr] = set()
        self._count = 0

    def shared(self, roots: Sequence[Expr]) -> list[tuple[str, str]]:
        """Return names and texts of common subexpressions of the roots that have not been printed yet."""
        result = []
        for node in reachable(roots):
            if node in self._done:
                continue
            self._done.add(node)
            if self._uses[node] > 1 and node.op in ("add", "mul", "div") and len(reachable([node])) >= _LONG:
                text = self._printer.definition(node, False)
                self._count += 1
                name = f"w{self._count}"
                while name in self._taken:
                    name += "_"
                self._named[node] = name, False
                result.append((name, text))
            else:
                self._printer.inline([node])
        return result

    def text(self, value: Expr) -> str:
        return self._printer.text(value)


def explain_steps(steps: Sequence[Any]) -> list[str]:
    """Return a numbered explanation of the steps."""
    writer = Writer([c for step in steps if isinstance(step, Step) for c in step.readable])
    texts = [step.explain(writer) if isinstance(step, Step) else step.explain() for step in steps]
    return [f"{number}. {text}" for number, text in enumerate(texts, 1)]


def latex_steps(steps: Sequence[Any]) -> str:
    """Return the steps as an `align*` environment."""
    return "\\begin{align*}\n" + " \\\\[1ex]\n".join(step.latex() for step in steps) + "\n\\end{align*}\n"


@dataclass(frozen=True)
class Step:
    """Solution of one equation, or two, for one unknown.

    The `coefficients` after the first are alternatives for poses in which the first ones are degenerate.
    """

    joint: str  #: the unknown: a joint variable, or a name for a sum of joint variables
    variable: Variable
    form: str  #: "linear", "sine", "pair", "quadratic", "quartic", "sine2" or "difference"
    type: str  #: type of the equation, numbered as in the guide
    coefficients: tuple[tuple[Expr, ...], ...]
    origins: tuple[str, ...]  #: source equations of the coefficients
    scales: tuple[float, ...]  #: typical size of the divisor of each of them

    @cached_property
    def readable(self) -> tuple[Expr, ...]:
        """First coefficients in the form of a textbook, with rounding noise removed, for display."""
        nodes = reachable(self.coefficients[0])
        rounded = {node: node.graph.number(_rounded(node.value)) for node in nodes if _is_noisy(node)}
        return tuple(textbook(rebuild(self.coefficients[0], nodes[0].graph, rounded)))

    @property
    def branches(self) -> int:
        """Largest number of values of the unknown."""
        return BRANCHES[self.form]

    @property
    def equations(self) -> tuple[str, ...]:
        """Positions of the equations, such as `U3,1[2,3]`: row 2, column 3 of the matrix equation U3,1."""
        return self.origins

    @property
    def equation(self) -> str:
        """Form of the equation, `X*sin(t1) + Y*cos(t1) + Z = 0`."""
        if self.form == "linear":
            return f"X*{self.joint} + Z = 0"
        return _NAMES[self.form][0].format(u=self.joint)

    @property
    def values(self) -> dict[str, str]:
        """Texts of the coefficients X, Y, Z in the equation."""
        return {n: to_text(c, POWERS) for n, c in zip(_NAMES[self.form][2], self.readable, strict=True)}

    @property
    def formula(self) -> str:
        """Formula of the solution in terms of X, Y, Z."""
        return _NAMES[self.form][1].format(u=self.joint)

    @property
    def formula_latex(self) -> str:
        """Right-hand side of the formula as LaTeX."""
        return _LATEX[self.form]

    @property
    def solved(self) -> tuple[str, tuple[Expr, ...]] | None:
        """Solution with the coefficients inserted, as in the book: a pattern and its parts.

        It is None if the roots of a polynomial have no short formula.
        """
        solved = substituted(self.form, self.readable)
        return solved and (solved[0], tuple(textbook(solved[1])))

    @property
    def singular(self) -> str:
        """Condition under which the step does not determine the unknown."""
        return _SINGULAR[self.form].format(u=self.joint)

    def explain(self, writer: Writer | None = None) -> str:
        """Return an explanation of the step; steps that share a `writer` share common subexpressions."""
        writer = writer or Writer(self.readable)
        unknown = self.joint if len(self.variable.terms) == 1 else f"{self.joint} = {self.variable.name}"
        count = f"{self.branches} value{'s' if self.branches > 1 else ''}"
        lines = [f"{unknown}: {self.type}, {count}, from {' and '.join(self.origins)}", f"    {self.equation}"]
        lines += [f"        {name} = {shortened(text)}" for name, text in writer.shared(self.readable)]
        letters = zip(_NAMES[self.form][2], self.readable, strict=True)
        lines += [f"        {letter} = {shortened(writer.text(value))}" for letter, value in letters]
        lines += [f"    {self.formula}"] if self.form != "difference" else []
        solved = self.solved
        if solved is not None and self.form != "difference":
            pattern, parts = solved
            writer.shared(parts)
            text = shortened(pattern.format(*map(writer.text, parts)))
            lines += _broken(f"{self.joint} = {text}") if len(text) <= _READABLE else []
        return "\n".join([*lines, f"    singular: {self.singular}"])

    def latex(self) -> str:
        """Return the step as rows of an `align*` environment."""
        unknown = latex(to_sympy([Graph().symbol(self.joint)])[0])
        names = [n if len(n) == 1 else f"{n[0]}_{{{n[1:]}}}" for n in _NAMES[self.form][2]]
        rows = [f"{name} &= {latex(value)}" for name, value in zip(names, to_sympy(self.readable), strict=True)]
        solution = f"{unknown} &= {_LATEX[self.form]} && \\text{{{self.type}}}"
        return " \\\\\n".join([solution, *rows])


def _broken(text: str) -> list[str]:
    """Break a solution into lines between terms and arguments, outermost brackets first."""
    lines = []
    while len(text) > _WIDTH:
        depth, best = 0, (len(text), 0)
        for place, character in enumerate(text[:_WIDTH]):
            depth += (character == "(") - (character == ")")
            between = character == " " and (text[place - 1] == "," or text[place + 1] in "+-")
            if between and place > _WIDTH // 3:
                best = min(best, (depth, -place))
        if not best[1]:
            break
        lines.append(text[: -best[1]])
        text = text[-best[1] + 1 :]
    first, *others = [*lines, text]
    return [f"    {first}", *(f"        {line}" for line in others)]


def step_rows(steps: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return (unknown, type, values, equations, solution) of each step, for a table."""
    rows: list[tuple[str, ...]] = []
    for step in steps:
        text = step.formula
        if isinstance(step, Step) and step.solved is not None:
            pattern, parts = step.solved
            written = pattern.format(*(to_text(part, POWERS) for part in parts))
            text = f"{step.joint} = {written}" if len(written) <= _READABLE else text
        rows.append((step.joint, step.type, str(step.branches), " and ".join(step.equations), text))
    return rows


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}") if abs(number) > _NOISE else 0.0


def _is_noisy(node: Expr) -> bool:
    return node.op == "number" and isinstance(node.value, float) and _rounded(node.value) != node.value


# ---------------- solutions with coefficients inserted, with short forms of special cases (book, table 2.1)


def substituted(form: str, coefficients: Sequence[Expr]) -> Solved | None:
    """Return the solution of an equation of this form, or None if there is no short formula."""
    solve = _FORMS.get(form)
    return None if solve is None else solve(*coefficients)


def _linear(Z: Expr, X: Expr) -> Solved:
    return "{}", (-Z / X,)


def _difference(X: Expr) -> Solved:
    return "{}", (X,)


def _sine(X: Expr, Y: Expr, Z: Expr) -> Solved:
    """Solve X sin u + Y cos u + Z = 0 (types 2, 9, 10)."""
    if Z.is_zero:  # both signs are solutions: display the simpler one
        ends = (-Y, X) if not X.negative else (Y, -X)
        return "{0}, and {0} + Pi", (_atan2(*ends),)
    if X.is_zero:
        return "+- {}", (_call("acos", -Z / Y),)
    if Y.is_zero:
        return "{0}, and Pi - {0}", (_call("asin", -Z / X),)
    return "{} +- {}", (_atan2(X, Y), _call("acos", -Z / _call("sqrt", X * X + Y * Y)))


def _pair(X1: Expr, Y1: Expr, Z1: Expr, X2: Expr, Y2: Expr, Z2: Expr) -> Solved:
    """Solve X1 sin u + Y1 cos u + Z1 = 0 and X2 sin u + Y2 cos u + Z2 = 0 (types 3 and 4)."""
    if Y1.is_zero and X2.is_zero:
        return "{}", (_atan2(-Z1 / X1, -Z2 / Y2),)
    if X1.is_zero and Y2.is_zero:
        return "{}", (_atan2(-Z2 / X2, -Z1 / Y1),)
    sine, cosine = Y1 * Z2 - Y2 * Z1, X2 * Z1 - X1 * Z2
    if (X1 - Y2).is_zero and (X2 + Y1).is_zero:  # D = X1^2 + Y1^2 > 0 cancels in atan2
        return "{}", (_atan2(sine, cosine),)
    if (X1 + Y2).is_zero and (X2 - Y1).is_zero:
        return "{}", (_atan2(-sine, -cosine),)
    D = X1 * Y2 - X2 * Y1
    return "{}", (_atan2(sine / D, cosine / D),)


def _quadratic(a0: Expr, a1: Expr, a2: Expr) -> Solved:
    if a1.is_zero:
        return "+- {}", (_call("sqrt", -a0 / a2),)
    return "({} +- {})/({})", (-a1, _call("sqrt", a1 * a1 - 4 * a0 * a2), 2 * a2)


def _atan2(y: Expr, x: Expr) -> Expr:
    return y.graph.function("atan2", y, x)


def _call(name: str, argument: Expr) -> Expr:
    return argument.graph.function(name, argument)


_FORMS: dict[str, Callable[..., Solved]] = {
    "linear": _linear, "sine": _sine, "pair": _pair, "quadratic": _quadratic, "difference": _difference
}  # fmt: skip
