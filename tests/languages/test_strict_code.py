"""Generated code under sanitizers, strict warnings and analyzers; its stack usage; its last digits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases import models, toolchains
from long_cases import each_once
from robosym.algebra import evaluate
from robosym.languages.c import KEYWORDS
from robosym.model import Model

MODELS: dict[str, Callable[[], Model]] = {
    "rx90": models.rx90,
    "every function": models.awkward,
    "read and written": models.read_and_written,
    "cut into functions": lambda: models.long_chain(9),
    "a closed robot": lambda: rs.inverse_dynamics(rs.load("sr400")),
}
EPS = float(np.finfo(float).eps)


def graph(model: Model, states: Sequence[toolchains.State]) -> list[list[float]]:
    return [
        evaluate(model.roots, {n: v for g, names in model.inputs.items() for n, v in zip(names, s[g], strict=True)})
        for s in states
    ]


def sanitized(compiler: str, folder: Path) -> list[str]:
    """Return the flags if the compiler has the sanitizer libraries; Debian's clang does not."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [toolchains.tool(compiler), *toolchains.SANITIZED, "-x", "c", "empty.c", "-o", "empty"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return toolchains.SANITIZED if done.returncode == 0 else []


@pytest.mark.parametrize(("name", "compiler"), each_once(list(MODELS), ["gcc", "clang"]))
def test_sanitizers(name: str, compiler: str, tmp_path: Path) -> None:
    """There is no access outside an array, no undefined behavior, no leak and no warning."""
    model = MODELS[name]()
    states = models.states(model, 2)
    found = toolchains.c(model, states, tmp_path, "-O0", *sanitized(compiler, tmp_path), compiler=compiler)
    assert np.allclose(found, graph(model, states), rtol=1e-12)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_sanitizers_in_cpp(compiler: str, tmp_path: Path) -> None:
    model = models.awkward()
    states = models.states(model, 2)
    found = toolchains.cpp(model, states, tmp_path, "-O0", *sanitized(compiler, tmp_path), compiler=compiler)
    assert np.allclose(found, graph(model, states), rtol=1e-12)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_inverse_geometry_compiles_without_warnings(compiler: str, tmp_path: Path) -> None:
    rs.inverse_geometry(rs.load("rx90")).write(tmp_path / "inverse.c")
    flags = ["-std=c99", "-O0", *toolchains.STRICT, "-c", "inverse.c", "-o", "inverse.o"]
    toolchains.run(toolchains.tool(compiler), *flags, cwd=tmp_path)


def test_cppcheck(tmp_path: Path) -> None:
    models.read_and_written().write(tmp_path / "model.c")
    checks = ["--enable=warning,portability,performance", "--error-exitcode=1", "--std=c99", "--quiet"]
    toolchains.run(toolchains.tool("cppcheck"), *checks, "model.c", cwd=tmp_path)


def test_clippy(tmp_path: Path) -> None:
    """All default lints except names of robotics, many arguments and digits of numbers."""
    models.awkward().write(tmp_path / "model.rs")
    allowed = ["non_snake_case", "clippy::too_many_arguments", "clippy::excessive_precision"]
    flags = ["--edition", "2021", "--crate-type", "lib", "-D", "warnings", *(f"-A{lint}" for lint in allowed)]
    toolchains.run(toolchains.tool("clippy-driver"), *flags, "model.rs", "--out-dir", ".", cwd=tmp_path)


@pytest.mark.parametrize(("name", "compiler"), each_once(list(MODELS), ["gcc", "clang"]))
def test_stack_bound(name: str, compiler: str, tmp_path: Path) -> None:
    """The bound holds for the frames reported by the compiler, with and without optimization."""
    model = MODELS[name]()
    for options in ({}, {"init": True}, {"precision": "single"}):
        text = model.code("c", **options)
        (tmp_path / "model.c").write_text(text)
        bound = int(re.search(r"Stack: at most (\d+) bytes", text)[1])  # type: ignore[index]
        for level in ("-O0", "-O1"):
            flags = ["-std=c99", level, "-fstack-usage", "-c", "model.c", "-o", "model.o"]
            toolchains.run(toolchains.tool(compiler), *flags, cwd=tmp_path)
            rows = [line.split("\t") for line in (tmp_path / "model.su").read_text().splitlines()]
            assert all(kind in ("static", "dynamic,bounded") for _, _, kind in rows)
            sizes = {place.split(":")[-1]: int(size) for place, size, _ in rows}
            parts = [size for part, size in sizes.items() if re.search(r"_\d+$|robosym_sign", part)]
            whole = max(size for size in sizes.values() if size not in parts)
            assert whole + max(parts, default=0) <= bound, (options, level)


def test_languages_agree_with_graph_to_two_ulps(tmp_path: Path) -> None:
    """Two units in the last place of the largest output, without fused operations."""
    model = models.rx90()
    states = models.states(model, 3)
    right = np.array(graph(model, states))
    ulp = EPS * np.abs(right).max(axis=1, keepdims=True)
    runners = {
        "c": lambda: toolchains.c(model, states, tmp_path, "-O1", "-ffp-contract=off"),
        "c++": lambda: toolchains.cpp(model, states, tmp_path, "-O1", "-ffp-contract=off"),
        "python": lambda: toolchains.python(model, states, tmp_path),
        "fortran": lambda: toolchains.fortran(model, states, tmp_path),
        "rust": lambda: toolchains.rust(model, states, tmp_path),
    }
    for name, run in runners.items():
        assert (np.abs(np.array(run()) - right) / ulp).max() <= 2, name


@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_c_macros_are_reserved(standard: str) -> None:
    """Macros of standard headers would be expanded in our declarations if a program includes those first."""
    headers = "".join(f"#include <{name}.h>\n" for name in ("stddef", "math", "stdio", "string", "complex", "errno"))
    command = [toolchains.tool("gcc"), f"-std={standard}", "-dM", "-E", "-"]
    found = subprocess.run(command, input=headers, capture_output=True, text=True, check=True).stdout
    macros = {line.split()[1] for line in found.splitlines()}
    plain = {name for name in macros if re.fullmatch(r"[A-Za-z]\w*", name)}
    errors = {name for name in plain if re.fullmatch(r"E[A-Z0-9]+", name) and name != "EOF"}  # numbers of errno
    assert len(errors) > 50
    assert plain - errors <= KEYWORDS
