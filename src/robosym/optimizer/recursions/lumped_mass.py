"""Masses of composite links: second moments modulo an isotropic part (a ball), and rods.

J = T 1 - S holds for any T if S is chosen accordingly: subtracting b from Sxx, Syy, Szz and T does not change J. A ball
is isotropic, so T is invariant under rotation, and S may have zeros where a joint needs them.

A body of revolution is reduced to a rod, S = e m m^T, where m are the first moments. Only m is rotated.
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

__all__ = ["NOTHING", "LumpedMass", "regrouped_lumps"]

_NONE = Mat3.of(*[0] * 9)
_HERE = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class LumpedMass:
    """A mass by its moments about a point, in some axes."""

    S: Mat3
    T: Scalar
    ZZ: Scalar  #: T - Szz, the inertia about the z axis: often known without them
    MS: Vec3
    M: Scalar
    rod: Scalar | None = None  #: e, if S is e m m^T
    length: Scalar = 0  #: e m^T m of a rod, which is invariant under rotation

    @property
    def is_ball(self) -> bool:
        return all(is_exactly(part, 0) for part in (*self.S, *self.MS, self.M))

    @property
    def is_nothing(self) -> bool:
        return self.is_ball and is_exactly(self.T, 0)

    @property
    def about_axis(self) -> tuple[Vec3, Vec3]:
        """Return the moment about the reference point for a rotation about z, and the arm of the force z x m.

        The force on a rod acts at its center of percussion; if it rotates in its plane, its moment of inertia is used.
        """
        if self.rod is not None and not is_exactly(self.MS.z, 0):
            return Vec3(0, 0, self.T - self.length), self.MS * self.rod
        (_, _, xz), (_, _, yz), _ = self.S.rows
        return Vec3(-xz, -yz, self.ZZ), _HERE

    def __add__(self, other: LumpedMass) -> LumpedMass:
        if self.is_ball or other.is_ball:
            return replace(self if other.is_ball else other, T=self.T + other.T, ZZ=self.ZZ + other.ZZ)
        S = Mat3.of(*(a + b for a, b in zip(self.S, other.S, strict=True)))
        return LumpedMass(S, self.T + other.T, self.ZZ + other.ZZ, self.MS + other.MS, self.M + other.M)

    def turned(self, turn: ConstantTurn) -> LumpedMass:
        """Transform to axes from which the given ones are rotated about z."""
        m = Vec3(*turn.vector(self.MS.x, self.MS.y), self.MS.z)
        if self.rod is not None:
            return replace(self, S=outer(m * self.rod, m), MS=m)
        (xx, _, _), (_, yy, _), _ = self.S.rows
        return replace(self, S=turn.body(SecondMoments(self.S, self.MS, self.M, xx + yy, xx - yy)).S, MS=m)

    def in_axes(self, out: Callable[[Vec3], Vec3]) -> LumpedMass:
        """Transform to other axes by `out`."""
        m, z = out(self.MS), out(Vec3(0, 0, 1))
        S = in_axes(self.S, out) if self.rod is None else outer(m * self.rod, m)
        same = is_exactly(z.x, 0) and is_exactly(z.y, 0)
        return replace(self, S=S, ZZ=self.ZZ if same else self.T - S.rows[2].z, MS=m)

    def moved(self, p: Vec3) -> LumpedMass:
        """Change the reference point to one from which the present one is at `p`."""
        if all(is_exactly(part, 0) for part in p):
            return self
        m, far = self.MS, self.MS + p * self.M
        S = Mat3.of(*(s + a + b for s, a, b in zip(self.S, outer(far, p), outer(p, m), strict=True)))
        about = p.x * (m.x + far.x) + p.y * (m.y + far.y)
        return LumpedMass(S, self.T + (about + p.z * (m.z + far.z)), self.ZZ + about, far, self.M)


NOTHING = LumpedMass(_NONE, 0, 0, _HERE, 0)


def regrouped_lumps(tree: Tree) -> dict[int, LumpedMass]:
    """Return the mass of every link with as many zeros as the joints allow; matrix and gravity torques stay equal."""
    found, _ = regrouped(tree, of=_of, on_axis=_on_axis, fixed=_fixed)
    return {j: _rod(_lump(k)) for j, k in found.items()}


def _of(body: RigidInertia) -> SecondMoments:
    """Return second moments up to a ball; ZZ and D are exact."""
    return SecondMoments(Mat3.of(*(-part for part in body.J)), body.MS, body.M, body.ZZ, body.YY - body.XX)


def _on_axis(k: SecondMoments, body: Body) -> tuple[SecondMoments, SecondMoments]:
    """Remove a ball and the mass on the axis of a revolute joint; return also that mass for the antecedent."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    mx, my, mz = k.MS
    along_x = is_exactly(my, 0) and not is_exactly(mx, 0)  # the rest may be a rod along x, or else y
    ball = yy if along_x else xx
    xx, yy = (k.D, 0) if along_x else (0, -k.D)
    left = SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), Vec3(mx, my, 0), 0, k.ZZ, k.D)
    return left, line_on_antecedent(zz - ball, mz, k.M, body)


def _lump(k: SecondMoments) -> LumpedMass:
    return LumpedMass(k.S, k.ZZ + k.S.rows[2].z, k.ZZ, k.MS, k.M)


def _fixed(k: SecondMoments, body: Body) -> SecondMoments:
    """Transform a body that does not rotate relative to the antecedent to the frame of the antecedent."""
    whole = _lump(k).in_axes(lambda v: before(body, v)).moved(origin_before(body))
    (xx, _, _), (_, yy, _), _ = whole.S.rows
    return SecondMoments(whole.S, whole.MS, whole.M, whole.ZZ, xx - yy)


def _rod(k: LumpedMass) -> LumpedMass:
    """Convert to a rod along x or y, if it is one; only with numbers, since first moments must not be zero."""
    m, S = k.MS, list(k.S)
    for place, first, normal in ((0, m.x, m.y), (4, m.y, m.x)):
        others = S[:place] + S[place + 1 :]
        if all(is_exactly(part, 0) for part in (*others, normal, m.z, k.M)) and _is_length(first):
            return replace(k, rod=S[place] / (first * first), length=S[place])
    return k


def _is_length(part: Scalar) -> bool:
    return isinstance(part, Expr) and part.is_number and not part.is_zero
