"""`out`, `threads` and column-major arrays give the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.hand_models import model_of, random_arrays
from robosym.errors import InputError

SEVERAL = model_of(
    {"q": "x y", "qd": "u", "parameters": "a"},
    {"A": (("A11", "A12", "A13"), ("A21", "A22", "A23")), "b": ("B1", "B2")},
    {
        "A11": "a*x",
        "A12": "sin(y)",
        "A13": "u",
        "A21": "x*y",
        "A22": "1",
        "A23": "a*u*u",
        "B1": "x - u",
        "B2": "exp(y)",
    },
)


@pytest.fixture(scope="module")
def f() -> Any:
    return rs.inverse_dynamics(rs.load("ur10e")).compile()


def states(count: int, order: Any = "C", dtype: Any = float) -> dict[str, Any]:
    rng = np.random.default_rng(count)
    return {name: np.asarray(rng.uniform(-2, 2, (count, 6)), dtype=dtype, order=order) for name in ("q", "qd", "qdd")}


@pytest.mark.parametrize("count", [1, 3, 4, 5, 8, 17, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_column_major_arrays(f: Any, count: int, dtype: Any) -> None:
    right = f(**states(count, dtype=dtype))
    given = states(count, "F", dtype)
    np.testing.assert_array_equal(f(**given), right)
    out = np.full((count, 6), np.nan, dtype, order="F")
    assert f(**given, out=out) is out
    np.testing.assert_array_equal(out, right)


def test_array_slices() -> None:
    f = SEVERAL.compile()
    given = random_arrays(SEVERAL, np.random.default_rng(1), (13,))
    right = f(**given)
    wide = np.full((20, 7), np.nan)
    wide[2:15, 3] = given["qd"][:, 0]
    found = f(q=np.asfortranarray(given["q"]), qd=wide[2:15, 3:4], parameters=given["parameters"])
    for a, b in zip(found, right, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_out(f: Any, threads: int) -> None:
    given = states(10_007)
    right = f(**given)
    np.testing.assert_array_equal(f(**given, threads=threads), right)
    out = np.empty_like(right)
    assert f(given["q"], given["qd"], given["qdd"], out=out, threads=threads) is out
    np.testing.assert_array_equal(out, right)
    shaped = {"q": given["q"][None, :10_000].reshape(2, 5000, 6), "qd": given["qd"][:5000], "qdd": given["qdd"][0]}
    np.testing.assert_array_equal(f(**shaped, threads=threads), f(**shaped))


def test_several_outputs_with_threads() -> None:
    f = SEVERAL.compile()
    given = random_arrays(SEVERAL, np.random.default_rng(2), (5000,))
    right = f(**given)
    out = (np.empty((5000, 2, 3)), np.empty((5000, 2)))
    found = f(**given, out=out, threads=3)
    assert found.A is out[0] and found.b is out[1]
    for a, b in zip(found, right, strict=True):
        np.testing.assert_array_equal(a, b)
    fixed = f.with_values(parameters=given["parameters"])
    np.testing.assert_array_equal(fixed(q=given["q"], qd=given["qd"], threads=2).A, right.A)


def test_out_may_overlap_inputs(f: Any) -> None:
    given = {name: value[0] for name, value in states(1).items()}
    out = np.empty(6)
    assert f(**given, out=out) is out
    np.testing.assert_array_equal(out, f(**given))
    many = states(5000)
    right = f(**many)
    f(**many, out=many["q"], threads=2)
    np.testing.assert_array_equal(many["q"], right)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_constant_entries_of_matrices(dtype: Any) -> None:
    """Constant entries are written for every memory layout of inputs and outputs."""
    g = SEVERAL.compile().with_values(parameters=[0.7])
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-1, 1, (11, 2)).astype(dtype), rng.uniform(-1, 1, (11, 1)).astype(dtype)
    right = g(q=q, qd=qd)
    np.testing.assert_array_equal(right.A[:, 1, 1], 1)
    for order in "CF":
        out = np.full((11, 2, 3), np.nan, dtype, order=order), np.full((11, 2), np.nan, dtype, order=order)
        found = g(q=np.asarray(q, order=order), qd=qd, out=out)
        assert found.A is out[0]
        for one, other in zip(found, right, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"out": np.empty((9, 6))}, r"out: tau: expected float64 of shape \(10, 6\), found float64 of shape \(9, 6\)"),
        ({"out": np.empty((10, 6), np.float32)}, "found float32"),
        ({"out": np.empty((3, 10, 6))}, r"found float64 of shape \(3, 10, 6\)"),
        ({"out": [1, 2]}, r"out: expected 1 arrays \(tau\), found 2"),
        ({"out": "here"}, "expected an array, found str"),
        ({"threads": 0}, "threads: expected an integer of at least 1, found 0"),
        ({"threads": "two"}, "found 'two'"),
        ({"threads": 2, "qq": 1}, "unknown input 'qq'"),
        ({"threads": 2, "q": np.zeros((4, 6))}, "leading axes cannot be broadcast"),
    ],
)
def test_invalid_out_and_threads(f: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        f(**{**states(10), **more})
    locked = np.empty((10, 6))
    locked.flags.writeable = False
    with pytest.raises(InputError, match="expected a writeable array"):
        f(**states(10), out=locked)
