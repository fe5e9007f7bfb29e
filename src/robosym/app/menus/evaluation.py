"""Numbers in and out: a model evaluated at values, the joints of a pose; as a table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from robosym.app.menus.typed_poses import number_from, poses_from
from robosym.errors import InputError, closest
from robosym.solve.pose import JointsLeftFree
from robosym.table_files import TableKind, read_table

__all__ = ["Numbers", "evaluate", "solve"]


@dataclass(frozen=True)
class Numbers:
    """Rows of numbers under names."""

    names: tuple[str, ...]
    rows: Any  #: (m, names)
    remarks: tuple[str, ...] = ()

    def text(self, form: str = "") -> str:
        """For people, or as "csv" or "json"."""
        if form == "csv":
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(self.names)
            writer.writerows([repr(float(value)) for value in row] for row in self.rows)
            return stream.getvalue()
        if form == "json":
            table = {name: [float(row[place]) for row in self.rows] for place, name in enumerate(self.names)}
            return json.dumps(table) + "\n"
        cells = [list(self.names), *([f"{value:.6g}" for value in row] for row in self.rows)]
        if len(cells) == 2 and len(self.names) > 8:  # one state of many outputs: a line each
            cells = [list(pair) for pair in zip(*cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, *self.remarks]) + "\n"


def evaluate(model: Any, words: Sequence[str]) -> Numbers:
    """The outputs of a model at values: `q=0.1,0.2,..` of a group, `D3=0.45` of one input, or a CSV file of states."""
    table: dict[str, Any] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not equals and Path(word).suffix.lower() == ".csv":
            table |= _columns(Path(word))
        elif not equals or not name:
            raise InputError(f"--at: expected q=0.1,0.2,.. or D3=0.45 or a .csv file, found {word!r}")
        elif name in model.inputs:
            values = _numbers(text, f"--at {name}")
            if len(values) != len(model.inputs[name]):
                wanted = " ".join(model.inputs[name])
                raise InputError(
                    f"--at {name}: expected {len(model.inputs[name])} numbers ({wanted}), found {len(values)}"
                )
            table |= dict(zip(model.inputs[name], values, strict=True))
        else:
            table[name] = _numbers(text, f"--at {name}")[0]
    inputs = {name: group for group, names in model.inputs.items() for name in names}
    for name in table:
        if name not in inputs:
            raise InputError(
                f"--at: {name} is no input of this model{closest(name, inputs)}: it has {' '.join(inputs)}"
            )
    missing = [name for name in inputs if name not in table]
    if missing:
        groups = ", ".join(dict.fromkeys(inputs[name] for name in missing))
        raise InputError(
            f"--at: no value for {' '.join(missing[:12])}{' ..' if len(missing) > 12 else ''} (of {groups})"
        )
    count = max((np.size(value) for value in table.values()), default=1)
    given = {
        group: np.stack([np.broadcast_to(np.ravel(table[name]), (count,)) for name in names], axis=-1)
        for group, names in model.inputs.items()
    }
    found = model.compile()(**given)
    parts = list(found) if isinstance(found, tuple) else [found]
    rows = np.hstack([np.reshape(part, (count, -1)) for part in parts])
    return Numbers(model.output_names, rows)


def solve(
    robot: rs.Robot,
    pose: Sequence[str] = (),
    method: str = "auto",
    given: str | None = None,
    frame: int | str | None = None,
    reference: int | str = 0,
    tool: Any = None,
    fixed: Any = (),
    near: str | None = None,
    limits: bool = False,
    values: Mapping[str, float] | None = None,
    modes: str = "reference",
) -> Numbers:
    """All joint positions of poses: a row a solution, with the number of its pose, and its mode if all are given."""
    poses = _poses(pose)
    if robot.modules:  # one solution, in the modes of the legs
        if modes != "reference":
            raise InputError(
                f"--modes: {robot.name} has a platform, its motors follow from the branch of each leg: use "
                "`robosym motors --pose .. --modes 0,1,0,..`"
            )
        legs = rs.inverse_geometry(robot)
        motors = np.atleast_2d(legs.solve(_platform_poses(robot, poses), values))
        return Numbers(("pose", *legs.outputs["q"]), np.column_stack([np.arange(1, len(poses) + 1), motors]))
    place = np.isnan(poses).any(axis=(1, 2))  # a position alone
    wanted = given if given is not None else "P" if place.all() else "snaP"
    if place.any() and wanted != "P":
        raise InputError(
            f"--pose: pose {int(np.flatnonzero(place)[0]) + 1} is a position, but {wanted} of the pose is given: "
            "expected an orientation as well, such as x,y,z,roll,pitch,yaw, or --given P"
        )
    try:
        model = rs.inverse_geometry(robot, method, wanted, frame=frame, reference=reference, tool=tool, fixed=fixed)
    except JointsLeftFree as error:
        if given is None and place.any():
            raise InputError(f"--pose: x,y,z is a position without an orientation: {error}") from None
        raise
    start = None if near is None else _numbers(near, "--near")
    poses[place, :3, :3] = np.eye(3)  # not taken
    found = model.solve(poses, values, near=start, limits=limits or None, modes=modes)
    named = any(any(solutions.modes) or (modes == "all" and solutions.modes) for solutions in found)
    table = [
        [number, *([solutions.modes[place]] if named else []), *row]
        for number, solutions in enumerate(found, 1)
        for place, row in enumerate(np.asarray(solutions))
    ]
    remarks = [f"pose {n}: no solution" for n, solutions in enumerate(found, 1) if not len(solutions)]
    for n, solutions in enumerate(found, 1):
        free = sorted({name for names in solutions.free for name in names})
        remarks += [f"pose {n} is singular: {', '.join(free)} free, put to 0"] if free else []
        if solutions.complete is False:
            remarks.append(f"pose {n} is nearly singular: solutions may be missing")
    if given is None and place.any():
        remarks.append("positions alone are solved, --given P; x,y,z,roll,pitch,yaw gives an orientation as well")
    names = ("pose", *(["mode"] if named else []), *model.joints)
    return Numbers(names, np.array(table).reshape(-1, len(names)), tuple(remarks))


def _platform_poses(robot: rs.Robot, poses: Any) -> Any:
    """Poses of a platform; the orientation of a position is that which the legs allow there."""
    if np.isfinite(poses).all():
        return poses
    from robosym.app.menus.platforms import platform_rows

    rows = [[*T[:3, :3].ravel(), *T[:3, 3]] if np.isfinite(T).all() else list(T[:3, 3]) for T in poses]
    return platform_rows(robot, rows, "--pose")


def _poses(words: Sequence[str]) -> Any:
    if not words:
        raise InputError("solve: expected --pose, a pose or a file of poses")
    return poses_from(words)


def _numbers(text: str, where: str) -> list[float]:
    try:
        words = text.strip("[]").replace(";", ",").split(",")
        return [number_from(word) if "deg" in word else float(word) for word in words]
    except (ValueError, rs.Error):
        raise InputError(f"{where}: expected numbers, found {text!r}") from None


def _columns(path: Path) -> dict[str, Any]:
    """Columns of states by the names of inputs."""
    columns = read_table(path, TableKind("expected a line of names and lines of numbers"))
    for name, values in columns.items():
        if values.dtype.kind != "f" or not values.size or np.isnan(values).any():
            raise InputError(f"{path}: column {name}: expected a number in each line")
    return columns
