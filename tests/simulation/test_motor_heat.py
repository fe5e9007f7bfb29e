"""Test temperatures of motors against closed forms and SciPy's integration of many cycles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import robosym as rs
from robosym.control.drives import Winding
from robosym.simulation.motor_heat import motor_heat

WINDING = Winding(0.6, 0.05, 1.8, 4.0, 20.0, 700.0)
COPPER = 0.00393


def test_constant_torque_has_a_closed_form() -> None:
    """The losses at the temperature T of the winding are P (1 + a (T - 25)), and T - 20 is R1 + R2 times these."""
    t = np.linspace(0, 3, 7)
    heat = motor_heat(WINDING, t, np.full(7, 0.1), 20.0)
    P, R = 0.6 * (0.1 / 0.05) ** 2, 5.8
    right = (20 + R * P * (1 - 25 * COPPER)) / (1 - R * P * COPPER)
    np.testing.assert_allclose(heat.winding, right, rtol=1e-9)
    np.testing.assert_allclose(heat.housing, 20 + (right - 20) * 4.0 / R, rtol=1e-9)
    assert np.isinf(motor_heat(WINDING, t, np.full(7, 0.5), 20.0).peak)  # the losses grow faster than they flow off


def test_cycles_settle_to_the_steady_temperatures() -> None:
    fast = Winding(0.6, 0.05, 1.8, 4.0, 2.0, 30.0)
    t = np.linspace(0, 4, 401)
    torque = 0.12 * np.sin(2 * np.pi * t / 4) + 0.05
    heat = motor_heat(fast, t, torque, 22.0)

    def slope(time: float, T: np.ndarray) -> list[float]:
        current = float(np.interp(time % 4, t, torque)) / 0.05
        flow = (T[0] - T[1]) / 1.8
        loss = 0.6 * current**2 * (1 + COPPER * (T[0] - 25))
        return [(loss - flow) / (2.0 / 1.8), (flow - (T[1] - 22) / 4.0) / (30.0 / 4.0)]

    start = [heat.winding[0], heat.housing[0]]
    run = solve_ivp(slope, (0, 8), start, t_eval=4 + t, max_step=0.02, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(run.y[0], heat.winding, atol=2e-3)
    np.testing.assert_allclose(run.y[1], heat.housing, atol=2e-3)
    assert np.ptp(heat.winding) > 3


def test_selection_leaves_out_motors_that_overheat(tmp_path: Path) -> None:
    robot = rs.load("planar2r")
    t = np.linspace(0, 2, 201)
    q = np.stack([np.sin(np.pi * t), 0.5 * np.sin(np.pi * t)], axis=1)
    head = "name,torque,speed,resistance,constant,to_housing,to_ambient,winding_time,housing_time,highest\n"
    cold, hot = "cold,1.1,500,0.2,0.05,1,2,20,700,150", "hot,1,500,0.9,0.05,3,6,20,700,80"
    table = tmp_path / "motors.csv"
    table.write_text(head + cold + "\n" + hot + "\n")
    loads = rs.motor_loads(robot, {"t": t, "q": q}, [100, 100], table)
    assert [motor.name if motor else "" for motor in loads.chosen] == ["cold", "hot"]
    heat = loads.heat()
    assert heat[0] is not None and 25 < heat[0].peak <= 150 and "winding, °C" in str(loads)
    plain = rs.motor_loads(robot, {"t": t, "q": q}, [100, 100], [{"torque": 1, "speed": 500}])
    assert plain.heat() == [None, None] and "winding" not in str(plain)


def test_rejects_incomplete_windings() -> None:
    with pytest.raises(rs.InputError, match=r"winding: unknown key 'resistence'.*did you mean"):
        rs.Motor("M", 1, 300, winding={"resistence": 1})
    with pytest.raises(rs.InputError, match="winding: constant: expected a positive number"):
        rs.Motor("M", 1, 300, winding={"resistance": 1})
