"""Linear model of a robot about a state: x' = A x + B u, y = C x + D u for small changes x, u, y.

The accelerations a solve M a = r, where r are the generalized forces less the bias. Their derivatives follow from
M da = d(r - M a) at constant a, and r - M a is one Newton-Euler recursion with the accelerations a. This needs fewer
operations than the derivatives of the direct dynamic model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from robosym.algebra import Expr
from robosym.algebra.calculus import rates_of_change
from robosym.algebra.interpret import substitute
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.coordinates.accepts import accepts
from robosym.coordinates.loop_directions import directions_of
from robosym.dynamics.arguments import prepared
from robosym.dynamics.equations_of_motion import DIRECT, equations_of
from robosym.dynamics.inverse_dynamics import inverse_dynamics
from robosym.dynamics.joint_equations import JointEquations
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.mechanism.motion import base_of
from robosym.model import Model, flat
from robosym.model.naming import entry_name
from robosym.spatial import Vec3

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["EigenModes", "LinearModel", "StateSpace", "linearize"]

_UNITS = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)
_BASE = ("BR1", "BR2", "BR3", "BP1", "BP2", "BP3")  #: rotation and displacement of a floating base
_BASE_RATES = ("W1", "W2", "W3", "V1", "V2", "V3")


class StateSpace(NamedTuple):
    """Matrices of x' = A x + B u, y = C x + D u; `control.ss(*matrices)` takes them."""

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64]


class EigenModes(NamedTuple):
    """Eigenvalues in 1/s with nonnegative imaginary part, undamped frequencies in Hz, damping ratios, and shapes."""

    eigenvalues: NDArray[np.complex128]
    frequencies: NDArray[np.float64]
    damping: NDArray[np.float64]
    shapes: NDArray[np.complex128]  #: one column per mode, over the state


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Model):
    """Model of A, B, C and D as functions of the state about which a robot is linearized; see `linearize`."""

    state: tuple[str, ...] = ()  #: names of the entries of x: positions, then velocities
    point: Mapping[str, Any] = field(default_factory=dict)  #: values of groups of inputs, as given to `linearize`

    def values(self, **groups: ArrayLike | Mapping[str, float]) -> dict[str, Any]:
        """Return the values of all groups of inputs.

        Parameters
        ----------
        **groups : array_like or mapping
            Values that replace those given to `linearize`. Default: positions of the description or zero, zero
            velocities, and the torques that give zero acceleration of the joints.

        Returns
        -------
        dict of str to object
            Values by group.

        Raises
        ------
        InputError
            If a group is unknown, or parameters are missing.
        """
        import numpy as np

        robot = self.robot
        assert robot is not None
        for group in groups:
            if group not in self.inputs:
                raise InputError(f"at: unknown group {group!r}{closest(group, self.inputs)}")
        found: dict[str, Any] = {**self.point, **groups}
        place = [robot.position.get(robot.variable(j), 0.0) for j in robot.tree_joints]
        known = {"q": np.array(place), "base_orientation": np.array([1.0, 0, 0, 0])}
        for group, names in self.inputs.items():
            if group in found or group == "tau":
                continue
            if group == "parameters":
                raise InputError(f"at: parameters: expected values for {', '.join(names[:8])}, found none", code="E404")
            found[group] = known.get(group, np.zeros(len(names)))
        if "tau" in self.inputs and "tau" not in found:
            inverse = inverse_dynamics(robot)
            given = {group: found.get(group, np.zeros(len(names))) for group, names in inverse.inputs.items()}
            result = inverse.compile()(**given)
            found["tau"] = result if len(inverse.outputs) == 1 else result.tau
        return {group: found[group] for group in self.inputs}

    def numbers(self, **groups: ArrayLike | Mapping[str, float]) -> StateSpace:
        """Return the four matrices at a state.

        Parameters
        ----------
        **groups : array_like or mapping
            Values of groups of inputs, see `values`.

        Returns
        -------
        StateSpace
            A, B, C and D in SI units.

        Raises
        ------
        InputError
            If a group is unknown or parameters are missing, or the matrices are not finite.
        """
        import numpy as np

        result = self.compile()(**self.values(**groups))._asdict()
        states, positions = len(self.state), len(self.outputs["C"])
        empty = {"B": np.zeros((states, 0)), "D": np.zeros((positions, 0))}  # of a robot without motors
        found = StateSpace(**{**empty, **result})
        if not all(np.isfinite(part).all() for part in found):
            raise InputError("at: expected a regular state, found one where the accelerations are not determined")
        return found

    def to_control(self, **groups: ArrayLike | Mapping[str, float]) -> Any:
        """Return the four matrices at a state as a `control.StateSpace` of python-control, with named signals.

        Parameters
        ----------
        **groups : array_like or mapping
            Values of groups of inputs, see `values`.

        Returns
        -------
        control.StateSpace
            The linear system.

        Raises
        ------
        InputError
            If python-control is not installed; see also `numbers`.
        """
        from robosym.model.optional import library

        matrices = self.numbers(**groups)
        inputs, outputs = list(self.inputs.get("tau", ())), [f"{name}_out" for name in self.state[: len(matrices.C)]]
        system = library("control", "control").ss(
            *matrices, states=list(self.state), inputs=inputs, outputs=outputs, name=f"{self.name}_{self.kind}"
        )
        return system

    def eigenmodes(self, **groups: ArrayLike | Mapping[str, float]) -> EigenModes:
        """Return the modes of free motion at a state, by increasing frequency; one per pair of complex eigenvalues.

        Parameters
        ----------
        **groups : array_like or mapping
            Values of groups of inputs, see `values`.

        Returns
        -------
        EigenModes
            Eigenvalues, frequencies in Hz, damping ratios and shapes.

        Raises
        ------
        InputError
            See `numbers`.
        """
        import numpy as np

        values, shapes = np.linalg.eig(self.numbers(**groups).A)
        kept = np.flatnonzero(values.imag >= 0)
        order = kept[np.argsort(np.abs(values[kept]), kind="stable")]
        values = values[order].astype(complex)
        sizes = np.abs(values)
        damping = np.where(sizes > 0, -values.real / np.where(sizes > 0, sizes, 1.0), 0.0)
        return EigenModes(values, sizes / (2 * np.pi), damping, shapes[:, order].astype(complex))

    def animate(
        self, path: str | Path, mode: int = 1, amplitude: float = 0.3, **groups: ArrayLike | Mapping[str, float]
    ) -> Path:
        """Write a self-contained HTML page that plays a mode of free motion in 3D, slowed down to one period in 2 s.

        Parameters
        ----------
        path : str or Path
            File to write (.html).
        mode : int
            Number of the mode from 1, by increasing frequency.
        amplitude : float
            Largest displacement of a joint or of the base, in rad or m.
        **groups : array_like or mapping
            Values of groups of inputs, see `values`.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If there is no such mode, or it moves no joint.
        FormatError
            If the extension is not .html.
        """
        from robosym.drawing.modes import write_mode

        return write_mode(self, path, mode, amplitude, groups)


@accepts("floating")
def linearize(
    robot: Robot, at: Mapping[str, Any] | None = None, base_parameters: bool = False, friction: bool | str = True
) -> LinearModel:
    """Return the linear model of a robot about a state: x' = A x + B u, y = C x + D u.

    x are changes of the positions and velocities of the joints (of a closed robot: the active joints, which the
    others follow along the loops), u of the motor torques, y of the positions. Joints with springs are part of x and
    have no torque. A floating base adds its rotation BR and displacement BP before the positions and its angular and
    linear velocity before the velocities, all in frame 0.

    Parameters
    ----------
    robot : Robot
        Tree or closed robot on any base; a library name or a path is accepted too.
    at : mapping, optional
        State of `numbers` and `eigenmodes`: values of groups of inputs such as q, qd, tau and parameters. Default: the
        position in the description at rest, and the torques that hold it.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.
    friction : bool or {"smooth"}, optional
        Friction as described (True; Coulomb friction is then constant), none (False), or with tanh in place of the sign
        of velocities ("smooth").

    Returns
    -------
    LinearModel
        Outputs "A" (states, states), "B" (states, motors), "C" (positions, states) and "D" (positions, motors);
        `numbers()` evaluates them, `eigenmodes()` returns frequencies, damping and shapes.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> pendulum = rs.robot(
    ...     "pendulum",
    ...     frames=[{"theta": "t", "alpha": "Pi/2"}],
    ...     links=[{"XX": 0.6, "YY": 0.1, "ZZ": 0.6, "MY": -1, "M": 2}],
    ...     gravity=[0, 0, -9.81],
    ... )
    >>> linear = rs.linearize(pendulum, at={"q": [0.0]})
    >>> A, B, C, D = linear.numbers()
    >>> A.round(3).tolist(), B.round(3).tolist()
    ([[0.0, 1.0], [-16.35, 0.0]], [[0.0], [1.667]])
    >>> linear.eigenmodes().frequencies.round(4).tolist()
    [0.6435]
    """
    if at is not None and not isinstance(at, Mapping):
        raise InputError(f"at: expected a mapping of groups, such as {{'q': [...]}}, found {at!r}")
    robot = prepared(robot, None, base_parameters, None, friction)
    equations = cast(JointEquations, equations_of(robot, DIRECT))
    with equations.work:
        found = replace(_Linear(equations).model(), point=dict(at or {}))
    for group in found.point:
        if group not in found.inputs:
            raise InputError(f"at: unknown group {group!r}{closest(str(group), found.inputs)}")
    return found


class _Linear:
    """Derivatives of the accelerations, and the rows and columns of A and B."""

    def __init__(self, equations: JointEquations) -> None:
        self.equations, self.work, self.motion = equations, equations.work, equations.motion
        self.floats, self.graph = equations.base_free, equations.work.graph
        right, self.M = equations.driving(), equations.bordered(equations.inertia())
        found = solve_symmetric(self.M, right)
        names = [f"_acceleration{k}" for k in range(len(found))]
        self.found = {name: self.graph.zero + value for name, value in zip(names, found, strict=True)}
        self.residual = [
            self.graph.zero + value for value in equations.unbalanced([self.graph.symbol(name, True) for name in names])
        ]

    def slopes(self, directions: Sequence[Mapping[str, Expr]]) -> Iterator[list[Expr]]:
        """Yield the derivatives of the accelerations of base (angular, then linear) and joints along directions."""
        changes = [rates_of_change(self.residual, rates) for rates in directions]
        entries = substitute([entry for change in changes for entry in change], self.graph, self.found)
        size = len(self.residual)
        for k in range(len(directions)):
            right = entries[k * size : (k + 1) * size]
            solved = [self.graph.zero + x for x in solve_symmetric(self.M, right)] if any(right) else right
            yield [*solved[3:6], *solved[:3], *solved[6:]] if self.floats else solved

    def positions(self) -> list[dict[str, Expr]]:
        """Return the rates of all joints for unit rates of the coordinates."""
        return directions_of(self.motion)

    def model(self) -> LinearModel:
        """Return the model of the four matrices."""
        work, robot, active = self.work, self.work.robot, self.motion.active
        rates = _symbols([work.value(robot.joint(j).QP) for j in active], robot, "QP")
        motors = [work.value(robot.joint(j).GAM) for j in self.motion.motors]
        one = self.graph.one
        places = [*_BASE * self.floats, *(robot.variable(j) for j in active)]
        speeds = [*_BASE_RATES * self.floats, *rates]
        by_place = [*self._of_rotation(), *self.slopes(self.positions())]
        base = base_of(robot, work.value)
        turning = _symbols([*base.w], robot, "W0") if self.floats else []
        by_speed = [*self.slopes([{name: one} for name in turning]), *([self._zeros()] * 3 if self.floats else ())]
        by_speed += self.slopes([{name: one} for name in rates])
        by_torque = [*self.slopes([{name: one} for name in _symbols(motors, robot, "GAM")])]
        n, zero = len(places), self.graph.zero
        unit = [[one if a == b else zero for b in range(n)] for a in range(n)]
        upper = [[*([zero] * n), *row] for row in unit]
        lower = [[*(c[r] for c in by_place), *(c[r] for c in by_speed)] for r in range(n)]
        if self.floats:
            _add_rotation_of_axes(upper, lower, Vec3(*base.w), Vec3(*base.v), n)
        none = [zero] * len(motors)
        matrices = {
            "A": [*upper, *lower],
            "B": [*([none] * n), *([column[r] for column in by_torque] for r in range(n))],
            "C": [[*row, *([zero] * n)] for row in unit],
            "D": [none] * n,
        }
        outputs = {
            group: tuple(
                tuple(entry_name(group, r, c) for c in range(1, len(rows[0]) + 1)) for r in range(1, len(rows) + 1)
            )
            for group, rows in matrices.items()
        }
        definitions = {
            name: zero + entry
            for group, rows in matrices.items()
            for name, entry in zip(flat(outputs[group]), (entry for row in rows for entry in row), strict=True)
        }
        title = f"Linear model{self.equations.of_robot}: derivatives of Newton-Euler"
        return LinearModel(
            robot.name, "lin", title, work.inputs, outputs, definitions, self.graph, robot, domain=work.domain,
            state=(*places, *speeds),
        )  # fmt: skip

    def _zeros(self) -> list[Expr]:
        return [self.graph.zero] * len(self.residual)

    def _of_rotation(self) -> list[list[Expr]]:
        """Return the columns for rotation and displacement of the base: gravity rotates relative to the base."""
        if not self.floats:
            return []
        gravity = Vec3(*map(self.work.value, self.work.robot.gravity))
        found = []
        for unit in _UNITS:
            column = self._zeros()
            column[3:6] = [self.graph.zero + entry for entry in gravity.cross(unit)]
            found.append(column)
        return [*found, *([self._zeros()] * 3)]


def _add_rotation_of_axes(upper: list[list[Expr]], lower: list[list[Expr]], w: Vec3, v: Vec3, n: int) -> None:
    """Add the terms of a base whose axes rotate: BR' = dW - W x BR, BP' = dV - W x BP + BR x V, V' = VP - W x V."""
    for k, unit in enumerate(_UNITS):
        turned, shifted, own = -w.cross(unit), unit.cross(v), v.cross(unit)
        for r, (a, b, c) in enumerate(zip(turned, shifted, own, strict=True)):
            upper[r][k] += a
            upper[3 + r][3 + k] += a
            upper[3 + r][k] += b
            lower[3 + r][n + k] += c  # - dW x V
            lower[3 + r][n + 3 + k] += a  # - W x dV


def _symbols(values: Sequence[Any], robot: Robot, what: str) -> list[str]:
    """Return the names of symbols by which the model is differentiated."""
    for value in values:
        if value.op != "symbol" or value.negative:
            raise InputError(
                f"{robot.name}: expected a symbol of its own for each {what}, found an expression or number"
            )
    return [value.value for value in values]
