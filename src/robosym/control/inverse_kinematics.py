"""Numeric inverse kinematic model for regular, singular and redundant positions (guide 2.9).

One formula covers all cases: q' = z + J^T (J J^T + lambda2)^-1 (X' - J z). With lambda2 = 0 it is the pseudo-inverse
with the optimization term of 2.9.3, J+ X' + (1 - J+ J) z; with lambda2 > 0 the rates stay finite at singularities.
For a closed robot, J refers to its motors, and the passive joints follow.
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
from robosym.coordinates.following import LoopFollower
from robosym.errors import InputError, missing_values
from robosym.kinematics import direct_geometry
from robosym.kinematics.jacobian import Jacobian, jacobian
from robosym.kinematics.loop_kinematics import LoopKinematics, loop_kinematics
from robosym.kinematics.manipulability import moving_columns
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.path import Poses
from robosym.model import Model, Workspace
from robosym.spatial.numeric import displacement

__all__ = ["DAMPING", "InverseKinematics", "inverse_kinematics", "joint_limits", "joint_rates"]

#: function from a position to the gradient of a criterion
Criterion = Callable[[Array], Array]
_STILL, _STRIDE = 1e-4, 0.1  #: smallest and largest step along a criterion
_DAMPING = Damping(first=0.1, less=5, more=4, least=1e-12, most=1e8, relative=False)
_OUT_OF_REACH = 1e6  #: error assigned to positions in which the loops do not close
DAMPING = "lambda2"  #: damping parameter of `joint_rates`
_TWIST = ("VX", "VY", "VZ", "WX", "WY", "WZ")


def joint_rates(
    robot: Robot, link: int | str | None = None, *, frame: int | str = 0, rows: Iterable[int] | None = None
) -> Model:
    """Return a model of the joint rates (output "qd") for a velocity of a link in `frame`.

    The input "twist" contains the components `rows` of VX .. WZ, the input "gradient" (Z1, Z2, ...) is the
    optimization term z, and the parameter lambda2 is the damping.
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
        else:  # fewer joints than rows: least squares without optimization
            found = solve_symmetric(
                _gram(columns, damping), [dot(column, twist) for column in columns], reciprocals=False
            )
        rates = list(gradient)  # joints that do not move the link follow the gradient only
        for k, rate in zip(moving, found, strict=True):
            rates[k] = rate
        names = tuple(f"QP{k}" for k in J.joints)
        for name, rate in zip(names, rates, strict=True):
            work.define(name, rate)
        return work.model("ikm", f"Inverse kinematic model of link {link}", {"qd": names})


def _gram(rows: Sequence[Sequence[Expr]], damping: Expr) -> list[list[Expr]]:
    """Return rows * rows^T + damping."""
    return [[dot(one, other) + (damping if one is other else 0) for other in rows] for one in rows]


def joint_limits(lower: ArrayLike, upper: ArrayLike) -> Criterion:
    """Return a criterion that avoids limits: minus the gradient of the mean square of (q - middle) / range."""
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    if low.shape != high.shape or not np.all(low < high):
        raise InputError(
            f"joint limits: expected vectors of equal length with lower < upper, found {lower!r:.60} and {upper!r:.60}"
        )
    return lambda q: -2 * (q - (low + high) / 2) / (high - low) ** 2 / q.size


@dataclass(frozen=True)
class InverseKinematics:
    """Numeric inverse kinematic model of a link: joint rates, and positions by integration."""

    J: Jacobian
    parameters: Mapping[str, float]

    @property
    def robot(self) -> Robot:
        assert self.J.robot is not None
        return self.J.robot

    @cached_property
    def model(self) -> Model:
        """The same as a model to compile or print; see `joint_rates`."""
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
            raise missing_values(missing)
        compiled = model.compile()
        fixed = {"parameters": {name: self.parameters[name] for name in needed}} if needed else {}
        return lambda q: np.asarray(compiled(q=q, **fixed))

    @cached_property
    def _places(self) -> list[int]:
        """Indices of the joints of the Jacobian among the tree joints."""
        return [self.robot.tree_joints.index(k) for k in self.J.joints]

    @cached_property
    def _moving(self) -> list[int]:
        """Columns of joints that move the link."""
        return moving_columns(self.J)

    @cached_property
    def _follow(self) -> LoopFollower:
        """Function of a closed robot that returns all tree joints from its motors and a nearby position."""
        robot = self.robot
        return LoopFollower(robot, [robot.variable(k) for k in self.J.joints], self._of_robot)

    @cached_property
    def _loops(self) -> LoopKinematics:
        return loop_kinematics(self.robot)

    @property
    def _of_robot(self) -> dict[str, float]:
        return {name: value for name, value in self.parameters.items() if name in self.robot.parameters}

    def _moved(self, q: Array, motors: Array) -> Array:
        """Return the position for these joints of the Jacobian, with loops closed in the assembly mode of q."""
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
        """Return the rates of all tree joints for a velocity of the link.

        If the smallest singular value is below `threshold`, the damping grows from 0 to `damping` and bounds the
        rates; otherwise the velocity is exact. Passive joints of a closed robot follow its motors.

        Parameters
        ----------
        q : array_like, shape (joints,)
            Positions of the tree joints, with closed loops.
        twist : array_like
            Velocity of the link, in the rows and the frame of the Jacobian.
        gradient : array_like, optional
            Optimization term z; joints that do not move the link follow it only.
        threshold : float
            Singular value below which damping starts.
        damping : float
            Maximum damping.

        Returns
        -------
        ndarray, shape (joints,)
            Joint rates.
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
        """Return the manipulability sqrt(det(J J^T)), the product of the singular values."""
        J = self._jacobian(np.asarray(q, float))[:, self._moving]
        return float(np.prod(np.linalg.svd(J, compute_uv=False)))

    def towards_manipulability(self, q: Array, step: float = 1e-6) -> Array:
        """Return the gradient of the manipulability, a criterion for `solve`."""
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
        """Return joint positions near q that place the link at a pose.

        Parameters
        ----------
        T : array_like, shape (4, 4)
            Pose in the frame of the Jacobian; only the rows of the Jacobian count.
        q : array_like, shape (joints,)
            Initial positions.
        criterion : callable, optional
            Gradient of a criterion that a redundant robot then follows: `joint_limits(...)`,
            `towards_manipulability`, or a function of q.
        gain : float
            Factor of the gradient.
        tolerance : float
            Tolerance of the pose.
        rounds : int
            Maximum number of steps.

        Returns
        -------
        ndarray, shape (joints,)
            Joint positions.

        Raises
        ------
        InputError
            If the pose is not reached.
        """
        goal = np.asarray(T, float)
        at, left = self._reached(np.array(q, float), goal, tolerance, rounds)
        if left > tolerance:
            raise InputError(
                f"T: the search ended at a distance of {left:.3g} from the pose of link {self.J.link}: it may be "
                "out of reach"
            )
        for _ in range(rounds if criterion else 0):
            assert criterion is not None
            move = self.rates(at, np.zeros(len(self.J.rows)), gain * criterion(at))
            size = float(np.linalg.norm(move))
            if size < _STILL:
                break
            try:
                start = self._moved(at, (at + move * min(1.0, _STRIDE / size))[self._places]) if self.J.active else None
            except InputError:  # the loops do not close beyond this position
                break
            there, left = self._reached(
                at + move * min(1.0, _STRIDE / size) if start is None else start, goal, tolerance, rounds
            )
            if left > tolerance:
                break
            at = there
        return at

    def _reached(self, q: Array, goal: Array, tolerance: float, rounds: int) -> tuple[Array, float]:
        """Return the closest position found and its distance from the pose."""
        rows = [r - 1 for r in self.J.rows]
        closed = [self._moved(q, q[self._places])]  # visited positions in which the loops close

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
    """Return the numeric inverse kinematic model of a link.

    For a closed robot, the model refers to its motors; rates and positions are those of all tree joints, with closed
    loops.

    Parameters
    ----------
    robot : Robot
        Robot on a fixed base.
    link : int or str, optional
        Link whose velocity is computed. Default: the end of the arm, found by its name (tool0, flange, ...) or by the
        structure. A robot with a platform takes none.
    frame : int or str
        Frame in which velocities and poses are expressed.
    rows : iterable of int, optional
        Rows of the Jacobian, 1 to 3 linear and 4 to 6 angular velocity. Default: all six.
    parameters : mapping of str to float, optional
        Values of the symbols of the robot.
    tool : array_like, optional
        Pose of a tool frame in the frame of the link: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    InverseKinematics
        Object with `rates` and `solve`.

    Raises
    ------
    InputError
        If a symbol has no value, or the robot is not supported.

    Examples
    --------
    >>> import numpy as np
    >>> import robosym as rs
    >>> inverse = rs.inverse_kinematics(rs.load("ur10e"))
    >>> rates = inverse.rates([0.1, -1.0, 1.2, 0.3, 0.5, 0.2], [0.1, 0, 0, 0, 0, 0])
    >>> rates.shape
    (6,)
    """
    robot, link = tool_frame(robot, link, tool, "link")
    return InverseKinematics(jacobian(robot, link, frame, link, rows=rows), dict(parameters or {}))
