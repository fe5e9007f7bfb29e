"""Description of a robot with geometric errors: corrected frames, the base in the measuring frame, and the target.

beta and e of a frame need a fixed frame before it: Rot(y, beta) Trans(y, e) is a frame with alpha = beta and d = e
between quarter turns about z.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.samples import Array
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.elements import Frame, Joint, Link
from robosym.parameters.geometric.error_parameters import ErrorParameter

__all__ = ["corrected_robot"]

_ACROSS = ("beta", "e")


def corrected_robot(
    robot: Robot, parameters: Sequence[ErrorParameter], values: Array, base: Array | None = None
) -> Robot:
    """Return the robot with loops with its geometric errors corrected; `base` is the pose of frame 0 in the world."""
    graph = Graph()
    robot = robot.in_graph(graph)
    found: dict[int, dict[str, float]] = {}
    for p, value in zip(parameters, values, strict=True):
        if p.kind in (*GEOMETRY, *_ACROSS) and value:
            found.setdefault(p.frame, {})[p.kind] = float(value)
    frames = list(robot.frames)
    for j, changes in found.items():
        own = {k: getattr(frames[j - 1], k) + graph.number(v) for k, v in changes.items() if k in GEOMETRY}
        frames[j - 1] = replace(frames[j - 1], **own)
    robot = replace(robot, frames=tuple(frames))
    split = {j: changes for j, changes in found.items() if set(changes) & set(_ACROSS)}
    robot = _with_fixed_frames(robot, split, graph) if split else robot
    if base is not None:
        Z = tuple(graph.number(float(x)) for x in np.asarray(base).ravel())
        robot = replace(robot, base=replace(robot.base, Z=Z))
    return robot.changed()


def _with_fixed_frames(robot: Robot, split: Mapping[int, Mapping[str, float]], graph: Graph) -> Robot:
    """Return the robot with a fixed frame inserted before each of these frames, from where its x axis starts."""
    zero, quarter, last = graph.zero, graph.pi / 2, robot.NL
    in_tree = [j for j in split if j <= last]
    others = [j for j in split if j > last]  # cut joints, and frames that close a loop: behind the tree

    def moved(j: int) -> int:
        return j + (sum(k <= j for k in in_tree) if j <= last else len(split))

    before = {j: moved(j) - 1 for j in in_tree}
    before |= {j: last + len(in_tree) + k for k, j in enumerate(others, 1)}
    tree: list[tuple[Frame, Link, Joint]] = []
    taken = {value.name for joint in robot.joints for value in (joint.QP, joint.QDP, joint.GAM)}
    torques = (f"GAM{k}" for k in range(robot.NF + 1, 10 * robot.NF + 10 * len(split)) if f"GAM{k}" not in taken)

    def fixed(j: int) -> tuple[Frame, Link, Joint]:
        f = robot.frame(j)
        frame = Frame(moved(f.ant) if f.ant else 0, 2, 0, f.gamma, f.b, f.alpha, f.d, quarter, zero)
        return frame, Link.blank(zero), Joint(zero, zero, graph.symbol(next(torques)), 0, zero)

    def own(j: int) -> Frame:
        f = robot.frame(j)
        if j not in split:
            return replace(f, ant=moved(f.ant) if f.ant else 0)
        beta, e = (graph.number(split[j].get(kind, 0.0)) for kind in _ACROSS)
        return replace(f, ant=before[j], gamma=zero, b=zero, alpha=beta, d=e, theta=f.theta - quarter)

    for j in range(1, last + 1):
        if j in split:
            tree.append(fixed(j))
        tree.append((own(j), robot.link(j), robot.joint(j)))
    tree += [fixed(j) for j in others]
    rest = range(last + 1, robot.NF + 1)
    return replace(
        robot,
        frames=(*(frame for frame, _, _ in tree), *(own(j) for j in rest)),
        links=tuple(link for _, link, _ in tree),
        joints=(*(joint for _, _, joint in tree), *robot.joints[last:]),
        frame_names={name: moved(j) if j else 0 for name, j in robot.frame_names.items()},
    )  # fmt: skip
