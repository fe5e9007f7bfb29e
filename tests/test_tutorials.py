"""The tutorials followed literally, each in an empty directory: files written, lines typed, programs run, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cases import toolchains

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```", re.DOTALL)
#: the exercises are a notebook, whose cells share what they make: tests/test_docs.py runs them
TUTORIALS = sorted(page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "exercises")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page: Path, tmp_path: Path) -> None:
    work, programs = tmp_path / "work", tmp_path / "bin"
    work.mkdir()
    programs.mkdir()
    robosym = programs / "robosym"
    robosym.write_text(f'#!/bin/sh\nexec {sys.executable} -m robosym.app.cli.main "$@"\n')
    robosym.chmod(0o755)
    if "cc " in page.read_text(encoding="utf-8"):
        toolchains.tool("cc")
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    printed, compared = "", 0
    for kind, title, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "text":
            assert printed.split() == text.split(), f"{page.name}: it prints\n{printed}"
            compared += 1
            continue
        if title:
            (work / title).write_text(text, encoding="utf-8")
        if kind in ("python", "bash"):
            command = [sys.executable, title or "-c", *([] if title else [text])]
            command = ["sh", "-e", "-c", text] if kind == "bash" else command
            result = subprocess.run(
                command, capture_output=True, text=True, cwd=work, env=environment, timeout=120, check=False
            )
            assert result.returncode == 0, result.stderr
            printed = result.stdout
    assert compared >= 2
    for name in re.findall(r"-o (\S+)", page.read_text(encoding="utf-8")):
        assert (work / name).exists(), name
