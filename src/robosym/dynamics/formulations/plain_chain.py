"""Common input of the formulations: frames, masses and motion as plain numbers and matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import SupportsFloat

from robosym.mechanism import JointType
from robosym.mechanism.bodies import Tree
from robosym.spatial import Scalar

__all__ = ["Chain", "Matrix", "PlainLink", "chain_of", "product", "total", "transpose"]

Matrix = list[list[Scalar]]


@dataclass(frozen=True, slots=True)
class PlainLink:
    """Link j: its antecedent, its joint, its transformation and its mass moments about the origin of frame j."""

    ant: int
    joint: JointType
    A: Matrix  #: orientation in the antecedent's frame
    P: list[Scalar]  #: position of the origin in the antecedent's frame
    qd: Scalar
    qdd: Scalar
    mass: Scalar
    first: list[Scalar]  #: first moments
    second: Matrix  #: integral of p p^T
    center: list[Scalar]  #: center of mass
    tensor: Matrix  #: inertia about the center of mass


@dataclass(frozen=True, slots=True)
class Chain:
    """Links by number, antecedents first; gravity in frame 0; type of the scalars of the algorithms."""

    links: dict[int, PlainLink]
    gravity: list[Scalar]
    scalar: Callable[[float], Scalar]

    def outward(self) -> Iterator[tuple[int, PlainLink]]:
        return iter(self.links.items())

    def inward(self) -> Iterator[tuple[int, PlainLink]]:
        return iter(reversed(self.links.items()))

    def after(self, j: int) -> list[int]:
        """Return the links whose antecedent is j."""
        return [k for k, link in self.links.items() if link.ant == j]

    def path(self, j: int) -> list[int]:
        """Return the links from the base (excluded) to j (included)."""
        links = []
        while j:
            links.append(j)
            j = self.links[j].ant
        return links[::-1]


def chain_of(tree: Tree, gravity: Sequence[float], scalar: Callable[[float], Scalar]) -> Chain:
    """Convert a tree of floats; center of mass and central inertia are data of the formulations, not counted."""
    links = {}
    for j, body in tree.items():
        xx, xy, xz, yy, yz, zz, *s, m = (_float(x) for x in body.inertia)
        J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        half = (J[0][0] + J[1][1] + J[2][2]) / 2
        center = [x / m if m else 0.0 for x in s]
        square = sum(a * b for a, b in zip(center, s, strict=True))
        second = [[(half if a == b else 0.0) - J[a][b] for b in range(3)] for a in range(3)]
        tensor = [[J[a][b] - (square if a == b else 0.0) + center[a] * s[b] for b in range(3)] for a in range(3)]

        def numbers(values: Sequence[float]) -> list[Scalar]:
            return [scalar(float(value)) for value in values]

        links[j] = PlainLink(
            ant=body.ant,
            joint=body.joint,
            A=[numbers(list(row)) for row in body.T.A.rows],
            P=numbers(list(body.T.P)),
            qd=scalar(_float(body.qd)),
            qdd=scalar(_float(body.qdd)),
            mass=scalar(m),
            first=numbers(s),
            second=[numbers(row) for row in second],
            center=numbers(center),
            tensor=[numbers(row) for row in tensor],
        )
    return Chain(links, [scalar(float(g)) for g in gravity], scalar)


def _float(x: Scalar) -> float:
    assert isinstance(x, SupportsFloat)
    return float(x)


def total(terms: Sequence[Scalar]) -> Scalar:
    """Return a sum of n >= 1 terms with n - 1 additions."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def product(a: Matrix, b: Matrix) -> Matrix:
    columns = transpose(b)
    return [[total([x * y for x, y in zip(row, column, strict=True)]) for column in columns] for row in a]


def transpose(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]
