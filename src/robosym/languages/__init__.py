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
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from robosym.errors import InputError, closest
from robosym.files import write_texts
from robosym.languages.language import LANGUAGES, Language, find_language, register
from robosym.languages.program import function_name
from robosym.languages.reading import read_model
from robosym.model import Model

__all__ = ["LANGUAGES", "Language", "code", "default_name", "read_model", "register", "texts", "write"]

#: The order in which people see them; a language that is not named here comes after these.
ORDER = (
    "listing", "c", "cpp", "fortran", "matlab", "mathematica", "maple", "python", "julia", "rust", "latex",
)  # fmt: skip
_OTHER_KINDS = {"fdi": ("fdm",)}  #: other extensions of the guide for a model
for _module in (*ORDER, *(found.name for found in iter_modules(__path__) if not found.ispkg)):
    import_module(f"robosym.languages.{_module}")  # a file of a language registers it


def code(model: Model, language: str, **options: Any) -> str:
    """The model as source text."""
    found = find_language(language)
    for name in options:
        if name not in found.options:
            expected = f"known are {', '.join(found.options)}" if found.options else "it has none"
            raise InputError(f"{language} has no option {name!r}{closest(name, found.options)}; {expected}")
    return found.code(model, **options)


def default_name(model: Model, language: str = "listing", **options: Any) -> str:
    """The guide's name of the file (Appendix 5.1): rx90_dyn.c, rx90.dyn, and rx90.dyno for an optimised listing."""
    if language == "listing":
        stem = re.sub(r"[^\w.-]", "_", model.name)[:200] or "robot"
        return f"{stem}.{model.kind}{'o' if model.optimized else ''}"
    extensions = find_language(language).extensions
    agreeing = [extension for extension, implied in extensions.items() if implied.items() <= options.items()]
    return function_name(model, language=find_language(language))[:200] + max(
        agreeing, key=lambda extension: len(extensions[extension])
    )


def _language_of(model: Model, path: Path) -> tuple[str, dict[str, Any]]:
    """The language that an extension means, and the options that it implies."""
    suffix = path.suffix
    # the guide's own extensions: rx90.dyn, rx90.dyno for an optimized listing, rx90.Mjac in Mathematica's form
    kinds = (model.kind, *_OTHER_KINDS.get(model.kind, ()))
    if suffix in (f".{kind}{end}" for kind in kinds for end in ("", "o")):
        return "listing", {}
    if suffix in (f".M{kind}" for kind in kinds):
        return "mathematica", {}
    known: list[str] = []
    for language in sorted(LANGUAGES.values(), key=lambda language: language.name == "listing"):
        if suffix.lower() in language.extensions:
            return language.name, dict(language.extensions[suffix.lower()])
        known += language.extensions
    known.append(f".{model.kind}")
    raise InputError(f"cannot tell the language of {path.name!r}: known extensions are {', '.join(known)}")


def texts(model: Model, path: str | Path, language: str | None = None, **options: Any) -> dict[Path, str]:
    """What `write` writes: the source, and the header beside a C file."""
    path = Path(path)
    if path.is_dir():
        path = path / default_name(model, language or "listing", **options)
    if language is None:
        language, implied = _language_of(model, path)
        options = {**implied, **options}
    found: dict[Path, str] = {}
    for other in find_language(language).beside:
        beside = path.with_suffix(next(iter(find_language(other).extensions)))
        found[beside] = code(model, other, **{n: v for n, v in options.items() if n in find_language(other).options})
        options.setdefault("header", beside.name)
    return {path: code(model, language, **options), **found}


def write(model: Model, path: str | Path, language: str | None = None, **options: Any) -> list[Path]:
    """Write the source, whole or not at all, and the header beside a C file; gives the paths.

    In a directory the file gets the guide's name.
    """
    found = texts(model, path, language, **options)
    write_texts(found)
    return list(found)
