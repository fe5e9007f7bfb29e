"""Drawing of robots: `draw(robot, q)` returns a picture that notebooks display and that can be written to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Union

import numpy as np

from robosym.algebra.arrays import Array
from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.numeric_robot import Given
from robosym.drawing.marks import Mark, ellipsoid_marks, marks
from robosym.drawing.parts import DARK, LIGHT, Theme
from robosym.drawing.scene import Scene, scene
from robosym.drawing.svg import svg_text
from robosym.drawing.turning_page import page_text
from robosym.drawing.view import SceneView, seen, view_angles
from robosym.errors import InputError, closest
from robosym.files import write_bytes, write_text
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import clear_end
from robosym.safe_text import markup

__all__ = ["Drawing", "draw", "page_of_motion", "poses_of_motion", "wide_view"]

_PARTS = ("names", "axes", "frames", "grid")  #: parts that can be hidden
_LARGEST = 4000  #: maximum width and height in pixels


@dataclass(frozen=True, eq=False)
class Drawing:
    """Picture of a robot: `write("arm.svg")`, `.png` or `.html`; a notebook shows the interactive one."""

    scene: Scene
    view: Union[str, Sequence[float]] = "auto"
    size: tuple[int, int] = (720, 540)
    hide: tuple[str, ...] = ()  #: any of names, axes, frames, grid
    select: int | None = None
    dark: bool = False
    ellipsoid: tuple[int, Array] | None = None  #: frame at its center, and half axes as columns (3, n) in frame 0

    def __repr__(self) -> str:
        return f"<Drawing of {self.scene.name}, {self.size[0]} x {self.size[1]}>"

    @property
    def default_name(self) -> str:
        """Name of the file if none is given."""
        return f"{self.scene.name}.svg"

    def moved(self, q: Given) -> Drawing:
        """Return the picture of the robot in another position."""
        return replace(self, scene=self.scene.moved(q))

    def shows(self, what: str) -> bool:
        """Return whether a part is visible."""
        return what not in self.hide

    @property
    def theme(self) -> Theme:
        return DARK if self.dark else LIGHT

    def seen(self) -> SceneView:
        """Return the scene in its view."""
        return seen(self.scene, self.view, self.size)

    def marks(self, seen: SceneView) -> list[Mark]:
        """Return lines and names above the solids."""
        frames, axes, names = (self.shows(what) for what in ("frames", "axes", "names"))
        found = marks(seen, self.theme, frames, axes, names, self.select)
        if self.ellipsoid is not None:
            frame, half_axes = self.ellipsoid
            found += ellipsoid_marks(seen, self.theme, self.scene.poses[frame][:3, 3], half_axes)
        return found

    def with_ellipsoid(self, frame: int | str, half_axes: Array) -> Drawing:
        """Return the picture with an ellipsoid at the origin of a frame, scaled to the size of the robot.

        The columns of `half_axes` (3, n) are its half axes in frame 0, such as those of the velocities of the frame.
        """
        chosen = self.scene.robot.frame_number(frame, 1)
        return replace(self, ellipsoid=(chosen, np.asarray(half_axes, dtype=float)))

    def svg(self, ground: bool = True) -> str:
        """Return the picture as SVG; without `ground` it has no background."""
        view = self.seen()
        return svg_text(view, self.theme, self.marks(view), self.select, self.shows("grid"), ground)

    def png(self, ground: bool = True, scale: float = 2.0) -> bytes:
        """Return the picture as PNG, with `scale` pixels per pixel of the size.

        Requires Pillow (`pip install robosym[png]`).
        """
        try:
            from robosym.drawing.png import png_bytes
        except ImportError:
            raise InputError(
                "png: Pillow is not installed: run pip install 'robosym[png]', or write .svg or .html"
            ) from None
        if not 0.25 <= scale <= 4:
            raise InputError(f"scale: expected a number from 0.25 to 4, found {scale!r}")
        view = self.seen()
        return png_bytes(view, self.theme, self.marks(view), self.select, self.shows("grid"), ground, scale)

    def html(self) -> str:
        """Return the picture as a self-contained interactive page."""
        shown = {what: self.shows(what) for what in _PARTS}
        return page_text(self.seen(), self.theme, self.svg(), shown, self.select)

    def _repr_html_(self) -> str:
        """Return the page in an iframe, which separates its styles from those of a notebook."""
        width, height = self.size
        joints = 0 if self.scene.robot.loops else 40
        return (
            f'<iframe srcdoc="{escape(self.html())}" width="{width}" height="{height + joints}" '
            f'style="border:0;max-width:100%" title="{markup(self.scene.name)}"></iframe>'
        )

    def write(self, path: str | Path) -> None:
        """Write the picture; the extension selects the format: .svg, .png, .html."""
        path = Path(path)
        kinds = (".svg", ".png", ".html")
        kind = path.suffix.lower()
        if kind not in kinds:
            raise InputError(f"{path}: expected a name that ends in {', '.join(kinds)}{closest(kind, kinds)}")
        if kind == ".png":
            write_bytes(path, self.png())
        else:
            write_text(path, self.svg() if kind == ".svg" else self.html())


@accepts("floating", platform=ALL, modules=ALL, contacts=ALL)
def draw(
    robot: Robot,
    q: Given = None,
    *,
    values: Mapping[str, float] | None = None,
    view: Union[str, Sequence[float]] = "auto",
    size: Union[str, Sequence[int]] = (720, 540),
    hide: Sequence[str] = (),
    select: int | str | None = None,
    dark: bool = False,
) -> Drawing:
    """Return a picture of a robot.

    Parameters
    ----------
    robot : Robot
        Robot to draw.
    q : array_like or mapping of str to float, optional
        Joint positions in rad or m, all in order or by name; for a closed or parallel robot, those of the motors.
        Default: the position in the description (`picture`, `position`), or one that shows the robot well.
    values : mapping of str to float, optional
        Numbers for symbols of the robot.
    view : str or sequence of float
        Point of view: auto, iso, front, back, left, right, top, bottom, or azimuth and elevation in degrees: -50,20.
    size : str or sequence of int
        Width and height in pixels: 720x540.
    hide : sequence of str
        Parts that are not drawn: names, axes, frames or grid.
    select : int or str, optional
        Link to highlight.
    dark : bool
        Draw on a dark background.

    Returns
    -------
    Drawing
        Picture with a method `write`.

    Raises
    ------
    InputError
        If an argument is invalid, or the loops do not close at `q`.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.draw(rs.load("rx90"), view="front", size="320x240")
    <Drawing of rx90, 320 x 240>
    """
    for what in hide:
        if what not in _PARTS:
            raise InputError(f"hide: expected any of {', '.join(_PARTS)}, found {what!r}{closest(what, _PARTS)}")
    width, height = _size(size)
    made = scene(robot, q, values=values)
    chosen = None if select is None else made.robot.frame_number(select, 1)
    drawing = Drawing(made, view, (width, height), tuple(hide), chosen, dark)
    view_angles(made, view)  # rejects unknown views
    return drawing


def _size(size: Union[str, Sequence[int]]) -> tuple[int, int]:
    try:
        width, height = (int(side) for side in (size.split("x") if isinstance(size, str) else size))
    except (TypeError, ValueError):
        raise InputError(f"size: expected width and height in pixels, such as 720x540, found {size!r}") from None
    if not (64 <= width <= _LARGEST and 64 <= height <= _LARGEST):
        raise InputError(f"size: expected width and height of 64 to {_LARGEST} pixels, found {width} x {height}")
    return width, height


_PICTURES = 400  #: maximum number of poses of a motion; others are interpolated
_DIGITS = 5  #: decimals of coordinates in m and times in s
_MARGIN = 0.3  #: margin around the frame origins, relative to the reach


def page_of_motion(
    robot: Robot, t: Array, positions: Sequence[Given], bases: Array | None = None, title: str = "", dark: bool = False
) -> str:
    """Return the page of a motion: `positions` at each time, as in `draw`, and poses (4x4) of a moving base."""
    if len(t) != len(positions) or not len(t):
        raise InputError(f"positions: expected one position per time ({len(t)}), found {len(positions)}")
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), _PICTURES)).round().astype(int))
    picture = draw(robot, positions[0], dark=dark, size=(960, 640), hide=("axes", "frames"))
    _, poses = _poses(picture.scene, [positions[k] for k in chosen], None if bases is None else bases[chosen])
    motion = {
        "t": np.round(t[chosen], _DIGITS).tolist(),
        "poses": np.round(poses[:, :, :3].reshape(len(chosen), -1, 12), _DIGITS).tolist(),
        "title": title,
        "end": clear_end(picture.scene.robot) or poses.shape[1] - 1,
    }
    shown = {what: picture.shows(what) for what in ("names", "axes", "frames", "grid")}
    return page_text(wide_view(picture.seen(), poses), picture.theme, picture.svg(), shown, None, motion)


def wide_view(seen: SceneView, poses: Array) -> SceneView:
    """Return the view that contains the whole motion, with a margin for the solids."""
    view = seen.view
    points = poses[..., :3, 3].reshape(-1, 3) @ view.turn.T
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low + _MARGIN * seen.scene.reach
    scale = min(view.width / extent[0], view.height / extent[1], view.scale)
    return replace(seen, view=replace(view, center=view.turn.T @ ((low + high) / 2), scale=float(scale)))


def poses_of_motion(
    robot: Robot, positions: Sequence[Given], bases: Array | None = None, values: Mapping[str, float] | None = None
) -> tuple[Scene, Array]:
    """Return poses of all frames along a motion, shape (positions, frames, 4, 4), and the scene at its end."""
    own = {name: value for name, value in (values or {}).items() if name in robot.parameters}
    return _poses(scene(robot, positions[0], values=own), positions, bases)


def _poses(scene: Scene, positions: Sequence[Given], bases: Array | None) -> tuple[Scene, Array]:
    found = []
    for q in positions:
        scene = scene.moved(q)
        found.append(scene.poses)
    poses = np.array(found)
    return scene, poses if bases is None else bases[:, None] @ poses
