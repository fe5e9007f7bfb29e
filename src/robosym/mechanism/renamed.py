"""Names of version 0.1 that `Robot` has replaced; `robosym` gives them with a `DeprecationWarning`."""

from __future__ import annotations

from robosym.mechanism.robot import Robot
from robosym.mechanism.series import in_series

__all__ = ["Hybrid", "Parallel"]


class _Structure(type):
    """A class whose instances are the robots of one structure."""

    structure: str

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Robot) and instance.structure == cls.structure


class Parallel(metaclass=_Structure):
    """Robots with one platform: use `robot.structure == "parallel"`."""

    structure = "parallel"


class Hybrid(metaclass=_Structure):
    """Robots of several modules: use `robot.structure == "hybrid"` and `Robot.in_series`."""

    structure = "hybrid"
    of = staticmethod(in_series)
