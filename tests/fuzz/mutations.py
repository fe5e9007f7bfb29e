"""Mutations of inputs: flipped, removed, repeated and moved bytes, words of the grammars, pieces of other files."""

from __future__ import annotations

import random
import re

_NUMBER = re.compile(rb"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LINE = re.compile(rb"[^\n]*\n")
_TAG = re.compile(rb"<[^<>]*>")
NUMBERS = [
    b"0", b"-1", b"1", b"7", b"1e999", b"-1e999", b"1e-999", b"nan", b"inf", b"-inf", b"1e22", b"1000000000",
    b"99999999999999999999999999", b"0x10", b"1_000", b"1.5.2", b".", b"-", b"1e", b"\xd9\xa1", b"Pi", b"2*Pi/0",
    b"0/0", b"1e308", b"2147483648", b"-0.0", b"3" * 400,
]  # fmt: skip
SPICE = [
    b"{", b"}", b"(", b")", b"(*", b"*)", b"/*", b"*/", b",", b"=", b":=", b"==", b"^", b"**", b"*", b"/", b"\n", b"\t",
    b"'", b'"', b":", b"- ", b"[", b"]", b"[[", b"]]", b"&a ", b"*a", b"!!x ", b"!!python/object:os.system ", b"#",
    b"%", b"|", b">", b"<", b"&lt;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<![CDATA[", b"<!--", b"-->", b"<?",
    b"?>",
    b"</", b"/>", b"\xff", b"\x00", b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1f", b"\x7f", b"Pi",
    b"t1", b"atan2(", b"sin(", b"sqrt(-1)", b"~", b"? ", b"---\n", b"...\n", b"\r", b"\r\n", b";", b"%{", b"NaN",
    b"../",
    b"/etc/passwd", b"file:///", b"null", b"true", b"__class__", b"2020-13-45", b"<<: ", b"0.1.2",
]  # fmt: skip


def mutated(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """Return the data with one to five changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        start = rng.randrange(len(data) + 1)
        length = min(rng.choice((1, 1, 2, 5, 20, 100, 1000)), len(data) - start)
        chunk = data[start : start + length]
        kind = rng.randrange(14)
        if kind == 0:
            chunk = bytes(byte ^ (1 << rng.randrange(8)) for byte in chunk[:3]) + chunk[3:]
        elif kind == 1:
            chunk = b""
        elif kind == 2:
            chunk = chunk * rng.choice((2, 2, 3, 30))
        elif kind in (3, 4):
            chunk = rng.choice(SPICE) * rng.choice((1, 1, 1, 2, 50)) + chunk
        elif kind in (5, 6):
            data = _one(rng, _NUMBER, data, rng.choice(NUMBERS))
            continue
        elif kind in (7, 8):  # replace a name by another one
            words = _WORD.findall(rng.choice([data, *others[:1]])) or [b"x"]
            data = _one(rng, _WORD, data, rng.choice(words))
            continue
        elif kind == 9:  # remove, repeat or move a line or an element
            data = _moved(rng, _LINE if rng.random() < 0.6 else _TAG, data)
            continue
        elif kind == 10:
            other = rng.choice(others) if others else data
            at = rng.randrange(len(other) + 1)
            chunk = other[at : at + rng.choice((5, 50, 500))]
        elif kind == 11:
            chunk = chunk[::-1]
        elif kind == 12:
            data = data[:start]
            continue
        else:
            chunk = bytes(rng.randrange(256) for _ in range(rng.choice((1, 3, 10))))
        data = data[:start] + chunk + data[start + length :]
    return data[:20_000]


def _one(rng: random.Random, pattern: re.Pattern[bytes], data: bytes, new: bytes) -> bytes:
    places = [found.span() for found in pattern.finditer(data[:5000])]
    if not places:
        return data
    start, stop = rng.choice(places)
    return data[:start] + new + data[stop:]


def _moved(rng: random.Random, pattern: re.Pattern[bytes], data: bytes) -> bytes:
    places = [found.span() for found in pattern.finditer(data)]
    if not places:
        return data
    start, stop = rng.choice(places)
    piece, rest = data[start:stop], data[:start] + data[stop:]
    if rng.random() < 0.4:
        return rest
    to = rng.choice(places)[0]
    return (
        rest[:to] + piece * rng.choice((1, 1, 2)) + rest[to:] if rng.random() < 0.7 else data[:to] + piece + data[to:]
    )
