"""CasADi and JAX functions agree with the graph in values and derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from cases import models
from robosym.algebra import derivatives, evaluate
from robosym.errors import InputError
from robosym.model import Model


def graph_values(model: Model, state: dict[str, list[float]]) -> list[float]:
    named = {n: v for g, names in model.inputs.items() for n, v in zip(names, state[g], strict=True)}
    return evaluate(model.roots, named)


@pytest.mark.parametrize("make", [models.rx90, models.awkward], ids=["rx90", "awkward"])
def test_casadi_values(make) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("casadi")
    m = make()
    function = m.to_casadi()
    for state in models.states(m):
        found = function.call([np.array(state[g]) for g in m.inputs])
        flat = np.concatenate([np.array(part).ravel() for part in found])
        np.testing.assert_allclose(flat, graph_values(m, state), rtol=1e-12, atol=1e-12)
    assert list(function.name_in()) == list(m.inputs) and list(function.name_out()) == list(m.outputs)


@pytest.mark.parametrize("make", [models.rx90, models.awkward], ids=["rx90", "awkward"])
def test_jax_values_and_batches(make) -> None:  # type: ignore[no-untyped-def]
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    m = make()
    states = models.states(m, 4)
    arrays = {g: np.array([s[g] for s in states]) for g in m.inputs}
    result = jax.jit(m.to_jax())(**arrays)
    parts = [result] if len(m.outputs) == 1 else list(result)
    flat = np.concatenate([np.reshape(part, (4, -1)) for part in parts], axis=1)
    np.testing.assert_allclose(flat, [graph_values(m, s) for s in states], rtol=1e-12, atol=1e-12)


def test_jax_jacobian() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    jax.config.update("jax_enable_x64", True)
    m = models.rx90()
    [state] = models.states(m, 1)
    arrays = {g: np.array(v) for g, v in state.items()}
    found = jax.jacobian(lambda q: m.to_jax()(**{**arrays, "q": q}))(arrays["q"])
    named = {n: v for g, names in m.inputs.items() for n, v in zip(names, state[g], strict=True)}
    right = [evaluate(row, named) for row in derivatives(m.roots, list(m.inputs["q"]))]
    np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-10)


def test_rejects_wrong_arguments() -> None:
    pytest.importorskip("jax", reason="jax is not installed")
    m = models.rx90()
    with pytest.raises(InputError, match="expected the arguments q, qd"):
        m.to_jax()(q=np.zeros(6))
    arrays = {g: np.zeros(len(names)) for g, names in m.inputs.items()}
    with pytest.raises(InputError, match="qd: expected a last axis of length 6"):
        m.to_jax()(**{**arrays, "qd": np.zeros(5)})
