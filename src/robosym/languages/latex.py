"""LaTeX: the equations of a model, for a report."""

from __future__ import annotations

import re
from fractions import Fraction

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Program, double
from robosym.languages.solution_program import describe_solution
from robosym.model import Model, flat, shape
from robosym.model.solution.recipe import EliminationRecipe, StepsRecipe
from robosym.model.solution.steps import latex_steps
from robosym.safe_text import latex

__all__ = ["LATEX"]

ROWS = 30  # equations per block, so that pages can break


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


_GREEK = frozenset("alpha beta gamma delta epsilon theta lambda mu sigma tau phi psi omega".split())
#: letters of the literature: joint angles, velocities, accelerations, torques
_LETTERS = {"t": r"\theta", "QP": r"\dot q", "QDP": r"\ddot q", "GAM": r"\Gamma"}
_WIDE = 110  #: widest row of a matrix that is printed with its entries, in characters


def _spell(name: str) -> str:
    """Return `W13` as W with index 13, and several letters upright."""
    found = re.fullmatch(r"([A-Za-z_0-9]*?[A-Za-z_])(\d*)", name)
    letters, index = (found[1], found[2]) if found else (name, "")
    if index and letters in _LETTERS:
        return f"{_LETTERS[letters]}_{{{index}}}"
    if letters in _GREEK:
        return rf"\{letters}_{{{index}}}" if index else rf"\{letters}"
    letters = letters.replace("_", r"\_")
    letters = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
    return f"{letters}_{{{index}}}" if index else letters


def _broken(text: str, width: int) -> list[str]:
    """Break a sum into lines of about `width` characters, before signs outside braces."""
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
    """Return a complete document; the equations are between two comments."""
    program = Program(model, LATEX, written_out=model.written_out)
    equations = [(s.name, s.text) for s in program.statements]
    matrices: list[str] = []
    outputs = {name: (spelled, text) for name, spelled, text in program.outputs}
    for group, layout in model.outputs.items():
        if len(shape(layout)) == 1:
            equations += [outputs[name] for name in flat(layout)]
            continue
        entries = [[outputs[name][1] for name in row] for row in layout]
        if max(sum(map(len, row)) for row in entries) > _WIDE:  # print the entries, then the matrix of their names
            equations += [outputs[name] for name in flat(layout) if outputs[name][1] not in ("0", "1")]
            entries = [[t if t in ("0", "1") else n for n, t in (outputs[name] for name in row)] for row in layout]
        matrices.append(_matrix(group, entries))
    lines = LATEX.commented(describe(model, LATEX))
    title = latex(f"{model.name}: {model.title}")
    lines += [r"\documentclass{article}", r"\usepackage{amsmath}", r"\usepackage[margin=2cm]{geometry}"]
    lines += [r"\allowdisplaybreaks", r"\begin{document}", rf"\section*{{{title}}}", "% equations", ""]
    for start in range(0, len(equations), ROWS):
        block = equations[start : start + ROWS]
        rows = [" \\\\\n    &\\quad ".join(_broken(f"{name} &= {text}", 150)) for name, text in block]
        lines += [r"\begin{align*}", "  " + " \\\\\n  ".join(rows), r"\end{align*}"]
    return "\n".join([*lines, *matrices, "", "% end of equations", r"\end{document}", ""])


def _matrix(group: str, entries: list[list[str]]) -> str:
    """Return a group as a matrix equation."""
    rows = " \\\\\n    ".join(" & ".join(row) for row in entries)
    columns = [rf"\setcounter{{MaxMatrixCols}}{{{len(entries[0])}}}"] if len(entries[0]) > 10 else []
    head = rf"  {_spell(group)} = \begin{{bmatrix}}"
    return "\n".join([*columns, r"\[", head, f"    {rows}", r"  \end{bmatrix}", r"\]"])


def _solution(recipe: StepsRecipe | EliminationRecipe, *, name: str = "") -> str:
    """Return a document with the steps of a solution as equations."""
    lines = [*LATEX.commented(describe_solution(recipe)), r"\documentclass{article}", r"\usepackage{amsmath}"]
    lines += [r"\allowdisplaybreaks", r"\begin{document}", latex_steps(recipe.steps).rstrip(), r"\end{document}", ""]
    return "\n".join(lines)


LATEX = register(
    Language(
        name="latex",
        code=_code,
        first=1,
        extensions={".tex": {}},
        comment=("", "% ", ""),
        style=STYLE,
        exact=True,
        spell=_spell,
        mark="'",
        solution=_solution,
    )
)
