"""Certificates: proofs that an optimized model computes the outputs of the plain one.

A proof needs exact constants. Decimals of a description are therefore taken as rational numbers (0.1 is 1/10), and the
models are generated and optimized with them; each constant is rounded once, when it is printed or compiled.
`checker` proves the equality of two listings and imports nothing from this package.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import pi
from pathlib import Path

from robosym.algebra import Expr, Graph, Level
from robosym.algebra.interpret import Expressions, interpret
from robosym.errors import InputError
from robosym.files import write_texts
from robosym.mechanism import Robot
from robosym.model import Derived, Model, Origin
from robosym.model.groups import declare
from robosym.optimizer.checker import Rejected, certify
from robosym.optimizer.symbolic import prove

__all__ = [
    "Certificate", "Verification", "certificate_of", "certified", "exact_model", "exact_robot", "is_exact", "verified",
]  # fmt: skip


@dataclass(frozen=True)
class Certificate:
    """Proof that two listings have equal outputs, which `robosym/optimizer/checker.py` checks on its own.

    The outputs are equal as rational functions of the inputs and of the sines and cosines of angles, wherever the
    conditions hold. Other functions are only assumed to have equal values for equal arguments. A symbolic proof, which
    `robosym/optimizer/symbolic.py` checks, also uses sqrt(x)^2 = x.
    """

    plain: str = field(repr=False)  #: listing of the plain model
    optimized: str = field(repr=False)  #: listing of the optimized model
    text: str = field(repr=False)  #: the certificate

    def __str__(self) -> str:
        return self.text

    @property
    def error(self) -> float:
        """Upper bound of the probability that the proof is wrong; 0 for a symbolic proof."""
        return 0.0 if self.symbolic else float(2 ** int(self._entry("error").removeprefix("2^")))

    @property
    def symbolic(self) -> bool:
        """Whether the differences of the outputs were expanded to zero, instead of evaluated at a random point."""
        return self.text.startswith("robosym symbolic")

    @property
    def degree(self) -> int:
        """Upper bound of the degree of the polynomials that were tested, or the degree of those expanded."""
        return int(self._entry("degree"))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Side conditions: divisors that must not be zero, and arguments of functions such as square roots."""
        lines = (line for line in self.text.split("\n") if line.startswith("assume "))
        return tuple(line.removeprefix("assume ") for line in lines)

    def _entry(self, name: str) -> str:
        return next(line for line in self.text.split("\n") if line.startswith(f"{name} ")).split()[1]

    def check(self) -> bool:
        """Check the certificate again.

        Returns
        -------
        bool
            Whether the listings have equal outputs and the certificate belongs to them.
        """
        try:
            return (prove if self.symbolic else certify)(self.plain, self.optimized) == self.text
        except Rejected:
            return False

    def write(self, directory: str | Path) -> list[Path]:
        """Write `plain.txt`, `optimized.txt` and `certificate.txt`, the arguments of the checker.

        Parameters
        ----------
        directory : str or Path
            An existing directory.

        Returns
        -------
        list of Path
            The files, in this order.

        Raises
        ------
        FormatError
            If a file cannot be written.
        """
        names = {"plain.txt": self.plain, "optimized.txt": self.optimized, "certificate.txt": self.text}
        texts = {Path(directory) / name: text for name, text in names.items()}
        write_texts(texts)
        return list(texts)


def listing(model: Model) -> str:
    """Return the listing of a model for the checker, without tables and with exact constants."""
    return replace(model, written_out=False).code("listing", no_tables=True)


def certificate_of(plain: Model, other: Model, symbolic: bool = False) -> Certificate:
    """Return a proof that two models have equal outputs.

    Raises
    ------
    InputError
        The models have different outputs, or none of the properties used by the proof makes them equal.
    """
    try:
        return _proof(plain, other, symbolic)
    except Rejected as reason:
        raise InputError(f"certificate: the models are not proven equal: {reason}") from None


def _proof(plain: Model, other: Model, symbolic: bool) -> Certificate:
    """Return a proof that two models have equal outputs, or raise `Rejected` with the reason why there is none."""
    texts = listing(plain), listing(other)
    try:
        return Certificate(*texts, (prove if symbolic else certify)(*texts))
    except Rejected as reason:
        hint = "" if is_exact(plain) and is_exact(other) else "; a constant is a float, which arithmetic has rounded"
        raise Rejected(f"{reason}{hint}") from None


def certified(plain: Model, best: Model, symbolic: bool = False) -> Model:
    """Return the optimized model with its certificate, or raise an error if there is no proof."""
    found = certificate_of(plain, best, symbolic)
    object.__setattr__(best, "certificate", found)  # not a field: a changed model must not keep it
    return best


# ------------------------------------------------------------------------------------------------- exact constants


class _Exact(Expressions):
    """Expressions of another graph with each float replaced by the rational number that its decimals denote."""

    def number(self, value: Fraction | float) -> Expr:
        return self.graph.number(value if isinstance(value, Fraction) else Fraction(repr(value)))


def is_exact(model: Model) -> bool:
    """Return whether no constant of a model is a float."""
    return not any(node.op == "number" and isinstance(node.value, float) for node in model.nodes)


def exact_robot(robot: Robot) -> Robot:
    """Return a robot with rational numbers instead of floats."""
    graph = Graph()
    return robot.rebuilt(graph, lambda roots: interpret(roots, _Exact(graph))).changed()


def exact_model(model: Model) -> Model:
    """Return a model with exact constants: generated again from the exact robot, or with its own constants."""
    if is_exact(model):
        return model
    made = model.made
    again: Model | None = None
    if isinstance(made, Origin):
        again = made.again(exact_robot(made.robot))
    elif isinstance(made, Derived):
        again = exact_model(made.model).derivative(*made.groups, along="joints")
    if again is not None and {*model.output_names} <= {*again.definitions}:
        return replace(again, name=model.name, outputs=model.outputs, about=model.about)
    graph = Graph()
    declare(graph, model.inputs)
    names = list(model.definitions)
    values = interpret([model.definitions[name] for name in names], _Exact(graph))
    return replace(model, graph=graph, definitions=dict(zip(names, values, strict=True)), made=None)


# -------------------------------------------------------------------------------------------- code that is read back

#: A constant that was combined in floating point differs from the exact one by less than this share.
_ROUNDED = 2.0**-40
Number = Callable[[str, Graph], Expr]  #: converts the text of a number


@dataclass(frozen=True)
class Verification:
    """Whether code computes the outputs of a model."""

    equal: bool  #: whether there is a proof
    reason: str  #: output that differs, if there is no proof
    rounding: float  #: largest relative difference between a constant of the code and the exact constant
    certificate: Certificate | None = field(default=None, repr=False)  #: the proof for the code with exact constants

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.certificate is None:
            return f"not proven equal: {self.reason}"
        bound = "symbolic proof" if self.certificate.symbolic else f"error below {self.certificate.error:.1e}"
        lines = [f"equal: every output is that of the model ({bound})"]
        if self.rounding:
            lines.append(f"constants are rounded by at most {self.rounding:.1e} of their value")
        return "\n".join([*lines, *(f"assuming {condition}" for condition in self.certificate.conditions)])

    def confirmed(self) -> Verification:
        """Return the verification itself.

        Returns
        -------
        Verification
            The same object.

        Raises
        ------
        InputError
            If there is no proof that the code is equal to the model.
        """
        if not self.equal:
            raise InputError(f"verify: {self}")
        return self


class _Constants:
    """Exact values of printed constants, which are numbers or expressions such as sqrt(3)/2."""

    def __init__(self) -> None:
        self.exact: dict[float, Expr] = {}  #: exact constant by printed double
        self.rounding = 0.0

    def learn(self, form: Model, exact_form: Model) -> None:
        """Add the constants of a model and of the same form with exact constants."""
        exact = {float(node): node for node in _constants(exact_form)}
        order = sorted(exact)
        for printed in (*order, *map(float, _constants(form))):
            at = bisect_left(order, printed)
            near = min(order[max(at - 1, 0) : at + 1], key=lambda value: abs(value - printed), default=0.0)
            if abs(near - printed) <= _ROUNDED * abs(near):
                self.exact.setdefault(printed, exact[near])

    def number(self, text: str, graph: Graph) -> Expr:
        """Return the exact constant that was printed as `text`, or the rational number that the text denotes."""
        text = text.replace("*^", "e")
        printed, value = Fraction(text), float(text)
        if Fraction(repr(value)) != printed:  # has more digits than a constant that was rounded
            return graph.number(printed)
        negative = value not in self.exact and -value in self.exact
        known = self.exact.get(-value if negative else value, graph.pi if value == pi else graph.number(printed))
        if known.op == "number" and isinstance(known.value, Fraction) and known.value:
            self.rounding = max(self.rounding, float(abs(known.value - printed) / known.value))
        return known if known.graph is graph else graph.copy([known])[0].signed(negative)


def _constants(model: Model) -> list[Expr]:
    """Return the nodes of a model that depend on nothing."""
    return [node for node in model.nodes if node.level is Level.NUMBER]


def verified(
    read: Callable[[Number], Model], forms: Callable[[Model], Iterator[Model]], model: Model, symbolic: bool = False
) -> Verification:
    """Prove that code computes the outputs of a model.

    Parameters
    ----------
    read : callable
        Reads the code; converts its numbers by the function passed to it.
    forms : callable
        Yields the forms of a model in which the code may have been written, the most likely ones first.
    model : Model
        The model that the code should compute.
    symbolic : bool
        Whether to expand the differences of the outputs.

    Returns
    -------
    Verification
        The proof, or why there is none.
    """
    plain = exact_model(model)
    constants, reason = _Constants(), ""
    pairs = ((form, form) for form in forms(model)) if plain is model else zip(forms(model), forms(plain), strict=True)
    for pair in pairs:
        constants.learn(*pair)
        constants.rounding = 0.0
        code = read(constants.number)
        if code.output_names != model.output_names:
            return Verification(False, f"expected the outputs {', '.join(model.output_names)}", 0.0)
        try:
            return Verification(True, "", constants.rounding, _proof(plain, code, symbolic))
        except Rejected as rejected:
            reason = str(rejected)
        if all(node.op == "number" and node.value == int(node.value) for node in _constants(code)):
            break  # the code has no decimals, so that other exact constants make no difference
    return Verification(False, reason, 0.0)
