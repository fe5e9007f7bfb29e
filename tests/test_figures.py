"""Figures in the text come from `benchmarks/figures.json`, which `make bench` writes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import figures  # noqa: E402

PAGES = figures.pages()
#: settings, limits and definitions that resemble measurements
NOT_MEASURED = {
    "identify_from_log.md": ("2,240 samples, 9 s",),
    "identification.md": ("(0.05 is 5 %", "smoothed at 1.5 times", "differences over 0.2 s"),
    "trust.md": (
        "1e-13 times the condition",
        "at most 5 s",
        "and 500 MB",
        "read up to 8 MB",
        "files of limits | 1 MB",
        "logs up to 200 MB",
    ),
    "workbench.md": ("fades out within 5 %",),
    "yaml.md": ("files over 8 MB",),
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_text_has_measured_figures(page: Path) -> None:
    wrong: list[str] = []
    figures.filled(page.read_text(encoding="utf-8"), figures.figures(), wrong)
    assert not wrong, "\n".join([*wrong, "`make figures` writes them anew"])
    assert figures.measured(page.read_text(encoding="utf-8")) == page.read_text(encoding="utf-8"), "`make figures`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_figures_are_marked(page: Path) -> None:
    left = [
        sentence
        for sentence in figures.typed_by_hand(page.read_text(encoding="utf-8"))
        if not any(words in sentence for words in NOT_MEASURED.get(page.name, ()))
    ]
    assert not left, "\n".join([*left, "name where it was measured: see tools/figures.py"])


def test_figures_have_date_and_machine() -> None:
    for script, entry in json.loads(figures.KEPT.read_text(encoding="utf-8")).items():
        assert (ROOT / "benchmarks" / f"{script}.py").exists()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"]) and entry["commit"] and "Python" in entry["machine"]
        keys = [figure["key"] for figure in entry["figures"]]
        assert keys and all({"what", "value", "unit"} <= figure.keys() for figure in entry["figures"])


def test_check_detects_errors() -> None:
    known = {("a", "b c"): 1234.5, ("a", "d"): 0.123, ("a", "e"): 5.4e-16}
    wrong: list[str] = []
    text = "1,200<!--= a: b c --> us, 0.12<!--=a: d--> ms, 5e-16<!--= a: e ~ .1g -->, 1234<!--= a: b c ~ .0f -->"
    assert figures.filled(text, known, wrong) == text and not wrong
    assert figures.filled("7<!--= a: d -->", known, wrong) == "0.12<!--= a: d -->" and len(wrong) == 1
    assert figures.filled("7<!--= a: other -->", known, wrong) == "7<!--= a: other -->" and len(wrong) == 2
    assert list(figures.typed_by_hand("A pose takes 3 us.")) and not list(figures.typed_by_hand(text))
    assert not list(figures.typed_by_hand("`sleep 3 s`\n```\n3 us\n```\n\n    3 us\n"))
    assert list(figures.typed_by_hand("some ten microseconds a call"))
    assert list(figures.typed_by_hand("It has 91 operations.")) and list(figures.typed_by_hand("3x faster than that"))


def test_comments_do_not_divide_cells_of_tables() -> None:
    for page in figures.pages():
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("|"):
                assert all("|" not in comment for comment in re.findall(r"<!--.*?-->", line)), f"{page.name}: {line}"
