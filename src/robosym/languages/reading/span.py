"""A piece of a file that knows where each of its characters stands, through every rewriting."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Span"]

_LINE = 1 << 32  #: a place is line * _LINE + column: eight bytes a character, where a pair takes a hundred


@dataclass(frozen=True, slots=True)
class Span:
    """Text, and line and column (from 1) of every character of it."""

    text: str
    places: array[int]

    @classmethod
    def of_line(cls, text: str, line: int) -> Span:
        return cls(text, array("q", range(line * _LINE + 1, line * _LINE + 1 + len(text))))

    @classmethod
    def joined(cls, spans: list[Span]) -> Span:
        places = array("q")
        for span in spans:
            places.extend(span.places)
        return cls("".join(s.text for s in spans), places)

    @classmethod
    def of_lines(cls, lines: Iterable[Span]) -> Span:
        """Lines one below the other, each with its end."""
        places, texts = array("q"), []
        for line in lines:
            places.extend(line.places)
            places.append(places[-1] + 1 if line.places else _LINE + 1)
            texts.append(line.text)
        return cls("".join(f"{text}\n" for text in texts), places)

    def __getitem__(self, part: slice) -> Span:
        return Span(self.text[part], self.places[part])

    def __bool__(self) -> bool:
        return bool(self.text.strip())

    def stripped(self) -> Span:
        left = len(self.text) - len(self.text.lstrip())
        return self[left : len(self.text.rstrip())]

    def place(self, index: int = 0) -> tuple[int, int]:
        """Line and column of a character; past the end, just behind the last one."""
        if index < len(self.places):
            return divmod(self.places[index], _LINE)
        line, column = divmod(self.places[-1], _LINE) if self.places else (1, 0)
        return line, column + 1

    def replaced(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Span:
        """Every match replaced; the new text stands where the match began."""
        texts: list[str] = []
        places = array("q")
        end = 0
        for found in pattern.finditer(self.text):
            texts += [self.text[end : found.start()], new(found)]
            places.extend(self.places[end : found.start()])
            places.extend(self.places[found.start() : found.start() + 1] * len(texts[-1]))
            end = found.end()
        if not end:
            return self
        places.extend(self.places[end:])
        return Span("".join(texts) + self.text[end:], places)

    def split(self, separators: str) -> list[Span]:
        """The pieces between separators that stand outside brackets; empty ones are left out."""
        pieces: list[Span] = []
        start = depth = 0
        for index, character in enumerate(self.text):
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            elif character in separators and depth <= 0:
                pieces.append(self[start:index])
                start = index + 1
        pieces.append(self[start:])
        return [piece.stripped() for piece in pieces if piece]
