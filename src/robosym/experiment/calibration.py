"""Result of a calibration: errors with standard deviations, the corrected robot, predictions and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robosym.algebra.arrays import Array
from robosym.algebra.generic import random_arrays
from robosym.algebra.once import cached_property
from robosym.algebra.tolerances import TINY
from robosym.errors import InputError, closest
from robosym.experiment.calibration_data import CalibrationData, calibration_data
from robosym.experiment.calibration_fit import CalibrationFit, fitted, residuals
from robosym.experiment.calibration_page import calibration_page
from robosym.files import write_text
from robosym.mechanism import Robot
from robosym.parameters.geometric.corrected_robot import corrected_robot
from robosym.parameters.geometric.followed import followed_passive
from robosym.parameters.geometric.geometric_parameters import GeometricParameters
from robosym.solve.inverse_geometry import InverseGeometry, inverse_geometry
from robosym.spatial.numeric import rigid_inverse
from robosym.table_files import as_csv, write_table

__all__ = ["Calibration"]

_NEAR_SPECIAL = 1e-2  #: rad and parts of the size: the nominal arm has the closed form if errors are smaller
_ROUNDS = 50
_SETTLED = 1e-13
_TARGET = "target"


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Estimated geometric errors of a robot.

    Attributes
    ----------
    parameters : GeometricParameters
        Parameters that the measurement identifies, and how others are grouped with them.
    fit : CalibrationFit
        Estimated values, covariance and residuals.
    before : CalibrationFit
        Residuals of the nominal robot with the best-fitting placement.
    left_out : mapping of str to str
        Parameters that were not estimated, with the reason.

    Examples
    --------
    >>> import numpy as np, robosym as rs
    >>> arm = rs.load("planar2r")
    >>> q = np.random.default_rng(0).uniform(-2, 2, (30, 2))
    >>> poses = rs.direct_geometry(arm.edit({"frame2.d": 1.01})).compile()(q=q)
    >>> found = rs.calibrate(arm.edit({"frame2.d": 1.0}), {"q": q, "pose": poses}, known=["base", "tool"])
    >>> round(found["d2"], 4)
    0.01
    """

    parameters: GeometricParameters
    fit: CalibrationFit
    before: CalibrationFit
    data: CalibrationData = field(repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict)
    loss: str = "linear"
    noise: Mapping[str, float] | None = None

    # ------------------------------------------------------------------------------------------------ values

    @property
    def names(self) -> tuple[str, ...]:
        """Estimated parameters."""
        return tuple(p.name for p in self.fit.parameters)

    @property
    def values(self) -> Array:
        """Estimated errors in SI units, in the order of `names`."""
        return self.fit.values

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values."""
        return self.fit.deviations

    @property
    def covariance(self) -> Array:
        """Covariance of the values."""
        return self.fit.covariance

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter."""
        if name not in self.names:
            reason = f": {self.left_out[name]}" if name in self.left_out else closest(name, self.names)
            raise InputError(f"{name} was not estimated{reason}")
        return float(self.values[self.names.index(name)])

    @cached_property
    def base(self) -> Array:
        """Pose of frame 0 in the measuring frame, (4, 4)."""
        return self.fit.setting.kinematics.placements(self.values)[0]

    @cached_property
    def tool(self) -> Array:
        """Pose of the target in the end frame, (4, 4)."""
        return self.fit.setting.kinematics.placements(self.values)[1]

    # ------------------------------------------------------------------------------------------------ robot

    @cached_property
    def robot(self) -> Robot:
        """Corrected robot: its world is the measuring frame, and its frame `target` is the target.

        Errors of gear ratios and compliances are not part of a description; `solve` and `poses` take them into account.
        """
        setting = self.fit.setting
        moved = any(p.kind == "base" for p in self.fit.parameters)
        made = corrected_robot(setting.robot, self.fit.parameters, self.values, self.base if moved else None)
        if not np.allclose(self.tool, np.eye(4), rtol=0, atol=0):
            end = setting.end + made.NL - setting.robot.NL if setting.end > setting.robot.NL else self._end(made)
            made = made.with_frame(self.target, end, pose=self.tool.tolist())
        return made

    def _end(self, made: Robot) -> int:
        """Return the number of the end frame in the corrected robot, which has more fixed frames."""
        joints = [j for j in self.fit.setting.robot.tree_joints if j <= self.fit.setting.end]
        before, after = self.fit.setting.end - (joints[-1] if joints else 0), made.tree_joints
        return (after[len(joints) - 1] if joints else 0) + before

    @property
    def target(self) -> str:
        """Name of the frame of the target in `robot`."""
        names = self.fit.setting.robot.frame_names
        return next(name for k in range(len(names) + 1) if (name := f"{_TARGET}{k or ''}") not in names)

    def poses(self, q: object) -> Array:
        """Return the poses of the target in the measuring frame for readings of the joint sensors.

        Parameters
        ----------
        q : array, shape (joints,) or (m, joints)
            Readings of the joint sensors, in rad or m.

        Returns
        -------
        ndarray, shape (4, 4) or (m, 4, 4)
            Poses, with all estimated errors.
        """
        array = np.asarray(q, dtype=float)
        setting = self.fit.setting
        if array.shape[-1:] != (len(setting.kinematics.sensors),) or array.ndim > 2:
            raise InputError(
                f"q: expected {len(setting.kinematics.sensors)} positions per row, found shape {array.shape}"
            )
        rows = np.atleast_2d(array)
        found = setting.kinematics.at(self.values, rows, followed_passive(setting, rows)).end
        return np.asarray(found[0] if array.ndim == 1 else found)

    def solve(self, pose: object) -> Array:
        """Return all joint positions of an arm at which the target has a pose (inverse kinematics, IK).

        The closed form of the nominal arm is corrected by Newton's method on the calibrated one, then gear ratios and
        compliances are taken into account.

        Parameters
        ----------
        pose : array, shape (4, 4)
            Pose of the target in the measuring frame.

        Returns
        -------
        ndarray, shape (k, joints)
            Readings of the joint sensors in the solutions, in rad or m.

        Raises
        ------
        InputError
            If the robot has loops, or the pose is not a 4x4 matrix.
        """
        setting = self.fit.setting
        if setting.robot.loops:
            raise InputError(f"{setting.given.name}: solve supports arms: use rs.pose_solver on `robot`")
        T = np.asarray(pose, dtype=float)
        if T.shape != (4, 4):
            raise InputError(f"pose: expected a 4x4 matrix, found an array of shape {T.shape}")
        wanted = rigid_inverse(self.base) @ T @ rigid_inverse(self.tool)
        found = np.asarray(self._inverse.solve(wanted))
        return np.array([self._sensors(row) for row in found]).reshape(found.shape)

    @cached_property
    def _inverse(self) -> InverseGeometry:
        made = corrected_robot(self.fit.setting.robot, self.fit.parameters, self.values)
        found: InverseGeometry = inverse_geometry(made, frame=self._end(made), geometry_tolerance=_NEAR_SPECIAL)
        return found

    def _sensors(self, q: Array) -> Array:
        """Return the sensor readings at the joint positions q."""
        kinematics = self.fit.setting.kinematics
        s = q.copy()
        for _ in range(_ROUNDS):
            left = q - kinematics.joint_positions(self.values, s[None])[0]
            s = s + left
            if np.abs(left).max() < _SETTLED:
                break
        return s

    # ------------------------------------------------------------------------------------------------ validation

    def residuals(self, data: Mapping[str, object] | str | Path) -> dict[str, float]:
        """Return the root mean square of the residuals of other measurements, by unit.

        Parameters
        ----------
        data : mapping or path
            Measurements that were not fitted, as for `calibrate`.

        Returns
        -------
        dict of str to float
            Root mean square by unit (m, rad).
        """
        setting = self.fit.setting
        read = calibration_data(data, setting)
        left, _, _ = residuals(setting, self.values, read, read.start)
        return self.fit.rms(left)

    def cross_validated(self, folds: int = 5) -> list[dict[str, float]]:
        """Return the residuals of each part of the postures, predicted by a fit of the others.

        Parameters
        ----------
        folds : int, optional
            Number of parts, from 2.

        Returns
        -------
        list of dict
            Root mean square by unit (m, rad), one per part.

        Raises
        ------
        InputError
            If there are fewer postures than parts.
        """
        count = len(self.data)
        if not 2 <= folds <= count:
            raise InputError(f"folds: expected 2 to {count}, the number of postures, found {folds!r}")
        order = random_arrays("folds of a calibration").permutation(count)
        found = []
        for k in range(folds):
            out = np.sort(order[k::folds])
            kept = np.setdiff1d(np.arange(count), out)
            fit = fitted(self.fit.setting, self.data.take(kept), self.noise, self.loss)
            test = self.data.take(out)
            left, _, _ = residuals(fit.setting, fit.values, test, test.start)
            found.append(fit.rms(left))
        return found

    # ------------------------------------------------------------------------------------------------ output

    def rows(self) -> Iterator[tuple[str, str, str, float, float, float]]:
        """Iterate over the estimated parameters.

        Yields
        ------
        tuple
            Name, unit, meaning, value, standard deviation, and their ratio.
        """
        for p, value, deviation in zip(self.fit.parameters, self.values, self.deviations, strict=True):
            yield (
                p.name,
                p.unit,
                p.meaning,
                float(value),
                float(deviation),
                abs(float(value)) / max(float(deviation), TINY),
            )

    def table(self, form: str = "text") -> str:
        """Return a table of the estimated parameters.

        Parameters
        ----------
        form : {"text", "latex", "csv"}, optional
            Form of the table.

        Returns
        -------
        str
            The table.
        """
        if form == "csv":
            return as_csv(("name", "unit", "meaning", "value", "standard_deviation", "ratio"), self.rows())
        if form == "latex":
            latex = {p.name: p.latex for p in self.fit.parameters}
            lines = [f"${latex[n]}$ & {u} & ${v:.6g}$ & ${s:.2g}$ \\\\" for n, u, _, v, s, _ in self.rows()]
            head = "parameter & unit & value & std. dev. \\\\ \\hline"
            return "\n".join(["\\begin{tabular}{llrr}", head, *lines, "\\end{tabular}"])
        if form != "text":
            raise InputError(f"form: expected 'text', 'latex' or 'csv', found {form!r}")
        lines = [self._summary(), "", f"{'':14}{'value':>14} {'std. dev.':>11}  unit"]
        lines += [f"{n:14}{v:14.6g} {s:11.2g}  {u}" for n, u, _, v, s, _ in self.rows()]
        lines += ["", *self._errors()]
        lines += [f"left out: {name} ({reason})" for name, reason in self.left_out.items()]
        return "\n".join(lines)

    def _errors(self) -> list[str]:
        before, after = self.before.rms(), self.fit.rms()
        return [f"root mean square residual: {after[u]:.3g} {u}, nominal {before[u]:.3g} {u}" for u in after]

    def _summary(self) -> str:
        name, setting = self.fit.setting.given.name, self.fit.setting
        return (
            f"{name}: {len(self.names)} geometric parameters from {len(self.data)} postures, measurement "
            f"{setting.measurement.name}, condition {self.fit.condition:.3g}"
        )

    def write(self, path: str | Path) -> Path:
        """Write the table to a .csv, .tex or .txt file.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.
        """
        return write_table(path, self.table)

    def report(self, path: str | Path) -> Path:
        """Write an HTML report with tables and plots.

        Parameters
        ----------
        path : str or Path
            An .html file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the extension is not .html.
        """
        file = Path(path)
        if file.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{file}: expected an .html file, found {file.suffix or 'no extension'}")
        write_text(file, calibration_page(self))
        return file

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Calibration, {self._summary()}>"
