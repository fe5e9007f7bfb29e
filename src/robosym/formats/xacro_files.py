"""Expansion of xacro files to URDF by the optional package `xacro`: macros, properties and included files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robosym.errors import FormatError, closest
from robosym.files import decode, read_bytes
from robosym.formats.xml_source import Element, read_xml

__all__ = ["expanded_xacro", "uses_xacro"]

EXTENSION = ".xacro"


def uses_xacro(root: Element) -> bool:
    """Return whether a file contains xacro elements, or expressions in attributes."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("xacro:") or any("${" in v or "$(" in v for v in element.attributes.values()):
            return True
        waiting += element.children
    return False


def expanded_xacro(path: Path, arguments: Mapping[str, Any]) -> str:
    """Expand a xacro file to URDF; `arguments` are values of `$(arg name)`."""
    file = str(path)
    read_xml(decode(read_bytes(path), file), file)  # checks size, entities and syntax first
    try:
        import xacro
    except ImportError:
        raise FormatError(
            "xacro files need the package xacro, which is not installed: pip install 'robosym[xacro]', or "
            f"run `xacro {path.name} > {path.name.removesuffix(EXTENSION).removesuffix('.urdf')}.urdf`",
            file,
        ) from None
    given = _Arguments({str(key): str(value) for key, value in arguments.items()})
    try:
        process: Any = xacro.process_file
        document = process(file, mappings=given)
        text = str(document.toxml())
    except Exception as error:  # of xacro, its parser, and expressions in the file
        first = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise FormatError(f"xacro failed: {first[0]}", file) from None
    if unknown := [name for name in arguments if str(name) not in given.used]:
        declared = sorted(given.used)
        expected = f"expected one of {', '.join(declared)}" if declared else "expected none"
        raise FormatError(f"arguments: {expected}, found {unknown[0]!r}{closest(str(unknown[0]), declared)}", file)
    return text


class _Arguments(dict[str, str]):
    """Arguments of a xacro file that record which names the file uses: xacro ignores unused ones."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.used: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.used.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.used.add(name)
        return super().get(name, default)
