"""`inverse_geometry`: the inverse geometric model of a robot and the choice of its method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.chains.arm_angle import ARM_ANGLE
from robosym.chains.chain import JointChain, PoseProblem, pose_problem
from robosym.chains.numeric_chain import (
    ChainSolutions,
    NearbyCandidates,
    NumericChain,
    Solutions,
    Solver,
    parameter_values,
    wrapped,
)
from robosym.chains.paul import chosen_form, closed_form_solver
from robosym.chains.products import checks
from robosym.chains.special_geometry import GEOMETRY_TOLERANCE, SpecialGeometry, special_geometry
from robosym.coordinates.accepts import accepts
from robosym.coordinates.loops import loops_of
from robosym.coordinates.reference import remembered
from robosym.coordinates.reference_position import file_names
from robosym.errors import ExpressionError, InputError, Pass, closest
from robosym.mechanism import Robot
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.model import Model
from robosym.model.solution.recipe import EVERY_MODE, EliminationRecipe, StepsRecipe
from robosym.model.solution.steps import Step, explain_steps, step_rows
from robosym.model.solution.unrolled import is_straight, printed_branches, unrolled
from robosym.solve.arm_angle_solver import arm_angle_solution
from robosym.solve.choice_of_solutions import bounds, by_name, chosen, named_values, near_position
from robosym.solve.closest_pose import checked_weights, closest_solution
from robosym.solve.fast_solver import (
    DOUBLE,
    FastSolver,
    GeneralFast,
    PolishedFast,
    SolutionBatch,
    blur_of,
    nominal_solver,
)
from robosym.solve.general import GeneralStep, elimination_data, general_solver
from robosym.solve.leg_joints import leg_joints, series_joints
from robosym.solve.loop_geometry import LoopGeometry, loop_geometry
from robosym.solve.path_following import FollowedPath, follow_path
from robosym.solve.pose import (
    JointsLeftFree,
    chain_to,
    columns_given,
    fixed_values,
    poses_of,
    undetermined_joints,
    unknown_joints,
    variable_of,
    warn_of_dependence,
)
from robosym.solve.redundant import RedundantGeometry, may_be_redundant, redundant_geometry
from robosym.solve.reference_mode import ModeOrder
from robosym.solve.stages import Branch, SolvedInSteps, Stage, once, run_stages, stages
from robosym.solve.stored_models import chain_key, stored
from robosym.solve.task_geometry import task_geometry
from robosym.solve.uncrossed import uncrossed

__all__ = ["METHODS", "InverseGeometry", "inverse_geometry"]

METHODS = ("auto", "paul", "pieper", "general")
_LARGEST_SNAP = 0.01  #: the largest tolerance of the geometry, in rad and lengths of the robot


@dataclass(frozen=True, repr=False)
class InverseGeometry(SolvedInSteps):
    """The inverse geometric model (inverse kinematics) of a robot, returned by `inverse_geometry`."""

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
    #: the geometry that the steps belong to, where the given one is near to it; `solve` polishes on the given one
    special: SpecialGeometry | None = None
    special_solver: Solver | None = field(default=None, repr=False)
    angles: tuple[str, ...] = ()  #: inputs of the steps beside the pose and the joints, among the parameters

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
        windings: bool = False,
        redundancy: ArrayLike | None = None,
        nearest: bool = False,
        weights: Sequence[float] | None = None,
        mapping: bool = False,
    ) -> Any:
        """Return every distinct real solution (k, joints) of a pose (4, 4), or one such array per pose (m, 4, 4).

        With `given="P"`, a point (3,) or points (m, 3) suffice. Each solution is checked by forward substitution. In a
        singular pose, `.free` of the result lists the joints that can move, and `.complete` is False if the pose is so
        close to singular that solutions may be missing. An unreachable pose has no rows.

        By default, a solution of a closed robot contains its motors only (`motors`), and equal rows are merged. Loops
        are in the assembly mode of the reference position, like in all other models; without a reference position, in
        every mode without crossed parallelograms. `modes="all"` returns every mode, and `.modes` of the result the mode
        of each row: 0 for the reference, k for row k of `loop_geometry(robot).solve` at its motors. Modes of loops that
        only close together, such as those of a Gough-Stewart robot, are not distinguished: all rows are returned, those
        closest to the reference position first, and `.modes` is empty.

        `limits` contains the smallest and the largest value of each joint (an array (n, 2) or a mapping by name), or
        is "robot" for those of the description. With `windings`, every shift of an angle by full turns within the
        limits is a row. `redundancy` is for robots with one joint more than the pose needs (`RedundantGeometry.solve`).

        With `nearest`, a pose without a solution (within the limits) has one row: the joint positions whose pose is
        closest, among those found. `.closest` of the result contains this pose, its distance (m) and its angle (rad)
        from the given one. They minimize the sum of the squares of both, each times its weight in `weights` (of a
        meter and of a radian, by default 1 and the length of the robot).

        `near` may be a mapping by name, too. With `mapping`, each solution is a mapping from joint names to positions
        instead of a row.
        """
        plain = parameters is None and near is None and limits is None and modes == "reference" and not windings
        plain, tried = plain and not nearest and not mapping and redundancy is None, False
        if plain and T.__class__ is np.ndarray and self._direct is not None:
            machine, constants = self._direct
            if T.dtype is DOUBLE and T.shape == (4, 4):
                rows = machine.one(T, constants, tolerance)
                if rows is not None:
                    return Solutions.regular(rows[0], self.joints, rows[1])
                tried = True
        if modes not in ("reference", "all"):
            raise InputError(
                f"modes: expected 'reference' or 'all', found {modes!r}{closest(modes, ('reference', 'all'))}"
            )
        if redundancy is not None:
            raise InputError(
                f"redundancy: {self.robot.name} has no joint more than the pose needs, found {redundancy!r}"
            )
        values = named_values(self.robot, self.parameters, parameters, self.fixed)
        every = modes == "all"
        wanted = self.motors if self.loops and not passive else None
        result = None if wanted else self._at_machine_speed(T, values, tolerance, every, tried)
        if result is None:
            poses, single, tolerances = poses_of(T, self.given, tolerance)
            found = self._slow_path(poses, values, tolerances, every, wanted)
            result = found[0] if single else found
        result = self._chosen(result, wanted or self.joints, near, limits, windings)
        if nearest:
            result = self._or_closest(result, T, values, limits, weights)
        return by_name(self.robot, result) if mapping else result

    def _or_closest(
        self, result: Solutions | Sequence[Solutions], T: ArrayLike, values: Mapping[str, float], limits: object,
        weights: object,
    ) -> Solutions | list[Solutions]:  # fmt: skip
        """Return the solutions or, of a pose that has none, the joint positions of the closest pose."""
        if self.loops or self.idle:
            raise InputError(f"{self.robot.name}: nearest supports arms without loops whose joints the pose determines")
        poses, _, _ = poses_of(T, self.given, SOLVED)
        chain = self.solver.numeric(values)
        known = np.array([values.get(joint.name, 0.0) for joint in chain.joints])
        within, checked = bounds(self.robot, self.joints, limits), checked_weights(weights, chain.length)

        def filled(solutions: Solutions, pose: Array) -> Solutions:
            return solutions if len(solutions) else closest_solution(chain, pose, known, self.joints, within, checked)

        if isinstance(result, Solutions):
            return filled(result, poses[0])
        return [filled(solutions, pose) for solutions, pose in zip(result, poses, strict=True)]

    def follow(
        self,
        T: ArrayLike,
        start: ArrayLike | None = None,
        parameters: Mapping[str, float] | None = None,
        *,
        limits: object = None,
    ) -> FollowedPath:
        """Return joint positions along a path of poses (m, 4, 4), with as few jumps as possible.

        Every branch is followed from pose to pose by Newton's method. Among all sequences of branches, the one with
        the fewest jumps is returned, which avoids branches that would later meet a limit or end at a singular
        position; among several of these, the one with the shortest motion of the joints.

        Parameters
        ----------
        T
            Poses in their order, close enough together that no angle turns by more than 45 degrees between two.
        start
            Joint positions before the path, which starts at the nearest solution of the first pose. Default: any
            solution.
        parameters
            Values of the symbols of the robot.
        limits
            Smallest and largest value of each joint (an array (n, 2) or a mapping by name), or "robot" for those of
            the description. Angles never jump by full turns.

        Returns
        -------
        FollowedPath
            Positions `.q` (m, joints), the branch of each pose, jumps, singular positions that are crossed and poses
            without a solution.

        Raises
        ------
        InputError
            If the robot has loops, or `start` is not a position of its joints.
        """
        if self.loops or self.idle:
            raise InputError(f"{self.robot.name}: follow supports arms without loops whose joints the pose determines")
        values = named_values(self.robot, self.parameters, parameters, self.fixed)
        poses, _, _ = poses_of(T, self.given, SOLVED)
        first = None if start is None else near_position(start, self.joints, "start", self.robot)
        solutions = [np.asarray(found) for found in self.solve(poses, parameters)]
        within = bounds(self.robot, self.joints, limits)
        return follow_path(self, poses, solutions, first, within, values)

    @property
    def stepped(self) -> PoseProblem:
        """The problem that the steps solve: that of the special geometry, if the given one is near to one."""
        return self.problem if self.special_solver is None else self.special_solver.problem

    @property
    def motors(self) -> tuple[str, ...]:
        """The driven joints of a solution."""
        driven = {name for name, frame in zip(self.robot.variables, self.robot.frames, strict=True) if frame.mu}
        return tuple(name for name in self.joints if name in driven)

    def _chosen(
        self, result: Solutions | Sequence[Solutions], joints: tuple[str, ...], near: ArrayLike | None, limits: object,
        windings: bool = False,
    ) -> Solutions | Sequence[Solutions]:  # fmt: skip
        if windings and (limits is None or limits is False):
            raise InputError(
                "windings: expected limits, which bound the number of turns", hint=[Pass("limits", "robot")]
            )
        if near is None and (limits is None or limits is False):
            return result
        within = bounds(self.robot, joints, limits)
        near = None if near is None else near_position(near, joints, robot=self.robot)
        types = dict(zip(self.robot.variables, self.robot.frames, strict=True))
        turning = [types[name].joint_type.turns for name in joints]
        if isinstance(result, Solutions):
            return chosen(result, turning, near, within, windings)
        return [chosen(solutions, turning, near, within, windings) for solutions in result]

    def _slow_path(
        self, poses: Array, values: Mapping[str, float], tolerances: Array, every: bool = True,
        wanted: tuple[str, ...] | None = None,
    ) -> list[Solutions]:  # fmt: skip
        known = np.array([values.get(name, 0.0) for name in self.problem.chain.names])
        known = np.broadcast_to(known, (len(poses), len(known)))
        special = (
            self.special_solver if self.special is not None and 2 * self.special.error <= tolerances.min() else None
        )
        if special is None:
            found = self.solver.solve(poses, known, values, tolerances)
        else:  # each of its solutions is one of the given geometry, too; polishing would prevent joints from being free
            chain, every_pose = (
                self.solver.numeric(values),
                zip(special.solve(poses, known, values, tolerances), poses, strict=True),
            )
            found = [_moved(chain, rows, pose) for rows, pose in every_pose]
        return [self._with_loops(direct, values, every, wanted) for direct in found]

    # ------------------------------------------------------------ machine code

    def prepared(self) -> InverseGeometry:
        """Compile the model, so that the first call of `solve` takes no longer than the following ones."""
        machine = self._machine
        if machine is not None and set(self.parameters) <= set(self.fixed):
            machine.prepare(parameter_values(self.parameters, None, self.fixed))
            assert self._direct is not None or self.loops or self._places is not None
        return self

    def of(self, robot: Robot) -> InverseGeometry:
        """Return the model of an equal chain as that of a robot."""
        object.__setattr__(self, "robot", robot)
        return self

    def compile(self) -> InverseGeometry:
        """Compile the closed form to machine code now instead of in the first call of `solve`; return this model.

        The results of `solve` do not depend on it. Poses that look singular take the slow path, and so do Pieper's
        quartics and closed forms that cannot be compiled. The general method always runs in machine code.

        Raises
        ------
        InputError
            If the model has no closed form that can be compiled. `solve` works nevertheless.
        """
        if self._machine is None:
            raise InputError(
                f"{self.robot.name}, {self.method} method, given {self.given}: no closed form without quartics "
                "that could be compiled"
            )
        return self

    def __call__(self, T: ArrayLike, parameters: Mapping[str, float] | None = None, **options: Any) -> Any:
        """Call `solve`."""
        return self.solve(T, parameters, **options)

    @cached_property
    def _machine(self) -> FastSolver | GeneralFast | PolishedFast | None:
        """The machine code; None if the steps cannot be compiled, so that `solve` interprets them."""
        problem = self.stepped
        if self.method == "general":
            return GeneralFast(self.solver) if problem.given == "snaP" else None
        try:
            recipe = self.machine_recipe()
            if not is_straight(recipe):
                return None
            if self.special is None or self.special_solver is None:
                return FastSolver(self.solver, unrolled(recipe, problem.given))
            error = self.special.error
            branches = unrolled(recipe, problem.given, blur_of(error))
            return PolishedFast(self.solver, nominal_solver(self.special_solver, branches, error), error)
        except (ExpressionError, ArithmeticError):  # a divisor is zero on some branch, whatever the pose
            return None

    def machine_recipe(self) -> StepsRecipe:
        """Return the program of the closed form for machine code: known joints are inputs that may vary by pose."""
        problem = self.stepped
        known = (*problem.known, *self.angles)
        inputs = {"T": (*problem.entries, "", "", "", ""), "q": known}
        inputs["parameters"] = tuple(name for name in self.parameters if name not in known)
        return replace(self._chain_recipe(), inputs=inputs, outputs=tuple(problem.chain.names))

    @cached_property
    def machine(self) -> FastSolver | GeneralFast | PolishedFast | None:
        """The machine code; None if the steps cannot be compiled."""
        return self._machine

    @cached_property
    def _direct(self) -> tuple[FastSolver | GeneralFast | PolishedFast, dict[str, float]] | None:
        """The machine code and its values, if its result is that of `solve`: without loops, idle joints, parameters."""
        ready = not self.loops and self._places is None and set(self.parameters) <= set(self.fixed)
        machine = self._machine if ready else None
        return None if machine is None else (machine, parameter_values(self.parameters, None, self.fixed))

    def _at_machine_speed(
        self, T: ArrayLike, values: Mapping[str, float], tolerance: float, every: bool, tried: bool
    ) -> Solutions | Sequence[Solutions] | None:
        """Return the solutions of regular poses by the fast path; None if there is none.

        `tried` tells that the fast path failed for this pose.
        """
        if T.__class__ is not np.ndarray or T.dtype != float:
            try:
                T = np.asarray(T, dtype=float)
            except (TypeError, ValueError):
                return None
        if T.shape[-2:] != (4, 4) or T.ndim not in (2, 3) or not len(T):
            return None
        machine = self._machine
        if machine is None:
            return None
        if T.ndim == 2:
            found = None if tried else machine.one(T, values, tolerance)
            if found is None:
                poses, _, tolerances = poses_of(T, self.given, tolerance)
                return self._careful(machine, poses, values, tolerances, every, T)[0]
            return self._of_machine(found, values, every)
        q, errors, counts, doubtful = machine.many(T, values, tolerance)
        careful: dict[int, Solutions] = {}
        if len(doubtful):
            poses, _, tolerances = poses_of(T, self.given, tolerance, doubtful)
            careful = dict(
                zip(doubtful.tolist(), self._careful(machine, poses, values, tolerances, every), strict=True)
            )
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

    def _of_machine(
        self, found: tuple[Array, Array], values: Mapping[str, float], every: bool, complete: bool | None = None
    ) -> Solutions:
        """Return the solutions of a pose from its rows and errors."""
        q, errors = found
        if complete is None and not self.loops and self._places is None:
            return Solutions.regular(q, self.joints, errors)
        if not self.loops:
            return Solutions.of(self._ordered(q), self.joints, errors, (self.idle,) * len(q), complete)
        return self._with_loops(ChainSolutions(q, errors, [()] * len(q), complete), values, every)

    def _careful(
        self, machine: FastSolver | GeneralFast | PolishedFast, poses: Array, values: Mapping[str, float],
        tolerances: Array, every: bool, tried: Array | None = None,
    ) -> list[Solutions]:  # fmt: skip
        """Return the solutions of exact poses: by machine code one by one, or else by the slow path.

        `tried` is a pose for which the fast path failed.
        """
        result: dict[int, Solutions] = {}
        for number, (pose, tolerance) in enumerate(zip(poses, tolerances.tolist(), strict=True)):
            failed = tried is not None and np.array_equal(pose, tried)
            found, complete = None if failed else machine.one(pose, values, tolerance), None
            if found is None:
                found, complete = machine.isolated(pose, values, tolerance), False
            if found is not None:
                result[number] = self._of_machine(found, values, every, complete)
        left = np.array([number for number in range(len(poses)) if number not in result], dtype=int)
        if len(left):
            result |= zip(left.tolist(), self._slow_path(poses[left], values, tolerances[left], every), strict=True)
        return [result[number] for number in range(len(poses))]

    def _ordered(self, q: Array) -> Array:
        """Return the joints of the chain in the order of `joints`, with idle ones at 0."""
        if self._places is None:
            return q
        return np.asarray(np.hstack([q, np.zeros((len(q), len(self.idle)))])[:, self._places])

    @cached_property
    def _places(self) -> list[int] | None:
        """The indices of `joints` among those of the chain and the idle ones; None if they are the same."""
        names = [*self.problem.chain.names, *self.idle]
        return None if not self.idle and tuple(names) == self.joints else [names.index(name) for name in self.joints]

    def _with_loops(
        self, found: ChainSolutions, values: Mapping[str, float], every: bool, wanted: tuple[str, ...] | None = None
    ) -> Solutions:
        """Return the solutions of the path with the loop joints that follow from each (guide 2.3.8).

        With `wanted`, only these joints, without duplicates.
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
        """Sort by distance from the reference position, with angles modulo full turns."""
        joints = [name for name in self.joints if name in self.robot.position]
        if not joints or not branches:
            return branches
        types = dict(zip(self.robot.variables, self.robot.frames, strict=True))
        reference = np.array([self.robot.position[name] for name in joints])
        apart = np.array([[branch.values[name] for name in joints] for branch in branches]) - reference
        apart = np.where([types[name].joint_type.turns for name in joints], 2 * np.sin(apart / 2), apart)
        return [branches[place] for place in np.argsort(np.round((apart**2).sum(axis=1), 9), kind="stable")]

    def _modes(self, branches: Sequence[Branch], values: Mapping[str, float]) -> tuple[int, ...]:
        """Return the loop mode of each branch, 0 for that of the reference; empty if the motors do not determine it."""
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
        """Return the indices of branches in the reference mode or, without one, with uncrossed parallelograms."""
        if self.robot.position:
            return [place for place, mode in enumerate(modes) if not mode]
        order = ModeOrder(self.robot)
        q = np.array([[branch.values.get(name, 0.0) for name in order.joints] for branch in branches])
        crossed = order.crossed(q, values)
        return [place for place, mode in enumerate(modes) if not mode or not crossed[place]]

    @cached_property
    def _loop_geometry(self) -> LoopGeometry | None:
        """The loop geometry from the motors; None if the motors or the path do not determine the loops.

        It is also None for loops that only close together: their modes must be searched for each solution.
        """
        try:
            geometry = loop_geometry(self.robot)
        except InputError:
            return None
        if geometry.together is not None:
            return None
        known = {*self.parameters, *self.joints, *self.idle}
        inside = {self.robot.variable(j) for loop in loops_of(self.robot) for j in loop.round}
        covered = {*geometry.parameters} | ({*geometry.joints} & inside) <= known  # joints outside make no difference
        return geometry if covered and {*geometry.known} <= {*geometry.joints} else None

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
        """Describe the method, why it was chosen, and every step."""
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
        """Return all branches as one straight-line model, which languages other than C, C++ and Python print.

        A row of `solutions` is valid where its `errors` vanish and its `margins` are above 1.
        """
        if self.method == "general":
            raise InputError(f"{self.robot.name}: the general method has no straight-line form: use `code` or `solve`")
        return printed_branches(self._steps_recipe(self.robot.name))

    def recipe(self, name: str = "") -> StepsRecipe | EliminationRecipe:
        """Return the program that languages print, named after the robot or as given.

        That of a closed robot includes the joints of its loops. A geometry that is near to a special one is printed as
        given, by the general method; `branches` has the closed form.
        """
        inexact = self.special is not None and self.special.error > SOLVED and not self.loops
        if self.method == "general" or inexact:
            return self._elimination_recipe(name or self.robot.name)
        return self._steps_recipe(name)

    def _steps_recipe(self, name: str) -> StepsRecipe:
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
            modes=self._remark_on_modes(straight is not None) if self.loops else "",
        )
        if straight:  # lengths of a parallelogram may make no difference
            places = made.read.get("parameters", ())
            left = {"parameters": tuple(self.parameters[place] for place in places)} if places else {}
            return replace(made, inputs={"T": recipe.inputs["T"], **left})
        return made

    def _remark_on_modes(self, reference: bool) -> str:
        """Return a remark on the assembly modes that the code of a closed robot covers."""
        if reference:
            return "Loops have the assembly mode of the reference alone: no parallelogram is crossed."
        return EVERY_MODE.format(motors=" ".join(self.motors))

    def _remark_on_geometry(self) -> str:
        """Return a remark on the errors of printed code for a nearly special geometry."""
        if self.special is None:
            return ""
        return (
            f"SPECIAL GEOMETRY: with the geometry of the description, the pose of a solution is off by up to "
            f"{self.special.bound}. solve in robosym corrects this; C, C++ and Python code has the given geometry.\n"
            f"Changed in the description:\n{self.special}"
        )

    def _elimination_recipe(self, name: str) -> EliminationRecipe:
        if self.loops:
            raise InputError(
                f"{self.robot.name}: the general method has code for open chains, not with loops: use solve"
            )
        problem = self.problem
        note = (
            "" if self.special is None else f"Geometry as given, although it is near to a special one:\n{self.special}"
        )
        lengths = frozenset(joint.name for joint in problem.chain.joints if joint.prismatic)
        inputs = {"T": (*problem.entries, "", "", "", "")}
        if self.parameters:
            inputs["parameters"] = self.parameters
        return EliminationRecipe(
            name=name, kind="ragn", title="inverse geometric model, general method", inputs=inputs,
            outputs=problem.unknown, lengths=lengths, given=problem.columns, steps=self.steps, robot=self.robot,
            goal=problem.chain.goal, geometry=note, **elimination_data(problem, self.fixed),
        )  # fmt: skip

    def _chain_recipe(self) -> StepsRecipe:
        """Return the recipe of the path to the frame."""
        problem = self.stepped
        inputs = {"T": (*problem.entries, "", "", "", "")}
        if self.parameters:
            inputs["parameters"] = self.parameters
        return StepsRecipe(
            name=self.robot.name, kind={"paul": "pau", "pieper": "pie"}[self.method],
            title=f"inverse geometric model, {self.method} method", inputs=inputs, outputs=problem.unknown,
            lengths=frozenset(joint.name for joint in problem.chain.joints if joint.prismatic), steps=self.closed_steps,
            checks=tuple(checks(problem, len(self.steps))), robot=self.robot, goal=problem.chain.goal,
            geometry=self._remark_on_geometry(),
        )  # fmt: skip


@accepts(
    "floating", platform="modes passive", modules="modes",
    variants={"platform": leg_joints, "modules": series_joints},
)  # fmt: skip
def inverse_geometry(
    robot: Robot,
    method: Literal["auto", "paul", "pieper", "general"] = "auto",
    given: str = "snaP",
    *,
    frame: int | str | None = None,
    reference: int | str = 0,
    tool: object = None,
    fixed: Mapping[str, float] | Sequence[str] = (),
    modes: object = None,
    passive: bool = True,
    geometry_tolerance: float = GEOMETRY_TOLERANCE,
    redundant: str | None = None,
) -> Any:
    """Return the inverse geometric model, known elsewhere as inverse kinematics (IK): joint positions from a pose.

    For a robot with a platform, the joint positions are those of the motors and, if `passive`, of the passive joints.

    Parameters
    ----------
    robot
        Robot of any structure.
    method
        Method of solution: `paul`, `pieper`, `general`, or `auto` for the first of them that works.
    given
        Given columns of the pose, of s n a P. A robot with fewer than six joints may take P (a position) or aP (a line
        in space).
    frame
        Frame to place. Default: the end of the arm, found by its name (tool0, flange, ...) or by the structure.
    reference
        Frame in which the pose is expressed: 0, or -1 for the world.
    tool
        Pose of a tool frame in that frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    fixed
        Known joint of a redundant robot, by name (its value is then a parameter of `solve`) or with its value.
    modes
        Branch of each leg of a parallel robot, from 0. Default: the branches of the reference position.
    passive
        Whether the passive joints of a parallel robot are computed too.
    geometry_tolerance
        Largest change, in rad and in lengths of the robot, of axes, angles and lengths of an arm to a special geometry
        (parallel, perpendicular, meeting) that has a closed form. `solve` corrects its solutions by Newton's method
        on the given geometry. 0 never changes the geometry.
    redundant
        Parameter of the solutions of a robot with one joint more than the pose needs: one of its joints, or
        arm_angle. Default: the arm angle for an arm with spherical shoulder and wrist, or else a joint for which a
        closed form remains.

    Returns
    -------
    InverseGeometry
        `.solve(T)` returns all solutions (k, joints) of a pose T (4, 4), in rad and m; `.steps` and `.explain()`
        show the derivation; `.code(language)` prints it. For a robot with one joint more than the pose needs, a
        `RedundantGeometry`: `.solve(T, redundancy=)` returns all solutions at a value of the redundancy parameter,
        `.solve(T, near=)` the nearest ones, and `.self_motion(T)` the curves of all solutions.

    Raises
    ------
    InputError
        If the pose does not determine the joints, a frame does not exist, or the method has no solution for the robot.

    Examples
    --------
    >>> import robosym as rs
    >>> robot = rs.load("ur5e")
    >>> T = rs.direct_geometry(robot).compile()(q=[0.1, -1.2, 1.3, 0.4, 0.5, 0.6])
    >>> len(rs.inverse_geometry(robot).solve(T))
    8
    """
    if method not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}, found {method!r}{closest(method, METHODS)}")
    given = columns_given(given)
    chain = chain_to(robot, frame, reference, tool)
    bound = [name for name in chain.names if name in robot.couplings]
    if bound:
        raise InputError(
            f"{robot.name}: joint {bound[0]} is coupled to {', '.join(robot.couplings[bound[0]].ratios)}: "
            "inverse_geometry supports independent joints only. Use inverse_kinematics, which keeps couplings"
        )
    near = _checked_tolerance(geometry_tolerance)

    def model(locked: str | None = None) -> InverseGeometry:
        values, wanted = unknown_joints(robot, chain, fixed, locked)
        where = f"{frame!r} in {reference!r}"
        return _determined(robot, chain, method, given, values, wanted, near, where, tool is not None)

    def by_arm_angle() -> InverseGeometry | None:
        found = arm_angle_solution(chain) if method in ("auto", "paul") and given == "snaP" and not fixed else None
        if found is None:
            return None
        problem, steps, solver, reason = found
        parameters = (*problem.chain.parameters, ARM_ANGLE)
        return InverseGeometry(
            robot, "paul", given, problem.unknown, steps, parameters, reason, problem, solver, {}, angles=(ARM_ANGLE,)
        )

    wanted = "" if redundant is None else redundant
    if wanted and wanted != ARM_ANGLE:
        wanted = variable_of(robot, chain, wanted, "redundant")

    def made() -> InverseGeometry | RedundantGeometry:
        if not wanted:
            try:
                return model().prepared()
            except JointsLeftFree as rejected:
                left = rejected
            if not may_be_redundant(robot, chain, given, fixed):
                raise left
        with nullcontext() if wanted else suppress(JointsLeftFree):
            return redundant_geometry(robot, chain, given, fixed, wanted, model, by_arm_angle).prepared()
        raise left

    known = fixed_values(robot, chain, fixed)
    options = {"method": method, "given": given, "near": near, "wanted": wanted, "fixed": known}
    try:
        return _cached(robot, chain, options, made)
    except JointsLeftFree:
        task = task_geometry(robot, chain, given, known) if method == "auto" and not wanted else None
        if task is None:
            raise
        return task


def _cached(
    robot: Robot, chain: JointChain, options: dict[str, object], make: Callable[[], InverseGeometry | RedundantGeometry]
) -> InverseGeometry | RedundantGeometry:
    """Return the model of a chain from this robot or from the disk, otherwise make and store it."""
    if robot.loops:  # the key does not describe them
        found = make()
    else:
        key = chain_key(chain, {**options, "robot": robot.name, "names": file_names(robot)})
        found = remembered(
            robot, f"inverse geometry {key}", lambda: stored(key, make).of(robot).prepared(), "_derivations"
        )
    problem = found.at.problem if isinstance(found, RedundantGeometry) else found.problem
    if len(problem.unknown) <= problem.conditions:
        warn_of_dependence(robot, problem)
    return found


def _determined(
    robot: Robot, chain: JointChain, method: str, given: str, values: dict[str, float], wanted: tuple[str, ...],
    near: float, where: str, tool: bool,
) -> InverseGeometry:  # fmt: skip
    """Return the model of a robot whose unknown joints follow from the pose and the known joints."""
    what = f"inverse geometry: {method}, {given}, {where}, {' '.join(wanted)}, {near}"
    derivation: _Derivation = (
        _derived(robot, chain, wanted, given, method, near)
        if tool
        else remembered(robot, what, lambda: _derived(robot, chain, wanted, given, method, near), "_derivations")
    )
    problem, idle, steps, used, reason, solver, special, special_solver = derivation
    loops, _ = stages(robot, chain.names) if robot.loops and not idle else ([], [])
    names = {*problem.unknown, *(name for stage in loops for name in (*stage.unknown, *stage.idle))}
    tree = [robot.variable(j) for j in robot.tree_joints]
    joints = tuple(name for name in tree if name in names) if loops else wanted
    chains = [problem.chain, *(stage.problem.chain for stage in loops)]
    parameters = dict.fromkeys([*(name for part in chains for name in part.parameters), *problem.known])
    return InverseGeometry(
        robot, used, given, joints, steps, tuple(parameters), reason, problem, solver, values, tuple(loops), idle,
        special, special_solver,
    )  # fmt: skip


def _moved(chain: NumericChain, found: ChainSolutions, T: Array) -> ChainSolutions:
    """Return the solutions of a nearly equal chain, polished on this one unless a joint is free."""
    q, poses = found.q.copy(), np.broadcast_to(T, (len(found.q), 4, 4))
    isolated = [row for row, free in enumerate(found.free) if not free]
    q[isolated], _ = chain.polish(q[isolated], poses[isolated])
    return found._replace(q=wrapped(q, chain.prismatic), errors=chain.error(q, poses))


def _checked_tolerance(value: float) -> float:
    """Check a geometric tolerance; a larger one would describe another robot."""
    if isinstance(value, (int, float)) and 0 <= value <= _LARGEST_SNAP:
        return float(value)
    raise InputError(f"geometry_tolerance: expected a number from 0 to {_LARGEST_SNAP:g}, found {value!r}")


class _Derivation(NamedTuple):
    """The steps that solve a chain for a pose, derived once per robot."""

    problem: PoseProblem
    idle: tuple[str, ...]
    steps: tuple[Step | GeneralStep, ...]
    method: str
    reason: str
    solver: Solver
    special: SpecialGeometry | None = None
    special_solver: Solver | None = None


def _derived(
    robot: Robot, chain: JointChain, unknown: tuple[str, ...], given: str, method: str, near: float
) -> _Derivation:
    problem = pose_problem(chain, unknown, given)
    idle = undetermined_joints(robot, problem)
    if idle:  # the given columns do not depend on them
        unknown = tuple(name for name in unknown if name not in idle)
        chain = chain.holding(idle)
        problem = pose_problem(chain, unknown, given)
    closable = method != "general" and len(unknown) == problem.conditions
    special = special_geometry(chain, near, file_names(robot)) if closable else None
    found = None if special is None else _near_special(robot, replace(problem, chain=chain), special, method)
    if found is not None:
        return found._replace(idle=idle)
    closed = chosen_form(robot.name, problem, method)
    if closed is None:
        solver, general, reason = general_solver(problem)
        return _Derivation(problem, idle, general, "general", reason, solver)
    steps, used, reason = closed
    solver = replace(closed_form_solver(problem, steps), otherwise=general_solver(problem)[0].candidates)
    return _Derivation(problem, idle, steps, used, reason, solver)


def _near_special(robot: Robot, problem: PoseProblem, special: SpecialGeometry, method: str) -> _Derivation | None:
    """Return the closed form of the special geometry; None if there is none or it leaves a joint free."""
    nominal = pose_problem(special.chain, problem.unknown, problem.given)
    try:
        if undetermined_joints(robot, nominal):
            return None
        closed = chosen_form(robot.name, nominal, method)
    except InputError:
        return None
    if closed is None:
        return None
    steps, used, reason = closed
    first = replace(closed_form_solver(nominal, steps), floor=special.error)
    start = NearbyCandidates(first)
    solver = Solver(problem, start.candidates, precise=start.precise, otherwise=general_solver(problem)[0].candidates)
    reason += (
        f" They are those of a special geometry, whose poses differ by at most {special.bound}; solve corrects "
        f"them on the given one. Changed: {'; '.join(map(str, special.snaps))}."
    )
    return _Derivation(problem, (), steps, used, reason, solver, special, first)
