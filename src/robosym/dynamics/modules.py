"""One module of a hybrid robot over a graph of its own: what it takes, from the motion of its base and the load on its
end.

A module knows nothing of the others. Its base has a motion (symbols `BASE`), its end carries a load (symbols `LOAD`);
it says how its end moves, which generalised forces its motion takes, and what it asks of its base. A hybrid robot is
then a walk out over these functions and a walk back (RNE, hybrid structures).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from robosym.algebra.linear.regular import solve_where_regular
from robosym.coordinates.legs import Legs, Wrench
from robosym.coordinates.platform_motion import ACCELERATION, BASE, PlatformMotion
from robosym.dynamics.balance import balance, drift_of, joint_efforts, platform_wrench, total
from robosym.dynamics.newton_euler import Efforts, newton_euler, outward
from robosym.dynamics.platform_acceleration import strut_load
from robosym.errors import InputError
from robosym.mechanism import Parallel, Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.mechanism.motion import BaseMotion
from robosym.model import Workspace
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import sum_of

__all__ = ["LOAD", "Arm", "EndMotion", "ModuleModel", "Platform"]

#: what the module on the end asks of it: force, and moment about its origin, in the axes of the end
LOAD = tuple(f"L{part}{axis}_" for part in ("F", "C") for axis in (1, 2, 3))
_OTHERS = ("wrench", "gravity", "parameters")
_O = Vec3(0, 0, 0)


@dataclass(frozen=True)
class EndMotion:
    """Of the end of a module, in its own axes: angular velocity and acceleration, acceleration less gravity."""

    w: Vec3
    wp: Vec3
    vp: Vec3

    def entries(self) -> tuple[Any, ...]:
        return (*self.w, *self.wp, *self.vp)


class ModuleModel(Protocol):
    """A module in motion; expressions are of `work.graph`."""

    work: Workspace
    coordinates: tuple[str, ...]  #: the accelerations along its freedom: symbols of inputs

    @property
    def end(self) -> EndMotion: ...
    @property
    def pose(self) -> Transform: ...
    def needed(self) -> list[Any]:
        """Generalised forces that the motion takes, along its coordinates."""
        ...

    def forces(self) -> dict[int, Any]:
        """Efforts of the motors, by the module's own numbers, that the motion takes."""
        ...

    def given(self, efforts: dict[int, Any]) -> list[Any]:
        """Generalised forces that the motors give."""
        ...

    def reaction(self) -> Wrench:
        """What the module asks of its base: force and moment about its origin, in frame 0 of the module."""
        ...


def _load(work: Workspace) -> Wrench:
    symbols = work.input("T", LOAD)  # any group whose values change: these symbols do not outlive the module
    return Vec3(*symbols[:3]), Vec3(*symbols[3:])


def at_base(tree: Tree, efforts: Efforts) -> Wrench:
    """What all bodies that stand on the base ask of it, about its origin."""
    force, moment = _O, _O
    for j, body in tree.items():
        if body.ant == 0:
            f = body.T.A @ efforts.f[j]
            force, moment = force + f, moment + body.T.A @ efforts.n[j] + body.T.P.cross(f)
    return force, moment


class Arm:
    """An arm whose last link, or another, carries the next module."""

    def __init__(self, robot: Robot, end: int, offset: int) -> None:
        elastic = [j for j in robot.tree_joints if robot.joint(j).eta]
        if elastic:
            raise InputError(
                f"{robot.name}: {robot.variable(elastic[0])} is elastic: expected an arm without springs in a hybrid "
                "robot; pass the robot with loops of to_closed()"
            )
        self.robot, self.number = robot, end
        self.work = work = Workspace(robot, ("q", "qd", "qdd", *_OTHERS))
        work.note = _shifted(work.note, offset)
        w = work.input("base_velocity", BASE[:3])
        rest = work.input("base_acceleration", BASE[3:])
        self.base = BaseMotion(Vec3(*w), Vec3(*rest[:3]), _O, Vec3(*rest[3:]))
        self.coordinates = tuple(str(robot.joint(j).QDP.value) for j in robot.tree_joints)
        f, n = _load(work)
        tree = tree_of(robot, work.value)
        bodies = list(tree.bodies)
        loaded = tree.body(end)
        bodies[end] = replace(loaded, force=loaded.force + f, moment=loaded.moment + n)
        self.tree = replace(tree, bodies=bodies, base=self.base)
        self._efforts: Efforts | None = None

    @property
    def end(self) -> EndMotion:
        motion = outward(self.tree)
        return EndMotion(*(part[self.number] for part in (motion.w, motion.wp, motion.vp)))

    @property
    def pose(self) -> Transform:
        T, j = Transform.identity(), self.number
        while j:
            body = self.tree.body(j)
            T, j = body.T @ T, body.ant
        return T

    def efforts(self) -> Efforts:
        if self._efforts is None:
            self._efforts = newton_euler(self.tree, self.work.note)
        return self._efforts

    def needed(self) -> list[Any]:
        along = self.efforts().along
        return [self.tree.body(j).torque(along[j]) for j in self.robot.tree_joints]

    def forces(self) -> dict[int, Any]:
        return dict(zip(self.robot.tree_joints, self.needed(), strict=True))

    def given(self, efforts: dict[int, Any]) -> list[Any]:
        return [efforts[j] for j in self.robot.tree_joints]

    def reaction(self) -> Wrench:
        return at_base(self.tree, self.efforts())

    def columns(self) -> list[list[Any]]:
        """The twist of the end in frame 0 of the module by the rates of the joints, a column a joint."""
        T, path, j = self.pose, [], self.number
        while j:
            path.append(j)
            j = self.tree.body(j).ant
        here, found = Transform.identity(), {}
        for j in reversed(path):
            body = self.tree.body(j)
            here = here @ body.T
            z = here.A.z_axis
            if body.joint.moves:
                turn, slide = body.joint.angular, body.joint.linear
                found[j] = [*(z.cross(T.P - here.P) * turn + z * slide), *(z * turn)]
        zero = self.work.graph.zero
        return [found.get(j, [zero] * 6) for j in self.robot.tree_joints]


class Platform:
    """A parallel robot whose platform carries the next module."""

    def __init__(self, robot: Parallel, offset: int, modes: Sequence[int] | None = None, carried: bool = True) -> None:
        """`carried`: its base moves, and is asked for a reaction; otherwise it is frame 0 of the robot."""
        self.robot = robot
        self.legs = Legs(robot, ("pose", "twist", "acceleration"), _OTHERS, modes, carried=carried)
        self.work = self.legs.work
        self.work.note = _shifted(self.work.note, offset)
        self.load = _load(self.work)
        self._tree: tuple[Tree, Efforts] | None = None

    @property
    def motion(self) -> PlatformMotion:
        return self.legs.motion

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(ACCELERATION[r] for r in self.legs.basis[0])

    def along(self, accelerations: Sequence[Any]) -> list[Any]:
        """The six accelerations of the platform from those of its coordinates."""
        _, E = self.legs.basis
        drift = drift_of(self.legs)
        return [drift[r] + sum_of(e * a for e, a in zip(E[r], accelerations, strict=True)) for r in range(6)]

    @property
    def end(self) -> EndMotion:
        back = self.motion.R.T
        return EndMotion(*(back @ part for part in self.motion.felt_motion))

    @property
    def pose(self) -> Transform:
        return Transform(self.motion.R, self.motion.P)

    def _moving(self) -> tuple[Tree, Efforts]:
        if self._tree is None:
            tree = self.legs.moving()
            self._tree = tree, newton_euler(tree, self.work.note)
        return self._tree

    def _platform(self) -> Wrench:
        """What the platform takes with its load, about its origin in frame 0 of the module."""
        return platform_wrench(self.legs, self.load)

    def _projected(self, motors: bool) -> list[Any]:
        """What the motion takes along the freedom; without `motors`, less what is the motors' own matter."""
        legs = self.legs
        efforts = joint_efforts(legs, *self._moving()) if legs.in_tree else []
        loads = [leg.wrench([H[j] for j in leg.joints]) for leg, H in zip(legs.legs, efforts, strict=True)]
        loads += [strut_load(strut, motors) for strut in legs.struts]
        return legs.projected(total([self._platform(), *loads]))

    def needed(self) -> list[Any]:
        return self._projected(motors=True)

    def forces(self) -> dict[int, Any]:
        return balance(self.legs, self._projected(motors=False))

    def given(self, efforts: dict[int, Any]) -> list[Any]:
        rows = [(efforts[j], self.legs.projected(row)) for j, row in self.legs.rows()]
        return [sum_of(row[k] * effort for effort, row in rows) for k in range(len(rows[0][1]))]

    def reaction(self) -> Wrench:
        f, n = self._platform()
        return total([at_base(*self._moving()), (f, n + self.motion.P.cross(f))])

    def columns(self) -> list[list[Any]]:
        """The twist of the platform by the velocities of the motors, a column a motor."""
        legs = self.legs
        zero = legs.work.graph.zero
        M = [[zero + x for x in legs.projected(row)] for _, row in legs.rows()]
        _, E = legs.basis
        freedom = len(E[0])
        if len(M) != freedom:
            raise InputError(f"{self.robot.name}: {len(M)} motors for {freedom} degrees of freedom: J is no inverse")
        unit = [[legs.work.graph.number(int(a == b)) for b in range(freedom)] for a in range(freedom)]
        X = solve_where_regular(M, unit, legs.sizes)
        return [[zero + sum_of(E[r][k] * X[k][m] for k in range(freedom)) for r in range(6)] for m in range(freedom)]


def _shifted(note: Any, offset: int) -> Any:
    """Names with the numbers that frames have in the whole robot."""
    return lambda prefix, j, value: note(prefix, j + offset, value)
