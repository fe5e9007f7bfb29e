"""Robots to start from: common structures with sensible lengths, some of them robots of the library."""

from __future__ import annotations

from robosym.formats.yaml import read_description
from robosym.formats.yaml_nodes import nodes_of
from robosym.mechanism import Robot

__all__ = ["TEMPLATES", "template"]

_REVOLUTE = [{"theta": "t1", "r": 0.4}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.4, "theta": "t3"}]
#: ground link 0.5 m, crank 0.2 m, coupler 0.45 m, rocker 0.4 m: the crank turns fully (Grashof)
_FOUR_BAR = [
    {"ant": 0, "theta": "t1"}, {"ant": 1, "mu": 0, "d": 0.2, "theta": "t2"},
    {"ant": 0, "mu": 0, "d": 0.5, "theta": "t3"},
    {"ant": 2, "mu": 0, "d": 0.45, "theta": "t4"}, {"ant": 3, "sigma": 2, "d": 0.4},
]  # fmt: skip

#: name of a structure: its frames and loops, or the name of a robot of the library
TEMPLATES: dict[str, dict[str, object] | str] = {
    "3R arm": {"frames": [*_REVOLUTE, {"sigma": 2, "d": 0.35, "name": "tool"}], "gravity": [0, 0, -9.81]},
    "6R arm with a spherical wrist": "puma560",
    "SCARA": "scara",
    "Gantry with a wrist": "gantry3p3r",
    "Four-bar linkage": {"frames": _FOUR_BAR, "loops": [[4, 5]], "gravity": [0, -9.81, 0]},
    "Five-bar linkage": "fivebar",
    "Delta": "delta",
    "Gough-Stewart platform": "gough",
}


def template(structure: str, name: str) -> Robot:
    """Return the robot of a structure under a name; links that have no numbers are symbolic."""
    from robosym.formats import load

    found = TEMPLATES[structure]
    if isinstance(found, str):
        return load(found).edit({"name": name})
    return read_description(nodes_of({"name": name, "links": "symbolic", **found}, name), None, name)
