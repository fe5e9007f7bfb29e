"""Solids of the bodies of a robot, derived from its table of frames only.

Link j extends from the foot on axis j along z to its origin, then along z and x to the foot on the axis of each
following link. A revolute joint is a cylinder about its axis, a prismatic joint a sleeve with a bar; passive axes
that intersect are a ball. A body shared by three or more legs is a plate. Sizes are relative to the reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robosym.drawing.parts import Array, AxisLine, FramePoint, Point, Solid, Tone, placed
from robosym.mechanism import Robot

__all__ = ["AttachedBody", "RobotSolids"]

_RADIUS = 0.066  #: radius of a joint, relative to the reach
_THIN = 0.034  #: radius of a joint of a robot with legs
_TAPER = 0.4  #: relative reduction of a joint at the end of a chain
_TUBE = 0.6  #: radius of a tube, relative to its joint
_SAME = 1e-6  #: distance of coincident points, relative to the reach
_POINT = 1e-9  #: size in m below which all axes intersect in one point
_SPHERE, _SHELL = 0.5, 0.09  #: radius of the joints of such a robot, and its decrease from joint to joint
_COLUMN = 0.27  #: height of the column below an arm whose frame 0 is at its shoulder, relative to the reach


@dataclass
class AttachedBody:
    """Link with its fixed frames and attachment points."""

    link: int
    attached: list[FramePoint] = field(default_factory=list)
    loops: int = 0


@dataclass
class _JointShape:
    """Shape of a joint: center and axis, in the frame of its antecedent."""

    joint: int
    foot: Array
    axis: Array
    radius: float
    half: float  #: half height
    shift: float = 0.0  #: distance of the center from the foot along the axis
    ball: bool = False
    hidden: bool = False  #: part of a ball that is already drawn

    @property
    def center(self) -> Array:
        return self.foot + self.shift * self.axis


class RobotSolids:
    """Solids of a numeric robot; `table` contains the six parameters of its frames in the drawn position."""

    def __init__(self, robot: Robot, table: Array, poses: Array, up: Array) -> None:
        self.robot, self.table, self.poses, self.up = robot, table, poses, up
        self.joints = [j for j in range(1, robot.NJ + 1) if robot.frame(j).is_joint]
        self.points = np.array([p for j in range(1, robot.NF + 1) for p in (self._world_foot(j), poses[j][:3, 3])])
        spread = np.vstack([np.zeros(3), self.points])
        self.reach = float(np.linalg.norm(spread.max(axis=0) - spread.min(axis=0)))
        self.spherical = self.reach < _POINT
        if self.spherical:
            self.reach = 1.0
        self.bodies = self._bodies()
        self.plates = {b.link for b in self.bodies.values() if self._is_plate(b)}
        self.legged = bool(self.plates) or any(b.loops > 1 for b in self.bodies.values() if b.link)
        self.floor: float | None = None
        self.shapes = self._shapes()
        self.solids = tuple(self._solids())

    # ------------------------------------------------------------------ the table

    def foot(self, j: int) -> Array:
        """Return the intersection of axis j and x of its frame, in the frame of its antecedent."""
        gamma, b, _, d = self.table[:4, j - 1]
        return np.array([d * math.cos(gamma), d * math.sin(gamma), b])

    def axis(self, j: int) -> Array:
        """Return z of frame j, in the frame of its antecedent."""
        gamma, _, alpha = self.table[:3, j - 1]
        return np.array([math.sin(gamma) * math.sin(alpha), -math.cos(gamma) * math.sin(alpha), math.cos(alpha)])

    def _world_foot(self, j: int) -> Array:
        T = self.poses[self.robot.frame(j).ant]
        return np.asarray(T[:3, :3] @ self.foot(j) + T[:3, 3])

    def _r(self, j: int) -> float:
        return float(self.table[5, j - 1])

    def _carrier(self, j: int) -> int:
        """Return the link that a frame belongs to."""
        while j and not self.robot.frame(j).is_joint:
            j = self.robot.frame(j).ant
        return j

    def _joint_before(self, j: int) -> int:
        return self._carrier(self.robot.frame(j).ant)

    # ------------------------------------------------------------------ bodies and plates

    def _bodies(self) -> dict[int, AttachedBody]:
        bodies = {0: AttachedBody(0)} | {j: AttachedBody(j, [FramePoint(j)]) for j in self.joints if j <= self.robot.NL}
        for j in self.joints:
            bodies[self._joint_before(j)].attached.append(FramePoint(self.robot.frame(j).ant, _point(self.foot(j))))
        for cut, fixed in self.robot.loops:
            bodies[self._carrier(fixed)].attached.append(FramePoint(fixed))
            for frame in (cut, fixed):
                body = self._joint_before(cut) if frame == cut else self._carrier(fixed)
                bodies[body].loops += 1
        return bodies

    def _is_plate(self, body: AttachedBody) -> bool:
        corners = self._distinct([placed(spot, self.poses) for spot in body.attached])
        if len(corners) < 3 or (body.link and body.loops < 2):
            return False
        size = np.linalg.svd(np.array(corners) - np.mean(corners, axis=0), compute_uv=False)
        return bool(size[1] > 0.15 * size[0])

    def _distinct(self, points: Sequence[Array]) -> list[Array]:
        found: list[Array] = []
        for point in points:
            if all(np.linalg.norm(point - other) > _SAME * self.reach for other in found):
                found.append(point)
        return found

    # ------------------------------------------------------------------ joints

    def _shapes(self) -> dict[int, _JointShape]:
        depth = {0: 0}
        for j in self.joints:
            depth[j] = depth.get(self._joint_before(j), 0) + 1
        deepest = max(depth, key=lambda j: (depth[j], -j))
        main = set()
        while deepest:
            main.add(deepest)
            deepest = self._joint_before(deepest)
        usual = self._usual_radius()
        shapes = {}
        for j in self.joints:
            taper = 1.0 if self.legged else 1 - _TAPER * (depth[j] - 1) / max(5, max(depth.values()) - 1)
            side = 1.0 if self.legged or j in main or not self.robot.loops else 0.66
            radius = usual * taper * side
            shapes[j] = _JointShape(j, self.foot(j), self.axis(j), radius, 0.92 * radius)
        if self.spherical:
            for j, shape in shapes.items():
                shape.shift = _SPHERE - _SHELL * (depth[j] - 1)
        else:
            self._join_balls(shapes)
            self._move_apart(shapes)
        return shapes

    def _usual_radius(self) -> float:
        if self.legged:
            return _THIN * self.reach
        lengths = [
            float(np.linalg.norm(a - b))
            for j in self.joints
            for a, b in [(self._world_foot(j), self.poses[self.robot.frame(j).ant][:3, 3])]
        ]
        lengths += [abs(self._r(j)) for j in self.joints]
        long = sorted(x for x in lengths if x > 0.05 * self.reach)
        limit = 0.4 * long[len(long) // 2] if long else self.reach
        limit = 0.8 * _RADIUS if self.spherical else limit
        return min(_RADIUS * self.reach, limit)

    def _near(self, j: int, k: int, distance: float) -> bool:
        return bool(np.linalg.norm(self._world_foot(j) - self._world_foot(k)) <= distance)

    def _join_balls(self, shapes: dict[int, _JointShape]) -> None:
        """Replace consecutive passive axes through one point by a ball."""
        for j in self.joints:
            before = self._joint_before(j)
            passive = [k for k in (before, j) if k and not self.robot.frame(k).mu and self._turns(k)]
            if len(passive) == 2 and self._near(before, j, _SAME * self.reach):
                shapes[j].hidden = True
                first = shapes[before]
                shapes[j].ball = first.ball = True
                first.radius *= 1.0

    def _turns(self, j: int) -> bool:
        return self.robot.frame(j).joint_type.turns

    def _move_apart(self, shapes: dict[int, _JointShape]) -> None:
        """Shift coincident joints along their axes."""
        for j, shape in shapes.items():
            if shape.ball or not self._turns(j):
                continue
            before, after = self._joint_before(j), [k for k in self.joints if self._joint_before(k) == j]
            r, close = self._r(j), 0.9 * shape.radius
            adjacent = [
                k for k in (before, *after) if k and self._near(j, k, close) and self._turns(k) and self._crosses(j, k)
            ]
            distance = max((shapes[k].radius for k in adjacent), default=0.0) + 0.9 * shape.half
            if abs(r) > 1.6 * shape.radius:
                stands = self.robot.frame(j).ant == 0 and not self.plates
                shape.shift = math.copysign(distance if adjacent else shape.half if stands else 0.0, r)
            elif before in adjacent and not any(k in adjacent for k in after):
                shape.shift = self._outward(j) * distance
            elif before not in adjacent and adjacent:
                third = any(self._near(j, k, close) for n in after for k in self.joints if self._joint_before(k) == n)
                if before == 0 or third:
                    shape.shift = -distance

    def _crosses(self, j: int, k: int) -> bool:
        a, b = (self.poses[self.robot.frame(i).ant][:3, :3] @ self.axis(i) for i in (j, k))
        return bool(abs(a @ b) < 0.7)

    def _outward(self, j: int) -> float:
        """Return the side of an axis on which the chain continues."""
        r = self._r(j)
        lengths = [r, *(float(self.foot(k)[2]) for k in range(1, self.robot.NF + 1) if self.robot.frame(k).ant == j)]
        fixed = [self._r(k) for k in range(1, self.robot.NF + 1) if self._is_flange(k, j)]
        total = sum((*lengths, *fixed))
        return -1.0 if total < -_SAME * self.reach else 1.0

    def _is_flange(self, k: int, j: int) -> bool:
        frame = self.robot.frame(k)
        return frame.ant == j and not frame.is_joint and abs(self.table[2, k - 1]) < _SAME

    # ------------------------------------------------------------------ solids

    def _solids(self) -> Iterator[Solid]:
        if self.spherical:
            yield from self._arcs()
            return
        for link in sorted(self.plates):
            yield from self._plate(self.bodies[link])
        for j in range(1, self.robot.NF + 1):
            yield from self._way_to(j)
            if j in self.shapes:
                yield from self._joint(self.shapes[j])
            yield from self._way_along(j)
            yield from self._corner(j)
        if 0 not in self.plates:
            yield from self._stand()

    def _arcs(self) -> Iterator[Solid]:
        """Yield links of a robot with intersecting axes as arcs between the axes."""
        cut_at = {fixed: self.shapes[cut].shift for cut, fixed in self.robot.loops if cut in self.shapes}
        for j in range(1, self.robot.NF + 1):
            ant, shape = self.robot.frame(j).ant, self.shapes.get(j)
            if shape is not None:
                yield from self._joint(shape)
            distance = shape.shift if shape is not None else cut_at.get(j, 0.0)
            body = self._carrier(ant)
            own = self.shapes[body].shift if body in self.shapes else _SPHERE
            first = next(k for k in range(1, j + 1) if self.robot.frame(k).ant == ant)
            if distance and not (body == 0 and first == j):  # the arc of the base starts at its first axis
                start = np.array([0.0, 0.0, 1.0]) if body else self.axis(first)
                yield from self._arc(ant, own * start, distance * self.axis(j), body)

    def _arc(self, frame: int, start: Array, end: Array, body: int) -> Iterator[Solid]:
        a, b = (float(np.linalg.norm(v)) for v in (start, end))
        angle = math.acos(max(-1.0, min(1.0, float(start @ end) / (a * b))))
        if angle < _SAME or math.pi - angle < _SAME:
            return
        radius, steps = 0.45 * _TUBE * _RADIUS, max(2, math.ceil(angle / 0.2))
        tone: Tone = "link" if body else "base"
        way = []
        for share in np.linspace(0, 1, steps + 1):
            turned = (math.sin((1 - share) * angle) * start / a + math.sin(share * angle) * end / b) / math.sin(angle)
            way.append((a + share * (b - a)) * turned)
        for p, q in pairwise(way):
            yield Solid(
                "tube", (FramePoint(frame, _point(p)), FramePoint(frame, _point(q))), radius, tone, body, radius
            )
        for p in way[1:-1]:
            yield Solid("ball", (FramePoint(frame, _point(p)),), radius, tone, body)

    def _plate(self, body: AttachedBody) -> Iterator[Solid]:
        tone: Tone = "platform" if body.link else "base"
        thickness = 0.4 * _THIN * self.reach
        points = np.array([placed(spot, self.poses) for spot in body.attached])
        normal = self._normal(points - points.mean(axis=0))
        away = self._away(body, points.mean(axis=0), normal)
        corners = (
            FramePoint(spot.frame, _point(np.array(spot.at) + self.poses[spot.frame][:3, :3].T @ away))
            for spot in body.attached
        )
        yield Solid("plate", tuple(corners), thickness, tone, body.link)

    def _normal(self, points: Array) -> Array:
        """Return the direction of least extent of points, preferably upright."""
        _, sizes, axes = np.linalg.svd(points)
        least = axes[sizes <= sizes[-1] + _SAME * self.reach]
        upright = least.T @ (least @ self.up)
        size = float(np.linalg.norm(upright))
        return np.asarray(upright / size if len(least) > 1 and size > _SAME else axes[-1])

    def _away(self, body: AttachedBody, center: Array, normal: Array) -> Array:
        """Return the offset of a plate behind its joints, so that these are visible and legs can pass, in frame 0."""
        shapes = list(self.shapes.values())
        own = [s for s in shapes if self._joint_before(s.joint) == body.link or s.joint == body.link]
        axes = [self.poses[self.robot.frame(s.joint).ant][:3, :3] @ s.axis for s in own]
        along = all(abs(axis @ normal) > 0.95 for axis in axes) and not any(s.ball for s in own)
        if along:  # the legs move parallel to the plate
            return np.zeros(3) if body.link else -2.0 * own[0].half * axes[0]
        side = float((self.points.mean(axis=0) - center) @ normal)
        return -math.copysign(0.8 * own[0].radius, side) * normal

    def _radius(self, body: int) -> float:
        """Return the radius of the tubes of a body."""
        if body in self.shapes:
            return _TUBE * self.shapes[body].radius
        firsts = [s.radius for j, s in self.shapes.items() if self._joint_before(j) == body]
        return _TUBE * max(firsts, default=_RADIUS * self.reach)

    def _way_to(self, j: int) -> Iterator[Solid]:
        """Yield the tubes from the origin of the antecedent to the foot on axis j: b along z, then d along x."""
        ant = self.robot.frame(j).ant
        body = self._carrier(ant)
        if body in self.plates:
            return
        tone: Tone = "link" if body else "base"
        corner, foot = np.array([0, 0, self.table[1, j - 1]]), self.foot(j)
        yield from self._tubes(ant, [np.zeros(3), corner, foot], body, tone)

    def _way_along(self, j: int) -> Iterator[Solid]:
        """Yield the tubes from the foot on axis j along z to the origin of frame j."""
        r, frame = self._r(j), self.robot.frame(j)
        body = self._carrier(j)
        if j in self.shapes and not self._turns(j):
            yield from self._bar(j)
        elif body in self.plates and j > self.robot.NJ:
            return
        elif j in self.shapes and frame.joint_type.slides:
            spots = FramePoint(frame.ant, _point(self.foot(j))), FramePoint(j)
            yield Solid("tube", spots, self._radius(body), "link", body, self._radius(body))
        else:
            yield from self._tubes(j, [np.array([0, 0, -r]), np.zeros(3)], body, "link" if body else "base")

    def _corner(self, j: int) -> Iterator[Solid]:
        """Yield a ball at the origin of frame j where a tube changes direction without a joint."""
        body, origin = self._carrier(j), self.poses[j][:3, 3]
        ways = [k for k in range(1, self.robot.NF + 1) if self.robot.frame(k).ant == j and self._leaves(k)]
        if not ways or body in self.plates or abs(self._r(j)) < _SAME * self.reach or not self._is_bare(origin):
            return
        yield Solid("ball", (FramePoint(j),), self._radius(body), "link" if body else "base", body)

    def _leaves(self, k: int) -> bool:
        return bool(np.linalg.norm(self.foot(k)[:2]) > _SAME * self.reach)

    def _is_bare(self, point: Array) -> bool:
        """Return whether no joint is drawn around a point."""
        for shape in self.shapes.values():
            ant = self.poses[self.robot.frame(shape.joint).ant]
            if np.linalg.norm(ant[:3, :3] @ shape.center + ant[:3, 3] - point) < 0.5 * shape.radius:
                return False
        return True

    def _tubes(self, frame: int, way: Sequence[Array], body: int, tone: Tone) -> Iterator[Solid]:
        """Yield tubes along corners in a frame; ends inside joints are shortened, corners are rounded."""
        radius = self._radius(body)
        corners = [way[0]]
        for point in way[1:]:
            if np.linalg.norm(point - corners[-1]) > _SAME * self.reach:
                corners.append(point)
        for place, (a, b) in enumerate(pairwise(corners)):
            length = float(np.linalg.norm(b - a))
            along = (b - a) / length
            start = self._depth(frame, a, along) if place == 0 else 0.0
            end = self._depth(frame, b, -along) if place == len(corners) - 2 else 0.0
            if start + end < 0.98 * length:
                spots = FramePoint(frame, _point(a + start * along)), FramePoint(frame, _point(b - end * along))
                yield Solid("tube", spots, radius, tone, body, radius)
            if place:
                yield Solid("ball", (FramePoint(frame, _point(a)),), radius, tone, body)

    def _depth(self, frame: int, point: Array, direction: Array) -> float:
        """Return the length of a tube from this point inside of a joint."""
        T = self.poses[frame]
        at, along = T[:3, :3] @ point + T[:3, 3], T[:3, :3] @ direction
        depth = 0.0
        for shape in self.shapes.values():
            ant = self.poses[self.robot.frame(shape.joint).ant]
            center, axis = ant[:3, :3] @ shape.center + ant[:3, 3], ant[:3, :3] @ shape.axis
            if np.linalg.norm(center - at) > _SAME * self.reach:
                continue
            across = math.sqrt(max(0.0, 1 - float(along @ axis) ** 2))
            side = shape.radius / max(across, _SAME)
            cap = shape.half / max(abs(float(along @ axis)), _SAME)
            depth = max(depth, shape.radius if shape.ball else 0.85 * min(side, cap))
        return depth

    def _joint(self, shape: _JointShape) -> Iterator[Solid]:
        j, frame = shape.joint, self.robot.frame(shape.joint)
        if shape.hidden or not self._turns(j):
            return
        center = shape.center
        body = self._joint_before(j)
        if shape.ball:
            yield Solid("ball", (FramePoint(frame.ant, _point(center)),), 0.95 * shape.radius, "joint", body, joint=j)
            return
        ends = (center - shape.half * shape.axis, center + shape.half * shape.axis)
        spots = (FramePoint(frame.ant, _point(ends[0])), FramePoint(frame.ant, _point(ends[1])))
        yield Solid("tube", spots, shape.radius, "joint", body, shape.radius, joint=j)
        if not any(self.robot.frame(k).ant == j for k in range(1, self.robot.NF + 1)) and j <= self.robot.NL:
            side = 1.0 if shape.shift >= 0 else -1.0
            tip = shape.shift + side * shape.half + self._offset(j)
            flange = 0.55 * shape.radius
            spots = (FramePoint(j, (0.0, 0.0, tip)), FramePoint(j, (0.0, 0.0, tip + 0.35 * side * shape.radius)))
            yield Solid("tube", spots, flange, "link", j, flange)

    def _offset(self, j: int) -> float:
        """Return the height of the foot on axis j above the origin of frame j."""
        return -self._r(j)

    def _bar(self, j: int) -> Iterator[Solid]:
        """Yield a prismatic joint: a sleeve on the preceding link, and a bar from the foot to the origin of frame j."""
        shape, ant, r = self.shapes[j], self.robot.frame(j).ant, self._r(j)
        body, sense = self._joint_before(j), math.copysign(1.0, r)
        side = _point(_across(shape.axis))
        width = (0.62 if self.legged else 0.7) * shape.radius
        if ant == 0 and not self.plates:
            ends = (min(0.0, r) - 0.12 * self.reach, max(0.0, r) + 0.2 * self.reach)
            if self.robot.loops:  # the slide of a leg extends behind its foot
                ends = (r - 0.12 * self.reach, r + 0.2 * self.reach)
            spots = tuple(FramePoint(0, _point(shape.foot + end * shape.axis)) for end in ends)
            yield Solid("box", spots, width, "base", 0, side=side)
            block = tuple(FramePoint(j, (0.0, 0.0, end)) for end in (-1.3 * shape.radius, 1.3 * shape.radius))
            here = _point(_across(np.array([0.0, 0.0, 1.0])))
            yield Solid("box", block, 1.2 * shape.radius, "joint", j, side=here, joint=j)
            return
        length = max(0.45 * abs(r), 1.6 * shape.radius)
        start = shape.foot - 0.9 * sense * shape.radius * shape.axis * (not self.legged)
        spots = tuple(FramePoint(ant, _point(p)) for p in (start, shape.foot + sense * length * shape.axis))
        rod = (FramePoint(ant, _point(shape.foot)), FramePoint(j))
        if self.legged:
            yield Solid("tube", spots, width, "joint", body, width, joint=j)
            yield Solid("tube", rod, 0.62 * width, "link", j, 0.62 * width)
        else:
            yield Solid("box", spots, shape.radius, "joint", body, side=side, joint=j)
            if abs(r) > _SAME * self.reach:
                yield Solid("box", rod, width, "link", j, side=side)

    def _stand(self) -> Iterator[Solid]:
        """Yield the base: a column with a foot below an upright first axis, otherwise a flange."""
        first = next((j for j in self.joints if self.robot.frame(j).ant == 0), None)
        if first is None:
            return
        shape = self.shapes[first]
        upright = float(shape.axis @ self.up)
        heights = self.points @ self.up
        if not self._turns(first) or shape.ball:
            return
        if abs(upright) < 0.95:
            back = shape.center - shape.half * shape.axis
            spots = (FramePoint(0, _point(back - 0.4 * shape.radius * shape.axis)), FramePoint(0, _point(back)))
            yield Solid("tube", spots, 1.6 * shape.radius, "base", 0, 1.6 * shape.radius)
            return
        bottom = float(shape.center @ self.up) - shape.half
        rise = _COLUMN * self.reach if shape.shift * upright <= 0 else 0.0
        lowest = float(heights.min()) - 0.08 * self.reach
        self.floor = min(bottom - rise, lowest if lowest < bottom - 0.12 * self.reach else bottom - rise)
        across = shape.center - float(shape.center @ self.up) * self.up
        foot = across + self.floor * self.up
        spots = (FramePoint(0, _point(foot - 0.3 * shape.radius * self.up)), FramePoint(0, _point(foot)))
        yield Solid("tube", spots, 1.9 * shape.radius, "base", 0, 1.75 * shape.radius)
        if bottom - self.floor > _SAME * self.reach:
            spots = (FramePoint(0, _point(foot)), FramePoint(0, _point(across + bottom * self.up)))
            yield Solid("tube", spots, 1.25 * shape.radius, "link", 0, 0.86 * shape.radius)
        self.floor -= 0.3 * shape.radius

    # ------------------------------------------------------------------ axes

    def axes(self) -> tuple[AxisLine, ...]:
        """Return the axis of every joint, slightly longer than the joint."""
        lines = []
        for j, shape in self.shapes.items():
            if shape.ball:
                continue
            ant, slides = self.robot.frame(j).ant, not self._turns(j)
            low, high = sorted((0.0, self._r(j)))
            low, high = min(low, shape.shift - shape.half), max(high, shape.shift + shape.half)
            more = 1.3 * shape.radius
            ends = [FramePoint(ant, _point(shape.foot + x * shape.axis)) for x in (low - more, high + more)]
            lines.append(AxisLine(j, self.robot.variable(j), slides, *ends))
        return tuple(lines)


def _point(vector: Array) -> Point:
    x, y, z = (float(x) for x in vector)
    return (x, y, z)


def _across(axis: Array) -> Array:
    """Return a direction perpendicular to an axis, along x or y if possible."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.7 else np.array([0.0, 1.0, 0.0])
    side = helper - (helper @ axis) * axis
    return np.asarray(side / np.linalg.norm(side))
