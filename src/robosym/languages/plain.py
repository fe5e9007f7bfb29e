"""Plain functions: a small subset of Python that also translates to C and machine code.

Algorithms with loops that run for every pose are written once, as modules of plain functions. The subset has numbers
(`int`, `float`), flat zero-initialized arrays (`Integers`, `Doubles`) of constant size made by `integers(n)` and
`doubles(n)`, array views `A[3:]`, loops over `range`, `while`, `if`, and calls of each other and of `math`. Python runs
these modules directly; `plain_c` prints them as C and `runtime/plain_llvm` compiles them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["ARRAYS", "MATH", "PlainFunction", "PlainModule", "assignments", "parse_plain", "plain_python"]

#: functions of `math`, and abs, with their number of arguments; all work on doubles
MATH = {"sqrt": 1, "sin": 1, "cos": 1, "atan2": 2, "ceil": 1, "abs": 1, "ldexp": 2}
#: array types and their element types
ARRAYS = {"Doubles": "float", "Integers": "int"}
_MAKERS = {"doubles": "Doubles", "integers": "Integers"}


@dataclass
class PlainFunction:
    """A function whose variables each have one type: int, float, Doubles or Integers."""

    node: ast.FunctionDef
    arguments: dict[str, str]
    result: str  #: return type, "" for None
    kinds: dict[str, str] = field(default_factory=dict)  #: type of each variable
    sizes: dict[str, int] = field(default_factory=dict)  #: size of each array made here
    written: set[str] = field(default_factory=set)  #: arguments and views that are written to

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def comment(self) -> str:
        """The docstring, in one line."""
        text = ast.get_docstring(self.node) or ""
        return " ".join(text.split())

    @property
    def body(self) -> list[ast.stmt]:
        """The statements without the docstring."""
        has = ast.get_docstring(self.node) is not None
        return self.node.body[1:] if has else self.node.body


@dataclass
class PlainModule:
    """Constants and functions, callees first."""

    constants: dict[str, float]
    functions: dict[str, PlainFunction]

    def needed(self, entries: Iterable[str]) -> list[PlainFunction]:
        """Return the given functions and all functions they call."""
        wanted = set(entries)
        for name, function in reversed(self.functions.items()):  # called functions come first
            if name in wanted:
                calls = [part.func for part in ast.walk(function.node) if isinstance(part, ast.Call)]
                wanted |= {called.id for called in calls if isinstance(called, ast.Name)}
        return [function for name, function in self.functions.items() if name in wanted]

    def constant(self, node: ast.expr) -> float | None:
        """Return the value of a constant expression, or None."""
        if isinstance(node, ast.Constant):
            number = node.value
            return number if isinstance(number, int | float) and not isinstance(number, bool) else None
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.Attribute) and node.attr == "pi":
            return 3.141592653589793
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            left, right = self.constant(node.left), self.constant(node.right)
            return None if left is None or right is None else left * right
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.constant(node.operand)
            return None if inner is None else -inner
        return None

    def kind(self, function: PlainFunction, node: ast.expr) -> str:
        """Return the type of an expression: int, float, Doubles, Integers, or "" for a call without result."""
        value = self.constant(node)
        if value is not None:
            return type(value).__name__
        match node:
            case ast.Name(id=name) if name in function.kinds:
                return function.kinds[name]
            case ast.Subscript(value=array, slice=ast.Slice()):
                return self.kind(function, array)
            case ast.Subscript(value=ast.Call(), slice=ast.Constant(value=place)):
                return "int" if place else "float"  # of `math.frexp`
            case ast.Subscript(value=array):
                return ARRAYS[self.kind(function, array)]
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return "int"
            case ast.UnaryOp(operand=inner):
                return self.kind(function, inner)
            case ast.BinOp(op=ast.Div()):
                return "float"
            case ast.BinOp(left=left, right=right):
                return "float" if "float" in (self.kind(function, left), self.kind(function, right)) else "int"
            case ast.IfExp(body=left, orelse=right):
                return "float" if "float" in (self.kind(function, left), self.kind(function, right)) else "int"
            case ast.Call(func=ast.Name(id=name)) if name in _MAKERS:
                return _MAKERS[name]
            case ast.Call(func=ast.Name(id="max"), args=[left, right]):
                return "float" if "float" in (self.kind(function, left), self.kind(function, right)) else "int"
            case ast.Call(func=ast.Name(id="int")):
                return "int"
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return self.functions[name].result
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in MATH:
                return "float"
        raise ValueError(f"{function.name}: {ast.unparse(node)!r} is not in the plain subset of Python")


def assignments(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield (target, value) of each assignment; no value may use a target assigned before it."""
    if not isinstance(node, ast.Assign):
        return
    [target] = node.targets
    if not isinstance(target, ast.Tuple):
        yield target, node.value
        return
    assert isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts), ast.unparse(node)
    changed: set[str] = set()
    for place, value in zip(target.elts, node.value.elts, strict=True):
        used = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        assert not used & changed, f"{ast.unparse(node)}: {', '.join(sorted(used & changed))} is already reassigned"
        changed |= {place.id} if isinstance(place, ast.Name) else {_root(place)}
        yield place, value


def _root(node: ast.expr) -> str:
    """Return the variable that a subscript expression refers to."""
    while isinstance(node, ast.Subscript):
        node = node.value
    assert isinstance(node, ast.Name), ast.unparse(node)
    return node.id


def parse_plain(sources: Iterable[str]) -> PlainModule:
    """Parse all functions after an assignment to PLAIN in each module; callees come first."""
    module = PlainModule({}, {})
    for source in sources:
        _parse(module, source)
    _mark_written(module)
    return module


def _parse(module: PlainModule, source: str) -> None:
    plain = False
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and not plain:
            for target, value in assignments(node):
                number = module.constant(value)
                assert isinstance(target, ast.Name)
                if number is not None:
                    assert module.constants.setdefault(target.id, number) == number, target.id
                plain |= target.id == "PLAIN"
        elif isinstance(node, ast.FunctionDef) and plain:
            arguments = {a.arg: ast.unparse(a.annotation) for a in node.args.args if a.annotation is not None}
            result = "" if node.returns is None else ast.unparse(node.returns)
            function = PlainFunction(node, arguments, "" if result == "None" else result, dict(arguments))
            module.functions[function.name] = function
            _declare(module, function)


def plain_python(source: str) -> str:
    """Return the constants and plain functions of a module as source text."""
    tree = ast.parse(source)
    lines = source.splitlines()
    parts, plain = [], False
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names = [target.id for target, _ in assignments(node) if isinstance(target, ast.Name)]
            if not {"PLAIN", "__all__"} & {*names}:
                parts.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
            plain |= "PLAIN" in names
        elif isinstance(node, ast.FunctionDef) and plain:
            parts.append("\n\n" + "\n".join(lines[node.lineno - 1 : node.end_lineno]))
    return "\n".join(parts).strip()


def _declare(module: PlainModule, function: PlainFunction) -> None:
    """Infer the type of every variable from its first assignment."""
    for node in _statements(function.body):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            function.kinds.setdefault(node.target.id, "int")
        for target, value in assignments(node):
            if not isinstance(target, ast.Name):
                continue
            kind = module.kind(function, value)
            known = function.kinds.setdefault(target.id, kind)
            assert kind == known or (kind, known) == ("int", "float"), f"{function.name}: {target.id} {known} {kind}"
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _MAKERS:
                size = module.constant(value.args[0])
                assert isinstance(size, int), f"{function.name}: the size of {target.id} is not a constant"
                function.sizes[target.id] = size


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements in source order."""
    for node in body:
        yield node
        for name in ("body", "orelse"):
            yield from _statements(getattr(node, name, []))


def _mark_written(module: PlainModule) -> None:
    """Find the arrays that each function writes to, directly or through calls (callees come first)."""
    for function in module.functions.values():
        parts: dict[str, str] = {}  # name of a view -> array
        for node in _statements(function.body):
            for target, value in assignments(node):
                if isinstance(target, ast.Subscript):
                    function.written.add(_root(target))
                elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
                    assert isinstance(target, ast.Name)
                    parts[target.id] = _root(value)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
                function.written.add(_root(node.target))
        for call in ast.walk(function.node):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in module.functions:
                called = module.functions[call.func.id]
                for argument, name in zip(call.args, called.arguments, strict=True):
                    if name in called.written:
                        function.written.add(_root(argument))
        for name, whole in parts.items():
            if name in function.written:
                function.written.add(whole)
