"""Adding a fixed frame, such as a tool or a TCP, to a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from robosym.algebra import Expr, Graph, numeric_value
from robosym.algebra.tolerances import ORTHONORMAL
from robosym.errors import InputError, closest
from robosym.mechanism.edit import entry
from robosym.mechanism.elements import GEOMETRY, Frame, Joint, Link
from robosym.mechanism.end_frame import chosen_frame
from robosym.mechanism.screws import ANGLES, ROUNDING, angle_entry, exact_angle, screws_to, tidy_length
from robosym.spatial import Mat3, Transform, Vec3

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["pose_parts", "tool_frame", "with_frame"]

Six = tuple[Expr, ...]  #: gamma, b, alpha, d, theta, r


def tool_frame(robot: Robot, frame: int | str | None, tool: object, argument: str = "frame") -> tuple[Robot, int | str]:
    """Return the robot and the frame in question: the given frame or the end of the arm, extended by the tool."""
    chosen = chosen_frame(robot, frame, argument)
    if tool is None:
        return robot, chosen
    name = next(word for k in range(robot.NF + 2) if (word := f"tool{k or ''}_given") not in robot.frame_names)
    made = with_frame(robot, name, chosen, pose=tool)
    return made, made.frame_names[name]


def with_frame(
    robot: Robot,
    name: str,
    parent: int | str | None,
    pose: object = None,
    xyz: Sequence[object] | None = None,
    rpy: Sequence[object] | None = None,
    geometry: Mapping[str, object] | None = None,
) -> Robot:
    """Return the robot with a fixed frame `name` on frame `parent`; see `Robot.with_frame`."""
    if not isinstance(name, str):
        raise InputError(f"with_frame: expected the name of the new frame, found {name!r}")
    if name in robot.frame_names or any(joint.name == name for joint in robot.joints):
        raise InputError(f"{robot.name} already has a frame or joint {name!r}: expected a new name")
    if robot.modules:
        raise InputError(f"with_frame: {robot.name} has a platform: expected one in joints, robot.to_closed()")
    forms = {"pose": pose is not None, "xyz and rpy": xyz is not None or rpy is not None, "gamma .. r": bool(geometry)}
    given = [what for what, value in forms.items() if value]
    number = robot.frame_number(chosen_frame(robot, parent, "parent"))
    if robot.NL < number <= robot.NJ:
        raise InputError(f"frame {parent!r} belongs to a cut joint: expected a link, or a fixed frame on a link")
    if len(given) > 1:
        raise InputError(f"with_frame: expected only one of {', '.join(given)}")
    graph = Graph()
    robot = robot.in_graph(graph)
    steps = _own_steps(geometry, graph) if geometry else _steps(pose_parts(pose, xyz, rpy, graph), graph)
    return _inserted(robot, name, number, steps, graph)


def _own_steps(geometry: Mapping[str, object], graph: Graph) -> list[Six]:
    """Return the given parameters as the only frame."""
    for key in geometry:
        if key not in GEOMETRY:
            raise InputError(f"with_frame: unknown argument {key}{closest(key, GEOMETRY)}")
    values = {key: entry(value, graph, f"with_frame: {key}") for key, value in geometry.items()}
    found = {key: exact_angle(value, graph) if key in ANGLES else value for key, value in values.items()}
    return [tuple(found.get(key, graph.zero) for key in GEOMETRY)]


def pose_parts(pose: object, xyz: object, rpy: object, graph: Graph) -> tuple[list[Expr], Mat3]:
    """Return position and orientation of a 4x4 matrix, of x, y, z, roll, pitch, yaw, or of `xyz` and `rpy`."""
    rows = [] if pose is None else list(pose) if _is_list(pose) else [pose]
    lists = [list(row) for row in rows if _is_list(row)]
    if len(rows) == len(lists) == 4 and all(len(row) == 4 for row in lists):
        if any(str(a) not in (str(b), f"{b}.0") for a, b in zip(lists[3], (0, 0, 0, 1), strict=True)):
            raise InputError(f"tool: expected 0 0 0 1 in the last row, found {lists[3]}")
        place = [entry(row[3], graph, "tool") for row in lists[:3]]
        turn = Mat3.of(*(_number(row[c], graph) for row in lists[:3] for c in range(3)))
        product = turn.T @ turn
        off = max(abs(float(v) - float(r == c)) for r, row in enumerate(product.rows) for c, v in enumerate(row))
        if off > ORTHONORMAL or float(turn.z_axis.dot(_column(turn, 0).cross(_column(turn, 1)))) < 0:
            raise InputError("tool: expected a rotation matrix in the first three rows and columns")
        return place, turn
    if pose is not None and (len(rows) not in (3, 6) or lists):
        raise InputError(f"tool: expected a 4x4 matrix, x y z or x y z roll pitch yaw, found {pose!r}")
    rows = rows or [*_three(xyz, "xyz"), *_three(rpy, "rpy")]
    place = [entry(value, graph, "tool") for value in rows[:3]]
    return place, _rotation(*(_number(value, graph) for value in (*rows[3:], 0, 0, 0)[:3]))


def _three(values: object, what: str) -> list[object]:
    found: list[object] = [0, 0, 0] if values is None else list(values) if _is_list(values) else [values]
    if len(found) != 3:
        raise InputError(f"with_frame: {what}: expected 3 numbers, found {values!r}")
    return found


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, (str, Mapping))


def _number(value: object, graph: Graph) -> float:
    number = numeric_value(entry(value, graph, "tool"))
    if number is None:
        raise InputError(f"tool: expected numbers for the orientation, found {value!r}")
    return number


def _rotation(roll: float, pitch: float, yaw: float) -> Mat3:
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    return Mat3.of(
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp, cp * sr, cp * cr,
    )  # fmt: skip


def _column(A: Mat3, c: int) -> Vec3:
    return Vec3(*(list(row)[c] for row in A.rows))


def _steps(placed: tuple[list[Expr], Mat3], graph: Graph) -> list[Six]:
    """Return a pose as a sequence of frames.

    A position with symbols becomes translations along x, z and y, followed by the rotation.
    """
    place, turn = placed
    numbers = [numeric_value(value) for value in place]
    zero = graph.zero
    if None not in numbers:
        x, y, z = (float(value) for value in numbers if value is not None)
        pose = Transform(turn, Vec3(x, y, z))
        return [_expressions(six, graph) for six in screws_to(pose)]
    first: Six = (zero, zero, zero, place[0], zero, place[2])
    quarter = graph.pi / 2
    found: list[Six] = [first]
    if not place[1].is_zero:
        found.append((quarter, zero, zero, place[1], -quarter, zero))
    turned = screws_to(Transform(turn, Vec3(0.0, 0.0, 0.0)))
    if any(abs(value) > ROUNDING for six in turned for value in six):
        found += [_expressions(six, graph) for six in turned]
    return found


def _expressions(six: Sequence[float], graph: Graph) -> Six:
    gamma, b, alpha, d, theta, r = six
    lengths = [graph.number(tidy_length(float(value))) for value in (b, d, r)]
    angles = [angle_entry(graph, float(value)) for value in (gamma, alpha, theta)]
    return angles[0], lengths[0], angles[1], lengths[1], angles[2], lengths[2]


def _inserted(robot: Robot, name: str, parent: int, steps: Sequence[Six], graph: Graph) -> Robot:
    """Return the robot with the frames inserted after the links of the tree, each on the previous one.

    Cut joints are moved behind them.
    """
    last, count, zero = robot.NL, len(steps), graph.zero

    def moved(j: int) -> int:
        return j + count if j > last else j

    if parent > last:  # the new frame is carried by the link on which the loop is closed
        closing = robot.frame(parent)
        steps = [tuple(getattr(closing, key) for key in GEOMETRY), *steps]
        return _inserted(robot, name, closing.ant, steps, graph)
    taken = {value.name for joint in robot.joints for value in (joint.QP, joint.QDP, joint.GAM) if value.name}
    torques = (f"GAM{j}" for j in range(last + 1, last + 10 * robot.NF + 10 * count) if f"GAM{j}" not in taken)
    frames = [
        Frame(parent if k == 0 else last + k, 2, 0, *six) for k, six in enumerate(steps)
    ]  # fmt: skip
    still = [Joint(zero, zero, graph.symbol(next(torques)), 0, zero) for _ in steps]
    shifted = [replace(frame, ant=moved(frame.ant)) for frame in robot.frames]
    names = {key: moved(j) for key, j in robot.frame_names.items()}
    return replace(
        robot,
        frames=(*shifted[:last], *frames, *shifted[last:]),
        links=(*robot.links, *[Link.blank(zero)] * count),
        joints=(*robot.joints[:last], *still, *robot.joints[last:]),
        frame_names={**names, name: last + count},
    ).changed()
