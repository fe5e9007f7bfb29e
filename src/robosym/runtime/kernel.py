"""A model in machine code at one precision, ready to be called."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.runtime.capi import OBJECTS, declarations
from robosym.runtime.engine import Host, build, host
from robosym.runtime.gufunc import gufunc
from robosym.runtime.lanes import Format
from robosym.runtime.plan import Plan
from robosym.runtime.quick_call import name_tables, quick_call
from robosym.runtime.quick_type import Quick
from robosym.runtime.readers import readers
from robosym.runtime.row_loops import row_loops

__all__ = ["Entry", "Kernel"]


class Entry:
    """The ways into a loop of a kernel, with the groups that it takes; `batch` is a generalized ufunc."""

    def __init__(self, kernel: Kernel, loop: str, values: NDArray[Any] | None) -> None:
        inputs = [group for group in kernel.plan.inputs if loop == "full" or group.online]
        self.form = kernel.form
        self.groups = tuple(group.name for group in inputs)
        self.outputs = tuple((group.name, group.shape) for group in kernel.plan.outputs)
        self._loop, self._engine, self._values = loop, kernel.engine, values
        self._data = 0 if values is None else values.ctypes.data
        self.batch, self._batch_alive = gufunc(self._address(loop), self._data, inputs, kernel.plan.outputs, self.form)

    def _address(self, name: str) -> int:
        address: int = self._engine.get_function_address(name)
        return address

    def lead(self, caller: Quick, fixed: dict[str, Any], rest: Callable[..., Any], wrap: object) -> None:
        """Let one state or a table of them, some groups fixed, come in by calls of `caller`.

        `wrap` makes the result of the outputs, if there are several; all calls but the simplest go to `rest`.
        """
        caller._call_by(self._address(f"call_{self._loop}"), self._data, fixed, rest, wrap, self)


class Kernel:
    """The machine code of a model at one precision."""

    def __init__(self, plan: Plan, single: bool, machine: Host | None = None, cached: bool = True) -> None:
        machine = machine or host()
        self.plan = plan
        self.form = form = Format(single, machine.vector_bytes // (4 if single else 8), machine.fused)
        # a name is usually one object wherever it stands, and then found without being read
        named = [(group, tuple(map(sys.intern, plan.given[group.name]))) for group in plan.inputs]
        ways = {"full": named, "bound": [pair for pair in named if pair[0].online]}
        parts = [row_loops(plan, form, machine), declarations(), readers(form)]
        parts += [quick_call(loop, inputs, plan.outputs, form) for loop, inputs in ways.items()]
        pointers: dict[str, Sequence[object]] = {"objects": tuple(OBJECTS.values())}
        for loop, inputs in ways.items():
            pointers |= name_tables(loop, inputs)
        self.engine = build("\n".join(parts), machine, pointers, cached)
        self.full = Entry(self, "full", None)

    def bound(self, values: Mapping[str, NDArray[Any]]) -> Entry:
        """The entry that takes the groups on line alone, those off line fixed at `values` (one vector each)."""
        operands = len(self.plan.inputs) + len(self.plan.outputs)
        pointers = (ctypes.c_void_p * operands)()
        steps = (ctypes.c_ssize_t * (operands + len(self.plan.inputs)))()
        alive = []
        for k, group in enumerate(self.plan.inputs):
            if not group.online:
                alive.append(np.ascontiguousarray(values[group.name], self.form.dtype))
                pointers[k] = alive[-1].ctypes.data
                steps[operands + k] = self.form.bytes
        each = self.form.lanes if self.plan.spread else 1
        result = _aligned(self.plan.offline_width * each, self.form)
        compute = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_ssize_t, ctypes.c_void_p)(
            self.engine.get_function_address("offline")
        )
        compute(ctypes.addressof(pointers), ctypes.addressof(steps), 0, result.ctypes.data)
        return Entry(self, "bound", result)


def _aligned(count: int, form: Format) -> NDArray[Any]:
    """So many numbers, where vectors may begin."""
    room = np.empty(max(1, count) + form.lanes, form.dtype)
    first = -room.ctypes.data % form.vector_bytes // form.bytes
    return room[first : first + max(1, count)]
