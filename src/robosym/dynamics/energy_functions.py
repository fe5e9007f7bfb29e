"""Energy of the links as a row times the parameters: the functions h of equations 3.72 to 3.74."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robosym.mechanism.motion import Hinge, Velocities, Weight
from robosym.spatial import Vec3

__all__ = ["energy_function", "energy_functions"]


def energy_functions(
    hinge: Mapping[int, Hinge], velocities: Velocities, weight: Weight, columns: Sequence[tuple[int, str]]
) -> list[Any]:
    """What each parameter (link, field) is multiplied by in the kinetic plus the potential energy."""
    w, v, g, u = velocities.w, velocities.v, weight.g, weight.u
    rates = {j: at.qd for j, at in hinge.items()}  # a platform moves, and has no joint
    return [energy_function(field, w[j], v[j], g[j], u[j], rates.get(j)) for j, field in columns]


def energy_function(field: str, w: Vec3, v: Vec3, g: Vec3, u: Any, qd: Any) -> Any:
    """Of one parameter, from the motion of its frame, gravity there, potential at its origin and rate of its joint."""
    match field:
        case "XX" | "YY" | "ZZ":
            component = {"XX": w.x, "YY": w.y, "ZZ": w.z}[field]
            return _half(component * component)
        case "XY":
            return w.x * w.y
        case "XZ":
            return w.x * w.z
        case "YZ":
            return w.y * w.z
        case "MX":
            return w.z * v.y - w.y * v.z - g.x
        case "MY":
            return w.x * v.z - w.z * v.x - g.y
        case "MZ":
            return w.y * v.x - w.x * v.y - g.z
        case "M":
            return _half(v.dot(v)) + u
        case "IA":
            return _half(qd * qd)
    raise AssertionError(field)


def _half(value: Any) -> Any:
    return value / 2
