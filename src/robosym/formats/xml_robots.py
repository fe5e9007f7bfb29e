"""A robot from XML, whichever of the three it is: the root element tells."""

from __future__ import annotations

from numpy.linalg import LinAlgError

from robosym.formats.mjcf_reader import mjcf_tree
from robosym.formats.sdf_reader import sdf_tree
from robosym.formats.tree_robot import robot_of
from robosym.formats.urdf_reader import urdf_tree
from robosym.formats.xml_source import read_xml
from robosym.mechanism import Robot

__all__ = ["read_robot_xml"]

_READERS = {"robot": urdf_tree, "mujoco": mjcf_tree, "sdf": sdf_tree}


def read_robot_xml(text: str, file: str | None = None, name: str | None = None, *, floating: bool = False) -> Robot:
    """The robot of a URDF, an MJCF or an SDF; `name` holds where the file has none."""
    root = read_xml(text, file)
    if root.tag not in _READERS:
        root.fail(f"expected {', '.join(f'<{tag}>' for tag in _READERS)}, found <{root.tag}>")
    try:
        return robot_of(_READERS[root.tag](root, name), floating)
    except (ArithmeticError, LinAlgError):  # products of numbers that no robot has
        root.fail("its numbers are too large or too small: expected kilograms, metres and radians")
