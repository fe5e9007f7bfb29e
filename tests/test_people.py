"""Files and functions named in the documents for contributors exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from test_packages import ORDER, SOURCE

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w.-]+(?:\.(?:py|md|yaml|c)|/))(?::([\w.]+))?`")
#: files that the reader creates
TO_BE_WRITTEN = "src/robosym/languages/javascript.py"


def named(page: Path) -> list[tuple[str, str]]:
    return [(path, name) for path, name in NAMED.findall(page.read_text(encoding="utf-8")) if path != TO_BE_WRITTEN]


def place(path: str) -> Path:
    """Return the path relative to the repository or the source."""
    return ROOT / path if (ROOT / path).exists() else SOURCE / path


def defined(path: Path) -> set[str]:
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
            if isinstance(node, ast.ClassDef):
                names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_files_and_functions_exist(page: Path) -> None:
    wrong = [
        f"{path}:{name}" if name else path
        for path, name in named(page)
        if not place(path).exists() or (name and name not in defined(place(path)))
    ]
    assert not wrong, "\n".join(wrong)


def test_pages_name_files() -> None:
    assert len(named(PAGES[0])) > 50 and len(named(PAGES[1])) > 10


def test_links_have_targets() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_map_lists_packages_in_order() -> None:
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("| --- |")[1].split("\n\n")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    packages = [name for cell in first_cells for name in re.findall(r"`(\w+)(?:/|\.py)`", cell)]
    assert packages == list(ORDER)
