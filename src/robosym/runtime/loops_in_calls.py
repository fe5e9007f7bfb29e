"""Compiled models of closed robots that look at their loops: an open one is refused or reported, or closed inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robosym.coordinates.following import Following, closing_step
from robosym.errors import InputError, closest
from robosym.model import Model
from robosym.runtime.compiled import Compiled
from robosym.runtime.kernel import Array

__all__ = ["LOOPS", "WithLoops", "compiled_with_loops"]

#: what `compile(loops=...)` knows: nothing is looked at; an error; the gaps beside the result; motors in, loops solved
LOOPS = ("trust", "refuse", "report", "solve")
_OPEN = 1e-6  #: metres and radians


def compiled_with_loops(model: Model, loops: str, cached: bool = True) -> WithLoops:
    """A model in machine code that looks at its loops."""
    if loops not in LOOPS:
        raise InputError(f"loops: expected one of {', '.join(LOOPS)}, found {loops!r}{closest(loops, LOOPS)}")
    robot = model.robot
    if robot is None or not robot.loops or "q" not in model.inputs:
        raise InputError(f"loops={loops!r}: {model.name}, {model.title}, is not of positions of a robot with loops")
    return WithLoops(Compiled(model, cached), loops)


class WithLoops:
    """As `Compiled`, of a robot with loops.

    "refuse": an error where a loop is open by more than a millionth of a metre or radian. "report": the result, and
    how wide the loops are open in each state. "solve": `q` are the positions of the motors; the others follow by
    Newton's method from `near`, a position of all joints of the tree, or without it from the last one found (at first
    the reference position of the description); `.position` is the last one.
    """

    def __init__(self, compiled: Compiled, loops: str) -> None:
        self.compiled, self.loops = compiled, loops
        robot = compiled.model.robot
        assert robot is not None
        self.robot = robot
        self.joints = tuple(robot.variable(j) for j in robot.tree_joints)
        self.motors = tuple(robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu)
        self._gap = closing_step(robot, ())
        self._gap_call = self._gap.compile()
        self._followed: tuple[tuple[tuple[str, float], ...], Following] | None = None
        known = all(name in robot.position for name in self.joints)
        self.position = np.array([robot.position[name] for name in self.joints], dtype=float) if known else None

    @property
    def model(self) -> Model:
        return self.compiled.model

    def __repr__(self) -> str:
        return f"{repr(self.compiled)[:-1]}, loops: {self.loops}>"

    def __call__(self, *values: object, near: object = None, **groups: object) -> Any:
        names = [*self.compiled.inputs]
        given = dict(zip(names, values, strict=False)) | groups
        if "q" not in given:
            raise InputError("missing: q")
        if self.loops == "solve":
            return self._solved(given, near)
        if near is not None:
            raise InputError(f"near: only loops='solve' starts from somewhere, this is loops={self.loops!r}")
        result = self.compiled(**given)
        gaps = self._gaps(given)
        if self.loops == "report":
            return result, gaps
        self._refuse(gaps)
        return result

    def _refuse(self, gaps: Array) -> None:
        open_ = np.flatnonzero(~(np.ravel(gaps) <= _OPEN))
        if len(open_):
            where = f" in state {open_[0]}" if np.ndim(gaps) else ""
            raise InputError(
                f"{self.robot.name}: the loops are open{where}, by {np.ravel(gaps)[open_[0]]:.3g} (m and rad): "
                f"q holds positions of {', '.join(self.joints)} in which they close; loops='solve' takes motors alone"
            )

    def _gaps(self, given: Mapping[str, object]) -> Array:
        """How wide the loops are open in each state."""
        q = given["q"]
        if isinstance(q, Mapping):
            q = [q[name] for name in self.joints]
        arrays = {"q": np.asarray(q, dtype=float)}
        if "parameters" in self._gap.inputs:
            values = self._parameters(given)
            arrays["parameters"] = np.stack(
                np.broadcast_arrays(*(values[name] for name in self._gap.inputs["parameters"])), axis=-1
            )
        gap: Array = self._gap_call(**arrays)[1]
        return np.where(gap[..., 1] > 1, np.inf, np.sqrt(gap[..., 0]))

    def _parameters(self, given: Mapping[str, object]) -> dict[str, Array]:
        """Those that the loops need, by name."""
        values = given.get("parameters")
        if not isinstance(values, Mapping):
            names = self.model.inputs.get("parameters", ())
            table = np.asarray(values if values is not None else [], dtype=float)
            values = {name: table[..., place] for place, name in enumerate(names)} if len(table) else {}
        missing = [name for name in self._gap.inputs["parameters"] if name not in values]
        if missing:
            raise InputError(
                f"parameters: the loops need {', '.join(missing)}, which this model does not: give them by name, or "
                "numbers to the robot"
            )
        return {name: np.asarray(values[name], dtype=float) for name in self._gap.inputs["parameters"]}

    # ----------------------------------------------------------------------------------------------- motors alone

    def _solved(self, given: dict[str, object], near: object) -> Any:
        motors = given["q"]
        if isinstance(motors, Mapping):
            motors = [motors[name] for name in self.motors]
        motors = np.asarray(motors, dtype=float)
        if motors.ndim not in (1, 2) or motors.shape[-1] != len(self.motors):
            raise InputError(f"q: expected the motors {', '.join(self.motors)}, found an array of shape {motors.shape}")
        position = self.position if near is None else np.asarray(near, dtype=float)
        if position is None:
            raise InputError(
                f"near: expected positions of {', '.join(self.joints)} from which the loops are closed: "
                f"{self.robot.name} has no reference position"
            )
        follow = self._following(given)
        rows = []
        for row in np.atleast_2d(motors):  # one after the other, as along a motion
            position = follow(row, position)
            rows.append(position)
        self.position = position
        q = rows[0] if motors.ndim == 1 else np.array(rows)
        return self.compiled(**{**given, "q": q})

    def _following(self, given: Mapping[str, object]) -> Following:
        values = self._parameters(given) if "parameters" in self._gap.inputs else {}
        key = tuple((name, float(value)) for name, value in values.items())
        if self._followed is None or self._followed[0] != key:
            self._followed = key, Following(self.robot, self.motors, dict(key))
        return self._followed[1]
