"""Languages: each a file that prints models and, where it can, reads them back.

To add a language, say JavaScript:

1. Write `languages/javascript.py` with a function `_code(model, *, option=default, ...)` that gives the source text,
   and below it the record of the language::

       JAVASCRIPT = register(Language(name="javascript", code=_code, extensions={".js": {}}, style=..., reserved=...))

   `Program(model, JAVASCRIPT)` gives the assignments, with names and expressions as the record says; `functions.py`
   cuts a long model into functions. Keyword-only arguments of `_code` are the options of the language; an extension
   may imply some of them. The fields of `Language` say what else can be told.
   The file is found by being there.
2. Put its compiler or interpreter into `tests/cases/toolchains.py` and a line into `RUNNERS` of
   `tests/languages/test_languages.py`: the models there have every function, and names that languages keep.

To read files back, give the record a `Dialect`; to print closed-form inverse geometry, a function `solution`.
A language outside this package needs the call of `register` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from robosym.errors import InputError, closest
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

#: The order in which people see them; a language that is not named here comes after these.
ORDER = (
    "listing", "c", "cpp", "fortran", "matlab", "mathematica", "maple", "python", "julia", "rust", "latex",
)  # fmt: skip
_OTHER_KINDS = {"fdi": ("fdm",)}  #: other extensions of the guide for a model
for _module in (*ORDER, *(found.name for found in iter_modules(__path__) if not found.ispkg)):
    import_module(f"robosym.languages.{_module}")  # a file of a language registers it


def _printer(printed: Printed, language: Language) -> tuple[Callable[..., str], Printed]:
    """What prints a model or a recipe in a language, and what it is given.

    A language that has no printer of solutions prints all branches as one straight-line model.
    """
    if not isinstance(printed, Recipe):
        return language.code, printed
    if language.solution is not None:
        return language.solution, printed
    if not isinstance(printed, StepsRecipe):
        able = ", ".join(known.name for known in LANGUAGES.values() if known.solution is not None)
        raise InputError(
            f"the general method has no closed form that {language.name} could print: it has code in {able}"
        )
    return language.code, printed_branches(printed)


def code(printed: Printed, language: str, **options: object) -> str:
    """A model, or a function that gives all solutions of a recipe, as source text."""
    printer, given = _printer(printed, find_language(language))
    known = options_of(printer)
    if not options.get("name", True):
        del options["name"]  # not given; a language need not take it
    for name in options:
        if name not in known:
            expected = f"known are {', '.join(known)}" if known else "it has none"
            raise InputError(f"{language} has no option {name!r}{closest(name, known)}; {expected}")
    return printer(given, **options)


def default_name(printed: Printed, language: str = "", **options: object) -> str:
    """The guide's name of the file (Appendix 5.1): rx90_dyn.c, rx90.dyn, and rx90.dyno for an optimised listing."""
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
    """The language that an extension means; the listing's is .txt."""
    ordered = sorted(LANGUAGES.values(), key=lambda language: language.name == "listing")
    return {extension: language.name for language in ordered for extension in language.extensions}


def _language_of(printed: Printed, path: Path) -> str:
    """The language that an extension means."""
    known, suffix, kinds = extensions(), path.suffix, tuple[str, ...]()
    # the guide's own extensions: rx90.dyn, rx90.dyno for an optimized listing, rx90.Mjac in Mathematica's form
    if isinstance(printed, Model):
        kinds = (printed.kind, *_OTHER_KINDS.get(printed.kind, ()))
    if suffix in (f".{kind}{end}" for kind in kinds for end in ("", "o")):
        return "listing"
    if suffix in (f".M{kind}" for kind in kinds):
        return "mathematica"
    if suffix.lower() not in known:
        expected = ", ".join([*known, *(f".{kind}" for kind in kinds[:1])])
        raise InputError(f"cannot tell the language of {path.name!r}: known extensions are {expected}")
    return known[suffix.lower()]


def texts(printed: Printed, path: str | Path, language: str | None = None, **options: object) -> dict[Path, str]:
    """What `write` writes: the source, and the header beside a C file."""
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
    """Write the source, whole or not at all, and the header beside a C file; gives the paths.

    In a directory the file gets the guide's name.
    """
    found = texts(printed, path, language, **options)
    write_texts(found)
    return list(found)
