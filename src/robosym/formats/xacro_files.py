"""xacro files to URDF by the package `xacro`, an extra: macros, properties and included files."""

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
    """Whether macros are left in a file: elements of xacro anywhere, or expressions in attributes."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("xacro:") or any("${" in v or "$(" in v for v in element.attributes.values()):
            return True
        waiting += element.children
    return False


def expanded_xacro(path: Path, arguments: Mapping[str, Any]) -> str:
    """The URDF that a xacro file stands for, its arguments given as `$(arg name)` takes them."""
    file = str(path)
    read_xml(decode(read_bytes(path), file), file)  # its size, its entities and its form are checked first
    try:
        import xacro
    except ImportError:
        raise FormatError(
            "a xacro file is expanded by the package xacro, which is not installed: pip install 'robosym[xacro]', or "
            f"expand it with `xacro {path.name} > {path.name.removesuffix(EXTENSION).removesuffix('.urdf')}.urdf`",
            file,
        ) from None
    given = _Arguments({str(key): str(value) for key, value in arguments.items()})
    try:
        process: Any = xacro.process_file
        document = process(file, mappings=given)
        text = str(document.toxml())
    except Exception as error:  # of xacro, of its parser, and of the expressions in the file
        first = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise FormatError(f"xacro cannot expand it: {first[0]}", file) from None
    if unknown := [name for name in arguments if str(name) not in given.used]:
        declared = sorted(given.used)
        expected = f"expected one of {', '.join(declared)}" if declared else "it has none"
        raise FormatError(
            f"arguments of xacro: {expected}, found {unknown[0]!r}{closest(str(unknown[0]), declared)}", file
        )
    return text


class _Arguments(dict[str, str]):
    """Arguments of a xacro file, and the names that the file asks for: xacro itself ignores others."""

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
