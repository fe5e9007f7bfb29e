"""Parts of a scene: solids attached to frames, whose poses place everything.

Colors and shading are the same in all picture formats.
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
    "FramePoint",
    "Point",
    "Solid",
    "Theme",
    "Tone",
    "hexadecimal",
    "placed",
    "shade",
]

Point = tuple[float, float, float]
Shape = Literal["tube", "box", "ball", "plate"]
#: kind of a solid, which selects its color
Tone = Literal["link", "joint", "base", "platform"]


@dataclass(frozen=True, slots=True)
class FramePoint:
    """Point in a frame, in m."""

    frame: int
    at: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Solid:
    """Convex solid: a tube or box between two points, a ball at one, or a plate over several."""

    kind: Shape
    spots: tuple[FramePoint, ...]
    radius: float  #: radius of a ball or of the first end of a tube; half width of a box; half thickness of a plate
    tone: Tone
    link: int  #: link that the solid belongs to; 0 is the base
    end: float = 0.0  #: radius of the second end of a tube
    side: Point = (1.0, 0.0, 0.0)  #: normal of a face of a box, in the frame of its first end
    joint: int = 0  #: joint that the solid represents, if any


@dataclass(frozen=True, slots=True)
class AxisLine:
    """Axis of a joint, from end to end of the drawn line."""

    joint: int
    name: str
    slides: bool
    start: FramePoint
    end: FramePoint


def placed(point: FramePoint, poses: Array) -> Array:
    """Return a point in frame 0 from the poses of all frames, shape (frames, 4, 4), frame 0 first."""
    T = poses[point.frame]
    return np.asarray(T[:3, :3] @ np.array(point.at) + T[:3, 3])


LIGHT_FROM = np.array([-0.42, 0.68, 0.6])  #: direction of the light, in view coordinates
AMBIENT, DIFFUSE = 0.66, 0.44


@dataclass(frozen=True)
class Theme:
    """Colors as six hexadecimal digits."""

    tones: dict[Tone, str]
    chosen: str
    x: str
    y: str
    z: str
    text: str
    quiet: str
    ground: tuple[str, str]  #: background gradient, from top to bottom
    grid: str
    shadow: float  #: opacity of shadows
    error: str
    edge: float  #: darkness of outlines

    def color(self, solid: Solid, select: int | None) -> str:
        """Return the color of a solid, with the link `select` highlighted."""
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
    """Return red, green and blue, 0 to 255."""
    return np.array([int(color[k : k + 2], 16) for k in (0, 2, 4)], dtype=float)


def shade(color: str, normals: Array) -> Array:
    """Return the color (0 to 255) of a surface with these normals, in view coordinates."""
    light = LIGHT_FROM / np.linalg.norm(LIGHT_FROM)
    strength = AMBIENT + DIFFUSE * np.clip(np.asarray(normals) @ light, -0.35, 1)
    return np.asarray(np.clip(rgb(color) * strength[..., None], 0, 255))


def hexadecimal(color: Array) -> str:
    """Return a color as hexadecimal text."""
    r, g, b = (round(float(c)) for c in color)
    return f"#{r:02x}{g:02x}{b:02x}"
