"""Arms with several joints more than a task needs: the joint positions nearest to a given one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import LIMIT, SOLVED
from robosym.chains.chain import ChainJoint, JointChain, conditions_of, fold_joints
from robosym.chains.numeric_chain import NumericChain, Solutions
from robosym.errors import Pass
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.model.solution.recipe import Recipe
from robosym.solve.choice_of_solutions import bounds, by_name, named_values, near_position
from robosym.solve.closest_pose import checked_weights, closest_solution
from robosym.solve.pose import JointsLeftFree, poses_of
from robosym.solve.stages import SolvedInSteps

__all__ = ["TaskGeometry", "task_geometry"]

_STARTS = 24  #: positions from which the nearest one is searched, beside the given one
_ROUNDS = 80  #: steps from each of them
_LONGEST = 0.5  #: a step, in rad and units of the robot
_WEAK = 1e-9  #: singular values below this part of the largest one do not move the pose
_SETTLED = 1e-12
_LAST = 8  #: of these steps, which only correct the task


@dataclass(frozen=True, repr=False)
class TaskGeometry(SolvedInSteps):
    """The inverse geometric model of an arm with several joints more than a task needs, from `inverse_geometry`.

    Such a task is a position alone (`given="P"`) or an axis alone (`given="a"`) of an arm with six joints.
    """

    robot: Robot = field(repr=False)
    given: str  #: the columns of the pose that are given
    joints: tuple[str, ...]  #: the columns of a solution
    free: int  #: the number of joints more than the task needs
    chain: JointChain = field(repr=False)
    fixed: Mapping[str, float] = field(default_factory=dict)
    method: str = "nearest"
    steps: ClassVar[tuple[()]] = ()  #: there is no closed form

    @property
    def parameters(self) -> tuple[str, ...]:
        """Symbols that `solve` needs values for."""
        known = (name for name in self.chain.names if name not in self.joints)
        return (*self.chain.parameters, *known)

    def solve(
        self,
        T: ArrayLike,
        parameters: Mapping[str, float] | None = None,
        tolerance: float = SOLVED,
        *,
        near: object = None,
        limits: object = None,
        nearest: bool = False,
        weights: Sequence[float] | None = None,
        mapping: bool = False,
    ) -> Any:
        """Return the joint positions (1, joints) nearest to `near` that fulfill the task, or none.

        Parameters
        ----------
        T
            Pose (4, 4) or poses (m, 4, 4); only the columns `given` count. With `given="P"`, points suffice.
        parameters
            Values of the symbols of the robot.
        tolerance
            Largest error of a solution.
        near
            Joint positions, in the order of `joints` or as a mapping by name.
        limits
            Smallest and largest value of each joint (an array (n, 2) or a mapping by name), or "robot" for those of
            the description.
        nearest
            Return the joint positions of the closest pose if the task cannot be fulfilled.
        weights
            Weights of a meter and of a radian in the distance of poses.
        mapping
            Return mappings from joint names to positions instead of rows.

        Notes
        -----
        The result is a local minimum of the distance, the best one from several starts.

        Raises
        ------
        JointsLeftFree
            If `near` is not given: a task has infinitely many solutions.
        """
        if near is None:
            raise self._left_free("give the position to which the solution is to be near: ", Pass("near"))
        values = named_values(self.robot, self.parameters, parameters, self.fixed)
        poses, single, tolerances = poses_of(T, self.given, tolerance)
        start = near_position(near, self.joints, robot=self.robot)
        within, chain = bounds(self.robot, self.joints, limits), self._numeric(values)
        found: list[Solutions] = []
        for pose, allowed in zip(poses, tolerances.tolist(), strict=True):
            q, error = _nearest(chain, pose, start, within, allowed)
            solutions = Solutions.of(q, self.joints, error, ((),) * len(q))
            if nearest and not len(q):
                weighed = checked_weights(weights, chain.length)
                solutions = closest_solution(chain, pose, np.zeros(len(start)), self.joints, within, weighed)
            found.append(solutions)
        result = found[0] if single else found
        return by_name(self.robot, result) if mapping else result

    def __call__(self, T: ArrayLike, parameters: Mapping[str, float] | None = None, **options: Any) -> Any:
        """Call `solve`."""
        return self.solve(T, parameters, **options)

    def _left_free(self, *hint: str | Pass) -> JointsLeftFree:
        given = " ".join(self.given)
        return JointsLeftFree(f"{self.robot.name}: {given} of the pose leaves {self.free} joints free", hint=hint)

    def recipe(self, name: str = "") -> Recipe:
        """Raise JointsLeftFree: generated code requires a task that determines the joints."""
        raise self._left_free("fix as many joints with ", Pass("fixed", {self.joints[0]: 0.0}))

    def branches(self) -> Model:
        """Raise JointsLeftFree, like `recipe`."""
        raise self._left_free("fix as many joints with ", Pass("fixed", {self.joints[0]: 0.0}))

    def _numeric(self, values: Mapping[str, float]) -> NumericChain:
        joints = self.chain.joints
        known = {k: one.motion(np.array(values[one.name])) for k, one in enumerate(joints) if one.name in values}
        free, constants = fold_joints(joints, self.chain.at(values), known)
        return NumericChain(free, constants, self.given, range(len(free)))

    def explain(self) -> str:
        """Describe the task and the method."""
        known = " ".join(self.given)
        return (
            f"{self.robot.name}: inverse geometric model, given {known} of the pose of {self.chain.goal}; unknown: "
            f"{' '.join(self.joints)}, {self.free} more than the task needs.\nsolve returns the position nearest to a "
            "given one: Newton's method on the task, with the remaining motions toward the given position.\n"
        )

    def __repr__(self) -> str:
        return f"<TaskGeometry {self.robot.name}: {self.given} -> {', '.join(self.joints)}, {self.free} free>"


def task_geometry(
    robot: Robot, chain: JointChain, given: str, fixed: Mapping[str, float | None]
) -> TaskGeometry | None:
    """Return the model of an arm with more joints than a task has conditions; None for other arms."""
    free: list[ChainJoint] = [joint for joint in chain.joints if joint.name not in fixed]
    more = len(free) - conditions_of(given)
    if robot.loops or more < 1:
        return None
    values = {name: value for name, value in fixed.items() if value is not None}
    return TaskGeometry(robot, given, tuple(joint.name for joint in free), more, chain, values)


def _nearest(chain: NumericChain, T: Array, near: Array, limits: Array | None, tolerance: float) -> tuple[Array, Array]:
    """Return the position (1, joints) nearest to a given one, and its error; no row if none was found."""
    count = len(near)
    low, high = (np.full(count, -np.inf), np.full(count, np.inf)) if limits is None else limits.T
    units = np.where(chain.prismatic, chain.length, 1.0)
    reach = np.where(chain.prismatic, chain.length, np.pi)
    wanted = np.clip(near, low, high)
    spread = random_arrays("starts of a search").uniform(-1, 1, (_STARTS, count)) * reach
    starts = np.clip(np.concatenate([wanted[None], wanted + 0.3 * spread, wanted + spread]), low, high)
    q = _approached(chain, T, near, starts, low, high, units)
    errors = chain.error(q, np.broadcast_to(T, (len(q), 4, 4)))
    good = np.flatnonzero(errors <= tolerance * max(1.0, chain.length))
    if not len(good):
        return np.zeros((0, count)), np.zeros(0)
    sizes = (((q[good] - near) / units) ** 2).sum(axis=1)
    best = good[int(sizes.argmin())]
    return q[best : best + 1], errors[best : best + 1]


def _approached(chain: NumericChain, T: Array, near: Array, q: Array, low: Array, high: Array, units: Array) -> Array:
    """Follow the gradient of the distance along the solutions, and Newton's method across them, from each start."""
    poses = np.broadcast_to(T, (len(q), 4, 4))
    for number in range(_ROUNDS):
        T_now, J = chain.jacobian(q)
        off = (T_now - poses)[:, :3, chain.columns].copy()
        rows = np.swapaxes(J[:, :, :3, :][..., chain.columns].reshape(len(q), J.shape[1], -1), 1, 2) * units
        if 3 in chain.columns:
            scale = np.where(np.arange(len(chain.columns)) == chain.columns.index(3), 1 / chain.length, 1.0)
            off, rows = off * scale, rows * np.tile(scale, 3)[:, None]
        goal = (near - q) / units
        held = np.zeros(q.shape, bool)
        step = np.zeros(q.shape)
        for _ in range(2):  # joints at a limit that would leave it are held
            part = np.where(held[:, None, :], 0.0, rows)
            inverse = np.linalg.pinv(part, rcond=_WEAK)
            back = -(inverse @ off.reshape(len(q), -1, 1))[..., 0]
            free = np.where(held, 0.0, goal)
            along = free - (inverse @ (part @ free[..., None]))[..., 0]
            step = np.where(held, 0.0, back + (along if number < _ROUNDS - _LAST else 0.0))
            moved = q + step * units
            held |= (moved > high + LIMIT) & (q >= high - LIMIT) | (moved < low - LIMIT) & (q <= low + LIMIT)
        size = np.abs(step).max(axis=1, keepdims=True)
        step = step * np.minimum(1.0, _LONGEST / np.maximum(size, _LONGEST))
        q = np.clip(q + step * units, low, high)
        if number < _ROUNDS - _LAST and size.max() <= _SETTLED:
            break
    return q
