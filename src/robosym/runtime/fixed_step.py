"""Fixed-step integration in machine code: integrator and model in one function, with one trajectory per lane.

The model computes the derivative of the state. Its inputs are the state, in the order of its outputs, followed by
driving inputs (torques, desired motions). These are read from a table with one row per fraction of a step that the
method evaluates: start, middle and end, or quarters. A second model may change the state after each step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError
from robosym.model import Model
from robosym.runtime.engine import Host, build, host
from robosym.runtime.lanes import Constants, Format, Lines, joined, literal
from robosym.runtime.plan import Plan
from robosym.runtime.row_loops import BRANCH_WEIGHTS, kept_flags, workspace
from robosym.runtime.sincos import sine_and_cosine
from robosym.runtime.straight import AREAS, lane_functions, online_block
from robosym.runtime.transpose import any_layout

__all__ = ["METHODS", "FixedStepIntegrator", "Tableau"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method: nodes (in fractions of a step), coefficients and weights."""

    looks: tuple[int, ...]
    stages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    parts: int = 2  #: fractions per step


#: fixed-step methods by name
METHODS = {
    "euler": Tableau((0,), ((),), (1.0,)),
    "midpoint": Tableau((0, 1), ((), (0.5,)), (0.0, 1.0)),
    "heun": Tableau((0, 2), ((), (1.0,)), (0.5, 0.5)),
    "rk4": Tableau((0, 1, 1, 2), ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    "rk5": Tableau(  # Butcher's method of order 5
        (0, 1, 1, 2, 3, 4),
        ((), (1 / 4,), (1 / 8, 1 / 8), (0, -1 / 2, 1), (3 / 16, 0, 0, 9 / 16), (-3 / 7, 2 / 7, 12 / 7, -12 / 7, 8 / 7)),
        (7 / 90, 0, 32 / 90, 12 / 90, 32 / 90, 7 / 90),
        parts=4,
    ),
}

_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_ssize_t
_SIGNATURE = (_POINTER, _POINTER, _COUNT, _COUNT, _POINTER, _COUNT, _COUNT, _COUNT, _COUNT, ctypes.c_double)


class FixedStepIntegrator:
    """Fixed-step integrator of a model of motion; see the module docstring.

    Only for models without parameters: their values are constants of the code, which makes it fast.
    """

    def __init__(self, flow: Model, method: Tableau, after: Model | None = None, alone: bool = False) -> None:
        """Compile the integrator; `alone` is faster, but integrates one trajectory at a time."""
        machine = host()
        self.alone, self.parts = alone, method.parts
        self.form = form = Format(False, machine.vector_bytes // 8, machine.fused)
        # windows would pass values through memory, whose latency slows down a single trajectory (a 6R arm: 1.7e6 steps
        # per second without windows, 1.4e6 with two)
        self.plans = [Plan(model, windows=False) for model in (flow, after) if model is not None]
        self.size = self.plans[0].output_width
        self.driven = self.plans[0].online_width - self.size
        for plan in self.plans:
            if plan.offline_width or plan.output_width != self.size or plan.online_width != self.size + self.driven:
                raise InputError("fixed-step integration needs models with the same state and inputs and no parameters")
        nodes = {node.op for plan in self.plans for node in plan.model.nodes}
        constants = Constants(form)
        parts = [
            *lane_functions(nodes, form), sine_and_cosine(form), any_layout(form, "load"), any_layout(form, "store"),
            kept_flags(machine)[0],
            *(online_block(plan, form, constants, number, name, alone, numbers=True)
              for plan, name in zip(self.plans, ("online", "after"), strict=False)
              for number in range(len(plan.online_blocks))),
            _march(self.plans, method, form, machine), constants.table(), BRANCH_WEIGHTS,
        ]  # fmt: skip
        self._engine = build("\n".join(parts), machine)
        self._run = ctypes.CFUNCTYPE(None, *_SIGNATURE)(self._engine.get_function_address("march"))

    def __call__(self, state: Array, table: Array, step: float, steps: int, every: int = 1) -> Array:
        """Return the states (batch, 1 + steps // every, size) and leave the final state in `state` (batch, size).

        `table` is (batch or 1, parts * steps + 1 or 1, columns); axes of length 1 are broadcast.
        """
        batch = len(state)
        assert batch == 1 or not self.alone
        record = np.empty((batch, 1 + steps // every, self.size))
        table = np.ascontiguousarray(table, dtype=float)
        blocks, rows, columns = table.shape
        if columns != self.driven or blocks not in (1, batch) or rows not in (1, self.parts * steps + 1):
            raise AssertionError((table.shape, batch, steps, self.driven))
        assert state.flags.c_contiguous and state.dtype == np.float64 and state.shape == (batch, self.size)
        row = 8 * columns
        self._run(
            state.ctypes.data, table.ctypes.data, rows * row if blocks > 1 else 0, row if rows > 1 else 0,
            record.ctypes.data, record.strides[0], batch, steps, every, step,
        )  # fmt: skip
        return record


class _Body(Lines):
    """Instructions on vectors in memory."""

    def __init__(self, form: Format) -> None:
        super().__init__("v")
        self.form = form

    def vector_at(self, base: str, place: int) -> str:
        return self.at(f"%{base}", place * self.form.vector_bytes)

    def read(self, base: str, place: int) -> str:
        return self.load(self.form.vector, self.vector_at(base, place), self.form.vector_bytes)

    def write(self, value: str, base: str, place: int) -> None:
        self.store(self.form.vector, value, self.vector_at(base, place), self.form.vector_bytes)

    def moved(self, place: int, parts: Sequence[tuple[str, str]]) -> str:
        """Return entry `place` of x plus factors times slopes."""
        value = self.read("x", place)
        for factor, slope in parts:
            product = self.new(f"fmul contract {self.form.vector} {factor}, {self.read(slope, place)}")
            value = self.new(f"fadd contract {self.form.vector} {value}, {product}")
        return value

    def call(self, name: str, blocks: int, outputs: str) -> None:
        given = {
            "offline": "%inputs",
            "outputs": f"%{outputs}",
            "constants": "@constants",
        }  # there are no offline values
        areas = ", ".join(f"ptr {given.get(area, f'%{area}')}" for area in AREAS)
        self.lines += [f"call void @{name}{k}({areas})" for k in range(blocks)]


def _step(plans: list[Plan], method: Tableau, form: Format) -> list[str]:
    """Return the code of one step of %x: the stages, their weighted sum, and the second model."""
    body, size = _Body(form), plans[0].output_width
    driven = plans[0].online_width - size
    looked = -1
    for stage, (look, factors) in enumerate(zip(method.looks, method.stages, strict=True)):
        if driven and look != looked:
            _look(body, size, driven, look)
        looked = look
        parts = [(f"%h{_label(f)}", f"slope{j}") for j, f in enumerate(factors) if f]
        for place in range(size):
            body.write(body.moved(place, parts), "inputs", place)
        body.call("online", len(plans[0].online_blocks), f"slope{stage}")
    parts = [(f"%h{_label(f)}", f"slope{j}") for j, f in enumerate(method.weights) if f]
    for place in range(size):
        body.write(body.moved(place, parts), "x", place)
    if len(plans) > 1:
        if driven and looked != method.parts:
            _look(body, size, driven, method.parts)
        for place in range(size):
            body.write(body.read("x", place), "inputs", place)
        body.call("after", len(plans[1].online_blocks), "x")
    return body.lines


def _look(body: _Body, size: int, driven: int, part: int) -> None:
    """Read the row of the table `part` fractions after the start of the step."""
    row = body.new(f"add i64 %begun, {part}")
    source = body.at("%rows", body.new(f"mul i64 {row}, %table_row"))
    target = body.vector_at("inputs", size)
    body.lines.append(f"call void @load(ptr {source}, i64 %table_step, i64 8, i64 {driven}, i64 %last, ptr {target})")


def _label(factor: float) -> str:
    return str(factor).replace(".", "_")


def _factors(method: Tableau, form: Format) -> list[str]:
    """Return the factors of a step in every lane: %h0_5 is half a step."""
    lines: list[str] = []
    for f in sorted({f for row in (*method.stages, method.weights) for f in row if f}):
        name, v = f"%h{_label(f)}", form.vector
        lines += [
            f"{name}_one = fmul double %h, {literal(f)}",
            f"{name}_first = insertelement {v} poison, double {name}_one, i32 0",
            f"{name} = shufflevector {v} {name}_first, {v} poison, <{form.lanes} x i32> zeroinitializer",
        ]
    return lines


def _march(plans: list[Plan], method: Tableau, form: Format, machine: Host) -> str:
    size = plans[0].output_width
    widths = {
        "inputs": max(plan.online_width for plan in plans),
        "crossing": max(plan.crossing_width for plan in plans),
        "turned": max(plan.turned_width for plan in plans),
        "x": size,
        **{f"slope{stage}": size for stage in range(len(method.looks))},
    }
    take, give = workspace({name: width * form.vector_bytes for name, width in widths.items()})
    _, save, restore = kept_flags(machine)
    return f"""
define void @march(ptr %state, ptr %table, i64 %table_step, i64 %table_row, ptr %record, i64 %record_step,
    i64 %batch, i64 %steps, i64 %every, double %h) {{
entry:
  {joined(take, save, _factors(method, form))}
  br label %trajectories
trajectories:
  %i = phi i64 [0, %entry], [%i1, %finish]
  %after_i = sub i64 %batch, %i
  %last = sub i64 %after_i, 1
  %state_offset = mul i64 %i, {8 * size}
  %from = getelementptr i8, ptr %state, i64 %state_offset
  call void @load(ptr %from, i64 {8 * size}, i64 8, i64 {size}, i64 %last, ptr %x)
  %record_offset = mul i64 %i, %record_step
  %first = getelementptr i8, ptr %record, i64 %record_offset
  call void @store(ptr %first, i64 %record_step, i64 8, i64 {size}, i64 %last, ptr %x)
  %table_offset = mul i64 %i, %table_step
  %rows = getelementptr i8, ptr %table, i64 %table_offset
  %any = icmp sgt i64 %steps, 0
  br i1 %any, label %steps_of_one, label %finish
steps_of_one:
  %k = phi i64 [0, %trajectories], [%k1, %next]
  %place = phi ptr [%first, %trajectories], [%place1, %next]
  %wait = phi i64 [%every, %trajectories], [%wait1, %next]
  %begun = mul i64 %k, {method.parts}
  {joined(_step(plans, method, form))}
  %k1 = add i64 %k, 1
  %less = sub i64 %wait, 1
  %due = icmp eq i64 %less, 0
  br i1 %due, label %keep, label %next
keep:
  %behind = getelementptr i8, ptr %place, i64 {8 * size}
  call void @store(ptr %behind, i64 %record_step, i64 8, i64 {size}, i64 %last, ptr %x)
  br label %next
next:
  %place1 = phi ptr [%place, %steps_of_one], [%behind, %keep]
  %wait1 = phi i64 [%less, %steps_of_one], [%every, %keep]
  %more = icmp slt i64 %k1, %steps
  br i1 %more, label %steps_of_one, label %finish
finish:
  call void @store(ptr %from, i64 {8 * size}, i64 8, i64 {size}, i64 %last, ptr %x)
  %i1 = add i64 %i, {form.lanes}
  %others = icmp slt i64 %i1, %batch
  br i1 %others, label %trajectories, label %done
done:
  {joined(restore, give, "ret void")}
}}"""
