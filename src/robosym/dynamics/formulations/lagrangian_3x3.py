"""Hollerbach's recursive Lagrangian with rotation matrices and position vectors."""

from __future__ import annotations

from robosym.dynamics.formulations.plain_chain import Chain, Matrix, product, total, transpose
from robosym.spatial import Scalar

__all__ = ["hollerbach_3x3"]


def _sum(*parts: Matrix) -> Matrix:
    return [[total(list(entries)) for entries in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def _scaled(a: Matrix, factor: Scalar) -> Matrix:
    return [[x * factor for x in row] for row in a]


def _column(v: list[Scalar]) -> Matrix:
    return [[x] for x in v]


def hollerbach_3x3(chain: Chain) -> dict[int, Scalar]:
    """D_i is the integral of p x''^T over the links from i on, p in frame i and x in the base frame."""
    rest = [[chain.scalar(0.0)] for _ in range(3)]
    still = [[chain.scalar(0.0)] * 3 for _ in range(3)]
    turn = [[chain.scalar(x) for x in row] for row in ([0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0])]
    W: dict[int, Matrix] = {}
    Wd: dict[int, Matrix] = {}
    Wdd: dict[int, Matrix] = {}
    xdd: dict[int, Matrix] = {}
    slope: dict[int, Matrix] = {}
    for j, link in chain.outward():
        i, A, P = link.ant, link.A, _column(link.P)
        xdd[j] = _sum(xdd[i], product(Wdd[i], P)) if i else rest
        W[j] = product(W[i], A) if i else A
        if link.joint.turns:
            dA = product(A, turn)
            ddA = product(dA, turn)
            bend = _sum(_scaled(ddA, link.qd * link.qd), _scaled(dA, link.qdd))
            if i == 0:  # the base is at rest
                slope[j], Wd[j], Wdd[j] = dA, _scaled(dA, link.qd), bend
                continue
            slope[j] = product(W[i], dA)
            Wd[j] = _sum(product(Wd[i], A), _scaled(slope[j], link.qd))
            Wdd[j] = _sum(product(Wdd[i], A), _scaled(product(Wd[i], dA), 2 * link.qd), product(W[i], bend))
        else:
            Wd[j], Wdd[j] = (product(Wd[i], A), product(Wdd[i], A)) if i else (still, still)
            if link.joint.slides:  # the axis z_j moves with the antecedent
                axis, axis_rate = ([[row[2]] for row in matrix] for matrix in (W[j], Wd[j]))
                xdd[j] = _sum(xdd[j], _scaled(axis_rate, 2 * link.qd), _scaled(axis, link.qdd))
    D: dict[int, Matrix] = {}
    e: dict[int, Matrix] = {}
    c: dict[int, Matrix] = {}
    mass: dict[int, Scalar] = {}
    efforts: dict[int, Scalar] = {}
    for j, link in chain.inward():
        beyond = chain.after(j)
        first = _column(link.first)
        e[j] = _sum(_scaled(xdd[j], link.mass), product(Wdd[j], first), *(e[k] for k in beyond))
        parts = [product(link.second, transpose(Wdd[j])), product(first, transpose(xdd[j]))]
        parts += [product(chain.links[k].A, D[k]) for k in beyond]
        parts += [product(_column(chain.links[k].P), transpose(e[k])) for k in beyond]
        D[j] = _sum(*parts)
        mass[j] = total([link.mass, *(mass[k] for k in beyond)])
        c[j] = _sum(first, *(product(chain.links[k].A, c[k]) for k in beyond))
        c[j] = _sum(c[j], *(_scaled(_column(chain.links[k].P), mass[k]) for k in beyond))
        if link.joint.turns:
            moment = product(slope[j], D[j])
            weight = product([chain.gravity], product(slope[j], c[j]))[0][0]
            efforts[j] = total([moment[a][a] for a in range(3)]) - weight
        elif link.joint.slides:
            direction = [row[2] for row in W[j]]
            force = [f[0] - mass[j] * g for f, g in zip(e[j], chain.gravity, strict=True)]
            efforts[j] = total([a * b for a, b in zip(direction, force, strict=True)])
    return efforts
