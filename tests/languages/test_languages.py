"""Code of every language, run by its compiler or interpreter, agrees with the graph evaluated in Python."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import robosym as rs
from cases import models, toolchains
from long_cases import quick_and_long
from robosym.algebra import Graph, evaluate
from robosym.errors import InputError
from robosym.languages import LANGUAGES
from robosym.model import Model
from robosym.optimizer.optimize import optimize

RUNNERS = toolchains.RUNNERS
DIGITS = {"maple by giac": 1e-10}  # giac prints 12 digits


def expected(model: Model, states: list[dict[str, list[float]]]) -> list[list[float]]:
    values = []
    for state in states:
        named = {n: v for g, names in model.inputs.items() for n, v in zip(names, state[g], strict=True)}
        values.append(evaluate(model.roots, named))
    return values


def close(found: list[list[float]], right: list[list[float]], tolerance: float) -> None:
    assert [len(row) for row in found] == [len(row) for row in right]
    for got, want in zip(found, right, strict=True):
        scale = max(map(abs, want))
        assert got == pytest.approx(want, rel=tolerance, abs=tolerance * scale)


MODELS = {model.__name__: model for model in (models.rx90, models.awkward, models.read_and_written)}


@pytest.mark.parametrize(
    ("language", "name"), quick_and_long(product(RUNNERS, MODELS), long=[("mathematica by mathics", "rx90")])
)
def test_values(language: str, name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    m = model()
    states = models.states(m)
    close(RUNNERS[language](m, states, tmp_path), expected(m, states), DIGITS.get(language, 1e-13))


def test_long_model_is_split_into_functions(tmp_path: Path) -> None:
    """80 links: gcc takes most of a minute for a single function of this length."""
    m = models.long_chain()
    assert m.code("c").count("static void") > 5
    states = models.states(m, 2)
    close(toolchains.c(m, states, tmp_path, "-O0"), expected(m, states), 1e-9)


@pytest.mark.parametrize("language", ["c with init", "c++", "fortran", "fortran 77", "rust", "octave", "python"])
def test_split_functions_share_values(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The RX90 in functions of 25 statements: every value passes from one function to another."""
    monkeypatch.setattr("robosym.languages.functions.STATEMENTS", 25)
    m = models.rx90()
    states = models.states(m)
    close(RUNNERS[language](m, states, tmp_path), expected(m, states), 1e-13)


POSES = {  # models with a desired pose, another online input
    "Paul's matrices": lambda: rs.paul_matrices(rs.load("rx90")),
    "general equations": lambda: rs.general_equations(rs.load("rx90"), stop="AB").model,
}


@pytest.mark.parametrize("model", POSES)
@pytest.mark.parametrize("language", ["c with init", "c++", "fortran with init", "python with init", "rust"])
def test_init_does_not_need_the_pose(language: str, model: str, tmp_path: Path) -> None:
    m = POSES[model]()
    assert "T" in m.inputs
    states = models.states(m)
    close(RUNNERS[language](m, states, tmp_path), expected(m, states), 1e-12)


def test_cpp_with_other_scalars(tmp_path: Path) -> None:
    m = models.rx90()
    states = models.states(m)
    close(toolchains.cpp(m, states, tmp_path, scalar="long double"), expected(m, states), 1e-13)
    close(toolchains.cpp(m, states, tmp_path, scalar="float"), expected(m, states), 1e-4)


@pytest.mark.parametrize("model", [models.rx90, models.awkward, models.long_chain, *POSES.values()])
@pytest.mark.parametrize("init", [False, True])
def test_julia_grammar(model: Callable[[], Model], init: bool) -> None:
    grammar = pytest.importorskip("tree_sitter_julia", reason="tree-sitter-julia is not installed")
    from tree_sitter import Language, Parser

    source = model().code("julia", init=init)
    tree = Parser(Language(grammar.language())).parse(source.encode())
    assert not tree.root_node.has_error
    assert tree.root_node.named_child_count > 2
    broken = source.replace("end\n", "", 1)  # the parser detects errors
    assert Parser(Language(grammar.language())).parse(broken.encode()).root_node.has_error


def test_latex_structure() -> None:
    converter = pytest.importorskip("latex2mathml.converter", reason="latex2mathml is not installed")
    for model in (models.rx90(), models.awkward()):
        source = model.code("latex")
        assert source.count(r"\begin{align*}") == source.count(r"\end{align*}") >= 1
        body = source.split("% equations")[1].split("% end of equations")[0]
        matrices = re.findall(r"\\\[\n(.*?)\\\]", body, re.DOTALL)
        body = re.sub(r"\\\[\n.*?\\\]", "", body, flags=re.DOTALL)
        for matrix in matrices:
            converter.convert(matrix)
        rows = [row.strip() for row in re.sub(r"\\(begin|end)\{align\*\}", "", body).split("\\\\\n")]
        assert len(rows) >= len(model.output_names)
        for row in rows:
            assert (row.count("{") == row.count("}") and row.count("(") == row.count(")")) or r"&\quad" in body
            converter.convert(row.replace("&", " "))
        assert r"\mathrm{" in source and "_{1}" in source


def test_latex_compiles(tmp_path: Path) -> None:
    command = toolchains.tool("pdflatex")
    models.rx90().write(tmp_path / "rx90.tex")
    toolchains.run(command, "-interaction=nonstopmode", "-halt-on-error", "rx90.tex", cwd=tmp_path)


def test_line_length() -> None:
    for model in (models.rx90(), models.awkward(), models.long_chain(20)):
        for language in ("c", "cpp", "python", "listing", "mathematica", "maple", "matlab", "julia", "rust"):
            longest = max(model.code(language).splitlines(), key=len)
            is_head = any(word in longest for word in ("(const ", "fn ", "def "))
            assert len(longest) <= 140 or is_head, (language, longest)


def test_numbers_are_printed_exactly() -> None:
    graph = Graph()
    x = graph.symbol("x", online=True)
    values = (0.1, 1 / 3, 1e-300, 12345678.9, 5e-324, 1.7976931348623157e308)
    roots = {f"y{i}": x * value for i, value in enumerate(values)}
    m = Model("n", "num", "numbers", {"q": ("x",)}, {"y": tuple(roots)}, roots, graph)
    for language in ("c", "python", "rust", "julia", "matlab"):
        text = m.code(language)
        for value in values:
            assert repr(value) in text


def test_default_file_names(tmp_path: Path) -> None:
    m = models.rx90()
    names = {
        language: m.write(tmp_path, language)[0].name
        for language in ("listing", "c", "fortran", "mathematica", "matlab", "maple", "cpp", "julia", "rust", "latex")
    }
    assert names == {
        "listing": "rx90.dyn", "c": "rx90_dyn.c", "fortran": "rx90_dyn.f90", "mathematica": "rx90_dyn.mh",
        "matlab": "rx90_dyn.m", "maple": "rx90_dyn.mp", "cpp": "rx90_dyn.hpp", "julia": "rx90_dyn.jl",
        "rust": "rx90_dyn.rs", "latex": "rx90_dyn.tex",
    }  # fmt: skip
    assert m.write(tmp_path, "fortran", form="fixed")[0].name == "rx90_dyn.f"
    assert optimize(m, 0).write(tmp_path)[0].name == "rx90.dyno"
    assert "c rx90" in m.write(tmp_path / "other.f")[0].read_text()


def test_rejects_unknown_options() -> None:
    m = models.rx90()
    with pytest.raises(InputError, match=r"inti: unknown option of c .did you mean 'init'"):
        m.code("c", inti=True)
    with pytest.raises(InputError, match=r"unknown language 'fortrn' .did you mean 'fortran'"):
        m.code("fortrn")
    with pytest.raises(InputError, match="expected 'free' or 'fixed'"):
        m.code("fortran", form="wide")


def test_printing_time_of_a_long_model() -> None:
    """0.1 to 0.4 s per language were measured; the limit allows for a busy machine."""
    m = models.long_chain()
    for language in LANGUAGES:
        start = time.perf_counter()
        m.code(language)
        assert time.perf_counter() - start < 4, language
