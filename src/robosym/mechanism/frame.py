"""The transformation from a frame's antecedent to the frame (guide 1.3, equation 1.3)."""

from __future__ import annotations

from collections.abc import Callable

from robosym.algebra import Expr
from robosym.mechanism import Frame
from robosym.mechanism.notes import Note, no_name
from robosym.spatial import Mat3, Scalar, Transform, Vec3, cos, sin
from robosym.spatial.screw import Screw

__all__ = ["frame_transform"]


def frame_transform(frame: Frame, value: Callable[[Expr], Scalar], j: int, note: Note = no_name) -> Transform:
    """iTj = Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r), entries through `value`."""

    def trigonometry(name: str, angle: Scalar) -> tuple[Scalar, Scalar]:
        return note(f"C{name}", j, cos(angle)), note(f"S{name}", j, sin(angle))

    theta, r = frame.screw(value)
    c, s = trigonometry("", theta)
    ca, sa = trigonometry("alp", value(frame.alpha))
    cg, sg = trigonometry("gam", value(frame.gamma))
    b, d = value(frame.b), value(frame.d)
    a13, a23 = sg * sa, -(cg * sa)
    A = Mat3.of(
        c * cg - s * ca * sg, -(s * cg) - c * ca * sg, a13,
        c * sg + s * ca * cg, c * ca * cg - s * sg, a23,
        s * sa, c * sa, ca,
    )  # fmt: skip
    P = Vec3(d * cg + r * a13, d * sg + r * a23, r * ca + b)
    return Transform(note("A", j, A), note("LOO", j, P))


def frame_screws(frame: Frame, value: Callable[[Expr], Scalar]) -> tuple[Screw, ...]:
    """From the frame back to its antecedent: (theta, r) about z, (alpha, d) about x, (gamma, b) about z."""
    x, z = ("x", value(frame.alpha), value(frame.d)), ("z", value(frame.gamma), value(frame.b))
    steps = (("z", *frame.screw(value)), x, z)
    return tuple(Screw(axis, cos(angle), sin(angle), shift) for axis, angle, shift in steps)
