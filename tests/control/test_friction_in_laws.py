"""Friction in control laws and bundles: torques against Pinocchio, and no chattering with velocity noise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run, tool
from oracles.pinocchio import Oracle
from robosym.app.cli.main import main

FS, FV = 4.0, 1.5
RNG = np.random.default_rng(2)
Q, QD, QDES, QDDES, QDDDES = RNG.uniform(-1, 1, (5, 6))


def rough(name: str = "ur5e") -> rs.Robot:
    robot = rs.load(name)
    return robot.with_links([{"FS": FS, "FV": FV}] * robot.NL)


def smooth_arm() -> rs.Robot:
    return rs.load("ur5e").with_links([{}] * 6)


STATE = {"q": Q, "qd": QD, "q_desired": QDES, "qd_desired": QDDES, "qdd_desired": QDDDES}


@pytest.mark.parametrize(
    ("friction", "expected"),
    [
        ("no", np.zeros(6)), (False, np.zeros(6)),
        ("smooth", FV * QD + FS * np.tanh(QDDES / 0.01)),
        ("yes", FV * QD + FS * np.sign(QD)), (True, FV * QD + FS * np.sign(QD)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("base_parameters", [False, True])
def test_computed_torque(friction: Any, expected: Any, base_parameters: bool) -> None:
    law = rs.computed_torque(rough(), kp=50, kd=12, friction=friction, base_parameters=base_parameters)
    wanted = QDDDES + 12 * (QDDES - QD) + 50 * (QDES - Q)
    rigid = Oracle(smooth_arm(), {}).torques(Q, QD, wanted, {})
    np.testing.assert_allclose(law.compile()(**STATE), rigid + expected, rtol=1e-9, atol=1e-9)
    header = law.code("c").partition("*/")[0].replace("\n *     ", " ")
    words = {
        "smooth": "Coulomb friction at the desired velocity, tanh",
        "no": "without friction",
        "yes": "as described",
    }
    assert words[{True: "yes", False: "no"}.get(friction, friction)] in header
    assert law.robot is not None and "ur5e.yaml" in header


def _jump(law: rs.Model, more: dict[str, Any]) -> float:
    """Return the change of a torque with velocity noise of 0.001 rad/s about rest, relative to Coulomb friction."""
    f = law.compile()
    given = {group: np.zeros(len(names)) for group, names in law.inputs.items()} | more
    one, other = (f(**{**given, "qd": noise * np.ones(len(law.inputs["qd"]))}) for noise in (1e-3, -1e-3))
    one, other = ((x[0] if isinstance(x, tuple) else x) for x in (one, other))
    return float(np.abs(np.asarray(one) - np.asarray(other)).max() / FS)


POSE = {"T": rs.direct_geometry(rs.load("ur5e"), 0, 6).compile()(q=0.5 * np.ones(6)).reshape(16), "q": 0.5 * np.ones(6)}
LAWS: dict[str, Any] = {
    "computed_torque": lambda r, **o: (rs.computed_torque(r, 1, 0.1, **o), {}),
    "predictive_control": lambda r, **o: (rs.predictive_control(r, 1, 0.1, **o), {}),
    "feedforward": lambda r, **o: (rs.feedforward(r, 1, 0.1, **o), {}),
    "operational_control": lambda r, **o: (rs.operational_control(r, kp=1, kd=0.1, **o), POSE),
    "momentum_observer": lambda r, **o: (rs.momentum_observer(r, 1, **o).select("momentum_rate"), {}),
    "adaptive_control": lambda r, **o: (rs.adaptive_control(r, 1, 0.1, 0.1, **o).select("tau"), {}),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_do_not_chatter_by_default(name: str) -> None:
    law, more = LAWS[name](rough())
    if "estimate" in law.inputs:  # the estimate is the true friction
        more = {"estimate": [FS if n.startswith("FS") else 0.0 for n in law.inputs["estimate"]]}
    assert _jump(law, more) < 0.3
    law, more = LAWS[name](rough(), friction="no")
    assert _jump(law, more) < 0.3
    if name not in ("predictive_control", "feedforward"):  # their models do not use the measured velocity
        law, more = LAWS[name](rough(), friction="yes")
        if "estimate" in law.inputs:
            more = {"estimate": [FS if n.startswith("FS") else 0.0 for n in law.inputs["estimate"]]}
        assert _jump(law, more) > 1.9
    with pytest.raises(rs.InputError, match="friction: expected 'no', 'smooth' or 'yes'"):
        LAWS[name](rough(), friction="sometimes")


def _signs(model: rs.Model) -> int:
    return sum(node.op == "sign" for node in model.nodes)


def test_other_robots() -> None:
    """Closed robots project the friction of all joints, coupled motors transmit it, load friction stays smooth."""
    closed = rs.load("fivebar").to_closed()
    closed = closed.with_links([{"FS": FS} if j in closed.tree_joints else {} for j in range(1, closed.NL + 1)])
    law = rs.computed_torque(closed, 1, 1)
    assert "Coulomb friction at the desired velocity" in law.about["tau"]
    assert sum(node.op == "tanh" for node in law.nodes) == len(closed.tree_joints)
    assert _signs(law) == _signs(rs.computed_torque(closed, 1, 1, friction="no"))  # signs at singular positions remain
    arm = rs.load("planar2r").edit({"link1.FS": 2.0, "link2.FS": 1.0})
    given = rs.inverse_dynamics(arm).inputs
    arm = arm.with_values(dict.fromkeys([*given.get("parameters", ()), *given.get("gravity", ())], 0.3))
    K = np.array([[1.0, 0.0], [1.0, 1.0]])
    driven = arm.with_transmission(K.tolist())
    zero, rate = np.zeros(2), np.array([0.3, -0.5])
    state = {"q": zero, "qd": zero, "q_desired": zero, "qd_desired": rate, "qdd_desired": zero}
    with_it, without = (
        rs.computed_torque(driven, 0, 0, friction=friction).compile()(**state) for friction in ("smooth", "no")
    )
    np.testing.assert_allclose(with_it - without, K.T @ (np.array([2.0, 1.0]) * np.tanh(K @ rate / 0.01)), atol=1e-12)
    loaded = arm.edit({"joint1.FL": 0.1})
    law = rs.computed_torque(loaded, 1, 1)
    assert "tanh(qd / 0.01)" in law.about["tau"] and not _signs(law)


def test_friction_of_urdf_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(rough().dumps("urdf"))
    robot = str(tmp_path / "arm.urdf")
    for word, function in (("no", None), ("smooth", "tanh("), ("yes", "robosym_sign(")):
        assert main(["computed-torque", robot, "--friction", word, "-o", str(tmp_path / "law.c")]) == 0
        text = (tmp_path / "law.c").read_text()
        assert [f for f in ("tanh(", "robosym_sign(") if f in text.partition("*/")[2]] == (
            [function] if function else []
        )
    assert main(["computed-torque", robot, "-o", str(tmp_path / "law.c")]) == 0
    assert "tanh(" in (tmp_path / "law.c").read_text()


@pytest.mark.parametrize(("word", "share"), [("no", 0.0), ("smooth", np.tanh(0.1)), ("yes", 1.0), (None, np.tanh(0.1))])
def test_bundle(word: str | None, share: float, tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(rough("scara").dumps("yaml"))
    options = [] if word is None else ["--friction", word]
    assert main(["bundle", str(tmp_path / "arm.yaml"), "-o", str(tmp_path), "--prefix", "arm", *options]) == 0
    (tmp_path / "user.c").write_text(
        '#include "arm.h"\n#include <stdio.h>\nint main(void) {\n'
        "    const double zero[4] = {0}, up[4] = {1e-3, 1e-3, 1e-3, 1e-3}; double still[4], moving[4];\n"
        "    arm_inverse_dynamics(zero, zero, zero, still); arm_inverse_dynamics(zero, up, zero, moving);\n"
        '    printf("%.17g", moving[3] - still[3]);\n    return 0;\n}\n'
    )
    sources = [p.name for p in tmp_path.glob("arm_*.c") if not re.search("_(test|sfun)", p.name)]
    run(tool("gcc"), "-std=c99", "user.c", *sources, "-o", "u", "-lm", cwd=tmp_path)
    found = float(run(tmp_path / "u", cwd=tmp_path))
    viscous = 0.0 if word == "no" else FV * 1e-3
    assert found == pytest.approx(FS * share + viscous, abs=1e-4)
    header = (tmp_path / "arm_inverse_dynamics.h").read_text().replace("\n *     ", " ")
    words = {"no": "without friction", "yes": "as described", "smooth": "tanh(qd / 0.01)", None: "tanh(qd / 0.01)"}
    assert words[word] in header
