"""Print plain functions as C99 (and C++) without allocation, variable-length arrays or recursion."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Sequence

from robosym.languages.plain import MATH, PlainFunction, PlainModule, assignments
from robosym.languages.program import double

__all__ = ["plain_c"]

_TYPES = {"int": "int", "float": "double", "Doubles": "double *", "Integers": "int *", "": "void"}
_OPERATORS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Or: ("||", 1), ast.And: ("&&", 2), ast.BitOr: ("|", 3), ast.BitAnd: ("&", 5),
    ast.Eq: ("==", 6), ast.NotEq: ("!=", 6), ast.Lt: ("<", 7), ast.LtE: ("<=", 7), ast.Gt: (">", 7), ast.GtE: (">=", 7),
    ast.LShift: ("<<", 8), ast.RShift: (">>", 8), ast.Add: ("+", 9), ast.Sub: ("-", 9),
    ast.Mult: ("*", 10), ast.Div: ("/", 10), ast.FloorDiv: ("/", 10), ast.Mod: ("%", 10),
}  # fmt: skip
_UNARY = 11
_WIDTH = 116


def plain_c(module: PlainModule, prefix: str, entries: Sequence[str]) -> str:
    """Return the functions that `entries` need, with comments; `prefix` is added to their names."""
    wanted = module.needed(entries)
    larger = f"static double {prefix}larger(double a, double b)\n{{\n    return b > a ? b : a;\n}}\n"
    return "\n".join([larger, *(_Printer(module, function, prefix).text() for function in wanted)])


class _Printer:
    """Prints one function."""

    def __init__(self, module: PlainModule, function: PlainFunction, prefix: str) -> None:
        self.module, self.function, self.prefix = module, function, prefix
        self.lines: list[str] = []
        self.loops = 0
        self.inside = self._declared_inside()

    def text(self) -> str:
        function = self.function
        given = ", ".join(self._parameter(name, kind) for name, kind in function.arguments.items())
        lines = textwrap.wrap(f"/* {function.comment} */", _WIDTH, subsequent_indent="   ") if function.comment else []
        head = f"static {_TYPES[function.result]} {self.prefix}{function.name}({given})"
        lines += [*textwrap.wrap(head, _WIDTH, subsequent_indent="    "), "{"]
        for name, kind in function.kinds.items():
            if name in function.arguments or name in self.inside or kind in ("Doubles", "Integers"):
                continue
            self._line(1, f"{_TYPES[kind]} {name} = {'0.0' if kind == 'float' else '0'};")
        self._block(function.body, 1)
        return "\n".join([*lines, *self.lines, "}", ""])

    def _parameter(self, name: str, kind: str) -> str:
        constant = "const " if kind in ("Doubles", "Integers") and name not in self.function.written else ""
        return f"{constant}{_TYPES[kind]}{'' if kind in ('Doubles', 'Integers') else ' '}{name}"

    def _line(self, depth: int, text: str) -> None:
        indent = "    " * depth
        self.lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent + "    ",
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _declared_inside(self) -> set[str]:
        """Return variables local to one block: assigned once before all uses, or loop counters."""
        function = self.function
        nodes = list(ast.walk(function.node))
        uses = Counter(node.id for node in nodes if isinstance(node, ast.Name))
        targets = {kind: [node.target for node in nodes if isinstance(node, kind)] for kind in (ast.For, ast.AugAssign)}
        counters, changed = ({t.id for t in found if isinstance(t, ast.Name)} for found in targets.values())
        parts = [getattr(node, name, None) for node in nodes[1:] for name in ("body", "orelse")]
        lives: dict[str, list[list[ast.stmt]]] = {}  # the statements from each assignment to the end of its block
        for block in [function.body, *(part for part in parts if isinstance(part, list))]:
            for place, statement in enumerate(block):
                for target, _ in assignments(statement):
                    if isinstance(target, ast.Name):
                        lives.setdefault(target.id, []).append(block[place:])
        once = {name: found[0] for name, found in lives.items() if len(found) == 1}
        for name in once.keys() - changed - function.arguments.keys():
            inside = [part for node in once[name] for part in ast.walk(node) if isinstance(part, ast.Name)]
            if sum(part.id == name for part in inside) == uses[name]:
                counters.add(name)
        return counters

    # ------------------------------------------------------------ statements

    def _block(self, body: list[ast.stmt], depth: int) -> None:
        for node in body:
            self._statement(node, depth)

    def _statement(self, node: ast.stmt, depth: int) -> None:
        match node:
            case ast.Assign():
                for target, value in assignments(node):
                    self._assign(target, value, depth)
            case ast.AugAssign(target=target, op=operator, value=value):
                self._line(depth, f"{self._text(target)} {_OPERATORS[type(operator)][0]}= {self._text(value)};")
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments)):
                self._line(depth, f"{self._loop(name, arguments)} {{")
                self._block(node.body, depth + 1)
                self._line(depth, "}")
            case ast.While(test=test):
                self._line(depth, f"while ({self._text(test)}) {{")
                self._block(node.body, depth + 1)
                self._line(depth, "}")
            case ast.If():
                self._if(node, depth, "if")
            case ast.Return(value=None):
                self._line(depth, "return;")
            case ast.Return(value=value) if value is not None:
                self._line(depth, f"return {self._text(value)};")
            case ast.Break():
                self._line(depth, "break;")
            case ast.Continue():
                self._line(depth, "continue;")
            case ast.Expr(value=value):
                self._line(depth, f"{self._text(value)};")
            case _:
                raise ValueError(f"{self.function.name}: {ast.unparse(node)!r} is not in the plain subset of Python")

    def _if(self, node: ast.If, depth: int, word: str) -> None:
        self._line(depth, f"{word} ({self._text(node.test)}) {{")
        self._block(node.body, depth + 1)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._if(node.orelse[0], depth, "} else if")
            return
        if node.orelse:
            self._line(depth, "} else {")
            self._block(node.orelse, depth + 1)
        self._line(depth, "}")

    def _loop(self, name: str, arguments: list[ast.expr]) -> str:
        if name == "_":
            self.loops += 1
            name = f"turn{self.loops}"
        start, stop, step = "0", arguments[-1], 1
        if len(arguments) > 1:
            start, stop = self._text(arguments[0]), arguments[1]
        if len(arguments) > 2:
            step = int(self.module.constant(arguments[2]) or 0)
        assert step in (1, -1), f"{self.function.name}: the step of a loop must be 1 or -1"
        before, count = ("<", "++") if step > 0 else (">", "--")
        return f"for (int {name} = {start}; {name} {before} {self._text(stop)}; {count}{name})"

    def _assign(self, target: ast.expr, value: ast.expr, depth: int) -> None:
        function = self.function
        if isinstance(target, ast.Name) and target.id in function.sizes:
            element = _TYPES[{"Doubles": "float", "Integers": "int"}[function.kinds[target.id]]]
            zero = "0.0" if element == "double" else "0"
            self._line(depth, f"{element} {target.id}[{function.sizes[target.id]}] = {{{zero}}};")
            return
        if isinstance(target, ast.Name) and function.kinds[target.id] in ("Doubles", "Integers"):
            self._line(depth, f"{self._parameter(target.id, function.kinds[target.id])} = {self._text(value)};")
            return
        text = self._text(target)
        if isinstance(target, ast.Name) and target.id in self.inside:
            text = f"const {_TYPES[function.kinds[target.id]]} {text}"
        self._line(depth, f"{text} = {self._text(value)};")

    # ----------------------------------------------------------- expressions

    def _text(self, node: ast.expr, around: int = 0) -> str:
        text, strength = self._parts(node)
        return f"({text})" if strength < around else text

    def _parts(self, node: ast.expr) -> tuple[str, int]:
        """Return the text of an expression and the precedence of its outermost operator."""
        top = _UNARY + 1
        match node:
            case ast.Constant(value=value):
                return (double(value) if isinstance(value, float) else str(value)), top
            case ast.Attribute(attr="pi"):
                return double(3.141592653589793), top
            case ast.Name(id=name):
                value = self.module.constants.get(name)
                if value is None or name in self.function.kinds:
                    return name, top
                return (double(value) if isinstance(value, float) else str(value)), top
            case ast.Subscript(value=array, slice=ast.Slice(lower=lower)):
                assert lower is not None
                return f"{self._text(array)} + {self._text(lower, 9)}", 9
            case ast.Subscript(value=array, slice=index):
                return f"{self._text(array)}[{self._text(index)}]", top
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return f"!{self._text(inner, _UNARY)}", _UNARY
            case ast.UnaryOp(operand=inner):
                return f"-{self._text(inner, _UNARY)}", _UNARY
            case ast.BinOp(left=left, op=operator, right=right):
                return self._binary(left, _OPERATORS[type(operator)], right)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self._binary(left, _OPERATORS[type(operator)], right)
            case ast.BoolOp(op=operator, values=values):
                word, strength = _OPERATORS[type(operator)]
                around = strength if strength > 1 else 3  # compilers warn about && inside || without brackets
                return f" {word} ".join(self._text(value, around) for value in values), strength
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"{self._text(test, 1)} ? {self._text(body, 1)} : {self._text(other)}", 0
            case ast.Call(func=function, args=arguments):
                return self._call(function, arguments), top
        raise ValueError(f"{self.function.name}: {ast.unparse(node)!r} is not in the plain subset of Python")

    def _binary(self, left: ast.expr, operator: tuple[str, int], right: ast.expr) -> tuple[str, int]:
        word, strength = operator
        around = _UNARY if strength in (3, 5, 8) else strength  # bracket operands of bit operations
        gap = "" if strength == 10 else " "
        return f"{self._text(left, around)}{gap}{word}{gap}{self._text(right, around + 1)}", strength

    def _call(self, function: ast.expr, arguments: list[ast.expr]) -> str:
        given = ", ".join(self._text(argument) for argument in arguments)
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name == "abs":
            return f"fabs({given})"
        if name == "max":
            return f"{self.prefix}larger({given})"
        if name in MATH:
            return f"{name}({given})"
        assert name in self.module.functions, f"{self.function.name}: {name} is not a plain function"
        return f"{self.prefix}{name}({given})"
