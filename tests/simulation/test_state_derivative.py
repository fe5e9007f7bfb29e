"""Test x' = f(x, tau) against differences and simulations, as the program that acados generates, and python-control."""

from __future__ import annotations

import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import robosym as rs
from cases.floating import closed, quadruped, tree

Array = NDArray[np.float64]
FEET = [{"frame": k, "type": "point", "at": [0.2, 0, 0.01]} for k in (3, 6, 9)]


def arm(**link: float) -> rs.Robot:
    return rs.load("planar2r").edit({f"link{j}.{name}": value for j in (1, 2) for name, value in link.items()})


@pytest.mark.parametrize("robot", [arm(FV=0.3), tree("floating"), closed("floating"), quadruped().with_contacts(*FEET)])
def test_steps_of_a_simulation_follow_the_derivative(robot: rs.Robot) -> None:
    model, step = rs.state_derivative(robot, smooth=0.5), 1e-4
    f, torque = model.compile(), np.full(len(model.inputs["tau"]), 0.3)
    run = rs.simulate(
        robot, torque=torque, until=20 * step, step=step, friction="smooth", smooth=0.5, method="midpoint"
    )
    states = np.concatenate([run.state(group) for group, _ in model.state], axis=-1)
    for k in range(1, len(states) - 1):
        slope = (states[k + 1] - states[k - 1]) / (2 * step)
        np.testing.assert_allclose(f(x=states[k], tau=torque), slope, atol=2e-5 * max(1, np.abs(slope).max()))


def test_derivatives_are_exact() -> None:
    model = rs.state_derivative(tree("floating"), smooth=0.3)
    f, rng = model.compile(), np.random.default_rng(1)
    x, tau, e = rng.uniform(-0.7, 0.7, 21), rng.uniform(-2, 2, 4), 1e-6
    A, B = model.derivative("x", "tau").compile()(x=x, tau=tau)
    by_state = [(f(x=x + e * d, tau=tau) - f(x=x - e * d, tau=tau)) / (2 * e) for d in np.eye(21)]
    by_torque = [(f(x=x, tau=tau + e * d) - f(x=x, tau=tau - e * d)) / (2 * e) for d in np.eye(4)]
    np.testing.assert_allclose(A, np.transpose(by_state), atol=1e-7 * np.abs(A).max())
    np.testing.assert_allclose(B, np.transpose(by_torque), atol=1e-7 * np.abs(A).max())


def _of_acados(casadi: Any, model: Any) -> Any:
    """Return the sensitivities that acados generates for explicit integrators with exact Hessians."""
    x, u, f = model.x, model.u, model.f_expl_expr
    n, m = len(range(x.shape[0])), u.shape[0]
    symbol = type(x).sym
    S, multipliers = symbol("S", n, n + m), symbol("multipliers", n)
    w = casadi.vertcat(x, u)
    forward = casadi.horzcat(casadi.jtimes(f, x, S[:, :n]), casadi.jacobian(f, u) + casadi.jtimes(f, x, S[:, n:]))
    adjoint = casadi.jtimes(f, w, multipliers, True)
    whole = casadi.vertcat(S, casadi.horzcat(casadi.DM.zeros(m, n), casadi.DM.eye(m)))
    hessian = casadi.mtimes(whole.T, casadi.jtimes(adjoint, w, whole))
    return casadi.Function("sensitivities", [x, S, multipliers, u, model.p], [f, forward, adjoint, hessian])


def test_acados_generates_exact_sensitivities(tmp_path: Path) -> None:
    """C that CasADi generates is linked to the library, as by acados, and agrees with the model's derivatives."""
    casadi: Any = pytest.importorskip("casadi")
    model = rs.state_derivative(arm(FV=0.3, FS=0.1).edit({"link2.M": "load"}))
    assert model.inputs["parameters"] == ("load",)
    rng = np.random.default_rng(2)
    given = (rng.uniform(-1, 1, 4), rng.normal(size=(4, 6)), rng.normal(size=4), rng.uniform(-1, 1, 2), [1.3])
    expression = _of_acados(casadi, model.to_acados())
    expected = [np.array(part) for part in expression(*given)]
    external = model.to_acados(tmp_path / "libarm.so")
    assert external.name == "planar2r_sta" and external.xdot.shape == external.x.shape == (4, 1)
    generator = casadi.CodeGenerator("generated.c")
    generator.add(_of_acados(casadi, external))
    generator.generate(f"{tmp_path}/")
    line = ["gcc", "-shared", "-fPIC", "generated.c", "-o", "generated.so", "-L.", "-larm", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(line, cwd=tmp_path, check=True)
    found = casadi.external("sensitivities", str(tmp_path / "generated.so"))(*given)
    for part, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.array(part), right, atol=1e-10 * np.abs(right).max())
    x, S, _, tau, load = given
    A, B = model.derivative("x", "tau").compile()(x=x, tau=tau, parameters=load)
    np.testing.assert_allclose(expected[1], np.hstack([A @ S[:, :4], A @ S[:, 4:] + B]), atol=1e-10)
    with pytest.raises(rs.InputError, match="expected a library whose name begins with lib"):
        model.to_acados(tmp_path / "arm.so")


@pytest.mark.skipif(find_spec("control") is None, reason="python-control is not installed")
def test_python_control_simulates_and_takes_linear_models() -> None:
    pytest.importorskip("control.statesp")  # `control` alone is a folder of tests
    control = import_module("control")
    robot, times = arm(FV=0.3), np.linspace(0, 0.5, 51)
    system = rs.state_derivative(robot, smooth=0.5).to_control()
    found = control.input_output_response(
        system, times, np.zeros((2, 51)), [0.4, 0.2, 0, 0], solve_ivp_kwargs={"rtol": 1e-10, "atol": 1e-12}
    )
    run = rs.simulate(robot, [0.4, 0.2], until=0.5, step=1e-3, every=10)
    np.testing.assert_allclose(found.states[:2].T, run.q, atol=1e-8)
    linear = rs.linearize(robot, at={"q": [0.4, 0.2]})
    state_space = linear.to_control()
    np.testing.assert_array_equal(state_space.A, linear.numbers().A)
    assert state_space.state_labels == list(linear.state) and state_space.input_labels == ["GAM1", "GAM2"]


def test_rejects_invalid_options() -> None:
    with pytest.raises(rs.InputError, match="friction: expected 'smooth' or 'sign', found 'stick'"):
        rs.state_derivative("planar2r", "stick")  # type: ignore[arg-type]
    with pytest.raises(rs.InputError, match="stabilization: expected a rate of 0 or more"):
        rs.state_derivative("planar2r", stabilization=-1)
