"""Everything that the page loads is a file of the package: no view asks for what the wheel has not, or for a host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from robosym.app.page.application import _HEAD
from robosym.app.page.finder import catalogue
from robosym.app.page.widgets import ASSETS

SHEETS = sorted(ASSETS.rglob("*.css"))
SCRIPTS = sorted(ASSETS.glob("*.js"))


def test_head_refers_to_existing_files() -> None:
    named = re.findall(r'(?:href|src)="/assets/([^"]+)"', _HEAD)
    assert len(named) == _HEAD.count("/assets/") >= 8
    assert all((ASSETS / name).is_file() for name in named)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_style_sheets_refer_to_existing_files(sheet: Path) -> None:
    for name in re.findall(r"url\(['\"]?([^)'\"]+)", sheet.read_text(encoding="utf-8")):
        assert name.startswith("data:") or (sheet.parent / name).is_file(), f"{sheet.name}: {name}"


def test_components_of_views_exist() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in ASSETS.parent.glob("*.py"))
    components = set(re.findall(r'component="(assets/[^"]+)"', source))
    assert len(components) > 8
    assert all((ASSETS.parent / name).is_file() for name in components)
    assert {name.removeprefix("assets/") for name in components} <= {path.name for path in SCRIPTS}


def test_every_robot_of_the_library_has_its_picture() -> None:
    assert all((ASSETS / "library" / f"{name}.svg").is_file() for name in catalogue())


@pytest.mark.parametrize("path", [*SCRIPTS, *SHEETS], ids=lambda path: path.name)
def test_no_file_refers_to_another_host(path: Path) -> None:
    found = re.findall(r"(?:https?:)?//[\w-]+\.[\w.]+", path.read_text(encoding="utf-8"))
    assert [url for url in found if "www.w3.org" not in url] == []
