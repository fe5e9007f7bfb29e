"""Where the frames of a robot stand when every joint variable is zero: what the rules of grouping look at."""

from __future__ import annotations

from dataclasses import dataclass

from robosym.algebra import Graph
from robosym.mechanism import JointType, Robot
from robosym.mechanism.frame import frame_transform
from robosym.spatial import Transform, Vec3

__all__ = ["Place", "frame_places"]


@dataclass(frozen=True, slots=True)
class Place:
    """Frame j: its antecedent, its joint, and the transformation at zero of the joint variable."""

    ant: int
    joint: JointType
    T: Transform


def frame_places(robot: Robot, graph: Graph) -> tuple[dict[int, Place], Vec3]:
    """Every frame with its joint variable at zero, and gravity, in a graph."""
    entries = list(dict.fromkeys(e for _, _, e in robot.entries()))
    copies = dict(zip(entries, graph.copy(entries), strict=True))
    copies[graph.zero] = graph.zero

    places = {
        j: Place(frame.ant, frame.joint_type, frame_transform(frame.at(graph.zero), copies.__getitem__, j))
        for j, frame in enumerate(robot.frames, 1)
    }
    return places, Vec3(*(copies[g] for g in robot.gravity))
