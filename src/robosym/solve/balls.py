"""Spherical joints in the angles of three axes that meet: two sets of angles give one position of their links.

From a mode that was found, the others that differ in these angles alone follow without a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ZERO
from robosym.chains.numeric_chain import NumericChain

__all__ = ["Ball", "balls_of"]


@dataclass(frozen=True)
class Ball:
    """Three joints in a row, about axes through one point: their places among the unknowns, signs, turns between."""

    places: tuple[int, int, int]
    signs: tuple[float, float, float]
    first: Array  #: rotation from the first axis to the second
    second: Array

    def other(self, x: Array) -> Array:
        """The same positions (m, unknowns) of the links before and behind the joint in its other angles.

        Not finite where the first axis and the last are in line.
        """
        a, b, c = self.places
        middle = self.signs[1] * x[:, b]
        turned = 2 * self._about - middle
        here, there = self._between(middle), self._between(turned)
        found = x.copy()
        found[:, a] += self.signs[0] * (_before(here) - _before(there))
        found[:, b] = self.signs[1] * turned
        found[:, c] += self.signs[2] * (_behind(here) - _behind(there))
        in_line = np.hypot(here[:, 0, 2], here[:, 1, 2]) < ZERO
        found[in_line] = np.nan
        return found

    @property
    def _about(self) -> float:
        """Of the middle angle: the cosine of that between the outer axes is a constant plus r cos(middle - about)."""
        across, along = self.first[2], self.second[:, 2]
        return float(
            np.arctan2(across[1] * along[0] - across[0] * along[1], across[0] * along[0] + across[1] * along[1])
        )

    def is_over(self, x: Array) -> Array:
        """Which positions (m, unknowns) are in that of both sets of angles which does not stand for them."""
        off = np.sin(self.signs[1] * x[:, self.places[1]] - self._about)
        return np.asarray((off < 0) & np.isfinite(self.other(x)).all(axis=1))

    def distance(self, x: Array, to: Array) -> Array:
        """Of the three angles from others; a whole turn is none."""
        places = list(self.places)
        return np.asarray(np.nan_to_num(np.abs(np.sin((x[:, places] - to[places]) / 2)).max(axis=1), nan=np.inf))

    def _between(self, angle: Array) -> Array:
        c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
        turn = np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(-1, 3, 3)
        return np.asarray(self.first @ turn @ self.second)


def _before(M: Array) -> Array:
    """The first angle of a rotation about z, x and z."""
    return np.asarray(np.arctan2(M[:, 0, 2], -M[:, 1, 2]))


def _behind(M: Array) -> Array:
    """The last angle of a rotation about z, x and z."""
    return np.asarray(np.arctan2(M[:, 2, 0], M[:, 2, 1]))


def balls_of(chains: Sequence[NumericChain], unknown: Sequence[str]) -> list[Ball]:
    """The spherical joints of chains, each once, whose three angles are unknown."""
    found: dict[frozenset[str], Ball] = {}
    for chain in chains:
        for place in range(len(chain.joints) - 2):
            joints = chain.joints[place : place + 3]
            names = [joint.name for joint in joints]
            if any(joint.prismatic or joint.name not in unknown for joint in joints) or frozenset(names) in found:
                continue
            one, other = chain.behind[place], chain.behind[place + 1]
            if _meet(one, other, chain.length):
                a, b, c = (unknown.index(name) for name in names)
                signs = (float(joints[0].sign), float(joints[1].sign), float(joints[2].sign))
                found[frozenset(names)] = Ball((a, b, c), signs, one[:3, :3], other[:3, :3])
    return list(found.values())


def _meet(one: Array, other: Array, length: float) -> bool:
    """Whether three axes z, with these transformations between them, meet in a point and are not in line."""
    behind = _height(one, length)
    before = _height(np.linalg.inv(other), length)
    if behind is None or before is None:
        return False
    # on the middle axis: where the first meets it, and where the last does
    return abs(_on_second(one, behind) - _on_second(np.linalg.inv(other), before)) < ZERO * length


def _height(T: Array, length: float) -> float | None:
    """Where on z of the first frame the z axis of the second meets it; None where it does not."""
    z, P = T[:3, 2], T[:3, 3]
    normal = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(normal))
    if size < ZERO or abs(normal @ P) > ZERO * length * size:
        return None
    along = -float(P[:2] @ z[:2]) / float(z[:2] @ z[:2])
    return float(P[2] + along * z[2])


def _on_second(T: Array, height: float) -> float:
    """The same point on z of the second frame."""
    return float((np.linalg.inv(T) @ [0.0, 0.0, height, 1.0])[2])
