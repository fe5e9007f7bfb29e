"""What a file says that a robot does not represent: found by a table of all elements and attributes of its format.

Every element and attribute is read, or has no effect on geometry, inertia and joints (`inert`), or has an effect that
is not represented unless it has its neutral value; that, and whatever no table knows, is reported once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robosym.formats.source import shortened
from robosym.formats.xml_source import Element

__all__ = ["Coverage", "Unread", "cover"]


@dataclass(frozen=True)
class Coverage:
    """Of an element: names of attributes (`@name`) and of elements in it."""

    read: frozenset[str]
    inert: frozenset[str]  #: `*` for all that is not named elsewhere
    neutral: Mapping[str, str]  #: what is not represented, with the value at which it has no effect


def cover(read: str = "", inert: str = "", **neutral: str) -> Coverage:
    """A `Coverage` from words; an attribute among `neutral` is written `at_name`."""
    named = {f"@{key[3:]}" if key.startswith("at_") else key: value for key, value in neutral.items()}
    return Coverage(frozenset(read.split()), frozenset(inert.split()), named)


@dataclass
class Unread:
    """What was found of a file that is not represented, each once."""

    table: Mapping[str, Coverage]
    found: dict[str, tuple[str, Element]] = field(default_factory=dict)

    def walk(self, element: Element, path: str) -> None:
        """Look at an element and at those in it that are read."""
        waiting = [(element, path)]
        while waiting:
            one, at = waiting.pop()
            self.look(one, at)
            inner = self.table[at]
            for child in one.children:
                below = f"{at}/{child.tag}"
                if child.tag in inner.read and below in self.table:
                    waiting.append((child, below))

    def look(self, element: Element, path: str) -> None:
        """Look at one element: its attributes and the names of those in it."""
        known = self.table[path]
        for key, text in element.attributes.items():
            self._judge(known, f"@{key}", text, element, f"<{element.tag}> {key}={shortened(text)!r}")
        for child in element.children:
            told = f": {shortened(child.text.strip())}" if child.text.strip() else ""
            self._judge(known, child.tag, child.text, child, f"<{child.tag}>{told} in <{element.tag}>")

    def _judge(self, known: Coverage, name: str, text: str, place: Element, words: str) -> None:
        if name in known.read or name in known.inert or name.startswith("@xmlns"):
            return
        if "*" in known.inert and name not in known.neutral:
            return
        if name in known.neutral and _same(text, known.neutral[name], place):
            return
        message = f"{words} is left out: the robot does not represent it"
        self.found.setdefault(f"{place.tag} {name}", (message, place))

    def leave_out(self, place: Element, message: str) -> None:
        """Note what no table knows of."""
        self.found.setdefault(message, (message, place))

    def tell(self) -> None:
        """A warning for each."""
        for message, place in self.found.values():
            place.remark(message)


def _same(text: str, neutral: str, place: Element) -> bool:
    """Whether a value is the neutral one: the same word, or the same number in all entries and elements inside."""
    word = text.strip().lower()
    if {word, neutral} in ({"1", "true"}, {"0", "false"}) or word == neutral:
        return True
    texts = [word] if word else [child.text for child in place.children] or [""]
    try:
        return all(float(part) == float(neutral) for one in texts for part in one.split())
    except ValueError:
        return False
