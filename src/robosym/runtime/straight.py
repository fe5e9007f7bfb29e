"""Straight-line code of a model in LLVM IR: one instruction or call per node, in functions of a few hundred nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from robosym.algebra import FUNCTIONS, Expr
from robosym.runtime.arctangent import vector_atan2
from robosym.runtime.engine import LIBM
from robosym.runtime.lanes import STAY, Constants, Format, Lines, joined, literal, mask
from robosym.runtime.plan import Block, Plan, Window
from robosym.runtime.sincos import turned

__all__ = [
    "AREAS",
    "constant_outputs",
    "lane_functions",
    "offline_block",
    "offline_kind",
    "online_block",
    "online_code",
    "spread",
]

#: Arrays of vectors that the online code reads and writes.
AREAS = ("inputs", "offline", "outputs", "crossing", "turned", "constants")
#: Number of angles whose sines and cosines are computed together.
_TOGETHER = 3
#: Number of nodes after which values are read from memory again instead of being kept in a register.
_KEPT = 60


def lane_functions(operations: Set[str], form: Format) -> Iterator[str]:
    """Yield declarations, and for each libm function in use a version that applies it to each lane of a vector."""
    v, n = f"<{form.lanes} x double>", form.lanes
    yield "declare ptr @robosym_malloc(i64)\ndeclare void @robosym_free(ptr)"
    for intrinsic in sorted({function.intrinsic for function in FUNCTIONS.values()} - {""}):
        yield f"declare {form.scalar} @llvm.{intrinsic}.f{8 * form.bytes}({form.scalar})"
        yield f"declare {form.vector} @llvm.{intrinsic}.{form.suffix}({form.vector})"
    for kind, suffix in ((form.scalar, f"f{8 * form.bytes}"), (form.vector, form.suffix)):
        yield f"declare {kind} @llvm.copysign.{suffix}({kind}, {kind})"
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
    if "atan2" in operations and not form.single:
        yield vector_atan2(n)


class _Instructions(Lines):
    """Instructions over the nodes of a plan, on vectors or (without a table of constants) on scalars."""

    def __init__(self, plan: Plan, form: Format, constants: Constants | None, name: str = "t") -> None:
        super().__init__(name)
        self.plan, self.form, self.constants = plan, form, constants
        self.lanes = 1 if constants is None else form.lanes
        self.type = form.scalar if constants is None else form.vector
        self.suffix = f"f{8 * form.bytes}" if constants is None else form.suffix
        self.size = form.vector_bytes
        self.names: dict[Expr, str] = {}
        self.fresh: list[Expr] = []  # nodes named since the last `forget`
        self.both: dict[Expr, str] = {}  # sin and cos of an argument
        self.loads: dict[Expr, int] = {}  # memory slots of values from other windows

    def enter(self, window: Window) -> None:
        """Continue with the nodes of a window."""
        self.loads = window.loads

    def number(self, value: float) -> str:
        if self.constants is None:
            return literal(value, self.form.single)
        return self.load_vector("constants", self.constants.place(value))

    def pointer(self, base: str, offset: int) -> str:
        return self.at(f"%{base}", offset)

    def load_vector(self, base: str, place: int) -> str:
        return self.load(self.type, self.pointer(base, place * self.size), self.size)

    def load_scalar(self, at: str) -> str:
        return self.load(self.form.scalar, at, self.form.bytes)

    def store_vector(self, value: str, base: str, place: int) -> None:
        self.store(self.type, value, self.pointer(base, place * self.size), self.size)

    def leaf(self, node: Expr) -> str:
        """Load a value that is computed elsewhere."""
        if node in self.loads:
            return self.load_vector("crossing", self.loads[node])
        if node in self.plan.constants:
            return self.number(self.plan.constants[node])
        if node not in self.plan.offline_place:
            return self.load_vector("inputs", self.plan.column[node.value])
        place = self.plan.offline_place[node]
        if self.plan.spread and self.lanes > 1:
            return self.load_vector("offline", place)
        value = self.load_scalar(self.offline_pointer(node))
        if self.lanes == 1:
            return value
        first = self.new(f"insertelement {self.type} poison, {self.form.scalar} {value}, i32 0")
        return self.new(f"shufflevector {self.type} {first}, {self.type} poison, {mask([0] * self.lanes)}")

    def offline_pointer(self, node: Expr) -> str:
        kind, place = offline_kind(self.plan, self.form), self.plan.offline_place[node]
        return self.at("%offline", place, kind)

    def operand(self, reference: Expr, turned: bool = False) -> str:
        """Return the value of a reference, with its sign changed if `turned`."""
        node = reference.node
        name = self.names.get(node)
        if name is None:
            name = self.names[node] = self.leaf(node)
            self.fresh.append(node)
        return self.new(f"fneg {self.type} {name}") if (reference is not node) is not turned else name

    def evaluate(self, node: Expr) -> None:
        self.names[node] = self._value(node)
        self.fresh.append(node)

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
            case "atan2" if self.lanes > 1 and not self.form.single:
                y, x = (self.operand(a) for a in args)
                return self.new(f"call {t} @atan2({t} {y}, {t} {x})")
        if intrinsic := FUNCTIONS[node.op].intrinsic:
            return self.new(f"call {t} @llvm.{intrinsic}.{self.suffix}({t} {self.operand(args[0])})")
        return self._call(node.op, [self.operand(a) for a in args])

    def _sign(self, x: str) -> str:
        """Return 1, -1, or x itself if it is zero or NaN."""
        bit = f"<{self.lanes} x i1>" if self.lanes > 1 else "i1"
        one = self.number(1.0)
        unit = self.new(f"call {self.type} @llvm.copysign.{self.suffix}({self.type} {one}, {self.type} {x})")
        turns = self.new(f"fcmp one {self.type} {x}, {self.number(0.0)}")
        return self.new(f"select {bit} {turns}, {self.type} {unit}, {self.type} {x}")

    def _wide(self, value: str) -> str:
        """Convert to double precision."""
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
        """Return a sine or cosine; one call computes both, and signs are already moved out of the argument."""
        t, (argument,) = self.type, node.args
        both = self.both.get(argument)
        if both is None:
            both = self.both[argument] = self.new(f"call {{{t}, {t}}} @sincos({t} {self.operand(argument)})")
        return self.new(f"extractvalue {{{t}, {t}}} {both}, {int(node.op == 'cos')}")

    def early_value(self, reference: Expr) -> str:
        for a in reference.node.args:
            self.early_value(a)
        if reference.node.args and reference.node not in self.names:
            self.evaluate(reference.node)
        return self.operand(reference)


class _Batch(_Instructions):
    """One state per lane. Sines and cosines of early angles are stored in memory until they are used."""

    def __init__(self, plan: Plan, form: Format, constants: Constants) -> None:
        super().__init__(plan, form, constants)
        self.places: dict[Expr, int] = {}

    def turn(self, angles: list[Expr]) -> None:
        """Compute sines and cosines of the given angles first."""
        assert self.constants is not None
        if not self.form.turns:
            return
        for start in range(0, len(angles), _TOGETHER):
            group = angles[start : start + _TOGETHER]
            values = [self.early_value(angle) for angle in group]
            near = turned(self.form, self.constants, values, f"turn{start}_")
            self.lines += near.lines
            self._keep(near.sines, near.cosines, start)
            far, well = f"far{start}", f"well{start}"
            self.lines += [f"br i1 {near.far}, label %{far}, label %{well}, !prof !0", f"{far}:"]
            self._keep([self._call("sin", [x]) for x in values], [self._call("cos", [x]) for x in values], start)
            self.lines += [f"br label %{well}", f"{well}:"]
            self.places |= {angle: start + k for k, angle in enumerate(group)}

    def _keep(self, sines: list[str], cosines: list[str], first: int) -> None:
        for k, pair in enumerate(zip(sines, cosines, strict=True), first):
            for which, value in enumerate(pair):
                self.store_vector(value, "turned", 2 * k + which)

    def leaf(self, node: Expr) -> str:
        if self._waits(node):
            return self.load_vector("turned", 2 * self.places[node.args[0]] + (node.op == "cos"))
        return super().leaf(node)

    def _waits(self, node: Expr) -> bool:
        return node.op in ("sin", "cos") and node.args[0] in self.places

    def evaluate(self, node: Expr) -> None:
        if not self._waits(node):
            super().evaluate(node)

    def forget(self) -> None:
        """Read values in memory again at their next use."""
        self.lines.append(STAY)  # so that LLVM does not read ahead
        for node in self.fresh:
            if not self._computed(node):
                self.names.pop(node, None)
        self.fresh.clear()

    def _computed(self, node: Expr) -> bool:
        elsewhere = node in self.plan.offline_place or node in self.loads
        return bool(node.args) and not elsewhere and not self._waits(node)


class _Windows(_Batch):
    """A long model in windows: no value stays in a register across windows, which keeps register allocation fast."""

    def __init__(self, plan: Plan, form: Format, constants: Constants) -> None:
        super().__init__(plan, form, constants)
        self.pointers: dict[tuple[str, int], str] = {}
        self._count = 0
        self._stored = False  # whether memory was written since the last read

    def new(self, instruction: str, name: str = "") -> str:
        self._count += 1
        name = f"%{self._count}"  # LLVM parses numbers faster than names
        self.lines.append(f"{name} = {instruction}")
        return name

    def pointer(self, base: str, offset: int) -> str:
        known = self.pointers.get((base, offset))
        if known is None:
            known = self.pointers[base, offset] = super().pointer(base, offset)
        return known

    def load_vector(self, base: str, place: int) -> str:
        self._stay()
        return super().load_vector(base, place)

    def load_scalar(self, at: str) -> str:
        self._stay()
        return super().load_scalar(at)

    def store_vector(self, value: str, base: str, place: int) -> None:
        super().store_vector(value, base, place)
        self._stored = True

    def _stay(self) -> None:
        """Emit a barrier after stores, so that LLVM does not check each load against all of them."""
        if self._stored:
            self.lines.append(STAY)
            self._stored = False

    def turn(self, angles: list[Expr]) -> None:
        super().turn(angles)
        self.pointers.clear()  # the code branches

    def enter(self, window: Window) -> None:
        super().enter(window)
        self.names.clear()
        self.both.clear()

    def forget(self) -> None:
        """Do nothing, because each window loads its values again."""


class _SingleState(_Instructions):
    """The same state in all lanes: each lane computes another angle, so that one call serves several."""

    def __init__(self, plan: Plan, form: Format, constants: Constants) -> None:
        super().__init__(plan, form, constants)
        self.turned: dict[Expr, tuple[str, str]] = {}

    def turn(self, angles: list[Expr]) -> None:
        """Compute sines and cosines of the given angles first."""
        n, d = self.lanes, self.type
        for start in range(0, len(angles), n):
            group = angles[start : start + n]
            packed = self.early_value(group[0])
            for lane, angle in enumerate(group[1:], 1):
                taken = mask([*range(lane), n, *range(lane + 1, n)])
                packed = self.new(f"shufflevector {d} {packed}, {d} {self.early_value(angle)}, {taken}")
            both = self.new(f"call {{{d}, {d}}} @sincos({d} {packed})")
            parts = [self.new(f"extractvalue {{{d}, {d}}} {both}, {k}") for k in (0, 1)]
            for lane, angle in enumerate(group):
                spread = [self.new(f"shufflevector {d} {part}, {d} poison, {mask([lane] * n)}") for part in parts]
                self.turned[angle] = (spread[0], spread[1])

    def forget(self) -> None:
        """Do nothing: values read once stay in registers."""

    def _sine_or_cosine(self, node: Expr) -> str:
        pair = self.turned.get(node.args[0])
        return super()._sine_or_cosine(node) if pair is None else pair[node.op == "cos"]


def offline_kind(plan: Plan, form: Format) -> str:
    """Return the IR type of an offline value."""
    return form.vector if plan.spread else form.scalar


def spread(value: str, name: str, plan: Plan, form: Format) -> list[str]:
    """Return IR that sets %name to a value in the form in which offline values are stored."""
    if not plan.spread:
        return [f"{name} = bitcast {form.scalar} {value} to {form.scalar}"]
    return [
        f"{name}_first = insertelement {form.vector} poison, {form.scalar} {value}, i32 0",
        f"{name} = shufflevector {form.vector} {name}_first, {form.vector} poison, {mask([0] * form.lanes)}",
    ]


def offline_block(plan: Plan, form: Format, number: int, nodes: list[Expr]) -> str:
    """Return a function that computes and stores some of the offline values."""
    code = _Instructions(plan, form, None)
    for node in nodes:
        code.evaluate(node)
        at, stored = code.offline_pointer(node), f"%stored{plan.offline_place[node]}"
        code.lines += spread(code.names[node], stored, plan, form)
        code.store(offline_kind(plan, form), stored, at, form.bytes)
    return f"define internal void @offline{number}(ptr %offline) noinline {{\n  {joined(code.lines)}\n  ret void\n}}"


def online_code(
    plan: Plan, form: Format, constants: Constants, part: Block, alone: bool = False,
    meanwhile: Sequence[list[str]] = (),
) -> list[str]:  # fmt: skip
    """Return the code of an online block, for as many rows as a vector has lanes, on the arrays of `AREAS`.

    Constant outputs are left to `constant_outputs`. `alone`: all lanes have the same row. `meanwhile`: other pieces of
    code to interleave evenly with the operations.
    """
    kind = _SingleState if alone else _Batch if len(part.windows) == 1 else _Windows
    code = kind(plan, form, constants)
    outputs: dict[Expr, list[tuple[Expr, int]]] = {}
    for place, root in enumerate(plan.model.roots):
        outputs.setdefault(root.node, []).append((root, place))
    code.turn(part.angles)
    waiting = list(meanwhile)
    length, count = len(part.nodes), 0
    for window in part.windows:
        code.enter(window)
        for node in window.nodes:
            count += 1
            while len(waiting) * length > len(meanwhile) * (length - count):
                code.lines += waiting.pop(0)
            if node not in code.names:
                code.evaluate(node)
            if count % _KEPT == 0:
                code.forget()
            for root, place in outputs.get(node, ()):
                code.store_vector(code.operand(root), "outputs", place)
            if node in window.stores:
                code.store_vector(code.operand(node), "crossing", window.stores[node])
    code.lines += [line for piece in waiting for line in piece]
    if part is plan.online_blocks[-1]:  # outputs that no block computes: an input, or an offline value
        computed = {node for each in plan.online_blocks for node in each.nodes}
        for node in [node for node in outputs if node not in computed and node not in plan.constants]:
            for root, place in outputs[node]:
                code.store_vector(code.operand(root), "outputs", place)
    return code.lines


def constant_outputs(plan: Plan, form: Format, constants: Constants) -> list[str]:
    """Return code that stores constant outputs, which do not change between rows."""
    code = _Instructions(plan, form, constants, "constant")
    for place, root in enumerate(plan.model.roots):
        if root.node in plan.constants:
            code.store_vector(code.operand(root), "outputs", place)
    return code.lines


def online_block(
    plan: Plan, form: Format, constants: Constants, number: int, name: str = "online", alone: bool = False,
    numbers: bool = False,
) -> str:  # fmt: skip
    """Return block `number` as a function; `name` distinguishes models, `numbers` includes constant outputs."""
    arguments = ", ".join(f"ptr noalias %{area}" for area in AREAS)
    lines = online_code(plan, form, constants, plan.online_blocks[number], alone)
    if numbers and number == 0:
        lines += constant_outputs(plan, form, constants)
    # spilled vectors must not cross cache lines
    head = f"define internal void @{name}{number}({arguments}) noinline alignstack(64)"
    return f"{head} {{\n  {joined(lines, 'ret void')}\n}}"
