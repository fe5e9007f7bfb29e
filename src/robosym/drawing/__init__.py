"""Pictures of robots: a scene as data, drawn as SVG, PNG and an interactive page."""

from robosym.drawing.draw import draw
from robosym.drawing.scene import Scene, scene

__all__ = ["Scene", "draw", "scene"]
