"""Faults: all places of a file where one small change results in a different program.

Signs, operations, comparisons, conditions, integers and truth values are changed. Excluded are texts, the contents of
`raise` and `assert`, `strict=` of a zip, annotations and decorators, and module constants in capitals: tolerances,
sizes and budgets are choices, and a slightly different value is not a fault.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Add,
    ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: the number of its place in the file, and its text."""

    path: Path
    number: int
    first: int  #: lines of its statement
    last: int
    what: str  #: expression before and after
    after: str  #: statement with the change

    @property
    def key(self) -> str:
        """Identifier that does not depend on line numbers: file, expression, and changed statement."""
        return f"{self.path.parent.name}/{self.path.name}: {self.what}: {self.after}"

    def tree(self) -> ast.Module:
        tree = ast.parse(_text(self.path))
        list(_places(tree))[self.number].change()
        return ast.fix_missing_locations(tree)


@dataclass
class Place:
    node: ast.AST
    statement: ast.stmt
    field: str
    value: Any

    def change(self) -> Any:
        """Apply the change, and return the previous text."""
        before = getattr(self.node, self.field)
        setattr(self.node, self.field, self.value)
        return before


def mutants(path: Path, numbers: Collection[int] | None = None) -> list[Mutant]:
    """Return all changes of a file, or those with the given numbers."""
    found = []
    for number, place in enumerate(places(path)):
        if numbers is None or number in numbers:
            before = _short(place.node)
            kept = place.change()
            first, last = _lines(place.statement)
            what = f"{before} -> {_short(place.node)}"
            found.append(Mutant(path, number, first, last, what, _short(place.statement)))
            setattr(place.node, place.field, kept)
    return found


def places(path: Path) -> list[Place]:
    return list(_places(ast.parse(_text(path))))


@cache
def _text(path: Path) -> str:
    """Return the text at the first call, because a file may change while its faults are tested in a copy."""
    return path.read_text(encoding="utf-8")


def _short(node: ast.AST) -> str:
    """Return the first line of a statement with a body, else the whole text, up to a maximum length."""
    text = ast.unparse(node)
    text = next(line for line in text.splitlines() if not line.startswith("@")) if hasattr(node, "body") else text
    return " ".join(text.split())[:160]


def _lines(statement: ast.stmt) -> tuple[int, int]:
    """Return the lines of a simple statement, of a function header, or of the head of a compound statement."""
    body = None if isinstance(statement, ast.FunctionDef) else getattr(statement, "body", None)
    last = statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, body[0].lineno - 1) if isinstance(body, list) and body else last


def _places(tree: ast.Module) -> Iterator[Place]:
    for statement in tree.body:
        yield from _in(statement, statement, top=True)


def _in(node: ast.AST, statement: ast.stmt, top: bool = False) -> Iterator[Place]:
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    if top and isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.If, ast.Try)):
        return  # module constants, documentation, imports for type checking
    if isinstance(node, ast.stmt):
        statement = node
    yield from _here(node, statement)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "keywords") and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _in(child, statement)


def _here(node: ast.AST, statement: ast.stmt) -> Iterator[Place]:
    found: tuple[str, Any] | None = None  # attribute and value to set
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _OPERATIONS and not _is_text(node):
        found = "op", _OPERATIONS[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        found = "ops", [_COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.BoolOp):
        found = "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = "op", ast.UAdd()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        found = "operand", _negated(node.operand)
    elif isinstance(node, (ast.If, ast.IfExp)):
        found = "test", _negated(node.test)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        found = "value", not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        found = "value", node.value + 1
    if found is not None:
        yield Place(node, statement, *found)


def _negated(test: ast.expr) -> ast.expr:
    return test.operand if _is_not(test) else ast.UnaryOp(ast.Not(), test)


def _is_not(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(isinstance(s, ast.JoinedStr) or isinstance(getattr(s, "value", None), str) for s in sides)
