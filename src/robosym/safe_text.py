"""Escape user text (names, titles, paths, comments) for the output in which it appears.

Every writer passes user text through one of these functions: `comment` for a comment line in any language,
`identifier` for a name in code, `markup` for SVG, HTML and XML, `latex` for a LaTeX
document, and `shell_line` for a command line to copy.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from html import escape
from subprocess import list2cmdline
from unicodedata import category

from robosym.errors import InputError

__all__ = [
    "comment",
    "identifier",
    "include_line",
    "is_dotted_name",
    "latex",
    "markup",
    "one_line",
    "shell_line",
    "wrong_name",
]

_LONGEST_NAME = 100
_LONGEST_COMMENT = 2000  #: characters in a comment line
#: characters allowed in a robot's name in addition to letters, digits and spaces
_NAME_SIGNS = "_-+.,:/()[]@#&=!~%"
#: positions inside pairs of characters that begin or end a comment in some language, or a trigraph in C
_COMMENT_SIGNS = re.compile(r"(?<=\*)(?=[/)])|(?<=[/(])(?=\*)|(?<=\?)(?=\?)")
_LATEX = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", **{sign: f"\\{sign}" for sign in "_#$%&{}"},
}  # fmt: skip


def one_line(text: str) -> str:
    """Replace line breaks, control characters and bidirectional marks by spaces."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def comment(text: str) -> str:
    """Return a line that cannot end a comment or a docstring in any language.

    The line contains no line break, no backslash (an escape in Python, a continued line in C), no double quote, and no
    pair of characters that begins or ends a comment.
    """
    line = one_line(text)[:_LONGEST_COMMENT].replace("\\", "/").replace('"', "'")
    return _COMMENT_SIGNS.sub(" ", line).rstrip()


def identifier(text: str) -> str:
    """Return a name of ASCII letters, digits and `_`, valid in every language unless it is a reserved word."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return name if re.match("[A-Za-z]", name) else f"robot_{name}"


def include_line(header: str) -> str:
    """Return the C line that includes a header from the directory of the source."""
    if header != one_line(header) or re.search(r'["\\]|//|/\*', header):
        raise InputError(f"header: expected a file name without quotes, backslashes and comments, found {header!r}")
    return f'#include "{header}"'


def is_dotted_name(text: str) -> bool:
    """Return whether a text is a valid module name in a Python `import`."""
    return all(part.isidentifier() and part.isascii() for part in text.split("."))


def shell_line(words: Sequence[str]) -> str:
    """Quote the words of a command for the shell of this operating system."""
    return list2cmdline(words) if os.name == "nt" else shlex.join(words)


def markup(text: str) -> str:
    """Escape a text for an element or a quoted attribute of SVG, HTML or XML."""
    return escape(one_line(text))


def latex(text: str) -> str:
    """Escape a text for a LaTeX paragraph or heading; characters outside ASCII become question marks."""
    line = "".join(c if c.isascii() else "?" for c in one_line(text))
    return "".join(_LATEX.get(c, c) for c in line)


def wrong_name(name: str) -> str | None:
    """Return why a robot's name is invalid, or None.

    The name becomes part of file names, functions, comments and pages.
    """
    if not isinstance(name, str) or not name or name != name.strip():
        return f"expected a name, found {repr(name)[:60]}" if name else "expected a name, found nothing"
    if len(name) > _LONGEST_NAME:
        return f"expected a name of at most {_LONGEST_NAME} characters, found {len(name)}"
    signs = "".join(dict.fromkeys(c for c in name if not (category(c)[0] in "LMN" or c in f" {_NAME_SIGNS}")))
    if signs:
        return f"expected a name of letters, digits, spaces and {_NAME_SIGNS}, found {signs!r} in {name!r}"
    return None
