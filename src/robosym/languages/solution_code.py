"""Closed-form solutions in a language: "c" or "python"."""

from __future__ import annotations

import re
from collections.abc import Callable

from robosym.errors import InputError, closest
from robosym.languages import solution_c, solution_python
from robosym.model.solution.recipe import Recipe

__all__ = ["LANGUAGES", "solution_code"]

LANGUAGES: dict[str, Callable[[Recipe, str, list[str]], str]] = {
    "c": solution_c.code,
    "python": solution_python.code,
}


def solution_code(recipe: Recipe, language: str) -> str:
    """A function that gives all solutions, verified by forward substitution."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InputError(f"unknown language {language!r}{closest(language, LANGUAGES)}; known are {known}")
    name = re.sub(r"\W", "_", f"{recipe.name}_{recipe.kind}", flags=re.ASCII)
    name = name if re.match("[A-Za-z]", name) else f"robot_{name}"
    return LANGUAGES[language](recipe, name, _describe(recipe))


def _describe(recipe: Recipe) -> list[str]:
    meaning = {"T": "the desired matrix, 4x4", "q": "joints that are known", "parameters": "parameters"}
    lines = [f"{recipe.name}: {recipe.title}", ""]
    for group, names in recipe.inputs.items():
        argument = "q_known" if group == "q" else group
        lines.append(f"in  {argument}: {meaning[group]}" + (f": {' '.join(names)}" if group != "T" else ""))
    return [*lines, f"out q: {' '.join(recipe.outputs)}"]
