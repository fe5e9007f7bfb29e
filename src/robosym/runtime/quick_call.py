"""Fast path for one state or a batch of states: a vectorcall function of Python's C API, in LLVM IR.

A gufunc call takes a few microseconds, more than the torques of an arm, and Python code around it several more. This
function reads the arguments directly: vectors, tables with one row per state, dicts of numbers, and `out`. If an
argument is anything else, the call is passed on to the slow path.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from robosym.runtime.capi import DATA, TYPE, field, held, table
from robosym.runtime.lanes import Format, Lines, joined
from robosym.runtime.plan import Group, Operands
from robosym.runtime.quick_type import belonging
from robosym.runtime.readers import readers

__all__ = ["name_tables", "quick_calls"]

#: Flag in the argument count that allows the callee to use the slot before the arguments
#: (PY_VECTORCALL_ARGUMENTS_OFFSET).
_BEFORE = 1 << 63
#: Number of states above which the GIL is released.
_MANY = 64


def quick_calls(loops: Mapping[str, Operands], form: Format) -> str:
    """Return the IR of `@call_<loop>` for each loop, and of the functions they call."""
    calls = (_Call(loop, operands, form).text() for loop, operands in loops.items())
    return "\n".join([readers(form), *calls])


def name_tables(loop: str, operands: Operands, given: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the tables of strings used by the code: the groups followed by `out`, and the names of each group."""
    groups = {f"groups_{loop}": (*(group.name for group in operands.inputs), "out")}
    return groups | {f"names_{loop}{k}": given[group.name] for k, group in enumerate(operands.inputs)}


class _Call(Lines):
    """`(self, args, count, names)`: compute the outputs from groups given by position or name.

    `self` is a `QuickCall`. Its fields are the data pointer of the loop, a dict of fixed groups, a function for calls
    outside the fast path, and a function that converts several outputs. The first `count` arguments are positional,
    the others are named in the tuple `names`, which may be null.
    """

    def __init__(self, loop: str, operands: Operands, form: Format) -> None:
        super().__init__()
        self.loop, self.operands, self.form = loop, operands, form
        self.several = len(operands.outputs) != 1

    def text(self) -> str:
        loop, inputs, groups = self.loop, self.operands.inputs, len(self.operands.groups)
        tables = [table(f"groups_{loop}", len(inputs) + 1)]
        tables += [table(f"names_{loop}{k}", group.size) for k, group in enumerate(inputs)]
        self.lines += [
            "start:",
            f"%pointers = alloca [{groups} x ptr]",
            f"%steps = alloca [{self.operands.steps} x i64]",
            "%dims = alloca i64",
            "%shape = alloca [3 x i64]",
            *(f"%buffer{k} = alloca [{group.size} x {self.form.scalar}]" for k, group in enumerate(inputs)),
            "store i64 -1, ptr %dims",  # the number of rows is still unknown
            f"store [{groups} x i64] zeroinitializer, ptr %steps",
        ]
        self._count_given()
        for k, group in enumerate(inputs):
            self._take(k, group)
        seen = self.load("i64", "%dims")
        self.new(f"icmp ne i64 {seen}, -1", "batch")
        self.new(f"select i1 %batch, i64 {seen}, i64 1", "rows")
        self.store("i64", "%rows", "%dims")
        self.fork(self.exists("%out"), "given_places", "new_places")
        self._given_outputs()
        self._new_outputs()
        self._compute()
        self._finish()
        arguments = "ptr %self, ptr %args, i64 %count, ptr %names"
        return "\n".join([*tables, f"define ptr @call_{loop}({arguments}) {{\n  {joined(self.lines)}\n}}"])

    def _count_given(self) -> None:
        """Continue if all groups are given, and possibly %out."""
        groups = len(self.operands.inputs)
        self.new(f"and i64 %count, {_BEFORE - 1}", "by_place")
        fixed = self.new(f"call i64 @PyDict_Size(ptr {self._belonging('fixed')})")
        some_fixed, some_placed = (self.new(f"icmp ne i64 {count}, 0") for count in (fixed, "%by_place"))
        # positions would refer to other groups than the loop's
        self.fork(self.new(f"and i1 {some_fixed}, {some_placed}"), "rest", "clear")
        self.label("clear")
        self.fork(self.exists("%names"), "count_names", "add")
        self.label("count_names")
        names = self.new("call i64 @PyTuple_Size(ptr %names)")
        self.go("add")
        self.label("add")
        self.new(f"phi i64 [0, %clear], [{names}, %count_names]", "by_name")
        known = self.new(f"add i64 {self.new('add i64 %by_place, %by_name')}, {fixed}")
        self.fork(self.equal("i64", known, groups), "counted", "one_more")
        self.label("one_more")
        self.fork(self.equal("i64", known, groups + 1), "look_out", "rest")
        self.label("look_out")
        out = self._named("0", self.entry("ptr", f"@groups_{self.loop}", groups))
        self.fork(self.exists(out), "counted", "rest")
        self.label("counted")
        self.new(f"phi ptr [null, %add], [{out}, %look_out]", "out")

    def _belonging(self, name: str) -> str:
        return belonging(self, name)

    def _named(self, likely: str, key: str) -> str:
        """Return the argument given under a name."""
        given = f"ptr %args, i64 %by_place, ptr %names, i64 %by_name, i64 {likely}, ptr {key}"
        return self.new(f"call ptr @named({given})")

    def _take(self, k: int, group: Group) -> None:
        """Find group k by position, by name or among the fixed ones, and store its pointer and strides."""
        key = self.entry("ptr", f"@groups_{self.loop}", k)
        self.fork(self.new(f"icmp ugt i64 %by_place, {k}"), f"place{k}", f"name{k}")
        self.label(f"place{k}")
        item = self.entry("ptr", "%args", k)
        self.go(f"look{k}")
        self.label(f"name{k}")
        named = self._named(self.new(f"sub i64 {k}, %by_place"), key)
        self.fork(self.exists(named), f"look{k}", f"fixed{k}")
        self.label(f"fixed{k}")
        fixed = self.new(f"call ptr @PyDict_GetItemWithError(ptr {self._belonging('fixed')}, ptr {key})")
        self.fork(self.exists(fixed), f"look{k}", "rest")
        self.label(f"look{k}")
        found = self.new(f"phi ptr [{item}, %place{k}], [{named}, %name{k}], [{fixed}, %fixed{k}]")
        given = f"ptr {found}, i64 {group.size}, ptr @names_{self.loop}{k}, ptr %buffer{k}, ptr %dims"
        self.require(self.new(f"call i1 @vector({given}, {self._noted(k)})"), "rest")

    def _noted(self, k: int) -> str:
        """Return the addresses where pointer, row step and first stride of an operand are stored."""
        places = (("%pointers", k), ("%steps", k), ("%steps", self.operands.strides[k].start))
        return ", ".join(f"ptr {self.at(array, place, 'i64')}" for array, place in places)

    def _given_outputs(self) -> None:
        """Use the arrays of %out if they fit and do not overlap others."""
        outputs, first = self.operands.outputs, len(self.operands.inputs)
        self.label("given_places")
        if self.several:
            self.require(self.equal("ptr", field(self, "ptr", "%out", TYPE), held(self, "tuple")), "rest")
            count = self.new("call i64 @PyTuple_Size(ptr %out)")
            self.require(self.equal("i64", count, len(outputs)), "rest")
        for k, group in enumerate(outputs):
            array = self.new(f"call ptr @PyTuple_GetItem(ptr %out, i64 {k})") if self.several else "%out"
            down, across = (0, *group.shape)[-2:]
            given = f"ptr {array}, i1 %batch, i64 %rows, i64 {down}, i64 {across}, {self._noted(first + k)}"
            self.require(self.new(f"call i1 @place({given})"), "rest")
        spans = [self._span(k, group) for k, group in enumerate(self.operands.groups)]
        apart = self.new("icmp sgt i64 %rows, 0")
        for k in range(first, len(spans)):
            for begin, end in spans[:k]:
                before = self.new(f"icmp ule i64 {spans[k][1]}, {begin}")
                behind = self.new(f"icmp ule i64 {end}, {spans[k][0]}")
                apart = self.new(f"and i1 {apart}, {self.new(f'or i1 {before}, {behind}')}")
        self.fork(apart, "apart", "rest")  # NumPy handles overlapping arrays
        self.label("apart")
        self.go("compute")

    def _span(self, k: int, group: Group) -> tuple[str, str]:
        """Return the range of addresses of an operand."""
        low = high = self.entry("i64", "%pointers", k)
        rows_less = self.new("sub i64 %rows, 1")
        lengths = [rows_less, *(str(length - 1) for length in group.shape)]
        for length, place in zip(lengths, (k, *self.operands.strides[k]), strict=True):
            reach = self.new(f"mul i64 {self.entry('i64', '%steps', place)}, {length}")
            low = self.new(f"add i64 {low}, {self.new(f'call i64 @llvm.smin.i64(i64 {reach}, i64 0)')}")
            high = self.new(f"add i64 {high}, {self.new(f'call i64 @llvm.smax.i64(i64 {reach}, i64 0)')}")
        return low, self.new(f"add i64 {high}, {self.form.bytes}")

    def _new_outputs(self) -> None:
        """Allocate the arrays of the outputs, in a tuple if there are several."""
        outputs, first, form = self.operands.outputs, len(self.operands.inputs), self.form
        self.label("new_places")
        self.store("i64", "%rows", "%shape")
        array_type = held(self, "array")
        if self.several:
            self.new(f"call ptr @PyTuple_New(i64 {len(outputs)})", "made")
            self.require(self.exists("%made"), "no_memory")
        for k, group in enumerate(outputs):
            for axis, place in enumerate(self.operands.strides[first + k], 1):
                self.put("i64", group.shape[axis - 1], "%shape", axis)
                self.put("i64", form.bytes * prod(group.shape[axis:]), "%steps", place)
            axes = len(group.shape)
            ndim = self.new(f"select i1 %batch, i32 {axes + 1}, i32 {axes}")
            lengths = self.new(f"select i1 %batch, ptr %shape, ptr {self.at('%shape', 1, 'i64')}")
            kind = f"i32 {np.dtype(form.dtype).num}, ptr null, ptr null, i32 0, i32 0, ptr null"
            made = f"call ptr @PyArray_New(ptr {array_type}, i32 {ndim}, ptr {lengths}, {kind})"
            array = self.new(made, "" if self.several else "made")
            self.require(self.exists(array), "give_up" if self.several else "no_memory")
            self.put("ptr", field(self, "ptr", array, DATA), "%pointers", first + k)
            self.put("i64", group.size * form.bytes, "%steps", first + k)
            if self.several:
                self.new(f"call i32 @PyTuple_SetItem(ptr %made, i64 {k}, ptr {array})")
        self.go("places_made")
        self.label("places_made")
        self.go("compute")

    def _compute(self) -> None:
        self.label("compute")
        self.new("phi ptr [%out, %apart], [%made, %places_made]", "result")
        data = self._belonging("data")
        self.fork(self.new(f"icmp sge i64 %rows, {_MANY}"), "unlocked", "locked")
        run = f"call void @{self.loop}(ptr %pointers, ptr %dims, ptr %steps, ptr {data})"
        self.lines += ["locked:", run, "br label %computed", "unlocked:"]
        thread = self.new("call ptr @PyEval_SaveThread()")
        self.lines += [run, f"call void @PyEval_RestoreThread(ptr {thread})", "br label %computed", "computed:"]

    def _finish(self) -> None:
        """Return %result, converted if there are several outputs, or the result of the slow path."""
        in_place = self.equal("ptr", "%result", "%out")
        if self.several:
            wrap = self._belonging("wrap")
            answer = self.new(f"call ptr @PyObject_Call(ptr {wrap}, ptr %result, ptr null)")
            self.fork(in_place, "return", "release")
            self.lines += ["release:", "call void @Py_DecRef(ptr %result)"]
        else:
            answer = "%result"
            self.fork(in_place, "again", "return")
            self.lines += ["again:", "call void @Py_IncRef(ptr %result)"]
        self.lines += ["br label %return", "return:", f"ret ptr {answer}"]
        if self.several:
            self.lines += ["give_up:", "call void @Py_DecRef(ptr %made)", "br label %no_memory"]
        self.lines += ["no_memory:", "ret ptr null", "rest:", "call void @PyErr_Clear()"]
        careful = self._belonging("careful")
        answer = self.new(f"call ptr @handed_on(ptr {careful}, ptr %args, i64 %by_place, ptr %names)")
        self.lines.append(f"ret ptr {answer}")
