"""Result of an identification: parameter values, standard deviations, and operations on them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robosym.algebra import Graph, numeric_value, to_text
from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.algebra.tolerances import TINY
from robosym.errors import InputError, RobotWarning, closest
from robosym.experiment.consistency import consistent
from robosym.experiment.delay import Delay, delay_of
from robosym.experiment.estimate_tables import tabulated
from robosym.experiment.least_squares import Blocks, Fit, Triangle, bootstrapped, joined, noise, solve, weighted
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import ReducedLog, Regressor
from robosym.experiment.report import page
from robosym.files import write_text
from robosym.mechanism import DRIVE, INERTIA, Friction, JointFriction, Link, Robot
from robosym.mechanism.friction import LOAD, OWN_PLACE
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.parameters import BaseParameters, base_parameters
from robosym.table_files import write_table

__all__ = ["Estimate", "FitError", "found_robot", "standard_values"]


_SAME_TIME = 1e-9  #: relative difference of times due to rounding
_FEW = 8  #: minimum number of blocks for a bootstrap
_WELL_KNOWN = 0.1  #: a parameter with a smaller relative standard deviation is always essential


class FitError(NamedTuple):
    """Relative error of predicted torques: norm of the residuals over the norm of the measurement (0.05 is 5 %)."""

    all: float  #: over all samples
    moving: float  #: over the samples in which the joint moves, all joints together
    joints: Array  #: over the moving samples, per joint

    @classmethod
    def of(cls, joints: Sequence[tuple[Triangle, Triangle]], values: Array) -> FitError:
        """Compute the error from the triangles of the moving and of the stationary samples of each joint."""
        wrong = np.array([[part.residual(values) for part in pair] for pair in joints])
        size = np.array([[part.size for part in pair] for pair in joints])
        moving = np.sqrt(wrong[:, 0] / np.where(size[:, 0] > 0, size[:, 0], np.inf))
        return cls(_ratio(wrong.sum(), size.sum()), _ratio(wrong[:, 0].sum(), size[:, 0].sum()), moving)

    def __str__(self) -> str:
        joints = ", ".join(f"{value:.1%}" for value in self.joints)
        return f"{self.moving:.2%} in motion, {self.all:.2%} of all samples; by joint {joints}"


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Identified parameters of a robot. Immutable: the arrays are read-only.

    Attributes
    ----------
    names : tuple of str
        Identified parameters: base parameters (`ZZR1`), friction (`FV1`, `FS1`), offsets (`OFF1`).
    values : ndarray, shape (n,)
        Values in SI units, in the order of `names`.
    covariance : ndarray, shape (n, n)
        Covariance of the values.
    condition : float
        Condition number of the weighted regressor.
    method : str
        Method of the fit.
    fits : tuple of FitError
        Relative torque error of each fitted motion.
    left_out : mapping of str to str
        Parameters that were not identified, with the reason.
    remarks : tuple of str
        Remarks on the data, printed below the table.
    standard : mapping of (link, field) to float, or None
        Standard parameters of a physically consistent estimate.

    Examples
    --------
    >>> import robosym as rs
    >>> import numpy as np
    >>> arm = rs.load("planar2r")
    >>> t = np.arange(0, 10, 0.005)
    >>> q = np.sin(np.outer(t, [1.3, 2.1])) + np.sin(np.outer(t, [2.9, 3.7]))
    >>> qd = np.gradient(q, t, axis=0)
    >>> qdd = np.gradient(qd, t, axis=0)
    >>> tau = rs.inverse_dynamics(arm).compile()(q=q, qd=qd, qdd=qdd)
    >>> found = rs.identify(arm, rs.Motion(t, q, qd, qdd, tau))
    >>> round(float(found["MX2"]), 3)
    0.5
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    condition: float
    method: str
    regressor: Regressor = field(repr=False)
    data: Triangle = field(repr=False)  #: weighted [W y] with the columns of `names`
    logs: tuple[ReducedLog, ...] = field(repr=False)  #: the fitted motions in compressed form
    fits: tuple[FitError, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    standard: Mapping[tuple[int, str], float] | None = None

    def __post_init__(self) -> None:
        self.values.setflags(write=False)
        self.covariance.setflags(write=False)

    @classmethod
    def of(
        cls,
        regressor: Regressor,
        logs: Sequence[ReducedLog],
        kept: Sequence[int],
        fit: Fit,
        data: Triangle,
        method: str,
    ) -> Estimate:
        """Create an estimate from a fit.

        Parameters
        ----------
        regressor : Regressor
            Regressor with all columns.
        logs : sequence of ReducedLog
            Fitted motions.
        kept : sequence of int
            Fitted columns of the regressor.
        fit : Fit
            Values and covariance of these columns.
        data : Triangle
            Weighted [W y] of these columns.
        method : str
            Name of the method.

        Returns
        -------
        Estimate
            The estimate; the other columns are in `left_out`.
        """
        names = tuple(regressor.names[k] for k in kept)
        left = {name: "the motions do not excite it" for name in regressor.names if name not in names}
        remarks = tuple(dict.fromkeys(remark for log in logs for remark in log.motion.remarks))
        values = np.zeros(len(regressor.names))
        values[list(kept)] = fit.values
        return cls(
            names, fit.values, fit.covariance, fit.condition, method, regressor, data, tuple(logs),
            tuple(FitError.of(log.joints, values) for log in logs), FrozenDict(left), remarks,
        )  # fmt: skip

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The fitted motions."""
        return tuple(log.motion for log in self.logs)

    def remarked(self, remarks: Iterable[str]) -> Estimate:
        """Return the estimate with additional remarks.

        Parameters
        ----------
        remarks : iterable of str
            Lines to print below the table.

        Returns
        -------
        Estimate
            A copy with the remarks.
        """
        return replace(self, remarks=(*self.remarks, *remarks))

    def with_fit_errors(self) -> Estimate:
        """Return the estimate with recomputed torque errors of the fitted motions.

        Returns
        -------
        Estimate
            A copy with new `fits`, for values that were changed after the fit.
        """
        values = self.all_values()
        if self.regressor.friction.load:  # load columns depend on the values
            return replace(self, fits=tuple(self.error(motion) for motion in self.motions))
        return replace(self, fits=tuple(FitError.of(log.joints, values) for log in self.logs))

    # ------------------------------------------------------------------ numbers

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def errors(self) -> Array:
        """Relative standard deviations in percent; infinite where a value is zero."""
        with np.errstate(divide="ignore"):
            return 100 * self.deviations / np.abs(self.values)

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter."""
        if name not in self.names:
            if name in self.left_out:
                raise InputError(f"parameter {name!r} was not identified: {self.left_out[name]}")
            raise InputError(f"unknown parameter {name!r}{closest(name, self.names)}", code="E402")
        return float(self.values[self.names.index(name)])

    def items(self) -> list[tuple[str, float]]:
        """Return the parameters with their values.

        Returns
        -------
        list of (str, float)
            Pairs in the order of `names`.
        """
        return [(name, float(value)) for name, value in zip(self.names, self.values, strict=True)]

    def all_values(self) -> Array:
        """Return one value per column of the regressor.

        Returns
        -------
        ndarray, shape (m,)
            Values in the order of `regressor.names`; zero for parameters in `left_out`.
        """
        found = dict(self.items())
        return np.array([found.get(name, 0.0) for name in self.regressor.names])

    # ---------------------------------------------------------------- prediction

    def predict(self, motion: Motion) -> Array:
        """Predict the joint torques along a motion.

        Parameters
        ----------
        motion : Motion
            Prepared motion.

        Returns
        -------
        ndarray, shape (samples, joints)
            Torques in N m (forces in N), filtered like the torques of the motion.
        """
        return self.regressor.table(motion).predicted(self.all_values())

    def error(self, motion: Motion) -> FitError:
        """Return the relative error of the predicted torques along a motion.

        Parameters
        ----------
        motion : Motion
            Prepared motion, for example one that was not used for the fit.

        Returns
        -------
        FitError
            Errors over all samples, over moving samples, and per joint.
        """
        values = self.all_values()
        return FitError.of(self.regressor.table(motion).triangles(values), values)

    def blocks(self, seconds: float) -> Blocks:
        """Divide the fitted motions into blocks of time.

        Parameters
        ----------
        seconds : float
            Length of a block in s.

        Returns
        -------
        list of list of Triangle
            One list per block with one triangle per joint.
        """
        values = self.all_values()
        tables = (self.regressor.table(motion) for motion in self.motions)
        return [block for table in tables for block in table.blocks(seconds, values)]

    # ------------------------------------------------------------- other estimates

    def bootstrap(self, seconds: float = 1.0, times: int = 300, seed: int = 0) -> Estimate:
        """Return the estimate with standard deviations from a block bootstrap.

        The residuals of a real arm are not white noise: unmodeled friction correlates consecutive samples, and
        standard deviations that assume independent samples are too small.

        Parameters
        ----------
        seconds : float
            Length of a block in s.
        times : int
            Number of draws.
        seed : int
            Seed of the random numbers.

        Returns
        -------
        Estimate
            The same values with another covariance.

        Raises
        ------
        InputError
            If the motions have fewer than 8 blocks.
        """
        blocks = self.blocks(seconds)
        if len(blocks) < _FEW:
            raise InputError(
                f"bootstrap: expected at least {_FEW} blocks, found {len(blocks)}: pass a smaller value of seconds"
            )
        parts = [joined(block[at] for block in blocks) for at in range(len(blocks[0]))]
        weights = [1.0 if self.method == "ols" else noise(part) for part in parts]
        kept = [self.regressor.names.index(name) for name in self.names]
        covariance = bootstrapped(blocks, weights, kept, times, seed)
        return replace(self, covariance=covariance, method=f"{self.method}, block bootstrap")

    def cross_validated(self, folds: int = 5) -> FitError:
        """Return the torque error of each part of the motions, predicted by a fit of the other parts (k-fold).

        Parameters
        ----------
        folds : int
            Number of parts of equal length in time.

        Returns
        -------
        FitError
            Relative errors over the moving samples; `all` equals `moving`.

        Raises
        ------
        InputError
            If there are fewer parts with samples than `folds`.
        """
        if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
            raise InputError(f"folds: expected a whole number of at least 2, found {folds!r}")
        seconds = sum(float(motion.t[-1] - motion.t[0]) for motion in self.motions) / folds
        blocks = self.blocks(seconds * (1 + _SAME_TIME))
        if len(blocks) < 2:
            raise InputError("folds: expected motions with at least two parts, found one")
        weights = [
            1.0 if self.method == "ols" else noise(joined(block[at] for block in blocks))
            for at in range(len(blocks[0]))
        ]
        kept = [self.regressor.names.index(name) for name in self.names]
        wrong, size = np.zeros((2, len(weights)))
        for own in blocks:
            others = [joined(block[at] for block in blocks if block is not own) for at in range(len(weights))]
            data = weighted(others, weights)
            values = np.zeros(len(self.regressor.names))
            values[kept] = solve(Triangle(data.R[:, [*kept, -1]], data.rows), total=self.method == "tls").values
            wrong += [part.residual(values) for part in own]
            size += [part.size for part in own]
        joints = np.sqrt(wrong / np.where(size > 0, size, np.inf))
        whole = _ratio(float(wrong.sum()), float(size.sum()))
        return FitError(whole, whole, joints)

    def delay(self) -> Delay:
        """Estimate the delay between the recorded positions and torques.

        Returns
        -------
        Delay
            Time in s by which the torques are recorded later, with its standard deviation. `prepare(delay=)` removes
            it.
        """
        return delay_of(self)

    def essential(self, ratio: float = 30.0) -> Estimate:
        """Return the estimate with essential parameters only.

        The parameter with the largest relative standard deviation is removed and the others are fitted again, until
        no relative standard deviation exceeds `ratio` times the smallest, or none exceeds 10 %.

        Parameters
        ----------
        ratio : float
            Largest accepted ratio of relative standard deviations.

        Returns
        -------
        Estimate
            Fit of the remaining parameters; the removed ones are in `left_out`.
        """
        names, data, left = list(self.names), self.data, dict(self.left_out)
        fit = Fit(self.values, self.covariance, self.condition)
        while len(names) > 1:
            relative = np.sqrt(np.diag(fit.covariance)) / np.maximum(np.abs(fit.values), TINY)
            worst = int(np.argmax(relative))
            if relative[worst] <= max(ratio * relative.min(), _WELL_KNOWN):
                break
            left[names.pop(worst)] = f"not essential: std. dev. {relative[worst]:.0%} of the value"
            data = Triangle(np.delete(data.R, worst, axis=1), data.rows)
            fit = solve(data, total=self.method == "tls")
        found = replace(
            self, names=tuple(names), values=fit.values, covariance=fit.covariance, condition=fit.condition, data=data,
            left_out=FrozenDict(left),
        )  # fmt: skip
        return found.with_fit_errors()

    def consistent(self, prior: Robot | None = None) -> Estimate:
        """Return the estimate with physically consistent inertias (positive definite pseudo-inertias).

        The standard deviations are those of the unconstrained estimate.

        Parameters
        ----------
        prior : Robot, optional
            Robot whose standard parameters are approached where the data do not determine them.

        Returns
        -------
        Estimate
            Constrained fit with `standard` parameters.

        Raises
        ------
        InputError
            If clarabel or scipy is missing, the geometry contains symbols, or the solver fails.
        """
        return consistent(self, prior)

    def report(self, path: str | Path) -> Estimate:
        """Write an HTML report with tables and plots of torques, residuals and parameters.

        Parameters
        ----------
        path : str or Path
            File to write (.html).

        Returns
        -------
        Estimate
            The estimate itself.
        """
        write_text(path, page(self))
        return self

    @property
    def robot(self) -> Robot:
        """Robot with the identified parameters, rotor inertias and friction.

        Standard parameters without an effect of their own keep the value of the given robot (a mass of 1 kg where it
        has symbols). Parameters that a description cannot contain are named in a warning.
        """
        return found_robot(self)

    # ------------------------------------------------------------------- printing

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Return the header and one row per parameter."""
        rows = [("parameter", "value", "std. dev.", "%")]
        for name, value, deviation, error in zip(self.names, self.values, self.deviations, self.errors, strict=True):
            rows.append((name, f"{value:.5g}", f"{deviation:.2g}", f"{error:.2g}" if error < 1e4 else "> 9999"))
        return rows

    def table(self, form: str = "text") -> str:
        """Return a table of the parameters with units and grouping.

        Parameters
        ----------
        form : {"text", "csv", "latex"}
            Form of the table.

        Returns
        -------
        str
            The table.
        """
        return tabulated(self, form)

    def write(self, path: str | Path) -> Path:
        """Write the parameters to a .csv, .tex or .txt file.

        Parameters
        ----------
        path : str or Path
            File to write.

        Returns
        -------
        Path
            The file. A .csv file has the columns `parameter`, `value`, `deviation` (standard deviation), `percent`
            (relative), `unit` and `grouping`.
        """
        return write_table(path, self.table)

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        tables = [Sheet("parameters", head, tuple(rows)), *(Sheet(str(fit)) for fit in self.fits)]
        return as_html_page(repr(self)[1:-1], tables)

    def __str__(self) -> str:
        """Return a table of the parameters with their standard deviations."""
        rows = self._rows()
        widths = [max(len(row[at]) for row in rows) for at in range(4)]
        lines = [
            f"{row[0]:<{widths[0]}}  " + "  ".join(f"{text:>{widths[at]}}" for at, text in enumerate(row[1:], 1))
            for row in rows
        ]
        notes = [f"left out: {', '.join(self.left_out)}"] if self.left_out else []
        return "\n".join([repr(self)[1:-1], "", *lines, "", *map(str, self.fits), *notes, *self.remarks])

    def __repr__(self) -> str:
        count = sum(len(motion) for motion in self.motions)
        return (
            f"<Estimate of {self.regressor.robot.name}: {len(self.names)} parameters by {self.method} from {count} "
            f"samples, condition {self.condition:.4g}>"
        )


def _ratio(wrong: float, size: float) -> float:
    return float(np.sqrt(wrong / size)) if size else 0.0


_NOMINAL = 1.0  #: mass in kg of a link whose mass has no effect on the torques; file formats require a mass


def found_robot(found: Estimate) -> Robot:
    """Return the robot with the numbers of the estimate."""
    values = dict(found.items())
    base = base_parameters(found.regressor.robot)
    base_link: dict[str, float] = {}
    links: list[dict[str, float]] = [dict.fromkeys((*INERTIA, *DRIVE), 0.0) for _ in range(base.given.NL)]
    for (j, name), value in (found.standard or standard_values(base, found.regressor.given, values)).items():
        held = base_link if j == 0 else links[j - 1]
        held[name] = value
    for j in base.given.tree_joints:  # passive joints of loops have friction too
        links[j - 1] |= {name: values.get(f"{name}{j}", 0.0) for name in OWN_PLACE}
    robot = base.given.with_links(links)
    if base_link:
        robot = robot.edit({f"base.{name}": value for name, value in base_link.items()})
    kind, shapes = found.regressor.friction, _shapes(found.regressor.friction)
    joints, placed = list(robot.joints), {*base.places, *(f"{n}{j}" for j in robot.tree_joints for n in OWN_PLACE)}
    for j in found.regressor.joints:
        friction = _friction(kind, j, values, shapes, robot.graph)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{name}{j}" for name, _ in friction.values}
    for j in (j for j in robot.cut_joints if robot.joint(j).acts):  # cut joints have no link to store friction in
        numbers = {n: values[f"{n}{j}"] for n in OWN_PLACE if f"{n}{j}" in values}
        friction = JointFriction(tuple((n, robot.graph.number(x)) for n, x in numbers.items()), kind.smooth)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{n}{j}" for n in numbers}
    if without := [name for name in found.names if name not in placed]:
        warnings.warn(
            f"parameters without an entry in the description are left out: {', '.join(without)}",
            RobotWarning,
            stacklevel=3,
        )
    return replace(robot, joints=tuple(joints))


def standard_values(base: BaseParameters, given: Robot, values: dict[str, float]) -> dict[tuple[int, str], float]:
    """Return standard parameters with the estimated base parameters; grouped ones keep the given values."""
    parameters = base.standard.inertial
    own = {p.place: numeric_value(getattr(_link_of(given, p.link), p.field)) for p in parameters}
    prior = {place: _NOMINAL if place[1] == "M" else 0.0 for place in own}
    if all(value is not None for value in own.values()) and any(own.values()):
        prior = {place: float(value or 0.0) for place, value in own.items()}
    found = {place: values.get(name, 0.0) for name, place in base.places.items()}
    matrix = np.asarray(base.matrix)
    if matrix.dtype == object:  # the geometry contains symbols
        return found
    away = {p.place: prior[p.place] for p in parameters if p.place not in found}
    grouped = matrix @ [away.get(p.place, 0.0) for p in parameters]
    return away | {place: value - own for (place, value), own in zip(found.items(), grouped.tolist(), strict=True)}


def _link_of(robot: Robot, j: int) -> Link:
    """Return link j, or that of a moving base for j = 0."""
    if j:
        return robot.link(j)
    assert robot.base.link is not None
    return robot.base.link


def _shapes(friction: Friction) -> dict[str, str]:
    """Return user-defined friction terms as text, where they can be written."""
    shapes = {name: friction.shape(name) for name in friction.terms}
    return {name: to_text(shape) for name, shape in shapes.items() if shape is not None}


def _friction(
    friction: Friction, j: int, values: dict[str, float], shapes: dict[str, str], graph: Graph
) -> JointFriction:
    """Return the friction of joint j with the terms that a description can contain."""
    names = [name for name in friction.names if name not in OWN_PLACE and f"{name}{j}" in values]
    names = [name for name in names if name not in friction.terms or name in shapes]
    if abs(values.get(f"{LOAD}{j}", 1.0)) < 1:  # otherwise no torque could move the joint
        names.append(LOAD)
    own = tuple((name, text) for name, text in shapes.items() if name in names)
    numbers = tuple((name, graph.number(values[f"{name}{j}"])) for name in names)
    return JointFriction(numbers, friction.smooth, friction.stribeck, own)
