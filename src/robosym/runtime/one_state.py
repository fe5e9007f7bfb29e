"""The quick way in for one state: a function of Python's C interface, in IR.

A gufunc takes a few microseconds a call, more than the torques of an arm do. This function looks at the arguments
itself, and hands the call on whenever one is anything but a vector of doubles of the right length or a dict of numbers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robosym.runtime.capi import DATA, field, held, table
from robosym.runtime.lanes import joined
from robosym.runtime.plan import Group

__all__ = ["name_tables", "one_state_call", "one_state_function"]

_DOUBLE = np.dtype(np.float64)
_KEYWORDS = 0x0003  # METH_VARARGS | METH_KEYWORDS


def one_state_call(loop: str, inputs: Sequence[tuple[Group, tuple[str, ...]]], outputs: list[Group]) -> str:
    """IR of `@call_<loop>`: `(self, args, kwargs)`, the groups by position or name to the outputs, on one row.

    Inputs come with their names. `self` is a tuple: the data pointer of the loop, a dict of groups that are not given
    in a call, a function that takes every call for which something is not as expected, and what makes the result of
    the outputs where there are several.
    """
    total, several = len(inputs) + len(outputs), len(outputs) != 1
    core = len(inputs) + sum(len(group.shape) for group in outputs)
    tables = [table(name, len(entries)) for name, entries in name_tables(loop, inputs).items()]
    lines = [
        held("array", "array_type"),
        f"%pointers = alloca [{total} x ptr]",
        f"%steps = alloca [{total + core} x i64]",
        "%dims = alloca i64",
        "%shape = alloca [2 x i64]",
        *(f"%buffer{k} = alloca [{group.size} x double]" for k, (group, _) in enumerate(inputs)),
        "store i64 1, ptr %dims",
        f"store [{total} x i64] zeroinitializer, ptr %steps",
        *_count_given(len(inputs)),
        *(line for k, (group, _) in enumerate(inputs) for line in _take(loop, k, group, total)),
        f"group{len(inputs)}:",
        *_make_outputs(outputs, len(inputs), several),
        "%number = call ptr @PyTuple_GetItem(ptr %self, i64 0)",
        "%data = call ptr @PyLong_AsVoidPtr(ptr %number)",
        f"call void @{loop}(ptr %pointers, ptr %dims, ptr %steps, ptr %data)",
        *_finish(several),
        "no_memory:",
        "ret ptr null",
        "rest:",
        "call void @PyErr_Clear()",
        "%other = call ptr @PyTuple_GetItem(ptr %self, i64 2)",
        "%answer = call ptr @PyObject_Call(ptr %other, ptr %args, ptr %kwargs)",
        "ret ptr %answer",
    ]
    head = "\n".join(tables)
    return f"{head}\ndefine ptr @call_{loop}(ptr %self, ptr %args, ptr %kwargs) {{\nstart:\n  {joined(lines)}\n}}"


def name_tables(loop: str, inputs: Sequence[tuple[Group, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """The tables of strings that the code looks at: the groups, and the names of each."""
    groups = {f"groups_{loop}": tuple(group.name for group, _ in inputs)}
    return groups | {f"names_{loop}{k}": names for k, (_, names) in enumerate(inputs)}


def _count_given(groups: int) -> list[str]:
    """IR that goes on to the first group if as many are given as there are."""
    return [
        "%by_place = call i64 @PyTuple_Size(ptr %args)",
        "%fixed = call ptr @PyTuple_GetItem(ptr %self, i64 1)",
        "%fixed_size = call i64 @PyDict_Size(ptr %fixed)",
        "%some_fixed = icmp ne i64 %fixed_size, 0",
        "%some_placed = icmp ne i64 %by_place, 0",
        "%unclear = and i1 %some_fixed, %some_placed",  # places then count other groups than the loop's
        "br i1 %unclear, label %rest, label %clear",
        "clear:",
        "%no_names = icmp eq ptr %kwargs, null",
        "%names = select i1 %no_names, ptr %fixed, ptr %kwargs",
        "%names_size = call i64 @PyDict_Size(ptr %names)",
        "%by_name = select i1 %no_names, i64 0, i64 %names_size",
        "%given = add i64 %by_place, %by_name",
        "%known = add i64 %given, %fixed_size",
        f"%all = icmp eq i64 %known, {groups}",
        "br i1 %all, label %group0, label %rest",
    ]


def _take(loop: str, k: int, group: Group, total: int) -> list[str]:
    """IR that finds group k: given by position, by name, or fixed; its pointer and its stride are noted."""
    return [
        f"group{k}:",
        f"%key{k}_at = getelementptr ptr, ptr @groups_{loop}, i64 {k}",
        f"%key{k} = load ptr, ptr %key{k}_at",
        f"%placed{k} = icmp ugt i64 %by_place, {k}",
        f"br i1 %placed{k}, label %place{k}, label %name{k}",
        f"place{k}:",
        f"%item{k} = call ptr @PyTuple_GetItem(ptr %args, i64 {k})",
        f"br label %look{k}",
        f"name{k}:",
        f"%value{k} = call ptr @PyDict_GetItemWithError(ptr %names, ptr %key{k})",
        f"%found{k} = icmp ne ptr %value{k}, null",
        f"br i1 %found{k}, label %look{k}, label %fixed{k}",
        f"fixed{k}:",
        f"%kept{k} = call ptr @PyDict_GetItemWithError(ptr %fixed, ptr %key{k})",
        f"%exists{k} = icmp ne ptr %kept{k}, null",
        f"br i1 %exists{k}, label %look{k}, label %rest",
        f"look{k}:",
        f"%a{k} = phi ptr [%item{k}, %place{k}], [%value{k}, %name{k}], [%kept{k}, %fixed{k}]",
        f"%pointer{k} = getelementptr ptr, ptr %pointers, i64 {k}",
        f"%step{k} = getelementptr i64, ptr %steps, i64 {total + k}",
        f"%good{k} = call i1 @vector(ptr %a{k}, i64 {group.size}, ptr @names_{loop}{k}, ptr %buffer{k}, "
        f"ptr %pointer{k}, ptr %step{k})",
        f"br i1 %good{k}, label %group{k + 1}, label %rest",
    ]


def _make_outputs(outputs: list[Group], inputs: int, several: bool) -> list[str]:
    """IR that makes the arrays of the outputs, in a tuple where there are several, and notes where they are."""
    lines = []
    if several:
        lines += [
            f"%result = call ptr @PyTuple_New(i64 {len(outputs)})",
            "%room = icmp ne ptr %result, null",
            "br i1 %room, label %out0, label %no_memory",
            "out0:",
        ]
    place = 2 * inputs + len(outputs)  # of the strides within the outputs, after those within the inputs
    for k, group in enumerate(outputs):
        for axis, length in enumerate(group.shape):
            stride = 8 * (group.shape[1] if axis < len(group.shape) - 1 else 1)
            lines += [
                f"%length{k}_{axis} = getelementptr i64, ptr %shape, i64 {axis}",
                f"store i64 {length}, ptr %length{k}_{axis}",
                f"%core{k}_{axis} = getelementptr i64, ptr %steps, i64 {place}",
                f"store i64 {stride}, ptr %core{k}_{axis}",
            ]
            place += 1
        array = f"array{k}" if several else "result"
        lines += [
            f"%{array} = call ptr @PyArray_New(ptr %array_type, i32 {len(group.shape)}, ptr %shape, "
            f"i32 {_DOUBLE.num}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"%made{k} = icmp ne ptr %{array}, null",
            f"br i1 %made{k}, label %fill{k}, label %{'give_up' if several else 'no_memory'}",
            f"fill{k}:",
            field("ptr", array, DATA, f"data{k}"),
            f"%target{k} = getelementptr ptr, ptr %pointers, i64 {inputs + k}",
            f"store ptr %data{k}, ptr %target{k}",
            *([f"%put{k} = call i32 @PyTuple_SetItem(ptr %result, i64 {k}, ptr %{array})"] if several else []),
        ]
    return lines


def _finish(several: bool) -> list[str]:
    """IR that returns %result, a tuple made into what the caller wants."""
    if not several:
        return ["ret ptr %result"]
    return [
        "%wrap = call ptr @PyTuple_GetItem(ptr %self, i64 3)",
        "%wrapped = call ptr @PyObject_Call(ptr %wrap, ptr %result, ptr null)",
        "call void @Py_DecRef(ptr %result)",
        "ret ptr %wrapped",
        "give_up:",
        "call void @Py_DecRef(ptr %result)",
        "br label %no_memory",
    ]


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def one_state_function(
    address: int, data: int, fixed: dict[str, Any], rest: Callable[..., Any], wrap: object, alive: object
) -> Callable[..., Any]:
    """A Python function of `@call_<loop>`, with what belongs into its `self`; it keeps `alive`."""
    definition = _MethodDef(b"robosym", address, _KEYWORDS, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    # Python lets go of a function's `self` last, so that what the function is made of may belong to it
    kept = (data, fixed, rest, wrap, definition, alive)
    function: Callable[..., Any] = make(ctypes.addressof(definition), kept, None)
    return function
