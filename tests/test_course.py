"""The notebooks of the course run, their exercises check their solutions, and their output is the stored one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
CHAPTERS = sorted((ROOT / "examples" / "course").glob("*.py"))


def test_course_has_a_notebook_for_each_chapter() -> None:
    names = [path.stem[3:] for path in CHAPTERS]
    assert names == ["geometry", "inverse_geometry", "kinematics", "dynamics", "identification", "closed_robots",
                     "parallel_robots", "control"]  # fmt: skip


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_exercises_check_their_solutions(chapter: Path) -> None:
    import exercises

    words = [text for text, _ in exercises.cells(chapter)]
    programs = [program for _, program in exercises.cells(chapter)]
    tasks = [k for k, text in enumerate(words) if text.startswith("**Exercise")]
    assert len(tasks) >= 3 and all("assert" in programs[k] for k in tasks)
    stored = json.loads(chapter.with_suffix(".ipynb").read_text(encoding="utf-8"))
    assert json.loads(exercises.course_notebook(chapter)) == stored
