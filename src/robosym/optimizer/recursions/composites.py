"""Inertia matrix and gravity torques from composite links, with second moments of mass.

Equations 3.97 to 3.103 of the guide with mass regrouped along the axes, and these options:

- Joints with parallel axes share the axes before the first of them: quantities of their links are rotated once, by the
  sum of the angles, and then shifted from axis to axis.
- In the inward pass, the links that a joint carries may keep their own reference points (`apart`).
- Constants of a link may be rotated with phases (phases.py).

At rest only the acceleration of the base acts: the torque of a weight about an axis is m x vp along z, where m are the
first moments beyond the axis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from robosym.algebra import Expr
from robosym.algebra.generic import is_exactly
from robosym.algebra.matrix import sum_of
from robosym.mechanism.bodies import Body, Tree
from robosym.model import Note, no_name
from robosym.optimizer.recursions.frames import before_joint, behind_joint, origin_before_joint, parallel_axes
from robosym.optimizer.recursions.lumped_mass import NOTHING, LumpedMass, regrouped_lumps
from robosym.optimizer.recursions.phases import ConstantTurn, SharedTurn
from robosym.optimizer.recursions.treatments import CompositeOptions
from robosym.spatial import Scalar, Vec3

__all__ = ["Composites", "composites", "weights"]

_HERE = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Composites:
    """Contributions of the links that each joint carries."""

    inertia: dict[tuple[int, int], Scalar]  #: (i, j), i an ancestor of j or j itself; without rotors
    weights: dict[int, Scalar]  #: torque or force of joint j against the acceleration of the base


@dataclass(frozen=True, slots=True)
class _Placed:
    """A lumped mass with reference point `at`."""

    lump: LumpedMass
    at: Vec3
    weighed: bool = False  #: its weight is known from a parallel axis


@dataclass(frozen=True, slots=True)
class _Wrench:
    """A force at the point `at` + `arm`, and a moment."""

    f: Vec3
    n: Vec3
    at: Vec3
    arm: Vec3  #: vector of a rod from its own point to its center of percussion

    @property
    def about(self) -> Vec3:
        """The moment about the origin."""
        return self.n + (self.at + self.arm).cross(self.f)


@dataclass(slots=True)
class _Load:
    """Load on an axis from the links further out."""

    given: list[_Placed]  #: in the axes of the link
    passing: list[_Placed]  #: past parallel joints: in the axes before the first of them
    about: Scalar  #: inertia of the passing masses about the axis
    weight: Scalar  #: moment of their weight about the axis
    loose: list[tuple[Scalar, Vec3]]  #: their first moments, and the angles by which these are rotated


@dataclass(slots=True)
class _Column:
    """The wrenches for a unit acceleration of one joint, in the inward pass."""

    given: list[_Wrench]
    passing: list[_Wrench]
    along: Scalar  #: moment of the passing wrenches about the axis
    loose: list[tuple[Scalar, Vec3]]  #: their forces, and the angles by which these are rotated

    def joined(self) -> list[_Wrench]:
        """Return the passing wrenches as one at the axis."""
        n = _total([w.about for w in self.passing])
        return [_Wrench(_total([w.f for w in self.passing]), Vec3(n.x, n.y, self.along), _HERE, _HERE)]

    def kept(self) -> list[_Wrench]:
        """Return the passing wrenches, each at its point; without a force the point does not matter."""
        acting = [w for w in self.passing if not _is_here(w.f)]
        first = acting[0] if acting else _Wrench(_HERE, _HERE, _HERE, _HERE)
        free = _total([w.n for w in self.passing if _is_here(w.f)])
        return [replace(first, n=first.n + free), *acting[1:]]


def composites(tree: Tree, way: CompositeOptions, note: Note = no_name) -> Composites:
    """Return the composites of a tree at rest."""
    gathered = _Gathered(tree, way, note, columns=True)
    return Composites(gathered.inertia, gathered.weights)


def weights(tree: Tree, way: CompositeOptions, note: Note = no_name) -> dict[int, Scalar]:
    """Return the torque or force of each joint of a tree at rest against the acceleration of the base."""
    return _Gathered(tree, way, note, columns=False).weights


class _Gathered:
    """State of the inward sweep."""

    def __init__(self, tree: Tree, way: CompositeOptions, note: Note, columns: bool) -> None:
        self.tree, self.way, self.note, self.with_columns = tree, way, note, columns
        self.angle: dict[int, Scalar] = {}  # from the axes before the first of parallel joints
        self.height: dict[int, Scalar] = {}  # of the origin, along these axes
        self.vp: dict[int, Vec3] = {}  # acceleration of the base, in these axes
        self.turns: dict[Scalar, SharedTurn] = {}
        self.behind = {0: tree.base.vp}  # and in those of the link
        self.carriers = {body.ant for _, body in tree.items()}
        for j, body in tree.items():
            i, (turn, _, b) = body.ant, body.screws
            if self.runs_on(j):
                self.angle[j], self.vp[j] = self.angle[i] + body.theta, self.vp[i]
                self.height[j] = self.height[i] + (b.shift + turn.shift)
            else:
                self.angle[j], self.vp[j] = body.theta, behind_joint(body, self.behind[i])
                self.height[j] = turn.shift
            x, y = ConstantTurn(-self.angle[j], phases=False).vector(self.vp[j].x, self.vp[j].y)
            self.behind[j] = Vec3(x, y, self.vp[j].z)
        still = regrouped_lumps(tree)
        self.load = {j: _Load([] if k.is_nothing else [_Placed(k, _HERE)], [], 0, 0, []) for j, k in still.items()}
        self.columns: dict[int, dict[int, _Column]] = {j: {} for j in still}
        self.inertia: dict[tuple[int, int], Scalar] = {}
        self.weights: dict[int, Scalar] = {}
        for j, body in tree.inward():
            if j:
                self.at_joint(j, body)

    def runs_on(self, j: int) -> bool:
        """Return whether joint j shares the axes of the previous one."""
        return self.way.sums and parallel_axes(self.tree, self.tree.body(j))

    def turn(self, angle: Scalar) -> SharedTurn:
        return self.turns.setdefault(angle, SharedTurn(angle, self.way.phases))

    def at_joint(self, j: int, body: Body) -> None:
        """Compute row j of the matrix and the weight on joint j, and pass everything on to its antecedent."""
        self.arrive(j)
        load = self.load[j]
        if body.joint.moves:
            mass = sum_of([placed.lump.M for placed in load.passing])
            self.weights[j] = body.joint.along(mass * self.vp[j].z, load.weight)
            if self.with_columns:
                self.begin_column(j, body)
        for c, column in self.columns[j].items():
            self.arrive_column(j, column)
            if body.joint.moves:
                self.inertia[j, c] = body.joint.along(sum_of([w.f.z for w in column.passing]), column.along)
        if body.ant in self.load:
            (self.pass_on if self.runs_on(j) else self.deliver)(j, body, load)

    def arrive(self, j: int) -> None:
        """Transform a quantity from the axes of link j to those before the joint rotates."""
        load, turn, up = self.load[j], self.turn(self.angle[j]), self.height[j]
        levers: Scalar = 0
        for placed in load.given:
            k, at = placed.lump, placed.at
            if _is_number(at.x) and _is_number(at.y):  # twice a number is a number
                about = k.ZZ + ((2 * at.x) * k.MS.x + (2 * at.y) * k.MS.y)
            elif k.rod is not None:  # its arm is needed for the other joints, too
                x, y = (a + (a + k.rod * m) for a, m in ((at.x, k.MS.x), (at.y, k.MS.y)))
                about = (k.T - k.length) + (x * k.MS.x + y * k.MS.y)
            else:
                about = k.ZZ
                levers = levers + (at.x * k.MS.x + at.y * k.MS.y)
            load.about = load.about + (about + k.M * (at.x * at.x + at.y * at.y))
            m, vp = self.note("MC", j, k.MS + at * k.M), self.behind[j]
            load.loose.append((self.angle[j], m))
            x, y = turn.vector(at.x, at.y)
            if k.rod is None:  # shift along the axis first: constants do it offline
                k, up_here = k.moved(Vec3(0, 0, at.z + up)).turned(turn), 0
            else:
                k, up_here = k.turned(turn), at.z + up
            load.passing.append(_Placed(k, Vec3(x, y, up_here)))
            if self.way.weights_before or j not in self.carriers:
                m, vp = k.MS + Vec3(x, y, 0) * k.M, self.vp[j]
            if not placed.weighed:
                load.weight = load.weight + _moment_of_weight(m, vp)
        load.about = load.about + 2 * levers

    def begin_column(self, j: int, body: Body) -> None:
        """Add the wrench of each lumped mass about its own point."""
        load = self.load[j]
        angular, linear = body.joint.angular, body.joint.linear
        wrenches = []
        for placed in load.passing:
            k, at = placed.lump, placed.at
            n, arm = k.about_axis
            f = Vec3(-k.MS.y, k.MS.x, 0) + Vec3(-at.y, at.x, 0) * k.M
            n = n + Vec3(-(at.x * k.MS.z), -(at.y * k.MS.z), at.x * k.MS.x + at.y * k.MS.y)
            slide = Vec3(k.MS.y, -k.MS.x, 0)
            wrenches.append(_Wrench(f * angular + Vec3(0, 0, k.M) * linear, n * angular + slide * linear, at, arm))
        loose = [(angle, Vec3(-m.y, m.x, 0)) for angle, m in load.loose]
        self.columns[j][j] = _Column([], wrenches, load.about * angular, loose)

    def arrive_column(self, j: int, column: _Column) -> None:
        """Transform the wrenches on link j to the axes before the joint rotates."""
        turn, up = self.turn(self.angle[j]), self.height[j]
        for w in column.given:
            column.along = column.along + w.about.z
            column.loose.append((self.angle[j], w.f))
            f, n, at, arm = (Vec3(*turn.vector(v.x, v.y), v.z) for v in (w.f, w.n, w.at, w.arm))
            column.passing.append(_Wrench(f, n, at + Vec3(0, 0, up), arm))
        column.given = []

    def pass_on(self, j: int, body: Body, load: _Load) -> None:
        """Pass everything on to the previous parallel axis."""
        i, lever = body.ant, origin_before_joint(body)
        lever = replace(lever, z=0)
        x, y = self.turn(self.angle[i]).vector(lever.x, lever.y)
        shift, into = Vec3(x, y, 0), self.load[i]
        mass = sum_of([placed.lump.M for placed in load.passing])
        into.weight = into.weight + load.weight + _moment_of_weight(shift * mass, self.vp[i])
        into.passing += [replace(placed, at=placed.at + shift) for placed in load.passing]
        more = self.rise(i, lever, [(angle, Vec3(-m.y, m.x, 0)) for angle, m in load.loose])
        into.about = into.about + (((load.about + more) + more) + mass * lever.dot(lever))
        into.loose += load.loose
        if not is_exactly(mass, 0):
            into.loose.append((self.angle[i], lever * mass))
        for c, column in self.columns[j].items():
            wrenches = [replace(w, at=w.at + shift) for w in column.passing]
            along = column.along + self.rise(i, lever, column.loose)
            self.columns[i][c] = _Column([], wrenches, along, column.loose)

    def rise(self, i: int, lever: Vec3, forces: list[tuple[Scalar, Vec3]]) -> Scalar:
        """Return the moment about the axis of forces at the end of a constant lever of link i."""
        moment: Scalar = 0
        for angle, f in forces:
            x, y = self.turn(angle - self.angle[i]).vector(f.x, f.y)
            moment = moment + (lever.x * y - lever.y * x)
        return moment

    def deliver(self, j: int, body: Body, load: _Load) -> None:
        """Pass everything on to the link before the joint, in its axes."""
        i, p, apart = body.ant, origin_before_joint(body), j in self.way.apart
        into = self.load[i].given

        def out(v: Vec3) -> Vec3:
            return before_joint(body, v)

        weighed = not self.with_columns and parallel_axes(self.tree, body)
        if weighed:
            levers = p * sum_of([placed.lump.M for placed in load.passing])
            weight = load.weight + _moment_of_weight(levers, self.behind[i])
            self.load[i].weight = self.load[i].weight + weight
        placed = [_Placed(k.lump.in_axes(out), out(k.at) + p, weighed) for k in load.passing]
        if apart:
            into += placed
        else:
            whole = NOTHING
            for k in placed:
                whole = whole + k.lump.moved(k.at)
            joined = not self.way.phases or (into and into[0].lump.is_ball) or whole.is_ball
            if into and into[0].at is _HERE and joined and into[0].weighed is weighed:
                into[0] = _Placed(into[0].lump + whole, _HERE, weighed)
            else:
                into.append(_Placed(whole, _HERE, weighed))
        for c, column in self.columns[j].items():
            wrenches = []
            for w in column.kept() if apart else column.joined():
                f, n, at, arm = (out(v) for v in (w.f, w.n, w.at, w.arm))
                here = _Wrench(f, n, at + p, arm)
                wrenches.append(here if apart else _Wrench(f, here.about, _HERE, _HERE))
            self.columns[i][c] = _Column(wrenches, [], 0, [])


def _moment_of_weight(m: Vec3, vp: Vec3) -> Scalar:
    """Return the moment along z of first moments m."""
    moment: Scalar = m.x * vp.y - m.y * vp.x
    return moment


def _is_number(part: Scalar) -> bool:
    return not isinstance(part, Expr) or part.is_number


def _total(vectors: list[Vec3]) -> Vec3:
    total = _HERE
    for v in vectors:
        total = total + v
    return total


def _is_here(v: Vec3) -> bool:
    return all(is_exactly(part, 0) for part in v)
