"""Pictures of robots: a scene as data, and its drawings as SVG, PNG and a page that turns."""

from robosym.drawing.draw import draw
from robosym.drawing.scene import Scene, scene

__all__ = ["Scene", "draw", "scene"]
