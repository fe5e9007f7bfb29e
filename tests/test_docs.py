"""What the pages print is what their examples print: each python block that is followed by a text block is run."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import robosym

ROOT = Path(__file__).parent.parent
PAIR = re.compile(r"```python\n((?:(?!```).)*)```\s*```(?:text)?\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(code, printed, id=f"{page.stem}-{number}")
    for page in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
    for number, (code, printed) in enumerate(PAIR.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_the_page_is_true(
    code: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<page>", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.split() == printed.split()


def test_links_lead_somewhere() -> None:
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_site_lists_pages_that_are_there() -> None:
    """Each once; `make docs` also tells of a page that is not listed."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r": ([\w/]+\.md)$", text, re.MULTILINE)
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert len(listed) == len(set(listed)) and set(listed) <= there


def test_the_reference_has_every_public_name() -> None:
    """As it is made for the site: `make docs` writes it anew."""
    sys.path.insert(0, str(ROOT / "tools"))
    import reference

    named = set(re.findall(r"^::: robosym\.[\w.]+\.(\w+)$", reference.page(), re.MULTILINE))
    assert named | reference.ALONE == set(robosym.__all__)


def test_the_checker_of_the_site_sees_what_is_wrong(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import check_site

    (tmp_path / "a.html").write_text(
        '<a href="b.html">b</a><a href="#x">x</a><script src="https://host/x.js"></script>'
    )
    assert len(check_site.wrong(tmp_path)[0]) == 3
    (tmp_path / "a.html").write_text('<a href="a.html#x" id="x">x</a><a href="https://host">there</a>')
    assert check_site.wrong(tmp_path) == ([], 2)


def test_the_exercises_print_what_the_notebook_shows() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import exercises

    texts = exercises.printed()
    assert json.loads(exercises.NOTEBOOK.read_text(encoding="utf-8")) == exercises.notebook(texts)
    assert exercises.PAGE.read_text(encoding="utf-8") == exercises.page(texts)
