"""The robot with its links' mass regrouped along revolute axes, for any generator of joint torques or accelerations."""

from __future__ import annotations

from dataclasses import replace

from robosym.description import INERTIA, Robot
from robosym.dynamics.second_moments.moments import line_on_antecedent
from robosym.tree.bodies import tree_of

__all__ = ["regrouped_robot"]


def regrouped_robot(robot: Robot) -> Robot:
    """YY, MZ and M of every revolute link counted to its antecedent (guide 3.5.2.3, theorem 1), off line.

    Joint torques stay what they are; reactions do not.
    """
    robot = robot.with_values({})  # a copy, in a graph of its own
    tree = tree_of(robot, lambda entry: entry)
    entries = {j: {name: getattr(robot.link(j), name) for name in INERTIA} for j in range(1, robot.NL + 1)}
    for j, body in tree.inward():
        if not j or not body.joint.only_turns or (body.ant == 0 and tree.bodies[0] is not None):
            continue
        own = entries[j]
        if body.ant:
            S, MS = line_on_antecedent(own["YY"], own["MZ"], own["M"], body)
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = S.rows
            given = (yy + zz, -xy, -xz, xx + zz, -yz, xx + yy, *MS, own["M"])  # in the order of INERTIA
            other = entries[body.ant]
            entries[body.ant] = {name: other[name] + part for name, part in zip(INERTIA, given, strict=True)}
        zero = robot.graph.zero
        entries[j] = {**own, "XX": own["XX"] - own["YY"], "YY": zero, "MZ": zero, "M": zero}
    return replace(robot, links=tuple(replace(robot.link(j), **entries[j]) for j in entries))
