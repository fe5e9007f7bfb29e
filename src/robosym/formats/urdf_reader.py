"""Reader of URDF, with loops given by common extensions.

`<loop_joint>` with `<link1>` and `<link2>` is used by Isaac Sim and early Drake, `<loop>` with `<predecessor>` and
`<successor>` by URDF+. Each gives a frame on two links. Either the frames coincide ("fixed"), or their origins
("spherical"), or their origins and an axis ("revolute"; the axis is given in the first frame and is the same line in
the second).
"""

from __future__ import annotations

from collections.abc import Callable

from robosym.formats.coverage import UnreadParts, cover
from robosym.formats.kinematic_tree import KinematicTree, TreeJoint, TreeLink
from robosym.formats.placements import central_inertia, direction, exact_angle, roll_pitch_yaw, shifted
from robosym.formats.xacro_files import uses_xacro
from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.spatial import Transform
from robosym.spatial.inertia import RigidInertia

__all__ = ["URDF", "add_loop", "urdf_tree"]

#: by path from the root
URDF = {
    "robot": cover(
        "@name link joint loop_joint loop", "@version material transmission gazebo sensor group group_state "
        "disable_collisions end_effector virtual_joint passive_joint ros2_control",
    ),
    "robot/link": cover(
        "@name inertial", "@type visual collision contact self_collision_checking collision_checking self_filter "
        "surface sensor", gravity="true", kinematic="false",
    ),
    "robot/link/inertial": cover("origin mass inertia"),
    "robot/link/inertial/origin": cover("@xyz @rpy"),
    "robot/link/inertial/mass": cover("@value"),
    "robot/link/inertial/inertia": cover("@ixx @ixy @ixz @iyy @iyz @izz"),
    "robot/joint": cover(
        "@name @type origin parent child axis limit dynamics mimic",
        "@dont_collapse calibration safety_controller hardwareInterface",
    ),
    "robot/joint/origin": cover("@xyz @rpy"),
    "robot/joint/parent": cover("@link"),
    "robot/joint/child": cover("@link"),
    "robot/joint/axis": cover("@xyz"),
    "robot/joint/limit": cover("@lower @upper @effort @velocity"),
    "robot/joint/dynamics": cover(
        "@damping @friction", "@spring_reference", at_spring_stiffness="0", at_stiffness="0", at_armature="0",
        at_rotor_inertia="0",
    ),
    "robot/joint/mimic": cover("@joint @multiplier @offset"),
    "robot/loop_joint": cover("@name @type link1 link2 axis"),
    "robot/loop_joint/link1": cover("@link @xyz @rpy"),
    "robot/loop_joint/link2": cover("@link @xyz @rpy"),
    "robot/loop_joint/axis": cover("@xyz"),
    "robot/loop": cover("@name @type predecessor successor axis"),
    **{
        f"robot/loop/{end}{part}": table
        for end in ("predecessor", "successor")
        for part, table in (("", cover("@link origin")), ("/origin", cover("@xyz @rpy")))
    },
    "robot/loop/axis": cover("@xyz"),
    # an extension with arbitrary content: list the parts that change the dynamics
    "gazebo": cover(
        "", "*", springStiffness="0", gravity="true", turnGravityOff="false", dampingFactor="0", kinematic="false",
        static="false",
    ),
}  # fmt: skip


_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def urdf_tree(root: Element, name: str | None) -> KinematicTree:
    """Return links and joints of the root element of a URDF."""
    if uses_xacro(root):
        root.fail(
            "unexpanded xacro macros: load the file with the extension .xacro, or expand it with "
            "`xacro robot.xacro > robot.urdf`"
        )
    tree = KinematicTree(root.get("name") or name or "robot", root, source="URDF")
    for element in root.all("link"):
        tree.add_link(TreeLink(element.need("name"), element, _inertia(element)))
    if not tree.links:
        made = any(value.endswith("xacro") for value in root.attributes.values())
        hint = ": the xacro file only defines macros, load the file that uses them" if made else ""
        root.fail(f"expected at least one <link>, found none{hint}")
    for element in root.all("joint"):
        _add_joint(tree, element)
    for element in root.all("loop_joint", "loop"):
        add_loop(tree, element, _pose)
    if tree.closures:  # joints with a transmission are actuated; if there are none, an independent set is
        driven = {joint.get("name") for one in root.all("transmission") for joint in one.all("joint")}
        for joint in tree.joints:
            joint.active = joint.name in driven
    unread = UnreadParts(URDF)
    unread.walk(root, "robot")
    for block in root.all("gazebo"):
        unread.look(block, "gazebo")
    unread.warn()
    return tree


def _pose(element: Element | None, angle: Callable[[float], float] = float) -> Transform:
    """Return the pose of an <origin>; `angle` is applied to its angles."""
    if element is None:
        return Transform.identity()
    position, angles = (element.numbers(key, 3, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
    return shifted(roll_pitch_yaw([angle(one) for one in angles]), position)


def _inertia(link: Element) -> RigidInertia:
    given = link.first("inertial")
    if given is None:
        return RigidInertia()
    if given.first("mass") is None:
        given.remark(f"{link}: <inertial> has no <mass>: the link is read without inertia")
        return RigidInertia()
    mass = given.required("mass").number("value")
    tensor = given.first("inertia")
    six = (0.0,) * 6 if tensor is None else tuple(tensor.number(key, 0.0) for key in _SIX)
    return central_inertia(mass, _pose(given.first("origin")), six)


def _add_joint(tree: KinematicTree, element: Element) -> None:
    kind = element.need("type")
    if kind not in _KINDS:
        element.fail(f"type: expected {', '.join(_KINDS)}, found {kind}")
    dynamics, limit, given = (element.first(tag) for tag in ("dynamics", "limit", "axis"))
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)
    if given is not None and kind != "fixed":
        axis = given.numbers("xyz", 3, axis)
    joint = TreeJoint(
        name=element.need("name"),
        kind={"continuous": "revolute"}.get(kind, kind),
        parent=element.required("parent").need("link"),
        child=element.required("child").need("link"),
        at=element,
        origin=_pose(element.first("origin")),
        exact=_pose(element.first("origin"), exact_angle),
        axis=direction(element, axis, "axis"),
    )
    if dynamics is not None:
        joint.damping, joint.friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
    if limit is not None and kind in ("revolute", "continuous", "prismatic"):
        joint.limits = _limits(limit, kind)
    mimic = element.first("mimic")
    if mimic is not None and kind in ("revolute", "continuous", "prismatic"):
        joint.follows = Follow(mimic.need("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    if kind == "planar":
        tree.add_planar(joint)
    else:
        tree.joints.append(joint)


def _limits(limit: Element, kind: str) -> Limits:
    lower = upper = None
    if kind != "continuous":
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lower > upper:
            limit.remark("lower is larger than upper: these limits are ignored")
            lower = upper = None
    velocity, effort = (limit.number(key) if key in limit.attributes else None for key in ("velocity", "effort"))
    return Limits(lower, upper, velocity, None, effort)


_ENDS = {"loop_joint": ("link1", "link2"), "loop": ("predecessor", "successor")}
_CLOSING = ("fixed", "spherical", "ball", "revolute", "continuous")


def add_loop(tree: KinematicTree, element: Element, pose: Callable[[Element | None], Transform]) -> None:
    """Add the closure of a loop element as frames on two links."""
    kind, name = element.need("type"), element.need("name")
    if kind not in _CLOSING:
        element.fail(f"type: expected {', '.join(_CLOSING)} for a joint that closes a loop, found {kind}")
    ends = []
    for tag in _ENDS[element.tag]:
        end = element.required(tag)
        link = end.need("link")
        if link not in tree.links:
            end.fail(f"link: unknown link {link!r}")
        ends.append((link, pose(end if element.tag == "loop_joint" else end.first("origin"))))
    for child in element.children:
        if child.tag not in (*_ENDS[element.tag], "axis"):
            child.fail(f"expected {', '.join(_ENDS[element.tag])} and axis in <{element.tag}>")
    along = None
    if kind in ("revolute", "continuous"):
        along = direction(element, element.required("axis").numbers("xyz", 3), "axis")
    links, places = zip(*ends, strict=True)
    tree.close(element, name, "weld" if kind == "fixed" else "connect", links, places, along)
