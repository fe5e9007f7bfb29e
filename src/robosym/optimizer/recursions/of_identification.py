"""Other recursions for the identification models: what multiplies the parameters, with fewer operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.coordinates.joint_motion import JointMotion
from robosym.dynamics.energy import energy_function
from robosym.dynamics.newton_euler import LinkMotion
from robosym.mechanism.bodies import Body, Tree
from robosym.mechanism.motion import Hinge
from robosym.model import Model, Note, Origin, no_name
from robosym.optimizer import effort
from robosym.optimizer.recursions.frames import before_joint, behind_joint, origin_before, parallel_axes
from robosym.optimizer.recursions.recursion import motions
from robosym.optimizer.recursions.trial import Others, Trial
from robosym.parameters.dynamic_identification import dynamic_matrix
from robosym.parameters.energy_identification import energy_row
from robosym.parameters.filtered_identification import Twist, filtered_matrices
from robosym.parameters.standard import LinkField
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.vectors import Screw

__all__ = ["ON_AXIS", "OTHERS", "TURNED", "EnergyChoice", "EnergyRecursion", "energy_functions_by"]


def _motion(sums: bool, tree: Tree, note: Note) -> LinkMotion:
    """By the columns of U."""
    found = motions(tree, sums, note)
    w, wp, vp = ({j: getattr(each, name) for j, each in found.items()} for name in ("w", "wp", "vp"))
    return LinkMotion(w, wp, vp, {}, {})


def _dynamic(made: Origin, trial: Trial) -> Iterator[Model]:
    return trial.best_of(made.again(motion_of=partial(_motion, sums)) for sums in (True, False))


def _filtered(made: Origin, trial: Trial) -> Iterator[Model]:
    yield trial.finished(made.again(carried=_by_sums_of_angles))


def _by_sums_of_angles(screw: Twist, h: Hinge) -> Twist:
    """A screw behind joint h; an axis that stands across several parallel ones is turned by the sum of their angles."""
    carried = screw.carried(h)
    if not is_exactly(h.T.A.rows[2].z, 1):  # the axis before is not turned about that of the joint
        return carried
    return replace(carried, w=_further(screw.w, carried.w, h))


def _further(w: Vec3, carried: Vec3, h: Hinge) -> Vec3:
    """(sin x, cos x, 0), turned about z by a further angle; any other vector as it is carried."""
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
# (3.72 to 3.74) of a link from those of the link before it. Mass on the axis of a revolute joint is of either link:
# what multiplies M and MZ of a link, and XX + YY, which is what a rod along the axis has, is a sum of functions of the
# antecedent, by the rules that regroup parameters. With e = v x w - g, which first moments are multiplied by, a point P
# of the antecedent has
#
#     h_M(P) = h_M + P . m,    e(P) = m + Q^T P,    m = e + Q P,    a rod along a: a . Q a
#
# where Q holds the functions of second moments, those off the diagonal once: below it. Behind the joint e is the same
# vector but for what the joint's own motion adds, qd v x z.

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
        self._u: dict[int, Scalar] = {0: 0}  # potential of a unit mass at the origin
        self._seen: dict[int, _Seen] = {}
        self._known: dict[tuple[int, str], Scalar] = {}
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

    def value(self, j: int, field: str) -> Scalar:
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


def energy_functions_by(choice: EnergyChoice, setting: JointMotion, places: Sequence[LinkField]) -> Sequence[Scalar]:
    """What the parameters at some places are multiplied by, functions of links from those of their antecedents."""
    recursion = EnergyRecursion(setting.tree({}), choice, setting.work.note)
    return [recursion.value(*place) for place in places]


def _energy(made: Origin, trial: Trial) -> Iterator[Model]:
    """The best that is found when functions of links are taken from the antecedent one after the other."""

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


OTHERS: dict[Callable[..., Model], Others] = {
    dynamic_matrix: Others(frozenset({"D"}), _dynamic),
    filtered_matrices: Others(frozenset({"D1", "D2"}), _filtered),
    energy_row: Others(frozenset({"h", "p"}), _energy),
}
