"""Loops of URDF files: elements beyond the standard whose meaning is clear.

`<loop_joint>` with `<link1>` and `<link2>` is that of Isaac Sim and of early Drake, `<loop>` with `<predecessor>` and
`<successor>` that of URDF+. Each tells a frame on two links; the frames coincide ("fixed"), their origins do
("spherical"), or their origins and an axis do ("revolute"; the axis is told in the first frame, along the same line in
the second).
"""

from __future__ import annotations

from collections.abc import Callable

from robosym.formats.kinematic_tree import Closure, KinematicTree
from robosym.formats.placements import direction
from robosym.formats.xml_source import Element
from robosym.spatial import Transform, Vec3

__all__ = ["add_loop"]

_ENDS = {"loop_joint": ("link1", "link2"), "loop": ("predecessor", "successor")}
_KINDS = ("fixed", "spherical", "ball", "revolute", "continuous")


def add_loop(tree: KinematicTree, element: Element, pose: Callable[[Element | None], Transform]) -> None:
    """The closure that an element tells, as frames on two links."""
    kind, name = element.need("type"), element.need("name")
    if kind not in _KINDS:
        element.fail(f"type: expected {', '.join(_KINDS)} for a joint that closes a loop, found {kind}")
    ends = []
    for tag in _ENDS[element.tag]:
        end = element.the(tag)
        link = end.need("link")
        if link not in tree.links:
            end.fail(f"link: there is no link {link!r}")
        ends.append((link, pose(end if element.tag == "loop_joint" else end.first("origin"))))
    for child in element.children:
        if child.tag not in (*_ENDS[element.tag], "axis"):
            child.fail(f"expected {', '.join(_ENDS[element.tag])} and axis in <{element.tag}>")
    (first, one), (second, other) = ends
    if kind == "fixed":
        tree.closures.append(Closure(name, "weld", first, second, one, element, other))
        return
    tree.closures.append(Closure(name, "connect", first, second, one, element, other))
    if kind in ("revolute", "continuous"):  # a second point on the axis
        along = direction(element, element.the("axis").numbers("xyz", 3), "axis")
        tree.closures.append(
            Closure(f"{name}_axis", "connect", first, second, _moved(one, along), element, _moved(other, along))
        )


def _moved(place: Transform, along: Vec3) -> Transform:
    return place @ Transform(Transform.identity().A, along)
