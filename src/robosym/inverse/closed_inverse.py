"""The inverse geometric model of a closed robot: the direct path to the frame, then its motors, loop after loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from robosym.algebra.generic import SOLVED
from robosym.algebra.samples import Array
from robosym.chains.numeric_chain import Solutions
from robosym.errors import InputError
from robosym.inverse.fitting import Bounds, within
from robosym.inverse.inverse_geometry import InverseGeometry
from robosym.inverse.working_modes import LegByLeg
from robosym.loops.simultaneous import SimultaneousLoops
from robosym.loops.stages import Branch, Stage, stages
from robosym.model.solution.signs import branch_signs
from robosym.model.solution.steps import explain_steps

__all__ = ["ClosedInverseGeometry", "with_loops"]


@dataclass(frozen=True)
class ClosedInverseGeometry(InverseGeometry):
    """Motors (and passive joints) from a pose: made by `inverse_geometry`."""

    loops: tuple[Stage, ...] = field(default=(), repr=False)  #: that give joints outside the direct path
    together: SimultaneousLoops | None = field(default=None, repr=False)  #: those that only close together
    motors: tuple[str, ...] = ()

    def _of_pose(
        self, pose: Array, found: tuple[Array, Array, list[tuple[int, ...]]], values: Mapping[str, float],
        near: Array | None, bounds: Bounds, modes: Sequence[str] | str | None,
    ) -> Solutions:  # fmt: skip
        q, errors, free = found
        names = self.problem.chain.names
        entries = {name: pose[place // 4, place % 4] for place, name in enumerate(self.problem.entries)}
        columns = {name: q[:, place] for place, name in enumerate(names)}
        symbols: dict[str, Any] = {**values, **entries, **columns}
        signs = branch_signs(self.steps, symbols, len(q))
        still = dict.fromkeys(self.idle, 0.0)
        branches = [
            Branch(0, {**still, **dict(zip(names, map(float, row), strict=True))}, float(error), loose, sign)
            for row, error, loose, sign in zip(q, errors, self._labels(free), signs, strict=True)
        ]
        beside = None if near is None else dict(zip(self.joints, near, strict=True))
        chosen = None if modes is None else (modes,) if isinstance(modes, str) else tuple(modes)

        def of_use(branch: Branch) -> bool:
            on_its_way = chosen is None or any(mode.startswith(branch.signs.strip()) for mode in chosen)
            return on_its_way and within(branch.values, self._lengths, bounds)

        legs = LegByLeg(self.loops, self.motors, self._lengths, beside, of_use)
        branches = legs.run(branches, values, SOLVED)
        if self.together is not None:
            branches = legs.merged(self._together(branches, values, beside), (), values)
        branches = [branch for branch in branches if chosen is None or branch.signs in chosen]
        branches.sort(key=lambda branch: [round(branch.values[name], 6) for name in self.motors])
        rows = np.array([[branch.values[name] for name in self.joints] for branch in branches])
        table = rows.reshape(len(branches), len(self.joints))
        outcome = [branch.error for branch in branches], [branch.free for branch in branches]
        return Solutions.of(table, self.joints, np.array(outcome[0]), outcome[1], [b.signs for b in branches])

    def _labels(self, free: Sequence[tuple[int, ...]]) -> list[tuple[str, ...]]:
        names = self.problem.chain.names
        return [(*(names[place] for place in places), *self.idle) for places in free]

    def _together(
        self, branches: Sequence[Branch], values: Mapping[str, float], near: Mapping[str, float] | None
    ) -> list[Branch]:
        assert self.together is not None
        return [
            Branch(branch.row, {**branch.values, **more}, max(branch.error, error), branch.free, branch.signs)
            for branch in branches
            for more, error in self.together.solve(branch.values, values, near, SOLVED)
        ]

    def explain(self) -> str:
        """The method, why it was chosen, and every step in words, those of the loops too."""
        parts = [super().explain().rstrip()]
        for stage in self.loops:
            where = f"frames {stage.loop.cut} and {stage.loop.fixed}"
            parts.append(f"Loop of {where} then gives {' '.join(stage.unknown)}.")
            parts += explain_steps(stage.steps)
        if self.together is not None:
            parts.append(self.together.explain())
        return "\n\n".join(parts) + "\n"


def with_loops(model: InverseGeometry, passive: bool) -> InverseGeometry:
    """The model of a direct path with the loops of its robot."""
    robot = model.robot
    tree = [robot.variable(j) for j in robot.tree_joints]
    cuts = [k for k, _ in robot.loops if robot.frame(k).is_joint]
    driven = tuple(robot.variable(j) for j in (*robot.tree_joints, *cuts) if robot.frame(j).mu == 1)
    known = model.problem.chain.names  # what the pose leaves idle the loops may give
    loops, left = stages(robot, known)
    found = {*known, *(name for stage in loops for name in (*stage.unknown, *stage.idle))}
    together = SimultaneousLoops.of(robot, left, found) if left else None
    if together is not None:
        found |= set(together.unknown)
    idle = tuple(name for name in model.idle if name not in found)
    found |= set(idle)
    lacking = [name for name in driven if name not in found]
    if lacking:
        raise InputError(
            f"{robot.name}: the pose does not determine {', '.join(lacking)}: place a frame that these motors move"
        )
    joints = tuple(name for name in tree if name in found) if passive else driven
    chains = [*(stage.problem.chain for stage in loops), *(together.chains if together is not None else ())]
    parameters = dict.fromkeys((*model.parameters, *(name for chain in chains for name in chain.parameters)))
    base = {entry.name: getattr(model, entry.name) for entry in fields(InverseGeometry)}
    base |= {"joints": joints, "parameters": tuple(parameters), "idle": idle}
    return ClosedInverseGeometry(**base, loops=tuple(loops), together=together, motors=driven)
