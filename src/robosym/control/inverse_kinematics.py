"""The inverse kinematic model on numbers: regular, singular and redundant positions alike (guide 2.9).

One formula serves them all: q' = z + J^T (J J^T + lambda2)^-1 (X' - J z). With lambda2 = 0 it is the pseudo-inverse
with the optimisation term of 2.9.3, J+ X' + (1 - J+ J) z; with lambda2 > 0 the rates stay finite at singularities.
Of a closed robot J is by its motors, and the passive joints follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr
from robosym.algebra.arrays import Array
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import dot
from robosym.algebra.newton import Damping, levenberg_marquardt
from robosym.algebra.once import cached_property
from robosym.algebra.tolerances import SOLVED
from robosym.coordinates.accepts import accepts
from robosym.coordinates.following import Following
from robosym.errors import InputError
from robosym.kinematics import direct_geometry
from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.kinematics.loop_kinematics import LoopKinematics, loop_kinematics
from robosym.kinematics.manipulability import moving_columns
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import aimed
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.path import Poses
from robosym.model import Model, Workspace
from robosym.spatial.numeric import displacement

__all__ = ["DAMPING", "InverseKinematics", "inverse_kinematics", "joint_limits", "joint_rates"]

#: The gradient of a criterion to follow, at a position.
Criterion = Callable[[Array], Array]
_STILL, _STRIDE = 1e-4, 0.1  #: steps along a criterion: the smallest worth taking, and the largest
_DAMPING = Damping(first=0.1, less=5, more=4, least=1e-12, most=1e8, relative=False)
_OUT_OF_REACH = 1e6  #: the gap of a position in which the loops do not close: no step ends there
DAMPING = "lambda2"  #: the parameter of `joint_rates` that bounds the rates
_TWIST = ("VX", "VY", "VZ", "WX", "WY", "WZ")


def joint_rates(
    robot: Robot, link: int | str | None = None, *, frame: int | str = 0, rows: Iterable[int] | None = None
) -> Model:
    """q' (output "qd") for a velocity of the link in `frame` ("twist": VX .. WZ, those of `rows`), as a model.

    The input "gradient" (Z1, Z2, ...) is the optimisation term z, the parameter lambda2 the damping.
    """
    link = chosen_frame(robot, link, "link")
    J = jacobian(robot, link, frame, link, rows=rows)
    link, frame = J.link, J.frame
    with Workspace(robot, ("q", "parameters")) as work:
        twist = work.input("twist", [_TWIST[r - 1] for r in J.rows])
        gradient = work.input("gradient", [f"Z{k}" for k in J.joints])
        damping = work.parameter(DAMPING)
        poses, zero = Poses(robot, work.value, work.define), work.graph.zero
        moving = moving_columns(J)
        every = [[zero + column[r - 1] for r in J.rows] for column in J.columns(poses, frame, link, work.graph)]
        columns, own = [every[k] for k in moving], [gradient[k] for k in moving]
        lines = [list(line) for line in zip(*columns, strict=True)]
        wide = len(lines) <= len(columns)
        if wide:
            rest = [v - dot(line, own) for v, line in zip(twist, lines, strict=True)]
            y = solve_symmetric(_gram(lines, damping), rest, reciprocals=False)
            found = [z + dot(column, y) for z, column in zip(own, columns, strict=True)]
        else:  # fewer joints than rows: least squares, and nothing left to optimise
            found = solve_symmetric(
                _gram(columns, damping), [dot(column, twist) for column in columns], reciprocals=False
            )
        rates = list(gradient)  # a joint that does not move the link follows the gradient alone
        for k, rate in zip(moving, found, strict=True):
            rates[k] = rate
        names = tuple(f"QP{k}" for k in J.joints)
        for name, rate in zip(names, rates, strict=True):
            work.define(name, rate)
        return work.model("ikm", f"Inverse kinematic model of link {link}", {"qd": names})


def _gram(rows: Sequence[Sequence[Expr]], damping: Expr) -> list[list[Expr]]:
    """rows * rows^T + damping."""
    return [[dot(one, other) + (damping if one is other else 0) for other in rows] for one in rows]


def joint_limits(lower: ArrayLike, upper: ArrayLike) -> Criterion:
    """Away from the limits: minus the gradient of the mean square of (q - middle) / range."""
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    if low.shape != high.shape or not np.all(low < high):
        raise InputError("joint limits: expected as many lower as upper ones, each lower one below its upper one")
    return lambda q: -2 * (q - (low + high) / 2) / (high - low) ** 2 / q.size


@dataclass(frozen=True)
class InverseKinematics:
    """The inverse kinematic model of a link on arrays: rates, and positions by following them."""

    J: Jacobian
    parameters: Mapping[str, float]

    @property
    def robot(self) -> Robot:
        assert self.J.robot is not None
        return self.J.robot

    @cached_property
    def model(self) -> Model:
        """The same as a model of its own, to compile or to print: see `joint_rates`."""
        return joint_rates(self.robot, self.J.link, frame=self.J.frame, rows=self.J.rows)

    @cached_property
    def _jacobian(self) -> Callable[[Array], Array]:
        return self._function(self.J)

    @cached_property
    def _pose(self) -> Callable[[Array], Array]:
        return self._function(direct_geometry(self.robot, self.J.frame, self.J.link))

    def _function(self, model: Model) -> Callable[[Array], Array]:
        needed = model.inputs.get("parameters", ())
        missing = [name for name in needed if name not in self.parameters]
        if missing:
            raise InputError(f"no value is given for the parameters {', '.join(missing)}")
        compiled = model.compile()
        fixed = {"parameters": {name: self.parameters[name] for name in needed}} if needed else {}
        return lambda q: np.asarray(compiled(q=q, **fixed))

    @cached_property
    def _places(self) -> list[int]:
        """Where the joints of the Jacobian are among those of the tree."""
        return [self.robot.tree_joints.index(k) for k in self.J.joints]

    @cached_property
    def _moving(self) -> list[int]:
        """Columns of joints that move the link."""
        return moving_columns(self.J)

    @cached_property
    def _follow(self) -> Following:
        """Of a closed robot: all joints of the tree from its motors and a position nearby."""
        robot = self.robot
        return Following(robot, [robot.variable(k) for k in self.J.joints], self._of_robot)

    @cached_property
    def _loops(self) -> LoopKinematics:
        return loop_kinematics(self.robot)

    @property
    def _of_robot(self) -> dict[str, float]:
        return {name: value for name, value in self.parameters.items() if name in self.robot.parameters}

    def _moved(self, q: Array, motors: Array) -> Array:
        """The position with these values of the Jacobian's joints; passive joints close the loops, in the mode of q."""
        if self.J.active:
            return self._follow(motors, q)
        found = q.copy()
        found[self._places] = motors
        return found

    def rates(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        gradient: ArrayLike | None = None,
        threshold: float = 0.02,
        damping: float = 0.05,
    ) -> Array:
        """q' of all tree joints for a velocity of the link; joints that do not move the link follow `gradient` alone.

        Passive joints of a closed robot follow its motors; `q` closes the loops.

        Below a smallest singular value of `threshold` the damping grows from 0 to `damping`, which bounds the rates
        where the position is singular; elsewhere the velocity is met exactly.
        """
        moving = self._moving
        u, sigma, vt = np.linalg.svd(self._jacobian(np.asarray(q, float))[:, moving], full_matrices=False)
        weak = sigma[-1] < threshold
        lambda2 = (1 - (sigma[-1] / threshold) ** 2) * damping**2 if weak else 0.0
        weights = np.divide(sigma, sigma**2 + lambda2, out=np.zeros_like(sigma), where=sigma > 0)
        z = np.zeros(np.size(q)) if gradient is None else np.array(gradient, float)
        places = [self._places[k] for k in moving]
        own = z[places]
        z[places] = vt.T @ (weights * (u.T @ np.asarray(twist, float))) + own - vt.T @ (vt @ own)
        return self._loops.rates(q, z[self._places], self._of_robot) if self.J.active else z

    def manipulability(self, q: ArrayLike) -> float:
        """sqrt(det(J J^T)), the product of the singular values."""
        J = self._jacobian(np.asarray(q, float))[:, self._moving]
        return float(np.prod(np.linalg.svd(J, compute_uv=False)))

    def towards_manipulability(self, q: Array, step: float = 1e-6) -> Array:
        """The gradient of the manipulability, a criterion for `solve`."""
        places = self._places if self.J.active else range(q.size)
        moves = step * np.eye(len(places))
        at = q[list(places)]
        around = [at + move for move in (*moves, *-moves)]
        positions = [self._moved(q, one) for one in around] if self.J.active else around
        J = self._jacobian(np.array(positions))[..., self._moving]
        values = np.prod(np.linalg.svd(J, compute_uv=False), axis=-1)
        gradient = np.zeros(q.size)
        gradient[list(places)] = (values[: len(moves)] - values[len(moves) :]) / (2 * step)
        return gradient

    def solve(
        self,
        T: ArrayLike,
        q: ArrayLike,
        criterion: Criterion | None = None,
        gain: float = 1.0,
        tolerance: float = SOLVED,
        rounds: int = 200,
    ) -> Array:
        """Joints that place the link at T (4x4, in the Jacobian's frame), near q; of T the Jacobian's rows count.

        A redundant robot then follows `criterion` as far as the pose lets it: `joint_limits(...)`,
        `.towards_manipulability` or one's own, `gain` times the gradient at each of at most `rounds` steps.
        """
        goal = np.asarray(T, float)
        at, left = self._reached(np.array(q, float), goal, tolerance, rounds)
        if left > tolerance:
            raise InputError(f"no position was found: link {self.J.link} stays {left:.3g} from the pose wanted")
        for _ in range(rounds if criterion else 0):
            assert criterion is not None
            move = self.rates(at, np.zeros(len(self.J.rows)), gain * criterion(at))
            size = float(np.linalg.norm(move))
            if size < _STILL:
                break
            try:
                start = self._moved(at, (at + move * min(1.0, _STRIDE / size))[self._places]) if self.J.active else None
            except InputError:  # the loops do not let it go on
                break
            there, left = self._reached(
                at + move * min(1.0, _STRIDE / size) if start is None else start, goal, tolerance, rounds
            )
            if left > tolerance:
                break
            at = there
        return at

    def _reached(self, q: Array, goal: Array, tolerance: float, rounds: int) -> tuple[Array, float]:
        """The nearest position found, and how far from the pose it is."""
        rows = [r - 1 for r in self.J.rows]
        closed = [self._moved(q, q[self._places])]  # positions on the way; those that the loops do not allow are none

        def equations(x: Array, starts: Array) -> tuple[Array, Array]:
            positions = []
            for motors in x:
                try:
                    positions.append(self._moved(closed[-1], motors))
                except InputError:
                    positions.append(np.full(q.size, np.nan))
            there = np.array(positions)
            open_loops = np.isnan(there[:, 0])
            closed.extend(there[~open_loops])
            there[open_loops] = closed[-1]
            gaps = displacement(goal, self._pose(there))[:, rows]
            gaps[open_loops] = _OUT_OF_REACH
            return gaps, self._jacobian(there)

        x, left = levenberg_marquardt(equations, q[None, self._places], _DAMPING, tolerance, rounds)
        return self._moved(closed[-1], x[0]), float(np.linalg.norm(left))


@accepts("fixed")
def inverse_kinematics(
    robot: Robot,
    link: int | str | None = None,
    *,
    frame: int | str = 0,
    rows: Iterable[int] | None = None,
    parameters: Mapping[str, float] | None = None,
    tool: ArrayLike | None = None,
) -> InverseKinematics:
    """The inverse kinematic model of a link (the end of the arm) on numbers.

    `parameters` gives the values of the robot's symbols.

    Of a closed robot it is by its motors: rates and positions are those of all joints of the tree, with closed loops.
    `tool`, a 4x4 matrix or x y z roll pitch yaw, places another frame on the link.
    """
    robot, link = aimed(robot, link, tool, "link")
    return InverseKinematics(jacobian(robot, link, frame, link, rows=rows), dict(parameters or {}))
