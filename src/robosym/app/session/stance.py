"""How a robot stands on the page: its joints by sliders, the passive ones following, poses, and the flange led by hand.

Everything here is numbers: the robot is drawn with its symbols replaced, and moves in steps of a few milliseconds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.generic import random_numbers
from robosym.algebra.once import cached_property
from robosym.algebra.tolerances import RANK
from robosym.coordinates.closing import Closing
from robosym.drawing.parts import Array
from robosym.drawing.posture import slider_range
from robosym.drawing.scene import Scene, scene
from robosym.drawing.stand_ins import stand_ins
from robosym.drawing.turning_page import stage_data, start_of_view
from robosym.drawing.view import seen
from robosym.errors import Error, InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.angles import ANGLES
from robosym.mechanism.closed_form import closed_form
from robosym.mechanism.end_frame import clear_end
from robosym.mechanism.path import path
from robosym.spatial.numeric import displacement

__all__ = ["FlangeReading", "JointSlider", "Stance", "SymbolNumber", "roll_pitch_yaw"]

_TURN, _SLIDE = (
    0.12,
    0.05,
)  #: rad, and parts of the reach: steps in which a closed robot is moved, so that it stays in its mode
_FARTHEST = 1000  #: of these steps in one motion: twenty turns
_JUMP = 0.8  #: rad that a passive joint may turn in such a step
_HALVINGS = 6  #: of the step before which a motion ends
_ROUNDS = 24  #: of Newton's method towards a pose
_LONGEST = 0.25  #: rad, or parts of the reach: the longest of its steps
_REACHED = 1e-10  #: parts of the reach, and rad: a pose is reached
_BETTER = 1e-4  #: by which part a round must better the error, or it ends
_STIFF = 1e-6  #: of the largest singular value: below, a direction counts as lost
_TURNS = 0.35  #: what a radian counts against a reach, where both cannot be had
_DAMPING, _LEAST_DAMPING = 1e-6, 1e-12  #: of least squares, at first and at least
_SEEN = 1e-6  #: of the reach: what is farther from where it was led is told
_BESIDE, _ASIDE = 3, 0.05  #: positions beside the one in which a robot stands, and how far: its freedoms there
_DIGITS = 7  #: of what is sent to be drawn


@dataclass(frozen=True)
class JointSlider:
    """A joint that a person moves; rad or m."""

    name: str  #: the joint variable
    label: str  #: the joint's own name, or the variable
    joint: int  #: the number of its frame
    slides: bool
    value: float
    lower: float
    upper: float
    limited: bool  #: whether the range is that of the description


@dataclass(frozen=True)
class SymbolNumber:
    """A symbol of the frames, and the number that stands in for it in the picture."""

    name: str
    value: float
    unit: str  #: "m" or "rad"


@dataclass(frozen=True)
class FlangeReading:
    """Where a frame is, and how well it can move there."""

    frame: int
    position: tuple[float, float, float]
    angles: tuple[float, float, float]  #: roll, pitch and yaw about the fixed axes x, y, z, rad
    matrix: tuple[tuple[float, ...], ...]
    manipulability: float


class Stance:
    """A robot in numbers, standing somewhere. What moves it gives a word of warning, or "" where all went well."""

    def __init__(
        self, robot: Robot, joints: Mapping[str, float] | None = None,
        values: Mapping[str, float] | None = None, tell: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.robot = robot
        self.tell = tell or (lambda what: None)
        self.closed = robot.to_closed()
        known = stand_ins(self.closed, {})
        self.values = {name: value for name, value in (values or {}).items() if name in known}
        self._stand(dict(joints or {}))
        self.frame = self.ends[0]
        self.sliders_home = {s.name: s for s in self._ranges()}

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def drawn(self) -> Robot:
        """The robot in numbers, with loops where it has a platform."""
        return self._scene.robot

    @property
    def joints(self) -> dict[str, float]:
        """All joints by variable, cut ones included."""
        return dict(self._scene.joints)

    def _stand(self, joints: Mapping[str, float]) -> None:
        """The scene with the numbers of its symbols, as near to these joints as they allow."""
        own = {name: value for name, value in joints.items() if name in self.closed.variables}
        motors = {name: own[name] for name in self._motor_names if name in own}
        tree = [self.closed.variable(j) for j in self.closed.tree_joints]
        tries: list[Mapping[str, float] | None] = []
        if own and not self.closed.loops:
            tries.append({name: own.get(name, 0.0) for name in tree})
        elif motors and len(motors) == len(self._motor_names):
            tries.append(motors)
        for number, q in enumerate([*tries, None]):
            try:
                self._scene = scene(self.robot, q, values=self.values)
                return
            except InputError:
                if number == len(tries):
                    raise

    # ------------------------------------------------------------------ what is shown

    @cached_property
    def _motor_names(self) -> tuple[str, ...]:
        robot = self.closed
        return tuple(robot.variable(j) for j in robot.tree_joints if robot.frame(j).mu)

    @cached_property
    def movable(self) -> tuple[int, ...]:
        """The joints that have sliders: all of an open robot but those that others move, the motors of a closed one."""
        robot = self.closed
        free = [j for j in robot.tree_joints if robot.variable(j) not in robot.couplings]
        motors = tuple(j for j in free if robot.frame(j).mu)
        return motors if robot.loops and motors else tuple(free)

    def _ranges(self) -> list[JointSlider]:
        robot, at = self.drawn, self._scene.joints
        found = []
        for j in self.movable:
            name, limits = robot.variable(j), robot.joint(j).limits
            low, high = slider_range(robot, j, at[name], self._scene.reach)
            limited = limits.lower is not None and limits.upper is not None
            slides = not robot.frame(j).joint_type.turns
            found.append(JointSlider(name, robot.joint(j).name or name, j, slides, at[name], low, high, limited))
        return found

    @property
    def sliders(self) -> list[JointSlider]:
        """With the values of now; a range grows where a joint was led beyond it."""
        at = self._scene.joints
        return [
            replace(s, value=at[s.name], lower=min(s.lower, at[s.name]), upper=max(s.upper, at[s.name]))
            for s in self.sliders_home.values()
        ]

    @property
    def passive(self) -> dict[str, float]:
        """The joints of the tree that follow."""
        moved = {self.closed.variable(j) for j in self.movable}
        return {
            n: self._scene.joints[n] for j in self.closed.tree_joints if (n := self.closed.variable(j)) not in moved
        }

    @property
    def symbols(self) -> list[SymbolNumber]:
        """The symbols of the frames, with the numbers of the picture; they never enter the description."""
        numbers = stand_ins(self.closed, self.values)
        fields: dict[str, set[str]] = {}
        for frame in self.closed.frames:
            for name in GEOMETRY:
                for symbol in symbols([getattr(frame, name)]):
                    fields.setdefault(symbol, set()).add(name)
        return [SymbolNumber(n, v, "rad" if fields[n] <= set(ANGLES) else "m") for n, v in numbers.items()]

    def data(self, size: tuple[float, float] = (456, 456)) -> dict[str, Any]:
        """What a picture that turns is made of: solids, axes, frames and names, and from where it is seen at first."""
        view = seen(self._scene, "auto", size)
        return stage_data(view) | {"start": start_of_view(view, {}), "flange": self.frame, "labels": self.labels}

    @cached_property
    def rows(self) -> dict[int, int]:
        """By frame of the drawn robot, the row of the tables, which number a robot with a platform otherwise."""
        robot = self.robot
        if not robot.modules:
            return {j: j for j in range(1, robot.NF + 1)}
        places = {name: j for j, name in enumerate(robot.variables, 1) if name}
        joints = {j: places[name] for j, name in enumerate(self.closed.variables, 1) if name in places}
        return joints | self._links

    @cached_property
    def _links(self) -> dict[int, int]:
        """By link of the drawn robot with platforms, its number in the tables."""
        return closed_form(self.robot, self.closed.position).links

    @cached_property
    def labels(self) -> list[str]:
        """What frames are called in the picture, frame 0 first: as the tables number them, P for a platform."""
        named = ["0", *(str(self.rows.get(j, "")) for j in range(1, self.closed.NF + 1))]
        if self.robot.structure == "parallel":
            named[self.ends[0]] = "P"
        return named

    def poses(self, joints: Mapping[str, float] | None = None) -> list[list[float]]:
        """0Tj of every frame as twelve numbers, of now or at other joints: all that a move sends."""
        found = self._scene.poses if joints is None else self._scene.mover.poses(joints)
        return [[float(x) for x in row] for row in np.round(found[:, :3].reshape(len(found), 12), _DIGITS)]

    # ------------------------------------------------------------------ motion

    def move(self, name: str, value: float) -> str:
        """A joint to a position; of a closed robot the others follow, and it stops where its loops end."""
        return self.place({name: value})

    def place(self, wanted: Mapping[str, float]) -> str:
        """Several joints at once."""
        known = {self.closed.variable(j): j for j in self.closed.tree_joints}
        for name, value in wanted.items():
            if name not in known:
                raise InputError(f"{self.closed.name} has no joint {name}{closest(name, known)}")
            if not math.isfinite(value):
                raise InputError(f"{name}: expected a finite number, found {value!r}")
        joints = dict(self._scene.joints)
        if not self.closed.loops:
            self._take(self._coupled(joints | dict(wanted)))
            return ""
        return self._follow({name: float(value) for name, value in wanted.items()}, known)

    def _coupled(self, joints: dict[str, float]) -> dict[str, float]:
        return joints | {name: coupling.value(joints) for name, coupling in self.drawn.couplings.items()}

    def _take(self, joints: Mapping[str, float]) -> None:
        """Stand there; the joints close the loops already."""
        self._scene = self._scene.standing(joints)
        self.tell("posture")

    def along(self, names: Sequence[str], q: Array, start: Mapping[str, float] | None = None) -> list[dict[str, float]]:
        """All joints at each of the positions q (samples, names); the robot stays where it is.

        A robot with loops follows from where it stands, or from a start; an error says where it cannot.
        """
        here = self.joints if start is None else self.whole(start)
        held = [self.closed.variables.index(name) + 1 for name in names]
        posture, found = self._scene.mover.posture, []
        for number, row in enumerate(q, 1):
            goal = here | {name: float(value) for name, value in zip(names, row, strict=True)}
            try:
                here = posture.near(goal, held) if self.closed.loops else self._coupled(goal)
            except InputError as error:
                raise InputError(f"sample {number} of {len(q)}: {error}") from None
            found.append(here)
        return found

    def _follow(self, wanted: Mapping[str, float], known: Mapping[str, int]) -> str:
        """Towards the wanted motors in small steps, the loops closed after each; as far as they can be closed."""
        posture, start = self._scene.mover.posture, dict(self._scene.joints)
        held = [known[name] for name in wanted] if self.overdriven else [*self.movable]
        held = [*dict.fromkeys([*(known[name] for name in wanted), *held])]
        far = max(
            (abs(value - start[name]) / (_SLIDE * self._scene.reach if self._slides(known[name]) else _TURN)
             for name, value in wanted.items()),
            default=0.0,
        )  # fmt: skip
        if not far <= _FARTHEST:  # a joint that turns for ever would take as long
            raise InputError(f"{', '.join(wanted)}: too far from here for one motion of a robot with loops")
        step = 1 / max(1, math.ceil(far))
        done, halved, here = 0.0, 0, start
        while done < 1 - _REACHED and halved <= _HALVINGS:
            part = min(1.0, done + step)
            goal = here | {name: start[name] + part * (value - start[name]) for name, value in wanted.items()}
            try:
                next_one = posture.near(goal, held)
            except InputError:
                next_one = None
            if next_one is None or self._jumps(here, next_one):
                halved += 1
                step /= 2
                continue
            here, done = next_one, part
        self._take(here)
        if done >= 1 - _REACHED:
            return ""
        names = ", ".join(wanted)
        return f"{names} stops here: beyond, the loops cannot be closed"

    def _slides(self, j: int) -> bool:
        return not self.closed.frame(j).joint_type.turns

    def _jumps(self, before: Mapping[str, float], after: Mapping[str, float]) -> bool:
        """Whether a joint turned so far that another mode may have been met; whole turns are none."""
        robot = self.closed
        for j in robot.tree_joints:
            if not self._slides(j):
                apart = after[robot.variable(j)] - before[robot.variable(j)]
                if abs(math.remainder(apart, 2 * math.pi)) > _JUMP:
                    return True
        return False

    @cached_property
    def overdriven(self) -> bool:
        """Whether there are more motors than freedoms, so that none can be moved alone: cables, redundant drives."""
        return bool(self.closed.loops) and self._freedoms.shape[1] < len(self.movable)

    def home(self) -> str:
        """As the robot was drawn at first."""
        self._scene = scene(self.robot, None, values=self.values)
        self.tell("posture")
        return ""

    def settle(self, name: str, value: float) -> str:
        """Another number for a symbol; the joints stay where they can."""
        known = {symbol.name: symbol.value for symbol in self.symbols}
        if name not in known:
            raise InputError(f"{self.closed.name} has no symbol {name}{closest(name, known)}")
        if not math.isfinite(value):
            raise InputError(f"{name}: expected a finite number, found {value!r}")
        before = self.values
        self.values = before | {name: float(value)}
        try:
            self._stand(self._scene.joints)
        except Error as error:
            self.values = before
            return str(error)
        self.sliders_home = {s.name: s for s in self._ranges()}
        self.tell("symbols")
        return ""

    def again(self, robot: Robot) -> Stance:
        """A changed robot, standing as this one does where it can; where only masses differ, nothing is drawn anew."""
        if _drawn_by(robot) == _drawn_by(self.robot):
            same = copy(self)
            same.robot = robot
            same.closed = robot.to_closed()
            return same
        made = Stance(robot, self._scene.joints, self.values, self.tell)
        if self.frame in made.ends or self.frame <= made.drawn.NF:
            made.frame = self.frame if self.frame != self.ends[0] else made.ends[0]
        return made

    # ------------------------------------------------------------------ frames and poses

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Frames that are led and read: the end of the chain or the platform first, then all others."""
        robot = self.closed
        plates = [s.link for s in self._scene.solids if s.kind == "plate" and s.link]
        if self.robot.modules:
            end: int | None = next(j for j, row in self._links.items() if row == self.robot.modules[-1].end)
        else:
            end = clear_end(robot)
        if end is None and plates:
            end = plates[-1]
            if end < robot.NL:
                behind = robot.frame(end + 1)
                end += behind.ant == end and not behind.is_joint  # its own frame, where that is another
        if end is None:
            inner = {frame.ant for frame in robot.frames}
            leaves = [j for j in range(1, robot.NF + 1) if j not in inner] or [robot.NF]
            end = max(leaves, key=lambda j: (len(path(robot, 0, j)[1]), j))
        return (end, *(j for j in range(1, robot.NF + 1) if j != end))

    def pose_at(self, joints: Mapping[str, float], frame: int) -> Array:
        """The pose (4, 4) of a frame at other joints."""
        return np.asarray(self._scene.mover.poses(joints)[frame])

    def whole(self, joints: Mapping[str, float]) -> dict[str, float]:
        """All joints from those of the tree: what is not given stays, cut joints follow, as do coupled ones."""
        known = {name: value for name, value in joints.items() if name in self.closed.variables}
        if not self.closed.loops:
            return self._coupled(self.joints | known)
        closing = self._scene.mover.posture.closing
        assert closing is not None
        tree = {self.closed.variable(j) for j in self.closed.tree_joints}
        cut = {name for name in self.closed.variables if name} - tree
        kept = {name: value for name, value in self.joints.items() if name not in cut}
        return closing.with_cut(kept | known)

    def stand(self, joints: Mapping[str, float]) -> None:
        """Stand at all these joints, which close the loops."""
        self._take(self.whole(joints))

    def look_at(self, frame: int) -> None:
        """Another frame to be led and read."""
        self.frame = self.drawn.frame_number(frame, 1)
        self.tell("posture")

    def reading(self) -> FlangeReading:
        """Of the frame that is led."""
        T = self._scene.poses[self.frame]
        x, y, z = (float(v) for v in T[:3, 3])
        return FlangeReading(
            self.frame, (x, y, z), roll_pitch_yaw(T), tuple(tuple(float(v) for v in row) for row in T),
            self.manipulability(),
        )  # fmt: skip

    def manipulability(self, joints: Mapping[str, float] | None = None, frame: int | None = None) -> float:
        """sqrt(det(J J^T)) of a frame by the joints that have sliders; of J^T J where these are fewer than six."""
        J = self._by_motors(dict(self._scene.joints) if joints is None else joints, frame or self.frame)
        if not J.size:
            return 0.0
        values = np.linalg.svd(J, compute_uv=False)
        return float(np.prod(values)) if len(values) else 0.0

    def _tree_columns(self, poses: Array, frame: int) -> Array:
        """The twist of a frame, at its origin in frame 0, from the rates of all joints of the tree: (6, joints)."""
        robot = self.drawn
        places = {j: k for k, j in enumerate(robot.tree_joints)}
        J = np.zeros((6, len(places)))
        target = poses[frame][:3, 3]
        for j in path(robot, 0, frame)[1]:
            if j in places:
                kind, axis = robot.frame(j).joint_type, poses[j][:3, 2]
                shift = np.cross(axis, target - poses[j][:3, 3])
                J[:3, places[j]] = float(kind.angular) * shift + float(kind.linear) * axis
                J[3:, places[j]] = float(kind.angular) * axis
        return J

    def _motions(self, joints: Mapping[str, float], cut: bool = False) -> Array:
        """Rates of all joints of the tree that the robot's loops and couplings allow, as columns.

        With `cut` the rates of cut joints stand below them.
        """
        robot = self.drawn
        names = [robot.variable(j) for j in robot.tree_joints]
        if robot.loops:
            closing: Closing | None = self._scene.mover.posture.closing
            assert closing is not None
            return closing.velocities(joints, cut)
        free = [name for name in names if name not in robot.couplings]
        N = np.zeros((len(names), len(free)))
        for k, name in enumerate(free):
            N[names.index(name), k] = 1.0
        for name, coupling in robot.couplings.items():
            for other, ratio in coupling.ratios.items():
                N[names.index(name)] += ratio * N[names.index(other)]
        return N

    @cached_property
    def _freedoms(self) -> Array:
        return self._motions(self._scene.joints)

    def _by_motors(self, joints: Mapping[str, float], frame: int) -> Array:
        """Columns of the Jacobian by the joints that have sliders and that the frame depends on."""
        robot = self.drawn
        J = self._tree_columns(self._scene.mover.poses(joints), frame)
        N = self._motions(joints)
        rows = [robot.tree_joints.index(j) for j in self.movable]
        columns = J @ N @ np.linalg.pinv(N[rows], rcond=_STIFF)
        used = np.abs(columns).max(axis=0) > _STIFF * max(1.0, float(np.abs(columns).max(initial=0.0)))
        return np.asarray(columns[:, used] if not robot.loops else columns)

    # ------------------------------------------------------------------ leading the flange

    def lead(self, T: Any, seconds: float = math.inf) -> str:
        """The frame to a pose (4, 4), or as near as the robot comes from where it stands, by damped least squares.

        After so many seconds it stays where it has come to: a hand that leads it goes on from there.
        """
        goal = np.asarray(T, dtype=float)
        if goal.shape != (4, 4) or not np.isfinite(goal).all():
            raise InputError(f"T: expected a matrix (4, 4) of finite numbers, found an array of shape {goal.shape}")
        end = time.monotonic() + seconds
        self._take(self._towards(goal, self.frame, end))
        apart = np.linalg.norm(goal[:3, 3] - self._scene.poses[self.frame][:3, 3])
        arrived = apart < _SEEN * self._scene.reach or time.monotonic() > end  # or still on its way
        return "" if arrived else "out of reach: the robot is as near as it comes"

    def near(
        self, T: Array, frame: int, start: Mapping[str, float] | None = None, seconds: float = math.inf
    ) -> dict[str, float] | None:
        """The joints that bring a frame to a pose, found from where the robot stands, or from a start.

        None where they were not found, or not within so many seconds.
        """
        joints = self._towards(T, frame, time.monotonic() + seconds, start)
        left = np.abs(self.pose_at(joints, frame) - T).max()
        return joints if left < _SEEN * max(1.0, self._scene.reach) else None

    def starts(self, count: int, near: float | None = None) -> Iterator[dict[str, float]]:
        """Positions all over, or near this one, with the loops closed: at most so many; not every try closes them."""
        robot, draw = self.drawn, random_numbers("starts of a search")
        limits = {slider.name: (slider.lower, slider.upper) for slider in self.sliders}
        for _ in range(count):
            tried = dict(self._scene.joints)
            for j in robot.tree_joints:
                name = robot.variable(j)
                around = self._scene.reach if self._slides(j) else math.pi
                low, high = limits.get(name, (tried[name] - around, tried[name] + around))
                tried[name] = draw.uniform(low, high) if near is None else tried[name] + draw.uniform(-near, near)
            if not robot.loops:
                yield self._coupled(tried)
                continue
            with suppress(InputError):
                yield self._scene.mover.posture.near(tried, ())

    def is_redundant(self, frame: int) -> bool:
        """Whether the motors can move while a frame stays where it is, not in a singular position alone."""
        for joints in (self._scene.joints, *self.starts(_BESIDE, _ASIDE)):
            J = self._by_motors(joints, frame)
            if J.size and int(np.linalg.matrix_rank(J, tol=RANK * np.linalg.norm(J, 2))) == J.shape[1]:
                return False
        return True

    def _towards(
        self, goal: Array, frame: int, end: float, start: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """As near to a pose as Newton's method comes, until a time."""
        reach = self._scene.reach
        here = dict(self._scene.joints if start is None else start)
        few = self._motions(here).shape[1]
        turns = 0.0 if few <= 3 else _TURNS * reach if few < 6 else reach
        weights = np.array([1.0, 1.0, 1.0, turns, turns, turns]) / reach
        error, damping = self._left(here, goal, weights, frame), _DAMPING
        for _ in range(_ROUNDS):
            size = float(np.linalg.norm(error))
            if size < _REACHED or time.monotonic() > end:
                break
            poses = self._scene.mover.poses(here)
            N = self._motions(here, cut=True)
            A = weights[:, None] * (self._tree_columns(poses, frame) @ N[: len(self.drawn.tree_joints)])
            better = False
            for _ in range(4):
                step = N @ np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), A.T @ error)
                tried = self._stepped(here, step)
                left = self._left(tried, goal, weights, frame) if tried is not None else error
                if tried is not None and np.linalg.norm(left) < (1 - _BETTER) * size:
                    here, error, damping, better = tried, left, max(damping / 10, _LEAST_DAMPING), True
                    break
                damping = min(damping * 30, 1e3)
            if not better:
                break
        return here

    def _left(self, joints: Mapping[str, float], goal: Array, weights: Array, frame: int) -> Array:
        return np.asarray(weights * displacement(self.pose_at(joints, frame), goal))

    def _stepped(self, joints: Mapping[str, float], step: Array) -> dict[str, float] | None:
        """The joints moved by a step, within their limits and with the loops closed; None where they stay open."""
        robot = self.drawn
        closing = self._scene.mover.posture.closing
        movers = robot.tree_joints if closing is None else closing.gaps.joints
        scale = np.array([self._scene.reach if self._slides(j) else 1.0 for j in movers])
        most = float(np.abs(step / scale).max(initial=0.0))
        step = step * min(1.0, _LONGEST / most) if most else step
        moved = dict(joints)
        for j, change in zip(movers, step, strict=True):
            limits, name = robot.joint(j).limits, robot.variable(j)
            value = moved[name] + float(change)
            low = -math.inf if limits.lower is None else min(limits.lower, moved[name])
            high = math.inf if limits.upper is None else max(limits.upper, moved[name])
            moved[name] = min(high, max(low, value))
        if not robot.loops:
            return self._coupled(moved)
        try:
            closed = self._scene.mover.posture.near(moved, ())
        except InputError:
            return None
        return None if self._jumps(joints, closed) else closed


def _drawn_by(robot: Robot) -> tuple[Any, ...]:
    """All that a picture and its sliders depend on."""
    frames = [(f.ant, f.sigma, f.mu, *(canonical_text(getattr(f, name)) for name in GEOMETRY)) for f in robot.frames]
    joints = [(joint.name, joint.limits) for joint in robot.joints]
    more = [sorted(getattr(robot, name).items()) for name in ("position", "picture", "frame_names")]
    couplings = sorted((name, sorted(c.ratios.items()), c.offset) for name, c in robot.couplings.items())
    gravity = [canonical_text(g) for g in robot.gravity]
    return robot.name, robot.title, robot.NL, robot.NJ, robot.modules, frames, joints, more, couplings, gravity


def roll_pitch_yaw(T: Any) -> tuple[float, float, float]:
    """Angles about the fixed axes x, y, z of a pose, as `--pose` takes them; where pitch is a right angle yaw is 0."""
    R = np.asarray(T, dtype=float)[:3, :3]
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    if level < _STIFF:
        return math.atan2(math.copysign(1.0, pitch) * R[0, 1], R[1, 1]), pitch, 0.0
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def pose_of(position: Sequence[float], angles: Sequence[float]) -> Array:
    """The pose (4, 4) of a position and roll, pitch and yaw."""
    from robosym.app.menus.typed_poses import pose_from

    return np.asarray(pose_from(",".join(repr(float(x)) for x in (*position, *angles))))
