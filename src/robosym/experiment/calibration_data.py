"""Measurements of a calibration: positions of joints and measured values, from arrays or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.samples import Array
from robosym.errors import FormatError, InputError
from robosym.parameters.geometric.followed import followed_passive
from robosym.parameters.geometric.setting import Setting, numeric_pose
from robosym.table_files import TableKind, read_table

__all__ = ["CalibrationData", "calibration_data", "joint_rows"]

_UNITS = {"m": 1.0, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "rad": 1.0, "mrad": 1e-3, "deg": np.pi / 180, "°": np.pi / 180}
_HEAD = re.compile(r"\s*(.+?)\s*[\[(]([^\])]+)[\])]\s*")
_TABLE = TableKind("expected columns of joint positions and of the measured values", units=frozenset(_UNITS))


@dataclass(frozen=True)
class CalibrationData:
    """Joint positions and measured values at m postures."""

    q: Array  #: positions of the joints with sensors, (m, sensors)
    measured: Array  #: values of the measurement: poses (m, 4, 4), positions (m, 3), ... or (m, 0) for contact
    passive: Array  #: measured positions of passive joints, (m, passive sensors)
    start: Array  #: passive joints that close the loops of the nominal robot, (m, passive joints)

    def __len__(self) -> int:
        return len(self.q)

    def take(self, rows: NDArray[np.int64]) -> CalibrationData:
        """Return some postures."""
        return replace(
            self, q=self.q[rows], measured=self.measured[rows], passive=self.passive[rows], start=self.start[rows]
        )


def calibration_data(source: Mapping[str, Any] | str | Path, setting: Setting) -> CalibrationData:
    """Read the measurements of a setting from a mapping of arrays, or from a file with one line per posture."""
    if not isinstance(source, (Mapping, str, Path)):
        raise InputError(f"data: expected a path or a mapping of columns to arrays, found {type(source).__name__}")
    columns = dict(source) if isinstance(source, Mapping) else _converted(read_table(source, _TABLE), str(source))
    where = "data" if isinstance(source, Mapping) else str(source)
    q = _joints(columns, setting, where)
    measured = _measured(columns, setting, len(q), where)
    joints = [np.reshape(_column(columns, _names_of(setting, j), where), -1) for j in setting.sensors]
    passive = np.stack(joints, axis=1) if joints else np.zeros((len(q), 0))
    for name, table in (("joint positions", q), ("measured values", measured), ("passive joints", passive)):
        if len(table) != len(q):
            raise InputError(f"{where}: {name}: expected {len(q)} postures, as in q, found {len(table)}")
        bad = ~np.isfinite(table.reshape(len(q), -1)).all(axis=1)
        if bad.any():
            raise InputError(
                f"{where}: posture {int(np.argmax(bad)) + 1}: expected finite {name}, found {int(bad.sum())} such rows"
            )
    return CalibrationData(q, measured, passive, followed_passive(setting, q))


def _converted(columns: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return columns in SI units: `x [mm]`, `q1 (deg)`."""
    found: dict[str, Any] = {}
    for head, values in columns.items():
        parts = _HEAD.fullmatch(head)
        name, unit = (parts[1], parts[2]) if parts else (head.strip(), "")
        if unit and unit.lower() not in _UNITS:
            raise FormatError(f"column {head!r}: expected a unit {', '.join(_UNITS)}, found {unit!r}", path)
        if getattr(values, "dtype", np.dtype(float)).kind == "f":
            found[name] = values * _UNITS[unit.lower()] if unit else values
    return found


def _array(value: Any, where: str) -> Array:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{where}: expected numbers, found {value!r}") from None


def _names_of(setting: Setting, j: int) -> tuple[str, ...]:
    robot = setting.robot
    return tuple(dict.fromkeys((robot.joint_name(j), robot.variable(j))))


def _column(columns: Mapping[str, Any], names: tuple[str, ...], where: str) -> Array:
    for name in names:
        if name in columns:
            return _array(columns[name], f"{where}: {name}")
    raise InputError(
        f"{where}: expected a column {' or '.join(names)}, found {', '.join(list(columns)[:20]) or 'none'}"
    )


def _joints(columns: Mapping[str, Any], setting: Setting, where: str) -> Array:
    sensors = setting.kinematics.sensors
    if "q" in columns:
        return joint_rows(columns["q"], setting, f"{where}: q")
    found = [_column(columns, (f"q{k}", *_names_of(setting, j)), where) for k, j in enumerate(sensors, 1)]
    return np.stack([one.reshape(-1) for one in found], axis=1)


def joint_rows(values: Any, setting: Setting, where: str) -> Array:
    """Return the sensor readings, one row per posture."""
    q = np.atleast_2d(_array(values, where))
    names = setting.sensor_names
    if q.ndim != 2 or q.shape[1] != len(names):
        columns = f"{len(names)} columns ({', '.join(names)})"
        raise InputError(f"{where}: expected one row per posture and {columns}, found an array of shape {q.shape}")
    return q


def _measured(columns: Mapping[str, Any], setting: Setting, count: int, where: str) -> Array:
    kind = setting.measurement
    if not kind.columns:
        return np.zeros((count, 0))
    if kind.name in columns:
        table = _array(columns[kind.name], f"{where}: {kind.name}")
    else:
        table = np.stack([_column(columns, (name,), where).reshape(-1) for name in kind.columns], axis=1)
    if kind.name in ("pose", "orientation"):
        return _poses(table, kind.name, where)
    table = table.reshape(len(table), -1)
    if table.shape[1] != len(kind.columns):
        raise InputError(f"{where}: {kind.name}: expected {len(kind.columns)} columns, found {table.shape[1]}")
    return table


def _poses(table: Array, name: str, where: str) -> Array:
    """Return 4x4 matrices from matrices, or from x, y, z, roll, pitch, yaw or roll, pitch, yaw."""
    if table.ndim == 3 and table.shape[1:] == (4, 4):
        return table
    if table.ndim == 2 and table.shape[1] == 3 and name == "orientation":
        table = np.hstack([np.zeros_like(table), table])
    if table.ndim != 2 or table.shape[1] != 6:
        raise InputError(
            f"{where}: {name}: expected poses of shape (4, 4) or six numbers each, found {table.shape[1:]}"
        )
    return np.array([numeric_pose(row.tolist(), name) for row in table])
