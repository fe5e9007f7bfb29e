"""The description of a robot: immutable and validated."""

from robosym.mechanism.coupling import Coupling, coupling_of
from robosym.mechanism.elements import (
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
)
from robosym.mechanism.follow import Follow
from robosym.mechanism.friction import Friction, JointFriction
from robosym.mechanism.joints import FIXED, HELICAL, JOINT_TYPES, PRISMATIC, REVOLUTE, JointType
from robosym.mechanism.limits import Limits
from robosym.mechanism.modules import Module, TwinRods
from robosym.mechanism.needs import BASE_ACCELERATION, need_no_load, need_rigid, with_given_motion
from robosym.mechanism.robot import Robot
from robosym.mechanism.transmission import Transmission
from robosym.mechanism.validation import is_name

__all__ = [
    "BASE_ACCELERATION", "BASE_MOTION", "DRIVE", "FIXED", "GEOMETRY", "HELICAL", "INERTIA", "JOINT_TYPES", "MOTION",
    "PRISMATIC", "REVOLUTE", "WRENCH", "Base", "Coupling", "Follow", "Frame", "Friction", "Joint", "JointFriction",
    "JointType", "Limits", "Link", "Module", "Robot", "Transmission", "TwinRods", "coupling_of", "is_name",
    "need_no_load", "need_rigid", "with_given_motion",
]  # fmt: skip
