"""What the joint and its drive allow."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from robosym.errors import RobotError

__all__ = ["UNLIMITED", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a joint, in the units of its variable; None where there is none."""

    lower: float | None = None  #: of the position
    upper: float | None = None
    velocity: float | None = None  #: of the magnitude, as are acceleration and effort
    acceleration: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        for entry in fields(self):
            if getattr(self, entry.name) in (math.inf, -math.inf):
                object.__setattr__(self, entry.name, None)

    def check(self, frame: int) -> None:
        """An error where no motion could keep them."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None and math.isnan(value):
                raise RobotError(f"{entry.name}: expected a number, found {value!r}", frame=frame, field="limits")
            if entry.name not in ("lower", "upper") and value is not None and value < 0:
                raise RobotError(f"{entry.name}: expected no less than 0, found {value!r}", frame=frame, field="limits")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            message = f"position: expected lower <= upper, found [{self.lower!r}, {self.upper!r}]"
            raise RobotError(message, frame=frame, field="limits")

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) is not None for entry in fields(self))


UNLIMITED = Limits()
