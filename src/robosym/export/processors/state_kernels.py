"""LLVM IR of models for one state at a time, in scalars: functions with the arguments of generated C.

Sine and cosine are computed in single precision where the processor has fused multiply-add. Other functions, and large
angles, are those of `row_kernels`, in double precision. Nothing of the C library is called.
"""

from __future__ import annotations

from collections.abc import Mapping

from robosym.algebra import FUNCTIONS, Expr
from robosym.export.processors.row_kernels import complete_module, functions_of_numbers
from robosym.model import Model, flat
from robosym.runtime.lanes import Format, Lines, joined, literal
from robosym.runtime.plan import Plan
from robosym.runtime.row_loops import BRANCH_WEIGHTS
from robosym.runtime.sincos import turned

__all__ = ["StateFunction", "state_kernels"]


def state_kernels(models: Mapping[str, Model], single: bool, fused: bool, double: bool) -> str:
    """Return a module of IR with one exported function per model and everything they call."""
    operations = {node.op for model in models.values() for node in model.nodes}
    parts = [_State(model, single).function(name) for name, model in models.items()]
    parts += [
        _declarations(single),
        BRANCH_WEIGHTS,
        *functions_of_numbers(operations, Format(False, 1, fused and double)),
    ]
    parts.append(_single_sincos(fused) if single else _DOUBLE_SINCOS)
    return complete_module("\n".join(parts))


def _declarations(single: bool) -> str:
    kind, suffix = ("float", "f32") if single else ("double", "f64")
    names = sorted({function.intrinsic for function in FUNCTIONS.values()} - {""})
    lines = [f"declare {kind} @llvm.{name}.{suffix}({kind})" for name in names]
    return "\n".join([*lines, f"declare {kind} @llvm.copysign.{suffix}({kind}, {kind})"])


class StateFunction(Lines):
    """The function of a model for one state: one value per node."""

    def __init__(self, model: Model, kind: str, constants: Mapping[Expr, float]) -> None:
        super().__init__()
        self.model, self.kind, self.constants = model, kind, constants
        self.values: dict[Expr, str] = {}

    def function(self, name: str) -> str:
        model = self.model
        symbols = {node.value: node for node in model.nodes if node.op == "symbol"}
        for group, names in model.inputs.items():
            for k, symbol in enumerate(names):
                if symbol in symbols:
                    self.values[symbols[symbol]] = self.load(self.kind, self.at(f"%in.{group}", k, self.kind))
        for node in model.nodes:
            if node not in self.values and node not in self.constants:
                self.values[node] = self.value(node)
        for group, layout in model.outputs.items():
            for k, output in enumerate(flat(layout)):
                value = self.operand(model.definitions[output])
                self.store(self.kind, value, self.at(f"%out.{group}", k, self.kind))
        arguments = [f"ptr noalias readonly %in.{group}" for group in model.inputs]
        arguments += [f"ptr noalias %out.{group}" for group in model.outputs]
        return f"define void @{name}({', '.join(arguments)}) {{\n  {joined(self.lines, 'ret void')}\n}}"

    def operand(self, reference: Expr) -> str:
        """Return the value of a reference, with its sign."""
        raise NotImplementedError

    def value(self, node: Expr) -> str:
        """Emit the instructions of a node and return its value."""
        raise NotImplementedError


class _State(StateFunction):
    """The function of a model in floating-point numbers."""

    def __init__(self, model: Model, single: bool) -> None:
        super().__init__(model, "float" if single else "double", Plan(model).constants)
        self.single, self.suffix = single, "f32" if single else "f64"
        self.both: dict[Expr, str] = {}

    def operand(self, reference: Expr, turned_back: bool = False) -> str:
        """Return the value of a reference, with its sign changed if `turned_back`."""
        node = reference.node
        negative = (reference is not node) is not turned_back
        if node in self.constants:
            value = self.constants[node]
            return literal(-value if negative else value, self.single)
        return self.new(f"fneg {self.kind} {self.values[node]}") if negative else self.values[node]

    def value(self, node: Expr) -> str:
        kind, args = self.kind, node.args
        match node.op:
            case "add":
                a, b = args[::-1] if args[0].negative else args
                word, other = ("fsub", self.operand(b, True)) if b.negative else ("fadd", self.operand(b))
                return self.new(f"{word} contract {kind} {self.operand(a)}, {other}")
            case "mul":
                return self.new(f"fmul contract {kind} {self.operand(args[0])}, {self.operand(args[1])}")
            case "div":
                return self.new(f"fdiv {kind} {self.operand(args[0])}, {self.operand(args[1])}")
            case "sign":
                x, zero = self.operand(args[0]), literal(0.0)
                unit = self.new(f"call {kind} @llvm.copysign.{self.suffix}({kind} {literal(1.0)}, {kind} {x})")
                turns = self.new(f"fcmp one {kind} {x}, {zero}")
                return self.new(f"select i1 {turns}, {kind} {unit}, {kind} {x}")
            case "sin" | "cos":
                if args[0] not in self.both:
                    self.both[args[0]] = self.new(f"call {{{kind}, {kind}}} @turn({kind} {self.operand(args[0])})")
                return self.new(f"extractvalue {{{kind}, {kind}}} {self.both[args[0]]}, {int(node.op == 'cos')}")
        if intrinsic := FUNCTIONS[node.op].intrinsic:
            return self.new(f"call {kind} @llvm.{intrinsic}.{self.suffix}({kind} {self.operand(args[0])})")
        given = [self.operand(a) for a in args]
        if self.single:
            given = [self.new(f"fpext float {value} to double") for value in given]
        result = self.new(f"call double @robosym_{node.op}({', '.join(f'double {value}' for value in given)})")
        return self.new(f"fptrunc double {result} to float") if self.single else result


_DOUBLE_SINCOS = """
define internal {double, double} @turn(double %x) noinline {
  %first = insertelement <1 x double> poison, double %x, i32 0
  %both = call {<1 x double>, <1 x double>} @sincos(<1 x double> %first)
  %s_lane = extractvalue {<1 x double>, <1 x double>} %both, 0
  %c_lane = extractvalue {<1 x double>, <1 x double>} %both, 1
  %s = extractelement <1 x double> %s_lane, i32 0
  %c = extractelement <1 x double> %c_lane, i32 0
  %one = insertvalue {double, double} poison, double %s, 0
  %result = insertvalue {double, double} %one, double %c, 1
  ret {double, double} %result
}"""
_IN_DOUBLE = """
  %wide = fpext float %x to double
  %both = call {double, double} @robosym_sincos(double %wide)
  %s_wide = extractvalue {double, double} %both, 0
  %c_wide = extractvalue {double, double} %both, 1
  %s_far = fptrunc double %s_wide to float
  %c_far = fptrunc double %c_wide to float"""


def _single_sincos(fused: bool) -> str:
    """Return sine and cosine of a float: in single precision below a limit, if products are fused."""
    if not fused:
        return f"""
define internal {{float, float}} @turn(float %x) noinline {{{_IN_DOUBLE}
  %one = insertvalue {{float, float}} poison, float %s_far, 0
  %result = insertvalue {{float, float}} %one, float %c_far, 1
  ret {{float, float}} %result
}}"""
    near = turned(Format(True, 1, True), None, ["%lane"], "near")
    return f"""
declare <1 x float> @llvm.fma.v1f32(<1 x float>, <1 x float>, <1 x float>)
define internal {{float, float}} @turn(float %x) noinline {{
near:
  %lane = insertelement <1 x float> poison, float %x, i32 0
  {joined(near.lines)}
  %s_near = extractelement <1 x float> {near.sines[0]}, i32 0
  %c_near = extractelement <1 x float> {near.cosines[0]}, i32 0
  br i1 {near.far}, label %far, label %done, !prof !0
far:{_IN_DOUBLE}
  br label %done
done:
  %s = phi float [%s_near, %near], [%s_far, %far]
  %c = phi float [%c_near, %near], [%c_far, %far]
  %one = insertvalue {{float, float}} poison, float %s, 0
  %result = insertvalue {{float, float}} %one, float %c, 1
  ret {{float, float}} %result
}}"""
