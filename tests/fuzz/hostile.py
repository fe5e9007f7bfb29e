"""Large hostile files for every reader, each in a separate process, with measured time and memory.

python -m fuzz.hostile [--megabytes 7.9] [--reader NAME] [--file NAME]

Most readers reject files of more than 8 MB; the default is just below this limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np

SECONDS, MEGABYTES = 5.0, 500.0  #: limits of time and memory


def _repeated(piece: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    return lambda size: before + piece * ((size - len(before) - len(after)) // len(piece)) + after


def _nested(opened: bytes, closed: bytes, before: bytes = b"") -> Callable[[int], bytes]:
    def made(size: int) -> bytes:
        count = (size - len(before)) // (len(opened) + len(closed))
        return before + opened * count + closed * count

    return made


def _laughs(size: int) -> bytes:
    lines = ["<!DOCTYPE r [", '<!ENTITY a0 "ha">']
    lines += [f'<!ENTITY a{k} "{10 * f"&a{k - 1};"}">' for k in range(1, 12)]
    return ("\n".join(lines) + "]><robot name='x'>&a11;</robot>").encode() + b" " * (size - 1000)


def _aliases(size: int) -> bytes:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join(10 * [f'*a{k - 1}'])}]" for k in range(1, 10)]
    return ("\n".join([*lines, "velocity: *a9", ""])).encode() + b"# " * (size // 2 - 500)


def _bomb(size: int) -> bytes:
    stream = BytesIO()
    archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("q.npy", "w") as entry:
        for _ in range(210):
            entry.write(b"\0" * 1_000_000)
    return stream.getvalue()


def _arrays(size: int) -> bytes:
    """Return an archive of arrays of about 400 bytes each."""
    stream, one = BytesIO(), BytesIO()
    np.save(one, np.zeros(0))
    with zipfile.ZipFile(stream, "w") as archive:
        for k in range(size // 400):
            archive.writestr(f"q{k}.npy", one.getvalue())
    return stream.getvalue()


def _columns_of_zeros(size: int) -> bytes:
    """Return a table that decompresses to a thousand times its size; as text, to a million times."""
    import pyarrow
    from pyarrow import parquet

    names = ("t", "q1", "tau1")
    stream, part = BytesIO(), pyarrow.table({name: np.zeros(1_000_000) for name in names})
    with parquet.ParquetWriter(stream, part.schema, compression="zstd") as writer:
        for _ in range(size // 100_000):
            writer.write_table(part)
    return stream.getvalue()


def _texts(size: int) -> bytes:
    import pyarrow
    from pyarrow import parquet

    stream = BytesIO()
    parquet.write_table(pyarrow.table({"t": pyarrow.array(["x" * (size // 10)] * 1000)}), stream, compression="zstd")
    return stream.getvalue()


def _frames_of_frames(size: int) -> bytes:
    frames = b"".join(b'<frame name="f%d" attached_to="f%d"/>' % (k, k + 1) for k in range(size // 45))
    return b'<sdf version="1.9"><model name="m"><link name="a"/>' + frames + b"</model></sdf>"


def _frames(size: int) -> bytes:
    row = b"  - {theta: t%d, d: 0.1}\n"
    return b"name: a\nframes:\n" + b"".join(row % j for j in range(size // 26))


def _links(size: int) -> bytes:
    row = b'<link name="l%d"/><joint name="j%d" type="fixed"><parent link="l%d"/><child link="l%d"/></joint>'
    count = size // 110
    return (
        b'<robot name="r"><link name="l0"/>' + b"".join(row % (j, j, j - 1, j) for j in range(1, count)) + b"</robot>"
    )


def _bodies(size: int) -> bytes:
    return b"<mujoco><worldbody>" + b'<body><joint/><geom size="1"/></body>' * (size // 40) + b"</worldbody></mujoco>"


def _rows(size: int) -> bytes:
    rows = b", ".join(b'{"frame": {"theta": "t%d"}, "link": {}}' % j for j in range(1, size // 50))
    head = b'{"origin": "a", "saved": {}, "right": null, "unsaved": true, "draft": {"name": "a", "rows": ['
    return head + rows + b"]}}"


def _cell(size: int) -> bytes:
    half = size // 2
    message = b'["edit", {"table": "frames", "row": 0, "column": "d", "text": "%s"}]'
    return b"serial\n" + message % (b"(" * half) + b"\n" + message % (b"1+" * (half // 2))


def _statements(form: str) -> Callable[[int], bytes]:
    return lambda size: b"".join(form.encode() % (j, j - 1) for j in range(1, size // (len(form) + 6)))


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "nothing but blanks": _repeated(b" "),
    "lines": _repeated(b"\n"),
    "random bytes": lambda size: bytes(os.urandom(size)),
    "one letter": _repeated(b"a"),
    "one number": _repeated(b"9"),
    "brackets": _repeated(b"("),
    "lists": _nested(b"[", b"]"),
    "mappings": _nested(b"{a: ", b"}"),
    "indented keys": lambda size: b"".join(b" " * k + b"a:\n" for k in range(int((2 * size) ** 0.5))),
    "elements": _nested(b"<a>", b"</a>"),
    "attributes": lambda size: b"<robot " + b"".join(b'a%d="" ' % k for k in range(size // 12)) + b"/>",
    "entities": _laughs,
    "aliases": _aliases,
    "signs": _repeated(b"-", b"A = "),
    "powers": _repeated(b"2^", b"A = ", b"2"),
    "sum": _repeated(b"+x", b"A = x"),
    "quotes": _repeated(b'"'),
    "commas": _repeated(b","),
    "one column": _repeated(b"1\n", b"t\n"),
    "two columns": _repeated(b"1,2\n", b"t,q1\n"),
    "many columns": lambda size: b",".join(b"q%d" % k for k in range(size // 8)) + b"\n" + b"1," * (size // 16),
    "frames": _frames,
    "links": _links,
    "bodies": _bodies,
    "par": _repeated(b"t1,", b"(* Name of file : a.par *)\nNF = 100000\nTheta = {", b"}"),
    "assignments": _statements("W%d = W%d + 1\n"),
    "c assignments": _statements("    double W%d = W%d + 1.0;\n"),
    "comments": _repeated(b"(* "),
    "short comments": _repeated(b"(**)/**/"),
    "continued lines": _repeated(b"     & + x\n", b"      A = x\n"),
    "zip bomb": _bomb,
    "many arrays": _arrays,
    "parquet bomb": _columns_of_zeros,
    "parquet texts": _texts,
    "frames of frames": _frames_of_frames,
    "equalities": _repeated(
        b'<connect body1="a" body2="a"/>',
        b'<mujoco><worldbody><body name="a"><joint/><geom size="1"/></body></worldbody><equality>',
        b"</equality></mujoco>",
    ),
    "kept rows": _rows,
    "long cells": _cell,
    "list of lists": _repeated(b"[],", b"[", b"[]]"),
}


def measured(reader: Any, data: bytes) -> tuple[float, float, str]:
    """Read data in a separate process, and return CPU time in s, memory in MB, and the message."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.close(out)
        limit = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + 4 * 2**30
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        os.write(into, json.dumps(_taken(reader, data)).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as stream:
        reply = stream.read()
    _, status = os.waitpid(child, 0)
    if status or not reply:
        return float("inf"), float("inf"), f"WRONG ended with {status}"
    seconds, size, message = json.loads(reply)
    return seconds, size, message


def _taken(reader: Any, data: bytes) -> tuple[float, float, str]:
    from robosym.errors import Error

    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        reader.call(data)
        message = "read"
    except Error as error:
        message = str(error)[:80]
    except BaseException as error:  # the failures to find
        message = f"WRONG {error!r}"[:80]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return time.process_time() - start, (after - before) / 1024, message


def main() -> int:
    from fuzz.readers import READERS
    from robosym.errors import Error

    options = argparse.ArgumentParser(description="Large hostile files for every reader.")
    options.add_argument("--megabytes", type=float, default=7.9)
    options.add_argument("--reader", action="append")
    options.add_argument("--file", action="append")
    options.add_argument("--all", action="store_true", help="print all results, not only those above the limits")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    names = chosen.reader or list(READERS)
    for name in names:  # imports and caches of the first call are excluded from the measurement
        with suppress(Error):
            READERS[name].call(READERS[name].good[0])
    worst = {name: [(0.0, ""), (0.0, "")] for name in names}
    wrong = 0
    for file in chosen.file or HOSTILE:
        data = HOSTILE[file](int(chosen.megabytes * 1e6))
        for name in names:
            seconds, size, message = measured(READERS[name], data)
            bad = seconds > SECONDS or size > MEGABYTES or message.startswith("WRONG")
            wrong += bad
            worst[name] = [max(worst[name][0], (seconds, file)), max(worst[name][1], (size, file))]
            if bad or chosen.all:
                print(f"{'OVER ' if bad else ''}{name}, {file}: {seconds:.2f} s, {size:.0f} MB, {message}", flush=True)
    print(f"reader            s (bar {SECONDS:.0f})  worst file            MB (bar {MEGABYTES:.0f})  worst file")
    for name, ((seconds, slow), (size, large)) in worst.items():
        print(f"{name:<16}  {seconds:9.2f}  {slow:<20}  {size:12.0f}  {large}")
    print(f"{len(names)} readers, {chosen.megabytes:g} MB a file: {wrong} over the bars")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
