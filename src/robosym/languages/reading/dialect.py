"""How a file in some language is cut into statements: comments taken out, broken lines joined.

A `Span` is a piece of a file that knows where each of its characters stands, through every rewriting.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from robosym.errors import FormatError

__all__ = ["Dialect", "Span"]

_LINE = 1 << 32  #: a place is line * _LINE + column: eight bytes a character, where a pair takes a hundred
_ASSIGNED = re.compile(r"\w+\s*:?=(?!=)")


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


def _unchanged(value: Span) -> Span:
    return value


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """One manner of writing a language: comments, statements, what is no assignment, and what differs in values."""

    name: str
    cut: Callable[[list[Span]], list[Span]]  #: the statements of lines without comments
    extensions: tuple[str, ...] = ()  #: of files that are written so
    seen: str = r"(?!)"  #: what tells it where the extension does not
    blocks: tuple[tuple[str, str], ...] = ()  #: comments from one mark to another
    line_marks: tuple[str, ...] = ()  #: comments to the end of the line
    column_marks: str = ""  #: characters that make a comment of a line when they stand in its first column
    assign: str = "="
    ignored: str = r"(?!)"  #: statements without a value: declarations, the head and the end of a function
    first: int = 1  #: the index of the first entry of an array
    elements: bool = False  #: u(2), of an argument u that no header describes, is a symbol
    renames: bool = False  #: t1=u(1) without a header: t1 is an input, wherever it comes from
    functions: Mapping[str, str] = field(default_factory=dict)  #: the algebra's names of functions where they differ
    value: Callable[[Span], Span] = _unchanged  #: puts a right-hand side, functions apart, into the algebra's grammar

    def statements(self, text: str, file: str) -> Iterator[Span]:
        """The statements of a file, one after the other, without those that have no value."""
        ignored = re.compile(self.ignored)
        for statement in self.cut(self._without_comments(text, file)):
            # `function = parameters(3)` gives a value to a name that happens to be a word of the language
            if statement and (_ASSIGNED.match(statement.text) or not ignored.match(statement.text)):
                yield statement

    def comment_text(self) -> re.Pattern[str]:
        """Matches any line; its first group is what a comment says, without the marks."""
        before = [*(mark for pair in self.blocks for mark in pair), *self.line_marks]
        marks = "|".join([*map(re.escape, before), r"\*(?!=)"])
        ends = "|".join(re.escape(closing) for _, closing in self.blocks) or "(?!)"
        # elsewhere than in the first column a C is a name
        column = rf"[{self.column_marks}]\b|" if self.column_marks else ""
        return re.compile(rf"^(?:{column}\s*(?:{marks})?)\s?(.*?)\s*(?:{ends})?\s*$")

    def _without_comments(self, text: str, file: str) -> list[Span]:
        """The lines, blank where a comment stood. Comments of the kind (* *) may hold others, as banners do."""
        closing = dict(self.blocks)
        starts = re.compile("|".join(map(re.escape, [*closing, *self.line_marks])) or r"(?!)")
        # a comment (* *) may hold others
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
            raise FormatError(f"the comment opened here lacks its {closing[opening]!r}", file, *opened)
        return lines
