"""The base inertial parameters of every robot: trees, loops, couplings, platforms and modules in series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.parameters.base_set import BaseParameters, base_of_joints
from robosym.parameters.platform_parameters import platform_base
from robosym.parameters.series_parameters import series_base

__all__ = ["BaseParameters", "base_parameters"]

_WITH_PLATFORMS = {"platform": platform_base, "modules": series_base}


@accepts("floating", platform="method", modules="method")
def base_parameters(
    robot: Robot, method: str = "symbolic", structure: str | None = None, reference: Mapping[str, float] | None = None
) -> BaseParameters:
    """The base inertial parameters of a robot.

    `method="symbolic"` applies the rules of the guide, for any geometry; those of loops do not know every loop in
    space, and there are none of couplings, so that numbers complete them where they must (`missed`).
    `method="numeric"` checks them by the rank of the energy functions, and groups further parameters where the rules
    missed some (`missed`); for a tree on a fixed base the rank is proved by exact arithmetic. `remark` tells what was
    found, and where. A closed or coupled robot gives the parameters of its equivalent tree with `structure="tree"`;
    otherwise a closed one those of the mode of `reference` (values of joint variables), or of its position: the loops
    are followed all along this mode, past dead centers, and the parameters are right and minimal there. Another mode
    of the loops may need more.
    """
    if reference is not None:
        robot = replace(robot, position=dict(reference))
    if method not in ("symbolic", "numeric"):
        raise InputError(f"method: expected 'symbolic' or 'numeric', found {method!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    with_platforms = _WITH_PLATFORMS.get(robot.coordinates)
    if with_platforms is None:
        return base_of_joints(robot, method, structure)
    found = with_platforms(robot, method)
    return BaseParameters(robot, found.standard, found.grouping, found.places, found.method, remark=found.remark)
