"""Identification for the page: the columns of a log and the results of a fit, as plain data for tables and plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import robosym as rs
from robosym.app.session.requests import Equivalent, Request, equivalent
from robosym.errors import Error, InputError
from robosym.experiment import Estimate
from robosym.experiment.log import LogColumns, log_columns
from robosym.experiment.report import FoundParameter, found_parameters, joint_fits, page
from robosym.formats.draft_problems import collected_warnings

__all__ = ["FitResults", "fit", "look"]

Progress = Callable[[str], None]
_POINTS = 500  #: number of (minimum, maximum) pairs of a plotted curve
_BINS = 31  #: number of bars of a histogram


@dataclass(frozen=True)
class FitResults:
    """The results of a fit."""

    about: str
    condition: float
    parameters: list[FoundParameter]
    joints: list[dict[str, Any]]  #: `JointFit.curves`
    samples: int
    remarks: list[str]
    report: str
    robot: str  #: YAML
    robot_remarks: list[str]
    same: Equivalent
    operations: str
    text: str


def look(path: str, progress: Progress = lambda text: None) -> LogColumns:
    """Group the columns of a log."""
    return log_columns(path)


def fit(request: Request, progress: Progress = lambda text: None) -> FitResults:
    """Identify parameters from a log and return everything that the page shows."""
    values = request.run_values()
    named = request.with_values(log=Path(str(values.get("log", "log.csv"))).name)  # the name that the user knows
    progress("reading and filtering the log")
    found = request.row.run(values, progress).result
    if not isinstance(found, Estimate):
        raise InputError("identify: expected an estimate")
    progress("predicting torques")
    joints = [one.curves(found.motions[0].t, _POINTS, _BINS) for one in joint_fits(found)]
    progress("report")
    report = page(found)
    robot, robot_remarks = _robot(found)
    return FitResults(
        f"{_METHODS.get(found.method.split(',')[0], found.method)} on the regressor of {found.regressor.robot.name}",
        float(found.condition), found_parameters(found), joints,
        sum(len(motion) for motion in found.motions), list(found.remarks),
        report, robot, robot_remarks, equivalent(named),
        _operations(request), str(found),
    )  # fmt: skip


_METHODS = {
    "ols": "least squares", "wls": "weighted least squares", "tls": "total least squares",
    "iv": "instrumental variables", "didim": "direct and inverse models", "links": "link by link",
}  # fmt: skip


def _robot(found: Estimate) -> tuple[str, list[str]]:
    try:
        with collected_warnings() as remarks:
            text = found.robot.dumps("yaml")
        return text, list(map(str, remarks))
    except Error as error:
        return "", [str(error)]


def _operations(request: Request) -> str:
    try:
        found = rs.dynamic_identification(request.load().symbolic(), base_parameters=True).operations
    except (Error, AttributeError, TypeError):
        return ""
    return f"regressor: {found.additions} additions, {found.multiplications} products, {found.functions} functions"
