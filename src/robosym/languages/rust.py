"""Rust: a structure of constants made once from parameters by name, and a plain function over arrays."""

from __future__ import annotations

from robosym.algebra import Style
from robosym.languages import c
from robosym.languages.header import describe
from robosym.languages.program import Part, Program, double, function_name, shared_values, wrapped
from robosym.model import Model, flat

__all__ = ["code"]

STYLE = Style(
    number=double,
    pi="std::f64::consts::PI",
    functions={
        **{name: f"f64::{name}" for name in "sin cos tan asin acos atan atan2 sqrt exp abs".split()},
        "log": "f64::ln", "pow": "f64::powf", "sign": "robosym_sign",
    },
)  # fmt: skip
KEYWORDS = frozenset(
    """as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move
    mut pub ref return self Self static struct super trait true type unsafe use where while abstract become box do
    final gen macro override priv try typeof unsized virtual yield union std f64 robosym_sign shared constants p _
    Parameters Constants usize i32 bool str char None Some Ok Err""".split()
)
SIGN = """
fn robosym_sign(x: f64) -> f64 {
    if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
}
"""


def code(model: Model) -> str:
    """A module: `Parameters`, `Constants::new(&parameters)`, `constants.evaluate(...)`, and the plain function."""
    name = function_name(model)
    program = Program(model, STYLE, KEYWORDS, constants=True)
    spelled = program.groups
    online, offline = program.online_groups, program.offline_groups
    size = {group: len(names) for group, names in model.inputs.items()}
    size |= {group: len(list(flat(layout))) for group, layout in model.outputs.items()}
    symbol = {(group, i): program.symbols[n] for group in offline for i, n in enumerate(model.inputs[group])}
    outputs = list(model.outputs)

    def arguments(groups: list[str], written: list[str]) -> str:
        return ", ".join(
            [f"{spelled[g]}: &[f64; {size[g]}]" for g in groups]
            + [f"{spelled[g]}: &mut [f64; {size[g]}]" for g in written]
        )

    def entry(group: str, place: int) -> str:
        if group == "constants":
            return f"self.{program.constants[place]}"
        return f"p.{symbol[group, place]}" if group in offline else f"{spelled[group]}[{place}]"

    def body(part: Part, stores: bool = True) -> list[str]:
        lines = [f"        let {n} = {entry(group, place)};" for group, place, n in part.inputs]
        lines += [f"        let {n} = shared[{place}];" for place, n in part.taken]
        lines += [wrapped(f"        let {s.name}: f64 = ", s.text, ";", 110, "            ") for s in part.statements]
        if stores:
            lines += [
                wrapped(f"        {entry(group, place)} = ", text, ";", 110, "            ")
                for group, place, text in part.outputs
            ]
        return lines + [f"        shared[{place}] = {n};" for place, n in part.left]

    lines = [f"//! {line}".rstrip() for line in describe(model)]
    lines += ["#![allow(non_snake_case, non_camel_case_types, unused_variables, dead_code, unused_parens)]"]
    lines += ["#![allow(clippy::all)]"] + (SIGN.splitlines() if any(n.op == "sign" for n in model.nodes) else [])
    lines += ["", "/// By name; in the order of the arrays of the plain function.", "#[derive(Clone, Copy, Debug)]"]
    lines += ["pub struct Parameters {", *(f"    pub {n}: f64," for n in symbol.values()), "}", ""]
    lines += ["/// What depends on parameters alone.", "#[derive(Clone, Copy, Debug, Default)]"]
    lines += ["pub struct Constants {", *(f"    {n}: f64," for n in program.constants), "}", ""]
    lines += ["impl Constants {", "    pub fn new(p: &Parameters) -> Self {"]
    parts = program.offline(c.STATEMENTS)
    if len(parts) == 1:
        lines += [*body(parts[0], stores=False), "        Constants {"]
        rows = [program.constants[i : i + 8] for i in range(0, len(program.constants), 8)]
        lines += [f"            {', '.join(row)}," for row in rows]
        lines += ["        }", "    }", ""]
    else:
        lines += ["        let mut constants = Constants::default();"]
        lines += [f"        let mut shared = [0.0; {shared_values(parts)}];"]
        lines += [f"        constants.initialise_{i}(p, &mut shared);" for i in range(1, len(parts) + 1)]
        lines += ["        constants", "    }", ""]
        for number, part in enumerate(parts, 1):
            lines += [f"    fn initialise_{number}(&mut self, p: &Parameters, shared: &mut [f64]) {{", *body(part)]
            lines += ["    }", ""]
    parts = program.online(c.STATEMENTS)
    lines += [f"    pub fn evaluate(&self, {arguments(online, outputs)}) {{"]
    if len(parts) == 1:
        lines += [*body(parts[0]), "    }"]
    else:
        passed = ", ".join([*(spelled[g] for g in (*online, *outputs)), "&mut shared"])
        lines += [f"        let mut shared = [0.0; {shared_values(parts)}];"]
        lines += [f"        self.evaluate_{number}({passed});" for number in range(1, len(parts) + 1)] + ["    }"]
        for number, part in enumerate(parts, 1):
            head = f"    fn evaluate_{number}(&self, {arguments(online, outputs)}, shared: &mut [f64]) {{"
            lines += ["", head, *body(part), "    }"]
    lines += ["}", "", "/// All at once, arrays in and out."]
    lines += [f"pub fn {name}({arguments(list(model.inputs), outputs)}) {{", "    let p = Parameters {"]
    lines += [f"        {n}: {spelled[group]}[{i}]," for (group, i), n in symbol.items()]
    passed = ", ".join(spelled[g] for g in (*online, *outputs))
    lines += ["    };", f"    Constants::new(&p).evaluate({passed});", "}", ""]
    return "\n".join(lines)
