"""Directions in which the joints of a closed robot move together: the columns of G, in the graph of any model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robosym.algebra import Expr, Graph
from robosym.coordinates.joint_motion import JointMotion, joint_motion
from robosym.mechanism import Robot

__all__ = ["directions_of", "loop_directions"]


def directions_of(motion: JointMotion) -> list[dict[str, Expr]]:
    """Return the rates of the joint variables for a unit rate of each coordinate."""
    variable, one = motion.robot.variable, motion.work.graph.one
    rows: Mapping[int, Sequence[Expr]] = getattr(motion, "G", {}) | getattr(motion, "virtual", {})
    if not rows:
        return [{variable(j): one} for j in motion.active]
    return [{variable(j): row[k] for j, row in rows.items()} for k in range(len(motion.active))]


def loop_directions(robot: Robot, graph: Graph) -> dict[str, dict[str, Expr]]:
    """Return the rates of all joint variables for a unit rate of each active joint, by the name of its variable."""
    motion = joint_motion(robot, ("q", "parameters"))
    found = {}
    for j, rates in zip(motion.active, directions_of(motion), strict=True):
        found[robot.variable(j)] = dict(zip(rates, graph.copy(list(rates.values())), strict=True))
    return found
