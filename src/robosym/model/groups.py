"""The groups of inputs: one table of names, meanings, units, and the entries of a robot that belong to each group.

Only this table defines whether a group is online, that is, whether its values change from one evaluation to the next.
The symbols of the graph are declared accordingly, and languages and machine code look it up here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Graph, symbols
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, WRENCH, Link, Robot
from robosym.mechanism.edit import ORIENTATION

__all__ = [
    "GROUPS", "SEED", "WEIGHT", "InputGroup", "declare", "input_groups", "is_online", "meaning", "with_parameters",
]  # fmt: skip

#: A function that returns the entries of a description in a group, for the given joints.
Holder = Callable[[Robot, Sequence[int]], Iterable[Expr]]


@dataclass(frozen=True)
class InputGroup:
    """A group of inputs."""

    name: str
    online: bool
    meaning: str  #: description for the header of generated code
    unit: str
    holder: Holder | None = None  #: None if the algorithm that uses the group names the inputs


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


def _of_link(link: Link, number: int) -> Iterator[Expr]:
    """Yield the entries of a link: its own symbols (XX6 .. M6, IA6), then those of a payload.

    The entries of a payload are its mass, its center of mass and its inertia, in this order.
    """
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
        *(value for j, link in enumerate(robot.all_links, first) for value in _of_link(link, j)),
        *(value for joint in robot.joints for value in (joint.k, joint.rest) if value is not None),
        *(value for joint in robot.joints for _, value in joint.friction.values),
        *(value for contact in robot.contacts for value in (*contact.at, contact.radius, contact.angle)),
        *robot.base.Z,
    ]


def _orientation(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    """Return the symbols of the base orientation that gravity or the pose of frame 0 depends on."""
    used = set(symbols([*robot.gravity, *robot.base.Z]))
    return [robot.graph.symbol(name) for name in ORIENTATION if name in used]


def _wrenches(robot: Robot, joints: Sequence[int]) -> list[Expr]:
    return [getattr(link, name) for link in robot.all_links for name in WRENCH]


_PLACE, _RATE, _CHANGE, _EFFORT = "rad, m", "rad/s, m/s", "rad/s^2, m/s^2", "N m, N"
_ORIENTED = "orientation of frame 0 in the world: quaternion w, x, y, z"
_FALLING = "acceleration of gravity, in frame 0 (in the world where the orientation of the base is an input)"
_PUSHING = "forces, then moments of links on the environment, at the origin of the link's frame and in it"
#: A symbol that appears in several groups belongs to the first one: geometry and inertia precede gravity and wrenches,
#: so that M7 remains a parameter if a weight is written `M7*g`.
GROUPS: Mapping[str, InputGroup] = {
    group.name: group
    for group in (
        InputGroup("q", True, "joint positions", _PLACE, _variables),
        InputGroup("qd", True, "joint velocities", _RATE, _motion("QP")),
        InputGroup("qdd", True, "joint accelerations", _CHANGE, _motion("QDP")),
        InputGroup("x", True, "state: positions, then velocities", "SI"),
        InputGroup("tau", True, "joint torques and forces", _EFFORT, _motion("GAM")),
        InputGroup("q_cut", True, "positions of the cut joints", _PLACE, _cut_variables),
        InputGroup("base_velocity", True, "velocity of the base", _RATE, _base("W0", "V0")),
        InputGroup("base_acceleration", True, "acceleration of the base", _CHANGE, _base("WP0", "VP0")),
        InputGroup("base_orientation", True, _ORIENTED, "1", _orientation),
        InputGroup("time", True, "time since the start of the motion", "s"),
        InputGroup("start", True, "joint positions at the start", _PLACE),
        InputGroup("goal", True, "joint positions at the end", _PLACE),
        InputGroup("duration", True, "duration of the motion", "s"),
        InputGroup("limits", True, "limits of the joints", "SI"),
        InputGroup("parameters", False, "parameters of the robot", "SI", _parameters),
        InputGroup("gravity", False, _FALLING, "m/s^2", lambda robot, _: robot.gravity),
        InputGroup("wrench", True, _PUSHING, "N, N m", _wrenches),
        InputGroup("pose", True, "pose of the platform in frame 0: R row by row, then P", "1, m"),
        InputGroup("T", True, "desired pose: a 4x4 matrix, row by row", "1, m"),
        InputGroup("current", True, "currents of the motors", "A"),
        InputGroup("motor_torque", True, "torques of the motors", "N m"),
        InputGroup("twist", True, "velocity of a frame: linear, then angular", "m/s, rad/s"),
        InputGroup("acceleration", True, "acceleration of a frame: linear, then angular", "m/s^2, rad/s^2"),
        InputGroup("weights", True, "weight of each output in the sum that is differentiated", "1"),
        InputGroup("q_desired", True, "desired joint positions", _PLACE),
        InputGroup("qd_desired", True, "desired joint velocities", _RATE),
        InputGroup("qdd_desired", True, "desired joint accelerations", _CHANGE),
        InputGroup("twist_desired", True, "desired velocity of a frame: linear, then angular", "m/s, rad/s"),
        InputGroup("acceleration_desired", True, "desired acceleration: linear, then angular", "m/s^2, rad/s^2"),
        InputGroup("disturbance", True, "external joint torques and forces", _EFFORT),
        InputGroup("estimate", True, "parameters estimated by an adaptive controller", "SI"),
        InputGroup("momentum", True, "generalized momentum estimated by an observer", "N m s, N s"),
        InputGroup(
            "centroidal_momentum", True, "momentum: angular about the center of mass, then linear", "N m s, N s"
        ),
        InputGroup("base_pose", True, "pose of the base in the world: position, then quaternion", "m, 1"),
        InputGroup("base_height", True, "height of the origin of frame 0 above any level, against gravity", "m"),
        InputGroup("sliding", True, "sliding direction of each joint, 0 for a joint that sticks", "1"),
        InputGroup("bristles", True, "deflection of the bristles of LuGre friction in each joint", _PLACE),
        InputGroup("varied", True, "parameters that differ from one trajectory to the next", "SI"),
        InputGroup("gradient", True, "gradient of the secondary objective with respect to the joints", "1"),
    )
}


SEED, WEIGHT = "seed_", "weight_"  #: prefixes of the groups of directional derivatives; see `tangents`


def is_online(group: str) -> bool:
    """Return whether the values of a group change between evaluations.

    Groups that are neither in the table nor directions of a derivative do not.
    """
    return GROUPS[group].online if group in GROUPS else group.startswith((SEED, WEIGHT))


def meaning(group: str) -> str:
    """Return the meaning of a group of inputs with its unit, or "" for a group that is not in the table."""
    return f"{GROUPS[group].meaning} ({GROUPS[group].unit})" if group in GROUPS else ""


def with_parameters(inputs: Mapping[str, tuple[str, ...]], values: Iterable[Expr]) -> dict[str, tuple[str, ...]]:
    """Return the groups of inputs with the symbols of values that no group has, as parameters."""
    known = {name for names in inputs.values() for name in names}
    new = tuple(name for name in symbols(values) if name not in known)
    return {**inputs, "parameters": (*inputs.get("parameters", ()), *new)} if new else dict(inputs)


def declare(graph: Graph, inputs: Mapping[str, Iterable[str]]) -> None:
    """Declare the symbols of a model's inputs, online or offline according to their groups."""
    for group, names in inputs.items():
        online = is_online(group)
        for name in names:
            graph.symbol(name, online)


def input_groups(
    robot: Robot, wanted: Sequence[str], joints: Mapping[str, Sequence[int]] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the symbols of the robot in the wanted groups; a symbol is in the first group that contains it.

    `joints` selects the joints of the groups qd, qdd and tau; by default these are all joints of the tree.
    """
    turned = {value.value for value in _orientation(robot, ())}
    if "gravity" in wanted and "base_orientation" not in wanted and not turned.isdisjoint(symbols(robot.gravity)):
        place = list(wanted).index("gravity")
        wanted = (*wanted[:place], "base_orientation", *wanted[place:])
    claimed = turned if "base_orientation" not in wanted else set()  # otherwise they would become parameters
    groups: dict[str, tuple[str, ...]] = {}
    for group in GROUPS.values():
        if group.name in wanted and group.holder is not None:
            values = group.holder(robot, (joints or {}).get(group.name, robot.tree_joints))
            names = dict.fromkeys(name for value in values if value.level for name in symbols([value]))
            groups[group.name] = tuple(name for name in names if name not in claimed)
            claimed.update(names)
    return {group: groups[group] for group in wanted if groups[group]}
