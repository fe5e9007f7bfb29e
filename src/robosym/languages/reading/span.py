"""A piece of a file that knows where each of its characters stands, through every rewriting."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """Text, and line and column (from 1) of every character of it."""

    text: str
    places: tuple[tuple[int, int], ...]

    @classmethod
    def of_line(cls, text: str, line: int) -> Span:
        return cls(text, tuple((line, column) for column in range(1, len(text) + 1)))

    @classmethod
    def joined(cls, spans: list[Span]) -> Span:
        return cls("".join(s.text for s in spans), tuple(place for s in spans for place in s.places))

    @classmethod
    def of_lines(cls, lines: Iterable[Span]) -> Span:
        """Lines one below the other, each with its end."""
        return cls.joined([piece for line in lines for piece in (line, Span("\n", (line.place(len(line.text)),)))])

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
            return self.places[index]
        line, column = self.places[-1] if self.places else (1, 0)
        return line, column + 1

    def replaced(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Span:
        """Every match replaced; the new text stands where the match began."""
        texts: list[str] = []
        places: list[tuple[int, int]] = []
        end = 0
        for found in pattern.finditer(self.text):
            texts += [self.text[end : found.start()], new(found)]
            places += self.places[end : found.start()]
            places += [self.place(found.start())] * len(texts[-1])
            end = found.end()
        return Span("".join(texts) + self.text[end:], (*places, *self.places[end:]))

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
