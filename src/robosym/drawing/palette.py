"""Colours, and how a surface takes the light: the same in every kind of picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robosym.drawing.parts import Array, Tone

__all__ = ["AMBIENT", "DARK", "DIFFUSE", "LIGHT", "LIGHT_FROM", "Theme", "hexadecimal", "shade"]

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
