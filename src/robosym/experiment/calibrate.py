"""Geometric calibration: geometric errors of a robot from measurements, by nonlinear least squares.

The residuals of all postures, divided by their standard deviations, are minimized over the identifiable errors by the
Gauss-Newton method; a robust loss gives outliers less weight. The standard deviations of position and orientation are
those of the residuals, unless they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from robosym.algebra.arrays import one_thread
from robosym.algebra.tolerances import TINY
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError
from robosym.experiment.calibration import Calibration
from robosym.experiment.calibration_data import CalibrationData, calibration_data
from robosym.experiment.calibration_fit import CalibrationFit, fitted
from robosym.experiment.first_placement import first_placement
from robosym.mechanism import Robot
from robosym.parameters.geometric.geometric_parameters import identifiable
from robosym.parameters.geometric.measurements import Kind
from robosym.parameters.geometric.setting import Setting, setting_of

__all__ = ["calibrate"]

Loss = Literal["linear", "huber", "cauchy"]


@accepts("fixed", motors=ALL, platform=ALL, modules=ALL)
@one_thread()
def calibrate(
    robot: Robot,
    data: Mapping[str, Any] | str | Path,
    measurement: Kind = "pose",
    frame: int | str | None = None,
    *,
    components: Sequence[str] | None = None,
    sensors: Iterable[int | str] = (),
    tool: object = None,
    base: object = None,
    ratios: bool = False,
    compliance: bool = False,
    known: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
    loss: Loss = "linear",
    noise: Sequence[float] | None = None,
    significance: float = 0.0,
) -> Calibration:
    """Estimate the geometric errors of a robot from measurements of a target.

    Parameters
    ----------
    robot : Robot
        Robot with numbers for all lengths and angles; a library name or a path is accepted too.
    data : mapping or path
        Joint positions and measured values, as arrays or in a .csv file with one line per posture. Joints: `q`
        (m, joints), or columns q1, q2, .. or with the names of the joints. Measured values: an array with the name of
        the measurement (`pose`: (m, 4, 4) or x, y, z, roll, pitch, yaw), or columns x, y, z, roll, pitch, yaw,
        distance, u, v. Columns of a file may have units: `x [mm]`, `q1 [deg]`.
    measurement : {"pose", "position", "orientation", "distance", "plane", "point", "clamp", "camera", "joints"}
        Measured quantity, as in `geometric_parameters`.
    frame : int or str, optional
        Frame that carries the target, by number or name. Default: the end of the arm, or the platform.
    components : sequence of str, optional
        For `pose`: the measured components, some of x, y, z, rx, ry, rz in the measuring frame. Default: all.
    sensors : sequence of int or str, optional
        Passive joints of a closed robot that are measured, in addition to the motors.
    tool : sequence of float, optional
        Nominal pose of the target in the end frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    base : sequence of float, optional
        Nominal pose of frame 0 in the measuring frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix. Default: computed
        from the measurements; an image needs it.
    ratios : bool, optional
        Whether gear ratios are estimated too.
    compliance : bool, optional
        Whether compliances of the joints under gravity are estimated too.
    known : sequence of str, optional
        Parameters without errors: names (`theta3`), kinds (`gamma`, `base`, `tool`) or frames (`frame3`).
    values : dict of str to float, optional
        Values of symbolic lengths and angles.
    loss : {"linear", "huber", "cauchy"}, optional
        Loss of the residuals: `huber` and `cauchy` give outliers less weight.
    noise : sequence of float, optional
        Standard deviations of measured lengths (m), angles (rad) and image coordinates (dimensionless). Default:
        estimated from the residuals.
    significance : float, optional
        Number of standard deviations: parameters of the robot below it are removed one after the other. Those of base
        and target always stay. 0 removes none.

    Returns
    -------
    Calibration
        Errors with standard deviations, the corrected robot, residuals, report and tables.

    Raises
    ------
    InputError
        If data are missing, the fit does not converge, or an argument is invalid.

    Examples
    --------
    >>> import numpy as np, robosym as rs
    >>> arm = rs.load("ur5e")
    >>> real = arm.edit({"frame3.d": -0.426, "frame5.alpha": 1.573})
    >>> q = np.random.default_rng(0).uniform(-2, 2, (40, 6))
    >>> poses = rs.direct_geometry(real).compile()(q=q)
    >>> found = rs.calibrate(arm, {"q": q, "pose": poses}, known=["base", "tool"])
    >>> round(found["d3"], 6), round(found["alpha5"], 6)
    (-0.001, 0.002204)
    """
    setting = setting_of(
        robot, measurement, frame, components=components, sensors=sensors, tool=tool, base=base, ratios=ratios,
        compliance=compliance, known=known, values=values, generic=False,
    )  # fmt: skip
    if loss not in ("linear", "huber", "cauchy"):
        raise InputError(f"loss: expected linear, huber or cauchy, found {loss!r}")
    if not significance >= 0:
        raise InputError(f"significance: expected a number of standard deviations from 0, found {significance!r}")
    read = calibration_data(data, setting)
    if base is None and any(p.kind == "base" for p in setting.parameters):
        setting.kinematics.base = first_placement(setting, read)
    deviations = _noise(noise, setting)
    found = identifiable(setting)
    chosen = setting.with_parameters(found.parameters)
    placed = setting.with_parameters([p for p in found.parameters if p.kind in ("base", "tool")])
    before = fitted(placed, read, deviations, "linear")
    fit = fitted(chosen, read, deviations, loss)
    left = dict.fromkeys(fit.hidden, "no effect on these measurements, or not distinguished by them")
    fit, dropped = _significant(fit, read, deviations, loss, significance)
    return Calibration(found, fit, before, read, left | dropped, loss, deviations)


def _noise(noise: Sequence[float] | None, setting: Setting) -> dict[str, float] | None:
    """Return the standard deviation by unit."""
    if noise is None:
        return None
    units = list(dict.fromkeys((*setting.measurement.units, *setting.sensor_units)))
    given = [float(x) for x in noise]
    if len(given) != len(units) or not all(0 < x < np.inf for x in given):
        raise InputError(
            f"noise: expected {len(units)} positive standard deviations ({', '.join(units)}), found {list(noise)}"
        )
    return dict(zip(units, given, strict=True))


def _significant(
    fit: CalibrationFit, data: CalibrationData, noise: Mapping[str, float] | None, loss: Loss, least: float
) -> tuple[CalibrationFit, dict[str, str]]:
    """Return the fit of the parameters larger than `least` standard deviations, and why others were removed."""
    out: dict[str, str] = {}
    while least:
        ratios = np.abs(fit.values) / np.maximum(fit.deviations, TINY)
        free = [n for n, p in enumerate(fit.parameters) if p.kind not in ("base", "tool")]
        weakest = min(free, key=lambda n: ratios[n], default=None)
        if weakest is None or ratios[weakest] >= least:
            break
        p = fit.parameters[weakest]
        out[p.name] = f"not significant: {ratios[weakest]:.2g} standard deviations"
        kept = [one for one in fit.parameters if one is not p]
        fit = fitted(fit.setting.with_parameters(kept), data, noise, loss)
    return fit, out
