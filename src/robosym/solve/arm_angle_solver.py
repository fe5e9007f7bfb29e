"""Numeric solutions of arms with an arm angle: the closed form, and the treatment of singular positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import RANK
from robosym.chains.arm_angle import ARM_ANGLE, ArmAngle, arm_angle
from robosym.chains.chain import JointChain, PoseProblem, pose_problem
from robosym.chains.numeric_chain import BELOW_HALF_TURN, ChainSolutions, NumericChain, Solver, distinct, wrapped
from robosym.chains.paul import ChainBranches
from robosym.model.solution.steps import Step

__all__ = ["arm_angle_solution"]

_REASON = (
    "Shoulder and wrist are spherical: with the angle arm_angle, from the plane of the first axis and the line from "
    "shoulder to wrist to the plane of the third axis and this line, every joint follows from equations of table 2.1."
)
_DIFFERENCE, _TURNS = 1e-5, 1e-4  #: a small motion, and the rate of an angle that turns along it
_SAME_ANGLE = 1e-7  #: how far the arm angle of a solution may be from the given one


def arm_angle_solution(chain: JointChain) -> tuple[PoseProblem, tuple[Step, ...], Solver, str] | None:
    """Return problem, steps, solver and reason for a chain with an arm angle, or None for other chains."""
    problem = pose_problem(chain, chain.names, "snaP")
    form = arm_angle(problem)
    if form is None:
        return None
    branches = ChainBranches(problem, form.steps, partial(_by_name, form))
    solver = ArmAngleSolver(problem, branches.candidates, branches.sizes, form=form)
    solver.inputs = partial(_as_column, form)
    return problem, form.steps, solver, _REASON


def _by_name(form: ArmAngle, chain: NumericChain, q: Array) -> dict[str, Array]:
    return {ARM_ANGLE: form.of(chain, q)}


def _as_column(form: ArmAngle, chain: NumericChain, q: Array) -> Array:
    return form.of(chain, q)[:, None]


@dataclass
class ArmAngleSolver(Solver):
    """Verified solutions at an arm angle. One free direction is the self-motion, two are a singular position."""

    form: ArmAngle | None = None

    def numeric(self, parameters: Mapping[str, float]) -> NumericChain:
        return super().numeric({name: value for name, value in parameters.items() if name != ARM_ANGLE})

    def solve(self, T: Array, known: Array, parameters: Mapping[str, float], tolerance: Array) -> list[ChainSolutions]:
        """Return the solutions of each pose."""
        assert self.form is not None
        chain = self.numeric(parameters)
        with np.errstate(all="ignore"):
            pose, q, suspect = self.candidates(chain, T, known, parameters)
        finite = np.isfinite(q).all(axis=1)
        q, errors = chain.polish(q[finite], T[pose[finite]])
        pose, scale = pose[finite], max(1.0, chain.length)
        apart = self.form.of(chain, q) - parameters[ARM_ANGLE]
        same = np.abs(np.sin(apart / 2)) <= _SAME_ANGLE
        good = (errors <= tolerance[pose] * scale) & same
        pose, q, errors = pose[good], wrapped(q[good], chain.prismatic), errors[good]
        result = []
        for number in range(len(T)):
            rows = np.flatnonzero(pose == number)
            rows = rows[distinct(q[rows], chain.prismatic, chain.length, errors[rows])] if len(rows) else rows
            marks = np.round(np.where(q[rows] < BELOW_HALF_TURN, np.pi, q[rows]), 6)
            rows = rows[np.lexsort(marks.T[::-1])]
            free = [self._free(chain, q[row]) for row in rows]
            complete = False if suspect[number] else None
            result.append(ChainSolutions(q[rows], errors[rows], free, complete))
        return result

    def _free(self, chain: NumericChain, q: Array) -> tuple[int, ...]:
        """Return the joints that can move, to first order, at constant pose and arm angle."""
        assert self.form is not None
        _, J = chain.jacobian(q[None])
        _, sizes, V = np.linalg.svd(J[0, :, :3].reshape(J.shape[1], -1).T)
        loose = V[int((sizes > RANK * sizes[0]).sum()) :]
        ahead, behind = (self.form.of(chain, q + sign * _DIFFERENCE * loose) for sign in (1, -1))
        rates = np.sin((ahead - behind) / 2) / _DIFFERENCE  # of the arm angle along these directions
        if len(loose) < 2 and abs(rates).max(initial=0.0) > _TURNS:
            return ()
        kept = np.linalg.svd(rates[None])[2][int(abs(rates).max(initial=0.0) > _TURNS) :] @ loose
        return tuple(np.flatnonzero(np.linalg.norm(kept, axis=0) > _TURNS).tolist())
