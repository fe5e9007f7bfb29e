"""Commands that consist of several calls of public functions.

Arguments are values of options as `option_values.interpreted` returns them; the robot is a call. `Presented` shows a
result in another form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

import robosym as rs
from robosym.app.menus.calls import Call, Presented, named, without_defaults
from robosym.coordinates.pose_inputs import check_names
from robosym.errors import Error, InputError, Pass
from robosym.formats.pose_texts import poses_from
from robosym.mechanism import Robot
from robosym.runtime.evaluation import Numbers
from robosym.solve.pose import JointsLeftFree
from robosym.solve.pose_coordinates import coordinate_names
from robosym.solve.pose_tables import motor_table, motors_at_poses, pose_table, solution_table

__all__ = [
    "achievable_accelerations", "bounds", "cable_tensions", "fixed_point", "identify", "identify_drives",
    "identify_payload", "motors", "poses", "precision", "resources", "solve", "transform", "workspace",
]  # fmt: skip

_AGAIN = ("ols", "tls")  #: methods that also fit a payload, besides weighted least squares


def transform(robot: Call, i: int | str, j: int | str, also: Sequence[tuple[int | str, int | str]] = ()) -> Call:
    """Return the transforms of one or several pairs of frames.

    Parameters
    ----------
    i
        Frame in which the pose is expressed, by number or name; -1 is the world.
    j
        Frame whose pose is computed, by number or name.
    also
        Another pair of frames: 3,6 or base,tool0.
    """
    return Call("transform", robot, (i, j), *also) if also else Call("transform", robot, i, j)


def achievable_accelerations(robot: Call, limits: Mapping[int, Call] | None = None, **options: Any) -> Call:
    """Return the achievable accelerations; the torque of a motor that is not given is the symbol TMAXj."""
    motors = {j: Call("Actuator", torque=f"TMAX{j}") for j in robot.value.tree_joints} | dict(limits or {})
    return Call("achievable_accelerations", robot, motors, **options)


#: models of the command `precision`; in Python, `precision` is a method of every model
Checked = Literal[
    "inverse_dynamics", "direct_dynamics", "inertia_matrix", "bias_torques", "gravity_torques", "coriolis_matrix",
    "energy", "velocities", "accelerations",
]  # fmt: skip


def precision(robot: Call, model: Checked = "inverse_dynamics", **options: Any) -> Call:
    """Measure the rounding errors of a model of the robot.

    Parameters
    ----------
    model
        Model whose rounding errors are measured.
    """
    return Call(model, robot).then("precision", **without_defaults(rs.Model.precision, options))


def bounds(robot: Call, model: Checked = "inverse_dynamics", **options: Any) -> Call:
    """Compute guaranteed bounds of a model of the robot.

    Parameters
    ----------
    model
        Model whose outputs and rounding errors are bounded.
    """
    return Call(model, robot).then("bounds", **without_defaults(rs.Model.bounds, options))


def resources(robot: Call, model: Checked = "inverse_dynamics", **options: Any) -> Call:
    """Count the instructions of a model of the robot.

    Parameters
    ----------
    model
        Model whose machine code is counted.
    """
    return Call(model, robot).then("resources", **without_defaults(rs.Model.resources, options))


def fixed_point(robot: Call, model: Checked = "inverse_dynamics", **options: Any) -> Call:
    """Choose formats of fixed-point numbers for a model of the robot.

    Parameters
    ----------
    model
        Model that is computed with fixed-point numbers.
    """
    return Call(model, robot).then("fixed_point", **without_defaults(rs.Model.fixed_point, options))


# --------------------------------------------------------------------------------------------- identification


def _motions(
    robot: Call, paths: Mapping[str, Sequence[str | Path]], ratio: Sequence[float] | None = None,
    gain: Sequence[float] | None = None, columns: Mapping[str, str] | None = None, degrees: bool | None = None,
    step: float | None = None, **filters: Any,
) -> list[Call]:  # fmt: skip
    """Read and prepare logs, by the argument that names them, all with the same options."""
    if ratio is not None or gain is not None:
        filters["drive"] = Call("Drive", ratio=_ratios(ratio or [1.0], robot.value), gain=gain)
    how = {"columns": columns, "degrees": degrees, "step": step}
    logs = [Call("Log", str(path), **how).asked_by(name) for name, several in paths.items() for path in several]
    return [Call("prepare", log.then("in_order", robot.part("joint_names")), **filters) for log in logs]


def _ratios(typed: Sequence[float], robot: Robot) -> Sequence[Any]:
    """Return ratios: one number for all joints, one per joint, or the rows of a coupling matrix."""
    n = len(robot.joint_names)
    return [typed[n * row : n * row + n] for row in range(n)] if n > 1 and len(typed) == n * n else typed


def _fit(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of the fit from `options` and return them."""
    own: dict[str, Any] = {name: options.pop(name) for name in ("method", "model", "friction") if name in options}
    return own


def identify(robot: Call, log: Path, also: Sequence[str] = (), judge: Sequence[str] = (), **options: Any) -> Call:
    """Identify parameters; logs in `judge` are not fitted, and their prediction errors become remarks.

    Parameters
    ----------
    log
        Log of a motion: a .csv, .npz or .parquet file with columns t, q1, ..., tau1, ....
    also
        Another log that is fitted too.
    judge
        Log that is predicted and not fitted, to validate the result.
    """
    own = _fit(options)
    found = Call("identify", robot, _motions(robot, {"log": [log], "also": also}, **options), **own)
    if not judge:
        return found
    return Presented(found, lambda call: call.value.remarked(
        f"{path}: {call.value.error(motion.value)}"
        for path, motion in zip(judge, _motions(robot, {"judge": judge}, **options), strict=True)
    ))  # fmt: skip


def identify_payload(
    robot: Call, log: Path, loaded: Path, also: Sequence[str] = (), also_loaded: Sequence[str] = (), **options: Any
) -> Call:
    """Identify a payload from logs without it and logs with it, which are read with the same options.

    Parameters
    ----------
    log
        Log of a motion without the payload.
    loaded
        Log of a motion with the payload.
    also
        Another log without the payload.
    also_loaded
        Another log with the payload.
    """
    method = options.get("method", "wls")
    found = identify(robot, log, also, **options)
    _fit(options)
    motions = _motions(robot, {"loaded": [loaded], "also_loaded": also_loaded}, **options)
    return Call("identify_payload", found, motions, method=method if method in _AGAIN else None)


def identify_drives(robot: Call, free: Path, loaded: Path, mass: float, **options: Any) -> Call:
    """Identify the gains of the drives from a log without and a log with a load of known mass.

    Parameters
    ----------
    free
        Log of a motion without the load.
    loaded
        Log of a motion with the load.
    mass
        Mass of the load in kg.
    """
    own = _fit(options)
    motions = _motions(robot, {"free": [free], "loaded": [loaded]}, **options)
    return Call("identify_drives", robot, *motions, mass, **own)


# ------------------------------------------------------------------------------------------------------ poses


def solve(
    robot: Call, pose: Sequence[str], given: str | None = None, near: Sequence[float] | None = None,
    limits: bool = False, parameters: Mapping[str, float] | None = None, modes: str = "reference",
    redundancy: float | None = None, **options: Any,
) -> Call:  # fmt: skip
    """Solve for all joint positions of poses: one row per solution, with the number of its pose and its assembly mode.

    Parameters
    ----------
    pose
        Pose to reach: x,y,z; x,y,z,roll,pitch,yaw; position and quaternion w,x,y,z; 12 or 16 numbers of the matrix,
        row by row; or a .csv or .json file of poses.
    given
        Columns of the pose that are given, among s, n, a and P: aP, for example. Default: all, or P for positions.
    near
        Joint positions: the closest solution comes first.
    limits
        Return only solutions within the joint limits of the description.
    parameters
        Value of a symbol of the robot: D3=0.45.
    modes
        Assembly modes of a closed robot in which it is solved: reference, or all (the result names the mode, 0 is the
        reference).
    redundancy
        Value of the redundancy parameter of a robot with one joint more than the pose needs; without it, the solutions
        closest to the position of --near are returned.
    """
    try:
        wanted = poses_from(pose)
    except Error as error:
        raise named(error, "pose") from None
    more = [parameters] if parameters else []
    if robot.value.modules:  # a platform has one solution for the chosen branches of the legs
        if modes != "reference":
            raise InputError(
                f"--modes: {robot.value.name} has a platform, its motors follow from the branch of each leg: use the "
                "command `motors`"
            )
        rows = [[*T[:3, :3].ravel(), *T[:3, 3]] if np.isfinite(T).all() else [*T[:3, 3]] for T in wanted]
        legs = Call("inverse_geometry", robot)
        poses_of_platform = [_platform_pose(robot, row, "--pose") for row in rows]
        return Presented(
            legs.then("solve", poses_of_platform, *more), lambda call: motors_at_poses(legs.value, call.value)
        )
    place = np.isnan(wanted).any(axis=(1, 2))  # positions without an orientation
    columns = given if given is not None else "P" if place.all() else "snaP"
    if place.any() and columns != "P" and not set(columns) - set("snaP"):
        message = f"--pose: pose {int(np.flatnonzero(place)[0]) + 1} is a position, but {columns} of the pose is given"
        orientation = "expected an orientation as well, such as x,y,z,roll,pitch,yaw, or "
        raise InputError(message, hint=(orientation, Pass("given", "P")))
    wanted[place, :3, :3] = np.eye(3)  # the rotation is not used
    model = Call("inverse_geometry", robot, **options, given=columns)
    mode = None if modes == "reference" else modes
    found = model.then("solve", wanted, *more, near=near, limits=limits or None, modes=mode, redundancy=redundancy)
    alone = given is None and bool(place.any())
    return Presented(found, lambda call: _solutions(model, call, modes, alone))


def _solutions(model: Call, call: Call, modes: str, alone: bool) -> Numbers:
    try:
        return solution_table(call.value, model.value.joints, modes == "all", alone)
    except JointsLeftFree as error:
        if not alone:
            raise
        raise InputError(f"--pose: x,y,z is a position without an orientation: {error}") from None


# ------------------------------------------------------------------------------------------ robots with platforms

_POSE = 12  #: numbers of a pose
Coordinates = Sequence[float] | Mapping[str, float]


def _parallel(robot: Call) -> None:
    if robot.value.structure != "parallel":
        message = "expected a robot with a platform; for other robots see the commands `direct-geometry` and `solve`"
        raise InputError(f"{robot.value.name}: {message}", code="E405")


def _platform_pose(robot: Call, given: Coordinates, word: str, modes: Sequence[int] | None = None) -> Any:
    """Return a pose from 12 numbers, or from coordinates relative to the reference pose, named or in order."""
    if len(given) == _POSE and not isinstance(given, Mapping):
        return [float(x) for x in given]
    if isinstance(given, Mapping):
        check_names(given, word)
    else:
        given = dict(zip(coordinate_names(robot.value, len(given), word), map(float, given), strict=True))
    return Call("platform_pose", robot, **given, modes=modes)


def poses(robot: Call, motors: Sequence[float], near: Coordinates | None = None) -> Call:
    """Compute all poses of the platform at motor positions, or the one near a given pose.

    Parameters
    ----------
    motors
        Motor positions in order: 0.3,0.35,0.4.
    near
        Return only the pose closest to this one, given as for `motors --pose`.
    """
    _parallel(robot)
    if len(motors) != len(robot.value.motors):
        raise InputError(f"--motors: expected {len(robot.value.motors)} numbers, found {len(motors)}", code="E403")
    geometry = Call("direct_geometry", robot)
    if near is not None:
        found = geometry.then("near", motors, _platform_pose(robot, near, "--near"))
        return Presented(found, lambda call: pose_table(call.value))
    return Presented(geometry.then("solve", motors), lambda call: pose_table(call.value, call.value.report()))


def motors(robot: Call, pose: Coordinates, passive: bool = False, modes: Sequence[int] | None = None) -> Call:
    """Compute the motor positions at a pose, and the passive joints on request.

    Parameters
    ----------
    pose
        Pose of the platform: 12 numbers (R row by row, then P), its free coordinates, such as x,y of a five-bar robot,
        x,y,z or x,y,z,roll,pitch,yaw from the reference, or coordinates by name, such as x=0.1,yaw=0.2.
    passive
        Return the passive joints of the legs too.
    modes
        Branch of each leg, from 0: 0,1,0. Default: the branches of the reference position.
    """
    _parallel(robot)
    row = _platform_pose(robot, pose, "--pose", modes)
    geometry = Call("inverse_geometry", robot, modes=modes)
    found = geometry.then("solve", row, passive=passive or None)
    return Presented(found, lambda call: _motors_at(robot.value, geometry, row, call, passive))


def _motors_at(robot: Robot, geometry: Call, row: Any, call: Call, passive: bool) -> Numbers:
    pose = np.array(row.value if isinstance(row, Call) else row)
    follows = isinstance(row, Call) and not {"roll", "pitch", "yaw"} <= row.keywords.keys()  # from the legs
    return motor_table(robot, geometry.value, pose, call.value, passive, follows)


def workspace(robot: Call, table: bool = False, **options: Any) -> Call:
    """Compute which poses of a grid are reached, and their dexterity.

    Parameters
    ----------
    table
        Print every pose with its dexterity, as CSV.
    """
    _parallel(robot)
    found = Call("workspace", robot, **options)
    return found.then("as_table") if table else found


def cable_tensions(
    robot: Call, pose: Coordinates, lower: Sequence[float] = (0.0,),
    upper: Sequence[float] | None = None,
) -> Call:  # fmt: skip
    """Compute the cable tensions that hold the platform at rest in a pose.

    Parameters
    ----------
    pose
        Pose of the platform: 12 numbers (R row by row, then P), its free coordinates, such as x,y of a five-bar robot,
        x,y,z or x,y,z,roll,pitch,yaw from the reference, or coordinates by name, such as x=0.1,yaw=0.2.
    lower
        Lower bound of the tensions in N: one for all or one per cable. Default: 0.
    upper
        Upper bound of the tensions in N: one for all or one per cable. Default: none.
    """
    _parallel(robot)
    row = _platform_pose(robot, pose, "--pose")
    bounds = []
    for name, given in (("lower", lower), ("upper", upper)):
        if given is not None and len(given) not in (1, len(robot.value.legs)):
            message = f"--{name}: expected 1 or {len(robot.value.legs)} numbers, found {len(given)}"
            raise InputError(message, code="E403")
        bounds += [] if given is None else [given[0] if len(given) == 1 else list(given)]
    held = Call("cable_tensions", robot, *bounds).then("solve", row)
    return Presented(held, lambda call: call.value.numbers(robot.value.motor_names))
