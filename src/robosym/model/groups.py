"""The groups of a model's inputs: one table of what each is called, means and is measured in, and who holds it.

Whether a group is on line (its values change from one evaluation to the next) is told here and nowhere else: the graph
is given it when the symbols are declared, and languages and machine code ask this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph, symbols
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, WRENCH, Link, Robot
from robosym.mechanism.edit import ORIENTATION

__all__ = ["GROUPS", "InputGroup", "declare", "input_groups", "is_online", "meaning"]

#: The entries of a description that a group holds, of the given joints.
Holder = Callable[[Robot, Sequence[int]], Iterable[Expr]]


@dataclass(frozen=True)
class InputGroup:
    """A kind of input."""

    name: str
    online: bool
    meaning: str  #: what stands above emitted code
    unit: str
    holder: Holder | None = None  #: None where the algorithm that takes the group gives its names


def _motion(field: str) -> Holder:
    def holder(robot: Robot, joints: Sequence[int]) -> list[Expr]:
        return [getattr(robot.joint(j), field) for j in joints]

    return holder


def _base(angular: str, linear: str) -> Holder:
    return lambda robot, _: (*getattr(robot.base, angular), *getattr(robot.base, linear))


def _variables(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    return [robot.graph.symbol(robot.variable(j)) for j in robot.tree_joints]


def _cut_variables(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    return [robot.graph.symbol(robot.variable(k)) for k, _ in robot.loops if robot.frame(k).is_joint]


def _links(robot: Robot) -> Iterable[Link]:
    return (link for link in (robot.base.link, *robot.links) if link is not None)


def _of_link(link: Link, number: int) -> Iterator[Expr]:
    """The entries of a link, its own symbols first (XX6 .. M6, IA6), then what is added to them: a payload's mass,
    center of mass and inertia, in this order."""
    names = (*INERTIA, *DRIVE)
    entries = {name: getattr(link, name) for name in names}
    for name, value in entries.items():
        own = f"{name}{number}"
        if not value.args:
            yield value
        elif own in symbols([value]):
            yield value.graph.symbol(own)
    yield from (entries[name] for name in ("M", "MX", "MY", "MZ", *names))


def _parameters(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    first = 0 if robot.base.link is not None else 1
    return [
        *(getattr(frame, name) for frame in robot.frames for name in GEOMETRY),
        *(value for j, link in enumerate(_links(robot), first) for value in _of_link(link, j)),
        *(value for joint in robot.joints for value in (joint.k, joint.rest) if value is not None),
        *(value for joint in robot.joints for _, value in joint.friction.values),
        *robot.base.Z,
    ]


def _orientation(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    """The symbols of the orientation of the base, where gravity or the pose of frame 0 depends on it."""
    held = set(symbols([*robot.gravity, *robot.base.Z]))
    return [robot.graph.symbol(name) for name in ORIENTATION if name in held]


def _wrenches(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    return [getattr(link, name) for link in _links(robot) for name in WRENCH]


_PLACE, _RATE, _CHANGE, _EFFORT = "rad, m", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N"
_ORIENTED = "orientation of frame 0 in the world: quaternion w, x, y, z"
_FALLING = "acceleration of gravity, in frame 0 (in the world where the orientation of the base is an input)"
_PUSHING = "forces, then moments of links on the environment, at the origin of the link's frame and in it"
#: In the order in which they lay claim to a symbol that stands in several places: geometry and inertia come before
#: gravity and wrenches, so that a weight written `M7*g` leaves M7 a parameter.
GROUPS: Mapping[str, InputGroup] = {
    group.name: group
    for group in (
        InputGroup("q", True, "joint positions", _PLACE, _variables),
        InputGroup("qd", True, "joint velocities", _RATE, _motion("QP")),
        InputGroup("qdd", True, "joint accelerations", _CHANGE, _motion("QDP")),
        InputGroup("tau", True, "joint torques and forces", _EFFORT, _motion("GAM")),
        InputGroup("q_cut", True, "positions of the cut joints", _PLACE, _cut_variables),
        InputGroup("base_velocity", True, "velocity of the base", _RATE, _base("W0", "V0")),
        InputGroup("base_acceleration", True, "acceleration of the base", _CHANGE, _base("WP0", "VP0")),
        InputGroup("base_orientation", True, _ORIENTED, "1", _orientation),
        InputGroup("parameters", False, "parameters of the robot", "SI", _parameters),
        InputGroup("gravity", False, _FALLING, "m/s^2", lambda robot, _: robot.gravity),
        InputGroup("wrench", True, _PUSHING, "N, N m", _wrenches),
        InputGroup("pose", True, "pose of the platform in frame 0: R row by row, then P", "1, m"),
        InputGroup("T", True, "desired pose: a 4x4 matrix, row by row", "1, m"),
        InputGroup("current", True, "currents of the motors", "A"),
        InputGroup("motor_torque", True, "torques of the motors", "N m"),
        InputGroup("twist", True, "velocity of a frame: linear, then angular", "m/s, rad/s"),
        InputGroup("acceleration", True, "acceleration of a frame: linear, then angular", "m/s^2, rad/s^2"),
        InputGroup("weights", True, "what each output counts in the sum that is differentiated", "1"),
        InputGroup("q_desired", True, "desired joint positions", _PLACE),
        InputGroup("qd_desired", True, "desired joint velocities", _RATE),
        InputGroup("qdd_desired", True, "desired joint accelerations", _CHANGE),
        InputGroup("twist_desired", True, "desired velocity of a frame: linear, then angular", "m/s, rad/s"),
        InputGroup("acceleration_desired", True, "desired acceleration: linear, then angular", "m/s^2, rad/s^2"),
        InputGroup("disturbance", True, "efforts on the joints beside those of the motors", _EFFORT),
        InputGroup("estimate", True, "what a controller holds the parameters to be", "SI"),
        InputGroup("momentum", True, "generalized momentum that an observer expects", "N m s, N s"),
        InputGroup("base_pose", True, "pose of the base in the world: position, then quaternion", "m, 1"),
        InputGroup("sliding", True, "direction in which each joint slides, 0 where friction holds it", "1"),
        InputGroup("varied", True, "parameters that differ from one trajectory to the next", "SI"),
        InputGroup("gradient", True, "what is to be increased beside the task, by each joint", "1"),
    )
}


def is_online(group: str) -> bool:
    """Whether the values of a group change from one evaluation to the next; a group of one's own is set once."""
    return group in GROUPS and GROUPS[group].online


def meaning(group: str) -> str:
    """What stands behind the name of a group of inputs above emitted code, with units."""
    return f"{GROUPS[group].meaning} ({GROUPS[group].unit})" if group in GROUPS else ""


def declare(graph: Graph, inputs: Mapping[str, Iterable[str]]) -> None:
    """The symbols of a model's inputs, on line or off line as their groups are."""
    for group, names in inputs.items():
        online = is_online(group)
        for name in names:
            graph.symbol(name, online)


def input_groups(
    robot: Robot, wanted: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None
) -> dict[str, tuple[str, ...]]:
    """The symbols of the robot by group, each in the first group that holds it; groups not wanted are left out.

    `joints` says which joints the groups qd, qdd and tau hold, where it is not all of the tree.
    """
    turned = {value.value for value in _orientation(robot, ())}
    if "gravity" in wanted and "base_orientation" not in wanted and not turned.isdisjoint(symbols(robot.gravity)):
        place = list(wanted).index("gravity")
        wanted = (*wanted[:place], "base_orientation", *wanted[place:])
    claimed = turned if "base_orientation" not in wanted else set()  # else they would be parameters
    groups: dict[str, tuple[str, ...]] = {}
    for group in GROUPS.values():
        if group.name in wanted and group.holder is not None:
            values = group.holder(robot, (joints or {}).get(group.name, robot.tree_joints))
            names = dict.fromkeys(name for value in values if value.level for name in symbols([value]))
            groups[group.name] = tuple(name for name in names if name not in claimed)
            claimed.update(names)
    return {group: groups[group] for group in wanted if groups[group]}
