"""The inertia matrix A of a robot (guide 3.6.1, 5.7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from robosym.description import Robot
from robosym.dynamics.arguments import entry_name, prepared
from robosym.dynamics.composite import tree_inertia
from robosym.dynamics.second_moments.links import regrouped_robot
from robosym.model import Layout, Model, Trial, Variants, Workspace, flat
from robosym.tree.bodies import tree_of

__all__ = ["define_matrix", "inertia_matrix"]


def inertia_matrix(robot: Robot, structure: str | None = None, base_parameters: bool = False) -> Model:
    """A of tau = A qdd + H over all joints of the tree, rotors included; over the motors of a closed robot.

    A floating base adds the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84; their rows and columns are
    angular, then linear, in frame 0, as in the group base_acceleration.
    """
    robot = prepared(robot, structure, base_parameters)
    if robot.loops and structure is None:
        from robosym.dynamics.closed import closed_inertia

        return closed_inertia(robot)
    with Workspace(robot, ("q", "parameters")) as work:
        inertia = tree_inertia(tree_of(robot, work.value, work.note), work.note)
        joints = robot.tree_joints
        A = define_matrix(work, "A", joints, [[inertia.entry(i, j) for j in joints] for i in joints])
        outputs: dict[str, Layout] = {"A": A}
        if robot.base.kind == "floating" and structure is None:
            assert inertia.base is not None
            order = (3, 4, 5, 0, 1, 2)  # angular before linear
            base = [[inertia.base.entries[a][b] for b in order] for a in order]
            coupling = [[inertia.coupling[j][a] for j in joints] for a in order]
            outputs["base"] = define_matrix(work, "AB", range(1, 7), base)
            outputs["coupling"] = define_matrix(work, "AC", range(1, 7), coupling, joints)
        variants = Variants(tuple(flat(A)), partial(_with_mass_regrouped, robot))
        return work.model("inm", "Inertia matrix: composite links", outputs, variants)


def _with_mass_regrouped(robot: Robot, trial: Trial) -> Iterator[Model]:
    yield trial.finished(inertia_matrix(regrouped_robot(robot), structure="tree"))


def define_matrix(
    work: Workspace, letter: str, rows: Any, entries: list[list[Any]], columns: Any = None
) -> tuple[tuple[str, ...], ...]:
    """Names A11, A12 ... for the entries of a matrix over joints; the layout of the group."""
    columns = rows if columns is None else columns
    layout = tuple(tuple(entry_name(letter, i, j) for j in columns) for i in rows)
    for names, row in zip(layout, entries, strict=True):
        for name, entry in zip(names, row, strict=True):
            work.define(name, entry)
    return layout
