"""Check the robosym that is installed for this Python: read files, generate models, compile, run the command line.

Only the dependencies of robosym are needed, in particular no compiler: `tools/matrix.py` runs this with an empty PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import robosym as rs

#: torques of rx90 printed in README.md
PRINTED = [0.0, 49.835, 23.483, -2.646, 11.984, -3.338]


def torques() -> None:
    model = rs.inverse_dynamics(rs.load("rx90"))
    parameters = dict.fromkeys(model.inputs["parameters"], 1.0) | {"D3": 0.45, "RL4": 0.45}
    state = {"q": [0.1] * 6, "qd": [0.0] * 6, "qdd": [0.0] * 6, "gravity": [-9.81], "parameters": parameters}
    compiled = model.compile()
    found = compiled(**state)
    assert [round(float(x), 3) for x in found] == PRINTED, found
    many = compiled(**{name: np.array([v] * 1000) if name == "q" else v for name, v in state.items()})
    assert np.allclose(many, found, rtol=1e-12)


def files(folder: Path) -> None:
    robot = rs.load("ur5e")
    model = rs.inverse_dynamics(robot)
    for name in ("arm.yaml", "arm.par"):
        robot.write(folder / name)
        assert rs.inverse_dynamics(rs.load(folder / name)).operations == model.operations, name
    for name in ("arm.c", "arm.hpp", "arm.f90", "arm.py", "arm.m", "arm.rs", "arm.jl"):
        model.write(folder / name)
        assert (folder / name).stat().st_size > 1000


def inverse() -> None:
    robot = rs.load("puma560")
    pose = rs.transform(robot, 0, 6).compile()(q=[0.3, -0.4, 0.5, 0.6, 0.7, 0.8])
    solutions = rs.inverse_geometry(robot).solve(np.asarray(pose))
    assert len(solutions) == 8, len(solutions)


def command_line(folder: Path) -> None:
    command = [str(Path(sysconfig.get_path("scripts")) / "robosym")]
    target = folder / "rx90.c"
    for line in (["list"], ["inverse-dynamics", "rx90", "--base-parameters", "-o", str(target)]):
        done = subprocess.run([*command, *line], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "rx90" in target.read_text(encoding="utf-8")
    wrong = subprocess.run([*command, "show", "no_such_robot"], capture_output=True, text=True, check=False)
    assert wrong.returncode and "Traceback" not in wrong.stderr


def main() -> None:
    assert Path(rs.__file__).is_relative_to(Path(sysconfig.get_path("purelib"))), rs.__file__
    if not os.environ.get("PATH"):
        found = [name for name in ("gcc", "cc", "clang", "ld") if shutil.which(name, path="")]
        assert not found, found
    torques()
    inverse()
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder))
        command_line(Path(folder))
    print(f"robosym runs on Python {sys.version.split()[0]}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()
