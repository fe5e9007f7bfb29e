"""Groupings of geometric parameters that hold for every position of the joints, with expressions as coefficients.

An error is a small displacement of everything beyond some location of the robot: a joint, the target or the end of a
loop. In a frame of its link, it is a constant twist. A displacement of a link after its joint displaces everything
after the link. A joint commutes with some displacements: a revolute joint with those about and along its axis, a
prismatic joint with every translation and with rotations about its axis. Such a displacement has the same effect on
either side of the joint. A displacement of a passive joint along its own motion has no effect, nor has a displacement
of the target or the measuring frame that does not affect the measurement. Elimination modulo these relations leaves 4
parameters per revolute and 2 per prismatic joint of an arm, and 6 for base and tool together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from robosym.algebra import Expr, Graph, evaluate, symbols
from robosym.algebra.generic import generic_values, is_exactly, negligible, vanishes
from robosym.mechanism import Robot
from robosym.parameters.geometric.error_parameters import PLACEMENT, ErrorParameter
from robosym.parameters.linear_forms import folded
from robosym.spatial import Transform, Vec3, cos, sin

__all__ = ["grouped_by_links"]

Twist = tuple[Vec3, Vec3]  #: linear part at the origin, angular part
Place = tuple[int, int]  #: frame that a displacement precedes, component of the twist in the frame of its link
Row = dict[Place, Expr]
_AXES = {"gamma": "z", "b": "z", "alpha": "x", "d": "x", "beta": "y", "e": "y", "theta": "z", "r": "z"}
_TURNS = {"gamma", "alpha", "beta", "theta"}
_END = 0  #: the target, as a place


def grouped_by_links(
    robot: Robot, end: int, parameters: Sequence[ErrorParameter], base: Transform, tool: Transform,
    hidden: tuple[Sequence[str], Sequence[str]], passive: Collection[int],
) -> dict[str, dict[str, Expr]]:  # fmt: skip
    """Return the parameters in groups, {kept: {parameter: coefficient}}; those without effect are in none.

    `hidden` are the motions of the measuring frame and of the target that do not affect the measurement. Parameters
    come by decreasing preference. Parameters of joint positions (ratio, compliance) are kept.
    """
    graph = Graph()
    links = _Links(robot.in_graph(graph), graph, end)
    relations: list[Row] = []
    for j in links.joints:
        for twist in _commuting(links.robot, j):
            relations.append(_minus(links.before(j, twist), links.behind(j, twist)))
        if j in passive:
            relations.append(links.behind(j, _own(links.robot, j)))
    relations += [links.behind(0, _moved(base.inverse(), _unit(axis))) for axis in hidden[0]]
    relations += [links.at(_END, _moved(tool, _unit(axis))) for axis in hidden[1]]
    rows = {p.name: _row_of(links, p, base, tool) for p in parameters if p.kind in _AXES or not p.frame}
    groups = _eliminated(relations, rows, graph)
    return groups | {p.name: {p.name: graph.one} for p in parameters if p.name not in rows}


class _Links:
    """Links of a robot, and displacements of links beyond a place, as rows over the places and one frame per link."""

    def __init__(self, robot: Robot, graph: Graph, end: int) -> None:
        self.robot, self.graph, self.end = robot, graph, end
        self.joints = [j for j in range(1, robot.NJ + 1) if robot.frame(j).is_joint]
        self.closing = dict(robot.loops)
        #: link that carries each frame, and the pose of the frame in that of the link
        self.carried: dict[int, tuple[int, Transform]] = {0: (0, Transform.identity())}
        for j, frame in enumerate(robot.frames, 1):
            if frame.is_joint:
                self.carried[j] = (j, Transform.identity())
            else:
                link, T = self.carried[frame.ant]
                self.carried[j] = (link, T @ self.axis(j) @ _screw("z", frame.theta, frame.r))
        #: places that follow a link: joints, ends of loops, the target
        self.following: dict[int, list[int]] = {}
        for j in (*self.joints, *self.closing.values()):
            self.following.setdefault(self.carried[robot.frame(j).ant][0], []).append(j)
        self.following.setdefault(self.carried[end][0], []).append(_END)

    def axis(self, j: int) -> Transform:
        """Return the pose of the axis of frame j in its antecedent, at zero of the joint."""
        frame = self.robot.frame(j)
        return _screw("z", frame.gamma, frame.b) @ _screw("x", frame.alpha, frame.d)

    def at(self, place: int, twist: Twist, frame: int | None = None) -> Row:
        """Return the displacement of the links beyond one place, by a twist in a frame of the link before."""
        frame = frame if frame is not None else self.end if place == _END else self.robot.frame(place).ant
        linear, angular = _moved(self.carried[frame][1], twist)
        entries = (self.graph.zero + value for value in (*linear, *angular))
        return {(place, k): value for k, value in enumerate(entries) if not value.is_zero}

    def before(self, j: int, twist: Twist) -> Row:
        """Return the displacement before joint j, by a twist in its frame at zero of the joint."""
        return self.at(j, _moved(self.axis(j), twist))

    def behind(self, j: int, twist: Twist) -> Row:
        """Return the displacement of a link after its joint, and of everything after it, by a twist in frame j.

        A displacement of the virtual link of a cut joint displaces the link that closes the loop by the opposite
        amount.
        """
        if j in self.closing:
            fixed = self.closing[j]
            return {key: -value for key, value in self.at(fixed, twist, fixed).items()}
        row: Row = {}
        for place in self.following.get(j, ()):
            row |= self.at(place, twist, j)
        return row


def _row_of(links: _Links, p: ErrorParameter, base: Transform, tool: Transform) -> Row:
    """Return the displacement of an error."""
    if p.kind == "base":
        linear, angular = _unit(PLACEMENT[p.axis])
        back = base.A.T
        return links.behind(0, (back @ linear, back @ angular))
    if p.kind == "tool":
        linear, angular = _unit(PLACEMENT[p.axis])
        return links.at(_END, (linear + tool.P.cross(angular), angular))
    j, twist = p.frame, _unit(("r" if p.kind in _TURNS else "") + _AXES[p.kind])
    frame = links.robot.frame(j)
    if p.kind in ("gamma", "b"):
        return links.at(j, twist)
    if p.kind not in ("theta", "r"):
        return links.before(j, twist)
    if not frame.is_joint:  # a frame that closes a loop
        return links.at(j, twist, j)
    return links.behind(j, _own(links.robot, j) if p.kind == frame.joint_type.variable else twist)


def _own(robot: Robot, j: int) -> Twist:
    kind = robot.frame(j).joint_type
    return Vec3(0, 0, kind.linear), Vec3(0, 0, kind.angular)


def _commuting(robot: Robot, j: int) -> list[Twist]:
    """Return the displacements that the motion of a joint does not change."""
    slides = robot.frame(j).joint_type.only_slides
    return [_unit(axis) for axis in (("z", "rz", "x", "y") if slides else ("z", "rz"))]


def _unit(axis: str) -> Twist:
    v, zero = Vec3(*(int(axis[-1] == letter) for letter in "xyz")), Vec3(0, 0, 0)
    return (zero, v) if axis.startswith("r") else (v, zero)


def _moved(T: Transform, twist: Twist) -> Twist:
    """Return a twist of frame j in frame i, from iTj."""
    linear, angular = T.A @ twist[0], T.A @ twist[1]
    return linear + T.P.cross(angular), angular


def _screw(axis: str, angle: Expr, shift: Expr) -> Transform:
    c, s = cos(angle), sin(angle)
    if axis == "z":
        return Transform.of(c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, shift)
    return Transform.of(1, 0, 0, shift, 0, c, -s, 0, 0, s, c, 0)


def _minus(one: Row, other: Row) -> Row:
    return {**one, **{key: one[key] - value if key in one else -value for key, value in other.items()}}


def _eliminated(relations: Iterable[Row], rows: Mapping[str, Row], graph: Graph) -> dict[str, dict[str, Expr]]:
    """Return the groups of rows modulo the relations: each row is a sum of the rows kept before it."""
    relations = list(relations)
    names = symbols(value for row in (*relations, *rows.values()) for value in row.values())
    values = generic_values(names)

    def cleared(row: Row) -> Row:
        """Return the row without entries that are zero for all values of the symbols."""
        folds = {key: folded(value) for key, value in row.items()}
        numbers = evaluate(folds.values(), values)
        return {key: value for (key, value), x in zip(folds.items(), numbers, strict=True) if not negligible(x)}

    basis: list[
        tuple[Place, Row, dict[str, Expr]]
    ] = []  # pivot, row scaled to one there, parameters that it stands for
    groups: dict[str, dict[str, Expr]] = {}
    for name, row in (*(("", row) for row in relations), *rows.items()):
        rest, stands = cleared(row), {name: graph.one} if name else {}
        shares: dict[str, Expr] = {}
        for pivot, known, parts in basis:
            factor = rest.get(pivot)
            if factor is None:
                continue
            rest = cleared(_minus(rest, {key: factor * value for key, value in known.items()}))
            rest.pop(pivot, None)
            for part, share in parts.items():
                shares[part] = shares[part] + factor * share if part in shares else factor * share
        if rest:
            pivot = _pivot(rest, values)
            scale = rest[pivot]
            over = {**stands, **{part: stands.get(part, graph.zero) - share for part, share in shares.items()}}
            basis.append((pivot, {k: v / scale for k, v in rest.items()}, {k: v / scale for k, v in over.items()}))
            if name:
                groups[name] = {name: graph.one}
        elif name:
            numbers = evaluate([folded(share) for share in shares.values()], values)
            for (part, share), x in zip(shares.items(), numbers, strict=True):
                if not negligible(x):
                    groups[part][name] = _plain(folded(share), graph)
    return groups


def _plain(share: Expr, graph: Graph) -> Expr:
    """Return a coefficient, simplified to 1 or -1 if it has this value for all values of its symbols."""
    return next((graph.number(sign) for sign in (1, -1) if vanishes(share - sign)), share)


def _pivot(row: Row, values: Mapping[str, float]) -> Place:
    """Return the index of an entry that is 1 or, if there is none, of the largest entry at a generic point."""
    for key, value in row.items():
        if is_exactly(value, 1) or is_exactly(value, -1):
            return key
    numbers = evaluate(row.values(), values)
    return max(zip(row, numbers, strict=True), key=lambda pair: abs(pair[1]))[0]
