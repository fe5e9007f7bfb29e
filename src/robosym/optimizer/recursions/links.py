"""A tree or a robot with its links' mass regrouped along revolute axes, for any recursion of efforts or energies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robosym.mechanism import INERTIA, Link, Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.optimizer.recursions.moments import line_on_antecedent
from robosym.spatial import Vec3

__all__ = ["regrouped_onto_base", "regrouped_robot", "regrouped_tree"]


def regrouped_tree(tree: Tree) -> tuple[Tree, Vec3]:
    """YY, MZ and M of every revolute link counted to its antecedent (guide 3.5.2.3, theorem 1), off line.

    Joint torques stay what they are; reactions do not. And the first moments in frame 0 of what came to stand still:
    its weight does no work.
    """
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
    bodies = [body and (replace(body, inertia=found[j]) if j else body) for j, body in enumerate(tree.bodies)]
    return replace(tree, bodies=bodies), still


def regrouped_robot(robot: Robot) -> Robot:
    """The robot with the links of its regrouped tree."""
    return regrouped_onto_base(robot)[0]


def regrouped_onto_base(robot: Robot) -> tuple[Robot, Vec3]:
    """The same, and the first moments in frame 0 of what came to stand still."""
    robot = robot.with_values({})  # a copy, in a graph of its own
    tree, still = regrouped_tree(tree_of(robot, lambda entry: entry))
    zero = robot.graph.zero

    def changed(j: int) -> Link:
        inertia = tree.body(j).inertia
        fields: dict[str, Any] = {name: zero + part for name, part in zip(INERTIA, inertia, strict=True)}
        return replace(robot.link(j), **fields)

    return replace(robot, links=tuple(changed(j) for j, _ in tree.items())), Vec3(*(zero + part for part in still))
