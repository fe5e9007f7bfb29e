"""Closed-form solutions for people: every step with its equation and result, as a text and in LaTeX."""

from __future__ import annotations

from robosym.languages.solution_c import AnyRecipe
from robosym.safe_text import comment

__all__ = ["solution_latex", "solution_listing"]


def solution_listing(recipe: AnyRecipe, name: str, describe: list[str]) -> str:
    """The steps in words, with what was substituted."""
    from robosym.model.solution.steps import explain_steps  # NumPy comes with the steps

    lines = ["(*", *(f"   {comment(line)}".rstrip() for line in describe), "*)", ""]
    return "\n".join([*lines, "\n\n".join(explain_steps(recipe.steps)), ""])


def solution_latex(recipe: AnyRecipe, name: str, describe: list[str]) -> str:
    """A document with the steps as rows of equations."""
    from robosym.model.solution.steps import latex_steps

    lines = [*(f"% {comment(line)}".rstrip() for line in describe), r"\documentclass{article}", r"\usepackage{amsmath}"]
    lines += [r"\allowdisplaybreaks", r"\begin{document}", latex_steps(recipe.steps).rstrip(), r"\end{document}", ""]
    return "\n".join(lines)
