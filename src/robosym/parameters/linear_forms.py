"""Linear forms in the standard parameters: coefficients, collection of terms, and text."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from robosym.algebra import Expr, Graph, Level, evaluate, reachable, symbols
from robosym.algebra.canonical import canonical_text

__all__ = ["collected", "folded", "latex", "linear_coefficients", "row_text"]

Key = TypeVar("Key", bound=Hashable)

_LONGEST = 200  #: largest size of a readable text, in terms and factors
_LONGEST_NUMERIC = 5_000  #: largest size of a numeric factored form that is collected, in terms and factors
_DIGITS = 14  #: significant digits of a computed coefficient; the others are rounding errors


def linear_coefficients(expression: Expr, names: Collection[str]) -> dict[str, Expr]:
    """Return nonzero {name: coefficient} of an expression that is linear and homogeneous in the named symbols."""
    graph = expression.graph
    nodes = reachable([expression])
    linear: set[Expr] = set()
    for node in nodes:
        if (node.op == "symbol" and node.value in names) or any(a.node in linear for a in node.args):
            linear.add(node)
    weight: dict[Expr, Expr] = {expression.node: graph.one.signed(expression.negative)}
    found: dict[str, Expr] = {}
    for node in reversed(nodes):
        if node not in linear or node not in weight:
            continue
        factor = weight[node]
        if node.op == "symbol":
            found[node.value] = factor
            continue
        if node.op == "add":
            shares = [(argument, factor) for argument in node.args]
        else:  # a product or a quotient: one argument contains the symbols
            one, other = node.args if node.args[0].node in linear else node.args[::-1]
            shares = [(one, factor * other if node.op == "mul" else factor / other)]
        for argument, share in shares:
            if argument.node in linear:
                weight[argument.node] = weight.get(argument.node, graph.zero) + share.signed(argument.negative)
    return {name: found[name] for name in names if name in found and not found[name].is_zero}


# ----------------------------------------------------------------------------- every parameter once


def collected(forms: Mapping[Key, Expr], names: Sequence[str]) -> dict[Key, Expr]:
    """Return forms with each named symbol once, if the geometry is numeric or this is not longer."""
    graph = Graph()
    parameters = {name: graph.symbol(name) for name in names}  # sums follow this order
    numeric = not set(symbols(forms.values())) - set(names)
    longest = _LONGEST_NUMERIC if numeric else _LONGEST  # for readability and speed
    result = dict(zip(forms, graph.copy(forms.values()), strict=True))
    for (at, form), size in zip(forms.items(), _sizes(forms.values()), strict=True):
        if size <= longest:
            total = _once(form, parameters, graph)
            if numeric or _sizes([total])[0] <= size:
                result[at] = total
    return result


def _once(form: Expr, parameters: Mapping[str, Expr], graph: Graph) -> Expr:
    """Return the sum of coefficient times parameter, with one bracket per coefficient."""
    groups: dict[Expr, list[Expr]] = {}  # coefficient -> parameters
    for name, coefficient in linear_coefficients(form, parameters).items():
        plain = folded(coefficient)
        if plain.is_number and isinstance(plain.number, float):
            coefficient = form.graph.number(float(f"{plain.number:.{_DIGITS}g}"))
        groups.setdefault(coefficient.node, []).append(parameters[name].signed(coefficient.negative))
    alone = groups.pop(form.graph.one, [])
    sizes = graph.copy(groups)
    return _sum([*alone, *(size * _sum(terms) for size, terms in zip(sizes, groups.values(), strict=True))])


def _sum(terms: Sequence[Expr]) -> Expr:
    """Return the sum, written in the order of the terms."""
    *others, total = terms
    for term in reversed(others):
        total = term + total
    return total


def folded(value: Expr) -> Expr:
    """Return a constant as a plain number."""
    return value.graph.number(evaluate([value], {})[0]) if value.level == 0 and not value.is_number else value


def _sizes(expressions: Iterable[Expr]) -> list[int]:
    """Return the length of the text of each expression, in terms and factors."""
    expressions = list(expressions)
    size: dict[Expr, int] = {}
    for node in reachable(expressions):
        size[node] = 1 + sum(size[argument.node] for argument in node.args)
    return [size[expression.node] for expression in expressions]


# ----------------------------------------------------------------------------- text


def row_text(coefficients: Mapping[str, Expr]) -> str:
    """Return the sum of coefficient times symbol, with one bracket per coefficient: `MX2 + D3*(M3 + M4)`."""
    groups: dict[Expr, list[tuple[str, bool]]] = {}
    for name, coefficient in coefficients.items():
        groups.setdefault(coefficient.node, []).append((name, coefficient.negative))
    plain = groups.pop(next(iter(coefficients.values())).graph.one, [])
    terms = [(name, negative) for name, negative in plain]
    for coefficient, members in groups.items():
        text = _coefficient_text(coefficient)
        negative = members[0][1]
        inner = _signed([(name, minus is not negative) for name, minus in members])
        terms.append((f"{text}*({inner})" if len(members) > 1 else f"{text}*{inner}", negative))
    return _signed(terms)


def latex(text: str) -> str:
    """Return the text of a row in LaTeX: link numbers as subscripts, upright functions, implicit products."""
    text = re.sub(r"\b([A-Za-z]+)(\d+)(R*)\b", r"\1_{\2\3}", text)
    return re.sub(r"\b(sin|cos|sqrt)\b", r"\\\1", text).replace("*", r"\,")


def _coefficient_text(coefficient: Expr) -> str:
    """Return a short text: constants as numbers, dots for long expressions."""
    if coefficient.level is Level.NUMBER and not coefficient.is_number:
        return f"{evaluate([coefficient], {})[0]:.10g}"
    if _sizes([coefficient])[0] > _LONGEST:
        return "(...)"
    text = canonical_text(coefficient)
    return f"({text})" if coefficient.op == "add" else text


def _signed(terms: Sequence[tuple[str, bool]]) -> str:
    first, *others = terms
    return ("-" if first[1] else "") + first[0] + "".join(f" {'-' if minus else '+'} {text}" for text, minus in others)
