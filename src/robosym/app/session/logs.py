"""Identification for a page: what is in a log, and what a fit to it gives, as plain data with plots."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from robosym.app.session.equivalents import command_line, python
from robosym.app.session.requests import Request
from robosym.drawing.charts import envelope
from robosym.errors import Error, InputError
from robosym.experiment import Estimate
from robosym.parameters.linear_forms import row_text
from robosym.simulation.motion_columns import column_group, read_columns
from robosym.table_files import seconds_after_the_first

__all__ = [
    "Family",
    "FitShown",
    "FoundParameter",
    "JointFit",
    "LogShown",
    "chosen_columns",
    "families_chosen",
    "fit",
    "look",
    "weak",
]

Tell = Callable[[str], None]
_POINTS = 500  #: pairs of least and greatest values that a line of a plot is drawn of
_BINS = 31  #: of a histogram
_WEAK = 30.0  #: percent: a parameter with a larger deviation is weak


@dataclass(frozen=True)
class Family:
    """Columns that belong together: q1 .. q6, or one array of six columns, or one column."""

    label: str
    names: list[str]
    joints: int
    group: str  #: what they hold by their name, or nothing


@dataclass(frozen=True)
class LogShown:
    """What is in a log."""

    file: str
    samples: int
    columns: int
    families: list[Family]
    duration: float | None = None
    remarks: list[str] = field(default_factory=list)

    def guessed(self, group: str) -> str:
        """The label of the columns that hold this by their name."""
        return next((one.label for one in self.families if one.group == group), "")


@dataclass(frozen=True)
class FoundParameter:
    """A value that was found; `error` is its relative deviation in percent."""

    name: str
    value: float
    deviation: float
    error: float
    grouped: str
    weak: bool

    @property
    def is_grouped(self) -> bool:
        """Whether it stands for more than the parameter of its name."""
        return self.grouped not in ("", self.name)


@dataclass(frozen=True)
class JointFit:
    """Torques of a joint: measured, predicted and what is left, thinned for a plot."""

    joint: int
    rms: float
    relative: float
    measured: list[list[float]]
    predicted: list[list[float]]
    residual: list[list[float]]
    reach: float
    still: list[list[float]]
    bars: list[list[float]]
    normal: list[list[float]]


@dataclass(frozen=True)
class FitShown:
    """What a fit gave."""

    about: str
    condition: float
    parameters: list[FoundParameter]
    joints: list[JointFit]
    moving: float
    samples: int
    remarks: list[str]
    left_out: list[list[str]]
    report: str
    robot: str  #: YAML
    robot_remarks: list[str]
    line: str
    python: str
    program: str
    operations: str
    text: str


def look(path: str, tell: Tell = lambda text: None) -> LogShown:
    """The columns of a log in families."""
    columns = read_columns(Path(path))
    sizes = {name: np.shape(value) for name, value in columns.items()}
    samples = max((shape[0] for shape in sizes.values() if shape), default=0)
    families: dict[str, list[tuple[int, str]]] = {}
    found: list[Family] = []
    for name, shape in sizes.items():
        if len(shape) == 2:
            found.append(Family(f"{name} ({shape[1]})", [name], shape[1], column_group(name)[0]))
            continue
        if len(shape) != 1 or shape[0] != samples:
            continue
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", name)
        if match:
            families.setdefault(f"{match[1]}#{match[3]}", []).append((int(match[2]), name))
        else:
            found.append(Family(name, [name], 1, column_group(name)[0]))
    for members in families.values():
        names = [name for _, name in sorted(members)]
        label = names[0] if len(names) == 1 else f"{names[0]} \u2026 {names[-1]}"
        found.append(Family(label, names, len(names), column_group(names[0])[0]))
    times = next((columns[one.names[0]] for one in found if one.group == "t" and one.joints == 1), None)
    duration = None
    if times is not None and samples > 1:
        duration = _duration(times)
    steps = [
        f"{n}: {float(np.ravel(columns[n])[0]):g}" for n, s in sizes.items() if int(np.prod(s)) == 1 and "time" in n
    ]
    width = sum(1 if len(shape) < 2 else shape[1] for shape in sizes.values() if shape)
    return LogShown(Path(path).name, samples, width, found, duration, steps)


def _duration(times: Any) -> float | None:
    """The time between the first and the last sample; None where the times are neither numbers nor time stamps."""
    try:
        stamps = seconds_after_the_first(times)
        numbers = np.asarray(times if stamps is None else stamps, dtype=float)
    except (TypeError, ValueError):
        return None
    return float(numbers[-1] - numbers[0])


def chosen_columns(log: LogShown, chosen: Mapping[str, str]) -> list[str]:
    """What `--columns` must say so that these families are taken: nothing where their names say it already."""
    by_label = {one.label: one for one in log.families}
    words: list[str] = []
    for group, label in chosen.items():
        family = by_label.get(label)
        if family is None or label == log.guessed(group):
            continue
        if len(family.names) == 1:
            words.append(f"{group}{'' if family.joints > 1 or group == 't' else '1'}={family.names[0]}")
        else:
            words += [f"{group}{number}={name}" for number, name in enumerate(family.names, 1)]
    return words


def families_chosen(log: LogShown, words: Sequence[str], groups: Sequence[str]) -> dict[str, str]:
    """Which families `--columns` chose, by what they hold: the other way round."""
    found: dict[str, str] = {}
    for group in groups:
        for family in log.families:
            own = chosen_columns(log, {group: family.label})
            if own and set(own) <= set(words):
                found[group] = family.label
    return found


def fit(request: Request, tell: Tell = lambda text: None) -> FitShown:
    """Identify from a log, with all that a page shows of it."""
    values = request.run_values()
    named = request.with_values(log=Path(str(values.get("log", "log.csv"))).name)  # as whoever has it calls it
    tell("reading and filtering the log")
    found = request.row.run(values, tell).result
    if not isinstance(found, Estimate):
        raise InputError("identify: expected an estimate")
    tell("predicting torques")
    joints = _joints(found)
    tell("report")
    with tempfile.TemporaryDirectory(prefix="robosym-") as folder:
        path = Path(folder) / "report.html"
        found.report(path)
        report = path.read_text(encoding="utf-8")
    robot, robot_remarks = _robot(found)
    grouping = _grouping(found)
    errors = found.errors
    parameters = [
        FoundParameter(
            name, float(value), float(deviation), float(min(error, 1e9)), grouping.get(name, ""), not error <= _WEAK
        )
        for name, value, deviation, error in zip(found.names, found.values, found.deviations, errors, strict=True)
    ]
    return FitShown(
        f"{_METHODS.get(found.method.split(',')[0], found.method)} on the regressor of {found.regressor.robot.name}",
        float(found.condition), parameters, joints, max((one.moving for one in found.fits), default=0.0),
        sum(len(motion) for motion in found.motions), list(found.remarks),
        [list(pair) for pair in found.left_out.items()],
        report, robot, robot_remarks, command_line(named), python(named), python(named, imports=True),
        _operations(request), str(found),
    )  # fmt: skip


_METHODS = {
    "ols": "least squares", "wls": "weighted least squares", "tls": "total least squares",
    "iv": "instrumental variables", "didim": "direct and inverse models", "links": "link by link",
}  # fmt: skip


def _joints(found: Estimate) -> list[JointFit]:
    motion = found.motions[0]
    predicted = found.predict(motion)
    shown = []
    for at, joint in enumerate(found.regressor.joints):
        tau, moves = motion.tau[:, at], motion.moving[:, at]
        left = tau - predicted[:, at]
        rms = float(np.sqrt(np.mean(left[moves] ** 2))) if moves.any() else 0.0
        relative = float(found.fits[0].joints[at]) if found.fits else 0.0
        bars, normal = _histogram(left[moves] if moves.any() else left)
        shown.append(
            JointFit(
                int(joint), rms, relative, _envelope(motion.t, tau), _envelope(motion.t, predicted[:, at]),
                _envelope(motion.t, left), float(np.abs(left).max()) or 1.0, _stretches(motion.t, ~moves), bars, normal,
            )
        )  # fmt: skip
    return shown


def _envelope(t: Any, values: Any) -> list[list[float]]:
    """As `envelope`, rounded for the page."""
    return [[round(a, 6), float(f"{b:.6g}")] for a, b in envelope(t, values, _POINTS)]


def _stretches(t: Any, holds: Any) -> list[list[float]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    last = len(t) - 1
    return [[float(t[a]), float(t[min(b, last)])] for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _histogram(left: Any) -> tuple[list[list[float]], list[list[float]]]:
    """Residuals in bins, and the normal distribution of the same width."""
    counts, edges = np.histogram(left, bins=_BINS)
    centres = (edges[:-1] + edges[1:]) / 2
    deviation, mean, step = float(np.std(left)) or 1.0, float(np.mean(left)), float(edges[1] - edges[0])
    bell = len(left) * step / (deviation * np.sqrt(2 * np.pi)) * np.exp(-(((centres - mean) / deviation) ** 2) / 2)
    bars = [[float(x), int(n)] for x, n in zip(centres, counts, strict=True)]
    return bars, [[float(x), float(n)] for x, n in zip(centres, bell, strict=True)]


def _robot(found: Estimate) -> tuple[str, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            return found.robot.dumps("yaml"), [str(one.message) for one in said]
        except Error as error:
            return "", [str(error)]


def _grouping(found: Estimate) -> dict[str, str]:
    """What the parameters are grouped from; of symbols, since the numbers of a robot would hide it."""
    try:
        base = rs.base_parameters(found.regressor.robot.symbolic())
    except (Error, AttributeError):
        return {}
    return {name: row_text(row) for name, row in base.coefficients.items()}


def _operations(request: Request) -> str:
    subject = request.subject()
    try:
        robot = rs.load(subject) if isinstance(subject, str) else subject
        found = rs.dynamic_identification(robot.symbolic(), base_parameters=True).operations
    except (Error, AttributeError, TypeError):
        return ""
    return f"regressor: {found.additions} additions, {found.multiplications} products, {found.functions} functions"


def weak(parameters: Sequence[FoundParameter]) -> int:
    """How many have a deviation beyond 30 %."""
    return sum(one.weak for one in parameters)
