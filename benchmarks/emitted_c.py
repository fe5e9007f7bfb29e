"""Measure the time of an emitted C function, compiled by the C compiler of this machine and called for many inputs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["compiler", "timed"]

MAIN = """
#include <stdio.h>
#include <time.h>
static double input[{count}][{width}];
int main(int n, char **arguments) {{
    FILE *file = fopen(arguments[n - 1], "rb");
    {declarations}
    double best = 1e9, total = 0;
    if (!file || fread(input, 8, {size}, file) != {size}) return 1;
    for (int turn = 0; turn < 7; ++turn) {{
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int i = 0; i < {count}; ++i) {{ {call} }}
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        double t = ((double)(b.tv_sec - a.tv_sec)*1e9 + (double)(b.tv_nsec - a.tv_nsec))/{count};
        if (t < best) best = t;
    }}
    printf("%g %.17g", best/1000, total/(7*{count}));
    return 0;
}}
"""


def compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("cc")


def timed(source: str, inputs: NDArray[np.float64], declarations: str, call: str) -> tuple[float, float]:
    """Return the time per call in us (minimum over the turns) and the mean of `total`; `input[i]` is a row."""
    cc = compiler()
    assert cc is not None
    rows = np.ascontiguousarray(inputs.reshape(len(inputs), -1))
    count, width = rows.shape
    main = MAIN.format(count=count, width=width, size=count * width, declarations=declarations, call=call)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "main.c").write_text("#define _POSIX_C_SOURCE 199309L\n" + source + main)
        rows.tofile(here / "inputs")
        program = str(here / "main")
        subprocess.run([cc, "-O2", "-std=c99", "-o", program, str(here / "main.c"), "-lm"], check=True)
        out = subprocess.run([program, str(here / "inputs")], capture_output=True, text=True, check=True).stdout
    best, mean = out.split()
    return float(best), float(mean)
