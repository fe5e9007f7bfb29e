"""Mutation testing: generated faults, samples, and reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutants import mutants as runner
from mutants.changes import mutants
from mutants.noticed import Noticed

TEXT = '''
"""A text: 1 + 1."""
SIZE = 3
def turned(x: int, far: bool = False) -> int:
    if x < SIZE and not far:
        raise ValueError(f"expected {x + 1}")
    return -x + 2
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "package" / "turned.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def test_changes_every_place_once(file: Path) -> None:
    assert {m.what for m in mutants(file)} == {
        "False -> True", "if x < SIZE and (not far): -> if not (x < SIZE and (not far)):",
        "x < SIZE and (not far) -> x < SIZE or not far", "x < SIZE -> x <= SIZE", "not far -> not not far",
        "-x + 2 -> -x - 2", "-x -> +x", "2 -> 3",
    }  # fmt: skip


def test_changes_are_distinct_programs(file: Path) -> None:
    found = set()
    for mutant in mutants(file):
        names: dict[str, object] = {}
        exec(compile(mutant.tree(), "turned", "exec"), names)
        turned = names["turned"]
        answers = []
        for given in ((2,), (3,), (5,), (2, True), (5, True)):
            try:
                answers.append(turned(*given))  # type: ignore[operator]
            except ValueError:
                answers.append("rejected")
        found.add(tuple(answers))
        assert file.read_text() == TEXT
    assert len(found) == 8 and ("rejected", -1, -3, 0, -3) not in found


def test_sample_covers_packages_and_depends_on_seed() -> None:
    packages = ("mechanism", "kinematics", "parameters")
    drawn = runner.sample("a", 20, packages)
    found = [m.path.relative_to(runner.ROOT / "src" / "robosym").parts[0] for m in drawn]
    assert [found.count(package) for package in packages] == [7, 7, 6]
    assert drawn == runner.sample("a", 20, packages) != runner.sample("b", 20, packages)
    assert set(packages) < set(runner.PACKAGES) and all(
        (runner.ROOT / "src" / "robosym" / r).is_dir() for r in runner.PACKAGES
    )


def test_report_counts_undetected_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "answered", lambda: {"b": "the same"})
    rows = {
        "a:1  a": ["tree", runner.NOTICED],
        "b:1  b": ["tree", runner.PASSED],
        "c:1  c": ["tree", runner.PASSED],
    }
    report = runner.Report(rows)
    assert "3 faults: 1 noticed (33.3 % of all), 1 make no difference, 1 left; 50.0 %" in str(report)
    assert not report.passes and runner.Report(dict(list(rows.items())[:2])).passes


def test_answers_refer_to_existing_faults() -> None:
    """An answer to a statement that has changed is outdated."""
    files = {key.split(":")[0] for key in runner.answered()}
    packages = runner.ROOT / "src" / "robosym"
    paths = [p for p in packages.rglob("*.py") if f"{p.parent.name}/{p.name}" in files]
    keys = {mutant.key for path in paths for mutant in mutants(path)}
    assert set(runner.answered()) <= keys


def test_selects_tests_of_line(tmp_path: Path) -> None:
    noticed = Noticed(tmp_path, tmp_path)
    path = tmp_path / "src" / "robosym" / "mechanism" / "frame.py"
    noticed.seconds |= {
        "tests/mechanism/test_a.py::x": 0.1,
        "tests/coordinates/test_b.py::y": 0.01,
        "tests/mechanism/test_a.py::z": 3.0,
    }
    noticed._passing["mechanism/frame.py", 4] = set(noticed.seconds)
    assert noticed.of(path, 4, 4, 1.0) == ["tests/mechanism/test_a.py::x", "tests/coordinates/test_b.py::y"]
    assert noticed.of(path, 3, 5, 9.0) == [
        "tests/mechanism/test_a.py::x", "tests/mechanism/test_a.py::z", "tests/coordinates/test_b.py::y",
    ]  # fmt: skip
    assert noticed.of(path, 1, 2, 9.0) == []
