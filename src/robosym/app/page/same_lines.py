"""How else the same is had: the command line and the Python of what is shown, ready to be copied."""

from __future__ import annotations

import json
import re

from nicegui.element import Element

from robosym.app.page.widgets import block, copy_button, text

__all__ = ["copied", "same_lines"]

_PYTHON = re.compile(
    r"(?P<st>\"[^\"]*\")|(?P<k>\b(?:True|False|None|print)\b)|(?P<f>(?<=\.)\w+(?=\())|(?P<n>\b\d[\d.]*\b)"
)
_LINE = re.compile(r"(?P<k>(?<=\s)--?[a-z][\w-]*)")


def same_lines(line: str, python: str, program: str, unsaved: str = "") -> None:
    """A row for the command line, and one for the Python, of which a whole program is copied.

    `unsaved` is what both call the robot where that is in no file yet.
    """
    for label, said, whole in (("Command line", line, line), ("Python", python, program)):
        with block("l"):
            text(label, "sm m")
            _coloured(said.replace("\n", "; "), label == "Python")
            copied(whole).props["aria-label"] = f"Copy {label}"
    if unsaved:
        text(f"The robot is not saved: both read {unsaved}, as Save as writes it", "mut xs")


def copied(words: str, kind: str = "ghost s") -> Element:
    """A button that copies these words and shows that it has."""
    return copy_button(f"(e) => robosym.copied(e.currentTarget, {json.dumps(words)})", "Copy", kind=kind)


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
