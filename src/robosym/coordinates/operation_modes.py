"""Other operation modes of a parallel robot: assemblies in which its platform moves otherwise than at the reference.

The same legs may allow a platform several kinds of motion, which meet in singular positions at most: a 3-UPU
translates, or turns. They are looked for by closing the legs from random positions.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.tolerances import SAME
from robosym.coordinates.first_guess import LEAST_SIZE
from robosym.coordinates.idle_spin import without_spin
from robosym.coordinates.many_starts import Search
from robosym.coordinates.reference import Reference, numeric_reference
from robosym.mechanism import Robot

__all__ = ["other_operation_modes"]

_STARTS = 120
_CLOSED = 1e-11  #: meters and radians: less tightly closed legs may stand in a singular position
_FEWEST = 2  #: assemblies of a mode that are no accident


def other_operation_modes(robot: Robot) -> list[str]:
    """A remark on each operation mode that was found beside that of the reference position."""
    robot = without_spin(robot)
    reference = numeric_reference(robot)
    if reference is None or reference.freedom == 6:
        return []
    found = Counter(_mode(reference, sample) for sample in _assemblies(robot, reference))
    usual = (reference.freedom, False)
    return [
        f"another operation mode: {freedom} degrees of freedom"
        + (", in an orientation that the reference position does not have" if turned else "")
        + f" ({count} of {sum(found.values())} random assemblies); models hold in that of the reference position, "
        f"{reference.freedom} degrees of freedom, and poses of others are not allowed"
        for (freedom, turned), count in sorted(found.items())
        if (freedom, turned) != usual and count >= _FEWEST and freedom > 0
    ]


def _assemblies(robot: Robot, reference: Reference) -> list[Any]:
    """Samples at random positions in which the legs meet the platform."""
    search = Search(robot)
    names = search.gaps.names
    start = reference.joints_of_loops
    draw = random_arrays("poses of a platform", 1)
    size = max(LEAST_SIZE, float(np.abs(reference.samples[0].pose[:3, 3]).max()))
    spread = np.where(search.turning, np.pi, size)
    table = np.array([start[name] for name in names]) + draw.uniform(-1, 1, (_STARTS, len(names))) * spread
    positions, left = search.closing.settle({}, table)
    return [reference.at_position(dict(zip(names, map(float, q), strict=True))) for q in positions[left < _CLOSED]]


def _mode(reference: Reference, sample: Any) -> tuple[int, bool]:
    """Degrees of freedom, and whether an entry of the rotation that is constant at the reference has another value."""
    values = sample.pose_values
    constants = {name: value for name, value in reference.constants.items() if name.startswith("R")}
    turned = any(abs(values[name] - value) > SAME for name, value in constants.items())
    return int(sample.twists.shape[1]), turned
