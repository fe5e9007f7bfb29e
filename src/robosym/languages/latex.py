"""LaTeX: the equations of a model, for a report."""

from __future__ import annotations

import re
from fractions import Fraction

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Program, double
from robosym.model import Model

__all__ = ["LATEX"]

ROWS = 30  # of one block of equations, so that pages can break


def _number(value: Fraction | float) -> str:
    if isinstance(value, Fraction):
        return str(value)
    mantissa, _, exponent = double(value).partition("e")
    return rf"({mantissa} \cdot 10^{{{int(exponent)}}})" if exponent else mantissa


STYLE = Style(
    number=_number,
    pi=r"\pi",
    functions={
        **{name: rf"\{name}" for name in ("sin", "cos", "tan", "exp", "log", "tanh")},
        "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan",
        "atan2": r"\operatorname{atan2}", "sign": r"\operatorname{sign}",
        "sqrt": r"\sqrt{{{0}}}", "abs": "|{0}|", "pow": "{{({0})}}^{{{1}}}",
    },
    times=r"\,",
)  # fmt: skip


def _spell(name: str) -> str:
    """`W13` is W with the index 13; several letters stand together, upright."""
    found = re.fullmatch(r"([A-Za-z_0-9]*?[A-Za-z_])(\d*)", name)
    letters, index = (found[1], found[2]) if found else (name, "")
    letters = letters.replace("_", r"\_")
    letters = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
    return f"{letters}_{{{index}}}" if index else letters


def _broken(text: str, width: int) -> list[str]:
    """The sum in lines of about `width` characters, broken before signs outside braces."""
    lines, line, depth = [], "", 0
    for piece in re.split(r"(?= [-+] )", text):
        if depth == 0 and line and len(line) + len(piece) > width:
            lines.append(line)
            line = piece.strip()
        else:
            line += piece
        depth += piece.count("{") - piece.count("}")
    return [*lines, line]


def _code(model: Model) -> str:
    """A document of its own; the equations are between the two comments."""
    program = Program(model, LATEX)
    equations = [(s.name, s.text) for s in program.statements]
    equations += [(spelled, text) for _, spelled, text in program.outputs]
    lines = LATEX.commented(describe(model))
    title = re.sub(r"([_#$%&{}])", r"\\\1", f"{model.name}: {model.title}".replace("\\", "").replace("^", ""))
    lines += [r"\documentclass{article}", r"\usepackage{amsmath}", r"\usepackage[margin=2cm]{geometry}"]
    lines += [r"\allowdisplaybreaks", r"\begin{document}", rf"\section*{{{title}}}", "% equations", ""]
    for start in range(0, len(equations), ROWS):
        block = equations[start : start + ROWS]
        rows = [" \\\\\n    &\\quad ".join(_broken(f"{name} &= {text}", 150)) for name, text in block]
        lines += [r"\begin{align*}", "  " + " \\\\\n  ".join(rows), r"\end{align*}"]
    return "\n".join([*lines, "", "% end of equations", r"\end{document}", ""])


LATEX = register(
    Language(
        name="latex",
        code=_code,
        extensions={".tex": {}},
        comment=("", "% ", ""),
        style=STYLE,
        exact=True,
        spell=_spell,
        mark="'",
    )
)
