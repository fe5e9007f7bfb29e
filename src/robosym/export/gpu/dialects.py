"""Dialects of C-like languages for graphics processors as data, and their sine and cosine.

Sine and cosine are part of the generated code. Those of the languages differ (WGSL guarantees an error of 2^-11
only), and a call would prevent CPU compilers from computing several states at once. The argument is reduced by
multiples of pi/2 in three parts (Cody and Waite); the products with the first two are exact up to a limit. Beyond it
the result is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from robosym.algebra import FUNCTIONS, Style
from robosym.languages.language import Language
from robosym.languages.program import double
from robosym.languages.reserved import C_WORDS

__all__ = ["KERNEL_LANGUAGES", "KernelLanguage", "language_of", "sines"]

#: polynomials of sin(r) = r + r z (s0 + s1 z ...) and cos(r) = 1 - z/2 + z z (c0 + c1 z ...), z = r^2, by precision
_SINE = {
    "double": (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
               2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
    "single": (-0.16666653752326965, 0.008332095108926296, -0.00019505539967212826),
}  # fmt: skip
_COSINE = {
    "double": (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
               -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
    "single": (0.04166664183139801, -0.0013887130189687014, 2.4412080165348016e-05),
}  # fmt: skip
_HALF_PI = "1.5707963267948966192313216916397514420985846996875529104874722961539082"
#: bits of the first two parts of pi/2, and the largest angle: products with this many turns are exact
_PARTS = {"double": (33, 33, 2.0**19), "single": (11, 11, 2.0**12)}


@dataclass(frozen=True)
class KernelLanguage:
    """Syntax of kernels in a language."""

    name: str
    extension: str
    precisions: tuple[str, ...]
    function: str  #: qualifiers of a helper function
    scalars: dict[str, str]
    whole: str  #: type of integers
    rounding: str  #: function that rounds to an integer
    declared: str  #: declaration of a value: {0} its type, {1} its name
    choice: str  #: {0} condition, {1} value if it holds, {2} otherwise
    nan: str  #: expression of NaN by {0}, a value
    functions: frozenset[str]  #: functions of the algebra that are accurate in the language
    reserved: frozenset[str]

    def literal(self, value: float, precision: str) -> str:
        """Return a number in a precision."""
        return double(value) if precision == "double" or self.name == "wgsl" else f"{double(value)}f"


_CUDA_WORDS = frozenset("blockIdx blockDim threadIdx gridDim warpSize count i".split())
_OPENCL_WORDS = frozenset(
    """kernel global local constant private read_only write_only half uchar ushort uint ulong bool image2d_t event_t
    sampler_t pipe size_t vec_step count i M_PI as_int NAN all any bitselect ceil clamp cross cosh degrees distance dot
    dump exp2 exp10 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb isequal isfinite isinf isnan ldexp length
    lgamma log2 log10 logb mad max min mix modf nan normalize pown powr radians remainder remquo rint rootn round rsqrt
    select shuffle sincos sinh sinpi smoothstep step tgamma trunc""".split()
) | frozenset(FUNCTIONS)
_WGSL_WORDS = frozenset(
    """alias bool break case const const_assert continue continuing default diagnostic discard else enable false fn
    for if let loop override requires return struct switch true var while array atomic f16 f32 i32 u32 mat2x2
    mat3x3 mat4x4 ptr sampler texture_2d vec2 vec3 vec4 bitcast i count self Self abstract active alignas as asm
    async await auto become cast catch class common compile concept constexpr crate debugger default delete
    demote do dynamic_cast enum explicit export extends extern external fallthrough filter final finally friend
    from fxgroup get goto groupshared handle highp impl implements import inline instanceof interface lowp macro
    match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation
    non_coherent noncoherent noperspective null nullptr of operator package packoffset partial pass patch
    pixelfragment precise precision premerge private protected pub public readonly ref regardless register
    require resource restrict set shared sizeof smooth snorm static std super target template this throw trait
    try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile
    wgsl where with writeonly yield""".split()
)
_C_LIKE = "({0}) ? ({1}) : ({2})"
KERNEL_LANGUAGES = {
    dialect.name: dialect
    for dialect in (
        KernelLanguage("opencl", ".cl", ("double", "single"), "inline ", {"double": "double", "single": "float"}, "int",
                "rint", "const {0} {1}", _C_LIKE, "NAN", frozenset(FUNCTIONS), C_WORDS | _OPENCL_WORDS),
        KernelLanguage("cuda", ".cu", ("double", "single"), "static __device__ __forceinline__ ",
                {"double": "double", "single": "float"}, "int", "rint", "const {0} {1}", _C_LIKE, "nan(\"\")",
                frozenset(FUNCTIONS), C_WORDS | _CUDA_WORDS),
        KernelLanguage("wgsl", ".wgsl", ("single",), "fn ", {"single": "f32"}, "i32", "round", "let {1}: {0}",
                "select({2}, {1}, {0})", "bitcast<f32>(0x7fc00000u | (bitcast<u32>({0}) & 1u))",
                frozenset(("sin", "cos", "sqrt", "abs", "sign")), _WGSL_WORDS),
    )
}  # fmt: skip


def language_of(dialect: KernelLanguage, precision: str, own: str) -> Language:
    """Return the language of a function named `own`, whose helper functions begin with its name."""
    functions = {"sin": f"{own}_sin", "cos": f"{own}_cos", "sign": f"{own}_sign"}
    if dialect.name != "wgsl":
        functions["abs"] = "fabs"
        if dialect.name == "cuda" and precision == "single":
            functions |= {f: f"{f}f" for f in FUNCTIONS if f not in functions} | {"abs": "fabsf"}
    style = Style(number=lambda value: dialect.literal(float(value), precision),
                  pi=dialect.literal(math.pi, precision), functions=functions)  # fmt: skip
    return Language(
        name=dialect.name, code=_not_printed, extensions={}, comment=("", "// ", ""), style=style,
        reserved=dialect.reserved | {f"{own}_sin", f"{own}_cos", f"{own}_sign", "shared"},
        spell=lambda name: f"x{name}" if name.startswith("_") else name,
    )  # fmt: skip


def _not_printed(*_: object) -> str:
    raise NotImplementedError  # kernels are printed by `kernel_source`


def _parts_of_half_pi(precision: str) -> list[float]:
    """Return numbers whose sum is pi/2; products of the first two with small integers are exact."""
    first, second, _ = _PARTS[precision]
    rest, parts = Fraction(_HALF_PI), []
    for bits in (first, second):
        size = Fraction(2) ** (bits - 1 - math.frexp(float(rest))[1] + 1)
        parts.append(float(Fraction(int(rest * size)) / size))
        rest -= Fraction(parts[-1])
    return [*parts, float(rest)]


def sines(dialect: KernelLanguage, precision: str, own: str, used: Callable[[str], bool]) -> list[str]:
    """Return the helper functions of a kernel: sine, cosine and sign, as far as they are used."""
    lines: list[str] = []
    for name, quarter, plain, turned in (("sin", "k", "s", "c"), ("cos", "(k + 1)", "c", "s")):
        if used(name):
            body = _turned(dialect, precision, quarter, plain, turned)
            lines += [_head(dialect, precision, f"{own}_{name}"), "{", *body, "}", ""]
    if used("sign"):
        zero, one, minus = (dialect.literal(value, precision) for value in (0.0, 1.0, -1.0))
        below = dialect.choice.format(f"x < {zero}", minus, "x")
        above = dialect.choice.format(f"x > {zero}", one, below)
        lines += [_head(dialect, precision, f"{own}_sign"), "{", f"    return {above};", "}", ""]
    return lines


def _head(dialect: KernelLanguage, precision: str, name: str) -> str:
    scalar = dialect.scalars[precision]
    if dialect.name == "wgsl":
        return f"fn {name}(x: {scalar}) -> {scalar}"
    return f"{dialect.function}{scalar} {name}(const {scalar} x)"


def _turned(dialect: KernelLanguage, precision: str, quarter: str, plain: str, turned: str) -> list[str]:
    """Return the statements that compute `plain` of the reduced angle, or `turned` in odd quadrants."""
    scalar = dialect.scalars[precision]
    wgsl, floats = dialect.name == "wgsl", dialect.name == "cuda" and precision == "single"
    rounding, size = ("rintf", "fabsf") if floats else (dialect.rounding, "abs" if wgsl else "fabs")

    def number(value: float) -> str:
        return dialect.literal(value, precision)

    def let(name: str, value: str, kind: str = scalar) -> str:
        return f"    {dialect.declared.format(kind, name)} = {value};"

    def polynomial(coefficients: tuple[float, ...]) -> str:
        text = number(coefficients[-1])
        for coefficient in coefficients[-2::-1]:
            text = f"({number(coefficient)} + z * {text})"
        return text

    first, second, third = map(number, _parts_of_half_pi(precision))
    near = f"{size}(x) <= {number(_PARTS[precision][2])}"
    return [
        let("n", f"{rounding}(x * {number(2 / math.pi)})"),
        let("r", f"((x - n * {first}) - n * {second}) - n * {third}"), let("z", "r * r"),
        let("s", f"r + r * z * {polynomial(_SINE[precision])}"),
        let("c", f"({number(1.0)} - {number(0.5)} * z) + z * z * {polynomial(_COSINE[precision])}"),
        let("k", "i32(n)" if wgsl else "(int)n", dialect.whole),
        let("v", dialect.choice.format("(k & 1) != 0", turned, plain)),
        let("w", dialect.choice.format(f"({quarter} & 2) != 0", "-v", "v")),
        f"    return {dialect.choice.format(near, 'w', dialect.nan.format('x'))};",
    ]  # fmt: skip
