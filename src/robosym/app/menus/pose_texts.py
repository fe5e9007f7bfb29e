"""Poses as people type them, and files of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra import Graph, parse
from robosym.algebra import evaluate as value_of
from robosym.errors import Error, InputError
from robosym.files import read_text
from robosym.mechanism.screws import in_radians
from robosym.table_files import read_rows

__all__ = ["FORMS", "number_from", "pose_from", "poses_from", "roll_pitch_yaw_matrix"]

FORMS = (
    "16 or 12 numbers, the matrix row by row; 6, position, then roll pitch yaw about x y z (euler: before them, angles "
    "z x z; in rad, or with a unit, 90deg); 7, position and quaternion w x y z; 9, position, n and a; 3, a position"
)
_UNIT = 1e-3  #: how far the length of a quaternion may be from 1


def pose_from(text: str, where: str = "--pose", positions: bool = False) -> Any:
    """A 4x4 matrix from one of `FORMS`: `0.3,0.1,0.5,0,1.57,0`, `euler:0.3,..`; rad. A position is a shift.

    With `positions` a position has no rotation: NaN.
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
    """A number, or an angle with its unit, 90deg, or a constant expression, Pi/2."""
    try:
        return float(word)
    except ValueError:
        return value_of([parse(in_radians(word), Graph())], {})[0]


def poses_from(words: Sequence[str]) -> Any:
    """Poses (m, 4, 4) from texts and from .csv and .json files of them; of a position the rotation is NaN."""
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
    """A pose a line; a first line of names is passed over."""
    found = [_matrix(row, "rpy", f"{path}:{number}", positions=True) for number, row in read_rows(path)]
    if not found:
        raise InputError(f"{path}: expected a pose a line")
    return found


def _from_json(path: Path) -> list[Any]:
    """A pose, or a list of poses; each a list of numbers or of rows."""
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
    """With `positions` three numbers are a position whose rotation is not given, NaN."""
    if not np.isfinite(numbers).all():
        raise InputError(f"{where}: expected finite numbers, found {', '.join(f'{x:g}' for x in numbers)}")
    T = np.eye(4)
    if len(numbers) in (12, 16):
        T[: len(numbers) // 4] = np.reshape(numbers, (-1, 4))
        return T
    if len(numbers) not in (3, 6, 7, 9):
        raise InputError(f"{where}: found {len(numbers)} numbers; {FORMS}")
    T[:3, 3], rest = numbers[:3], numbers[3:]
    if positions and not rest:
        T[:3, :3] = np.nan
    if len(rest) == 3:
        T[:3, :3] = _turned("zxz", rest) if form == "euler" else roll_pitch_yaw_matrix(rest)
    elif len(rest) == 4:
        T[:3, :3] = _from_quaternion(np.array(rest), where)
    elif len(rest) == 6:
        n, a = np.array(rest[:3]), np.array(rest[3:])
        T[:3, 0], T[:3, 1], T[:3, 2] = np.cross(n, a), n, a
    return T


def roll_pitch_yaw_matrix(angles: Sequence[float]) -> Any:
    """Roll about x, then pitch about y and yaw about z of the fixed frame: about moving axes in the other order."""
    return _turned("zyx", angles[::-1])


def _turned(axes: str, angles: Sequence[float]) -> Any:
    """Rotations about moving axes, one after the other."""
    A = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        turn = np.eye(3)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        A = A @ turn
    return A


def _from_quaternion(q: Any, where: str) -> Any:
    length = float(np.linalg.norm(q))
    if not abs(length - 1) <= _UNIT:
        raise InputError(f"{where}: expected a quaternion of length 1, found {length:.4g}")
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
