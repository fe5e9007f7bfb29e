"""`cable_tensions`: forces of a robot whose legs are cables, which pull and do not push.

The same J_p as of any parallel robot: the pulls t of the cables balance what the platform needs, W t = n with a column
of W for each cable. There are more cables than freedoms; of all pulls between the bounds those are taken that are
nearest to the middle of the bounds, by a quadratic program of its own for each state (quadprog).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.coordinates.legs import Legs
from robosym.dynamics.platform_equations import platform_wrench, total
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.runtime import Compiled
from robosym.studies.conditioning import need_platform

__all__ = ["CableTensions", "Tensions", "cable_tensions"]

Given = Union[ArrayLike, None]
_INPUTS = ("wrench", "gravity", "parameters")
_BALANCED = 1e-8  #: of the largest force: what may be missing


@dataclass(frozen=True)
class Tensions:
    """Pulls (..., cables) in newtons; NaN where no pulls between the bounds hold the platform."""

    tensions: Array
    feasible: Array  #: (...)


@dataclass(frozen=True)
class CableTensions:
    """Made by `cable_tensions`: the model behind it, and `.solve`."""

    robot: Robot
    model: Model  #: outputs "W" (freedom, cables) and "n" (freedom,)
    lower: Array
    upper: Array

    @cached_property
    def _function(self) -> Compiled:
        return self.model.compile()

    def solve(
        self, pose: ArrayLike, twist: Given = None, acceleration: Given = None,
        parameters: Mapping[str, float] | None = None, gravity: Given = None, wrench: Given = None,
        nominal: Given = None,
    ) -> Tensions:  # fmt: skip
        """Pulls for a motion of the platform, or for many: at rest where no twist and acceleration are given.

        The pulls are those between the bounds nearest to `nominal`, by default the middle of the bounds.
        """
        try:
            solve_qp = import_module("quadprog").solve_qp
        except ImportError as error:
            raise InputError("tensions of cables need quadprog: pip install 'robosym[cables]'") from error
        pose = np.asarray(pose, dtype=float)
        if pose.shape[-2:] == (4, 4):
            pose = np.concatenate([pose[..., :3, :3].reshape(*pose.shape[:-2], 9), pose[..., :3, 3]], axis=-1)
        still = np.zeros((*pose.shape[:-1], 6))
        given: dict[str, ArrayLike | Mapping[str, float]] = {
            "pose": pose,
            "twist": still if twist is None else twist,
            "acceleration": still if acceleration is None else acceleration,
        }
        for group, value in (("parameters", parameters), ("gravity", gravity), ("wrench", wrench)):
            if group in self.model.inputs:
                if value is None:
                    names = ", ".join(self.model.inputs[group])
                    raise InputError(f"{self.robot.name}: {group}: expected values for {names}")
                given[group] = value
        W, n = self._function(**given)
        W, n = np.asarray(W), np.asarray(n)
        top = np.where(np.isfinite(self.upper), self.upper, self.lower)
        middle = (self.lower + top) / 2 if nominal is None else _per_cable("nominal", nominal, len(self.lower))
        shape = n.shape[:-1]
        states = zip(W.reshape(-1, *W.shape[-2:]), n.reshape(-1, n.shape[-1]), strict=True)
        found = [self._one(solve_qp, w, r, middle) for w, r in states]
        pulls = np.array(found).reshape((*shape, len(self.lower)))
        return Tensions(pulls, np.asarray(np.isfinite(pulls).all(axis=-1)))

    def _one(self, solve_qp: Callable[..., tuple[Array, ...]], W: Array, n: Array, middle: Array) -> Array:
        cables = len(middle)
        none = np.full(cables, np.nan)
        if not (np.isfinite(W).all() and np.isfinite(n).all()):
            return none
        # rows of the balance that say the same are one: quadprog takes independent ones
        U, s, V = np.linalg.svd(W, full_matrices=False)
        rank = int((s > _BALANCED * max(float(s[0]), 1.0)).sum()) if len(s) else 0
        right = U.T @ n
        size = max(1.0, float(np.abs(n).max()), float(np.abs(self.upper[np.isfinite(self.upper)]).max(initial=1.0)))
        if np.abs(n - U[:, :rank] @ right[:rank]).max(initial=0.0) > _BALANCED * size:
            return none  # no pulls at all give this wrench
        rows, wanted = V[:rank], right[:rank] / s[:rank]
        finite = np.isfinite(self.upper)
        C = np.concatenate([rows, np.eye(cables), -np.eye(cables)[finite]])
        b = np.concatenate([wanted, self.lower, -self.upper[finite]])
        try:
            pulls: Array = solve_qp(np.eye(cables), np.asarray(middle, dtype=float), C.T, b, rank)[0]
        except ValueError:  # "constraints are inconsistent, no solution"
            return none
        inside = (pulls >= self.lower - _BALANCED * size).all() and (pulls <= self.upper + _BALANCED * size).all()
        return np.clip(pulls, self.lower, self.upper) if inside else none


def _per_cable(name: str, value: ArrayLike, cables: int) -> Array:
    found = numbers(name, value, () if np.ndim(value) == 0 else (cables,), finite=False)
    return np.broadcast_to(found, (cables,)).copy()


def cable_tensions(
    robot: Robot, lower: ArrayLike = 0.0, upper: ArrayLike = np.inf, modes: Sequence[int] | None = None
) -> CableTensions:
    """Pulls of cables between bounds for a motion of the platform: `.solve(pose, twist, acceleration)`.

    The legs are cables: each is driven along its length (`cables:` of a description makes such legs). `lower` and
    `upper` are pulls in newtons, one for all or one for each; where no upper bound is given, those nearest to the lower
    one are taken.
    """
    need_platform(robot)
    cables = len(robot.legs)
    pulled = [j for j in robot.motors if robot.frame(j).joint_type.only_slides]
    if len(pulled) != cables or len(robot.motors) != cables:
        raise InputError(f"{robot.name}: expected legs that are driven along their length, each by one motor")
    low, high = _per_cable("lower", lower, cables), _per_cable("upper", upper, cables)
    if not np.isfinite(low).all() or (low < 0).any() or (high <= low).any():
        raise InputError(f"expected bounds with 0 <= lower < upper, found {lower!r} and {upper!r}")
    legs = Legs(robot, ("pose", "twist", "acceleration"), _INPUTS, modes)
    if legs.legs:
        raise InputError(f"{robot.name}: expected legs of a universal joint, a driven prismatic joint and a ball")
    with legs.work as work:
        zero = work.graph.zero
        across = [(strut.load[0], strut.arm.cross(strut.load[0])) for strut in legs.struts]
        needed = legs.projected(total([platform_wrench(legs), *across]))
        rows = [legs.projected(row) for _, row in legs.rows()]
        W = [[zero - row[k] for row in rows] for k in range(len(needed))]  # a cable pulls: it takes length from the leg
        outputs: dict[str, Layout] = {
            "W": work.matrix("WC", W), "n": work.vector("NC", {k: zero + x for k, x in enumerate(needed, 1)})
        }  # fmt: skip
        model = work.model("cab", "Pulls of cables and what the platform needs", outputs)
    return CableTensions(robot, model, low, high)
