"""Executed instructions and time of a model on a processor, counted in the machine code that LLVM writes for it.

Machine code of a model has no loops, and branches only in sine, cosine and sign: every path is counted. Sines of large
angles, which are reduced with many digits, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from robosym.errors import InputError, closest
from robosym.export.processors.objects import COMPUTERS, object_code
from robosym.model import Model
from robosym.runtime.sincos import LIMIT, SINGLE_LIMIT

__all__ = ["MEASURED", "Resources", "resources_of"]

#: targets whose assembly is read: those in ELF
MEASURED = tuple(name for name, computer in COMPUTERS.items() if computer.suffix == ".o" and "apple" not in
                 computer.processor.triple)  # fmt: skip
_CALL = re.compile(r"(?:bl|callq?|jal|tail)\s+(?:ra,\s*)?([A-Za-z_]\w*)(?:@plt|@PLT)?$")
_JUMP = re.compile(r"(?:jmpq?|b|j|b\.n|b\.w)\s+([.\w]+)$")
_BRANCH = re.compile(
    r"(?:j[a-z]+|b(?:eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)(?:\.[nw])?|b\.\w\w|cbn?z|tbn?z"
    r"|b(?:eq|ne|lt|ge|ltu|geu)z?|b(?:lez|gez|ltz|gtz))\s+(?:.*,\s*)?([.\w]+)$"
)
_RETURN = re.compile(r"(?:retq?|(?:bx|pop)(\w\w)? .*(?:lr|pc\}).*|jr ra)$")


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    cycles: int


def _rules(*rows: tuple[str, int]) -> tuple[_Rule, ...]:
    return tuple(_Rule(re.compile(pattern), cycles) for pattern, cycles in rows)


#: cycles of the instructions that may occur, at most; the first pattern that matches counts. The numbers are those of
#: the Technical Reference Manual of the Cortex-M4 and one more, for a result that the next instruction uses.
_CYCLES: Mapping[str, tuple[_Rule, ...]] = {
    "cortex-m4f": _rules(
        (r"vdiv|vsqrt", 15), (r"vfn?m[as]|vmla|vmls", 4), (r"vldm|vstm|vpush|vpop|push|pop|ldm|stm", 18),
        (r"vldr|vstr|ldrd|strd", 4), (r"ldr|str", 3), (r"bl\b|blx|bx|b\b|b\.|cbn?z|b(?:eq|ne|hi|ls|ge|lt|gt|le)", 4),
        (r"v(?:add|sub|mul|nmul|neg|abs|mov|cmp|cvt|mrs|sel)", 3), (r"umull|smull|umlal|udiv|sdiv", 12),
        (r"[a-z]", 2),
    ),
}  # fmt: skip
_CORES = {"cortex-m4f": "Cortex-M4F, memory without wait states"}


class _Path(NamedTuple):
    """Instructions along the shortest and the longest path through a function, and an upper bound on the cycles."""

    least: int = 0
    most: int = 0
    cycles: int = 0

    def then(self, other: _Path) -> _Path:
        """Return this path followed by another one."""
        return _Path(self.least + other.least, self.most + other.most, self.cycles + other.cycles)

    def beside(self, other: _Path) -> _Path:
        """Return the extremes of two paths."""
        return _Path(min(self.least, other.least), max(self.most, other.most), max(self.cycles, other.cycles))


@dataclass(frozen=True)
class Resources:
    """Executed instructions and time of one call of a model on a processor."""

    model: Model
    target: str
    precision: str
    instructions: tuple[int, int]  #: executed, at least and at most; equal if the number is always the same
    cycles: int | None  #: at most, with nothing overlapping; None if the times of the instructions are not known
    largest: float  #: angle in rad up to which sines and cosines are counted

    def __str__(self) -> str:
        least, most = self.instructions
        count = f"{most}" if least == most else f"{least} to {most}"
        lines = [
            f"{self.model.name}: {self.model.title}, {COMPUTERS[self.target].about}, {self.precision} precision",
            "",
        ]
        lines += [f"{count} executed instructions per call, for angles up to {self.largest:g} rad"]
        if self.cycles is not None:
            lines += [f"at most {self.cycles} cycles ({_CORES[self.target]}, without interrupts)"]
        return "\n".join(lines)


class _Program:
    """Functions of an assembly text, and the paths through them."""

    def __init__(self, text: str, target: str) -> None:
        self.rules = _CYCLES.get(target)
        self.bodies = {
            name: body.split("\n")
            for name, body in re.findall(r"^(\w+):[^\n]*\n(.*?)^\.Lfunc_end\d+:", text, re.M | re.S)
        }
        self.known: dict[str, _Path | None] = {}

    def path(self, name: str) -> _Path | None:
        """Return the paths of a function, or None if every path has a loop, or calls a function that has one."""
        if name not in self.known:
            self.known[name] = None  # also of a function that calls itself
            if name in self.bodies:
                self.known[name] = _Walk(self, self.bodies[name]).from_line(0)
        return self.known[name]

    def cycles(self, instruction: str) -> int:
        if self.rules is None:
            return 0
        return next(rule.cycles for rule in self.rules if rule.pattern.match(instruction))


class _Walk:
    """Paths through the lines of one function."""

    def __init__(self, program: _Program, body: list[str]) -> None:
        self.program = program
        self.lines = [re.split(r"\s*(?:#|//|@)\s", line)[0].strip() for line in body]
        self.labels = {line[:-1]: k for k, line in enumerate(self.lines) if re.fullmatch(r"[.\w]+:", line)}
        self.known: dict[int, _Path | None] = {}
        self.open: set[int] = set()

    def from_line(self, start: int) -> _Path | None:
        """Return the paths from a line to the end of the function; a path with a loop is left out."""
        if start in self.open:
            return None
        if start not in self.known:
            self.open.add(start)
            self.known[start] = self._followed(start)
            self.open.discard(start)
        return self.known[start]

    def _followed(self, start: int) -> _Path | None:
        done = _Path()
        for place in range(start, len(self.lines)):
            line = self.lines[place]
            if not re.match(r"[a-z]", line):
                continue
            line = re.sub(r"\s+", " ", line)
            done = done.then(_Path(1, 1, self.program.cycles(line)))
            returning = _RETURN.match(line)
            if returning and returning[1]:  # on a condition
                return _either(done, _Path(), self.from_line(place + 1))
            if returning:
                return done
            call = _CALL.match(line)
            if call:
                inner = self.program.path(call[1])
                if inner is None:
                    return None
                done = done.then(inner)
                continue
            jump = _JUMP.match(line)
            if jump:
                rest = self.from_line(self.labels[jump[1]]) if jump[1] in self.labels else self.program.path(jump[1])
                return None if rest is None else done.then(rest)
            branch = _BRANCH.match(line)
            if branch and branch[1] in self.labels:
                return _either(done, self.from_line(self.labels[branch[1]]), self.from_line(place + 1))
        return done


def _either(done: _Path, one: _Path | None, other: _Path | None) -> _Path | None:
    """Return the path before a branch, followed by the extremes of its known alternatives."""
    if one is None or other is None:
        rest = other if one is None else one
    else:
        rest = one.beside(other)
    return None if rest is None else done.then(rest)


def resources_of(model: Model, target: str, precision: str = "auto") -> Resources:
    """Count the machine code of a model; see `Model.resources`."""
    if target not in MEASURED:
        raise InputError(f"target: expected {', '.join(MEASURED)}, found {target!r}{closest(target, MEASURED)}")
    used = precision if precision != "auto" else "double" if COMPUTERS[target].double else "single"
    text = object_code({"robosym_counted": model}, target, precision, assembly=True).decode()
    found = _Program(text, target).path("robosym_counted")
    if found is None:
        raise InputError(
            f"target: the number of instructions on {target} is not known in {used} precision: the code calls "
            "functions with loops, or of the run-time library of the compiler"
        )
    cycles = found.cycles if target in _CYCLES else None
    return Resources(
        model, target, used, (found.least, found.most), cycles, LIMIT if used == "double" else SINGLE_LIMIT
    )
