"""The robot with its links' mass regrouped along revolute axes, for any generator of joint torques or accelerations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robosym.dynamics.second_moments.moments import line_on_antecedent
from robosym.mechanism import INERTIA, Link, Robot
from robosym.mechanism.bodies import tree_of
from robosym.spatial import Vec3

__all__ = ["regrouped_onto_base", "regrouped_robot"]


def regrouped_robot(robot: Robot) -> Robot:
    """YY, MZ and M of every revolute link counted to its antecedent (guide 3.5.2.3, theorem 1), off line.

    Joint torques stay what they are; reactions do not.
    """
    return regrouped_onto_base(robot)[0]


def regrouped_onto_base(robot: Robot) -> tuple[Robot, Vec3]:
    """The same, and the first moments in frame 0 of what came to stand still: its weight does no work."""
    robot = robot.with_values({})  # a copy, in a graph of its own
    tree = tree_of(robot, lambda entry: entry)
    found = {j: body.inertia for j, body in tree.items()}
    still = Vec3(0, 0, 0)
    for j, body in tree.inward():
        if not j or not body.joint.only_turns or (body.ant == 0 and tree.bodies[0] is not None):
            continue
        found[j], line = found[j].parted()
        given = line_on_antecedent(line.YY, line.MZ, line.M, body)
        if body.ant:
            found[body.ant] = found[body.ant] + given.rigid
        else:
            still = still + given.MS
    zero = robot.graph.zero

    def changed(j: int) -> Link:
        fields: dict[str, Any] = {name: zero + part for name, part in zip(INERTIA, found[j], strict=True)}
        return replace(robot.link(j), **fields)

    return replace(robot, links=tuple(map(changed, found))), Vec3(*(zero + part for part in still))
