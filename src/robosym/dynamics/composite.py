"""Inertia matrix of a tree by composite links: equations 3.97 to 3.103 of the guide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robosym.mechanism.bodies import Body, Tree
from robosym.model import Layout, Note, Workspace, no_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SpatialInertia

__all__ = [
    "TreeInertia", "base_blocks", "base_weight", "composite_inertias", "composite_weights", "to_antecedent",
    "tree_inertia",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TreeInertia:
    """The inertia matrix of a tree; those of the base are three linear, then three angular."""

    joints: dict[tuple[int, int], Scalar]  #: (i, j), i an ancestor of j or j itself; others above the diagonal are zero
    coupling: dict[int, tuple[Scalar, ...]]  #: column of joint j: force and moment on the base, in frame 0
    base: SpatialInertia | None
    composite: dict[int, SpatialInertia]  #: of each link with all that it carries

    def entry(self, i: int, j: int) -> Scalar:
        return self.joints.get((min(i, j), max(i, j)), 0)


def to_antecedent(body: Body, force: Vec3, moment: Vec3) -> tuple[Vec3, Vec3]:
    """A wrench at the origin of a body's frame, at the origin and in the frame of its antecedent."""
    f = body.T.A @ force
    return f, body.T.A @ moment + body.T.P.cross(f)


def composite_inertias(tree: Tree, note: Note = no_name) -> dict[int, SpatialInertia]:
    """Inertia of each link with all that it carries, in its frame (3.97 to 3.100); of the base where it has one."""
    total = {j: SpatialInertia.rigid(body.inertia) for j, body in tree.inward()}
    for j, body in tree.inward():
        total[j] = total[j].named(note, "JC", j)
        if j and body.ant in total:
            total[body.ant] = total[body.ant] + total[j].moved(*body.screws)
    return total


def tree_inertia(tree: Tree, note: Note = no_name) -> TreeInertia:
    """Column by column: what a unit acceleration of one joint takes of every joint before it (3.101 to 3.103)."""
    composite = composite_inertias(tree, note)
    joints: dict[tuple[int, int], Scalar] = {}
    coupling: dict[int, tuple[Scalar, ...]] = {}
    for j, body in tree.items():
        if not body.joint.moves:
            continue
        f, n = body.column(composite[j])
        i, link = j, body
        while i:
            if link.joint.moves:
                joints[i, j] = link.joint.along(f.z, n.z) + (body.IA if i == j else 0)
            if link.ant in composite:
                f, n = to_antecedent(link, f, n)
                f, n = note(f"F{j}A", link.ant, f), note(f"N{j}A", link.ant, n)
            i = link.ant
            link = tree.body(i) if i else link
        if 0 in composite:
            coupling[j] = (*f, *n)
    return TreeInertia(joints, coupling, composite.get(0), composite)


def composite_weights(tree: Tree, composite: dict[int, SpatialInertia], note: Note = no_name) -> dict[int, Scalar]:
    """Of each moving joint, the torque or force that holds what it carries against the acceleration of the base."""
    behind = {0: tree.base.vp}
    along: dict[int, Scalar] = {}
    for j, body in tree.items():
        vp = behind[j] = note("VP", j, body.T.A.T @ behind[body.ant])
        if body.joint.moves:
            k = composite[j].body
            along[j] = body.joint.along(k.M * vp.z, k.MX * vp.y - k.MY * vp.x)
    return along


def base_weight(tree: Tree, composite: Mapping[int, SpatialInertia]) -> tuple[Vec3, Vec3]:
    """Force and moment that hold a base and all that it carries against gravity, in frame 0."""
    whole, vp = composite[0].body, tree.base.vp
    return vp * whole.M, whole.MS.cross(vp)


def base_blocks(
    work: Workspace, inertia: TreeInertia, coupling: Mapping[int, Sequence[Scalar]], joints: Sequence[int]
) -> dict[str, Layout]:
    """The groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84, angular before linear."""
    assert inertia.base is not None
    order = (3, 4, 5, 0, 1, 2)
    own = [[inertia.base.entries[a][b] for b in order] for a in order]
    columns = [[coupling[j][a] for j in joints] for a in order]
    return {"base": work.matrix("AB", own), "coupling": work.matrix("AC", columns, columns=joints)}
