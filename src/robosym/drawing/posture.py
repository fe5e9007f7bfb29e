"""The posture of a drawn robot: joints set by sliders, passive joints, poses, and dragging of the flange.

All computations are numeric: the robot is drawn with numbers in place of its symbols, and moves within milliseconds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.canonical import canonical_text
from robosym.algebra.once import cached_property
from robosym.coordinates.numeric_robot import NumericRobot
from robosym.drawing.drawn_frames import DrawnFrames
from robosym.drawing.scene import Scene, scene, substitute_values
from robosym.drawing.turning_page import stage_data, start_of_view
from robosym.drawing.view import seen
from robosym.errors import Error, InputError, closest
from robosym.formats.placements import roll_pitch_yaw_of
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.screws import ANGLES
from robosym.solve.reaching import lead_frame, lead_joints
from robosym.spatial import Mat3

__all__ = ["FlangeReading", "JointSlider", "Posture", "SymbolNumber", "numbers_of_symbols"]

_TURNS = 0.35  #: weight of one radian relative to the reach, if both errors cannot vanish
_SEEN = 1e-6  #: a distance from the goal above this part of the reach is reported
_DIGITS = 7  #: digits of numbers that are sent to the page


@dataclass(frozen=True)
class JointSlider:
    """A joint with a slider, in rad or m."""

    name: str  #: the joint variable
    label: str  #: the joint's own name, or the variable
    joint: int  #: the number of its frame
    slides: bool
    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class SymbolNumber:
    """A symbol of the frames and the number that replaces it in the picture."""

    name: str
    value: float
    unit: str  #: "m" or "rad"


def numbers_of_symbols(robot: Robot, values: Mapping[str, float]) -> list[SymbolNumber]:
    """Return the symbols of the frames with numbers: those in `values`, or chosen ones; loops may be open."""
    closed = robot.to_closed()
    numbers, fields = substitute_values(closed, values), dict[str, set[str]]()
    for frame in closed.frames:
        for name in GEOMETRY:
            for symbol in symbols([getattr(frame, name)]):
                fields.setdefault(symbol, set()).add(name)
    return [SymbolNumber(n, v, "rad" if fields[n] <= set(ANGLES) else "m") for n, v in numbers.items()]


@dataclass(frozen=True)
class FlangeReading:
    """The pose of a frame, and its dexterity there."""

    frame: int
    position: tuple[float, float, float]
    angles: tuple[float, float, float]  #: roll, pitch and yaw about the fixed axes x, y, z, rad
    matrix: tuple[tuple[float, ...], ...]
    manipulability: float


class Posture:
    """A numeric robot at a position. Methods that move it return a warning, or "" if there is none."""

    def __init__(
        self, robot: Robot, joints: Mapping[str, float] | None = None,
        values: Mapping[str, float] | None = None, notify: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.robot = robot
        self.notify = notify or (lambda what: None)
        self.closed = robot.to_closed()
        known = substitute_values(self.closed, {})
        self.values = {name: value for name, value in (values or {}).items() if name in known}
        self._stand(dict(joints or {}))
        self.frame = self.frames.ends[0]
        self.sliders_home = {s.name: s for s in self._ranges()}

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def drawn(self) -> Robot:
        """The numeric robot, with loops in place of a platform."""
        return self._scene.robot

    @property
    def numeric(self) -> NumericRobot:
        """The drawn robot with its kinematics."""
        return self._scene.numeric

    @property
    def joints(self) -> dict[str, float]:
        """All joint positions by variable, including those of cut joints."""
        return dict(self._scene.joints)

    def _stand(self, joints: Mapping[str, float]) -> None:
        """Build the scene with numbers for the symbols, as close as possible to these joint positions."""
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

    # ------------------------------------------------------------------ displayed parts

    @property
    def movable(self) -> tuple[int, ...]:
        """The joints with sliders: all independent joints of an open robot, the motors of a closed one."""
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
        """The sliders with current values; a range is extended if the joint was dragged beyond it."""
        at = self._scene.joints
        return [
            replace(s, value=at[s.name], lower=min(s.lower, at[s.name]), upper=max(s.upper, at[s.name]))
            for s in self.sliders_home.values()
        ]

    @property
    def passive(self) -> dict[str, float]:
        """The passive joints of the tree."""
        moved = {self.closed.variable(j) for j in self.movable}
        return {
            n: self._scene.joints[n] for j in self.closed.tree_joints if (n := self.closed.variable(j)) not in moved
        }

    def turns(self, name: str) -> bool:
        """Whether a joint is revolute; otherwise it is prismatic."""
        return self.closed.frame(self.closed.variables.index(name) + 1).joint_type.turns

    def distance(self, joints: Mapping[str, float]) -> float:
        """Return the distance between joint positions and the current ones, modulo full turns."""
        names = [self.closed.variable(j) for j in self.closed.tree_joints]
        apart = {name: joints[name] - self._scene.joints[name] for name in names}
        return sum((math.remainder(d, 2 * math.pi) if self.turns(name) else d) ** 2 for name, d in apart.items())

    def state(self) -> list[float]:
        """The initial state of a simulation: tree joints, or the pose of a platform (R row by row, then P)."""
        joints = [float(self._scene.joints[self.closed.variable(j)]) for j in self.closed.tree_joints]
        T = self._scene.poses[self.frames.ends[0]]
        return {"platform": [*map(float, (*T[:3, :3].ravel(), *T[:3, 3]))]}.get(self.robot.coordinates, joints)

    @property
    def symbols(self) -> list[SymbolNumber]:
        """The symbols of the frames with their numbers in the picture; the description does not contain them."""
        return numbers_of_symbols(self.closed, self.values)

    def data(self, size: tuple[float, float] = (456, 456)) -> dict[str, Any]:
        """The scene as data: solids, axes, frames, labels and the initial viewpoint."""
        view = seen(self._scene, "auto", size)
        return stage_data(view) | {"start": start_of_view(view, {}), "flange": self.frame, "labels": self.frames.labels}

    @cached_property
    def frames(self) -> DrawnFrames:
        """The frames of the picture: their rows in the tables, their labels, and the ends of the robot."""
        plates = [solid.link for solid in self._scene.solids if solid.kind == "plate" and solid.link]
        return DrawnFrames(self.robot, self.closed, plates)

    def poses(self, joints: Mapping[str, float] | None = None) -> list[list[float]]:
        """Return 0Tj of every frame as twelve numbers, at the current or other joint positions."""
        found = self._scene.poses if joints is None else self.numeric.poses(joints)
        return [[float(x) for x in row] for row in np.round(found[:, :3].reshape(len(found), 12), _DIGITS)]

    # ------------------------------------------------------------------ motion

    def move(self, name: str, value: float) -> str:
        """Move a joint and the passive joints; the motion stops where the loops cannot close."""
        return self.place({name: value})

    def place(self, wanted: Mapping[str, float]) -> str:
        """Set several joints at once."""
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
        """Take these joint positions, which already close the loops."""
        self._scene = self._scene.standing(joints)
        self.notify("posture")

    def home(self) -> str:
        """Return to the initial position."""
        self._scene = scene(self.robot, None, values=self.values)
        self.notify("posture")
        return ""

    def settle(self, name: str, value: float) -> str:
        """Change the number of a symbol; joint positions are kept if possible."""
        known = {symbol.name: symbol.value for symbol in self.symbols}
        if name not in known:
            raise InputError(f"{self.closed.name} has no symbol {name}{closest(name, known)}")
        if not math.isfinite(value):
            raise InputError(f"{name}: expected a finite number, found {value!r}")
        before = self.values
        self.values = known | {name: float(value)}  # chosen numbers of other symbols stay as they are
        try:
            self._stand(self._scene.joints)
        except Error as error:
            self.values = before
            return str(error)
        self.sliders_home = {s.name: s for s in self._ranges()}
        self.notify("symbols")
        return ""

    def again(self, robot: Robot) -> Posture:
        """Return the posture of a changed robot, at the same position if possible."""
        if _drawn_by(robot) == _drawn_by(self.robot):
            same = copy(self)
            same.robot = robot
            same.closed = robot.to_closed()
            return same
        made = Posture(robot, self._scene.joints, self.values, self.notify)
        if self.frame in made.frames.ends or self.frame <= made.drawn.NF:
            made.frame = self.frame if self.frame != self.frames.ends[0] else made.frames.ends[0]
        return made

    # ------------------------------------------------------------------ frames and poses

    def whole(self, joints: Mapping[str, float]) -> dict[str, float]:
        """Return all joint positions from those of the tree.

        Joints that are not given keep their positions; cut and coupled joints follow.
        """
        return self.numeric.whole(joints, self._scene.joints)

    def stand(self, joints: Mapping[str, float]) -> None:
        """Set all joint positions, which must close the loops."""
        self._take(self.whole(joints))

    def look_at(self, frame: int) -> None:
        """Select the frame that is dragged and whose pose is shown."""
        self.frame = self.drawn.frame_number(frame, 1)
        self.notify("posture")

    def reading(self) -> FlangeReading:
        """Return the pose and the dexterity of the selected frame."""
        T = self._scene.poses[self.frame]
        x, y, z = (float(v) for v in T[:3, 3])
        angles = roll_pitch_yaw_of(Mat3.of(*T[:3, :3].ravel()))
        matrix = tuple(tuple(float(v) for v in row) for row in T)
        measure = self.numeric.manipulability(self._scene.joints, self.frame)
        return FlangeReading(self.frame, (x, y, z), angles, matrix, measure)

    # ------------------------------------------------------------------ leading the flange

    def lead(self, T: Any, seconds: float = math.inf) -> str:
        """Move the selected frame to a pose (4, 4), or as close to it as damped least squares gets from here.

        The iteration stops after `seconds`; the next call continues from there while the user drags the frame.
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
        return "" if arrived else "out of reach: the robot is at the closest pose"


def _drawn_by(robot: Robot) -> tuple[Any, ...]:
    """Return everything that the picture and its sliders depend on."""
    frames = [(f.ant, f.sigma, f.mu, *(canonical_text(getattr(f, name)) for name in GEOMETRY)) for f in robot.frames]
    joints = [(joint.name, joint.limits) for joint in robot.joints]
    more = [sorted(getattr(robot, name).items()) for name in ("position", "picture", "frame_names")]
    couplings = sorted((name, sorted(c.ratios.items()), c.offset) for name, c in robot.couplings.items())
    gravity = [canonical_text(g) for g in robot.gravity]
    return robot.name, robot.title, robot.NL, robot.NJ, robot.modules, frames, joints, more, couplings, gravity
