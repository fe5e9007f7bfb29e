"""Identifiable geometric parameters: the largest set of errors that a measurement distinguishes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robosym.algebra import Expr, Graph, numeric_value
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import independent_columns, rank
from robosym.algebra.tolerances import DEPENDENT, RANK
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.parameters.geometric.error_kinematics import PoseColumns
from robosym.parameters.geometric.error_parameters import ErrorParameter
from robosym.parameters.geometric.link_groupings import grouped_by_links
from robosym.parameters.geometric.measurements import Kind
from robosym.parameters.geometric.setting import Setting, setting_of
from robosym.parameters.linear_forms import row_text
from robosym.spatial import Mat3, Transform, Vec3
from robosym.table_files import as_csv, write_table

__all__ = ["GeometricParameters", "geometric_parameters"]

_POSTURES = 60  #: at least, in which the rank is determined
_ROWS = 4  #: rows per parameter, at least
_GAP = 1e3  #: a rank is clear if residuals of dependent and independent columns differ by this factor
_OPEN = 1e-6  #: a error that opens a loop faster than this, relative to its effect, is impossible
_SMALL = 1e-6  #: share of a coefficient below which it is left out of a grouping


@dataclass(frozen=True, eq=False, repr=False)
class GeometricParameters:
    """Geometric parameters that a measurement identifies, and how the others are grouped with them.

    Attributes
    ----------
    names : tuple of str
        Identifiable parameters: errors of frames (`theta2`, `r2`, `alpha2`, `d2`, `gamma2`, `b2`, `beta2`, `e2`),
        of the placement of base and tool (`base_x`, `tool_rz`), of gear ratios (`ratio2`) and compliances.
    grouping : mapping of str to mapping
        For each identifiable parameter, the coefficients of all parameters with the same effect.
    without_effect : tuple of str
        Parameters that the measurement does not depend on.
    impossible : tuple of str
        Errors with which the loops of the robot cannot close, such as those out of the plane of a planar loop.
    missed : tuple of str
        Parameters that were grouped numerically, because no rule covers them.
    remark : str
        Result of the numeric check.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.geometric_parameters("planar2r", "position")
    >>> found.names[6:]
    ('tool_x', 'tool_y', 'alpha2', 'd2', 'beta2')
    """

    setting: Setting = field(repr=False)
    grouping: Mapping[str, Mapping[str, Expr]]
    without_effect: tuple[str, ...]
    impossible: tuple[str, ...]
    missed: tuple[str, ...]
    remark: str

    @property
    def names(self) -> tuple[str, ...]:
        """Identifiable parameters."""
        return tuple(self.grouping)

    @property
    def parameters(self) -> tuple[ErrorParameter, ...]:
        """Identifiable parameters with frame, meaning and unit."""
        by_name = {p.name: p for p in self.setting.parameters}
        return tuple(by_name[name] for name in self.names)

    @property
    def eliminated(self) -> tuple[str, ...]:
        """Parameters that are grouped with identifiable ones."""
        left = {*self.without_effect, *self.impossible, *self.names}
        return tuple(p.name for p in self.setting.parameters if p.name not in left)

    def table(self, form: str = "text") -> str:
        """Return a table of the identifiable parameters.

        Parameters
        ----------
        form : {"text", "latex", "csv"}, optional
            Form of the table.

        Returns
        -------
        str
            The table.

        Raises
        ------
        InputError
            If `form` is unknown.
        """
        if form == "latex":
            latex = {p.name: p.latex for p in self.setting.parameters}
            lines = [f"${p.latex}$ & {p.unit} & ${self._sum(p.name, latex)}$ \\\\" for p in self.parameters]
            return "\n".join(["\\begin{tabular}{lll}", *lines, "\\end{tabular}"])
        if form == "csv":
            rows = [(p.name, str(p.frame), p.unit, p.meaning, row_text(self.grouping[p.name])) for p in self.parameters]
            return as_csv(("name", "frame", "unit", "meaning", "grouping"), rows)
        if form != "text":
            raise InputError(f"form: expected 'text', 'latex' or 'csv', found {form!r}")
        width = max((len(name) for name in self.names), default=0)
        lines = [self._summary(), ""]
        for p in self.parameters:
            lines.append(f"{p.name:<{width}} = {row_text(self.grouping[p.name])}  [{p.unit}]")
        lines += ["", f"grouped: {', '.join(self.eliminated) or 'none'}"]
        lines += [f"without effect: {', '.join(self.without_effect) or 'none'}"]
        if self.impossible:
            lines.append(f"impossible, because the loops cannot close: {', '.join(self.impossible)}")
        if self.missed:
            lines.append(f"grouped by numbers: {', '.join(self.missed)}")
        return "\n".join([*lines, self.remark])

    def write(self, path: str | Path) -> Path:
        """Write the table to a file.

        Parameters
        ----------
        path : str or Path
            A .csv, .tex or .txt file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the extension is unknown.
        """
        return write_table(path, self.table)

    def _sum(self, name: str, latex: Mapping[str, str]) -> str:
        terms = []
        for part, share in self.grouping[name].items():
            value = numeric_value(share)
            text = f"{share}" if value is None else "" if value == 1 else "-" if value == -1 else f"{value:.6g}"
            between = "" if text in ("", "-") else r"\,"
            terms.append(f"{text}{between}{latex[part]}")
        return " + ".join(terms).replace("+ -", "- ")

    def _summary(self) -> str:
        setting = self.setting
        every = len(setting.parameters)
        sensors = (
            f" and of the joints {', '.join(map(setting.robot.joint_name, setting.sensors))}" if setting.sensors else ""
        )
        count = f"{setting.given.name}: {len(self.names)} identifiable geometric parameters of {every}"
        return f"{count}, measurement {setting.measurement.name}{sensors}"

    def __len__(self) -> int:
        return len(self.grouping)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<GeometricParameters, {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = tuple((p.name, row_text(self.grouping[p.name]), p.unit, p.meaning) for p in self.parameters)
        return as_html_page(self._summary(), [Sheet("parameters", ("name", "grouping", "unit", "meaning"), rows)])


@accepts("fixed", motors=ALL, platform=ALL, modules=ALL)
def geometric_parameters(
    robot: Robot,
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
) -> GeometricParameters:
    """Return the geometric parameters that a calibration can identify from a measurement, and how others are grouped.

    Every frame of a joint can deviate in its six parameters gamma, b, alpha, d, theta (joint offset) and r, and by a
    rotation `beta` about y and a translation `e` along y where two axes are parallel; the base and the tool can deviate
    in their placement. Relations that hold for all positions group those with the same effect, with expressions as
    coefficients; the rank of the calibration Jacobian at random positions then checks the result and groups the
    remaining ones numerically. A generic arm with n revolute and p prismatic joints has 4 n + 2 p + 6 identifiable
    parameters for a measured pose, and one more per gear ratio. A robot with a platform is treated as the robot with
    loops; the axes of a universal or spherical joint are assumed to meet.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    measurement : {"pose", "position", "orientation", "distance", "plane", "point", "clamp", "camera", "joints"}
        Measured quantity: `pose`, `position` or `orientation` of a target; its `distance` from a point; only the fact
        of contact of the target with a `plane` or a `point`, or of the end frame with a `clamp`; image coordinates of
        a fixed `camera`; or only `joints`, for the calibration of a closed robot without an external device.
    frame : int or str, optional
        Frame that carries the target, by number or name. Default: the end of the arm, or the platform.
    components : sequence of str, optional
        For `pose`: the measured components, some of x, y, z, rx, ry, rz in the measuring frame. Default: all.
    sensors : sequence of int or str, optional
        Passive joints of a closed robot that are measured, in addition to the motors.
    tool : sequence of float, optional
        Nominal pose of the target in the end frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    base : sequence of float, optional
        Nominal pose of frame 0 in the measuring frame: x, y, z, roll, pitch, yaw, or a 4x4 matrix.
    ratios : bool, optional
        Whether the gear ratios of the joints deviate too.
    compliance : bool, optional
        Whether the joints of an arm deflect under gravity, in proportion to its torque.
    known : sequence of str, optional
        Parameters that do not deviate: names (`theta3`), kinds (`gamma`, `base`, `tool`) or frames (`frame3`).
    values : dict of str to float, optional
        Values of symbolic lengths and angles. Default for arms without loops: generic values.

    Returns
    -------
    GeometricParameters
        Names, groupings and the result of the numeric check.

    Raises
    ------
    InputError
        If the robot or an argument is not supported, or the rank is unclear.

    Examples
    --------
    >>> import robosym as rs
    >>> found = rs.geometric_parameters("ur5e")
    >>> len(found)
    30
    >>> len(rs.geometric_parameters("ur5e", ratios=True))
    36
    >>> list(found.grouping["r2"])
    ['r2', 'r3', 'r4', 'b3', 'b4', 'b5']
    """
    setting = setting_of(
        robot, measurement, frame, components=components, sensors=sensors, tool=tool, base=base, ratios=ratios,
        compliance=compliance, known=known, values=values,
    )  # fmt: skip
    return identifiable(setting)


def identifiable(setting: Setting) -> GeometricParameters:
    """Return the identifiable parameters of a setting."""
    parameters = setting.parameters
    table, opened = _jacobian(setting)
    sizes = np.linalg.norm(table, axis=0)
    impossible = [p.name for p, o, s in zip(parameters, opened, sizes, strict=True) if o > _OPEN * max(s, 1.0)]
    groups = grouped_by_links(
        setting.robot, setting.end, [p for p in parameters if p.name not in impossible],
        _transform(setting.kinematics.base), _transform(setting.kinematics.tool), _hidden(setting),
        [j for j in setting.robot.tree_joints + setting.robot.cut_joints
         if j not in setting.kinematics.sensors and j not in setting.sensors],
    )  # fmt: skip
    names = [p.name for p in parameters]
    order = [names.index(name) for name in groups]
    kept_columns, residuals = independent_columns(table[:, order], DEPENDENT)
    kept = [order[c] for c in kept_columns]
    free = [n for n, name in enumerate(names) if name not in impossible]
    if rank(_scaled(table[:, free]), DEPENDENT) > len(kept):
        raise InputError(
            f"{setting.given.name}: the rules of groupings contradict the rank of the calibration Jacobian"
        )
    missed = [names[n] for n in order if n not in kept and sizes[n] > RANK * sizes.max(initial=0.0)]
    grouping = {names[n]: dict(groups[names[n]]) for n in kept}
    _add_by_numbers(grouping, groups, table, names, kept, missed)
    grouped = {part for row in grouping.values() for part in row}
    without = tuple(name for name in names if name not in grouped and name not in impossible)
    remark = _remark(table[:, kept], residuals, [order.index(n) for n in kept])
    return GeometricParameters(setting, grouping, without, tuple(impossible), tuple(missed), remark)


def _jacobian(setting: Setting) -> tuple[Array, Array]:
    """Return the calibration Jacobian over random positions, and the derivative of the loop gaps by each error."""
    count = max(_POSTURES, _ROWS * len(setting.parameters) // max(1, setting.measurement.size + len(setting.sensors)))
    sensors, passive = setting.random_postures(count)
    if not len(sensors):
        raise InputError(f"{setting.given.name}: found no position within the limits in which the target keeps contact")
    posture = setting.kinematics.at(np.zeros(len(setting.parameters)), sensors, passive)
    _check_motors(setting, posture)
    rows = setting.rows(posture)
    opened = np.abs(posture.open).max(axis=(0, 1), initial=0.0) if posture.open.size else np.zeros(rows.shape[2])
    return rows.reshape(-1, rows.shape[2]), opened


def _check_motors(setting: Setting, posture: PoseColumns) -> None:
    """Raise an error unless the motors determine the pose of the target and are independent of each other."""
    name, motors = setting.given.name, len(setting.kinematics.sensors)
    if np.abs(posture.overdriven).max(initial=0.0) > _OPEN:
        raise InputError(f"{name}: the {motors} motors are not independent of each other: expected one motor per DoF")
    if np.abs(posture.idle).max(initial=0.0) > _OPEN:
        raise InputError(
            f"{name}: the {motors} motors do not determine the pose of the target: expected one motor per DoF"
        )


def _scaled(table: Array) -> Array:
    sizes = np.linalg.norm(table, axis=0)
    used = sizes > DEPENDENT * sizes.max(initial=0.0)
    return np.asarray(table[:, used] / sizes[used])


def _hidden(setting: Setting) -> tuple[Sequence[str], Sequence[str]]:
    """Return the motions of measuring frame and target that do not affect the measurement."""
    generic = np.eye(4)[None]
    generic[:, :3, 3] = 1.0
    rows = setting.measurement.rows(generic)
    turns_seen = np.abs(rows[..., 3:]).max(initial=0.0) > 0
    moves_seen = np.abs(rows[..., :3]).max(initial=0.0) > 0
    of_target = [*(() if moves_seen else ("x", "y", "z")), *(() if turns_seen else ("rx", "ry", "rz"))]
    return setting.measurement.without_effect, of_target


def _transform(T: Array) -> Transform:
    return Transform(Mat3.of(*map(float, T[:3, :3].ravel())), Vec3(*map(float, T[:3, 3])))


def _add_by_numbers(
    grouping: dict[str, dict[str, Expr]], groups: Mapping[str, Mapping[str, Expr]], table: Array, names: Sequence[str],
    kept: Sequence[int], missed: Sequence[str],
) -> None:  # fmt: skip
    """Add parameters whose dependence on the kept ones is only numeric, with those that the rules grouped with them."""
    if not missed:
        return
    graph = next((value.graph for row in groups.values() for value in row.values()), Graph())
    columns = [names.index(name) for name in missed]
    sizes = np.linalg.norm(table, axis=0)
    shares = np.linalg.lstsq(table[:, kept] / sizes[kept], table[:, columns] / sizes[columns], rcond=None)[0]
    for column, name in enumerate(missed):
        for n, share in zip(kept, shares[:, column], strict=True):
            if abs(share) > _SMALL:
                factor = graph.number(float(f"{share * sizes[names.index(name)] / sizes[n]:.9g}"))
                row = grouping[names[n]]
                for part, own in groups[name].items():
                    row[part] = row[part] + factor * own if part in row else factor * own


def _remark(table: Array, residuals: Array, kept: Sequence[int]) -> str:
    scaled = table / np.linalg.norm(table, axis=0) if table.size else table
    singular = np.linalg.svd(scaled, compute_uv=False) if table.size else np.ones(1)
    smallest = float(residuals[list(kept)].min(initial=1.0))
    others = [k for k in range(len(residuals)) if k not in kept]
    largest = float(residuals[others].max(initial=0.0))
    if largest * _GAP > smallest:
        raise InputError(
            f"the rank of the calibration Jacobian is unclear: residuals {smallest:.1e} of independent and "
            f"{largest:.1e} of dependent columns"
        )
    return (
        f"numeric check: rank {len(kept)} in {len(table)} rows, smallest residual {smallest:.1e} of independent and "
        f"{largest:.1e} of dependent columns, condition {singular[0] / singular[-1]:.3g} of the scaled Jacobian"
    )
