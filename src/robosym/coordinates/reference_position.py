"""`robot.reference` of a parallel robot: the closed reference position and the branches of its legs.

The description gives a guess, joint values or a pose, from which the legs are closed. The result is reported, with a
warning if it is far from the guess or if equal legs are in different branches.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.algebra.tolerances import SAME
from robosym.chains.chain import chain_between
from robosym.chains.special_geometry import special_geometry
from robosym.coordinates.equal_legs import alike, joints_of_leg, seen_from
from robosym.coordinates.first_guess import LEAST_SIZE
from robosym.coordinates.idle_spin import without_spin
from robosym.coordinates.leg_chain import leg_chain
from robosym.coordinates.leg_modes import nearest_mode
from robosym.coordinates.many_starts import Search
from robosym.coordinates.platform_motion import POSE
from robosym.coordinates.reference import WARNED, Reference, numeric_reference, remembered
from robosym.errors import InputError, RobotWarning
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import end_frame

__all__ = [
    "ReferencePosition", "file_names", "geometric_remarks", "other_operation_modes", "reference_position",
    "warn_of_reference",
]  # fmt: skip

_FEW = 3  #: least number of equal legs for a remark that one of them is in another branch


@dataclass(frozen=True)
class ReferencePosition:
    """The reference position of a parallel robot, with closed legs."""

    pose: Array  #: (12,): R row by row, then P, of the platform in frame 0
    joints: dict[str, float]  #: values of all joints of the legs
    freedom: int  #: degrees of freedom of the platform
    moved: float  #: the largest distance of a joint from the guess of the description, in radians or meters
    branches: tuple[int | None, ...]  #: branch of each leg, numbered as in `modes`; None if the leg has no closed form
    remarks: tuple[str, ...]  #: unusual properties
    mixed: str = ""  #: equal legs in different branches


def reference_position(robot: Robot) -> ReferencePosition | None:
    """Return the reference position of a robot, or None if its geometry has symbols or no position is given."""
    found: ReferencePosition | None = remembered(robot, "reference position", lambda: _made(robot))
    return found


def warn_of_reference(robot: Robot) -> None:
    """Warn once per robot about unusual properties of its reference position.

    Joint values that put one of several equal legs in another branch are an error if the platform has fewer than six
    degrees of freedom, as a Delta: a mixture that is wanted is given by a pose with joint values, or by `modes`. Legs
    of a hexapod often come in pairs of both branches.
    """

    def warned() -> bool:
        found = reference_position(robot)
        if found is not None and found.mixed and found.freedom < 6 and robot.module.reference_pose is None:
            raise InputError(
                f"{robot.name}: position: {found.mixed}: expected joint values in the same branch, or a pose "
                "(position: {pose: [...]}); joint values beside a pose, or modes=, choose other branches"
            )
        for remark in () if found is None else found.remarks:
            warnings.warn(f"{robot.name}: {remark}", RobotWarning, stacklevel=2)
        return True

    remembered(robot, WARNED, warned)


def _made(robot: Robot) -> ReferencePosition | None:
    reference = numeric_reference(robot)
    if reference is None:
        return None
    sample = reference.samples[0]
    branches = tuple(_branch(robot, leg) for leg in range(len(robot.legs)))
    mixed = "; ".join(_odd_legs(robot, reference))
    remarks = (*reference.remarks, *([f"position: {mixed}"] if mixed else []))
    pose = np.array([*sample.pose_values.values()])
    return ReferencePosition(pose, dict(sample.joints), reference.freedom, reference.moved, branches, remarks, mixed)


def _branch(robot: Robot, leg: int) -> int | None:
    """Return the branch of a leg by its own closed form."""
    robot = without_spin(robot)
    reference = numeric_reference(robot)
    assert reference is not None
    samples = [(sample.pose_values, sample.joints) for sample in reference.informative_samples(leg)]
    try:
        return nearest_mode(leg_chain(robot, leg, reference), samples)
    except InputError:
        return None


def _odd_legs(robot: Robot, reference: Reference) -> list[str]:
    """Return a remark for each set of equal legs that are in different branches."""
    robot = without_spin(robot)
    found, left = [], list(range(len(robot.legs)))
    while left:
        first, *others = left
        same = [first, *(leg for leg in others if alike(robot, first, leg))]
        left = [leg for leg in left if leg not in same]
        if len(same) < _FEW:
            continue
        branches = [_seen_as(robot, reference, first, leg) for leg in same]
        if len(set(branches) - {None}) > 1:
            legs = ", ".join(str(leg + 1) for leg in same)
            found.append(f"legs {legs} are equal but in different branches ({', '.join(map(str, branches))})")
    return found


def _seen_as(robot: Robot, reference: Reference, first: int, leg: int) -> int | None:
    """Return the branch of a leg by the closed form of an equal leg, which has the same joints at another pose."""
    sample, chain = reference.samples[0], leg_chain(robot, first, reference)
    T = seen_from(robot, first, leg, sample.pose)
    values = [sample.joints[name] for name in joints_of_leg(robot, leg)]
    joints = dict(zip(joints_of_leg(robot, first), values, strict=True))
    pose = dict(zip(POSE, map(float, (*T[:3, :3].ravel(), *T[:3, 3])), strict=True))
    try:
        return nearest_mode(chain, [(pose, joints)])
    except InputError:
        return None


_STARTS = 120
_CLOSED = 1e-11  #: in m and rad: legs with larger gaps may be in a singular position
_FEWEST = 2  #: assemblies of a mode that are no accident


def file_names(robot: Robot) -> dict[str, str]:
    """Return the names of the tree joints by variable."""
    return {robot.variable(j): robot.joint_name(j) for j in robot.tree_joints}


def geometric_remarks(robot: Robot) -> tuple[str, ...]:
    """Remarks on the reference position of a parallel robot, or on an arm that is near to a special geometry."""
    return {"platform": _of_platform}.get(robot.coordinates, _of_arm)(robot)


def _of_platform(robot: Robot) -> tuple[str, ...]:
    reference = reference_position(robot)
    return () if reference is None else (*reference.remarks, *other_operation_modes(robot))


def _of_arm(robot: Robot) -> tuple[str, ...]:
    try:
        special = special_geometry(chain_between(robot, 0, end_frame(robot).number), names=file_names(robot))
    except InputError:  # an end that is ambiguous, joints that turn and slide
        return ()
    if special is None:
        return ()
    return (
        f"near to a special geometry (poses differ by up to {special.bound}), whose closed form inverse_geometry "
        f"corrects on the given one: {'; '.join(map(str, special.snaps))}",
    )


def other_operation_modes(robot: Robot) -> list[str]:
    """Return a remark on each operation mode other than that of the reference position."""
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
    """Return samples at random positions in which the legs meet the platform."""
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
    """Return the DoF, and whether an entry of the rotation that is constant at the reference has another value."""
    values = sample.pose_values
    constants = {name: value for name, value in reference.constants.items() if name.startswith("R")}
    turned = any(abs(values[name] - value) > SAME for name, value in constants.items())
    return int(sample.twists.shape[1]), turned
