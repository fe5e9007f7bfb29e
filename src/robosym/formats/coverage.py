"""Report the parts of a file that a robot does not represent, by tables of all elements and attributes of a format.

Every element and attribute is either read, or irrelevant for geometry, inertia and joints (`inert`), or relevant but
not represented unless it has its neutral value. The last kind, and whatever is in no table, is reported once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robosym.formats.source import shortened
from robosym.formats.xml_source import Element

__all__ = ["Coverage", "UnreadParts", "cover"]


@dataclass(frozen=True)
class Coverage:
    """The attributes (`@name`) and child elements of an element."""

    read: frozenset[str]
    inert: frozenset[str]  #: without effect; `*` stands for everything not listed elsewhere
    neutral: Mapping[str, str]  #: not represented, with the value that has no effect


def cover(read: str = "", inert: str = "", **neutral: str) -> Coverage:
    """Create a `Coverage` from words; an attribute in `neutral` is written `at_name`."""
    named = {f"@{key[3:]}" if key.startswith("at_") else key: value for key, value in neutral.items()}
    return Coverage(frozenset(read.split()), frozenset(inert.split()), named)


@dataclass
class UnreadParts:
    """The parts of a file that are not represented, each listed once."""

    table: Mapping[str, Coverage]
    found: dict[str, tuple[str, Element]] = field(default_factory=dict)

    def walk(self, element: Element, path: str) -> None:
        """Check an element and its children that are read, recursively."""
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
        """Check the attributes and the names of the children of one element."""
        known = self.table[path]
        for key, text in element.attributes.items():
            self._judge(known, f"@{key}", text, element, f"<{element.tag}> {key}={shortened(text)!r}")
        for child in element.children:
            content = f": {shortened(child.text.strip())}" if child.text.strip() else ""
            self._judge(known, child.tag, child.text, child, f"<{child.tag}>{content} in <{element.tag}>")

    def _judge(self, known: Coverage, name: str, text: str, place: Element, words: str) -> None:
        if name in known.read or name in known.inert or name.startswith("@xmlns"):
            return
        if "*" in known.inert and name not in known.neutral:
            return
        if name in known.neutral and _same(text, known.neutral[name], place):
            return
        message = f"{words} is ignored: the robot does not represent it"
        self.found.setdefault(f"{place.tag} {name}", (message, place))

    def leave_out(self, place: Element, message: str) -> None:
        """Add a message for an element."""
        self.found.setdefault(message, (message, place))

    def warn(self) -> None:
        """Issue a warning for each part."""
        for message, place in self.found.values():
            place.remark(message)


def _same(text: str, neutral: str, place: Element) -> bool:
    """Return whether a value is neutral: the same word, or the same number in all entries and child elements."""
    word = text.strip().lower()
    if {word, neutral} in ({"1", "true"}, {"0", "false"}) or word == neutral:
        return True
    texts = [word] if word else [child.text for child in place.children] or [""]
    try:
        return all(float(part) == float(neutral) for one in texts for part in one.split())
    except ValueError:
        return False
