"""Foreign-function calls of JAX: values, derivatives against finite differences, batches and precisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases import models
from cases.dynamic import draw

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
from jax.test_util import check_grads  # noqa: E402


def arm() -> rs.Model:
    """Return the torques of a random tree with revolute and prismatic joints."""
    case = draw(7, links=2, drives=False, wrenches=False, fixed_frames=False)
    return rs.inverse_dynamics(case.robot)


def inputs(model: rs.Model, *leading: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.uniform(-1, 1, (*leading, len(names))) for names in model.inputs.values()]


def test_calls_machine_code() -> None:
    """The program contains one foreign call and no arithmetic; traced functions have no call."""
    model = arm()
    given = inputs(model, 3)
    text = jax.jit(model.to_jax()).lower(*given).as_text()
    assert text.count("custom_call") == 1 and "sine" not in text
    assert "custom_call" not in jax.jit(model.to_jax(traced=True)).lower(*given).as_text()
    np.testing.assert_array_equal(jax.jit(model.to_jax())(*given), model.compile()(*given))


def test_first_and_second_derivatives() -> None:
    model = arm()
    function = model.to_jax()
    modes = ("fwd", "rev")
    check_grads(lambda *x: (function(*x) ** 2).sum(), inputs(model), order=2, modes=modes, atol=0.01, rtol=1e-3)


@pytest.mark.long
def test_hessian_equals_traced_one() -> None:
    model = arm()
    given = inputs(model)

    def curvature(function: Any) -> Any:
        return jax.hessian(lambda q: (function(q, *given[1:]) ** 2).sum())(given[0])

    np.testing.assert_allclose(curvature(model.to_jax()), curvature(model.to_jax(traced=True)), atol=1e-10)


def test_batches_and_partial_batches() -> None:
    model = arm()
    function, traced = model.to_jax(), model.to_jax(traced=True)
    batch, one = inputs(model, 5), inputs(model)
    mixed, axes = [batch[0], one[1], batch[2].T], (0, None, 1)
    right = traced(batch[0], np.broadcast_to(one[1], batch[1].shape), batch[2])
    np.testing.assert_allclose(jax.vmap(function, axes)(*mixed), right, atol=1e-13)
    slopes = [jax.vmap(jax.grad(lambda *x, f=f: f(*x).sum()), axes)(*mixed) for f in (function, traced)]
    np.testing.assert_allclose(*slopes, atol=1e-12)
    shared = [jax.grad(lambda v, f=f: (f(batch[0], v, batch[2]) ** 2).sum())(one[1]) for f in (function, traced)]
    np.testing.assert_allclose(*shared, atol=1e-11)
    nested = jax.vmap(jax.vmap(function, (0, None, None)), (None, 0, None))(batch[0], batch[1], one[2])
    right = traced(batch[0][None], batch[1][:, None], one[2])
    np.testing.assert_allclose(nested, right, atol=1e-13)


@pytest.mark.parametrize("make", [models.rx90, models.awkward], ids=["rx90", "awkward"])
def test_parameters_and_matrices(make: Any) -> None:
    """Offline groups may be batched too, and several output groups are a tuple."""
    model = make()
    given = [np.array([s[g] for s in models.states(model, 4)]) for g in model.inputs]
    found, right = (jax.jit(model.to_jax(traced=traced))(*given) for traced in (False, True))
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(right), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


def test_single_precision() -> None:
    model = arm()
    given = [x.astype(np.float32) for x in inputs(model, 6)]
    found = model.to_jax()(*given)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, model.compile()(*(x.astype(float) for x in given)), rtol=2e-4, atol=2e-4)


def test_parallel_robot_gives_nan_outside_its_domain() -> None:
    robot = rs.load("delta")
    model = rs.jacobian(robot)
    pose = np.r_[np.eye(3).ravel(), [0, 0, 50.0]]
    found = np.asarray(model.to_jax()(pose))
    assert np.isnan(found).any()
    np.testing.assert_array_equal(found, model.compile()(pose=pose))
