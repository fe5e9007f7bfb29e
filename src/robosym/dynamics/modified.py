"""Inertia matrix and bias torques from one sweep out and one sweep in (Kvrgic and Vidakovic, modified Newton-Euler).

The sweep in hands three things to each antecedent: the bias wrench, the composite inertia, and the wrenches that unit
accelerations of the joints beyond it cause. An n x n matrix has its n (n + 1) / 2 entries whatever the algorithm: the
cost grows with the square of the number of joints on a branch, not in proportion to it.
"""

from __future__ import annotations

from dataclasses import replace

from robosym.description import Robot, dispatched
from robosym.dynamics.arguments import prepared_tree
from robosym.dynamics.composite import to_antecedent
from robosym.dynamics.newton_euler import outward
from robosym.model import Layout, Model, Note, Workspace, no_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SpatialInertia
from robosym.tree.bodies import Tree, tree_of

__all__ = ["inertia_and_bias", "modified_newton_euler"]

_INPUTS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@dispatched
def modified_newton_euler(robot: Robot, structure: str | None = None, base_parameters: bool = False) -> Model:
    """A (n x n) and H (n) of tau = A qdd + H in one model: the paper's H and u', over the joints of the tree."""
    robot = prepared_tree(robot, structure, base_parameters, "inertia matrix and bias torques")
    joints = robot.tree_joints
    with Workspace(robot, _INPUTS) as work:
        entries, bias = inertia_and_bias(tree_of(robot, work.value, work.note), work.note)
        matrix = [[entries.get((min(i, j), max(i, j)), 0) for j in joints] for i in joints]
        layout = work.matrix("A", matrix, joints, joints)
        outputs: dict[str, Layout] = {"A": layout, "H": work.vector("H", {j: bias[j] for j in joints})}
        return work.model("mne", "Inertia matrix and bias torques: modified Newton-Euler method", outputs)


def inertia_and_bias(tree: Tree, note: Note = no_name) -> tuple[dict[tuple[int, int], Scalar], dict[int, Scalar]]:
    """Entries (i, j) of A on and above the diagonal, rotors included, and H with friction and wrenches."""
    motion = outward(tree.with_accelerations({}), note)
    f, n = dict(motion.force), dict(motion.moment)
    inertia = {j: SpatialInertia.rigid(body.inertia) for j, body in tree.items()}
    columns: dict[int, dict[int, tuple[Vec3, Vec3]]] = {j: {} for j in inertia}
    entries: dict[tuple[int, int], Scalar] = {}
    bias: dict[int, Scalar] = {}
    for j, body in tree.inward():
        if j == 0:
            break
        if body.joint.moves:
            bias[j] = replace(body, qdd=0).torque(body.joint.along(f[j].z, n[j].z))
            columns[j][j] = body.column(inertia[j])
            for k, (force, moment) in columns[j].items():
                entries[j, k] = body.joint.along(force.z, moment.z) + (body.IA if j == k else 0)
        i = body.ant
        if i:
            f_i, n_i = to_antecedent(body, f[j], n[j])
            f[i], n[i] = f[i] + f_i, n[i] + n_i
            inertia[i] = inertia[i] + inertia[j].moved(*body.screws)
            columns[i] |= {k: to_antecedent(body, *wrench) for k, wrench in columns[j].items()}
    return entries, bias
