"""`inverse_geometry`: which method gives the inverse geometric model of a robot, and the model itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.chains.chain import PoseProblem, pose_problem
from robosym.chains.choice_of_solutions import bounds, chosen
from robosym.chains.fast_solver import FastSolver, GeneralFast, SolutionBatch
from robosym.chains.general import GeneralStep, elimination_data, general_solver
from robosym.chains.numeric_chain import ChainSolutions, Solutions, Solver, parameter_values
from robosym.chains.paul import chosen_form, closed_form_solver
from robosym.chains.products import checks
from robosym.coordinates.accepts import accepts
from robosym.coordinates.loops import loops_of
from robosym.errors import ExpressionError, InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.model import Model
from robosym.model.solution.recipe import EVERY_MODE, EliminationRecipe, StepsRecipe
from robosym.model.solution.steps import Step, explain_steps, step_rows
from robosym.model.solution.unrolled import is_straight, printed_branches, unrolled
from robosym.solve.leg_joints import leg_joints, series_joints
from robosym.solve.loop_geometry import LoopGeometry, loop_geometry
from robosym.solve.pose import (
    chain_to,
    columns_given,
    poses_of,
    undetermined_joints,
    unknown_joints,
    warn_of_dependence,
)
from robosym.solve.reference_mode import ModeOrder
from robosym.solve.stages import Branch, SolvedInSteps, Stage, once, run_stages, stages
from robosym.solve.uncrossed import uncrossed

__all__ = ["METHODS", "InverseGeometry", "inverse_geometry"]

METHODS = ("auto", "paul", "pieper", "general")
_WORTH = 300  #: poses solved one by one in NumPy take as long as machine code takes to be made
_CALL = 10  #: poses that a call counts for beside its own


class _Use:
    """How much a model was used."""

    poses = 0


@dataclass(frozen=True, repr=False)
class InverseGeometry(SolvedInSteps):
    """Joints from a pose: made by `inverse_geometry`."""

    robot: Robot = field(repr=False)
    method: str  #: the method that was used: "paul", "pieper" or "general"
    given: str  #: the columns of the pose that are given
    joints: tuple[str, ...]  #: the columns of a solution
    steps: tuple[Step | GeneralStep, ...] = field(repr=False)
    parameters: tuple[str, ...]  #: symbols that `solve` needs values for
    reason: str = field(repr=False)
    problem: PoseProblem = field(repr=False)
    solver: Solver = field(repr=False)
    fixed: Mapping[str, float] = field(default_factory=dict)
    loops: tuple[Stage, ...] = field(default=(), repr=False)  #: loops that give joints outside the direct path
    idle: tuple[str, ...] = ()  #: joints that the given columns do not depend on: always free, put to 0

    def solve(
        self,
        T: ArrayLike,
        parameters: Mapping[str, float] | None = None,
        tolerance: float = SOLVED,
        *,
        near: ArrayLike | None = None,
        limits: object = None,
        passive: bool = True,
        modes: str = "reference",
    ) -> Solutions | Sequence[Solutions]:
        """Every distinct real solution (k, joints) of a pose (4, 4), a sequence of such for poses (m, 4, 4).

        With `given="P"` a point (3,) or points (m, 3) will do. Each solution is checked by forward substitution, its
        error at most `tolerance` (times the robot's length where that is above 1). In a singular pose the joints that
        can move are in `.free` of the result, and `.complete` is False where it is so nearly singular that solutions
        may be missing. An unreachable pose has no row. `near`, a value for each joint, sorts
        the solutions by their distance from it and gives angles the turn that is nearest; `limits`, the least and
        largest value of each joint (an array (n, 2), a mapping by name, or True for those of the description), keeps
        the solutions within them. Without `passive` a solution of a closed robot has its motors alone (`motors`), each
        set of values once, whatever the many ways in which the other joints stand. Loops have the assembly mode of the
        reference, which the other models take too, or without a reference position every mode in which no parallelogram
        crosses; `modes="all"` gives every mode, and `.modes` of the result which one
        each row has: 0 for the reference, k for row k of `loop_geometry(robot).solve` at its motors. Modes of loops
        that only close together, such as those of a Gough-Stewart robot, are not told apart: every row is given, those
        nearest to the reference position first, and `.modes` is empty.
        """
        if modes not in ("reference", "all"):
            raise InputError(
                f"modes: expected 'reference' or 'all', found {modes!r}{closest(modes, ('reference', 'all'))}"
            )
        values = parameter_values(self.parameters, parameters, self.fixed)
        every = modes == "all"
        wanted = self.motors if self.loops and not passive else None
        result = None if wanted else self._at_machine_speed(T, values, tolerance, every)
        if result is None:
            poses, single, tolerances = poses_of(T, self.given, tolerance)
            found = self._carefully(poses, values, tolerances, every, wanted)
            result = found[0] if single else found
        return self._chosen(result, wanted or self.joints, near, limits)

    @property
    def motors(self) -> tuple[str, ...]:
        """The joints of a solution that are driven."""
        driven = {name for name, frame in zip(self.robot.variables, self.robot.frames, strict=True) if frame.mu}
        return tuple(name for name in self.joints if name in driven)

    def _chosen(
        self, result: Solutions | Sequence[Solutions], joints: tuple[str, ...], near: ArrayLike | None, limits: object
    ) -> Solutions | Sequence[Solutions]:
        if near is None and (limits is None or limits is False):
            return result
        within = bounds(self.robot, joints, limits)
        types = dict(zip(self.robot.variables, self.robot.frames, strict=True))
        turning = [types[name].joint_type.turns for name in joints]
        if isinstance(result, Solutions):
            return chosen(result, turning, near, within)
        return [chosen(solutions, turning, near, within) for solutions in result]

    def _carefully(
        self, poses: Array, values: Mapping[str, float], tolerances: Array, every: bool = True,
        wanted: tuple[str, ...] | None = None,
    ) -> list[Solutions]:  # fmt: skip
        known = np.array([values.get(name, 0.0) for name in self.problem.chain.names])
        known = np.broadcast_to(known, (len(poses), len(known)))
        found = self.solver.solve(poses, known, values, tolerances)
        return [self._with_loops(direct, values, every, wanted) for direct in found]

    # ------------------------------------------------------------ machine code

    def compile(self) -> InverseGeometry:
        """The same model with its closed form in machine code from the first pose on; `solve`, or a call of it, takes
        one pose or many.

        `solve` makes the machine code by itself once it has been asked for so many poses that this is worth its time.
        Poses that look singular take the careful way; so do all of Pieper's quartics. The general method is in machine
        code always.
        """
        self._use.poses = _WORTH
        if self._machine is None:
            raise InputError(
                f"{self.robot.name}, {self.method} method, given {self.given}: no closed form without quartics "
                "that could be compiled"
            )
        return self

    def __call__(
        self, T: ArrayLike, parameters: Mapping[str, float] | None = None, **options: Any
    ) -> Solutions | Sequence[Solutions]:
        """As `solve`."""
        return self.solve(T, parameters, **options)

    @cached_property
    def _use(self) -> _Use:
        return _Use()

    @cached_property
    def _machine(self) -> FastSolver | GeneralFast | None:
        problem = self.problem
        if self.method == "general":
            return GeneralFast(self.solver) if problem.given == "snaP" else None
        names = tuple(problem.chain.names)
        inputs = {"T": (*problem.entries, "", "", "", ""), "q": tuple(problem.known), "parameters": self.parameters}
        inputs["parameters"] = tuple(name for name in self.parameters if name not in problem.known)
        recipe = replace(self._chain_recipe(), inputs=inputs, outputs=names)
        if not is_straight(recipe):
            return None
        try:
            return FastSolver(self.solver, unrolled(recipe, problem.given))
        except (ExpressionError, ArithmeticError):  # a divisor is zero on some branch, whatever the pose
            return None

    def _at_machine_speed(
        self, T: ArrayLike, values: Mapping[str, float], tolerance: float, every: bool
    ) -> Solutions | Sequence[Solutions] | None:
        """Solutions of poses that are given as they should be; None where a closer look must be taken at them."""
        if T.__class__ is not np.ndarray or T.dtype != float:
            try:
                T = np.asarray(T, dtype=float)
            except (TypeError, ValueError):
                return None
        if T.shape[-2:] != (4, 4) or T.ndim not in (2, 3) or not len(T):
            return None
        use = self._use
        if use.poses < _WORTH and self.method != "general":
            use.poses += _CALL + (len(T) if T.ndim == 3 else 1)
            if use.poses < _WORTH:
                return None
        machine = self._machine
        if machine is None:
            return None
        if T.ndim == 2:
            found = machine.one(T, values, tolerance)
            if found is None:
                return None
            q, errors = found
            if not self.loops:
                return Solutions.of(self._ordered(q), self.joints, errors, (self.idle,) * len(q))
            return self._with_loops(ChainSolutions(q, errors, [()] * len(q), None), values, every)
        q, errors, counts, doubtful = machine.many(T, values, tolerance)
        careful: dict[int, Solutions] = {}
        if len(doubtful):
            poses, _, tolerances = poses_of(T, self.given, tolerance, doubtful)
            careful = dict(zip(doubtful.tolist(), self._carefully(poses, values, tolerances, every), strict=True))
        if not self.loops:
            return SolutionBatch(self.joints, self._ordered(q), errors, counts, careful, self.idle)
        edges = [0, *np.cumsum(counts)]
        return [
            careful[number]
            if number in careful
            else self._with_loops(
                ChainSolutions(q[start:end], errors[start:end], [()] * (end - start), None), values, every
            )
            for number, (start, end) in enumerate(pairwise(edges))
        ]

    def _ordered(self, q: Array) -> Array:
        """Joints of the chain in the order of `joints`, idle ones at 0."""
        if self._places is None:
            return q
        return np.asarray(np.hstack([q, np.zeros((len(q), len(self.idle)))])[:, self._places])

    @cached_property
    def _places(self) -> list[int] | None:
        """Where each of `joints` is among those of the chain and the idle ones; None where they are the same."""
        names = [*self.problem.chain.names, *self.idle]
        return None if not self.idle and tuple(names) == self.joints else [names.index(name) for name in self.joints]

    def _with_loops(
        self, found: ChainSolutions, values: Mapping[str, float], every: bool, wanted: tuple[str, ...] | None = None
    ) -> Solutions:
        """Solutions of the direct path, and the joints of the loops that follow from each (guide 2.3.8).

        `wanted`: these alone, each set of values once.
        """
        q, errors, free, complete = found
        names = [*self.problem.chain.names, *self.idle]
        labels = [(*(names[place] for place in places), *self.idle) for places in free]
        if not self.loops:
            return Solutions.of(self._ordered(q), self.joints, errors, labels, complete)
        branches = [
            Branch(row, dict(zip(names, map(float, solution), strict=True)), float(errors[row]), labels[row])
            for row, solution in enumerate(q)
        ]
        # without modes to tell, branches in which only joints that are not wanted differ are one
        branches = run_stages(self.loops, branches, values, SOLVED, wanted if self._loop_geometry is None else None)
        modes = self._modes(branches, values)
        if not modes and not wanted and self.robot.position:
            branches = self._nearest_first(branches)
        if modes and not every:
            meant = self._meant(branches, modes, values)
            branches, modes = [branches[k] for k in meant], tuple(modes[k] for k in meant)
        names = list(wanted or self.joints)
        if wanted and modes:  # of the modes that have the same values the first is named
            order = sorted(range(len(modes)), key=lambda k: (branches[k].row, modes[k]))
            branches, modes = [branches[k] for k in order], tuple(modes[k] for k in order)
        rows = [[branch.values[name] for name in names] for branch in branches]
        table = np.array(rows).reshape(len(rows), len(names))
        if wanted:
            kept = once(table, names, self.robot)
            table, branches, modes = table[kept], [branches[k] for k in kept], tuple(modes[k] for k in kept if modes)
        errors, loose = np.array([branch.error for branch in branches]), [branch.free for branch in branches]
        return Solutions.of(table, tuple(names), errors, loose, complete, modes)

    def _nearest_first(self, branches: list[Branch]) -> list[Branch]:
        """By the distance from the reference position, angles on the circle."""
        joints = [name for name in self.joints if name in self.robot.position]
        if not joints or not branches:
            return branches
        types = dict(zip(self.robot.variables, self.robot.frames, strict=True))
        reference = np.array([self.robot.position[name] for name in joints])
        apart = np.array([[branch.values[name] for name in joints] for branch in branches]) - reference
        apart = np.where([types[name].joint_type.turns for name in joints], 2 * np.sin(apart / 2), apart)
        return [branches[place] for place in np.argsort(np.round((apart**2).sum(axis=1), 9), kind="stable")]

    def _modes(self, branches: Sequence[Branch], values: Mapping[str, float]) -> tuple[int, ...]:
        """Which mode of the loops each branch has, 0 for that of the reference; empty where the motors tell none."""
        geometry = self._loop_geometry
        if geometry is None or not branches:
            return ()
        numbers = {name: values[name] for name in geometry.parameters if name in values}
        order = ModeOrder(self.robot)
        motors = np.array([[branch.values.get(name, 0.0) for name in geometry.known] for branch in branches])
        found: list[int] = []
        for branch, known in zip(branches, geometry.solve(motors, numbers), strict=True):
            row = np.array([branch.values.get(name, 0.0) for name in geometry.joints])
            place = order.place(row, np.asarray(known)) if len(known) else None
            found.append(len(known) if place is None else place)
        return tuple(found)

    def _meant(self, branches: Sequence[Branch], modes: Sequence[int], values: Mapping[str, float]) -> list[int]:
        """Places of the branches in the mode of the reference; without a reference no parallelogram crosses in them."""
        if self.robot.position:
            return [place for place, mode in enumerate(modes) if not mode]
        order = ModeOrder(self.robot)
        q = np.array([[branch.values.get(name, 0.0) for name in order.joints] for branch in branches])
        crossed = order.crossed(q, values)
        return [place for place, mode in enumerate(modes) if not mode or not crossed[place]]

    @cached_property
    def _loop_geometry(self) -> LoopGeometry | None:
        """The loops from the motors; None where these do not determine them, or the path does not.

        Loops that only close together have modes that only a search finds, for each solution: None too.
        """
        try:
            geometry = loop_geometry(self.robot)
        except InputError:
            return None
        if geometry.together is not None:
            return None
        known = {*self.parameters, *self.joints, *self.idle}
        inside = {self.robot.variable(j) for loop in loops_of(self.robot) for j in loop.round}
        told = {*geometry.parameters} | ({*geometry.joints} & inside) <= known  # joints outside make no difference
        return geometry if told and {*geometry.known} <= {*geometry.joints} else None

    def __repr__(self) -> str:
        return f"<InverseGeometry {self.robot.name}: {self.method} method, {self.given} -> {', '.join(self.joints)}>"

    def _repr_html_(self) -> str:
        head = ("unknown", "type", "values", "from", "solution")
        tables = [Sheet(self.reason), Sheet("steps", head, tuple(step_rows(self.steps)))]
        tables += [
            Sheet(f"loop of frames {stage.loop.cut} and {stage.loop.fixed}", head, tuple(step_rows(stage.steps)))
            for stage in self.loops
        ]
        title = f"{self.robot.name}: inverse geometric model, {self.method} method, {self.given} -> "
        title += ", ".join(self.joints)
        return as_html_page(title, tables)

    def explain(self) -> str:
        """The method, why it was chosen, and every step in words."""
        known = " ".join(self.given)
        head = f"{self.robot.name}: inverse geometric model, {self.method} method\n{self.reason}\n"
        head += f"Given: {known} of the pose of {self.problem.chain.goal}; unknown: {' '.join(self.problem.unknown)}"
        head += f"; free: {' '.join(self.idle)}\n\n" if self.idle else "\n\n"
        steps = explain_steps(self.steps)
        for stage in self.loops:
            steps.append(
                f"Loop of frames {stage.loop.cut} and {stage.loop.fixed} then gives {' '.join(stage.unknown)}."
            )
            steps += explain_steps(stage.steps)
        return head + "\n\n".join(steps) + "\n"

    def branches(self) -> Model:
        """All branches as one straight-line model: rows of `solutions`, of which those hold whose `errors` vanish and
        whose `margins` are above 1; what languages other than C, C++ and Python print."""
        recipe = self.recipe()
        if isinstance(recipe, EliminationRecipe):
            raise InputError(
                f"{self.robot.name}: the general method is no straight line of operations: use code or solve"
            )
        return printed_branches(recipe)

    def recipe(self, name: str = "") -> StepsRecipe | EliminationRecipe:
        """What languages print, under the robot's name or another one; of a closed robot with the joints of its
        loops."""
        if self.method == "general":
            return self._elimination_recipe(name or self.robot.name)
        recipe = self._chain_recipe()
        steps, tests, lengths = list(recipe.steps), list(recipe.checks), set(recipe.lengths)
        straight = uncrossed(self.loops, self.problem.chain.names)
        for number, stage in enumerate(self.loops):
            if stage.method == "general" or stage.idle:
                raise InputError(
                    f"{self.robot.name}: the loop of frames {stage.loop.cut} and {stage.loop.fixed} has no closed form "
                    "to print: use solve"
                )
            if straight is not None:
                steps += straight[number].steps
                tests += straight[number].checks(len(steps))
                continue
            steps += [step for step in stage.steps if isinstance(step, Step)]
            tests += checks(stage.problem, len(steps))
            lengths |= {joint.name for joint in stage.problem.chain.joints if joint.prismatic}
        solved = {*recipe.outputs, *(name for stage in self.loops for name in stage.unknown)}
        made = replace(
            recipe,
            name=name or recipe.name,
            steps=tuple(steps),
            checks=tuple(tests),
            lengths=frozenset(lengths),
            outputs=tuple(joint for joint in self.joints if joint in solved) if self.loops else recipe.outputs,
            modes=self._said_of_modes(straight is not None) if self.loops else "",
        )
        if straight:  # lengths of a parallelogram may make no difference
            places = made.read.get("parameters", ())
            left = {"parameters": tuple(self.parameters[place] for place in places)} if places else {}
            return replace(made, inputs={"T": recipe.inputs["T"], **left})
        return made

    def _said_of_modes(self, reference: bool) -> str:
        """Of a closed robot, which assembly modes printed code gives."""
        if reference:
            return "Loops have the assembly mode of the reference alone: no parallelogram is crossed."
        return EVERY_MODE.format(motors=" ".join(self.motors))

    def _elimination_recipe(self, name: str) -> EliminationRecipe:
        if self.loops:
            raise InputError(
                f"{self.robot.name}: the general method has code for open chains, not with loops: use solve"
            )
        problem = self.problem
        lengths = frozenset(joint.name for joint in problem.chain.joints if joint.prismatic)
        inputs = {"T": (*problem.entries, "", "", "", "")}
        if self.parameters:
            inputs["parameters"] = self.parameters
        return EliminationRecipe(
            name=name, kind="ragn", title="inverse geometric model, general method", inputs=inputs,
            outputs=problem.unknown, lengths=lengths, given=problem.columns, steps=self.steps, robot=self.robot,
            goal=problem.chain.goal, **elimination_data(problem, self.fixed),
        )  # fmt: skip

    def _chain_recipe(self) -> StepsRecipe:
        """Of the path to the frame alone."""
        inputs = {"T": (*self.problem.entries, "", "", "", "")}
        if self.parameters:
            inputs["parameters"] = self.parameters
        problem = self.problem
        return StepsRecipe(
            name=self.robot.name, kind={"paul": "pau", "pieper": "pie"}[self.method],
            title=f"inverse geometric model, {self.method} method", inputs=inputs, outputs=problem.unknown,
            lengths=frozenset(joint.name for joint in problem.chain.joints if joint.prismatic), steps=self.closed_steps,
            checks=tuple(checks(problem, len(self.steps))), robot=self.robot, goal=problem.chain.goal,
        )  # fmt: skip


@accepts(
    "floating", platform="modes passive", modules="modes",
    variants={"platform": leg_joints, "modules": series_joints},
)  # fmt: skip
def inverse_geometry(
    robot: Robot,
    method: str = "auto",
    given: str = "snaP",
    *,
    frame: int | str | None = None,
    reference: int | str = 0,
    tool: object = None,
    fixed: Mapping[str, float] | Sequence[str] = (),
    modes: object = None,
    passive: bool = True,
) -> Any:
    """The joints that bring frame `frame` (the end of the arm) to a pose seen from frame 0 (`reference=-1`: the world).

    `method`: "paul", "pieper", "general", or "auto" for the first of them that works. `given`: which columns of the
    pose are given, for robots with fewer than six joints: "P" for a position, "aP" for an axis in space.
    `tool`: the end-effector's frame E in frame `frame`, 4x4 or x y z roll pitch yaw. `fixed`: joints of a
    redundant robot that are known, by name (their values are then parameters of `solve`) or with their values.

    A robot with a platform gives its motors and, with `passive`, its other joints from the pose of the platform;
    `modes` numbers the branch of each leg, from 0, by default that of the reference position.
    """
    if method not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}, found {method!r}{closest(method, METHODS)}")
    given = columns_given(given)
    chain = chain_to(robot, frame, reference, tool)
    bound = [name for name in chain.names if name in robot.couplings]
    if bound:
        raise InputError(
            f"{robot.name}: joint {bound[0]} is coupled to {', '.join(robot.couplings[bound[0]].ratios)}: "
            "inverse_geometry takes joints that move one by one. Use inverse_kinematics, which keeps couplings"
        )
    values, unknown = unknown_joints(robot, chain, fixed)
    wanted = unknown
    problem = pose_problem(chain, unknown, given)
    idle = undetermined_joints(robot, problem)
    if idle:  # the given columns do not depend on them
        unknown = tuple(name for name in unknown if name not in idle)
        problem = pose_problem(chain.holding(idle), unknown, given)
    warn_of_dependence(robot, problem)
    closed = chosen_form(robot.name, problem, method)
    steps: tuple[Step | GeneralStep, ...]
    if closed is not None:
        steps, used, reason = closed
        solver = replace(closed_form_solver(problem, steps), otherwise=general_solver(problem)[0].candidates)
    else:
        used = "general"
        solver, steps, reason = general_solver(problem)
    loops, _ = stages(robot, chain.names) if robot.loops and not idle else ([], [])
    names = {*unknown, *(name for stage in loops for name in (*stage.unknown, *stage.idle))}
    tree = [robot.variable(j) for j in robot.tree_joints]
    joints = tuple(name for name in tree if name in names) if loops else wanted
    chains = [problem.chain, *(stage.problem.chain for stage in loops)]
    parameters = dict.fromkeys([*(name for part in chains for name in part.parameters), *problem.known])
    return InverseGeometry(
        robot, used, given, joints, steps, tuple(parameters), reason, problem, solver, values, tuple(loops), idle
    )
