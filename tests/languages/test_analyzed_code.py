"""Generated code under MISRA analyzers and strict compilers, and its agreement to the last digits."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases import models, toolchains
from robosym.algebra import evaluate
from robosym.model import Model

DYNAMIC: dict[str, Callable[[], Model]] = {
    "floating": lambda: rs.inverse_dynamics(rs.load("planar_mobile")),
    "rigid": lambda: rs.inverse_dynamics(rs.load("ur5e")),
    "elastic": lambda: rs.direct_dynamics(rs.load("lumped2axis")),
    "closed": lambda: rs.inverse_dynamics(rs.load("sr400")),
    "second order": lambda: rs.inertia_matrix(rs.load("puma560")),
}
SOLUTIONS: dict[str, Callable[[], rs.InverseGeometry]] = {
    "closed form": lambda: rs.inverse_geometry(rs.load("rx90")),
    "general": lambda: rs.inverse_geometry(rs.load("ur5e"), "general"),
}
#: rules of MISRA C:2012 that generated code deviates from, as reported by cppcheck; docs/trust.md explains them
DEVIATIONS = {
    "dynamic": {"12.1", "12.3", "20.7"},
    "closed form": {"2.5", "8.7", "10.3", "12.1", "12.3", "14.4", "15.5", "15.6", "21.15"},
    "general": {"2.5", "8.7", "8.9", "9.3", "10.1", "10.3", "10.4", "10.6", "12.1", "12.3", "14.4", "15.5", "15.6",
                "15.7", "17.7", "17.8", "18.4", "21.15"},
}  # fmt: skip
TIDY = "-*,bugprone-*,cert-*,clang-analyzer-*,portability-*,performance-*,-bugprone-easily-swappable-parameters,\
-bugprone-implicit-widening-of-multiplication-result"
EPS = float(np.finfo(float).eps)
GRAPH_ULPS = 100  #: the graph and the printed code evaluate in different orders


def quick_first(names: dict[str, object]) -> list[object]:
    """The first case runs in `make test`, the others in `make soak`."""
    return [pytest.param(name, marks=pytest.mark.long) if place else name for place, name in enumerate(names)]


def written(name: str, folder: Path) -> Path:
    path = folder / "model.c"
    (DYNAMIC[name]() if name in DYNAMIC else SOLUTIONS[name]()).write(path)
    return path


@pytest.mark.parametrize("name", quick_first(DYNAMIC | SOLUTIONS))
def test_misra_rules(name: str, tmp_path: Path) -> None:
    cppcheck = toolchains.tool("cppcheck")
    path = written(name, tmp_path)
    checks = ["--enable=warning,portability,performance", "--addon=misra", "--std=c99", "--quiet", "--error-exitcode=0"]
    (tmp_path / "check.sh").write_text(f"exec {cppcheck} {' '.join(checks)} {path.name} 2>&1\n")
    found = toolchains.run("sh", "check.sh", cwd=tmp_path)
    rules = set(re.findall(r"misra-c2012-([\d.]+)\]", found))
    assert rules, "the MISRA addon reported nothing: it did not run"
    others = set(re.findall(r"\[([a-zA-Z]\w+)\]$", found, re.MULTILINE))
    assert not others, found[-2000:]
    assert rules <= DEVIATIONS[name if name in SOLUTIONS else "dynamic"], rules


@pytest.mark.parametrize("name", quick_first(DYNAMIC | SOLUTIONS))
def test_clang_tidy_reports_nothing(name: str, tmp_path: Path) -> None:
    tidy = toolchains.tool("clang-tidy")
    path = written(name, tmp_path)
    found = toolchains.run(tidy, "-quiet", f"-checks={TIDY}", path.name, "--", "-std=c99", cwd=tmp_path)
    assert "warning:" not in found and "error:" not in found, found[-3000:]


@pytest.mark.parametrize("name", quick_first(DYNAMIC | SOLUTIONS))
@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_compiles_without_warnings(name: str, compiler: str, tmp_path: Path) -> None:
    """C, C++ headers, and single precision."""
    command = toolchains.tool(compiler)
    made = DYNAMIC[name]() if name in DYNAMIC else SOLUTIONS[name]()
    if compiler in ("gcc", "clang"):
        made.write(tmp_path / "model.c")
        flags = ["-std=c99", "-O1", *toolchains.STRICT, "-c"]
        toolchains.run(command, *flags, "model.c", "-o", "model.o", cwd=tmp_path)
        if isinstance(made, Model):
            made.write(tmp_path / "single.c", precision="single")
            toolchains.run(command, *flags, "single.c", "-o", "single.o", cwd=tmp_path)
    else:
        made.write(tmp_path / "model.hpp")
        (tmp_path / "main.cpp").write_text('#include "model.hpp"\nint main() { return 0; }\n')
        toolchains.run(command, "-std=c++17", "-O1", *toolchains.STRICT, "main.cpp", "-o", "main", cwd=tmp_path)


@pytest.mark.parametrize("name", quick_first(DYNAMIC))
def test_clippy_reports_nothing(name: str, tmp_path: Path) -> None:
    clippy = toolchains.tool("clippy-driver")
    DYNAMIC[name]().write(tmp_path / "model.rs")
    allowed = ["non_snake_case", "clippy::too_many_arguments", "clippy::excessive_precision"]
    flags = ["--edition", "2021", "--crate-type", "lib", "-D", "warnings", *(f"-A{lint}" for lint in allowed)]
    toolchains.run(clippy, *flags, "model.rs", "--out-dir", ".", cwd=tmp_path)


def julia_parses(text: str) -> bool:
    """Parse with the tree-sitter grammar, since no Julia is installed."""
    language = pytest.importorskip("tree_sitter_julia").language()
    import tree_sitter

    tree = tree_sitter.Parser(tree_sitter.Language(language)).parse(text.encode())
    return not tree.root_node.has_error


@pytest.mark.parametrize("name", quick_first(DYNAMIC))
def test_languages_agree_to_two_ulps(name: str, tmp_path: Path) -> None:
    """Two units in the last place of the largest output, compared with C without fused operations.

    The graph adds in another order, which matters if loops or inertia matrices are solved for.
    """
    model = DYNAMIC[name]()
    states = models.states(model, 3)
    given = [{n: v for g, names in model.inputs.items() for n, v in zip(names, s[g], strict=True)} for s in states]
    graph = np.array([evaluate(model.roots, values) for values in given])
    plain = ("-O1", "-ffp-contract=off")
    right = np.array(toolchains.c(model, states, tmp_path, "-O0", "-ffp-contract=off"))
    ulp = EPS * np.abs(right).max(axis=1, keepdims=True)
    runners: dict[str, Callable[[], toolchains.Outputs]] = {
        "c by clang": lambda: toolchains.c(model, states, tmp_path, *plain, compiler="clang"),
        "c++": lambda: toolchains.cpp(model, states, tmp_path, *plain),
        "python": lambda: toolchains.python(model, states, tmp_path),
        "fortran": lambda: toolchains.fortran(model, states, tmp_path),
        "rust": lambda: toolchains.rust(model, states, tmp_path),
        "octave": lambda: toolchains.octave(model, states, tmp_path),
    }
    found = {name: float((np.abs(np.array(run()) - right) / ulp).max()) for name, run in runners.items()}
    assert max(found.values()) <= 2, found
    assert (np.abs(graph - right) / ulp).max() <= GRAPH_ULPS
    assert julia_parses(model.code("julia"))
