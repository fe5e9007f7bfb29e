"""The packages: the same bytes from the same files, whole, of use without a compiler; and versions that are pinned."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import package  # noqa: E402

PYTHONS = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    return package.built(tmp_path_factory.mktemp("packages"), kinds=("wheel",))[0]


@pytest.mark.long
def test_the_same_bytes_again(tmp_path: Path, wheel: Path) -> None:
    """Built twice, from two places; `package.twice` says so where they differ. The sdist gives the same wheel."""
    made = {path.suffix: path for path in package.twice(tmp_path / "dist")}
    with tarfile.open(made[".gz"]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    source = next(path for path in tmp_path.iterdir() if path.name.startswith("robosym-"))
    (tmp_path / "again").mkdir()
    again = package.built(tmp_path / "again", source, kinds=("wheel",))[0]
    assert made[".whl"].read_bytes() == wheel.read_bytes() == again.read_bytes()


def test_the_wheel_is_whole(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if name.startswith("robosym/")}
    here = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    kept = {name for name in here if "__pycache__" not in name}
    assert inside == kept and "robosym/py.typed" in kept


def test_the_wheel_needs_no_compiler(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own, its dependencies lent to it, and nothing on the PATH."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run([*install, wheel], check=True)
    site = next(tmp_path.glob("lib/*/site-packages"))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    bare = {"PATH": "", "HOME": str(tmp_path), "ROBOSYM_CACHE": "off"}
    done = subprocess.run(
        [python, ROOT / "tools" / "try_installed.py"],
        env=bare,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"NumPy {np.__version__}" in done.stdout


@pytest.mark.parametrize("python", PYTHONS)
def test_every_dependency_is_pinned(python: str) -> None:
    """For each Python one version, within what pyproject.toml allows; and no address of where it comes from."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [Requirement(line) for line in text.splitlines() if not line.startswith("#")]
    here = {"python_version": python, "python_full_version": f"{python}.9"}
    pinned = {canonicalize_name(r.name): r for r in lines if r.marker is None or r.marker.evaluate(here)}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    asked = re.findall(r'"([A-Za-z][\w.-]*(?:\[\w+\])?(?:[<>=~!]=?[\d.]+)?(?:; [^"]*)?)"', project.split("[tool.")[0])
    wanted = [Requirement(item) for item in asked if re.search("[<>=]", item)]
    assert len(wanted) > 20
    for requirement in wanted:
        if requirement.marker is None or requirement.marker.evaluate(here):
            found = pinned.get(canonicalize_name(requirement.name))
            assert found is not None, f"{requirement.name}: make constraints"
            version = str(found.specifier).removeprefix("==")
            assert requirement.specifier.contains(version), f"{requirement}: {version} is pinned"
    assert "://" not in text and os.linesep == "\n"
