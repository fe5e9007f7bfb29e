"""Redundant arms: joint positions at a value of the redundancy parameter, and the curves of all joint positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.generic import random_arrays
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SOLVED
from robosym.chains.arm_angle import ARM_ANGLE
from robosym.chains.chain import ChainJoint, JointChain, conditions_of, fold_joints
from robosym.chains.numeric_chain import NumericChain, Solutions, parameter_values
from robosym.errors import InputError, Pass
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.model.solution.recipe import Recipe
from robosym.model.solution.unrolled import printed_branches
from robosym.solve.choice_of_solutions import bounds, by_name, named_values, near_position
from robosym.solve.closest_pose import checked_weights, closest_solution
from robosym.solve.curve_tracer import CurveTracer
from robosym.solve.fast_solver import DOUBLE, FastSolver, PolishedFast
from robosym.solve.pose import JointsLeftFree, poses_of, variable_of
from robosym.solve.self_motion import SelfMotion, twist_jacobian
from robosym.solve.stages import SolvedInSteps

if TYPE_CHECKING:
    from robosym.runtime.compiled import Compiled
    from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["RedundantGeometry", "redundant_geometry"]

_VALUES = 48  #: number of values of the redundancy parameter at which a closed form searches curves
_FEW_VALUES = 12  #: the same by the general method
_ANGLES = 3  #: the same by the arm angle, in which every curve is a whole turn
_SHIFT = 0.3819660112501051  #: shift of these values, so that they are generic
_STARTS = 400  #: number of start positions of Newton's method, if there is no closed form
_TRIES = 16  #: configurations from which a singular pose is looked for, and in which the motion is tried
_GRID, _ROUNDS = 16, 8  #: values between two, and how often the space between those is divided again
_STEEP = 4.0  #: times the change of an error to the next value: it may vanish in between
_TURN = 2 * np.pi
_ANY = 0.3  #: a value of the redundancy parameter
_STILL = 0.02  #: the share of a joint in the motion along a curve below which it is no parameter by itself


@dataclass(frozen=True, repr=False)
class RedundantGeometry(SolvedInSteps):
    """The inverse geometric model of an arm with one joint more than the pose needs, returned by `inverse_geometry`."""

    robot: Robot = field(repr=False)
    redundancy: str  #: name of the redundancy parameter
    at: InverseGeometry = field(repr=False)  #: the model with the redundancy parameter among its parameters

    @property
    def method(self) -> str:
        """The method of solution at a value of the redundancy parameter: "paul", "pieper" or "general"."""
        return self.at.method

    @property
    def given(self) -> str:
        """The columns of the pose that are given."""
        return self.at.given

    @property
    def joints(self) -> tuple[str, ...]:
        """The columns of a solution."""
        return self.at.joints

    @property
    def steps(self) -> Any:
        """The steps of the solution at a value of the redundancy parameter."""
        return self.at.steps

    @property
    def parameters(self) -> tuple[str, ...]:
        """Symbols that `solve` needs values for, without the redundancy parameter."""
        return tuple(name for name in self.at.parameters if name != self.redundancy)

    def solve(
        self,
        T: ArrayLike,
        parameters: Mapping[str, float] | None = None,
        tolerance: float = SOLVED,
        *,
        redundancy: ArrayLike | None = None,
        near: ArrayLike | None = None,
        limits: object = None,
        windings: bool = False,
        nearest: bool = False,
        weights: Sequence[float] | None = None,
        mapping: bool = False,
    ) -> Any:
        """Return joint positions (k, joints) of a pose (4, 4), or one such array per pose (m, 4, 4).

        With `redundancy`, the value of the redundancy parameter (or one per pose), every solution at this value is
        returned, and `near`, `limits` and `windings` act as for other arms. With `near` alone, the nearest point of
        each part of a curve within the limits is returned, the nearest of all first.

        With `nearest`, a pose that cannot be reached (within the limits) has one row, as with other arms. With
        `mapping`, each solution is a mapping from the names of joints to their positions.

        Raises
        ------
        InputError
            If neither `redundancy` nor `near` is given: a pose has infinitely many solutions (`self_motion`).
        """
        if redundancy.__class__ is float and T.__class__ is np.ndarray and self._direct is not None:
            plain = parameters is None and near is None and limits is None and not windings
            plain = plain and not nearest and not mapping
            if plain and T.dtype is DOUBLE and T.shape == (4, 4) and -np.pi < redundancy <= np.pi:
                rows = self._direct.one(T, {self.redundancy: redundancy}, tolerance)
                if rows is not None:
                    return Solutions.regular(rows[0], self.joints, rows[1])
        found = self._found(T, parameters, tolerance, redundancy, near, limits, windings, nearest)
        if nearest:
            found = self._or_closest(found, T, parameters, limits, weights)
        return by_name(self.robot, found) if mapping else found

    def _found(
        self, T: ArrayLike, parameters: Mapping[str, float] | None, tolerance: float, redundancy: ArrayLike | None,
        near: ArrayLike | None, limits: object, windings: bool, nearest: bool,
    ) -> Solutions | Sequence[Solutions]:  # fmt: skip
        """Return the solutions at a value of the redundancy parameter or near to a position."""
        if near is None and redundancy is None and nearest:
            near = np.zeros(len(self.joints))
        if redundancy is None and near is None:
            raise InputError(
                f"{self.robot.name}: a pose has infinitely many solutions, along curves of {self.redundancy}: use "
                "self_motion(T) for all of them",
                hint=("or ", Pass("redundancy", 0.0), f", the value of {self.redundancy}, or ", Pass("near")),
            )
        if redundancy is None:
            return self._nearest(T, parameters, tolerance, near, limits)
        values = self._values(redundancy, T)
        more = {} if parameters is None else dict(parameters)
        options: dict[str, Any] = {"near": near, "limits": limits, "windings": windings}
        if values.ndim == 0:
            single: Solutions | Sequence[Solutions] = self.at.solve(
                T, {**more, self.redundancy: float(values)}, tolerance, **options
            )
            return single
        poses = np.asarray(T, dtype=float)
        found: list[Any] = []
        for pose, psi in zip(poses, values.tolist(), strict=True):
            found.append(self.at.solve(pose, {**more, self.redundancy: psi}, tolerance, **options))
        return found

    def _or_closest(
        self, found: Solutions | Sequence[Solutions], T: ArrayLike, parameters: Mapping[str, float] | None,
        limits: object, weights: object,
    ) -> Solutions | list[Solutions]:  # fmt: skip
        """Return the solutions or, of a pose that has none, the joint positions of the closest pose."""
        poses, _, _ = poses_of(T, self.given, SOLVED)
        chain = self._numeric(parameters)
        within, checked = bounds(self.robot, self.joints, limits), checked_weights(weights, chain.length)
        none = np.zeros(len(chain.joints))

        def filled(solutions: Solutions, pose: Array) -> Solutions:
            return solutions if len(solutions) else closest_solution(chain, pose, none, self.joints, within, checked)

        if isinstance(found, Solutions):
            return filled(found, poses[0])
        return [filled(solutions, pose) for solutions, pose in zip(found, poses, strict=True)]

    @cached_property
    def _direct(self) -> FastSolver | None:
        """The machine code, if its rows are the joints of a solution and its only other input is an angle."""
        machine, chain = self.at.machine, self.at.problem.chain
        plain = self.at.parameters == (self.redundancy,) and tuple(chain.names) == self.joints and self._turns
        return machine if plain and isinstance(machine, FastSolver) else None

    def _values(self, redundancy: ArrayLike, T: ArrayLike) -> Array:
        """Return the values of the redundancy parameter, angles in (-pi, pi]."""
        try:
            values = np.asarray(redundancy, dtype=float)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        shape = np.shape(T)
        count = shape[:1] if len(shape) == 3 else ()
        if values.shape not in ((), count) or not np.isfinite(values).all():
            raise InputError(
                f"redundancy: expected a value of {self.redundancy}, or one for each pose, found {redundancy!r}"
            )
        wrapped = np.pi - np.mod(np.pi - values, _TURN)
        return np.asarray(np.where(self._turns & (np.abs(values) > np.pi), wrapped, values))

    def self_motion(
        self, T: ArrayLike, parameters: Mapping[str, float] | None = None, *, limits: object = None
    ) -> SelfMotion | list[SelfMotion]:
        """Return all joint positions of a pose (4, 4) as curves, or a list of such results for poses (m, 4, 4).

        Parameters
        ----------
        T
            Pose of the frame; with `given="P"` a point is enough.
        parameters
            Values of the symbols of the robot.
        limits
            Smallest and largest value of each joint (an array (n, 2) or a mapping by name), or "robot" for those of
            the description. `.intervals` are then the parts within the limits.
        """
        poses, single, _ = poses_of(T, self.given, SOLVED)
        within = bounds(self.robot, self.joints, limits)
        values = named_values(self.robot, self.parameters, parameters, self.at.fixed)
        found = [self._curves(pose, values, within) for pose in poses]
        return found[0] if single else found

    def _curves(self, T: Array, values: dict[str, float], limits: Array | None) -> SelfMotion:
        tracer = self._tracer(values)
        seeds = self._seeds(tracer, T, values)
        key = self._key or 0
        curves = tracer.curves(T, seeds, key) if len(seeds) else []
        complete = None
        if not curves or not all(curve.closed for curve in curves):  # others begin in the singular positions
            more = tracer.from_starts(T, _STARTS)
            if len(more):
                curves = tracer.curves(T, np.concatenate([seeds, more]), key)
            complete = False if curves or _is_reached(tracer.chain, T) else None
        angle = partial(self.redundancy_of, parameters=values)
        return SelfMotion(self.joints, self.redundancy, T, limits, tracer, angle, tuple(curves), complete)

    def redundancy_of(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return the redundancy parameter of joint positions (..., joints)."""
        rows = np.asarray(q, dtype=float)
        solver = self.at.solver
        if solver.inputs is None:
            return np.asarray(rows[..., self._key])
        found = solver.inputs(self._numeric(parameters), rows.reshape(-1, rows.shape[-1]))
        return np.asarray(found.reshape(rows.shape[:-1]))

    def _numeric(self, parameters: Mapping[str, float] | None) -> NumericChain:
        return self._tracer(named_values(self.robot, self.parameters, parameters, self.at.fixed)).chain

    def _seeds(self, tracer: CurveTracer, T: Array, values: dict[str, float]) -> Array:
        """Return solutions on every curve: at many values of the redundancy parameter, more where few have solutions.

        Without a closed form, Newton's method finds others from random configurations.
        """
        if self.redundancy == ARM_ANGLE:  # every curve has every value
            rows = [self._solved(tracer, T, values, _TURN * (np.arange(_ANGLES) + _SHIFT) / _ANGLES - np.pi)]
            return rows[0] if len(rows[0]) else tracer.from_starts(T, _STARTS)
        count = _FEW_VALUES if self.method == "general" else _VALUES
        if self._turns:
            spread = _TURN * (np.arange(count) + _SHIFT) / count - np.pi
        else:
            reach = tracer.chain.length + float(np.linalg.norm(T[:3, 3]))
            spread = reach * (2 * (np.arange(count) + _SHIFT) / count - 1)
        rows = [np.zeros((0, len(self.joints))), self._solved(tracer, T, values, spread)]
        if self._misses is not None and not self.still:
            spots = _dips(lambda psi: self._missed(T, values, psi), spread, self._turns)
            rows.append(self._solved(tracer, T, values, spots))
        else:
            rows.append(tracer.from_starts(T, _STARTS))
        found = np.concatenate(rows)
        if self.at.special is not None:  # those of a geometry near to the true one
            points, _, good = tracer.polished(T, found / tracer.units)
            found = points[good] * tracer.units
        return found

    def _solved(self, tracer: CurveTracer, T: Array, values: dict[str, float], spread: Array) -> Array:
        """Return the solutions at values of the redundancy parameter, those of singular positions left out."""
        machine = self.at.machine
        machine = machine.special if isinstance(machine, PolishedFast) else machine
        if isinstance(machine, FastSolver) and len(spread):
            names = list(machine.known)
            known = np.tile([values.get(name, 0.0) for name in names], (len(spread), 1))
            known[:, names.index(self.redundancy)] = spread
            q, _, _, doubtful = machine.many(
                np.broadcast_to(T, (len(spread), 4, 4)), {**values, self.redundancy: 0.0}, SOLVED, known
            )  # fmt: skip
            found = q[:, [self.at.problem.chain.names.index(name) for name in self.joints]]
            if 2 * len(doubtful) <= len(spread):
                return np.asarray(found)
            return np.concatenate([found, tracer.from_starts(T, _STARTS)])
        rows = [np.asarray(self.at.solve(T, {**values, self.redundancy: psi})) for psi in spread.tolist()]
        return np.concatenate([np.zeros((0, len(self.joints))), *rows])

    @cached_property
    def _misses(self) -> Compiled | None:
        """The compiled branches with real values everywhere, and their distances from solutions; None without them."""
        try:
            return printed_branches(self.at.machine_recipe()).compile() if self.method != "general" else None
        except InputError:
            return None

    def _missed(self, T: Array, values: dict[str, float], psi: Array) -> Array:
        """Return the error (m, branches) of every branch at values of the redundancy parameter."""
        assert self._misses is not None
        inputs = self._misses.model.inputs
        known = np.tile([values.get(name, 0.0) for name in inputs["q"]], (len(psi), 1))
        known[:, inputs["q"].index(self.redundancy)] = psi
        more = {
            group: np.array([values[n] for n in names]) for group, names in inputs.items() if group not in ("T", "q")
        }
        with np.errstate(all="ignore"):
            return np.asarray(self._misses(T=np.tile(T.ravel(), (len(psi), 1)), q=known, **more).errors)

    def _nearest(
        self, T: ArrayLike, parameters: Mapping[str, float] | None, tolerance: float, near: ArrayLike | None,
        limits: object,
    ) -> Solutions | list[Solutions]:  # fmt: skip
        motions = self.self_motion(T, parameters, limits=limits)
        single = isinstance(motions, SelfMotion)
        result = []
        for motion in [motions] if isinstance(motions, SelfMotion) else motions:
            points = motion.nearest(near_position(near, self.joints, robot=self.robot))
            q = np.array([point.q for point in points]).reshape(-1, len(self.joints))
            errors = motion.tracer.chain.error(q, np.broadcast_to(motion.pose, (len(q), 4, 4)))
            result.append(Solutions.of(q, self.joints, errors, ((),) * len(q), motion.complete))
        return result[0] if single else result

    def __call__(self, T: ArrayLike, parameters: Mapping[str, float] | None = None, **options: Any) -> Any:
        """Call `solve`."""
        return self.solve(T, parameters, **options)

    def prepared(self) -> RedundantGeometry:
        """Compile the model, so that first calls take no longer than the following ones."""
        machine, names = self.at.machine, set(self.parameters)
        if machine is not None and names <= set(self.at.fixed):
            values = parameter_values(self.parameters, None, self.at.fixed)
            machine.prepare({**values, self.redundancy: _ANY})
            self._tracer(values).prepare()
            if self.redundancy != ARM_ANGLE and self._misses is not None:
                self._missed(np.eye(4), values, np.array([_ANY]))
        return self

    def of(self, robot: Robot) -> RedundantGeometry:
        """Return the model of an equal chain as that of a robot."""
        object.__setattr__(self, "robot", robot)
        self.at.of(robot)
        return self

    def compile(self) -> RedundantGeometry:
        """Compile the closed form to machine code now instead of in the first call; return this model."""
        self.at.compile()
        return self

    @cached_property
    def _key(self) -> int | None:
        """The column of the parameter among the joints; None if it is the arm angle."""
        return self.joints.index(self.redundancy) if self.redundancy in self.joints else None

    @cached_property
    def _turns(self) -> bool:
        chain = self.at.problem.chain
        return self.redundancy == ARM_ANGLE or not chain.joints[chain.names.index(self.redundancy)].prismatic

    @cached_property
    def still(self) -> bool:
        """Return whether the parameter hardly changes along curves, so that few of its values have solutions."""
        if self._key is None:
            return False
        values = {name: float(numbers[0]) for name, numbers in self.at.problem.samples.symbols.items()}
        tracer = self._tracer(values | dict(self.at.fixed))
        q = random_arrays("singular poses").uniform(-np.pi, np.pi, (_TRIES, len(tracer.units)))
        T, derivatives = tracer.chain.jacobian(q * np.where(tracer.chain.prismatic, tracer.chain.length / np.pi, 1.0))
        J = twist_jacobian(T, derivatives, tracer.chain.columns) * tracer.units
        return bool(np.median(np.abs(np.linalg.svd(J)[2][:, -1, self._key])) < _STILL)

    @cached_property
    def _tracers(self) -> dict[tuple[tuple[str, float], ...], CurveTracer]:
        return {}

    def _tracer(self, values: Mapping[str, float]) -> CurveTracer:
        """Return the chain in numbers, cached for the next call with the same parameters."""
        key = tuple(values.items())
        if key not in self._tracers:
            self._tracers.clear()
            problem = self.at.problem
            joints = problem.chain.joints
            known = {
                k: one.motion(np.array(values[one.name])) for k, one in enumerate(joints) if one.name not in self.joints
            }
            free, constants = fold_joints(joints, problem.chain.at(values), known)
            chain = NumericChain(free, constants, problem.columns, range(len(free)))
            self._tracers[key] = CurveTracer(chain)
        return self._tracers[key]

    # ---------------------------------------------------------------- text

    def __repr__(self) -> str:
        text = f"<RedundantGeometry {self.robot.name}: {self.method} method, {self.given} and {self.redundancy}"
        return f"{text} -> {', '.join(self.joints)}>"

    def _repr_html_(self) -> str:
        return self.at._repr_html_()

    def explain(self) -> str:
        """Describe the redundancy parameter, the method, and every step."""
        head = f"One joint more than the pose needs; the redundancy parameter is {self.redundancy}."
        return f"{head}\n{self.at.explain()}"

    def branches(self) -> Model:
        """Return all branches as one straight-line model, in which the redundancy parameter is an input."""
        return self.at.branches()

    def recipe(self, name: str = "") -> Recipe:
        """Return the program that languages print: all solutions at a value of the redundancy parameter."""
        return self.at.recipe(name)


def _is_reached(chain: NumericChain, T: Array) -> bool:
    """Return whether some configuration, possibly a singular one, has a pose, by damped least squares."""
    rng = random_arrays("singular poses")
    q = rng.uniform(-1, 1, (_TRIES, len(chain.joints))) * np.where(chain.prismatic, chain.length, np.pi)
    _, errors = chain.polish(q, np.broadcast_to(T, (_TRIES, 4, 4)), turns=60)
    return bool(errors.min() <= SOLVED * max(1.0, chain.length))


def _dips(errors: Callable[[Array], Array], spread: Array, periodic: bool) -> Array:
    """Return where errors (m, branches) vanish between two neighboring values that are not zero."""
    sizes = np.nan_to_num(errors(spread), nan=np.inf, posinf=np.inf)
    before, after = np.roll(sizes, 1, axis=0), np.roll(sizes, -1, axis=0)
    if not periodic:
        before[0], after[-1] = np.inf, np.inf
    most = np.maximum(before, after)
    with np.errstate(invalid="ignore"):
        low = (sizes > SOLVED) & (sizes <= before) & (sizes <= after) & (sizes <= 2 * (most - sizes))
    places, branches = np.nonzero(low)
    if not len(places):
        return np.zeros(0)
    step = float(spread[1] - spread[0])
    middle, found = spread[places], []
    for _ in range(_ROUNDS):
        offsets = step * (2 * (np.arange(_GRID) + 0.5) / _GRID - 1)
        psi = middle[:, None] + offsets
        every = errors(psi.ravel()).reshape(len(places), _GRID, -1)
        value = np.nan_to_num(every[np.arange(len(places)), :, branches], nan=np.inf)
        best = value.argmin(axis=1)
        least, spot = np.take_along_axis(value, best[:, None], 1)[:, 0], np.take_along_axis(psi, best[:, None], 1)[:, 0]
        found.append(spot[least <= SOLVED])
        beside = np.clip(best[:, None] + [-1, 1], 0, _GRID - 1)
        slope = np.abs(np.take_along_axis(value, beside, 1) - least[:, None]).max(axis=1)
        with np.errstate(invalid="ignore"):
            going = (least > SOLVED) & ~(least > _STEEP * slope)  # others cannot vanish before the next value
        if not going.any():
            break
        places, branches, middle = places[going], branches[going], spot[going]
        step *= 2 / _GRID
    return np.asarray(np.concatenate(found))


# -------------------------------------------------------------------------- choice of the parameter

_PREFERRED = ("paul", "pieper", "general")


def may_be_redundant(robot: Robot, chain: JointChain, given: str, fixed: Mapping[str, float] | Sequence[str]) -> bool:
    """Return whether a robot without loops has one joint more than the pose has conditions."""
    return not robot.loops and len(_free(robot, chain, fixed)) == conditions_of(given) + 1


def _free(robot: Robot, chain: JointChain, fixed: Mapping[str, float] | Sequence[str]) -> list[ChainJoint]:
    names = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    known = {variable_of(robot, chain, name, "fixed") for name in names}
    return [part for part in chain.joints if part.name not in known]


def redundant_geometry(
    robot: Robot, chain: JointChain, given: str, fixed: Mapping[str, float] | Sequence[str], wanted: str,
    model: Callable[[str], InverseGeometry], by_arm_angle: Callable[[], InverseGeometry | None],
) -> RedundantGeometry:  # fmt: skip
    """Return the model of a robot with one joint more than the pose has conditions; `model` locks a joint.

    The parameter is `wanted`, or else the arm angle of an arm with spherical shoulder and wrist, or else the joint
    that leaves the simplest solution, among those that move along the curves: preferably a prismatic one, then the
    last one.
    """
    free = _free(robot, chain, fixed)
    if not may_be_redundant(robot, chain, given, fixed):
        raise InputError(
            f"redundant: {robot.name} has {len(free)} joints for {conditions_of(given)} conditions of the pose: "
            "expected one joint more, and no loops"
        )
    if wanted in ("", ARM_ANGLE):
        at = by_arm_angle()
        if at is not None:
            return RedundantGeometry(robot, ARM_ANGLE, at)
        if wanted:
            raise InputError(
                f"redundant: {robot.name} has no arm angle: expected seven revolute joints, the first three axes "
                "meeting in a point and the last three in another, a complete pose, and the methods auto or paul"
            )
    last_first = free[::-1]
    order = [part.name for part in sorted(last_first, key=lambda part: not part.prismatic)]
    best: tuple[int, RedundantGeometry] | None = None
    for name in [wanted] if wanted else order:
        try:
            at = model(name)
        except InputError:
            if wanted:
                raise
            continue
        if at.idle:
            continue
        found = RedundantGeometry(robot, name, replace(at, joints=tuple(part.name for part in free)))
        rank = _PREFERRED.index(found.method) + len(_PREFERRED) * found.still
        if best is None or rank < best[0]:
            best = rank, found
            if rank == 0:
                break
    if best is None:
        raise JointsLeftFree(f"{robot.name}: no single joint determines the others")
    return best[1]
