"""Motions of a platform as functions of some coordinates of its pose: x and y of a five-bar robot, not twelve numbers.

Coordinates are x, y, z of the platform's origin and roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll) R0, where R0 is
the orientation of the reference position. The rest of the pose is constant (Delta, planar 3-RRR), the closed form of a
leg whose joints these coordinates determine (five-bar, Tricept), or the result of Newton's method from the reference
position with a fixed number of steps (3-RPS). Twist and acceleration follow from the motions that the legs allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from robosym.algebra import Expr, Graph, derivatives, evaluate, substitute
from robosym.algebra.linear.regular import Sizes, solve_where_regular
from robosym.algebra.matrix import Matrix
from robosym.algebra.once import cached_property
from robosym.algebra.samples import Array
from robosym.algebra.subspaces import best_rows
from robosym.chains.chain import pose_problem
from robosym.chains.matrix_equations import MatrixEquations
from robosym.chains.paul import closed_form
from robosym.coordinates.allowed_poses import leg_gaps, size_of
from robosym.coordinates.leg_chain import leg_chain
from robosym.coordinates.legs import Legs, drifting
from robosym.coordinates.platform_motion import ACCELERATION, OF_PLATFORM, POSE, TWIST
from robosym.coordinates.reference import Sample
from robosym.errors import ExpressionError, InputError, closest
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.motion import frame_transform
from robosym.model import Model, Workspace, compose
from robosym.model.solution.branches import branch_signs, run_branch
from robosym.spatial import Mat3, Transform
from robosym.spatial.numeric import shortest_way

if TYPE_CHECKING:
    from robosym.coordinates.reference import Reference

__all__ = ["COORDINATES", "PoseInputs", "check_names", "explicit_pose", "in_coordinates", "natural_coordinates"]

COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
_STEPS = 6  #: of Newton's method; its error is about the 64th power of the first one
_INDEPENDENT = 0.15  #: least part of a unit motion that the coordinates before do not determine
_CLOSE = 1e-6  #: rad or m between a branch and the reference position
_SUFFIXES = {"pose": "", "twist": "d", "acceleration": "dd"}
_MEANS = {
    "pose": "coordinates of the platform's pose: {} in frame 0 (m), angles from the reference orientation (rad)",
    "twist": "their rates: {} (m/s, rad/s)", "acceleration": "their second derivatives: {} (m/s^2, rad/s^2)",
}  # fmt: skip
Entry = Union[Expr, float]


def explicit_pose(graph: Graph, given: Mapping[str, Entry], start: Array) -> list[Expr]:
    """Return the entries of a pose from coordinates; others are those of `start`, which also gives R0."""
    P = [graph.taken(given.get(name, float(v))) for name, v in zip(COORDINATES[:3], start[9:], strict=True)]
    R = [[graph.number(float(v)) for v in row] for row in np.reshape(start[:9], (3, 3))]
    for axis, name in enumerate(COORDINATES[3:]):
        if name in given:
            angle = graph.taken(given[name])
            c, s = graph.function("cos", angle), graph.function("sin", angle)
            j, k = (axis + 1) % 3, (axis + 2) % 3
            first, second = R[j], R[k]
            R[j] = [c * a - s * b for a, b in zip(first, second, strict=True)]
            R[k] = [s * a + c * b for a, b in zip(first, second, strict=True)]
    return [entry for row in R for entry in row] + P


def check_names(names: Iterable[str], word: str = "pose") -> None:
    """Raise an error if a name is not that of a coordinate, or if there is none."""
    unknown = next((name for name in names if name not in COORDINATES), None)
    if unknown is not None:
        found = f"{unknown!r}{closest(unknown, COORDINATES)}"
        raise InputError(f"{word}: expected some of {', '.join(COORDINATES)}, found {found}", code="E403")


def natural_coordinates(reference: Reference | None, given: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the given coordinates and further ones that determine the pose with them, positions first."""
    if reference is None or reference.freedom == 6:
        return (*given, *(name for name in COORDINATES if name not in given))
    length = np.array([1, 1, 1, *3 * [size_of(reference)]])[:, None]
    bases = [np.linalg.qr(sample.twists * length)[0] for sample in reference.samples]
    first = [COORDINATES.index(name) for name in given]
    chosen = list(first)
    for place in (place for place in range(6) if place not in first):
        rest = [E[place] - E[place] @ np.linalg.pinv(E[chosen]) @ E[chosen] if chosen else E[place] for E in bases]
        if min(map(np.linalg.norm, rest)) > _INDEPENDENT and len(chosen) < reference.freedom:
            chosen.append(place)
    if len(chosen) < reference.freedom and not first:
        chosen = sorted(reference.coordinates)
    return tuple(COORDINATES[place] for place in chosen)


class PoseInputs:
    """The pose of a platform as a function of the coordinates `names`, its legs in given branches."""

    def __init__(
        self, robot: Robot, names: Sequence[str] = (), modes: Sequence[int] | None = None, start: Array | None = None
    ) -> None:
        """Prepare the pose; `start` (12,) gives R0 and constant coordinates in place of the reference position."""
        if getattr(robot, "coordinates", "") != "platform":
            raise InputError(f"expected a parallel robot, found {getattr(robot, 'name', robot)!r}")
        legs = Legs(robot, ("pose",), ("parameters",), modes, vectors=False)
        self.given, self.modes = robot, modes
        self.robot, self.reference = legs.robot, legs.reference
        self.names = tuple(names) or natural_coordinates(self.reference)
        self._check()
        if start is None and self.reference is not None:
            start = np.array([*self.reference.samples[0].pose_values.values()])
        self.start = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]) if start is None else start

    def _check(self) -> None:
        freedom = 6 if self.reference is None else self.reference.freedom
        check_names(self.names, "coordinates")
        if len(set(self.names)) != freedom or len(self.names) != freedom:
            usual = ", ".join(natural_coordinates(self.reference))
            raise InputError(
                f"coordinates: the platform of {self.robot.name} has {freedom} degrees of freedom: expected as many "
                f"coordinates, such as {usual}, found {', '.join(self.names)}"
            )
        if self.reference is not None and freedom < 6:
            rows = [COORDINATES.index(name) for name in self.names]
            if all(np.linalg.matrix_rank(E[rows], _CLOSE) < freedom for E in self.reference.basis):
                usual = ", ".join(natural_coordinates(self.reference))
                raise InputError(
                    f"coordinates: {', '.join(self.names)} do not determine the pose of {self.robot.name}: expected "
                    f"independent ones, such as {usual}"
                )

    @property
    def _moving(self) -> set[str]:
        """Coordinates that are not constant."""
        still = () if self.reference is None else self.reference.still
        return {name for place, name in enumerate(COORDINATES) if place not in still}

    @property
    def explicit(self) -> bool:
        """Whether all other coordinates are constant."""
        return self._moving == set(self.names) and len(self._moving & set(COORDINATES[3:])) != 2

    @cached_property
    def _found(self) -> tuple[list[Expr], bool]:
        """Entries of the pose over symbols with the names of the coordinates, and whether they are a closed form."""
        graph = Graph()
        given = {name: graph.symbol(name) for name in self.names}
        if self.explicit:
            return explicit_pose(graph, given, self.start), True
        by_leg = self._by_leg(graph, given)
        return (self._by_newton(graph, given), False) if by_leg is None else (by_leg, True)

    @property
    def closed(self) -> bool:
        """Whether the pose is a closed form of the coordinates."""
        return self._found[1]

    def entries(self, given: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return the entries of the pose, in the graph of the given coordinates."""
        graph = next(iter(given.values())).graph
        return dict(zip(POSE, substitute(self._found[0], graph, given), strict=True))

    @cached_property
    def model(self) -> Model:
        """Model of the pose from its coordinates."""
        with Workspace(self.given, ()) as work:
            given = work.input("pose", self.names)
            for name, value in self.entries(dict(zip(self.names, given, strict=True))).items():
                work.define(name, value)
            return work.model("pos", "Pose of the platform from its coordinates", {"pose": POSE})

    # ------------------------------------------------------------------ the rest of the pose

    def _by_leg(self, graph: Graph, given: Mapping[str, Expr]) -> list[Expr] | None:
        """Return the pose at the end of a leg whose joints the position determines, or None."""
        assert self.reference is not None
        if not set(self.names) <= set(COORDINATES[:3]):
            return None
        for leg, numbers in enumerate(self.robot.legs):
            joints = [j for j in numbers if self.robot.frame(j).is_joint]
            if len(joints) != len(self.names) or self.robot.followers.keys() & set(joints):
                continue
            chain = leg_chain(self.robot, leg, self.reference)
            names = tuple(self.robot.variable(j) for j in joints)
            problem = pose_problem(chain.to_platform, names, "P", chain.points)
            steps = closed_form(MatrixEquations(problem))
            if steps is None:
                continue
            P = explicit_pose(graph, given, self.start)[9:]
            known = dict(zip(problem.entries[3::4], P, strict=True))
            try:
                branches = [run_branch(steps, signs, graph, known) for signs in branch_signs(steps)]
            except InputError:
                continue  # a root of degree four
            solved = min(branches, key=lambda found: self._away(names, found))
            if self._away(names, solved) < _CLOSE:
                return [*self._orientation(leg, solved, graph), *P]
        return None

    def _away(self, names: Sequence[str], solved: Mapping[str, Any]) -> float:
        """Return the largest distance of a branch from the joints at the samples."""
        assert self.reference is not None
        entries = [value if isinstance(value, Expr) else value.angle for value in (solved[n] for n in names)]
        turns = [self.robot.frame(self.robot.variables.index(n) + 1).joint_type.only_turns for n in names]
        worst = 0.0
        for sample in self.reference.samples:
            try:
                found = evaluate(entries, self.values(sample))
            except ExpressionError:
                return inf
            away = shortest_way(np.array(found) - [sample.joints[n] for n in names], turns)
            worst = max(worst, float(np.abs(away).max()))
        return worst

    def values(self, sample: Sample) -> dict[str, float]:
        """Return the coordinates of a sample."""
        R = sample.pose[:3, :3] @ np.reshape(self.start[:9], (3, 3)).T
        roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
        angles = (roll, np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])), yaw)
        return dict(zip(COORDINATES, map(float, (*sample.pose[:3, 3], *angles)), strict=True))

    def _orientation(self, leg: int, solved: Mapping[str, Any], graph: Graph) -> list[Expr]:
        """Return the orientation of the platform at the end of a leg with solved joints."""
        robot = self.robot
        held = {
            getattr(robot.frame(j), robot.frame(j).joint_type.variable): robot.variable(j)
            for j in robot.legs[leg] if robot.frame(j).is_joint
        }  # fmt: skip
        frames = (*(robot.frame(j) for j in robot.legs[leg]), robot.places[leg])
        copies = {entry: graph.copy([entry])[0] for f in frames for entry in (getattr(f, name) for name in GEOMETRY)}

        def value(entry: Expr) -> Any:
            name, copy = held.get(entry), copies[entry]
            if name is None:
                return copy
            offset = copy - graph.symbol(name)
            return solved[name] if offset.is_zero else solved[name] + offset

        T = Transform.identity()
        for j in robot.legs[leg]:
            T = T @ frame_transform(robot.frame(j), value, j)
        T = T @ frame_transform(robot.places[leg], value, robot.legs[leg][-1]).inverse()
        return [graph.taken(entry) for row in T.A.rows for entry in row]

    def _by_newton(self, graph: Graph, given: Mapping[str, Expr]) -> list[Expr]:
        """Return the pose after steps of Newton's method for the other coordinates, from the reference position."""
        assert self.reference is not None
        unknown = [name for name in COORDINATES if name in self._moving and name not in self.names]
        legs = Legs(self.robot, ("pose",), ("parameters",), vectors=False)
        with legs.work:
            size = size_of(self.reference)
            gaps = [legs.work.graph.zero + gap for leg in legs.legs for gap in leg_gaps(leg, size)]
        own = Graph()
        pose = explicit_pose(own, {name: own.symbol(name) for name in (*self.names, *unknown)}, self.start)
        gaps = substitute(gaps, own, dict(zip(POSE, pose, strict=True)))
        slopes = derivatives(gaps, unknown)
        values = [self.values(sample) for sample in self.reference.samples]
        flat = [entry for row in slopes for entry in row]
        tables = [np.reshape(evaluate(flat, known), (len(gaps), len(unknown))) for known in values]
        rows = best_rows(tables, len(unknown))
        sizes = Sizes(values[1:] or values, one_mode=True, divisors={})
        step = solve_where_regular([slopes[r] for r in rows], [[gaps[r]] for r in rows], sizes)
        new = [own.symbol(name) - entry[0] for name, entry in zip(unknown, step, strict=True)]
        at: dict[str, Entry] = {name: values[0][name] for name in unknown}
        for _ in range(_STEPS):
            at = dict(zip(unknown, substitute(new, graph, {**given, **at}), strict=True))
        return explicit_pose(graph, {**given, **at}, self.start)

    # ------------------------------------------------------------------ twist and acceleration

    @cached_property
    def twist(self) -> Model:
        """Model of the twist from the pose and the rates of the coordinates."""
        legs = Legs(self.given, ("pose",), ("parameters",), self.modes)
        with legs.work as work:
            rates = Matrix([rate] for rate in work.input("twist", self.called("twist")))
            six = self._along(legs, rates)
            for name, value in zip(TWIST, six, strict=True):
                work.define(name, value)
            return work.model("twi", "Twist of the platform from the rates of its coordinates", {"twist": TWIST})

    @cached_property
    def acceleration(self) -> Model:
        """Model of the acceleration from pose, twist and the second derivatives of the coordinates."""
        legs = drifting(self.given, self.modes, ("parameters",))
        with legs.work as work:
            wanted = work.input("acceleration", self.called("acceleration"))
            zero = work.graph.zero
            drift = [zero + a for a in (*legs.motion.vp, *legs.motion.wp)]
            rates = self._rates(legs)
            turning = self._turning_rates(legs)
            right = []
            for row, value, more in zip(rates, wanted, turning, strict=True):
                own = sum((a * d for a, d in zip(row, drift, strict=True)), zero)
                right.append([value - own - more])
            six = [a + d for a, d in zip(self._along(legs, Matrix(right)), drift, strict=True)]
            for name, value in zip(ACCELERATION, six, strict=True):
                work.define(name, value)
            return work.model("acc", "Acceleration of the platform from those of its coordinates",
                              {"acceleration": ACCELERATION})  # fmt: skip

    def called(self, group: str) -> tuple[str, ...]:
        """Return the names of the coordinates, of their rates (xd) or of their second derivatives (xdd)."""
        return tuple(name + _SUFFIXES[group] for name in self.names)

    def _along(self, legs: Legs, rates: Matrix[Expr]) -> list[Expr]:
        """Return the six components E (A E)^-1 rates of the allowed motion with these rates of the coordinates."""
        zero, (_, E) = legs.work.graph.zero, legs.basis
        A = self._rates(legs)
        square = [[sum((a * e for a, e in zip(row, column, strict=True)), zero) for column in zip(*E, strict=True)]
                  for row in A]  # fmt: skip
        v = solve_where_regular(square, [[zero + x for x in row] for row in rates], legs.sizes)
        return [sum((zero + e * x[0] for e, x in zip(row, v, strict=True)), zero) for row in E]

    def _angles(self, legs: Legs) -> tuple[Expr, Expr, Expr, Expr]:
        """Return cos and sin of yaw, cos and tan of pitch, from the orientation."""
        graph = legs.work.graph
        R0 = Mat3.of(*(graph.number(float(v)) for v in self.start[:9]))
        x, y, z = (graph.zero + row.x for row in (legs.motion.R @ R0.T).rows)
        c = graph.function("sqrt", x * x + y * y)
        return x / c, y / c, c, -z / c

    def _alone(self) -> bool:
        """Return whether at most one angle is not constant, whose rate is then a component of the twist."""
        return len(self._moving & set(COORDINATES[3:])) <= 1

    def _rates(self, legs: Legs) -> list[list[Expr]]:
        """Return the rows A of the rates of the coordinates by the twist."""
        graph = legs.work.graph
        one, zero = graph.one, graph.zero
        plain = [[one if k == place else zero for k in range(6)] for place in range(6)]
        rows = dict(zip(COORDINATES, plain, strict=True))
        if not self._alone() and set(self.names) & set(COORDINATES[3:]):
            cy, sy, cp, tp = self._angles(legs)
            rows["roll"] = [zero, zero, zero, cy / cp, sy / cp, zero]
            rows["pitch"] = [zero, zero, zero, -sy, cy, zero]
            rows["yaw"] = [zero, zero, zero, cy * tp, sy * tp, one]
        return [rows[name] for name in self.names]

    def _turning_rates(self, legs: Legs) -> list[Expr]:
        """Return the derivatives of the rows A times the twist."""
        zero = legs.work.graph.zero
        found = dict.fromkeys(COORDINATES, zero)
        if not self._alone() and set(self.names) & set(COORDINATES[3:]):
            cy, sy, cp, tp = self._angles(legs)
            wx, wy, wz = (zero + w for w in legs.motion.w)
            u, w = cy * wx + sy * wy, cy * wy - sy * wx  # w is the rate of pitch
            yaw = wz + tp * u
            found["roll"] = (yaw * w + u * tp * w) / cp
            found["pitch"] = -yaw * u
            found["yaw"] = w * u / (cp * cp) + tp * yaw * w
        return [found[name] for name in self.names]


def in_coordinates(model: Model, names: Sequence[str], modes: Sequence[int] | None) -> Model:
    """Return a model of a platform as a function of coordinates of its pose; see `Model.in_coordinates`."""
    robot = model.robot
    groups = [group for group in OF_PLATFORM.values() if group in model.inputs]
    if robot is None or robot.coordinates != "platform" or model.inputs.get("pose") != POSE:
        raise InputError(
            f"coordinates: expected a model of a parallel robot whose input is a pose of twelve numbers, found "
            f"{model.title} with inputs {', '.join(model.inputs)}"
        )
    made = getattr(model, "modes", None) or getattr(model.made, "options", {}).get("modes")
    inputs = PoseInputs(robot, names, made if modes is None else modes)
    taken = {name for group, own in model.inputs.items() if group not in groups for name in own}
    for name in (name for group in groups for name in inputs.called(group)):
        if name in taken or name in model.definitions:
            raise InputError(f"coordinates: {name} is a symbol of {robot.name}: rename it or give it a value")
    parts = [inputs.model]
    if len(groups) > 1:
        parts.append(inputs.twist)
    if "acceleration" in groups:
        parts.append(inputs.acceleration)
    composed = compose(*parts, model)
    about = {f"in {group}": _MEANS[group].format(", ".join(inputs.called(group))) for group in groups}
    return replace(
        composed, name=model.name, kind=model.kind, title=f"{model.title}; in coordinates {', '.join(inputs.names)}",
        inputs={group: composed.inputs[group] for group in model.inputs if group in composed.inputs},
        outputs=dict(model.outputs), robot=robot, about={**model.about, **about},
    )  # fmt: skip
