"""How a robot stands on the page: its joints by sliders, the passive ones following, poses, and the flange led by hand.

Everything here is numbers: the robot is drawn with its symbols replaced, and moves in steps of a few milliseconds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import cached_property
from robosym.app.session.drawn_frames import DrawnFrames
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.drawing.parts import Array
from robosym.drawing.scene import Scene, scene, stand_ins
from robosym.drawing.turning_page import stage_data, start_of_view
from robosym.drawing.view import seen
from robosym.errors import Error, InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.screws import ANGLES
from robosym.solve.reaching import lead_frame, lead_joints

__all__ = ["FlangeReading", "JointSlider", "Posture", "SymbolNumber", "roll_pitch_yaw"]

_TURNS = 0.35  #: what a radian counts against a reach, where both cannot be had
_LEVEL = 1e-6  #: below this cosine of the pitch, roll and yaw are not told apart
_SEEN = 1e-6  #: of the reach: what is farther from where it was led is told
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


class Posture:
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
        self.frame = self.frames.ends[0]
        self.sliders_home = {s.name: s for s in self._ranges()}

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def drawn(self) -> Robot:
        """The robot in numbers, with loops where it has a platform."""
        return self._scene.robot

    @property
    def numeric(self) -> NumericRobot:
        """The same, with its kinematics."""
        return self._scene.numeric

    @property
    def joints(self) -> dict[str, float]:
        """All joints by variable, cut ones included."""
        return dict(self._scene.joints)

    def _stand(self, joints: Mapping[str, float]) -> None:
        """The scene with the numbers of its symbols, as near to these joints as they allow."""
        own = {name: value for name, value in joints.items() if name in self.closed.variables}
        names = [self.closed.variable(j) for j in self.closed.tree_joints if self.closed.frame(j).mu]
        motors = {name: own[name] for name in names if name in own}
        tree = [self.closed.variable(j) for j in self.closed.tree_joints]
        tries: list[Mapping[str, float] | None] = []
        if own and not self.closed.loops:
            tries.append({name: own.get(name, 0.0) for name in tree})
        elif motors and len(motors) == len(names):
            tries.append(motors)
        for number, q in enumerate([*tries, None]):
            try:
                self._scene = scene(self.robot, q, values=self.values)
                return
            except InputError:
                if number == len(tries):
                    raise

    # ------------------------------------------------------------------ what is shown

    @property
    def movable(self) -> tuple[int, ...]:
        """The joints that have sliders: all of an open robot but those that others move, the motors of a closed one."""
        return self.numeric.movable

    def _ranges(self) -> list[JointSlider]:
        robot, at = self.drawn, self._scene.joints
        found = []
        for j in self.movable:
            name = robot.variable(j)
            low, high = self.numeric.range_of(j, at[name], self._scene.reach)
            slides = self.numeric.slides(j)
            found.append(JointSlider(name, robot.joint(j).name or name, j, slides, at[name], low, high))
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

    def turns(self, name: str) -> bool:
        """Whether a joint turns; it slides where it does not."""
        return self.closed.frame(self.closed.variables.index(name) + 1).joint_type.turns

    def distance(self, joints: Mapping[str, float]) -> float:
        """How far other joints are from those of now, turns left out."""
        names = [self.closed.variable(j) for j in self.closed.tree_joints]
        apart = {name: joints[name] - self._scene.joints[name] for name in names}
        return sum((math.remainder(d, 2 * math.pi) if self.turns(name) else d) ** 2 for name, d in apart.items())

    def state(self) -> list[float]:
        """Where a simulation would begin: the joints of the tree, or the pose of a platform, R row by row, then P."""
        joints = [float(self._scene.joints[self.closed.variable(j)]) for j in self.closed.tree_joints]
        T = self._scene.poses[self.frames.ends[0]]
        return {"platform": [*map(float, (*T[:3, :3].ravel(), *T[:3, 3]))]}.get(self.robot.coordinates, joints)

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
        return stage_data(view) | {"start": start_of_view(view, {}), "flange": self.frame, "labels": self.frames.labels}

    @cached_property
    def frames(self) -> DrawnFrames:
        """The frames of the picture: their rows in the tables, their names, and which of them end the robot."""
        plates = [solid.link for solid in self._scene.solids if solid.kind == "plate" and solid.link]
        return DrawnFrames(self.robot, self.closed, plates)

    def poses(self, joints: Mapping[str, float] | None = None) -> list[list[float]]:
        """0Tj of every frame as twelve numbers, of now or at other joints: all that a move sends."""
        found = self._scene.poses if joints is None else self.numeric.poses(joints)
        return [[float(x) for x in row] for row in np.round(found[:, :3].reshape(len(found), 12), _DIGITS)]

    # ------------------------------------------------------------------ motion

    def move(self, name: str, value: float) -> str:
        """A joint to a position; of a closed robot the others follow, and it stops where its loops end."""
        return self.place({name: value})

    def place(self, wanted: Mapping[str, float]) -> str:
        """Several joints at once."""
        for name, value in wanted.items():
            if name not in self.numeric.names:
                raise InputError(f"{self.closed.name} has no joint {name}{closest(name, self.numeric.names)}")
            if not math.isfinite(value):
                raise InputError(f"{name}: expected a finite number, found {value!r}")
        if not self.closed.loops:
            self._take(self.numeric.coupled({**self._scene.joints, **wanted}))
            return ""
        joints, arrived = lead_joints(self.numeric, self._scene.joints, wanted)
        self._take(joints)
        return "" if arrived else f"{', '.join(wanted)} stops here: beyond, the loops cannot be closed"

    def _take(self, joints: Mapping[str, float]) -> None:
        """Stand there; the joints close the loops already."""
        self._scene = self._scene.standing(joints)
        self.tell("posture")

    def along(self, names: Sequence[str], q: Array, start: Mapping[str, float] | None = None) -> list[dict[str, float]]:
        """All joints at each of the positions q (samples, names); the robot stays where it is.

        A robot with loops follows from where it stands, or from a start; an error says where it cannot.
        """
        here = self.joints if start is None else self.whole(start)
        fixed = [self.closed.variables.index(name) + 1 for name in names]
        found = []
        for number, row in enumerate(q, 1):
            goal = here | {name: float(value) for name, value in zip(names, row, strict=True)}
            try:
                here = self.numeric.closed(goal, fixed)
            except InputError as error:
                raise InputError(f"sample {number} of {len(q)}: {error}") from None
            found.append(here)
        return found

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

    def again(self, robot: Robot) -> Posture:
        """A changed robot, standing as this one does where it can; where only masses differ, nothing is drawn anew."""
        if _drawn_by(robot) == _drawn_by(self.robot):
            same = copy(self)
            same.robot = robot
            same.closed = robot.to_closed()
            return same
        made = Posture(robot, self._scene.joints, self.values, self.tell)
        if self.frame in made.frames.ends or self.frame <= made.drawn.NF:
            made.frame = self.frame if self.frame != self.frames.ends[0] else made.frames.ends[0]
        return made

    # ------------------------------------------------------------------ frames and poses

    def whole(self, joints: Mapping[str, float]) -> dict[str, float]:
        """All joints from those of the tree: what is not given stays, cut joints follow, as do coupled ones."""
        return self.numeric.whole(joints, self._scene.joints)

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
            self.numeric.manipulability(self._scene.joints, self.frame),
        )  # fmt: skip

    # ------------------------------------------------------------------ leading the flange

    def lead(self, T: Any, seconds: float = math.inf) -> str:
        """The frame to a pose (4, 4), or as near as the robot comes from where it stands, by damped least squares.

        After so many seconds it stays where it has come to: a hand that leads it goes on from there.
        """
        goal = np.asarray(T, dtype=float)
        if goal.shape != (4, 4) or not np.isfinite(goal).all():
            raise InputError(f"T: expected a matrix (4, 4) of finite numbers, found an array of shape {goal.shape}")
        end = time.monotonic() + seconds
        freedom = self.numeric.rates(self._scene.joints).shape[1]
        turning = 0.0 if freedom <= 3 else _TURNS if freedom < 6 else 1.0
        self._take(lead_frame(self.numeric, self._scene.joints, self.frame, goal, seconds, turning=turning))
        apart = np.linalg.norm(goal[:3, 3] - self._scene.poses[self.frame][:3, 3])
        arrived = apart < _SEEN * self._scene.reach or time.monotonic() > end  # or still on its way
        return "" if arrived else "out of reach: the robot is as near as it comes"


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
    if level < _LEVEL:
        return math.atan2(math.copysign(1.0, pitch) * R[0, 1], R[1, 1]), pitch, 0.0
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def pose_of(position: Sequence[float], angles: Sequence[float]) -> Array:
    """The pose (4, 4) of a position and roll, pitch and yaw."""
    from robosym.app.menus.pose_texts import pose_from

    return np.asarray(pose_from(",".join(repr(float(x)) for x in (*position, *angles))))
