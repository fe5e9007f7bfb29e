"""Newton-Euler recursion with second moments of mass, from the columns of U, with mass regrouped along the axes.

It differs from equations 4.1 to 4.10 of the guide as follows and gives the same joint torques (but not the same
reactions, since mass is regrouped).

- The motion of a link follows from the column of U along its joint axis (`ColumnMotion`).
- With second moments S, n = sum of r x (U r + vp) over the mass has products with entries of U only, and mass on the
  axis of a revolute joint is moved to the antecedent, so that M, MZ and Szz vanish online (moments.py).
- Each link is treated in one of several ways (treatments.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from robosym.algebra.generic import is_exactly
from robosym.mechanism.bodies import Body, Tree
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Note, no_name
from robosym.optimizer.recursions.frames import (
    before_joint,
    behind_joint,
    in_axes,
    is_axis,
    origin_before_joint,
    parallel_axes,
)
from robosym.optimizer.recursions.moments import mass_on_axis, on_antecedent, regrouped
from robosym.optimizer.recursions.phases import ConstantTurn
from robosym.optimizer.recursions.transverse import along_first_axis, transverse_link
from robosym.optimizer.recursions.treatments import ACROSS, LUMPED, MIXED, OWN, PAST, TURNED, Treatments
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.inertia import SecondMoments
from robosym.spatial.vectors import Screw

__all__ = ["ColumnMotion", "motions", "torques"]

_UNITS = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)


@dataclass(frozen=True, slots=True)
class ColumnMotion:
    """Motion of a link in some axes, relative to its frame's origin, and the wrench it requires.

    The column of U along the axis of joint j is the same vector in link i before it and in link j, since the motion of
    the joint does not move points of its axis relative to link i: U_j z_j = A^T U_i A z_j. If the axis is a coordinate
    axis of frame i (alpha a multiple of Pi/2), this column is known up to a rotation, and the angular acceleration
    follows from it: the terms `qd x w` of equation 4.3 are never computed.
    """

    w: Vec3
    wp: Vec3
    vp: Vec3  #: acceleration of the origin, minus gravity
    U: Mat3
    split: Vec3  #: U33 - U22, U11 - U33, U22 - U11

    @classmethod
    def of(cls, w: Vec3, wp: Vec3, vp: Vec3) -> ColumnMotion:
        dv = products(w)
        xx, yy, zz = dv.rows[0].x, dv.rows[1].y, dv.rows[2].z
        return cls(w, wp, vp, u_matrix(dv, wp), Vec3(yy - zz, zz - xx, xx - yy))

    @classmethod
    def from_column(cls, w: Vec3, column: Vec3, wp_z: Scalar, vp: Vec3) -> ColumnMotion:
        """Return the motion from the column of U along z and the angular acceleration about z."""
        u13, u23, u33 = column
        xx, zz, xy, xz, yz = -(w.x * w.x), -(w.z * w.z), w.x * w.y, w.x * w.z, w.y * w.z
        wp = Vec3(yz - u23, u13 - xz, wp_z)
        u22, fall = xx + zz, zz - xx
        u11 = fall + u33
        U = Mat3.of(u11, xy - wp_z, u13, xy + wp_z, u22, u23, xz - wp.y, yz + wp.x, u33)
        return cls(w, wp, vp, U, Vec3(u33 - u22, fall, u22 - u11))

    def wrench(self, k: SecondMoments) -> tuple[Vec3, Vec3]:
        """Return force and moment about the origin for this motion: products with entries of U only."""
        (_, u12, u13), (u21, _, u23), (u31, u32, _) = self.U.rows
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
        d1, d2, d3 = self.split
        n = Vec3(
            u32 * yy - u23 * zz + u31 * xy - u21 * xz + d1 * yz,
            u13 * zz - u31 * xx - u32 * xy + d2 * xz + u12 * yz,
            u21 * xx - u12 * yy + d3 * xy + u23 * xz - u13 * yz,
        )
        if all(is_exactly(x, 0) for x in (self.w.x, self.w.y, self.wp.x, self.wp.y)):  # the first link of an arm
            n = Vec3(n.x, n.y, self.wp.z * k.ZZ)  # rotates about z only
        return self.vp * k.M + self.U @ k.MS, n + k.MS.cross(self.vp)

    def at_axis(self, body: Body) -> ColumnMotion:
        """Transform to the axis of the next joint, in the axes before it rotates; w and wp are unchanged."""
        U = in_axes(self.U, partial(behind_joint, body)).T
        vp = behind_joint(body, self.vp + self.U @ origin_before_joint(body))
        return ColumnMotion(self.w, self.wp, vp, U, self._split_behind(body, U))

    def _split_behind(self, body: Body, U: Mat3) -> Vec3:
        """Return the differences of the diagonal of U in the axes of a joint; some are known for parallel axes."""
        axes = [before_joint(body, unit) for unit in _UNITS]
        if not all(is_axis(axis) for axis in axes):
            xx, yy, zz = U.rows[0].x, U.rows[1].y, U.rows[2].z
            return Vec3(zz - yy, xx - zz, yy - xx)
        x, y, z = ([not is_exactly(part, 0) for part in axis].index(True) for axis in axes)
        known: dict[tuple[int, int], Scalar] = {(2, 1): self.split.x, (0, 2): self.split.y, (1, 0): self.split.z}

        def difference(a: int, b: int) -> Scalar:
            return known[a, b] if (a, b) in known else -known[b, a]

        return Vec3(difference(z, y), difference(x, z), difference(y, x))


def torques(tree: Tree, choice: Treatments, note: Note = no_name) -> dict[int, Scalar]:
    """Return torque or force of each moving joint, without drive and friction."""
    recursion = _Recursion(tree, choice, note)
    for j, body in recursion.tree.items():
        recursion.move(j, body)
    for j, body in recursion.tree.inward():
        recursion.load(j, body)
        if j:
            recursion.deliver(j, body)
    return recursion.along


def motions(tree: Tree, sums: bool, note: Note = no_name) -> dict[int, ColumnMotion]:
    """Return the motion of every link in its own axes; with `sums`, parallel axes are rotated by the sum of angles."""
    recursion = _Recursion(tree, Treatments(sums_outward=sums), note)
    for j, body in recursion.tree.items():
        recursion.move(j, body)
    return recursion.motion


def _moment(r: Scalar, f: Vec3) -> Vec3:
    """Return the moment r z x f of a force at `r` along z."""
    return Vec3(-(r * f.y), r * f.x, 0)


def _slid(
    tree: Tree, moments: Mapping[int, SecondMoments], slid: frozenset[int]
) -> tuple[Tree, dict[int, SecondMoments]]:
    """Shift origins along their axes, so that the following frames start further out; return tree and moments."""
    moved = dict(moments)
    bodies = list(tree.bodies)
    for j, body in tree.items():
        turn, x, z = body.screws
        if body.ant in slid and tree.body(body.ant).joint.only_turns:
            z = replace(z, shift=z.shift + tree.body(body.ant).screws[0].shift)
        if j in slid and body.joint.only_turns:
            moved[j] = moments[j].shifted(turn.shift)
            body = replace(body, moment=body.moment + _moment(turn.shift, body.force))
            turn = replace(turn, shift=0)
        bodies[j] = replace(body, steps=_given(turn, x, z))
    return replace(tree, bodies=bodies), moved


@dataclass(frozen=True, slots=True)
class _AtJoint:
    """Motion of the antecedent at a joint, in the axes before it rotates, and the rotation of the joint."""

    w: Vec3
    wp: Vec3
    column: Vec3 | None  #: column of U along the joint axis: known if that is a coordinate axis of the antecedent
    turn: Screw  #: rotation about z
    angle: Scalar


class _Recursion:
    """State of the two sweeps: motion of the links outwards, wrenches inwards."""

    def __init__(self, tree: Tree, choice: Treatments, note: Note) -> None:
        self.choice, self.note = choice, note
        moments, self.points = regrouped(tree, sorted(choice.points - choice.slid))
        self.tree, self.moments = _slid(tree, moments, choice.slid)
        self.ways = choice.ways_in(self.tree)
        self.motion = {0: ColumnMotion.of(tree.base.w, tree.base.wp, tree.base.vp)}
        self.seen: dict[int, _AtJoint] = {}
        self.before: dict[int, ColumnMotion] = {}  # motion of link j in the axes before its joint rotates
        none = Vec3(0, 0, 0)
        self.f = {j: body.force for j, body in self.tree.inward()}
        self.n = {j: body.moment for j, body in self.tree.inward()}
        self.f_turned = dict.fromkeys(self.f, none)  # in the axes before the joint rotates
        self.n_turned = dict.fromkeys(self.f, none)
        self.own_turned: dict[int, Vec3] = {}  # force of a link that is treated in these axes
        self.along: dict[int, Scalar] = {}
        self.straight: dict[int, Scalar] = {}  # parts of torques that are not passed on

    # ---------------------------------------------------------------- outward

    def arrive(self, j: int, body: Body) -> _AtJoint:
        """Return the angular motion of the antecedent in the axes of joint j."""
        i = self.motion[body.ant]
        axis = before_joint(body, Vec3(0, 0, 1))
        w, wp = behind_joint(body, i.w), behind_joint(body, i.wp)
        column = behind_joint(body, i.U @ axis) if is_axis(axis) else _column(body, i, w, wp)
        return _AtJoint(w, wp, column, body.screws[0], body.theta)

    def gathered(self, here: _AtJoint, body: Body) -> _AtJoint:
        """Return the same with x and y from before the first of parallel axes, rotated by the sum of the angles."""
        first = self.seen.get(body.ant)
        if not self.choice.sums_outward or first is None or first.column is None or not parallel_axes(self.tree, body):
            return here
        assert here.column is not None  # parallel to an axis of the antecedent
        angle = first.angle + here.angle
        return _AtJoint(
            w=Vec3(first.w.x, first.w.y, here.w.z),
            wp=here.wp,
            column=Vec3(first.column.x, first.column.y, here.column.z),
            turn=replace(here.turn, c=cos(angle), s=sin(angle)),
            angle=angle,
        )

    def move(self, j: int, body: Body) -> None:
        """Compute the motion of link j in its own axes and, if needed, before its joint rotates."""
        note, i = self.note, self.motion[body.ant]
        here = self.arrive(j, body)
        seen = self.seen[j] = self.gathered(here, body)
        slide, wp_z = body.joint.linear * body.qd, here.wp.z + body.joint.angular * body.qdd
        vp = behind_joint(body, i.vp + i.U @ origin_before_joint(body))
        sliding = Vec3(seen.w.y * (2 * slide), -(seen.w.x * (2 * slide)), body.joint.linear * body.qdd)
        m = _behind(body, seen, wp_z, vp + sliding)
        U = note("U", j, m.U)
        self.motion[j] = ColumnMotion(note("W", j, m.w), note("WP", j, m.wp), note("VP", j, m.vp), U, m.split)
        if self.ways[j] in (TURNED, LUMPED, MIXED):
            self.before[j] = _behind(body, here, wp_z, vp + sliding, turned=False)

    # ----------------------------------------------------------------- inward

    def load(self, j: int, body: Body) -> None:
        """Compute the wrench of link j alone, in the axes of its treatment."""
        way = self.ways.get(j, OWN)
        if j in self.points:
            self.f[j] = self.f[j] + self.motion[j].vp * self.points[j]
        if way == OWN:
            self.mass_to_antecedent(j, body)
            f, n = self.motion[j].wrench(self.moments[j])
            self.f[j], self.n[j] = self.note("F", j, f) + self.f[j], self.note("NO", j, n) + self.n[j]
        elif way == TURNED:
            self.mass_to_antecedent(j, body)
            f, n = self.before[j].wrench(self.turn(body.theta).body(self.moments[j]))
            self.own_turned[j] = f
            self.f_turned[j], self.n_turned[j] = self.f_turned[j] + f, self.n_turned[j] + n
        elif way in (ACROSS, PAST):
            self.mass_to_antecedent(j, body)
            self.put_across(j, body)
        else:
            self.lump(j, body)

    def turn(self, angle: Scalar) -> ConstantTurn:
        return ConstantTurn(angle, self.choice.phases)

    def put_across(self, j: int, body: Body) -> None:
        """Add the inertia of a link in closed form directly to the torques of the joints."""
        place, k = transverse_link(self.tree, j), self.moments[j]
        assert place is not None
        whole = place.joints == (j,) and along_first_axis(self.tree, place)
        angle = body.theta
        for inner in place.joints[:-1]:
            angle = angle + self.tree.body(inner).theta
        outer, first = place.torques(self.tree, k, self.turn(angle), whole)
        for joint in place.joints:
            self.straight[joint] = self.straight.get(joint, 0) + outer
        self.straight[place.first] = self.straight.get(place.first, 0) + first
        if whole:
            return
        if self.ways[j] == PAST:
            past = place.torques_of_first_moments(self.tree, k.MS, self.motion[j].vp, self.turn)
            for joint, torque in past.items():
                self.straight[joint] = self.straight.get(joint, 0) + torque
        else:  # first moments are passed on as usual
            f, n = self.motion[j].wrench(SecondMoments(Mat3.of(*[0] * 9), k.MS, 0, 0, 0))
            self.f[j], self.n[j] = f + self.f[j], n + self.n[j]

    def mass_to_antecedent(self, j: int, body: Body) -> None:
        """Move mass that lumped links left on the axis of joint j to the antecedent, online."""
        if j and body.joint.only_turns:
            self.moments[j], given = mass_on_axis(self.moments[j], body)
            if given is not None and body.ant in self.moments:
                self.moments[body.ant] = self.moments[body.ant] + given

    def lump(self, j: int, body: Body) -> None:
        """Add the rotated moments of the last link to its antecedent; the rest is due to the joint's own motion."""
        screw, i = body.screws[0], self.motion[body.ant]
        k = self.turn(body.theta).body(self.moments[j].shifted(screw.shift))
        (xx, xy, xz), (_, yy, yz), _ = k.S.rows
        mx, my, _ = k.MS
        w = behind_joint(body, i.w)
        twice, qdd = 2 * body.qd, body.qdd
        u31, u32, e = twice * w.x, twice * w.y, body.qd * (w.z + (w.z + body.qd))
        seen = i.at_axis(body)
        u, d3 = seen.U.rows, seen.split.z
        f = Vec3(-(e * mx) - qdd * my, qdd * mx - e * my, u31 * mx + u32 * my)
        # moment about the axis due to the antecedent's motion
        turning = u[1].z * xz - u[0].z * yz + (mx * seen.vp.y - my * seen.vp.x)
        if self.ways[j] == MIXED:  # moments normal to the axis stay with the link
            u31, u32 = u[2].x + u31, u[2].y + u32
            about = (u[1].x + qdd) * xx - (u[0].y - qdd) * yy + d3 * xy
            across_axis: tuple[Scalar, ...] = (0, 0, 0)
        else:
            about = qdd * k.ZZ
            turning = u[1].x * xx - u[0].y * yy + d3 * xy + turning
            across_axis = xx, xy, yy
        n = Vec3(u32 * yy + u31 * xy - qdd * xz + e * yz, -(u31 * xx) - u32 * xy - e * xz - qdd * yz, about)
        # the external wrench is given at the origin of the frame
        outer = self.n[j] + _moment(screw.shift, self.f[j])
        self.f_turned[j], self.n_turned[j] = f, n
        self.along[j] = n.z + turning + outer.z
        xx, xy, yy = across_axis
        left = replace(k, S=Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), MS=Vec3(mx, my, 0), M=0)
        self.moments[body.ant] = self.moments[body.ant] + on_antecedent(left, body)

    def deliver(self, j: int, body: Body) -> None:
        """Compute the torque of joint j, and add the wrench to its antecedent."""
        note, screw, i = self.note, body.screws[0], body.ant
        f, n = note("E", j, self.f[j]), note("N", j, self.n[j])
        at_axis = n + _moment(screw.shift, f)
        turned = self.n_turned[j]
        if j in self.own_turned:  # the wrench of the link itself is about the frame's origin, too
            turned = turned + _moment(screw.shift, self.own_turned[j])
        f_out, n_out = screw.out(f) + self.f_turned[j], screw.out(at_axis) + turned
        if body.joint.moves and j not in self.along:
            self.along[j] = body.joint.along(f_out.z, n_out.z)
        if j in self.straight:
            self.along[j] = self.along[j] + self.straight[j]
        if i not in self.f:
            return
        force = before_joint(body, f_out)
        self.f[i] = self.f[i] + force
        if self.choice.sums_inward and parallel_axes(self.tree, body):
            # the antecedent's torque needs only the part along the axis: the rest is passed on
            angle = self.tree.body(i).theta + body.theta
            past = replace(screw, c=cos(angle), s=sin(angle)).out(Vec3(at_axis.x, at_axis.y, 0))
            rest = self.tree.body(i).screws[0].out(Vec3(turned.x, turned.y, 0))
            self.n_turned[i] = self.n_turned[i] + past + rest
            n_out = Vec3(0, 0, n_out.z)
        self.n[i] = self.n[i] + before_joint(body, n_out) + origin_before_joint(body).cross(force)


def _behind(body: Body, seen: _AtJoint, wp_z: Scalar, vp: Vec3, turned: bool = True) -> ColumnMotion:
    """Return the motion of a link in its own axes, or in those before its joint rotates.

    `wp_z` is its angular acceleration about the axis, `vp` the acceleration at the start of the axis.
    """
    turn, r = body.joint.angular * body.qd, body.screws[0].shift
    back = seen.turn.back if turned else _as_is
    own = body.screws[0].back if turned else _as_is
    carried = back(seen.w)
    w = carried + Vec3(0, 0, turn)
    if seen.column is not None:
        column = back(seen.column)
        return ColumnMotion.from_column(w, column, wp_z, own(vp) + column * r)
    spin = Vec3(carried.y * turn, -(carried.x * turn), body.joint.angular * body.qdd)
    found = ColumnMotion.of(w, own(seen.wp) + spin, Vec3(0, 0, 0))
    return replace(found, vp=own(vp) + found.U.z_axis * r)


def _column(body: Body, i: ColumnMotion, w: Vec3, wp: Vec3) -> Vec3 | None:
    """Return the column of U along an axis at any alpha, from the antecedent's motion in the axes of the joint."""
    _, x, z = body.screws
    if not (is_exactly(z.s, 0) and is_exactly(z.c, 1)):
        return None
    u12, u13 = i.U.rows[0].y, i.U.rows[0].z
    return Vec3(x.c * u13 - x.s * u12, w.y * w.z - wp.x, -(w.x * w.x) - w.y * w.y)


def _given(*screws: Screw) -> Callable[[], tuple[Screw, ...]]:
    return lambda: screws


def _as_is(v: Vec3) -> Vec3:
    return v
