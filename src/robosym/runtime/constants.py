"""Numbers that vectors are computed with, each in every lane of a place in memory.

An instruction then takes a number from its place as it takes any operand. LLVM's own way would be three instructions:
the address, the number, and its spreading over the lanes.
"""

from __future__ import annotations

from robosym.runtime.lanes import Format, literal

__all__ = ["Constants"]


class Constants:
    """The table `@constants` of a module; code on vectors has its address as %constants."""

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
