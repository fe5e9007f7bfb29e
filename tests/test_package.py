"""Packages are reproducible, complete and usable without a compiler; dependencies are pinned, versions agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import zipfile
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import robosym as rs

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import install  # noqa: E402
import package  # noqa: E402
import release  # noqa: E402

PYTHONS = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    return package.built(tmp_path_factory.mktemp("packages"), kinds=("wheel",))[0]


@pytest.mark.long
def test_build_is_reproducible(tmp_path: Path, wheel: Path) -> None:
    """Built twice, from two places (`package.twice` reports differences); the sdist gives the same wheel."""
    made = {path.suffix: path for path in package.twice(tmp_path / "dist")}
    with tarfile.open(made[".gz"]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    source = next(path for path in tmp_path.iterdir() if path.name.startswith("robosym-"))
    (tmp_path / "again").mkdir()
    again = package.built(tmp_path / "again", source, kinds=("wheel",))[0]
    assert made[".whl"].read_bytes() == wheel.read_bytes() == again.read_bytes()


def test_wheel_is_complete(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if name.startswith("robosym/")}
    here = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    kept = {name for name in here if "__pycache__" not in name}
    assert inside == kept and "robosym/py.typed" in kept


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel, which uses the installed dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--quiet"]
    subprocess.run([*install, wheel], check=True)
    site = next(folder.glob("lib/*/site-packages"))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_wheel_serves_page_assets(installed: Path, tmp_path: Path) -> None:
    """In an empty folder without a network: page, style, fonts and mathematics."""
    pytest.importorskip("nicegui")
    bare = {"PATH": "", "HOME": str(tmp_path), "ROBOSYM_CACHE": "off", "ROBOSYM_STATE": str(tmp_path / "state")}
    line = [installed, "-m", "robosym", "app", "--port", "0", "--no-browser"]
    running = subprocess.Popen(line, env=bare, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        address = next(found[0] for found in (re.search(r"http://\S+", output) for output in running.stdout) if found)
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


def test_wheel_needs_no_compiler(installed: Path, tmp_path: Path) -> None:
    """With an empty PATH."""
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
def test_dependencies_are_pinned(python: str) -> None:
    """One version per Python, within pyproject.toml, without addresses of package indexes."""
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


def test_uv_uses_the_indexes_of_pip() -> None:
    """As `pip config list` prints them; the environment overrides files."""
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


def test_pip_is_fallback_of_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, int(Path(command[0]).name == "uv"), stdout="")

    monkeypatch.setattr(subprocess, "run", run)
    assert install.main(["--editable", "."]) == 0
    assert Path(commands[-2][0]).name == "uv" and commands[-1][1:3] == ["-m", "pip"]
    assert all(command[-2:] == ["--editable", "."] and "--constraint" in command for command in commands[-2:])


def test_versions_agree() -> None:
    assert set(release.versions().values()) == {rs.__version__}


def test_release_sets_version_and_date(tmp_path: Path) -> None:
    for name in (*release.PLACES, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 7.8.0 - unreleased\n\n### Added\n- One.\n", encoding="utf-8"
    )
    release.release("7.8.9", "2030-01-02", tmp_path)
    assert set(release.versions(tmp_path).values()) == {"7.8.9"}
    assert "## 7.8.9 - 2030-01-02\n" in (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (tmp_path / "CITATION.cff").read_text(encoding="utf-8").count('date-released: "2030-01-02"') == 1
    for _ in range(2):  # the second address replaces the first one
        release.link("https://example.org/them/robosym", tmp_path)
    urls = (tmp_path / "pyproject.toml").read_text(encoding="utf-8").split("[project.urls]\n")[1].split("\n\n")[0]
    assert [line.split(" = ")[0] for line in urls.splitlines()] == ["Source", "Issues", "Changelog", "Homepage"]
    assert 'Issues = "https://example.org/them/robosym/issues"' in urls
    assert (tmp_path / "CITATION.cff").read_text(encoding="utf-8").count("https://example.org/them/robosym") == 1
    with pytest.raises(SystemExit, match="expected an address"):
        release.link("example.org", tmp_path)
    with pytest.raises(SystemExit, match="unreleased"):  # no changes to release
        release.release("7.9.0", "2030-01-03", tmp_path)
    with pytest.raises(SystemExit, match="expected a version"):
        release.release("next", "2030-01-03", tmp_path)


def test_recipe_has_dependencies() -> None:
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    listed = {
        Requirement(text).name: Requirement(text) for text in recipe["requirements"]["run"] if "python" not in text
    }
    needed = [Requirement(text) for text in requires("robosym") or () if "extra ==" not in text]
    assert {name: str(found.specifier) for name, found in listed.items()} == {
        found.name: str(found.specifier) for found in needed
    }


def test_changelog_has_section_of_version() -> None:
    assert re.search(rf"^## {re.escape(rs.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
