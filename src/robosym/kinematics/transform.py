"""Transformation matrices between pairs of frames in expanded form (guide 1.6, 2.2 and 5.5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.path import WORLD, beyond, chain, cheapest, check_frame, path
from robosym.model import Layout, Model, Workspace
from robosym.spatial import Transform

__all__ = ["frame_inputs", "name_transform", "pose_words", "transform", "transform_name"]


def transform_name(i: int, j: int) -> str:
    """TiTj; the world, frame -1, is written m1."""
    return "T".join(["", *(f"m{-k}" if k < 0 else str(k) for k in (i, j))])


def pose_words(robot: Robot, i: int, j: int) -> str:
    """What iTj is."""
    return f"pose of {frame_words(robot, j)} seen from {frame_words(robot, i)}, 4x4: rotation (1), position (m)"


def name_transform(work: Workspace, name: str, T: Transform) -> tuple[tuple[str, ...], ...]:
    """The sixteen entries of a transformation under a name, T0T611 ...; their layout."""
    return work.matrix(name, [*T.rows, (0, 0, 0, 1)])


def frame_inputs(robot: Robot, pairs: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """The groups of inputs that the way between frames needs: cut joints have variables of their own."""
    pairs = list(pairs)
    passed = {k for i, j in pairs for part in path(robot, i, j) for k in part}
    cut = any(k in passed for k, _ in robot.loops)
    world = any(WORLD in pair for pair in pairs)
    return ("q", *(("q_cut",) if cut else ()), *(("base_orientation",) if world else ()), "parameters")


@accepts("floating", motors=True)
def transform(robot: Robot, *frames: int | str | tuple[int | str, int | str]) -> Model:
    """iTj of any two frames: `transform(robot, 0, 6)`, or of several pairs: `transform(robot, (0, 6), (3, 6))`.

    -1 is the world; a frame may be given by its name. Output "T", 4x4, entries TiTjrs; for several pairs a group TiTj
    each. Sums of angles of parallel axes are merged (C23); no other intermediate variable is named.
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


def _pairs(robot: Robot, frames: tuple[Any, ...]) -> list[tuple[int, int]]:
    wanted = [frames] if len(frames) == 2 and all(isinstance(k, (int, str)) for k in frames) else list(frames)
    if not wanted or any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in wanted):
        raise InputError(f"expected two frames or pairs of frames, such as 0, 6 or (0, 6), (3, 6), found {frames!r}")
    return list(dict.fromkeys((check_frame(robot, i, WORLD), check_frame(robot, j, WORLD)) for i, j in wanted))
