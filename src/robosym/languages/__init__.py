"""Languages: each a small file that prints a model."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robosym.errors import InputError, closest
from robosym.files import write_text
from robosym.languages import c, cpp, fortran, julia, latex, listing, maple, mathematica, matlab, python, rust
from robosym.languages.program import function_name
from robosym.languages.reading import read_model
from robosym.model import Model

__all__ = ["LANGUAGES", "code", "default_name", "read_model", "write"]

LANGUAGES: dict[str, Callable[..., str]] = {
    "listing": listing.code,
    "c": c.code,
    "h": c.header,
    "cpp": cpp.code,
    "fortran": fortran.code,
    "matlab": matlab.code,
    "mathematica": mathematica.code,
    "maple": maple.code,
    "python": python.code,
    "julia": julia.code,
    "rust": rust.code,
    "latex": latex.code,
}
#: what an extension means, the customary one of each language first
EXTENSIONS: dict[str, tuple[str, dict[str, Any]]] = {
    ".c": ("c", {}),
    ".h": ("h", {}),
    ".hpp": ("cpp", {}), ".hh": ("cpp", {}), ".hxx": ("cpp", {}),
    ".f90": ("fortran", {}),
    ".f": ("fortran", {"form": "fixed"}), ".for": ("fortran", {"form": "fixed"}),
    ".m": ("matlab", {}),
    ".mh": ("mathematica", {}), ".wl": ("mathematica", {}),
    ".mp": ("maple", {}), ".mpl": ("maple", {}),
    ".py": ("python", {}),
    ".jl": ("julia", {}),
    ".rs": ("rust", {}),
    ".tex": ("latex", {}),
    ".txt": ("listing", {}),
}  # fmt: skip


def code(model: Model, language: str, **options: Any) -> str:
    """The model as source text."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InputError(f"unknown language {language!r}{closest(language, LANGUAGES)}; known are {known}")
    emitter = LANGUAGES[language]
    known_options = [name for name in inspect.signature(emitter).parameters if name != "model"]
    for name in options:
        if name not in known_options:
            expected = f"known are {', '.join(known_options)}" if known_options else "it has none"
            raise InputError(f"{language} has no option {name!r}{closest(name, known_options)}; {expected}")
    return emitter(model, **options)


def default_name(model: Model, language: str = "listing", **options: Any) -> str:
    """The guide's name of the file (Appendix 5.1): rx90_dyn.c, rx90.dyn, and rx90.dyno for an optimised listing."""
    if language == "listing":
        stem = re.sub(r"[^\w.-]", "_", model.name) or "robot"
        return f"{stem}.{model.kind}{'o' if model.optimized else ''}"
    for extension, meaning in EXTENSIONS.items():
        if meaning[0] == language and meaning[1].get("form", "free") == options.get("form", "free"):
            return function_name(model) + extension
    raise InputError(f"unknown language {language!r}{closest(language, LANGUAGES)}")


def _language(model: Model, path: Path) -> tuple[str, dict[str, Any]]:
    suffix = path.suffix
    # the guide's own extensions: rx90.dyn, and rx90.dyno for an optimised listing
    if suffix in (f".{model.kind}", f".{model.kind}o"):
        return "listing", {}
    if suffix.lower() in EXTENSIONS:
        return EXTENSIONS[suffix.lower()]
    known = ", ".join([*EXTENSIONS, f".{model.kind}"])
    raise InputError(f"cannot tell the language of {path.name!r}: known extensions are {known}")


def write(model: Model, path: str | Path, language: str | None = None, **options: Any) -> list[Path]:
    """Write the source, whole or not at all, and the header beside a C file; gives the paths.

    In a directory the file gets the guide's name.
    """
    path = Path(path)
    if path.is_dir():
        path = path / default_name(model, language or "listing", **options)
    if language is None:
        language, implied = _language(model, path)
        options = {**implied, **options}
    texts = {path: code(model, language, **options)}
    if language == "c":
        texts[path.with_suffix(".h")] = code(model, "h", **options)
    for target, text in texts.items():
        write_text(target, text)
    return list(texts)
