"""Loops that only close together: Newton's method on all their equations, from many starts or from a known mode."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns, ranks
from robosym.algebra.tolerances import RANK, ROUNDING, SAME
from robosym.chains.chain import JointChain
from robosym.chains.numeric_chain import NumericChain, wrapped
from robosym.coordinates.structure import Loop, loop_chain
from robosym.errors import ModeWarning
from robosym.mechanism import Robot
from robosym.solve.balls import Ball, balls_of

__all__ = ["SimultaneousLoops"]

_STARTS, _BATCHES = 200, 20
_MET = 4  #: every mode has been met so often when the search ends, in whatever angles of its balls
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
        tolerance: float, reference: Mapping[str, float],
    ) -> tuple[list[tuple[dict[str, float], float]], dict[str, float]]:  # fmt: skip
        """Values of the unknown joints and the closure error of every mode that was found, and the idle joints.

        The search goes on about `near`. Where angles of spherical joints make too many of a mode, those nearest to
        `near` or to the `reference` stand for all. Joints that the loops leave free, as the spin of a rod between two
        spherical joints, are idle: they are put where `near` or the `reference` has them, or to 0.
        """
        chains = [NumericChain.of(chain, parameters, "snaP", self.unknown) for chain in self.chains]
        length = max(chain.length for chain in chains)
        rng = random_arrays("loops solved at once")
        size = np.where(self.slides, 1.5 * length, np.pi)
        goal = ROUNDING * max(1.0, length)
        modes = _Modes(self, chains, known, tolerance)
        ended = False
        for batch in range(_BATCHES):
            x = rng.uniform(-1, 1, (_STARTS, len(self.unknown))) * size
            if near is not None and not batch:
                x[:50] = [near.get(name, 0.0) for name in self.unknown]
                x[1:50] += rng.normal(size=(49, len(self.unknown))) * 0.05 * size
            x, left = levenberg_marquardt(lambda x, _: self.equations(chains, x, known), x, _DAMPING, goal, rounds=60)
            apart = np.abs(left).max(axis=1)
            idle = () if batch else self._idle(chains, x[apart <= modes.closed], known)
            if idle:
                rest = replace(self, unknown=tuple(name for name in self.unknown if name not in idle))
                still = {name: (near or reference).get(name, 0.0) for name in idle}
                found, more = rest.solve({**known, **still}, parameters, near, tolerance, reference)
                return [({**values, **still}, error) for values, error in found], {**still, **more}
            modes.take(x, apart)
            if batch and (modes.met.min() >= _MET if len(modes.x) else batch >= _BATCHES // 4):
                ended = True  # a mode that is still missing would have to be met far less often than all others
                break
            if len(modes.x) > _MANY:
                break
        rows, errors, every = modes.all(np.array([(near or reference).get(name, 0.0) for name in self.unknown]))
        if not (ended and every):
            self._tell(len(rows))
        return [
            (dict(zip(self.unknown, map(float, row), strict=True)), float(e))
            for row, e in zip(rows, errors, strict=True)
        ], {}

    def _idle(self, chains: list[NumericChain], x: Array, known: Mapping[str, float]) -> tuple[str, ...]:
        """As many joints as the loops leave free in the most regular of closed positions: the others then follow."""
        if not len(x):
            return ()
        _, slopes = self.equations(chains, x, known)
        slopes = slopes * np.where(self.slides, max(chain.length for chain in chains), 1.0)
        regular = int(ranks(np.linalg.svd(slopes, compute_uv=False)).argmax())
        kept, _ = independent_columns(slopes[regular], RANK)
        return tuple(name for column, name in reversed([*enumerate(self.unknown)]) if column not in kept)

    @property
    def slides(self) -> Array:
        return np.array([name in self.lengths for name in self.unknown])

    def _tell(self, modes: int) -> None:
        warnings.warn(
            f"{modes} assembly modes were found, and there are more (universal and spherical joints have several "
            "angles for one position of their links): near= gives those nearest to a position, `near` follows one",
            ModeWarning,
            stacklevel=4,
        )

    def equations(self, chains: list[NumericChain], x: Array, known: Mapping[str, float]) -> tuple[Array, Array]:
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


class _Modes:
    """The modes that were found, and how often each was met; of those with other angles of balls one stands for all."""

    def __init__(
        self, loops: SimultaneousLoops, chains: list[NumericChain], known: Mapping[str, float], tolerance: float
    ) -> None:
        self._loops, self._chains, self._known = loops, chains, known
        self._length = max(chain.length for chain in chains)
        self.closed = tolerance * max(1.0, self._length)
        self._slides = loops.slides
        self._balls: list[Ball] | None = None  #: None until a mode shows which of them can be turned over
        self.x = np.zeros((0, len(loops.unknown)))
        self.met = np.zeros(0, int)

    def take(self, x: Array, errors: Array) -> None:
        """Add what was found from some starts, as far as the loops are closed there."""
        good = errors <= self.closed
        if not good.any():
            return
        if self._balls is None:
            self._balls = [
                ball
                for ball in balls_of(self._chains, self._loops.unknown)
                if np.nan_to_num(self._errors(ball.other(x[good]))).max() <= self.closed
            ]
        x = x[good]
        for ball in self._balls:
            over = ball.is_over(x)
            x[over] = ball.other(x[over])
        for row, error in zip(wrapped(x, self._slides), errors[good].tolist(), strict=True):
            mode = self._place(row, error)
            if mode is None:
                mode = len(self.x)
                self.x = np.vstack([self.x, row])
                self.met = np.append(self.met, 0)
            self.met[mode] += 1

    def _errors(self, x: Array) -> Array:
        residual, _ = self._loops.equations(self._chains, x, self._known)
        return np.asarray(np.abs(residual).max(axis=1))

    def _place(self, x: Array, error: float) -> int | None:
        """Which of the modes this is."""
        if not len(self.x):
            return None
        apart = np.where(self._slides, (self.x - x) / self._length, np.sin((self.x - x) / 2))
        far = np.abs(apart).max(axis=1)
        nearest = int(far.argmin())
        return nearest if far[nearest] <= SAME + 5 * np.sqrt(error / max(1.0, self._length)) else None

    def all(self, to: Array) -> tuple[Array, Array, bool]:
        """The modes in all angles of their balls with the errors; where these are too many, in those nearest to `to`.

        Says whether they are all.
        """
        found, every = self.x, True
        for ball in self._balls or ():
            other = ball.other(found)
            regular = np.isfinite(other).all(axis=1)
            if len(found) + regular.sum() <= _MANY and every:
                found = np.concatenate([found, other[regular]])
                continue
            found, every = found[: len(self.x)], False
        if not every:
            for ball in self._balls or ():
                other = ball.other(found)
                nearer = ball.distance(other, to) < ball.distance(found, to)
                found = np.where(nearer[:, None], other, found)
        found = wrapped(found, self._slides)
        return found, self._errors(found) if len(found) else np.zeros(0), every
