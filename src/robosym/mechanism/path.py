"""Path between two frames: as moves, as a product of matrices, and as columns of Jacobian matrices.

A chain is Trans(p1) Rot(axis1, angle1) Trans(p2) Rot(axis2, angle2) ..., with alternating axes x and z. Consecutive
parallel axes (alpha = 0, or exactly Pi) become one rotation by the sum of their angles (t2 + t3, t2 - t3), so that
products of their matrices need not be expanded and simplified to C23 and S23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from robosym.algebra import Expr
from robosym.algebra.count import count
from robosym.algebra.generic import is_exactly
from robosym.algebra.trigonometry import half_turns
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.spatial import Transform, Vec3, cos, sin
from robosym.spatial.vectors import Component

__all__ = [
    "WORLD", "Define", "Move", "Poses", "beyond", "chain", "cheapest", "check_frame", "check_link", "inward", "meeting",
    "moving_joints", "path", "pose", "rotated", "simplest_frames", "unnamed",
]  # fmt: skip

WORLD = -1
#: names a value and returns it
Define = Callable[[str, Component], Component]


def unnamed(name: str, value: Component) -> Component:
    """Return the value without naming it, for numbers and trials."""
    return value


@dataclass(frozen=True, slots=True)
class Move:
    """A translation, then a rotation about the axis "x" or "z"; `angle` is a sum if several rotations were merged."""

    shift: Vec3
    axis: str
    angle: Component
    terms: tuple[tuple[str, bool], ...]  #: labels of the frames whose angles are summed; True for minus
    start: int | None  #: frame of the robot at which the step starts, if any

    def turn(self, define: Define = unnamed) -> tuple[Component, Component]:
        """Return cosine and sine of the angle, named C23 and S23 for t2 + t3, C2m3 and S2m3 for t2 - t3."""
        c, s = cos(self.angle), sin(self.angle)
        if not self.terms:
            return c, s
        (_, minus), *_ = self.terms  # the first term of a name is positive: S2m3 for both t2 - t3 and t3 - t2
        between = "_" if len(self.terms) > 1 and any(len(name) > 1 for name, _ in self.terms) else ""
        name = between.join(("m" if sign is not minus else "") + frame for frame, sign in self.terms)
        s = define(f"S{name}", -s if minus else s)
        return define(f"C{name}", c), -s if minus else s


def check_frame(robot: Robot, frame: int | str, lowest: int = 0) -> int:
    """Return the number of a frame given by number or name; raise `InputError` if the robot has no such frame."""
    number = robot.frame_number(frame, lowest)
    if number < lowest:
        raise InputError(f"{robot.name}: expected a frame from {lowest} to {robot.NF}, found {frame!r} ({number})")
    return number


def check_link(robot: Robot, link: int | str) -> int:
    """Return the number of a link, or of a fixed frame on a link; raise `InputError` for a cut joint."""
    number = check_frame(robot, link, 1)
    if robot.NL < number <= robot.NJ:
        raise InputError(f"frame {link} belongs to a cut joint: expected a link, or a fixed frame on a link")
    return number


def path(robot: Robot, i: int, j: int) -> tuple[list[int], list[int]]:
    """Return the frames from i up to the common antecedent, and the frames from there down to j.

    The world precedes frame 0 and adds no frame.
    """
    i, j = max(i, 0), max(j, 0)
    up: list[int] = []
    down: list[int] = []
    while i != j:  # an antecedent has a smaller number
        if i > j:
            up.append(i)
            i = robot.frame(i).ant
        else:
            down.append(j)
            j = robot.frame(j).ant
    return up, down[::-1]


def rotated(axis: str, c: Component, s: Component, v: Vec3) -> Vec3:
    """Return Rot(axis, angle) v."""
    if axis == "z":
        return Vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
    return Vec3(v.x, c * v.y - s * v.z, s * v.y + c * v.z)


def _screws(robot: Robot, i: int, j: int, value: Callable[[Expr], Component]) -> Iterator[Move]:
    """Return the path as screws along z and x, without merging, and without zero screws."""
    up, down = path(robot, i, j)
    for sense, frames in ((-1, up), (1, down)):
        for k in frames:
            frame = robot.frame(k)
            parts = [
                ("z", value(frame.gamma), value(frame.b), f"gam{k}"),
                ("x", value(frame.alpha), value(frame.d), f"alp{k}"),
                ("z", *frame.screw(value), str(k)),
            ]
            start: int | None = frame.ant if sense > 0 else k
            for axis, angle, length, label in parts[::sense]:
                if is_exactly(angle, 0) and is_exactly(length, 0):
                    continue
                length = sense * length
                shift = Vec3(0, 0, length) if axis == "z" else Vec3(length, 0, 0)
                terms = () if is_exactly(angle, 0) else ((label, sense < 0),)
                yield Move(shift, axis, sense * angle, terms, start)
                start = None


def chain(robot: Robot, i: int, j: int, value: Callable[[Expr], Component], define: Define = unnamed) -> list[Move]:
    """Return iTj (frame 0 in place of the world) as the shortest chain of moves, entries passed through `value`."""
    done: list[Move] = []
    pending: list[Move] = []
    for screw in _screws(robot, i, j, value):
        pending.append(screw)
        while pending:
            item = pending.pop()
            top = done[-1] if done else None
            if top is None:
                done.append(item)
            elif half_turns(top.angle) == 0:
                done.pop()
                pending.append(replace(item, shift=top.shift + item.shift, start=top.start))
            elif top.axis == item.axis:
                done.pop()
                pending.append(_merged(top, item, define))
            elif top.axis == "x" and half_turns(top.angle) == 1:  # Rot(x, Pi) Rot(z, t) = Rot(z, -t) Rot(x, Pi)
                done.pop()
                shift = top.shift + Vec3(item.shift.x, -item.shift.y, -item.shift.z)
                pending.append(replace(top, shift=Vec3(0, 0, 0), start=None))
                opposite = tuple((name, not minus) for name, minus in item.terms)
                pending.append(Move(shift, "z", -item.angle, opposite, top.start))
            else:
                done.append(item)
    return done


def _merged(first: Move, second: Move, define: Define) -> Move:
    """Return two moves about the same axis as one."""
    c, s = (1, 0) if _along(first.axis, second.shift) else first.turn(define)
    shift = first.shift + rotated(first.axis, c, s, second.shift)
    terms = tuple(sorted((*first.terms, *second.terms), key=lambda term: (len(term[0]), term[0])))
    return Move(shift, first.axis, first.angle + second.angle, terms, first.start)


def _along(axis: str, v: Vec3) -> bool:
    return is_exactly(v.y, 0) and (is_exactly(v.x, 0) if axis == "z" else is_exactly(v.z, 0))


_X, _Y, _Z, _O = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0, 0, 0)
#: names intermediate columns between two frames: (frame, columns) -> columns
NameColumns = Callable[[int, Sequence[Vec3 | None]], list[Vec3 | None]]


def _as_is(frame: int, columns: Sequence[Vec3 | None]) -> list[Vec3 | None]:
    return list(columns)


def inward(
    steps: Sequence[Move], define: Define = unnamed, name: NameColumns = _as_is, cross: bool = False, tail: bool = False
) -> Transform:
    """Multiply from the last frame to the first; each step rotates three vectors and a point.

    With `cross`, s is computed at the end as n x a; with `tail`, a final translation along the last axis is added
    along a at the end instead of being transformed at each step.
    """
    last = steps[-1] if steps else None
    tail = tail and last is not None and last.axis == "z"
    columns: list[Vec3 | None] = [None if cross else _X, _Y, _Z, _O]
    for step in reversed(steps):
        c, s = step.turn(define)
        columns = [None if v is None else rotated(step.axis, c, s, v) for v in columns]
        assert columns[3] is not None
        columns[3] = columns[3] + (Vec3(step.shift.x, step.shift.y, 0) if tail and step is last else step.shift)
        if step.start is not None and step is not steps[0]:
            columns = name(step.start, columns)
    s_, n, a, P = columns
    assert n is not None and a is not None and P is not None
    if tail and last is not None:
        P = P + a * last.shift.z
    return Transform.from_columns(n.cross(a) if s_ is None else s_, n, a, P)


def outward(steps: Sequence[Move], define: Define = unnamed) -> Transform:
    """Multiply from the first frame to the last; each step rotates two axes, expressed in the first frame."""
    s, n, a, P = _X, _Y, _Z, _O
    for step in steps:
        v = step.shift
        P = P + s * v.x + n * v.y + a * v.z
        cosine, sine = step.turn(define)
        if step.axis == "z":
            s, n = s * cosine + n * sine, n * cosine - s * sine
        else:
            n, a = n * cosine + a * sine, a * cosine - n * sine
    return Transform.from_columns(s, n, a, P)


def cheapest(steps: Sequence[Move], one: Expr, cross: bool = True) -> Callable[..., Transform]:
    """Return the multiplication order with the fewest operations for these steps; `cross` permits s = n x a."""
    orders: list[Callable[..., Transform]] = [
        partial(inward, cross=crossed, tail=tail)
        for crossed in ((False, True) if cross else (False,))
        for tail in (False, True)
    ]
    orders.append(lambda steps, define=unnamed, name=None: outward(steps, define))

    def cost(multiply: Callable[..., Transform]) -> int:
        T = multiply(steps)
        return count([one * entry for entry in (*T.A, *T.P)]).total

    return min(orders, key=cost)


def world(robot: Robot, value: Callable[[Expr], Component]) -> Transform:
    """Return Z, the pose of frame 0 in the world."""
    return Transform.of(*(value(entry) for entry in robot.base.Z[:12]))


def pose(robot: Robot, i: int, j: int, value: Callable[[Expr], Component], define: Define = unnamed) -> Transform:
    """Return iTj of any two frames, also on different branches; -1 is the world."""
    return beyond(robot, i, j, inward(chain(robot, i, j, value, define), define), value)


def beyond(robot: Robot, i: int, j: int, T: Transform, value: Callable[[Expr], Component]) -> Transform:
    """Return T between frames of the robot, extended to the world if i or j is the world."""
    if i == j or WORLD not in (i, j):
        return T
    Z = world(robot, value)
    if i == WORLD:
        return Z @ T
    return T @ Z.inverse()


class Poses:
    """Cached transformations between frames of one robot, and columns of Jacobian matrices (2.21, 2.25, 2.26)."""

    def __init__(self, robot: Robot, value: Callable[[Expr], Component], define: Define = unnamed) -> None:
        self.robot = robot
        self._value = value
        self._define = define
        self._known: dict[tuple[int, int], Transform] = {}

    def __call__(self, i: int, j: int) -> Transform:
        """Return iTj."""
        known = self._known.get((i, j))
        if known is None:
            known = self._known[i, j] = pose(self.robot, i, j, self._value, self._define)
        return known

    def column(self, i: int, j: int, k: int) -> tuple[Vec3, Vec3]:
        """Return column k of iJn,j: twist at the origin of frame j for a unit rate of joint k, in frame i.

        The linear part is a_k x L_k,j for a rotation and a_k for a translation. The product is computed in the frame
        where the paths between i, j and k meet, so that no rotation is applied and reverted.
        """
        joint = self.robot.frame(k).joint_type
        axis, swept = self(i, k).A @ Vec3(0, 0, 1), Vec3(0, 0, 0)
        if joint.turns:
            m = meeting(self.robot, i, j, k)
            swept = self(i, m).A @ (self(m, k).A @ Vec3(0, 0, 1)).cross(self(m, j).P - self(m, k).P)
        return joint.along(axis, swept), axis * joint.angular

    def shift(self, i: int, j: int, n: int) -> Vec3:
        """Return iL_j,n: vector from the origin of frame j to that of frame n, in frame i (iA_j jP_n)."""
        return self(i, j).A @ self(j, n).P


def meeting(robot: Robot, *frames: int) -> int:
    """Return the frame on all paths between three frames: the lowest of their pairwise common antecedents."""

    def common(i: int, j: int) -> int:
        while i != j:
            i, j = (robot.frame(i).ant, j) if i > j else (i, robot.frame(j).ant)
        return i

    i, j, k = (max(frame, 0) for frame in frames)
    return max(common(i, j), common(i, k), common(j, k))


def moving_joints(robot: Robot, frames: list[int]) -> tuple[int, ...]:
    """Return the frames that move with respect to their antecedent."""
    return tuple(k for k in frames if robot.frame(k).is_joint)


def simplest_frames(poses: Poses, link: int, i: int | None, j: int | None, one: Expr) -> tuple[int, int]:
    """Return projection and intermediate frames; those not given minimize the operations of iJr,j.

    The middle of the arm is tried first and preferred among equals (2.4.4). Frames far from it are not tried for the
    projection, because they only add rotations.
    """
    if i is not None and j is not None:
        return i, j
    way = [0, *path(poses.robot, 0, link)[1]]
    joints = moving_joints(poses.robot, way[1:])
    middle = len(way) // 2
    near = sorted(way, key=lambda k: abs(way.index(k) - middle))

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        entries = [one * e for k in joints for part in poses.column(*pair, k) for e in part]
        return count(entries).total, sum(not e.is_zero for e in entries)

    pairs = [(a, b) for a in ([i] if i is not None else near[:3]) for b in ([j] if j is not None else near)]
    return min(pairs, key=cost)
