"""What an identification found: values with deviations, and what can be done with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robosym.algebra import Graph, numeric_value, to_text
from robosym.algebra.arrays import Array
from robosym.algebra.once import FrozenDict
from robosym.algebra.tolerances import TINY
from robosym.errors import InputError, RobotWarning
from robosym.experiment.consistency import consistent
from robosym.experiment.least_squares import Blocks, Fit, Triangle, bootstrapped, joined, noise, solve
from robosym.experiment.prepare import Motion
from robosym.experiment.regressor import Reduced, Regressor
from robosym.experiment.report import page
from robosym.files import write_text
from robosym.mechanism import DRIVE, INERTIA, Friction, JointFriction, Robot
from robosym.mechanism.friction import LOAD, OWN_PLACE
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.parameters import BaseParameters, base_parameters
from robosym.table_files import write_rows

__all__ = ["Estimate", "FitError", "found_robot", "standard_values"]


_FEW = 8  #: blocks: fewer say nothing of their spread
_WELL_KNOWN = 0.1  #: a parameter with a smaller relative deviation is essential, whatever the others are


class FitError(NamedTuple):
    """Size of measured minus predicted torques over the size of the measured ones, 0.05 for 5 %."""

    all: float  #: over all samples
    moving: float  #: over the samples in which the joint moves
    joints: Array  #: the same of each joint

    @classmethod
    def of(cls, joints: Sequence[tuple[Triangle, Triangle]], values: Array) -> FitError:
        """From triangles of each joint, of its samples in motion and of those at rest."""
        wrong = np.array([[part.residual(values) for part in pair] for pair in joints])
        size = np.array([[part.size for part in pair] for pair in joints])
        moving = np.sqrt(wrong[:, 0] / np.where(size[:, 0] > 0, size[:, 0], np.inf))
        return cls(_ratio(wrong.sum(), size.sum()), _ratio(wrong[:, 0].sum(), size[:, 0].sum()), moving)

    def __str__(self) -> str:
        joints = ", ".join(f"{value:.1%}" for value in self.joints)
        return f"{self.moving:.2%} in motion, {self.all:.2%} of all samples; by joint {joints}"


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Parameters of a robot, found from motions. Frozen: the arrays cannot be written to."""

    names: tuple[str, ...]
    values: Array
    covariance: Array
    condition: float  #: of the weighted regressor
    method: str
    regressor: Regressor = field(repr=False)
    data: Triangle = field(repr=False)  #: of [W y], weighted, with the columns of `names`
    logs: tuple[Reduced, ...] = field(repr=False)  #: the motions, and what is left of each
    fits: tuple[FitError, ...] = ()  #: of each motion that was fitted
    left_out: Mapping[str, str] = field(default_factory=dict)  #: {parameter: why it is not among the names}
    remarks: tuple[str, ...] = ()
    standard: Mapping[tuple[int, str], float] | None = None  #: {(link, field): value} of an estimate that is consistent

    def __post_init__(self) -> None:
        self.values.setflags(write=False)
        self.covariance.setflags(write=False)

    @classmethod
    def of(
        cls, regressor: Regressor, logs: Sequence[Reduced], kept: Sequence[int], fit: Fit, data: Triangle, method: str
    ) -> Estimate:
        """From a fit of the columns `kept`."""
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
        """Those that were fitted."""
        return tuple(log.motion for log in self.logs)

    def remarked(self, remarks: Iterable[str]) -> Estimate:
        """With more to be said below its table."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def judged(self) -> Estimate:
        """With the errors of the motions that were fitted, for values that another way has found."""
        values = self.all_values()
        if self.regressor.friction.load:  # the columns of load follow from the values
            return replace(self, fits=tuple(self.error(motion) for motion in self.motions))
        return replace(self, fits=tuple(FitError.of(log.joints, values) for log in self.logs))

    # ------------------------------------------------------------------ numbers

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def errors(self) -> Array:
        """Relative deviations in percent, as papers print them; infinite where a value is zero."""
        with np.errstate(divide="ignore"):
            return 100 * self.deviations / np.abs(self.values)

    def __getitem__(self, name: str) -> float:
        """The value of a parameter."""
        if name not in self.names:
            why = self.left_out.get(name, "there is no such parameter")
            raise InputError(f"{name} is not among the parameters found: {why}")
        return float(self.values[self.names.index(name)])

    def items(self) -> list[tuple[str, float]]:
        """Names with their values."""
        return [(name, float(value)) for name, value in zip(self.names, self.values, strict=True)]

    def all_values(self) -> Array:
        """Of every column of the regressor; zero for those left out."""
        found = dict(self.items())
        return np.array([found.get(name, 0.0) for name in self.regressor.names])

    # ---------------------------------------------------------------- prediction

    def predict(self, motion: Motion) -> Array:
        """Torques of the joints along a motion, through the filter of its torques."""
        return self.regressor.table(motion).predicted(self.all_values())

    def error(self, motion: Motion) -> FitError:
        """How far predicted torques are from those of the motion."""
        values = self.all_values()
        return FitError.of(self.regressor.table(motion).triangles(values), values)

    def blocks(self, seconds: float) -> Blocks:
        """Of all motions, parts of so many seconds as triangles of each joint."""
        values = self.all_values()
        tables = (self.regressor.table(motion) for motion in self.motions)
        return [block for table in tables for block in table.blocks(seconds, values)]

    # ------------------------------------------------------------- other estimates

    def bootstrap(self, seconds: float = 1.0, times: int = 300, seed: int = 0) -> Estimate:
        """The same values with deviations by block bootstrap: blocks of so many seconds, drawn again and again.

        Residuals of a real arm are no white noise: friction that the model lacks leaves the same trace in samples that
        follow each other, and deviations from their number are too small.
        """
        blocks = self.blocks(seconds)
        if len(blocks) < _FEW:
            raise InputError(f"bootstrap: expected at least {_FEW} blocks, found {len(blocks)}: take shorter ones")
        parts = [joined(block[at] for block in blocks) for at in range(len(blocks[0]))]
        weights = [1.0 if self.method == "ols" else noise(part) for part in parts]
        kept = [self.regressor.names.index(name) for name in self.names]
        covariance = bootstrapped(blocks, weights, kept, times, seed)
        return replace(self, covariance=covariance, method=f"{self.method}, block bootstrap")

    def essential(self, ratio: float = 30.0) -> Estimate:
        """The fewest parameters: the one with the largest relative deviation is left out and the others fitted again,
        until no relative deviation is more than `ratio` times the smallest, or none is above a tenth."""
        names, data, left = list(self.names), self.data, dict(self.left_out)
        fit = Fit(self.values, self.covariance, self.condition)
        while len(names) > 1:
            relative = np.sqrt(np.diag(fit.covariance)) / np.maximum(np.abs(fit.values), TINY)
            worst = int(np.argmax(relative))
            if relative[worst] <= max(ratio * relative.min(), _WELL_KNOWN):
                break
            left[names.pop(worst)] = f"not essential: its deviation was {relative[worst]:.0%} of its value"
            data = Triangle(np.delete(data.R, worst, axis=1), data.rows)
            fit = solve(data, total=self.method == "tls")
        found = replace(
            self, names=tuple(names), values=fit.values, covariance=fit.covariance, condition=fit.condition, data=data,
            left_out=FrozenDict(left),
        )  # fmt: skip
        return found.judged()

    def consistent(self, prior: Robot | None = None) -> Estimate:
        """The estimate with links that can exist (positive pseudo-inertias), its standard parameters near the prior.

        Deviations are those of the estimate without this condition.
        """
        return consistent(self, prior)

    def report(self, path: str | Path) -> Estimate:
        """Write a page with tables and plots: measured, predicted and residual torques, parameters with bars."""
        write_text(path, page(self))
        return self

    @property
    def robot(self) -> Robot:
        """The robot with the parameters, rotor inertias and friction that were found.

        Of standard parameters that have no effect of their own it keeps what the robot had (a mass of 1 kg where it had
        symbols). What a description has no place for is named in a warning.
        """
        return found_robot(self)

    # ------------------------------------------------------------------- printing

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """The table of a paper: a head, then a row for each parameter."""
        rows = [("parameter", "value", "deviation", "%")]
        for name, value, deviation, error in zip(self.names, self.values, self.deviations, self.errors, strict=True):
            rows.append((name, f"{value:.5g}", f"{deviation:.2g}", f"{error:.2g}" if error < 1e4 else "> 9999"))
        return rows

    def write(self, path: str | Path) -> Path:
        """Write names, values, standard deviations and relative ones in percent to a .csv file."""
        rows = zip(self.names, self.values, self.deviations, self.errors, strict=True)
        return write_rows(path, ("parameter", "value", "deviation", "percent"), rows)

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        tables = [Sheet("parameters", head, tuple(rows)), *(Sheet(str(fit)) for fit in self.fits)]
        return as_html_page(repr(self)[1:-1], tables)

    def __str__(self) -> str:
        """The table of a paper."""
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


if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate


_NOMINAL = 1.0  #: kg: a mass that no motion shows, of a robot without numbers; files of links want one


def found_robot(found: Estimate) -> Robot:
    """The robot of the estimate in numbers."""
    values = dict(found.items())
    base = base_parameters(found.regressor.robot)
    links: list[dict[str, float]] = [dict.fromkeys((*INERTIA, *DRIVE), 0.0) for _ in range(base.given.NL)]
    for (j, name), value in (found.standard or standard_values(base, found.regressor.given, values)).items():
        links[j - 1][name] = value
    for j in base.given.tree_joints:  # passive joints of loops have friction too
        links[j - 1] |= {name: values.get(f"{name}{j}", 0.0) for name in OWN_PLACE}
    robot = base.given.with_links(links)
    kind, shapes = found.regressor.friction, _shapes(found.regressor.friction)
    joints, placed = list(robot.joints), {*base.places, *(f"{n}{j}" for j in robot.tree_joints for n in OWN_PLACE)}
    for j in found.regressor.joints:
        friction = _friction(kind, j, values, shapes, robot.graph)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{name}{j}" for name, _ in friction.values}
    for j in (j for j in robot.cut_joints if robot.joint(j).acts):  # no link holds their friction
        numbers = {n: values[f"{n}{j}"] for n in OWN_PLACE if f"{n}{j}" in values}
        friction = JointFriction(tuple((n, robot.graph.number(x)) for n, x in numbers.items()), kind.smooth)
        joints[j - 1] = replace(joints[j - 1], friction=friction)
        placed |= {f"{n}{j}" for n in numbers}
    if without := [name for name in found.names if name not in placed]:
        warnings.warn(f"a description has no place for {', '.join(without)}", RobotWarning, stacklevel=3)
    return replace(robot, joints=tuple(joints))


def standard_values(base: BaseParameters, given: Robot, values: dict[str, float]) -> dict[tuple[int, str], float]:
    """Standard parameters with the base parameters that were found: those grouped away as the given robot has them."""
    parameters = base.standard.inertial
    own = {p.place: numeric_value(getattr(given.link(p.link), p.field)) for p in parameters}
    prior = {place: _NOMINAL if place[1] == "M" else 0.0 for place in own}
    if all(value is not None for value in own.values()) and any(own.values()):
        prior = {place: float(value or 0.0) for place, value in own.items()}
    found = {place: values.get(name, 0.0) for name, place in base.places.items()}
    matrix = np.asarray(base.matrix)
    if matrix.dtype == object:  # lengths that are symbols
        return found
    away = {p.place: prior[p.place] for p in parameters if p.place not in found}
    grouped = matrix @ [away.get(p.place, 0.0) for p in parameters]
    return away | {place: value - own for (place, value), own in zip(found.items(), grouped.tolist(), strict=True)}


def _shapes(friction: Friction) -> dict[str, str]:
    """Terms of one's own as texts, where they can be written."""
    shapes = {name: friction.shape(name) for name in friction.terms}
    return {name: to_text(shape) for name, shape in shapes.items() if shape is not None}


def _friction(
    friction: Friction, j: int, values: dict[str, float], shapes: dict[str, str], graph: Graph
) -> JointFriction:
    """Of joint j, with the terms that a description can hold."""
    names = [name for name in friction.names if name not in OWN_PLACE and f"{name}{j}" in values]
    names = [name for name in names if name not in friction.terms or name in shapes]
    if abs(values.get(f"{LOAD}{j}", 1.0)) < 1:  # beyond that no torque could move the joint
        names.append(LOAD)
    own = tuple((name, text) for name, text in shapes.items() if name in names)
    numbers = tuple((name, graph.number(values[f"{name}{j}"])) for name in names)
    return JointFriction(numbers, friction.smooth, friction.stribeck, own)
