"""Newton-Euler over second moments of mass, from the columns of U, with mass regrouped along the axes.

It differs from equations 4.1 to 4.10 of the guide as follows, and gives the same joint torques (not the same
reactions: regrouped mass is counted to other links).

The column of U along the axis of joint j is the same vector seen from link i before it and from link j, because the
motion of the joint leaves points of its axis where they are on link i: U_j z_j = A^T U_i A z_j. Where the axis is a
coordinate axis of frame i (alpha a multiple of Pi/2) this column is known up to a turn, and the angular acceleration
follows from it: the terms `qd x w` of equation 4.3 are never computed.

With second moments S of mass, n = sum over the mass of r x (U r + vp) has products with entries of U only, and mass on
the axis of a revolute joint is counted to the antecedent, so that M, MZ and Szz vanish on line.

Each link is treated in one of three ways (`Choice.ways`):

own     in the axes of its frame, as the book does;
turned  in the axes before its joint turns: its moments are turned instead of motion and wrench;
lumped  the last link of a branch: its turned moments are added to those of the antecedent, whose motion it shares but
        for the motion of its joint, which takes a wrench of few terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from robosym.dynamics.second_moments.frames import before_joint, behind_joint, is_axis, is_zero, origin_before_joint
from robosym.dynamics.second_moments.moments import mass_on_axis, on_antecedent, regrouped
from robosym.model import Note, no_name
from robosym.spatial import Mat3, Scalar, Vec3, cos, sin
from robosym.spatial.inertia import SecondMoments
from robosym.spatial.screw import Screw
from robosym.tree.bodies import Body, Tree
from robosym.tree.motion import products, u_matrix

__all__ = ["LUMPED", "OWN", "TURNED", "Choice", "torques"]

OWN, TURNED, LUMPED = "own", "turned", "lumped"


@dataclass(frozen=True)
class Choice:
    """How each link is treated, `own` where nothing is said, and whether parallel axes are turned by sums of angles."""

    ways: Mapping[int, str] = field(default_factory=dict)
    slid: frozenset[int] = frozenset()  #: joints whose frame has its origin slid back along the axis, to r = 0
    sums_outward: bool = False  #: motion of a link from the link before the first of parallel axes
    sums_inward: bool = False  #: moments to the link before the first of parallel axes


@dataclass(frozen=True, slots=True)
class _Motion:
    """Of one link, in some axes, with respect to its frame's origin."""

    w: Vec3
    wp: Vec3
    vp: Vec3  #: of the origin, minus gravity
    U: Mat3
    split: Vec3  #: U33 - U22, U11 - U33, U22 - U11


def _of(w: Vec3, wp: Vec3, vp: Vec3) -> _Motion:
    dv = products(w)
    xx, yy, zz = dv.rows[0].x, dv.rows[1].y, dv.rows[2].z
    return _Motion(w, wp, vp, u_matrix(dv, wp), Vec3(yy - zz, zz - xx, xx - yy))


def _from_column(w: Vec3, column: Vec3, wp_z: Scalar, vp: Vec3) -> _Motion:
    """From the column of U along z and the angular acceleration about z."""
    u13, u23, u33 = column
    xx, zz, xy, xz, yz = -(w.x * w.x), -(w.z * w.z), w.x * w.y, w.x * w.z, w.y * w.z
    wp = Vec3(yz - u23, u13 - xz, wp_z)
    u22, fall = xx + zz, zz - xx
    u11 = fall + u33
    U = Mat3.of(u11, xy - wp_z, u13, xy + wp_z, u22, u23, xz - wp.y, yz + wp.x, u33)
    return _Motion(w, wp, vp, U, Vec3(u33 - u22, fall, u22 - u11))


def _wrench(m: _Motion, k: SecondMoments) -> tuple[Vec3, Vec3]:
    """Force and moment about the origin that the motion of a link takes."""
    (_, u12, u13), (u21, _, u23), (u31, u32, _) = m.U.rows
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = k.S.rows
    d1, d2, d3 = m.split
    n = Vec3(
        u32 * yy - u23 * zz + u31 * xy - u21 * xz + d1 * yz,
        u13 * zz - u31 * xx - u32 * xy + d2 * xz + u12 * yz,
        u21 * xx - u12 * yy + d3 * xy + u23 * xz - u13 * yz,
    )
    if all(is_zero(x) for x in (m.w.x, m.w.y, m.wp.x, m.wp.y)):  # the first link of an arm turns about z alone
        n = Vec3(n.x, n.y, m.wp.z * k.ZZ)
    return m.vp * k.M + m.U @ k.MS, n + k.MS.cross(m.vp)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What comes from an antecedent to a joint: in the axes before it turns, and where the joint turns from there."""

    w: Vec3
    column: Vec3
    wp_z: Scalar
    wp: Vec3
    turn: Screw  #: the turn about z from there
    angle: Scalar
    has_column: bool  #: whether the column of U is known: the axis is one of the antecedent's axes


class _Recursion:
    def __init__(self, tree: Tree, choice: Choice, angles: Mapping[int, Scalar], note: Note) -> None:
        self.moments = regrouped(tree)
        self.choice, self.angles, self.note = choice, angles, note
        self.tree = tree = self.slide(tree)
        children = {body.ant for _, body in tree.items()}
        self.ways = {
            j: OWN if not body.joint.only_turns or (choice.ways.get(j) == LUMPED and (j in children or body.ant == 0))
            else choice.ways.get(j, OWN)
            for j, body in tree.items()
        }  # fmt: skip
        self.motion = {0: _of(tree.base.w, tree.base.wp, tree.base.vp)}
        self.seen: dict[int, _Seen] = {}
        self.before: dict[int, _Motion] = {}  # of link j in the axes before its joint turns
        none = Vec3(0, 0, 0)
        self.f = {j: body.force for j, body in tree.inward()}
        self.n = {j: body.moment for j, body in tree.inward()}
        self.f_turned = dict.fromkeys(self.f, none)  # in the axes before the joint turns
        self.n_turned = dict.fromkeys(self.f, none)
        self.own_turned: dict[int, Vec3] = {}  # the force of a link that is treated in these axes
        self.along: dict[int, Scalar] = {}

    def slide(self, tree: Tree) -> Tree:
        """The tree with origins slid along their axes: the frames behind begin further out instead."""
        bodies = list(tree.bodies)
        for j, body in tree.items():
            body = bodies[j] or body
            turn, x, z = body.screws
            if body.ant in self.choice.slid and tree.body(body.ant).joint.only_turns:
                z = replace(z, shift=z.shift + tree.body(body.ant).screws[0].shift)
            if j in self.choice.slid and body.joint.only_turns:
                r = turn.shift
                self.moments[j] = self.moments[j].shifted(r)
                moment = body.moment + Vec3(-(r * body.force.y), r * body.force.x, 0)
                body = replace(body, moment=moment)
                turn = replace(turn, shift=0)
            bodies[j] = replace(body, steps=_given(turn, x, z))
        return replace(tree, bodies=bodies)

    # ---------------------------------------------------------------- outward

    def arrive(self, j: int, body: Body) -> _Seen:
        """The angular motion of the antecedent at joint j."""
        i = self.motion[body.ant]
        axis = before_joint(body, Vec3(0, 0, 1))
        w, wp = behind_joint(body, i.w), behind_joint(body, i.wp)
        column = behind_joint(body, i.U @ axis) if is_axis(axis) else Vec3(0, 0, 0)
        turn, angle = body.screws[0], self.angles[j]
        seen = self.seen.get(body.ant)
        if self.choice.sums_outward and seen is not None and seen.has_column and self.parallel(body):
            # x and y parts from before the first of the parallel axes, turned once by the sum of the angles
            w = Vec3(seen.w.x, seen.w.y, w.z)
            column = Vec3(seen.column.x, seen.column.y, column.z)
            angle = seen.angle + angle
            turn = replace(turn, c=cos(angle), s=sin(angle))
        return _Seen(w, column, wp.z, wp, turn, angle, is_axis(axis))

    def parallel(self, body: Body) -> bool:
        """Whether a revolute joint turns about the axis of a revolute antecedent, no other turn between."""
        first = self.tree.bodies[body.ant] if body.ant else None
        straight = all(is_zero(screw.s) and not is_zero(screw.c + 1) for screw in body.screws[1:])
        return bool(first is not None and first.joint.only_turns and body.joint.only_turns and straight)

    def move(self, j: int, body: Body) -> None:
        """The motion of link j in its own axes and, where it is wanted, before its joint turns."""
        note, i = self.note, self.motion[body.ant]
        seen = self.seen[j] = self.arrive(j, body)
        turn, slide, r = body.joint.angular * body.qd, body.joint.linear * body.qd, body.screws[0].shift
        is_column = is_axis(before_joint(body, Vec3(0, 0, 1)))
        wp_z = seen.wp_z + body.joint.angular * body.qdd
        vp = behind_joint(body, i.vp + i.U @ origin_before_joint(body))
        coriolis = Vec3(seen.w.y * (2 * slide), -(seen.w.x * (2 * slide)), body.joint.linear * body.qdd)

        def in_axes(screw: Screw | None) -> _Motion:
            """Before the turn, or behind it."""
            back = screw.back if screw is not None else _as_is
            w_i = back(seen.w)
            w = w_i + Vec3(0, 0, turn)
            own = body.screws[0].back if screw is not None else _as_is
            if is_column:
                column = back(seen.column)
                return _from_column(w, column, wp_z, own(vp + coriolis) + column * r)
            spin = Vec3(w_i.y * turn, -(w_i.x * turn), body.joint.angular * body.qdd)
            found = _of(w, own(seen.wp) + spin, Vec3(0, 0, 0))
            column = Vec3(*(row.z for row in found.U.rows))
            return replace(found, vp=own(vp + coriolis) + column * r)

        m = in_axes(seen.turn)
        U = note("U", j, m.U)
        self.motion[j] = _Motion(note("W", j, m.w), note("WP", j, m.wp), note("VP", j, m.vp), U, m.split)
        if self.ways[j] != OWN:
            # a sum of angles turns from other axes: here the joint's own are wanted
            i_w, i_wp = behind_joint(body, i.w), behind_joint(body, i.wp)
            axis = before_joint(body, Vec3(0, 0, 1))
            column = behind_joint(body, i.U @ axis) if is_axis(axis) else Vec3(0, 0, 0)
            seen = _Seen(i_w, column, i_wp.z, i_wp, body.screws[0], self.angles[j], is_column)
            self.before[j] = in_axes(None)

    # ----------------------------------------------------------------- inward

    def load(self, j: int, body: Body) -> None:
        """The wrench of link j alone, where its way says."""
        way = self.ways.get(j, OWN)
        if way == OWN:
            self.mass_to_antecedent(j, body)
            f, n = _wrench(self.motion[j], self.moments[j])
            self.f[j], self.n[j] = self.note("F", j, f) + self.f[j], self.note("NO", j, n) + self.n[j]
        elif way == TURNED:
            self.mass_to_antecedent(j, body)
            turned = self.moments[j].turned_about_z(body.screws[0].c, body.screws[0].s)
            f, n = _wrench(self.before[j], turned)
            self.own_turned[j] = f
            self.f_turned[j], self.n_turned[j] = self.f_turned[j] + f, self.n_turned[j] + n
        else:
            self.lump(j, body)

    def mass_to_antecedent(self, j: int, body: Body) -> None:
        """What lumped links left on the axis of joint j is counted to the antecedent, on line."""
        if j and body.joint.only_turns:
            self.moments[j], given = mass_on_axis(self.moments[j], body)
            if given is not None and body.ant in self.moments:
                self.moments[body.ant] = self.moments[body.ant] + given

    def lump(self, j: int, body: Body) -> None:
        """Count the turned moments of the last link to its antecedent; the joint's own motion takes what is left."""
        screw, i = body.screws[0], self.motion[body.ant]
        k = self.moments[j].shifted(screw.shift).turned_about_z(screw.c, screw.s)
        (xx, xy, xz), (_, yy, yz), _ = k.S.rows
        mx, my, _ = k.MS
        w = behind_joint(body, i.w)
        twice = 2 * body.qd
        u31, u32, e = twice * w.x, twice * w.y, body.qd * (w.z + (w.z + body.qd))
        qdd = body.qdd
        f = Vec3(-(e * mx) - qdd * my, qdd * mx - e * my, u31 * mx + u32 * my)
        n = Vec3(u32 * yy + u31 * xy - qdd * xz + e * yz, -(u31 * xx) - u32 * xy - e * xz - qdd * yz, qdd * k.ZZ)
        # about the axis, the antecedent's motion takes this much
        seen = self.seen_by(body, i)
        u, d3 = seen.U.rows, seen.split.z
        turning = u[1].x * xx - u[0].y * yy + d3 * xy + u[1].z * xz - u[0].z * yz + (mx * seen.vp.y - my * seen.vp.x)
        # the wrench on the environment is given at the origin of the frame
        outer = self.n[j] + Vec3(-(screw.shift * self.f[j].y), screw.shift * self.f[j].x, 0)
        self.f_turned[j], self.n_turned[j] = f, n
        self.along[j] = n.z + turning + outer.z
        left = replace(k, S=Mat3.of(xx, xy, xz, xy, yy, yz, xz, yz, 0), MS=Vec3(mx, my, 0), M=0)
        self.moments[body.ant] = self.moments[body.ant] + on_antecedent(left, body)

    def seen_by(self, body: Body, i: _Motion) -> _Motion:
        """The motion of the antecedent in the axes of joint j before it turns, at the axis."""
        origin = origin_before_joint(body)
        rows = [behind_joint(body, row) for row in i.U.rows]
        columns = [behind_joint(body, column) for column in Mat3((rows[0], rows[1], rows[2])).T.rows]
        U = Mat3((columns[0], columns[1], columns[2])).T
        vp = behind_joint(body, i.vp + i.U @ origin)
        return _Motion(i.w, i.wp, vp, U, _permuted_split(body, i.split, U))

    def deliver(self, j: int, body: Body) -> None:
        """Torque of joint j, and the wrench on its antecedent."""
        note, screw, i = self.note, body.screws[0], body.ant
        f, n = note("E", j, self.f[j]), note("N", j, self.n[j])
        at_axis = n + Vec3(-(screw.shift * f.y), screw.shift * f.x, 0)
        turned = self.n_turned[j]
        if j in self.own_turned:  # the wrench of the link itself is about the frame's origin, too
            own = self.own_turned[j]
            turned = turned + Vec3(-(screw.shift * own.y), screw.shift * own.x, 0)
        f_out, n_out = screw.out(f) + self.f_turned[j], screw.out(at_axis) + turned
        if body.joint.moves and j not in self.along:
            self.along[j] = body.joint.along(f_out.z, n_out.z)
        if i not in self.f:
            return
        force = before_joint(body, f_out)
        self.f[i] = self.f[i] + force
        if self.choice.sums_inward and self.parallel(body):
            # the antecedent's torque needs the part along the axis only: the rest goes past it
            angle = self.angles[i] + self.angles[j]
            past = replace(screw, c=cos(angle), s=sin(angle)).out(Vec3(at_axis.x, at_axis.y, 0))
            rest = self.tree.body(i).screws[0].out(Vec3(turned.x, turned.y, 0))
            self.n_turned[i] = self.n_turned[i] + past + rest
            n_out = Vec3(0, 0, n_out.z)
        self.n[i] = self.n[i] + before_joint(body, n_out) + origin_before_joint(body).cross(force)

    def run(self) -> dict[int, Scalar]:
        for j, body in self.tree.items():
            self.move(j, body)
        for j, body in self.tree.inward():
            self.load(j, body)
            if j:
                self.deliver(j, body)
        return self.along


def _permuted_split(body: Body, split: Vec3, U: Mat3) -> Vec3:
    """The differences of the diagonal of U in the axes of a joint: known where these are the antecedent's axes."""
    axes = [before_joint(body, unit) for unit in (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))]
    if not all(is_axis(axis) for axis in axes):
        xx, yy, zz = U.rows[0].x, U.rows[1].y, U.rows[2].z
        return Vec3(zz - yy, xx - zz, yy - xx)
    x, y, z = ([not is_zero(part) for part in axis].index(True) for axis in axes)
    known: dict[tuple[int, int], Scalar] = {(2, 1): split.x, (0, 2): split.y, (1, 0): split.z}

    def difference(a: int, b: int) -> Scalar:
        return known[a, b] if (a, b) in known else -known[b, a]

    return Vec3(difference(z, y), difference(x, z), difference(y, x))


def _given(*screws: Screw) -> Callable[[], tuple[Screw, ...]]:
    return lambda: screws


def _as_is(v: Vec3) -> Vec3:
    return v


def torques(tree: Tree, angles: Mapping[int, Scalar], choice: Choice, note: Note = no_name) -> dict[int, Scalar]:
    """Torque or force along each moving joint, without drive and friction; `angles` is theta of each frame."""
    return _Recursion(tree, choice, angles, note).run()
