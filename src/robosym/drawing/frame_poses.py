"""The poses of all frames of a robot in frame 0, as one model: what a moving picture asks for at every move."""

from __future__ import annotations

from robosym.kinematics.transform import transform_name
from robosym.mechanism import Robot
from robosym.mechanism.compose import pose
from robosym.model import Model, Workspace
from robosym.spatial import Transform

__all__ = ["frame_poses"]


def frame_poses(robot: Robot) -> Model:
    """Output "T": a row for each frame 1 .. NF, the first three rows of 0Tj one after the other (m)."""
    groups = ("q", "q_cut", "parameters") if robot.loops else ("q", "parameters")
    with Workspace(robot, groups) as work:
        known = [Transform.identity()]
        rows = []
        for j, frame in enumerate(robot.frames, 1):
            known.append(known[frame.ant] @ pose(robot, frame.ant, j, work.value, work.define))
            layout = work.matrix(transform_name(0, j), known[j].rows)
            rows.append(tuple(name for row in layout for name in row))
        return work.model("fra", "Poses of all frames", {"T": tuple(rows)})
