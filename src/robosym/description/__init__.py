"""The description of a robot: immutable and validated."""

from robosym.description.robot import (
    BASE_MOTION,
    DRIVE,
    FIXED,
    GEOMETRY,
    INERTIA,
    MOTION,
    PRISMATIC,
    REVOLUTE,
    WRENCH,
    Base,
    Frame,
    Joint,
    Link,
    Robot,
    need_fixed_base,
)

__all__ = [
    "BASE_MOTION", "DRIVE", "FIXED", "GEOMETRY", "INERTIA", "MOTION", "PRISMATIC", "REVOLUTE", "WRENCH", "Base",
    "Frame", "Joint", "Link", "Robot", "need_fixed_base",
]  # fmt: skip
