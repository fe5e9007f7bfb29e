"""Transformation matrices between frames, expanded or with intermediate variables, and the matrices of Paul's method.

Guide 1.6, 2.2, 5.5.1, 5.5.2 and 5.5.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from robosym.chains.chain import pose_names
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.path import WORLD, beyond, chain, cheapest, check_frame, path, pose
from robosym.model import Layout, Model, Workspace
from robosym.solve.forward import platform_geometry
from robosym.solve.leg_joints import series_geometry
from robosym.spatial import Transform, Vec3

__all__ = [
    "direct_geometry",
    "frame_inputs",
    "name_transform",
    "paul_matrices",
    "pose_words",
    "transform",
    "transform_name",
]


def transform_name(i: int, j: int) -> str:
    """TiTj; the world, frame -1, is written m1."""
    return "T".join(["", *(f"m{-k}" if k < 0 else str(k) for k in (i, j))])


def pose_words(robot: Robot, i: int, j: int) -> str:
    """Return the description of iTj."""
    return f"pose of {frame_words(robot, j)} seen from {frame_words(robot, i)}, 4x4: rotation (1), position (m)"


def name_transform(work: Workspace, name: str, T: Transform) -> tuple[tuple[str, ...], ...]:
    """Name the sixteen entries of a transform (T0T611 ...) and return their layout."""
    return work.matrix(name, [*T.rows, (0, 0, 0, 1)])


def frame_inputs(robot: Robot, pairs: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Return the input groups of the path between frames: cut joints have their own variables."""
    pairs = list(pairs)
    passed = {k for i, j in pairs for part in path(robot, i, j) for k in part}
    cut = any(k in passed for k, _ in robot.loops)
    world = any(WORLD in pair for pair in pairs)
    return ("q", *(("q_cut",) if cut else ()), *(("base_orientation",) if world else ()), "parameters")


@accepts("floating", motors=True, contacts=ALL)
def transform(robot: Robot, *frames: int | str | tuple[int | str, int | str]) -> Model:
    """Return iTj of two frames, as in `transform(robot, 0, 6)`, or of several pairs.

    -1 is the world; a frame may be given by its name. Output "T", 4x4, entries TiTjrs; for several pairs a group TiTj
    each. Sums of angles of parallel axes are merged (C23); no other intermediate variable is named.

    Parameters
    ----------
    robot
        Robot whose frames are used.
    *frames
        Two frames by number or name, or several pairs of them; -1 is the world.

    Returns
    -------
    Model
        Output "T" (4, 4), entries TiTjrs; for several pairs one group TiTj per pair. Positions in m.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.transform(rs.load("planar2r"), 0, 2).expression("T0T214")
    cos(t1)
    """
    pairs = _pairs(robot, frames)
    with Workspace(robot, frame_inputs(robot, pairs)) as work:
        outputs: dict[str, Layout] = {}
        about: dict[str, str] = {}
        for i, j in pairs:
            steps = chain(robot, i, j, work.value, work.define)
            multiply = cheapest(steps, work.graph.one, cross=False)
            T = beyond(robot, i, j, multiply(steps, work.define), work.value)
            name = transform_name(i, j)
            group = "T" if len(pairs) == 1 else name
            outputs[group], about[group] = name_transform(work, name, T), pose_words(robot, i, j)
        return work.model("trm", "Transformation matrix", outputs, Model, about=about, written_out=True)


def _pairs(robot: Robot, frames: Sequence[Any]) -> list[tuple[int, int]]:
    wanted = [frames] if len(frames) == 2 and all(isinstance(k, (int, str)) for k in frames) else list(frames)
    if not wanted or any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in wanted):
        raise InputError(f"expected two frames or pairs of frames, such as 0, 6 or (0, 6), (3, 6), found {frames!r}")
    return list(dict.fromkeys((check_frame(robot, i, WORLD), check_frame(robot, j, WORLD)) for i, j in wanted))


@accepts(
    "floating", motors=True, platform="", modules="",
    variants={"platform": platform_geometry, "modules": series_geometry}, contacts=ALL,
)  # fmt: skip
def direct_geometry(robot: Robot, i: int | str = 0, j: int | str | None = None, *, tool: object = None) -> Any:
    """Return iTj of any two frames, with the order of multiplication that needs the fewest operations.

    Output "T", 4x4, entries TiTjrs; the intermediate matrices up to frame j are named alike (T3T6rs). For a robot with
    a platform, the result is a `DirectGeometry`, which computes the poses of the platform from the motors.

    Parameters
    ----------
    robot
        Robot whose geometry is computed.
    i
        Frame in which the pose is expressed, by number or name; -1 is the world. Not for a robot with a platform.
    j
        Frame whose pose is computed. Default: the end of the arm, found by its name (tool0, flange, ...) or by the
        structure.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    Model or DirectGeometry
        Output "T" (4, 4), the pose of frame j in frame i; positions in m.

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> pose = rs.direct_geometry(rs.load("ur5e")).compile()
    >>> pose(q=[0.0] * 6).shape
    (4, 4)
    """
    if j is None or tool is not None:
        robot, j = tool_frame(robot, j, tool, "j")
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


@accepts("floating")
def paul_matrices(robot: Robot, frame: int | str | None = None, tool: object = None) -> Model:
    """Return both sides of Paul's equations for the path from frame 0 to a frame n.

    Forward: Uj = jT0 U0, in terms of s, n, a, P and the joints up to j, equals jTn. Backward: Vj = U0 nTj equals 0Tj.
    Outputs: groups U1, T1Tn, ... and V1, T0T1, ..., each 4x4, one pair per frame between.

    Parameters
    ----------
    robot
        Robot with one path from frame 0 to `frame`.
    frame
        Number or name of the frame. Default: the end of the arm.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    Model
        Groups U1, T1Tn, ... and V1, T0T1, ..., each (4, 4).

    Raises
    ------
    InputError
        If a frame does not exist, or the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> matrices = rs.paul_matrices(rs.load("ur5e"))
    >>> type(matrices).__name__
    'Model'
    """
    robot, frame = tool_frame(robot, frame, tool)
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
