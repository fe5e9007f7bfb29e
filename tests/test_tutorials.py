"""Tutorials and how-to guides followed literally, each in an empty directory: files, commands and programs in order."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cases import toolchains

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)```", re.DOTALL)
#: the exercises are a notebook, which tests/test_docs.py runs
PAGES = sorted(
    page
    for folder in ("tutorials", "how_to")
    for page in (ROOT / "docs" / folder).glob("*.md")
    if page.stem not in ("exercises", "index")
)
#: additional imports of pages
PACKAGES = ("jax", "casadi", "pinocchio", "fmpy", "torch")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_guide_prints_the_shown_output(page: Path, tmp_path: Path) -> None:
    whole = page.read_text(encoding="utf-8")
    work, programs = tmp_path / "work", tmp_path / "bin"
    work.mkdir()
    programs.mkdir()
    pip = "-m pip --quiet install --target . --no-build-isolation --no-deps"  # into the directory of the guide
    for name, command in (("robosym", '-m robosym.app.cli.main "$@"'), ("pip", f'{pip} "$2"')):
        (programs / name).write_text(f"#!/bin/sh\nexec {sys.executable} {command}\n")
        (programs / name).chmod(0o755)
    if "\npip install ./" in whole:
        pytest.importorskip("setuptools")
    if "\ncc " in whole or "\npip install ./" in whole:
        toolchains.tool("cc")
    if "\nnode " in whole:
        toolchains.tool("node")
    if "x86_64-linux" in whole and (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("the guide builds for Linux on x86-64")
    for package in PACKAGES:
        if f"import {package}" in whole:
            pytest.importorskip(package)
    for name in re.findall(r"\]\(data/([\w.]+)\)", whole):  # files to download
        shutil.copy(page.parent / "data" / name, work / name)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    printed, compared = "", 0
    for kind, title, text in BLOCK.findall(whole):
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
    assert compared >= (2 if page.parent.name == "tutorials" else 1)
    for name in re.findall(r"^(?:robosym|cc) .*-o (\S+)", whole, re.MULTILINE):
        assert (work / name).exists(), name
    for name in re.findall(r"!\[[^]]*\]\(\.\./pictures/([\w.]+)\)", whole):  # the guide draws the picture that it shows
        assert (work / name).read_text(encoding="utf-8") == (ROOT / "docs" / "pictures" / name).read_text("utf-8"), name
