"""Option `friction` of dynamic models: as described, none, or smooth signs."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long

SMOOTH = 0.01


@pytest.mark.parametrize("name", quick_and_long(["scara", "ur5e"], long="ur5e"))
def test_friction_follows_option(name: str) -> None:
    robot = rs.load(name).edit({"link1.FS": 0.7, "link1.FV": 0.4, "link2.FS": 1.1})
    n = len(robot.tree_joints)
    rng = np.random.default_rng(2)
    state = {
        "q": rng.uniform(-1, 1, (20, n)),
        "qd": rng.uniform(-0.03, 0.03, (20, n)),
        "qdd": rng.uniform(-1, 1, (20, n)),
    }
    tau = {kind: rs.inverse_dynamics(robot, friction=kind).compile()(**state) for kind in (True, False, "smooth")}
    FV, FS = (np.array([float(getattr(robot.link(j), f)) for j in robot.tree_joints]) for f in ("FV", "FS"))
    viscous = FV * state["qd"]
    assert np.allclose(tau[True] - tau[False], viscous + FS * np.sign(state["qd"]), atol=1e-12)
    assert np.allclose(tau["smooth"] - tau[False], viscous + FS * np.tanh(state["qd"] / SMOOTH), atol=1e-12)
    for kind, torque in tau.items():
        inputs = {"q": state["q"], "qd": state["qd"], "tau": torque}
        assert np.allclose(rs.direct_dynamics(robot, friction=kind).compile()(**inputs), state["qdd"], atol=1e-9)
        still = {k: v for k, v in state.items() if k != "qdd"}
        H = rs.bias_torques(robot, friction=kind).compile()(**still)
        assert np.allclose(H, rs.inverse_dynamics(robot, friction=kind).compile()(**still, qdd=0 * state["qdd"]))


def test_friction_option_of_closed_robot() -> None:
    without = rs.inverse_dynamics(rs.load("sr400"), friction=False)
    assert not any(name.startswith(("FV", "FS")) for name in without.inputs["parameters"])
    assert "sign(" not in without.code("listing")
    smooth = rs.inverse_dynamics(rs.load("sr400"), friction="smooth").code("listing")
    assert "sign(" not in smooth and "tanh(" in smooth


def test_rejects_unknown_friction() -> None:
    with pytest.raises(rs.Error, match=r"friction: expected 'no', 'smooth' or 'yes' \(False or True\), found 'rough'"):
        rs.inverse_dynamics(rs.load("scara"), friction="rough")
