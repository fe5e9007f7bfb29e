"""Machine code of a model at one precision, and its entry points."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.runtime.capi import OBJECTS, declarations, make_ufunc
from robosym.runtime.engine import Host, build, host
from robosym.runtime.lanes import Format
from robosym.runtime.plan import Group, Operands, Plan
from robosym.runtime.quick_call import name_tables, quick_calls
from robosym.runtime.quick_type import QuickCall
from robosym.runtime.row_loops import row_loops

__all__ = ["Array", "Call", "Entry", "Kernel"]

Array = NDArray[Any]  #: numbers of either precision
Call = Callable[..., Any]  #: function of arrays that returns arrays


class Entry:
    """The entry points of a loop of a kernel and the groups it takes; `batch` is a generalized ufunc."""

    def __init__(self, kernel: Kernel, loop: str, values: Array | None) -> None:
        operands = kernel.plan.loops[loop]
        self.form = kernel.form
        self.groups = tuple(group.name for group in operands.inputs)
        self.outputs = tuple((group.name, group.shape) for group in operands.outputs)
        self._loop, self._engine, self._values = loop, kernel.engine, values
        self._data = 0 if values is None else values.ctypes.data
        self.operands = operands
        self.batch, self._batch_alive = _gufunc(self._address(loop), self._data, operands, self.form)

    def _address(self, name: str) -> int:
        address: int = self._engine.get_function_address(name)
        return address

    @property
    def address(self) -> int:
        """Address of the loop over rows, a NumPy inner loop."""
        return self._address(self._loop)

    def lead(self, caller: QuickCall, fixed: dict[str, Array], rest: Call, wrap: object) -> None:
        """Route calls of `caller` with one state or a table of states, some groups fixed, to machine code.

        `wrap` converts a tuple of several outputs; all other calls go to `rest`.
        """
        caller._call_by(self._address(f"call_{self._loop}"), self._data, fixed, rest, wrap, self)


class Kernel:
    """Machine code of a model at one precision."""

    def __init__(self, plan: Plan, single: bool, machine: Host | None = None, cached: bool = True) -> None:
        machine = machine or host()
        self.plan = plan
        self.form = form = Format(single, machine.vector_bytes // (4 if single else 8), machine.fused)
        # interned names are usually identical objects and are then found by their address
        given = {group: tuple(map(sys.intern, names)) for group, names in plan.given.items()}
        pointers: dict[str, Sequence[object]] = {"objects": tuple(OBJECTS.values())}
        for loop, operands in plan.loops.items():
            pointers |= name_tables(loop, operands, given)
        parts = [row_loops(plan, form, machine), declarations(), quick_calls(plan.loops, form)]
        self.engine = build("\n".join(parts), machine, pointers, cached)
        self.full = Entry(self, "full", None)

    def bound(self, values: Mapping[str, Array]) -> Entry:
        """Return the entry that takes the online groups; the offline groups are fixed at `values` (one vector each)."""
        operands = self.plan.loops["full"]
        pointers, steps = (ctypes.c_void_p * len(operands.groups))(), (ctypes.c_ssize_t * operands.steps)()
        alive = []
        for k, group in enumerate(operands.inputs):
            if not group.online:
                alive.append(np.ascontiguousarray(values[group.name], self.form.dtype))
                pointers[k] = alive[-1].ctypes.data
                steps[operands.strides[k].start] = self.form.bytes
        each = self.form.lanes if self.plan.spread else 1
        result = _aligned(self.plan.offline_width * each, self.form)
        compute = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_ssize_t, ctypes.c_void_p)(
            self.engine.get_function_address("offline")
        )
        compute(ctypes.addressof(pointers), ctypes.addressof(steps), 0, result.ctypes.data)
        return Entry(self, "bound", result)


def _aligned(count: int, form: Format) -> Array:
    """Return an array of `count` numbers with the alignment of vectors."""
    buffer = np.empty(max(1, count) + form.lanes, form.dtype)
    first = -buffer.ctypes.data % form.vector_bytes // form.bytes
    return buffer[first : first + max(1, count)]


def _gufunc(address: int, data: int, operands: Operands, form: Format) -> tuple[Call, object]:
    """Wrap a loop over rows in a NumPy generalized ufunc; return also the objects that must stay alive.

    `data` is passed to the loop as a pointer. NumPy broadcasts, casts and allocates in C.
    """
    inputs, outputs = operands.inputs, operands.outputs
    if not inputs:
        return _function_of_nothing(address, data, outputs, form), None

    def core(groups: Sequence[Group]) -> str:
        return ",".join(f"({','.join(map(str, group.shape))})" for group in groups)

    one = ctypes.c_void_p * 1
    types = bytes([np.dtype(form.dtype).num] * len(operands.groups))
    kept = (
        one(address),
        one(data),
        ctypes.create_string_buffer(types),
        ctypes.create_string_buffer(b"robosym"),
        ctypes.create_string_buffer(f"{core(inputs)}->{core(outputs)}".encode()),
    )
    functions, values, kinds, name, signature = (ctypes.addressof(part) for part in kept)
    return make_ufunc(functions, values, kinds, len(inputs), len(outputs), name, signature), kept


def _function_of_nothing(address: int, data: int, outputs: Sequence[Group], form: Format) -> Call:
    """Replace the gufunc, which must have an input, by a function without arguments."""
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)

    def call() -> Array | tuple[Array, ...]:
        arrays = [np.empty(group.shape, form.dtype) for group in outputs]
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        strides = [stride for array in arrays for stride in array.strides]
        steps = (ctypes.c_ssize_t * (len(arrays) + len(strides)))(*[0] * len(arrays), *strides)
        loop(pointers, (ctypes.c_ssize_t * 1)(1), steps, data)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    return call
