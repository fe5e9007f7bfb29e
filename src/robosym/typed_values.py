"""Parse values from text: numbers with units, ranges, numbers by name, pairs of frames.

An error starts with the word that the caller passes, such as an option. Modules are imported when needed, to keep
help texts fast.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Union

from robosym.errors import Error, InputError

__all__ = [
    "axis", "columns", "coordinates", "followed", "frame_of", "known_joints", "numbers_by_name", "pairs", "quantities",
    "quantity", "ranges", "states", "stops", "two_parts", "wrong_value",
]  # fmt: skip


def frame_of(text: str) -> int | str:
    """Return the number of a frame, or its name if the text is not a number."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else text


def quantity(text: object, word: str) -> float:
    """Read a number, an expression without symbols, or an angle with its unit: 0.3, Pi/2, 30deg."""
    from robosym.algebra import Graph, evaluate, parse
    from robosym.mechanism.screws import in_radians

    try:
        return evaluate([parse(in_radians(str(text)), Graph())], {})[0]
    except (Error, KeyError):
        raise wrong_value(word, "a number", text) from None


def quantities(text: str, word: str) -> list[float]:
    """Read numbers that are separated by commas."""
    return [quantity(part.strip(), word) for part in text.split(",")]


def wrong_value(word: str, expected: str, found: object) -> InputError:
    return InputError(f"{word}: expected {expected}, found {found!r}", code="E403")


def coordinates(text: str, word: str) -> list[float] | dict[str, float]:
    """Read the coordinates of a pose, as numbers or by name: 0.1,0.2 or x=0.1,y=0.2."""
    if "=" not in text:
        return quantities(text, word)
    pairs = (two_parts(part, word, "NAME=NUMBER,.., such as x=0.1,y=0.2") for part in text.split(","))
    return {name: quantity(value, word) for name, value in pairs}


def two_parts(text: str, word: str, expected: str, mark: str = "=") -> tuple[str, str]:
    """Split a text at a mark; raise an error if a side is empty."""
    name, between, value = (part.strip() for part in text.partition(mark))
    if not name or not between or not value:
        raise wrong_value(word, expected, text)
    return name, value


def numbers_by_name(words: Sequence[str], word: str) -> dict[int | str, float]:
    expected, found = "NAME=NUMBER, such as t1=0.3 or t2=Pi/4", dict[Union[int, str], float]()
    for text in words:
        name, value = two_parts(text, word, expected)
        try:
            found[frame_of(name)] = quantity(value, word)
        except InputError:
            raise wrong_value(word, expected, text) from None
    return found


def axis(text: str, word: str) -> list[float]:
    """Read FROM:TO:COUNT, or numbers separated by commas."""
    ends = text.split(":")
    if len(ends) == 1:
        return quantities(text, word)
    if len(ends) != 3 or not re.fullmatch(r"\s*[1-9]\d{0,8}\s*", ends[2]):
        raise wrong_value(word, "FROM:TO:COUNT", text)
    low, high, count = quantity(ends[0], word), quantity(ends[1], word), int(ends[2])
    return [low + (high - low) * k / max(count - 1, 1) for k in range(count)]


def ranges(words: Sequence[str], word: str) -> dict[str, tuple[float, ...]]:
    expected, found = "NAME=LOW:HIGH or NAME=NUMBER, such as q=-Pi:Pi", {}
    for text in words:
        name, ends = two_parts(text, word, expected)
        try:
            found[name] = tuple(quantity(end, word) for end in ends.split(":"))
        except InputError:
            raise wrong_value(word, expected, text) from None
    return found


def stops(words: Sequence[str], word: str) -> bool | dict[int | str, tuple[float, float]]:
    """Read `limits` (those of the description) or stops such as `2=-1.5,1.5`."""
    if list(words) == ["limits"]:
        return True
    expected, found = "limits, or JOINT=LOWER,UPPER such as 2=-1.5,1.5", dict[Union[int, str], tuple[float, float]]()
    for text in words:
        joint, ends = two_parts(text, word, expected)
        pair = quantities(ends, word)
        if len(pair) != 2:
            raise wrong_value(word, expected, text)
        found[frame_of(joint)] = (pair[0], pair[1])
    return found


def known_joints(words: Sequence[str], word: str) -> dict[int | str, float] | Sequence[str]:
    """Read joints with values, or names only."""
    return numbers_by_name(words, word) if any("=" in text for text in words) else words


def followed(text: str, word: str) -> str | dict[str, list[float]]:
    """Read a file name, or a position that a controller holds."""
    return text if text.endswith(".csv") else {"q_desired": quantities(text, word)}


def columns(words: Sequence[str], word: str) -> dict[str, str]:
    return dict(two_parts(text, word, "q1=NAME") for text in words)


def pairs(words: Sequence[str], word: str) -> list[tuple[int | str, int | str]]:
    found = []
    for text in words:
        first, second = two_parts(text, word, "two frames, such as 3,6 or base,tool0", ",")
        if "," in second:
            raise wrong_value(word, "two frames, such as 3,6 or base,tool0", text)
        found.append((frame_of(first), frame_of(second)))
    return found


def states(words: Sequence[str], word: str) -> list[dict[str, Any] | str]:
    """Read the arguments of `Model.evaluate`: values of groups or inputs, `q=0.1,90deg`, and names of .csv files."""
    from robosym.formats.pose_texts import numbers_from

    files, values = [text for text in words if text.lower().endswith(".csv")], dict[str, Any]()
    for text in (text for text in words if text not in files):
        name, numbers = two_parts(text, word, "q=0.1,0.2,.. or D3=0.45 or a .csv file")
        found = numbers_from(numbers.strip("[]").replace(";", ",").split(","), f"{word}: {name}")
        values[name] = found[0] if len(found) == 1 else found
    return [*files, *([values] if values else [])]
