"""A symmetric inertia of six dimensions, of a link, of a composite or of an articulated body, moved between frames.

It maps the acceleration of the frame's origin and the angular acceleration to the force and the moment at the origin:
f = M v + N w, n = N^T v + J w, with M and J symmetric. Of a rigid body M is the mass times the unit matrix and N is
minus the skew matrix of the first moments; these zeros and signs survive every step, so that composite links (guide
3.97 to 3.100) need no code of their own, and an articulated body (guide A4-23) costs its 21 entries and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.spatial.screw import Screw
from robosym.spatial.vectors import Mat3, Vec3

__all__ = ["SpatialInertia", "SpatialVector", "sum_of", "turned_block"]

SpatialVector = tuple[Any, ...]  # a force and a moment, or a linear and an angular acceleration: six entries


def turned_block(c: Any, s: Any, xx: Any, xy: Any, yx: Any, yy: Any) -> tuple[Any, Any, Any, Any]:
    """R B R^T of a 2 x 2 block: four products, and none for a multiple of the unit or of the skew matrix."""
    turn = s * (xx - yy) + c * (xy + yx)
    return xx - s * turn, c * turn - yx, c * turn - xy, yy + s * turn


class SpatialInertia:
    """`entries[a][b]`, a and b from 0 to 5: three of the linear part, then three of the angular part."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[list[Any]]) -> None:
        self.entries = entries

    @classmethod
    def build(cls, entry: Callable[[int, int], Any]) -> SpatialInertia:
        """From the entries on and above the diagonal."""
        rows = [[0] * 6 for _ in range(6)]
        for a in range(6):
            for b in range(a, 6):
                rows[a][b] = rows[b][a] = entry(a, b)
        return cls(rows)

    @classmethod
    def rigid(cls, m: Any, first_moments: Vec3, moments: Mat3) -> SpatialInertia:
        """Of a rigid body: its mass, its first moments and its inertia, at the origin of the frame."""
        x, y, z = first_moments
        upper = [[m, 0, 0, 0, z, -y], [0, m, 0, -z, 0, x], [0, 0, m, y, -x, 0]]
        tensor = [list(row) for row in moments.rows]
        return cls.build(lambda a, b: upper[a][b] if a < 3 else tensor[a - 3][b - 3])

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia.build(lambda a, b: self.entries[a][b] + other.entries[a][b])

    def __matmul__(self, vector: SpatialVector) -> SpatialVector:
        return tuple(sum_of(entry * part for entry, part in zip(row, vector, strict=True)) for row in self.entries)

    def moved(self, *screws: Screw) -> SpatialInertia:
        """The same inertia in the frame and at the origin before the screws, taken one after the other."""
        inertia = self
        for screw in screws:
            inertia = inertia._shifted(screw)._turned(screw)
        return inertia

    def named(self, note: Callable[[str, int, Any], Any], prefix: str, j: int) -> SpatialInertia:
        """With the names of a matrix: X11j .. X66j."""
        return SpatialInertia.build(lambda a, b: note(f"{prefix}{a + 1}{b + 1}", j, self.entries[a][b]))

    def _shifted(self, screw: Screw) -> SpatialInertia:
        """At an origin `shift` back along the screw's axis: N' = N - M P^, J' = J + P^ N' + (P^ N)^T."""
        x, y, z = screw.order
        length, old = screw.shift, self.entries
        new = [list(row) for row in old]

        def put(a: int, b: int, value: Any) -> None:
            new[a][b] = new[b][a] = value

        for a in range(3):
            put(a, 3 + x, old[a][3 + x] - length * old[a][y])
            put(a, 3 + y, old[a][3 + y] + length * old[a][x])
        put(3 + x, 3 + x, old[3 + x][3 + x] - length * (new[y][3 + x] + old[y][3 + x]))
        put(3 + y, 3 + y, old[3 + y][3 + y] + length * (new[x][3 + y] + old[x][3 + y]))
        put(3 + x, 3 + y, old[3 + x][3 + y] + length * (old[x][3 + x] - new[y][3 + y]))
        put(3 + x, 3 + z, old[3 + x][3 + z] - length * old[y][3 + z])
        put(3 + y, 3 + z, old[3 + y][3 + z] + length * old[x][3 + z])
        return SpatialInertia(new)

    def _turned(self, screw: Screw) -> SpatialInertia:
        x, y, z = screw.order
        c, s, old = screw.c, screw.s, self.entries
        new = [list(row) for row in old]

        def block(row: int, column: int) -> None:
            """Turn one of the three blocks M, N, J in place."""
            i, j, k = row + x, row + y, row + z
            p, q, r = column + x, column + y, column + z
            new[i][p], new[i][q], new[j][p], new[j][q] = turned_block(c, s, old[i][p], old[i][q], old[j][p], old[j][q])
            new[i][r], new[j][r] = c * old[i][r] - s * old[j][r], s * old[i][r] + c * old[j][r]
            new[k][p], new[k][q] = c * old[k][p] - s * old[k][q], s * old[k][p] + c * old[k][q]

        block(0, 0)
        block(0, 3)
        block(3, 3)
        return SpatialInertia.build(lambda a, b: new[a][b])


def sum_of(terms: Any) -> Any:
    """The sum, without the 0 that `sum` begins with where there is a first term."""
    total: Any = 0
    for term in terms:
        total = term + total
    return total
