"""Guaranteed bounds compared with values and rounding errors at samples, many-digit arithmetic, and closed forms."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import robosym as rs
from cases.hand_models import model_of
from robosym.algebra import FUNCTIONS, evaluate
from robosym.algebra.enclosures import DOUBLE, EXACT, Output
from robosym.algebra.harmonics import harmonics
from robosym.algebra.intervals import Interval
from robosym.model import Model


def one(text: str, inputs: str = "x") -> Model:
    return model_of({"q": inputs}, {"out": ("y",)}, {"y": text})


def exact(model: Model, state: dict[str, float]) -> list[mpmath.mpf]:
    """Return the outputs in 60 digits, by the functions of mpmath."""
    names = {"sign": mpmath.sign, "abs": abs, "pow": mpmath.power}
    with mpmath.workdps(60):
        found = {}
        for node in model.nodes:
            a = [-found[k.node] if k.negative else found[k.node] for k in node.args]
            if node.op in ("number", "symbol", "pi"):
                value = state[node.value] if node.op == "symbol" else mpmath.pi if node.op == "pi" else node.value
                value = Fraction(value) if isinstance(value, float) else value
                found[node] = mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else +value
            elif node.op in ("add", "mul", "div"):
                found[node] = {"add": lambda x, y: x + y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y}[
                    node.op
                ](*a)
            else:
                found[node] = (names.get(node.op) or getattr(mpmath, node.op))(*a)
        return [-found[r.node] if r.negative else found[r.node] for r in model.roots]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("x*x - x", -0.25, 2.0),
        ("3*cos(x) + 4*sin(x)", 3 * math.cos(2) + 4 * math.sin(2), 5.0),
        ("x/(1 + x*x)", 0.0, 0.5),
        ("1/(x - 3)", -1.0, -1 / 3),
        ("cos(x)*cos(x) + sin(x)*sin(x)", 1.0, 1.0),
        ("sqrt(1 + x) - x/2", math.sqrt(3) - 1, 1.0),
    ],
)
def test_bounds_are_close_to_the_range(text: str, low: float, high: float) -> None:
    found = one(text).bounds({"x": (0, 2)}, boxes=400).outputs["y"]
    assert found.low <= low <= found.low + 0.02
    assert high <= found.high <= high + 0.02
    assert low - 1e-9 <= found.attained[0] <= found.attained[1] <= high + 1e-9


@pytest.mark.parametrize("text", ["1/x", "-log(x)", "tan(x)", "x/sqrt(x)", "1/sin(x)"])
def test_unbounded_output_has_infinite_bounds(text: str) -> None:
    found = one(text).bounds({"x": (-2, 2)}).outputs["y"]
    assert found.high == math.inf and found.errors["double"] == math.inf


@pytest.mark.parametrize(
    ("text", "span", "high"),
    [("sign(x)*(1 - x*x)", (-0.5, 2), 1.0), ("atan2(x, -1)", (-1, 1), math.pi), ("abs(x)", (-3, 2), 3.0)],
)
def test_jumps_are_within_the_bounds(text: str, span: tuple[float, float], high: float) -> None:
    found = one(text).bounds({"x": span}).outputs["y"]
    assert high - 1e-6 <= found.high <= high + 1e-3


def test_error_at_a_jump() -> None:
    """The sign of an input is exact, that of a sum is not."""
    assert one("sign(x)").bounds({"x": (-1, 1)}).outputs["y"].errors["double"] == 0
    assert one("sign(x + 0.1)").bounds({"x": (-1, 1)}).outputs["y"].errors["double"] == math.inf


def test_every_function_stays_within_its_bounds() -> None:
    """A model with one output per function, at random states in machine code."""
    texts = {f"y_{n}": f"{n}({', '.join('xz'[: f.arity])}) - x*x" for n, f in FUNCTIONS.items()}
    model = model_of({"q": "x z"}, {"out": tuple(texts)}, texts)
    span = (0.2, 0.7)
    found = model.bounds({"q": span}, boxes=30).outputs
    draw = random.Random("functions")
    f = model.compile()
    for _ in range(20):
        state = {symbol: draw.uniform(*span) for symbol in "xz"}
        for kind, number in (("double", np.float64), ("single", np.float32)):
            given = {symbol: float(number(value)) for symbol, value in state.items()}
            values = f(q=np.array([given["x"], given["z"]], dtype=number))
            for (name, bound), value, right in zip(found.items(), values, exact(model, given), strict=True):
                assert bound.low <= right <= bound.high, name
                assert abs(float(value) - right) <= bound.errors[kind] < (3e-15 if kind == "double" else 2e-6), name


_CASES = (("scara", "inverse_dynamics"), ("rx90", "jacobian"))


@pytest.mark.parametrize(("robot", "function"), _CASES)
def test_models_stay_within_their_bounds(robot: str, function: str) -> None:
    loaded = rs.load(robot)
    model = rs.jacobian(loaded, 6) if function == "jacobian" else getattr(rs, function)(loaded)
    parameters = dict.fromkeys(model.inputs.get("parameters", ()), (0.4, 0.6))
    ranges = {"q": (0.5, 1.5), **parameters, **{g: (-1, 1) for g in ("qd", "qdd") if g in model.inputs}}
    found = model.bounds(ranges, boxes=1)
    f = model.compile()
    draw = np.random.default_rng(4)
    for kind, number in (("double", np.float64), ("single", np.float32)):
        for _ in range(12):
            state = {n: float(number(draw.uniform(*found.ranges[n]))) for names in model.inputs.values() for n in names}
            groups = {g: np.array([state[n] for n in names], dtype=number) for g, names in model.inputs.items()}
            result = f(**groups)
            values = np.ravel(result if len(model.outputs) == 1 else np.concatenate([np.ravel(r) for r in result]))
            for bound, value, right in zip(found.outputs.values(), values, exact(model, state), strict=True):
                assert bound.low <= right <= bound.high
                assert abs(float(value) - right) <= bound.errors[kind]


def test_more_boxes_give_tighter_bounds() -> None:
    model = rs.gravity_torques(rs.load("ur5e")).select("Q2", "Q3")
    few, many = (model.bounds({"q": (-0.4, 0.9)}, boxes=count) for count in (1, 100))
    for name, bound in many.outputs.items():
        assert bound.high <= few.outputs[name].high and bound.low >= few.outputs[name].low
        assert bound.errors["double"] <= few.outputs[name].errors["double"]
    assert -many.outputs["Q2"].low < -1.05 * many.outputs["Q2"].attained[0]


def test_bounds_of_a_panda_at_all_positions_are_close_to_values() -> None:
    found = rs.gravity_torques(rs.load("panda")).select("Q2").bounds(boxes=30)
    assert found.outputs["Q2"].size < 1.5 * max(map(abs, found.outputs["Q2"].attained))
    assert found.error("double") < 1e-11 and found.error("single") < 1e-2


def test_harmonics_are_equal_to_the_expression() -> None:
    model = rs.inertia_matrix(rs.load("rx90"))
    state = {name: 0.1 + 0.37 * k for k, name in enumerate(n for names in model.inputs.values() for n in names)}
    for root in (model.definitions["A11"], -model.definitions["A23"]):
        other = harmonics(root)
        assert other is not None
        assert evaluate([other], state)[0] == pytest.approx(evaluate([root], state)[0], rel=1e-12)


def test_overflow_has_no_bound() -> None:
    found = one("x*x").bounds({"x": (1e25, 2e25)}).outputs["y"]
    assert found.errors["single"] == math.inf and found.errors["double"] < 1e36


def test_sums_in_any_order() -> None:
    """The bound of an error covers the worst order of addition: here large terms first."""
    model = one("x + (1 + (z - x))", "x z")
    box = {"x": Interval(np.array([1e8]), np.array([1e8])), "z": Interval(np.array([1.0]), np.array([1.0]))}
    error = Output(model.definitions["y"]).over(box, DOUBLE).error[0]
    assert error >= 1e8 * 2.0**-53
    assert Output(model.definitions["y"]).over(box, EXACT).error[0] == 0


def test_header_has_the_bounds_of_its_own_form_only(tmp_path: Path) -> None:
    model = rs.gravity_torques("planar2r").with_bounds({"q": (-1, 1)})
    path = model.write(tmp_path / "code.c")[0]
    text = path.read_text("utf-8")
    assert "Guaranteed bounds" in text and "q -1 to 1" in text
    assert rs.read_model(path).output_names == model.output_names
    assert "Guaranteed" not in rs.optimize(model, 1).code("c")
    assert "Guaranteed" not in model.select("Q1").code("c")


def test_names_invalid_arguments() -> None:
    model = rs.gravity_torques("planar2r")
    with pytest.raises(rs.InputError, match="boxes: expected"):
        model.bounds(boxes=0)
    with pytest.raises(rs.InputError, match="unknown input 'z'"):
        model.bounds({"z": 1})
    with pytest.raises(rs.InputError, match="precision: expected"):
        model.bounds(boxes=1).error("half")
    with pytest.raises(rs.InputError, match="group: expected"):
        model.bounds(boxes=1).group("tau")
    assert [bound.name for bound in model.bounds(boxes=1).group("Q")] == ["Q1", "Q2"]


# ------------------------------------------------------------------------------------------ fixed point


@pytest.mark.parametrize(
    ("robot", "function", "word"),
    [("planar2r", "inverse_dynamics", 32), ("panda", "gravity_torques", 32), ("scara", "inverse_dynamics", 24),
     ("planar2r", "gravity_torques", 16), ("ur5e", "inertia_matrix", 32)],
)  # fmt: skip
def test_integers_neither_overflow_nor_exceed_the_error(robot: str, function: str, word: int) -> None:
    model = getattr(rs, function)(rs.load(robot))
    found = model.fixed_point(word)
    draw = random.Random(f"{robot} {function}")
    largest = 0.0
    for k in range(25):
        state = {}
        for name, (low, high) in found.ranges.items():
            unit = 2.0 ** -found.fraction(name) if name in {n.value for n in model.nodes} else 1.0
            value = draw.choice((low, high)) if k % 2 else draw.uniform(low, high)
            state[name] = min(max(math.floor(value / unit) * unit, math.ceil(low / unit) * unit), high)
        result = found.evaluate(state)  # asserts that nothing overflows
        for name, right in zip(model.output_names, evaluate(model.roots, state), strict=True):
            assert abs(result[name] - right) <= found.errors[name]
            largest = max(largest, abs(result[name] - right) / found.errors[name] if found.errors[name] else 0)
    assert largest > 0.005  # the bounds are not arbitrary


def test_fixed_point_rejects_invalid_values() -> None:
    with pytest.raises(rs.InputError, match="word: expected an integer from 8 to 32"):
        rs.gravity_torques("planar2r").fixed_point(64)
    with pytest.raises(rs.InputError, match="has no bound"):
        one("1/x").fixed_point(32, {"x": (-1, 1)})
    found = one("x*x").fixed_point(16, {"x": (0, 3)})
    assert found.fraction("x") == 13 and found.fraction("y") == 11
    with pytest.raises(rs.InputError, match="x: expected a number from 0 to 3, found 4"):
        found.evaluate({"x": 4})
    with pytest.raises(rs.InputError, match="found 'z'"):
        found.fraction("z")
