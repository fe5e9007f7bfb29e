"""The quick way in for one state or a batch of them: a function of Python's C interface, in IR.

A gufunc takes a few microseconds a call, more than the torques of an arm do, and what is in Python around it several
more. This function looks at the arguments itself: vectors, or tables with a row for each state, of numbers of its
precision, dicts of numbers, and `out`. Whenever one is anything else, it hands the call on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robosym.runtime.capi import DATA, TYPE, field, held, table
from robosym.runtime.lanes import Format, joined
from robosym.runtime.plan import Group
from robosym.runtime.quick_type import belonging

__all__ = ["name_tables", "quick_call"]

#: In the count of arguments: the caller lets the place before them be used (PY_VECTORCALL_ARGUMENTS_OFFSET).
_BEFORE = 1 << 63
#: States from which on other threads of Python may run meanwhile.
_MANY = 64


def quick_call(loop: str, inputs: Sequence[tuple[Group, tuple[str, ...]]], outputs: list[Group], form: Format) -> str:
    """IR of `@call_<loop>`: `(self, args, count, names)`, the groups by position or name to the outputs, on some rows.

    Inputs come with their names. `self` is a `Quick`, to which belong the data pointer of the loop, a dict of groups
    that are not given in a call, a function that takes every call for which something is not as expected, and what
    makes the result of the outputs where there are several. After the arguments by position, as many as `count` says,
    come those by name; `names` is a tuple, or null.
    """
    total, several = len(inputs) + len(outputs), len(outputs) != 1
    core = len(inputs) + sum(len(group.shape) for group in outputs)
    tables = [table(name, len(entries)) for name, entries in name_tables(loop, inputs).items()]
    lines = [
        held("array", "array_type"),
        f"%pointers = alloca [{total} x ptr]",
        f"%steps = alloca [{total + core} x i64]",
        "%dims = alloca i64",
        "%shape = alloca [3 x i64]",
        *(f"%buffer{k} = alloca [{group.size} x {form.scalar}]" for k, (group, _) in enumerate(inputs)),
        "store i64 -1, ptr %dims",  # no table of rows was seen yet
        f"store [{total} x i64] zeroinitializer, ptr %steps",
        *_count_given(loop, len(inputs)),
        *(line for k, (group, _) in enumerate(inputs) for line in _take(loop, k, group, total)),
        f"group{len(inputs)}:",
        "%seen = load i64, ptr %dims",
        "%batch = icmp ne i64 %seen, -1",
        "%rows = select i1 %batch, i64 %seen, i64 1",
        "store i64 %rows, ptr %dims",
        "%placed = icmp ne ptr %out, null",
        "br i1 %placed, label %given_places, label %new_places",
        "given_places:",
        *_given_outputs(inputs, outputs, several, form),
        "new_places:",
        *_new_outputs(outputs, len(inputs), several, form),
        "br label %compute",
        "compute:",
        "%kept_out = phi ptr [%out, %apart], [null, %places_made]",
        "%fresh = phi ptr [null, %apart], [%made_result, %places_made]",
        belonging("data"),
        f"%many = icmp sge i64 %rows, {_MANY}",
        "br i1 %many, label %unlocked, label %locked",
        "locked:",
        f"call void @{loop}(ptr %pointers, ptr %dims, ptr %steps, ptr %data)",
        "br label %computed",
        "unlocked:",
        "%thread = call ptr @PyEval_SaveThread()",
        f"call void @{loop}(ptr %pointers, ptr %dims, ptr %steps, ptr %data)",
        "call void @PyEval_RestoreThread(ptr %thread)",
        "br label %computed",
        "computed:",
        "%in_place = icmp ne ptr %kept_out, null",
        "%result = select i1 %in_place, ptr %kept_out, ptr %fresh",
        *_finish(several),
        "no_memory:",
        "ret ptr null",
        "rest:",
        "call void @PyErr_Clear()",
        belonging("careful"),
        "%answer = call ptr @handed_on(ptr %careful, ptr %args, i64 %by_place, ptr %names)",
        "ret ptr %answer",
    ]
    head = "\n".join(tables)
    arguments = "ptr %self, ptr %args, i64 %count, ptr %names"
    return f"{head}\ndefine ptr @call_{loop}({arguments}) {{\nstart:\n  {joined(lines)}\n}}"


def name_tables(loop: str, inputs: Sequence[tuple[Group, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """The tables of strings that the code looks at: the groups with `out` after them, and the names of each."""
    groups = {f"groups_{loop}": (*(group.name for group, _ in inputs), "out")}
    return groups | {f"names_{loop}{k}": names for k, (_, names) in enumerate(inputs)}


def _count_given(loop: str, groups: int) -> list[str]:
    """IR that goes on to the first group if as many are given as there are, and perhaps %out besides."""
    return [
        f"%by_place = and i64 %count, {_BEFORE - 1}",
        belonging("fixed"),
        "%fixed_size = call i64 @PyDict_Size(ptr %fixed)",
        "%some_fixed = icmp ne i64 %fixed_size, 0",
        "%some_placed = icmp ne i64 %by_place, 0",
        "%unclear = and i1 %some_fixed, %some_placed",  # places then count other groups than the loop's
        "br i1 %unclear, label %rest, label %clear",
        "clear:",
        "%some_named = icmp ne ptr %names, null",
        "br i1 %some_named, label %count_names, label %add",
        "count_names:",
        "%names_size = call i64 @PyTuple_Size(ptr %names)",
        "br label %add",
        "add:",
        "%by_name = phi i64 [0, %clear], [%names_size, %count_names]",
        "%given = add i64 %by_place, %by_name",
        "%known = add i64 %given, %fixed_size",
        f"%all = icmp eq i64 %known, {groups}",
        "br i1 %all, label %counted, label %one_more",
        "one_more:",
        f"%surplus = icmp eq i64 %known, {groups + 1}",
        "br i1 %surplus, label %look_out, label %rest",
        "look_out:",
        f"%key_out_at = getelementptr ptr, ptr @groups_{loop}, i64 {groups}",
        "%key_out = load ptr, ptr %key_out_at",
        "%out_found = call ptr @named(ptr %args, i64 %by_place, ptr %names, i64 %by_name, i64 0, ptr %key_out)",
        "%has_out = icmp ne ptr %out_found, null",
        "br i1 %has_out, label %counted, label %rest",
        "counted:",
        "%out = phi ptr [null, %add], [%out_found, %look_out]",
        "br label %group0",
    ]


def _take(loop: str, k: int, group: Group, total: int) -> list[str]:
    """IR that finds group k: given by position, by name, or fixed; its pointer and its strides are noted."""
    return [
        f"group{k}:",
        f"%key{k}_at = getelementptr ptr, ptr @groups_{loop}, i64 {k}",
        f"%key{k} = load ptr, ptr %key{k}_at",
        f"%placed{k} = icmp ugt i64 %by_place, {k}",
        f"br i1 %placed{k}, label %place{k}, label %name{k}",
        f"place{k}:",
        f"%item{k}_at = getelementptr ptr, ptr %args, i64 {k}",
        f"%item{k} = load ptr, ptr %item{k}_at",
        f"br label %look{k}",
        f"name{k}:",
        f"%likely{k} = sub i64 {k}, %by_place",
        f"%value{k} = call ptr @named(ptr %args, i64 %by_place, ptr %names, i64 %by_name, i64 %likely{k}, ptr %key{k})",
        f"%found{k} = icmp ne ptr %value{k}, null",
        f"br i1 %found{k}, label %look{k}, label %fixed{k}",
        f"fixed{k}:",
        f"%kept{k} = call ptr @PyDict_GetItemWithError(ptr %fixed, ptr %key{k})",
        f"%exists{k} = icmp ne ptr %kept{k}, null",
        f"br i1 %exists{k}, label %look{k}, label %rest",
        f"look{k}:",
        f"%a{k} = phi ptr [%item{k}, %place{k}], [%value{k}, %name{k}], [%kept{k}, %fixed{k}]",
        f"%pointer{k} = getelementptr ptr, ptr %pointers, i64 {k}",
        f"%outer{k} = getelementptr i64, ptr %steps, i64 {k}",
        f"%step{k} = getelementptr i64, ptr %steps, i64 {total + k}",
        f"%good{k} = call i1 @vector(ptr %a{k}, i64 {group.size}, ptr @names_{loop}{k}, ptr %buffer{k}, "
        f"ptr %dims, ptr %pointer{k}, ptr %outer{k}, ptr %step{k})",
        f"br i1 %good{k}, label %group{k + 1}, label %rest",
    ]


def _new_outputs(outputs: list[Group], inputs: int, several: bool, form: Format) -> list[str]:
    """IR that makes the arrays of the outputs, in a tuple where there are several, and notes where they are."""
    lines = ["store i64 %rows, ptr %shape"]
    if several:
        lines += [
            f"%made_result = call ptr @PyTuple_New(i64 {len(outputs)})",
            "%room = icmp ne ptr %made_result, null",
            "br i1 %room, label %out0, label %no_memory",
            "out0:",
        ]
    place = 2 * inputs + len(outputs)  # of the strides within the outputs, after those within the inputs
    for k, group in enumerate(outputs):
        for axis, length in enumerate(group.shape):
            stride = form.bytes * (group.shape[1] if axis < len(group.shape) - 1 else 1)
            lines += [
                f"%length{k}_{axis} = getelementptr i64, ptr %shape, i64 {axis + 1}",
                f"store i64 {length}, ptr %length{k}_{axis}",
                f"%core{k}_{axis} = getelementptr i64, ptr %steps, i64 {place}",
                f"store i64 {stride}, ptr %core{k}_{axis}",
            ]
            place += 1
        array = f"array{k}" if several else "made_result"
        axes = len(group.shape)
        lines += [
            f"%axes{k} = select i1 %batch, i32 {axes + 1}, i32 {axes}",
            f"%alone{k} = getelementptr i64, ptr %shape, i64 1",
            f"%lengths{k} = select i1 %batch, ptr %shape, ptr %alone{k}",
            f"%{array} = call ptr @PyArray_New(ptr %array_type, i32 %axes{k}, ptr %lengths{k}, "
            f"i32 {np.dtype(form.dtype).num}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"%made{k} = icmp ne ptr %{array}, null",
            f"br i1 %made{k}, label %fill{k}, label %{'give_up' if several else 'no_memory'}",
            f"fill{k}:",
            field("ptr", array, DATA, f"data{k}"),
            f"%target{k} = getelementptr ptr, ptr %pointers, i64 {inputs + k}",
            f"store ptr %data{k}, ptr %target{k}",
            f"%apart{k} = getelementptr i64, ptr %steps, i64 {inputs + k}",
            f"store i64 {group.size * form.bytes}, ptr %apart{k}",
            *([f"%put{k} = call i32 @PyTuple_SetItem(ptr %made_result, i64 {k}, ptr %{array})"] if several else []),
        ]
    return [*lines, "br label %places_made", "places_made:"]


def _given_outputs(
    inputs: Sequence[tuple[Group, tuple[str, ...]]], outputs: list[Group], several: bool, form: Format
) -> list[str]:
    """IR that notes where the arrays of %out are, if they fit and lie apart from all else."""
    lines = []
    if several:
        lines += [
            field("ptr", "out", TYPE, "out_type"),
            held("tuple", "tuple_type"),
            "%is_tuple = icmp eq ptr %out_type, %tuple_type",
            "br i1 %is_tuple, label %places, label %rest",
            "places:",
            "%out_count = call i64 @PyTuple_Size(ptr %out)",
            f"%as_many = icmp eq i64 %out_count, {len(outputs)}",
            "br i1 %as_many, label %take_place0, label %rest",
            "take_place0:",
        ]
    first, total = len(inputs), len(inputs) + len(outputs)
    place = total + len(inputs)
    shapes = [group.shape for group, _ in inputs]
    for k, group in enumerate(outputs):
        array = f"%given_array{k}" if several else "%out"
        if several:
            lines.append(f"{array} = call ptr @PyTuple_GetItem(ptr %out, i64 {k})")
        across = group.shape[-1]
        down = group.shape[0] if len(group.shape) == 2 else 0
        lines += [
            f"%given_pointer{k} = getelementptr ptr, ptr %pointers, i64 {first + k}",
            f"%given_outer{k} = getelementptr i64, ptr %steps, i64 {first + k}",
            f"%given_core{k} = getelementptr i64, ptr %steps, i64 {place}",
            f"%fits{k} = call i1 @place(ptr {array}, i1 %batch, i64 %rows, i64 {down}, i64 {across}, "
            f"ptr %given_pointer{k}, ptr %given_outer{k}, ptr %given_core{k})",
            f"br i1 %fits{k}, label %take_place{k + 1}, label %rest",
            f"take_place{k + 1}:",
        ]
        shapes.append(group.shape)
        place += len(group.shape)
    # between which addresses each lies
    place = total
    lines.append("%rows_less = sub i64 %rows, 1")
    for k, shape in enumerate(shapes):
        strides = [("%rows_less", k), *((str(length - 1), place + axis) for axis, length in enumerate(shape))]
        place += len(shape)
        lines += [
            f"%lies{k}_at = getelementptr i64, ptr %pointers, i64 {k}",
            f"%lies{k} = load i64, ptr %lies{k}_at",
        ]
        low, high = f"%lies{k}", f"%lies{k}"
        for axis, (most, at) in enumerate(strides):
            own = f"{k}_{axis}"
            lines += [
                f"%by{own}_at = getelementptr i64, ptr %steps, i64 {at}",
                f"%by{own} = load i64, ptr %by{own}_at",
                f"%reach{own} = mul i64 %by{own}, {most}",
                f"%down{own} = call i64 @llvm.smin.i64(i64 %reach{own}, i64 0)",
                f"%up{own} = call i64 @llvm.smax.i64(i64 %reach{own}, i64 0)",
                f"%low{own} = add i64 {low}, %down{own}",
                f"%high{own} = add i64 {high}, %up{own}",
            ]
            low, high = f"%low{own}", f"%high{own}"
        lines += [f"%begin{k} = add i64 {low}, 0", f"%end{k} = add i64 {high}, {form.bytes}"]
    clear = "true"
    for k in range(first, total):
        for other in range(k):
            lines += [
                f"%before{k}_{other} = icmp ule i64 %end{k}, %begin{other}",
                f"%after{k}_{other} = icmp ule i64 %end{other}, %begin{k}",
                f"%beside{k}_{other} = or i1 %before{k}_{other}, %after{k}_{other}",
                f"%clear{k}_{other} = and i1 {clear}, %beside{k}_{other}",
            ]
            clear = f"%clear{k}_{other}"
    return [
        *lines,
        "%some = icmp sgt i64 %rows, 0",
        f"%usable = and i1 {clear}, %some",
        "br i1 %usable, label %apart, label %rest",  # NumPy heeds arrays that overlap
        "apart:",
        "br label %compute",
    ]


def _finish(several: bool) -> list[str]:
    """IR that returns %result, a tuple made into what the caller wants."""
    if not several:
        return [
            "br i1 %in_place, label %again, label %return",
            "again:",
            "call void @Py_IncRef(ptr %result)",
            "br label %return",
            "return:",
            "ret ptr %result",
        ]
    return [
        belonging("wrap"),
        "%wrapped = call ptr @PyObject_Call(ptr %wrap, ptr %result, ptr null)",
        "br i1 %in_place, label %return, label %release",
        "release:",
        "call void @Py_DecRef(ptr %result)",
        "br label %return",
        "return:",
        "ret ptr %wrapped",
        "give_up:",
        "call void @Py_DecRef(ptr %made_result)",
        "br label %no_memory",
    ]
