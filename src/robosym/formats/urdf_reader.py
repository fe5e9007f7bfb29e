"""URDF to a robot."""

from __future__ import annotations

from collections.abc import Callable

from robosym.formats.coverage import Unread
from robosym.formats.kinematic_tree import KinematicTree, TreeJoint, TreeLink, remark
from robosym.formats.placements import central_inertia, direction, recognised, roll_pitch_yaw, shifted
from robosym.formats.urdf_coverage import URDF
from robosym.formats.urdf_loops import add_loop
from robosym.formats.xacro_files import uses_xacro
from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.spatial import Transform
from robosym.spatial.inertia import RigidInertia

__all__ = ["urdf_tree"]

_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def urdf_tree(root: Element, name: str | None) -> KinematicTree:
    """Links and joints of a URDF's root element."""
    if uses_xacro(root):
        root.fail(
            "it holds macros of xacro: load it as a file with the extension .xacro, or expand it with "
            "`xacro robot.xacro > robot.urdf`"
        )
    tree = KinematicTree(root.get("name") or name or "robot", root, source="URDF")
    for element in root.all("link"):
        tree.add_link(TreeLink(element.need("name"), element, _inertia(element)))
    if not tree.links:
        made = any(value.endswith("xacro") for value in root.attributes.values())
        hint = ": its xacro file defines macros alone, expand the file that uses them" if made else ""
        root.fail(f"expected at least one <link>, found none{hint}")
    for element in root.all("joint"):
        _add_joint(tree, element)
    for element in root.all("loop_joint", "loop"):
        add_loop(tree, element, _pose)
    if tree.closures:  # motors are joints with a transmission; without any, those that decide the others
        driven = {joint.get("name") for one in root.all("transmission") for joint in one.all("joint")}
        for joint in tree.joints:
            joint.active = joint.name in driven
    unread = Unread("URDF", URDF)
    unread.walk(root, "robot")
    for block in root.all("gazebo"):
        unread.look(block, "gazebo")
    unread.tell()
    return tree


def _pose(element: Element | None, angle: Callable[[float], float] = float) -> Transform:
    """The pose of an <origin>, its angles through a function."""
    if element is None:
        return Transform.identity()
    position, angles = (element.numbers(key, 3, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
    return shifted(roll_pitch_yaw([angle(one) for one in angles]), position)


def _inertia(link: Element) -> RigidInertia:
    given = link.first("inertial")
    if given is None:
        return RigidInertia(*(0.0,) * 10)
    if given.first("mass") is None:
        remark(
            f"{given.file or 'URDF'}:{given.line}: {link}: <inertial> has no <mass>: the link is read without inertia"
        )
        return RigidInertia(*(0.0,) * 10)
    mass = given.the("mass").number("value")
    tensor = given.first("inertia")
    six = (0.0,) * 6 if tensor is None else tuple(tensor.number(key, 0.0) for key in _SIX)
    return central_inertia(mass, _pose(given.first("origin")), six)


def _add_joint(tree: KinematicTree, element: Element) -> None:
    kind = element.need("type")
    if kind not in _KINDS:
        element.fail(f"type: expected {', '.join(_KINDS)}, found {kind}")
    dynamics, limit, axis = element.first("dynamics"), element.first("limit"), (1.0, 0.0, 0.0)
    given = element.first("axis")
    if given is not None and kind != "fixed":
        axis = given.numbers("xyz", 3, axis)  # type: ignore[assignment]
    joint = TreeJoint(
        name=element.need("name"),
        kind={"continuous": "revolute"}.get(kind, kind),
        parent=element.the("parent").need("link"),
        child=element.the("child").need("link"),
        at=element,
        origin=_pose(element.first("origin")),
        meant=_pose(element.first("origin"), recognised),
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
            remark(f"{limit.file or 'URDF'}:{limit.line}: lower is above upper: the joint is read without these limits")
            lower = upper = None
    velocity, effort = (limit.number(key) if key in limit.attributes else None for key in ("velocity", "effort"))
    return Limits(lower, upper, velocity, None, effort)
