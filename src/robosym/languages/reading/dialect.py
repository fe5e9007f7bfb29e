"""Splitting a source file into statements: remove comments, join continuation lines.

A `Span` is a piece of a file that keeps the position of every character through all transformations.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from robosym.errors import FormatError

__all__ = ["Dialect", "Span"]

_LINE = 1 << 32  #: a position is line * _LINE + column: 8 bytes per character instead of 100 for a tuple
_ASSIGNED = re.compile(r"\w+\s*:?=(?!=)")


@dataclass(frozen=True, slots=True)
class Span:
    """Text with the line and column (from 1) of every character."""

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
        """Join lines, each with its newline."""
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
        """Return line and column of a character; past the end, the column after the last one."""
        if index < len(self.places):
            return divmod(self.places[index], _LINE)
        line, column = divmod(self.places[-1], _LINE) if self.places else (1, 0)
        return line, column + 1

    def replaced(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> Span:
        """Replace every match; the new text has the position of the start of the match."""
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
        """Split at separators outside brackets; empty pieces are dropped."""
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


def _unchanged(value: Span) -> Span:
    return value


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A style of source files: comments, statements, lines to ignore, and differences in expressions."""

    name: str
    cut: Callable[[list[Span]], list[Span]]  #: splits lines without comments into statements
    extensions: tuple[str, ...] = ()  #: file extensions
    seen: str = r"(?!)"  #: regular expression that identifies the dialect if the extension does not
    blocks: tuple[tuple[str, str], ...] = ()  #: delimiters of block comments
    line_marks: tuple[str, ...] = ()  #: markers of comments to the end of the line
    column_marks: str = ""  #: characters that start a comment in the first column
    assign: str = "="
    ignored: str = r"(?!)"  #: statements without a value: declarations, start and end of a function
    first: int = 1  #: index of the first array element
    elements: bool = False  #: u(2), of an argument u without a header, is a symbol
    renames: bool = False  #: t1=u(1) without a header: t1 is an input
    functions: Mapping[str, str] = field(default_factory=dict)  #: function names that differ from the algebra's
    value: Callable[[Span], Span] = _unchanged  #: translates an expression, except functions, to the algebra's grammar

    def statements(self, text: str, file: str) -> Iterator[Span]:
        """Yield the statements of a file, without the ignored ones."""
        ignored = re.compile(self.ignored)
        for statement in self.cut(self._without_comments(text, file)):
            # `function = parameters(3)` assigns to a name that happens to be a keyword
            if statement and (_ASSIGNED.match(statement.text) or not ignored.match(statement.text)):
                yield statement

    def comment_text(self) -> re.Pattern[str]:
        """Return a pattern that matches any line; group 1 is the text of a comment without its markers."""
        before = [*(mark for pair in self.blocks for mark in pair), *self.line_marks]
        marks = "|".join([*map(re.escape, before), r"\*(?!=)"])
        ends = "|".join(re.escape(closing) for _, closing in self.blocks) or "(?!)"
        # only in the first column is C a comment marker
        column = rf"[{self.column_marks}]\b|" if self.column_marks else ""
        return re.compile(rf"^(?:{column}\s*(?:{marks})?)\s?(.*?)\s*(?:{ends})?\s*$")

    def _without_comments(self, text: str, file: str) -> list[Span]:
        """Return the lines with comments blanked; (* *) comments may be nested, as in banners."""
        closing = dict(self.blocks)
        starts = re.compile("|".join(map(re.escape, [*closing, *self.line_marks])) or r"(?!)")
        # comments (* *) may be nested
        inner = {"(*": ["(*"]}
        ends = {mark: re.compile("|".join(map(re.escape, [end, *inner.get(mark, [])]))) for mark, end in self.blocks}
        opening, depth, opened = "", 0, (1, 1)
        lines: list[Span] = []
        for number, line in enumerate(text.split("\n"), 1):
            kept: list[str] = []
            width = position = 0
            while line[:1] not in [*self.column_marks]:
                if depth:
                    found = ends[opening].search(line, position)
                else:
                    found = starts.search(line, position)
                    kept += [" " * (position - width), line[position : found.start() if found else None]]
                    width = position + len(kept[-1])
                if found is None or found[0] in self.line_marks:
                    break
                if not depth:
                    opening, opened = found[0], (number, found.start() + 1)
                depth += 1 if found[0] == opening else -1
                position = found.end()
            lines.append(Span.of_line("".join(kept), number))
        if depth:
            raise FormatError(f"unterminated comment: expected {closing[opening]!r} before the end", file, *opened)
        return lines
