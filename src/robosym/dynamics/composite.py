"""Inertia matrix of a tree by composite links (equations 3.97 to 3.103 of the guide)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robosym.mechanism.bodies import Body, Tree
from robosym.model import Layout, Note, Workspace, no_name
from robosym.spatial import Scalar, Vec3
from robosym.spatial.inertia import SpatialInertia

__all__ = [
    "BASE_RATES", "Coordinate", "TreeInertia", "base_blocks", "base_weight", "composite_inertias", "composite_weights",
    "to_antecedent", "tree_inertia",
]  # fmt: skip

#: number of a joint, or name of a component of the base velocity
Coordinate = int | str
BASE_RATES: tuple[Coordinate, ...] = ("W1", "W2", "W3", "V1", "V2", "V3")
_ANGULAR_FIRST = (3, 4, 5, 0, 1, 2)  #: indices of an angular-first order in a wrench of force, then moment
_PLACES = dict(zip(BASE_RATES, _ANGULAR_FIRST, strict=True))


@dataclass(frozen=True, slots=True)
class TreeInertia:
    """Inertia matrix of a tree; base components are ordered linear, then angular."""

    joints: dict[tuple[int, int], Scalar]  #: (i, j), i = j or an ancestor of j; others above the diagonal are 0
    coupling: dict[int, tuple[Scalar, ...]]  #: column of joint j: force and moment on the base, in frame 0
    base: SpatialInertia | None
    composite: dict[int, SpatialInertia]  #: inertia of each link with all links that it carries

    def entry(self, i: Coordinate, j: Coordinate) -> Scalar:
        if isinstance(i, int) and isinstance(j, int):
            return self.joints.get((min(i, j), max(i, j)), 0)
        if isinstance(i, int) or isinstance(j, int):
            joint, rate = (i, j) if isinstance(i, int) else (j, i)
            return self.coupling[int(joint)][_PLACES[rate]]
        assert self.base is not None
        return self.base.entries[_PLACES[i]][_PLACES[j]]


def to_antecedent(body: Body, force: Vec3, moment: Vec3) -> tuple[Vec3, Vec3]:
    """Transform a wrench at the origin of a body's frame to the frame and origin of its antecedent."""
    f = body.T.A @ force
    return f, body.T.A @ moment + body.T.P.cross(f)


def composite_inertias(tree: Tree, note: Note = no_name) -> dict[int, SpatialInertia]:
    """Return the inertia of each link with all links that it carries, in its frame (3.97 to 3.100)."""
    total = {j: SpatialInertia.rigid(body.inertia) for j, body in tree.inward()}
    for j, body in tree.inward():
        total[j] = total[j].named(note, "JC", j)
        if j and body.ant in total:
            total[body.ant] = total[body.ant] + total[j].moved(*body.screws)
    return total


def tree_inertia(tree: Tree, note: Note = no_name) -> TreeInertia:
    """Compute the inertia matrix column by column, from unit accelerations of the joints (3.101 to 3.103)."""
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
    """Return the effort along each moving joint that holds the links it carries against gravity."""
    behind = {0: tree.base.vp}
    along: dict[int, Scalar] = {}
    for j, body in tree.items():
        vp = behind[j] = note("VP", j, body.T.A.T @ behind[body.ant])
        if body.joint.moves:
            k = composite[j].body
            along[j] = body.joint.along(k.M * vp.z, k.MX * vp.y - k.MY * vp.x)
    return along


def base_weight(tree: Tree, composite: Mapping[int, SpatialInertia]) -> tuple[Vec3, Vec3]:
    """Return force and moment that hold the base and all links against gravity, in frame 0."""
    whole, vp = composite[0].body, tree.base.vp
    return vp * whole.M, whole.MS.cross(vp)


def base_blocks(
    work: Workspace, inertia: TreeInertia, coupling: Mapping[int, Sequence[Scalar]], joints: Sequence[int]
) -> dict[str, Layout]:
    """Return the groups "base" (6 x 6) and "coupling" (6 x n) of RNE 84, angular before linear."""
    own = [[inertia.entry(a, b) for b in BASE_RATES] for a in BASE_RATES]
    columns = [[coupling[j][a] for j in joints] for a in _ANGULAR_FIRST]
    return {"base": work.matrix("AB", own), "coupling": work.matrix("AC", columns, columns=joints)}
