"""What a scene is made of: solids whose ends are fixed to frames, so that the poses of the frames move everything.

Colours, and how a surface takes the light, are the same in every kind of picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from robosym.algebra.samples import Array

__all__ = [
    "AMBIENT",
    "DARK",
    "DIFFUSE",
    "LIGHT",
    "LIGHT_FROM",
    "Array",
    "AxisLine",
    "Point",
    "Solid",
    "Spot",
    "Theme",
    "Tone",
    "hexadecimal",
    "placed",
    "shade",
]

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


LIGHT_FROM = np.array([-0.42, 0.68, 0.6])  #: in the coordinates of the view
AMBIENT, DIFFUSE = 0.66, 0.44


@dataclass(frozen=True)
class Theme:
    """Colours as six hexadecimal digits."""

    tones: dict[Tone, str]
    chosen: str
    x: str
    y: str
    z: str
    text: str
    quiet: str
    ground: tuple[str, str]  #: behind everything, from above to below
    grid: str
    shadow: float  #: how dark a shadow is
    error: str
    edge: float  #: how dark the outline of a solid is

    def color(self, solid: Solid, select: int | None) -> str:
        """Of a solid, where the link `select` is lit up."""
        return self.chosen if solid.link == select and solid.tone != "base" else self.tones[solid.tone]


LIGHT = Theme(
    {"link": "E8EBF0", "joint": "6E7A8D", "base": "5D687A", "platform": "DDE1F2"}, "4653D8", "D55E00", "009E73",
    "0072B2", "161B25", "636E81", ("FCFCFD", "EFF1F5"), "DCE0E7", 0.10, "B93815", 0.55,
)  # fmt: skip
DARK = Theme(
    {"link": "C3CAD6", "joint": "5C6779", "base": "4A5466", "platform": "B9C0E6"}, "95A0FF", "FF9A5C", "4FD0A5",
    "6BBDF0", "E9ECF2", "8D97A9", ("1B202A", "12161E"), "2A313D", 0.35, "FF9272", 0.4,
)  # fmt: skip


def rgb(color: str) -> Array:
    return np.array([int(color[k : k + 2], 16) for k in (0, 2, 4)], dtype=float)


def shade(color: str, normals: Array) -> Array:
    """The colour (0 to 255) of a surface with these normals, in the coordinates of the view."""
    light = LIGHT_FROM / np.linalg.norm(LIGHT_FROM)
    strength = AMBIENT + DIFFUSE * np.clip(np.asarray(normals) @ light, -0.35, 1)
    return np.asarray(np.clip(rgb(color) * strength[..., None], 0, 255))


def hexadecimal(color: Array) -> str:
    r, g, b = (round(float(c)) for c in color)
    return f"#{r:02x}{g:02x}{b:02x}"
