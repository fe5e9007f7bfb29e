"""Numbers of parallel robots for a line that is typed: poses, motors, singular poses, reach, tensions, as texts.

Everything here is a call of a public function whose arrays are written as words; imports wait until they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robosym.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from robosym.mechanism import Robot

    Array = np.ndarray[Any, np.dtype[Any]]

__all__ = ["dexterity_grid", "motors", "platform_rows", "poses", "singular_path", "tensions"]

_SAME = 1e-9  #: entries of a rotation that differ by less are the same
_HEAD = ("R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33", "PX", "PY", "PZ")
_POSE, _PLACE, _TURNED = 12, 3, 6  #: numbers of a pose, of a position, of a position with roll, pitch and yaw


@dataclass(frozen=True)
class ShownRows:
    """Numbers as a text for people, and as rows under names for a .csv file."""

    shown: str
    head: Sequence[str]
    rows: Any  #: (n, names)

    def __str__(self) -> str:
        return self.shown

    def csv(self) -> str:
        """A line of names, then one line per row."""
        lines = [",".join(self.head), *(",".join(f"{float(x):.12g}" for x in row) for row in self.rows)]
        return "\n".join(lines)

    def write(self, path: str | Path) -> Path:
        """Write the rows as CSV."""
        from robosym.files import write_text

        if Path(path).suffix.lower() != ".csv":
            raise InputError(f"{path}: expected a .csv file")
        write_text(path, self.csv() + "\n")
        return Path(path)


def _numbers(name: str, text: Any, counts: tuple[int, ...] = ()) -> list[float]:
    """Numbers between commas."""
    words = [word for word in str(text).replace(";", ",").split(",") if word.strip()]
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise InputError(f"--{name}: expected numbers between commas, found {str(text)[:80]!r}") from None
    if counts and len(found) not in counts:
        wanted = " or ".join(map(str, counts))
        raise InputError(f"--{name}: expected {wanted} numbers, found {len(found)}")
    return found


def _modes(text: Any) -> list[int] | None:
    return None if text is None else [int(x) for x in _numbers("modes", text)]


def _need(name: str, value: Any) -> Any:
    if value is None:
        raise InputError(f"--{name} is missing")
    return value


def platform_rows(
    robot: Robot, rows: list[list[float]], name: str, modes: list[int] | None = None, path: bool = False
) -> Array:
    """Poses (n, 12) from rows of 12 numbers, of x, y, z, or of x, y, z, roll, pitch, yaw (from the reference).

    What depends on the position is computed. On a `path` a pose that the legs do not allow stays as it is given.
    """
    import numpy as np

    from robosym.coordinates.platform_poses import poses_given
    from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates, start_pose

    for row in rows:
        if len(row) not in (_POSE, _PLACE, _TURNED):
            raise InputError(f"{name}: expected 12, 3 or 6 numbers per pose, found {len(row)}")
    coordinates = PoseCoordinates(robot, modes)
    start = start_pose(robot, None, coordinates.reference)
    found = np.zeros((len(rows), _POSE))
    for count in (_POSE, _PLACE, _TURNED):
        which = [k for k, row in enumerate(rows) if len(row) == count]
        table = np.array([rows[k] for k in which], dtype=float).reshape(-1, count)
        if count == _POSE or not which:
            found[which] = poses_given(table) if which else 0.0
            continue
        given = dict(zip(COORDINATES[:count], table.T, strict=True))
        found[which] = coordinates.poses(given, start)
        if path:
            strict = coordinates.strict(given, start)
            found[which] = np.where(np.isfinite(found[which]), found[which], strict)
    lost = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(lost):
        numbers = ", ".join(f"{x:g}" for x in rows[int(lost[0])])
        raise InputError(
            f"{name}: a leg of {robot.name} does not reach {numbers} in its branch, or the legs allow no pose with all "
            "of these coordinates; x,y,z alone has the orientation computed"
        )
    return found


def _parallel(robot: Robot) -> None:
    if robot.structure != "parallel":
        raise InputError(
            f"{robot.name} has no platform: expected a parallel robot; `robosym study` covers the positions of an arm"
        )


def _row_text(row: Any) -> str:
    return ", ".join(f"{float(x):.12g}" for x in row)


def poses(robot: Robot, motors: str | None = None, near: str | None = None) -> ShownRows:
    """All poses of the platform at motors, or the one near a given pose."""
    import robosym as rs

    _parallel(robot)
    q = _numbers("motors", _need("motors", motors), (len(robot.motors),))
    geometry = rs.direct_geometry(robot)
    if near is not None:
        (start,) = platform_rows(robot, [_numbers("near", near)], "--near")
        row = geometry.near(q, start)
        return ShownRows(_row_text(row), _HEAD, [row])
    found = geometry.solve(q)
    lines = [f"# {found.report()}", f"# {' '.join(_HEAD)}"]
    return ShownRows("\n".join([*lines, *map(_row_text, found)]), _HEAD, found)


def motors(robot: Robot, pose: str | None = None, passive: bool = False, modes: str | None = None) -> ShownRows:
    """The motors at a pose, with the other joints where these are asked for."""
    import robosym as rs

    _parallel(robot)
    numbers = _numbers("pose", _need("pose", pose))
    (row,) = platform_rows(robot, [numbers], "--pose", _modes(modes))
    geometry = rs.inverse_geometry(robot, modes=_modes(modes))
    found = geometry.solve(row, passive=passive)
    names = [robot.variable(j) for j in robot.tree_joints] if passive else robot.motor_names
    lines = [f"# pose: {_row_text(row.round(12) + 0.0)}"] if _computed(robot, numbers, row) else []
    lines += [f"{name} = {float(value):.12g}" for name, value in zip(names, found, strict=True)]
    return ShownRows("\n".join(lines + _beyond_limits(robot, geometry, row)), names, [found])


def _computed(robot: Robot, numbers: list[float], row: Array) -> bool:
    """Whether the orientation of a pose follows from the position and is not that of the reference."""
    reference = robot.reference
    return len(numbers) == _PLACE and reference is not None and bool(abs(row - reference.pose)[:9].max() > _SAME)


def _beyond_limits(robot: Robot, geometry: Any, row: Array) -> list[str]:
    """A remark for each joint that is beyond its limits in a pose."""
    from robosym.coordinates.leg_ends import LegEnds

    joints, ends = geometry.solve(row, passive=True), LegEnds(robot)
    remarks = []
    for j, value in zip(robot.tree_joints, joints, strict=True):
        limits = robot.joint(j).limits
        if not ends.joint_within_limits(j, joints[None, robot.tree_joints.index(j)])[0]:
            bounds = f"[{limits.lower}, {limits.upper}]"
            remarks.append(f"# beyond its limits {bounds}: {robot.variable(j)} = {float(value):.6g}")
    return remarks


def singular_path(robot: Robot, path: str | Path, modes: str | None = None, length: str | None = None) -> str:
    """Singular poses along a path that a file gives, a pose a line."""
    import robosym as rs
    from robosym.files import read_text

    _parallel(robot)
    lines = [line.split("#")[0] for line in read_text(Path(path)).splitlines()]
    rows = [_numbers("path", line.replace(" ", ",")) for line in lines if line.strip()]
    if not rows:
        raise InputError(f"{path}: expected a pose a line, found none")
    poses = platform_rows(robot, rows, str(path), _modes(modes), path=True)
    return rs.singularities(robot, poses, modes=_modes(modes), length=_length(length)).report()


def _length(text: str | None) -> float | None:
    return None if text is None else _numbers("length", text)[0]


def dexterity_grid(
    robot: Robot, x: str | None = None, y: str | None = None, z: str | None = None, roll: str | None = None,
    pitch: str | None = None, yaw: str | None = None, modes: str | None = None, table: bool = False,
    length: str | None = None, limits: bool | None = None,
) -> ShownRows:  # fmt: skip
    """What is reached on a grid and how well; an axis is FROM:TO:COUNT, or numbers between commas."""
    import numpy as np

    import robosym as rs

    _parallel(robot)
    given = {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw}
    axes: dict[str, Any] = {name: _axis(name, text) for name, text in given.items() if text is not None}
    reach = rs.workspace(robot, **axes, modes=_modes(modes), length=_length(length), limits=limits is not False)
    places = [part.ravel() for part in np.meshgrid(*reach.axes.values(), indexing="ij")]
    rows = np.stack([*places, reach.reached.ravel(), reach.dexterity.ravel()], axis=1)
    found = ShownRows(reach.report(), (*reach.axes, "reached", "dexterity"), rows)
    return replace(found, shown=found.csv()) if table else found


def _axis(name: str, text: str) -> list[float]:
    import numpy as np

    if ":" not in text:
        return _numbers(name, text)
    words = text.split(":")
    try:
        low, high, count = float(words[0]), float(words[1]), int(words[2])
    except (ValueError, IndexError):
        raise InputError(f"--{name}: expected FROM:TO:COUNT, found {text!r}") from None
    if len(words) != 3 or count < 1:
        raise InputError(f"--{name}: expected FROM:TO:COUNT, found {text!r}")
    return [float(value) for value in np.linspace(low, high, count)]


def tensions(robot: Robot, pose: str | None = None, lower: str = "0", upper: str | None = None) -> ShownRows:
    """Pulls of the cables that hold the platform at rest in a pose."""
    import numpy as np

    import robosym as rs

    _parallel(robot)
    (row,) = platform_rows(robot, [_numbers("pose", _need("pose", pose))], "--pose")
    cables = len(robot.legs)
    low, high = (
        np.broadcast_to(np.array(_numbers(name, text, (1, cables)) if text is not None else [np.inf]), (cables,))
        for name, text in (("lower", lower), ("upper", upper))
    )
    found = rs.cable_tensions(robot, low, high).solve(row)
    if not found.feasible:
        raise InputError(f"{robot.name}: no pulls between these bounds hold the platform in this pose")
    pulls = zip(robot.motor_names, found.tensions, strict=True)
    return ShownRows("\n".join(f"{name} = {pull:.9g}" for name, pull in pulls), robot.motor_names, [found.tensions])
