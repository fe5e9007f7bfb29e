"""Test changes of frame of inertias against point masses transformed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia, SecondMoments, SpatialInertia
from robosym.spatial.vectors import Screw

Array = NDArray[np.float64]


def inertia_of_points(masses: Array, points: Array) -> RigidInertia:
    """Return the inertia of point masses: J = sum m (p . p 1 - p p^T), MS = sum m p."""
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = np.asarray(J)
    return RigidInertia(xx, xy, xz, yy, yz, zz, *(masses @ points), masses.sum())


@pytest.mark.parametrize("seed", range(3))
def test_moved_inertia_agrees_with_moved_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    A = A * np.sign(np.linalg.det(A))
    P, masses, points = rng.normal(size=3), rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    moved = inertia_of_points(masses, points).moved(Transform(Mat3.of(*A.ravel()), Vec3(*P)))
    assert np.allclose(list(moved), list(inertia_of_points(masses, points @ A.T + P)))


def about_z(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def test_second_moments_agree_with_points() -> None:
    rng = np.random.default_rng(3)
    masses, points = rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    k = SecondMoments.of(inertia_of_points(masses, points))
    S = points.T @ np.diag(masses) @ points
    assert np.allclose([*k.S, k.ZZ, k.D], [*S.ravel(), S[0, 0] + S[1, 1], S[0, 0] - S[1, 1]])
    assert np.allclose(list(k.rigid), list(inertia_of_points(masses, points)))
    turned = k.turned_about_z(np.cos(0.7), np.sin(0.7)).rigid
    assert np.allclose(list(turned), list(inertia_of_points(masses, points @ about_z(0.7).T)))


def test_spatial_inertia_moved_by_a_screw() -> None:
    rng = np.random.default_rng(4)
    masses, points = rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    screw = Screw("z", np.cos(0.7), np.sin(0.7), 0.4)
    moved = SpatialInertia.rigid(inertia_of_points(masses, points)).moved(screw).body
    assert np.allclose(list(moved), list(inertia_of_points(masses, points @ about_z(0.7).T + [0, 0, 0.4])))


def test_splits_off_inertia_that_is_symmetric_about_z() -> None:
    """The two parts add up to the whole, and a rotation about z does not change one of them."""
    rng = np.random.default_rng(5)
    whole = inertia_of_points(rng.uniform(1, 2, 5), rng.normal(size=(5, 3)))
    rest, line = whole.parted()
    assert np.allclose(list(rest + line), list(whole))
    assert np.allclose(list(line.moved(Transform(Mat3.of(*about_z(1.1).ravel()), Vec3(0, 0, 0)))), list(line))
    assert (rest.YY, rest.MZ, rest.M) == (0, 0, 0)


def test_sum_and_difference() -> None:
    one, other = RigidInertia(XX=1, M=2), RigidInertia(XX=3, MZ=4)
    assert one + other == RigidInertia(XX=4, MZ=4, M=2)
    assert one + -one == RigidInertia()


def test_product_of_rotations() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3, 3))
    found = Mat3.of(*a.ravel()) @ Mat3.of(*b.ravel())
    assert np.allclose(list(found), (a @ b).ravel())
    assert list(found.z_axis) == [row.z for row in found.rows]
