"""The inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from robosym.description import Robot, dispatched
from robosym.dynamics.arguments import prepared
from robosym.dynamics.composite import composite_weights, tree_inertia
from robosym.dynamics.second_moments.gathering import by_gathering
from robosym.dynamics.second_moments.links import regrouped_robot
from robosym.dynamics.second_moments.models import inertia_by_composites
from robosym.model import Layout, Model, Trial, Variants, Workspace, flat
from robosym.tree.bodies import tree_of

__all__ = ["inertia_matrix"]


@dispatched
def inertia_matrix(
    robot: Robot, structure: str | None = None, base_parameters: bool = False,
    reference: Mapping[str, float] | None = None, gravity: bool = False,
) -> Model:  # fmt: skip
    """A of tau = A qdd + H over all joints of the tree, rotors included; over the motors of a closed robot.

    With `gravity` the same composite links also give the gravity torques, in the group "Q".
    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration.
    """
    robot = prepared(robot, structure, base_parameters, reference)
    if robot.constrained and structure is None:
        from robosym.dynamics.closed import closed_inertia

        return closed_inertia(robot, gravity)
    with Workspace(robot, ("q", *(("gravity",) if gravity else ()), "parameters")) as work:
        tree = tree_of(robot, work.value, work.note, base_free=True)
        inertia = tree_inertia(tree, work.note)
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
        if gravity:
            for j, torque in composite_weights(tree, inertia.composite, work.note).items():
                work.define(f"Q{j}", torque)
            outputs["Q"] = tuple(f"Q{j}" for j in joints)
        names = (*flat(A), *flat(outputs.get("Q", ())))
        variants = Variants(names, partial(_other_composites, robot, gravity))
        return work.model("inm", "Inertia matrix: composite links", outputs, variants=variants)


def _other_composites(robot: Robot, gravity: bool, trial: Trial) -> Iterator[Model]:
    yield trial.finished(inertia_matrix(regrouped_robot(robot), structure="tree", gravity=gravity))
    yield from by_gathering(partial(inertia_by_composites, gravity=gravity), robot, trial)
