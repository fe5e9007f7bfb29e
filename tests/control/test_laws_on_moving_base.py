"""Test operational, impedance and adaptive control of arms whose base moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import robosym as rs
from evaluation import on_groups
from oracles.reduced import Reduced
from robosym.algebra import evaluate
from robosym.mechanism import INERTIA

KP, KD = 100.0, 20.0
_TERMS = (*INERTIA, "IA", "FV", "FS")


def _arm(kind: str) -> rs.Robot:
    """Return a UR5e on a base whose motion is given, or on a heavy free one."""
    names = ("W0", "WP0", "V0", "VP0") if kind == "mobile" else ()
    base: dict[str, Any] = {f"base.{name}": [f"{name}{axis}" for axis in "xyz"] for name in names}
    if kind == "floating":
        base = {f"base.{name}": 8.0 for name in ("XX", "YY", "ZZ")} | {"base.M": 60.0}
    still = {f"link{j}.{term}": 0 for j in range(1, 7) for term in ("FV", "FS")}
    return rs.load("ur5e").edit({"base.type": kind, **base, **still})


class _State:
    """A random state of an arm, with the desired motion of its last link equal to the present one."""

    def __init__(self, kind: str) -> None:
        rng = np.random.default_rng(6)
        self.robot = _arm(kind)
        self.truth = t = Reduced(self.robot, rng.uniform(-1, 1, 6), rng)
        V, A = t.relative_frames()
        self.inputs = {
            "q": t.q, "qd": t.qd, "T": t.pose(6).ravel(), "twist_desired": V[5], "acceleration_desired": A[5],
            "base_velocity": t.base_velocity, "base_acceleration": t.base_acceleration, "q_desired": t.q,
            "qd_desired": t.qd, "qdd_desired": t.qdd,
        }  # fmt: skip

    def of(self, law: rs.Model, **more: Any) -> Any:
        inputs = {**self.inputs, **more}
        wanted = {group: np.ravel(inputs[group])[: len(names)] for group, names in law.inputs.items()}
        return on_groups(law, **wanted)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_operational_control_demands_the_motion_relative_to_the_base(kind: str) -> None:
    s = _State(kind)
    law = rs.operational_control(s.robot, 6, kp=KP, kd=KD)
    np.testing.assert_allclose(s.of(law), s.truth.free_tau, atol=1e-7)


def test_impedance_on_a_moving_base_is_gravity_at_the_desired_pose() -> None:
    s = _State("mobile")
    law = rs.impedance_control(s.robot, 6, stiffness=300, damping=30)
    np.testing.assert_allclose(s.of(law), s.truth.gravity[1], atol=1e-9)


def test_adaptive_control_on_a_moving_base_is_the_inverse_model() -> None:
    """With true parameters and zero error; the motion of the base adds Coriolis forces."""
    s = _State("mobile")
    law = rs.adaptive_control(s.robot, rate=2.0, kd=1.0, learning=0.1, base_parameters=False)
    held = {f"{name}{j}": evaluate([getattr(s.robot.link(j), name)], {})[0] for j in range(1, 7) for name in _TERMS}
    columns = [name.removesuffix("E") for name in law.inputs["estimate"]]
    np.testing.assert_allclose(s.of(law, estimate=[held[name] for name in columns])[:6], s.truth.tau, atol=1e-8)


def test_errors_decay_as_demanded_on_a_free_base() -> None:
    """The position error decays as e'' + 20 e' + 100 e = 0, while the base tumbles."""
    arm, start = _arm("floating"), np.array([0.1, -1.1, 1.2, 0.3, 0.5, 0.2])
    law = rs.operational_control(arm, 6, kp=KP, kd=KD)
    place = rs.direct_geometry(arm, 0, 6).compile()
    T = np.asarray(place(q=start + 0.1))
    run = rs.simulate(
        arm, start, controller=law, reference={"T": T.ravel()[: len(law.inputs["T"])]}, until=0.3, step=1e-3,
        base_velocity=[0.3, -0.2, 0.1, 0.5, 0.0, -0.4],
    )  # fmt: skip
    error = np.array([np.asarray(place(q=q))[:3, 3] for q in run.q[::100]]) - T[:3, 3]
    t = run.t[::100]
    np.testing.assert_allclose(error, error[0] * ((1 + 10 * t) * np.exp(-10 * t))[:, None], atol=1e-5)
