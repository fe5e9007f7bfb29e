"""Typeset formulas: infix text and LaTeX in, LaTeX, MathML and Typst out."""

from __future__ import annotations

from xml.dom.minidom import parseString

import pytest

import robosym as rs
from robosym.algebra.typeset import legend, read_infix, read_latex, shortened, to_latex, to_mathml, to_typst


@pytest.mark.parametrize(
    ("text", "latex", "typst"),
    [
        ("XX2R = XX2 - YY2", r"\mathrm{XX}_{\mathrm{2R}} = \mathrm{XX}_{2} - \mathrm{YY}_{2}",
         'upright("XX")_(upright("2R")) = upright("XX")_(2) - upright("YY")_(2)'),
        ("a/(b + c)", r"\frac{a}{b + c}", "frac(a, b + c)"),
        ("sin(t2)^2*QP1", r"\sin ^{2}t_{2}\,\dot{q}_{1}", "sin^(2) t_(2) thin dot(q)_(1)"),
        ("2e-05*x", r"2 \cdot 10^{-5}\,x", "2 dot.c 10^(-5) thin x"),
        ("+- acos(-X)", r"\pm \arccos \left( - X\right)", "plus.minus arccos lr(\\( - X \\))"),
    ],
)  # fmt: skip
def test_writes_infix(text: str, latex: str, typst: str) -> None:
    found = read_infix(text)
    assert "".join(to_latex(found).split()) == "".join(latex.split())
    assert to_typst(found) == typst


def test_text_that_is_no_formula_is_a_word() -> None:
    assert read_infix("see (above").kind == "word" and read_infix("a b") == read_infix("a b")


def test_latex_survives_a_round() -> None:
    for text in (r"\frac{\partial E}{\partial\dot q_i}", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}", r"{}^{j}A_i"):
        once = to_latex(read_latex(text))
        assert to_latex(read_latex(once)) == once


def test_shorthand_is_that_of_the_book() -> None:
    assert shortened("cos(t2 + t3)*sin(t1)") == "C23*S1"
    for kept in ("cos(t12)", "sin(t2 - t3)", "C1*cos(t1)", "cos(2*t1)", "cos(gam1)"):
        assert shortened(kept) == kept
    assert legend(["cos(t2 + t3)", "sin(t1)"]) == {"S1": "sin(t1)", "C23": "cos(t2 + t3)"}


def test_mathml_is_well_formed() -> None:
    for subject in ("newton_euler", "lagrange", "jacobian", "geometry", "base_parameters", "inverse_geometry"):
        for step in rs.derivation("planar2r", subject).steps:
            for formula in step.formulas:
                for side in formula.sides:
                    parseString(f"<p>{to_mathml(side)}</p>")
            if step.general:
                parseString(to_mathml(read_latex(step.general), display=True))
