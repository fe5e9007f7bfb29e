"""The special geometry near a given chain: axes that are parallel, perpendicular or intersect up to noise.

Files often hold axes and angles with few digits, or with noise. The parameters of each pair of neighboring axes (the
angle and the distance between them, the offset along the first axis and about it) that are within a tolerance of a
special value are replaced by it. Its closed form provides initial values for Newton's method on the given geometry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robosym.algebra import Graph
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import ROUNDING
from robosym.chains.chain import JointChain
from robosym.spatial import Transform
from robosym.spatial.numeric import screws

__all__ = ["GEOMETRY_TOLERANCE", "Adjustment", "SpecialGeometry", "special_geometry"]

GEOMETRY_TOLERANCE = 1e-5  #: noise of axes, angles and lengths (in units of the robot) in files of six digits
_ROUNDED = 10 * ROUNDING  #: changes that are rounding are not mentioned
_FAR = 1e3  #: in units of the robot, the foot of a common normal that is farther away is not used
_POSITIONS = 64  #: number of positions at which the poses of both geometries are compared
_TWO_AXES = 3.0  #: times the error of an entry of the file: that of the angle or distance of two axes
_SAFETY = 2.0  #: safety factor of the difference found there
_QUARTER = np.pi / 2
_ABOUT = "angle about the axis of {} between its common normals"


@dataclass(frozen=True)
class Adjustment:
    """One parameter that was replaced by a special value."""

    what: str  #: the parameter, with the names of its joints
    given: float  #: its value in the description
    used: float  #: the special value
    unit: str  #: rad or m

    @property
    def amount(self) -> float:
        return abs(self.given - self.used)

    def __str__(self) -> str:
        return f"{self.what}: {self.given:.10g} {self.unit} taken as {self.used:.10g} (changed by {self.amount:.1e})"


@dataclass(frozen=True)
class SpecialGeometry:
    """A chain that replaces a given one, and the difference between them."""

    chain: JointChain
    snaps: tuple[Adjustment, ...]
    rotation: float  #: upper bound of the difference of the entries of a rotation, estimated at random positions
    position: float  #: the same of positions, in m
    error: float  #: the larger one, lengths in units of the chain

    def __str__(self) -> str:
        return "\n".join(map(str, self.snaps))

    @property
    def bound(self) -> str:
        """The differences, as text."""
        return f"{self.position:.1e} m and {self.rotation:.1e} rad"


def special_geometry(
    chain: JointChain, tolerance: float = GEOMETRY_TOLERANCE, names: Mapping[str, str] | None = None
) -> SpecialGeometry | None:
    """Return the special geometry that agrees with a chain within `tolerance`, or None.

    The tolerance applies to axes and angles in rad and to lengths in units of the chain. The result is None if the
    chain has symbols, or differs from its special geometry by rounding only. `names` maps joint variables to names
    for messages.
    """
    if not tolerance > 0 or chain.parameters or len(chain.joints) < 2:
        return None
    given = chain.at({})
    length = sum(float(np.linalg.norm(constant[:3, 3])) for constant in given) or 1.0
    made = _Snapping([(names or {}).get(name, name) for name in chain.names], _TWO_AXES * tolerance, length)
    constants = made.constants(given)
    if not any(snap.amount > _ROUNDED for snap in made.snaps):
        return None
    graph = Graph()
    graph.expect_online(chain.names)
    written = tuple(_transform(constant, graph) for constant in constants)
    special = JointChain(chain.joints, written, graph, chain.goal)
    rotation, position = _difference(chain, given, constants, length)
    snaps = tuple(snap for snap in made.snaps if snap.amount > _ROUNDED)
    return SpecialGeometry(special, snaps, rotation, position, max(rotation, position / length))


class _Snapping:
    """Traversal of a chain that moves translations along an axis from after its joint to the next pair of axes."""

    def __init__(self, names: Sequence[str], tolerance: float, length: float) -> None:
        self.names = names
        self.tolerance, self.length = tolerance, length
        self.snaps: list[Adjustment] = []

    def constants(self, given: Sequence[Array]) -> list[Array]:
        first, *between, last = given
        result = [self._end(first, f"the base and {self.names[0]}")]
        carried = np.eye(4)
        for place, constant in enumerate(between):
            made, carried = self._pair(carried @ constant, place)
            result.append(made)
        return [*result, self._end(carried @ last, f"{self.names[-1]} and the end")]

    def _pair(self, M: Array, place: int) -> tuple[Array, Array]:
        """Split Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) before theta; return both parts, the first snapped."""
        one, other = self.names[place : place + 2]
        x, y, z = M[:3, 2]
        sine = float(np.hypot(x, y))
        if sine <= self.tolerance:
            return self._parallel(M, one, other)
        gamma, alpha, theta = np.arctan2(x, -y), np.arctan2(sine, z), np.arctan2(M[2, 0], M[2, 1])
        if abs(gamma) > _QUARTER + self.tolerance:  # the other sense of the common normal
            gamma, alpha, theta = gamma - np.copysign(np.pi, gamma), -alpha, theta - np.copysign(np.pi, theta)
        c, s = np.cos(gamma), np.sin(gamma)
        p = M[:3, 3]
        d = c * p[0] + s * p[1]
        r = (s * p[0] - c * p[1]) / np.sin(alpha)
        b = p[2] - r * np.cos(alpha)
        if abs(r) > _FAR * self.length:  # nearly parallel, but not within the tolerance
            along = float(p @ M[:3, 2])
            return M @ screws(2, 0.0, -along), screws(2, 0.0, along)
        gamma = self._angle(_ABOUT.format(one), gamma)
        b = self._length(f"offset along the axis of {one}", b)
        alpha = self._angle(f"angle between the axes of {one} and {other}", alpha)
        d = self._length(f"distance of the axes of {one} and {other}", d)
        return _turn(2, gamma, b) @ _turn(0, alpha, d), _turn(2, theta, r)

    def _parallel(self, M: Array, one: str, other: str) -> tuple[Array, Array]:
        """Do the same as `_pair`; the next axis is rotated about its point closest to the origin of this one."""
        sense = 1.0 if M[2, 2] > 0 else -1.0
        angle = float(np.hypot(*M[:2, 2]))
        special = 0.0 if sense > 0 else float(np.pi)
        self.snaps.append(
            Adjustment(f"angle between the axes of {one} and {other}", abs(special - angle), special, "rad")
        )
        along = float(M[:3, 3] @ M[:3, 2])
        p = M[:3, 3] - along * M[:3, 2]
        d = self._length(f"distance of the axes of {one} and {other}", float(np.hypot(p[0], p[1])))
        gamma = self._angle(_ABOUT.format(one), np.arctan2(p[1], p[0])) if d else 0.0
        whole = np.arctan2(M[1, 0] - sense * M[0, 1], M[0, 0] + sense * M[1, 1])
        theta = whole - gamma if sense > 0 else gamma - whole
        return _turn(2, gamma, 0.0) @ _turn(0, special, d), _turn(2, theta, along)

    def _end(self, M: Array, where: str) -> Array:
        """Snap the base or the tool: entries close to 0, and close to 1 in rotations by right angles."""
        R, whole = M[:3, :3], np.rint(M[:3, :3])
        result = np.array(M, dtype=float)
        off = float(np.abs(R - whole).max())
        if off <= self.tolerance and abs(np.linalg.det(whole) - 1) < 0.5:
            result[:3, :3] = whole
            self.snaps.append(
                Adjustment(f"rotation between {where}, largest entry from a right angle", off, 0.0, "rad")
            )
        for row, axis in enumerate("xyz"):
            result[row, 3] = self._length(f"{axis} between {where}", M[row, 3])
        return result

    def _angle(self, what: str, value: float) -> float:
        special = _QUARTER * np.rint(value / _QUARTER) + 0.0
        if abs(value - special) > self.tolerance:
            return float(value)
        self.snaps.append(Adjustment(what, float(value), float(special), "rad"))
        return float(special)

    def _length(self, what: str, value: float) -> float:
        if abs(value) > self.tolerance * self.length:
            return float(value)
        self.snaps.append(Adjustment(what, float(value), 0.0, "m"))
        return 0.0


def _turn(axis: int, angle: float, shift: float) -> Array:
    """Return a screw motion with exact entries at right angles."""
    motion = np.array(screws(axis, angle, shift))
    if angle == _QUARTER * np.rint(angle / _QUARTER):
        motion[:3, :3] = np.rint(motion[:3, :3])
    return motion


def _transform(constant: Array, graph: Graph) -> Transform:
    """Return numbers as expressions, whole numbers as integers."""
    entries = [float(entry) for entry in constant[:3].ravel()]
    return Transform.of(*(graph.number(int(entry) if entry in (-1.0, 0.0, 1.0) else entry) for entry in entries))


def _difference(
    chain: JointChain, given: Sequence[Array], special: Sequence[Array], length: float
) -> tuple[float, float]:
    """Return the difference of the poses of the two chains: rotation in rad and translation in m."""
    q = random_arrays("special geometry").uniform(-np.pi, np.pi, (_POSITIONS, len(chain.joints)))
    T = [np.broadcast_to(constants[0], (_POSITIONS, 4, 4)) for constants in (given, special)]
    for place, joint in enumerate(chain.joints):
        motion = joint.motion(q[:, place] * (length / np.pi if joint.prismatic else 1.0))
        T = [pose @ motion @ constants[place + 1] for pose, constants in zip(T, (given, special), strict=True)]
    off = _SAFETY * np.abs(T[0] - T[1])
    return float(off[:, :3, :3].max()), float(off[:, :3, 3].max())
