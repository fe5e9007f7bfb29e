"""Transformation matrices for a line that is typed: one pair of frames, and others as words."""

from __future__ import annotations

from collections.abc import Sequence

import robosym as rs
from robosym.app.menus.typed_values import read_value
from robosym.errors import InputError

__all__ = ["transform"]


def transform(robot: rs.Robot, i: int | str, j: int | str, also: Sequence[str] = ()) -> rs.Model:
    """`rs.transform` of a pair of frames, or of several: `also` holds others such as `3,6` or `base,tool0`."""
    pairs = [_pair(word) for word in also]
    return rs.transform(robot, (i, j), *pairs) if pairs else rs.transform(robot, i, j)


def _pair(word: str) -> tuple[int | str, int | str]:
    frames = [part.strip() for part in word.split(",")]
    if len(frames) != 2 or not all(frames):
        raise InputError(f"--also: expected two frames, such as 3,6 or base,tool0, found {word!r}")
    return read_value("frame", frames[0]), read_value("frame", frames[1])
