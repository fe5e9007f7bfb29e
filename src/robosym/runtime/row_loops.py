"""A model as LLVM IR: the loops that feed rows of NumPy arrays to its straight-line code.

Of every `lanes` rows the inputs are turned into columns, the blocks compute, and the outputs are written back to rows
(`@rows`). Where one block does it all, it turns the next rows meanwhile: that takes other parts of the processor than
its operations do. What depends on parameters alone is computed before, once (`@offline`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from robosym.runtime.constants import Constants
from robosym.runtime.engine import Host
from robosym.runtime.lanes import Format, joined, load, store
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
)
from robosym.runtime.transpose import (
    from_columns,
    kept_columns,
    one_from_columns,
    one_to_columns,
    to_columns,
    to_columns_in_pieces,
)

__all__ = ["BRANCH_WEIGHTS", "kept_flags", "row_loops", "workspace"]

#: Beyond this many bytes the workspace is taken from the heap: a thread's stack may be small.
STACK = 1 << 16
#: Columns beyond which a group is turned in a loop.
LONG = {"inputs": 48, "outputs": 512}
#: Metadata for branches that are almost never taken.
BRANCH_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 1000000}'


def row_loops(plan: Plan, form: Format, host: Host) -> str:
    """IR of the loops `@full` and `@bound` (signature of a NumPy inner loop) and of all that they call.

    `@full` takes every group of inputs; `@bound` takes those on line, and the values off line from its data pointer.
    `@offline` computes these from the groups off line.
    """
    constants = Constants(form)
    parts = [
        *lane_functions({node.op for node in plan.model.nodes}, form),
        sine_and_cosine(form),
        load(form),
        store(form),
        *(offline_block(plan, form, number, nodes) for number, nodes in enumerate(plan.offline_blocks)),
        _offline(plan, form),
        _rows(plan, form, constants),
        kept_flags(host)[0],
        _loop("full", plan, form, host, plan.inputs),
        _loop("bound", plan, form, host, [group for group in plan.inputs if group.online]),
        constants.table(),
        BRANCH_WEIGHTS,
    ]
    return "\n".join(parts)


def _operand(form: str, array: str, place: int, name: str) -> list[str]:
    """%name = array[place], of pointers or of integers."""
    return [
        f"%{name}_at = getelementptr i64, ptr %{array}, i64 {place}",
        f"%{name} = load {form}, ptr %{name}_at",
    ]


def _offline(plan: Plan, form: Format) -> str:
    """`@offline`: row %row of the groups off line copied side by side, then what is computed from them.

    Where the code on line finds them so, each value stands in every lane of a vector.
    """
    lines = []
    total = len(plan.inputs) + len(plan.outputs)
    for k, group in enumerate(plan.inputs):
        if not group.online:
            lines += [
                *_operand("ptr", "args", k, f"base{k}"),
                *_operand("i64", "steps", k, f"step{k}"),
                *_operand("i64", "steps", total + k, f"stride{k}"),
                f"%offset{k} = mul i64 %row, %step{k}",
                f"%row{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}",
                f"%place{k} = getelementptr {offline_kind(plan, form)}, ptr %offline, i64 {group.first}",
                f"call void @copy(ptr %row{k}, i64 %stride{k}, i64 {group.size}, ptr %place{k})",
            ]
    lines += [f"call void @offline{k}(ptr %offline)" for k in range(len(plan.offline_blocks))]
    kind = offline_kind(plan, form)
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
  {joined(lines, "ret void")}
}}"""


class _Operand:
    """An array that the rows are read from or written to, as `@rows` finds it in its table."""

    def __init__(self, group: Group, first: int, name: str, zeros: frozenset[int]) -> None:
        self.group, self.first, self.name, self.zeros = group, first, name, zeros
        self.rows, self.columns = group.shape if len(group.shape) == 2 else (1, group.shape[0])
        #: of the table: where it begins, the step from row to row of the batch, the strides within
        self.fields = ("base", "step", *(("row_stride",) if len(group.shape) == 2 else ()), "stride")

    def found(self) -> Iterator[str]:
        """IR that takes its fields from the table."""
        for k, field in enumerate(self.fields, self.first):
            yield from _operand("ptr" if field == "base" else "i64", "table", k, f"{self.name}{field}")

    def moved(self) -> list[str]:
        """IR that points at row %i."""
        name = self.name
        return [
            f"%{name}offset = mul i64 %i, %{name}step",
            f"%{name}row0 = getelementptr i8, ptr %{name}base, i64 %{name}offset",
            *(
                f"%{name}row{k} = getelementptr i8, ptr %{name}row{k - 1}, i64 %{name}row_stride"
                for k in range(1, self.rows)
            ),
        ]

    def coming(self, form: Format) -> list[str]:
        """IR that points at the rows after those from %i on; where they are not %coming, at what may be read."""
        name = self.name
        return [
            f"%{name}lanes = mul i64 %{name}step, {form.lanes}",
            f"%{name}following = getelementptr i8, ptr %{name}row0, i64 %{name}lanes",
            f"%{name}next_row = select i1 %coming, ptr %{name}following, ptr %inputs",
            f"%{name}next_step = select i1 %coming, i64 %{name}step, i64 0",
        ]

    def vectors(self, area: str, name: str, form: Format) -> Iterator[tuple[int, str, str]]:
        """Each row of a matrix, or the only one: its number, the address of its columns, and IR for that."""
        for k in range(self.rows):
            place = f"%{name}{self.name}place{k}"
            offset = (self.group.first + k * self.columns) * form.vector_bytes
            yield k, place, f"{place} = getelementptr i8, ptr %{area}, i64 {offset}"

    def any_layout(self, function: str, area: str, form: Format, name: str = "any_") -> list[str]:
        """IR that calls `@load` or `@store`; `name` keeps apart what it names."""
        lines = []
        strides = f"i64 %{self.name}step, i64 %{self.name}stride, i64 {self.columns}, i64 %last"
        for k, place, at in self.vectors(area, name, form):
            lines += [at, f"call void @{function}(ptr %{self.name}row{k}, {strides}, ptr {place})"]
        return lines


def _operands(plan: Plan) -> tuple[list[_Operand], list[_Operand]]:
    """The inputs on line and the outputs, their fields one after the other in the table."""
    inputs: list[_Operand] = []
    outputs: list[_Operand] = []
    first = 0
    for groups, kind, found in ((plan.inputs, "in", inputs), (plan.outputs, "out", outputs)):
        for k, group in enumerate(groups):
            if group.online:
                zeros = plan.zeros(group) if kind == "out" else frozenset[int]()
                found.append(_Operand(group, first, f"{kind}{k}_", zeros))
                first += len(found[-1].fields)
    return inputs, outputs


def _rows(plan: Plan, form: Format, constants: Constants) -> str:
    """`@rows`: the rows from %start to %end, `lanes` at a time, of the arrays that %table names."""
    inputs, outputs = _operands(plan)
    blocks, before = [], []
    ahead = _turns_ahead(plan)
    if len(plan.online_blocks) == 1:
        pieces = _ahead(inputs, form) if ahead else []
        blocks = online_code(plan, form, constants, plan.online_blocks[0], meanwhile=pieces)
    else:
        arguments = ", ".join(f"ptr %{area}" for area in AREAS)
        for number in range(len(plan.online_blocks)):
            before.append(online_block(plan, form, constants, number))
            blocks.append(f"call void @online{number}({arguments})")
    tests, dense = [], ["true", "true"]
    for side, operands in enumerate((inputs, outputs)):
        for operand in operands:
            tests += [
                f"%{operand.name}beside = icmp eq i64 %{operand.name}stride, {form.bytes}",
                f"%{operand.name}dense = and i1 {dense[side]}, %{operand.name}beside",
            ]
            dense[side] = f"%{operand.name}dense"
    by_columns = "true"
    for operand in inputs:
        tests += [
            f"%{operand.name}kept = icmp eq i64 %{operand.name}step, {form.bytes}",
            f"%{operand.name}columns = and i1 {by_columns}, %{operand.name}kept",
        ]
        by_columns = f"%{operand.name}columns"
    feed = _moved(inputs, "inputs", "load", to_columns, "all_", form)
    feed_columns = _moved(inputs, "inputs", "load", kept_columns, "kept_", form, "stride")
    feed_one = _moved(inputs, "inputs", "load", one_to_columns, "one_", form)
    drain = _moved(outputs, "outputs", "store", from_columns, "all_", form)
    drain_one = _moved(outputs, "outputs", "store", one_from_columns, "one_", form)
    arguments = ", ".join(f"ptr noalias %{area}_area" if area == "inputs" else f"ptr noalias %{area}" for area in AREAS)
    head = "\n".join(before)
    return f"""{head}
define internal void @rows(ptr noalias %table, i64 %start, i64 %end, {arguments}) noinline alignstack(64) {{
entry:
  {joined(*(list(operand.found()) for operand in (*inputs, *outputs)), tests, constant_outputs(plan, form, constants))}
  %second_area = getelementptr i8, ptr %inputs_area, i64 {plan.online_width * form.vector_bytes if ahead else 0}
  br label %next_rows
next_rows:
  %i = phi i64 [%start, %entry], [%next, %written]
  %inputs = phi ptr [%inputs_area, %entry], [%ahead, %written]
  %ahead = phi ptr [%second_area, %entry], [%inputs, %written]
  %turned_before = phi i1 [false, %entry], [%coming, %written]
  %after = sub i64 %end, %i
  %last = sub i64 %after, 1
  %enough = icmp sge i64 %after, {form.lanes}
  %plain_in = and i1 {dense[0]}, %enough
  %plain_out = and i1 {dense[1]}, %enough
  {joined(*(operand.moved() for operand in (*inputs, *outputs)))}
  %alone = icmp eq i64 %after, 1
  %one_in = and i1 {dense[0]}, %alone
  %one_out = and i1 {dense[1]}, %alone
  %more_than_these = icmp sge i64 %after, {2 * form.lanes}
  %coming = and i1 {dense[0] if ahead else "false"}, %more_than_these
  {joined(*(operand.coming(form) for operand in inputs if ahead))}
  br i1 %turned_before, label %compute, label %turn_now
turn_now:
  br i1 %plain_in, label %feed, label %feed_few
feed:
  {joined(feed)}
  br label %compute
feed_few:
  %columns_in = and i1 {by_columns}, %enough
  br i1 %columns_in, label %feed_columns, label %feed_fewer
feed_columns:
  {joined(feed_columns)}
  br label %compute
feed_fewer:
  br i1 %one_in, label %feed_one, label %feed_any
feed_one:
  {joined(feed_one)}
  br label %compute
feed_any:
  {joined(*(operand.any_layout("load", "inputs", form) for operand in inputs))}
  br label %compute
compute:
  {joined(blocks)}
  br i1 %plain_out, label %drain, label %drain_few
drain:
  {joined(drain)}
  br label %written
drain_few:
  br i1 %one_out, label %drain_one, label %drain_any
drain_one:
  {joined(drain_one)}
  br label %written
drain_any:
  {joined(*(operand.any_layout("store", "outputs", form) for operand in outputs))}
  br label %written
written:
  %next = add i64 %i, {form.lanes}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %next_rows, label %done
done:
  ret void
}}"""


def _turns_ahead(plan: Plan) -> bool:
    """Whether the code turns the next rows while it computes."""
    online = [group.size for group in plan.inputs if group.online]
    return len(plan.online_blocks) == 1 and max(online, default=0) <= LONG["inputs"]


def _ahead(inputs: list[_Operand], form: Format) -> list[list[str]]:
    """IR that turns the rows that are coming, as columns at %ahead: in pieces, a few columns each."""
    pieces: list[list[str]] = []
    for operand in inputs:
        name, place = operand.name, f"%ahead_{operand.name}place"
        pieces.append([f"{place} = getelementptr i8, ptr %ahead, i64 {operand.group.first * form.vector_bytes}"])
        row, step = f"%{name}next_row", f"%{name}next_step"
        pieces += to_columns_in_pieces(form, f"ahead_{name}", operand.columns, row, step, place)
    return pieces


def _moved(
    operands: list[_Operand], area: str, function: str, way: Callable[..., list[str]], name: str, form: Format,
    step: str = "step",
) -> list[str]:  # fmt: skip
    """IR that moves operands whose rows are dense one way; long rows go through a loop all the same."""
    lines: list[str] = []
    for operand in operands:
        if operand.group.size > LONG[area]:
            lines += operand.any_layout(function, area, form, f"long_{name}")
            continue
        for k, place, at in operand.vectors(area, name, form):
            own, row, apart = f"{name}{operand.name}{k}_", f"%{operand.name}row{k}", f"%{operand.name}{step}"
            columns = range(k * operand.columns, (k + 1) * operand.columns)
            zeros = [column - columns.start for column in columns if column in operand.zeros]
            lines += [at, *way(form, own, operand.columns, row, apart, place, zeros)]
    return lines


def _loop(name: str, plan: Plan, form: Format, host: Host, inputs: list[Group]) -> str:
    """A NumPy inner loop: the rows of a batch.

    Where a group off line is itself batched, the rows are taken one by one, each with its own values off line.
    """
    total = len(inputs) + len(plan.outputs)
    bound = name == "bound"
    setup, batched = [], "false"
    for k, group in enumerate(inputs):
        if not group.online:
            setup += [
                *_operand("i64", "steps", k, f"step{k}"),
                f"%moves{k} = icmp ne i64 %step{k}, 0",
                f"%batched{k} = or i1 {batched}, %moves{k}",
            ]
            batched = f"%batched{k}"
    # the table of `@rows` from NumPy's: pointers, steps, then the strides within each operand
    sides = _operands(plan)
    online = [k for k, group in enumerate(inputs) if group.online]
    places = [*online, *range(len(inputs), total)]
    core = total + len(inputs)
    for place, operand in zip(places, (*sides[0], *sides[1]), strict=True):
        sources = [("args", place), ("steps", place)]
        if place < len(inputs):
            sources.append(("steps", total + place))
        else:
            strides = len(operand.fields) - 2
            sources += [("steps", core + k) for k in range(strides)]
            core += strides
        for k, (array, source) in enumerate(sources, operand.first):
            setup += [
                *_operand("i64", array, source, f"copied{k}"),
                f"%copy{k} = getelementptr i64, ptr %table, i64 {k}",
                f"store i64 %copied{k}, ptr %copy{k}",
            ]
    fields = sum(len(operand.fields) for side in sides for operand in side)
    widths = {
        "inputs": plan.online_width * (2 if _turns_ahead(plan) else 1),
        "outputs": plan.output_width,
        "crossing": plan.crossing_width,
        "turned": plan.turned_width,
    }
    pointers, size = [f"%table = alloca [{fields} x i64]"], 0
    for area, width in widths.items():
        pointers.append(f"%{area} = getelementptr i8, ptr %space, i64 {size}")
        size += width * form.vector_bytes
    if not bound:
        pointers.append(f"%offline = getelementptr i8, ptr %space, i64 {size}")
        size += plan.offline_width * (form.vector_bytes if plan.spread else form.bytes)
    take, give = workspace(size)
    _, save, restore = kept_flags(host)
    prepare = "" if bound else "call void @offline(ptr %args, ptr %steps, i64 %start, ptr %offline)"
    given = {"constants": "@constants", "offline": "%data" if bound else "%offline"}
    areas = ", ".join(f"ptr {given.get(area, f'%{area}')}" for area in AREAS)
    return f"""
define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  {joined(take, save, pointers, setup)}
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


def workspace(size: int) -> tuple[list[str], list[str]]:
    """IR that takes `size` bytes aligned for vectors as %space, and that gives them back."""
    if size <= STACK:
        return [f"%space = alloca [{max(size, 1)} x i8], align 64"], []
    take = [
        f"%heap = call ptr @robosym_malloc(i64 {size + 64})",
        "%address = ptrtoint ptr %heap to i64",
        "%beyond = add i64 %address, 63",
        "%aligned = and i64 %beyond, -64",
        "%space = inttoptr i64 %aligned to ptr",
    ]
    return take, ["call void @robosym_free(ptr %heap)"]


def kept_flags(host: Host) -> tuple[str, list[str], list[str]]:
    """IR that keeps the processor's floating-point flags as they were: NumPy would turn them into warnings.

    Declarations, what comes first and what comes last.
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
