"""What a scene is made of: solids whose ends are fixed to frames, so that the poses of the frames move everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from robosym.algebra.samples import Array

__all__ = ["Array", "AxisLine", "Point", "Solid", "Spot", "Tone", "placed"]

Point = tuple[float, float, float]
Shape = Literal["tube", "box", "ball", "plate"]
#: what a solid is to the eye: a body, a joint, what stands still, a platform
Tone = Literal["link", "joint", "base", "platform"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of a frame (m)."""

    frame: int
    at: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Solid:
    """A tube or box between two spots, a ball at one, a plate over several; all convex."""

    kind: Shape
    spots: tuple[Spot, ...]
    radius: float  #: of a tube at its first end or of a ball; half the width of a box; half the thickness of a plate
    tone: Tone
    link: int  #: of which it is part; 0 is the base
    end: float = 0.0  #: the radius at the second end of a tube
    side: Point = (1.0, 0.0, 0.0)  #: of a box: across one of its faces, in the frame of its first end


@dataclass(frozen=True, slots=True)
class AxisLine:
    """The axis of a joint, from end to end of what is drawn of it."""

    joint: int
    name: str
    slides: bool
    start: Spot
    end: Spot


def placed(spot: Spot, poses: Array) -> Array:
    """A spot in frame 0, by the poses (frames, 4, 4) of all frames, that of frame 0 first."""
    T = poses[spot.frame]
    return np.asarray(T[:3, :3] @ np.array(spot.at) + T[:3, 3])
