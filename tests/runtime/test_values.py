"""Values of compiled models agree with the graph evaluated in floats."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import robosym as rs
from cases.hand_models import model_of, random_arrays, reference
from evaluation import agree
from random_robots import random_robot
from robosym.errors import InputError
from robosym.runtime import plan as planning
from robosym.runtime.engine import Host, host
from robosym.runtime.kernel import Kernel
from robosym.runtime.plan import Plan


def narrow_hosts() -> list[Host]:
    """Return this machine with shorter vectors, and the baseline of its architecture, without FMA."""
    here = host()
    hosts = [replace(here, vector_bytes=size) for size in (16, 32) if size < here.vector_bytes]
    if here.is_x86:
        hosts.append(replace(here, cpu="x86-64", features="", vector_bytes=16))
    return hosts


def test_rx90_at_random_states() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    arrays = random_arrays(model, np.random.default_rng(0), (50,))
    agree(model.compile()(**arrays), reference(model, arrays)["tau"], 1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed: int) -> None:
    rng = random.Random(seed)
    robot = random_robot(rng, links=rng.randint(2, 9), symbolic=seed % 2 == 0)
    model = rs.inverse_dynamics(robot)
    arrays = random_arrays(model, np.random.default_rng(seed), (11,))
    agree(model.compile()(**arrays), reference(model, arrays)["tau"], 1e-13)


@pytest.mark.parametrize("block", [7, 50])
def test_values_do_not_depend_on_block_length(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "BLOCK", block)
    model = rs.inverse_dynamics(random_robot(random.Random(5), links=6, symbolic=True))
    arrays = random_arrays(model, np.random.default_rng(5), (9,))
    assert len(Plan(model).online_blocks) > 5
    agree(model.compile()(**arrays), reference(model, arrays)["tau"], 1e-13)


@pytest.mark.parametrize("machine", [host(), *narrow_hosts()], ids=lambda m: f"{m.cpu}-{m.vector_bytes}")
@pytest.mark.parametrize("window, windows", [(1, 5), (30, 4)])
@pytest.mark.parametrize("angles", [0, 32])
def test_values_do_not_depend_on_windows(
    window: int, windows: int, angles: int, machine: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values passed through memory equal those in registers, also with fixed parameters and few rows."""
    for name, value in {"LONG": 0, "WINDOW": window, "WINDOWS": windows, "ANGLES": angles}.items():
        monkeypatch.setattr(planning, name, value)
    model = rs.inverse_dynamics(random_robot(random.Random(5), links=6, symbolic=True))
    plan = Plan(model)
    assert {len(part.windows) for part in plan.online_blocks[:-1]} <= {windows}
    assert all(len(each.nodes) <= window for part in plan.online_blocks for each in part.windows)
    arrays = random_arrays(model, np.random.default_rng(5), (9,))
    kernel = Kernel(plan, False, machine)
    expected = reference(model, arrays)["tau"]
    agree(kernel.full.batch(*(arrays[name] for name in kernel.full.groups)), expected, 1e-13)
    fixed = {group.name: arrays[group.name] for group in plan.inputs if not group.online}
    bound = kernel.bound(fixed)
    agree(bound.batch(*(arrays[name] for name in bound.groups)), expected, 1e-13)


def test_long_models_have_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    (whole,) = Plan(model).online_blocks
    (window,) = whole.windows
    monkeypatch.setattr(planning, "LONG", len(window.nodes))
    assert Plan(model).online_blocks[0].windows == [window]
    monkeypatch.setattr(planning, "LONG", len(window.nodes) - 1)
    assert Plan(model, windows=False).online_blocks[0].windows == [window]
    parts = [each.nodes for part in Plan(model).online_blocks for each in part.windows]
    assert len(parts) > 5
    assert [node for part in parts for node in part] == window.nodes


def test_workspace_on_the_heap() -> None:
    robot = random_robot(random.Random(3), links=60)
    model = rs.inverse_dynamics(robot)
    arrays = random_arrays(model, np.random.default_rng(3), (3,))
    agree(model.compile()(**arrays), reference(model, arrays)["tau"], 1e-11)


@pytest.mark.parametrize("machine", narrow_hosts(), ids=lambda m: f"{m.cpu}-{m.vector_bytes}")
@pytest.mark.parametrize("single", [False, True])
def test_other_processors(machine: Host, single: bool) -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    entry = Kernel(Plan(model), single, machine).full
    for batch in (1, 5, 17):
        arrays = random_arrays(model, np.random.default_rng(batch), (batch,))
        found = entry.batch(*(arrays[name].astype(entry.form.dtype) for name in entry.groups))
        assert found.dtype == entry.form.dtype
        agree(found, reference(model, arrays)["tau"], 1e-4 if single else 1e-13)


FUNCTIONS = {
    "F1": "tan(x)", "F2": "asin(x/4)", "F3": "acos(x/4)", "F4": "atan(x)", "F5": "atan2(x, y)", "F6": "sqrt(x*x + a)",
    "F7": "exp(x)", "F8": "log(x*x + 1)", "F9": "abs(x)", "F10": "sign(x)", "F11": "(x*x + 1)**(y/3)", "F12": "x/y",
    "F13": "sin(a)*x", "F14": "-cos(x) - sin(x)", "F15": "atan2(-x, y)", "F16": "exp(a)*sign(a)*abs(a)", "F17": "a",
    "F18": "-x", "F19": "2/3", "F20": "Pi*sqrt(2)", "F21": "x - 2*y", "F22": "-a", "F23": "a**b + tan(a)",
    "F24": "tanh(x) - tanh(-y*a)",
}  # fmt: skip


@pytest.mark.parametrize("single", [False, True])
def test_every_function(single: bool) -> None:
    model = model_of({"q": "x y", "parameters": "a b"}, {"f": tuple(FUNCTIONS)}, FUNCTIONS)
    rng = np.random.default_rng(1)
    arrays = {"q": rng.uniform(-2, 2, (40, 2)), "parameters": np.array([0.7, 1.3])}
    if single:
        arrays = {group: value.astype(np.float32) for group, value in arrays.items()}
    found = model.compile()(**arrays)
    assert found.dtype == arrays["q"].dtype
    agree(found, reference(model, arrays)["f"], 1e-5 if single else 1e-14)


def test_nan_and_infinity() -> None:
    model = model_of({"q": "x y"}, {"f": ("S", "Q", "P", "Y")}, {"S": "sign(x)", "Q": "1/x", "P": "x + y", "Y": "y"})
    f = model.compile()
    with np.errstate(all="raise"):  # floating-point flags stay clear
        found = f(q=[[np.nan, 1], [np.inf, 1], [-np.inf, 1], [0, 1], [-0.0, 1]])
    np.testing.assert_array_equal(found[:, 0], [np.nan, 1, -1, 0, 0])
    np.testing.assert_array_equal(found[:, 1], [np.nan, 0, -0.0, np.inf, -np.inf])
    np.testing.assert_array_equal(found[:, 2], [np.nan, np.inf, -np.inf, 1, 1])
    np.testing.assert_array_equal(found[:, 3], 1)


def test_outputs_without_computation() -> None:
    definitions = {"A": "3/4", "B": "-x", "C": "p", "D": "x"}
    model = model_of({"q": "x", "parameters": "p"}, {"f": tuple(definitions)}, definitions)
    found = model.compile()(q=[[2.0], [3.0]], parameters=[5.0])
    np.testing.assert_array_equal(found, [[0.75, -2, 5, 2], [0.75, -3, 5, 3]])


def test_model_without_inputs() -> None:
    model = model_of({}, {"f": ("A", "B")}, {"A": "1/3", "B": "-Pi"})
    f = model.compile()
    np.testing.assert_array_equal(f(), [1 / 3, -np.pi])
    np.testing.assert_array_equal(f._entries[False].batch(), [1 / 3, -np.pi])


def test_model_with_parameters_only() -> None:
    model = model_of({"parameters": "a b"}, {"f": ("A",)}, {"A": "a*b + cos(a)"})
    f = model.compile()
    p = np.random.default_rng(0).standard_normal((30, 2))
    agree(f(parameters=p), reference(model, {"parameters": p})["f"], 1e-13)
    agree(f.with_values(parameters=p[0])(), reference(model, {"parameters": p[0]})["f"], 1e-13)


def test_rejects_symbol_outside_groups() -> None:
    with pytest.raises(InputError, match="symbol 'y' of the model is in none of its input groups: q"):
        model_of({"q": "x"}, {"f": ("A",)}, {"A": "x*y"}).compile()


def test_empty_output_group() -> None:
    """It is omitted beside others, as the torques of a robot with springs only."""
    f = model_of({"q": "x"}, {"f": (), "g": ("A",)}, {"A": "2*x"}).compile()
    assert f(q=[[1.5], [2.0]]).tolist() == [[3.0], [4.0]]
    with pytest.raises(InputError, match="output group 'f' is empty"):
        model_of({"q": "x"}, {"f": ()}, {}).compile()
