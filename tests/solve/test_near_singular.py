"""Solutions a little beside singular positions, against a pose in 50 digits (`benchmarks/near_singular.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mpmath import mp


@pytest.mark.parametrize(("name", "kind"), [("rx90", "wrist"), ("puma560", "elbow"), ("ur5e", "wrist")])
def test_no_more_is_lost_than_the_distance_takes(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
