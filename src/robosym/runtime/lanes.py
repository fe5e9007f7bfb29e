"""The words of IR: vectors of numbers and their types, constants, and instructions one after the other.

A vector holds one value for as many rows of a batch as it has lanes. At the end of a batch the lanes that are left over
repeat its last row, so that one body serves every length and never leaves the arrays.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["STAY", "Constants", "Format", "Lines", "joined", "literal", "mask"]

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


class Lines:
    """Instructions one after the other; what an instruction gives has a name of its own."""

    def __init__(self, name: str = "t") -> None:
        self.name, self.lines = name, list[str]()

    def new(self, instruction: str, name: str = "") -> str:
        result = f"%{name or f'{self.name}{len(self.lines)}'}"
        self.lines.append(f"{result} = {instruction}")
        return result

    def at(self, base: str, offset: int | str, kind: str = "i8") -> str:
        """The address so many numbers of a kind from another."""
        return self.new(f"getelementptr {kind}, ptr {base}, i64 {offset}")

    def load(self, kind: str, place: str, align: int = 0) -> str:
        return self.new(f"load {kind}, ptr {place}{f', align {align}' if align else ''}")

    def store(self, kind: str, value: str | int, place: str, align: int = 0) -> None:
        self.lines.append(f"store {kind} {value}, ptr {place}{f', align {align}' if align else ''}")

    def entry(self, kind: str, array: str, place: int | str) -> str:
        """A number of an array of addresses or of long integers."""
        return self.load(kind, self.at(array, place, "i64"))

    def put(self, kind: str, value: str | int, array: str, place: int | str) -> None:
        """Write a number into such an array."""
        self.store(kind, value, self.at(array, place, "i64"))

    def equal(self, kind: str, one: str | int, other: str | int) -> str:
        return self.new(f"icmp eq {kind} {one}, {other}")

    def exists(self, pointer: str) -> str:
        return self.new(f"icmp ne ptr {pointer}, null")

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def go(self, label: str) -> None:
        self.lines.append(f"br label %{label}")

    def fork(self, test: str, yes: str, no: str) -> None:
        self.lines.append(f"br i1 {test}, label %{yes}, label %{no}")

    def require(self, test: str, otherwise: str) -> None:
        """Go on if the test holds, else at a label."""
        well = f"{self.name}{len(self.lines)}_well"
        self.fork(test, well, otherwise)
        self.label(well)

    def every(self, tests: Iterable[str]) -> str:
        """Whether all tests hold."""
        found = "true"
        for test in tests:
            found = self.new(f"and i1 {found}, {test}")
        return found

    def choose(self, after: str, ways: Sequence[tuple[str, Callable[[], None]]]) -> None:
        """Write the first way whose test holds, or the last one, and go on at a label."""
        for number, (test, write) in enumerate(ways):
            last = number == len(ways) - 1
            if not last:
                self.fork(test, f"{after}_way{number}", f"{after}_no{number}")
                self.label(f"{after}_way{number}")
            write()
            self.go(after)
            self.label(after if last else f"{after}_no{number}")


class Constants:
    """The table `@constants` of numbers in a module, each in every lane; code on vectors has its address as %constants.

    An instruction then takes a number from its place as it takes any operand. LLVM's own way would be three: the
    address, the number, and its spreading over the lanes.
    """

    def __init__(self, form: Format) -> None:
        self.form = form
        self._places: dict[tuple[str, int], int] = {}

    def place(self, value: float, copy: int = 0) -> int:
        """Where a number stands, in vectors; `copy` tells places of the same number apart."""
        return self._places.setdefault((literal(value, self.form.single), copy), len(self._places))

    def load(self, value: float, name: str, copy: int = 0) -> list[str]:
        """IR: %name, the number in every lane."""
        size = self.form.vector_bytes
        return [
            f"%{name}_at = getelementptr i8, ptr %constants, i64 {self.place(value, copy) * size}",
            f"%{name} = load {self.form.vector}, ptr %{name}_at, align {size}",
        ]

    def table(self) -> str:
        """IR of the table; it is no constant for LLVM, which would take it apart."""
        form = self.form
        rows = [f"{form.vector} <{', '.join([f'{form.scalar} {each}'] * form.lanes)}>" for each, _ in self._places]
        kind = f"[{len(rows)} x {form.vector}]"
        return f"@constants = internal global {kind} [{', '.join(rows)}], align 64"
