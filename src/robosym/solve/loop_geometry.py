"""Loop geometry (guide 2.3.8, 5.5.7): the passive joints of a closed robot from its active ones, all assembly modes.

The product of the transformations around a loop is the identity. By default, the active joints (mu = 1) are known; to
compute motors from other joints, pass the latter as `known`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import numbers
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import CLOSED, SOLVED
from robosym.chains.numeric_chain import Solutions, parameter_values
from robosym.chains.products import checks
from robosym.coordinates.accepts import accepts
from robosym.coordinates.following import LoopFollower
from robosym.coordinates.loops import loops_of
from robosym.errors import InputError, ModeWarning
from robosym.mechanism import Robot
from robosym.mechanism.needs import need_loops
from robosym.model.solution.recipe import EVERY_MODE, StepsRecipe
from robosym.model.solution.steps import Step, explain_steps
from robosym.safe_text import markup
from robosym.solve.general import GeneralStep
from robosym.solve.reference_mode import FollowedReference, ModeOrder
from robosym.solve.simultaneous import SimultaneousLoops
from robosym.solve.stages import Branch, SolvedInSteps, Stage, run_stages, stages
from robosym.solve.uncrossed import linear_relations

__all__ = ["LoopGeometry", "loop_geometry"]


@dataclass(frozen=True, repr=False)
class LoopGeometry(SolvedInSteps):
    """The tree joints of a closed robot as functions of the known joints, returned by `loop_geometry`."""

    robot: Robot = field(repr=False)
    known: tuple[str, ...]  #: the joints that `solve` takes
    joints: tuple[str, ...]  #: the columns of a solution: all joints of the tree
    parameters: tuple[str, ...]  #: symbols that `solve` needs values for
    stages: tuple[Stage, ...] = field(repr=False)
    together: SimultaneousLoops | None = field(repr=False)  #: loops that only close together, solved numerically

    @property
    def method(self) -> str:
        """ "explicit" if every loop has a closed form, else "numeric"."""
        explicit = self.together is None and all(stage.method != "general" for stage in self.stages)
        return "explicit" if explicit else "numeric"

    @property
    def steps(self) -> tuple[Step | GeneralStep, ...]:
        return tuple(step for stage in self.stages for step in stage.steps)

    def solve(
        self,
        q: ArrayLike,
        parameters: Mapping[str, float] | None = None,
        near: ArrayLike | None = None,
        tolerance: float = SOLVED,
    ) -> Solutions | list[Solutions]:
        """Return every assembly mode (k, tree joints) for known joints (n,), or one array per row of a batch (m, n).

        The first mode is the one that the other models assume: that of the reference position or, without one, a mode
        without crossed parallelograms. If the mode of the reference position does not reach these joints, a
        `ModeWarning` is issued, and the mode closest to that position comes first. The vector `near` of tree joints
        sorts the modes by distance from it and selects the nearest turn of each angle; loops that can only be solved
        together are also searched around it. The method `near` follows one mode, in microseconds.

        `complete` of the result is True if every loop has a closed form, and False if modes may be missing: loops that
        only close together are searched from many starts, a general spatial loop is solved by elimination in floating
        point, and a singular position has a continuum of modes.
        """
        values, single = self._inputs(q)
        lengths = parameter_values(self.parameters, parameters)
        start = None if near is None else numbers("near", near, (len(self.joints),))
        branches = [
            Branch(number, dict(zip(self.known, map(float, row), strict=True))) for number, row in enumerate(values)
        ]
        self._couple(branches)
        branches = run_stages(self.stages, branches, lengths, tolerance)
        idle = {name: 0.0 for stage in self.stages for name in stage.idle}
        if self.together is not None:
            nearby = None if start is None else dict(zip(self.joints, start, strict=True))
            searched: list[Branch] = []
            for branch in branches:
                found, more = self.together.solve(branch.values, lengths, nearby, tolerance, self.robot.position)
                idle |= more
                searched += [
                    Branch(branch.row, {**branch.values, **own}, max(branch.error, error), (*branch.free, *more))
                    for own, error in found
                ]
            branches = searched
        self._couple(branches)
        results = [
            self._solutions([b for b in branches if b.row == row], start, lengths, values[row], idle)
            for row in range(len(values))
        ]
        return results[0] if single else results

    def _couple(self, branches: Iterable[Branch]) -> None:
        """Compute the joints that are coupled to the known ones."""
        for branch in branches:
            for name, coupling in self.robot.couplings.items():
                if name not in branch.values and branch.values.keys() >= coupling.ratios.keys():
                    branch.values[name] = coupling.value(branch.values)

    def _solutions(
        self, branches: list[Branch], near: Array | None, lengths: Mapping[str, float], known: Array,
        idle: Mapping[str, float],
    ) -> Solutions:  # fmt: skip
        rows = [[branch.values[name] for name in self.joints] for branch in branches]
        errors, free = [branch.error for branch in branches], [branch.free for branch in branches]
        q = np.array(rows).reshape(len(branches), len(self.joints))
        if near is not None:
            order = self._order.from_near(q, near)
            q = self._order.turned(q, near)
        elif self.robot.position and (len(q) > 1 or self.together is not None):
            first = self._of_reference(known, lengths, idle)
            if first is not None and self.together is not None:
                place = self._order.place(first, q)
                if place is None:  # a search from many starts may miss any of them
                    q, errors, free = np.vstack([first, q]), [CLOSED, *errors], [tuple(idle), *free]
                else:
                    q[place] = first  # its angles continue those of the reference position
            order = self._order.from_near(q, self._reference if first is None else first)
        else:
            order = self._order.usual(q, lengths)
        free = [free[place] for place in order]
        complete = self.method == "explicit" and all({*names} <= {*idle} for names in free)
        return Solutions.of(
            q[order], self.joints, np.array(errors)[order], free, complete, why="" if complete else self._why(free)
        )

    def _why(self, free: Sequence[Sequence[str]]) -> str:
        """Why modes may be missing."""
        if self.together is not None:
            return "loops that only close together are searched from many starts"
        moving = sorted({name for names in free for name in names})
        return f"{', '.join(moving)} can move" if moving else "an elimination in numbers proves nothing"

    @cached_property
    def _reference(self) -> Array:
        return np.array([self.robot.position.get(name, 0.0) for name in self.joints])

    def _of_reference(self, known: Array, lengths: Mapping[str, float], idle: Mapping[str, float]) -> Array | None:
        """Return the tree joints in the reference mode; None, with a warning, if it does not reach these."""
        if self.together is None and not idle and set(self.known) <= set(self.joints):
            try:  # machine code, quicker where loops with a closed form are solved for many positions
                found: Array | None = self.near(known, self._carried.reference(lengths), lengths)
            except InputError:
                found = None
        else:
            found = self._carried(known, lengths, idle)
        if found is None:
            warnings.warn(
                f"{self.robot.name}: the mode of the reference position ends before these joints are reached: the "
                "first mode is the one nearest to that position",
                ModeWarning,
                stacklevel=5,
            )
        return found

    def usual(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return the tree joints (n,) in the mode that the other models assume, for known joints (n,).

        This is the first mode of `solve`. If the robot has a reference position, other modes are not searched.
        """
        values, _ = self._inputs(q)
        if len(values) != 1:
            raise InputError(f"expected the joints {', '.join(self.known)}, found {len(values)} rows")
        lengths = parameter_values(self.parameters, parameters)
        if self.robot.position and self.together is not None:
            found = self._carried(values[0], lengths)
            if found is None:
                at = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.known, values[0], strict=True))
                raise InputError(
                    f"{self.robot.name}: the mode of the reference position ends before {at} is reached: give all "
                    f"{len(self.joints)} joints of the tree, one of the rows of loop_geometry(robot).solve"
                )
            return found
        solutions = self.solve(values[0], parameters)
        if not len(solutions):
            raise InputError(f"{self.robot.name}: the loops do not close at {values[0]}")
        return np.asarray(solutions[0])

    def near(self, q: ArrayLike, near: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return the tree joints (n,) in the assembly mode of the nearby `near`, by Newton's method in machine code.

        A call takes microseconds once it is compiled; a control loop or simulation should keep `compile(parameters)`.
        """
        key = tuple((parameters or {}).items())
        if key not in self._compiled:
            self._compiled.clear()
            self._compiled[key] = self.compile(parameters)
        return self._compiled[key](q, near)

    def compile(self, parameters: Mapping[str, float] | None = None) -> LoopFollower:
        """Return `f(q, near)`: the tree joints from the known ones in the assembly mode of `near`, in machine code."""
        return LoopFollower(self.robot, self.known, parameters)

    @cached_property
    def _compiled(self) -> dict[tuple[tuple[str, float], ...], LoopFollower]:
        return {}

    @cached_property
    def _order(self) -> ModeOrder:
        return ModeOrder(self.robot)

    @cached_property
    def _carried(self) -> FollowedReference:
        return FollowedReference(self.robot, self.known)

    def _inputs(self, q: ArrayLike) -> tuple[Array, bool]:
        values = numbers("q", q)
        if values.ndim not in (1, 2) or values.shape[-1] != len(self.known):
            raise InputError(f"expected the joints {', '.join(self.known)}, found an array of shape {values.shape}")
        return np.atleast_2d(values), values.ndim == 1

    def __repr__(self) -> str:
        known, joints = ", ".join(self.known), ", ".join(self.joints)
        return f"<LoopGeometry {self.robot.name}: {self.method}, {known} -> {joints}>"

    def _repr_html_(self) -> str:
        title, *text = self.explain().split("\n", 1)
        lines = "\n".join(map(markup, "".join(text).split("\n")))
        return f"<div><p><b>{markup(title)}</b></p><pre>{lines}</pre></div>"

    @cached_property
    def linear(self) -> dict[str, str]:
        """Joints of parallelograms that are sums of known joints, in the assumed mode: t3 = Pi/2 - t2 + t7."""
        return linear_relations(self.robot, self.known)

    def explain(self) -> str:
        """Return a description of each loop, its method and its steps."""
        parts = [f"{self.robot.name}: geometric constraint equations of {len(self.robot.loops)} loop(s)"]
        parts.append(f"Known: {' '.join(self.known)}")
        for stage in self.stages:
            text = f"Loop of frames {stage.loop.cut} and {stage.loop.fixed} gives {' '.join(stage.unknown)}"
            parts.append(text + (f"; {' '.join(stage.idle)} turn freely and are 0" if stage.idle else "") + ".")
            linear = {name: sum_ for name, sum_ in self.linear.items() if name in stage.unknown}
            if linear:
                parts.append("As a parallelogram: " + ", ".join(f"{n} = {text}" for n, text in linear.items()) + ".")
            parts += explain_steps(stage.steps)
        if self.together is not None:
            parts.append(self.together.explain())
        return "\n\n".join(parts) + "\n"

    def recipe(self, name: str = "") -> StepsRecipe:
        """Return the program that the languages print."""
        if self.method != "explicit" or any(stage.idle for stage in self.stages):
            raise InputError("these loops have no closed form to print: use solve")
        solved = {name for stage in self.stages for name in stage.unknown}
        lengths = {j.name for stage in self.stages for j in stage.problem.chain.joints if j.prismatic}
        done, tests = 0, []
        for stage in self.stages:
            done += len(stage.steps)
            tests += checks(stage.problem, done)
        inputs = {"q": self.known} | ({"parameters": self.parameters} if self.parameters else {})
        outputs = tuple(name for name in self.joints if name in solved)
        return StepsRecipe(
            name=name or self.robot.name, kind="cgel", title="geometric constraint equations of the loops",
            inputs=inputs, outputs=outputs, lengths=frozenset(lengths), steps=self.closed_steps, checks=tuple(tests),
            robot=self.robot, modes=EVERY_MODE.format(motors=" ".join(self.known)),
        )  # fmt: skip


def _check_count(robot: Robot, known: Sequence[str]) -> None:
    """Raise an error unless the loops have as many known joints as driven ones: only then are modes isolated."""
    inside = dict.fromkeys(j for loop in loops_of(robot) for j in loop.round if robot.frame(j).is_joint)
    driven = [robot.variable(j) for j in inside if robot.frame(j).mu == 1]
    given = [robot.variable(j) for j in inside if robot.variable(j) in known]
    if len(given) < len(driven):
        outside = f"{', '.join(known)} outside the loops" if known else "none"
        raise InputError(
            f"known: expected {len(driven)} joints in the loops of {robot.name}, such as {', '.join(driven)}, found "
            f"{', '.join(given) or outside}"
        )


def _outside(robot: Robot, known: Sequence[str]) -> list[str]:
    """Return the tree joints that are in no loop, follow no other joint and are not named."""
    inside = {j for loop in loops_of(robot) for j in loop.round}
    names = [robot.variable(j) for j in robot.tree_joints if j not in inside]
    return [name for name in names if name not in known and name not in robot.couplings]


@accepts("floating")
def loop_geometry(robot: Robot, known: Sequence[str] | None = None) -> LoopGeometry:
    """Return the joints of the tree as functions of the active joints, or of the joints in `known`.

    Joints that are in no loop do not follow from others: those that `known` omits are appended to the known joints.

    Parameters
    ----------
    robot
        Robot with closed loops.
    known
        Joint that is given. Default: the active joints (mu = 1).

    Returns
    -------
    LoopGeometry
        `.solve(q_known)` returns every assembly mode (k, tree joints), in rad and m.

    Raises
    ------
    InputError
        If the robot has no loops, or the known joints do not determine the others.

    Examples
    --------
    >>> import robosym as rs
    >>> loops = rs.loop_geometry(rs.load("sr400"))
    >>> loops.method, loops.known[:2]
    ('explicit', ('t1', 't2'))
    """
    need_loops(robot)
    _check_screws(robot)
    tree = tuple(robot.variable(j) for j in robot.tree_joints)
    cuts = [k for k, _ in robot.loops if robot.frame(k).is_joint]
    cut = tuple(robot.variable(k) for k in cuts)
    if known is None:
        known = [robot.variable(j) for j in (*robot.tree_joints, *cuts) if robot.frame(j).mu == 1]
    else:
        known = [name if name in (*tree, *cut) else robot.joint_variable(name, "known") for name in known]
        _check_count(robot, known)
        known = (*known, *_outside(robot, known))
    moved = tuple(name for name, coupling in robot.couplings.items() if {*coupling.ratios} <= {*known})
    solved, left = stages(robot, (*known, *moved))
    _check_couplings(robot, {*known, *moved})
    found = {*known, *moved, *(name for stage in solved for name in (*stage.unknown, *stage.idle))}
    together = SimultaneousLoops.of(robot, left, found) if left else None
    if together is not None:
        found |= set(together.unknown)
    found |= {name for name, coupling in robot.couplings.items() if set(coupling.ratios) <= found}
    missing = [name for name in tree if name not in found]
    if missing:
        raise InputError(
            f"{robot.name}: {', '.join(missing)} cannot be computed from {', '.join(known)}: expected more known joints"
        )
    parameters = dict.fromkeys(name for stage in solved for name in stage.problem.chain.parameters)
    if together is not None:
        parameters |= dict.fromkeys(together.parameters)
    return LoopGeometry(robot, tuple(known), tree, tuple(parameters), tuple(solved), together)


def _check_screws(robot: Robot) -> None:
    """Raise an error if a loop contains a helical joint: the equations need revolute or prismatic joints."""
    for j in (j for loop in loops_of(robot) for j in loop.round if robot.frame(j).is_joint):
        kind = robot.frame(j).joint_type
        if kind.turns and kind.slides:
            raise InputError(
                f"{robot.name}: {robot.variable(j)} is a screw in a loop: loop geometry solves for joints that turn or "
                "slide; `loop_kinematics(robot).close(q)` closes the loops from a position nearby, and simulate takes "
                "all joints of the tree"
            )


def _check_couplings(robot: Robot, known: set[str]) -> None:
    """Raise an error if a coupling is part of the loop equations and does not follow from known joints."""
    inside = {robot.variable(j) for loop in loops_of(robot) for j in loop.round if robot.frame(j).is_joint}
    for name, coupling in robot.couplings.items():
        if name in inside and name not in known:
            others = ", ".join(coupling.ratios)
            raise InputError(
                f"{robot.name}: {name} is in a loop and coupled to {others}: expected a coupling to known joints, or "
                f"`loop_kinematics(robot).close(q)`, which closes loops and couplings from a position nearby"
            )
