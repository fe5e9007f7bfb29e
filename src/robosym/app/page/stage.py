"""The components of the picture: the robot in space on NiceGUI's own three.js, and the sliders of its joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import nicegui.elements.scene  # noqa: F401  registers the bundled three.js
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from robosym.app.session.robot_posture import JointSlider
from robosym.drawing.parts import DARK, LIGHT

__all__ = ["JointSliders", "RobotStage"]


class RobotStage(Element, component="assets/stage.js"):
    """A scene as data, `Posture.data`; every move is one message with the poses of all frames."""

    def __init__(
        self, data: Mapping[str, Any], label: str, shown: Mapping[str, bool] | None = None,
        letters: Sequence[str] | None = None, leads: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self._props["scene"] = dict(data)
        self._props["label"] = label
        self._props["tones"] = {"light": LIGHT.tones, "dark": DARK.tones}
        self._props["shown"] = dict(shown or {})
        self._props["leads"] = leads
        if letters is not None:
            self._props["letters"] = list(letters)

    def show(self, data: Mapping[str, Any], keep: bool = True) -> None:
        """Another scene; with `keep` a robot of the same name is seen from the same side."""
        self.run_method("show", dict(data), keep)

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
