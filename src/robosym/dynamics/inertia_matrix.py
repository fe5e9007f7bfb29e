"""The inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from robosym.description import Robot, dispatched
from robosym.dynamics.arguments import prepared
from robosym.dynamics.composite import tree_inertia
from robosym.dynamics.second_moments.links import regrouped_robot
from robosym.model import Layout, Model, Trial, Variants, Workspace, flat
from robosym.tree.bodies import tree_of

__all__ = ["inertia_matrix"]


@dispatched
def inertia_matrix(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None,
) -> Model:  # fmt: skip
    """A of tau = A qdd + H over all joints of the tree, rotors included; over the motors of a closed robot.

    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    if robot.constrained and structure is None:
        from robosym.dynamics.closed import closed_inertia

        return closed_inertia(robot)
    with Workspace(robot, ("q", "parameters")) as work:
        inertia = tree_inertia(tree_of(robot, work.value, work.note), work.note)
        joints = robot.tree_joints
        A = work.matrix("A", [[inertia.entry(i, j) for j in joints] for i in joints], joints, joints)
        outputs: dict[str, Layout] = {"A": A}
        if robot.base.kind == "floating" and structure is None:
            assert inertia.base is not None
            order = (3, 4, 5, 0, 1, 2)  # angular before linear
            base = [[inertia.base.entries[a][b] for b in order] for a in order]
            coupling = [[inertia.coupling[j][a] for j in joints] for a in order]
            outputs["base"] = work.matrix("AB", base)
            outputs["coupling"] = work.matrix("AC", coupling, columns=joints)
        variants = Variants(tuple(flat(A)), partial(_with_mass_regrouped, robot))
        return work.model("inm", "Inertia matrix: composite links", outputs, variants=variants)


def _with_mass_regrouped(robot: Robot, trial: Trial) -> Iterator[Model]:
    yield trial.finished(inertia_matrix(regrouped_robot(robot), structure="tree"))
