"""External functions of CasADi equal the symbolic ones in values, Jacobians and Hessians."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import robosym as rs

casadi = pytest.importorskip("casadi")


def test_values_and_derivatives(tmp_path: Path) -> None:
    robot = rs.load("planar2r").edit({"link2.M": "M2"})
    model = rs.compose(rs.direct_geometry(robot, 0, 2), rs.inverse_dynamics(robot))
    compiled, symbolic = model.to_casadi(tmp_path / "arm.so"), model.to_casadi()
    assert compiled.name_in() == symbolic.name_in() and compiled.name_out() == symbolic.name_out()
    rng = np.random.default_rng(4)
    point = [rng.normal(size=len(names)) for names in model.inputs.values()]
    for found, right in zip(compiled.call(point), symbolic.call(point), strict=True):
        np.testing.assert_allclose(np.array(found), np.array(right), atol=1e-13)
    x = casadi.MX.sym("x", sum(map(len, point)))
    ends = np.cumsum([0, *map(len, point)])
    parts = [x[a:b] for a, b in itertools.pairwise(ends)]
    results = []
    for function in (compiled, symbolic):
        T, tau = function.call(parts)
        cost = casadi.sumsqr(T[:3, 3]) * 2 + casadi.sumsqr(tau) + casadi.sin(T[0, 1])
        H, g = casadi.hessian(cost, x)
        J = casadi.jacobian(casadi.vertcat(casadi.vec(T), tau), x)
        results.append(casadi.Function("all", [x], [H, g, J])(np.concatenate(point)))
    for found, right in zip(*results, strict=True):
        np.testing.assert_allclose(np.array(found), np.array(right), rtol=1e-9, atol=1e-9)
    h, at = 1e-6, np.concatenate(point)  # the gradient itself, against differences

    def cost_at(values: np.ndarray) -> float:
        T, tau = compiled.call([values[a:b] for a, b in itertools.pairwise(ends)])
        return float(casadi.sumsqr(T[:3, 3]) * 2 + casadi.sumsqr(tau) + casadi.sin(T[0, 1]))

    slope = [(cost_at(at + h * e) - cost_at(at - h * e)) / (2 * h) for e in np.eye(len(at))]
    np.testing.assert_allclose(np.array(results[0][1]).ravel(), slope, rtol=1e-5, atol=1e-5)


def test_rejects_other_extensions(tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=r"library: expected a file with the extension .so"):
        rs.gravity_torques(rs.load("planar2r")).to_casadi(tmp_path / "arm.txt")
