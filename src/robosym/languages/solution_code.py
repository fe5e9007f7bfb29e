"""Closed-form solutions in a language that has a printer of them."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import wrap
from typing import Any

from robosym.errors import InputError
from robosym.files import write_texts
from robosym.languages.header import UNITS
from robosym.languages.joint_names import named_entries
from robosym.languages.language import LANGUAGES, find_language
from robosym.languages.provenance import provenance
from robosym.languages.solution_c import AnyRecipe
from robosym.model.solution.elimination_recipe import EliminationRecipe
from robosym.model.solution.recipe import Recipe
from robosym.model.solution.unrolled import printed_branches
from robosym.safe_text import identifier

__all__ = ["solution_code", "solution_extensions", "write_solution"]


def solution_code(recipe: AnyRecipe, language: str, *, name: str = "", **options: Any) -> str:
    """A function that gives all solutions, verified by forward substitution; `name` is its name.

    A language that has no printer of solutions prints all branches as one straight-line model.
    """
    found = find_language(language)
    if found.solution is None:
        if isinstance(recipe, EliminationRecipe):
            able = ", ".join(known.name for known in LANGUAGES.values() if known.solution is not None)
            raise InputError(
                f"the general method has no closed form that {language} could print: it has code in {able}"
            )
        return found.code(printed_branches(recipe), **options, **({"name": name} if name else {}))
    return found.solution(recipe, _function(recipe, name), _describe(recipe), **options)


def write_solution(recipe: AnyRecipe, path: str | Path, language: str | None = None, name: str = "") -> list[Path]:
    """The function in a file, and the header beside a C file; a directory gives the file the guide's name."""
    path = Path(path)
    if path.is_dir():
        found = find_language(language or "c")
        path = path / f"{_function(recipe, name)}{next(iter(found.extensions))}"
    if language is None:
        known = solution_extensions()
        if path.suffix.lower() not in known:
            raise InputError(f"cannot tell the language of {path.name!r}: known extensions are {', '.join(known)}")
        language = known[path.suffix.lower()]
    implied = dict(find_language(language).extensions.get(path.suffix.lower(), {}))
    texts = {}
    header = ""
    for other in find_language(language).beside:
        beside = path.with_suffix(next(iter(find_language(other).extensions)))
        texts[beside], header = solution_code(recipe, other, name=name), beside.name
    more = {"header": header} if header else implied
    texts = {path: solution_code(recipe, language, name=name, **more), **texts}
    write_texts(texts)
    return list(texts)


def _function(recipe: AnyRecipe, given: str = "") -> str:
    """The name of the function: the one that is given, or that of the robot and the method."""
    if given:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", given) or given in find_language("cpp").reserved:
            raise InputError(f"name: expected an identifier that is not reserved, found {given!r}")
        return given
    return identifier(f"{recipe.name}_{recipe.kind}")


def solution_extensions() -> dict[str, str]:
    """The language that an extension means."""
    return {extension: known.name for known in LANGUAGES.values() for extension in known.extensions}


def _describe(recipe: AnyRecipe) -> list[str]:
    meaning = {
        "T": f"the desired pose{f' of {recipe.goal}' if recipe.goal else ''}, a 4x4 matrix row by row",
        "q": "joints that are known",
        "parameters": "parameters",
    }
    lines = [f"{recipe.name}: {recipe.title}", "", *provenance(recipe.robot), "", UNITS, ""]
    for group, names in recipe.inputs.items():
        argument = "q_known" if group == "q" else group
        lines.append(f"in  {argument}: {meaning[group]}" + (f": {' '.join(names)}" if group != "T" else ""))
    lines.append(f"out q: {' '.join(recipe.outputs)}")
    if isinstance(recipe, Recipe) and recipe.modes:
        lines += wrap(recipe.modes, 100, initial_indent="    ", subsequent_indent="    ")
    robot = recipe.robot
    if robot is None:
        return lines
    labels = {variable: joint.name for variable, joint in zip(robot.variables, robot.joints, strict=False)}
    return [*lines, *named_entries(["q"], [labels.get(output, "") for output in recipe.outputs])]
