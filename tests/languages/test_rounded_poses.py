"""Generated inverse geometric models orthonormalize rounded poses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import robosym as rs

JOINTS = [0.3, -1, 1.2, 0.4, 0.7, -0.5]


def pose(name: str, digits: int) -> np.ndarray:
    robot = rs.load(name)
    return np.round(rs.direct_geometry(robot, 0, 6).compile()(q=JOINTS), digits)


@pytest.mark.parametrize("digits", [16, 6, 4])
def test_python(digits: int) -> None:
    space: dict[str, object] = {}
    exec(rs.inverse_geometry(rs.load("ur5e")).code("python"), space)  # our own code
    solve = next(value for name, value in space.items() if name.startswith("ur5e"))
    found = np.array(solve(pose("ur5e", digits)))  # type: ignore[operator]
    assert len(found) == 8
    assert np.abs(found - JOINTS).max(axis=1).min() < 10.0 ** (1 - digits) + 1e-9


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("digits", [16, 6])
def test_c(digits: int, tmp_path: Path) -> None:
    code = rs.inverse_geometry(rs.load("ur5e")).code("c")
    entries = ", ".join(map(repr, pose("ur5e", digits).ravel().tolist()))
    code += "#include <stdio.h>\nint main(void) {\n"
    code += f"    const double T[16] = {{{entries}}};\n"
    code += '    double q[64][6];\n    printf("%d", ur5e_pau(T, q, NULL));\n    return 0;\n}\n'
    (tmp_path / "u.c").write_text(code)
    command = [
        "gcc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        str(tmp_path / "u.c"),
        "-o",
        str(tmp_path / "u"),
        "-lm",
    ]
    subprocess.run(command, check=True)
    assert subprocess.run([str(tmp_path / "u")], check=True, capture_output=True, text=True).stdout == "8"
