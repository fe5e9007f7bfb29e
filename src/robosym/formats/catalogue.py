"""The robots that come with the package."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from robosym.formats.yaml_reader import read_heading

__all__ = ["LibraryEntry", "find", "library", "library_entries"]


class LibraryEntry(NamedTuple):
    """A robot of the library: the name that `load` takes, and what it is."""

    name: str
    title: str


_FOLDER = files("robosym") / "library"


def library() -> tuple[str, ...]:
    """The names of the robots that come with the package."""
    return tuple(sorted(entry.name[:-5] for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml")))


def library_entries() -> tuple[LibraryEntry, ...]:
    """Names and titles, without building the robots."""
    return tuple(LibraryEntry(name, read_heading(find(name), f"{name}.yaml")[1]) for name in library())


def find(name: str) -> str:
    """The text of a robot of the library."""
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
