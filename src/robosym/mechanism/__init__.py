"""The description of a robot: immutable and validated."""

from robosym.mechanism.coupling import Coupling, coupling_of
from robosym.mechanism.driven import Driven
from robosym.mechanism.follow import Follow
from robosym.mechanism.friction import Friction, JointFriction
from robosym.mechanism.hybrid_robot import Hybrid, Module
from robosym.mechanism.joints import FIXED, HELICAL, JOINT_TYPES, PRISMATIC, REVOLUTE, JointType
from robosym.mechanism.kinds import dispatched, every_kind, in_joints
from robosym.mechanism.limits import Limits
from robosym.mechanism.parallel_robot import Parallel, TwinRods
from robosym.mechanism.robot import (
    BASE_ACCELERATION,
    BASE_MOTION,
    DRIVE,
    GEOMETRY,
    INERTIA,
    MOTION,
    WRENCH,
    Base,
    Frame,
    Joint,
    Link,
    Robot,
    is_name,
    need_no_load,
    need_rigid,
    with_given_motion,
)

__all__ = [
    "BASE_ACCELERATION", "BASE_MOTION", "DRIVE", "FIXED", "GEOMETRY", "HELICAL", "INERTIA", "JOINT_TYPES", "MOTION",
    "PRISMATIC", "REVOLUTE", "WRENCH", "Base", "Coupling", "Driven", "Follow", "Frame", "Friction", "Hybrid", "Joint",
    "JointFriction", "JointType", "Limits", "Link", "Module", "Parallel", "Robot", "TwinRods", "coupling_of",
    "dispatched", "every_kind", "in_joints", "is_name", "need_no_load", "need_rigid", "with_given_motion",
]  # fmt: skip
