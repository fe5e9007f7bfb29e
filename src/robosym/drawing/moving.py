"""A motion as a page that plays: the scene of a robot, and the poses of its frames over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.drawing.draw import draw
from robosym.drawing.scene import Scene, scene
from robosym.drawing.turning_page import page_text
from robosym.drawing.view import SceneView
from robosym.errors import InputError
from robosym.mechanism.end_frame import clear_end

__all__ = ["page_of_motion", "poses_of_motion"]

Array = NDArray[np.float64]
_PICTURES = 400  #: of a motion; between them poses are blended
_DIGITS = 5  #: after the point, of metres and seconds
_MARGIN = 0.3  #: of the reach, about the origins of all frames


def page_of_motion(
    robot: Any, t: Array, positions: Sequence[Any], bases: Array | None = None, title: str = "", dark: bool = False
) -> str:
    """The page: `positions` of the joints at each time, as `draw` takes them, and poses (4x4) of a base that moves."""
    if len(t) != len(positions) or not len(t):
        raise InputError(f"a motion needs a position for each time, found {len(positions)} for {len(t)}")
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), _PICTURES)).round().astype(int))
    picture = draw(robot, positions[0], dark=dark, size=(960, 640), hide=("axes", "frames"))
    _, poses = _poses(picture.scene, [positions[k] for k in chosen], None if bases is None else bases[chosen])
    motion: Mapping[str, Any] = {
        "t": np.round(t[chosen], _DIGITS).tolist(),
        "poses": np.round(poses[:, :, :3].reshape(len(chosen), -1, 12), _DIGITS).tolist(),
        "title": title,
        "end": clear_end(picture.scene.robot) or poses.shape[1] - 1,
    }
    shown = {what: picture.shows(what) for what in ("names", "axes", "frames", "grid")}
    return page_text(_wide(picture.seen(), poses), picture.theme, picture.svg(), shown, None, motion)


def _wide(seen: SceneView, poses: Array) -> SceneView:
    """The view that holds the whole motion, with room for the solids."""
    view = seen.view
    points = poses[..., :3, 3].reshape(-1, 3) @ view.turn.T
    low, high = points.min(axis=0), points.max(axis=0)
    room = high - low + _MARGIN * seen.scene.reach
    scale = min(view.width / room[0], view.height / room[1], view.scale)
    return replace(seen, view=replace(view, centre=view.turn.T @ ((low + high) / 2), scale=float(scale)))


def poses_of_motion(
    robot: Any, positions: Sequence[Any], bases: Array | None = None, values: Mapping[str, float] | None = None
) -> tuple[Scene, Array]:
    """Poses (positions, frames, 4, 4) of all frames along a motion, and the scene where it ends."""
    own = {name: value for name, value in (values or {}).items() if name in robot.parameters}
    return _poses(scene(robot, positions[0], values=own), positions, bases)


def _poses(scene: Scene, positions: Sequence[Any], bases: Array | None) -> tuple[Scene, Array]:
    found = []
    for q in positions:
        scene = scene.moved(q)
        found.append(scene.poses)
    poses = np.array(found)
    return scene, poses if bases is None else bases[:, None] @ poses
