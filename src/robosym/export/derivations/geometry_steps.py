"""The direct geometric model: the transformation of every frame, and their products."""

from __future__ import annotations

from itertools import pairwise

from robosym.algebra import Graph
from robosym.algebra.textbook import textbook
from robosym.export.derivations.written import DerivationStep, DerivedMatrix
from robosym.mechanism import Robot
from robosym.mechanism.path import Poses
from robosym.model import Workspace
from robosym.spatial import Transform

__all__ = ["geometry_steps"]

_EQUATION = "iTj = Rot(z, gamma_j) Trans(z, b_j) Rot(x, alpha_j) Trans(x, d_j) Rot(z, theta_j) Trans(z, r_j)"
_GENERAL = (
    r"{}^{i}T_j = \operatorname{Rot}(z,\gamma_j)\,\operatorname{Trans}(z,b_j)\,\operatorname{Rot}(x,\alpha_j)\,"
    r"\operatorname{Trans}(x,d_j)\,\operatorname{Rot}(z,\theta_j)\,\operatorname{Trans}(z,r_j)"
)


def geometry_steps(robot: Robot, link: int) -> tuple[DerivationStep, ...]:
    """Return the transformations along the path from frame 0 to a frame, and the pose of each frame in frame 0."""
    frames: list[int] = []
    j = link
    while j:
        frames.insert(0, j)
        j = robot.frame(j).ant
    with Workspace(robot, ("q", "q_cut", "parameters") if robot.loops else ("q", "parameters")) as work:
        poses, graph = Poses(robot, work.value), work.graph
        one = [
            DerivationStep(
                f"Frame {j} in frame {robot.frame(j).ant}", "" if k else _EQUATION, "" if k else _GENERAL,
                (_matrix(poses(robot.frame(j).ant, j), robot.frame(j).ant, j, graph),),
                part="" if k else "Transformations between consecutive frames",
            )
            for k, j in enumerate(frames)
        ]  # fmt: skip
        whole = [
            DerivationStep(
                f"Frame {j} in frame 0", f"0T{j} = 0T{i} {i}T{j}",
                rf"{{}}^{{0}}T_{{{j}}} = {{}}^{{0}}T_{{{i}}}\,{{}}^{{{i}}}T_{{{j}}}",
                (_matrix(poses(0, j), 0, j, graph),), part="" if k else "Poses in frame 0",
            )
            for k, (i, j) in enumerate(pairwise(frames))
        ]  # fmt: skip
    return (*one, *whole)


def _matrix(T: Transform, i: int, j: int, graph: Graph) -> DerivedMatrix:
    rows = [*T.rows, (0, 0, 0, 1)]
    entries = textbook([graph.taken(entry) for line in rows for entry in line])
    return DerivedMatrix(
        f"{i}T{j}", rf"{{}}^{{{i}}}T_{{{j}}}", tuple(tuple(entries[4 * r : 4 * r + 4]) for r in range(4))
    )
