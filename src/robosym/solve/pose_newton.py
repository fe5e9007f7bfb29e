"""Newton's method for the pose of a platform held by distances, as a model: straight-line code, compiled."""

from __future__ import annotations

from fractions import Fraction

from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix
from robosym.coordinates.platform_motion import POSE
from robosym.model import Model
from robosym.model.groups import declare
from robosym.solve.platform_points import PlatformPoints
from robosym.spatial import Mat3, Scalar, Vec3

__all__ = ["pose_newton"]

#: the components of the twist, linear then angular, that a motion has
_FREE = {"space": (0, 1, 2, 3, 4, 5), "plane": (0, 1, 5), "sphere": (3, 4, 5), "translation": (0, 1, 2)}

_STEPS = 3  #: number of Newton steps in one evaluation of the model: from an error of 0.01 to rounding


def pose_newton(held: PlatformPoints, name: str) -> Model:
    """Return a model of one Newton step from motors and a pose to a better pose, with the squared gaps.

    Outputs "pose" and "gap": the sum of squares of half the differences between the squared distances, and of the
    errors of R as a rotation times the first of these differences.
    """
    graph = held.graph
    declare(graph, {"pose": POSE})
    entries = [graph.symbol(entry) for entry in POSE]
    R, P = held.frames.enter(_rotation(_rotation(Mat3.of(*entries[:9]))), Vec3(*entries[9:]))
    for _ in range(_STEPS):
        R, P = _step(held, R, P)
    gap: Scalar = graph.zero
    for f, *_ in _gaps(held, R, P):
        gap = gap + f * f
    for entry in _products(R):  # a pose that is no rotation fits nothing
        lacking = entry * held.squares[0]
        gap = gap + lacking * lacking
    R, P = held.frames.leave(R, P)
    names = [*(f"N{entry}" for entry in POSE), "GAP"]
    definitions = {n: graph.zero + v for n, v in zip(names, (*R, *P, gap), strict=True)}
    inputs = {"q": held.inputs["q"], "pose": POSE, "parameters": held.inputs["parameters"]}
    inputs = {group: symbols for group, symbols in inputs.items() if symbols}
    outputs = {"pose": tuple(names[:12]), "gap": ("GAP",)}
    return Model(name, "dgn", "Direct geometric model near a pose", inputs, outputs, definitions, graph)


def _products(R: Mat3) -> list[Scalar]:
    """R^T R - 1, on and above the diagonal: xx, xy, xz, yy, yz, zz."""
    s, n, a = R.T.rows
    return [s.dot(s) - 1, s.dot(n), s.dot(a), n.dot(n) - 1, n.dot(a), a.dot(a) - 1]


def _rotation(R: Mat3) -> Mat3:
    """Make R orthogonal: R (3 - R^T R) / 2 squares the error (Newton's method for the polar decomposition)."""
    xx, xy, xz, yy, yz, zz = (-(entry * Fraction(1, 2)) for entry in _products(R))
    return R @ Mat3.of(1 + xx, xy, xz, xy, 1 + yy, yz, xz, yz, 1 + zz)


def _gaps(held: PlatformPoints, R: Mat3, P: Vec3) -> list[tuple[Scalar, Vec3, Vec3]]:
    """Return for each leg half the difference of squared distances, the leg vector, and R b."""
    gaps = []
    for a, b, d in zip(held.base, held.platform, held.squares, strict=True):
        arm = R @ b
        y = P + arm - a
        gaps.append(((y.dot(y) - d) / 2, y, arm))
    return gaps


def _step(held: PlatformPoints, R: Mat3, P: Vec3) -> tuple[Mat3, Vec3]:
    """Return one step. Normal equations need no pivots; the next step recovers the digits they lose."""
    gaps = _gaps(held, R, P)
    free = _FREE[held.frames.motion]
    twists = [(*y, *arm.cross(y)) for _, y, arm in gaps]
    J = Matrix([[twist[place] for place in free] for twist in twists])
    right = J.T @ [-f for f, *_ in gaps]
    x = dict(zip(free, solve_symmetric((J.T @ J).rows, right), strict=True))
    v, w = (Vec3(*(x.get(place, 0) for place in places)) for places in ((0, 1, 2), (3, 4, 5)))
    return (_turned(w, R) if any(place > 2 for place in free) else R), P + v


def _turned(w: Vec3, R: Mat3) -> Mat3:
    """Return the Cayley rotation by w (for small w by the angle |w|) times R, orthogonal for any w."""
    half = Vec3(w.x / 2, w.y / 2, w.z / 2)
    factor = 2 / (1 + half.dot(half))

    def turned(column: Vec3) -> Vec3:
        across = half.cross(column)
        step = across + half.cross(across)
        return column + Vec3(factor * step.x, factor * step.y, factor * step.z)

    s, n, a = R.T.rows
    return Mat3((turned(s), turned(n), turned(a))).T
