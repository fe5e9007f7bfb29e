"""How else the same is had: the command line and the Python of what is shown, ready to be copied."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from robosym.app.page.widgets import block, button, text

__all__ = ["same_lines"]

_PYTHON = re.compile(
    r"(?P<st>\"[^\"]*\")|(?P<k>\b(?:True|False|None|print)\b)|(?P<f>(?<=\.)\w+(?=\())|(?P<n>\b\d[\d.]*\b)"
)
_LINE = re.compile(r"(?P<k>(?<=\s)--?[a-z][\w-]*)")


def same_lines(lines: Iterable[tuple[str, str, str]]) -> None:
    """Rows of a label, what is said, and what is copied, which for Python is a whole program."""
    for label, said, copied in lines:
        with block("l"):
            text(label, "sm m")
            _coloured(said.replace("\n", "; "), label == "Python")
            made = button("Copy", sign="copy", kind="ghost s")
            made.props["aria-label"] = f"Copy {label}"
            made.on("click", js_handler=f"(e) => robosym.copied(e.currentTarget, {json.dumps(copied)})")


def _coloured(line: str, is_python: bool) -> None:
    """A line that can be copied, its words in the colours of code."""
    at = 0
    with block("mono hl") as made:
        made.props["title"] = line
        for match in (_PYTHON if is_python else _LINE).finditer(line):
            if match.start() > at:
                text(line[at : match.start()])
            text(match[0], match.lastgroup or "")
            at = match.end()
        text(line[at:])
