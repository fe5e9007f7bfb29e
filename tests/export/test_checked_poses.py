"""Bundles return NaN for poses that the legs do not allow; other code documents that it does not check."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

import robosym as rs


def test_bundle_rejects_impossible_poses(tmp_path: Path) -> None:
    robot = rs.load("delta")
    robot = robot.with_values({n: 0.1 for n in robot.parameters if not n.startswith(("Q", "GAM"))})
    rs.bundle(robot, tmp_path / "delta")
    source = next(tmp_path.rglob("*inverse_geometry.c"))
    library = tmp_path / "geometry.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", str(source), "-o", str(library), "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), source.stem)

    def motors(pose: np.ndarray) -> np.ndarray:
        q = np.zeros(3)
        pose = np.ascontiguousarray(pose)
        function(pose.ctypes.data_as(ctypes.c_void_p), q.ctypes.data_as(ctypes.c_void_p))
        return q

    pose = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.05, 0.02, -1.1])
    assert np.allclose(motors(pose), rs.inverse_geometry(robot).solve(pose), atol=1e-12)
    c, s = np.cos(0.2), np.sin(0.2)
    assert np.isnan(motors(np.array([c, -s, 0, s, c, 0, 0, 0, 1, 0.05, 0.02, -1.1]))).all()


def test_code_documents_missing_checks() -> None:
    model = rs.inverse_geometry(rs.load("fivebar"))
    assert "does not check" in model.code("c")
    assert "does not check" not in model.checked().code("c")
    assert "does not check" not in rs.inverse_geometry(rs.load("gough33")).code("c")
