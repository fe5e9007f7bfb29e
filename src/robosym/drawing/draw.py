"""A robot drawn: `draw(robot, q)` gives a picture that shows itself in a notebook and writes itself to a file."""

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
from robosym.drawing.marks import Mark, marks
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

__all__ = ["Drawing", "draw", "page_of_motion", "poses_of_motion"]

_PARTS = ("names", "axes", "frames", "grid")  #: what can be hidden
_LARGEST = 4000  #: pixels on a side


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture of a robot: `write("arm.svg")`, `.png` or `.html`; a notebook shows the one that turns."""

    scene: Scene
    view: Union[str, Sequence[float]] = "auto"
    size: tuple[int, int] = (720, 540)
    hide: tuple[str, ...] = ()  #: of what can be hidden: names, axes, frames, grid
    select: int | None = None
    dark: bool = False

    def __repr__(self) -> str:
        return f"<Drawing of {self.scene.name}, {self.size[0]} x {self.size[1]}>"

    def moved(self, q: Given) -> Drawing:
        """The same picture of the robot in another position."""
        return replace(self, scene=self.scene.moved(q))

    def shows(self, what: str) -> bool:
        return what not in self.hide

    @property
    def theme(self) -> Theme:
        return DARK if self.dark else LIGHT

    def seen(self) -> SceneView:
        return seen(self.scene, self.view, self.size)

    def marks(self, seen: SceneView) -> list[Mark]:
        """Lines and names over the solids."""
        frames, axes, names = (self.shows(what) for what in ("frames", "axes", "names"))
        return marks(seen, self.theme, frames, axes, names, self.select)

    def svg(self, ground: bool = True) -> str:
        """As SVG; without `ground` it has no background."""
        view = self.seen()
        return svg_text(view, self.theme, self.marks(view), self.select, self.shows("grid"), ground)

    def png(self, ground: bool = True, scale: float = 2.0) -> bytes:
        """As PNG, `scale` pixels for one of the size; needs Pillow (`pip install robosym[png]`)."""
        try:
            from robosym.drawing.png import png_bytes
        except ImportError:
            raise InputError("a PNG needs Pillow: pip install 'robosym[png]', or write .svg or .html") from None
        if not 0.25 <= scale <= 4:
            raise InputError(f"scale: expected 0.25 to 4, found {scale!r}")
        view = self.seen()
        return png_bytes(view, self.theme, self.marks(view), self.select, self.shows("grid"), ground, scale)

    def html(self) -> str:
        """As a page that turns: one text, which loads nothing."""
        shown = {what: self.shows(what) for what in _PARTS}
        return page_text(self.seen(), self.theme, self.svg(), shown, self.select)

    def _repr_html_(self) -> str:
        """In a frame of its own, so that the styles of a notebook and of the picture do not meet."""
        width, height = self.size
        joints = 0 if self.scene.robot.loops else 40
        return (
            f'<iframe srcdoc="{escape(self.html())}" width="{width}" height="{height + joints}" '
            f'style="border:0;max-width:100%" title="{markup(self.scene.name)}"></iframe>'
        )

    def write(self, path: str | Path) -> None:
        """Write the picture; the extension chooses its kind: .svg, .png, .html."""
        path = Path(path)
        kinds = (".svg", ".png", ".html")
        kind = path.suffix.lower()
        if kind not in kinds:
            raise InputError(f"{path}: expected a name that ends in {', '.join(kinds)}{closest(kind, kinds)}")
        if kind == ".png":
            write_bytes(path, self.png())
        else:
            write_text(path, self.svg() if kind == ".svg" else self.html())


@accepts("floating", platform=ALL, modules=ALL)
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
    """A picture of a robot at the joint positions `q` (rad, m), its symbols replaced by `values`.

    `q` holds all joints in order or by name; of a closed or parallel robot the motors do. Without it the robot stands
    as its description says (`picture`, `position`) or so that it is seen well. `view` is auto, iso, front, back, left,
    right, top, bottom or (azimuth, elevation) in degrees, `size` width and height in pixels; `hide` names what is not
    wanted of names, axes, frames and grid; `select` is a link to light up.
    """
    for what in hide:
        if what not in _PARTS:
            raise InputError(f"hide: expected any of {', '.join(_PARTS)}, found {what!r}{closest(what, _PARTS)}")
    width, height = _size(size)
    made = scene(robot, q, values=values)
    chosen = None if select is None else made.robot.frame_number(select, 1)
    drawing = Drawing(made, view, (width, height), tuple(hide), chosen, dark)
    view_angles(made, view)  # a view that is not there is told here
    return drawing


def _size(size: Union[str, Sequence[int]]) -> tuple[int, int]:
    try:
        width, height = (int(side) for side in (size.split("x") if isinstance(size, str) else size))
    except (TypeError, ValueError):
        raise InputError(f"size: expected width and height in pixels, such as 720x540, found {size!r}") from None
    if not (64 <= width <= _LARGEST and 64 <= height <= _LARGEST):
        raise InputError(f"size: expected 64 to {_LARGEST} pixels on a side, found {width} x {height}")
    return width, height


_PICTURES = 400  #: of a motion; between them poses are blended
_DIGITS = 5  #: after the point, of metres and seconds
_MARGIN = 0.3  #: of the reach, about the origins of all frames


def page_of_motion(
    robot: Robot, t: Array, positions: Sequence[Given], bases: Array | None = None, title: str = "", dark: bool = False
) -> str:
    """The page: `positions` of the joints at each time, as `draw` takes them, and poses (4x4) of a base that moves."""
    if len(t) != len(positions) or not len(t):
        raise InputError(f"a motion needs a position for each time, found {len(positions)} for {len(t)}")
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
    robot: Robot, positions: Sequence[Given], bases: Array | None = None, values: Mapping[str, float] | None = None
) -> tuple[Scene, Array]:
    """Poses (positions, frames, 4, 4) of all frames along a motion, and the scene where it ends."""
    own = {name: value for name, value in (values or {}).items() if name in robot.parameters}
    return _poses(scene(robot, positions[0], values=own), positions, bases)


def _poses(scene: Scene, positions: Sequence[Given], bases: Array | None) -> tuple[Scene, Array]:
    found = []
    for q in positions:
        scene = scene.moved(q)
        found.append(scene.poses)
    poses = np.array(found)
    return scene, poses if bases is None else bases[:, None] @ poses
