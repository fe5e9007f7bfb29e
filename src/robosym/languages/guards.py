"""What keeps emitted files apart in one program: include guards and C++ namespaces that name their content.

Two robots may have one name, such as an arm without and with its load. A guard made of the name alone would drop the
second header without a word, and templates of one name in two sources are merged by the linker: the functions of one
robot would then answer for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

__all__ = ["agreed", "guarded", "own_namespace"]


def _digest(lines: Iterable[str]) -> str:
    """Of what a compiler reads: the comments above functions tell who wrote them, and when."""
    return sha256("\n".join(line for line in lines if not line.startswith("//")).encode()).hexdigest()[:10]


def guarded(name: str, suffix: str, lines: Sequence[str]) -> list[str]:
    """Return the lines in an include guard of this name, of this case and of this content."""
    guard = f"{name.upper()}_{suffix}_{_digest([name, *lines]).upper()}"
    return [f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""]


def own_namespace(lines: Sequence[str]) -> list[str]:
    """Return definitions of C++ in an inline namespace of this content: their names are used as if it were not there.

    Two robots of one name are then two functions in two sources, and an ambiguous call where one source has both.
    """
    name = f"robosym_{_digest(lines)}"
    return [f"inline namespace {name} {{", "", *lines, "", f"}}  // namespace {name}"]


def agreed(macros: Iterable[tuple[str, int]]) -> list[str]:
    """Return definitions of macros, and an error of the compiler where one has another value already."""
    lines: list[str] = []
    for name, value in macros:
        lines += [f"#if defined({name}) && {name} != {value}"]
        lines += [f'#error "{name} is {value} here and has another value in a header before: choose another prefix"']
        lines += ["#endif", f"#define {name} {value}"]
    return lines
