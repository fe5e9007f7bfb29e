"""The fast direct geometric model: a transformation matrix with intermediate variables (guide 2.2.3 and 5.5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.kinematics.transform import frame_inputs, name_transform, pose_words, transform_name
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import aimed
from robosym.mechanism.path import WORLD, beyond, chain, cheapest, check_frame
from robosym.model import Layout, Workspace
from robosym.solve.forward import platform_geometry
from robosym.solve.series_geometry import series_geometry
from robosym.spatial import Vec3

__all__ = ["direct_geometry"]


@accepts(
    "floating", motors=True, platform="", modules="",
    variants={"platform": platform_geometry, "modules": series_geometry},
)  # fmt: skip
def direct_geometry(robot: Robot, i: int | str = 0, j: int | str | None = None, *, tool: Any = None) -> Any:
    """iTj of any two frames, -1 being the world, with as few operations as the orders of multiplication allow.

    A frame may be given by its name; j is by default the end of the arm, `tool` (4x4, or x y z roll pitch yaw) places
    another frame on it. Output "T", 4x4, entries TiTjrs; the matrices on the way to frame j are named
    alike (T3T6rs).
    A robot with a platform gives the poses of the platform from the motors, `DirectGeometry`.
    """
    if j is None or tool is not None:
        robot, j = aimed(robot, j, tool, "j")
    i, j = check_frame(robot, i, WORLD), check_frame(robot, j, WORLD)
    with Workspace(robot, frame_inputs(robot, [(i, j)])) as work:
        steps = chain(robot, i, j, work.value, work.define)
        multiply = cheapest(steps, work.graph.one)

        def name(frame: int, columns: Sequence[Vec3 | None]) -> list[Vec3 | None]:
            prefix = transform_name(frame, j)
            return [
                v and Vec3(*(work.define(f"{prefix}{r}{s}", entry) for r, entry in enumerate(v, 1)))
                for s, v in enumerate(columns, 1)
            ]

        T = beyond(robot, i, j, multiply(steps, work.define, name), work.value)
        outputs: dict[str, Layout] = {"T": name_transform(work, transform_name(i, j), T)}
        return work.model("fgm", "Fast direct geometric model", outputs, about={"T": pose_words(robot, i, j)})
