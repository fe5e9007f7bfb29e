"""The functions of the energy (3.72 to 3.74) of a link from those of the link before it.

Mass on the axis of a revolute joint belongs to either link: what multiplies M and MZ of a link, and XX + YY, which is
what a rod along the axis has, is a sum of functions of the antecedent, by the rules that regroup parameters. With
e = v x w - g, which first moments are multiplied by, a point P of the antecedent has

    h_M(P) = h_M + P . m,    e(P) = m + Q^T P,    m = e + Q P,    a rod along a: a . Q a

where Q holds the functions of second moments, those off the diagonal once: below it. Behind the joint e is the same
vector but for what the joint's own motion adds, qd v x z.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from robosym.dynamics.energy_functions import energy_function
from robosym.mechanism.bodies import Body, Tree
from robosym.model import Note, no_name
from robosym.optimizer.recursions.frames import before_joint, behind_joint, origin_before, parallel_axes
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.vectors import Screw

__all__ = ["ON_AXIS", "TURNED", "EnergyChoice", "EnergyRecursion"]

ON_AXIS, TURNED = "on axis", "turned"


@dataclass(frozen=True)
class EnergyChoice:
    """Which functions of which links come from the antecedent; the others are those of the book."""

    #: (link, ON_AXIS): M, MZ and YY; (link, TURNED): MX and MY
    carried: frozenset[tuple[int, str]] = frozenset()
    sums: bool = False  #: motion and gravity behind parallel axes are turned once, by the sum of the angles


@dataclass(frozen=True, slots=True)
class _Seen:
    """Angular velocity and gravity before the turn of a joint, or of the first of parallel ones, and the turn."""

    w: Vec3
    g: Vec3
    angle: Scalar
    turn: Screw


class EnergyRecursion:
    """What each parameter of each link is multiplied by, over a tree whose base is at rest."""

    def __init__(self, tree: Tree, choice: EnergyChoice, note: Note = no_name) -> None:
        self._tree, self._choice, self._note = tree, choice, note
        self._w, self._v = {0: tree.base.w}, {0: tree.base.v}
        self._g = {0: -tree.base.vp}
        self._u: dict[int, Any] = {0: 0}  # potential of a unit mass at the origin
        self._seen: dict[int, _Seen] = {}
        self._known: dict[tuple[int, str], Any] = {}
        for j, body in tree.items():
            self._move(j, body)

    def _move(self, j: int, body: Body) -> None:
        """Motion of link j and gravity, in its own axes."""
        note, i, P, turn = self._note, body.ant, origin_before(body), body.screws[0]
        w, g = behind_joint(body, self._w[i]), behind_joint(body, self._g[i])
        v = behind_joint(body, self._v[i] + self._w[i].cross(P))
        seen = self._seen[j] = self._gathered(body, _Seen(w, g, body.theta, turn))
        turned = seen.turn.back(Vec3(seen.w.x, seen.w.y, w.z))
        self._w[j] = note("W", j, turned + Vec3(0, 0, body.joint.angular * body.qd))
        self._v[j] = note("V", j, turn.back(v) + Vec3(0, 0, body.joint.linear * body.qd))
        self._g[j] = note("GR", j, seen.turn.back(Vec3(seen.g.x, seen.g.y, g.z)))
        self._u[j] = self._u[i] - self._g[i].dot(P)

    def _gathered(self, body: Body, here: _Seen) -> _Seen:
        """From before the first of parallel axes, turned once by the sum of the angles."""
        first = self._seen.get(body.ant)
        if not self._choice.sums or first is None or not parallel_axes(self._tree, body):
            return here
        angle = first.angle + here.angle
        return replace(first, angle=angle, turn=replace(here.turn, c=cos(angle), s=sin(angle)))

    def value(self, j: int, field: str) -> Any:
        """What a parameter of link j is multiplied by in the energy."""
        if (j, field) not in self._known:
            self._known[j, field] = self._function(j, field)
        return self._known[j, field]

    def _function(self, j: int, field: str) -> Any:
        if j and self._tree.body(j).joint.only_turns:
            if (j, ON_AXIS) in self._choice.carried and field in ("M", "MZ", "YY"):
                return self._on_axis(j, field)
            if (j, TURNED) in self._choice.carried and field in ("MX", "MY"):
                return self._turned(j, field)
        qd = self._tree.body(j).qd if j else 0
        return energy_function(field, self._w[j], self._v[j], self._g[j], self._u[j], qd)

    def _on_axis(self, j: int, field: str) -> Any:
        """Of mass on the axis of joint j, as it moves with the antecedent."""
        body = self._tree.body(j)
        i, P, axis = body.ant, origin_before(body), before_joint(body, Vec3(0, 0, 1))
        if field == "M":
            return self.value(i, "M") + P.dot(self._half_moved(i, P))
        if field == "MZ":
            return axis.dot(self._moved(i, P))
        return axis.dot(self._second(i) @ axis) - self.value(j, "XX")

    def _turned(self, j: int, field: str) -> Any:
        """Of first moments across the axis of joint j: e of the antecedent at this origin, and qd v x z."""
        body, v = self._tree.body(j), self._v[j]
        e = body.screws[0].back(behind_joint(body, self._moved(body.ant, origin_before(body))))
        turn = body.joint.angular * body.qd
        return e.x + turn * v.y if field == "MX" else e.y - turn * v.x

    def _moved(self, i: int, P: Vec3) -> Vec3:
        """e of link i at the point P."""
        return self._half_moved(i, P) + self._second(i).T @ P

    def _half_moved(self, i: int, P: Vec3) -> Vec3:
        """m of link i at the point P."""
        return Vec3(*(self.value(i, field) for field in ("MX", "MY", "MZ"))) + self._second(i) @ P

    def _second(self, i: int) -> Mat3:
        """Q of link i."""
        xx, xy, xz, yy, yz, zz = (self.value(i, field) for field in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        return Mat3.of(yy + zz, 0, 0, -xy, xx + zz, 0, -xz, -yz, xx + yy)
