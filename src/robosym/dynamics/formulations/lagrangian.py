"""Lagrangian formulations: Uicker and Kahn, and Hollerbach's recursive forms with 4 x 4 and 3 x 3 matrices."""

from __future__ import annotations

from robosym.dynamics.formulations.plain_chain import Chain, Matrix, PlainLink, product, total, transpose
from robosym.spatial import Scalar

__all__ = ["hollerbach_3x3", "hollerbach_4x4", "uicker_kahn"]


def _scaled(a: Matrix, factor: Scalar) -> Matrix:
    return [[x * factor for x in row] for row in a]


def _sum(*parts: Matrix) -> Matrix:
    return [[total(list(entries)) for entries in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def _transform(chain: Chain, link: PlainLink) -> Matrix:
    last = [chain.scalar(0.0) for _ in range(3)] + [chain.scalar(1.0)]
    return [[*row, p] for row, p in zip(link.A, link.P, strict=True)] + [last]


def _operator(chain: Chain, link: PlainLink) -> Matrix:
    """Return Q with dT/dq = T Q in the frame after the joint: a rotation about z, a translation along z, or zero."""
    entries = [[0.0] * 4 for _ in range(4)]
    if link.joint.turns:
        entries[0][1], entries[1][0] = -1.0, 1.0
    elif link.joint.slides:
        entries[2][3] = 1.0
    return [[chain.scalar(x) for x in row] for row in entries]


def _inertia(link: PlainLink) -> Matrix:
    """Return the 4 x 4 pseudo-inertia matrix: second and first moments, mass."""
    return [[*row, s] for row, s in zip(link.second, link.first, strict=True)] + [[*link.first, link.mass]]


def _trace(a: Matrix) -> Scalar:
    return total([a[i][i] for i in range(4)])


def uicker_kahn(chain: Chain) -> dict[int, Scalar]:
    """Compute tau_i = sum_j [sum_k tr(dW_j/dq_i J_j dW_j/dq_k^T) qdd_k + ..] as written (Silver 1.2)."""
    gravity = [*chain.gravity, chain.scalar(0.0)]
    W: dict[int, Matrix] = {}
    first: dict[int, dict[int, Matrix]] = {0: {}}  # dW_j/dq_k
    second: dict[int, dict[tuple[int, int], Matrix]] = {0: {}}  # d2W_j/dq_k dq_m, k before m
    efforts: dict[int, list[Scalar]] = {i: [] for i, link in chain.outward() if link.joint.moves}
    for j, link in chain.outward():
        i, T, Q = link.ant, _transform(chain, link), _operator(chain, link)
        W[j] = product(W[i], T) if i else T
        first[j] = {k: product(dW, T) for k, dW in first[i].items()}
        second[j] = {pair: product(ddW, T) for pair, ddW in second[i].items()}
        if link.joint.moves:
            second[j] |= {(k, j): product(dW, Q) for k, dW in first[j].items()}
            first[j][j] = product(W[j], Q)
            second[j][j, j] = product(first[j][j], Q)
        J = _inertia(link)
        for n, slope in first[j].items():
            terms = efforts[n]
            for k, dW in first[j].items():
                terms.append(_trace(product(product(slope, J), transpose(dW))) * chain.links[k].qdd)
            for k in first[j]:
                for m in first[j]:
                    ddW = second[j][min(k, m), max(k, m)]
                    coefficient = _trace(product(product(slope, J), transpose(ddW)))
                    terms.append(coefficient * chain.links[k].qd * chain.links[m].qd)
            terms.append(-product([gravity], product(slope, [[x] for x in (*link.first, link.mass)]))[0][0])
    return {i: total(terms) for i, terms in efforts.items()}


def hollerbach_4x4(chain: Chain) -> dict[int, Scalar]:
    """Compute W, W', W'' outward; D = J W''^T and c inward; tau_i = tr(dW_i/dq_i D_i) - g . dW_i/dq_i c_i."""
    W: dict[int, Matrix] = {}
    Wd: dict[int, Matrix] = {}
    Wdd: dict[int, Matrix] = {}
    T: dict[int, Matrix] = {}
    slope: dict[int, Matrix] = {}
    for j, link in chain.outward():
        i = link.ant
        Q = _operator(chain, link)
        T[j] = _transform(chain, link)
        dT = product(T[j], Q)
        ddT = product(dT, Q)
        turn = _sum(_scaled(ddT, link.qd * link.qd), _scaled(dT, link.qdd))
        if i == 0:  # the base is at rest
            W[j], slope[j], Wd[j], Wdd[j] = T[j], dT, _scaled(dT, link.qd), turn
            continue
        W[j] = product(W[i], T[j])
        slope[j] = product(W[i], dT)
        Wd[j] = _sum(product(Wd[i], T[j]), _scaled(slope[j], link.qd))
        Wdd[j] = _sum(product(Wdd[i], T[j]), _scaled(product(Wd[i], dT), 2 * link.qd), product(W[i], turn))
    gravity = [*chain.gravity, chain.scalar(0.0)]
    D: dict[int, Matrix] = {}
    c: dict[int, Matrix] = {}
    efforts: dict[int, Scalar] = {}
    for j, link in chain.inward():
        beyond = chain.after(j)
        D[j] = _sum(product(_inertia(link), transpose(Wdd[j])), *(product(T[k], D[k]) for k in beyond))
        own = [[x] for x in (*link.first, link.mass)]
        c[j] = _sum(own, *(product(T[k], c[k]) for k in beyond))
        if link.joint.moves:
            weight = product([gravity], product(slope[j], c[j]))[0][0]
            efforts[j] = _trace(product(slope[j], D[j])) - weight
    return efforts


def _column(v: list[Scalar]) -> Matrix:
    return [[x] for x in v]


def hollerbach_3x3(chain: Chain) -> dict[int, Scalar]:
    """Compute tau_i from D_i, the integral of p x''^T over links i to n, with p in frame i and x in the base frame."""
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
