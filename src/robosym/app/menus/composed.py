"""Commands that are more than one call of a public function: the calls that they stand for.

Arguments are values of options as `option_values.interpreted` gives them; the robot is a call. A result that people
want to see in another form is presented in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from robosym.algebra.arrays import Array
from robosym.app.menus.calls import Call, Presented, without_defaults
from robosym.app.menus.evaluation import Numbers
from robosym.app.menus.option_values import motors as typed_motors
from robosym.app.menus.option_values import quantities
from robosym.app.menus.pose_texts import poses_from
from robosym.coordinates.platform_poses import LegEnds, poses_given
from robosym.errors import InputError
from robosym.experiment.identify import check_words
from robosym.files import read_text, write_text
from robosym.mechanism import Robot
from robosym.solve.pose import JointsLeftFree
from robosym.solve.pose_coordinates import COORDINATES, PoseCoordinates, start_pose

__all__ = [
    "achievable_accelerations", "cable_tensions", "identify", "identify_drives", "identify_payload", "motors", "poses",
    "precision", "singularities", "solve", "transform", "workspace",
]  # fmt: skip

_AGAIN = ("ols", "tls")  #: methods that fit a load, too, beside weighted least squares


def transform(robot: Call, i: int | str, j: int | str, also: Sequence[tuple[int | str, int | str]] = ()) -> Call:
    """One pair of frames, or several."""
    return Call("transform", robot, (i, j), *also) if also else Call("transform", robot, i, j)


def achievable_accelerations(robot: Call, motor: Sequence[str] = (), **options: Any) -> Call:
    """Motors of all joints; the torque of one that is not given is the symbol TMAXj."""
    given = typed_motors(motor, "--motor", robot)
    limits = {j: Call("Actuator", **{"torque": f"TMAX{j}", **given.get(j, {})}) for j in robot.value.tree_joints}
    return Call("achievable_accelerations", robot, limits, **without_defaults(rs.achievable_accelerations, options))


def precision(
    robot: Call, model: str = "inverse_dynamics", ranges: Mapping[str, tuple[float, ...]] | None = None, **options: Any
) -> Call:
    """Rounding errors of a model of the robot."""
    more = without_defaults(rs.Model.precision, options)
    return Call(model, robot).then("precision", *([ranges] if ranges else []), **more)


# --------------------------------------------------------------------------------------------- identification


def _motions(
    robot: Call, paths: Sequence[str | Path], ratio: Sequence[float] | None = None,
    gain: Sequence[float] | None = None, columns: Mapping[str, str] | None = None, degrees: bool | None = None,
    step: float | None = None, **filters: Any,
) -> list[Call]:  # fmt: skip
    """Logs that are read and prepared, all in the same way."""
    reading = {"columns": columns, "degrees": degrees, "step": step}
    if ratio is not None or gain is not None:
        by_gain = {} if gain is None else {"gain": gain}
        filters["drive"] = Call("Drive", ratio=_ratios(ratio or [1.0], robot.value), **by_gain)
    given = {name: value for name, value in reading.items() if value is not None}
    logs = [Call("Log", str(path), **given).then("in_order", robot.part("joint_names")) for path in paths]
    return [Call("prepare", log, **without_defaults(rs.prepare, filters)) for log in logs]


def _ratios(typed: Sequence[float], robot: Robot) -> Sequence[Any]:
    """A number for all joints or for each, or the matrix of a coupled wrist, row by row."""
    n = len(robot.joint_names)
    return [typed[n * row : n * row + n] for row in range(n)] if n > 1 and len(typed) == n * n else typed


def _fit(options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that say how parameters are fitted, taken out of them."""
    own: dict[str, Any] = {name: options.pop(name) for name in ("method", "model", "friction") if name in options}
    check_words(own.get("method", "wls"), own.get("model", "dynamic"))
    return own


def identify(robot: Call, log: Path, also: Sequence[str] = (), judge: Sequence[str] = (), **options: Any) -> Call:
    """The estimate; logs to `judge` it by are not fitted, their errors are remarks."""
    own = _fit(options)
    found = Call("identify", robot, _motions(robot, [log, *also], **options), **without_defaults(rs.identify, own))
    if not judge:
        return found
    return Presented(found, lambda call: call.value.remarked(
        f"{path}: {call.value.error(motion.value)}"
        for path, motion in zip(judge, _motions(robot, judge, **options), strict=True)
    ))  # fmt: skip


def identify_payload(
    robot: Call, log: Path, loaded: Path, also: Sequence[str] = (), also_loaded: Sequence[str] = (), **options: Any
) -> Call:
    """The load, from logs without it and logs with it, read in the same way."""
    method = options.get("method", "wls")
    found = identify(robot, log, also, **options)
    _fit(options)
    motions = _motions(robot, [loaded, *also_loaded], **options)
    return Call("identify_payload", found, motions, **({"method": method} if method in _AGAIN else {}))


def identify_drives(
    robot: Call, free: Path, loaded: Path, mass: float | None = None, friction: Call | None = None, **options: Any
) -> Call:
    """The gains of the drives, from a log without and a log with a load of known mass."""
    if mass is None:
        raise InputError("identify-drives: expected --mass, the kilograms of the load", code="E408")
    more = {} if friction is None else {"friction": friction}
    return Call("identify_drives", robot, *_motions(robot, [free, loaded], **options), mass, **more)


# ------------------------------------------------------------------------------------------------------ poses


def solve(
    robot: Call, pose: Sequence[str] = (), given: str | None = None, near: Sequence[float] | None = None,
    limits: bool = False, values: Mapping[str, float] | None = None, modes: str = "reference", **options: Any,
) -> Call:  # fmt: skip
    """All joint positions of poses: one row per solution, with the number of its pose and, of all modes, its mode."""
    if not pose:
        raise InputError("solve: expected --pose, a pose or a file of poses", code="E408")
    wanted = poses_from(pose)
    more = [values] if values else []
    if robot.value.modules:  # one solution, in the modes of the legs
        if modes != "reference":
            raise InputError(
                f"--modes: {robot.value.name} has a platform, its motors follow from the branch of each leg: use "
                "`robosym motors --pose .. --modes 0,1,0,..`"
            )
        rows = [[*T[:3, :3].ravel(), *T[:3, 3]] if np.isfinite(T).all() else [*T[:3, 3]] for T in wanted]
        legs = Call("inverse_geometry", robot)
        poses_of_platform = [_platform_pose(robot, row, "--pose") for row in rows]
        return Presented(legs.then("solve", poses_of_platform, *more), lambda call: _motors_of_poses(legs, call))
    place = np.isnan(wanted).any(axis=(1, 2))  # a position alone
    columns = given if given is not None else "P" if place.all() else "snaP"
    if place.any() and columns != "P":
        raise InputError(
            f"--pose: pose {int(np.flatnonzero(place)[0]) + 1} is a position, but {columns} of the pose is given: "
            "expected an orientation as well, such as x,y,z,roll,pitch,yaw, or --given P"
        )
    wanted[place, :3, :3] = np.eye(3)  # not taken
    own = without_defaults(rs.inverse_geometry, {**options, "given": columns})
    how = {"near": near, "limits": limits or None, "modes": None if modes == "reference" else modes}
    model = Call("inverse_geometry", robot, **own)
    found = model.then("solve", wanted, *more, **{name: value for name, value in how.items() if value is not None})
    alone = given is None and bool(place.any())
    return Presented(found, lambda call: _solutions(model, call, modes, alone))


def _motors_of_poses(legs: Call, call: Call) -> Numbers:
    found = np.atleast_2d(call.value)
    return Numbers(("pose", *legs.value.outputs["q"]), np.column_stack([np.arange(1, len(found) + 1), found]))


def _solutions(model: Call, call: Call, modes: str, alone: bool) -> Numbers:
    try:
        found = call.value
    except JointsLeftFree as error:
        if not alone:
            raise
        raise InputError(f"--pose: x,y,z is a position without an orientation: {error}") from None
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
    if alone:
        remarks.append("positions alone are solved, --given P; x,y,z,roll,pitch,yaw gives an orientation as well")
    names = ("pose", *(["mode"] if named else []), *model.value.joints)
    return Numbers(names, np.array(table).reshape(-1, len(names)), tuple(remarks))


# ------------------------------------------------------------------------------------------ robots with platforms

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
        if Path(path).suffix.lower() != ".csv":
            raise InputError(f"{path}: expected a .csv file")
        write_text(path, self.csv() + "\n")
        return Path(path)


def _parallel(robot: Call) -> None:
    if robot.value.structure != "parallel":
        message = "has no platform: expected a parallel robot; `robosym study` covers the positions of an arm"
        raise InputError(f"{robot.value.name} {message}", code="E405")


def _needed(name: str, value: Any) -> Any:
    if value is None:
        raise InputError(f"--{name} is missing", code="E408")
    return value


def _platform_pose(robot: Call, numbers: Sequence[float], word: str, modes: Sequence[int] | None = None) -> Any:
    """A pose from 12 numbers, from x, y, z, or from x, y, z, roll, pitch, yaw (from the reference position)."""
    if len(numbers) == _POSE:
        return [float(x) for x in numbers]
    if len(numbers) not in (_PLACE, _TURNED):
        raise InputError(f"{word}: expected 12, 3 or 6 numbers per pose, found {len(numbers)}", code="E403")
    return Call("platform_pose", robot, *map(float, numbers), **({} if modes is None else {"modes": modes}))


def _row_text(row: Sequence[float] | Array) -> str:
    return ", ".join(f"{float(x):.12g}" for x in row)


def poses(robot: Call, motors: Sequence[float] | None = None, near: Sequence[float] | None = None) -> Call:
    """All poses of the platform at motors, or the one near a given pose."""
    _parallel(robot)
    q = _needed("motors", motors)
    if len(q) != len(robot.value.motors):
        raise InputError(f"--motors: expected {len(robot.value.motors)} numbers, found {len(q)}", code="E403")
    geometry = Call("direct_geometry", robot)
    if near is not None:
        found = geometry.then("near", q, _platform_pose(robot, near, "--near"))
        return Presented(found, lambda call: ShownRows(_row_text(call.value), _HEAD, [call.value]))
    return Presented(geometry.then("solve", q), lambda call: ShownRows("\n".join(
        [f"# {call.value.report()}", f"# {' '.join(_HEAD)}", *map(_row_text, call.value)]), _HEAD, call.value
    ))  # fmt: skip


def motors(
    robot: Call, pose: Sequence[float] | None = None, passive: bool = False, modes: Sequence[int] | None = None
) -> Call:
    """The motors at a pose, with the other joints where these are asked for."""
    _parallel(robot)
    numbers = _needed("pose", pose)
    row = _platform_pose(robot, numbers, "--pose", modes)
    geometry = Call("inverse_geometry", robot, **({} if modes is None else {"modes": modes}))
    found = geometry.then("solve", row, **({"passive": True} if passive else {}))
    return Presented(found, lambda call: _motors_shown(robot.value, geometry, row, call, passive))


def _motors_shown(robot: Robot, geometry: Call, row: Any, call: Call, passive: bool) -> ShownRows:
    found, pose = call.value, np.array(row.value if isinstance(row, Call) else row)
    names = [robot.variable(j) for j in robot.tree_joints] if passive else robot.motor_names
    computed = isinstance(row, Call) and len(row.arguments) == _PLACE + 1 and robot.reference is not None
    lines = []
    if computed and robot.reference is not None and bool(abs(pose - robot.reference.pose)[:9].max() > _SAME):
        lines.append(f"# pose: {_row_text(pose.round(12) + 0.0)}")
    lines += [f"{name} = {float(value):.12g}" for name, value in zip(names, found, strict=True)]
    return ShownRows("\n".join(lines + _beyond_limits(robot, geometry.value, pose)), names, [found])


def _beyond_limits(robot: Robot, geometry: Any, row: Array) -> list[str]:
    """A remark for each joint that is beyond its limits in a pose."""
    joints, ends = geometry.solve(row, passive=True), LegEnds(robot)
    remarks = []
    for j, value in zip(robot.tree_joints, joints, strict=True):
        limits = robot.joint(j).limits
        if not ends.joint_within_limits(j, joints[None, robot.tree_joints.index(j)])[0]:
            bounds = f"[{limits.lower}, {limits.upper}]"
            remarks.append(f"# beyond its limits {bounds}: {robot.variable(j)} = {float(value):.6g}")
    return remarks


def singularities(robot: Call, path: str | Path, **options: Any) -> Call:
    """Singular poses along a path that a file gives, a pose a line."""
    _parallel(robot)
    lines = [line.split("#")[0].strip() for line in read_text(Path(path)).splitlines()]
    rows = [quantities(",".join(line.replace(",", " ").split()), str(path)) for line in lines if line]
    if not rows:
        raise InputError(f"{path}: expected a pose a line, found none")
    given = _path_rows(robot.value, rows, str(path), options.get("modes"))
    return Presented(Call("singularities", robot, given, **options), lambda call: call.value.report())


def _path_rows(robot: Robot, rows: list[list[float]], where: str, modes: Sequence[int] | None) -> Array:
    """Poses (n, 12) of a path; a pose that the legs do not allow stays as it is given."""
    for row in rows:
        if len(row) not in (_POSE, _PLACE, _TURNED):
            raise InputError(f"{where}: expected 12, 3 or 6 numbers per pose, found {len(row)}", code="E403")
    coordinates = PoseCoordinates(robot, modes)
    start = start_pose(robot, None, coordinates.reference)
    found = np.zeros((len(rows), _POSE))
    for k, row in enumerate(rows):
        if len(row) == _POSE:
            found[k] = poses_given(np.array(row))
            continue
        given = {name: np.array([x]) for name, x in zip(COORDINATES, row, strict=False)}
        (pose,) = coordinates.poses(given, start)
        found[k] = pose if np.isfinite(pose).all() else coordinates.strict(given, start)[0]
    return found


def workspace(robot: Call, table: bool = False, limits: bool | None = None, **options: Any) -> Call:
    """What is reached on a grid and how well."""
    _parallel(robot)
    found = Call("workspace", robot, **options, **({"limits": False} if limits is False else {}))
    return Presented(found, lambda call: _reach_shown(call.value, table))


def _reach_shown(reach: Any, table: bool) -> ShownRows:
    places = [part.ravel() for part in np.meshgrid(*reach.axes.values(), indexing="ij")]
    rows = np.stack([*places, reach.reached.ravel(), reach.dexterity.ravel()], axis=1)
    found = ShownRows(reach.report(), (*reach.axes, "reached", "dexterity"), rows)
    return replace(found, shown=found.csv()) if table else found


def cable_tensions(
    robot: Call, pose: Sequence[float] | None = None, lower: Sequence[float] = (0.0,),
    upper: Sequence[float] | None = None,
) -> Call:  # fmt: skip
    """Pulls of the cables that hold the platform at rest in a pose."""
    _parallel(robot)
    row = _platform_pose(robot, _needed("pose", pose), "--pose")
    bounds = []
    for name, given in (("lower", lower), ("upper", upper)):
        if given is not None and len(given) not in (1, len(robot.value.legs)):
            message = f"--{name}: expected 1 or {len(robot.value.legs)} numbers, found {len(given)}"
            raise InputError(message, code="E403")
        bounds += [] if given is None else [given[0] if len(given) == 1 else list(given)]
    return Presented(Call("cable_tensions", robot, *bounds).then("solve", row), lambda call: _pulls(robot.value, call))


def _pulls(robot: Robot, call: Call) -> ShownRows:
    if not call.value.feasible:
        raise InputError(f"{robot.name}: no pulls between these bounds hold the platform in this pose")
    names, pulls = robot.motor_names, call.value.tensions
    lines = [f"{name} = {pull:.9g}" for name, pull in zip(names, pulls, strict=True)]
    return ShownRows("\n".join(lines), names, [pulls])
