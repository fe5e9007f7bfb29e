"""Write the script of the live demonstration in the documentation: the RX90 in WebAssembly, as one classic script.

A page that is opened from a disk may not load modules or files, so the module is part of the script, in base64.
`python tools/demo.py FILE` writes it.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

import robosym as rs

#: masses in kg and lengths in m of links 1 to 6 as rods along the axes: about those of an arm of this size
MASSES = (30.0, 14.0, 9.0, 4.0, 2.0, 1.0)
CENTERS = ((0, 0, -0.1), (0.22, 0, 0.05), (0, 0.05, 0), (0, 0, -0.18), (0, 0.02, 0), (0, 0, 0.06))
FUNCTIONS = "inverse_dynamics direct_geometry frames inverse_geometry"
TOOL = 0.12  #: length of the tool in m


def robot() -> rs.Robot:
    """Return the RX90 in numbers."""
    arm = rs.load("rx90")
    rates = ("QP", "QDP")
    values = {name: 0.0 for name in arm.parameters if not name.startswith(rates)}
    values |= {"D3": 0.45, "RL4": 0.45, "G3": -9.81}
    for k, (mass, center) in enumerate(zip(MASSES, CENTERS, strict=True), 1):
        x, y, z = center
        own = {"M": mass, "MX": mass * x, "MY": mass * y, "MZ": mass * z, "XX": mass * (0.01 + y * y + z * z),
               "YY": mass * (0.01 + x * x + z * z), "ZZ": mass * (0.01 + x * x + y * y), "XY": -mass * x * y,
               "XZ": -mass * x * z, "YZ": -mass * y * z}  # fmt: skip
        values |= {f"{name}{k}": value for name, value in own.items() if f"{name}{k}" in values}
    return arm.with_values(values).with_frame("tool", 6, pose=[0, 0, TOOL, 0, 0, 0])


def script() -> str:
    """Return the script, which defines `robosymDemo`, a promise of the functions."""
    with tempfile.TemporaryDirectory() as folder:
        rs.build(robot(), "wasm", folder, FUNCTIONS, name="rx90", frame="tool")
        module = base64.b64encode((Path(folder) / "rx90.wasm").read_bytes()).decode()
        wrapper = (Path(folder) / "rx90.mjs").read_text(encoding="utf-8")
    plain = wrapper.replace("export async function", "async function").replace("import.meta.url", "document.baseURI")
    return (
        f'{plain}\nwindow.robosymDemo = (() => {{\n  const text = atob("{module}");\n'
        "  return load(Uint8Array.from(text, (character) => character.charCodeAt(0)));\n})();\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(script(), encoding="utf-8")
