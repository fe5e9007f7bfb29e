"""What an inverse geometric model is to its user: steps to read, `solve` to call, code to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robosym.algebra.samples import Array, evaluate_arrays
from robosym.chains.mechanism import Mechanism, values_of
from robosym.chains.numeric_chain import Kinematics, distinct, wrapped
from robosym.chains.problem import Problem, parameters_of
from robosym.errors import InputError
from robosym.model.solution.roots import strength
from robosym.model.solution.steps import Step, run

__all__ = ["Candidates", "Solutions", "Solver", "numeric_chain", "program_solver"]

_NEAR = 1e-2  #: a candidate whose error is larger, in units of the robot, is not worth polishing
_STARTS = 48  #: configurations from which a singular pose is searched

#: Possible configurations of poses (m, 4, 4): the pose of each row, the rows, and the poses that need another look.
Candidates = Callable[[Kinematics, Array, Array, Mapping[str, float]], tuple[Array, Array, Array]]


class Solutions(np.ndarray[Any, np.dtype[np.float64]]):
    """Solutions (k, joints), with names of the columns, the error of each row and the joints that are free in it."""

    joints: tuple[str, ...]
    errors: Array
    free: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, q: Array, joints: Sequence[str], errors: Array, free: Sequence[tuple[str, ...]]) -> Solutions:
        result = np.ascontiguousarray(q, dtype=float).view(cls)
        result.joints, result.errors, result.free = tuple(joints), errors, tuple(free)
        return result

    def __array_finalize__(self, source: Any) -> None:
        self.joints = getattr(source, "joints", ())
        self.errors = getattr(source, "errors", np.zeros(0))
        self.free = getattr(source, "free", ())

    @property
    def singular(self) -> bool:
        """Whether some solution has a joint that can move while the pose stays."""
        return any(self.free)


def numeric_chain(chain: Mechanism, given: str, unknown: Sequence[str], parameters: Mapping[str, float]) -> Kinematics:
    """A chain with its parameters put in; an `InputError` names the first that has no value."""
    for name in parameters_of(chain):
        if name not in parameters:
            raise InputError(
                f"the parameter {name} has no value: pass parameters={{'{name}': ...}} or use robot.with_values"
            )
    constants = [values_of(c, lambda entries: evaluate_arrays(entries, parameters), None) for c in chain.constants]
    places = [place for place, joint in enumerate(chain.joints) if joint.name in unknown]
    return Kinematics(chain.joints, constants, given, places)


def program_solver(problem: Problem, steps: Sequence[Step]) -> Candidates:
    """Candidates from the steps of a closed form."""
    cache: dict[tuple[tuple[str, float], ...], list[list[float]]] = {}
    joints = [joint.name for joint in problem.chain.joints]

    def candidates(
        chain: Kinematics, T: Array, known: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        key = tuple(parameters.items())
        if key not in cache:
            cache.clear()
            cache[key] = _usual_sizes(problem, steps, chain, parameters)
        inputs: dict[str, Any] = dict(parameters)
        inputs |= {name: T[:, place // 4, place % 4] for place, name in enumerate(problem.entries)}
        inputs |= {name: known[:, p] for p, name in enumerate(joints) if name not in problem.unknown}
        pose, values, suspect = run(steps, inputs, len(T), cache[key])
        return pose, np.stack([values[name] for name in joints], axis=1), suspect

    return candidates


def _usual_sizes(
    problem: Problem, steps: Sequence[Step], chain: Kinematics, parameters: Mapping[str, float]
) -> list[list[float]]:
    """What each step divides by, at configurations drawn at random: what is tiny is judged by it."""
    rng = np.random.default_rng(3)
    q = rng.uniform(-3, 3, (32, len(chain.joints))) * np.where(chain.prismatic, chain.length / 3, 1.0)
    T = chain.forward(q)
    values: dict[str, Any] = dict(parameters)
    values |= {joint.name: q[:, place] for place, joint in enumerate(chain.joints)}
    values |= {name: T[:, place // 4, place % 4] for place, name in enumerate(problem.entries)}
    sizes = []
    for step in steps:
        values[step.joint] = sum(sign * values[name] for name, sign in step.variable.terms)
        row = []
        for equation in step.coefficients:
            numbers = [np.broadcast_to(value, (32,)) for value in evaluate_arrays(equation, values)]
            usual = float(np.median(strength(step.form, numbers)))
            row.append(usual if np.isfinite(usual) and usual > 0 else 1.0)
        sizes.append(row)
    return sizes


@dataclass
class Solver:
    """Verified solutions of a chain, from the candidates of any method."""

    chain: Mechanism
    unknown: tuple[str, ...]
    given: str
    candidates: Candidates
    search_all: bool = False  #: whether every pose without a solution is searched, not only singular ones
    _chains: dict[tuple[tuple[str, float], ...], Kinematics] = field(default_factory=dict, repr=False)

    def numeric(self, parameters: Mapping[str, float]) -> Kinematics:
        key = tuple(parameters.items())
        if key not in self._chains:
            self._chains.clear()
            self._chains[key] = numeric_chain(self.chain, self.given, self.unknown, parameters)
        return self._chains[key]

    def solve(
        self, T: Array, known: Array, parameters: Mapping[str, float], tolerance: Array
    ) -> list[tuple[Array, Array, list[tuple[int, ...]]]]:
        """For each pose: solutions (k, joints of the chain), their errors, and the places of their free joints."""
        chain = self.numeric(parameters)
        pose, q, suspect = self.candidates(chain, T, known, parameters)
        scale = max(1.0, chain.length)
        near = chain.error(q, T[pose]) <= _NEAR * scale
        pose, q = pose[near], q[near]
        found = self._verified(chain, pose, q, T, tolerance)
        missing = np.setdiff1d(np.arange(len(T)) if self.search_all else np.flatnonzero(suspect), found[0])
        if len(missing):
            rows, starts = _starts(chain, missing, known)
            starts, _ = chain.polish(starts, T[rows], turns=40)
            more = self._verified(chain, rows, starts, T, tolerance)
            found = tuple(np.concatenate(pair) for pair in zip(found, more, strict=True))  # type: ignore[assignment]
        return self._grouped(chain, len(T), T, *found)

    def _verified(
        self, chain: Kinematics, pose: Array, q: Array, T: Array, tolerance: Array
    ) -> tuple[Array, Array, Array]:
        q, errors = chain.polish(q, T[pose])
        good = errors <= tolerance[pose] * max(1.0, chain.length)
        return pose[good], wrapped(q[good], chain.prismatic), errors[good]

    def _grouped(
        self, chain: Kinematics, count: int, T: Array, pose: Array, q: Array, errors: Array
    ) -> list[tuple[Array, Array, list[tuple[int, ...]]]]:
        free = chain.free_joints(q, T[pose])
        result = []
        order = np.argsort(pose, kind="stable")
        edges = np.searchsorted(pose[order], np.arange(count + 1))
        for number in range(count):
            rows = order[edges[number] : edges[number + 1]]
            rows = rows[distinct(q[rows], chain.prismatic, chain.length, errors[rows])] if len(rows) else rows
            rows = rows[np.lexsort(np.round(q[rows], 6).T[::-1])]  # by the first joint, then the second ..
            result.append((q[rows], errors[rows], [free[row] for row in rows]))
        return result


def _starts(chain: Kinematics, poses: Array, known: Array) -> tuple[Array, Array]:
    """Configurations drawn at random for each pose, the known joints at their values."""
    rng = np.random.default_rng(11)
    rows = np.repeat(poses, _STARTS)
    size = np.where(chain.prismatic, 1.5 * chain.length, np.pi)
    q = rng.uniform(-1, 1, (len(rows), len(chain.joints))) * size
    fixed = [place for place in range(len(chain.joints)) if place not in chain.unknown]
    q[:, fixed] = known[rows][:, fixed]
    return rows, q
