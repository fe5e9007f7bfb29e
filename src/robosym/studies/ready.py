"""Predefined functions of studies, which evaluate public models for a batch of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, Union

import numpy as np

from robosym.algebra.samples import Array
from robosym.errors import InputError, Pass, closest
from robosym.kinematics import direct_geometry, jacobian, manipulability
from robosym.kinematics.manipulability import task_rows
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.model import Model
from robosym.runtime import Compiled

__all__ = ["READY", "Evaluation", "ready"]

Value = TypeVar("Value")
Result = Union[Array, dict[str, Array]]  #: one array, or arrays by name
_BLOCK = 4096  #: matrices decomposed at a time


class Evaluation:
    """Model evaluated over samples: a mapping of columns by name, or rows in the order of its joints."""

    def __init__(self, model: Model, at: Mapping[str, float], after: Callable[[Array], Result] | None = None) -> None:
        """Create the evaluation; `at` fixes inputs that are not sampled, `after` converts the output of the model."""
        self.function: Compiled = model.compile()
        self.inputs = dict(model.inputs)
        self.after = after
        #: variables by joint name
        self.alias = {} if model.robot is None else _names_of_joints(model.robot)
        at = self._by_variable(at)
        self.at = dict(at)
        known = {name for group in self.inputs.values() for name in group}.union(model.known)
        for name, value in at.items():
            if name not in known:
                raise InputError(f"at: unknown input {name!r}{closest(name, known)}")
            if not isinstance(value, (int, float, np.floating, np.integer)) or not np.isfinite(value):
                raise InputError(f"at: {name}: expected a finite number, found {value!r}")

    def _by_variable(self, given: Mapping[str, Value]) -> dict[str, Value]:
        return {self.alias.get(name, name): value for name, value in given.items()}

    def check(self, names: list[str] | None, columns: int) -> None:
        """Raise an error if samples with these names, or this number of columns, do not determine all inputs."""
        every = [name for group in self.inputs.values() for name in group]
        if names is None:
            expected = len(self.inputs.get("q", ()))
            if columns != expected:
                raise InputError(f"samples: expected rows of {expected} joint positions, found {columns} columns")
            names = list(self.inputs.get("q", ()))
        names = [self.alias.get(name, name) for name in names]
        for name in names:
            if name not in every:
                raise InputError(f"samples: unknown input {name!r}{closest(name, every)}")
        missing = [name for name in every if name not in names and name not in self.at]
        if missing:
            hint = ("pass ", Pass("at", {missing[0]: None}))
            raise InputError(
                f"samples: expected values for {', '.join(missing[:8])}, found none", hint=hint, code="E404"
            )

    def __call__(self, samples: Mapping[str, Array] | Array) -> Result:
        if isinstance(samples, Mapping):
            samples = self._by_variable(samples)
            given = {group: self._rows(names, samples) for group, names in self.inputs.items()}
        else:
            others = {group: names for group, names in self.inputs.items() if group != "q"}
            given = {group: np.array([self.at[name] for name in names]) for group, names in others.items()}
            given["q"] = np.asarray(samples, dtype=float)
        result: Array | tuple[Array, ...] = self.function(**given)
        if isinstance(result, tuple):
            return dict(zip(self.function.outputs, result, strict=True))
        return result if self.after is None else self.after(result)

    def _rows(self, names: tuple[str, ...], samples: Mapping[str, Array]) -> Array:
        """Return a group as rows; one row if none of its names is sampled."""
        if not any(name in samples for name in names):
            return np.array([self.at[name] for name in names])
        columns = [samples[name] if name in samples else self.at[name] for name in names]
        return np.stack(np.broadcast_arrays(*columns), axis=-1)


def _names_of_joints(robot: Robot) -> dict[str, str]:
    """Return the variables by joint name, for joints with a name."""
    return {robot.joint(j).name: robot.variable(j) for j in robot.tree_joints if robot.joint(j).name}


def _manipulability(
    robot: Robot,
    at: Mapping[str, float],
    link: int | str | None = None,
    task: Literal["all", "position", "rotation"] = "all",
    tool: object = None,
) -> Evaluation:
    return Evaluation(manipulability(robot, link, task, tool), at, _first)


def _first(values: Array) -> Array:
    return np.asarray(values[..., 0])


def _workspace(robot: Robot, at: Mapping[str, float], link: int | str | None = None, tool: object = None) -> Evaluation:
    """Return the evaluation of the origin of a frame in frame 0."""
    robot, frame = tool_frame(robot, link, tool, "link")
    return Evaluation(direct_geometry(robot, 0, frame), at, _origin)


def _origin(T: Array) -> Array:
    return np.array(T[..., :3, 3])


def _singularity(
    robot: Robot, at: Mapping[str, float], link: int | str | None = None, task: str = "all", tool: object = None
) -> Evaluation:
    """Return the evaluation of the smallest singular value of the Jacobian, absolute and relative to the largest."""
    return Evaluation(jacobian(robot, link, rows=task_rows(task), tool=tool), at, _sizes)


def _sizes(J: Array) -> dict[str, Array]:
    flat = J.reshape(-1, *J.shape[-2:])
    sizes = [np.linalg.svd(flat[k : k + _BLOCK], compute_uv=False) for k in range(0, len(flat), _BLOCK)]
    values = np.concatenate(sizes)
    share = np.divide(values[:, -1], values[:, 0], out=np.zeros(len(values)), where=values[:, 0] > 0)
    return {"least": values[:, -1], "share": share}


READY: Mapping[str, Callable[..., Evaluation]] = {
    "manipulability": _manipulability,
    "singularity": _singularity,
    "workspace": _workspace,
}


def ready(name: str, robot: Robot, at: Mapping[str, float], options: Mapping[str, Any]) -> Evaluation:
    """Return a predefined function for a robot."""
    if name not in READY:
        known = ", ".join(READY)
        raise InputError(
            f"function: expected a function, a model or one of {known}, found {name!r}{closest(name, READY)}"
        )
    for option in options:
        if option not in ("link", "task", "tool") or (option == "task" and name == "workspace"):
            raise InputError(f"{name}: unknown option {option!r}")
    return READY[name](robot, at, **options)
