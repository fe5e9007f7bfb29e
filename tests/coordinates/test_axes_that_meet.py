"""Test intersections of joint axes on lines through chosen points."""

from __future__ import annotations

import numpy as np
import pytest

from robosym.solve.platform_points import _meeting
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.numeric import rigid


def transform(T: np.ndarray) -> Transform:
    return Transform(Mat3.of(*map(float, T[:3, :3].ravel())), Vec3(*map(float, T[:3, 3])))


@pytest.mark.parametrize("seed", range(10))
def test_intersecting_skew_and_parallel_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, away = rng.normal(size=2)
    turned = rigid(rng.normal(size=3), np.zeros(3))
    if seed == 0:
        turned = rigid(np.array([np.pi / 2, 0, 0]), np.zeros(3))  # perpendicular, in a plane of the first frame
    if seed == 1:
        turned, away = rigid(np.array([0, 0.7, 0]), np.zeros(3)), 0.0  # from the point itself
    z = turned[:3, 2]
    turned[:3, 3] = height * np.array([0, 0, 1]) - away * z
    point = _meeting(transform(turned))
    assert point is not None
    assert list(point) == pytest.approx([0, 0, height], abs=1e-9)
    normal = np.cross([0, 0, 1], z)
    turned[:3, 3] += 0.2 * normal / np.linalg.norm(normal)
    assert _meeting(transform(turned)) is None
    assert _meeting(transform(rigid(np.array([0, 0, 0.4]), np.array([0.3, 0.1, 0.2])))) is None
