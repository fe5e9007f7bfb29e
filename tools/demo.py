"""Write the live pages of the documentation: robots whose models run in the reader's browser.

`python tools/demo.py FOLDER` writes them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import robosym as rs

__all__ = ["PAGES", "page", "rx90"]

#: masses in kg and lengths in m of links 1 to 6 as rods along the axes: about those of an arm of this size
MASSES = (30.0, 14.0, 9.0, 4.0, 2.0, 1.0)
CENTERS = ((0, 0, -0.1), (0.22, 0, 0.05), (0, 0.05, 0), (0, 0, -0.18), (0, 0.02, 0), (0, 0, 0.06))
TOOL = 0.12  #: length of the tool in m
PAGES = ("rx90", "sr400", "delta", "gough")


def rx90() -> rs.Robot:
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


def page(name: str) -> str:
    """Return the page of a robot."""
    return rs.share(rx90() if name == "rx90" else rs.load(name), frame="tool" if name == "rx90" else None).html()


if __name__ == "__main__":
    for robot in PAGES:
        (Path(sys.argv[1]) / f"{robot}.html").write_text(page(robot), encoding="utf-8")
