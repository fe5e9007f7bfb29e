"""The part of LaTeX in which derivations state general equations, as a typeset formula."""

from __future__ import annotations

import re

from robosym.algebra.typeset.tree import FUNCTIONS, GREEK, Kind, Math, row

__all__ = ["read_latex"]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\S")
_SIGNS = {
    "times": "×", "cdot": "·", "le": "≤", "ge": "≥", "ne": "≠", "pm": "±", "in": "∈", "to": "→", "sum": "∑", "int": "∫",
    "Rightarrow": "⇒", "approx": "≈", "cdots": "⋯", "dots": "…", "quad": "", "qquad": "", "prime": "′",
}  # fmt: skip
_ACCENTS = {"dot": "dot", "ddot": "ddot", "bar": "bar", "hat": "hat"}
_SPACES = {"quad": "wide", "qquad": "wide", ",": "thin", ";": "thin", " ": "thin"}
_FRACTIONS = ("frac", "tfrac", "dfrac")
_WORDS = ("operatorname", "text", "mathrm", "mathit")


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(text)
        self.place = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def until(self, *ends: str) -> Math:
        parts: list[Math] = []
        while self.next and self.next not in ends:
            parts.append(self.scripted())
        return row(*parts)

    def group(self) -> Math:
        """Read the argument of a command: a group in braces, or one token."""
        if self.next != "{":
            if len(self.next) > 1 and self.next.isdigit():  # one digit, as in \\frac12
                self.tokens[self.place : self.place + 1] = [self.next[0], self.next[1:]]
            return self.atom()
        self.take()
        found = self.until("}")
        self.take()
        return found

    def scripted(self) -> Math:
        base = self.atom()
        sub, sup = row(), row()
        while self.next in ("_", "^"):
            if self.take() == "_":
                sub = self.group()
            else:
                sup = self.group()
        return base if sub.empty and sup.empty else Math("scripts", "", (base, sub, sup))

    def atom(self) -> Math:
        token = self.take()
        if token == "{":
            self.place -= 1
            return self.group()
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return Math("number", token)
        if token.isalpha():
            return Math("name", token)
        return Math("sign", {"-": "−", "'": "′"}.get(token, token))

    def command(self, name: str) -> Math:
        if name in _SPACES:
            return Math("space", _SPACES[name])
        if name in GREEK:
            return Math("name", GREEK[name])
        if name in _SIGNS:
            return Math("sign", _SIGNS[name])
        if name in _FRACTIONS:
            return Math("fraction", "", (self.group(), self.group()))
        if name in _ACCENTS:
            return Math("over", _ACCENTS[name], (self.group(),))
        if name == "sqrt":
            return Math("root", "", (self.group(),))
        if name in _WORDS:
            kind: Kind = "function" if name == "operatorname" else "word"
            return Math(kind, self.letters())
        if name in FUNCTIONS:
            return Math("function", name)
        if name == "left":
            opening = self.delimiter()
            body = self.until("\\right")
            self.take()
            return Math("fence", opening + self.delimiter(), (body,))
        if name == "begin":
            return self.grid(self.letters())
        return Math("word", name)

    def delimiter(self) -> str:
        token = self.take()
        return {"\\{": "{", "\\}": "}", "\\|": "‖"}.get(token, token)

    def letters(self) -> str:
        """Read the letters of a group, with the spaces that were lost between words."""
        self.take()
        found = []
        while self.next != "}":
            found.append(self.take())
        self.take()
        return "".join(found)

    def grid(self, name: str) -> Math:
        rows, cells = [], []
        while True:
            cells.append(self.until("&", "\\\\", "\\end"))
            token = self.take()
            if token != "&":
                rows.append(Math("row", "", tuple(cells)))
                cells = []
            if token == "\\end":
                self.letters()
                return Math("grid", {"bmatrix": "[]", "pmatrix": "()"}.get(name, ""), tuple(rows))


def read_latex(text: str) -> Math:
    """Return a formula in a subset of LaTeX: scripts, fractions, accents, Greek letters, brackets and matrices."""
    return _Reader(text).until()
