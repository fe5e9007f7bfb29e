"""Read poses that are typed or stored in files."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra import Graph, parse
from robosym.algebra import evaluate as value_of
from robosym.errors import Error, InputError
from robosym.files import read_text
from robosym.formats.placements import euler, roll_pitch_yaw
from robosym.mechanism.screws import in_radians
from robosym.spatial import Mat3
from robosym.spatial.vectors import rotation_of
from robosym.table_files import read_rows

__all__ = ["FORMS", "number_from", "numbers_from", "pose_from", "poses_from"]

FORMS = (
    "a pose is 3 numbers (position), 6 (position, then roll, pitch, yaw in rad or with a unit, 90deg; after euler: "
    "angles about z, x, z), 7 (position, quaternion w x y z), 9 (position, n, a), 12 or 16 (matrix, row by row)"
)
_UNIT = 1e-3  #: tolerance of the length of a quaternion, which must be 1


def pose_from(text: str, where: str = "--pose", positions: bool = False) -> Any:
    """Return the 4x4 matrix of a pose in one of `FORMS`: `0.3,0.1,0.5,0,1.57,0` or `euler:0.3,..`, angles in rad.

    The rotation of a position is the identity; with `positions` it is NaN.
    """
    head, colon, rest = text.partition(":")
    form = head.strip().lower() if colon else ""
    if form not in ("", "rpy", "euler"):
        raise InputError(f"{where}: unknown form {form!r}: expected rpy or euler before the colon")
    words = re.split(r"\s*[,;]\s*|\s+", (rest if colon else text).strip())
    try:
        numbers = [number_from(word) if len(words) == 6 and at > 2 else float(word) for at, word in enumerate(words)]
    except (ValueError, Error):
        raise InputError(f"{where}: expected numbers, found {text!r}; {FORMS}") from None
    return _matrix(numbers, form or "rpy", where, positions)


def number_from(word: str) -> float:
    """Read a number, an angle with its unit such as 90deg, or a constant expression such as Pi/2."""
    try:
        return float(word)
    except ValueError:
        return value_of([parse(in_radians(word), Graph())], {})[0]


def numbers_from(words: Sequence[str], where: str) -> list[float]:
    """Read numbers as `number_from` does; an error starts with `where`."""
    try:
        return [number_from(word) for word in words]
    except (ValueError, KeyError, Error):
        raise InputError(f"{where}: expected numbers, found {' '.join(words)!r}") from None


def poses_from(words: Sequence[str]) -> Any:
    """Return poses (m, 4, 4) from texts and from .csv and .json files; the rotation of a position is NaN."""
    found = []
    for word in words:
        path = Path(word)
        if path.suffix.lower() == ".csv":
            found += _from_csv(path)
        elif path.suffix.lower() == ".json":
            found += _from_json(path)
        else:
            found.append(pose_from(word, positions=True))
    return np.array(found).reshape(-1, 4, 4)


def _from_csv(path: Path) -> list[Any]:
    """Read one pose per line; a first line of names is skipped."""
    found = [_matrix(row, "rpy", f"{path}:{number}", positions=True) for number, row in read_rows(path)]
    if not found:
        raise InputError(f"{path}: expected one pose per line")
    return found


def _from_json(path: Path) -> list[Any]:
    """Read a pose or a list of poses; each is a list of numbers or of rows."""
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: expected JSON: {error}") from None
    if isinstance(data, dict):
        data = data.get("poses", data.get("T"))
    try:
        values = np.asarray(data, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{path}: expected a pose or a list of poses") from None
    if values.shape[-2:] in ((4, 4), (3, 4)) and values.ndim in (2, 3):
        values = values.reshape(-1, values.shape[-1] * values.shape[-2])
    rows = enumerate(np.atleast_2d(values), 1)
    return [_matrix(list(row), "rpy", f"{path}: pose {n}", positions=True) for n, row in rows]


def _matrix(numbers: list[float], form: str, where: str, positions: bool = False) -> Any:
    """Return the 4x4 matrix of a pose; with `positions`, three numbers have a rotation of NaN."""
    if not np.isfinite(numbers).all():
        raise InputError(f"{where}: expected finite numbers, found {', '.join(f'{x:g}' for x in numbers)}")
    T = np.eye(4)
    if len(numbers) in (12, 16):
        T[: len(numbers) // 4] = np.reshape(numbers, (-1, 4))
        return T
    if len(numbers) not in (3, 6, 7, 9):
        raise InputError(f"{where}: expected one of the forms of a pose, found {len(numbers)} numbers; {FORMS}")
    T[:3, 3], rest = numbers[:3], numbers[3:]
    if positions and not rest:
        T[:3, :3] = np.nan
    if len(rest) == 3:
        T[:3, :3] = _entries(euler(rest, "zxz") if form == "euler" else roll_pitch_yaw(rest))
    elif len(rest) == 4:
        T[:3, :3] = _entries(_from_quaternion(rest, where))
    elif len(rest) == 6:
        n, a = np.array(rest[:3]), np.array(rest[3:])
        T[:3, 0], T[:3, 1], T[:3, 2] = np.cross(n, a), n, a
    return T


def _entries(A: Mat3) -> Any:
    return np.array([list(row) for row in A.rows], dtype=float)


def _from_quaternion(q: list[float], where: str) -> Mat3:
    length = math.hypot(*q)
    if not abs(length - 1) <= _UNIT:
        raise InputError(f"{where}: expected a quaternion of length 1, found {length:.4g}")
    return rotation_of(q)
