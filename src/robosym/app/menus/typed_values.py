"""One value as people type it, by its kind: on a line, or in a field of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

from robosym.errors import InputError

__all__ = ["READ", "TRUTH", "TRUTH_KINDS", "opposite", "read_value"]

#: words for yes and no
TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
TRUTH_KINDS = ("flag", "yes or no", "friction")  #: kinds of options that are answered with such a word


def _number(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        raise InputError(f"expected a number, found {text!r}")
    return int(text)


def _decimal(text: str) -> float:
    """A whole number stays one."""
    if re.fullmatch(r"[+-]?\d{1,9}", text):
        return int(text)
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not isfinite(found):
        raise InputError(f"expected a number, found {text!r}")
    return found


def _frame(text: str) -> int | str:
    """The number of a frame or, where the word is none, its name."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else text


def _yes_or_no(text: str) -> str:
    found = TRUTH.get(text.lower())
    if found is None:
        raise InputError(f"expected yes or no, found {text!r}")
    return "yes" if found else "no"


def _friction(text: str) -> str:
    return text if text == "smooth" else _yes_or_no(text)


#: what a word becomes, by the kind of the value; several texts are given one by one
READ: dict[str, Callable[[str], Any]] = {
    "robot": str,
    "file": Path,
    "text": str,
    "texts": str,
    "values": str,
    "known": str,
    "pose": str,
    "frame": _frame,
    "number": _number,
    "numbers": lambda text: [_number(word.strip()) for word in text.split(",")],
    "joints": lambda text: [_frame(word.strip()) for word in text.split(",")],
    "decimal": _decimal,
    "decimals": lambda text: [_decimal(word.strip()) for word in text.split(",")],
    "yes or no": _yes_or_no,
    "friction": _friction,
    "flag": lambda text: _yes_or_no(text) == "yes",
}


def read_value(kind: str, text: str) -> Any:
    """The value; an error says what was expected."""
    return READ[kind](text)


def opposite(word: str) -> str:
    """The option that says no: --no-tree for --tree, --browser for --no-browser."""
    return f"--{word[5:]}" if word.startswith("--no-") else f"--no-{word[2:]}"
