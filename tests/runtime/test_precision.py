"""Rounding errors compared with closed forms without cancellation, long doubles, and known spacings."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.hand_models import model_of
from robosym.algebra import OPERATIONS, Graph, evaluate, parse, reachable
from robosym.algebra.sympy_bridge import Shadow
from robosym.model import Model

EPSILON = {"double": 2.0**-53, "single": 2.0**-24}


def one(text: str, inputs: str = "x") -> Model:
    return model_of({"q": inputs}, {"out": ("y",)}, {"y": text})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("sqrt(1 + x*x) - 1", lambda x: x * x / (np.sqrt(1 + x * x) + 1)),
        ("1 - cos(x)", lambda x: 2 * np.sin(x / 2) ** 2),
        ("exp(x) - 1", np.expm1),
        ("log(1 + x)", np.log1p),
    ],
)
@pytest.mark.parametrize("size", [1e-1, 1e-3])
def test_cancellation_agrees_with_long_doubles(text: str, right, size: float) -> None:
    """State, computed value, exact value and error agree with a form that does not cancel."""
    model = one(text)
    found = model.precision({"x": (size / 2, size)}, samples=40)
    for kind, number in (("double", np.float64), ("single", np.float32)):
        worst = found.worst[kind]["out"]
        x = worst.state["x"]
        assert number(x) == x
        exact = right(np.longdouble(x))
        assert abs(worst.exact - float(exact)) <= 4 * EPSILON["double"] * abs(worst.exact)
        assert worst.computed == float(np.asarray(model.compile()(q=np.array([x], dtype=number))).ravel()[0])
        assert worst.error == pytest.approx(float(abs(worst.computed - exact) / exact), rel=1e-2)
        assert worst.error == found.error(kind) > 0.05 * EPSILON[kind] / size  # much larger than one rounding
    assert found.error("single") < 20 * EPSILON["single"] / size**2


def test_single_precision_verdict() -> None:
    found = one("1 - cos(x)").precision({"x": (1e-4, 2e-4)})
    assert found.error("single") > 0.5 and not found.suits() and not found.suits("single", 0.1)
    assert found.suits("double", 1e-6) and not found.suits("double", 1e-12)
    assert "Single precision does not meet the tolerance of 0.0001." in str(found)
    good = one("1 + x*x").precision({"x": (1, 2)}, tolerance=1e-6)
    assert good.suits() and good.error("double") < 4 * EPSILON["double"]
    assert "single suits 1e-06>" in repr(good) and len(repr(good)) < 120


def test_errors_are_relative_to_the_largest_entry() -> None:
    texts = {"a": "1 - cos(x)", "b": "1000 + x", "c": "1 - cos(x)"}
    model = model_of({"q": "x"}, {"far": ("a", "b"), "near": ("c",)}, texts)
    found = model.precision({"x": (1e-3, 2e-3)})
    assert found.error("double", "far") < EPSILON["double"] * 2
    assert found.error("double", "near") > 1e-12
    assert found.error("double") == found.error("double", "near")


@pytest.mark.parametrize("name", ["ur5e", "puma560", "panda"])
def test_well_conditioned_arms(name: str) -> None:
    found = rs.inverse_dynamics(rs.load(name)).precision(samples=30)
    assert EPSILON["double"] / 4 < found.error("double") < 1e-13
    assert EPSILON["single"] / 4 < found.error("single") < 1e-4
    robot = rs.load(name)
    limits = robot.joint_limits[0]
    for worst in found.worst.values():
        low = -np.pi if limits.lower is None else limits.lower
        high = np.pi if limits.upper is None else limits.upper
        assert low - 1e-6 <= worst["tau"].state["t1"] <= high + 1e-6


def test_nearly_singular_determinant() -> None:
    """The rounded product is about 1, so the error is the spacing there divided by the result."""
    model = one("a*b - c*d", "a b c d")
    good = model.precision({"a": (2, 3), "b": (4, 5), "c": (0, 1), "d": (0, 1)})
    bad = model.precision({"q": (1.0001, 1.0002)})  # exactly zero in the middle and at the ends
    assert good.error() < 1e-15 and bad.error() > 1e-13
    for kind, found in bad.worst.items():
        a, b, c, d = (np.longdouble(found["out"].state[name]) for name in "abcd")
        assert 0.01 < found["out"].error * float(abs(a * b - c * d)) / EPSILON[kind] < 4


def test_digits_increase_if_fifty_are_not_enough() -> None:
    """The result is 1/(2 x^40), after cancellation of 240 digits; doubles give 0."""
    power = "*".join(["x"] * 40)
    found = one(f"sqrt(({power})*({power}) + 1) - {power}").precision({"x": (1000, 2000)}, samples=6)
    worst = found.worst["double"]["out"]
    assert found.digits > 240 and worst.exact == pytest.approx(worst.state["x"] ** -40.0 / 2)
    assert found.error("single") == float("inf") and found.error("double") == pytest.approx(1)


def test_overflow_and_undefined_states() -> None:
    huge = one("x*x").precision({"x": (1e25, 2e25)}, samples=5)
    assert huge.error("single") == float("inf") and huge.error("double") <= EPSILON["double"]
    assert one("x + 1").precision({"x": (1e300, 2e300)}, samples=5).error("single") == float("inf")
    half = one("sqrt(x)").precision({"x": (-1, 1)}, samples=60)
    assert 5 < half.undefined < 55 and half.error() <= EPSILON["double"]
    assert f"(the model is undefined at {half.undefined})" in str(half)
    with pytest.raises(rs.InputError, match="not finite at any of 60 states"):
        one("asin(x)").precision({"x": (2, 3)}, samples=60)


def test_rounding_of_fixed_values_counts() -> None:
    model = model_of({"q": "x", "parameters": "L"}, {"out": ("y",)}, {"y": "x*L"})
    fixed = model.precision({"x": (1, 2), "L": 0.1})
    assert fixed.worst["single"]["out"].state["L"] == 0.1
    assert fixed.error("single") >= abs(float(np.float32(0.1)) - 0.1) / 0.1 / 2
    assert model.precision({"q": 3, "parameters": {"L": 0.5}}).error("single") == 0
    free = model.precision({"q": 2, "L": (0.1, 0.2)})
    assert free.error("single") == 0 and float(np.float32(0.1)) != 0.1


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"x": 1}, "missing values of L K (group parameters): expected a value or (low, high) of L, or (low, high) of"),
        ({"q": (2, 1), "parameters": 1}, "ranges: q: expected low <= high"),
        ({"qq": 1}, "unknown input 'qq' of the model (did you mean 'q'?)"),
        ({"q": "a"}, "ranges: q: expected a number or (low, high), found 'a'"),
        ({"q": True}, "ranges: q: expected a number or (low, high), found True"),
        ({"q": (0, float("nan"))}, "ranges: q: expected a number or (low, high)"),
        ({"q": (0, 1, 2)}, "ranges: q: expected a number or (low, high)"),
        ({"parameters": {"M": 1}}, "ranges: unknown name 'M' in parameters"),
        ([1], "ranges: expected a dict from names or groups"),
    ],
)
def test_invalid_ranges(ranges, words: str) -> None:
    model = model_of({"q": "x", "parameters": "L K"}, {"out": ("y",)}, {"y": "x*L + K"})
    with pytest.raises(rs.InputError) as caught:
        model.precision(ranges)
    assert words in str(caught.value)
    for wrong in ({"samples": 0}, {"samples": 2.5}, {"tolerance": 0}, {"tolerance": float("nan")}):
        with pytest.raises(rs.InputError, match=r"expected an? "):
            model.precision({"parameters": 1}, **wrong)


def test_poses_and_loops() -> None:
    with pytest.raises(rs.InputError, match="group pose"):
        rs.inverse_dynamics(rs.load("cable8")).precision()
    closed = rs.gravity_torques(rs.load("sr400")).precision({"parameters": (0.5, 1)}, samples=4)
    assert "the loops are not closed at these states" in str(closed)


def test_deterministic_and_picklable() -> None:
    model = rs.gravity_torques(rs.load("planar2r"))
    first, second = model.precision(samples=7), model.precision(samples=7)
    assert first.worst == second.worst
    assert pickle.loads(pickle.dumps(first)).worst == first.worst


@pytest.mark.parametrize("name", OPERATIONS)
def test_many_digit_operations(name: str) -> None:
    """The many-digit arithmetic agrees with floats for every operation."""
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    text = {"add": "x + y", "mul": "x*y", "div": "x/y", "pow": "x**y", "atan2": "atan2(-x, -y)"}.get(
        name, f"{name}(-x)"
    )
    roots = [parse(text.replace("-x", "x") if name in ("sqrt", "log") else text, graph), x + y, graph.pi]
    for values in ({"x": 0.3, "y": 0.7}, {"x": 0.9, "y": 0.01}):
        found = Shadow(50).values(reachable(roots), roots, values)
        assert found is not None
        assert [float(value) for value in found] == pytest.approx(evaluate(roots, values), rel=1e-15)


@pytest.mark.parametrize("name", ["planar2r", "scara", "ur5e"])
def test_table_in_docs(name: str) -> None:
    """docs/trust.md; processors without fused multiply-add round slightly differently."""
    page = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
    plain = re.sub(r"<!--.*?-->", "", page)  # without the names of the figures
    [row] = [line.split("|") for line in plain.splitlines() if line.startswith(f"| {name} |")]
    found = rs.inverse_dynamics(rs.load(name)).precision(samples=np.int64(200))
    for kind, printed in zip(("double", "single"), row[3:5], strict=True):
        assert 1 / 3 < found.error(kind) / float(printed) < 3
