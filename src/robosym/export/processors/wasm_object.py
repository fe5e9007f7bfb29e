"""Relocatable WebAssembly objects, as LLVM writes them, linked into a module without imports.

Formats: WebAssembly core specification 2.0, chapter 5, and "WebAssembly Object File Linking". The linker places data
and stack in the memory, removes functions that are not called, and writes every index in its shortest form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["linked_module"]

_PAGE = 65536
_STACK = 65536  #: bytes of the stack: no kernel takes more than a few hundred
_CUSTOM, _TYPES, _IMPORTS, _FUNCTIONS, _MEMORY, _GLOBALS, _EXPORTS, _CODE, _DATA = 0, 1, 2, 3, 5, 6, 7, 10, 11
_FUNCTION_INDEX, _ADDRESS, _SIGNED_ADDRESS, _ADDRESS_WORD, _TYPE_INDEX, _GLOBAL_INDEX = 0, 3, 4, 5, 6, 7
_I32, _CONST_I32, _END = 0x7F, 0x41, 0x0B
_SYMBOLS, _SEGMENTS = 8, 5
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40
_OF_FUNCTION, _OF_DATA, _OF_GLOBAL, _OF_SECTION = range(4)


def unsigned(value: int) -> bytes:
    """Return an unsigned number in LEB128."""
    found = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        found.append(low | (0x80 if value else 0))
        if not value:
            return bytes(found)


def signed(value: int) -> bytes:
    """Return a signed number in LEB128."""
    found = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        done = value == (-1 if low & 0x40 else 0)
        found.append(low | (0 if done else 0x80))
        if done:
            return bytes(found)


class _Reader:
    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            low = self.byte()
            value |= (low & 0x7F) << shift
            shift += 7
            if not low & 0x80:
                return value

    def integer(self) -> int:
        """Read a signed number."""
        value = shift = 0
        while True:
            low = self.byte()
            value |= (low & 0x7F) << shift
            shift += 7
            if not low & 0x80:
                return value - (1 << shift) if low & 0x40 else value

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        return self.take(self.number()).decode()

    def several(self) -> range:
        return range(self.number())


@dataclass
class _Relocation:
    kind: int
    offset: int
    index: int
    addend: int


@dataclass
class _Symbol:
    kind: int
    name: str
    defined: bool
    index: int = 0  #: index of the function, global or segment
    offset: int = 0


@dataclass
class _Segment:
    data: bytes
    offset: int  #: offset of its content in the section
    align: int = 0
    address: int = 0


@dataclass
class _Object:
    """The sections of an object that a module needs."""

    types: list[bytes] = field(default_factory=list)
    imported: list[int] = field(default_factory=list)  #: types of imported functions
    functions: list[int] = field(default_factory=list)  #: types of functions
    bodies: list[tuple[int, bytes]] = field(default_factory=list)  #: offset in the section, and content
    segments: list[_Segment] = field(default_factory=list)
    symbols: list[_Symbol] = field(default_factory=list)
    relocations: dict[int, list[_Relocation]] = field(default_factory=dict)  #: relocations by section


def _read(data: bytes) -> _Object:
    reader, result = _Reader(data, 8), _Object()
    sections: list[int] = []
    while reader.at < len(data):
        kind, size = reader.byte(), reader.number()
        start = reader.at
        reader.at += size
        sections.append(kind)
        _section(result, kind, _Reader(data, start, start + size), start, sections)
    return result


def _section(result: _Object, kind: int, reader: _Reader, start: int, sections: Sequence[int]) -> None:
    if kind == _TYPES:
        for _ in reader.several():
            first = reader.at
            reader.byte()
            for _ in range(2):
                reader.take(reader.number())
            result.types.append(reader.data[first : reader.at])
    elif kind == _IMPORTS:
        for _ in reader.several():
            _import(result, reader)
    elif kind == _FUNCTIONS:
        result.functions = [reader.number() for _ in reader.several()]
    elif kind == _CODE:
        for _ in reader.several():
            size = reader.number()
            result.bodies.append((reader.at - start, reader.take(size)))
    elif kind == _DATA:
        for _ in reader.several():
            reader.byte()  # an active segment of memory 0
            assert reader.byte() == _CONST_I32
            reader.integer()
            assert reader.byte() == _END
            size = reader.number()
            result.segments.append(_Segment(b"", reader.at - start))
            result.segments[-1].data = reader.take(size)
    elif kind == _CUSTOM:
        name = reader.name()
        if name == "linking":
            _linking(result, reader)
        elif name in ("reloc.CODE", "reloc.DATA"):
            section = sections[reader.number()]
            result.relocations[section] = [_relocation(reader) for _ in reader.several()]


def _import(result: _Object, reader: _Reader) -> None:
    reader.name(), reader.name()
    kind = reader.byte()
    if kind == 0:  # a function
        result.imported.append(reader.number())
    elif kind in (1, 2):  # a table or memory, with limits
        reader.take(1 if kind == 1 else 0)
        flags = reader.byte()
        reader.number()
        _ = reader.number() if flags & 1 else 0
    else:  # a global
        reader.take(2)


def _relocation(reader: _Reader) -> _Relocation:
    kind, offset, index = reader.byte(), reader.number(), reader.number()
    addend = reader.integer() if kind in (_ADDRESS, _SIGNED_ADDRESS, _ADDRESS_WORD) else 0
    return _Relocation(kind, offset, index, addend)


def _linking(result: _Object, reader: _Reader) -> None:
    reader.number()  # version
    while reader.at < reader.end:
        kind, size = reader.byte(), reader.number()
        after = reader.at + size
        if kind == _SEGMENTS:
            for number in reader.several():
                reader.name()
                result.segments[number].align = reader.number()
                reader.number()
        elif kind == _SYMBOLS:
            result.symbols = [_symbol(reader) for _ in reader.several()]
        reader.at = after


def _symbol(reader: _Reader) -> _Symbol:
    kind, flags = reader.byte(), reader.number()
    defined = not flags & _UNDEFINED
    if kind == _OF_DATA:
        name = reader.name()
        if not defined:
            return _Symbol(kind, name, False)
        index, offset, _ = reader.number(), reader.number(), reader.number()
        return _Symbol(kind, name, True, index, offset)
    index = reader.number()
    named = kind != _OF_SECTION and (defined or flags & _EXPLICIT_NAME)
    return _Symbol(kind, reader.name() if named else "", defined, index)


# ---------------------------------------------------------------------------------------------- the module


class _Linker:
    def __init__(self, given: _Object) -> None:
        self.given = given
        self.of_function = {s.index: s for s in given.symbols if s.kind == _OF_FUNCTION and s.defined}
        self.calls = [self._inside(offset, len(body)) for offset, body in given.bodies]

    def _inside(self, start: int, size: int) -> list[_Relocation]:
        return [r for r in self.given.relocations.get(_CODE, ()) if start <= r.offset < start + size]

    def module(self, exports: Sequence[str]) -> bytes:
        given, first = self.given, len(self.given.imported)
        places = {s.name: s.index - first for s in self.of_function.values()}
        kept = self._reached([places[name] for name in exports])
        self.number = {first + place: number for number, place in enumerate(kept)}
        types = sorted({given.functions[place] for place in kept})
        self.type_number = {old: new for new, old in enumerate(types)}
        end = self._placed()
        heap = end + _STACK
        pages = -(-heap // _PAGE)
        stack = b"\x7f\x01" + bytes([_CONST_I32]) + signed(heap) + bytes([_END])
        base = b"\x7f\x00" + bytes([_CONST_I32]) + signed(heap) + bytes([_END])
        entries = [_named("memory", 2, 0), _named("heap", 3, 1)]
        entries += [_named(name, 0, self.number[places[name] + first]) for name in exports]
        data = [
            b"\x00" + bytes([_CONST_I32]) + signed(s.address) + bytes([_END]) + unsigned(len(s.data)) + s.data
            for s in self._written()
        ]
        return b"\0asm\x01\0\0\0" + b"".join([
            _vector(_TYPES, [given.types[old] for old in types]),
            _vector(_FUNCTIONS, [unsigned(self.type_number[given.functions[place]]) for place in kept]),
            _vector(_MEMORY, [b"\x00" + unsigned(pages)]),
            _vector(_GLOBALS, [stack, base]),
            _vector(_EXPORTS, entries),
            _vector(_CODE, [self._body(place) for place in kept]),
            _vector(_DATA, data),
        ])  # fmt: skip

    def _reached(self, exported: Iterable[int]) -> list[int]:
        """Return the places of the functions that are called, in order."""
        first, waiting, found = len(self.given.imported), [*exported], set[int]()
        while waiting:
            place = waiting.pop()
            if place in found:
                continue
            found.add(place)
            for call in self.calls[place]:
                if call.kind == _FUNCTION_INDEX:
                    symbol = self.given.symbols[call.index]
                    assert symbol.defined, f"the kernel calls {symbol.name}, which is not defined"
                    waiting.append(symbol.index - first)
        return sorted(found)

    def _placed(self) -> int:
        """Assign addresses to the segments, those of zeros last, and return the end of the data."""
        at = 1024  # no object is at address 0
        for segment in sorted(self.given.segments, key=lambda s: not any(s.data)):
            at = -(-at // (1 << segment.align)) * (1 << segment.align)
            segment.address = at
            at += len(segment.data)
        return -(-at // 64) * 64

    def _written(self) -> Iterator[_Segment]:
        """Yield the segments that are not zero, relocated."""
        for segment in self.given.segments:
            if any(segment.data):
                yield segment

    def _body(self, place: int) -> bytes:
        """Return a function with its indices and addresses."""
        start, body = self.given.bodies[place]
        parts, at = [], 0
        for relocation in self.calls[place]:
            where = relocation.offset - start
            parts += [body[at:where], self._value(relocation)]
            at = where + 5  # numbers to be replaced have the greatest length
        content = b"".join([*parts, body[at:]])
        return unsigned(len(content)) + content

    def _value(self, relocation: _Relocation) -> bytes:
        kind = relocation.kind
        if kind == _TYPE_INDEX:
            return unsigned(self.type_number[relocation.index])
        symbol = self.given.symbols[relocation.index]
        if kind == _FUNCTION_INDEX:
            return unsigned(self.number[symbol.index])
        if kind == _GLOBAL_INDEX:
            assert symbol.name == "__stack_pointer" or not symbol.defined, symbol.name
            return unsigned(0)
        assert kind in (_ADDRESS, _SIGNED_ADDRESS) and symbol.defined, f"relocation {kind} of {symbol.name}"
        address = self.given.segments[symbol.index].address + symbol.offset + relocation.addend
        return signed(address) if kind == _SIGNED_ADDRESS else unsigned(address)


def _named(name: str, kind: int, index: int) -> bytes:
    encoded = name.encode()
    return unsigned(len(encoded)) + encoded + bytes([kind]) + unsigned(index)


def _vector(kind: int, entries: Sequence[bytes]) -> bytes:
    content = unsigned(len(entries)) + b"".join(entries)
    return bytes([kind]) + unsigned(len(content)) + content


def linked_module(data: bytes, exports: Sequence[str]) -> bytes:
    """Return the module of an object; it exports these functions, the memory, and the address `heap` of free memory."""
    return _Linker(_read(data)).module(exports)
