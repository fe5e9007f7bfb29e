"""Inertial parameters of a link expressed on the antecedent of its frame (guide 3.80, errata of table 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robosym.description import INERTIA
from robosym.spatial import Mat3, Transform, Vec3

__all__ = ["Inertia", "carried", "product", "zero_inertia"]


@dataclass(frozen=True, slots=True)
class Inertia:
    """The ten parameters of a link at a frame's origin, over floats or expressions."""

    XX: Any
    XY: Any
    XZ: Any
    YY: Any
    YZ: Any
    ZZ: Any
    MX: Any
    MY: Any
    MZ: Any
    M: Any

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(*(getattr(self, name) + getattr(other, name) for name in INERTIA))

    @property
    def MS(self) -> Vec3:
        return Vec3(self.MX, self.MY, self.MZ)

    @property
    def J(self) -> Mat3:
        return Mat3.of(self.XX, self.XY, self.XZ, self.XY, self.YY, self.YZ, self.XZ, self.YZ, self.ZZ)


def product(a: Mat3, b: Mat3) -> Mat3:
    """The product of two rotations."""
    x, y, z = (a @ column for column in b.T.rows)
    return Mat3((x, y, z)).T


def zero_inertia() -> Inertia:
    """A link without mass."""
    return Inertia(*(0 for _ in INERTIA))


def carried(inertia: Inertia, T: Transform) -> Inertia:
    """J_i = A J A^T - (P^ m^ + (P^ m^)^T) + M P^ P^T with m = A MS, and MS_i = m + M P."""
    A, P, M = T.A, T.P, inertia.M
    m = A @ inertia.MS
    x, y, z = product(product(A, inertia.J), A.T).rows
    # P^ m^ + (P^ m^)^T is m P^T + P m^T - 2 (P . m) 1
    px, py, pz, mx, my, mz = P.x, P.y, P.z, m.x, m.y, m.z
    return Inertia(
        XX=x.x + 2 * (py * my + pz * mz) + M * (py * py + pz * pz),
        XY=x.y - (px * my + py * mx) - M * (px * py),
        XZ=x.z - (px * mz + pz * mx) - M * (px * pz),
        YY=y.y + 2 * (px * mx + pz * mz) + M * (px * px + pz * pz),
        YZ=y.z - (py * mz + pz * my) - M * (py * pz),
        ZZ=z.z + 2 * (px * mx + py * my) + M * (px * px + py * py),
        MX=mx + M * px,
        MY=my + M * py,
        MZ=mz + M * pz,
        M=M,
    )
