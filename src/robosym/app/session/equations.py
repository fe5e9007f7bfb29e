"""The assignments of a model as mathematics: LaTeX pieces that a page can break, mark and set one by one.

The text is the listing's, so that every name is the one that listings and code have; it is read token by token.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from robosym.languages.listing import LISTING
from robosym.languages.program import Program
from robosym.model import Model, flat, shape

__all__ = ["SetEquation", "SetSection", "in_latex", "sections", "uses"]

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(\S))")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FUNCTIONS = {
    **{name: rf"\{name}" for name in ("sin", "cos", "tan", "exp", "log", "tanh")},
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "atan2": r"\operatorname{atan2}",
    "sign": r"\operatorname{sign}", "sqrt": r"\sqrt", "abs": r"\operatorname{abs}", "pow": r"\operatorname{pow}",
}  # fmt: skip
_WIDE = 70  #: characters of a row of a matrix that is shown with its entries
_RUN = 3  #: equations of a link that stand together, where it makes sense to speak of links
_SHORT = 19  #: characters of an equation of which two stand side by side


@dataclass(frozen=True)
class SetEquation:
    """`name = text`, both as the listing has them and as mathematics."""

    name: str
    text: str
    left: str  #: LaTeX of the name
    right: str  #: LaTeX of the text
    short: bool = False  #: whether two of its kind stand side by side


@dataclass(frozen=True)
class SetSection:
    """Equations under a heading; `matrix` is LaTeX of a whole group where that is a matrix."""

    title: str
    part: str = ""  #: the heading above, "Forward"
    equations: list[SetEquation] = field(default_factory=list)
    matrix: str = ""
    names: list[str] = field(default_factory=list)  #: of inputs
    said: str = ""  #: what the group is


def sections(model: Model) -> list[SetSection]:
    """Inputs, then what is computed in the order of evaluation by link, then the outputs."""
    program = Program(model, LISTING, written_out=model.written_out)
    found = [
        SetSection(group, "Inputs", names=list(names), said=model.meaning(group))
        for group, names in model.inputs.items()
    ]
    statements = [(s.name, s.text) for s in program.statements]
    found += _by_link(statements, _links_of([name for name, _ in statements]))
    outputs = {name: text for name, _, text in program.outputs}
    for group, layout in model.outputs.items():
        found.append(_output(group, layout, outputs, model.meaning(group, output=True)))
    return found


def _output(group: str, layout: Any, texts: dict[str, str], said: str) -> SetSection:
    names = list(flat(layout))
    if len(shape(layout)) == 1:
        return SetSection(group, "Outputs", [_equation(name, texts[name]) for name in names], said=said)
    wide = max(sum(len(texts[name]) for name in row) for row in layout) > _WIDE
    trivial = {name for name in names if re.fullmatch(r"-?\d+", texts[name])}
    rows = [
        [in_latex(texts[name]) if not wide or name in trivial else spelled_marked(name) for name in row]
        for row in layout
    ]
    body = r" \\ ".join(" & ".join(row) for row in rows)
    matrix = rf"{spelled(group)} = \begin{{bmatrix}} {body} \end{{bmatrix}}"
    shown = [_equation(name, texts[name]) for name in names if wide and name not in trivial]
    return SetSection(group, "Outputs", shown, matrix, said=said)


def _equation(name: str, text: str) -> SetEquation:
    return SetEquation(name, text, spelled_marked(name), in_latex(text), len(name) + len(text) <= _SHORT)


def uses(text: str) -> list[str]:
    """The names in a text of the listing, functions left out."""
    return [word for word in dict.fromkeys(_NAME.findall(text)) if word not in _FUNCTIONS and word != "Pi"]


# ---------------------------------------------------------------- by link


def _links_of(names: Sequence[str]) -> dict[str, int]:
    """The link of each variable by the guide's manner of naming: X3, X13 (component 1), X113 (components 1 and 1).

    How many digits are components is the same for all variables of a kind: as many as the shortest has before its link.
    """
    kinds: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in names:
        match = re.fullmatch(r"([A-Za-z_]+?)(\d+)[A-Z]?", name)
        if match:
            kinds[match[1]].append((name, match[2]))
    found = {}
    for kind, members in kinds.items():
        components = min(len(digits) for _, digits in members) - 1
        if components > 2 or kind == "X":  # no name of the guide
            continue
        for name, digits in members:
            found[name] = int(digits[components:])
    return found


def _by_link(statements: Sequence[tuple[str, str]], links: dict[str, int]) -> Iterator[SetSection]:
    """Runs of statements of one link; sines and cosines first; one section where links come in no order."""
    angles = [(n, t) for n, t in statements if re.fullmatch(r"(sin|cos)\([^()]*\)", t)]
    rest = [(n, t) for n, t in statements if not re.fullmatch(r"(sin|cos)\([^()]*\)", t)]
    runs: list[tuple[int, list[SetEquation]]] = []
    for name, text in rest:
        link = links.get(name, runs[-1][0] if runs else 0)
        if not runs or runs[-1][0] != link:
            runs.append((link, []))
        runs[-1][1].append(_equation(name, text))
    known = {link for link, _ in runs}
    in_order = len(known) > 1 and len(runs) <= 2 * len(known) + 2 and len(rest) >= _RUN * len(runs)
    if angles:
        yield SetSection("Trigonometry", "Forward" if in_order else "", [_equation(n, t) for n, t in angles])
    if not in_order:
        yield from _in_parts([equation for _, run in runs for equation in run])
        return
    turn = max((place for place, (link, _) in enumerate(runs) if link == max(known)), default=0)
    for place, (link, run) in enumerate(runs):
        yield SetSection(f"Link {link}" if link else "Common", "Forward" if place <= turn else "Backward", run)


def _in_parts(equations: list[SetEquation], size: int = 60) -> Iterator[SetSection]:
    if len(equations) <= size + size // 2:
        if equations:
            yield SetSection("Equations", "", equations)
        return
    for start in range(0, len(equations), size):
        part = equations[start : start + size]
        yield SetSection(f"{part[0].name} to {part[-1].name}", "Equations", part)


# ---------------------------------------------------------------- mathematics


def spelled(name: str) -> str:
    """As the listing calls it, not as the books do, so that it is found in the code: W13 and ZZ2R have indices."""
    match = re.fullmatch(r"([A-Za-z_]*[A-Za-z])_?(\d+(?:_\d+)?[A-Z]?)", name)
    letters, index = (match[1], match[2]) if match else (name, "")
    letters, index = (part.replace("_", r"\_") for part in (letters, index))
    letters = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
    index = index if index.isdigit() or not index else rf"\mathrm{{{index}}}"
    return f"{letters}_{{{index}}}" if index else letters


def spelled_marked(name: str) -> str:
    """A name as the books write it, in a box that a page finds by the name."""
    return rf"\htmlData{{v={name}}}{{{spelled(name)}}}"


def in_latex(text: str, spell: Callable[[str], str] = spelled_marked) -> str:
    """A text of the listing as mathematics; what stands in brackets is one piece, so that lines break outside them."""
    return _join(_Reader(text, spell).sum())


def _join(terms: Iterable[str]) -> str:
    return " ".join(terms)


class _Reader:
    """Reads `a*b - c*(d + e)/2`; anything that it does not know is set as it stands."""

    def __init__(self, text: str, spell: Callable[[str], str]) -> None:
        self.spell = spell
        self.tokens = list(_TOKEN.finditer(text))
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][0].strip() if self.at < len(self.tokens) else ""

    def sum(self) -> list[str]:
        terms: list[str] = []
        while self.peek() and self.peek() not in (")", ","):
            sign = ""
            if self.peek() in "+-":
                sign = self.peek()
                self.at += 1
            terms.append(f"{sign} {self.product()}" if sign else self.product())
        return terms

    def product(self) -> str:
        factors = [self.factor()]
        powers = [1]
        below: list[str] = []
        while self.peek() in ("*", "/"):
            operator = self.peek()
            self.at += 1
            factor = self.factor()
            if operator == "/":
                below.append(factor)
            elif factor == factors[-1] and not below and "{" in factor:
                powers[-1] += 1
            elif below:  # a/b*c: the quotient is a factor
                factors, powers, below = [_over(_times(factors, powers), below), factor], [1, 1], []
            else:
                factors.append(factor)
                powers.append(1)
        above = _times(factors, powers)
        return _over(above, below) if below else above

    def factor(self) -> str:
        if self.at >= len(self.tokens):
            return ""
        number, name, sign = self.tokens[self.at].groups()
        self.at += 1
        if number is not None:
            mantissa, _, exponent = number.lower().partition("e")
            return rf"{{{mantissa} \cdot 10^{{{int(exponent)}}}}}" if exponent else number
        if name is not None:
            if self.peek() == "(" and name in _FUNCTIONS:
                self.at += 1
                return _call(name, self.arguments())
            return r"\pi" if name == "Pi" else self.spell(name)
        if sign == "(":
            inner = _join(self.sum())
            self.at += 1
            return rf"{{\left({inner}\right)}}" if r"\frac" in inner else f"{{({inner})}}"
        if sign == "-":
            return f"-{self.factor()}"
        return {"^": r"\hat{}", "#": r"\#", "%": r"\%", "&": r"\&", "$": r"\$", "_": r"\_", "~": r"\sim "}.get(
            sign, "" if sign in "\\{}" else sign
        )

    def arguments(self) -> list[str]:
        found = [_join(self.sum())]
        while self.peek() == ",":
            self.at += 1
            found.append(_join(self.sum()))
        self.at += 1
        return found


def _times(factors: Sequence[str], powers: Sequence[int]) -> str:
    parts = [factor if power == 1 else _power(factor, power) for factor, power in zip(factors, powers, strict=True)]
    parts.sort(key=lambda part: not part[:1].isdigit())  # numbers first
    text = parts[0]
    for part in parts[1:]:
        text += (r" \cdot " if part[:1].isdigit() else r"\,") + part
    return text


def _power(factor: str, power: int) -> str:
    if factor.startswith(r"\htmlData") and "_" in factor:  # above the index, not behind it
        return f"{factor[:-1]}^{{{power}}}}}"
    return f"{{{factor}}}^{{{power}}}"


def _over(above: str, below: Sequence[str]) -> str:
    return rf"\frac{{{above}}}{{{_times(below, [1] * len(below))}}}"


def _call(name: str, arguments: Sequence[str]) -> str:
    if name == "sqrt":
        return rf"\sqrt{{{arguments[0]}}}"
    if name == "abs":
        return rf"{{|{arguments[0]}|}}"
    if name == "pow" and len(arguments) == 2:
        return rf"{{({arguments[0]})}}^{{{arguments[1]}}}"
    return rf"{{{_FUNCTIONS[name]}({', '.join(arguments)})}}"
