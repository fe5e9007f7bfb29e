"""Errors as data: location, expected, found, hint and code; interfaces render them, and no code parses their text."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

import robosym as rs
from robosym.errors import CODES, Diagnostic, FormatError, InputError, Pass, PathPart, RobotError, RobotWarning, explain

SOURCE = Path(rs.__file__).parent
DOCS = Path(__file__).parents[1] / "docs"


def test_message_is_parsed() -> None:
    error = FormatError("module 2: frame 3: theta: expected a number, found 'x' (did you mean 'y'?)", "arm.yaml", 7, 2)
    assert error.path == (PathPart("module", 2), PathPart("frame", 3), PathPart("theta"))
    assert (error.expected, error.found, error.code) == ("a number", "'x'", "E301")
    assert (error.unknown, error.meant) == ("x", "y")
    assert (error.file, error.line, error.column) == ("arm.yaml", 7, 2)
    assert str(error) == "arm.yaml:7:2: module 2: frame 3: theta: expected a number, found 'x' (did you mean 'y'?)"
    assert InputError("gravity[2]: wrong").path == (PathPart("gravity", None, 2),)


def test_location_can_be_extended() -> None:
    first = RobotError("expected an antecedent from 0 to 2, found 7", 3, "ant", code="E204")
    again = FormatError(first, "arm.yaml", 4)
    assert (again.code, again.expected, again.path) == ("E204", "an antecedent from 0 to 2", first.path)
    assert str(again) == "arm.yaml:4: frame 3: ant: expected an antecedent from 0 to 2, found 7"
    inside = first.within(PathPart("module", 2))
    assert str(inside) == f"module 2: {first}" and inside.frame == 3 and str(first).startswith("frame 3")


def test_hints_contain_arguments() -> None:
    error = InputError("arm has 7 joints", hint=("fix one with ", Pass("fixed", {"t3": 0.0})))
    assert str(error) == "arm has 7 joints: fix one with fixed={'t3': 0.0}"
    with pytest.raises(InputError) as text:
        rs.inverse_geometry(rs.load("lwr"), "paul", given="P")
    (action,) = [part for part in text.value.hint if isinstance(part, Pass)]
    assert action.argument == "fixed" and text.value.code == "E407"


@pytest.mark.parametrize(
    "problem", [FormatError("x: y", "f", 1, 2), RobotError("z", 3, "theta", code="E205"), RobotWarning("w", "f")]
)
def test_copies_are_equal(problem: Diagnostic) -> None:
    for again in (pickle.loads(pickle.dumps(problem)), copy.copy(problem)):
        assert (str(again), vars(again)) == (str(problem), vars(problem))


def test_every_code_is_explained() -> None:
    """Codes of classes and of raised errors."""
    used = {
        node.value
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) == 4
        if node.value[0] == "E" and node.value[1:].isdigit()
    }
    assert used == set(CODES)
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    for code, meaning in CODES.items():
        assert f"| {code} | {meaning} |" in page
        assert explain(code.lower()) == f"{code}: {meaning}"
    with pytest.raises(InputError, match=r"code: expected one of E101, .* found 'E9'"):
        explain("E9")


#: operations that compare or change a text
_READING = {"partition", "rpartition", "split", "replace", "removeprefix", "removesuffix", "startswith", "endswith",
            "find", "index", "lower", "upper"}  # fmt: skip


def _is_text_of(node: ast.AST, names: set[str]) -> bool:
    """Whether a node is `str(error)` or `error.args[0]` of a caught error."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in names
    return any(isinstance(n, ast.Attribute) and n.attr == "args" and isinstance(n.value, ast.Name)
               and n.value.id in names for n in ast.walk(node))  # fmt: skip


def readings(tree: ast.Module) -> list[int]:
    """Return the lines that inspect the text of a caught robosym error."""
    found = []
    for handler in ast.walk(tree):
        if not isinstance(handler, ast.ExceptHandler) or not handler.name:
            continue
        kinds = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)} if handler.type else set()
        if not any(kind.endswith("Error") and hasattr(rs, kind) for kind in kinds) and "Error" not in kinds:
            continue
        for node in ast.walk(handler):
            reads = (
                isinstance(node, ast.Attribute) and node.attr in _READING and _is_text_of(node.value, {handler.name})
            )
            compares = isinstance(node, ast.Compare) and any(
                _is_text_of(part, {handler.name}) for part in (node.left, *node.comparators)
            )
            if reads or compares:
                found.append(node.lineno)
    return found


#: these remove the folder of an uploaded file from messages
SHOWN_SHORTER = ("identification_view.py", "simulate_view.py")


def test_no_code_reads_the_text_of_an_error() -> None:
    bad = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name not in SHOWN_SHORTER
        for line in readings(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not bad, bad


@pytest.mark.parametrize("line", ["if 'fixed=' not in str(e): pass", "str(e).replace('a', 'b')", "e.args[0] == 'x'"])
def test_check_detects_reading(line: str) -> None:
    assert readings(ast.parse(f"try:\n    f()\nexcept InputError as e:\n    {line}"))
