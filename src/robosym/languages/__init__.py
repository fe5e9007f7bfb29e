"""Output languages. Each module prints models in one language; some languages can be read back.

To add a language, for example JavaScript:

1. Create `languages/javascript.py` with a function `_code(model, *, option=default, ...)` that returns the source text,
   and register the language below it::

       JAVASCRIPT = register(Language(name="javascript", code=_code, extensions={".js": {}}, style=..., reserved=...))

   `Program(model, JAVASCRIPT)` provides the assignments with valid names and printed expressions; `functions.py`
   splits a long model into functions. Keyword-only arguments of `_code` are the options of the language; a file
   extension may imply some of them. See the fields of `Language` for the other settings.
   Modules of this package are discovered automatically.
2. Add its compiler or interpreter to `tests/cases/toolchains.py` and a line to `RUNNERS` of
   `tests/languages/test_languages.py`. The test models use every function and names that are reserved words.

To read files back, set `Language.reading`; to print closed-form inverse geometric models, set `Language.solution`.
A language outside this package only needs to call `register`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from robosym.errors import InputError, Pass, closest
from robosym.files import write_texts
from robosym.languages.language import LANGUAGES, Language, find_language, options_of, register
from robosym.languages.program import function_name
from robosym.languages.reading import read_model
from robosym.languages.solution_program import solution_name
from robosym.model import Model
from robosym.model.model import Printed
from robosym.model.solution.recipe import Recipe, StepsRecipe
from robosym.model.solution.unrolled import printed_branches

__all__ = ["LANGUAGES", "Language", "code", "default_name", "extensions", "read_model", "register", "texts", "write"]

#: Display order; languages that are not listed come last.
ORDER = (
    "listing", "c", "cpp", "fortran", "matlab", "mathematica", "maple", "python", "julia", "rust", "modelica", "latex",
)  # fmt: skip
_OTHER_KINDS = {"fdi": ("fdm",)}  #: alternative SYMORO+ extensions per kind of model
for _module in (*ORDER, *(found.name for found in iter_modules(__path__) if not found.ispkg)):
    import_module(f"robosym.languages.{_module}")  # importing the module registers its language


def _printer(printed: Printed, language: Language) -> tuple[Callable[..., str], Printed]:
    """Return the printing function of a language for a model or recipe, and the object to pass to it.

    A language without `solution` prints all branches of a closed-form solution as one straight-line model.
    """
    if not isinstance(printed, Recipe):
        return language.code, printed
    if language.solution is not None:
        return language.solution, printed
    if not isinstance(printed, StepsRecipe):
        able = ", ".join(known.name for known in LANGUAGES.values() if known.solution is not None)
        raise InputError(
            f"language: expected one of {able} for the general method, which has no closed form, "
            f"found {language.name!r}"
        )
    return language.code, printed_branches(printed)


def code(printed: Printed, language: str, **options: object) -> str:
    """Return the source text of a model, or of a solver that computes all solutions of a recipe."""
    printer, given = _printer(printed, find_language(language))
    known = options_of(printer)
    if not options.get("name", True):
        del options["name"]  # empty: use the default; not every language takes this option
    for name in options:
        if name not in known:
            accepted = [part for option in known for part in (", ", Pass(option))][1:]
            message = f"{name}: unknown option of {language}{closest(name, known)}"
            raise InputError(message, hint=("it accepts ", *(accepted or ["no options"])))
    return printer(given, **options)


def default_name(printed: Printed, language: str = "", **options: object) -> str:
    """Return the default file name (SYMORO+ guide, Appendix 5.1): rx90_dyn.c, rx90.dyn, optimized rx90.dyno."""
    if isinstance(printed, Recipe):
        found = find_language(language or "c")
        return solution_name(printed, str(options.get("name", ""))) + next(iter(found.extensions))
    assert isinstance(printed, Model)
    if language in ("", "listing"):
        stem = re.sub(r"[^\w.-]", "_", printed.name)[:200] or "robot"
        return f"{stem}.{printed.kind}{'o' if printed.optimized else ''}"
    found = find_language(language)
    agreeing = [extension for extension, implied in found.extensions.items() if implied.items() <= options.items()]
    longest = max(agreeing, key=lambda extension: len(found.extensions[extension]))
    return function_name(printed, language=found)[:200] + longest


def extensions() -> dict[str, str]:
    """Map file extensions to languages; .txt is the listing."""
    ordered = sorted(LANGUAGES.values(), key=lambda language: language.name == "listing")
    return {extension: language.name for language in ordered for extension in language.extensions}


def _language_of(printed: Printed, path: Path) -> str:
    """Return the language that a file extension stands for."""
    known, suffix, kinds = extensions(), path.suffix, tuple[str, ...]()
    # SYMORO+ extensions: rx90.dyn, rx90.dyno for an optimized listing, rx90.Mjac for Mathematica
    if isinstance(printed, Model):
        kinds = (printed.kind, *_OTHER_KINDS.get(printed.kind, ()))
    if suffix in (f".{kind}{end}" for kind in kinds for end in ("", "o")):
        return "listing"
    if suffix in (f".M{kind}" for kind in kinds):
        return "mathematica"
    if suffix.lower() not in known:
        expected = ", ".join([*known, *(f".{kind}" for kind in kinds[:1])])
        raise InputError(f"{path.name!r}: unknown extension: expected one of {expected}, found {suffix!r}")
    return known[suffix.lower()]


def texts(printed: Printed, path: str | Path, language: str | None = None, **options: object) -> dict[Path, str]:
    """Return the files that `write` creates: the source and, for C, its header."""
    path = Path(path)
    if path.is_dir():
        path = path / default_name(printed, language or "", **options)
    found = find_language(language or _language_of(printed, path))
    options = {**found.extensions.get(path.suffix.lower(), {}), **options}
    written: dict[Path, str] = {}
    for other in map(find_language, found.beside):
        beside = path.with_suffix(next(iter(other.extensions)))
        known = options_of(_printer(printed, other)[0])
        written[beside] = code(printed, other.name, **{name: options[name] for name in options if name in known})
        options.setdefault("header", beside.name)
    return {path: code(printed, found.name, **options), **written}


def write(printed: Printed, path: str | Path, language: str | None = None, **options: object) -> list[Path]:
    """Write the source file and, for C, its header; return the paths.

    Writing is atomic: on an error no file is left behind. If `path` is a directory, the default name is used.
    """
    found = texts(printed, path, language, **options)
    write_texts(found)
    return list(found)
