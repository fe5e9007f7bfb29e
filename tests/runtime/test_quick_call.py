"""The fast path for tables of states gives the numbers of the gufunc for every memory layout."""

from __future__ import annotations

import gc
import inspect
import sys
import threading
import weakref
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from cases.hand_models import model_of
from robosym.errors import InputError
from robosym.runtime import Compiled

MODEL = model_of(
    {"q": "x y z", "qd": "u v", "parameters": "a b"},
    {"A": (("A11", "A12", "A13"), ("A21", "A22", "A23")), "f": ("F1", "F2", "F3")},
    {
        "A11": "a*x + sin(y)*u", "A12": "0", "A13": "x", "A21": "(a + b)*v*cos(z)", "A22": "a*b", "A23": "-u",
        "F1": "x*y", "F2": "cos(x)*a", "F3": "u*v - z",
    },
)  # fmt: skip
ONE = model_of({"q": "x y z", "qd": "u v"}, {"f": ("F1", "F2", "F3")}, {"F1": "x*u", "F2": "sin(y)", "F3": "z - v"})
SEED = 20261


@pytest.fixture(scope="module")
def f() -> Compiled:
    return MODEL.compile()


@pytest.fixture(scope="module")
def one() -> Compiled:
    return ONE.compile()


def laid(values: Any, rng: np.random.Generator) -> Any:
    """Return the same numbers in a random memory layout."""
    layout = rng.integers(5)
    if layout == 0 or values.ndim == 1:
        wide = np.full((*values.shape[:-1], 3 * values.shape[-1] + 1), np.nan, values.dtype)
        place = wide[..., 1::3]
    elif layout == 1:
        place = np.empty_like(values, order="F")
    elif layout == 2:
        place = np.empty(values.shape, values.dtype)[::-1, ..., ::-1]
    elif layout == 3:
        place = np.empty((2 * len(values), *values.shape[1:]), values.dtype)[::2]
    else:
        place = np.empty_like(values)
    place[...] = values
    return place


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_layout(f: Compiled, dtype: Any) -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(200):
        rows = int(rng.integers(0, 70))
        given = {
            name: rng.uniform(-2, 2, (rows, size) if rng.random() < 0.8 else size).astype(dtype)
            for name, size in (("q", 3), ("qd", 2), ("parameters", 2))
        }
        laid_out = {name: laid(value, rng) for name, value in given.items()}
        leading = np.broadcast_shapes(*(value.shape[:-1] for value in given.values()))
        f(**given)  # compiles this precision
        right = f._entries[dtype is np.float32].batch(*given.values())
        out = tuple(laid(np.full((*leading, *shape), 7, dtype), rng) for shape in ((2, 3), (3,)))
        for found in (f(**laid_out), f(*laid_out.values()), f(**laid_out, out=out), f(**laid_out, out=list(out))):
            for value, wanted in zip(found, right, strict=True):
                assert value.dtype == dtype
                np.testing.assert_array_equal(value, wanted)
        assert f(**laid_out, out=out).A is out[0]


def test_results_may_overlap_arguments(one: Compiled) -> None:
    rng = np.random.default_rng(SEED)
    for shift in (-40, -3, -2, -1, 0, 1, 2, 5, 39, 120):
        space = rng.uniform(-1, 1, 400)
        q, qd = space[150:270].reshape(40, 3), rng.uniform(-1, 1, (40, 2))
        right = one(q.copy(), qd)
        out = space[150 + shift : 270 + shift].reshape(40, 3)
        assert one(q, qd, out=out) is out
        np.testing.assert_array_equal(out, right)
    table = rng.uniform(-1, 1, (40, 3))
    right = one(table[::-1].copy(), qd)
    one(table[::-1], qd, out=table)
    np.testing.assert_array_equal(table, right)


def test_rejects_unsuitable_out(one: Compiled) -> None:
    q, qd = np.ones((5, 3)), np.ones((5, 2))
    still = np.lib.stride_tricks.as_strided(np.empty(3), (5, 3), (0, 8), writeable=True)
    one(q, qd, out=still)  # all states in the same memory, as NumPy allows
    np.testing.assert_array_equal(still[0], one(q, qd)[0])
    for out, message in [
        (np.empty((5, 4)), r"expected float64 of shape \(5, 3\)"),
        (np.empty((6, 3)), r"found float64 of shape \(6, 3\)"),
        (np.empty(3), r"found float64 of shape \(3,\)"),
        (np.empty((5, 3), np.int64), "found int64"),
        (np.empty((5, 3), ">f8"), "found >f8"),
    ]:
        with pytest.raises(InputError, match=message):
            one(q, qd, out=out)
    with pytest.raises(InputError, match="leading axes"):
        one(q, qd[:4], out=np.empty((5, 3)))


def test_reference_counts_are_stable(f: Compiled) -> None:
    given = {"q": np.ones((9, 3)), "qd": np.ones((9, 2)), "parameters": np.ones(2)}
    out = np.empty((9, 2, 3)), np.empty((9, 3))
    counts = []
    for _ in range(2):
        for _ in range(500):
            f(**given, out=out)
            f(**given)
        counts.append([sys.getrefcount(thing) for thing in (*given.values(), out, *out)])
    assert counts[0] == counts[1]


def test_long_batch_releases_the_gil(one: Compiled) -> None:
    """Other Python threads run during a long batch."""
    q, qd = np.ones((1_000_000, 3)), np.ones((1_000_000, 2))
    out, turns, done = np.empty_like(q), 0, threading.Event()

    def work() -> None:
        for _ in range(20):
            one(q, qd, out=out)
        done.set()

    helper = threading.Thread(target=work)
    helper.start()
    while not done.is_set():
        turns += 1
        done.wait(0.0005)
    helper.join()
    assert turns > 5


def test_names_in_any_order_and_not_interned(f: Compiled) -> None:
    rng = np.random.default_rng(SEED)
    given = {"q": rng.uniform(-1, 1, 3), "qd": rng.uniform(-1, 1, 2), "parameters": rng.uniform(-1, 1, 2)}
    right = f(*given.values())
    out = np.empty((2, 3)), np.empty(3)
    for names in permutations([*given, "out"]):
        values = {"".join(list(name)): given.get(name, out) for name in names}  # strings that are not interned
        for found in (f(**values), f(given["q"], **{n: v for n, v in values.items() if n != "q"})):
            np.testing.assert_array_equal(found.A, right.A)
            np.testing.assert_array_equal(found.f, right.f)


def test_rejected_calls_hold_no_references(f: Compiled) -> None:
    given = {"q": np.ones(3), "qd": np.ones(2), "parameters": np.ones(2)}
    wrong = [
        ((), given | {"z": np.ones(2)}),
        ((given["q"],), given),
        ((given["q"], given["qd"]), {}),
        ((), given | {"q": np.ones(4)}),
    ]

    def references() -> list[int]:
        return [sys.getrefcount(thing) for thing in (*given.values(), f, *wrong[-1][1].values())]

    before = references()
    for _ in range(50):
        for values, names in wrong:
            with pytest.raises(InputError):
                f(*values, **names)
        f(list(given["q"]), **{name: given[name] for name in ("qd", "parameters")})
    assert references() == before


@pytest.mark.usefixtures("few_objects")
def test_compiled_model_is_released() -> None:
    """The code refers back to the model: the garbage collector must see the whole cycle."""
    for bound in (False, True):
        compiled = MODEL.compile()
        if bound:
            compiled = compiled.with_values(parameters=np.ones(2))
        gone = weakref.ref(compiled)
        del compiled
        gc.collect()
        assert gone() is None


def test_behaves_like_a_function(one: Compiled) -> None:
    q, qd = np.ones(3), np.ones(2)
    right = one(q, qd)
    assert callable(one)
    np.testing.assert_array_equal(one.__call__(q, qd=qd), right)
    np.testing.assert_array_equal(partial(one, q)(qd=qd), right)
    np.testing.assert_array_equal(next(map(one, [q], [qd])), right)
    assert "last axis" in (inspect.getdoc(one) or "")


@pytest.mark.usefixtures("few_objects")
def test_code_has_no_unwind_tables() -> None:
    """Unwind tables that outlive their code crash the process at the next backtrace."""
    for _ in range(12):
        compiled = MODEL.compile(cached=False)
        assert b".eh_frame\0" not in compiled._kernels.entry(False, {})._engine.code
        del compiled
        gc.collect()
        large = np.ones(100_000)
        assert ((large + 1) - (large + 2)).sum() == -100_000  # NumPy takes a backtrace
