"""Building blocks of LLVM IR: vector types, constants, and sequences of instructions.

A vector contains one value for as many rows of a batch as it has lanes. At the end of a batch the unused lanes repeat
the last row, so that the same code handles every length and stays inside the arrays.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["STAY", "Constants", "Format", "Lines", "joined", "literal", "mask"]

#: A compiler barrier: LLVM moves no memory access across it; it emits no instruction.
STAY = 'fence syncscope("singlethread") acq_rel'


@dataclass(frozen=True)
class Format:
    """A precision and the number of lanes of a vector."""

    single: bool
    lanes: int
    fused: bool = False  #: whether the processor has fused multiply-add

    @property
    def dtype(self) -> str:
        """NumPy type."""
        return "float32" if self.single else "float64"

    @property
    def scalar(self) -> str:
        """IR type."""
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
        """Vector type of integers of the same size."""
        return f"<{self.lanes} x i{8 * self.bytes}>"

    @property
    def vector_bytes(self) -> int:
        return self.bytes * self.lanes

    @property
    def suffix(self) -> str:
        """Suffix of intrinsics on vectors."""
        return f"v{self.lanes}f{8 * self.bytes}"


def joined(*parts: str | list[str]) -> str:
    """Join instructions into the body of a function."""
    return "\n  ".join(line for part in parts for line in ([part] if isinstance(part, str) else part))


def mask(indices: list[int]) -> str:
    """Return the mask of a shuffle that selects these lanes."""
    return f"<{len(indices)} x i32> <{', '.join(f'i32 {k}' for k in indices)}>"


def literal(value: float, single: bool = False) -> str:
    """Return a constant; LLVM writes single precision as the double of the same value."""
    if single:
        value = ctypes.c_float(value).value
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class Lines:
    """A sequence of instructions with unique result names."""

    def __init__(self, name: str = "t") -> None:
        self.name, self.lines = name, list[str]()

    def new(self, instruction: str, name: str = "") -> str:
        result = f"%{name or f'{self.name}{len(self.lines)}'}"
        self.lines.append(f"{result} = {instruction}")
        return result

    def at(self, base: str, offset: int | str, kind: str = "i8") -> str:
        """Return the address `offset` elements of type `kind` after `base`."""
        return self.new(f"getelementptr {kind}, ptr {base}, i64 {offset}")

    def load(self, kind: str, place: str, align: int = 0) -> str:
        return self.new(f"load {kind}, ptr {place}{f', align {align}' if align else ''}")

    def store(self, kind: str, value: str | int, place: str, align: int = 0) -> None:
        self.lines.append(f"store {kind} {value}, ptr {place}{f', align {align}' if align else ''}")

    def entry(self, kind: str, array: str, place: int | str) -> str:
        """Load an element of an array of addresses or 64-bit integers."""
        return self.load(kind, self.at(array, place, "i64"))

    def put(self, kind: str, value: str | int, array: str, place: int | str) -> None:
        """Store an element of such an array."""
        self.store(kind, value, self.at(array, place, "i64"))

    def equal(self, kind: str, one: str | int, other: str | int) -> str:
        return self.new(f"icmp eq {kind} {one}, {other}")

    def exists(self, pointer: str) -> str:
        return self.new(f"icmp ne ptr {pointer}, null")

    def label(self, name: str) -> None:
        """Start a block."""
        self.lines.append(f"{name}:")

    def go(self, label: str) -> None:
        self.lines.append(f"br label %{label}")

    def fork(self, test: str, yes: str, no: str) -> None:
        self.lines.append(f"br i1 {test}, label %{yes}, label %{no}")

    def require(self, test: str, otherwise: str) -> None:
        """Continue if the test holds, else jump to a label."""
        well = f"{self.name}{len(self.lines)}_well"
        self.fork(test, well, otherwise)
        self.label(well)

    def every(self, tests: Iterable[str]) -> str:
        """Return whether all tests hold."""
        found = "true"
        for test in tests:
            found = self.new(f"and i1 {found}, {test}")
        return found

    def choose(self, after: str, cases: Sequence[tuple[str, Callable[[], None]]]) -> None:
        """Emit the first case whose test holds, or the last one, and continue at the label `after`."""
        for number, (test, write) in enumerate(cases):
            last = number == len(cases) - 1
            if not last:
                self.fork(test, f"{after}_way{number}", f"{after}_no{number}")
                self.label(f"{after}_way{number}")
            write()
            self.go(after)
            self.label(after if last else f"{after}_no{number}")


class Constants:
    """The table `@constants` of a module, with each number in every lane; vector code has its address in %constants.

    Instructions use a constant as a memory operand. LLVM's own code would take three instructions: load the address,
    load the number, broadcast it.
    """

    def __init__(self, form: Format) -> None:
        self.form = form
        self._places: dict[tuple[str, int], int] = {}

    def place(self, value: float, copy: int = 0) -> int:
        """Return the index of a number, in vectors; `copy` distinguishes copies of the same number."""
        return self._places.setdefault((literal(value, self.form.single), copy), len(self._places))

    def load(self, value: float, name: str, copy: int = 0) -> list[str]:
        """Return IR that loads the number into every lane of %name."""
        size = self.form.vector_bytes
        return [
            f"%{name}_at = getelementptr i8, ptr %constants, i64 {self.place(value, copy) * size}",
            f"%{name} = load {self.form.vector}, ptr %{name}_at, align {size}",
        ]

    def table(self) -> str:
        """Return the IR of the table; it is not declared constant, since LLVM would split it."""
        form = self.form
        rows = [f"{form.vector} <{', '.join([f'{form.scalar} {each}'] * form.lanes)}>" for each, _ in self._places]
        kind = f"[{len(rows)} x {form.vector}]"
        return f"@constants = internal global {kind} [{', '.join(rows)}], align 64"
