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

The guide describes it in full (docs/yaml.md).
"""

from __future__ import annotations

from robosym.formats.yaml_reader import read_yaml
from robosym.formats.yaml_writer import write_yaml

__all__ = ["read_yaml", "write_yaml"]
