"""`share`: a robot as one HTML file with its picture, sliders, models and inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from robosym.coordinates.accepts import ALL, accepts
from robosym.coordinates.numeric_robot import Given
from robosym.drawing.parts import DARK, LIGHT
from robosym.drawing.posture import Posture
from robosym.drawing.turning_page import as_json, script_text, stage_data, start_of_view, theme_data
from robosym.drawing.view import seen
from robosym.errors import InputError, closest
from robosym.export.share.live_models import LiveModels, live_models, picture_data
from robosym.files import write_text
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.safe_text import markup

__all__ = ["SharedPage", "share"]

_SIZE = (860, 700)  #: of the picture in pixels, for its first view
_SCRIPTS = ("kinematics.js", "view.js", "gif.js")


@dataclass(frozen=True, eq=False)
class SharedPage:
    """Page of a robot: `write("arm.html")`; a notebook shows it."""

    posture: Posture
    live: LiveModels
    dark: bool | None = None  #: None: as the reader's system

    def __repr__(self) -> str:
        return f"<Page of {self.posture.robot.name}: {', '.join(self.live.models) or 'no models'}>"

    @property
    def default_name(self) -> str:
        """Name of the file if none is given."""
        return f"{self.posture.robot.name}.html"

    def data(self) -> dict[str, Any]:
        """Return everything that the page shows as plain data."""
        posture = self.posture
        view = seen(posture.scene, "auto", _SIZE)
        chosen = {s.name: {"value": s.value, "unit": s.unit} for s in posture.symbols if s.name in posture.values}
        names = ["names", "axes", "frames", "grid"]
        return {
            "scene": stage_data(view) | {"select": None},
            "start": start_of_view(view, {name: name not in ("axes", "frames") for name in names}),
            "themes": {"light": theme_data(LIGHT), "dark": theme_data(DARK)},
            "dark": self.dark,
            "ends": posture.frames.ends,
            "chosen": chosen,
            **picture_data(posture),
            "version": import_module("robosym").__version__,  # a regular import would be circular
            **self.live.data(),
        }

    def html(self) -> str:
        """Return the page as a self-contained text."""
        robot = self.posture.robot
        folder = files("robosym.export.share")
        names = ("share.css", "share.html", "share.js", "live_values.js", "live_values.css")
        style, body, script, values, parts_style = (folder.joinpath(n).read_text(encoding="utf-8") for n in names)
        models = self.live.script(robot.name) if self.live.models else "Promise.resolve({})"
        title = markup(robot.title or robot.name)
        parts = {"TITLE": title, "NAME": markup(robot.name), "STYLE": f"{style}{parts_style}"}
        parts["SCRIPTS"] = f"{script_text(*_SCRIPTS)}\n{values}"
        parts |= {"DATA": as_json(self.data()), "MODELS": models, "PAGE": script}
        for name, content in parts.items():
            body = body.replace(f"<!--{name}-->", content)
        return body

    def _repr_html_(self) -> str:
        """Return the page in an iframe, which separates its styles from those of a notebook."""
        name = markup(self.posture.robot.name)
        page = escape(self.html())
        return f'<iframe srcdoc="{page}" width="100%" height="640" style="border:0" title="{name}"></iframe>'

    def write(self, path: str | Path) -> None:
        """Write the page to a file that ends in .html."""
        path = Path(path)
        kinds = (".html", ".htm")
        if path.suffix.lower() not in kinds:
            raise InputError(f"{path}: expected a name that ends in .html{closest(path.suffix, kinds)}")
        write_text(path, self.html())


@accepts("floating", platform=ALL, modules=ALL, contacts=ALL)
def share(
    robot: Robot,
    q: Given = None,
    *,
    values: Mapping[str, float] | None = None,
    functions: Any = "",
    frame: int | str | None = None,
    dark: bool | None = None,
) -> SharedPage:
    """Return a page of a robot that opens anywhere: picture, sliders, models and inverse kinematics in one file.

    The page needs no server and no network. Sliders move the joints (of a closed or parallel robot the motors; loops
    stay closed), a handle moves a frame by inverse kinematics, and torques, Jacobian, determinant and manipulability
    follow. The models are compiled to WebAssembly.

    Parameters
    ----------
    robot : Robot
        Robot of any kind.
    q : array_like or mapping of str to float, optional
        First joint positions in rad or m, all in order or by name; for a closed or parallel robot, those of the
        motors. Default: as in `draw`.
    values : mapping of str to float, optional
        Numbers for symbols of the robot. Lengths without a number get that of the picture; inertial parameters
        without one are fields of the page.
    functions : str, list of str, or mapping of str to Model, optional
        Names of functions as in `build`. Default: inverse_dynamics, jacobian, inverse_geometry and inertia_matrix, as
        far as the robot supports them. In Python also models by name, whose values the page shows.
    frame : int or str, optional
        Frame that is moved by inverse kinematics. Default: the end of the arm, or the platform.
    dark : bool, optional
        Colors of the page. Default: as the reader's system.

    Returns
    -------
    SharedPage
        Page with a method `write`.

    Raises
    ------
    InputError
        If an argument is invalid, the loops do not close at `q`, or a function is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.share(rs.load("planar2r"), functions="inverse_dynamics")
    <Page of planar2r: inverse_dynamics>
    """
    known = robot.with_values(values) if values else robot
    posture = Posture(known)
    posture.values = {symbol.name: symbol.value for symbol in posture.symbols}
    if q is not None:
        posture.stand(posture.numeric.at(q))
    if frame is not None:
        rows = {row: j for j, row in posture.frames.rows.items()}
        number = known.frame_number(frame, 1)
        if number not in rows:
            raise InputError(f"frame: {frame} is not in the picture of {robot.name}")
        posture.look_at(rows[number])
    given: str | Mapping[str, Model] = functions if isinstance(functions, Mapping) else _names(functions)
    return SharedPage(posture, live_models(known, posture, given, frame), dark)


def _names(functions: Any) -> str:
    return functions if isinstance(functions, str) else " ".join(functions)
