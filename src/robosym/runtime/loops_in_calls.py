"""Compiled models of closed robots that check their loops: reject or report open loops, or close them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from robosym.coordinates.following import LoopFollower, closing_step
from robosym.errors import InputError, closest
from robosym.model import Model
from robosym.runtime.compiled import Compiled
from robosym.runtime.kernel import Array

__all__ = ["LOOPS", "WithLoops", "compiled_with_loops"]

#: values of `compile(loops=...)`: no check; raise an error; return the gaps with the result; solve from the motors
LOOPS = ("trust", "refuse", "report", "solve")
_OPEN = 1e-6  #: tolerance in m and rad


def compiled_with_loops(model: Model, loops: str, cached: bool = True) -> WithLoops:
    """Compile a model so that calls check the loops."""
    if loops not in LOOPS:
        raise InputError(f"loops: expected one of {', '.join(LOOPS)}, found {loops!r}{closest(loops, LOOPS)}")
    robot = model.robot
    if robot is None or not robot.loops or "q" not in model.inputs:
        raise InputError(
            f"loops: {loops!r} needs a model of a robot with loops that has the input q, found {model.name}, "
            f"{model.title}"
        )
    return WithLoops(Compiled(model, cached), loops)


class WithLoops:
    """A compiled model of a robot with loops that checks or closes them.

    Parameters
    ----------
    compiled : Compiled
    loops : `{"refuse", "report", "solve"}`
        `"refuse"` raises an error if a loop is open by more than 1e-6 m or rad. "report" returns the result and the gap
        per state. "solve" takes the motor positions as `q` and computes the others by Newton's method, starting from
        `near` (positions of all tree joints) or else from the last position, initially the robot's reference position.

    Attributes
    ----------
    position : ndarray or None
        Last position of the tree joints.
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
        self._followed: tuple[tuple[tuple[str, float], ...], LoopFollower] | None = None
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
            raise InputError("q: missing: pass the joint positions")
        if self.loops == "solve":
            return self._solved(given, near)
        if near is not None:
            raise InputError(f"near: expected only with loops='solve', found with loops={self.loops!r}")
        result = self.compiled(**given)
        gaps = self._gaps(given)
        if self.loops == "report":
            return result, gaps
        self._reject(gaps)
        return result

    def _reject(self, gaps: Array) -> None:
        open_ = np.flatnonzero(~(np.ravel(gaps) <= _OPEN))
        if len(open_):
            where = f" in state {open_[0]}" if np.ndim(gaps) else ""
            raise InputError(
                f"q: the loops of {self.robot.name} are open by {np.ravel(gaps)[open_[0]]:.3g} (m and rad){where}: "
                f"pass positions of {', '.join(self.joints)} that close them, or motor positions with loops='solve'"
            )

    def _gaps(self, given: Mapping[str, object]) -> Array:
        """Return the gap of the loops per state."""
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
        """Return the parameters that the loops need, by name."""
        values = given.get("parameters")
        if not isinstance(values, Mapping):
            names = self.model.inputs.get("parameters", ())
            table = np.asarray(values if values is not None else [], dtype=float)
            values = {name: table[..., place] for place, name in enumerate(names)} if len(table) else {}
        missing = [name for name in self._gap.inputs["parameters"] if name not in values]
        if missing:
            raise InputError(
                f"parameters: the loops also need {', '.join(missing)}: pass parameters as a dict with these names, "
                "or use robot.with_values"
            )
        return {name: np.asarray(values[name], dtype=float) for name in self._gap.inputs["parameters"]}

    # ----------------------------------------------------------------------------------------- motor positions given

    def _solved(self, given: dict[str, object], near: object) -> Any:
        motors = given["q"]
        if isinstance(motors, Mapping):
            motors = [motors[name] for name in self.motors]
        motors = np.asarray(motors, dtype=float)
        if motors.ndim not in (1, 2) or motors.shape[-1] != len(self.motors):
            raise InputError(f"q: expected positions of {', '.join(self.motors)}, found shape {motors.shape}")
        position = self.position if near is None else np.asarray(near, dtype=float)
        if position is None:
            raise InputError(
                f"near: expected positions of {', '.join(self.joints)} to start from: "
                f"{self.robot.name} has no reference position"
            )
        follow = self._following(given)
        rows = []
        for row in np.atleast_2d(motors):  # in order, as along a motion
            position = follow(row, position)
            rows.append(position)
        self.position = position
        q = rows[0] if motors.ndim == 1 else np.array(rows)
        return self.compiled(**{**given, "q": q})

    def _following(self, given: Mapping[str, object]) -> LoopFollower:
        values = self._parameters(given) if "parameters" in self._gap.inputs else {}
        key = tuple((name, float(value)) for name, value in values.items())
        if self._followed is None or self._followed[0] != key:
            self._followed = key, LoopFollower(self.robot, self.motors, dict(key))
        return self._followed[1]
