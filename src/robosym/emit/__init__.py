"""Languages: each a small file that prints a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from robosym.emit import c, listing, python
from robosym.errors import InputError, closest
from robosym.files import write_text
from robosym.model import Model

__all__ = ["LANGUAGES", "code", "write"]

LANGUAGES: dict[str, Callable[[Model], str]] = {
    "listing": listing.code,
    "c": c.code,
    "h": c.header,
    "python": python.code,
}
EXTENSIONS = {".c": "c", ".h": "h", ".py": "python", ".txt": "listing"}


def code(model: Model, language: str) -> str:
    """The model as source text."""
    if language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InputError(f"unknown language {language!r}{closest(language, LANGUAGES)}; known are {known}")
    return LANGUAGES[language](model)


def _language(model: Model, path: Path) -> str:
    suffix = path.suffix
    # the guide's own extensions: rx90.dyn, and rx90.dyno for an optimised listing
    if suffix in (f".{model.kind}", f".{model.kind}o"):
        return "listing"
    if suffix.lower() in EXTENSIONS:
        return EXTENSIONS[suffix.lower()]
    known = ", ".join([*EXTENSIONS, f".{model.kind}"])
    raise InputError(f"cannot tell the language of {path.name!r}: known extensions are {known}")


def write(model: Model, path: str | Path, language: str | None = None) -> list[Path]:
    """Write the source, whole or not at all, and the header beside a C file; gives the paths."""
    path = Path(path)
    language = language or _language(model, path)
    texts = {path: code(model, language)}
    if language == "c":
        texts[path.with_suffix(".h")] = code(model, "h")
    for target, text in texts.items():
        write_text(target, text)
    return list(texts)
