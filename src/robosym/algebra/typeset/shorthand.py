"""The shorthand of the book for cosines and sines of sums of joint angles: C23 = cos(t2 + t3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["legend", "shortened"]

_ANGLE = r"(?:t|th|theta|q)"
_CALL = re.compile(rf"\b(cos|sin)\(({_ANGLE}[1-9](?: \+ {_ANGLE}[1-9])*)\)")
_SHORT = re.compile(r"\b([CS])([1-9]+)\b")
_TAKEN = re.compile(r"\b[CS][1-9]\w*\b")


def shortened(text: str) -> str:
    """Return text with `C23` for `cos(t2 + t3)` and `S2` for `sin(t2)`.

    Sums with joints of two digits or with negative angles keep their form, and so does a text in which a name such as
    C2 already has another meaning.
    """
    return text if _TAKEN.search(text) else _CALL.sub(_short, text)


def _short(found: re.Match[str]) -> str:
    return found.group(1)[0].upper() + "".join(re.findall(r"\d", found.group(2)))


def legend(texts: Iterable[str]) -> dict[str, str]:
    """Return the meaning of each shorthand that `shortened` writes for these texts: {"C23": "cos(t2 + t3)"}."""
    found: dict[str, str] = {}
    for text in texts:
        if not _TAKEN.search(text):
            found |= {_short(match): match.group(0) for match in _CALL.finditer(text)}
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0][1:], item[0])))
