"""Measure the time to print the inverse dynamic model of an 80-link chain in every language, and to compile it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from table import note

import robosym as rs
from robosym.languages import LANGUAGES
from robosym.model import Model


def processor() -> float:
    """Return the processor time of this process and its child processes, in s."""
    return sum(os.times()[:4])


BAR = 1.0  # s, for any language


def chain(links: int) -> Model:
    frames = "".join(f"  - {{alpha: al{j}, d: D{j}, theta: t{j}, r: R{j}}}\n" for j in range(1, links + 1))
    robot = rs.loads(f"name: chain\nframes:\n{frames}links: symbolic\ngravity: [0, 0, G3]\n", format="yaml")
    return rs.inverse_dynamics(robot)


def main() -> None:
    start = processor()
    model = chain(80)
    print(f"generated in {processor() - start:.2f} s: {model.operations}\n")
    print(f"{'language':12} {'seconds':>8} {'bar':>5} {'lines':>7} {'of 40 links':>12}")
    half = chain(40)
    most = 0.0
    for language in LANGUAGES:
        start = processor()
        text = model.code(language)
        taken = processor() - start
        start = processor()
        half.code(language)
        smaller = processor() - start
        most = max(most, taken)
        verdict = "" if taken <= BAR else "  SHORT"
        print(f"{language:12} {taken:8.3f} {BAR:5.1f} {text.count(chr(10)):7} {smaller:12.3f}{verdict}")
    note("80 links in any language, s", most, "printed")
    gcc = shutil.which("gcc")
    if gcc is None:
        print("\ngcc is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        model.write(Path(folder) / "chain.c")
        for level in ("-O0", "-O2"):
            start = processor()
            subprocess.run([gcc, "-std=c99", level, "-c", "chain.c", "-o", "chain.o"], cwd=folder, check=True)
            note(f"80 links, gcc {level}, s", taken := processor() - start, f"gcc {level}")
            print(f"\ngcc {level}: {taken:.1f} s", end="")
    print()


if __name__ == "__main__":
    main()
