"""Where the joints of a drawn robot stand: as given, as the description says, or so that it is seen well."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.tolerances import CLOSED
from robosym.coordinates.assembly import assembled_parallelograms
from robosym.coordinates.closing import Closing
from robosym.errors import InputError, closest
from robosym.mechanism import Robot

__all__ = ["Array", "Given", "Posture", "joint_values", "slider_range"]

Array = np.ndarray[Any, np.dtype[Any]]
Given = Mapping[str, float] | Sequence[float] | Array | None
_TRIALS = 300  #: postures among which one is chosen
_TURN = 1.4  #: rad, how far an unlimited joint turns in them
_STARTS = 240  #: from which loops are tried to be closed


class Posture:
    """Joint positions of a robot whose frames hold numbers: all of them by name, the loops closed."""

    def __init__(self, robot: Robot, reach: float) -> None:
        self.robot = robot
        self.reach = reach
        self.names = tuple(robot.variable(j) for j in robot.tree_joints)
        self.motors = tuple(j for j in robot.tree_joints if robot.frame(j).mu)
        self.closing = Closing(robot, tuple(assembled_parallelograms(robot).values())) if robot.loops else None

    def at(self, q: Given) -> dict[str, float]:
        """As given by name or in the order of the tree's joints; the motors alone do where loops move the others."""
        if q is None:
            return self.chosen()
        values = self.home() | joint_values(self.robot, q)
        self._couple(values)
        if self.closing is None:
            return values
        given = joint_values(self.robot, q)
        held = [j for j in self.robot.tree_joints if self.robot.variable(j) in given]
        if len(held) == len(self.names):
            return self.closing.with_cut(values)
        return self.near(values, held)

    def near(self, values: Mapping[str, float], held: Sequence[int]) -> dict[str, float]:
        """The loops closed from these values, joints `held` left alone; an error in words where they stay open."""
        assert self.closing is not None
        start = dict.fromkeys((name for name in self.robot.variables if name), 0.0) | dict(values)
        closed, gap = self.closing.move(start, held)
        if gap > CLOSED:
            raise InputError(
                f"{self.robot.name}: the loops stay open, {self.closing.widest(closed)}: give other joint positions"
            )
        return closed

    def home(self) -> dict[str, float]:
        """Zero, or what the description says."""
        reference = {**dict.fromkeys(self.names, 0.0), **self.robot.position, **self.robot.picture}
        return {name: value for name, value in reference.items() if name in self.robot.variables}

    def chosen(self) -> dict[str, float]:
        """What the description says; where it is silent, a posture in which little hides and nothing is stretched."""
        told = bool({*self.robot.position, *self.robot.picture} & {*self.names})
        if self.closing is not None:
            return self._closed(told)
        return self.home() if told else self._legible()

    def _couple(self, values: dict[str, float]) -> None:
        values |= {name: coupling.value(values) for name, coupling in self.robot.couplings.items()}

    # ------------------------------------------------------------------ choices

    def _closed(self, told: bool) -> dict[str, float]:
        assert self.closing is not None
        start = dict.fromkeys((name for name in self.robot.variables if name), 0.0) | self.home()
        for held in (self.motors, ()) if told else ():
            found, gap = self.closing.move(start, held)
            if gap <= CLOSED:
                return found
        rng = random_arrays("postures of a picture")
        trials = np.array([self._trial(rng) for _ in range(_STARTS)])
        trials[0] = [start[name] for name in self.names]
        cut = len(self.closing.gaps.names) - len(self.names)
        ends, gaps = self.closing.settle(start, np.hstack([trials, np.zeros((_STARTS, cut))]))
        closed = gaps <= CLOSED
        if not closed.any():
            raise InputError(
                f"{self.robot.name}: no position was found in which the loops close with these lengths: give values= "
                "that fit together, q=, or position: and picture: in the description"
            )
        best = min(np.flatnonzero(closed), key=lambda k: self._awkward(ends[k]))
        return start | self.closing.gaps.named(_wrapped(ends[best]))

    def _awkward(self, q: Array) -> float:
        """How odd an assembly looks: joints turned far, motors that slide backward or unlike each other."""
        frames = [self.robot.frame(j) for j in self.robot.tree_joints]
        slides = np.array([not frame.joint_type.turns for frame in frames], dtype=bool)  # of none as well
        motors = np.array([bool(frame.mu) for frame in frames], dtype=bool)
        tree = q[: len(slides)]
        pushed = tree[slides & motors] / self.reach
        odd = 20 * float((pushed < 0).sum()) + 10 * float(np.std(pushed)) if len(pushed) else 0.0
        turned = np.abs(np.remainder(tree[~slides] + math.pi, 2 * math.pi) - math.pi)
        return odd + float(turned.sum()) / max(1, len(turned))

    def _trial(self, rng: np.random.Generator) -> list[float]:
        """A posture at random, within the limits."""
        values = []
        for j, limits in zip(self.robot.tree_joints, self.robot.joint_limits, strict=True):
            slides = self.robot.frame(j).joint_type.slides
            low, high = (0.3 * self.reach, 0.7 * self.reach) if slides else (-_TURN, _TURN)
            low = low if limits.lower is None else max(low, limits.lower)
            high = high if limits.upper is None else min(high, limits.upper)
            values.append(float(rng.uniform(min(low, high), max(low, high))))
        return values

    def _legible(self) -> dict[str, float]:
        """Of some postures the one whose origins lie farthest apart and above the foot."""
        from robosym.drawing.frame_poses import frame_poses

        rng = random_arrays("postures of a picture")
        postures = []
        for _ in range(_TRIALS):
            values = dict(zip(self.names, self._trial(rng), strict=True))
            self._couple(values)
            postures.append([values[name] for name in self.names])
        numbers = frame_poses(self.robot).compile()(q=np.array(postures)) if self.names else np.zeros((1, 1, 12))
        origins = np.asarray(numbers)[..., 3::4]
        best = int(np.argmax([_legibility(points) for points in origins]))
        return dict(zip(self.names, postures[best], strict=True)) if self.names else {}


def _legibility(points: Array) -> float:
    points = np.vstack([np.zeros(3), points])
    size = np.zeros(3)  # a robot of one link has two points
    found = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    size[: len(found)] = found
    below = np.minimum(points[:, 2], 0).min()
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    far = np.abs(np.subtract.outer(range(len(points)), range(len(points)))) > 3
    clash = np.clip(0.25 * apart.max() - apart[far], 0, None).sum() if far.any() else 0.0
    return float(0.4 * size[0] + 1.5 * size[1] + 0.6 * size[2] + 2 * below - clash)


def _wrapped(q: Array) -> Array:
    """Angles within a turn; lengths are within one anyway, or stay."""
    return np.asarray(np.where(np.abs(q) > 2 * math.pi, np.remainder(q + math.pi, 2 * math.pi) - math.pi, q))


def joint_values(robot: Robot, q: Given) -> dict[str, float]:
    """Numbers by joint variable: from a mapping of variables or joint names, or an array of all joints or motors."""
    joints = robot.tree_joints
    if isinstance(q, Mapping):
        known = {name: robot.variable(j) for name, j in zip(robot.joint_names, joints, strict=True)}
        known |= {name: name for name in robot.variables if name}
        for name in q:
            if name not in known:
                raise InputError(f"{robot.name} has no joint {name}{closest(name, known)}")
        values = {known[name]: _number(value) for name, value in q.items()}
    else:
        array = _array(q)
        motors = [j for j in joints if robot.frame(j).mu]
        wanted = {len(joints): list(joints)} if not robot.loops else {len(motors): motors, len(joints): list(joints)}
        if array.ndim != 1 or len(array) not in wanted:
            sizes = " or ".join(
                f"{size} ({', '.join(robot.variable(j) for j in which)})" for size, which in wanted.items()
            )
            raise InputError(f"q: expected joint positions, {sizes}, found an array of shape {array.shape}")
        values = {robot.variable(j): float(value) for j, value in zip(wanted[len(array)], array, strict=True)}
    for name, value in values.items():
        if not math.isfinite(value):
            raise InputError(f"q: {name}: expected a finite number, found {value!r}")
    return values


def slider_range(robot: Robot, j: int, value: float, reach: float) -> tuple[float, float]:
    """From where to where a slider moves a joint: its limits, else a turn or what looks sensible about its value."""
    limits = robot.joint(j).limits
    slides = not robot.frame(j).joint_type.turns
    low, high = (min(0.0, 2 * value), max(0.3 * reach, 2 * value)) if slides else (-math.pi, math.pi)
    low = low if limits.lower is None else max(limits.lower, -4 * math.pi)
    high = high if limits.upper is None else min(limits.upper, 4 * math.pi)
    return min(low, value), max(high, value)


def _array(q: Any) -> Array:
    try:
        return np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"q: expected numbers, found {q!r}") from None


def _number(value: Any) -> float:
    return float(_array(value).reshape(-1)[0]) if _array(value).size == 1 else math.nan
