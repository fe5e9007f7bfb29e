"""The components of the picture: the robot in space on NiceGUI's own three.js, and the sliders of its joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import nicegui.elements.scene  # noqa: F401  registers the bundled three.js
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from robosym.app.page.widgets import block, button, toggle_button
from robosym.app.session.robot_posture import JointSlider, Posture
from robosym.drawing.parts import DARK, LIGHT

__all__ = ["JointSliders", "RobotStage"]


class RobotStage(Element, component="assets/stage.js"):
    """A scene as data, `Posture.data`, with switches of what is shown; every move is one message with all poses."""

    def __init__(
        self, posture: Posture, switches: Mapping[str, bool], size: tuple[float, float] = (456, 456),
        letters: Sequence[str] | None = None, leads: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        self._props["scene"] = posture.data(size)
        self._props["label"] = f"Picture of {posture.closed.name}"
        self._props["tones"] = {"light": LIGHT.tones, "dark": DARK.tones}
        self._props["shown"] = {label.lower(): on for label, on in switches.items()}
        self._props["leads"] = leads
        if letters is not None:
            self._props["letters"] = list(letters)
        with block("tools tl"):
            for label, on in switches.items():
                toggle_button(label, on, partial(self.toggle, label.lower()))

    def fit_button(self) -> None:
        """A button that fits the picture into its place."""
        made = button(sign="fit", kind="ghost ico", title="Fit")
        made.on("click", js_handler=f"() => runMethod({self.id}, 'home', [])")

    def show(self, posture: Posture) -> None:
        """Another scene; a robot of the same name is seen from the same side."""
        self.run_method("show", posture.data(self.size), True)

    def pose(self, poses: list[list[float]], gaps: Sequence[Sequence[int]] = ()) -> None:
        self.run_method("move", poses, [list(pair) for pair in gaps])

    def select(self, link: int | None) -> None:
        self.run_method("select", link)

    def toggle(self, what: str, on: bool) -> None:
        self.run_method("toggle", what, on)

    def lead(self, on: bool) -> None:
        """Show the handle with which the flange is led."""
        self.run_method("lead", on)

    def flange(self, frame: int) -> None:
        self.run_method("flange", frame)

    def ghosts(self, poses: Sequence[list[list[float]]], tags: Sequence[Mapping[str, Any]]) -> None:
        """Other solutions, grey, and number tags: {"tag": 3, "at": [x, y, z], "on": False}."""
        self.run_method("setGhosts", [{"poses": one} for one in poses], [dict(tag) for tag in tags])

    def look(self, azimuth: float, elevation: float) -> None:
        self.run_method("look", azimuth, elevation)

    def on_pick(self, handler: Callable[[int], None]) -> None:
        """A link that was clicked; 0 for the base or for nothing."""
        self.on("pick", lambda event: handler(int(event.args["link"])))

    def on_lead(self, handler: Callable[[list[float]], Any]) -> None:
        """Where the flange was dragged to: three rows of its pose."""

        async def led(event: GenericEventArguments) -> None:
            result = handler([float(x) for x in event.args["T"]])
            if hasattr(result, "__await__"):
                await result

        self.on("lead", led)


class JointSliders(Element, component="assets/joints.js"):
    """Sliders of all joints in one component."""

    def __init__(self, rows: Sequence[JointSlider], degrees: bool = True) -> None:
        super().__init__()
        self._props["degrees"] = degrees
        self._props["chosen"] = 0
        self._props["rows"] = _rows(rows)

    def replace(self, rows: Sequence[JointSlider]) -> None:
        self._props["rows"] = _rows(rows)
        self.update()

    def set(self, values: Mapping[str, float]) -> None:
        self.run_method("set", dict(values))

    def choose(self, joint: int | None) -> None:
        if self._props["chosen"] != (joint or 0):
            self._props["chosen"] = joint or 0
            self.update()

    def in_degrees(self, on: bool) -> None:
        self._props["degrees"] = on
        self.update()


def _rows(rows: Sequence[JointSlider]) -> list[dict[str, Any]]:
    names = ("name", "label", "joint", "slides", "value", "lower", "upper")
    return [{name: getattr(row, name) for name in names} for row in rows]
