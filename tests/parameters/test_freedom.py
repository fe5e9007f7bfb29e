"""Mobility of links against Pinocchio's link velocities over random motions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from cases.identification import Array, random_values, special_tree
from oracles.pinocchio import Oracle
from robosym.algebra import Graph, evaluate
from robosym.mechanism.motion import frame_places
from robosym.parameters.freedom import LinkRotation, is_free_of_weight, motions
from robosym.spatial import Mat3, Vec3

SAMPLES = 12


@pytest.mark.parametrize("seed", range(40))
def test_links_of_trees(seed: int) -> None:
    robot, rng, graph = special_tree(seed), np.random.default_rng(seed), Graph()
    values = random_values(robot, rng)
    oracle = Oracle(robot, values)
    places, gravity = frame_places(robot, graph)
    found = motions(robot, places)

    def numbers(given: Vec3 | Mat3) -> Array:
        entries = np.array(evaluate([graph.zero + entry for entry in given], values))
        return entries.reshape(3, 3) if isinstance(given, Mat3) else entries

    poses: dict[int, list[pin.SE3]] = {j: [] for j in oracle.frames}
    spins: dict[int, list[Array]] = {j: [] for j in oracle.frames}
    weights = []
    for _ in range(SAMPLES):
        q, qd = rng.uniform(-2, 2, (2, len(robot.tree_joints)))
        pin.forwardKinematics(oracle.model, oracle.data, oracle.q(q), oracle.v(qd))
        pin.updateFramePlacements(oracle.model, oracle.data)
        for j, frame in oracle.frames.items():
            poses[j].append(oracle.data.oMf[frame].copy())
            spins[j].append(pin.getFrameVelocity(oracle.model, oracle.data, frame, pin.LOCAL).angular.copy())
        weights.append(oracle.back(pin.computeGeneralizedGravity(oracle.model, oracle.data, oracle.q(q))))
    for j, spin in spins.items():
        motion, w = found[j], np.array(spin)
        singular = np.linalg.svd(w, compute_uv=False)
        assert min(int((singular > 1e-9).sum()), 2) == motion.freedom
        if motion.freedom is LinkRotation.NONE:
            assert all(np.allclose(pose.rotation, numbers(motion.A0)) for pose in poses[j])
        elif motion.freedom is LinkRotation.ONE_AXIS:
            axis, axis0 = numbers(motion.axis), numbers(motion.axis0)
            assert np.allclose(np.cross(w, axis), 0)
            assert all(np.allclose(pose.rotation @ axis, axis0) for pose in poses[j])
            along = np.array([pose.translation @ axis0 for pose in poses[j]])
            assert motion.along is bool(np.ptp(along) > 1e-9)
            if motion.arm is not None:  # the start of the arm is a fixed point of the axis
                starts = np.array([pose.act(-numbers(motion.arm)) for pose in poses[j]])
                assert np.allclose(np.cross(starts - starts[0], axis0), 0)
        elif motion.center is not None:
            assert np.allclose(np.ptp([pose.act(numbers(motion.center)) for pose in poses[j]], axis=0), 0)
    for n, j in enumerate(robot.tree_joints):
        if is_free_of_weight(found[j], places[j].joint, gravity):
            assert np.allclose(np.array(weights)[:, n], 0)
