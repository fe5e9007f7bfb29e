"""The statements of a .par file, `key = value` and `key = {entry, ...}`, each text with its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from robosym.formats.source import Source, shortened

__all__ = ["ParEntry", "ParStatement", "scan", "without_comments"]

_SPACE = re.compile(r"[ \t\n\f\v]*")
_BLANKS = re.compile(r"[ \t\f\v]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_WORD = re.compile(r"[^\s={},]+")
_STRUCTURE = re.compile(r"[{}()\[\],=]")  # what an array is made of, apart from the texts of its entries


class ParEntry(NamedTuple):
    """The text of one value and where it starts."""

    text: str
    position: int


class ParStatement(NamedTuple):
    """A key and its value; an array where `is_array`, else one word."""

    key: str
    position: int
    entries: list[ParEntry]
    is_array: bool


def without_comments(source: Source) -> tuple[str, str | None]:
    """The text with blanks in place of its comments, so that places stay, and the robot's name if one has it."""
    text, pieces, position, name = source.text, [], 0, None
    while (start := text.find("(*", position)) >= 0:
        end = text.find("*)", start + 2)
        if end < 0:
            source.fail("the comment opened here is never closed (expected '*)')", start)
        comment = text[start : end + 2]
        name = name or _robot_name(comment)
        pieces += [text[position:start], "\n".join(" " * len(line) for line in comment.split("\n"))]
        position = end + 2
    return "".join((*pieces, text[position:])), name


def _robot_name(comment: str) -> str | None:
    """`rx90` from the comment `(* Robotname = 'rx90' *)`."""
    _, word, rest = comment.partition("Robotname")
    equals, _, rest = rest.partition("'")
    name, quote, _ = rest.partition("'")
    return name.strip() if word and quote and equals.strip() == "=" else None


def scan(source: Source, text: str) -> Iterator[ParStatement]:
    """The statements of a text without comments."""
    position = _skip(_SPACE, text, 0)
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            source.fail(f"expected a key such as NF or Theta, found {_next(text, position)}", position)
        equals = _skip(_SPACE, text, name.end())
        if text[equals : equals + 1] != "=":
            source.fail(f"expected '=' after {shortened(name[0])}, found {_next(text, equals)}", equals)
        start = _skip(_SPACE, text, equals + 1)
        if text[start : start + 1] == "{":
            entries, end = _array(source, text, start, name[0])
        else:
            word = _WORD.match(text, start)
            if word is None:
                source.fail(f"{shortened(name[0])}: expected a value, found {_next(text, start)}", start)
            entries, end = [ParEntry(word[0], start)], word.end()
        yield ParStatement(name[0], position, entries, text[start] == "{")
        position = _skip(_BLANKS, text, end)
        if position < len(text) and text[position] != "\n":
            source.fail(
                f"expected the end of the line after the value of {name[0]}, found {_next(text, position)}", position
            )
        position = _skip(_SPACE, text, position)


def _array(source: Source, text: str, opening: int, key: str) -> tuple[list[ParEntry], int]:
    """The entries between braces, cut at the commas that no bracket holds, and the place after the closing brace."""
    entries: list[ParEntry] = []
    start = opening + 1
    brackets: list[int] = []
    for found in _STRUCTURE.finditer(text, start):
        sign, position = found[0], found.start()
        if sign in "([":
            brackets.append(position)
        elif sign in ")]":
            if not brackets:
                source.fail(f"{key}: {sign!r} closes no bracket", position)
            brackets.pop()
        elif sign == "}":
            if brackets:
                source.fail(f"{key}: the bracket opened here is never closed", brackets[-1])
            if entries or text[start:position].strip():
                entries.append(_entry(text, start, position))
            return entries, position + 1
        elif sign in "{=":
            break  # the next statement has begun
        elif not brackets:
            entries.append(_entry(text, start, position))
            start = position + 1
    source.fail(f"{key}: the brace opened here is never closed (expected '}}')", opening)


def _entry(text: str, start: int, end: int) -> ParEntry:
    piece = text[start:end].lstrip()
    return ParEntry(piece.rstrip(), end - len(piece))


def _skip(what: re.Pattern[str], text: str, position: int) -> int:
    found = what.match(text, position)
    return found.end() if found else position


def _next(text: str, position: int) -> str:
    """What stands at a place, for a message."""
    found = _WORD.match(text, position)
    if found is not None:
        return repr(shortened(found[0], 20))
    return repr(text[position]) if position < len(text) else "the end of the file"
