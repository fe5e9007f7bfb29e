"""The robot with its links' mass regrouped along revolute axes, for any generator of joint torques or accelerations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robosym.description import INERTIA, Link, Robot
from robosym.dynamics.second_moments.moments import line_on_antecedent
from robosym.tree.bodies import tree_of

__all__ = ["regrouped_robot"]


def regrouped_robot(robot: Robot) -> Robot:
    """YY, MZ and M of every revolute link counted to its antecedent (guide 3.5.2.3, theorem 1), off line.

    Joint torques stay what they are; reactions do not.
    """
    robot = robot.with_values({})  # a copy, in a graph of its own
    tree = tree_of(robot, lambda entry: entry)
    found = {j: body.inertia for j, body in tree.items()}
    for j, body in tree.inward():
        if not j or not body.joint.only_turns or (body.ant == 0 and tree.bodies[0] is not None):
            continue
        found[j], line = found[j].parted()
        if body.ant:
            found[body.ant] = found[body.ant] + line_on_antecedent(line.YY, line.MZ, line.M, body).rigid
    zero = robot.graph.zero

    def changed(j: int) -> Link:
        fields: dict[str, Any] = {name: zero + part for name, part in zip(INERTIA, found[j], strict=True)}
        return replace(robot.link(j), **fields)

    return replace(robot, links=tuple(map(changed, found)))
