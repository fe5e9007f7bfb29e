"""Robots that once failed, and a short soak test of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from soak.findings import BAR, compare, magnification
from soak.kept_cases import KEPT, StoredCase, first_failure, shrunk
from soak.robots import KINDS, drawn


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted(KEPT.glob("*.yaml")), ids=lambda path: path.stem)
def test_robots_that_once_failed(path: Path) -> None:
    assert StoredCase.read(path).fails() is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "long"])
def test_every_kind(kind: str) -> None:
    robot = drawn(3, kind)
    assert first_failure(robot.robot, robot.values, 3) is None


def test_failure_is_shrunk_and_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an impossible bar, the shrunk case is smaller, still fails, and can be read from its file."""
    monkeypatch.setattr("soak.findings.BAR", -1.0)
    monkeypatch.setattr("soak.findings.ROUNDING", 0.0)
    robot = drawn(5, "chain")
    failure = first_failure(robot.robot, robot.values, 5)
    assert failure is not None
    case = StoredCase(robot.robot.dumps("yaml"), robot.values, 5, failure)
    small = shrunk(case, 1.0)
    assert len(small.text) < len(case.text)
    again = StoredCase.read(small.write(tmp_path))
    assert again.fails() is not None and again.values == small.values


def test_differences_and_condition() -> None:
    assert compare("same", [1.0, 2.0], [1.0, 2.0 + 1e-13]).gap < BAR
    assert compare("apart", [1.0], [1.1]).failed
    assert compare("not a number", [float("nan")], [1.0]).failed
    assert compare("other shape", [1.0], [1.0, 2.0]).failed

    def difference(values: dict[str, float]) -> list[float]:
        return [values["a"] - values["b"]]

    assert magnification(difference, {"a": 1.0, "b": 1.0 + 1e-6}) > 1e5
