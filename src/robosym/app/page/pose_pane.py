"""The pose that is to be reached, in fields and as a matrix; and the joints of a redundant robot that are held."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui.element import Element

from robosym.app.page.widgets import block, button, fill, number_field, read_number, select, spelled, text
from robosym.app.session.robot_posture import pose_of, roll_pitch_yaw
from robosym.drawing.parts import Array

if TYPE_CHECKING:
    from robosym.app.page.inverse_view import InverseView

__all__ = ["FixedJoints", "PoseFields"]

_LABELS = (r"P_x", r"P_y", r"P_z", "Roll", "Pitch", "Yaw")


class Formula(Element, component="assets/formula.js"):
    """LaTeX, set by KaTeX."""

    def __init__(self, latex: str, classes: str = "") -> None:
        super().__init__()
        self._props["latex"] = latex
        self.classes(classes)

    def set(self, latex: str) -> None:
        self._props["latex"] = latex
        self.update()


class PoseFields:
    """Position and angles of the pose of a view, which can be typed."""

    def __init__(self, view: InverseView, on_solve: Callable[[], Any], on_picture: Callable[[], Any]) -> None:
        self.view, self.on_solve = view, on_solve
        self.fields: list[Element] = []
        with block("pose-row"):
            with block("pose-fields"):
                for k, label in enumerate(_LABELS):
                    with block():
                        if k < 3:
                            Formula(label, "lab")
                        else:
                            text(label, "lab", "div")
                        name, unit = label.replace("_", " "), "m" if k < 3 else "°"
                        self.fields.append(number_field(name, "", unit, partial(self._typed, k)))
            self.matrix = Formula("", "pose-matrix nw hide-l")
            with block("pose-do"):
                button("Solve", on_solve, kind="pri")
                button("From picture", on_picture, kind="s")
        self.show(view.T)

    def show(self, T: Array) -> None:
        """Another pose."""
        for k, (field, value) in enumerate(zip(self.fields, _numbers(T), strict=True)):
            fill(field, _plain(value, 4 if k < 3 else 2))
        rows = [" & ".join(_plain(float(x), 4) for x in row) for row in T[:3]]
        last = " & ".join(f"{x:.0f}" for x in T[3])
        self.matrix.set(r"U_0 = \begin{bmatrix} " + r" \\ ".join([*rows, last]) + r" \end{bmatrix}")

    async def _typed(self, place: int, words: str) -> None:
        value = read_number(words)
        if value is None:
            label = _LABELS[place].replace("_", "")
            self.view.shell.notify(f"{label}: expected a number, found {words[:40]!r}", "error")
            self.show(self.view.T)
            return
        numbers = _numbers(self.view.T)
        numbers[place] = value
        self.view.T = pose_of(numbers[:3], [math.radians(x) for x in numbers[3:]])
        self.show(self.view.T)
        await self.on_solve()


def _numbers(T: Array) -> list[float]:
    return [*(float(x) for x in T[:3, 3]), *(math.degrees(angle) for angle in roll_pitch_yaw(T))]


def _plain(value: float, digits: int) -> str:
    return spelled(value, digits).replace("\N{MINUS SIGN}", "-")


class FixedJoints:
    """The joints of a redundant robot that are held, and where: each can be another one, or elsewhere."""

    def __init__(
        self, view: InverseView, on_joint: Callable[[str, str], Any], on_value: Callable[[str, float], Any]
    ) -> None:
        self.view, self.on_joint, self.on_value = view, on_joint, on_value
        self.row = block("fixed-row")
        self.row.set_visibility(False)

    def show(self, fixed: Mapping[str, float]) -> None:
        """A row for each joint that is held; none where no joint is."""
        self.row.clear()
        self.row.set_visibility(bool(fixed))
        if not fixed:
            return
        posture = self.view.session.posture
        with self.row:
            text("Fixed", "lab")
            for name, value in fixed.items():
                turns = posture.turns(name)
                movable = [posture.closed.variable(j) for j in posture.movable]
                choices = {other: other for other in movable if other == name or other not in fixed}
                select("The joint that is fixed", choices, name, partial(self.on_joint, name))
                shown = math.degrees(value) if turns else value
                typed = partial(self._typed, name, turns)
                number_field(f"{name} at", f"{shown:.6g}", "°" if turns else "m", typed, "r")
            text("more joints than the pose needs", "mut t12 el")

    async def _typed(self, name: str, turns: bool, words: str) -> None:
        value = read_number(words)
        if value is None:
            self.view.shell.notify(f"{name}: expected a number, found {words[:40]!r}", "error")
            self.show(self.view.fixed)
        else:
            await self.on_value(name, math.radians(value) if turns else value)
