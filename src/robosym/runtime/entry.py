"""The quick way in for one state: a function of Python's C interface, in IR.

A gufunc takes a few microseconds a call, more than the torques of an arm do. This function looks at the arguments
itself, and hands the call on whenever one is anything but a vector of doubles of the right length or a dict of numbers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robosym.runtime.capi import ALIGNED, DATA, DESCR, FLAGS, NDIM, NUMBER, SHAPE, STRIDES, TYPE, constant
from robosym.runtime.plan import Group

__all__ = ["entry", "entry_function", "readers"]

_DOUBLE = np.dtype(np.float64)
_KEYWORDS = 0x0003  # METH_VARARGS | METH_KEYWORDS


def _field(kind: str, thing: str, offset: int, name: str) -> str:
    """IR: %name, the field at an offset of %thing."""
    return f"%{name}_at = getelementptr i8, ptr %{thing}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}_at"


def readers() -> str:
    """IR of `@vector`, which finds the numbers of an argument, and of `@by_name`, which takes them from a dict.

    `@vector` leaves a pointer and a stride and says whether it could; %buffer is there to hold what is in a dict.
    """
    return f"""
define internal i1 @vector(ptr %a, i64 %length, ptr %names, ptr %buffer, ptr %pointer, ptr %step) noinline {{
  {_field("ptr", "a", TYPE, "type")}
  %is_array = icmp eq ptr %type, {constant(np.ndarray)}
  br i1 %is_array, label %array, label %other
array:
  {_field("i32", "a", NDIM, "ndim")}
  {_field("ptr", "a", DESCR, "descr")}
  {_field("i32", "a", FLAGS, "flags")}
  %flat = icmp eq i32 %ndim, 1
  %double = icmp eq ptr %descr, {constant(_DOUBLE)}
  %masked = and i32 %flags, {ALIGNED}
  %aligned = icmp ne i32 %masked, 0
  %usual = and i1 %flat, %double
  %usable = and i1 %usual, %aligned
  br i1 %usable, label %measure, label %no
measure:
  {_field("ptr", "a", SHAPE, "shape")}
  %found = load i64, ptr %shape
  %fits = icmp eq i64 %found, %length
  br i1 %fits, label %take, label %no
take:
  {_field("ptr", "a", DATA, "data")}
  {_field("ptr", "a", STRIDES, "strides")}
  %stride = load i64, ptr %strides
  br label %yes
other:
  %is_dict = icmp eq ptr %type, {constant(dict)}
  br i1 %is_dict, label %dict, label %no
dict:
  %complete = call i1 @by_name(ptr %a, i64 %length, ptr %names, ptr %buffer)
  br i1 %complete, label %yes, label %no
yes:
  %from = phi ptr [%data, %take], [%buffer, %dict]
  %by = phi i64 [%stride, %take], [8, %dict]
  store ptr %from, ptr %pointer
  store i64 %by, ptr %step
  ret i1 true
no:
  ret i1 false
}}

define internal i1 @by_name(ptr %dict, i64 %length, ptr %names, ptr %buffer) noinline {{
entry:
  %position = alloca i64
  %key_at = alloca ptr
  %value_at = alloca ptr
  store i64 0, ptr %position
  %size = call i64 @PyDict_Size(ptr %dict)
  %same = icmp eq i64 %size, %length
  br i1 %same, label %next, label %no
next:
  ; most dicts have the names in the order of the model, and looking them up is then not needed
  %k = phi i64 [0, %entry], [%k1, %put]
  %there = call i32 @PyDict_Next(ptr %dict, ptr %position, ptr %key_at, ptr %value_at)
  %key = load ptr, ptr %key_at
  %name_at = getelementptr ptr, ptr %names, i64 %k
  %name = load ptr, ptr %name_at
  %in_order = icmp eq ptr %key, %name
  br i1 %in_order, label %take, label %look
take:
  %taken = load ptr, ptr %value_at
  br label %check
look:
  %looked = call ptr @PyDict_GetItemWithError(ptr %dict, ptr %name)
  %missing = icmp eq ptr %looked, null
  br i1 %missing, label %no, label %check
check:
  %value = phi ptr [%taken, %take], [%looked, %look]
  {_field("ptr", "value", TYPE, "type")}
  %is_float = icmp eq ptr %type, {constant(float)}
  %is_double = icmp eq ptr %type, {constant(np.float64)}
  %is_held = or i1 %is_float, %is_double
  br i1 %is_held, label %held, label %perhaps
held:
  {_field("double", "value", NUMBER, "as_held")}
  br label %put
perhaps:
  %is_int = icmp eq ptr %type, {constant(int)}
  br i1 %is_int, label %convert, label %no
convert:
  %converted = call double @PyFloat_AsDouble(ptr %value)
  br label %put
put:
  %number = phi double [%as_held, %held], [%converted, %convert]
  %target = getelementptr double, ptr %buffer, i64 %k
  store double %number, ptr %target
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %length
  br i1 %more, label %next, label %done
done:
  %error = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %error, null
  br i1 %fine, label %yes, label %no
yes:
  ret i1 true
no:
  call void @PyErr_Clear()
  ret i1 false
}}
"""


def entry(loop: str, inputs: Sequence[tuple[Group, tuple[str, ...]]], outputs: list[Group]) -> str:
    """IR of `@call_<loop>`: `(self, args, kwargs)`, the groups by position or name to the outputs, on one row.

    Inputs come with their names. `self` is a tuple: the data pointer of the loop, a dict of groups that are not given
    in a call, a function that takes every call for which something is not as expected, and what makes the result of
    the outputs where there are several.
    """
    total, several = len(inputs) + len(outputs), len(outputs) != 1
    core = len(inputs) + sum(len(group.shape) for group in outputs)
    tables = []
    lines = [
        f"%pointers = alloca [{total} x ptr]",
        f"%steps = alloca [{total + core} x i64]",
        "%dims = alloca i64",
        "%shape = alloca [2 x i64]",
        *(f"%buffer{k} = alloca [{group.size} x double]" for k, (group, _) in enumerate(inputs)),
        "store i64 1, ptr %dims",
        f"store [{total} x i64] zeroinitializer, ptr %steps",
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
        f"%all = icmp eq i64 %known, {len(inputs)}",
        "br i1 %all, label %group0, label %rest",
    ]
    for k, (group, names) in enumerate(inputs):
        pointers = ", ".join(f"ptr {constant(name)}" for name in names)
        tables.append(f"@names_{loop}{k} = internal constant [{len(names)} x ptr] [{pointers}]")
        key = constant(group.name)
        lines += [
            f"group{k}:",
            f"%placed{k} = icmp ugt i64 %by_place, {k}",
            f"br i1 %placed{k}, label %place{k}, label %name{k}",
            f"place{k}:",
            f"%item{k} = call ptr @PyTuple_GetItem(ptr %args, i64 {k})",
            f"br label %look{k}",
            f"name{k}:",
            f"%value{k} = call ptr @PyDict_GetItemWithError(ptr %names, ptr {key})",
            f"%found{k} = icmp ne ptr %value{k}, null",
            f"br i1 %found{k}, label %look{k}, label %fixed{k}",
            f"fixed{k}:",
            f"%kept{k} = call ptr @PyDict_GetItemWithError(ptr %fixed, ptr {key})",
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
    lines.append(f"group{len(inputs)}:")
    if several:
        lines += [
            f"%result = call ptr @PyTuple_New(i64 {len(outputs)})",
            "%room = icmp ne ptr %result, null",
            "br i1 %room, label %out0, label %no_memory",
            "out0:",
        ]
    place = total + len(inputs)
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
            f"%{array} = call ptr @PyArray_New(ptr {constant(np.ndarray)}, i32 {len(group.shape)}, ptr %shape, "
            f"i32 {_DOUBLE.num}, ptr null, ptr null, i32 0, i32 0, ptr null)",
            f"%made{k} = icmp ne ptr %{array}, null",
            f"br i1 %made{k}, label %fill{k}, label %{'give_up' if several else 'no_memory'}",
            f"fill{k}:",
            _field("ptr", array, DATA, f"data{k}"),
            f"%target{k} = getelementptr ptr, ptr %pointers, i64 {len(inputs) + k}",
            f"store ptr %data{k}, ptr %target{k}",
            *([f"%put{k} = call i32 @PyTuple_SetItem(ptr %result, i64 {k}, ptr %{array})"] if several else []),
        ]
    lines += [
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
    body = "\n  ".join(lines)
    head = "\n".join(tables)
    return f"{head}\ndefine ptr @call_{loop}(ptr %self, ptr %args, ptr %kwargs) {{\nstart:\n  {body}\n}}"


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


def entry_function(
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
