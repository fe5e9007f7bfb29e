"""Every benchmark can be started: what it imports is there."""

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
    for script in SCRIPTS:  # their short names are those of other modules elsewhere
        sys.modules.pop(script, None)
