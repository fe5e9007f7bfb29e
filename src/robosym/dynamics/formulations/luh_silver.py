"""Newton-Euler in link coordinates (Luh, Walker and Paul), and the Lagrangian with angular velocities (Silver)."""

from __future__ import annotations

from dataclasses import dataclass

from robosym.dynamics.formulations.plain_chain import Chain, Matrix, total, transpose
from robosym.spatial import Scalar

__all__ = ["luh", "silver"]

Vector = list[Scalar]


def _times(a: Matrix, v: Vector) -> Vector:
    return [total([x * y for x, y in zip(row, v, strict=True)]) for row in a]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _sum(*parts: Vector) -> Vector:
    return [total(list(entries)) for entries in zip(*parts, strict=True)]


def _in_antecedent(chain: Chain, k: int, f: Vector, n: Vector) -> Vector:
    """Return the moment of link k about the origin of its antecedent, summed in frame k and rotated, as in Luh."""
    link = chain.links[k]
    return _times(link.A, _sum(n, _cross(_times(transpose(link.A), link.P), f)))


def _along(chain: Chain, effort: Vector) -> Scalar:
    """Return the component along the joint axis z."""
    z = [chain.scalar(0.0), chain.scalar(0.0), chain.scalar(1.0)]
    return total([a * b for a, b in zip(effort, z, strict=True)])


@dataclass(frozen=True, slots=True)
class _LinkWrench:
    force: Vector  #: mass times acceleration of the center of mass
    moment: Vector  #: about the center of mass: Euler's equation


def _wrenches(chain: Chain) -> dict[int, _LinkWrench]:
    """Compute, from base to tip, angular motion, acceleration of the center of mass, force and moment."""
    nothing = [chain.scalar(0.0)] * 3
    w, wp, vp = {0: nothing}, {0: nothing}, {0: [-g for g in chain.gravity]}
    wrenches = {}
    for j, link in chain.outward():
        i, back = link.ant, transpose(link.A)
        w[j], wp[j] = _times(back, w[i]), _times(back, wp[i])
        carried = _sum(vp[i], _cross(wp[i], link.P), _cross(w[i], _cross(w[i], link.P)))
        vp[j] = _times(back, carried)
        axis = [chain.scalar(0.0), chain.scalar(0.0), link.qd]
        if link.joint.turns:
            wp[j] = _sum(wp[j], _cross(w[j], axis), [0, 0, link.qdd])
            w[j] = _sum(w[j], [0, 0, link.qd])
        elif link.joint.slides:
            twice = [2 * x for x in _cross(w[j], axis)]
            vp[j] = _sum(vp[j], twice, [0, 0, link.qdd])
        center = _sum(vp[j], _cross(wp[j], link.center), _cross(w[j], _cross(w[j], link.center)))
        spin = _times(link.tensor, w[j])
        wrenches[j] = _LinkWrench([x * link.mass for x in center], _sum(_times(link.tensor, wp[j]), _cross(w[j], spin)))
    return wrenches


def luh(chain: Chain) -> dict[int, Scalar]:
    """Compute, from tip to base, the wrench of each antecedent on each link, projected on the joint."""
    wrenches = _wrenches(chain)
    f: dict[int, Vector] = {}
    n: dict[int, Vector] = {}
    efforts: dict[int, Scalar] = {}
    for j, link in chain.inward():
        beyond = chain.after(j)
        own = wrenches[j]
        f[j] = _sum(own.force, *(_times(chain.links[k].A, f[k]) for k in beyond))
        moments = [_in_antecedent(chain, k, f[k], n[k]) for k in beyond]
        n[j] = _sum(own.moment, _cross(link.center, own.force), *moments)
        if link.joint.moves:
            efforts[j] = _along(chain, n[j] if link.joint.turns else f[j])
    return efforts


def silver(chain: Chain) -> dict[int, Scalar]:
    """Compute tau_j = sum_i (F_i . dv_i/dqd_j + N_i . dw_i/dqd_j) (3.12 to 3.16), summed from tip to base.

    With dw_i/dqd_j = z_j and dv_i/dqd_j = z_j x p_ji, the sum is z_j . sum (p_ji x F_i + N_i): as Silver shows, the
    remaining computation is Luh's recursion, operation by operation.
    """
    wrenches = _wrenches(chain)
    linear: dict[int, Vector] = {}  # sum of F_i over the links that joint j moves
    angular: dict[int, Vector] = {}  # sum of p_ji x F_i + N_i about the origin of frame j
    efforts: dict[int, Scalar] = {}
    for j, link in chain.inward():
        own = wrenches[j]
        linear[j] = own.force
        angular[j] = _sum(own.moment, _cross(link.center, own.force))
        for k in chain.after(j):
            linear[j] = _sum(linear[j], _times(chain.links[k].A, linear[k]))
            angular[j] = _sum(angular[j], _in_antecedent(chain, k, linear[k], angular[k]))
        if link.joint.moves:
            efforts[j] = _along(chain, angular[j] if link.joint.turns else linear[j])
    return efforts
