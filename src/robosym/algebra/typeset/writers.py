"""Typeset formulas in three notations: LaTeX, MathML (which browsers display without a library) and Typst."""

from __future__ import annotations

from collections.abc import Iterator

from robosym.algebra.typeset.tree import GREEK, Math
from robosym.safe_text import markup

__all__ = ["to_latex", "to_mathml", "to_typst"]

_RELATIONS = ("=", "<", ">", "≤", "≥", "≠", "≈", "⇒", "→")
_NAMES = {character: name for name, character in GREEK.items()}

# ----------------------------------------------------------------------------- LaTeX

_LATEX_SIGNS = {
    "−": "-", "±": r"\pm ", "·": r"\cdot ", "×": r"\times ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∑": r"\sum ",
    "∈": r"\in ", "→": r"\to ", "′": "'", "⇒": r"\Rightarrow ", "≈": r"\approx ", "⋯": r"\cdots ", "…": r"\dots ",
    "∫": r"\int ",
}  # fmt: skip
_LATEX_FUNCTIONS = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan"}
_LATEX_KNOWN = ("sin", "cos", "tan", "exp", "log", "det", "min", "max")


def to_latex(node: Math) -> str:
    """Return a formula in LaTeX (amsmath)."""
    parts = [to_latex(part) for part in node.parts] if node.kind != "grid" else []
    match node.kind:
        case "name":
            return f"\\{_NAMES[node.text]} " if node.text in _NAMES else node.text
        case "word":
            text = node.text.replace("_", r"\_")
            return text if text.isdigit() else rf"\mathrm{{{text}}}"
        case "number":
            return node.text.replace("−", "-")
        case "sign":
            return f" {_LATEX_SIGNS.get(node.text, node.text)} ".replace("  ", " ")
        case "function":
            if node.text in _LATEX_KNOWN:
                return f"\\{node.text} "
            return _LATEX_FUNCTIONS.get(node.text, rf"\operatorname{{{node.text}}}") + " "
        case "row":
            return "".join(parts).strip()
        case "fraction":
            return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
        case "scripts":
            base, sub, sup = parts
            base = base.strip() or "{}"
            return base + (f"_{{{sub.strip()}}}" if sub else "") + (f"^{{{sup.strip()}}}" if sup else "")
        case "fence":
            opening, closing = (rf"\{side}" if side in "{}" else side for side in node.text)
            return rf"\left{opening}{parts[0]}\right{closing}"
        case "over":
            return rf"\{node.text}{{{parts[0]}}}"
        case "root":
            return rf"\sqrt{{{parts[0]}}}"
        case "grid":
            rows = r" \\ ".join(" & ".join(map(to_latex, cells.parts)) for cells in node.parts)
            name = {"[]": "bmatrix", "()": "pmatrix"}.get(node.text, "matrix")
            return rf"\begin{{{name}}}{rows}\end{{{name}}}"
        case "space":
            return r"\quad " if node.text == "wide" else r"\,"


# ----------------------------------------------------------------------------- MathML

_ACCENTS = {"dot": "˙", "ddot": "¨", "bar": "¯", "hat": "^"}


def to_mathml(node: Math, display: bool = False) -> str:
    """Return a formula in MathML; a sum in several elements, so that a browser can break the line between its terms."""
    if display:
        return f'<math display="block"><mstyle displaystyle="true">{_mathml(node)}</mstyle></math>'
    pieces = [f"<math><mstyle displaystyle='true'>{''.join(map(_mathml, run))}</mstyle></math>" for run in _runs(node)]
    return " ".join(pieces)


def _runs(node: Math) -> Iterator[list[Math]]:
    """Yield the parts of a row, divided before each sum sign and after each relation."""
    run: list[Math] = []
    for part in node.parts if node.kind == "row" else (node,):
        if part.kind == "sign" and part.text in ("+", "−", "±") and run:
            yield run
            run = []
        run.append(part)
        if part.kind == "sign" and part.text in (*_RELATIONS, ","):
            yield run
            run = []
    if run:
        yield run


def _mathml(node: Math) -> str:
    parts = [_mathml(part) for part in node.parts] if node.kind not in ("grid", "fence") else []
    match node.kind:
        case "name":
            return f"<mi>{markup(node.text)}</mi>"
        case "word" | "function":
            after = '<mo>&#x2061;</mo><mspace width="0.17em"></mspace>' if node.kind == "function" else ""
            shown = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(node.text, node.text)
            return f'<mi mathvariant="normal">{markup(shown)}</mi>{after}'
        case "number":
            return f"<mn>{markup(node.text)}</mn>"
        case "sign":
            return f"<mo>{markup(node.text)}</mo>"
        case "row":
            return f"<mrow>{''.join(parts)}</mrow>"
        case "fraction":
            return f"<mfrac>{parts[0]}{parts[1]}</mfrac>"
        case "scripts":
            base, sub, sup = parts
            if node.parts[2].empty:
                return f"<msub>{base}{sub}</msub>"
            return f"<msup>{base}{sup}</msup>" if node.parts[1].empty else f"<msubsup>{base}{sub}{sup}</msubsup>"
        case "fence":
            opening, closing = (f"<mo>{markup(side)}</mo>" for side in node.text)
            return f"<mrow>{opening}{_mathml(node.parts[0])}{closing}</mrow>"
        case "over":
            return f'<mover accent="true">{parts[0]}<mo>{_ACCENTS[node.text]}</mo></mover>'
        case "root":
            return f"<msqrt>{parts[0]}</msqrt>"
        case "grid":
            rows = "".join(
                f"<mtr>{''.join(f'<mtd>{_mathml(cell)}</mtd>' for cell in cells.parts)}</mtr>" for cells in node.parts
            )
            sides = [f"<mo>{side}</mo>" for side in node.text] or ["", ""]
            return f"<mrow>{sides[0]}<mtable>{rows}</mtable>{sides[1]}</mrow>"
        case "space":
            return f'<mspace width="{"1em" if node.text == "wide" else "0.17em"}"></mspace>'


# ----------------------------------------------------------------------------- Typst

_TYPST_SIGNS = {
    "−": "-", "±": "plus.minus", "·": "dot.c", "×": "times", "≤": "<=", "≥": ">=", "≠": "!=", "∑": "sum", "∈": "in",
    "→": "->", "′": "'", "⇒": "=>", "≈": "approx", ",": "\\,", ";": "\\;", "⋯": "dots.c", "…": "dots", "∫": "integral",
    "(": "\\(", ")": "\\)", "[": "\\[", "]": "\\]", "|": "bar.v", "/": "\\/", ":": "\\:",
}  # fmt: skip
_TYPST_ACCENTS = {"dot": "dot", "ddot": "dot.double", "bar": "overline", "hat": "hat"}
_TYPST_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_TYPST_KNOWN = ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "exp", "log", "det", "min", "max")


def to_typst(node: Math) -> str:
    """Return a formula in the mathematics of Typst, without the dollar signs."""
    parts = [to_typst(part) for part in node.parts] if node.kind != "grid" else []
    match node.kind:
        case "name":
            return node.text
        case "word":
            return node.text if node.text.isdigit() else f'upright("{_quoted(node.text)}")'
        case "number":
            return node.text.replace("−", "-")
        case "sign":
            return _TYPST_SIGNS.get(node.text, node.text)
        case "function":
            name = _TYPST_FUNCTIONS.get(node.text, node.text)
            return name if name in _TYPST_KNOWN else f'op("{_quoted(name)}")'
        case "row":
            return " ".join(part for part in parts if part)
        case "fraction":
            return f"frac({parts[0]}, {parts[1]})"
        case "scripts":
            base, sub, sup = parts
            return (base or '""') + (f"_({sub})" if sub else "") + (f"^({sup})" if sup else "")
        case "fence":
            opening, closing = (_TYPST_SIGNS.get(side, side) for side in node.text)
            if node.text == "||":
                return f"abs({parts[0]})"
            return f"lr({opening} {parts[0]} {closing})"
        case "over":
            return f"{_TYPST_ACCENTS[node.text]}({parts[0]})"
        case "root":
            return f"sqrt({parts[0]})"
        case "grid":
            rows = "; ".join(", ".join(map(to_typst, cells.parts)) for cells in node.parts)
            delimiter = f'delim: "{node.text[0]}", ' if node.text else "delim: #none, "
            return f"mat({delimiter}{rows})"
        case "space":
            return "quad" if node.text == "wide" else "thin"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
