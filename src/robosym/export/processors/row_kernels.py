"""LLVM IR of models for processors without a C library: functions over arrays that call no other code.

A function takes the number of states and the address of each group of inputs and outputs: `name(count, q, qd, tau)`.
Groups that change from one state to the next have one row per state; the parameters have one row for all states. States
are computed in vectors, one state per lane; the rest of a batch is computed one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from robosym.export.processors.elementary import two_over_pi
from robosym.languages.plain import parse_plain
from robosym.model import Model
from robosym.runtime.lanes import Constants, Format, joined, literal, mask
from robosym.runtime.plain_llvm import plain_llvm
from robosym.runtime.plan import Group, Plan
from robosym.runtime.row_loops import BRANCH_WEIGHTS
from robosym.runtime.sincos import LIMIT, sine_and_cosine
from robosym.runtime.straight import (
    AREAS,
    constant_outputs,
    lane_functions,
    offline_block,
    offline_kind,
    online_block,
    spread,
)  # fmt: skip
from robosym.runtime.transpose import Moves, Rows

__all__ = ["complete_module", "functions_of_numbers", "kernels"]

_BY_ARCTANGENT = {"asin", "acos", "atan"}


def kernels(models: Mapping[str, Model], form: Format) -> str:
    """Return a module of IR with one exported function per model and everything they call."""
    constants, parts, operations = Constants(form), list[str](), set[str]()
    for name, model in models.items():
        operations |= {node.op for node in model.nodes}
        parts += _Kernel(name, Plan(model), form, constants).parts()
    parts += [constants.table(), BRANCH_WEIGHTS, *functions_of_numbers(operations, form)]
    return complete_module("\n".join(parts))


def functions_of_numbers(operations: set[str], form: Format) -> list[str]:
    """Return the functions that models with these operations call, for vectors of doubles and for one double."""
    operations = operations | ({"atan2"} if operations & _BY_ARCTANGENT else set())
    parts = [*lane_functions(operations, form), sine_and_cosine(form), _elementary()]
    return [*parts, _of_angles(form, "atan2" in operations)]


def complete_module(text: str) -> str:
    """Leave out repeated declarations, and those of functions that are defined."""
    lines = text.splitlines()
    declared = dict.fromkeys(line for line in lines if line.startswith("declare ") and "@robosym_" not in line)
    return "\n".join([*declared, *(line for line in lines if not line.startswith("declare "))])


class _Kernel(Moves):
    """The function of a model, its memory and its blocks."""

    def __init__(self, name: str, plan: Plan, form: Format, constants: Constants) -> None:
        super().__init__(form, "m")
        self.own, self.plan, self.constants = name, plan, constants
        self.areas = {area: f"@{name}.{area}" for area in AREAS} | {"constants": "@constants"}

    def parts(self) -> list[str]:
        """Return memory, blocks and the exported function."""
        plan, form, own = self.plan, self.form, self.own
        blocks = [online_block(plan, form, self.constants, k, f"{own}.online") for k in range(len(plan.online_blocks))]
        blocks += [
            offline_block(plan, form, k, nodes).replace("@offline", f"@{own}.offline.", 1)
            for k, nodes in enumerate(plan.offline_blocks)
        ]
        self._rows()
        arguments = [f"ptr %in.{group.name}" for group in plan.inputs] + [f"ptr %out.{g.name}" for g in plan.outputs]
        head = f"define void @{own}({', '.join(['i32 %count', *arguments])})"
        return [*self._memory(), *(block.replace(" alignstack(64)", "") for block in blocks),
                f"{head} {{\n  {joined(self.lines, 'ret void')}\n}}"]  # fmt: skip

    def _memory(self) -> list[str]:
        plan, vector = self.plan, self.form.vector_bytes
        sizes = {
            "inputs": plan.online_width * vector, "outputs": plan.output_width * vector,
            "crossing": plan.crossing_width * vector, "turned": plan.turned_width * vector,
            "offline": plan.offline_width * (vector if plan.spread else self.form.bytes),
        }  # fmt: skip
        return [
            f"{self.areas[area]} = internal global [{max(size, 1)} x i8] zeroinitializer, align {vector}"
            for area, size in sizes.items()
        ]

    def _rows(self) -> None:
        """Emit the loop over the states."""
        form, zero = self.form, self.plan.zeros
        self.label("entry")
        for area in ("constants", "outputs"):
            self.new(f"getelementptr i8, ptr {self.areas[area]}, i64 0", area)
        self._parameters()
        self.lines += constant_outputs(self.plan, form, self.constants)
        self.new("zext i32 %count to i64", "end")
        self.fork(self.new("icmp eq i32 %count, 0"), "done", "next_rows")
        self.label("next_rows")
        self.new("phi i64 [0, %entry], [%next, %written]", "i")
        after = self.new("sub i64 %end, %i")
        self.new(f"icmp uge i64 {after}, {form.lanes}", "enough")
        step = self.new(f"select i1 %enough, i64 {form.lanes}, i64 1")
        self.new(f"add i64 %i, {step}", "next")
        self._either("read", [(self._place(g, "in"), g, "inputs") for g in self.plan.inputs if g.online],
                     self.to_columns, self.one_to_columns)  # fmt: skip
        areas = ", ".join(f"ptr {self.areas[area]}" for area in AREAS)
        self.lines += [f"call void @{self.own}.online{k}({areas})" for k in range(len(self.plan.online_blocks))]
        self._either("written", [(self._place(g, "out", zero(g)), g, "outputs") for g in self.plan.outputs],
                     self.from_columns, self.one_from_columns)  # fmt: skip
        self.fork(self.new("icmp ult i64 %next, %end"), "next_rows", "done")
        self.label("done")

    def _parameters(self) -> None:
        """Copy the groups that are the same for all states, and compute the values that depend only on them."""
        kind = offline_kind(self.plan, self.form)
        for group in (group for group in self.plan.inputs if not group.online):
            for k in range(group.size):
                value = self.load(self.form.scalar, self.at(f"%in.{group.name}", k, self.form.scalar), self.form.bytes)
                stored = f"%parameter{group.first + k}"
                self.lines += spread(value, stored, self.plan, self.form)
                self.store(kind, stored, self.at(self.areas["offline"], group.first + k, kind), self.form.bytes)
        for k in range(len(self.plan.offline_blocks)):
            self.lines.append(f"call void @{self.own}.offline.{k}(ptr {self.areas['offline']})")

    def _place(self, group: Group, side: str, zeros: frozenset[int] = frozenset()) -> Rows:
        """Return the rows of a group from state %i on."""
        step = group.size * self.form.bytes
        base = self.at(f"%{side}.{group.name}", self.new(f"mul i64 %i, {step}"))
        return Rows(base, str(step), str(self.form.bytes), group.size, zeros)

    def _either(
        self, after: str, tables: list[tuple[Rows, Group, str]], whole: Callable[[Rows, str], object],
        single: Callable[[Rows, str], object],
    ) -> None:  # fmt: skip
        """Move the rows of whole vectors, or a single row."""

        def move(how: Callable[[Rows, str], object]) -> None:
            for rows, group, area in tables:
                how(rows, self.at(self.areas[area], group.first * self.form.vector_bytes))

        self.choose(after, [("%enough", lambda: move(whole)), ("", lambda: move(single))])


@cache
def _elementary() -> str:
    """Return exponential, logarithm, power, and the reduction of large angles with the digits of 2/pi."""
    source = files("robosym.export.processors").joinpath("elementary.py").read_text("utf-8")
    digits = two_over_pi()
    table = ", ".join(f"double {literal(digit)}" for digit in digits)
    text = plain_llvm(parse_plain([source]), ())
    for size in (1, 2, 3, 4, 8):  # a few stores instead of a call of the C library
        zeros = f"store [{size} x double] zeroinitializer, ptr \\1, align 8"
        text = re.sub(
            rf"call void @llvm\.memset\.p0\.i64\(ptr align 32 (\S+), i8 0, i64 {8 * size}, i1 false\)", zeros, text
        )
    text = text.replace(" nounwind {", ' nounwind "no-builtins" {')
    return f"{text}\n@two_over_pi = internal constant [{len(digits)} x double] [{table}], align 16"


def _of_angles(form: Format, arctangent: bool) -> str:
    """Return sine, cosine and tangent of any double, and the functions that follow from the arctangent."""
    v, pair = f"<{form.lanes} x double>", f"{{<{form.lanes} x double>, <{form.lanes} x double>}}"

    def spread_of(name: str, value: str) -> str:
        return (f"%{name}_first = insertelement {v} poison, double {value}, i32 0\n"
                f"  %{name} = shufflevector {v} %{name}_first, {v} poison, {mask([0] * form.lanes)}")  # fmt: skip

    def chosen(name: str, outcome: str) -> str:
        return f"""
define internal double @robosym_{name}(double %x) noinline {{
  %both = call {{double, double}} @robosym_sincos(double %x)
  %s = extractvalue {{double, double}} %both, 0
  %c = extractvalue {{double, double}} %both, 1
  {outcome}
}}"""

    text = f"""
define internal {{double, double}} @robosym_sincos(double %x) noinline {{
entry:
  %rest = alloca [2 x double], align 16
  %size = call double @llvm.fabs.f64(double %x)
  %finite = fcmp olt double %size, {literal(float("inf"))}
  %near = fcmp ole double %size, {literal(LIMIT)}
  %none = fsub double %x, %x
  br i1 %near, label %turn, label %far
far:
  br i1 %finite, label %reduce, label %turn
reduce:
  %n = call i32 @robosym_reduced(double %size, ptr @two_over_pi, ptr %rest)
  %r = load double, ptr %rest
  %rest1 = getelementptr double, ptr %rest, i64 1
  %y = load double, ptr %rest1
  br label %turn
turn:
  %angle = phi double [%x, %entry], [%r, %reduce], [0.0, %far]
  %lost = phi double [0.0, %entry], [%y, %reduce], [%none, %far]
  %quarters = phi i32 [0, %entry], [%n, %reduce], [0, %far]
  %turns = phi i1 [false, %entry], [true, %reduce], [false, %far]
  {spread_of("all", "%angle")}
  %both = call {pair} @sincos({v} %all)
  %s_all = extractvalue {pair} %both, 0
  %c_all = extractvalue {pair} %both, 1
  %s0 = extractelement {v} %s_all, i32 0
  %c0 = extractelement {v} %c_all, i32 0
  %s_lost = fmul double %lost, %c0
  %c_lost = fmul double %lost, %s0
  %s1 = fadd double %s0, %s_lost
  %c1 = fsub double %c0, %c_lost
  %odd_bit = and i32 %quarters, 1
  %odd = icmp ne i32 %odd_bit, 0
  %s2 = select i1 %odd, double %c1, double %s1
  %c2 = select i1 %odd, double %s1, double %c1
  %half_bit = and i32 %quarters, 2
  %half = icmp ne i32 %half_bit, 0
  %c_back = xor i1 %half, %odd
  %left = fcmp olt double %x, 0.0
  %left_far = and i1 %left, %turns
  %s_back = xor i1 %half, %left_far
  %s_minus = fneg double %s2
  %c_minus = fneg double %c2
  %s3 = select i1 %s_back, double %s_minus, double %s2
  %c3 = select i1 %c_back, double %c_minus, double %c2
  %one = insertvalue {{double, double}} poison, double %s3, 0
  %result = insertvalue {{double, double}} %one, double %c3, 1
  ret {{double, double}} %result
}}
{chosen("sin", "ret double %s")}
{chosen("cos", "ret double %c")}
{chosen("tan", "%t = fdiv double %s, %c" + chr(10) + "  ret double %t")}"""
    return text + (_of_arctangent(form.lanes, v, spread_of) if arctangent else "")


def _of_arctangent(lanes: int, v: str, spread_of: Callable[[str, str], str]) -> str:
    infinite, one = literal(float("inf")), literal(1.0)
    small = literal(2.0**-500)
    return f"""
define internal double @robosym_near_atan2(double %y, double %x) noinline {{
  {spread_of("ys", "%y")}
  {spread_of("xs", "%x")}
  %all = call {v} @atan2({v} %ys, {v} %xs)
  %angle = extractelement {v} %all, i32 0
  ret double %angle
}}
define internal double @robosym_atan2(double %y, double %x) noinline {{
entry:
  %down = call double @llvm.fabs.f64(double %y)
  %across = call double @llvm.fabs.f64(double %x)
  %steep = fcmp oeq double %down, {infinite}
  %flat = fcmp oeq double %across, {infinite}
  %ends = or i1 %steep, %flat
  %y_small = fmul double %y, {small}
  %x_small = fmul double %x, {small}
  %y_unit = uitofp i1 %steep to double
  %x_unit = uitofp i1 %flat to double
  %y_end = call double @llvm.copysign.f64(double %y_unit, double %y)
  %x_end = call double @llvm.copysign.f64(double %x_unit, double %x)
  %larger = fcmp ogt double %down, %across
  %size = select i1 %larger, double %down, double %across
  %far = fcmp ogt double %size, {literal(1e300)}
  %y_far = select i1 %far, double %y_small, double %y
  %x_far = select i1 %far, double %x_small, double %x
  %y_used = select i1 %ends, double %y_end, double %y_far
  %x_used = select i1 %ends, double %x_end, double %x_far
  %angle = call double @robosym_near_atan2(double %y_used, double %x_used)
  %defined = fcmp ord double %x, %y
  %result = select i1 %defined, double %angle, double {literal(float("nan"))}
  ret double %result
}}
define internal double @robosym_atan(double %x) {{
  %angle = call double @robosym_atan2(double %x, double {one})
  ret double %angle
}}
define internal double @robosym_beside(double %x) {{
  %below = fsub double {one}, %x
  %above = fadd double {one}, %x
  %squared = fmul double %below, %above
  %result = call double @llvm.sqrt.f64(double %squared)
  ret double %result
}}
define internal double @robosym_asin(double %x) {{
  %c = call double @robosym_beside(double %x)
  %angle = call double @robosym_atan2(double %x, double %c)
  ret double %angle
}}
define internal double @robosym_acos(double %x) {{
  %s = call double @robosym_beside(double %x)
  %angle = call double @robosym_atan2(double %s, double %x)
  ret double %angle
}}"""
