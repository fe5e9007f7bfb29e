"""Output shown in the documentation: each Python block followed by a text block is run."""

from __future__ import annotations

import importlib
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
def test_output_of_page(
    code: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<page>", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.split() == printed.split()


def generated() -> dict[str, str]:
    """Return the pages that exist only in the built site."""
    sys.path.insert(0, str(ROOT / "tools"))
    import reference

    return reference.pages()


def test_links_have_targets() -> None:
    pages = generated()
    import reference

    made = {(ROOT / "docs" / path).resolve() for path in (*pages, *reference.assets())}
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                place = (page.parent / target).resolve()
                assert place.exists() or place in made, f"{page.name}: {target}"


def test_every_page_names_a_next_step() -> None:
    texts = {str(page): page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")}
    for name, text in {**texts, **generated()}.items():
        last = re.split(r"^## ", text, flags=re.MULTILINE)[-1]
        assert last.startswith("Next\n") and "](" in last, f"{name}: expected a last section 'Next' with a link"


def test_site_lists_existing_pages() -> None:
    """Each page is listed once; `make docs` also reports pages that are not listed."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"(?:: |- )([\w/]+\.md)$", text, re.MULTILINE)
    there = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")} | set(generated())
    assert len(listed) == len(set(listed)) and set(listed) == there


def test_reference_has_public_names() -> None:
    paths = re.findall(r"^::: (robosym\.[\w.]+\.\w+)$", "\n".join(generated().values()), re.MULTILINE)
    import reference

    for path in paths:  # a module of the same name would be described in place of its function
        module, _, name = path.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), path
    named = [path.rpartition(".")[2] for path in paths]
    assert len(named) == len(set(named)) and {*named, *reference.ALONE} == set(robosym.__all__)


def test_reference_has_commands_and_options() -> None:
    from robosym.app.menus import COMMANDS

    text = generated()["reference/commands.md"]
    for command in COMMANDS.values():
        part = text.split(f"\n### {command.word}\n")[1].split("\n### ")[0]
        missing = [option.word for option in command.options if f"`{option.word}`" not in part]
        assert not missing, f"{command.word}: {missing}"


def test_site_checker_detects_errors(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import check_site

    (tmp_path / "a.html").write_text(
        '<a href="b.html">b</a><a href="#x">x</a><script src="https://host/x.js"></script>'
    )
    assert len(check_site.wrong(tmp_path)[0]) == 3
    (tmp_path / "a.html").write_text('<a href="a.html#x" id="x">x</a><a href="https://host">there</a>')
    assert check_site.wrong(tmp_path) == ([], 2)


def test_exercises_match_notebook() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import exercises

    texts = exercises.printed()
    assert json.loads(exercises.NOTEBOOK.read_text(encoding="utf-8")) == exercises.notebook(texts)
    assert exercises.PAGE.read_text(encoding="utf-8") == exercises.page(texts)
