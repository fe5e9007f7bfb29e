"""Thousands of damaged texts give a robot or one of our errors, quickly."""

import random
import re
import time

import pytest

from long_cases import quick_and_long
from random_robots import random_robot
from robosym.errors import Error
from robosym.files import decode
from robosym.formats import dumps, load, loads

NUMBER = re.compile(rb"\d+")
SPICE = [b"{", b"}", b"(", b")", b"(*", b"*)", b",", b"=", b"^", b"**", b"\n", b"\t", b"'", b'"', b":", b"- ", b"[",
         b"]", b"&a ", b"*a", b"!!x ", b"#", b"%", b"|", b">", b"\xff", b"\x00", b"\xe9", b"\xc3\xa9", b"1e999", b"Pi",
         b"t1", b"atan2(", b"99999999999999999999", b"-", b"0", b"~", b"? ", b"---\n", b"...\n", b"\r"]  # fmt: skip


def mutated(rng: random.Random, data: bytes) -> bytes:
    """Return the data with one to four changes."""
    for _ in range(rng.randrange(1, 5)):
        start = rng.randrange(len(data) + 1)
        length = min(rng.choice((1, 1, 2, 10, 100, 1000)), len(data) - start)
        chunk = data[start : start + length]
        match rng.randrange(7):
            case 0:
                chunk = bytes(byte ^ (1 << rng.randrange(8)) for byte in chunk[:3]) + chunk[3:]
            case 1:
                chunk = b""
            case 2:
                chunk = chunk * rng.randrange(2, 4)
            case 3:
                chunk = rng.choice(SPICE) + chunk
            case 4:
                chunk = NUMBER.sub(lambda _: str(rng.choice((-1, 0, 1, 2, 3, 7, 10**9))).encode(), chunk)
            case 5:
                other = rng.randrange(len(data) + 1)
                chunk = data[other : other + length]
            case 6:
                chunk = chunk[::-1]
        data = data[:start] + chunk + data[start + length :]
    return data


def samples() -> list[tuple[str, bytes]]:
    rng = random.Random(0)
    robots = [load("sr400"), load("ur5e"), load("planar_mobile")]
    robots.append(random_robot(rng, links=4, loops=1, expressions=True, symbolic=True, elastic=True))
    robots.append(random_robot(rng, links=3, floating=True))
    return [(form, dumps(robot, form).encode()) for robot in robots for form in ("par", "opensymoro", "yaml")]


@pytest.mark.parametrize("seed", quick_and_long(range(8), long=range(3, 8)))
def test_damaged_texts(seed: int) -> None:
    rng = random.Random(seed)
    texts = samples()
    slowest, read = 0.0, 0
    for _ in range(350):
        form, data = rng.choice(texts)
        damaged = mutated(rng, data)
        start = time.process_time()
        try:
            robot = loads(decode(damaged), form)
            read += 1
            assert loads(dumps(robot, form), form) == robot
        except Error as error:
            assert str(error)
        slowest = max(slowest, time.process_time() - start)
    assert read  # some changes are harmless
    assert slowest < 2
