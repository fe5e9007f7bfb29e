"""What the rates of the joints alone make of the acceleration across a cut (guide 2.7, equation 2.40a)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.algebra import Expr
from robosym.coordinates.structure import Loop
from robosym.mechanism import Robot
from robosym.mechanism.motion import AT_REST, acceleration_pass, hinges, products, u_matrix, velocity_pass
from robosym.mechanism.path import Poses, path
from robosym.model import Note
from robosym.spatial import Vec3

__all__ = ["drift_across"]


def drift_across(
    robot: Robot, loop: Loop, poses: Poses, value: Callable[[Expr], Any], rate: Callable[[int], Any], note: Note
) -> tuple[Vec3, Vec3]:
    """Acceleration of the near side of the cut less that of the far side, joint accelerations zero: linear, angular.

    Both at the origin of the fixed frame and in it, the motion of the root left out: both sides share it.
    """
    i, e = robot.frame(loop.cut).ant, loop.fixed
    sides = path(robot, loop.root, i)[1], path(robot, loop.root, e)[1]
    frames = hinges(robot, sorted({*sides[0], *sides[1]}), value, note, accelerated=False, rate=rate)
    speed = velocity_pass(frames, AT_REST, note, root=loop.root)
    gain = acceleration_pass(frames, AT_REST, speed, note, root=loop.root)
    kind = robot.frame(loop.cut).joint_type
    to_cut = poses(i, e if kind.slides else loop.cut).P  # where it turns the origin stays on link i
    turn = poses(e, i).A
    w, wp = turn @ speed.w[i], turn @ gain.wp[i]
    v = turn @ (speed.v[i] + speed.w[i].cross(to_cut))
    vp = turn @ (gain.vp[i] + u_matrix(products(speed.w[i]), gain.wp[i]) @ to_cut)
    linear, angular = vp - gain.vp[e], wp - gain.wp[e]
    z = Vec3(0, 0, 1)
    if kind.turns:
        angular = angular + w.cross(z) * (speed.w[e].z - w.z)
    if kind.slides:
        linear = linear + w.cross(z) * (2 * (speed.v[e].z - v.z))
    return linear, angular
