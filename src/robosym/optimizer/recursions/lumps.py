"""Mass as composite links carry it inwards: second moments up to a ball, and rods.

J = T 1 - S holds for any T when S is chosen for it: to take b from each of Sxx, Syy and Szz and b from T leaves J as it
is. A ball looks the same from all sides, so T never turns, and S may have its zeros where a joint wants them.

What is left of a body of revolution is a rod: S = e m m^T, with m the first moments. Only m is turned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Body, Tree
from robosym.optimizer.recursions.frames import before, in_axes, origin_before, outer
from robosym.optimizer.recursions.moments import line_on_antecedent, regrouped
from robosym.optimizer.recursions.phases import ConstantTurn
from robosym.spatial import Mat3, Scalar, Vec3
from robosym.spatial.inertia import RigidInertia, SecondMoments

__all__ = ["NOTHING", "Lump", "regrouped_lumps"]

_NONE = Mat3.of(*[0] * 9)
_HERE = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Lump:
    """Some mass by its moments about a point, along some axes."""

    S: Mat3
    T: Scalar
    ZZ: Scalar  #: T - Szz, the inertia about the axis z: often known without them
    MS: Vec3
    M: Scalar
    rod: Scalar | None = None  #: e, where S is e m m^T
    length: Scalar = 0  #: of a rod: e m^T m, which no turn changes

    @property
    def is_ball(self) -> bool:
        return all(is_exactly(part, 0) for part in (*self.S, *self.MS, self.M))

    @property
    def is_nothing(self) -> bool:
        return self.is_ball and is_exactly(self.T, 0)

    @property
    def about_axis(self) -> tuple[Vec3, Vec3]:
        """Of a turn about z, about the own point: the moment that it takes, and the arm at which the force z x m acts.

        A rod is felt at its centre of percussion; where it turns in its plane, by its moment of inertia.
        """
        if self.rod is not None and not is_exactly(self.MS.z, 0):
            return Vec3(0, 0, self.T - self.length), self.MS * self.rod
        (_, _, xz), (_, _, yz), _ = self.S.rows
        return Vec3(-xz, -yz, self.ZZ), _HERE

    def __add__(self, other: Lump) -> Lump:
        if self.is_ball or other.is_ball:
            return replace(self if other.is_ball else other, T=self.T + other.T, ZZ=self.ZZ + other.ZZ)
        S = Mat3.of(*(a + b for a, b in zip(self.S, other.S, strict=True)))
        return Lump(S, self.T + other.T, self.ZZ + other.ZZ, self.MS + other.MS, self.M + other.M)

    def turned(self, turn: ConstantTurn) -> Lump:
        """In axes from which the given ones are turned about z."""
        m = Vec3(*turn.vector(self.MS.x, self.MS.y), self.MS.z)
        if self.rod is not None:
            return replace(self, S=outer(m * self.rod, m), MS=m)
        (xx, _, _), (_, yy, _), _ = self.S.rows
        return replace(self, S=turn.body(SecondMoments(self.S, self.MS, self.M, xx + yy, xx - yy)).S, MS=m)

    def in_axes(self, out: Callable[[Vec3], Vec3]) -> Lump:
        """In other axes; `out` gives vectors in them."""
        m, z = out(self.MS), out(Vec3(0, 0, 1))
        S = in_axes(self.S, out) if self.rod is None else outer(m * self.rod, m)
        same = is_exactly(z.x, 0) and is_exactly(z.y, 0)
        return replace(self, S=S, ZZ=self.ZZ if same else self.T - S.rows[2].z, MS=m)

    def moved(self, p: Vec3) -> Lump:
        """About another point, from which the given one is at `p`."""
        if all(is_exactly(part, 0) for part in p):
            return self
        m, far = self.MS, self.MS + p * self.M
        S = Mat3.of(*(s + a + b for s, a, b in zip(self.S, outer(far, p), outer(p, m), strict=True)))
        about = p.x * (m.x + far.x) + p.y * (m.y + far.y)
        return Lump(S, self.T + (about + p.z * (m.z + far.z)), self.ZZ + about, far, self.M)


NOTHING = Lump(_NONE, 0, 0, _HERE, 0)


def regrouped_lumps(tree: Tree) -> dict[int, Lump]:
    """Of every link, with as many zeros as the joints allow: inertia matrix and gravity torques stay the same."""
    found, _ = regrouped(tree, of=_of, on_axis=_on_axis, fixed=_fixed)
    return {j: _rod(_lump(k)) for j, k in found.items()}


def _of(body: RigidInertia) -> SecondMoments:
    """Up to a ball, but for ZZ and D: these are what they are."""
    return SecondMoments(Mat3.of(*(-part for part in body.J)), body.MS, body.M, body.ZZ, body.YY - body.XX)


def _on_axis(k: SecondMoments, body: Body) -> tuple[SecondMoments, SecondMoments]:
    """Without a ball and the mass on the axis of a revolute joint, and what the antecedent gets: that mass."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    mx, my, mz = k.MS
    along_x = is_exactly(my, 0) and not is_exactly(mx, 0)  # what is left may be a rod along x, or else y
    ball = yy if along_x else xx
    xx, yy = (k.D, 0) if along_x else (0, -k.D)
    left = SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), Vec3(mx, my, 0), 0, k.ZZ, k.D)
    return left, line_on_antecedent(zz - ball, mz, k.M, body)


def _lump(k: SecondMoments) -> Lump:
    return Lump(k.S, k.ZZ + k.S.rows[2].z, k.ZZ, k.MS, k.M)


def _fixed(k: SecondMoments, body: Body) -> SecondMoments:
    """A body that does not turn against the antecedent, in the frame of that."""
    whole = _lump(k).in_axes(lambda v: before(body, v)).moved(origin_before(body))
    (xx, _, _), (_, yy, _), _ = whole.S.rows
    return SecondMoments(whole.S, whole.MS, whole.M, whole.ZZ, xx - yy)


def _rod(k: Lump) -> Lump:
    """As a rod along x or y where it is one; of numbers only, since the first moments must not be zero."""
    m, S = k.MS, list(k.S)
    for place, first, across in ((0, m.x, m.y), (4, m.y, m.x)):
        others = S[:place] + S[place + 1 :]
        if all(is_exactly(part, 0) for part in (*others, across, m.z, k.M)) and _is_length(first):
            return replace(k, rod=S[place] / (first * first), length=S[place])
    return k


def _is_length(part: Scalar) -> bool:
    return isinstance(part, Expr) and part.is_number and not part.is_zero
