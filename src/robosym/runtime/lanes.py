"""Vectors of numbers in IR: their types, and rows of arrays turned into columns and back.

A vector holds one value for as many rows of a batch as it has lanes. At the end of a batch the lanes that are left over
repeat its last row, so that one body serves every length and never leaves the arrays.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass

__all__ = ["STAY", "Format", "joined", "literal", "load", "mask", "store"]

#: IR over which LLVM moves no access to memory; the processor does not see it.
STAY = 'fence syncscope("singlethread") acq_rel'


@dataclass(frozen=True)
class Format:
    """A precision, and how many numbers of it the code handles at once."""

    single: bool
    lanes: int
    fused: bool = False  #: whether the processor multiplies and adds in one

    @property
    def dtype(self) -> str:
        """In NumPy."""
        return "float32" if self.single else "float64"

    @property
    def scalar(self) -> str:
        """In IR."""
        return "float" if self.single else "double"

    @property
    def bytes(self) -> int:
        return 4 if self.single else 8

    @property
    def vector(self) -> str:
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def turns(self) -> bool:
        """Whether sines and cosines are computed in this precision; see `sincos`."""
        return self.fused or not self.single

    @property
    def integers(self) -> str:
        """A vector of integers as long as the numbers."""
        return f"<{self.lanes} x i{8 * self.bytes}>"

    @property
    def vector_bytes(self) -> int:
        return self.bytes * self.lanes

    @property
    def suffix(self) -> str:
        """Of an intrinsic on vectors."""
        return f"v{self.lanes}f{8 * self.bytes}"


def joined(*parts: str | list[str]) -> str:
    """Instructions as the body of a function."""
    return "\n  ".join(line for part in parts for line in ([part] if isinstance(part, str) else part))


def mask(indices: list[int]) -> str:
    """The lanes that a shuffle takes."""
    return f"<{len(indices)} x i32> <{', '.join(f'i32 {k}' for k in indices)}>"


def literal(value: float, single: bool = False) -> str:
    """A constant; LLVM writes single precision as the double of the same value."""
    if single:
        value = ctypes.c_float(value).value
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def _rows(form: Format) -> str:
    """IR that points at each lane's row; the lanes after the last row repeat it."""
    lines = []
    for lane in range(form.lanes):
        lines += [
            f"%inside{lane} = icmp ult i64 {lane}, %last",
            f"%index{lane} = select i1 %inside{lane}, i64 {lane}, i64 %last",
            f"%offset{lane} = mul i64 %index{lane}, %step",
            f"%row{lane} = getelementptr i8, ptr %base, i64 %offset{lane}",
        ]
    return "\n  ".join(lines)


def _pointers(form: Format, prefix: str) -> list[str]:
    """Where column %c of each lane's row is; `prefix` keeps the names of two loops apart."""
    return [
        f"%{prefix}shift = mul i64 %{prefix}c, %stride",
        *(f"%{prefix}p{k} = getelementptr i8, ptr %row{k}, i64 %{prefix}shift" for k in range(form.lanes)),
    ]


def _columns_loop(form: Format, name: str, target: str, pair: list[str], one: list[str], whole: list[str]) -> str:
    """A function over the columns of a group.

    Where the rows of a column lie side by side (an array by columns) a vector is taken as it is; else columns that lie
    side by side are taken two at a time, and others one by one.
    """
    return f"""
define internal void @{name}(ptr noalias %base, i64 %step, i64 %stride, i64 %columns, i64 %last, ptr noalias %{target})
    noinline {{
entry:
  %beside = icmp eq i64 %step, {form.bytes}
  %enough = icmp uge i64 %last, {form.lanes - 1}
  %by_columns = and i1 %beside, %enough
  br i1 %by_columns, label %whole, label %scattered
whole:
  %wc = phi i64 [0, %entry], [%wnext, %whole]
  {
        joined(
            "%wshift = mul i64 %wc, %stride",
            "%wp = getelementptr i8, ptr %base, i64 %wshift",
            f"%wplace = mul i64 %wc, {form.vector_bytes}",
            f"%wv = getelementptr i8, ptr %{target}, i64 %wplace",
            whole,
        )
    }
  %wnext = add i64 %wc, 1
  %wmore = icmp ult i64 %wnext, %columns
  br i1 %wmore, label %whole, label %done
scattered:
  {_rows(form)}
  %dense = icmp eq i64 %stride, {form.bytes}
  %paired = and i64 %columns, -2
  %pairs = select i1 %dense, i64 %paired, i64 0
  %some = icmp ne i64 %pairs, 0
  br i1 %some, label %two, label %rest
two:
  %dc = phi i64 [0, %scattered], [%dnext, %two]
  {
        joined(
            _pointers(form, "d"),
            f"%dplace = mul i64 %dc, {form.vector_bytes}",
            f"%dv = getelementptr i8, ptr %{target}, i64 %dplace",
            pair,
        )
    }
  %dnext = add i64 %dc, 2
  %dmore = icmp ult i64 %dnext, %pairs
  br i1 %dmore, label %two, label %rest
rest:
  %left = icmp ult i64 %pairs, %columns
  br i1 %left, label %single, label %done
single:
  %c = phi i64 [%pairs, %rest], [%next, %single]
  {
        joined(
            _pointers(form, ""),
            f"%place = mul i64 %c, {form.vector_bytes}",
            f"%v = getelementptr i8, ptr %{target}, i64 %place",
            one,
        )
    }
  %next = add i64 %c, 1
  %more = icmp ult i64 %next, %columns
  br i1 %more, label %single, label %done
done:
  ret void
}}"""


def load(form: Format) -> str:
    """`@load`: rows of an array into columns."""
    n, t, v = form.lanes, form.scalar, form.vector
    pair = [f"%d{k} = load <2 x {t}>, ptr %dp{k}, align {form.bytes}" for k in range(n)]
    # the even rows end to end, and the odd ones; then one shuffle gives each column
    for start, name in ((0, "even"), (1, "odd")):
        parts, width = [f"%d{k}" for k in range(start, n, 2)], 2
        while len(parts) > 1:
            joined = []
            for k in range(0, len(parts), 2):
                result = f"%{name}{width}_{k}"
                operands = f"<{width} x {t}> {parts[k]}, <{width} x {t}> {parts[k + 1]}"
                pair.append(f"{result} = shufflevector {operands}, {mask(list(range(2 * width)))}")
                joined.append(result)
            parts, width = joined, 2 * width
        pair.append(f"%{name} = shufflevector {v} {parts[0]}, {v} poison, {mask(list(range(n)))}")
    first = [k // 2 * 2 + (n if k % 2 else 0) for k in range(n)]
    pair += [
        f"%dc0 = shufflevector {v} %even, {v} %odd, {mask(first)}",
        f"%dc1 = shufflevector {v} %even, {v} %odd, {mask([k + 1 for k in first])}",
        f"store {v} %dc0, ptr %dv, align {form.vector_bytes}",
        f"%dv1 = getelementptr i8, ptr %dv, i64 {form.vector_bytes}",
        f"store {v} %dc1, ptr %dv1, align {form.vector_bytes}",
    ]
    one = []
    for k in range(n):
        one += [
            f"%x{k} = load {t}, ptr %p{k}, align {form.bytes}",
            f"%y{k} = insertelement {v} {f'%y{k - 1}' if k else 'poison'}, {t} %x{k}, i32 {k}",
        ]
    one.append(f"store {v} %y{n - 1}, ptr %v, align {form.vector_bytes}")
    whole = [
        f"%w = load {v}, ptr %wp, align {form.bytes}",
        f"store {v} %w, ptr %wv, align {form.vector_bytes}",
    ]
    return _columns_loop(form, "load", "target", pair, one, whole)


def store(form: Format) -> str:
    """`@store`: columns into the rows of an array. Lanes that repeat the last row write it again."""
    n, t, v = form.lanes, form.scalar, form.vector
    low = [k // 2 * 2 + (n if k % 2 else 0) for k in range(n)]
    pair = [
        f"%dc0 = load {v}, ptr %dv, align {form.vector_bytes}",
        f"%dv1 = getelementptr i8, ptr %dv, i64 {form.vector_bytes}",
        f"%dc1 = load {v}, ptr %dv1, align {form.vector_bytes}",
        f"%even = shufflevector {v} %dc0, {v} %dc1, {mask(low)}",
        f"%odd = shufflevector {v} %dc0, {v} %dc1, {mask([k + 1 for k in low])}",
    ]
    for k in range(n):
        source = "%odd" if k % 2 else "%even"
        pair += [
            f"%d{k} = shufflevector {v} {source}, {v} poison, {mask([k // 2 * 2, k // 2 * 2 + 1])}",
            f"store <2 x {t}> %d{k}, ptr %dp{k}, align {form.bytes}",
        ]
    one = [f"%y = load {v}, ptr %v, align {form.vector_bytes}"]
    for k in range(n):
        one += [
            f"%x{k} = extractelement {v} %y, i32 {k}",
            f"store {t} %x{k}, ptr %p{k}, align {form.bytes}",
        ]
    whole = [
        f"%w = load {v}, ptr %wv, align {form.vector_bytes}",
        f"store {v} %w, ptr %wp, align {form.bytes}",
    ]
    return _columns_loop(form, "store", "source", pair, one, whole)
