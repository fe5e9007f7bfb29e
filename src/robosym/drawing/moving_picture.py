"""Motions as animated pictures: GIF and animated PNG, drawn with Pillow."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra.arrays import Array
from robosym.coordinates.numeric_robot import Given
from robosym.drawing.draw import draw, poses_of_motion, wide_view
from robosym.errors import InputError
from robosym.files import write_bytes
from robosym.mechanism import Robot

__all__ = ["MOVING", "write_moving_picture"]

MOVING = (".gif", ".png", ".apng")  #: extensions of animated pictures
_SIZE = (480, 360)
_RATE, _MOST = 15.0, 120  #: pictures per second, and at most


def write_moving_picture(
    path: Path, robot: Robot, t: Array, positions: Sequence[Given], bases: Array | None = None, dark: bool = False
) -> None:
    """Write the motion of a robot as .gif or animated .png at the speed of the motion."""
    try:
        from PIL import Image

        from robosym.drawing.png import png_bytes
    except ImportError:
        raise InputError(f"{path}: Pillow is not installed: run pip install 'robosym[png]', or write .html") from None
    duration = float(t[-1] - t[0])
    count = int(np.clip(round(duration * _RATE) + 1, 2, _MOST))
    times = np.linspace(t[0], t[-1], count)
    chosen = [int(np.argmin(np.abs(np.asarray(t) - time))) for time in times]
    picture = draw(robot, positions[0], dark=dark, size=_SIZE, hide=("axes", "frames", "names"))
    scene, poses = poses_of_motion(robot, [positions[k] for k in chosen], None if bases is None else bases[chosen])
    view = wide_view(replace(picture, scene=scene).seen(), poses).view
    images: list[Any] = []
    for placed in poses:
        moved = replace(picture, scene=replace(scene, poses=placed))
        seen = replace(moved.seen(), view=view)
        data = png_bytes(seen, picture.theme, moved.marks(seen), None, True, True, 1.0)
        images.append(Image.open(io.BytesIO(data)).convert("RGB"))
    file = io.BytesIO()
    kind = "GIF" if path.suffix.lower() == ".gif" else "PNG"
    step = 1000 * duration / max(count - 1, 1)
    images[0].save(file, kind, save_all=True, append_images=images[1:], duration=step, loop=0)
    write_bytes(path, file.getvalue())
