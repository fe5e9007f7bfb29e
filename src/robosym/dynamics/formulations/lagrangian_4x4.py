"""Lagrange with homogeneous matrices: Uicker and Kahn term by term, and Hollerbach's recursion of the same sums."""

from __future__ import annotations

from robosym.dynamics.formulations.plain_chain import Chain, Matrix, PlainLink, product, total, transpose
from robosym.spatial import Scalar

__all__ = ["hollerbach_4x4", "uicker_kahn"]


def _transform(chain: Chain, link: PlainLink) -> Matrix:
    last = [chain.scalar(0.0) for _ in range(3)] + [chain.scalar(1.0)]
    return [[*row, p] for row, p in zip(link.A, link.P, strict=True)] + [last]


def _operator(chain: Chain, link: PlainLink) -> Matrix:
    """Q with dT/dq = T Q in the frame behind the joint: a turn about z, a shift along z, or nothing."""
    entries = [[0.0] * 4 for _ in range(4)]
    if link.joint.turns:
        entries[0][1], entries[1][0] = -1.0, 1.0
    elif link.joint.slides:
        entries[2][3] = 1.0
    return [[chain.scalar(x) for x in row] for row in entries]


def _inertia(link: PlainLink) -> Matrix:
    """The 4 x 4 pseudo-inertia: second and first moments, mass."""
    return [[*row, s] for row, s in zip(link.second, link.first, strict=True)] + [[*link.first, link.mass]]


def _trace(a: Matrix) -> Scalar:
    return total([a[i][i] for i in range(4)])


def _scaled(a: Matrix, factor: Scalar) -> Matrix:
    return [[x * factor for x in row] for row in a]


def _sum(*parts: Matrix) -> Matrix:
    return [[total(list(entries)) for entries in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def uicker_kahn(chain: Chain) -> dict[int, Scalar]:
    """tau_i = sum_j [sum_k tr(dW_j/dq_i J_j dW_j/dq_k^T) qdd_k + ..]: every trace as it is written (Silver 1.2)."""
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
    """W, W', W'' outwards; D = J W''^T and c inwards; tau_i = tr(dW_i/dq_i D_i) - g . dW_i/dq_i c_i."""
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
