"""The desired pose, in fields and as a matrix, and the fixed joints of a redundant robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui.element import Element

from robosym.app.page.widgets import block, button, fill, number_field, read_number, select, spelled, text
from robosym.drawing.parts import Array
from robosym.formats.placements import roll_pitch_yaw, roll_pitch_yaw_of, shifted
from robosym.spatial import Mat3

if TYPE_CHECKING:
    from robosym.app.page.inverse_view import InverseView

__all__ = ["FixedJoints", "PoseFields"]

_LABELS = (r"P_x", r"P_y", r"P_z", "Roll", "Pitch", "Yaw")


class Formula(Element, component="assets/formula.js"):
    """LaTeX, typeset by KaTeX."""

    def __init__(self, latex: str, classes: str = "") -> None:
        super().__init__()
        self._props["latex"] = latex
        self.classes(classes)

    def set(self, latex: str) -> None:
        self._props["latex"] = latex
        self.update()


class PoseFields:
    """Editable position and angles of the pose of a view."""

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
        """Show another pose."""
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
        pose = shifted(roll_pitch_yaw([math.radians(x) for x in numbers[3:]]), numbers[:3])
        self.view.T = np.array([*pose.rows, (0, 0, 0, 1)], dtype=float)
        self.show(self.view.T)
        await self.on_solve()


def _numbers(T: Array) -> list[float]:
    angles = roll_pitch_yaw_of(Mat3.of(*T[:3, :3].ravel()))
    return [*(float(x) for x in T[:3, 3]), *map(math.degrees, angles)]


def _plain(value: float, digits: int) -> str:
    return spelled(value, digits).replace("\N{MINUS SIGN}", "-")


class FixedJoints:
    """The fixed joints of a redundant robot and their positions; both can be changed."""

    def __init__(
        self, view: InverseView, on_joint: Callable[[str, str], Any], on_value: Callable[[str, float], Any]
    ) -> None:
        self.view, self.on_joint, self.on_value = view, on_joint, on_value
        self.row = block("fixed-row")
        self.row.set_visibility(False)

    def show(self, fixed: Mapping[str, float]) -> None:
        """Show one row per fixed joint."""
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
            text("the pose does not determine all joints", "mut t12 el")

    async def _typed(self, name: str, turns: bool, words: str) -> None:
        value = read_number(words)
        if value is None:
            self.view.shell.notify(f"{name}: expected a number, found {words[:40]!r}", "error")
            self.show(self.view.fixed)
        else:
            await self.on_value(name, math.radians(value) if turns else value)
