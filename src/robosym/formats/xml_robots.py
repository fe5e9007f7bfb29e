"""A robot from XML, whichever of the three it is: the root element tells."""

from __future__ import annotations

from robosym.description import Robot
from robosym.formats.mjcf_reader import mjcf_robot
from robosym.formats.sdf_reader import sdf_robot
from robosym.formats.urdf_reader import urdf_robot
from robosym.formats.xml_source import read_xml

__all__ = ["read_robot_xml"]

_READERS = {"robot": urdf_robot, "mujoco": mjcf_robot, "sdf": sdf_robot}


def read_robot_xml(text: str, file: str | None = None, name: str | None = None) -> Robot:
    """The robot of a URDF, an MJCF or an SDF; `name` holds where the file has none."""
    root = read_xml(text, file)
    if root.tag not in _READERS:
        root.fail(f"expected {', '.join(f'<{tag}>' for tag in _READERS)}, found <{root.tag}>")
    return _READERS[root.tag](root, name)
