"""Loops that only close together: Newton's method on all their equations, from many starts or from a known mode."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from robosym.algebra.generic import ROUNDING, random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.chains.chain import JointChain
from robosym.chains.numeric_chain import NumericChain, distinct, wrapped
from robosym.description import Robot
from robosym.errors import ModeWarning
from robosym.loops.structure import Loop, loop_chain

__all__ = ["SimultaneousLoops"]

_STARTS, _BATCHES = 200, 20
_MET = 3  #: every mode has been met so often when the search ends
_MANY = 300  #: modes, beyond which the search ends too: angles that stand for the same positions of links, mostly
_DAMPING = Damping(first=1e-3, less=10, more=10, least=1e-14, most=2e3)


@dataclass(frozen=True)
class SimultaneousLoops:
    """Several loops with common unknowns."""

    chains: tuple[JointChain, ...]
    unknown: tuple[str, ...]
    lengths: frozenset[str]
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, robot: Robot, loops: Iterable[Loop], known: set[str]) -> SimultaneousLoops:
        chains = tuple(loop_chain(robot, loop) for loop in loops)
        joints = {joint.name: joint for chain in chains for joint in chain.joints}
        unknown = tuple(name for name in joints if name not in known)
        parameters = dict.fromkeys(name for chain in chains for name in chain.parameters)
        lengths = frozenset(name for name, joint in joints.items() if joint.prismatic)
        return cls(chains, unknown, lengths, tuple(parameters))

    def explain(self) -> str:
        return f"{len(self.chains)} loops give {' '.join(self.unknown)} together, by Newton's method from many starts."

    def solve(
        self, known: Mapping[str, float], parameters: Mapping[str, float], near: Mapping[str, float] | None,
        tolerance: float,
    ) -> list[tuple[dict[str, float], float]]:  # fmt: skip
        """Values of the unknown joints and the closure error of every mode that was found."""
        chains = [NumericChain.of(chain, parameters, "snaP", self.unknown) for chain in self.chains]
        length = max(chain.length for chain in chains)
        prismatic = np.array([name in self.lengths for name in self.unknown])
        rng = random_arrays("loops solved at once")
        size = np.where(prismatic, 1.5 * length, np.pi)
        goal = ROUNDING * max(1.0, length)
        modes, errors, met = np.zeros((0, len(self.unknown))), np.zeros(0), np.zeros(0, int)
        for batch in range(_BATCHES):
            x = rng.uniform(-1, 1, (_STARTS, len(self.unknown))) * size
            if near is not None and not batch:
                x[:50] = [near.get(name, 0.0) for name in self.unknown]
                x[1:50] += rng.normal(size=(49, len(self.unknown))) * 0.05 * size
            x, left = levenberg_marquardt(lambda x, _: self._equations(chains, x, known), x, _DAMPING, goal, rounds=60)
            apart = np.abs(left).max(axis=1)
            good = apart <= tolerance * max(1.0, length)
            x = np.concatenate([modes, wrapped(x[good], prismatic)])
            apart = np.concatenate([errors, apart[good]])
            keep, owner = _grouped(x, prismatic, length, apart)
            hits = np.bincount(owner[len(modes) :], minlength=len(keep))
            met = hits + np.concatenate([met, np.zeros(len(keep) - len(modes), int)])
            modes, errors = x[keep], apart[keep]
            if batch and (met.min() >= _MET if len(met) else batch >= _BATCHES // 4):
                break  # a mode that is still missing would have to be met far less often than all others
            if len(modes) > _MANY or batch == _BATCHES - 1:
                self._tell(len(modes))
                break
        return [
            (dict(zip(self.unknown, map(float, row), strict=True)), float(e))
            for row, e in zip(modes, errors, strict=True)
        ]

    def _tell(self, modes: int) -> None:
        warnings.warn(
            f"{modes} assembly modes were found, and there are more (universal and spherical joints have several "
            "angles for one position of their links): near= gives those nearest to a position, `near` follows one",
            ModeWarning,
            stacklevel=4,
        )

    def _equations(self, chains: list[NumericChain], x: Array, known: Mapping[str, float]) -> tuple[Array, Array]:
        """Errors (M, 12 loops) and their derivatives (M, 12 loops, unknowns)."""
        residuals, rows = [], []
        for chain in chains:
            columns = [
                x[:, self.unknown.index(j.name)] if j.name in self.unknown else np.full(len(x), known[j.name])
                for j in chain.joints
            ]
            T, J = chain.jacobian(np.stack(columns, axis=1))
            residuals.append((T - np.eye(4))[:, :3].reshape(len(x), 12))
            full = np.zeros((len(x), 12, len(self.unknown)))
            for column, place in enumerate(chain.unknown):
                full[:, :, self.unknown.index(chain.joints[place].name)] = J[:, column, :3].reshape(len(x), 12)
            rows.append(full)
        return np.concatenate(residuals, axis=1), np.concatenate(rows, axis=1)


def _grouped(x: Array, prismatic: Array, length: float, errors: Array) -> tuple[Array, Array]:
    """Places of the distinct ones, and for each row which of them it is."""
    if not len(x):
        return np.zeros(0, int), np.zeros(0, int)
    keep = distinct(x, prismatic, length, errors)
    apart = np.where(prismatic, (x[:, None] - x[keep]) / length, np.sin((x[:, None] - x[keep]) / 2))
    return keep, np.abs(apart).max(axis=2).argmin(axis=1)
