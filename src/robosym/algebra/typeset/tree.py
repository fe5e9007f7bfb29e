"""A typeset formula as a tree, and the symbols that names of variables stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["FUNCTIONS", "GREEK", "Kind", "Math", "row", "symbol"]

Kind = Literal[
    "name", "word", "number", "sign", "function", "row", "fraction", "scripts", "fence", "over", "root", "grid", "space"
]
#: names of Greek letters and their characters
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "lambda": "λ", "mu": "μ", "pi": "π",
    "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Psi": "Ψ", "Sigma": "Σ",
    "partial": "∂", "ell": "ℓ",
}  # fmt: skip
#: functions that are printed upright before their argument
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sign", "abs", "exp", "log", "det", "min", "max")
_NAME = re.compile(r"([^\W\d_]+)_?(\w*)\Z")
_POSE = re.compile(r"([snaP])([xyz])\Z")  #: entries of a pose
#: guide's names of rates, accelerations and efforts, and the symbols of the book
_RATES = {"QP": ("q", "dot"), "QDP": ("q", "ddot"), "GAM": ("Γ", "")}


@dataclass(frozen=True)
class Math:
    """Node of a formula.

    `text` is the text of a name, word, number, sign or function, the two delimiters of a fence or a grid, or the kind
    of an accent (`dot`, `ddot`, `bar`, `hat`). The parts of scripts are base, subscript and superscript, where an
    empty row means none; the parts of a grid are rows of cells.
    """

    kind: Kind
    text: str = ""
    parts: tuple[Math, ...] = ()

    @property
    def empty(self) -> bool:
        return self.kind == "row" and not self.parts


def row(*parts: Math) -> Math:
    """Return parts side by side."""
    flat: list[Math] = []
    for part in parts:
        flat += part.parts if part.kind == "row" else (part,)
    return flat[0] if len(flat) == 1 else Math("row", "", tuple(flat))


def symbol(name: str) -> Math:
    """Return a name as the book prints it: `QP1` as q with a dot and index 1, `XX2R` with index 2R."""
    if name == "Pi":
        return Math("name", "π")
    pose = _POSE.match(name)
    found = pose or _NAME.match(name)
    if found is None:
        return Math("word", name)
    base, index = found.groups()
    accent = ""
    if base in _RATES and index:
        base, accent = _RATES[base]
    base = GREEK.get(base, base)
    node = Math("name" if len(base) == 1 else "word", base)
    if accent:
        node = Math("over", accent, (node,))
    if not index:
        return node
    return Math("scripts", "", (node, Math("name" if pose else "word", index), row()))
