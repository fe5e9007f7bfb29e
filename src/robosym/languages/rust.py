"""Rust: a struct of constants computed once from named parameters, and a plain function over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robosym.algebra import Style
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Part, double, wrapped
from robosym.languages.reserved import RUST_WORDS
from robosym.model import Model

__all__ = ["RUST"]

STYLE = Style(
    number=double,
    pi="std::f64::consts::PI",
    functions={
        **{name: f"f64::{name}" for name in "sin cos tan asin acos atan atan2 sqrt exp tanh abs".split()},
        "log": "f64::ln", "pow": "f64::powf", "sign": "robosym_sign",
    },
)  # fmt: skip
KEYWORDS = RUST_WORDS | {"robosym_sign", "shared", "constants", "p", "Parameters", "Constants"}
SIGN = """
fn robosym_sign(x: f64) -> f64 {
    if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
}
"""


class _Source(Functions):
    """The methods of the struct of constants: `new` and `evaluate`."""

    def __init__(self, model: Model, name: str, prefix: str) -> None:
        super().__init__(model, RUST, init=True, name=name, prefix=prefix)
        self.fields = [name for array in self.program.read_once for name in array.entries]

    def names(self) -> tuple[str, str]:
        return "initialize", "evaluate"

    def arguments(self, read: Sequence[Array]) -> str:
        given = [f"{array.name}: &[f64; {array.size}]" for array in read]
        return ", ".join([*given, *(f"{array.name}: &mut [f64; {array.size}]" for array in self.program.written)])

    def entry(self, array: Array, place: int) -> str:
        if array.once:
            return f"{'self' if array.name == 'constants' else 'p'}.{array.entries[place]}"
        return f"{array.name}[{place}]"

    def load(self, name: str, place: str) -> str:
        return f"        let {name} = {place};"

    def declare(self, name: str, text: str) -> str:
        return self.assign(f"let {name}: f64", text)

    def assign(self, target: str, text: str) -> str:
        return wrapped(f"        {target} = ", text, ";", 110, "            ")

    def space(self, function: Function) -> str:
        return f"        let mut shared = [0.0; {function.shared}];"

    def call(self, function: Function, name: str) -> str:
        if function.initializes:
            return f"        constants.{name}(p, &mut shared);"
        passed = [name for name in function.arguments if name != "constants"]
        return f"        self.{name}({', '.join([*passed, '&mut shared'])});"

    def body(self, function: Function, part: Part) -> list[str]:
        if not function.initializes or function.is_cut:
            return super().body(function, part)
        names = self.program.constants.entries  # all known at the end, so the struct need not be mutable
        rows = [f"            {', '.join(names[i : i + 8])}," for i in range(0, len(names), 8)]
        return [*super().body(function, replace(part, outputs=())), "        Constants {", *rows, "        }"]

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        if function.initializes and not is_part:
            made = ["        let mut constants = Constants::default();"] if function.is_cut else []
            given = ["        constants"] if function.is_cut else []
            return ["    pub fn new(p: &Parameters) -> Self {", *made, *lines, *given, "    }", ""]
        online = self.arguments(self.program.read_online)
        own = "&mut self, p: &Parameters" if function.initializes else f"&self, {online}"
        shared = ", shared: &mut [f64]" if is_part else ""
        return [f"    {'' if is_part else 'pub '}fn {name}({own}{shared}) {{", *lines, "    }", ""]

    def method(self, function: Function) -> list[str]:
        *parts, whole = self.definitions(function)
        return [line for definition in (whole, *parts) for line in definition]


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a module: `Parameters`, `Constants::new(&parameters)`, `constants.evaluate(...)`, and a plain function."""
    source = _Source(model, name, prefix)
    program = source.program
    lines = RUST.commented(describe(model, RUST))
    lines += ["#![allow(non_snake_case, non_camel_case_types, unused_variables, dead_code, unused_parens)]"]
    lines += ["#![allow(clippy::all)]"] + (SIGN.splitlines() if any(n.op == "sign" for n in model.nodes) else [])
    lines += ["", "/// Ordered as the arrays of the function below.", "#[derive(Clone, Copy, Debug)]"]
    lines += ["pub struct Parameters {", *(f"    pub {n}: f64," for n in source.fields), "}", ""]
    lines += ["/// Values that depend on parameters only.", "#[derive(Clone, Copy, Debug, Default)]"]
    lines += ["pub struct Constants {", *(f"    {n}: f64," for n in program.constants.entries), "}", ""]
    methods = [line for function in source.called for line in source.method(function)]
    lines += ["impl Constants {", *methods[:-1], "}", "", "/// Evaluates the model for one state."]
    lines += [f"pub fn {source.name}({source.arguments(program.read)}) {{", "    let p = Parameters {"]
    lines += [f"        {n}: {array.name}[{i}]," for array in program.read_once for i, n in enumerate(array.entries)]
    passed = ", ".join(array.name for array in (*program.read_online, *program.written))
    lines += ["    };", f"    Constants::new(&p).evaluate({passed});", "}", ""]
    return "\n".join(lines)


RUST = register(
    Language(
        name="rust",
        code=_code,
        extensions={".rs": {}},
        comment=("", "//! ", ""),
        style=STYLE,
        reserved=KEYWORDS,
    )
)
