"""Closed-form solutions in a language that has a printer of them."""

from __future__ import annotations

import re

from robosym.languages.header import UNITS
from robosym.languages.language import LANGUAGES, find_language
from robosym.languages.provenance import provenance
from robosym.model.solution.recipe import Recipe

__all__ = ["solution_code", "solution_extensions"]


def solution_code(recipe: Recipe, language: str) -> str:
    """A function that gives all solutions, verified by forward substitution."""
    printer = find_language(language, {name: known for name, known in LANGUAGES.items() if known.solution}).solution
    assert printer is not None
    name = re.sub(r"\W", "_", f"{recipe.name}_{recipe.kind}", flags=re.ASCII)
    name = name if re.match("[A-Za-z]", name) else f"robot_{name}"
    return printer(recipe, name, _describe(recipe))


def solution_extensions() -> dict[str, str]:
    """The language that an extension means, of those that print solutions."""
    return {extension: known.name for known in LANGUAGES.values() if known.solution for extension in known.extensions}


def _describe(recipe: Recipe) -> list[str]:
    meaning = {
        "T": "the desired pose in frame 0, a 4x4 matrix row by row",
        "q": "joints that are known",
        "parameters": "parameters",
    }
    lines = [f"{recipe.name}: {recipe.title}", "", *provenance(recipe.robot), "", UNITS, ""]
    for group, names in recipe.inputs.items():
        argument = "q_known" if group == "q" else group
        lines.append(f"in  {argument}: {meaning[group]}" + (f": {' '.join(names)}" if group != "T" else ""))
    return [*lines, f"out q: {' '.join(recipe.outputs)}"]
