"""Whether the numbers of the links can be those of bodies: masses, inertias, triangle inequalities."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from robosym.algebra import numeric_value
from robosym.mechanism.modules import module_part

if TYPE_CHECKING:
    from robosym.mechanism.elements import Link
    from robosym.mechanism.robot import Robot

__all__ = ["implausible"]

Rows = list[list[float]]
_ROUNDING = 1e-6  #: what files with six digits leave, in parts of the largest moment


def implausible(robot: Robot) -> tuple[str, ...]:
    """What no body can have, link by link; a link with symbols in its inertia is not looked at."""
    found = []
    for j, link in enumerate((robot.base.link, *robot.links)):
        if link is not None:
            found += [f"{_called(robot, j)}: {remark}" for remark in _link(link)]
    return tuple(found)


def _called(robot: Robot, j: int) -> str:
    """What a message calls a link: that of a platform by this word, that of a module with the module's number."""
    for k, module in enumerate(robot.modules, 1):
        if module.place and module.first <= j <= module.last:
            return f"module {k}: link {j - module.first + 1}"
    return module_part(robot, j) or f"link {j}"


def _link(link: Link) -> Iterator[str]:
    for name in ("IA", "FV", "FS"):
        value = numeric_value(getattr(link, name))
        if value is not None and value < 0:
            yield f"{name} is negative: {value!r}"
    mass = numeric_value(link.M)
    if mass is not None and mass < 0:
        yield f"the mass is negative: {mass!r}"
    moments = [numeric_value(getattr(link, name)) for name in ("MX", "MY", "MZ")]
    tensor = [numeric_value(getattr(link, name)) for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")]
    if mass is None or mass < 0 or None in moments or None in tensor:
        return
    x, y, z = (m or 0.0 for m in moments)
    xx, xy, xz, yy, yz, zz = (t or 0.0 for t in tensor)
    if mass == 0:
        if x or y or z:
            yield "it has first moments, MX MY MZ, and no mass"
            return
        scale = 1.0
    else:  # at the centre of mass
        scale = mass
    about = [
        [xx - (y * y + z * z) / scale, xy + x * y / scale, xz + x * z / scale],
        [xy + x * y / scale, yy - (x * x + z * z) / scale, yz + y * z / scale],
        [xz + x * z / scale, yz + y * z / scale, zz - (x * x + y * y) / scale],
    ]
    size = max(abs(value) for value in (xx, yy, zz, *(e for row in about for e in row)))
    if not any((xx, xy, xz, yy, yz, zz)) or size == 0:  # a point mass, or a tensor that is not given
        return
    about = [[value / size for value in row] for row in about]  # products of three stay within the numbers
    if not _positive(about):
        yield "the inertia at its centre of mass is not positive"
        return
    half = sum(about[k][k] for k in range(3)) / 2
    second = [[(half if r == c else 0.0) - about[r][c] for c in range(3)] for r in range(3)]
    if not _positive(second):
        yield "a principal moment of inertia is larger than the sum of the other two"


def _positive(matrix: Rows) -> bool:
    """No principal minor is negative but for rounding; the largest element is 1."""
    return all(_minor(matrix, places) >= -_ROUNDING for count in (1, 2, 3) for places in combinations(range(3), count))


def _minor(matrix: Rows, places: tuple[int, ...]) -> float:
    m = [[matrix[r][c] for c in places] for r in places]
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return sum(m[0][a] * (m[1][b] * m[2][c] - m[1][c] * m[2][b]) for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))
