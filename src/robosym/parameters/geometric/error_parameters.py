"""Parameters of geometric errors: small errors of frames, of the base, of the tool and of the joints.

Each frame of a joint has the errors of its six parameters. Where its axis is parallel to that of its antecedent,
gamma, alpha and theta do not describe every small rotation: a rotation `beta` about y follows alpha (Hayati), and a
translation `e` along y. The parts of a compound joint, passive axes that meet in a point, are assumed to be exact. A
fixed frame has no errors of its own, because errors of the frames after it, or of the tool, have the same effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.numeric_tree import frame_geometry
from robosym.mechanism.path import path

__all__ = ["BASE", "KINDS", "PLACEMENT", "TOOL", "ErrorParameter", "error_parameters", "left_out", "preferred"]

#: how parallel an axis is to that of its antecedent (sine of alpha) for `beta` and `e` to be needed
_PARALLEL = 0.02
PLACEMENT = ("x", "y", "z", "rx", "ry", "rz")
BASE = tuple(f"base_{axis}" for axis in PLACEMENT)
TOOL = tuple(f"tool_{axis}" for axis in PLACEMENT)
_FRAME = ("theta", "r", "alpha", "d", "gamma", "b", "beta", "e")
#: kinds of parameters by decreasing preference: of two that have the same effect, the first is identified
KINDS = (*_FRAME, "ratio", "compliance")
_MEANINGS = {
    "gamma": ("rotation about the z axis of the antecedent", "rad"),
    "b": ("translation along the z axis of the antecedent", "m"),
    "alpha": ("rotation about the x axis", "rad"),
    "d": ("translation along the x axis", "m"),
    "beta": ("rotation about the y axis, after alpha and d", "rad"),
    "e": ("translation along the y axis, after alpha and d", "m"),
    "theta": ("rotation about the z axis", "rad"),
    "r": ("translation along the z axis", "m"),
    "ratio": ("relative error of the gear ratio", "1"),
    "compliance": ("compliance of the joint under gravity", "rad/(N m)"),
}
_GREEK = {"gamma", "alpha", "beta", "theta"}


@dataclass(frozen=True)
class ErrorParameter:
    """Error of one geometric parameter from its nominal value."""

    name: str  #: such as `theta3`, `ratio2`, `base_x`, `tool_rz`
    kind: str  #: entry of `KINDS`, "base" or "tool"
    frame: int  #: number of the frame in the robot with loops; 0 for base and tool
    meaning: str
    unit: str

    @property
    def axis(self) -> int:
        """Position of a placement in `PLACEMENT`."""
        return PLACEMENT.index(self.name.partition("_")[2])

    @property
    def latex(self) -> str:
        """The name in LaTeX."""
        if self.kind in ("base", "tool"):
            return f"{self.name.partition('_')[2]}_{{\\mathrm{{{self.kind}}}}}"
        letter = {"ratio": "\\rho", "compliance": "c"}.get(self.kind, self.kind)
        slash = "\\" if self.kind in _GREEK else ""
        return f"\\Delta {slash}{letter}_{{{self.frame}}}"


def error_parameters(
    robot: Robot, end: int, values: Mapping[str, float], ratios: bool, compliance: bool
) -> list[ErrorParameter]:
    """Return all errors that can affect the pose of frame `end`, by decreasing preference."""
    found = [ErrorParameter(name, "base", 0, *_of_placement("base", name)) for name in BASE]
    found += [ErrorParameter(name, "tool", 0, *_of_placement("tool", name)) for name in TOOL]
    frames = _frames(robot, end)
    geometry = {j: frame_geometry([robot.frame(j)], _at_zero(robot, values))[:, 0] for j in frames}
    for group in (("theta", "r", "alpha", "d"), ("gamma", "b"), ("beta", "e")):
        for j in frames:
            if _is_ideal(robot, j, geometry[j]):
                continue
            parallel = abs(np.sin(geometry[j][2])) < _PARALLEL
            found += [_of_frame(kind, j) for kind in group if parallel or kind not in ("beta", "e")]
    joints = [j for j in frames if j <= robot.NL and robot.frame(j).is_joint and (robot.frame(j).mu or not robot.loops)]
    found += [_of_joint(robot, "ratio", j) for j in joints] if ratios else []
    found += [_of_joint(robot, "compliance", j) for j in joints] if compliance else []
    return found


def preferred(parameters: Sequence[ErrorParameter], kept: Iterable[str]) -> list[ErrorParameter]:
    """Return the parameters with the named ones first, otherwise in their order."""
    first = set(kept)
    return sorted(parameters, key=lambda p: p.name not in first)


def left_out(
    parameters: Sequence[ErrorParameter], known: Sequence[str], argument: str = "known"
) -> list[ErrorParameter]:
    """Return the parameters without the known ones, given by name (`r3`), kind (`gamma`), `base`, `tool` or frame."""
    words = (
        {p.name for p in parameters} | {p.kind for p in parameters} | {f"frame{p.frame}" for p in parameters if p.frame}
    )
    for word in known:
        if word not in words and word not in (*KINDS, "base", "tool"):
            raise InputError(
                f"{argument}: expected names of geometric parameters (theta3, base_x), kinds (gamma, base, tool) or "
                f"frames (frame3), found {word!r}{closest(word, words)}"
            )
    return [p for p in parameters if not {p.name, p.kind, f"frame{p.frame}"} & set(known)]


def _of_placement(what: str, name: str) -> tuple[str, str]:
    axis = name.partition("_")[2]
    motion = "rotation about" if axis.startswith("r") else "translation along"
    where = "frame 0 and its axes in the measuring frame" if what == "base" else "the target in the end frame"
    return f"placement of {where}: {motion} {axis[-1]}", "rad" if axis.startswith("r") else "m"


def _of_frame(kind: str, j: int) -> ErrorParameter:
    return ErrorParameter(f"{kind}{j}", kind, j, *_MEANINGS[kind])


def _of_joint(robot: Robot, kind: str, j: int) -> ErrorParameter:
    meaning, unit = _MEANINGS[kind]
    slides = not robot.frame(j).joint_type.turns
    return ErrorParameter(f"{kind}{j}", kind, j, meaning, "m/N" if slides and kind == "compliance" else unit)


def _frames(robot: Robot, end: int) -> list[int]:
    """Return the frames of joints on the path to the end and around the loops, and those that close the loops."""
    on_way = {j for j in path(robot, 0, end)[1] if robot.frame(j).is_joint}
    for cut, fixed in robot.loops:
        on_way |= {cut, fixed}
        on_way |= {
            j for side in (robot.frame(cut).ant, fixed) for j in path(robot, 0, side)[1] if robot.frame(j).is_joint
        }
    return sorted(on_way)


def _at_zero(robot: Robot, values: Mapping[str, float]) -> dict[str, float]:
    return {**values, **{name: 0.0 for name in robot.variables if name}}


def _is_ideal(robot: Robot, j: int, geometry: Array) -> bool:
    """Return whether the frame is a further axis of a compound joint: passive, and meeting the passive one before."""
    frame = robot.frame(j)
    before = robot.frame(frame.ant) if frame.ant else None
    passive = frame.is_joint and frame.joint_type.only_turns and not frame.mu and bool(robot.loops)
    meets = not np.any(np.abs(geometry[[1, 3, 5]]) > 0.0)
    return (
        passive and meets and before is not None and before.is_joint and before.joint_type.only_turns and not before.mu
    )
