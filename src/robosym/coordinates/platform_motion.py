"""The motion of a platform in the models: its pose, twist and acceleration in frame 0 as inputs, and its points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from robosym.algebra import Expr
from robosym.mechanism import Robot
from robosym.mechanism.motion import BaseMotion, frame_transform, products, u_matrix
from robosym.model import Workspace
from robosym.spatial import Mat3, Transform, Vec3

__all__ = ["ACCELERATION", "BASE", "OF_PLATFORM", "POSE", "TWIST", "PlatformMotion", "platform_groups"]

POSE = (*(f"R{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)), "PX", "PY", "PZ")
TWIST = ("VX", "VY", "VZ", "WX", "WY", "WZ")
ACCELERATION = ("VPX", "VPY", "VPZ", "WPX", "WPY", "WPZ")
#: angular velocity and acceleration of the base, and the acceleration of its origin minus gravity, in frame 0
BASE = tuple(f"B{part}{axis}_" for part in ("W", "WP", "VP") for axis in (1, 2, 3))
#: groups of inputs of joints, and the groups that replace them for a platform
OF_PLATFORM = {"q": "pose", "qd": "twist", "qdd": "acceleration"}
_NAMES = {"pose": POSE, "twist": TWIST, "acceleration": ACCELERATION}


def platform_groups(groups: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the groups of a platform's motion that replace those of joints, and the others except a base motion."""
    motion = tuple(OF_PLATFORM[group] for group in groups if group in OF_PLATFORM)
    others = ("tau", "wrench", "gravity", "parameters")
    return motion, tuple(group for group in groups if group in others)


class PlatformMotion:
    """A workspace of a parallel robot whose first inputs are the `groups` of the motion of its platform."""

    def __init__(
        self,
        robot: Robot,
        groups: tuple[str, ...],
        others: tuple[str, ...] = ("parameters",),
        constants: Mapping[str, float] | None = None,
        still: Collection[int] = (),
        carried: bool = False,
    ) -> None:
        """Prepare the motion of the platform.

        `constants` are entries of the pose that are the same in all positions; `still` are components of twist and
        acceleration that are always zero. With `carried` the base moves, and its motion is an input.
        """
        self.robot = robot
        self.work = work = Workspace(robot, others, {"tau": robot.motors})
        given: dict[str, list[Expr]] = {}
        for group in reversed(groups):
            given[group] = work.input(group, _NAMES[group], first=True)
            for place, name in enumerate(_NAMES[group]):
                if group == "pose" and constants and name in constants:
                    given[group][place] = work.graph.number(constants[name])
                elif group != "pose" and place in still:
                    given[group][place] = work.graph.zero
        zeros = 6 * [work.graph.zero]
        pose = given["pose"]
        self.R, self.P = Mat3.of(*pose[:9]), Vec3(*pose[9:])
        (self.v, self.w), (self.vp, self.wp) = (
            (Vec3(*values[:3]), Vec3(*values[3:]))
            for values in (given.get("twist", zeros), given.get("acceleration", zeros))
        )
        self.U = u_matrix(products(self.w), self.wp)
        self.gravity = Vec3(*map(work.value, robot.gravity))
        self.base: BaseMotion | None = self._moving_base() if carried else None  #: minus gravity, where it moves
        self._stations: dict[int, Vec3] = {}

    def _moving_base(self) -> BaseMotion:
        work = self.work
        w = work.input("base_velocity", BASE[:3])
        wp_vp = work.input("base_acceleration", BASE[3:])
        none = work.graph.zero
        return BaseMotion(Vec3(*w), Vec3(*wp_vp[:3]), Vec3(none, none, none), Vec3(*wp_vp[3:]))

    @property
    def motion_less_gravity(self) -> tuple[Vec3, Vec3, Vec3]:
        """Angular velocity and acceleration, and acceleration of the origin minus gravity, relative to the world."""
        if self.base is None:
            return self.w, self.wp, self.vp - self.gravity
        base = self.base
        U = u_matrix(products(base.w), base.wp)
        turning = base.wp + self.wp + base.w.cross(self.w)
        return base.w + self.w, turning, base.vp + U @ self.P + self.vp + base.w.cross(self.v) * 2

    def accelerate(self, linear: Vec3, angular: Vec3) -> None:
        """Give the platform an acceleration that is computed and not an input."""
        self.vp, self.wp = linear, angular
        self.U = u_matrix(products(self.w), self.wp)

    def place(self, leg: int) -> Transform:
        """Return the last frame of leg `leg` (from 0) relative to the platform."""
        return frame_transform(self.robot.places[leg], self.work.value, self.robot.legs[leg][-1])

    def station(self, leg: int) -> Vec3:
        """Return the vector from the platform origin to that of a leg's last frame, in frame 0: L of GS 5."""
        if leg not in self._stations:
            self._stations[leg] = self.R @ self.place(leg).P
        return self._stations[leg]

    def velocity(self, L: Vec3) -> Vec3:
        """Return the velocity of a point of the platform (GS 5)."""
        return self.v + self.w.cross(L)

    def acceleration(self, L: Vec3) -> Vec3:
        """Return the acceleration of a point of the platform (GS 6)."""
        return self.vp + self.U @ L

    def apparent(self, L: Vec3) -> Vec3:
        """Return the acceleration of a point of the platform, minus gravity."""
        return self.vp - self.gravity + self.U @ L
