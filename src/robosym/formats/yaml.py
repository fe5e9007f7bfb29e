"""The native format: a robot as a short YAML text.

    name: ur5e                      # required
    title: Universal Robots UR5e    # optional, as is `source`
    frames:                         # required; frame j is the j-th
      - {theta: t1, r: 0.1625}      # ant: the frame before, sigma: 0, mu: 1 (0 if sigma is 2), the rest: 0
      - {alpha: Pi/2, theta: t2}
    loops: [[9, 10]]                # frames of cut joints and the fixed frames that coincide with them
    links:                          # or the word `symbolic`; what is not listed is zero
      1: {M: 3.7, com: [0, -0.026, 0.002], inertia: [Ixx, Ixy, Ixz, Iyy, Iyz, Izz]}
      2: {XX: XX2, M: M2, IA: IA2, FV: FV2, FS: FS2, eta: 1, k: K2}
    wrench: {6: [FX6, FY6, FZ6, CX6, CY6, CZ6]}
    motion: {QP: [...], QDP: [...], GAM: [...]}
    gravity: [0, 0, G3]             # required
    base: {type: floating, Z: [...], W0: [...], WP0: [...], V0: [...], VP0: [...], link: {M: M0}}

A parallel robot has legs and a platform instead (`robosym.formats.yaml_parallel`):

    platform: {M: 2, com: [0, 0, 0.1], inertia: [...], wrench: [FX, FY, FZ, CX, CY, CZ]}   # or `symbolic`
    legs:
      - frames: [...]               # a chain from the base; the last frame is fixed to the platform
        links: {1: {...}}           # or `symbolic`
        place: {gamma: g, d: R}     # where the last frame stands on the platform
    position: {t1: 0.3}             # joints at the reference position, or near it
    freedom: 6                      # of the platform, where it is not to be found at the reference position
    gravity: [0, 0, -9.81]

Both may carry others, and be carried, as `modules` of a hybrid robot (`robosym.formats.yaml_hybrid`).

The guide describes all in full (docs/yaml.md).
"""

from __future__ import annotations

from robosym.formats.yaml_hybrid import is_hybrid, read_hybrid, write_hybrid
from robosym.formats.yaml_nodes import Node
from robosym.formats.yaml_parallel import is_parallel, read_parallel, write_parallel
from robosym.formats.yaml_reader import Reader, read_root
from robosym.formats.yaml_writer import write_robot
from robosym.mechanism import Robot

__all__ = ["read_description", "read_yaml", "write_yaml"]


def read_yaml(text: str, file: str | None = None, name: str | None = None) -> Robot:
    """The robot that a YAML text describes; `name` holds where the text has none."""
    return read_description(read_root(text, file), file, name)


def read_description(root: Node, file: str | None = None, name: str | None = None) -> Robot:
    """The robot that nodes describe: those of a text, or of Python's data (`python_data.nodes_of`)."""
    if is_hybrid(root):
        return read_hybrid(root, file, name, read_yaml)
    return read_parallel(root, file, name) if is_parallel(root) else Reader(file).robot(root, name)


def write_yaml(robot: Robot) -> str:
    if not robot.modules:
        return write_robot(robot)
    return write_hybrid(robot) if len(robot.modules) > 1 else write_parallel(robot)
