"""Alternative recursions for identification models: the functions that multiply the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.coordinates.joint_motion import JointMotion
from robosym.dynamics.identification.dynamic_identification import dynamic_matrix
from robosym.dynamics.identification.energy_identification import energy_row
from robosym.dynamics.identification.filtered_identification import Twist, filtered_matrices
from robosym.dynamics.newton_euler import LinkMotion
from robosym.mechanism.bodies import Body, Tree
from robosym.mechanism.motion import Hinge
from robosym.model import Model, Note, Origin, no_name
from robosym.optimizer import effort
from robosym.optimizer.recursions.frames import before_joint, behind_joint, origin_before, parallel_axes
from robosym.optimizer.recursions.recursion import motions
from robosym.optimizer.recursions.trial import Alternatives, Trial
from robosym.parameters.standard import LinkField, energy_function
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.vectors import Screw

__all__ = ["ON_AXIS", "OTHERS", "TURNED", "EnergyChoice", "EnergyRecursion", "energy_functions_by"]


def _motion(sums: bool, tree: Tree, note: Note) -> LinkMotion:
    """Return the motion of the links, from the columns of U."""
    found = motions(tree, sums, note)
    w, wp, vp = ({j: getattr(each, name) for j, each in found.items()} for name in ("w", "wp", "vp"))
    return LinkMotion(w, wp, vp, {}, {})


def _dynamic(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(made.again(motion_of=partial(_motion, sums)) for sums in (True, False))


def _filtered(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(carried=_by_sums_of_angles))


def _by_sums_of_angles(screw: Twist, h: Hinge) -> Twist:
    """Transform a screw across joint h; an axis normal to parallel ones is rotated by the sum of their angles."""
    carried = screw.carried(h)
    if not is_exactly(h.T.A.rows[2].z, 1):  # the previous axis is not parallel to that of the joint
        return carried
    return replace(carried, w=_further(screw.w, carried.w, h))


def _further(w: Vec3, carried: Vec3, h: Hinge) -> Vec3:
    """Rotate (sin x, cos x, 0) about z by a further angle; other vectors are transformed as usual."""
    x, y, c = w.x, w.y, h.T.A.rows[0].x
    exact = all(isinstance(part, Expr) for part in (x, y, c)) and is_exactly(w.z, 0)
    if not exact or (x.op, y.op, c.op) != ("sin", "cos", "cos") or c.negative or x.negative is not y.negative:
        return carried
    if x.args[0] is not y.args[0] or h.T.A.rows[1].x is not sin(c.args[0]):
        return carried
    angle = x.args[0] + c.args[0]
    return Vec3(sin(angle).signed(x.negative), cos(angle).signed(x.negative), 0)


# ------------------------------------------------------------------ functions of the energy
#
# (3.72 to 3.74) of a link from those of the previous link. Mass on the axis of a revolute joint belongs to either link:
# the functions of M and MZ of a link, and of XX + YY, which a rod along the axis has, are sums of functions of the
# antecedent, by the rules of regrouping. With e = v x w - g, the functions of first moments, a point P of the
# antecedent has
#
#     h_M(P) = h_M + P . m,    e(P) = m + Q^T P,    m = e + Q P,    a rod along a: a . Q a
#
# where Q contains the functions of second moments, off-diagonal ones once, below the diagonal. After the joint, e is
# the same vector except for the contribution qd v x z of the joint's own motion.

ON_AXIS, TURNED = "on axis", "turned"


@dataclass(frozen=True)
class EnergyChoice:
    """Functions of links that are computed from the antecedent; the others are computed as in the book."""

    #: (link, ON_AXIS): M, MZ and YY; (link, TURNED): MX and MY
    carried: frozenset[tuple[int, str]] = frozenset()
    sums: bool = False  #: motion and gravity after parallel axes are rotated once, by the sum of the angles


@dataclass(frozen=True, slots=True)
class _BeforeRotation:
    """Angular velocity and gravity before a joint, or the first of parallel ones, rotates, and the rotation."""

    w: Vec3
    g: Vec3
    angle: Scalar
    turn: Screw


class EnergyRecursion:
    """Functions that multiply each parameter of each link, for a tree with fixed base."""

    def __init__(self, tree: Tree, choice: EnergyChoice, note: Note = no_name) -> None:
        self._tree, self._choice, self._note = tree, choice, note
        self._w, self._v = {0: tree.base.w}, {0: tree.base.v}
        self._g = {0: -tree.base.vp}
        self._u: dict[int, Scalar] = {0: 0}  # potential energy of a unit mass at the origin
        self._seen: dict[int, _BeforeRotation] = {}
        self._known: dict[tuple[int, str], Scalar] = {}
        for j, body in tree.items():
            self._move(j, body)

    def _move(self, j: int, body: Body) -> None:
        """Compute the motion of link j and gravity in its own axes."""
        note, i, P, turn = self._note, body.ant, origin_before(body), body.screws[0]
        w, g = behind_joint(body, self._w[i]), behind_joint(body, self._g[i])
        v = behind_joint(body, self._v[i] + self._w[i].cross(P))
        seen = self._seen[j] = self._gathered(body, _BeforeRotation(w, g, body.theta, turn))
        turned = seen.turn.back(Vec3(seen.w.x, seen.w.y, w.z))
        self._w[j] = note("W", j, turned + Vec3(0, 0, body.joint.angular * body.qd))
        self._v[j] = note("V", j, turn.back(v) + Vec3(0, 0, body.joint.linear * body.qd))
        self._g[j] = note("GR", j, seen.turn.back(Vec3(seen.g.x, seen.g.y, g.z)))
        self._u[j] = self._u[i] - self._g[i].dot(P)

    def _gathered(self, body: Body, here: _BeforeRotation) -> _BeforeRotation:
        """Return the same from the axes before the first of parallel joints, rotated once by the sum of the angles."""
        first = self._seen.get(body.ant)
        if not self._choice.sums or first is None or not parallel_axes(self._tree, body):
            return here
        angle = first.angle + here.angle
        return replace(first, angle=angle, turn=replace(here.turn, c=cos(angle), s=sin(angle)))

    def value(self, j: int, field: str) -> Scalar:
        """Return the function that multiplies a parameter of link j in the energy."""
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
        """Return the function of mass on the axis of joint j, from the antecedent's motion."""
        body = self._tree.body(j)
        i, P, axis = body.ant, origin_before(body), before_joint(body, Vec3(0, 0, 1))
        if field == "M":
            return self.value(i, "M") + P.dot(self._half_moved(i, P))
        if field == "MZ":
            return axis.dot(self._moved(i, P))
        return axis.dot(self._second(i) @ axis) - self.value(j, "XX")

    def _turned(self, j: int, field: str) -> Any:
        """Return the function of first moments normal to the axis: e of the antecedent at this origin, and qd v x z."""
        body, v = self._tree.body(j), self._v[j]
        e = body.screws[0].back(behind_joint(body, self._moved(body.ant, origin_before(body))))
        turn = body.joint.angular * body.qd
        return e.x + turn * v.y if field == "MX" else e.y - turn * v.x

    def _moved(self, i: int, P: Vec3) -> Vec3:
        """Return e of link i at the point P."""
        return self._half_moved(i, P) + self._second(i).T @ P

    def _half_moved(self, i: int, P: Vec3) -> Vec3:
        """Return m of link i at the point P."""
        return Vec3(*(self.value(i, field) for field in ("MX", "MY", "MZ"))) + self._second(i) @ P

    def _second(self, i: int) -> Mat3:
        """Return Q of link i."""
        xx, xy, xz, yy, yz, zz = (self.value(i, field) for field in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        return Mat3.of(yy + zz, 0, 0, -xy, xx + zz, 0, -xz, -yz, xx + yy)


def energy_functions_by(choice: EnergyChoice, setting: JointMotion, places: Sequence[LinkField]) -> Sequence[Scalar]:
    """Return the functions of the parameters at some places, from those of the antecedents by `choice`."""
    recursion = EnergyRecursion(setting.tree({}), choice, setting.work.note)
    return [recursion.value(*place) for place in places]


def _energy(made: Origin, trial: Trial) -> Iterator[Model]:
    """Yield the best model found by taking functions of links from the antecedent one after the other."""

    def generated(choice: EnergyChoice) -> Model:
        return made.again(functions=partial(energy_functions_by, choice))

    robot, best = made.robot, EnergyChoice(sums=True)
    least = trial.cost(generated(best))
    changes = [(j, way) for j in range(1, robot.NL + 1) for way in (ON_AXIS, TURNED)]
    for change in changes if robot.NL <= effort.ENERGY else []:
        changed = replace(best, carried=best.carried | {change})
        cost = trial.cost(generated(changed)) if trial.in_time() else least
        if cost < least:
            best, least = changed, cost
    yield from trial.best_of(generated(replace(best, sums=sums)) for sums in (True, False))


OTHERS: dict[Callable[..., Model], Alternatives] = {
    dynamic_matrix: Alternatives(frozenset({"D"}), _dynamic),
    filtered_matrices: Alternatives(frozenset({"D1", "D2"}), _filtered),
    energy_row: Alternatives(frozenset({"h", "p"}), _energy),
}
