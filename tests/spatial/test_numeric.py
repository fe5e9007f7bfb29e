"""Test numeric poses against SciPy's matrix exponential and the symbolic frames of the expression graph."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from robosym.algebra import evaluate
from robosym.formats import load
from robosym.mechanism.motion import frame_transform
from robosym.spatial.numeric import displacement, frame_matrices, rigid, rigid_inverse, rotation_vector, screws

RNG = np.random.default_rng(3)


def exponential(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    x, y, z = turn
    screw = np.zeros((4, 4))
    screw[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    T = expm(screw)
    T[:3, 3] = shift
    return np.asarray(T)


def test_screws_about_each_axis() -> None:
    angle, shift = RNG.normal(size=(2, 3, 2))
    for axis in range(3):
        T = screws(axis, angle, shift)
        for place in np.ndindex(angle.shape):
            unit = np.eye(3)[axis]
            np.testing.assert_allclose(T[place], exponential(unit * angle[place], unit * shift[place]), atol=1e-14)


def test_frames_agree_with_symbolic_frames() -> None:
    robot = load("sr400")
    values = {name: float(RNG.uniform(-2, 2)) for name in (*robot.parameters, *filter(None, robot.variables))}
    for j, frame in enumerate(robot.frames, 1):
        numbers = evaluate([frame.gamma, frame.b, frame.alpha, frame.d, frame.theta, frame.r], values)
        T = frame_transform(frame, lambda entry: evaluate([entry], values)[0], j)
        expected = np.block([[np.array([*T.A]).reshape(3, 3), np.array([[*T.P]]).T], [np.eye(4)[3:]]])
        np.testing.assert_allclose(frame_matrices(*map(np.asarray, numbers)), expected, atol=1e-14)


def test_inverse_and_rotation_vector() -> None:
    turns = RNG.normal(size=(5, 3))
    turns *= np.minimum(1, 3.1 / np.linalg.norm(turns, axis=1))[:, None]
    T = np.stack([rigid(turn, RNG.normal(size=3)) for turn in turns])
    np.testing.assert_allclose(T[0], exponential(turns[0], T[0, :3, 3]), atol=1e-14)
    np.testing.assert_allclose(rigid_inverse(T) @ T, np.broadcast_to(np.eye(4), (5, 4, 4)), atol=1e-14)
    np.testing.assert_allclose(rotation_vector(T[:, :3, :3]), turns, atol=1e-12)


def test_rotation_vector_near_zero_and_half_turn() -> None:
    tiny = np.array([1e-12, -2e-12, 0])
    np.testing.assert_allclose(rotation_vector(rigid(tiny, np.zeros(3))[:3, :3]), tiny, atol=1e-25)
    for axis in range(3):
        half = rotation_vector(screws(axis, np.pi, 0.0)[:3, :3])
        np.testing.assert_allclose(np.abs(half), np.pi * np.eye(3)[axis], atol=1e-12)


def test_displacement_is_expressed_in_frame_zero() -> None:
    """The displacement equals the translation and rotation that were applied in frame 0."""
    start = rigid(RNG.normal(size=3), RNG.normal(size=3))
    shift, turn = RNG.uniform(-1.5, 1.5, (2, 3))  # less than half a turn
    end = start.copy()
    end[:3, :3] = rigid(turn, np.zeros(3))[:3, :3] @ start[:3, :3]
    end[:3, 3] += shift
    np.testing.assert_allclose(displacement(start, end), [*shift, *turn], atol=1e-12)
