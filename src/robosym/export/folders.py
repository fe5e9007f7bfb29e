"""Names of exported files and functions, and folders that are written as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from robosym.errors import InputError
from robosym.files import write_files
from robosym.languages.reserved import C_WORDS
from robosym.mechanism import Robot
from robosym.safe_text import identifier

__all__ = ["default_output", "export_name", "function_names", "template", "write_folder"]

#: names that cannot be a C++ namespace, a CMake target or a module of Python
_TAKEN = C_WORDS | frozenset(
    """all ALL_BUILD help install INSTALL preinstall clean edit_cache rebuild_cache test RUN_TESTS package PACKAGE
    package_source ZERO_CHECK c m dl None True False and as async await class def del elif except finally from global
    import in is lambda nonlocal not or pass raise try with yield end function""".split()
)


def export_name(robot: Robot | str, given: str = "") -> str:
    """Return the name of exported files and the prefix of their functions: the one given, or that of the robot."""
    found = identifier(given or (robot if isinstance(robot, str) else robot.name))
    return f"robot_{found}" if found in _TAKEN else found


def default_output(command: str, robot: Robot | str, given: Mapping[str, Any]) -> str:
    """Return the file or folder that a command writes if none is given: the name with the kind of the export.

    `given` are the options of the command.
    """
    own = export_name(robot, str(given.get("prefix") or given.get("name") or ""))
    if command == "build":
        return f"{own}_{given.get('target') or 'wasm'}"
    if command == "ros2":
        return own.lower() if given.get("name") else f"{own.lower()}_models"
    return f"{own}.fmu" if command == "fmu" else f"{own}_c"


def function_names(name: str, functions: Iterable[str]) -> dict[str, str]:
    """Return the names of exported functions by their own names: each begins with the name of the export.

    Two robots in one program then have no symbol in common.
    """
    return {own: own if own == name or own.startswith(f"{name}_") else f"{name}_{own}" for own in functions}


def write_folder(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder, which is created, and return their paths; after an error no file is changed."""
    try:
        for file in contents:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = "a file" if folder.is_file() else f"{error.strerror or error}".lower()
        raise InputError(f"folder: expected a folder to write, found {str(folder)!r}: {found}") from None
    write_files({folder / name: content for name, content in contents.items()})
    return [folder / name for name in contents]


def template(package: str | None, file: str, values: Mapping[str, str]) -> str:
    """Return a text file of a package with words replaced."""
    assert package is not None
    text = files(package).joinpath(file).read_text("utf-8")
    for word, value in values.items():
        text = text.replace(word, value)
    return text
