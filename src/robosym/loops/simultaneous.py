"""Loops that only close together: Newton's method on all their equations, from many starts or from a known mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from robosym.algebra.generic import ROUNDING, random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.chains.chain import JointChain
from robosym.chains.numeric_chain import NumericChain, distinct, wrapped
from robosym.description import Robot
from robosym.loops.structure import Loop, loop_chain

__all__ = ["SimultaneousLoops"]

_STARTS = 400
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
        x = rng.uniform(-1, 1, (_STARTS, len(self.unknown))) * size
        if near is not None:
            x[:50] = [near.get(name, 0.0) for name in self.unknown]
            x[1:50] += rng.normal(size=(49, len(self.unknown))) * 0.05 * size
        goal = ROUNDING * max(1.0, length)
        x, left = levenberg_marquardt(lambda x, _: self._equations(chains, x, known), x, _DAMPING, goal, rounds=60)
        errors = np.abs(left).max(axis=1)
        good = np.flatnonzero(errors <= tolerance * max(1.0, length))
        x = wrapped(x[good], prismatic)
        keep = distinct(x, prismatic, length, errors[good]) if len(x) else np.zeros(0, int)
        return [(dict(zip(self.unknown, map(float, x[row]), strict=True)), float(errors[good][row])) for row in keep]

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
