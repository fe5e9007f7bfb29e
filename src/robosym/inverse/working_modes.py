"""From solutions of the direct path to the motors of a closed robot: leg after leg, each distinct solution once.

What a loop sees of the joints known by then are the transformations of the runs of known joints between its unknown
ones. Many values of passive joints give the same ones (a universal joint that is turned over by half a turn), so each
loop is solved once for each distinct set of them, and branches that agree in these and in the motors are one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robosym.algebra.samples import Array
from robosym.loops.stages import Branch, Stage
from robosym.model.solution.signs import branch_signs

__all__ = ["LegByLeg"]

_SAME = 1e-6  #: motors and transformations nearer to each other are one


class LegByLeg:
    """The loops of a closed robot behind a direct path that is solved."""

    def __init__(
        self, stages: Sequence[Stage], motors: Sequence[str], lengths: set[str], near: Mapping[str, float] | None,
        wanted: Callable[[Branch], bool],
    ) -> None:  # fmt: skip
        self.stages = list(stages)
        self.motors = list(motors)
        self.lengths = lengths
        self.near = near
        self.wanted = wanted  #: whether a branch, on its way or complete, is of use

    def run(self, branches: list[Branch], parameters: Mapping[str, float], tolerance: float) -> list[Branch]:
        """Motor-distinct branches, and one value of every joint that the loops give beside them."""
        branches = self.merged(branches, self.stages, parameters)
        for number, stage in enumerate(self.stages):
            if not branches:
                return []
            branches = self._through(stage, branches, parameters, tolerance)
            branches = self.merged(branches, self.stages[number + 1 :], parameters)
        return branches

    def _through(
        self, stage: Stage, branches: list[Branch], parameters: Mapping[str, float], tolerance: float
    ) -> list[Branch]:
        """Every branch with every solution of one loop, which is solved once for all branches that look alike to it."""
        views = np.array([_view(stage, branch.values, parameters) for branch in branches])
        first = [int(np.flatnonzero(np.abs(views - view).max(axis=1, initial=0) < _SAME)[0]) for view in views]
        asked = sorted(set(first))
        names = stage.problem.chain.names
        q = np.array([[branches[row].values.get(name, 0.0) for name in names] for row in asked])
        T = np.broadcast_to(np.eye(4), (len(asked), 4, 4)).copy()
        found = stage.solver.solve(T, q, parameters, np.full(len(asked), tolerance))
        answers = dict(zip(asked, found, strict=True))
        grown = []
        for branch, row in zip(branches, first, strict=True):
            rows, errors, free = answers[row]
            values: dict[str, Any] = {**parameters, **{name: rows[:, place] for place, name in enumerate(names)}}
            signs = branch_signs(stage.steps, values, len(rows))
            for solution, error, places, sign in zip(rows, errors, free, signs, strict=True):
                new = {n: float(x) for n, x in zip(names, solution, strict=True) if n not in branch.values}
                loose = (*branch.free, *stage.idle, *(names[place] for place in places))
                error = max(branch.error, float(error))
                grown.append(Branch(branch.row, {**branch.values, **new}, error, loose, f"{branch.signs} {sign}"))
        return grown

    def merged(self, branches: list[Branch], later: Sequence[Stage], parameters: Mapping[str, float]) -> list[Branch]:
        """One of each set of branches that have the same motors and that later loops cannot tell apart.

        It is the nearest to a wanted position, or else the one whose signs come first.
        """
        kept: list[Branch] = []
        marks: list[tuple[int, Array]] = []
        for branch in sorted(filter(self.wanted, branches), key=lambda branch: (self._distance(branch), branch.signs)):
            mark = self._mark(branch, later, parameters)
            if all(row != branch.row or np.abs(other - mark).max(initial=0) > _SAME for row, other in marks):
                marks.append((branch.row, mark))
                kept.append(replace(branch, signs=branch.signs.strip()))
        return kept

    def _mark(self, branch: Branch, later: Sequence[Stage], parameters: Mapping[str, float]) -> Array:
        known = [(name, branch.values[name]) for name in self.motors if name in branch.values]
        motors = [part for name, x in known for part in ((x,) if name in self.lengths else (np.cos(x), np.sin(x)))]
        return np.concatenate([motors, *(_view(stage, branch.values, parameters) for stage in later)])

    def _distance(self, branch: Branch) -> float:
        if self.near is None:
            return 0.0
        apart = [
            abs(x - self.near[name]) if name in self.lengths else abs(2 * np.sin((x - self.near[name]) / 2))
            for name, x in branch.values.items()
            if name in self.near
        ]
        return float(max(apart, default=0.0))


def _view(stage: Stage, values: Mapping[str, float], parameters: Mapping[str, float]) -> Array:
    """What a loop sees of the joints known by now: the transformations of the runs of them between the others."""
    chain = stage.solver.numeric(parameters)
    seen: list[Any] = []
    T = chain.constants[0] if chain.joints[0].name in values else np.eye(4)
    moved = False
    for joint, constant in zip(chain.joints, chain.constants[1:], strict=True):
        if joint.name in values:
            T, moved = T @ joint.motion(np.array(values[joint.name])) @ constant, True
            continue
        if moved:
            seen.append(T[:3].ravel())
        T, moved = np.eye(4), False
    if moved:
        seen.append(T[:3].ravel())
    return np.concatenate(seen) if seen else np.zeros(0)
