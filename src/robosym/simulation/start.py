"""Initial state of a simulation: checks of shapes, finite numbers and loops closed in the expected assembly mode."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robosym.algebra.arrays import Array, numbers
from robosym.errors import InputError, closest
from robosym.kinematics import contact_kinematics
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.runtime import Compiled
from robosym.simulation.system import LoopModels, System, oriented
from robosym.solve import loop_geometry
from robosym.solve.platform_assembly import PlatformAssembly, allowed_twists

__all__ = ["base_start", "in_numbers", "start_of"]

_SLIP = 1e-6  #: largest initial slip of a contact, in m/s and rad/s
_OPEN = 1e-3  #: gap of initial loops in m and rad that causes an error; smaller gaps are closed
_CLOSED = 1e-12  #: squared gap of a closed loop
_ROUNDS = 8
_MOVE = 1e-5  #: short displacement along the rates, and tolerated relative gap
_ASTRAY = 1e-2
_POSE = 12  #: size of a pose: R by rows, then P
_IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def start_of(
    system: System, q: ArrayLike | None, qd: ArrayLike | None, base: ArrayLike | None,
    base_velocity: ArrayLike | None, memory: Mapping[str, ArrayLike] | None, varied: Mapping[str, Array],
) -> tuple[Array, tuple[int, ...]]:  # fmt: skip
    """Return the state, shape (batch, size), and the leading axes of the batch, shared by `varied` parameters."""
    robot, inputs = system.robot, system.flow.inputs
    parts: dict[str, Array] = {}
    if "pose" in system.state:
        parts["pose"] = _platform(robot, q)
        parts["twist"] = _rows("qd", np.zeros(6) if qd is None else qd, 6)
        _check_twist(robot, parts["pose"], parts["twist"])
    else:
        parts["q"] = _positions(system, q)
        parts["qd"] = _rows("qd", np.zeros(len(inputs["qd"])) if qd is None else qd, len(inputs["qd"]))
    if "base_pose" in system.state:
        parts |= base_start(base, base_velocity)
    elif base is not None or base_velocity is not None:
        given = "base_velocity" if base is None else "base"
        raise InputError(f"{given}: expected a robot with a floating base, found {robot.name}")
    if "sliding" in system.state:
        parts["sliding"] = np.sign(parts["qd"])
    for group in memory or {}:
        if group not in system.state:
            raise InputError(f"memory: expected an internal state of the controller, found {group!r}")
    for group in system.state:
        if group not in parts:
            size = len(inputs[group])
            parts[group] = _rows(f"memory: {group}", (memory or {}).get(group, np.zeros(size)), size)
    try:
        leading = np.broadcast_shapes(
            *(part.shape[:-1] for part in parts.values()), *(part.shape for part in varied.values())
        )
    except ValueError:
        found = ", ".join(f"{name} {part.shape}" for name, part in (parts | dict(varied)).items())
        raise InputError(f"q: expected initial values with compatible leading axes, found {found}") from None
    if 0 in leading:
        raise InputError("q: expected at least one trajectory, found an axis of length 0")
    rows = [np.broadcast_to(parts[group], (*leading, parts[group].shape[-1])) for group in system.state]
    state = np.concatenate(rows, axis=-1).reshape(-1, system.size)
    if system.loops is not None:
        state[:, system.place("q")] = _closed(robot, system.loops, state[:, system.place("q")])
    if robot.contacts:
        _check_slip(robot, {group: state[:, system.place(group)] for group in system.state})
    return np.ascontiguousarray(state, dtype=float), leading


def _check_slip(robot: Robot, parts: Mapping[str, Array]) -> None:
    """Raise an error for initial velocities at which a foot or a wheel slips."""
    model = contact_kinematics(oriented(robot))
    given = {**parts, "base_orientation": parts["base_pose"][..., 3:]} if "base_pose" in parts else parts
    slip = model.compile()(**{group: np.ascontiguousarray(given[group]) for group in model.inputs}).slip
    worst = float(np.abs(slip).max())
    if not worst <= _SLIP:
        raise InputError(
            f"qd: expected velocities that the contacts of {robot.name} allow, found a slip of {worst:.3g} m/s: "
            "compute them with contact_kinematics(robot), as S times the independent rates"
        )


def base_start(base: ArrayLike | None, base_velocity: ArrayLike | None) -> dict[str, Array]:
    """Return the initial pose of a floating base, with a unit quaternion, and its velocity."""
    pose = _rows("base", _IDENTITY if base is None else base, 7)
    length = np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
    if not np.all(length > _OPEN):
        raise InputError("base: expected a quaternion (w, x, y, z) after the position, found zeros")
    velocity = _rows("base_velocity", np.zeros(6) if base_velocity is None else base_velocity, 6)
    return {"base_pose": np.concatenate([pose[..., :3], pose[..., 3:] / length], -1), "base_velocity": velocity}


def _rows(name: str, value: ArrayLike, size: int) -> Array:
    return numbers(name, value, (..., size))


def _platform(robot: Robot, q: ArrayLike | None) -> Array:
    """Return the initial pose of a platform: given, from motor positions, or the reference."""
    assembly = PlatformAssembly(robot)
    if q is None:
        if assembly.reference is None:
            raise InputError(f"q: expected a pose of the platform, because {robot.name} has no reference position")
        return np.array([*assembly.reference.samples[0].pose_values.values()])
    array = numbers("q", q)
    motors = len(robot.motors)
    if array.ndim and array.shape[-1] == motors != _POSE and array.shape[-2:] != (4, 4):
        given = _rows("q", array, motors)
        rows = [assembly.pose(row) for row in given.reshape(-1, motors)]
        return np.array(rows).reshape(*given.shape[:-1], _POSE)
    poses = _pose(q)
    if assembly.reference is not None:
        joints = np.asarray(assembly.legs.compile()(pose=poses.reshape(-1, _POSE)))
        if not np.isfinite(joints).all():
            raise InputError(
                f"q: the legs of {robot.name} do not allow this pose in the branches of the reference position: it is "
                "out of reach, or its orientation depends on its position (use rs.platform_pose)"
            )
    return poses


def _check_twist(robot: Robot, poses: Array, twists: Array) -> None:
    """Raise an error for twists that the legs of a platform do not allow."""
    if not twists.any():
        return
    try:
        left = twists - allowed_twists(robot, poses, twists)
    except ValueError:  # incompatible leading axes are reported later
        return
    if np.abs(left).max() > _ASTRAY * np.abs(twists).max():
        raise InputError(
            f"qd: the legs of {robot.name} do not allow this twist of its platform (VX VY VZ WX WY WZ): compute "
            "it with "
            "jacobian(robot).inverse(), as J_p times motor velocities"
        )


def _pose(q: ArrayLike) -> Array:
    """Return the pose of a platform from a 4x4 matrix, or from R row by row and P."""
    array = numbers("q", q)
    if array.ndim >= 2 and array.shape[-2:] == (4, 4):
        array = np.concatenate([array[..., :3, :3].reshape(*array.shape[:-2], 9), array[..., :3, 3]], axis=-1)
    array = _rows("q", array, 12)
    R = array[..., :9].reshape(*array.shape[:-1], 3, 3)
    if np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max() > _OPEN or not np.all(np.linalg.det(R) > 0):
        raise InputError("q: expected a pose of the platform, found nine first numbers that are not a rotation matrix")
    return array


def _positions(system: System, q: ArrayLike | None) -> Array:
    """Return the positions of all tree joints; a closed robot may be given its active joints only."""
    robot, size = system.robot, len(system.flow.inputs["q"])
    if system.loops is None:
        return _rows("q", np.zeros(size) if q is None else q, size)
    if q is None:
        if not robot.position:
            raise InputError(f"q: expected joint positions, because {robot.name} has no reference position")
        return np.array([robot.position.get(robot.variable(j), 0.0) for j in robot.tree_joints])
    array = numbers("q", q)
    if array.ndim and array.shape[-1] == sum(frame.mu for frame in robot.frames if frame.is_joint) != size:
        geometry = loop_geometry(robot)
        given = _rows("q", array, len(geometry.known))
        rows = [geometry.usual(row) for row in given.reshape(-1, len(geometry.known))]
        return np.array(rows).reshape(*given.shape[:-1], size)
    return _rows("q", array, size)


def _closed(robot: Robot, loops: LoopModels, q: Array) -> Array:
    """Return positions with closed loops; open loops and other assembly modes raise an error."""
    closer = loops.closing.compile()
    gap, turned = (np.asarray(part) for part in np.moveaxis(closer(q=q).gap, -1, 0))
    worst = float(np.sqrt(gap.max()))
    if not worst <= _OPEN or turned.max() > 1:
        raise InputError(f"q: expected closed loops of {robot.name} at the start, found a gap of {worst:.3g}")
    for _ in range(_ROUNDS):
        if gap.max() < _CLOSED**2:
            break
        q = np.asarray(closer(q=q).next)
        gap = closer(q=q).gap[..., 0]
    moving = len(loops.rates.inputs["qd"])
    uneven = np.cos(np.arange(1.0, moving + 1))  # equal rates may move a wrong assembly mode like a rigid body
    rates = np.asarray(loops.rates.compile()(q=q, qd=np.broadcast_to(uneven, (len(q), moving))))
    _check_assembly(robot, q, rates, closer)
    return q


def _check_assembly(robot: Robot, q: Array, rates: Array, closer: Compiled) -> None:
    """Check that a small displacement along the rates of the models keeps the loops closed."""
    size = np.abs(rates).max()
    if not np.isfinite(size):
        raise InputError(f"q: expected a regular position of {robot.name}, found a singular position of its loops")
    move = _MOVE / max(size, 1.0)
    astray = float(np.sqrt(closer(q=q + move * rates).gap[..., 0].max()))
    if astray > _ASTRAY * _MOVE:
        raise InputError(
            f"q: {robot.name} starts in another assembly mode than its models (crossed parallelograms, or another mode "
            "than its reference position): use the first solution of loop_geometry(robot).solve(...), or make this "
            "position the reference of the robot"
        )


def in_numbers(
    robot: Robot, controller: object, parameters: Mapping[str, ArrayLike] | None
) -> tuple[Robot, dict[str, float], tuple[str, ...], dict[str, NDArray[np.float64]]]:
    """Return the robot with numbers in place of symbols, values of the controller's symbols, and varied symbols."""
    if not parameters:
        return robot, {}, (), {}
    own = set(robot.parameters)
    gains = set(controller.inputs.get("parameters", ())) if isinstance(controller, Model) else set()
    values: dict[str, float] = {}
    batched: dict[str, NDArray[np.float64]] = {}
    for name, value in parameters.items():
        if name not in own | gains:
            raise InputError(f"parameters: unknown symbol {name!r}{closest(str(name), own | gains)}")
        array = numbers(f"parameters: {name}", value)
        if array.ndim:
            batched[name] = array
        else:
            values[name] = float(array)
    fixed = {name: value for name, value in values.items() if name in own}
    return (robot.with_values(fixed) if fixed else robot), values, tuple(batched), batched
