"""Reader of SDF: one model with links and joints; poses relative to any frame of the model.

As in URDF, the base is fixed: it is the world if a joint attaches a link to it, else the first root link.
"""

from __future__ import annotations

import math

from robosym.formats.coverage import UnreadParts, cover
from robosym.formats.kinematic_tree import AXES, KinematicTree, TreeJoint, TreeLink
from robosym.formats.placements import central_inertia, direction, exact_angle, roll_pitch_yaw, shifted
from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.spatial.vectors import rotation_of

__all__ = ["SDF", "sdf_tree"]

_AXIS = cover("xyz limit dynamics mimic use_parent_model_frame", "initial_position")
_LIMIT = cover("lower upper effort velocity", "stiffness dissipation")
_DYNAMICS = cover("damping friction", "spring_reference", spring_stiffness="0")
_XYZ = cover("@expressed_in")
_MIMIC = cover("@joint @axis multiplier offset reference")
_POSE = cover("@relative_to @degrees @rotation_format", "@frame")

#: by path from the model, or from the file or world that contains it
SDF = {
    "sdf": cover("model world", "@version light actor"),
    "world": cover(
        "model gravity",
        "@name actor atmosphere audio frame gui light magnetic_field physics plugin population road scene "
        "spherical_coordinates state wind",
    ),
    "model": cover(
        "@name link joint frame pose",
        "@canonical_link @namespace allow_auto_disable gripper plugin self_collide",
        at_placement_frame="", static="false", enable_wind="false",
    ),
    "model/pose": _POSE,
    "model/frame": cover("@name @attached_to pose"),
    "model/frame/pose": _POSE,
    "model/link": cover(
        "@name inertial pose",
        "audio_sink audio_source battery collision light particle_emitter projector self_collide sensor visual",
        gravity="true", enable_wind="false", kinematic="false", must_be_base_link="false", velocity_decay="0",
    ),
    "model/link/pose": _POSE,
    "model/link/inertial": cover(
        "mass pose inertia", "density auto_inertia_params", at_auto="false", fluid_added_mass="0"
    ),
    "model/link/inertial/pose": _POSE,
    "model/link/inertial/inertia": cover("ixx ixy ixz iyy iyz izz"),
    "model/joint": cover(
        "@name @type parent child axis axis2 pose",
        # of gearbox and screw joints, which are rejected
        "gearbox_ratio gearbox_reference_body physics screw_thread_pitch sensor thread_pitch",
    ),
    "model/joint/pose": _POSE,
    **{
        f"model/joint/{axis}{part}": table
        for axis in ("axis", "axis2")
        for part, table in (
            ("", _AXIS), ("/limit", _LIMIT), ("/dynamics", _DYNAMICS), ("/xyz", _XYZ), ("/mimic", _MIMIC)
        )
    },
}  # fmt: skip


_MODEL, _WORLD = "__model__", "world"
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_UNIT_INERTIA = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)  #: default of SDF
_KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal")
_GRAVITY = (0.0, 0.0, -9.8)


def sdf_tree(root: Element, name: str | None) -> KinematicTree:
    """Return links and joints of the root element of an SDF file."""
    holder = root.first("world") or root
    models = list(holder.all("model"))
    if len(models) != 1:
        root.fail(f"expected one <model>, found {len(models)}")
    unread = UnreadParts(SDF)
    unread.look(root, "sdf")
    if holder is not root:
        unread.look(holder, "world")
    unread.walk(models[0], "model")
    reader = _Reader(models[0], name)
    gravity = holder.first("gravity")
    down = Vec3(*(_GRAVITY if gravity is None else gravity.content(3)))
    seen: Vec3 = _pose(models[0].first("pose")).A.T @ down  # the model may be tilted in its world
    reader.tree.gravity = (float(seen.x), float(seen.y), float(seen.z))
    unread.warn()
    return reader.tree


class _Reader:
    def __init__(self, model: Element, name: str | None) -> None:
        for element in model.children:
            if element.tag in ("include", "model"):
                element.fail("nested models are not supported: expected links and joints of one model")
        self.model = model
        self.tree = KinematicTree(model.get("name") or name or "robot", model, source="SDF")
        self.placed: dict[str, Element] = {}
        for element in model.all("link", "joint", "frame"):
            if self.placed.setdefault(element.need("name"), element) is not element:
                element.fail("duplicate name of a link, joint or frame")
        self.known: dict[tuple[str, bool], Transform] = {}
        self.carriers: dict[str, str] = {}
        joints = list(model.all("joint"))
        if _WORLD not in self.placed and any(self.end(joint, "parent") == _WORLD for joint in joints):
            self.tree.add_link(TreeLink(_WORLD, model))
        for element in model.all("link"):
            self.tree.add_link(TreeLink(element.need("name"), element, self.inertia(element)))
        if not self.tree.links:
            model.fail("expected at least one <link>, found none")
        for element in joints:
            self.joint(element)
        if self.tree.closures:  # SDF does not mark motors: choose an independent set of joints
            for joint in self.tree.joints:
                joint.active = False
        for element in model.all("frame"):
            link = self.carrier(element)
            frame, place = element.need("name"), self.at(element.need("name"))
            self.tree.add_link(TreeLink(frame, element))
            origin = self.at(link).inverse() @ place
            self.tree.joints.append(TreeJoint(f"{frame} on {link}", "fixed", link, frame, element, origin))

    # ------------------------------------------------------------------- poses

    def at(self, name: str, exact: bool = False) -> Transform:
        """Return the pose of a link, joint or frame in the model; the world coincides with the model."""
        path: dict[str, Element] = {}  # elements whose pose depends on the next
        while name not in ("", _MODEL, _WORLD) and (name, exact) not in self.known:
            if name not in self.placed:
                self.model.fail(f"unknown link, joint or frame {name!r}")
            element = self.placed[name]
            if name in path:
                element.fail("relative_to: circular reference")
            path[name] = element
            pose = element.first("pose")
            name = "" if pose is None else pose.get("relative_to")
            name = name or self.attached(element)
        found = self.known.get((name, exact), Transform.identity())
        for name, element in reversed(path.items()):
            found = self.known[name, exact] = found @ _pose(element.first("pose"), exact)
        return found

    def attached(self, element: Element) -> str:
        """Return the frame to which a joint or frame is attached."""
        return self.end(element, "child") if element.tag == "joint" else element.get("attached_to")

    def end(self, joint: Element, key: str) -> str:
        return joint.required(key).text.strip()

    def carrier(self, frame: Element) -> str:
        """Return the link that a frame is attached to."""
        at, path = frame.need("name"), set[str]()
        while at in self.placed and self.placed[at].tag != "link" and at not in self.carriers:
            if at in path:
                frame.fail("attached_to: circular reference")
            path.add(at)
            at = self.attached(self.placed[at])
        link = self.carriers.get(at) or (at if at in self.placed else next(iter(self.tree.links)))
        self.carriers |= dict.fromkeys(path, link)
        return link

    # -------------------------------------------------------------------- parts

    def inertia(self, link: Element) -> RigidInertia:
        given = link.first("inertial")
        if given is None:
            return central_inertia(1.0, Transform.identity(), _UNIT_INERTIA)
        mass, tensor = given.first("mass"), given.first("inertia")
        six: tuple[float, ...] = _UNIT_INERTIA
        if tensor is not None:
            pairs = zip(map(tensor.first, _SIX), _UNIT_INERTIA, strict=True)
            six = tuple(default if one is None else one.content(1)[0] for one, default in pairs)
        return central_inertia(1.0 if mass is None else mass.content(1)[0], _pose(given.first("pose")), six)

    def joint(self, element: Element) -> None:
        kind = element.need("type")
        if kind not in _KINDS:
            element.fail(f"type: expected {', '.join(_KINDS)}, found {kind}")
        name, parent, child = element.need("name"), self.end(element, "parent"), self.end(element, "child")
        for what, link in (("parent", parent), ("child", child)):
            if link not in self.tree.links:
                element.fail(f"{what}: unknown link {link!r}")
        if any(joint.child == child for joint in self.tree.joints):
            self.loop(element, name, kind, parent, child)
            return
        origin, ideal = (self.at(parent, exact).inverse() @ self.at(child, exact) for exact in (False, True))
        joint = TreeJoint(name, "fixed", parent, child, element, origin, ideal)
        own = self.at(child, True).inverse() @ self.at(name, True)
        joint.point = own.P
        if kind == "fixed":
            self.tree.joints.append(joint)
        elif kind == "ball":
            self.tree.add_series(joint, [(f"_{letter}", "revolute", own.A @ axis) for letter, axis in AXES.items()])
        elif kind == "universal":
            both = [element.required(tag) for tag in ("axis", "axis2")]
            first, second = (self.axis(axis, name, child) for axis in both)
            self.tree.add_series(joint, [("_1", "revolute", first), ("_2", "revolute", second)])
            for part, axis in zip(self.tree.joints[-2:], both, strict=True):
                self.drive(part, axis, kind)
        else:
            axis = element.required("axis")
            joint.kind = "prismatic" if kind == "prismatic" else "revolute"
            joint.axis = self.axis(axis, name, child)
            self.drive(joint, axis, kind)
            self.tree.joints.append(joint)

    def loop(self, element: Element, name: str, kind: str, parent: str, child: str) -> None:
        """Add a second joint of a link as a loop closure; SDF gives the pose of every link."""
        if kind not in ("fixed", "ball", "revolute", "continuous"):
            message = f"type: expected fixed, ball or revolute for the second joint of link {child!r}, found {kind}"
            element.fail(message)
        ends = [self.at(link, True).inverse() @ self.at(name, True) for link in (parent, child)]
        turns = kind in ("revolute", "continuous")
        along = self.axis(element.required("axis"), name, name) if turns else None
        self.tree.close(element, name, "weld" if kind == "fixed" else "connect", (parent, child), ends, along)
        dynamics = element.required("axis").all("dynamics") if turns else ()
        if any(_entry(part, key) for part in dynamics for key in ("damping", "friction")):
            element.remark(f"{name} closes a loop: its damping and friction are ignored")

    def drive(self, joint: TreeJoint, axis: Element, kind: str) -> None:
        """Set limits, friction and leader of a joint from its axis."""
        joint.limits = _limits(axis, kind)
        dynamics, mimic = axis.first("dynamics"), axis.first("mimic")
        if dynamics is not None:
            joint.damping, joint.friction = (_entry(dynamics, key) or 0.0 for key in ("damping", "friction"))
        if mimic is not None:
            leader = mimic.need("joint")
            if any(one.need("name") == leader and one.get("type") == "universal" for one in self.model.all("joint")):
                leader += "_2" if mimic.get("axis") == "axis2" else "_1"
            ratio, offset, reference = (_entry(mimic, key) for key in ("multiplier", "offset", "reference"))
            ratio = 1.0 if ratio is None else ratio
            joint.follows = Follow(leader, ratio, (offset or 0.0) - ratio * (reference or 0.0))

    def axis(self, axis: Element, joint: str, child: str) -> Vec3:
        """Return the direction of an axis in the frame of the child, or another."""
        xyz = axis.required("xyz")
        along = direction(xyz, xyz.content(3))
        given_in = xyz.get("expressed_in")
        old = axis.first("use_parent_model_frame")
        frame = given_in or (_MODEL if old is not None and old.text.strip() in ("1", "true") else joint)
        turned: Vec3 = (self.at(child, True).inverse() @ self.at(frame, True)).A @ along
        return turned


def _pose(element: Element | None, exact: bool = False) -> Transform:
    """Return position and orientation; `exact` replaces angles such as 1.5707963 by multiples of Pi."""
    if element is None or not element.text.strip():
        return Transform.identity()
    if element.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = element.content(7)
        if not any((qx, qy, qz, qw)):
            element.fail("expected a direction, found zeros")
        return shifted(rotation_of((qw, qx, qy, qz)), (x, y, z))
    six = element.content(6)
    angles = [math.radians(angle) if element.get("degrees") == "true" else angle for angle in six[3:]]
    return shifted(roll_pitch_yaw([exact_angle(angle) for angle in angles] if exact else angles), six[:3])


def _entry(element: Element, key: str) -> float | None:
    """Return the number in a child element; None for 1e16 and inf, which SDF writes for unbounded values."""
    found = element.first(key)
    text = "" if found is None else found.text.strip().lower().lstrip("+-")
    if found is None or text in ("", "inf", "infinity"):
        return None
    value = found.content(1)[0]
    return None if abs(value) >= 1e16 else value


def _limits(axis: Element, kind: str) -> Limits:
    limit = axis.first("limit")
    if limit is None:
        return Limits()
    lower, upper, velocity, effort = (_entry(limit, key) for key in ("lower", "upper", "velocity", "effort"))
    if kind == "continuous" or (lower is not None and upper is not None and lower > upper):
        lower = upper = None
    positive = (None if bound is None or bound < 0 else bound for bound in (velocity, effort))
    velocity, effort = positive
    return Limits(lower, upper, velocity, None, effort)
