"""The general method in machine code: arrays in and out, for one pose or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from robosym.algebra.samples import Array
from robosym.chains.elimination import MODULES
from robosym.chains.elimination.all_solutions import MOST
from robosym.chains.numeric_chain import NumericChain

__all__ = ["EliminationPlan", "Prepared", "elimination_sources"]


def elimination_sources() -> list[str]:
    """The texts of the plain functions."""
    folder = files("robosym.chains.elimination")
    return [folder.joinpath(f"{name}.py").read_text("utf-8") for name in MODULES]


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    """Compiled once, whatever the robot: its geometry is data."""
    from robosym.runtime.plain_llvm import plain_functions

    return plain_functions(elimination_sources(), ("many_solutions", "trial"))


@dataclass(frozen=True)
class EliminationPlan:
    """How an elimination is begun: a choice of equation A1-16, offsets of the joints, what perturbs the constants."""

    first: int  #: the joint that comes first
    hidden: int  #: which of the first three is hidden
    offsets: tuple[float, ...]  #: from where the half-angle tangents are counted
    moves: Array  #: seven motions (7, 4, 4), lengths in units of the robot's; the identity where nothing is perturbed
    sure: bool = True  #: whether it has found every known solution, to many digits

    @property
    def numbers(self) -> list[float]:
        """As the kernel takes them."""
        return [*self.offsets, *self.moves[:, :3].ravel()]


class Prepared:
    """A chain of six joints and its plans as the kernel takes them.

    The joints behind the first `real` ones are virtual; `columns` are those of the pose that are given.
    """

    def __init__(
        self, chain: NumericChain, real: int, columns: Sequence[int], plans: Sequence[EliminationPlan]
    ) -> None:
        shape = [real, sum(1 << column for column in columns), len(plans)]
        shape += [int(joint.prismatic) for joint in chain.joints] + [joint.sign for joint in chain.joints]
        for plan in plans:
            shape += [plan.first, plan.hidden, int(plan.sure)]
        self.real = real
        self.shape = np.array(shape, dtype=np.intc)
        self.constants = np.ascontiguousarray(np.stack(chain.constants)[:, :3]).ravel()
        self.plans = np.array([number for plan in plans for number in plan.numbers])

    def solve(self, T: Array, tolerance: Array) -> tuple[Array, Array, Array, Array]:
        """Of poses (m, 4, 4): solutions (m, 16, 6), their errors and masks of free joints, and how many there are."""
        poses = np.ascontiguousarray(T[:, :3], dtype=float)
        tolerances = np.ascontiguousarray(np.broadcast_to(tolerance, len(T)), dtype=float)
        q, errors = np.empty((len(T), MOST, 6)), np.empty((len(T), MOST))
        free, counts = np.zeros((len(T), MOST), np.intc), np.zeros(len(T), np.intc)
        given = (self.shape, self.constants, self.plans)
        _functions()["many_solutions"](
            *(part.ctypes.data for part in given), len(T), poses.ctypes.data, tolerances.ctypes.data, q.ctypes.data,
            errors.ctypes.data, free.ctypes.data, counts.ctypes.data,
        )  # fmt: skip
        return q, errors, free, counts

    def trial(self, q: Array) -> float:
        """The error before Newton's method with which the first plan finds known joints; -1 where it does not."""
        known = np.ascontiguousarray(q, dtype=float)
        given = (self.shape, self.constants, self.plans, known)
        return float(_functions()["trial"](*(part.ctypes.data for part in given)))
