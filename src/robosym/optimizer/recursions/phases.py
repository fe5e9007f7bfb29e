"""Rotation of constants of a link with phases computed offline, for fewer online operations.

A rotated constant vector is rho cos(angle + phi), rho sin(angle + phi): three operations instead of six. Second moments
rotate by twice the angle: half their sum is invariant, half their difference and Sxy are delta times cosine and sine.
Each phase needs one more sine and cosine, which the operation count ignores but a processor does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import atan2, hypot

from robosym.algebra import Expr, Level
from robosym.algebra.generic import is_exactly
from robosym.algebra.trigonometry import split_coefficient
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.inertia import SecondMoments

__all__ = ["ConstantTurn", "SharedTurn"]

_HALF = Fraction(1, 2)

_SAME = 1e-15  #: relative tolerance of equal ratios


@dataclass(frozen=True)
class ConstantTurn:
    """Rotation about z by an angle; with `phases` where possible."""

    angle: Scalar
    phases: bool

    def vector(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return c x - s y and s x + c y."""
        if self._has_phase(x, y):
            return _wave(self.angle, x, y)
        c, s = cos(self.angle), sin(self.angle)
        return c * x - s * y, s * x + c * y

    def moments(self, xx: Scalar, xy: Scalar, D: Scalar, ZZ: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return rotated second moments normal to the axis: the invariant part of Sxx, the rest of it, and Sxy."""
        if self._has_phase(D, xy):
            return _HALF * ZZ, *_wave(2 * self.angle, _HALF * D, xy)
        c, s = cos(self.angle), sin(self.angle)
        turn = s * D + c * (2 * xy)
        return xx, -(s * turn), c * turn - xy

    def body(self, k: SecondMoments) -> SecondMoments:
        """Transform all moments of a link to axes from which its own are rotated."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
        if not self._has_phase(k.D, xy):
            turned = k.turned_about_z(cos(self.angle), sin(self.angle))
            (xx, xy, _), (_, yy, _), _ = turned.S.rows
            D = turned.D
        else:
            stays, more, xy = self.moments(xx, xy, k.D, k.ZZ)
            xx, yy, D = stays + more, stays - more, 2 * more
        xz, yz = self.vector(xz, yz)
        x, y = self.vector(k.MS.x, k.MS.y)
        return SecondMoments(Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, zz), Vec3(x, y, k.MS.z), k.M, k.ZZ, D)

    def _has_phase(self, x: Scalar, y: Scalar) -> bool:
        constant = all(isinstance(part, Expr) and part.level is not Level.ONLINE for part in (x, y))
        turns = isinstance(self.angle, Expr) and self.angle.level is Level.ONLINE
        return self.phases and constant and turns and not (is_exactly(x, 0) or is_exactly(y, 0))


@dataclass(frozen=True)
class SharedTurn(ConstantTurn):
    """A rotation of many vectors; of those that are numeric multiples of each other only one is rotated."""

    known: list[tuple[Scalar, Scalar, tuple[Scalar, Scalar]]] = field(default_factory=list)

    def vector(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        if is_exactly(x, 0) and is_exactly(y, 0):
            return 0, 0
        for a, b, turned in self.known:
            ratio = _ratio(x, y, a, b)
            if ratio is not None:
                return turned[0] * ratio, turned[1] * ratio
        turned = super().vector(x, y)
        self.known.append((x, y, turned))
        return turned


def _ratio(x: Scalar, y: Scalar, a: Scalar, b: Scalar) -> Fraction | float | None:
    """Return the number that (x, y) is of (a, b), if any."""
    found: set[Fraction | float] = set()
    for part, other in ((x, a), (y, b)):
        if is_exactly(part, 0) and is_exactly(other, 0):
            continue
        if is_exactly(part, 0) or is_exactly(other, 0) or not (isinstance(part, Expr) and isinstance(other, Expr)):
            return None
        (factor, base), (factor_of_other, base_of_other) = _split(part), _split(other)
        if base is not base_of_other:
            return None
        found.add(factor / factor_of_other)
    ratio = max(found)
    return ratio if float(ratio - min(found)) <= _SAME * abs(float(ratio)) else None


def _split(part: Expr) -> tuple[Fraction | float, Expr]:
    """Return a number and the expression it multiplies."""
    factor, base = split_coefficient(part)
    return (factor * base.number, part.graph.one) if base.is_number else (factor, base)


def _wave(angle: Scalar, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """Rotate a vector, given by its length and angle."""
    assert isinstance(x, Expr) and isinstance(y, Expr)
    length, phase = _polar(x, y)
    return length * cos(angle + phase), length * sin(angle + phase)


def _polar(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """Return length and angle of a vector."""
    graph = x.graph
    if x.is_number and y.is_number:  # evaluate numbers at once, so that they combine with others
        numbers = float(x.number), float(y.number)
        return graph.number(hypot(*numbers)), graph.number(atan2(*reversed(numbers)))
    return graph.function("sqrt", x * x + y * y), graph.function("atan2", y, x)
