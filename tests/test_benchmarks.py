"""Every benchmark can be imported."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_imports(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    for node in ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            module = importlib.import_module(node.module)
            missing = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            assert not missing, f"{node.module} has no {', '.join(missing)}"
    for script in SCRIPTS:  # short names may collide with other modules
        sys.modules.pop(script, None)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("robosym's operations", ""),
        ("robosym’s operations", ""),
        ("robosym's time, ns", "ns"),
        ("time of robosym's model in s", "s"),
        ("28 ns, of Pinocchio's", "ns"),
        ("microseconds per call", "us"),
        ("one call, µs", "us"),
        ("share of the samples, %", "%"),
        ("joints", ""),
    ],
)
def test_reads_the_unit_of_a_row(text: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    table = importlib.import_module("table")
    sys.modules.pop("table", None)
    assert table._unit(text) == unit
