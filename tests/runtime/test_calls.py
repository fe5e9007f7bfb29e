"""Calls of compiled models: shapes, strides, dicts, precisions, threads, and invalid arguments."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.hand_models import model_of, random_arrays, reference
from evaluation import agree
from robosym.errors import InputError
from robosym.model import Model
from robosym.runtime import Compiled, compiled

MODEL = model_of(
    {"q": "x y z", "qd": "u v w", "parameters": "a b c d"},
    {"f": ("F1", "F2", "F3")},
    {"F1": "a*x + sin(y)*u", "F2": "(a + b)*v*cos(z) - c", "F3": "exp(a*b)*w + d*x*y"},
)
SEVERAL = model_of(
    {"q": "x y", "qd": "u", "parameters": "a"},
    {"A": (("A11", "A12", "A13"), ("A21", "A22", "A23")), "class": ("H",), "b": ("B1", "B2")},
    {
        "A11": "x",
        "A12": "y",
        "A13": "a*x*y",
        "A21": "sin(x)",
        "A22": "0",
        "A23": "u",
        "H": "-a*u",
        "B1": "cos(x)",
        "B2": "a",
    },
)


@pytest.fixture(scope="module")
def f() -> Compiled:
    return MODEL.compile()


@pytest.fixture
def arrays() -> dict[str, Any]:
    return random_arrays(MODEL, np.random.default_rng(0))


def check(f: Compiled, arrays: dict[str, Any]) -> None:
    agree(f(**arrays), reference(MODEL, arrays)["f"], 1e-13)


def shaped(rng: np.random.Generator, *leading: tuple[int, ...]) -> dict[str, Any]:
    """Return numbers for each group with the given leading axes."""
    pairs = zip(MODEL.inputs.items(), leading, strict=True)
    return {group: rng.standard_normal((*axes, len(names))) for (group, names), axes in pairs}


# ------------------------------------------------------------------------------------------------ shapes and strides


def test_one_state(f: Compiled, arrays: dict[str, Any]) -> None:
    check(f, arrays)
    expected = f(**arrays)
    q, qd, parameters = arrays.values()
    np.testing.assert_array_equal(f(q, qd, parameters), expected)
    np.testing.assert_array_equal(f(q, parameters=parameters, qd=qd), expected)
    np.testing.assert_array_equal(f(list(q), tuple(qd), parameters.tolist()), expected)


@pytest.mark.parametrize("length", range(21))
def test_every_batch_length(f: Compiled, length: int) -> None:
    """The result is inside a larger array, which shows writes outside."""
    arrays = random_arrays(MODEL, np.random.default_rng(length), (length,))
    check(f, arrays)
    out = np.full((length + 40, 3), 7.0)
    f._entries[False].batch(*arrays.values(), out=out[20 : 20 + length])
    assert (out[:20] == 7).all()
    assert (out[20 + length :] == 7).all()


def test_leading_axes_broadcast(f: Compiled) -> None:
    rng = np.random.default_rng(3)
    for q, qd in [((4, 5), (5,)), ((4, 1), (1, 6)), ((2, 1, 3), (4, 1)), ((1,), (7,)), ((), (3, 2))]:
        check(f, shaped(rng, q, qd, ()))


def test_batched_parameters(f: Compiled) -> None:
    rng = np.random.default_rng(4)
    for q, qd, parameters in [((13,), (13,), (13,)), ((), (), (9,)), ((5, 1), (), (3,)), ((2, 3), (3,), (2, 1))]:
        check(f, shaped(rng, q, qd, parameters))


def test_empty_batches(f: Compiled, arrays: dict[str, Any]) -> None:
    assert f(**{**arrays, "q": np.empty((0, 3))}).shape == (0, 3)
    assert f(**{**arrays, "q": np.empty((4, 0, 3)), "qd": np.ones((1, 3))}).shape == (4, 0, 3)


def test_strides(f: Compiled) -> None:
    rng = np.random.default_rng(5)
    big = rng.standard_normal((40, 12))
    arrays = {"q": big[::-2, ::-4], "qd": big.T[:3, :20].T, "parameters": big[3, 8:4:-1]}
    check(f, arrays)
    check(f, {"q": np.asfortranarray(big[:, :3]), "qd": big[:, 5:8], "parameters": big[::10, 0]})
    check(f, {"q": big[0, ::-5], "qd": big[:3, 2], "parameters": big[1, ::3]})
    repeated = np.broadcast_to(1.5, (9, 3))
    check(f, {"q": repeated, "qd": big[0, :3], "parameters": np.broadcast_to(0.5, 4)})


def test_unaligned_arrays(f: Compiled) -> None:
    raw = np.random.default_rng(6).standard_normal(3)
    shifted = np.frombuffer(b"\0" + raw.tobytes(), np.uint8)[1:].view(np.float64)
    assert not shifted.flags.aligned
    check(f, {"q": shifted, "qd": raw, "parameters": np.ones(4)})


def test_inputs_are_not_modified(f: Compiled) -> None:
    arrays = random_arrays(MODEL, np.random.default_rng(7), (6,))
    before = {group: value.copy() for group, value in arrays.items()}
    for value in arrays.values():
        value.flags.writeable = False
    check(f, arrays)
    for group, value in arrays.items():
        np.testing.assert_array_equal(value, before[group])


def test_results_are_new_arrays(f: Compiled, arrays: dict[str, Any]) -> None:
    first = f(**arrays)
    kept = first.copy()
    f(**{**arrays, "q": arrays["q"] + 1})
    np.testing.assert_array_equal(first, kept)
    assert first.flags.writeable
    assert first.flags.owndata


def test_array_subclasses_and_other_dtypes(f: Compiled, arrays: dict[str, Any]) -> None:
    expected = f(q=[1.0, 2.0, 3.0], qd=arrays["qd"], parameters=arrays["parameters"])
    kinds = ("int8", "uint64", "longdouble", ">f8", "float16")
    for q in ([1, 2, 3], range(1, 4), np.ma.array([1.0, 2.0, 3.0]), *(np.array([1, 2, 3], kind) for kind in kinds)):
        found = f(q=q, qd=arrays["qd"], parameters=arrays["parameters"])
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)


# ------------------------------------------------------------------------------------------------- several outputs


def test_several_output_groups() -> None:
    f = SEVERAL.compile()
    for batch in ((), (5,), (2, 9)):
        arrays = random_arrays(SEVERAL, np.random.default_rng(8), batch)
        found, expected = f(**arrays), reference(SEVERAL, arrays)
        assert found._fields == ("A", "_1", "b")
        for value, (_, wanted) in zip(found, expected.items(), strict=True):
            agree(value, wanted, 1e-13)
    assert f(**arrays).A.shape == (2, 9, 2, 3)


def test_matrix_output() -> None:
    model = model_of({"q": "x y"}, {"M": (("A", "B"), ("C", "D"))}, {"A": "x", "B": "y", "C": "x*y", "D": "1"})
    f = model.compile()
    np.testing.assert_array_equal(f(q=[2.0, 3.0]), [[2, 3], [6, 1]])
    np.testing.assert_array_equal(f(q=np.array([2.0, 3.0])), [[2, 3], [6, 1]])
    assert f(q=np.ones((4, 2))).shape == (4, 2, 2)


# ------------------------------------------------------------------------------------------------------ dictionaries


def test_parameters_by_name() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    f = model.compile()
    arrays = random_arrays(model, np.random.default_rng(9), (4,))
    expected = f(**arrays)
    everything = dict.fromkeys(model.robot.parameters, 0.5)  # type: ignore[union-attr]
    by_name = everything | dict(zip(model.inputs["parameters"], arrays["parameters"], strict=True))
    gravity = {"G3": arrays["gravity"][0]}
    np.testing.assert_array_equal(f(**{**arrays, "parameters": by_name, "gravity": gravity}), expected)
    with pytest.raises(InputError, match=r"parameters: unknown name 'MX33' \(did you mean 'MX3'\?\)"):
        f(**{**arrays, "parameters": {**by_name, "MX33": 1.0}})
    del by_name["MX3"]
    with pytest.raises(InputError, match="parameters: missing values of MX3"):
        f(**{**arrays, "parameters": by_name})


def test_dicts_of_any_order_and_number_type(f: Compiled, arrays: dict[str, Any]) -> None:
    expected = f(**{**arrays, "parameters": np.array([1.0, 2.0, 3.0, 0.5])})
    dicts: list[Any] = [
        {"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.5},
        {"d": np.float64(0.5), "c": 3, "b": np.int32(2), "a": np.float32(1)},
        {"".join(name): value for name, value in (("a", 1), ("c", 3), ("d", 0.5), ("b", 2))},
        {"d": 0.5, "c": 3, "b": 2, "a": True},
        MappingProxyType({"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.5}),
        OrderedDict(d=0.5, a=1, b=np.array(2), c=3),
    ]
    for parameters in dicts:
        np.testing.assert_array_equal(f(**{**arrays, "parameters": parameters}), expected)
        by_name = {group: dict(zip(MODEL.inputs[group], arrays[group], strict=True)) for group in ("q", "qd")}
        np.testing.assert_array_equal(f(**by_name, parameters=parameters), expected)
    with pytest.raises(InputError, match="c: expected real numbers"):
        f(**{**arrays, "parameters": {"a": 1.0, "b": 2.0, "c": 10**400, "d": 0.5}})


def test_batches_by_name(f: Compiled, arrays: dict[str, Any]) -> None:
    a = np.arange(5.0)
    found = f(**{**arrays, "parameters": {"a": a, "b": 1, "c": 2.0, "d": np.ones((2, 1))}})
    table = np.stack(np.broadcast_arrays(a, 1, 2.0, np.ones((2, 1))), -1)
    agree(found, reference(MODEL, {**arrays, "parameters": table})["f"], 1e-13)
    with pytest.raises(InputError, match=r"parameters: shapes cannot be broadcast: \(5,\), \(\), \(4,\)"):
        f(**{**arrays, "parameters": {"a": a, "b": 1, "c": np.ones(4), "d": 1}})


# ----------------------------------------------------------------------------------------------------- fixed groups


def test_with_values(f: Compiled) -> None:
    arrays = random_arrays(MODEL, np.random.default_rng(10), (6,))
    expected = f(**arrays)
    fixed = f.with_values(parameters=arrays["parameters"])
    assert list(fixed.inputs) == ["q", "qd"]
    np.testing.assert_array_equal(fixed(q=arrays["q"], qd=arrays["qd"]), expected)
    np.testing.assert_array_equal(fixed(arrays["q"][0], arrays["qd"][0]), expected[0])
    np.testing.assert_array_equal(fixed(q=arrays["q"][0], qd=arrays["qd"][0]), expected[0])
    other = {**arrays, "parameters": np.ones(4)}
    np.testing.assert_array_equal(fixed(**other), f(**other))


def test_with_values_of_any_groups(f: Compiled) -> None:
    rng = np.random.default_rng(11)
    arrays = random_arrays(MODEL, rng)
    expected = f(**arrays)
    for names in (["q"], ["qd", "parameters"], ["q", "qd", "parameters"], ["qd"]):
        fixed = f.with_values(**{name: arrays[name] for name in names})
        left = {name: value for name, value in arrays.items() if name not in names}
        np.testing.assert_array_equal(fixed(**left), expected)
        np.testing.assert_array_equal(fixed(*left.values()), expected)
        agree(fixed(**{**left, "qd": arrays["qd"] + 1}), f(**{**arrays, "qd": arrays["qd"] + 1}), 1e-13)
    batched = rng.standard_normal((5, 4))
    fixed = f.with_values(parameters=batched)
    np.testing.assert_array_equal(fixed(arrays["q"], arrays["qd"]), f(**{**arrays, "parameters": batched}))
    step_by_step = f.with_values(q=arrays["q"]).with_values(parameters={"a": 1, "b": 2, "c": 3, "d": 4})
    np.testing.assert_array_equal(step_by_step(arrays["qd"]), f(arrays["q"], arrays["qd"], [1, 2, 3, 4]))


def test_fixed_values_are_copies(f: Compiled, arrays: dict[str, Any]) -> None:
    p = arrays["parameters"].copy()
    fixed = f.with_values(parameters=p, qd=arrays["qd"])
    expected = fixed(q=arrays["q"])
    p[:] = 0
    np.testing.assert_array_equal(fixed(q=arrays["q"]), expected)


def test_rejects_too_many_positional_arguments(f: Compiled, arrays: dict[str, Any]) -> None:
    fixed = f.with_values(q=arrays["q"], parameters=arrays["parameters"])
    with pytest.raises(InputError, match=r"expected at most 1 arrays \(qd\), found 2"):
        fixed(arrays["qd"], arrays["qd"])


def test_with_values_of_several_outputs() -> None:
    f = SEVERAL.compile()
    arrays = random_arrays(SEVERAL, np.random.default_rng(12))
    found = f.with_values(parameters=arrays.pop("parameters"))(**arrays)
    assert found._fields == ("A", "_1", "b")


# -------------------------------------------------------------------------------------------------- single precision


def test_single_precision(f: Compiled) -> None:
    for batch in ((), (3,), (37,)):
        arrays = {g: v.astype(np.float32) for g, v in random_arrays(MODEL, np.random.default_rng(13), batch).items()}
        found = f(**arrays)
        assert found.dtype == np.float32
        agree(found, reference(MODEL, arrays)["f"], 2e-6)
        fixed = f.with_values(parameters=arrays["parameters"].astype(float))
        again = fixed(arrays["q"], arrays["qd"])
        assert again.dtype == np.float32
        np.testing.assert_array_equal(again, found)
        by_name = dict(zip("abcd", arrays["parameters"].tolist(), strict=True))
        assert f(arrays["q"], arrays["qd"], by_name).dtype == np.float32
        assert f(**{**arrays, "qd": arrays["qd"].astype(float)}).dtype == np.float64


# ------------------------------------------------------------------------------------------------- invalid arguments


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.ones(4)}, r"q: expected shape \(\.\.\., 3\) for x, y, z, found \(4,\)"),
        ({"q": np.ones((3, 2))}, r"q: expected shape \(\.\.\., 3\) for x, y, z, found \(3, 2\)"),
        ({"q": 1.0}, r"q: expected shape \(\.\.\., 3\) .* found \(\)"),
        ({"q": np.ones(1)}, r"found \(1,\)"),
        ({"q": np.ones((4, 3)), "qd": np.ones((5, 3))}, r"leading axes .* q \(4, 3\), qd \(5, 3\), parameters \(4,\)"),
        ({"q": ["a", "b", "c"]}, "q: expected real numbers, found an array of <U1"),
        ({"q": np.ones(3, complex)}, "q: expected real numbers, found an array of complex128"),
        ({"q": np.ones(3, object)}, "q: expected real numbers, found an array of object"),
        ({"q": None}, "q: expected real numbers, found an array of object"),
        ({"q": [[1, 2, 3], [1, 2]]}, "q: expected an array of numbers"),
        ({"parameters": {"a": 1, "b": 2, "c": "x", "d": 3}}, "parameters: c: expected real numbers"),
        ({"qdd": np.ones(3)}, r"unknown input 'qdd' of the model \(did you mean 'qd'\?\); its inputs: q, qd, para"),
    ],
)  # fmt: skip
def test_invalid_arguments(f: Compiled, arrays: dict[str, Any], change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        f(**{**arrays, **change})


def test_missing_and_surplus_groups(f: Compiled, arrays: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"missing inputs: qd with shape \(\.\.\., 3\), parameters with shape"):
        f(q=arrays["q"])
    with pytest.raises(InputError, match="missing inputs: q with"):
        f()
    with pytest.raises(InputError, match="q: given both by position and by name"):
        f(arrays["q"], q=arrays["q"], qd=arrays["qd"], parameters=arrays["parameters"])
    with pytest.raises(InputError, match="q: given both by position and by name"):
        f(arrays["q"], q=arrays["q"], qd=arrays["qd"])
    with pytest.raises(InputError, match="expected at most 3 arrays"):
        f(*arrays.values(), 1)
    with pytest.raises(InputError, match="expected one or more groups to fix"):
        f.with_values()
    with pytest.raises(InputError, match="unknown input 'wrench'"):
        f.with_values(wrench=[1])


# ------------------------------------------------------------------------------------------------- lifetime


def test_threads() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    f = model.compile()
    jobs = [random_arrays(model, np.random.default_rng(k), (500,)) for k in range(8)]
    expected = [f(**job) for job in jobs]

    def work(k: int) -> bool:
        same = all(np.array_equal(f(**jobs[k]), expected[k]) for _ in range(20))
        single = {g: v if g not in ("q", "qd", "qdd") else v[3] for g, v in jobs[k].items()}
        return same and all(np.array_equal(f(**single), expected[k][3]) for _ in range(200))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_batch_releases_the_gil() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    f = model.compile()
    arrays = random_arrays(model, np.random.default_rng(0), (400_000,))
    spans: list[tuple[float, float]] = []

    def work() -> None:
        start = time.perf_counter()
        f(**arrays)
        spans.append((start, time.perf_counter()))

    thread = threading.Thread(target=work)
    thread.start()
    ticks = []
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0)
    start, end = spans[0]
    assert sum(start < tick < end for tick in ticks) > 5


def test_pickle_and_copy(f: Compiled, arrays: dict[str, Any]) -> None:
    expected = f(**arrays)
    for again in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert isinstance(again, Compiled)
        np.testing.assert_array_equal(again(**arrays), expected)
    fixed = pickle.loads(pickle.dumps(f.with_values(parameters=arrays.pop("parameters"))))
    np.testing.assert_array_equal(fixed(**arrays), expected)


def test_repr(f: Compiled, arrays: dict[str, Any]) -> None:
    assert repr(f) == "<Compiled By hand of hand: q, qd, parameters -> f>"
    assert repr(f.with_values(q=arrays["q"])) == "<Compiled By hand of hand: qd, parameters -> f, fixed: q>"


@pytest.mark.usefixtures("few_objects")
def test_functions_can_be_released() -> None:
    arrays = random_arrays(MODEL, np.random.default_rng(14))
    for _ in range(5):
        f = MODEL.compile()
        fixed = f.with_values(parameters=arrays["parameters"])
        expected = f(**arrays)
        del f
        gc.collect()
        np.testing.assert_array_equal(fixed(arrays["q"], arrays["qd"]), expected)
        del fixed
        gc.collect()


@pytest.mark.usefixtures("few_objects")
def test_calls_do_not_leak(f: Compiled, arrays: dict[str, Any]) -> None:
    counts = []
    for _ in range(3):
        for _ in range(1000):
            f(**arrays)
            f(q=arrays["q"], qd=arrays["qd"], parameters=[1, 2, 3, 4])
        gc.collect()
        counts.append((sys.getallocatedblocks(), sys.getrefcount(arrays["q"]), sys.getrefcount(np.ndarray)))
    assert abs(counts[2][0] - counts[1][0]) < 100
    assert counts[1][1] == counts[2][1]


def test_without_the_fast_path(monkeypatch: pytest.MonkeyPatch, arrays: dict[str, Any]) -> None:
    """Used if NumPy changes the memory layout of arrays."""
    monkeypatch.setattr(compiled, "layout_is_known", lambda: False)
    check(MODEL.compile(), arrays)
    assert isinstance(SEVERAL, Model)
    arrays = random_arrays(SEVERAL, np.random.default_rng(15))
    agree(SEVERAL.compile()(**arrays).A, reference(SEVERAL, arrays)["A"], 1e-13)
