"""Components that run in the browser: equations, code, values, plots, the 3D scene and the sliders of the joints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import nicegui.elements.scene  # noqa: F401  registers the bundled three.js
from nicegui.element import Element
from nicegui.elements.echart import EChart
from nicegui.events import GenericEventArguments

from robosym.app.page.widgets import block, button, toggle_button
from robosym.app.session.shown import ShownGroup
from robosym.drawing.parts import DARK, LIGHT
from robosym.drawing.posture import JointSlider, Posture
from robosym.languages.sections import SetSection
from robosym.model.solution.book_steps import BookStep

__all__ = ["CodeText", "EquationList", "JointSliders", "LinePlot", "LiveValues", "RobotStage", "StepList", "ValueTable"]


class _Filled(Element):
    """A component that is filled once the browser has drawn it.

    Large data are not properties, since every change would send them again.
    """

    def _fill(self, *arguments: Any) -> None:
        self.client.run_javascript(f"robosym.fill({self.id}, {json.dumps(arguments, allow_nan=False, default=str)})")


class EquationList(_Filled, component="assets/equations.js"):
    """Equations by section, with an outline."""

    def show(self, sections: Sequence[SetSection]) -> None:
        rows = [[(e.name, e.text, e.short) for e in section.equations] for section in sections]
        self._fill([{**vars(section), "equations": own} for section, own in zip(sections, rows, strict=True)])


class CodeText(_Filled, component="assets/code.js"):
    """Source code with line numbers and syntax highlighting."""

    def show(self, text: str, language: str) -> None:
        self._fill(text, language)


class ValueTable(_Filled, component="assets/values.js"):
    """Fields for the inputs and numbers for the outputs."""

    def __init__(
        self, on_values: Callable[[dict[str, float], str], Any], on_over: Callable[[str, dict[str, float]], Any]
    ) -> None:
        super().__init__()

        def typed(event: GenericEventArguments) -> Any:
            return on_values(event.args["values"], event.args["over"])

        def over(event: GenericEventArguments) -> Any:
            return on_over(event.args["name"], event.args["values"])

        self.on("values", typed)
        self.on("over", over)

    def show(self, inputs: Sequence[ShownGroup], outputs: Sequence[ShownGroup], values: dict[str, float]) -> None:
        self._fill([asdict(group) for group in inputs], [asdict(group) for group in outputs], values)

    def answer(self, results: dict[str, float]) -> None:
        self.run_method("answer", results)

    def set(self, values: dict[str, float]) -> None:
        self.run_method("set", values)


class LiveValues(_Filled, component="assets/live.js"):
    """Values of models that run in the browser, at the joints of a stage."""

    def __init__(self, models: Mapping[str, Any], stage: RobotStage, degrees: bool) -> None:
        super().__init__()
        self._fill(models, stage.id, degrees)


class LinePlot(_Filled, component="assets/plot.js"):
    """A line plot by ECharts in the colors of the page."""

    library = EChart.component  #: includes ECharts

    def show(self, what: dict[str, Any]) -> None:
        self._fill(what)


class RobotStage(Element, component="assets/stage.js"):
    """A 3D scene from `Posture.data`, with display switches; motions in the browser report the joints."""

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
        """Draw a button that fits the robot into the picture."""
        made = button(sign="fit", kind="ghost ico", title="Fit")
        made.on("click", js_handler=f"() => runMethod({self.id}, 'home', [])")

    def show(self, posture: Posture) -> None:
        """Show another scene; the viewpoint stays the same for a robot of the same name."""
        self.run_method("show", posture.data(self.size), True)

    def pose(self, posture: Posture, joints: Mapping[str, float] | None = None) -> None:
        """Show the posture, or the robot at other joint positions."""
        gaps = [list(pair) for pair in posture.scene.gaps] if joints is None else []
        self.run_method("move", posture.poses(joints), gaps, dict(joints or posture.joints))

    def select(self, link: int | None) -> None:
        self.run_method("select", link)

    def toggle(self, what: str, on: bool) -> None:
        self.run_method("toggle", what, on)

    def lead(self, on: bool) -> None:
        """Show the handle that drags the flange."""
        self.run_method("lead", on)

    def flange(self, frame: int) -> None:
        self.run_method("flange", frame)

    def ghosts(self, poses: Sequence[list[list[float]]], tags: Sequence[Mapping[str, Any]]) -> None:
        """Show other solutions in gray, with number tags: {"tag": 3, "at": [x, y, z], "on": False}."""
        self.run_method("setGhosts", [{"poses": one} for one in poses], [dict(tag) for tag in tags])

    def look(self, azimuth: float, elevation: float) -> None:
        self.run_method("look", azimuth, elevation)

    def on_pick(self, handler: Callable[[int], None]) -> None:
        """Handle a click on a link; 0 is the base or the background."""
        self.on("pick", lambda event: handler(int(event.args["link"])))

    def on_moved(self, handler: Callable[[dict[str, float], str, bool], Any]) -> None:
        """Handle motions by sliders and the handle: joints, a remark, and whether the handle was released."""

        async def moved(event: GenericEventArguments) -> None:
            joints = {str(name): float(value) for name, value in event.args.get("joints", {}).items()}
            result = handler(joints, str(event.args.get("note") or ""), bool(event.args.get("done")))
            if hasattr(result, "__await__"):
                await result

        self.on("moved", moved)


class StepList(Element, component="assets/steps.js"):
    """The steps of a solution."""

    def __init__(self, steps: list[BookStep]) -> None:
        super().__init__()
        self._props["list"] = [asdict(step) for step in steps]


class JointSliders(Element, component="assets/joints.js"):
    """The sliders of all joints in one component; they move the robot of a stage."""

    def __init__(
        self, rows: Sequence[JointSlider], stage: RobotStage, degrees: bool = True, passive: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._props["passive"] = list(passive)
        self._props["stage"] = stage.id
        self._props["degrees"] = degrees
        self._props["chosen"] = 0
        self._props["rows"] = [asdict(row) for row in rows]

    def replace(self, rows: Sequence[JointSlider]) -> None:
        self._props["rows"] = [asdict(row) for row in rows]
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
