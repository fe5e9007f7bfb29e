"""Loops that feed rows of NumPy arrays to the straight-line code of a model (LLVM IR).

For every `lanes` rows, the inputs are transposed to columns, the blocks compute, and the outputs are transposed back
(`@rows`). A single block also transposes the next rows meanwhile, which uses other execution units than its arithmetic.
Values that depend on parameters only are computed once before (`@offline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import accumulate

from robosym.runtime.engine import Host
from robosym.runtime.lanes import Constants, Format, Lines, joined
from robosym.runtime.plan import Group, Plan
from robosym.runtime.sincos import sine_and_cosine
from robosym.runtime.straight import (
    AREAS,
    constant_outputs,
    lane_functions,
    offline_block,
    offline_kind,
    online_block,
    online_code,
    spread,
)  # fmt: skip
from robosym.runtime.transpose import PREFETCH, Moves, Rows, any_layout

__all__ = ["BRANCH_WEIGHTS", "kept_flags", "row_loops", "workspace"]

#: Size in bytes above which the workspace is on the heap: the stack of a thread may be small.
STACK = 1 << 16
#: Number of columns above which a group is transposed in a loop.
LONG = {"inputs": 48, "outputs": 512}
#: Metadata of branches that are almost never taken.
BRANCH_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 1000000}'


def row_loops(plan: Plan, form: Format, host: Host) -> str:
    """Return the IR of the loops `@full` and `@bound` (NumPy inner loops) and of everything they call.

    `@full` takes all input groups; `@bound` takes the online ones, and the offline values from its data pointer.
    `@offline` computes these values from the offline groups.
    """
    constants = Constants(form)
    parts = [
        *lane_functions({node.op for node in plan.model.nodes}, form),
        sine_and_cosine(form),
        PREFETCH,
        any_layout(form, "load"),
        any_layout(form, "store"),
        *(offline_block(plan, form, number, nodes) for number, nodes in enumerate(plan.offline_blocks)),
        _offline(plan, form),
        _Rows(plan, form, constants).text(),
        kept_flags(host)[0],
        *(_loop(name, plan, form, host) for name in plan.loops),
        constants.table(),
        BRANCH_WEIGHTS,
    ]
    return "\n".join(parts)


def _offline(plan: Plan, form: Format) -> str:
    """Return `@offline`, which copies row %row of the offline groups and computes the values that depend on them.

    If `plan.spread`, each value is stored in every lane of a vector.
    """
    code, kind, operands = Lines(), offline_kind(plan, form), plan.loops["full"]
    for k, group in enumerate(operands.inputs):
        if not group.online:
            offset = code.new(f"mul i64 %row, {code.entry('i64', '%steps', k)}")
            row = code.at(code.entry("ptr", "%args", k), offset)
            stride = code.entry("i64", "%steps", operands.strides[k].start)
            place = code.at("%offline", group.first, kind)
            code.lines.append(f"call void @copy(ptr {row}, i64 {stride}, i64 {group.size}, ptr {place})")
    code.lines += [f"call void @offline{k}(ptr %offline)" for k in range(len(plan.offline_blocks))]
    return f"""
define internal void @copy(ptr noalias %from, i64 %stride, i64 %count, ptr noalias %to) noinline {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %next]
  %shift = mul i64 %k, %stride
  %source = getelementptr i8, ptr %from, i64 %shift
  %value = load {form.scalar}, ptr %source, align {form.bytes}
  {joined(spread("%value", "%stored", plan, form))}
  %target = getelementptr {kind}, ptr %to, i64 %k
  store {kind} %stored, ptr %target, align {form.vector_bytes if plan.spread else form.bytes}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %count
  br i1 %more, label %next, label %done
done:
  ret void
}}

define void @offline(ptr %args, ptr %steps, i64 %row, ptr %offline) {{
  {joined(code.lines, "ret void")}
}}"""


class _Operand:
    """An array that rows are read from or written to; its fields are contiguous in the table of `@rows`.

    The fields are its address, the row step of the batch, and the inner strides.
    """

    step: str
    stride: str  #: between entries
    rows: list[Rows]  #: from row %i of the batch on: of the vector, or of each row of the matrix

    def __init__(self, group: Group, first: int, zeros: frozenset[int] = frozenset()) -> None:
        self.group, self.zeros = group, zeros
        self.fields = range(first, first + 2 + len(group.shape))

    def enter(self, code: Lines) -> None:
        """Load the fields from the table."""
        self._base = code.entry("ptr", "%table", self.fields.start)
        self.step, *self._strides = (code.entry("i64", "%table", place) for place in self.fields[1:])
        self.stride = self._strides[-1]

    def move(self, code: Lines) -> None:
        """Move to row %i."""
        self.rows, columns = [], self.group.shape[-1]
        base = code.at(self._base, code.new(f"mul i64 %i, {self.step}"))
        for first in range(0, self.group.size, columns):
            base = code.at(base, self._strides[0]) if first else base
            zeros = [place - first for place in self.zeros if place >= first]
            self.rows.append(Rows(base, self.step, self.stride, columns, zeros))

    def ahead(self, code: Moves) -> list[list[str]]:
        """Return IR that transposes the next rows to columns at %ahead, in pieces of a few columns.

        If there are no further rows (not %coming), it reads valid memory instead.
        """
        [rows], form = self.rows, code.form
        following = code.at(rows.base, code.new(f"mul i64 {rows.step}, {form.lanes}"))
        base = code.new(f"select i1 %coming, ptr {following}, ptr %inputs")
        step = code.new(f"select i1 %coming, i64 {rows.step}, i64 0")
        moves = Moves(form, f"ahead{self.fields.start}_")
        place = moves.at("%ahead", self.group.first * form.vector_bytes)
        ends = [1, *moves.to_columns(replace(rows, base=base, step=step), place)]
        return [moves.lines[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _operands(plan: Plan) -> tuple[list[_Operand], list[_Operand]]:
    """Return the online inputs and the outputs, with consecutive fields in the table."""
    inputs: list[_Operand] = []
    outputs: list[_Operand] = []
    first = 0
    for group in plan.loops["bound"].inputs:
        inputs.append(_Operand(group, first))
        first = inputs[-1].fields.stop
    for group in plan.outputs:
        outputs.append(_Operand(group, first, plan.zeros(group)))
        first = outputs[-1].fields.stop
    return inputs, outputs


class _Rows(Moves):
    """`@rows`: process the rows from %start to %end, `lanes` at a time, of the arrays in %table."""

    def __init__(self, plan: Plan, form: Format, constants: Constants) -> None:
        super().__init__(form, "m")
        self.plan, self.constants = plan, constants
        self.inputs, self.outputs = _operands(plan)

    def text(self) -> str:
        self._enter()
        pieces = self._next_rows()
        self._feed()
        functions = self._compute(pieces)
        self._drain()
        self.new(f"add i64 %i, {self.form.lanes}", "next")
        self.fork(self.new("icmp slt i64 %next, %end"), "next_rows", "done")
        self.label("done")
        areas = ", ".join(f"ptr noalias %{area}{'_area' if area == 'inputs' else ''}" for area in AREAS)
        head = f"define internal void @rows(ptr noalias %table, i64 %start, i64 %end, {areas}) noinline alignstack(64)"
        return "\n".join([*functions, f"{head} {{\n  {joined(self.lines, 'ret void')}\n}}"])

    def _enter(self) -> None:
        """Determine the memory layout: contiguous entries, contiguous columns."""
        self.label("entry")
        for operand in (*self.inputs, *self.outputs):
            operand.enter(self)
        sides = (self.inputs, self.outputs)
        self.dense_in, self.dense_out = (
            self.every(self.equal("i64", operand.stride, self.form.bytes) for operand in side) for side in sides
        )
        self.by_columns = self.every(self.equal("i64", operand.step, self.form.bytes) for operand in self.inputs)
        self.lines += constant_outputs(self.plan, self.form, self.constants)

    def _next_rows(self) -> list[list[str]]:
        """Advance to the next rows; return IR, in pieces, that transposes the rows after them."""
        ahead = _turns_ahead(self.plan)
        second = self.at("%inputs_area", self.plan.online_width * self.form.vector_bytes if ahead else 0)
        self.go("next_rows")
        self.label("next_rows")
        self.new("phi i64 [%start, %entry], [%next, %written]", "i")
        self.new("phi ptr [%inputs_area, %entry], [%ahead, %written]", "inputs")
        self.new(f"phi ptr [{second}, %entry], [%inputs, %written]", "ahead")
        self.turned_before = self.new("phi i1 [false, %entry], [%coming, %written]")
        after = self.new("sub i64 %end, %i")
        self.new(f"sub i64 {after}, 1", "last")
        self.enough, more = (self.new(f"icmp sge i64 {after}, {k * self.form.lanes}") for k in (1, 2))
        self.alone = self.equal("i64", after, 1)
        for operand in (*self.inputs, *self.outputs):
            operand.move(self)
        self.new(f"and i1 {self.dense_in if ahead else 'false'}, {more}", "coming")
        return [piece for operand in self.inputs for piece in operand.ahead(self)] if ahead else []

    def _feed(self) -> None:
        """Transpose the inputs to columns, unless done already."""
        self.choose("compute", [
            (self.turned_before, lambda: None),
            (self.every((self.dense_in, self.enough)), lambda: self._moved("inputs", self.to_columns)),
            (self.every((self.by_columns, self.enough)), lambda: self._moved("inputs", self.kept_columns)),
            (self.every((self.dense_in, self.alone)), lambda: self._moved("inputs", self.one_to_columns)),
            ("", lambda: self._moved("inputs", None)),
        ])  # fmt: skip

    def _compute(self, pieces: list[list[str]]) -> list[str]:
        """Emit the online blocks; return their functions if there are several."""
        plan, blocks = self.plan, range(len(self.plan.online_blocks))
        if len(blocks) == 1:
            self.lines += online_code(plan, self.form, self.constants, plan.online_blocks[0], meanwhile=pieces)
            return []
        areas = ", ".join(f"ptr %{area}" for area in AREAS)
        self.lines += [f"call void @online{number}({areas})" for number in blocks]
        return [online_block(plan, self.form, self.constants, number) for number in blocks]

    def _drain(self) -> None:
        """Transpose the outputs to rows."""
        self.choose("written", [
            (self.every((self.dense_out, self.enough)), lambda: self._moved("outputs", self.from_columns)),
            (self.every((self.dense_out, self.alone)), lambda: self._moved("outputs", self.one_from_columns)),
            ("", lambda: self._moved("outputs", None)),
        ])  # fmt: skip

    def _moved(self, area: str, move: Callable[[Rows, str], object] | None) -> None:
        """Transpose inputs or outputs by `move`; arrays of any layout and long rows by a loop."""
        for operand in self.inputs if area == "inputs" else self.outputs:
            for k, rows in enumerate(operand.rows):
                place = self.at(f"%{area}", (operand.group.first + k * rows.columns) * self.form.vector_bytes)
                if move is not None and operand.group.size <= LONG[area]:
                    move(rows, place)
                    continue
                function = "load" if area == "inputs" else "store"
                layout = f"i64 {rows.step}, i64 {rows.stride}, i64 {rows.columns}, i64 %last"
                self.lines.append(f"call void @{function}(ptr {rows.base}, {layout}, ptr {place})")


def _turns_ahead(plan: Plan) -> bool:
    """Return whether the code transposes the next rows while it computes."""
    online = [group.size for group in plan.inputs if group.online]
    return len(plan.online_blocks) == 1 and max(online, default=0) <= LONG["inputs"]


def _loop(name: str, plan: Plan, form: Format, host: Host) -> str:
    """Return a NumPy inner loop over the rows of a batch.

    If an offline group is batched, rows are processed one by one, each with its own offline values.
    """
    operands, bound = plan.loops[name], name == "bound"
    widths = {
        "inputs": plan.online_width * (2 if _turns_ahead(plan) else 1),
        "outputs": plan.output_width,
        "crossing": plan.crossing_width,
        "turned": plan.turned_width,
    }
    sizes = {area: width * form.vector_bytes for area, width in widths.items()}
    if not bound:
        sizes["offline"] = plan.offline_width * (form.vector_bytes if plan.spread else form.bytes)
    take, give = workspace(sizes)
    _, save, restore = kept_flags(host)
    code = Lines()
    places = [k for k, group in enumerate(operands.groups) if group.online]
    inputs, outputs = _operands(plan)
    code.lines += ["entry:", *take, *save, f"%table = alloca [{outputs[-1].fields.stop} x i64]"]
    batched = "false"
    for k, group in enumerate(operands.inputs):
        if not group.online:
            moves = code.new(f"icmp ne i64 {code.entry('i64', '%steps', k)}, 0")
            batched = code.new(f"or i1 {batched}, {moves}")
    for k, operand in zip(places, (*inputs, *outputs), strict=True):  # build the table of `@rows`
        sources = [("%args", k), ("%steps", k), *(("%steps", place) for place in operands.strides[k])]
        for place, (array, source) in zip(operand.fields, sources, strict=True):
            code.put("i64", code.entry("i64", array, source), "%table", place)
    prepare = "" if bound else "call void @offline(ptr %args, ptr %steps, i64 %start, ptr %offline)"
    given = {"constants": "@constants", "offline": "%data" if bound else "%offline"}
    areas = ", ".join(f"ptr {given.get(area, f'%{area}')}" for area in AREAS)
    return f"""
define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
  {joined(code.lines)}
  %count = load i64, ptr %dims
  %chunk = select i1 {batched}, i64 1, i64 %count
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %chunks, label %done
chunks:
  %start = phi i64 [0, %entry], [%end, %chunks]
  %end = add i64 %start, %chunk
  {prepare}
  call void @rows(ptr %table, i64 %start, i64 %end, {areas})
  %again = icmp slt i64 %end, %count
  br i1 %again, label %chunks, label %done
done:
  {joined(restore, give, "ret void")}
}}"""


def workspace(sizes: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return IR that allocates named areas of the given sizes in bytes, aligned for vectors, and IR that frees them."""
    size = sum(sizes.values())
    take, give = [f"%space = alloca [{max(size, 1)} x i8], align 64"], list[str]()
    if size > STACK:
        take = [
            f"%heap = call ptr @robosym_malloc(i64 {size + 64})",
            "%address = ptrtoint ptr %heap to i64",
            "%beyond = add i64 %address, 63",
            "%aligned = and i64 %beyond, -64",
            "%space = inttoptr i64 %aligned to ptr",
        ]
        give = ["call void @robosym_free(ptr %heap)"]
    starts = accumulate(sizes.values(), initial=0)
    pointers = (
        f"%{area} = getelementptr i8, ptr %space, i64 {start}" for area, start in zip(sizes, starts, strict=False)
    )
    return [*take, *pointers], give


def kept_flags(host: Host) -> tuple[str, list[str], list[str]]:
    """Return IR that preserves the processor's floating-point flags, which NumPy would turn into warnings.

    The parts are declarations, code at the start, and code at the end.
    """
    if host.is_x86:
        store, load = "@llvm.x86.sse.stmxcsr(ptr", "@llvm.x86.sse.ldmxcsr(ptr"
        return (
            f"declare void {store})\ndeclare void {load})",
            ["%flags = alloca i32", f"call void {store} %flags)"],
            [f"call void {load} %flags)"],
        )
    if host.is_arm:
        return (
            "declare i64 @llvm.aarch64.get.fpsr()\ndeclare void @llvm.aarch64.set.fpsr(i64)",
            ["%flags = call i64 @llvm.aarch64.get.fpsr()"],
            ["call void @llvm.aarch64.set.fpsr(i64 %flags)"],
        )
    return "", [], []
