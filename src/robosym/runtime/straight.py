"""The straight-line code of a model in IR: one instruction or call a node, in functions of some hundred nodes."""

from __future__ import annotations

from collections.abc import Iterator, Set

from robosym.algebra import FUNCTIONS, Expr
from robosym.runtime.engine import LIBM
from robosym.runtime.lanes import Format, joined, mask
from robosym.runtime.plan import Block, Plan
from robosym.runtime.sincos import literal

__all__ = ["lane_functions", "offline_block", "online_block"]


def lane_functions(operations: Set[str], form: Format) -> Iterator[str]:
    """Declarations, and each function of libm among the operations applied to the lanes of vectors of doubles."""
    v, n = f"<{form.lanes} x double>", form.lanes
    yield "declare ptr @robosym_malloc(i64)\ndeclare void @robosym_free(ptr)"
    for intrinsic in sorted({function.intrinsic for function in FUNCTIONS.values()} - {""}):
        yield f"declare {form.scalar} @llvm.{intrinsic}.f{8 * form.bytes}({form.scalar})"
        if form.single or intrinsic != "fabs":  # that on vectors of doubles comes with sine and cosine
            yield f"declare {form.vector} @llvm.{intrinsic}.{form.suffix}({form.vector})"
    used = {"sin", "cos"} | operations
    for name in sorted(used & LIBM.keys()):
        count = LIBM[name]
        yield f"declare double @robosym_{name}({', '.join(['double'] * count)})"
        lines = []
        for lane in range(n):
            for k in range(count):
                lines.append(f"%x{k}_{lane} = extractelement {v} %x{k}, i32 {lane}")
            arguments = ", ".join(f"double %x{k}_{lane}" for k in range(count))
            before = f"%r{lane - 1}" if lane else "poison"
            lines.append(f"%y{lane} = call double @robosym_{name}({arguments})")
            lines.append(f"%r{lane} = insertelement {v} {before}, double %y{lane}, i32 {lane}")
        parameters = ", ".join(f"{v} %x{k}" for k in range(count))
        body = "\n  ".join(lines)
        yield f"define internal {v} @lanes_{name}({parameters}) noinline cold {{\n  {body}\n  ret {v} %r{n - 1}\n}}"


class _Instructions:
    """Instructions over the nodes of a plan, on vectors or (lanes = 1) on single numbers."""

    def __init__(self, plan: Plan, form: Format, lanes: int) -> None:
        self.plan, self.form, self.lanes = plan, form, lanes
        self.type = form.vector if lanes > 1 else form.scalar
        self.lines: list[str] = []
        self.names: dict[Expr, str] = {}
        self.both: dict[Expr, str] = {}  # sin and cos of an argument
        self.turned: dict[Expr, tuple[str, str]] = {}  # the same, apart
        self._count = 0

    def new(self, instruction: str) -> str:
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def number(self, value: float) -> str:
        return literal(value, self.lanes, self.form.single)

    def pointer(self, base: str, offset: int) -> str:
        return self.new(f"getelementptr i8, ptr %{base}, i64 {offset}")

    def load_vector(self, base: str, place: int) -> str:
        at = self.pointer(base, place * self.form.vector_bytes)
        return self.new(f"load {self.type}, ptr {at}, align {self.form.vector_bytes}")

    def store_vector(self, value: str, base: str, place: int) -> None:
        at = self.pointer(base, place * self.form.vector_bytes)
        self.lines.append(f"store {self.type} {value}, ptr {at}, align {self.form.vector_bytes}")

    def leaf(self, node: Expr) -> str:
        """A value that is computed elsewhere."""
        if node in self.plan.constants:
            return self.number(self.plan.constants[node])
        if node in self.plan.offline_place:
            at = self.pointer("offline", self.plan.offline_place[node] * self.form.bytes)
            value = self.new(f"load {self.form.scalar}, ptr {at}, align {self.form.bytes}")
            if self.lanes == 1:
                return value
            first = self.new(f"insertelement {self.type} poison, {self.form.scalar} {value}, i32 0")
            zeros = mask([0] * self.lanes)
            return self.new(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")
        return self.load_vector("inputs", self.plan.column[node.value])

    def operand(self, reference: Expr, turned: bool = False) -> str:
        """The value of a reference, its sign turned once more where `turned`."""
        node = reference.node
        name = self.names.get(node)
        if name is None:
            name = self.names[node] = self.leaf(node)
        return self.new(f"fneg {self.type} {name}") if reference.negative is not turned else name

    def evaluate(self, node: Expr) -> None:
        self.names[node] = self._value(node)

    def _value(self, node: Expr) -> str:
        args, t = node.args, self.type
        match node.op:
            case "add":
                a, b = args
                if a.negative:
                    a, b = b, a
                if b.negative:
                    return self.new(f"fsub contract {t} {self.operand(a)}, {self.operand(b, turned=True)}")
                return self.new(f"fadd contract {t} {self.operand(a)}, {self.operand(b)}")
            case "mul":
                return self.new(f"fmul contract {t} {self.operand(args[0])}, {self.operand(args[1])}")
            case "div":
                return self.new(f"fdiv {t} {self.operand(args[0])}, {self.operand(args[1])}")
            case "sign":
                return self._sign(self.operand(args[0]))
            case "sin" | "cos" if self.lanes > 1:
                return self._sine_or_cosine(node)
        if intrinsic := FUNCTIONS[node.op].intrinsic:
            suffix = self.form.suffix if self.lanes > 1 else f"f{8 * self.form.bytes}"
            return self.new(f"call {t} @llvm.{intrinsic}.{suffix}({t} {self.operand(args[0])})")
        return self._call(node.op, [self.operand(a) for a in args])

    def _sign(self, x: str) -> str:
        """1, -1, or x itself where it is zero or not a number."""
        bit = f"<{self.lanes} x i1>" if self.lanes > 1 else "i1"
        zero = self.number(0.0)
        above, below = (self.new(f"fcmp {test} {self.type} {x}, {zero}") for test in ("ogt", "olt"))
        low = self.new(f"select {bit} {below}, {self.type} {self.number(-1.0)}, {self.type} {x}")
        return self.new(f"select {bit} {above}, {self.type} {self.number(1.0)}, {self.type} {low}")

    def _wide(self, value: str) -> str:
        """To double precision."""
        return self.new(f"fpext {self.type} {value} to {self._double}") if self.form.single else value

    def _narrow(self, value: str) -> str:
        return self.new(f"fptrunc {self._double} {value} to {self.type}") if self.form.single else value

    @property
    def _double(self) -> str:
        return f"<{self.lanes} x double>" if self.lanes > 1 else "double"

    def _call(self, name: str, arguments: list[str]) -> str:
        given = ", ".join(f"{self._double} {self._wide(a)}" for a in arguments)
        kind = "lanes" if self.lanes > 1 else "robosym"
        return self._narrow(self.new(f"call {self._double} @{kind}_{name}({given})"))

    def _sine_or_cosine(self, node: Expr) -> str:
        """One call serves both; the sign is known to be pulled out of sin and cos already."""
        d, (argument,) = self._double, node.args
        both = self.both.get(argument)
        if both is None:
            x = self._wide(self.operand(argument))
            both = self.both[argument] = self.new(f"call {{{d}, {d}}} @sincos({d} {x})")
        return self._narrow(self.new(f"extractvalue {{{d}, {d}}} {both}, {int(node.op == 'cos')}"))


class _Alone(_Instructions):
    """The same where all lanes hold one state: each lane takes another angle, so that one call serves several."""

    def turn_together(self, nodes: list[Expr]) -> None:
        """Sines and cosines of the angles that are inputs or sums of inputs, before all else."""
        early = {node for node in nodes if node.op == "add"}
        angles = dict.fromkeys(node.args[0] for node in nodes if node.op in ("sin", "cos"))
        ready = [angle for angle in angles if self._is_early(angle, early)]
        n, d = self.lanes, self._double
        for start in range(0, len(ready), n):
            group = ready[start : start + n]
            packed = self._early_value(group[0])
            for lane, angle in enumerate(group[1:], 1):
                taken = mask([*range(lane), n, *range(lane + 1, n)])
                packed = self.new(f"shufflevector {d} {packed}, {d} {self._early_value(angle)}, {taken}")
            both = self.new(f"call {{{d}, {d}}} @sincos({d} {packed})")
            parts = [self.new(f"extractvalue {{{d}, {d}}} {both}, {k}") for k in (0, 1)]
            for lane, angle in enumerate(group):
                spread = [self.new(f"shufflevector {d} {part}, {d} poison, {mask([lane] * n)}") for part in parts]
                self.turned[angle] = (spread[0], spread[1])

    def _is_early(self, reference: Expr, sums: set[Expr]) -> bool:
        node = reference.node
        return node.op == "symbol" or (node in sums and all(self._is_early(a, sums) for a in node.args))

    def _early_value(self, reference: Expr) -> str:
        for a in reference.node.args:
            self._early_value(a)
        if reference.node.args and reference.node not in self.names:
            self.evaluate(reference.node)
        return self.operand(reference)

    def _sine_or_cosine(self, node: Expr) -> str:
        pair = self.turned.get(node.args[0])
        return super()._sine_or_cosine(node) if pair is None else pair[node.op == "cos"]


def offline_block(plan: Plan, form: Format, number: int, nodes: list[Expr]) -> str:
    """A part of what is computed off line; every value goes to its place, where the others find it."""
    code = _Instructions(plan, form, 1)
    for node in nodes:
        code.evaluate(node)
        at = code.pointer("offline", plan.offline_place[node] * form.bytes)
        code.lines.append(f"store {form.scalar} {code.names[node]}, ptr {at}, align {form.bytes}")
    return f"define internal void @offline{number}(ptr %offline) noinline {{\n  {joined(code.lines)}\n  ret void\n}}"


def online_block(plan: Plan, form: Format, number: int, part: Block, name: str = "online", alone: bool = False) -> str:
    """A part of what is computed on line, for as many rows as a vector has lanes; `name` tells models apart.

    `alone`: all lanes hold the same row.
    """
    code = (_Alone if alone else _Instructions)(plan, form, form.lanes)
    outputs: dict[Expr, list[tuple[Expr, int]]] = {}
    for place, root in enumerate(plan.model.roots):
        outputs.setdefault(root.node, []).append((root, place))
    for node, place in part.loads.items():
        code.names[node] = code.load_vector("crossing", place)
    if isinstance(code, _Alone):
        code.turn_together(part.nodes)
    for node in part.nodes:
        if node not in code.names:
            code.evaluate(node)
        for root, place in outputs.get(node, ()):
            code.store_vector(code.operand(root), "outputs", place)
        if node in part.stores:
            code.store_vector(code.names[node], "crossing", part.stores[node])
    if part is plan.online_blocks[-1]:  # outputs that no block computes: a constant, an input, or a value off line
        computed = {node for each in plan.online_blocks for node in each.nodes}
        for node in [node for node in outputs if node not in computed]:
            for root, place in outputs[node]:
                code.store_vector(code.operand(root), "outputs", place)
    arguments = ", ".join(f"ptr noalias %{name}" for name in ("inputs", "offline", "outputs", "crossing"))
    return f"define internal void @{name}{number}({arguments}) noinline {{\n  {joined(code.lines)}\n  ret void\n}}"
