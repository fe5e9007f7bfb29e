"""The description of a robot: immutable and validated."""

from robosym.mechanism.coupling import Coupling, Follow, coupling_of
from robosym.mechanism.elements import (
    BASE_MOTION,
    DRIVE,
    FLOATING,
    GEOMETRY,
    INERTIA,
    MOTION,
    WRENCH,
    Base,
    Contact,
    Frame,
    Joint,
    Limits,
    Link,
)
from robosym.mechanism.friction import Friction, JointFriction
from robosym.mechanism.joints import FIXED, HELICAL, JOINT_TYPES, PRISMATIC, REVOLUTE, JointType
from robosym.mechanism.modules import Module, RodPair
from robosym.mechanism.needs import BASE_ACCELERATION, need_no_load, need_rigid, with_given_motion
from robosym.mechanism.robot import Robot
from robosym.mechanism.transmission import Transmission
from robosym.mechanism.validation import is_name

__all__ = [
    "BASE_ACCELERATION", "BASE_MOTION", "DRIVE", "FIXED", "FLOATING", "GEOMETRY", "HELICAL", "INERTIA", "JOINT_TYPES",
    "MOTION", "PRISMATIC", "REVOLUTE", "WRENCH", "Base", "Contact", "Coupling", "Follow", "Frame", "Friction", "Hybrid",
    "Joint",
    "JointFriction", "JointType", "Limits", "Link", "Module", "Parallel", "Robot", "RodPair", "Transmission",
    "coupling_of", "is_name", "need_no_load", "need_rigid", "with_given_motion",
]  # fmt: skip


class _Structure(type):
    """Metaclass of deprecated class names whose instances are the robots of one structure."""

    structure: str

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Robot) and instance.structure == cls.structure


class Parallel(metaclass=_Structure):
    """Deprecated: use `robot.structure == "parallel"`."""

    structure = "parallel"


class Hybrid(metaclass=_Structure):
    """Deprecated: use `robot.structure == "hybrid"` and `Robot.in_series`."""

    structure = "hybrid"
    of = Robot.in_series
