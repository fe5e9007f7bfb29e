"""Identification for a line that is typed: several logs, drives and friction as words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import robosym as rs
from robosym.errors import InputError
from robosym.estimate.identify import check_words

__all__ = ["identify", "identify_drives", "identify_payload"]


def identify(
    robot: Any,
    log: Path,
    also: Sequence[str] = (),
    judge: Sequence[str] = (),
    method: str = "wls",
    model: str = "dynamic",
    friction: str | None = None,
    cut: float = 10.0,
    rate: float | None = None,
    rest: float = 0.02,
    ratio: Sequence[float] | None = None,
    gain: Sequence[float] | None = None,
    columns: Sequence[str] = (),
    degrees: bool | None = None,
    step: float | None = None,
) -> Any:
    """The estimate of `rs.identify`; logs to `judge` it by are not fitted, their errors are remarks."""
    check_words(method, model)
    drive = None if ratio is None and gain is None else rs.Drive(ratio=_ratios(ratio or [1.0], robot), gain=gain)
    names = dict(_named(word) for word in columns)

    def prepared(path: str | Path) -> Any:
        read = rs.Log(path, columns=names or None, degrees=degrees, step=step)
        return rs.prepare(read, cut=cut, rate=rate, rest=rest, drive=drive)

    kind = friction if friction in (None, "auto") else rs.Friction.of(friction)
    found = rs.identify(
        robot, [prepared(path) for path in [str(log), *also]], method=method, model=model, friction=kind
    )
    return found.remarked(f"{path}: {found.error(prepared(path))}" for path in judge)


def identify_payload(
    robot: Any, log: Path, loaded: Path, cut: float = 10.0, rate: float | None = None, rest: float = 0.02,
    friction: str | None = None,
) -> Any:  # fmt: skip
    """The load of `rs.identify_payload`, from a log without it and a log with it."""
    found = identify(robot, log, friction=friction, cut=cut, rate=rate, rest=rest)
    return rs.identify_payload(found, rs.prepare(rs.Log(loaded), cut=cut, rate=rate, rest=rest))


def identify_drives(
    robot: Any, free: Path, loaded: Path, mass: float | None = None, friction: str | None = None, cut: float = 10.0,
    rate: float | None = None, rest: float = 0.02,
) -> Any:  # fmt: skip
    """The gains of `rs.identify_drives`, from a log without and a log with a load of known mass."""
    if mass is None:
        raise InputError("identify-drives: expected --mass, the kilograms of the load")
    motions = [rs.prepare(rs.Log(path), cut=cut, rate=rate, rest=rest) for path in (free, loaded)]
    return rs.identify_drives(
        robot, motions[0], motions[1], mass, None if friction is None else rs.Friction.of(friction)
    )


def _ratios(typed: Sequence[float], robot: Any) -> Any:
    """A number for all joints or for each, or the matrix of a coupled wrist, row by row."""
    n = len(robot.joint_names)
    return [typed[n * row : n * row + n] for row in range(n)] if n > 1 and len(typed) == n * n else typed


def _named(word: str) -> tuple[str, str]:
    ours, equals, theirs = word.partition("=")
    if not equals or not ours or not theirs:
        raise InputError(f"--columns: expected q1=NAME, found {word!r}")
    return ours, theirs
