"""Emitted source run by the real compiler or interpreter of its language: states in, outputs back."""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from robosym.languages.program import function_name
from robosym.model import Model, flat, is_online, shape

State = Mapping[str, Sequence[float]]
Outputs = list[list[float]]  #: for each state the outputs one after the other, matrices row by row


def tool(*names: str) -> str:
    """Return the path of the first tool that is installed; skip the test if there is none."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f"{names[0]} is not installed")


def run(*command: str | Path, cwd: Path, text: str | None = None) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, input=text, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def _sizes(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    return (
        {group: len(names) for group, names in model.inputs.items()},
        {group: len(list(flat(layout))) for group, layout in model.outputs.items()},
    )


def _numbers(text: str) -> Outputs:
    return [[float(number) for number in line.split()] for line in text.splitlines() if line.strip()]


def _c_arrays(model: Model, states: Sequence[State]) -> list[str]:
    return [
        f"static const double {group}_[{len(states)}][{size}] = {{"
        + ", ".join("{" + ", ".join(float(v).hex() for v in state[group]) + "}" for state in states)
        + "};"
        for group, size in _sizes(model)[0].items()
    ]


def _c_main(model: Model, states: Sequence[State], calls: Callable[[str], list[str]]) -> str:
    _, outputs = _sizes(model)
    lines = ["#include <stdio.h>", *_c_arrays(model, states), "int main(void) {"]
    lines += [f"    double {group}_out[{size}];" for group, size in outputs.items()]
    lines += [f"    for (int k = 0; k < {len(states)}; ++k) {{", *(f"        {line}" for line in calls("k"))]
    for group, size in outputs.items():
        lines += [f'        for (int i = 0; i < {size}; ++i) printf("%.17g ", {group}_out[i]);']
    return "\n".join([*lines, '        printf("\\n");', "    }", "    return 0;", "}", ""])


STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]
SANITIZED = ["-g", "-fsanitize=address,undefined,leak", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]


def c(
    model: Model, states: Sequence[State], folder: Path, *flags: str, compiler: str = "gcc", **options: Any
) -> Outputs:
    name = function_name(model)
    model.write(folder / f"{name}.c", **options)

    def calls(k: str) -> list[str]:
        given = [f"{g}_[{k}]" for g in model.inputs] + [f"{g}_out" for g in model.outputs]
        return [f"{name}({', '.join(given)});"]

    (folder / "main.c").write_text(f'#include "{name}.h"\n' + _c_main(model, states, calls))
    flags = flags or ("-O1",)
    run(tool(compiler), "-std=c99", *flags, *STRICT, f"{name}.c", "main.c", "-lm", "-o", "c_run", cwd=folder)
    return _numbers(run(folder / "c_run", cwd=folder))


def c_init(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    """Parameters and gravity as structures, constants computed once for each state."""
    name = function_name(model)
    model.write(folder / f"{name}.c", init=True)
    offline = [g for g in model.inputs if not is_online(g)]

    def calls(k: str) -> list[str]:
        lines = [f"{name}_constants constants;"]
        for g in offline:
            lines += [f"{name}_{g} {g}_in;", f"memcpy(&{g}_in, {g}_[{k}], sizeof {g}_in);"]
        lines += [f"{name}_init({', '.join([*(f'&{g}_in' for g in offline), '&constants'])});"]
        given = [f"{g}_[{k}]" for g in model.inputs if g not in offline] + ["&constants"]
        return [*lines, f"{name}({', '.join([*given, *(f'{g}_out' for g in model.outputs)])});"]

    (folder / "main.c").write_text(f'#include <string.h>\n#include "{name}.h"\n' + _c_main(model, states, calls))
    run(tool("gcc"), "-std=c99", "-O1", *STRICT, f"{name}.c", "main.c", "-lm", "-o", "ci_run", cwd=folder)
    return _numbers(run(folder / "ci_run", cwd=folder))


def cpp(
    model: Model, states: Sequence[State], folder: Path, *flags: str, scalar: str = "double", compiler: str = "g++"
) -> Outputs:
    name = function_name(model)
    model.write(folder / f"{name}.hpp")
    _, outputs = _sizes(model)

    def calls(k: str) -> list[str]:
        lines = []
        for g, n in _sizes(model)[0].items():
            lines += [f"{scalar} {g}_in[{n}];", f"for (int i = 0; i < {n}; ++i) {g}_in[i] = ({scalar}){g}_[{k}][i];"]
        lines += [f"{scalar} {g}_own[{n}];" for g, n in outputs.items()]
        given = [f"{g}_in" for g in model.inputs] + [f"{g}_own" for g in model.outputs]
        lines += [f"{name}<{scalar}>({', '.join(given)});"]
        return lines + [f"for (int i = 0; i < {n}; ++i) {g}_out[i] = (double){g}_own[i];" for g, n in outputs.items()]

    (folder / "main.cpp").write_text(f'#include "{name}.hpp"\n' + _c_main(model, states, calls))
    flags = flags or ("-O1",)
    run(tool(compiler), "-std=c++17", *flags, *STRICT, "main.cpp", "-o", "cpp_run", cwd=folder)
    return _numbers(run(folder / "cpp_run", cwd=folder))


def _fortran_number(value: float) -> str:
    text = repr(float(value))
    return text.replace("e", "d") if "e" in text else f"{text}d0"


def fortran(model: Model, states: Sequence[State], folder: Path, form: str = "free", init: bool = False) -> Outputs:
    gfortran = tool("gfortran")
    name = function_name(model)
    source = folder / f"{name}{'.f90' if form == 'free' else '.f'}"
    source.write_text(model.code("fortran", form=form, init=init))
    limit = 132 if form == "free" else 72
    assert max(map(len, source.read_text().splitlines())) <= limit
    inputs, _ = _sizes(model)
    lines = ["program check"]
    lines += [f"  use {name}_module"] if form == "free" else []
    lines += ["  implicit none"]
    lines += [f"  double precision :: {g}_in({n})" for g, n in inputs.items()]
    for group, layout in model.outputs.items():
        lines += [f"  double precision :: {group}_out({','.join(map(str, shape(layout)))})"]
    lines += ["  double precision :: constants(100000)"] if init else []
    for state in states:
        for group in inputs:
            lines += [f"  {group}_in({i}) = {_fortran_number(v)}" for i, v in enumerate(state[group], 1)]
        results = [f"{g}_out" for g in model.outputs]
        if init:
            offline = [f"{g}_in" for g in inputs if not is_online(g)]
            online = [f"{g}_in" for g in inputs if is_online(g)]
            lines += [f"  call {name}_init({', '.join([*offline, 'constants'])})"]
            lines += [f"  call {name}({', '.join([*online, 'constants', *results])})"]
        else:
            lines += [f"  call {name}({', '.join([*(f'{g}_in' for g in inputs), *results])})"]
        for group, layout in model.outputs.items():
            array = f"{group}_out" if len(shape(layout)) == 1 else f"transpose({group}_out)"
            lines += [f"  write(*, '(*(ES27.17E3))', advance='no') {array}"]
        lines += ["  write(*, *) ''"]
    (folder / "check.f90").write_text("\n".join([*lines, "end program", ""]))
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-dummy-argument", "-Wno-maybe-uninitialized"]
    flags = [*strict, "-std=f2008"] if form == "free" else [*strict, "-std=legacy", "-ffixed-line-length-72"]
    run(gfortran, "-c", "-O1", *flags, source, "-o", f"model_{form}.o", cwd=folder)
    run(gfortran, "-ffree-line-length-none", "check.f90", f"model_{form}.o", "-o", f"run_{form}", cwd=folder)
    return _numbers(run(folder / f"run_{form}", cwd=folder))


def octave(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    """All states at once, a column each."""
    command = tool("octave-cli", "octave")
    name = function_name(model)
    model.write(folder / f"{name}.m")
    lines = []
    for group, names in model.inputs.items():
        rows = "; ".join(" ".join(repr(float(s[group][i])) for s in states) for i in range(len(names)))
        lines += [f"{group}_ = [{rows}];"]
    outputs = list(model.outputs)
    lines += [f"[{', '.join(f'{g}_out' for g in outputs)}] = {name}({', '.join(f'{g}_' for g in model.inputs)});"]
    lines += [f"for k = 1:{len(states)}"]
    for group, layout in model.outputs.items():
        value = f"{group}_out(:, k)" if len(shape(layout)) == 1 else f"{group}_out(:, :, k)'"
        lines += [f"  printf('%.17g ', {value});"]
    (folder / "check.m").write_text("\n".join([*lines, "  printf('\\n');", "end", ""]))
    return _numbers(run(command, "--no-gui", "--no-init-file", "check.m", cwd=folder))


def python(model: Model, states: Sequence[State], folder: Path, init: bool = False) -> Outputs:
    import numpy as np

    space: dict[str, object] = {}
    exec(compile(model.code("python", init=init), "model.py", "exec"), space)
    name = function_name(model)
    arrays = {g: np.array([s[g] for s in states], dtype=float) for g in model.inputs}
    if init:
        offline = [g for g in model.inputs if not is_online(g)]
        constants = space[f"{name}_init"](*(arrays[g] for g in offline))  # type: ignore[operator]
        result = space[name](*(arrays[g] for g in arrays if g not in offline), constants)  # type: ignore[operator]
    else:
        result = space[name](*arrays.values())  # type: ignore[operator]
    groups = [result] if len(model.outputs) == 1 else list(result)
    return np.concatenate([np.reshape(g, (len(states), -1)) for g in groups], axis=1).tolist()  # type: ignore[no-any-return]


def rust(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    rustc = tool("rustc")
    name = function_name(model)
    model.write(folder / "robot_model.rs")
    inputs, outputs = _sizes(model)
    lines = ["#![allow(non_snake_case)]", "mod robot_model;", "fn main() {"]
    for group, size in inputs.items():
        rows = ", ".join("[" + ", ".join(repr(float(v)) for v in s[group]) + "]" for s in states)
        lines += [f"    let {group}_: [[f64; {size}]; {len(states)}] = [{rows}];"]
    lines += [f"    for k in 0..{len(states)} {{"]
    lines += [f"        let mut {g}_out = [0.0f64; {n}];" for g, n in outputs.items()]
    given = [f"&{g}_[k]" for g in inputs] + [f"&mut {g}_out" for g in outputs]
    lines += [f"        robot_model::{name}({', '.join(given)});"]
    lines += [f'        for x in {g}_out.iter() {{ print!("{{:e}} ", x); }}' for g in outputs]
    (folder / "main.rs").write_text("\n".join([*lines, "        println!();", "    }", "}", ""]))
    run(rustc, "--edition", "2021", "-D", "warnings", "-C", "opt-level=1", "main.rs", "-o", "rust_run", cwd=folder)
    return _numbers(run(folder / "rust_run", cwd=folder))


def giac(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    command = tool("giac", "icas")
    name = function_name(model)
    # giac knows Maple's signum and arctan of two arguments under other names
    source = re.sub(r"arctan\(([^(),]*), ", r"atan2(\1, ", model.code("maple"))
    (folder / f"{name}.mp").write_text(source)
    lines = ["maple_mode(1);", "signum := x -> sign(x);", f'read("{name}.mp");']
    for state in states:
        arguments = ", ".join("[" + ", ".join(repr(float(v)) for v in state[g]) + "]" for g in model.inputs)
        lines += [f"evalf({name}({arguments}));"]
    (folder / "check.mp").write_text("\n".join([*lines, ""]))
    text = run(command, "check.mp", cwd=folder)
    rows = [line for line in text.replace(",\n", "\n").splitlines() if line.startswith("[")]
    return [[float(x) for x in re.findall(r"[-+\d.eE]+", row)] for row in rows]


@functools.cache
def _mathics_session() -> Any:
    """One session for all tests: it takes seconds to start."""
    from mathics.core.load_builtin import import_and_load_builtins
    from mathics.session import MathicsSession

    import_and_load_builtins()
    return MathicsSession()


def mathics(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    pytest.importorskip("mathics.core.load_builtin", reason="Mathics3 is not installed")
    session = _mathics_session()
    from robosym.languages.mathematica import spell

    path = folder / "model.mh"
    model.write(path)
    session.evaluate(f'Get["{path}"]')

    def number(value: float) -> str:
        return repr(float(value)).replace("e", "*^")

    results = []
    for state in states:
        arguments = ", ".join("{" + ", ".join(map(number, state[g])) + "}" for g in model.inputs)
        value = session.evaluate(f"N[Flatten[{spell(function_name(model))}[{arguments}]]]").to_python()
        results.append([float(x) for x in value])
    return results


def julia(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    command = tool("julia")
    name = function_name(model)
    model.write(folder / f"{name}.jl")
    lines = [f'include("{name}.jl")']
    for state in states:
        arguments = ", ".join(json.dumps([float(v) for v in state[g]]) for g in model.inputs)
        lines += [f"result = {name}({arguments})", "groups = result isa Tuple ? result : (result,)"]
        lines += ['println(join((repr(x) for g in groups for x in (g isa Matrix ? permutedims(g) : g)), " "))']
    (folder / "check.jl").write_text("\n".join([*lines, ""]))
    return _numbers(run(command, "--startup-file=no", "check.jl", cwd=folder))


class ModelicaFunction:
    """A function of a package as pymoca's grammar reads it; its algorithm is run with numbers."""

    def __init__(self, package: Any, name: str) -> None:
        self.parsed = package.classes[name]
        symbols = self.parsed.symbols.values()
        self.inputs = [symbol.name for symbol in symbols if "input" in symbol.prefixes]
        self.outputs = {s.name: self._shape(s) for s in symbols if "output" in s.prefixes}
        self.declared = {symbol.name for symbol in symbols}

    @staticmethod
    def _shape(symbol: Any) -> tuple[int, ...]:
        [sizes] = symbol.dimensions
        return tuple(int(size.value) for size in sizes)

    def __call__(self, *arguments: Any) -> list[Any]:
        import numpy as np

        values = dict(zip(self.inputs, map(np.asarray, arguments), strict=True))
        values |= {name: np.full(shape, np.nan) for name, shape in self.outputs.items()}
        for statement in self.parsed.statements:
            [target] = statement.left
            assert target.name in self.declared and target.name not in self.inputs, target.name
            value = self._value(statement.right, values)
            if target.name in self.outputs:
                values[target.name][self._index(target)] = value
            else:
                values[target.name] = value
        return [values[name] for name in self.outputs]

    @staticmethod
    def _index(reference: Any) -> tuple[int, ...]:
        [indices] = reference.indices
        return tuple(int(index.value) - 1 for index in indices)

    def _value(self, tree: Any, values: Mapping[str, Any]) -> float:
        import numpy as np

        kind = type(tree).__name__
        if kind == "Primary":
            return float(tree.value)
        if kind == "ComponentRef":
            found = values[tree.name]
            return float(found if np.ndim(found) == 0 else found[self._index(tree)])
        assert kind == "Expression", kind
        given = [self._value(operand, values) for operand in tree.operands]
        operator = str(getattr(tree.operator, "name", tree.operator))
        signs: dict[str, Callable[..., Any]] = {
            "+": lambda a, b=None: a if b is None else a + b, "-": lambda a, b=None: -a if b is None else a - b,
            "*": lambda a, b: a * b, "/": lambda a, b: np.divide(a, b), "^": lambda a, b: np.power(a, b),
            "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
        }  # fmt: skip
        with np.errstate(all="ignore"):
            return float(signs[operator](*given) if operator in signs else getattr(np, operator)(*given))


def modelica(model: Model, states: Sequence[State], folder: Path) -> Outputs:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca is not installed")
    import numpy as np

    name = function_name(model)
    model.write(folder / f"{name}.mo")
    package = parser.parse((folder / f"{name}.mo").read_text()).classes[name]
    call = ModelicaFunction(package, "evaluate")
    signals = package.classes["Signals"]
    assert {*call.inputs} >= {n for n, s in signals.symbols.items() if s.type.name == "RealInput"}
    return [
        [float(x) for found in call(*([float(v) for v in s[g]] for g in model.inputs)) for x in np.ravel(found)]
        for s in states
    ]


#: every way to run what is written, by name
RUNNERS: dict[str, Callable[..., Outputs]] = {
    "c": c,
    "c with init": c_init,
    "c++": cpp,
    "fortran": fortran,
    "fortran with init": lambda m, s, f: fortran(m, s, f, init=True),
    "fortran 77": lambda m, s, f: fortran(m, s, f, form="fixed"),
    "octave": octave,
    "python": python,
    "python with init": lambda m, s, f: python(m, s, f, init=True),
    "rust": rust,
    "maple by giac": giac,
    "mathematica by mathics": mathics,
    "julia": julia,
    "modelica by pymoca": modelica,
}
