"""Rows of a known length turned into columns and back, in registers and without a loop: IR.

A few columns that lie side by side in a row are moved at once. Rows that go into the same part of a vector are laid end
to end, and shuffles within the parts do the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from robosym.runtime.lanes import Format, mask

__all__ = ["from_columns", "kept_columns", "one_from_columns", "one_to_columns", "to_columns", "to_columns_in_pieces"]

#: Bytes of a row that are read at once, within which shuffles are cheap; and that are written at once, more since a
#: processor reads twice while it writes once.
_READ, _WRITTEN = 16, 32


def _widths(form: Format, columns: int, size: int) -> Iterator[tuple[int, int]]:
    """Columns in groups: the first of each and how many, a power of two."""
    first, width = 0, min(size // form.bytes, form.lanes)
    while first < columns:
        while first + width > columns:
            width //= 2
        yield first, width
        first += width


class _Lines:
    """Instructions with names of their own."""

    def __init__(self, form: Format, name: str) -> None:
        self.form, self.name, self.lines = form, name, list[str]()

    def new(self, instruction: str) -> str:
        result = f"%{self.name}{len(self.lines)}"
        self.lines.append(f"{result} = {instruction}")
        return result

    def at(self, base: str, offset: int) -> str:
        return self.new(f"getelementptr i8, ptr {base}, i64 {offset}")

    def rows(self, base: str, step: str) -> list[str]:
        """Where each lane's row begins."""
        found = [base]
        for lane in range(1, self.form.lanes):
            offset = self.new(f"mul i64 {step}, {lane}")
            found.append(self.new(f"getelementptr i8, ptr {base}, i64 {offset}"))
        return found

    def shuffle(self, width: int, a: str, b: str, taken: list[int]) -> str:
        kind = f"<{width} x {self.form.scalar}>"
        return self.new(f"shufflevector {kind} {a}, {kind} {b}, {mask(taken)}")

    def end_to_end(self, parts: list[str], width: int) -> str:
        """A vector of all lanes from parts of `width`."""
        while len(parts) > 1:
            every = list(range(2 * width))
            parts = [self.shuffle(width, parts[k], parts[k + 1], every) for k in range(0, len(parts), 2)]
            width *= 2
        return parts[0]

    def square(self, parts: list[str]) -> list[str]:
        """Square matrices side by side, one for each part of the vectors, transposed."""
        n, size = self.form.lanes, len(parts)
        half = 1
        while half < size:  # exchange blocks of `half` off the diagonal
            low = [lane if not lane & half else n + lane - half for lane in range(n)]
            high = [lane + half if not lane & half else n + lane for lane in range(n)]
            after = list(parts)
            for k in range(size):
                if not k & half:
                    after[k] = self.shuffle(n, parts[k], parts[k + half], low)
                    after[k + half] = self.shuffle(n, parts[k], parts[k + half], high)
            parts, half = after, 2 * half
        return parts


def to_columns(
    form: Format, name: str, columns: int, base: str, step: str, target: str, zeros: Collection[int] = ()
) -> list[str]:
    """As many rows as there are lanes, from `base` on and `step` apart, as vectors at `target`.

    `name` keeps names apart; of `zeros`, columns that are known to be zero, only the way back makes use.
    """
    return [line for piece in to_columns_in_pieces(form, name, columns, base, step, target) for line in piece]


def to_columns_in_pieces(
    form: Format, name: str, columns: int, base: str, step: str, target: str
) -> Iterator[list[str]]:
    """The same, a few columns at a time."""
    code, n, size = _Lines(form, name), form.lanes, form.vector_bytes
    rows, done = code.rows(base, step), 0
    for first, width in _widths(form, columns, _READ):
        kind = f"<{width} x {form.scalar}>"
        read = [code.new(f"load {kind}, ptr {code.at(row, first * form.bytes)}, align {form.bytes}") for row in rows]
        for k, column in enumerate(code.square([code.end_to_end(read[k::width], width) for k in range(width)])):
            place = code.at(target, (first + k) * size)
            code.lines.append(f"store <{n} x {form.scalar}> {column}, ptr {place}, align {size}")
        yield code.lines[done:]
        done = len(code.lines)


def from_columns(
    form: Format, name: str, columns: int, base: str, step: str, source: str, zeros: Collection[int] = ()
) -> list[str]:
    """Vectors at `source` as rows: the other way round."""
    code, n, size = _Lines(form, name), form.lanes, form.vector_bytes
    rows = code.rows(base, step)
    for first, width in _widths(form, columns, _WRITTEN):
        kind = f"<{width} x {form.scalar}>"
        if all(first + k in zeros for k in range(width)):
            for row in rows:
                place = code.at(row, first * form.bytes)
                code.lines.append(f"store {kind} zeroinitializer, ptr {place}, align {form.bytes}")
            continue
        places = [code.at(source, (first + k) * size) for k in range(width)]
        read = [code.new(f"load {form.vector}, ptr {place}, align {size}") for place in places]
        for k, vector in enumerate(code.square(read)):
            for part in range(n // width):
                own = list(range(part * width, (part + 1) * width))
                piece = code.shuffle(n, vector, "poison", own)
                place = code.at(rows[part * width + k], first * form.bytes)
                code.lines.append(f"store {kind} {piece}, ptr {place}, align {form.bytes}")
    return code.lines


def one_to_columns(
    form: Format, name: str, columns: int, base: str, step: str, target: str, zeros: Collection[int] = ()
) -> list[str]:
    """The one row at `base` in every lane."""
    code, n, size, t = _Lines(form, name), form.lanes, form.vector_bytes, form.scalar
    for k in range(columns):
        number = code.new(f"load {t}, ptr {code.at(base, k * form.bytes)}, align {form.bytes}")
        first = code.new(f"insertelement {form.vector} poison, {t} {number}, i32 0")
        spread = code.shuffle(n, first, "poison", [0] * n)
        code.lines.append(f"store {form.vector} {spread}, ptr {code.at(target, k * size)}, align {size}")
    return code.lines


def one_from_columns(
    form: Format, name: str, columns: int, base: str, step: str, source: str, zeros: Collection[int] = ()
) -> list[str]:
    """The first lane as the one row at `base`."""
    code, size, t = _Lines(form, name), form.vector_bytes, form.scalar
    for k in range(columns):
        number = code.new(f"load {t}, ptr {code.at(source, k * size)}, align {size}")
        code.lines.append(f"store {t} {number}, ptr {code.at(base, k * form.bytes)}, align {form.bytes}")
    return code.lines


def kept_columns(
    form: Format, name: str, columns: int, base: str, stride: str, target: str, zeros: Collection[int] = ()
) -> list[str]:
    """An array by columns, `stride` apart: the vectors are there already."""
    code, size = _Lines(form, name), form.vector_bytes
    for k in range(columns):
        offset = code.new(f"mul i64 {stride}, {k}")
        place = code.new(f"getelementptr i8, ptr {base}, i64 {offset}")
        vector = code.new(f"load {form.vector}, ptr {place}, align {form.bytes}")
        code.lines.append(f"store {form.vector} {vector}, ptr {code.at(target, k * size)}, align {size}")
    return code.lines
