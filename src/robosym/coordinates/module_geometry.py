"""One module of a robot over a graph of its own: its end, and the columns of its Jacobian matrix.

A module knows nothing of the others. Its base has a motion (symbols `BASE`), its end carries a load (symbols `LOAD`).
A robot of modules in series is then a walk out over these functions and a walk back (`series.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from robosym.coordinates.legs import Legs, Wrench
from robosym.coordinates.platform_motion import BASE, PlatformMotion
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.bodies import tree_of
from robosym.mechanism.motion import BaseMotion
from robosym.model import Workspace
from robosym.spatial import Scalar, Transform, Vec3

__all__ = ["LOAD", "Arm", "LegsAndPlatform"]

#: what the module on the end asks of it: force, and moment about its origin, in the axes of the end
LOAD = tuple(f"L{part}{axis}_" for part in ("F", "C") for axis in (1, 2, 3))
_OTHERS = ("wrench", "gravity", "parameters")
_O = Vec3(0, 0, 0)


class Arm:
    """An arm whose last link, or another, carries the next module."""

    def __init__(self, robot: Robot, end: int, offset: int) -> None:
        elastic = [j for j in robot.tree_joints if robot.joint(j).eta]
        if elastic:
            raise InputError(
                f"{robot.name}: {robot.variable(elastic[0])} is elastic: expected an arm without springs in a hybrid "
                "robot; pass the robot with loops of to_closed()"
            )
        self.robot, self.number, self.motors = robot, end, robot.tree_joints
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

    @property
    def pose(self) -> Transform:
        T, j = Transform.identity(), self.number
        while j:
            body = self.tree.body(j)
            T, j = body.T @ T, body.ant
        return T

    def columns(self) -> list[list[Scalar]]:
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
                linear, angular = body.joint.twist(z, T.P - here.P)
                found[j] = [*linear, *angular]
        zero = self.work.graph.zero
        return [found.get(j, [zero] * 6) for j in self.robot.tree_joints]


class LegsAndPlatform:
    """Legs whose platform carries the next module."""

    def __init__(self, robot: Robot, offset: int, modes: Sequence[int] | None = None, carried: bool = True) -> None:
        """`carried`: its base moves, and is asked for a reaction; otherwise it is frame 0 of the robot."""
        self.robot, self.motors = robot, robot.motors
        self.legs = Legs(robot, ("pose", "twist", "acceleration"), _OTHERS, modes, carried=carried)
        self.work = self.legs.work
        self.work.note = _shifted(self.work.note, offset)
        self.load = _load(self.work)

    @property
    def motion(self) -> PlatformMotion:
        return self.legs.motion

    @property
    def pose(self) -> Transform:
        return Transform(self.motion.R, self.motion.P)

    def columns(self) -> list[list[Any]]:
        """The twist of the platform by the velocities of the motors, a column a motor."""
        _, E = self.legs.basis
        return (E @ self.legs.by_motors()).T.rows


def _load(work: Workspace) -> Wrench:
    symbols = work.input("T", LOAD)  # any group whose values change: these symbols do not outlive the module
    return Vec3(*symbols[:3]), Vec3(*symbols[3:])


def _shifted(note: Any, offset: int) -> Any:
    """Names with the numbers that frames have in the whole robot."""
    return lambda prefix, j, value: note(prefix, j + offset, value)
