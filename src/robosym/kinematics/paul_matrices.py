"""The matrices of Paul's method, to solve by hand or to verify a solution (guide 5.5.5, `.mpi`)."""

from __future__ import annotations

from typing import Any

from robosym.chains.chain import pose_names
from robosym.coordinates.accepts import accepts
from robosym.kinematics.transform import name_transform, pose_words, transform_name
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import aimed
from robosym.mechanism.path import check_frame, path, pose
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Transform

__all__ = ["paul_matrices"]


@accepts("floating")
def paul_matrices(robot: Robot, frame: int | str | None = None, tool: Any = None) -> Model:
    """Both sides of Paul's equations for the path from frame 0 to `frame` (the end of the arm), or a `tool` on it, n.

    Forward: Uj = jT0 U0, in terms of s, n, a, P and the joints up to j, equals jTn. Backward: Vj = U0 nTj equals 0Tj.
    Outputs: a group U1, T1Tn, ... and V1, T0T1, ... each, 4x4, for every frame between.
    """
    robot, frame = aimed(robot, frame, tool)
    frame = check_frame(robot, frame, 1)
    with Workspace(robot, ("q", "parameters")) as work:
        names = pose_names(name for group in work.inputs.values() for name in group)
        U = Transform.of(*work.input("T", names, first=True))
        outputs: dict[str, Layout] = {}
        about: dict[str, str] = {}

        def add(name: str, T: Transform, words: str) -> None:
            about[name] = words
            outputs[name] = name_transform(work, f"{name}_", T)

        def side(i: int, j: int) -> None:
            name = transform_name(i, j)
            about[name] = pose_words(robot, i, j)
            outputs[name] = name_transform(work, name, pose(robot, i, j, work.value, work.define))

        for j in path(robot, 0, frame)[1][:-1]:
            add(
                f"U{j}", pose(robot, j, 0, work.value) @ U, f"the desired pose seen from frame {j}: equals T{j}T{frame}"
            )
            side(j, frame)
            add(f"V{j}", U @ pose(robot, frame, j, work.value), f"frame {j} behind the desired pose: equals T0T{j}")
            side(0, j)
        return work.model("mpi", "Transformation matrices of Paul's method", outputs, about=about)
