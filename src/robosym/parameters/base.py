"""Base inertial parameters of all robots: trees, loops, couplings, platforms and modules in series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.edit import with_reference
from robosym.parameters.base_set import BaseParameters, base_of_joints
from robosym.parameters.contact_parameters import contact_base
from robosym.parameters.platform_parameters import platform_base
from robosym.parameters.series_parameters import series_base

__all__ = ["BaseParameters", "base_parameters"]

_WITH_PLATFORMS = {"platform": platform_base, "modules": series_base}


@accepts("floating", platform="method", modules="method", contacts="method")
def base_parameters(
    robot: Robot,
    method: Literal["symbolic", "numeric"] = "symbolic",
    structure: Literal["tree"] | None = None,
    reference: Mapping[str, float] | None = None,
) -> BaseParameters:
    """Return the base inertial parameters of a robot.

    The symbolic rules hold for any geometry. Those of loops do not cover every spatial loop, and there are none for
    couplings; a numeric rank completes them where necessary (`missed`). For a tree on a fixed base, exact arithmetic
    proves the rank. `remark` describes the result of the check. A closed robot has the parameters of one assembly
    mode: the loops are followed along this mode, past dead centers, and the parameters are minimal there. Another
    mode of the loops may need more. Contacts with the ground group further parameters by a numeric rank, for numeric
    geometry: the result has those on which the motion and the torques depend, not the forces of the ground.

    Parameters
    ----------
    robot : Robot
        Robot; a library name or a path is accepted too.
    method : {"symbolic", "numeric"}, optional
        Method: `symbolic` applies the rules of the guide; `numeric` checks them by the rank of the energy functions and
        groups further parameters where the rules missed some.
    structure : {"tree"}, optional
        `tree`: return the model of the equivalent tree of a closed robot.
    reference : dict of str to float, optional
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    BaseParameters
        Names, groupings and values of the base parameters.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> base = rs.base_parameters("planar2r")
    >>> base.names
    ('ZZ1R', 'MX1R', 'MY1', 'ZZ2', 'MX2', 'MY2')
    >>> base.grouping["ZZ1R"]
    Expr(ZZ1 + M2)
    """
    if reference is not None:
        robot = with_reference(robot, reference)
    if method not in ("symbolic", "numeric"):
        raise InputError(f"method: expected 'symbolic' or 'numeric', found {method!r}")
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    if robot.contacts:
        return contact_base(robot, method)
    with_platforms = _WITH_PLATFORMS.get(robot.coordinates)
    if with_platforms is None:
        return base_of_joints(robot, method, structure)
    found = with_platforms(robot, method)
    return BaseParameters(robot, found.standard, found.grouping, found.places, found.method, remark=found.remark)
