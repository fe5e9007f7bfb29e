"""What was recorded of a robot in motion: times, positions and torques, from arrays, columns or a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra.arrays import Array
from robosym.errors import Hint, InputError, Pass
from robosym.simulation.motion_columns import COLUMN_ORDER, EFFORTS, MotionColumns

__all__ = ["Log", "order_of_joints"]


_SLOW = 0.5  #: s between samples; no controller records a motion so slowly


class Log:
    """Times t in seconds, joint positions q in radians or metres, torques tau; one row a sample, one column a joint.

    `Log(t=t, q=q, tau=tau)` takes arrays; `Log(columns)` a mapping of such arrays or of columns t, q1, q2, .. in any
    order; `Log("motion.csv")` a file (.csv, .npz, .parquet). Velocities `qd` are optional; `current` stands for `tau`
    where a `Drive` with a gain follows. `columns` tells what else columns are called ({"q1": "axis one"}), `step` is
    the time between samples where no times were recorded. `degrees=True` converts angles of a log in degrees;
    `degrees=False` says that large angles are meant. A unit in the name of a column, "time [ms]" or "q1_deg", is
    converted, also through `columns`, which may give one: {"t[ms]": "Zeit"}. Samples of a file with an empty cell and
    text above the names of the columns are left out, decimal commas are read, and time stamps (ISO 8601) become seconds
    after the first; `remarks` say so. Columns such as "position.elbow" name the joints (`joint_names`).
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
            raise InputError("log: columns tells the names of a mapping or a file: there is none")
        for name, missing in ("q", "positions: expected q"), ("tau", "torques: expected tau, or current"):
            if source is None and name not in given and (name == "q" or "current" not in given):
                raise InputError(f"log: no {missing}")
        read = MotionColumns(given if source is None else source, columns)
        self.file = read.file
        self.remarks = read.remarks  #: what was done to its columns
        self.first_time = read.first_time  #: the time stamp from which t counts
        self.joint_names = read.joint_names  #: of its columns, where they name joints
        groups = read.groups
        if "t" not in groups and step is None:
            raise self._wrong("no times: expected t, or the step between samples", ("pass ", Pass("step")))
        if len({*groups}.intersection(EFFORTS)) > 1:
            raise self._wrong("expected torques (tau) or currents, found both: leave one out")
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
        return int(self.q.shape[1])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        origin = f" of {self.file}" if self.file else ""
        return f"<Log{origin}: {len(self)} samples of {self.joints} joints, {self.t[-1] - self.t[0]:.6g} s>"

    def in_order(self, names: Sequence[str]) -> Log:
        """Return the log with its joints in the order of `names`, such as `robot.joint_names`.

        A log whose columns name no joint, or none of these, is returned as it is.

        Raises
        ------
        InputError
            Where only some of the joints of the log are among `names`.
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
                hint = ": give it transposed, a row a sample" if transposed else ""
                raise self._wrong(f"{name}: expected {len(self.t)} samples, as t has, found {len(table)}{hint}")
            if table.shape[1] != self.joints:
                raise self._wrong(f"{name}: expected {self.joints} joints, as q has, found {table.shape[1]}")
        if len(self.t) < 20:
            raise self._wrong(f"expected a motion of at least 20 samples, found {len(self.t)}")
        for name, table in {"t": self.t[:, None], **tables}.items():
            if table is not None and not np.isfinite(table).all():
                sample, joint = np.argwhere(~np.isfinite(table))[0]
                count = int((~np.isfinite(table)).any(axis=1).sum())
                column = name if name == "t" else f"{name}{joint + 1}"
                raise self._wrong(
                    f"{column}: sample {sample}: expected a finite number, found {table[sample, joint]} "
                    f"({count} such samples; leave them out, a gap in time is understood)"
                )
        backwards = np.flatnonzero(np.diff(self.t) < 0)
        if backwards.size:
            n = int(backwards[0])
            raise self._wrong(
                f"t: sample {n + 1}: expected times that grow, found {self.t[n + 1]:.9g} after {self.t[n]:.9g}"
            )
        if self.t[-1] <= self.t[0]:
            raise self._wrong("t: expected times that grow, found one instant")
        step = float(np.median(np.diff(self.t)))
        if step >= _SLOW:
            raise self._wrong(
                f"t: expected seconds, found steps of {step:g}, which look like milliseconds or microseconds",
                ("give the unit of its column in brackets, t [ms], or with ", Pass("columns", {"t[ms]": None})),
            )


def order_of_joints(found: Sequence[str] | None, names: Sequence[str]) -> list[int] | str | None:
    """Return the places of the joints `found` in the order of `names`, None where none is known, or what is wrong."""
    places = {name: at for at, name in enumerate(found or ())}
    known = [name for name in names if name in places]
    if not known:
        return None
    if unknown := [name for name in places if name not in known]:
        return f"expected columns of the joints {', '.join(names)}, found {', '.join(unknown)} among them"
    return [places[name] for name in known]
