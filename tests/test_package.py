"""The packages: the same bytes from the same files, whole, of use without a compiler; and versions that are pinned."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import install  # noqa: E402
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


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment of its own that has the wheel; its dependencies are lent to it."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run([*install, wheel], check=True)
    site = next(folder.glob("lib/*/site-packages"))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_page_of_the_wheel_serves_what_it_names(installed: Path, tmp_path: Path) -> None:
    """In an empty folder, with no network asked for: the page, its style, its fonts, its mathematics."""
    pytest.importorskip("nicegui")
    bare = {"PATH": "", "HOME": str(tmp_path), "ROBOSYM_CACHE": "off", "ROBOSYM_STATE": str(tmp_path / "state")}
    line = [installed, "-m", "robosym", "app", "--port", "0", "--no-browser"]
    running = subprocess.Popen(line, env=bare, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        address = next(found[0] for found in (re.search(r"http://\S+", said) for said in running.stdout) if found)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        page = opener.open(address, timeout=30).read().decode()
        host = address.partition("/?")[0]
        named = {name for name in re.findall(r'(?:src|href)="(/[^"]+)"', page) if "socket.io/?" not in name}
        named |= {"/assets/fonts/inter-regular.woff2", "/assets/katex/fonts/KaTeX_Main-Regular.woff2"}
        assert {"/assets/style.css", "/assets/katex/katex.min.js"} <= named
        for name in sorted(named):
            assert opener.open(f"{host}{name}", timeout=30).status == 200, name
        assert not [url for url in re.findall(r'(?:src|href)="(https?://[^"]+)"', page) if not url.startswith(host)]
    finally:
        running.terminate()
        running.wait(30)
        if running.stdout is not None:
            running.stdout.close()


def test_the_wheel_needs_no_compiler(installed: Path, tmp_path: Path) -> None:
    """Nothing on the PATH."""
    bare = {"PATH": "", "HOME": str(tmp_path), "ROBOSYM_CACHE": "off"}
    done = subprocess.run(
        [installed, ROOT / "tools" / "try_installed.py"],
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


def test_indexes_that_pip_is_told_of_are_told_to_uv() -> None:
    """As `pip config list` prints them; what stands in the environment counts more than what stands in a file."""
    listed = [
        "global.extra-index-url='https://one/simple\\nfile:///two/simple'",
        "global.index-url='https://far/simple'",
        "install.find-links='/a /b'",
        "freeze.timeout='10'",
        ":env:.index-url='https://near/simple'",
    ]
    assert install.settings("\n".join(listed)) == {
        "UV_INDEX": "https://one/simple file:///two/simple",
        "UV_DEFAULT_INDEX": "https://near/simple",
        "UV_FIND_LINKS": "/a,/b",
    }


def test_pip_installs_what_uv_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, int(Path(command[0]).name == "uv"), stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    assert install.main(["--editable", "."]) == 0
    assert Path(commands[-2][0]).name == "uv" and commands[-1][1:3] == ["-m", "pip"]
    assert all(command[-2:] == ["--editable", "."] and "--constraint" in command for command in commands[-2:])
