"""SI units of the variables of exported models: entries of groups, and symbols of a robot."""

from __future__ import annotations

from robosym.algebra import symbols
from robosym.mechanism import Robot

__all__ = ["BASE_UNITS", "entry_unit", "parameter_units"]

#: exponents of the SI base units, by name
BASE_UNITS: dict[str, dict[str, int]] = {
    "s": {"s": 1}, "rad": {"rad": 1}, "rad/s": {"rad": 1, "s": -1}, "rad/s2": {"rad": 1, "s": -2}, "m": {"m": 1},
    "m/s": {"m": 1, "s": -1}, "m/s2": {"m": 1, "s": -2}, "kg": {"kg": 1}, "kg.m": {"kg": 1, "m": 1},
    "kg.m2": {"kg": 1, "m": 2}, "N": {"kg": 1, "m": 1, "s": -2}, "N.m": {"kg": 1, "m": 2, "s": -2},
    "N.s/m": {"kg": 1, "s": -1}, "N.m.s/rad": {"kg": 1, "m": 2, "s": -1, "rad": -1},
}  # fmt: skip
#: units of groups with one entry per joint: of a revolute joint, of a prismatic one
_JOINTS = {
    "q": ("rad", "m"), "qd": ("rad/s", "m/s"), "qdd": ("rad/s2", "m/s2"), "tau": ("N.m", "N"), "motor": ("N.m", "N"),
    "Q": ("N.m", "N"), "H": ("N.m", "N"), "q_desired": ("rad", "m"), "qd_desired": ("rad/s", "m/s"),
    "qdd_desired": ("rad/s2", "m/s2"), "disturbance": ("N.m", "N"),
}  # fmt: skip
#: units of groups with two halves
_HALVES = {
    "twist": ("m/s", "rad/s"), "acceleration": ("m/s2", "rad/s2"), "base_velocity": ("rad/s", "m/s"),
    "base_acceleration": ("rad/s2", "m/s2"), "twist_desired": ("m/s", "rad/s"),
    "acceleration_desired": ("m/s2", "rad/s2"),
}  # fmt: skip
_LINK = dict.fromkeys(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), "kg.m2") | dict.fromkeys(("MX", "MY", "MZ"), "kg.m")
_LINK |= {"M": "kg"}
_DRIVE = {"IA": ("kg.m2", "kg"), "FV": ("N.m.s/rad", "N.s/m"), "FS": ("N.m", "N")}
_FRAME = {"gamma": "rad", "b": "m", "alpha": "rad", "d": "m", "theta": "rad", "r": "m"}
_PAYLOAD = {"ML": "kg", "XL": "m", "YL": "m", "ZL": "m"}


def entry_unit(robot: Robot | None, group: str, place: int, output: bool = False) -> str:
    """Return the unit of an entry of a group, or "" if it is not known."""
    if group in _HALVES:
        return _HALVES[group][place // 3 % 2]
    if group == "pose":
        return "m" if place >= 9 else ""
    if group == "base_pose":
        return "m" if place < 3 else ""
    if robot is None or group not in _JOINTS or robot.coordinates != "joints" or place >= len(robot.tree_joints):
        return ""
    return _JOINTS[group][bool(robot.frame(robot.tree_joints[place]).joint_type.slides)]


def parameter_units(robot: Robot) -> dict[str, str]:
    """Return the units of the symbols that are entries of the robot on their own."""
    found: dict[str, str] = {}

    def take(value: object, unit: str) -> None:
        name = getattr(value, "name", None)
        if name and not getattr(value, "args", None):
            found.setdefault(name, unit)

    for frame in robot.frames:
        for name, unit in _FRAME.items():
            take(getattr(frame, name), unit)
    for j, link in enumerate(robot.links, 1):
        slides = j <= len(robot.frames) and robot.frame(j).joint_type.slides
        for name, unit in _LINK.items():
            take(getattr(link, name), unit)
        for name, pair in _DRIVE.items():
            take(getattr(link, name), pair[bool(slides)])
    for contact in robot.contacts:
        for value in (*contact.at, contact.radius):
            take(value, "m")
    for value in robot.gravity:
        take(value, "m/s2")
    inertial = {name for link in robot.links for name in symbols([link.M, link.MX, link.MY, link.MZ])}
    return found | {name: unit for name, unit in _PAYLOAD.items() if name in inertial}
