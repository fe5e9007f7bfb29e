"""Settings of an MJCF file: included files, compiler settings, default classes; and the inertia of solid shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from robosym.files import read_text
from robosym.formats.placements import about_axis, central_inertia, direction, euler, exact_angle, shifted
from robosym.formats.xml_source import Element, read_xml
from robosym.spatial import Mat3, Transform, Vec3
from robosym.spatial.inertia import RigidInertia
from robosym.spatial.vectors import rotation_of

__all__ = ["SHAPES", "Settings", "solid", "with_included"]

_NO_TURN = 1e-10  #: sine of an angle below which there is no rotation
_MAX_FILES = 100
_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
Defaults = dict[str, dict[str, str]]  # attributes by element


def with_included(root: Element) -> Element:
    """Return the file with <include> elements replaced by the files, which must be in the same folder."""
    folder = Path(root.file).parent if root.file else None
    count, waiting = 0, [root]
    while waiting:
        element = waiting.pop()
        inside, element.children = element.children[::-1], []
        while inside:
            child = inside.pop()
            if child.tag != "include":
                element.children.append(child)
                continue
            name, count = child.need("file"), count + 1
            if folder is None:
                child.fail("include: a text has no folder to include files from: load it as a file")
            if count > _MAX_FILES:
                child.fail(f"include: expected at most {_MAX_FILES} files, found more")
            path = (folder / name).resolve()
            if Path(name).is_absolute() or not path.is_relative_to(folder.resolve()):
                child.fail(f"include: expected a file in the folder of the description, found {name!r}")
            inside += read_xml(read_text(path), str(path)).children[::-1]
        waiting += element.children
    return root


class Settings:
    """Compiler settings and default classes, applied to attributes and poses of elements."""

    def __init__(self, root: Element) -> None:
        settings = Element("compiler", {}, root.line, root.file)
        for element in root.all("compiler"):
            settings.attributes |= element.attributes
            settings.line = element.line
        compiler = settings.attributes
        self.degrees = compiler.get("angle", "degree") == "degree"
        self.sequence = compiler.get("eulerseq", "xyz")
        self.auto_limits = compiler.get("autolimits", "true") != "false"
        self.from_geoms = compiler.get("inertiafromgeom", "auto")
        self.group_range = compiler.get("inertiagrouprange", "0 5")
        self.bound_mass, self.bound_inertia = (settings.number(key, 0.0) for key in ("boundmass", "boundinertia"))
        self.balance = compiler.get("balanceinertia", "false") == "true"
        if compiler.get("coordinate", "local") != "local":
            root.fail("compiler: coordinate: expected local, found global")
        if len(self.sequence) != 3 or not set(self.sequence.lower()) <= set("xyz"):
            root.fail(f"compiler: eulerseq: expected three of x y z X Y Z, found {self.sequence}")
        self.total_mass = settings.number("settotalmass", -1.0)
        self.classes: dict[str, Defaults] = {"main": {}}
        for element in root.all("default"):
            self._read_class(element, element.get("class") or "main", self.classes["main"])

    def _read_class(self, element: Element, name: str, inherited: Defaults) -> None:
        waiting = [(element, name, inherited)]
        while waiting:
            one, name, inherited = waiting.pop()
            own = {tag: dict(attributes) for tag, attributes in inherited.items()}
            for child in one.children:
                if child.tag != "default":
                    own[child.tag] = own.get(child.tag, {}) | child.attributes
            self.classes[name] = own
            waiting += [(child, child.need("class"), own) for child in one.children if child.tag == "default"]

    def given(self, element: Element, child_class: str, tag: str | None = None) -> Element:
        """Return the element with the attributes of its class."""
        name = element.get("class") or child_class or "main"
        if name not in self.classes:
            element.fail(f"class: unknown default class {name!r}")
        attributes = dict(self.classes[name].get(tag or element.tag, {}))
        if any(key in element.attributes for key in _ORIENTATIONS):  # one form of orientation replaces another
            attributes = {key: value for key, value in attributes.items() if key not in _ORIENTATIONS}
        return replace(element, attributes=attributes | element.attributes)

    # ------------------------------------------------------------------ inertia

    def bounded(self, body: RigidInertia) -> RigidInertia:
        """Apply the compiler's bounds on mass and principal moments, and balance the inertia."""
        if self.bound_mass <= 0 and self.bound_inertia <= 0 and not self.balance:
            return body
        *_, mx, my, mz, mass = body.numbers()
        center = Vec3(mx / mass, my / mass, mz / mass) if mass else Vec3(0.0, 0.0, 0.0)
        xx, xy, xz, yy, yz, zz = (body.about(center) if mass else body).numbers()[:6]
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        moments = np.maximum(moments, self.bound_inertia) if self.bound_inertia > 0 else moments
        if self.balance and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        tensor = axes @ np.diag(moments) @ axes.T
        entries = (float(tensor[r, c]) for r, c in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        return central_inertia(max(mass, self.bound_mass), Transform.shift(center), tuple(entries))

    # ------------------------------------------------------------------- poses

    def angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def pose(self, element: Element, exact: bool = False) -> Transform:
        """Return position and orientation; `exact` replaces angles such as 1.5707963 by multiples of Pi."""
        return shifted(self.orientation(element, exact), element.numbers("pos", 3, (0.0, 0.0, 0.0)))

    def orientation(self, element: Element, exact: bool = False) -> Mat3:
        known = exact_angle if exact else float
        found = [key for key in _ORIENTATIONS if key in element.attributes]
        if len(found) > 1:
            element.fail(f"expected one orientation, found {', '.join(found)}")
        if not found:
            return Transform.identity().A
        if found[0] == "quat":
            w, x, y, z = element.numbers("quat", 4)
            return rotation_of((w, x, y, z)) if any((w, x, y, z)) else self._no_direction(element, "quat")
        if found[0] == "axisangle":
            *axis, angle = element.numbers("axisangle", 4)
            return about_axis(axis, known(self.angle(angle))) if any(axis) else self._no_direction(element, "axisangle")
        if found[0] == "euler":
            angles = element.numbers("euler", 3)
            return euler([known(self.angle(angle)) for angle in angles], self.sequence)
        if found[0] == "zaxis":
            return rotation_to(Vec3(*element.numbers("zaxis", 3)), element)
        six = element.numbers("xyaxes", 6)
        s, n = direction(element, six[:3]), Vec3(*six[3:])
        n = direction(element, n - s * s.dot(n))
        return Mat3((s, n, s.cross(n))).T

    def _no_direction(self, element: Element, key: str) -> Mat3:
        element.fail(f"{key}: expected a direction, found zeros")


def rotation_to(z: Vec3, element: Element) -> Mat3:
    """Return the smallest rotation that takes the z axis to a direction."""
    z = direction(element, z)
    axis = (-z.y, z.x, 0.0)
    sine = math.hypot(z.x, z.y)
    if sine < _NO_TURN:
        return Mat3.of(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) if z.z > 0 else about_axis((1, 0, 0), math.pi)
    return about_axis(axis, math.atan2(sine, z.z))


def in_order(root: Element, section: str) -> Iterator[Element]:
    """Yield the elements of a section, which may occur several times in a file."""
    for part in root.all(section):
        yield from part.children


SHAPES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}  #: number of sizes per shape


def solid(shape: str, size: Sequence[float]) -> tuple[float, tuple[float, float, float]]:
    """Return volume and moments of inertia per unit mass about the principal axes."""
    if shape == "sphere":
        r = size[0]
        moment = 2 * r * r / 5
        return 4 * math.pi * r**3 / 3, (moment, moment, moment)
    if shape == "cylinder":
        r, h = size[0], 2 * size[1]
        across = (3 * r * r + h * h) / 12
        return math.pi * r * r * h, (across, across, r * r / 2)
    if shape == "capsule":
        return _capsule(size[0], 2 * size[1])
    a, b, c = (entry * entry for entry in size[:3])
    part = 3 if shape == "box" else 5
    volume = 8 * math.prod(size[:3]) if shape == "box" else 4 * math.pi * math.prod(size[:3]) / 3
    return volume, ((b + c) / part, (a + c) / part, (a + b) / part)


def _capsule(r: float, h: float) -> tuple[float, tuple[float, float, float]]:
    """Return the same for a cylinder of height h with two hemispheres."""
    tube, balls = math.pi * r * r * h, 4 * math.pi * r**3 / 3
    volume = tube + balls
    share, rest = tube / volume, balls / volume
    across = share * (3 * r * r + h * h) / 12 + rest * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8)
    return volume, (across, across, share * r * r / 2 + rest * 2 * r * r / 5)
