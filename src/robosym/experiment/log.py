"""Records of a robot in motion: times, positions and torques, from arrays, columns or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.errors import Hint, InputError, Pass, counted
from robosym.simulation.motion_columns import COLUMN_ORDER, EFFORTS, MotionColumns, column_group, read_columns

__all__ = [
    "ColumnFamily", "Log", "LogColumns", "chosen_columns", "families_chosen", "log_columns", "order_of_joints",
]  # fmt: skip


_SLOW = 0.5  #: time between samples in s above which the unit is probably not s


class Log:
    """Recorded motion: times in s, joint positions in rad or m, torques in N m or N, one row per sample.

    Units in column names, such as "time [ms]" or "q1_deg", are converted, also through `columns`. In a file, samples
    with an empty cell and text above the column names are skipped, decimal commas are accepted, and time stamps (ISO
    8601) are converted to seconds after the first. `remarks` lists these conversions. Column names such as
    "position.elbow" name the joints (`joint_names`).

    Parameters
    ----------
    source : mapping or path, optional
        Columns t, q1, q2, .., tau1, .. in any order, as arrays or in a file (.csv, .npz, .parquet).
    t : array_like, shape (n,), optional
        Times in s.
    q : array_like, shape (n, joints), optional
        Joint positions in rad or m.
    tau : array_like, shape (n, joints), optional
        Joint torques in N m or forces in N.
    qd : array_like, shape (n, joints), optional
        Joint velocities.
    current : array_like, shape (n, joints), optional
        Motor currents in place of `tau`, for a `Drive` with a gain.
    step : float, optional
        Time between samples in s, if no times were recorded.
    columns : mapping of str to str, optional
        Names of the columns of the file, optionally with a unit: `{"t[ms]": "Time", "q1[deg]": "Axis 1"}`.
    degrees : bool, optional
        Whether angles are in degrees; if not, large angles are accepted as radians. Default: according to the units
        in the column names.

    Raises
    ------
    InputError
        If columns are missing, have different lengths, or contain values that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import robosym as rs
    >>> t = np.linspace(0, 1, 101)
    >>> rs.Log(t=t, q=np.sin(t)[:, None], tau=np.cos(t)[:, None])
    <Log: 101 samples of 1 joint, 1 s>
    """

    def __init__(
        self,
        source: Mapping[str, object] | str | Path | None = None,
        *,
        t: ArrayLike | None = None,
        q: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        current: ArrayLike | None = None,
        step: float | None = None,
        columns: Mapping[str, str] | None = None,
        degrees: bool | None = None,
    ) -> None:
        given: dict[str, object] = {"t": t, "q": q, "tau": tau, "qd": qd, "current": current}
        given = {name: value for name, value in given.items() if value is not None}
        if source is not None and given:
            raise InputError(f"log: expected arrays or one source of columns, found both ({', '.join(given)})")
        if source is None and columns:
            raise InputError("log: columns: expected a mapping or a file as source, found arrays: leave columns out")
        for name, missing in ("q", "positions q"), ("tau", "torques tau or currents"):
            if source is None and name not in given and (name == "q" or "current" not in given):
                raise InputError(f"log: expected {missing}, found {', '.join(given) or 'no arrays'}")
        read = MotionColumns(given if source is None else source, columns)
        self.file = read.file
        self.remarks = read.remarks  #: how the columns were converted
        self.first_time = read.first_time  #: time stamp of t = 0
        self.joint_names = read.joint_names  #: joint names in the columns, if any
        groups = read.groups
        if step is not None and not 0 < step < np.inf:
            raise InputError(f"step: expected a positive number of seconds, found {step!r}")
        if step is not None and step >= _SLOW:
            raise InputError(f"step: expected the time between samples in seconds, found {step:g}")
        if "t" not in groups and step is None:
            raise self._wrong("expected times t, or the step between samples, found neither", ("pass ", Pass("step")))
        if len({*groups}.intersection(EFFORTS)) > 1:
            raise self._wrong("expected torques (tau) or currents, found both: remove one of them")
        self.effort_name = "current" if "current" in groups else "tau"
        self.q: Array = groups["q"]
        self.t: Array = (
            groups["t"] if "t" in groups else np.asarray((step or 0.0) * np.arange(len(self.q)), dtype=float)
        )
        self.effort: Array = groups[self.effort_name]
        self.qd: Array | None = groups.get("qd")
        self.degrees = degrees
        self._check()
        if degrees:
            self.q = np.deg2rad(self.q)
            self.qd = None if self.qd is None else np.deg2rad(self.qd)

    @property
    def joints(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        origin = f" of {self.file}" if self.file else ""
        size = f"{counted(len(self), 'sample')} of {counted(self.joints, 'joint')}"
        return f"<Log{origin}: {size}, {self.t[-1] - self.t[0]:.6g} s>"

    def in_order(self, names: Sequence[str]) -> Log:
        """Return the log with its joints in the order of `names`.

        Parameters
        ----------
        names : sequence of str
            Joint names, such as `robot.joint_names`.

        Returns
        -------
        Log
            The sorted log; the same log if its columns name none of these joints.

        Raises
        ------
        InputError
            If only some of the joints of the log are among `names`.
        """
        found = order_of_joints(self.joint_names, names)
        if found is None:
            return self
        if isinstance(found, str):
            raise self._wrong(found)
        log = copy(self)
        log.q, log.effort = self.q[:, found], self.effort[:, found]
        log.qd = None if self.qd is None else self.qd[:, found]
        assert self.joint_names is not None
        log.joint_names = tuple(self.joint_names[at] for at in found)
        others = (remark for remark in self.remarks if not remark.startswith(COLUMN_ORDER))
        log.remarks = (*others, f"joints in the order of the robot: {', '.join(log.joint_names)}")
        return log

    # ---------------------------------------------------------------- checks

    def _wrong(self, message: str, hint: Hint = ()) -> InputError:
        return InputError(f"log{f' {self.file}' if self.file else ''}: {message}", hint=hint)

    def _check(self) -> None:
        tables = {"q": self.q, "qd": self.qd, self.effort_name: self.effort}
        for name, table in tables.items():
            if table is None:
                continue
            if len(table) != len(self.t):
                transposed = table.shape[1] == len(self.t)
                hint = ": transpose it to one row per sample" if transposed else ""
                raise self._wrong(f"{name}: expected {len(self.t)} samples, as in t, found {len(table)}{hint}")
            if table.shape[1] != self.joints:
                raise self._wrong(f"{name}: expected {self.joints} joints, as in q, found {table.shape[1]}")
        if len(self.t) < 20:
            raise self._wrong(f"expected a motion of at least 20 samples, found {len(self.t)}")
        for name, table in {"t": self.t[:, None], **tables}.items():
            if table is not None and not np.isfinite(table).all():
                sample, joint = np.argwhere(~np.isfinite(table))[0]
                count = int((~np.isfinite(table)).any(axis=1).sum())
                column = name if name == "t" else f"{name}{joint + 1}"
                raise self._wrong(
                    f"{column}: sample {sample}: expected a finite number, found {table[sample, joint]} "
                    f"({count} such samples: remove them; gaps in time are allowed)"
                )
        backwards = np.flatnonzero(np.diff(self.t) < 0)
        if backwards.size:
            n = int(backwards[0])
            raise self._wrong(
                f"t: sample {n + 1}: expected increasing times, found {self.t[n + 1]:.9g} after {self.t[n]:.9g}"
            )
        if self.t[-1] <= self.t[0]:
            raise self._wrong("t: expected increasing times, found the same time in all samples")
        step = float(np.median(np.diff(self.t)))
        if step >= _SLOW:
            raise self._wrong(
                f"t: expected seconds, found steps of {step:g}, which look like milliseconds or microseconds",
                ("write the unit into the column name, t [ms], or pass ", Pass("columns", {"t[ms]": None})),
            )


def order_of_joints(found: Sequence[str] | None, names: Sequence[str]) -> list[int] | str | None:
    """Return the indices of the joints `found` in the order of `names`, None if none matches, or an error message."""
    places = {name: at for at, name in enumerate(found or ())}
    known = [name for name in names if name in places]
    if not known:
        return None
    if unknown := [name for name in places if name not in known]:
        return f"expected columns of the joints {', '.join(names)}, found unknown joints {', '.join(unknown)}"
    return [places[name] for name in known]


# ------------------------------------------------------------------------------------------------ columns of a file


@dataclass(frozen=True)
class ColumnFamily:
    """Columns that belong together: q1 .. q6, one array of six columns, or a single column."""

    label: str
    names: list[str]
    joints: int
    group: str  #: quantity that their names suggest, or ""


@dataclass(frozen=True)
class LogColumns:
    """The contents of a log."""

    file: str
    samples: int
    columns: int
    families: list[ColumnFamily]
    remarks: list[str] = field(default_factory=list)

    def guessed(self, group: str) -> str:
        """Return the label of the columns whose names suggest this quantity."""
        return next((one.label for one in self.families if one.group == group), "")


def log_columns(path: str | Path) -> LogColumns:
    """Return the columns of a log, grouped into families."""
    columns = read_columns(Path(path))
    sizes = {name: np.shape(value) for name, value in columns.items()}
    samples = max((shape[0] for shape in sizes.values() if shape), default=0)
    families: dict[str, list[tuple[int, str]]] = {}
    found: list[ColumnFamily] = []
    for name, shape in sizes.items():
        if len(shape) == 2:
            found.append(ColumnFamily(f"{name} ({shape[1]})", [name], shape[1], column_group(name)[0]))
            continue
        if len(shape) != 1 or shape[0] != samples:
            continue
        match = re.fullmatch(r"(.*?)(\d+)(\D*)", name)
        if match:
            families.setdefault(f"{match[1]}#{match[3]}", []).append((int(match[2]), name))
        else:
            found.append(ColumnFamily(name, [name], 1, column_group(name)[0]))
    for members in families.values():
        names = [name for _, name in sorted(members)]
        label = names[0] if len(names) == 1 else f"{names[0]} \u2026 {names[-1]}"
        found.append(ColumnFamily(label, names, len(names), column_group(names[0])[0]))
    steps = [
        f"{n}: {float(np.ravel(columns[n])[0]):g}" for n, s in sizes.items() if int(np.prod(s)) == 1 and "time" in n
    ]
    width = sum(1 if len(shape) < 2 else shape[1] for shape in sizes.values() if shape)
    return LogColumns(Path(path).name, samples, width, found, steps)


def chosen_columns(log: LogColumns, chosen: Mapping[str, str]) -> list[str]:
    """Return the value of `--columns` that selects these families; empty if their names already imply it."""
    by_label = {one.label: one for one in log.families}
    words: list[str] = []
    for group, label in chosen.items():
        family = by_label.get(label)
        if family is None or label == log.guessed(group):
            continue
        if len(family.names) == 1:
            words.append(f"{group}{'' if family.joints > 1 or group == 't' else '1'}={family.names[0]}")
        else:
            words += [f"{group}{number}={name}" for number, name in enumerate(family.names, 1)]
    return words


def families_chosen(log: LogColumns, words: Sequence[str], groups: Sequence[str]) -> dict[str, str]:
    """Return the families that a value of `--columns` selects, by quantity."""
    found: dict[str, str] = {}
    for group in groups:
        for family in log.families:
            own = chosen_columns(log, {group: family.label})
            if own and set(own) <= set(words):
                found[group] = family.label
    return found
