"""Plain functions as LLVM IR: one alloca per variable, which LLVM promotes to registers."""

from __future__ import annotations

import ast
import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

from robosym.languages.plain import ARRAYS, PlainFunction, PlainModule, assignments, parse_plain
from robosym.runtime.engine import build, host

__all__ = ["plain_functions", "plain_llvm"]

_TYPES = {"int": "i32", "float": "double", "Doubles": "ptr", "Integers": "ptr", "": "void"}
_ARITHMETIC: dict[type[ast.AST], tuple[str, str]] = {  # for doubles, for integers
    ast.Add: ("fadd contract", "add nsw"), ast.Sub: ("fsub contract", "sub nsw"),
    ast.Mult: ("fmul contract", "mul nsw"), ast.Div: ("fdiv", ""), ast.FloorDiv: ("", "sdiv"), ast.Mod: ("", "srem"),
    ast.BitOr: ("", "or"), ast.BitAnd: ("", "and"), ast.LShift: ("", "shl"), ast.RShift: ("", "ashr"),
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne"), ast.Lt: ("olt", "slt"), ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
}  # fmt: skip
#: processor instructions; other functions of `math` come from libm
_INTRINSICS = {"sqrt": "llvm.sqrt.f64", "abs": "llvm.fabs.f64", "ceil": "llvm.ceil.f64"}
_BYTES = {"float": 8, "int": 4}


_CTYPES: dict[str, type[ctypes.c_int] | type[ctypes.c_double] | type[ctypes.c_void_p]] = {
    "int": ctypes.c_int,
    "float": ctypes.c_double,
    "Doubles": ctypes.c_void_p,
    "Integers": ctypes.c_void_p,
}


def plain_functions(sources: Sequence[str], entries: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Compile plain functions of modules; the results take numbers and addresses of arrays."""
    module = parse_plain(sources)
    code = build(plain_llvm(module, entries), host(), loops=True)
    result: dict[str, Callable[..., Any]] = {}
    for name in entries:
        function = module.functions[name]
        given = [_CTYPES[kind] for kind in function.arguments.values()]
        kind = _CTYPES.get(function.result)
        call = ctypes.CFUNCTYPE(kind, *given)(code.get_function_address(name))
        call.code = code  # type: ignore[attr-defined]  # keeps the code alive
        call.packed = ctypes.CFUNCTYPE(kind, ctypes.c_void_p)(code.get_function_address(f"packed.{name}"))  # type: ignore[attr-defined]
        result[name] = call
    return result


def plain_llvm(module: PlainModule, entries: Sequence[str]) -> str:
    """Return a module of IR; only `entries` are exported."""
    lines = [f"declare double @{name}(double)" for name in _INTRINSICS.values()]
    lines += ["declare double @robosym_sin(double)", "declare double @robosym_cos(double)"]
    lines += ["declare double @robosym_atan2(double, double)", "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
    for function in module.functions.values():
        lines.append(_Writer(module, function).text(function.name in entries))
        if function.name in entries:
            lines.append(_packed(function))
    return "\n".join(lines) + "\n"


def _packed(function: PlainFunction) -> str:
    """Return the function `packed.name`, which reads the arguments from a table of eight bytes each."""
    kind, lines, given = _TYPES[function.result], [], []
    for place, argument in enumerate(function.arguments.values()):
        lines += [
            f"  %p{place} = getelementptr i64, ptr %table, i64 {place}",
            f"  %a{place} = load {_TYPES[argument]}, ptr %p{place}",
        ]
        given.append(f"{_TYPES[argument]} %a{place}")
    found = "" if kind == "void" else "%r = "
    lines += [f"  {found}call {kind} @{function.name}({', '.join(given)})", f"  ret {kind}{' %r' if found else ''}"]
    return "\n".join([f"define {kind} @packed.{function.name}(ptr %table) nounwind {{", "entry:", *lines, "}"])


class _Writer:
    """Writes one function."""

    def __init__(self, module: PlainModule, function: PlainFunction) -> None:
        self.module, self.function = module, function
        self.lines: list[str] = []
        self.count = 0
        self.ended = False  # whether the current block has its terminator
        self.loops: list[tuple[str, str]] = []  # targets of `continue` and `break`

    def text(self, entry: bool) -> str:
        function = self.function
        given = ", ".join(
            f"{_TYPES[kind]}{' noalias' if kind in ARRAYS else ''} %{name}" for name, kind in function.arguments.items()
        )
        head = f"define {'' if entry else 'internal '}{_TYPES[function.result]} @{function.name}({given}) nounwind {{"
        for name, kind in function.kinds.items():
            if name in function.sizes:
                self._line(f"%v.{name} = alloca [{function.sizes[name]} x {_TYPES[ARRAYS[kind]]}], align 32")
                continue
            self._line(f"%v.{name} = alloca {_TYPES[kind]}")
            value = f"%{name}" if name in function.arguments else {"float": "0.0", "int": "0"}.get(kind, "null")
            self._line(f"store {_TYPES[kind]} {value}, ptr %v.{name}")
        self._block(function.body)
        if not self.ended:
            self._line("ret void" if not function.result else "unreachable")
        return "\n".join([head, "entry:", *self.lines, "}"])

    def _line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def _new(self, text: str) -> str:
        self.count += 1
        self._line(f"%t{self.count} = {text}")
        return f"%t{self.count}"

    def _label(self) -> str:
        self.count += 1
        return f"l{self.count}"

    def _start(self, label: str) -> None:
        self._go(label)
        self.lines.append(f"{label}:")
        self.ended = False

    def _go(self, label: str) -> None:
        if not self.ended:
            self._line(f"br label %{label}")
        self.ended = True

    def _branch(self, test: ast.expr, then: str, other: str) -> None:
        self._line(f"br i1 {self._truth(test)}, label %{then}, label %{other}")
        self.ended = True

    # ------------------------------------------------------------ statements

    def _block(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                for target, value in assignments(node):
                    self._assign(target, value)
            case ast.AugAssign(target=target, op=operator, value=value):
                self._store(target, *self._arithmetic(operator, self._value(target), self._value(value)))
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=arguments)):
                self._for(name, arguments, node.body)
            case ast.While(test=test):
                head, inside, after = self._label(), self._label(), self._label()
                self._start(head)
                self._branch(test, inside, after)
                self._start(inside)
                self._inside(node.body, head, after)
                self._go(head)
                self._start(after)
            case ast.If(test=test, body=body, orelse=other):
                then, otherwise, after = self._label(), self._label(), self._label()
                self._branch(test, then, otherwise)
                self._start(then)
                self._block(body)
                self._go(after)
                self._start(otherwise)
                self._block(other)
                self._start(after)
            case ast.Return(value=None):
                self._line("ret void")
                self._start_unreached()
            case ast.Return(value=value) if value is not None:
                kind = self.function.result
                self._line(f"ret {_TYPES[kind]} {self._as(kind, *self._value(value))}")
                self._start_unreached()
            case ast.Break():
                self._go(self.loops[-1][1])
                self._start_unreached()
            case ast.Continue():
                self._go(self.loops[-1][0])
                self._start_unreached()
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case _:
                raise ValueError(f"{self.function.name}: {ast.unparse(node)!r} is not in the plain subset of Python")

    def _start_unreached(self) -> None:
        """Start a new block for code after a jump."""
        self.ended = True
        self._start(self._label())

    def _inside(self, body: list[ast.stmt], again: str, after: str) -> None:
        self.loops.append((again, after))
        self._block(body)
        self.loops.pop()

    def _for(self, name: str, arguments: list[ast.expr], body: list[ast.stmt]) -> None:
        first = "0" if len(arguments) == 1 else self._as("int", *self._value(arguments[0]))
        last = self._as("int", *self._value(arguments[0 if len(arguments) == 1 else 1]))
        step = int(self.module.constant(arguments[2]) or 0) if len(arguments) > 2 else 1
        head, inside, again, after = self._label(), self._label(), self._label(), self._label()
        counter = f"%v.{name}"
        self._line(f"store i32 {first}, ptr {counter}")
        self._start(head)
        now = self._new(f"load i32, ptr {counter}")
        going = self._new(f"icmp {'slt' if step > 0 else 'sgt'} i32 {now}, {last}")
        self._line(f"br i1 {going}, label %{inside}, label %{after}")
        self.ended = True
        self._start(inside)
        self._inside(body, again, after)
        self._start(again)
        now = self._new(f"load i32, ptr {counter}")
        self._line(f"store i32 {self._new(f'add nsw i32 {now}, {step}')}, ptr {counter}")
        self._go(head)
        self._start(after)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        function = self.function
        if isinstance(target, ast.Name) and target.id in function.sizes:
            size = function.sizes[target.id] * _BYTES[ARRAYS[function.kinds[target.id]]]
            self._line(f"call void @llvm.memset.p0.i64(ptr align 32 %v.{target.id}, i8 0, i64 {size}, i1 false)")
            return
        self._store(target, *self._value(value))

    def _store(self, target: ast.expr, kind: str, value: str) -> None:
        if isinstance(target, ast.Name):
            wanted, place = self.function.kinds[target.id], f"%v.{target.id}"
        else:
            assert isinstance(target, ast.Subscript)
            wanted, place = self._entry(target)
        self._line(f"store {_TYPES[wanted]} {self._as(wanted, kind, value)}, ptr {place}")

    # ----------------------------------------------------------- expressions

    def _array(self, node: ast.expr) -> tuple[str, str]:
        """Return type and address of an array or view."""
        if isinstance(node, ast.Subscript):
            assert isinstance(node.slice, ast.Slice) and node.slice.lower is not None
            kind, base = self._array(node.value)
            return kind, self._address(kind, base, node.slice.lower)
        assert isinstance(node, ast.Name), ast.unparse(node)
        kind = self.function.kinds[node.id]
        return kind, f"%v.{node.id}" if node.id in self.function.sizes else self._new(f"load ptr, ptr %v.{node.id}")

    def _address(self, kind: str, base: str, index: ast.expr) -> str:
        place = self._new(f"sext i32 {self._as('int', *self._value(index))} to i64")
        return self._new(f"getelementptr inbounds {_TYPES[ARRAYS[kind]]}, ptr {base}, i64 {place}")

    def _entry(self, node: ast.Subscript) -> tuple[str, str]:
        kind, base = self._array(node.value)
        return ARRAYS[kind], self._address(kind, base, node.slice)

    def _as(self, wanted: str, kind: str, value: str) -> str:
        """Convert a number to int or float."""
        if wanted == kind or wanted in ARRAYS:
            return value
        assert (wanted, kind) == ("float", "int"), f"{self.function.name}: expected {wanted}, found {kind}"
        return f"{value}.0" if value.lstrip("-").isdigit() else self._new(f"sitofp i32 {value} to double")

    def _value(self, node: ast.expr) -> tuple[str, str]:
        """Return type and value of an expression."""
        constant = None if isinstance(node, ast.Name) and node.id in self.function.kinds else self.module.constant(node)
        if constant is not None:
            if isinstance(constant, int):
                return "int", str(constant)
            return "float", f"0x{struct.pack('>d', constant).hex().upper()}"
        match node:
            case ast.Name(id=name) if self.function.kinds[name] in ARRAYS:
                return self._array(node)
            case ast.Name(id=name):
                kind = self.function.kinds[name]
                return kind, self._new(f"load {_TYPES[kind]}, ptr %v.{name}")
            case ast.Subscript(slice=ast.Slice()):
                return self._array(node)
            case ast.Subscript(value=ast.Call(args=[inner]), slice=ast.Constant(value=place)):
                return self._parts(self._as("float", *self._value(inner)))[bool(place)]
            case ast.Subscript():
                kind, place = self._entry(node)
                return kind, self._new(f"load {_TYPES[kind]}, ptr {place}")
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                kind, value = self._value(inner)
                return kind, self._new(f"fneg double {value}" if kind == "float" else f"sub nsw i32 0, {value}")
            case ast.BinOp(left=left, op=operator, right=right):
                return self._arithmetic(operator, self._value(left), self._value(right))
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
                return "int", self._new(f"zext i1 {self._truth(node)} to i32")
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
        raise ValueError(f"{self.function.name}: {ast.unparse(node)!r} is not in the plain subset of Python")

    def _parts(self, value: str) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return mantissa and exponent of a normal number, as `math.frexp` does."""
        bits = self._new(f"bitcast double {value} to i64")
        shifted = self._new(f"lshr i64 {bits}, 52")
        exponent = self._new(f"and i32 {self._new(f'trunc i64 {shifted} to i32')}, 2047")
        plain = self._new(f"and i64 {bits}, {~(2047 << 52)}")
        mantissa = self._new(f"bitcast i64 {self._new(f'or i64 {plain}, {1022 << 52}')} to double")
        return ("float", mantissa), ("int", self._new(f"sub i32 {exponent}, 1022"))

    def _arithmetic(self, operator: ast.operator, left: tuple[str, str], right: tuple[str, str]) -> tuple[str, str]:
        real = isinstance(operator, ast.Div) or "float" in (left[0], right[0])
        kind = "float" if real else "int"
        word = _ARITHMETIC[type(operator)][0 if real else 1]
        return kind, self._new(f"{word} {_TYPES[kind]} {self._as(kind, *left)}, {self._as(kind, *right)}")

    def _truth(self, node: ast.expr) -> str:
        """Return a condition as i1."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self._new(f"xor i1 {self._truth(inner)}, true")
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                first, second = self._value(left), self._value(right)
                real = "float" in (first[0], second[0])
                kind = "float" if real else "int"
                word = f"fcmp {_COMPARISONS[type(operator)][0]}" if real else f"icmp {_COMPARISONS[type(operator)][1]}"
                return self._new(f"{word} {_TYPES[kind]} {self._as(kind, *first)}, {self._as(kind, *second)}")
            case ast.BoolOp(op=operator, values=values):
                # short-circuit evaluation: later operands may be outside an array
                place = f"%b{self._label()}"
                self.lines.insert(0, f"  {place} = alloca i1")
                after = self._label()
                for part in values:
                    truth = self._truth(part)
                    self._line(f"store i1 {truth}, ptr {place}")
                    following = self._label()
                    then, other = (following, after) if isinstance(operator, ast.And) else (after, following)
                    self._line(f"br i1 {truth}, label %{then}, label %{other}")
                    self.ended = True
                    self._start(following)
                self._start(after)
                return self._new(f"load i1, ptr {place}")
        kind, value = self._value(node)
        assert kind == "int", f"{self.function.name}: {ast.unparse(node)!r} is not a condition"
        return self._new(f"icmp ne i32 {value}, 0")

    def _choice(self, node: ast.IfExp) -> tuple[str, str]:
        kind = self.module.kind(self.function, node)
        place = f"%b{self._label()}"
        self.lines.insert(0, f"  {place} = alloca {_TYPES[kind]}")
        then, other, after = self._label(), self._label(), self._label()
        self._branch(node.test, then, other)
        for label, value in ((then, node.body), (other, node.orelse)):
            self._start(label)
            self._line(f"store {_TYPES[kind]} {self._as(kind, *self._value(value))}, ptr {place}")
            self._go(after)
        self._start(after)
        return kind, self._new(f"load {_TYPES[kind]}, ptr {place}")

    def _call(self, node: ast.Call) -> tuple[str, str]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        values = [self._value(argument) for argument in node.args]
        if name == "max":
            kind = self.module.kind(self.function, node)
            one, other = (self._as(kind, *value) for value in values)
            word = "fcmp ogt" if kind == "float" else "icmp sgt"
            larger = self._new(f"{word} {_TYPES[kind]} {other}, {one}")
            return kind, self._new(f"select i1 {larger}, {_TYPES[kind]} {other}, {_TYPES[kind]} {one}")
        if name == "int":
            return "int", self._new(f"fptosi double {self._as('float', *values[0])} to i32")
        if name == "ldexp":  # by a power of two that is a normal number
            wide = self._new(f"sext i32 {self._new(f'add i32 {values[1][1]}, 1023')} to i64")
            power = self._new(f"bitcast i64 {self._new(f'shl i64 {wide}, 52')} to double")
            return "float", self._new(f"fmul double {self._as('float', *values[0])}, {power}")
        if name not in self.module.functions:
            given = ", ".join(f"double {self._as('float', *value)}" for value in values)
            return "float", self._new(f"call double @{_INTRINSICS.get(name, f'robosym_{name}')}({given})")
        called = self.module.functions[name]
        kinds = called.arguments.values()
        given = ", ".join(f"{_TYPES[k]} {self._as(k, *v)}" for k, v in zip(kinds, values, strict=True))
        if not called.result:
            self._line(f"call void @{name}({given})")
            return "", ""
        return called.result, self._new(f"call {_TYPES[called.result]} @{name}({given})")
