"""Test solutions near singular positions against poses with 50 digits (`benchmarks/near_singular.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

import robosym as rs


@pytest.mark.parametrize(("name", "kind"), [("rx90", "wrist"), ("puma560", "elbow"), ("ur5e", "wrist")])
def test_accuracy_agrees_with_distance_from_the_singularity(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    digits = mp.dps
    try:
        import near_singular

        monkeypatch.setattr(near_singular, "POSES", 3)
        for distance in (1e-2, 1e-5):
            pose, joints, free, lost = near_singular.measured(name, kind, distance)
            assert (free, lost) == (0, 0)
            assert pose <= near_singular.POSE_BAR
            assert joints <= near_singular.JOINT_BAR / distance
    finally:
        mp.dps = digits
        for module in ("near_singular", "table"):
            sys.modules.pop(module, None)


def test_returns_each_solution_once_near_a_singular_wrist() -> None:
    """A solution to which Newton's method has not converged is not counted as a ninth one."""
    robot = rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45})
    forward, model = rs.direct_geometry(robot, 0, 6).compile(), rs.inverse_geometry(robot)
    rng = np.random.default_rng(12)
    q = rng.uniform(0.3, 1.2, (40, 6)) * rng.choice([-1, 1], (40, 6))
    q[:, 4] = 1e-6 * rng.choice([-1, 1], 40)
    for found in model.solve(forward(q=q).reshape(-1, 4, 4)):
        assert len(found) == 8
        assert found.errors.max() < 1e-12
