"""Transposition of rows of arrays to columns and back, in registers (LLVM IR).

A few adjacent columns are moved at once. Rows that go into the same part of a vector are concatenated, and shuffles
within the parts do the rest. Rows of known length are moved without a loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from robosym.runtime.lanes import Format, Lines, joined, mask

__all__ = ["PREFETCH", "Moves", "Rows", "any_layout"]

#: Bytes of a row read at once, within which shuffles are cheap, and bytes written at once: more, since a processor does
#: two reads per write.
_READ, _WRITTEN = 16, 32
#: Number of vectors after which columns are prefetched: there are more columns than a processor follows by itself.
_AHEAD = 16
#: Declaration of the instruction that prefetches.
PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"


def _widths(form: Format, columns: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield groups of columns: the first column and the number of columns, a power of two."""
    first, width = 0, min(size // form.bytes, form.lanes)
    while first < columns:
        while first + width > columns:
            width //= 2
        yield first, width
        first += width


@dataclass(frozen=True)
class Rows:
    """Rows of numbers, one per lane: their address, row step and column stride."""

    base: str
    step: str
    stride: str
    columns: int
    zeros: Collection[int] = ()  #: columns known to be zero


class Moves(Lines):
    """Instructions that move rows and columns."""

    def __init__(self, form: Format, name: str) -> None:
        super().__init__(name)
        self.form = form

    def lanes(self, rows: Rows) -> list[str]:
        """Return the address of each lane's row."""
        others = range(1, self.form.lanes)
        return [rows.base, *(self.at(rows.base, self.new(f"mul i64 {rows.step}, {lane}")) for lane in others)]

    def shuffle(self, width: int, a: str, b: str, taken: list[int]) -> str:
        kind = f"<{width} x {self.form.scalar}>"
        return self.new(f"shufflevector {kind} {a}, {kind} {b}, {mask(taken)}")

    def end_to_end(self, parts: list[str], width: int) -> str:
        """Concatenate parts of `width` lanes into a full vector."""
        while len(parts) > 1:
            every = list(range(2 * width))
            parts = [self.shuffle(width, parts[k], parts[k + 1], every) for k in range(0, len(parts), 2)]
            width *= 2
        return parts[0]

    def square(self, parts: list[str]) -> list[str]:
        """Transpose square matrices side by side, one per part of the vectors."""
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

    def gather(self, rows: list[str], width: int, target: str) -> None:
        """Store `width` columns of each lane's row as vectors at `target`."""
        kind, size = f"<{width} x {self.form.scalar}>", self.form.vector_bytes
        read = [self.load(kind, row, self.form.bytes) for row in rows]
        for k, column in enumerate(self.square([self.end_to_end(read[k::width], width) for k in range(width)])):
            self.store(self.form.vector, column, self.at(target, k * size), size)

    def scatter(self, rows: list[str], width: int, source: str) -> None:
        """Store `width` vectors at `source` as columns of each lane's row, the inverse of `gather`."""
        kind, size = f"<{width} x {self.form.scalar}>", self.form.vector_bytes
        read = [self.load(self.form.vector, self.at(source, k * size), size) for k in range(width)]
        for k, vector in enumerate(self.square(read)):
            for first in range(0, self.form.lanes, width):
                piece = self.shuffle(self.form.lanes, vector, "poison", list(range(first, first + width)))
                self.store(kind, piece, rows[first + k], self.form.bytes)

    def to_columns(self, rows: Rows, target: str) -> list[int]:
        """Transpose one row per lane to vectors at `target`; return the number of lines after each group of columns."""
        lanes, ends = self.lanes(rows), []
        for first, width in _widths(self.form, rows.columns, _READ):
            beginnings = [self.at(lane, first * self.form.bytes) for lane in lanes]
            self.gather(beginnings, width, self.at(target, first * self.form.vector_bytes))
            ends.append(len(self.lines))
        return ends

    def from_columns(self, rows: Rows, source: str) -> None:
        """Transpose vectors at `source` to rows."""
        lanes = self.lanes(rows)
        for first, width in _widths(self.form, rows.columns, _WRITTEN):
            beginnings = [self.at(lane, first * self.form.bytes) for lane in lanes]
            if all(first + k in rows.zeros for k in range(width)):
                for place in beginnings:
                    self.store(f"<{width} x {self.form.scalar}>", "zeroinitializer", place, self.form.bytes)
            else:
                self.scatter(beginnings, width, self.at(source, first * self.form.vector_bytes))

    def one_to_columns(self, rows: Rows, target: str) -> None:
        """Broadcast the first row to every lane."""
        form, size = self.form, self.form.vector_bytes
        for k in range(rows.columns):
            number = self.load(form.scalar, self.at(rows.base, k * form.bytes), form.bytes)
            first = self.new(f"insertelement {form.vector} poison, {form.scalar} {number}, i32 0")
            spread = self.shuffle(form.lanes, first, "poison", [0] * form.lanes)
            self.store(form.vector, spread, self.at(target, k * size), size)

    def one_from_columns(self, rows: Rows, source: str) -> None:
        """Store the first lane as the first row."""
        form, size = self.form, self.form.vector_bytes
        for k in range(rows.columns):
            number = self.load(form.scalar, self.at(source, k * size), size)
            self.store(form.scalar, number, self.at(rows.base, k * form.bytes), form.bytes)

    def kept_columns(self, rows: Rows, target: str) -> None:
        """Copy column-major rows, whose columns are already vectors."""
        form, size = self.form, self.form.vector_bytes
        for k in range(rows.columns):
            place = self.at(rows.base, self.new(f"mul i64 {rows.stride}, {k}"))
            self.prefetch(place)
            vector = self.load(form.vector, place, form.bytes)
            self.store(form.vector, vector, self.at(target, k * size), size)

    def prefetch(self, place: str, write: bool = False) -> None:
        """Prefetch a later part of the column at `place`; addresses beyond the array are harmless."""
        later = self.at(place, _AHEAD * self.form.vector_bytes)
        self.lines.append(f"call void @llvm.prefetch.p0(ptr {later}, i32 {int(write)}, i32 3, i32 1)")


def any_layout(form: Format, name: str) -> str:
    """Return `@load`, which transposes rows of any memory layout to columns, or the inverse `@store`.

    Column-major arrays are copied vector by vector; of other arrays, contiguous columns are moved in pairs and others
    one by one. Lanes after the last row repeat it.
    """
    code, size = Moves(form, "t"), form.vector_bytes
    move = code.gather if name == "load" else code.scatter
    rows: list[str] = []

    def loop(label: str, before: str, first: str, end: str, after: str, width: int) -> None:
        """Loop over columns from `first`, `width` at a time; whole vectors if `width` is 0."""
        code.label(label)
        column = code.new(f"phi i64 [{first}, %{before}], [%{label}_next, %{label}]")
        shift = code.new(f"mul i64 {column}, %stride")
        place = code.at("%columns", code.new(f"mul i64 {column}, {size}"))
        if width:
            move([code.at(row, shift) for row in rows], width, place)
        else:
            ends = [code.at("%base", shift), place]
            source, target = ends if name == "load" else reversed(ends)
            code.prefetch(ends[0], write=name == "store")
            code.store(form.vector, code.load(form.vector, source, form.bytes), target, form.bytes)
        following = code.new(f"add i64 {column}, {width or 1}", f"{label}_next")
        code.fork(code.new(f"icmp ult i64 {following}, {end}"), label, after)

    code.label("entry")
    beside = code.equal("i64", "%step", form.bytes)
    enough = code.new(f"icmp uge i64 %last, {form.lanes - 1}")
    code.fork(code.new(f"and i1 {beside}, {enough}"), "whole", "scattered")
    loop("whole", "entry", "0", "%count", "done", 0)
    code.label("scattered")
    for lane in range(form.lanes):
        inside = code.new(f"icmp ult i64 {lane}, %last")
        index = code.new(f"select i1 {inside}, i64 {lane}, i64 %last")
        rows.append(code.at("%base", code.new(f"mul i64 {index}, %step")))
    dense = code.equal("i64", "%stride", form.bytes)
    pairs = code.new(f"select i1 {dense}, i64 {code.new('and i64 %count, -2')}, i64 0")
    code.fork(code.new(f"icmp ne i64 {pairs}, 0"), "two", "rest")
    loop("two", "scattered", "0", pairs, "rest", 2)
    code.label("rest")
    code.fork(code.new(f"icmp ult i64 {pairs}, %count"), "single", "done")
    loop("single", "rest", pairs, "%count", "done", 1)
    code.label("done")
    arguments = "ptr noalias %base, i64 %step, i64 %stride, i64 %count, i64 %last, ptr noalias %columns"
    return f"define internal void @{name}({arguments}) noinline {{\n  {joined(code.lines, 'ret void')}\n}}"
