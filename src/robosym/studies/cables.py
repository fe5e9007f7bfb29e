"""Tensions of cable-driven parallel robots, whose legs pull and do not push.

With the J_p of any parallel robot, the tensions t balance the wrench of the platform, W t = n, with one column of W
per cable. There are more cables than degrees of freedom; a quadratic program (quadprog) selects the tensions within
the bounds that are closest to the middle of the bounds.
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
from robosym.dynamics.platform_equations import Loads
from robosym.errors import InputError, missing_values
from robosym.mechanism import Robot
from robosym.model import Layout, Model
from robosym.runtime import Compiled
from robosym.runtime.evaluation import Numbers
from robosym.solve.pose_coordinates import poses_of
from robosym.studies.conditioning import need_platform

__all__ = ["CableTensions", "Tensions", "cable_tensions"]

Given = Union[ArrayLike, None]
_INPUTS = ("wrench", "gravity", "parameters")
_BALANCED = 1e-8  #: tolerated residual of the balance, relative to the largest force


@dataclass(frozen=True)
class Tensions:
    """Tensions in N, shape (..., cables); NaN where no tensions within the bounds balance the platform."""

    tensions: Array
    feasible: Array  #: shape (...)

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Return the tensions of the cables in one pose as a table; raise an error if none are within the bounds."""
        if not self.feasible:
            raise InputError(
                "tensions within the bounds cannot hold the platform in this pose: expected another pose or wider "
                "bounds"
            )
        lines = [f"{name} = {tension:.9g}" for name, tension in zip(names, self.tensions, strict=True)]
        return Numbers(tuple(names), [self.tensions], shown="\n".join(lines))


@dataclass(frozen=True)
class CableTensions:
    """Solver of cable tensions, returned by `cable_tensions`, with its model."""

    robot: Robot
    model: Model  #: outputs "W", shape (DoF, cables), and "n", shape (DoF,)
    lower: Array
    upper: Array

    @cached_property
    def _function(self) -> Compiled:
        return self.model.compile()

    def solve(
        self, pose: ArrayLike | Mapping[str, ArrayLike], twist: Given = None, acceleration: Given = None,
        parameters: Mapping[str, float] | None = None, gravity: Given = None, wrench: Given = None,
        nominal: Given = None,
    ) -> Tensions:  # fmt: skip
        """Return the tensions for one or many motions of the platform.

        Parameters
        ----------
        pose : array_like, shape (..., 12) or (..., 4, 4)
            Poses of the platform in frame 0.
        twist, acceleration : array_like, shape (..., 6), optional
            Motion of the platform. The default is zero.
        parameters : mapping of str to float, optional
            Values of the symbols of the robot.
        gravity : array_like, shape (3,), optional
            Gravity, if the description contains symbols.
        wrench : array_like, shape (..., 6), optional
            External wrench on the platform.
        nominal : array_like, optional
            Preferred tensions in N. The default is the middle of the bounds.

        Returns
        -------
        Tensions
            Tensions within the bounds that are closest to `nominal`.

        Raises
        ------
        InputError
            If quadprog is not installed, or a value is missing.
        """
        try:
            solve_qp = import_module("quadprog").solve_qp
        except ImportError as error:
            raise InputError("cable_tensions requires quadprog: run pip install 'robosym[cables]'") from error
        rows = poses_of(self.robot, pose)
        still = np.zeros((*rows.shape[:-1], 6))
        given: dict[str, ArrayLike | Mapping[str, float]] = {
            "pose": rows,
            "twist": still if twist is None else twist,
            "acceleration": still if acceleration is None else acceleration,
        }
        for group, value in (("parameters", parameters), ("gravity", gravity), ("wrench", wrench)):
            if group in self.model.inputs:
                if value is None:
                    raise missing_values(self.model.inputs[group], f"{self.robot.name}: {group}: ")
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
        # quadprog requires independent rows
        U, s, V = np.linalg.svd(W, full_matrices=False)
        rank = int((s > _BALANCED * max(float(s[0]), 1.0)).sum()) if len(s) else 0
        right = U.T @ n
        size = max(1.0, float(np.abs(n).max()), float(np.abs(self.upper[np.isfinite(self.upper)]).max(initial=1.0)))
        if np.abs(n - U[:, :rank] @ right[:rank]).max(initial=0.0) > _BALANCED * size:
            return none  # no tensions give this wrench
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
    """Return a solver of cable tensions within bounds.

    The legs are cables, each driven along its length (`cables:` in a description creates such legs).

    Parameters
    ----------
    robot : Robot
        Parallel robot with cables as legs.
    lower : float or array_like
        Lower bound of the tensions in N: one for all or one per cable.
    upper : float or array_like
        Upper bound of the tensions in N: one for all or one per cable. Default: none; the tensions closest to the
        lower bound are returned.
    modes : sequence of int, optional
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.

    Returns
    -------
    CableTensions
        Solver with a method `solve(pose, twist, acceleration)`.

    Raises
    ------
    InputError
        If the robot has other legs, or a bound is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> robot = rs.load("cable8")
    >>> solver = rs.cable_tensions(robot, lower=5, upper=300)
    >>> solver.solve([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]).feasible
    array(True)
    """
    need_platform(robot)
    cables = len(robot.legs)
    pulled = [j for j in robot.motors if robot.frame(j).joint_type.only_slides]
    if len(pulled) != cables or len(robot.motors) != cables:
        raise InputError(f"{robot.name}: expected legs driven along their length, each by one motor")
    low, high = _per_cable("lower", lower, cables), _per_cable("upper", upper, cables)
    if not np.isfinite(low).all() or (low < 0).any() or (high <= low).any():
        wrong = "upper" if np.isfinite(low).all() and (low >= 0).all() else "lower"
        raise InputError(f"{wrong}: expected bounds with 0 <= lower < upper, found {lower!r} and {upper!r}")
    legs = Legs(robot, ("pose", "twist", "acceleration"), _INPUTS, modes)
    if legs.legs:
        raise InputError(
            f"{robot.name}: expected legs with a universal joint, a driven prismatic joint and a spherical joint"
        )
    with legs.work as work:
        zero = work.graph.zero
        needed = Loads(legs).projected(motors=False)
        rows = [legs.projected(row) for _, row in legs.rows()]
        W = [[zero - row[k] for row in rows] for k in range(len(needed))]  # a tension shortens the leg
        outputs: dict[str, Layout] = {
            "W": work.matrix("WC", W), "n": work.vector("NC", {k: zero + x for k, x in enumerate(needed, 1)})
        }  # fmt: skip
        model = work.model("cab", "Wrench matrix of the cables and required wrench", outputs)
    return CableTensions(robot, model, low, high)
