"""Typed values for every option of every command, and the values that the Python function receives.

A new option needs a line here unless its kind says enough: yes-or-no options, choices, frames and numbers do.
`tests/app/menus/test_every_option.py` runs them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs

__all__ = ["ARGUMENTS", "BESIDE", "BY_KIND", "BY_OPTION", "LINES", "NEEDS", "PYTHON", "USUAL", "write_robots"]

#: robots of a user's own, by the name of their file; small, so that every option can be tried
OWN = {
    "arm": """
name: arm
frames:
  - {theta: t1, limits: {position: [-2, 2]}}
  - {d: D2, theta: t2, limits: {position: [-2, 2]}}
  - {sigma: 2, d: 0.6, name: tip}
links:
  1: {M: 2, MX: 0.4, MY: 0.1, ZZ: 0.4, XX: 0.1, YY: 0.4, IA: 0.1, FV: 0.3, FS: 0.2}
  2: {M: 1, MX: 0.2, MY: 0.1, ZZ: 0.2, XX: 0.1, YY: 0.2, IA: 0.1, FV: 0.2, FS: 0.1}
gravity: [0, G2, 0]
""",
    "numbers": """
name: numbers
frames:
  - {theta: t1, limits: {position: [-2, 2]}}
  - {d: 0.5, theta: t2, limits: {position: [-2, 2]}}
  - {sigma: 2, d: 0.6, name: tip}
links:
  1: {M: 2, MX: 0.4, MY: 0.1, ZZ: 0.4, XX: 0.1, YY: 0.4, IA: 0.1, FV: 0.3, FS: 0.2}
  2: {M: 1, MX: 0.2, MY: 0.1, ZZ: 0.2, XX: 0.1, YY: 0.2, IA: 0.1, FV: 0.2, FS: 0.1}
gravity: [0, -9.81, 0]
""",
    "loop": """
name: loop
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, mu: 0, d: 0.5, theta: t2}
  - {ant: 0, mu: 0, d: 0.9, theta: t3}
  - {ant: 2, mu: 0, d: 0.9, theta: t4}
  - {ant: 3, sigma: 2, d: 0.5}
links:
  1: {M: 1, ZZ: 0.1, MX: 0.2}
  2: {M: 1, ZZ: 0.1, MX: 0.2}
  3: {M: 1, ZZ: 0.1, MX: 0.2, FV: 0.2}
loops: [[4, 5]]
gravity: [0, -9.81, 0]
""",
    "elastic": """
name: elastic
frames:
  - {theta: t1}
  - {d: 0.5, theta: t2}
links:
  1: {M: 1, ZZ: 0.1, MX: 0.2}
  2: {M: 1, ZZ: 0.1, MX: 0.2, eta: 1, k: 100}
gravity: [0, -9.81, 0]
""",
    "platform": """
name: platform
platform: {M: 1, ZZ: 0.1}
legs:
  - frames: [{d: 0.35, theta: t1}, {mu: 0, d: 0.25, theta: t2}, {mu: 0, d: 0.25, theta: t3}]
    links: {1: {M: 1, ZZ: 0.1, FV: 0.1}}
    place: {d: 0.1}
  - frames:
      - {gamma: 2*Pi/3, d: 0.35, theta: t4}
      - {mu: 0, d: 0.25, theta: t5}
      - {mu: 0, d: 0.25, theta: t6}
    place: {gamma: 2*Pi/3, d: 0.1}
  - frames:
      - {gamma: 4*Pi/3, d: 0.35, theta: t7}
      - {mu: 0, d: 0.25, theta: t8}
      - {mu: 0, d: 0.25, theta: t9}
    place: {gamma: 4*Pi/3, d: 0.1}
position: {t1: 2.1, t2: 2.1, t3: -4.2, t4: 2.1, t5: 2.1, t6: -4.2, t7: 2.1, t8: 2.1, t9: -4.2}
gravity: [0, -9.81, 0]
""",
    "cables": """
name: cables
platform: {M: 10, inertia: [0.15, 0, 0, 0.15, 0, 0.15]}
cables:
  - {base: [-2, -1.5, 2.5], platform: [0.15, -0.15, 0.15]}
  - {base: [-2, -1.5, 2.3], platform: [-0.15, 0.15, -0.15]}
  - {base: [2, -1.5, 2.5], platform: [-0.15, -0.15, 0.15]}
  - {base: [2, -1.5, 2.3], platform: [0.15, 0.15, -0.15]}
  - {base: [2, 1.5, 2.5], platform: [-0.15, 0.15, 0.15]}
  - {base: [2, 1.5, 2.3], platform: [0.15, -0.15, -0.15]}
  - {base: [-2, 1.5, 2.5], platform: [0.15, 0.15, 0.15]}
  - {base: [-2, 1.5, 2.3], platform: [-0.15, -0.15, -0.15]}
gravity: [0, 0, -9.81]
""",
    "rolling": """
name: rolling
frames:
  - {sigma: 1, gamma: Pi/2, alpha: Pi/2, theta: Pi/2, r: x, mu: 0}
  - {sigma: 1, alpha: Pi/2, theta: Pi/2, r: y, mu: 0}
  - {alpha: Pi/2, theta: heading, r: 0.1, mu: 0}
  - {alpha: -Pi/2, theta: wheel, r: D4}
links:
  3: {M: 2, ZZ: 0.1}
  4: {M: 1, ZZ: 0.01, XX: 0.01, YY: 0.01}
gravity: [0, 0, -9.81]
contacts: [{frame: 4, type: wheel, radius: 0.1}]
""",
    "floating": """
name: floating
base: {type: floating, link: {M: 3, inertia: [0.1, 0, 0, 0.1, 0, 0.1]}}
frames:
  - {theta: t1}
links:
  1: {M: 1, ZZ: 0.1, MX: 0.2}
gravity: [0, -9.81, 0]
""",
}
#: the robot that an option needs
NEEDS = {"loops": "loop.yaml", "platform": "platform.yaml", "elastic joints": "elastic.yaml"}


def write_robots(folder: Path) -> None:
    """Robots, logs and tables that the lines below name."""
    limited = OWN["numbers"].replace("position: [-2, 2]", "position: [-2, 2], effort: 30")
    drifting = f"{OWN['loop']}base: {{type: floating, link: {{M: 3, inertia: [0.1, 0, 0, 0.1, 0, 0.1]}}}}\n"
    for name, text in {**OWN, "limited": limited, "drifting": drifting}.items():
        (folder / f"{name}.yaml").write_text(text.lstrip())
    t = np.arange(0, 6, 0.01)
    q = np.stack([0.8 * np.sin(1.1 * t) + 0.4 * np.sin(2.3 * t), 0.7 * np.sin(1.7 * t) - 0.3 * np.cos(2.9 * t)], axis=1)
    qd = np.gradient(q, t, axis=0)
    qdd = np.gradient(qd, t, axis=0)
    model = rs.inverse_dynamics(rs.load(folder / "numbers.yaml")).compile()
    tau = model(q=q, qd=qd, qdd=qdd) + np.random.default_rng(0).normal(size=q.shape) * 0.01
    _table(folder / "log.csv", "t,q1,q2,tau1,tau2", t, q, tau)
    _table(folder / "second.csv", "t,q1,q2,tau1,tau2", t, q, tau * 1.001)
    _table(folder / "loaded.csv", "t,q1,q2,tau1,tau2", t, q, tau + 0.3 * qdd + 2 * np.cos(q))
    _table(folder / "small.csv", "t,q1,q2,tau1,tau2", t, q / 10, tau)
    _table(folder / "named.csv", "t,one,q2,tau1,tau2", t, q, tau)
    _table(folder / "untimed.csv", "q1,q2,tau1,tau2", q, tau)
    _table(folder / "current.csv", "t,q1,q2,current1,current2", t, q, tau)
    _table(folder / "joint.csv", "t,q1,qd1,qdd1", t, q[:, 0], qd[:, 0], qdd[:, 0])
    _table(folder / "motion.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2", t, q, qd, qdd)
    (folder / "motors.csv").write_text(
        "name,torque,speed,peak,inertia,mass\nA,10,300,30,0.0001,1\nB,40,300,90,0.001,3\n"
    )
    some = np.random.default_rng(1).uniform(-1.5, 1.5, (30, 2))
    P = rs.direct_geometry(rs.load(folder / "numbers.yaml"), 0, 3).compile()(q=some)[:, :3, 3]
    _table(folder / "poses.csv", "q1,q2,x,y,z,roll,pitch,yaw", some, P, np.zeros((30, 2)), some.sum(axis=1))
    _table(folder / "points.csv", "t,q1,q2", np.arange(3), np.array([[0, 0.1], [0.5, -0.3], [1, 0.4]]))
    (folder / "frames.csv").write_text("0.4,0,0.3,0,0,0\n0.4,0.2,0.3,0,0,1.57\n")
    (folder / "limits.yaml").write_text("position: 1.2\nvelocity: 3\nacceleration: 5\n")
    (folder / "path.txt").write_text("1,0,0,0,1,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0,1,0.01,0.02,0\n")
    rs.gravity_torques(rs.load(folder / "arm.yaml")).write(folder / "model.grav")


def _table(path: Path, head: str, *columns: Any) -> None:
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=head, comments="", fmt="%.10g")


#: arguments of commands that do not take one robot; names of files of `write_robots`
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "list": (), "new": ("mine", "3"), "convert": ("arm.yaml", "out.par"), "app": (), "explain": ("E206",),
    "optimize": ("model.grav",), "verify": ("model.grav",),
    "direct_geometry": ("arm.yaml", "0", "2"), "transform": ("arm.yaml", "0", "2"),
    "determinant": ("arm.yaml", "2"), "inverse_jacobian": ("arm.yaml", "2"), "jacobian": ("arm.yaml", "2"),
    "inverse_kinematics": ("arm.yaml", "2"), "jdot_qdot": ("arm.yaml", "2"),
    "operational_jacobian": ("arm.yaml", "2"), "loop_geometry": ("loop.yaml",), "loop_kinematics": ("loop.yaml",),
    "singularities": ("platform.yaml", "path.txt"), "cable_tensions": ("cables.yaml",),
    "identify": ("numbers.yaml", "log.csv"), "identify_drives": ("numbers.yaml", "log.csv", "loaded.csv"),
    "identify_payload": ("numbers.yaml", "log.csv", "loaded.csv"),
    "study": ("manipulability", "t1=0:1:3,t2=0.1:1:2", "numbers.yaml"),
    "motor_loads": ("numbers.yaml", "motion.csv"), "time_optimal_motion": ("numbers.yaml", "motion.csv"),
    "joint_trajectory": ("numbers.yaml", "points.csv"), "cartesian_trajectory": ("frames.csv",),
    "calibrate": ("numbers.yaml", "poses.csv"),
    "calibration_postures": ("numbers.yaml",),
    **dict.fromkeys(("solve", "simulate", "excite", "draw", "share", "compare_formulations"), ("numbers.yaml",)),
    **dict.fromkeys(("precision", "bounds", "fixed_point", "resources"), ("numbers.yaml",)),
    **dict.fromkeys(("motors", "poses", "workspace", "workspace_volume"), ("platform.yaml",)),
    "bundle": ("numbers.yaml",),
    "build": ("numbers.yaml",), "ros2": ("numbers.yaml",),
    "fmu": ("numbers.yaml",), "base_velocity": ("floating.yaml",),
    "contact_kinematics": ("rolling.yaml",),
    "general_equations": ("puma560",), "inverse_geometry": ("scara",), "paul_matrices": ("scara",),
}  # fmt: skip

Values = list[tuple[str, Any]]  #: words of a line after the option, and the value in Python
#: kinds that say enough
BY_KIND: dict[str, Values] = {
    "frame": [("0", 0), ("1", 1), ("tip", "tip")],
    "number": [("2", 2)],
    "numbers": [("1,2", [1, 2])],
    "joints": [("1,2", [1, 2]), ("t2", ["t2"])],
    "quantity": [("0.5", 0.5), ("3", 3)],
    "quantities": [("0.5,2", [0.5, 2])],
}
_GAINS: Values = [("3", 3), ("3,4", [3, 4]), ("KX", "KX")]
_SIX: Values = [("3", 3), ("1,2,3,4,5,6", [1, 2, 3, 4, 5, 6])]
_MODES: Values = [("0,1,0", [0, 1, 0])]
_POSE = "1,0,0,0,1,0,0,0,1,0.01,0.02,0"  #: row by row, and the position
_TOOL = np.array([[1.0, 0, 0, 0.1], [0, 1, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
_ROW = [float(word) for word in _POSE.split(",")]
_AT = "0.7,0.4,0"
_PLACED = np.array([[1.0, 0, 0, 0.7], [0, 1, 0, 0.4], [0, 0, 1, 0], [0, 0, 0, 1]])
#: options of simulations and units for simulators
_MOVED: dict[str, Values] = {
    "q": [("0.1,0.2", [0.1, 0.2])],
    "qd": [("0.1,Pi/8", [0.1, np.pi / 8])],
    "controller": [("computed_torque:kp=100,kd=20/30", ("computed_torque", 100, [20, 30]))],
    "step": [("0.002", 0.002)],
    "smooth": [("0.05", 0.05)],
    "motor": [("2:torque=20,ratio=5", {2: {"torque": "20", "ratio": "5"}})],
    "stops": [("limits", True), ("1=-0.5,0.5", {1: (-0.5, 0.5)})],
    "base": [("0,0,0.1,1,0,0,0", [0, 0, 0.1, 1, 0, 0, 0])],
    "base_velocity": [("0,0,0.1,0,0,0.2", [0, 0, 0.1, 0, 0, 0.2])],
}
#: options of calibrations
_CALIBRATED: dict[str, Values] = {
    "base": [("0.1,0.2,0.3,0,0,0", _TOOL)],
    "known": [("gamma", ["gamma"]), ("frame2", ["frame2"])],
    "sensors": [("2", [2]), ("t2", ["t2"])],
    "values": [("D2=0.5", {"D2": 0.5})],
    "noise": [("0.001,0.01", [0.001, 0.01])],
    "pool": [("40", 40)],
    "significance": [("2", 2)],
}
#: by option, or by command and option; a value in Python may be what the text stands for, such as a matrix
BY_OPTION: dict[str | tuple[str, str], Values] = {
    ("contact_kinematics", "independent"): [("heading,wheel", ["heading", "wheel"]), ("x,3", ["x", 3])],
    ("transform", "also"): [("1,2", [(1, 2)]), ("0,tip", [(0, "tip")])],
    "kp": _GAINS, "kd": _GAINS, "rate": _GAINS, "learning": [("3", 3)], "gain": _GAINS, "limits": _GAINS,
    "null_damping": _GAINS, "damping": [("0.1", 0.1)], ("impedance_control", "damping"): _SIX, "stiffness": _SIX,
    ("operational_control", "kp"): _SIX, ("operational_control", "kd"): _SIX,
    ("identify", "gain"): BY_KIND["quantities"], ("identify", "rate"): [("50", 50)],
    ("identify_payload", "gain"): BY_KIND["quantities"], ("identify_payload", "step"): [("0.01", 0.01)],
    ("identify_payload", "friction"): [("load", rs.Friction(load=True))],
    "also_loaded": [("loaded.csv", ["loaded.csv"])],
    ("identify_drives", "step"): [("0.01", 0.01)],
    "modes": _MODES, "rest": [("2=0.1", {2: 0.1}), ("2=Pi/4", {2: np.pi / 4})], "weights": [("t1=4", {"t1": 4.0})],
    "reference": [("t2=0.3", {"t2": 0.3})], ("inverse_geometry", "reference"): [("0", 0), ("-1", -1)],
    ("solve", "reference"): [("0", 0), ("-1", -1)], "active": [],
    ("share", "joint"): [("t1=0.3", {"t1": 0.3})], ("share", "functions"): [("jacobian", "jacobian")],
    ("draw", "joint"): [("t1=0.3", {"t1": 0.3})], ("draw", "view"): [("front", "front"), ("-50,20", [-50, 20])],
    ("draw", "size"): [("300x200", [300, 200])], ("draw", "hide"): [("names", ["names"])],
    **{(name, "output"): [("folder", "folder")] for name in ("build", "bundle", "ros2")},
    ("build", "name"): [("left", "left")], ("build", "functions"): [("jacobian,frames", "jacobian,frames")],
    ("bundle", "prefix"): [("left", "left")], "coordinates": [("x,y,yaw", ["x", "y", "yaw"])],
    ("ros2", "name"): [("left", "left")], ("ros2", "plugins"): [("controller", "controller")],
    "given": [("P", "P")], "tool": [("0.1,0.2,0.3,0,0,0", _TOOL)],
    "redundant": [("t7", "t7")], ("solve", "redundancy"): [("0.3", 0.3)],
    "fixed": [("t4", ["t4"]), ("t4=0.2", {"t4": 0.2})], ("solve", "fixed"): [("t2=0.2", {"t2": 0.2})],
    ("loop_geometry", "known"): [("t3", ["t3"])],
    ("solve", "pose"): [(_AT, [_PLACED])], ("solve", "near"): [("0.1,0.2", [0.1, 0.2])],
    ("solve", "values"): [("D2=0.5", {"D2": 0.5})],
    ("motors", "pose"): [(_POSE, _ROW)], ("cable_tensions", "pose"): [(_POSE, _ROW)],
    ("poses", "motors"): [("2.1,2.2,2.1", [2.1, 2.2, 2.1])],
    ("poses", "near"): [(_POSE, _ROW)], ("singularities", "length"): [("0.2", 0.2)],
    ("workspace", "length"): [("0.2", 0.2)], ("motors", "modes"): _MODES, ("singularities", "modes"): _MODES,
    ("workspace", "modes"): _MODES,
    **{("workspace", axis): [("0,0.05", [0, 0.05])] for axis in ("y", "z", "roll", "pitch", "yaw")},
    ("workspace", "x"): [("0:0.1:3", np.linspace(0, 0.1, 3)), ("0.05", [0.05])],
    ("solve", "frame"): [("3", 3), ("tip", "tip")],
    ("general_equations", "frame"): [("6", 6)], ("inverse_geometry", "frame"): [("3", 3), ("4", 4)],
    ("paul_matrices", "frame"): [("3", 3), ("4", 4)],
    ("achievable_accelerations", "motor"): [("2:torque=20,ratio=50", {2: {"torque": "20", "ratio": "50"}})],
    ("cable_tensions", "lower"): [("2", 2)], ("cable_tensions", "upper"): [("900", 900)],
    ("identify", "friction"): [("auto", "auto"), ("load", rs.Friction(load=True)),
                               ("smooth=0.02,no-offset", rs.Friction(smooth=0.02, offset=False))],
    "friction": [("smooth=0.02", rs.Friction(smooth=0.02))], "also": [("second.csv", ["second.csv"])],
    "judge": [("second.csv", ["second.csv"])], "columns": [("q1=one", {"q1": "one"})],
    ("identify", "rest"): [("0.05", 0.05)], ("identify_payload", "rest"): [("0.05", 0.05)],
    ("identify_drives", "rest"): [("0.05", 0.05)], "cut": [("5", 5)], "delay": [("0.01", 0.01)],
    ("identify_payload", "rate"): [("50", 50)],
    ("identify_drives", "rate"): [("50", 50)], ("identify", "step"): [("0.01", 0.01)],
    ("excite", "limits"): [("limits.yaml", "limits.yaml")],
    ("time_optimal_motion", "limits"): [("limits.yaml", "limits.yaml")],
    ("joint_trajectory", "limits"): [("limits.yaml", "limits.yaml")], ("joint_trajectory", "duration"): [("50", 50)],
    ("joint_trajectory", "times"): [("0,2,5", [0, 2, 5])],
    ("cartesian_trajectory", "limits"): [("velocity=0.5", {"velocity": 0.5})],
    ("cartesian_trajectory", "duration"): [("5", 5)], ("study", "fix"): [("t1=0.5", {"t1": 0.5})],
    ("study", "workers"): [("all", "all"), ("2", 2)], ("study", "cluster"): [("tcp://a:1", "tcp://a:1")],
    ("study", "path"): [("parts", "parts")],
    ("motor_loads", "drives"): [("50", [50]), ("50,60", [50, 60])], ("motor_loads", "motors"): [("motors.csv",) * 2],
    **{(name, "range"): [("q=-1:Pi/2", {"q": (-1, np.pi / 2)}), ("QP1=0.5", {"QP1": (0.5,)})]
       for name in ("build", "precision", "bounds", "fixed_point")},
    ("fixed_point", "word"): [("16", 16)], ("build", "word"): [("16", 16)],
    ("resources", "target"): [("riscv32", "riscv32")],
    ("resources", "precision"): [("single", "single")],
    **{(name, option): cases for name in ("simulate", "fmu") for option, cases in _MOVED.items()},
    ("simulate", "bristles"): [("1000,10", [1000, 10])],
    ("simulate", "torque"): [("1,2", [1, 2])], ("simulate", "disturbance"): [("1,2", [1, 2])],
    ("simulate", "reference"): [("0.1,0.2", {"q_desired": [0.1, 0.2]})], ("simulate", "until"): [("0.02", 0.02)],
    ("simulate", "period"): [("0.002", 0.002)], ("simulate", "tolerance"): [("1e-6", 1e-6)],
    ("simulate", "motion"): [("joint.csv", "joint.csv")], ("fmu", "output"): [("arm.fmu", "arm.fmu")],
    ("fmu", "values"): [("M1=2.5", {"M1": 2.5})],
    "components": [("x", ["x"]), ("rz", ["rz"])],
    **{(name, option): cases for name in ("calibrate", "calibration_parameters", "calibration_postures")
       for option, cases in _CALIBRATED.items()},
    ("force_ellipsoid", "rows"): [("1,2", [1, 2])], ("force_ellipsoid", "limits"): _GAINS,
    ("verify", "against"): [("arm.yaml", "arm.yaml")], ("verify", "model"): [("gravity_torques",) * 2],
    ("verify", "level"): [("3", "3"), ("max", "max")], ("verify", "language"): [("listing", "listing")],
}  # fmt: skip
#: what is always typed beside the option, and the same in Python, so that a command is quick or can be run
USUAL: dict[str, dict[str, tuple[str, Any]]] = {
    "simulate": {"until": ("0.01", 0.01), "q": ("0.3,0.4", [0.3, 0.4])},
    "identify_drives": {"mass": ("2", 2)}, "solve": {"pose": (_AT, [_PLACED]), "given": ("P", "P")},
    "motors": {"pose": (_POSE, _ROW)}, "poses": {"motors": ("2.1,2.2,2.1", [2.1, 2.2, 2.1])},
    "workspace": {"x": ("0,0.01", [0, 0.01])},
    "workspace_volume": {"x": ("0,0.01", [0, 0.01]), "y": ("0,0.01", [0, 0.01]), "boxes": ("1000", 1000)},
    "cable_tensions": {"pose": ("1,0,0,0,1,0,0,0,1,0,0,1", [
        1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1])},
    "precision": {"samples": ("1", 1)}, "bounds": {"boxes": ("1", 1)}, "fixed_point": {"boxes": ("1", 1)},
    "time_optimal_motion": {"limits": ("limits.yaml", "limits.yaml")},
    "joint_trajectory": {"limits": ("limits.yaml", "limits.yaml")},
    "cartesian_trajectory": {"duration": ("5", 5)},
    "verify": {"against": ("arm.yaml", "arm.yaml")},
}  # fmt: skip
#: a pose of an arm with seven joints
_OF_SEVEN: dict[str, tuple[str, Any]] = {
    "pose": ("1,0,0,0.4,0,-1,0,0.1,0,0,-1,0.4,0,0,0,1", [np.array(
        [[1.0, 0, 0, 0.4], [0, -1, 0, 0.1], [0, 0, -1, 0.4], [0, 0, 0, 1]])]), "given": ("", None),
}  # fmt: skip
#: beside one option alone; an empty text takes away what is usual
BESIDE: dict[tuple[str, str], dict[str, tuple[str, Any]]] = {
    ("joint_trajectory", "times"): {"law": ("cubic_spline", "cubic_spline")},
    ("derivation", "link"): {"subject": ("jacobian", "jacobian")},
    ("simulate", "controller"): {"reference": ("0.1,0.2", {"q_desired": [0.1, 0.2]})},
    ("simulate", "base"): {"q": ("0.3", [0.3])}, ("simulate", "base_velocity"): {"q": ("0.3", [0.3])},
    ("simulate", "motion"): {"q": ("", None)},
    ("bundle", "precision"): {"output": ("made", "made")}, ("inverse_jacobian", "active"): {"rows": ("1", [1])},
    ("solve", "redundancy"): _OF_SEVEN, ("solve", "redundant"): {**_OF_SEVEN, "redundancy": ("0.2", 0.2)},
    ("solve", "modes"): {"frame": ("5", 5), "pose": ("1.2,0.4,0", [np.array(
        [[1.0, 0, 0, 1.2], [0, 1, 0, 0.4], [0, 0, 1, 0], [0, 0, 0, 1]])])},
}  # fmt: skip
#: other arguments for one option
LINES: dict[tuple[str, str], tuple[str, ...]] = {
    ("identify", "gain"): ("numbers.yaml", "current.csv"), ("identify", "columns"): ("numbers.yaml", "named.csv"),
    ("identify", "step"): ("numbers.yaml", "untimed.csv"),
    **{("identify_payload", option): ("numbers.yaml", file, file)
       for option, file in (("gain", "current.csv"), ("columns", "named.csv"), ("step", "untimed.csv"))},
    **{("identify_drives", option): ("numbers.yaml", file, file)
       for option, file in (("columns", "named.csv"), ("step", "untimed.csv"))}, ("solve", "values"): ("arm.yaml",),
    **{(name, option): ("floating.yaml",) for name in ("simulate", "fmu") for option in ("base", "base_velocity")},
    **{("base_velocity", option): ("drifting.yaml",) for option in ("tree", "reference")},
    ("simulate", "motion"): ("floating.yaml",), ("fmu", "actuators"): ("limited.yaml",),
    ("simulate", "actuators"): ("limited.yaml",), ("operational_jacobian", "orientation"): ("puma560", "6"),
    ("bundle", "precision"): ("numbers.yaml",), ("inverse_geometry", "redundant"): ("panda",),
    ("solve", "redundancy"): ("panda",), ("solve", "redundant"): ("panda",),
}  # fmt: skip


def _motion(path: str, columns: Any = None, degrees: Any = None, step: Any = None, ratio: Any = None,
            gain: Any = None, **filters: Any) -> Any:  # fmt: skip
    drive = None if ratio is None and gain is None else rs.Drive(1.0 if ratio is None else ratio, gain=gain)
    return rs.prepare(rs.Log(path, columns=columns, degrees=degrees, step=step), drive=drive, **filters)


def _identify(robot: Any, log: str, also: Any = (), judge: Any = (), **options: Any) -> Any:
    own = {name: options.pop(name) for name in ("method", "model", "friction") if name in options}
    found = rs.identify(robot, [_motion(path, **options) for path in (log, *also)], **own)
    return found.remarked(f"{path}: {found.error(_motion(path, **options))}" for path in judge)


def _payload(robot: Any, log: str, loaded: str, also_loaded: Any = (), **options: Any) -> Any:
    method = options.get("method", "wls")
    kept = ("cut", "rate", "rest", "delay", "ratio", "gain", "columns", "degrees", "step")
    motions = [_motion(path, **{n: v for n, v in options.items() if n in kept}) for path in (loaded, *also_loaded)]
    return rs.identify_payload(_identify(robot, log, **options), motions, method if method in ("ols", "tls") else "wls")


def _drives(robot: Any, free: str, loaded: str, mass: float, friction: Any = None, **options: Any) -> Any:
    return rs.identify_drives(robot, _motion(free, **options), _motion(loaded, **options), mass, friction)


def _solve(robot: Any, pose: Any, parameters: Any = None, **options: Any) -> Any:
    own = {name: options.pop(name) for name in ("near", "limits", "modes", "redundancy") if name in options}
    (found,) = rs.inverse_geometry(robot, **options).solve(np.array(pose), parameters, **own)
    modes = [[mode] for mode in found.modes] if own.get("modes") == "all" else [[]] * len(found)
    return [[1, *mode, *row] for mode, row in zip(modes, np.asarray(found), strict=True)]


def _motors(robot: Any, pose: Any, passive: bool = False, modes: Any = None) -> str:
    found = rs.inverse_geometry(robot, modes=modes).solve(pose, passive=passive)
    names = [robot.variable(j) for j in robot.tree_joints] if passive else robot.motor_names
    return "\n".join(f"{name} = {float(value):.12g}" for name, value in zip(names, found, strict=True))


def _poses(robot: Any, motors: Any, near: Any = None) -> str:
    model: Any = rs.direct_geometry(robot)
    found = [model.near(motors, near)] if near is not None else model.solve(motors)
    rows = "\n".join(", ".join(f"{float(x):.12g}" for x in row) for row in found)
    head = [] if near is not None else [f"# {found.report()}", "# R11 R12 R13 R21 R22 R23 R31 R32 R33 PX PY PZ"]
    return "\n".join([*head, rows])


def _tensions(robot: Any, pose: Any, lower: float = 0, upper: float = np.inf) -> str:
    found = rs.cable_tensions(robot, [lower] * 8, [upper] * 8).solve(np.array(pose, float))
    return "\n".join(f"{name} = {pull:.9g}" for name, pull in zip(robot.motor_names, found.tensions, strict=True))


def _moved(function: str, robot: Any, controller: Any = None, actuators: Any = None, **options: Any) -> Any:
    if controller is not None:
        name, kp, kd = controller
        options["controller"] = getattr(rs, name)(robot, kp=kp, kd=kd)
    if actuators is not None:
        given = actuators is True or {j: rs.Actuator(**entries) for j, entries in actuators.items()}
        options["actuators"] = given
    return getattr(rs, function)(robot, **options)


def _achievable(robot: Any, limits: Any = None, **options: Any) -> Any:
    joints = {j: {"torque": f"TMAX{j}", **(limits or {}).get(j, {})} for j in robot.tree_joints}
    return rs.achievable_accelerations(robot, {j: rs.Actuator(**entries) for j, entries in joints.items()}, **options)


def _checked(
    method: str, robot: rs.Robot, model: str = "inverse_dynamics", ranges: Any = None, word: int = 32, **options: Any
) -> Any:
    """Call a method of a model with ranges of its inputs."""
    options |= {"word": word} if method == "fixed_point" else {}
    return getattr(getattr(rs, model)(robot), method)(ranges=ranges, **options)


def _workspace(robot: Any, table: bool = False, **options: Any) -> str:
    reach = rs.workspace(robot, **options)
    if not table:
        return reach.report()
    rows = [",".join([*reach.axes, "reached", "dexterity"])]
    for place in np.ndindex(*(len(axis) for axis in reach.axes.values())):
        at = [f"{axis[k]:.17g}" for axis, k in zip(reach.axes.values(), place, strict=True)]
        rows.append(",".join([*at, str(int(reach.reached[place])), f"{reach.dexterity[place]:.17g}"]))
    return "\n".join([*rows, ""])


#: commands that are more than a call of one function: what a user of Python writes for them
PYTHON: dict[str, Callable[..., Any]] = {
    "identify": _identify, "identify_payload": _payload, "identify_drives": _drives, "solve": _solve,
    "motors": _motors, "poses": _poses, "cable_tensions": _tensions,
    **{name: partial(_moved, name) for name in ("simulate", "fmu")},
    "achievable_accelerations": _achievable,
    "singularities": lambda robot, path, **o: rs.singularities(
        robot, np.loadtxt(path, delimiter=","), **o).report(),
    "workspace": _workspace,
    "transform": lambda robot, i, j, also: rs.transform(robot, (i, j), *also),
    "motor_loads": rs.motor_loads, "time_optimal_motion": rs.time_optimal_motion,
    "joint_trajectory": rs.joint_trajectory, "cartesian_trajectory": rs.cartesian_trajectory,
    **{name: partial(_checked, name) for name in ("precision", "bounds", "fixed_point")},
    "resources": lambda robot, model="inverse_dynamics", **o: getattr(rs, model)(robot).resources(**o),
}  # fmt: skip
