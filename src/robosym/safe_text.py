"""Text of users (names, titles, paths, comments) made safe for the place where it is written.

Every emitter passes text through one of these functions: `comment` for a line of a comment in any language,
`identifier` for a name in code, `markup` for SVG, HTML and XML, `latex` for a LaTeX document.
"""

from __future__ import annotations

import re
from html import escape
from unicodedata import category

from robosym.errors import InputError

__all__ = ["comment", "identifier", "include_line", "is_dotted_name", "latex", "markup", "one_line", "wrong_name"]

_LONGEST_NAME = 100
_LONGEST_COMMENT = 2000  #: characters of a line of a comment
#: what may stand in a robot's name beside letters, digits and spaces
_NAME_SIGNS = "_-+.,:/()[]@#&=!~%"
#: between these two characters a comment of some language begins or ends, or a trigraph of C
_COMMENT_SIGNS = re.compile(r"(?<=\*)(?=[/)])|(?<=[/(])(?=\*)|(?<=\?)(?=\?)")
_LATEX = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", **{sign: f"\\{sign}" for sign in "_#$%&{}"},
}  # fmt: skip


def one_line(text: str) -> str:
    """The text on one line: a space in place of line ends, control characters and signs that change the direction."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def comment(text: str) -> str:
    """A line that stays inside a comment or a docstring of every language.

    It holds no line end, no backslash (an escape in Python, a continued line in C), no double quote, and no two
    characters together that begin or end a comment.
    """
    line = one_line(text)[:_LONGEST_COMMENT].replace("\\", "/").replace('"', "'")
    return _COMMENT_SIGNS.sub(" ", line).rstrip()


def identifier(text: str) -> str:
    """A name that every language accepts, but for the words it reserves: ASCII letters, digits and `_`."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return name if re.match("[A-Za-z]", name) else f"robot_{name}"


def include_line(header: str) -> str:
    """The line of C that includes a header beside the source."""
    if header != one_line(header) or re.search(r'["\\]|//|/\*', header):
        raise InputError(f"header: expected a file name without quotes, backslashes and comments, found {header!r}")
    return f'#include "{header}"'


def is_dotted_name(text: str) -> bool:
    """Whether a text can stand behind `import` in Python."""
    return all(part.isidentifier() and part.isascii() for part in text.split("."))


def markup(text: str) -> str:
    """The text inside an element or a quoted attribute of SVG, HTML or XML."""
    return escape(one_line(text))


def latex(text: str) -> str:
    """The text in a paragraph or a heading of LaTeX; a question mark for what not every engine can print."""
    line = "".join(c if c.isascii() else "?" for c in one_line(text))
    return "".join(_LATEX.get(c, c) for c in line)


def wrong_name(name: str) -> str | None:
    """What is wrong with a robot's name, or None: it becomes part of files, functions, comments and pages."""
    if not isinstance(name, str) or not name or name != name.strip():
        return f"expected a name, found {repr(name)[:60]}" if name else "expected a name, found nothing"
    if len(name) > _LONGEST_NAME:
        return f"expected a name of at most {_LONGEST_NAME} characters, found {len(name)}"
    signs = "".join(dict.fromkeys(c for c in name if not (category(c)[0] in "LMN" or c in f" {_NAME_SIGNS}")))
    if signs:
        return f"expected a name of letters, digits, spaces and {_NAME_SIGNS}, found {signs!r} in {name!r}"
    return None
