"""Time to print the inverse dynamic model of an 80-link chain in every language, and what a compiler makes of it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import robosym as rs
from robosym.languages import LANGUAGES
from robosym.model import Model

BAR = 1.0  # seconds for any language


def chain(links: int) -> Model:
    frames = "".join(f"  - {{alpha: al{j}, d: D{j}, theta: t{j}, r: R{j}}}\n" for j in range(1, links + 1))
    robot = rs.loads(f"name: chain\nframes:\n{frames}links: symbolic\ngravity: [0, 0, G3]\n", format="yaml")
    return rs.inverse_dynamics(robot)


def main() -> None:
    start = time.perf_counter()
    model = chain(80)
    print(f"generated in {time.perf_counter() - start:.2f} s: {model.operations}\n")
    print(f"{'language':12} {'seconds':>8} {'bar':>5} {'lines':>7} {'of 40 links':>12}")
    half = chain(40)
    for language in LANGUAGES:
        start = time.perf_counter()
        text = model.code(language)
        taken = time.perf_counter() - start
        start = time.perf_counter()
        half.code(language)
        smaller = time.perf_counter() - start
        verdict = "" if taken <= BAR else "  SHORT"
        print(f"{language:12} {taken:8.3f} {BAR:5.1f} {text.count(chr(10)):7} {smaller:12.3f}{verdict}")
    gcc = shutil.which("gcc")
    if gcc is None:
        print("\ngcc is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        model.write(Path(folder) / "chain.c")
        for level in ("-O0", "-O2"):
            start = time.perf_counter()
            subprocess.run([gcc, "-std=c99", level, "-c", "chain.c", "-o", "chain.o"], cwd=folder, check=True)
            print(f"\ngcc {level}: {time.perf_counter() - start:.1f} s", end="")
    print()


if __name__ == "__main__":
    main()
