"""Reader of MJCF: bodies, joints, sites; `equality` as loops and couplings; inertia of shapes if none is given."""

from __future__ import annotations

import math
from collections.abc import Callable

from robosym.formats.coverage import UnreadParts, cover
from robosym.formats.kinematic_tree import AXES, Closure, KinematicTree, TreeJoint, TreeLink
from robosym.formats.mjcf_settings import SHAPES, Settings, in_order, rotation_to, solid, with_included
from robosym.formats.placements import central_inertia, direction, shifted
from robosym.formats.xml_source import Element
from robosym.mechanism import Follow, Limits
from robosym.spatial import Transform, Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.spatial.vectors import rotation_of

__all__ = ["MJCF", "mjcf_tree"]

_PLACE = "@pos @quat @axisangle @euler @xyaxes @zaxis"
#: motor forces are inputs of the models; actuator dynamics are not represented
_MOTOR = (
    "@name @class @group @user @joint @jointinparent @tendon @site @body @refsite @slidersite @cranksite @cranklength "
    "@ctrllimited @ctrlrange @forcelimited @forcerange @actlimited @actrange @lengthrange @gear @dyntype @gaintype "
    "@biastype @dynprm @gainprm @biasprm @actdim @actearly @inheritrange @kp @kv @dampratio @timeconst @area @bias "
    "@diameter @force @fpmax @fvmax @lmax @lmin @range @scale @tausmooth @vmax @gain @delay @interp @nsample @input "
    "@ffrange @velrange @posrange @imax @ki @slewmax @controller @cogging @inductance @lugre @motorconst @nominal "
    "@resistance @saturation @thermal"
)

#: by element; attributes of `default` are checked where a class is used
MJCF = {
    "mujoco": cover(
        "@model compiler option default worldbody equality actuator tendon",
        "size statistic visual asset contact sensor keyframe custom extension",  # plugins are reported where used
    ),
    "compiler": cover(
        "@angle @autolimits @balanceinertia @boundinertia @boundmass @coordinate @eulerseq @inertiafromgeom "
        "@inertiagrouprange @settotalmass",
        "@assetdir @conflict @convexhull @discardvisual @exactmeshinertia @fitaabb @fusestatic @meshdir @passthrough "
        "@savecanonical @savecompiled @saveinertial @strippath @texturedir @usethread lengthrange",
        at_alignfree="false",
    ),
    "option": cover(
        "@gravity flag",
        "@actuatorgroupdisable @apirate @ccd_iterations @ccd_tolerance @collision @cone @impratio @integrator "
        "@iterations @jacobian @ls_iterations @ls_tolerance @magnetic @mpr_iterations @mpr_tolerance "
        "@noslip_iterations @noslip_tolerance @o_friction @o_margin @o_solimp @o_solref "
        "@sdf_initpoints @sdf_iterations @sleep_tolerance @solver @timestep @tolerance @wind",
        at_density="0", at_viscosity="0",
    ),
    "flag": cover(
        "@gravity @damper @spring @frictionloss @equality @constraint @limit @passive",
        "@actuation @autoreset @clampctrl @contact @diagexact @energy @eulerdamp @filterparent @fwdinv @invdiscrete "
        "@ipc @island @midphase @multiccd @nativeccd @override @refsafe @sensor @sleep @speculative @warmstart",
    ),
    "body": cover(
        f"@name @childclass @mocap @gravcomp {_PLACE} body inertial joint freejoint geom site frame",
        "@fuse @simple @sleep @user camera light",
    ),
    "inertial": cover(f"@mass @diaginertia @fullinertia {_PLACE}"),
    "joint": cover(
        "@name @class @type @pos @axis @armature @damping @frictionloss @limited @range @ref @stiffness "
        "@actuatorfrcrange @actuatorfrclimited",
        "@group @user @margin @solimpfriction @solimplimit @solreffriction @solreflimit @springref @springyield "
        "@actuatorgravcomp",
        at_springdamper="0",
    ),
    "freejoint": cover("@name", "@group", at_align="false"),
    "geom": cover(
        f"@name @class @type @size @fromto @mass @density @group @mesh @shellinertia {_PLACE}",
        "@adhesion @castshadow @conaffinity @condim @contype @fitscale @fluidcoef @fluidshape @friction @gap @hfield "
        "@margin @material @priority @rgba @solimp @solmix @solref @surfacevel @user",
    ),
    "site": cover(f"@name @class @fromto {_PLACE}", "@group @material @mesh @rgba @size @type @user"),
    "equality": cover(
        "@name @class @active @body1 @body2 @site1 @site2 @anchor @relpose @joint1 @joint2 @polycoef",
        "@solimp @solref @torquescale",
    ),
    "actuator": cover("", _MOTOR, at_armature="0", at_damping="0"),
}  # fmt: skip


_WORLD = "world"
_DENSITY = 1000.0
_JOINTS = ("joint", "freejoint")
_MADE = ("replicate", "attach", "composite", "flexcomp")  #: elements from which MuJoCo generates bodies


def mjcf_tree(root: Element, name: str | None) -> KinematicTree:
    """Return bodies and joints of the root element of an MJCF file."""
    return _Reader(with_included(root), name).tree


class _Reader:
    def __init__(self, root: Element, name: str | None) -> None:
        self.root = root
        self.settings = Settings(root)
        self.tree = KinematicTree(root.get("model") or name or "robot", root, source="MJCF")
        self.sites: dict[str, tuple[str, Transform]] = {}
        self.mocap: set[str] = set()  #: bodies that are moved externally
        self.noted = UnreadParts(MJCF)
        self.driven = self.joints_with_motors()
        self.off = self.options()
        if "gravity" in self.off:
            self.tree.gravity = (0.0, 0.0, 0.0)
        for tendon in in_order(root, "tendon"):
            self.noted.leave_out(tendon, "tendons are ignored: their forces are not part of the models")
        self.tree.add_link(TreeLink(_WORLD, root))
        world = root.required("worldbody")
        waiting = self.inside(world, _WORLD, "")
        while waiting:
            body, parent, child_class, written, exact = waiting.pop()
            link = self.body(body, parent, child_class, written, exact)
            waiting += self.inside(body, link, body.get("childclass") or child_class)
        for name, (link, at) in self.sites.items():  # after the bodies, whose names take precedence
            self.site(name, link, at)
        if self.settings.total_mass > 0:
            self.set_total_mass(self.settings.total_mass)
        if not self.off & {"equality", "constraint"}:
            self.relations()
        self.noted.warn()

    def options(self) -> set[str]:
        """Read gravity, and return the disabled flags."""
        off: set[str] = set()
        self.noted.look(self.root, "mujoco")
        for compiler in self.root.all("compiler"):
            self.noted.look(compiler, "compiler")
        for option in self.root.all("option"):
            self.noted.look(option, "option")
            self.tree.gravity = option.numbers("gravity", 3, self.tree.gravity)
            for flag in option.all("flag"):
                self.noted.look(flag, "flag")
                off |= {key for key, text in flag.attributes.items() if text.strip() == "disable"}
        for actuator in in_order(self.root, "actuator"):
            self.noted.look(self.settings.given(actuator, ""), "actuator")
        return off

    def joints_with_motors(self) -> set[str]:
        """Return the joints moved by an actuator, directly or through a fixed tendon."""
        actuators = list(in_order(self.root, "actuator"))
        pulled = {element.get("tendon") for element in actuators}
        fixed = (tendon for tendon in in_order(self.root, "tendon") if tendon.tag == "fixed")
        through = {part.get("joint") for tendon in fixed if tendon.get("name") in pulled for part in tendon.children}
        return (through | {one.get("joint") or one.get("jointinparent") for one in actuators}) - {""}

    # ------------------------------------------------------------------ bodies

    def contents(self, element: Element, child_class: str) -> list[_Content]:
        """Return the contents of a body, also inside frames, with class and pose of their frame in the body."""
        found: list[_Content] = []
        start = Transform.identity()
        waiting: list[_Content] = [(child, child_class, start, start) for child in reversed(element.children)]
        while waiting:
            child, own, written, exact = waiting.pop()
            if child.tag in _MADE:
                child.fail("generated and attached bodies are not supported: write every body out")
            if child.tag == "frame":
                self.noted.look(child, "body")
                own = child.get("childclass") or own
                place = written @ self.settings.pose(child), exact @ self.settings.pose(child, exact=True)
                waiting += [(inner, own, *place) for inner in reversed(child.children)]
            else:
                found.append((child, own, written, exact))
        return found

    def inside(self, element: Element, link: str, child_class: str) -> list[_Body]:
        """Return the bodies in a body, last first, and add its sites as frames."""
        bodies: list[_Body] = []
        for child, own, written, exact in self.contents(element, child_class):
            if child.tag == "body":
                place = written @ self.settings.pose(child), exact @ self.settings.pose(child, exact=True)
                bodies.append((child, link, own, *place))
            elif child.tag == "site":
                site = self.settings.given(child, own)
                self.noted.look(site, "site")
                if site.get("name"):
                    self.sites[site.get("name")] = link, written @ self.placed(site)
        return bodies[::-1]

    def site(self, name: str, link: str, place: Transform) -> None:
        """Add a site as a link without inertia."""
        frame = self.free_name(name if name not in self.tree.links else f"{name}_site")
        at = self.tree.links[link].at
        self.tree.add_link(TreeLink(frame, at))
        self.tree.joints.append(TreeJoint(f"{frame} on {link}", "fixed", link, frame, at, place))

    def set_total_mass(self, wanted: float) -> None:
        """Scale masses and inertias to the total mass of the compiler settings."""
        links = self.tree.links.values()
        found = math.fsum(link.inertia.numbers()[-1] for link in links)
        for link in links if found else ():
            link.inertia = RigidInertia(*(entry * (wanted / found) for entry in link.inertia))

    def body(self, body: Element, parent: str, child_class: str, written: Transform, exact: Transform) -> str:
        """Add a body with its joints; return the name of its link."""
        own_class = body.get("childclass") or child_class
        inner = self.contents(body, own_class)
        name = body.get("name") or self.free_name(f"body{len(self.tree.links)}")
        self.tree.add_link(TreeLink(name, body, self.inertia(body, inner)))
        if body.get("mocap") == "true":
            self.mocap.add(name)
        self.noted.look(body, "body")
        if body.number("gravcomp", 0.0):
            self.noted.leave_out(body, "gravcomp is ignored: bodies have their weight")
        joints = [  # defaults apply to joints, not to a <freejoint>
            (one if one.tag == "freejoint" else self.settings.given(one, own), at)
            for one, own, at, _ in inner
            if one.tag in _JOINTS
        ]
        if not joints:
            fixed = TreeJoint(f"{name} on {parent}", "fixed", parent, name, body, written, exact)
            self.tree.joints.append(fixed)
        for n, (element, at) in enumerate(joints, 1):
            child = (
                name
                if n == len(joints)
                else self.tree.add_link(TreeLink(self.free_name(f"{name}_{n}"), body, named=False)).name
            )
            self.joint(element, at, n, parent, child, name, written, exact)
            parent, written, exact = child, Transform.identity(), Transform.identity()
        return name

    def free_name(self, name: str) -> str:
        while name in self.tree.links:
            name += "_"
        return name

    # ------------------------------------------------------------------ joints

    def joint(
        self, element: Element, at: Transform, n: int, parent: str, child: str, body: str,
        written: Transform, exact: Transform,
    ) -> None:  # fmt: skip
        kind = "free" if element.tag == "freejoint" else element.get("type") or "hinge"
        self.noted.look(element, element.tag)
        name = element.get("name") or f"{body}_joint{n if n > 1 else ''}"
        joint = TreeJoint(name, "floating", parent, child, element, written, exact)
        if kind in ("free", "ball") and any(_drive(element)):
            self.noted.leave_out(element, f"damping, frictionloss and armature of a {kind} joint are ignored")
        if kind == "free":
            self.tree.joints.append(joint)
            return
        if kind not in ("hinge", "slide", "ball"):
            element.fail(f"type: expected hinge, slide, ball or free, found {kind}")
        joint.kind = "prismatic" if kind == "slide" else "revolute"
        joint.axis = at.A @ direction(element, element.numbers("axis", 3, (0.0, 0.0, 1.0)), "axis")
        joint.point = at.A @ Vec3(*element.numbers("pos", 3, (0.0, 0.0, 0.0))) + at.P
        if kind != "ball":
            joint.damping, joint.friction, joint.armature = _drive(element)
            if self.off & {"damper", "passive"}:
                joint.damping = 0.0
            if self.off & {"frictionloss", "constraint"}:
                joint.friction = 0.0
            if len(element.get("damping").split()) > 1:
                self.noted.leave_out(element, "damping: only the linear coefficient is read")
        angle: Callable[[float], float] = self.settings.angle if kind != "slide" else float
        joint.reference = angle(element.number("ref", 0.0)) if kind != "ball" else 0.0
        joint.active = name in self.driven
        if not self.off & {"spring", "passive"} and any(element.parsed(element.get("stiffness", "0"), "stiffness")):
            self.noted.leave_out(element, "stiffness is ignored: torques of springs are not part of the models")
        joint.limits = self.limits(element, kind, angle)
        if kind == "ball":
            self.noted.leave_out(element, "a ball joint is read as three hinges about x, y and z: q has their angles")
            self.tree.add_series(joint, [(f"_{letter}", "revolute", axis) for letter, axis in AXES.items()])
        else:
            self.tree.joints.append(joint)

    def limits(self, element: Element, kind: str, angle: Callable[[float], float]) -> Limits:
        """Return position limits, and the effort limit if it is symmetric."""

        def bounds(key: str, flag: str) -> tuple[float, float] | None:
            limited = element.get(flag, "auto")
            on = limited == "true" or (limited == "auto" and self.settings.auto_limits)
            if key not in element.attributes or not on:
                return None
            lower, upper = element.numbers(key, 2)
            return (lower, upper) if lower <= upper else None

        position = None if self.off & {"limit", "constraint"} else bounds("range", "limited")
        lower, upper = (None, None) if position is None or kind == "ball" else map(angle, position)
        torque = bounds("actuatorfrcrange", "actuatorfrclimited")
        if torque is not None and (-torque[0] != torque[1] or kind == "ball"):
            self.noted.leave_out(element, "actuatorfrcrange is ignored: expected the same limit in both directions")
            torque = None
        return Limits(lower, upper, effort=None if torque is None else torque[1])

    # ----------------------------------------------------------------- inertia

    def placed(self, element: Element) -> Transform:
        """Return the pose of a site or shape, which may be given by its two ends."""
        if "fromto" not in element.attributes:
            return self.settings.pose(element)
        six = element.numbers("fromto", 6)
        a, b = Vec3(*six[:3]), Vec3(*six[3:])
        middle: Vec3 = (a + b) * 0.5
        return Transform(rotation_to(a - b, element), middle)

    def inertia(self, body: Element, inner: list[_Content]) -> RigidInertia:
        """Return the inertia of <inertial>, or else the sum of the shapes, within the bounds of the compiler."""
        return self.settings.bounded(self.own_inertia(body, inner))

    def own_inertia(self, body: Element, inner: list[_Content]) -> RigidInertia:
        given = next((one for one, *_ in inner if one.tag == "inertial"), None)
        if given is not None and self.settings.from_geoms != "true":
            self.noted.look(given, "inertial")
            return self.stated_inertia(given)
        total = RigidInertia()
        if self.settings.from_geoms == "false":
            return total
        low, high = body.parsed(self.settings.group_range, "inertiagrouprange", 2)
        for one, own, at, _ in inner:
            if one.tag == "geom":
                geom = self.settings.given(one, own)
                self.noted.look(geom, "geom")
                if low <= geom.number("group", 0.0) <= high:
                    total += self.shape(geom, at)
        return self.stated_inertia(given) if given is not None and not total.M else total

    def stated_inertia(self, given: Element) -> RigidInertia:
        mass = given.number("mass")
        if "fullinertia" in given.attributes:
            xx, yy, zz, xy, xz, yz = given.numbers("fullinertia", 6)
        else:
            xx, yy, zz = given.numbers("diaginertia", 3, (0.0, 0.0, 0.0))
            xy = xz = yz = 0.0
        return central_inertia(mass, self.settings.pose(given), (xx, xy, xz, yy, yz, zz))

    def shape(self, geom: Element, at: Transform) -> RigidInertia:
        kind = geom.get("type") or "sphere"
        weightless = geom.number("mass", -1.0) == 0 or (
            "mass" not in geom.attributes and not geom.number("density", 1.0)
        )
        if weightless or kind in ("plane", "hfield", "sdf"):
            return RigidInertia()
        if kind == "mesh" or kind not in SHAPES or "mesh" in geom.attributes:
            self.noted.leave_out(geom, "meshes are not read: they add no mass to the body, expected <inertial>")
            return RigidInertia()
        if geom.get("shellinertia") == "true":
            geom.fail("shellinertia is not supported: expected a solid shape")
        sizes = list(geom.parsed(geom.get("size"), "size"))
        if "fromto" in geom.attributes and sizes:
            six = geom.numbers("fromto", 6)
            half = math.dist(six[:3], six[3:]) / 2
            sizes = [sizes[0], half] if SHAPES[kind] == 2 else [*sizes[: SHAPES[kind] - 1], half]
            if SHAPES[kind] == 3 and len(sizes) == 2:
                sizes = [sizes[0], sizes[0], half]
        if len(sizes) < SHAPES[kind] or min(sizes[: SHAPES[kind]]) <= 0:
            geom.fail(f"size: expected {SHAPES[kind]} numbers above 0, found {geom.get('size') or 'nothing'}")
        volume, moments = solid(kind, sizes)
        mass = geom.number("mass") if "mass" in geom.attributes else volume * geom.number("density", _DENSITY)
        xx, yy, zz = (mass * moment for moment in moments)
        return central_inertia(mass, at @ self.placed(geom), (xx, 0.0, 0.0, yy, 0.0, zz))

    # --------------------------------------------------------------- relations

    def relations(self) -> None:
        """Read loops and joints that follow others."""
        joints = {joint.name: joint for joint in self.tree.joints}
        for n, element in enumerate(in_order(self.root, "equality"), 1):
            one = self.settings.given(element, "", "equality")
            if one.get("active", "true") == "false":
                continue
            if one.tag in ("connect", "weld", "joint"):
                self.noted.look(one, "equality")
            if one.tag in ("connect", "weld") and self.mocap & {one.get("body1"), one.get("body2")}:
                self.noted.leave_out(one, f"{one.tag} to a mocap body is ignored: the body is moved externally")
            elif one.tag in ("connect", "weld"):
                self.closure(one, one.get("name") or f"{one.tag}{n}")
            elif one.tag == "joint" and one.need("joint1") in joints and one.get("joint2") in joints:
                self.follow(one, joints[one.get("joint1")], joints[one.get("joint2")])
            else:
                self.noted.leave_out(one, f"equality {one.tag} is ignored")

    def follow(self, element: Element, joint: TreeJoint, leader: TreeJoint) -> None:
        given = element.parsed(element.get("polycoef", "0 1 0 0 0"), "polycoef")
        constant, ratio, *curve = (*given, 0.0, 0.0)
        if any(curve):
            self.noted.leave_out(element, "equality joint: only constant and ratio are read, higher terms are ignored")
            return
        offset = joint.reference + constant - ratio * leader.reference
        joint.follows = Follow(leader.name, ratio, offset)

    def closure(self, element: Element, name: str) -> None:
        if "site1" in element.attributes:
            ends = []
            for key in ("site1", "site2"):
                if element.get(key) not in self.sites:
                    element.fail(f"{key}: unknown site {element.get(key)!r}")
                ends.append(self.sites[element.get(key)])
            (first, place), (second, other) = ends
            self.tree.closures.append(Closure(name, element.tag, first, second, place, element, other))
            return
        first, second = element.need("body1"), element.get("body2") or _WORLD
        for key, body in (("body1", first), ("body2", second)):
            if body not in self.tree.links:
                element.fail(f"{key}: unknown body {body!r}")
        anchor = Vec3(*element.numbers("anchor", 3, (0.0, 0.0, 0.0)))
        if element.tag == "connect":
            self.tree.closures.append(Closure(name, "connect", first, second, Transform.shift(anchor), element))
            return
        x, y, z, *quat = element.numbers("relpose", 7, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if not any(quat):  # the relative orientation in the reference position
            self.tree.closures.append(Closure(name, "weld", first, second, Transform.identity(), element))
        else:
            place = shifted(rotation_of(quat), (x, y, z))
            closure = Closure(name, "weld", first, second, place, element, Transform.identity())
            self.tree.closures.append(closure)


def _drive(joint: Element) -> tuple[float, float, float]:
    """Return damping (the first coefficient), friction and armature."""
    damping = joint.parsed(joint.get("damping", "0"), "damping")
    return damping[0] if damping else 0.0, joint.number("frictionloss", 0.0), joint.number("armature", 0.0)


_Content = tuple[Element, str, Transform, Transform]  # with its class, and the pose of its frame in the body
_Body = tuple[Element, str, str, Transform, Transform]  # with its parent, class and pose
