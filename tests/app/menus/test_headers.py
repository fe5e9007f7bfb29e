"""What emitted files say of each group of every model is what the group is."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import Oracle
from robosym.app.menus.table import COMMANDS
from robosym.model import Model, shape

_POSE = r"pose of frame \d+ seen from frame \d+, 4x4"
_TWIST_ROWS = r"rows V1 V2 V3 W1 W2 W3: velocity of the origin of frame"
_LAW = {"tau": "motor torques"}
#: required words in the files of each command about each group of outputs: {command: {group: words}}
SAID: dict[str, dict[str, str]] = {
    "direct_geometry": {"T": f"{_POSE}|pose of the end in frame 0"},
    "transform": {"T": _POSE},
    "paul_matrices": {"U": "desired pose seen from frame", "V": "behind the desired pose", "T": _POSE},
    "general_equations": {
        "A": "columns X1: 1, cos", "B": "columns Y: cos", "E": "E X1 = 0", "Sigma": "Sigma X = 0",
        "determinant": "determinant of Sigma",
    },
    "inverse_geometry": {"q": "joint positions", "passive": "passive joints"},
    "jacobian": {"base": "velocity of the base", "J": f"{_TWIST_ROWS}|twist of the", "Ji": "inverse of the Jacobian"},
    "inverse_jacobian": {"J": "twist of the platform", "Ji": "inverse of the Jacobian"},
    "determinant": {"DET": "determinant of the Jacobian"},
    "manipulability": {"w": "manipulability of frame"},
    "inverse_kinematics": {"qd": "joint velocities"},
    "operational_jacobian": {"X": "operational coordinates", "Jx": "X' = Jx q'", "Omega": "rates of the orientation",
                             "OmegaInverse": "angular velocity in frame 0 from"},
    "velocities": {"V": "velocity of the origin", "W": "angular velocity"},
    "accelerations": {"VP": "acceleration of the origin", "WP": "angular acceleration"},
    "jdot_qdot": {"VPJ": "linear part", "WPJ": "angular part"},
    "loop_kinematics": {"Wa": "active", "Wp": "passive", "Wac": "active", "Wpc": "passive", "Wc": "cut",
                        "Psi": "Psi of", "Phi": "Phi of"},
    "inverse_dynamics": {"tau": "motor torques", "qdd": "accelerations", "base_acceleration": "of the base"},
    "direct_dynamics": {"qdd": "joint acc", "qdd_passive": "passive", "acceleration": "of the platform",
                        "base_acceleration": "of the base"},
    "inertia_matrix": {"A": "inertia matrix", "base": "inertia matrix of the moving base",
                       "coupling": "between the base", "Q": "gravity"},
    "bias_torques": {"H": "[Cc]entrifugal, Coriolis and gravity", "base": "on the moving base"},
    "gravity_torques": {"Q": "gravity torques", "base": "balances gravity"},
    "coriolis_matrix": {"C": "C q' are the torques"},
    "lagrange": {"A": "inertia matrix", "B": "products q_i' q_j'", "C": "squares of the joint velocities",
                 "Q": "gravity"},
    "modified_newton_euler": {"A": "inertia matrix", "H": "Coriolis and gravity", "base": "of the moving base",
                              "coupling": "between the base", "base_bias": "force .N. on the moving base"},
    "base_velocity": {"velocity": "of the base in frame 0: angular, then linear"},
    "centroidal_momentum": {"momentum": "about the center of mass", "matrix": "per unit velocity of",
                            "center": "center of mass in frame 0"},
    "contact_kinematics": {"J": "rows of the contacts", "slip": "zero in contact", "drift": "derivative of the slip",
                           "S": "per unit of each independent rate"},
    "linearize": {"A": "by the state", "B": "by the motor torques", "C": "y = C x", "D": "y = C x . D u: zero"},
    "state_derivative": {"xdot": "derivative of the state"},
    "trajectory_generator": {"q": "joint positions", "qd": "joint velocities", "qdd": "joint accelerations"},
    "energy": {"energy": "kinetic energy", "power": "powers"},
    "achievable_accelerations": {"qdd": "achievable", "motor": "within", "excess": "beyond the limits"},
    "dynamic_identification": {"D": "D times the parameters are the torques"},
    "energy_identification": {"h": "is the energy"},
    "power_identification": {"dh": "is the power"},
    "filtered_identification": {"D1": "d/dt D1", "D2": "d/dt D1"},
    "computed_torque": _LAW, "predictive_control": _LAW, "feedforward": _LAW, "pd_gravity": _LAW,
    "operational_control": _LAW, "impedance_control": _LAW,
    "adaptive_control": {**_LAW, "estimate_rate": "derivatives of the estimated"},
    "momentum_observer": {"residual": "external torque", "momentum_rate": "derivative of the estimated momentum"},
    "force_ellipsoid": {"E": "ellipsoid of forces"},
}  # fmt: skip
ROBOTS = {
    "scara": lambda: rs.load("scara"), "delta": lambda: rs.load("delta"), "mobile": lambda: rs.load("planar_mobile"),
    "fivebar": lambda: rs.load("fivebar"), "hybrid": lambda: rs.load("tricept_wrist"),
    "floating": lambda: rs.Robot.new(2, base={"type": "floating", "link": "symbolic"}),
    "closed": lambda: rs.load("fivebar").to_closed(),
}  # fmt: skip


def _models(robot: Any) -> dict[str, Model]:
    found = {}
    for command in COMMANDS.values():
        if command.gives not in ("model", "solution") or command.arguments[0].name != "robot":
            continue
        values: dict[str, Any] = {"robot": robot}
        if not robot.modules:
            values |= {argument.name: {"i": 0}.get(argument.name, robot.NL) for argument in command.arguments[1:]}
        try:
            result = command.run(values).result
        except rs.Error:  # it is not for this robot
            continue
        if isinstance(result, Model):
            found[command.name] = result
    return found


def _check(command: str, model: Model) -> None:
    header = model.code("c", name="f").partition("*/")[0].replace("\n *     ", " ")
    for group, layout in model.outputs.items():
        if 0 in shape(layout):
            continue
        size = "".join(f"[{n}]" for n in shape(layout))
        line = next(line for line in header.splitlines() if line.startswith(f" * out {group}{size}"))
        words = SAID[command].get(group) or SAID[command][group[0]]
        assert re.search(words, line), f"{command}: {line}"
    for group, names in model.inputs.items():
        line = next(line for line in header.splitlines() if line.startswith(f" * in  {group}[{len(names)}]"))
        assert "(" in line, f"{command}: {line} has no unit"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ROBOTS)
def test_headers_of_all_models(name: str) -> None:
    models = _models(ROBOTS[name]())
    assert len(models) >= 4
    for command, model in models.items():
        _check(command, model)


@pytest.mark.parametrize("stop", ["AB", "E", "Sigma"])
def test_header_of_the_general_method(stop: str) -> None:
    model = rs.general_equations(rs.load("rx90"), stop=stop).model
    _check("general_equations", model)
    assert "nertia" not in model.code("c").partition("*/")[0]


def test_computed_statements_are_true() -> None:
    """Symmetric matrices, A of tau = A qdd + H, and the two matrices that are called C, against Pinocchio."""
    robot = rs.load("scara")
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-1, 1, (2, 4))
    oracle = Oracle(robot, {})
    zero = np.zeros(4)
    friction = oracle.torques(q, qd, zero, {}) - oracle.torques(q, zero, zero, {})
    gravity = oracle.torques(q, zero, zero, {})
    drag = np.array([float(str(robot.link(j).FV)) for j in robot.tree_joints]) * qd
    drag += np.array([float(str(robot.link(j).FS)) for j in robot.tree_joints]) * np.sign(qd)
    coriolis = friction - drag
    columns = np.array([oracle.torques(q, zero, unit, {}) - gravity for unit in np.eye(4)]).T
    lagrange = dict(zip(rs.lagrange(robot).outputs, rs.lagrange(robot).compile()(q=q), strict=True))
    np.testing.assert_allclose(lagrange["A"], columns, atol=1e-9)
    pairs = [qd[i] * qd[j] for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(lagrange["B"] @ pairs + lagrange["C"] @ qd**2, coriolis, atol=1e-9)
    np.testing.assert_allclose(rs.coriolis_matrix(robot).compile()(q=q, qd=qd) @ qd, coriolis, atol=1e-9)
    np.testing.assert_allclose(rs.gravity_torques(robot).compile()(q=q), gravity, atol=1e-9)


def test_selected_and_derived_groups_have_their_own_meaning() -> None:
    robot = rs.load("scara")
    model = rs.inverse_dynamics(robot)
    cosines = model.select("C").code("c")
    assert "out C[" in cosines and "entrifugal" not in cosines
    assert "derivatives of tau by q" in model.derivative("q").code("c")
    assert "gradient of the weighted sum" in model.gradient("q").code("c")
    both = rs.compose(rs.transform(robot, 0, 4), rs.jacobian(robot, 4).plain(), wires={}).code("c")
    assert "pose of frame 4 seen from frame 0" in both and "rows V1 V2 V3" in both


def test_header_of_coupled_motors() -> None:
    arm = rs.load("planar2r").with_transmission([[1, 0], [1, 1]])
    header = rs.jacobian(arm, 2).code("c").partition("*/")[0]
    assert "motor positions" in header and "columns: the motors" in header and "joint positions" not in header


def test_headers_list_joint_and_frame_names() -> None:
    names = ["waist", "shoulder", "elbow lift", "wrist"]
    robot = rs.load("scara").edit(
        {f"joint{j}.name": name for j, name in enumerate(names, 1)} | {"frame4.name": "tool0"}
    )
    for language, first in (("c", "q[0] waist"), ("fortran", "q(1) waist"), ("python", "q[0] waist"),
                            ("matlab", "q(1) waist"), ("mathematica", "q[[1]] waist"), ("julia", "q[1] waist"),
                            ("rust", "q[0] waist"), ("cpp", "q[0] waist")):  # fmt: skip
        text = rs.computed_torque(robot).code(language)
        assert first in text and "elbow lift" in text
        assert "Joints in the order of q, qd, q_desired, qd_desired, qdd_desired, tau:" in text
    assert "pose of frame 4 (tool0) seen from frame 0" in rs.direct_geometry(robot, 0, 4).code("c")
    assert "origin of frame 4 (tool0)" in rs.jacobian(robot, 4).code("c").replace("\n *     ", " ")
    arm = rs.load("rx90").edit({"joint1.name": "waist", "frame6.name": "tool0"})
    solved = rs.inverse_geometry(arm).code("c")
    assert "q[0] waist" in solved and "desired pose of frame 6 (tool0) in frame 0" in solved
    assert "desired pose of frame 6 (tool0) in the world" in rs.inverse_geometry(arm, reference=-1).code("c")
