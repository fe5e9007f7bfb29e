"""A loop over rows as a NumPy generalized ufunc: NumPy does the broadcasting, the casting and the allocation, in C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from robosym.runtime.capi import make_ufunc
from robosym.runtime.lanes import Format
from robosym.runtime.plan import Group

__all__ = ["gufunc"]


def gufunc(
    address: int, data: int, inputs: list[Group], outputs: list[Group], form: Format
) -> tuple[Callable[..., Any], object]:
    """The ufunc of the loop at `address`, and what must live as long; `data` is a pointer for the loop."""
    if not inputs:
        return _function_of_nothing(address, data, outputs, form), None

    def core(groups: list[Group]) -> str:
        return ",".join(f"({','.join(map(str, group.shape))})" for group in groups)

    one = ctypes.c_void_p * 1
    types = bytes([np.dtype(form.dtype).num] * (len(inputs) + len(outputs)))
    kept = (
        one(address),
        one(data),
        ctypes.create_string_buffer(types),
        ctypes.create_string_buffer(b"robosym"),
        ctypes.create_string_buffer(f"{core(inputs)}->{core(outputs)}".encode()),
    )
    functions, values, kinds, name, signature = (ctypes.addressof(part) for part in kept)
    return make_ufunc(functions, values, kinds, len(inputs), len(outputs), name, signature), kept


def _function_of_nothing(address: int, data: int, outputs: list[Group], form: Format) -> Callable[[], Any]:
    """In place of a gufunc, which must have an input."""
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)

    def call() -> Any:
        arrays = [np.empty(group.shape, form.dtype) for group in outputs]
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        strides = [stride for array in arrays for stride in array.strides]
        steps = (ctypes.c_ssize_t * (len(arrays) + len(strides)))(*[0] * len(arrays), *strides)
        loop(pointers, (ctypes.c_ssize_t * 1)(1), steps, data)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    return call
