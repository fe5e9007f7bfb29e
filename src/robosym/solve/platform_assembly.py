"""Poses of a platform from the positions of its motors in the assembly mode of the reference position."""

from __future__ import annotations

import numpy as np

from robosym.algebra.newton import follow
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.coordinates.first_guess import LEAST_SIZE
from robosym.coordinates.legs import Legs, drifting
from robosym.coordinates.platform_poses import pose_matrices
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.solve.forward import DirectGeometry, platform_geometry
from robosym.solve.leg_joints import LegJoints, leg_joints
from robosym.spatial.numeric import rotation_vector, shortest_way

__all__ = ["PlatformAssembly", "allowed_motions", "allowed_twists"]

_STEP = 0.05  #: step of a motor from the reference, in rad or m
_JUMP = 0.25  #: radians and parts of the robot's size: a farther step of the platform is halved


class PlatformAssembly:
    """The assembly mode of the reference position, in which the platform follows the motors."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.geometry: DirectGeometry = platform_geometry(robot)
        self.reference = numeric_reference(robot)
        self.legs: LegJoints = leg_joints(robot, passive=False)

    def pose(self, q: Array) -> Array:
        """Return the pose (12,) for motors (m,), followed from the reference position.

        Raises InputError if the platform cannot reach it from there within its assembly mode.
        """
        if self.reference is None:
            return self._turned_least(q)
        sample = self.reference.samples[0]
        pose = np.array([*sample.pose_values.values()])
        begin = np.array([sample.joints[name] for name in self.robot.motor_names])
        size = max(float(np.abs(sample.pose[:3, 3]).max()), LEAST_SIZE)

        def step(share: float, here: Array) -> Array | None:
            found = self._near(begin + share * (q - begin), here)
            return None if found is None or _far(here, found, size) else found

        pose, done = follow(step, pose, min(1.0, _STEP / max(float(np.abs(q - begin).max()), _STEP)))
        if done < 1:
            raise InputError(
                f"{self.robot.name}: the platform cannot be followed from the reference position to motors at "
                f"{np.round(q, 6).tolist()}: a leg or the platform is singular on the way, or out of reach; "
                "give a pose, or a reference position nearer to them"
            )
        self.check(q[None], pose[None])
        return pose

    def _near(self, q: Array, pose: Array) -> Array | None:
        try:
            return np.asarray(self.geometry.near(q, pose), dtype=float)
        except InputError:
            return None

    def check(self, q: Array, poses: Array) -> None:
        """Raise an error if poses (n, 12) do not give the motor positions (n, m) in the branches of the legs."""
        if self.reference is None:
            return
        found = np.asarray(self.legs.compile()(pose=np.ascontiguousarray(poses)))
        away = found - q
        turns = [self.robot.frame(j).joint_type.only_turns for j in self.robot.motors]
        away = shortest_way(away, turns)
        wrong = np.flatnonzero(~(np.abs(away).max(axis=1) < SAME))
        if len(wrong):
            where = f"sample {wrong[0]}" if len(q) > 1 else "these motors"
            raise InputError(
                f"{self.robot.name}: at {where} a leg is in another branch than at the reference position, for which "
                "the models hold: give a reference position in that branch"
            )

    def _turned_least(self, q: Array) -> Array:
        """Return the pose with the smallest rotation, for a geometry without a reference position."""
        poses = np.asarray(self.geometry.solve(q), dtype=float)
        if not len(poses):
            raise InputError(
                f"{self.robot.name}: the platform cannot be assembled with motors at {np.round(q, 6).tolist()}"
            )
        turned = poses[:, 0] + poses[:, 4] + poses[:, 8]
        return np.asarray(poses[int(np.lexsort((poses[:, 11], turned.round(6)))[-1])])


def allowed_twists(robot: Robot, poses: Array, twists: Array) -> Array:
    """Return the part of twists (..., 6) that the legs of a platform allow at poses (..., 12)."""
    legs = Legs(robot, ("pose",))
    with legs.work as work:
        free, E = legs.basis
        if len(free) == 6:
            return twists
        zero = work.graph.zero
        layout = work.matrix("E", [[zero + x for x in row] for row in E])
        basis = work.model("bas", "Freedom of the platform", {"E": layout}).compile()
    shape = np.broadcast_shapes(poses.shape[:-1], twists.shape[:-1])
    rows = np.ascontiguousarray(np.broadcast_to(poses, (*shape, 12)))
    return np.asarray(np.einsum("...rk,...k->...r", np.asarray(basis(pose=rows)), twists[..., list(free)]))


def allowed_motions(robot: Robot, poses: Array, twists: Array, accelerations: Array) -> tuple[Array, Array]:
    """Return the twists and accelerations (n, 6) at poses (n, 12) that the legs allow, from the free components."""
    twists = allowed_twists(robot, poses, twists)
    legs = drifting(robot, None, ("parameters",))
    with legs.work as work:
        for place, entry in enumerate((*legs.motion.vp, *legs.motion.wp), 1):
            work.define(f"DRIFT{place}", work.graph.zero + entry)
        names = tuple(f"DRIFT{place}" for place in range(1, 7))
        drift = work.model("dri", "Acceleration without any along the freedom", {"drift": names}).compile()
    own = np.asarray(drift(pose=np.ascontiguousarray(poses), twist=np.ascontiguousarray(twists)))
    return twists, allowed_twists(robot, poses, accelerations) + own


def _far(one: Array, other: Array, size: float) -> bool:
    A, B = pose_matrices(one), pose_matrices(other)
    turn = float(np.linalg.norm(rotation_vector((A[:3, :3].T @ B[:3, :3])[None])[0]))
    return turn > _JUMP or float(np.linalg.norm(A[:3, 3] - B[:3, 3])) > _JUMP * size
