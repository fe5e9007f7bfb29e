"""Inertia matrix and bias torques from one outward and one inward pass (Kvrgic and Vidakovic, modified Newton-Euler).

The inward pass transfers three quantities to each antecedent: the bias wrench, the composite inertia, and the wrenches
of unit accelerations of the joints beyond it. The n x n matrix has n (n + 1) / 2 entries in every algorithm: the cost
grows with the square of the number of joints on a branch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.dynamics.arguments import define_base_wrench, prepared_tree
from robosym.dynamics.composite import TreeInertia, base_blocks, to_antecedent
from robosym.dynamics.newton_euler import outward
from robosym.mechanism import Robot
from robosym.mechanism.bodies import Tree, tree_of
from robosym.model import Layout, Model, Note, Workspace, no_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SpatialInertia

__all__ = ["inertia_and_bias", "modified_newton_euler"]

_INPUTS = ("q", "qd", "base_velocity", "base_acceleration", "wrench", "gravity", "parameters")


@accepts("floating")
def modified_newton_euler(
    robot: Robot, structure: Literal["tree"] | None = None, base_parameters: bool = False
) -> Model:
    """Return A (n x n) and H (n) of tau = A qdd + H in one model, over the joints of the tree.

    They are H and u' of the paper. A floating base adds the groups "base" and "coupling" of `inertia_matrix`, and
    "base_bias", the group "base" of `bias_torques`. An elastic joint has its rows too: tau is then the torque of its
    spring.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    base_parameters : bool, optional
        Express the model in the base inertial parameters.

    Returns
    -------
    Model
        Model with the output groups "A" and "H".

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Notes
    -----
    The one recursion saves the second computation of sines and cosines, and the call of a second function. Its online
    additions and multiplications are those of `inertia_matrix` and `bias_torques` together: 214 for `trainer`, 801 for
    `rx90`, because composite inertias and bias wrenches have no terms in common.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.modified_newton_euler(rs.load("planar2r"))
    >>> list(model.outputs)
    ['A', 'H']
    """
    robot = prepared_tree(robot, structure, base_parameters, "inertia matrix and bias torques")
    joints = robot.tree_joints
    base_free = robot.base.kind == "floating"
    with Workspace(robot, tuple(g for g in _INPUTS if not (base_free and g == "base_acceleration"))) as work:
        inertia, bias, wrench = inertia_and_bias(tree_of(robot, work.value, work.note, base_free), work.note)
        matrix = [[inertia.entry(i, j) for j in joints] for i in joints]
        layout = work.matrix("A", matrix, joints, joints)
        outputs: dict[str, Layout] = {"A": layout, "H": work.vector("H", {j: bias[j] for j in joints})}
        if base_free:
            outputs |= base_blocks(work, inertia, inertia.coupling, joints)
            outputs["base_bias"] = define_base_wrench(work, *wrench)
        return work.model("mne", "Inertia matrix and bias torques: modified Newton-Euler method", outputs)


def inertia_and_bias(tree: Tree, note: Note = no_name) -> tuple[TreeInertia, dict[int, Scalar], tuple[Vec3, Vec3]]:
    """Return A with rotors, H with friction and wrenches, and the wrench on a base with an inertia."""
    motion = outward(tree.with_accelerations({}), note)
    f, n = dict(motion.force), dict(motion.moment)
    inertia = {j: SpatialInertia.rigid(body.inertia) for j, body in tree.inward()}
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
        if i in inertia:
            f_i, n_i = to_antecedent(body, f[j], n[j])
            f[i], n[i] = f[i] + f_i, n[i] + n_i
            inertia[i] = inertia[i] + inertia[j].moved(*body.screws)
            columns[i] |= {k: to_antecedent(body, *wrench) for k, wrench in columns[j].items()}
    none = Vec3(0, 0, 0)
    coupling = {k: (*force, *moment) for k, (force, moment) in columns.get(0, {}).items()}
    return TreeInertia(entries, coupling, inertia.get(0), inertia), bias, (f.get(0, none), n.get(0, none))
