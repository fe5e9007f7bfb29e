"""Measure the structure of the source: definitions, conditions on the kind of robot, packages, sizes, types.

A condition on the kind of robot uses `.modules`, `.transmission`, `.structure`, `.constrained`, `.coordinates` or the
type `Robot`. Those in `mechanism`, which defines the kinds, do not count.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from packages import files_passed
from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from test_packages import CONVENIENCES

SOURCE = Path(rs.__file__).parent
_ONCE = ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "jacobian", "base_parameters")
_KINDS = ("modules", "transmission", "structure", "constrained", "coordinates")
_LONG = 60


def _length(function: ast.FunctionDef) -> int:
    """Return the number of lines of a function without its docstring."""
    first = function.body[0]
    text = first if ast.get_docstring(function) is not None else None
    described = (text.end_lineno or 0) - text.lineno + 1 if text is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - described


def trees() -> Iterator[tuple[str, str, ast.Module]]:
    """Yield name, text and syntax tree of every module."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield ".".join(path.relative_to(SOURCE).with_suffix("").parts), text, ast.parse(text)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _conditions(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


def asks_for_kind(test: ast.expr) -> bool:
    """Return whether a condition depends on the kind of a robot."""
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute) and node.attr in _KINDS:
            return True
        asked = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) == 2
        if asked and "Robot" in {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node.args[1])}:
            return True
    return False


def shape() -> list[Row]:
    """Return the figures from the text of the source."""
    modules = list(trees())
    rows = []
    for name in _ONCE:
        count = sum(
            node.name == name for _, _, tree in modules for node in tree.body if isinstance(node, ast.FunctionDef)
        )
        rows.append(Row(f"definitions of {name}", count, 1))
    kinds = [
        n for n, _, tree in modules if not n.startswith("mechanism.") for t in _conditions(tree) if asks_for_kind(t)
    ]
    rows.append(Row("conditions on the kind of robot", len(kinds), 25))
    packages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    lazy = sum(
        isinstance(node, (ast.Import, ast.ImportFrom))
        for _, _, tree in modules for function in _functions(tree) for node in ast.walk(function)
    )  # fmt: skip
    words = [
        node for _, _, tree in modules for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "Any"
    ]
    long = [f for _, _, tree in modules for f in _functions(tree) if _length(f) > _LONG]
    texts = [text for _, text, _ in modules]
    rows += [
        Row("packages", len(packages), 21),
        Row("files", len(modules), 450),
        Row("raw lines of source", sum(text.count("\n") for text in texts), 64_000),
        Row("imports inside functions", lazy, 60),
        Row("allowed upward pairs", len(CONVENIENCES), 5),
        Row("uses of Any", len(words), 700),
        Row("type: ignore", sum(text.count("type: ignore") for text in texts), 25),
        Row(f"functions over {_LONG} lines, without docstrings", len(long), 5),
    ]
    return rows


def walked() -> list[Row]:
    """Return rows with the number of files that warm calls run through."""
    gough, sr400, ur5e = rs.load("gough"), rs.load("sr400"), rs.load("ur5e")
    arm = rs.inverse_geometry(ur5e)
    pose = rs.direct_geometry(ur5e).compile()(q=[0.3, -1.0, 1.2, 0.4, 0.7, 0.2])
    jobs = {
        "inverse_dynamics(gough)": (lambda: rs.inverse_dynamics(gough), 40),
        "inverse_dynamics(sr400)": (lambda: rs.inverse_dynamics(sr400), 40),
        "inverse_geometry(ur5e).solve": (lambda: arm.solve(pose), 22),
    }
    rows = []
    for what, (job, bar) in jobs.items():
        job()
        rows.append(Row(f"files passed, warm: {what}", len(files_passed(job)), bar))
    return rows


if __name__ == "__main__":
    print_table("Structure of the source", [*shape(), *walked()])
