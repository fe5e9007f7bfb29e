"""A model as LLVM IR: the loops that feed rows of NumPy arrays to its straight-line code.

Of every `lanes` rows the inputs are read into columns (`@load`), the blocks compute, and the outputs are written back
to rows (`@store`). What depends on parameters alone is computed before, once (`@offline`).
"""

from __future__ import annotations

from robosym.runtime.engine import Host
from robosym.runtime.lanes import Format, joined, load, store
from robosym.runtime.plan import Group, Plan
from robosym.runtime.sincos import sine_and_cosine
from robosym.runtime.straight import lane_functions, offline_block, online_block

__all__ = ["BRANCH_WEIGHTS", "kept_flags", "row_loops", "workspace"]

#: Beyond this many bytes the workspace is taken from the heap: a thread's stack may be small.
STACK = 1 << 16
#: Metadata for branches that are almost never taken.
BRANCH_WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 1000000}'


def row_loops(plan: Plan, form: Format, host: Host) -> str:
    """IR of the loops `@full` and `@bound` (signature of a NumPy inner loop) and of all that they call.

    `@full` takes every group of inputs; `@bound` takes those on line, and the values off line from its data pointer.
    `@offline` computes these from the groups off line.
    """
    parts = [
        *lane_functions({node.op for node in plan.model.nodes}, form),
        sine_and_cosine(form.lanes),
        load(form),
        store(form),
        *(offline_block(plan, form, number, nodes) for number, nodes in enumerate(plan.offline_blocks)),
        _offline(plan, form),
        *(online_block(plan, form, number, part) for number, part in enumerate(plan.online_blocks)),
        kept_flags(host)[0],
        _loop("full", plan, form, host, plan.inputs),
        _loop("bound", plan, form, host, [group for group in plan.inputs if group.online]),
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
    """`@offline`: copy row %row of the groups off line side by side, then compute what follows from them."""
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
                f"%place{k} = getelementptr i8, ptr %offline, i64 {group.first * form.bytes}",
                f"call void @copy(ptr %row{k}, i64 %stride{k}, i64 {group.size}, ptr %place{k})",
            ]
    lines += [f"call void @offline{k}(ptr %offline)" for k in range(len(plan.offline_blocks))]
    t, size = form.scalar, form.bytes
    return f"""
define internal void @copy(ptr noalias %from, i64 %stride, i64 %count, ptr noalias %to) noinline {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %next]
  %shift = mul i64 %k, %stride
  %source = getelementptr i8, ptr %from, i64 %shift
  %value = load {t}, ptr %source, align {size}
  %target = getelementptr {t}, ptr %to, i64 %k
  store {t} %value, ptr %target, align {size}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %count
  br i1 %more, label %next, label %done
done:
  ret void
}}

define void @offline(ptr %args, ptr %steps, i64 %row, ptr %offline) {{
  {joined(lines, "ret void")}
}}"""


def _feed(inputs: list[Group], total: int, form: Format) -> tuple[list[str], list[str], str]:
    """IR that finds the groups on line, that loads rows of them, and whether a group off line is batched."""
    setup, feed, batched = [], [], "false"
    for k, group in enumerate(inputs):
        setup += _operand("i64", "steps", k, f"step{k}")
        if not group.online:
            setup += [f"%moves{k} = icmp ne i64 %step{k}, 0", f"%batched{k} = or i1 {batched}, %moves{k}"]
            batched = f"%batched{k}"
            continue
        setup += [*_operand("ptr", "args", k, f"base{k}"), *_operand("i64", "steps", total + k, f"stride{k}")]
        feed += [
            f"%offset{k} = mul i64 %i, %step{k}",
            f"%row{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}",
            f"%place{k} = getelementptr i8, ptr %inputs, i64 {group.first * form.vector_bytes}",
            f"call void @load(ptr %row{k}, i64 %step{k}, i64 %stride{k}, i64 {group.size}, i64 %last, ptr %place{k})",
        ]
    return setup, feed, batched


def _drain(outputs: list[Group], first: int, core: int, form: Format) -> tuple[list[str], list[str]]:
    """IR that finds the groups of outputs, and that stores rows of them.

    They are operands from `first` on; the strides within them begin at place `core` of the steps.
    """
    setup, drain = [], []
    for k, group in enumerate(outputs, first):
        setup += [*_operand("ptr", "args", k, f"base{k}"), *_operand("i64", "steps", k, f"step{k}")]
        drain += [f"%offset{k} = mul i64 %i, %step{k}", f"%row{k}_0 = getelementptr i8, ptr %base{k}, i64 %offset{k}"]
        rows, columns = group.shape if len(group.shape) == 2 else (1, group.shape[0])
        if len(group.shape) == 2:
            setup += _operand("i64", "steps", core, f"row_stride{k}")
            core += 1
        setup += _operand("i64", "steps", core, f"stride{k}")
        core += 1
        for row in range(rows):
            if row:
                drain.append(f"%row{k}_{row} = getelementptr i8, ptr %row{k}_{row - 1}, i64 %row_stride{k}")
            place = (group.first + row * columns) * form.vector_bytes
            drain += [
                f"%place{k}_{row} = getelementptr i8, ptr %outputs, i64 {place}",
                f"call void @store(ptr %row{k}_{row}, i64 %step{k}, i64 %stride{k}, i64 {columns}, i64 %last, "
                f"ptr %place{k}_{row})",
            ]
    return setup, drain


def _loop(name: str, plan: Plan, form: Format, host: Host, inputs: list[Group]) -> str:
    """A NumPy inner loop: the rows of a batch, `lanes` at a time.

    Where a group off line is itself batched, the rows are taken one by one, each with its own values off line.
    """
    total = len(inputs) + len(plan.outputs)
    bound = name == "bound"
    find_inputs, feed, batched = _feed(inputs, total, form)
    find_outputs, drain = _drain(plan.outputs, len(inputs), total + len(inputs), form)
    widths = (plan.online_width, plan.output_width, plan.crossing_width)
    places = [sum(widths[:k]) * form.vector_bytes for k in range(4)]
    size = places[3] + plan.offline_width * form.bytes
    pointers = [
        f"%inputs = getelementptr i8, ptr %space, i64 {places[0]}",
        f"%outputs = getelementptr i8, ptr %space, i64 {places[1]}",
        f"%crossing = getelementptr i8, ptr %space, i64 {places[2]}",
        f"%offline = getelementptr i8, ptr %{'data' if bound else 'space'}, i64 {0 if bound else places[3]}",
    ]
    blocks = [
        f"call void @online{k}(ptr %inputs, ptr %offline, ptr %outputs, ptr %crossing)"
        for k in range(len(plan.online_blocks))
    ]
    take, give = workspace(size)
    _, save, restore = kept_flags(host)
    prepare = "" if bound else "call void @offline(ptr %args, ptr %steps, i64 %start, ptr %offline)"
    return f"""
define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  {joined(take, save, pointers, find_inputs, find_outputs)}
  %count = load i64, ptr %dims
  %chunk = select i1 {batched}, i64 1, i64 %count
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %chunks, label %done
chunks:
  %start = phi i64 [0, %entry], [%end, %next_chunk]
  %end = add i64 %start, %chunk
  {prepare}
  br label %rows
rows:
  %i = phi i64 [%start, %chunks], [%next, %rows]
  %after = sub i64 %end, %i
  %last = sub i64 %after, 1
  {joined(feed, blocks, drain)}
  %next = add i64 %i, {form.lanes}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %rows, label %next_chunk
next_chunk:
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
