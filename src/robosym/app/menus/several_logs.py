"""Identification for a line that is typed: several logs, drives and friction as words and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import robosym as rs
from robosym.errors import InputError
from robosym.experiment.identify import check_words

__all__ = ["identify", "identify_drives", "identify_payload"]

_AGAIN = ("ols", "wls", "tls")  #: methods that fit a load, too


def identify(
    robot: rs.Robot, log: Path, also: Sequence[str] = (), judge: Sequence[str] = (), method: str = "wls",
    model: str = "dynamic", friction: str | None = None, cut: float = 10.0, rate: float | None = None,
    rest: float = 0.02, ratio: Sequence[float] | None = None, gain: Sequence[float] | None = None,
    columns: Sequence[str] = (), degrees: bool | None = None, step: float | None = None,
) -> Any:  # fmt: skip
    """The estimate of `rs.identify`; logs to `judge` it by are not fitted, their errors are remarks."""
    check_words(method, model)
    prepared = _reader(robot, cut, rate, rest, ratio, gain, columns, degrees, step)
    motions = [prepared(path) for path in [str(log), *also]]
    found = rs.identify(robot, motions, method=method, model=model, friction=_friction(friction))
    return found.remarked(f"{path}: {found.error(prepared(path))}" for path in judge)


def identify_payload(
    robot: rs.Robot, log: Path, loaded: Path, also: Sequence[str] = (), also_loaded: Sequence[str] = (),
    method: str = "wls", model: str = "dynamic", friction: str | None = None, cut: float = 10.0,
    rate: float | None = None, rest: float = 0.02, ratio: Sequence[float] | None = None,
    gain: Sequence[float] | None = None, columns: Sequence[str] = (), degrees: bool | None = None,
    step: float | None = None,
) -> Any:  # fmt: skip
    """The load of `rs.identify_payload`, from logs without it and logs with it, read in the same way."""
    reading: dict[str, Any] = {"cut": cut, "rate": rate, "rest": rest, "ratio": ratio, "gain": gain}
    reading |= {"columns": columns, "degrees": degrees, "step": step}
    found = identify(robot, log, also, method=method, model=model, friction=friction, **reading)
    prepared = _reader(robot, **reading)
    motions = [prepared(path) for path in [str(loaded), *also_loaded]]
    return rs.identify_payload(found, motions, method if method in _AGAIN else "wls")


def identify_drives(
    robot: rs.Robot, free: Path, loaded: Path, mass: float | None = None, friction: str | None = None,
    cut: float = 10.0, rate: float | None = None, rest: float = 0.02, ratio: Sequence[float] | None = None,
    columns: Sequence[str] = (), degrees: bool | None = None, step: float | None = None,
) -> Any:  # fmt: skip
    """The gains of `rs.identify_drives`, from a log without and a log with a load of known mass."""
    if mass is None:
        raise InputError("identify-drives: expected --mass, the kilograms of the load")
    prepared = _reader(robot, cut, rate, rest, ratio, None, columns, degrees, step)
    return rs.identify_drives(
        robot, prepared(free), prepared(loaded), mass, None if friction is None else rs.Friction.of(friction)
    )


def _reader(
    robot: rs.Robot, cut: float, rate: float | None, rest: float, ratio: Sequence[float] | None,
    gain: Sequence[float] | None, columns: Sequence[str], degrees: bool | None, step: float | None,
) -> Callable[[str | Path], Any]:  # fmt: skip
    """A function that reads a log and prepares its motion: every log of a line in the same way."""
    drive = None if ratio is None and gain is None else rs.Drive(ratio=_ratios(ratio or [1.0], robot), gain=gain)
    names = dict(_named(word) for word in columns)

    def prepared(path: str | Path) -> Any:
        log = rs.Log(path, columns=names or None, degrees=degrees, step=step)
        return rs.prepare(log.in_order(robot.joint_names), cut=cut, rate=rate, rest=rest, drive=drive)

    return prepared


def _friction(typed: str | None) -> Any:
    return typed if typed in (None, "auto") else rs.Friction.of(typed)


def _ratios(typed: Sequence[float], robot: rs.Robot) -> Any:
    """A number for all joints or for each, or the matrix of a coupled wrist, row by row."""
    n = len(robot.joint_names)
    return [typed[n * row : n * row + n] for row in range(n)] if n > 1 and len(typed) == n * n else typed


def _named(word: str) -> tuple[str, str]:
    ours, equals, theirs = word.partition("=")
    if not equals or not ours or not theirs:
        raise InputError(f"--columns: expected q1=NAME, found {word!r}")
    return ours, theirs
