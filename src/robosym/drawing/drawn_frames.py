"""Frames of the drawn robot, which has loops where the described robot has platforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robosym.algebra.once import cached_property
from robosym.mechanism import Robot
from robosym.mechanism.end_frame import clear_end
from robosym.mechanism.path import path
from robosym.mechanism.series import closed_form

__all__ = ["DrawnFrames"]


@dataclass
class DrawnFrames:
    """Numbers and labels of the drawn frames in the tables, and the frames at the ends of the robot."""

    robot: Robot
    drawn: Robot
    plates: Sequence[int]  #: links that are drawn as plates

    @cached_property
    def _links(self) -> dict[int, int]:
        """The number in the tables of each link of the drawn robot."""
        return closed_form(self.robot, self.drawn.position).links

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row in the tables of each frame of the drawn robot."""
        places = {name: j for j, name in enumerate(self.robot.variables, 1) if name}
        joints = {j: places[name] for j, name in enumerate(self.drawn.variables, 1) if name in places}
        return joints | self._links

    @cached_property
    def labels(self) -> list[str]:
        """Labels of the frames in the picture, frame 0 first: their numbers in the tables, P for a platform."""
        named = ["0", *(str(self.rows.get(j, "")) for j in range(1, self.drawn.NF + 1))]
        if self.robot.structure == "parallel":
            named[self.ends[0]] = "P"
        return named

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Frames that can be dragged and whose poses are shown: the end of the chain or the platform first."""
        end = self._end()
        return (end, *(j for j in range(1, self.drawn.NF + 1) if j != end))

    def _end(self) -> int:
        robot = self.drawn
        ends = [module.end for module in self.robot.modules[-1:]]
        for j, row in self._links.items():
            if row in ends:
                return j
        clear = clear_end(robot)
        if clear is not None:
            return clear
        if self.plates:
            last = self.plates[-1]
            own = last < robot.NL and robot.frame(last + 1).ant == last and not robot.frame(last + 1).is_joint
            return last + own  # its own frame, where that is another
        inner = {frame.ant for frame in robot.frames}
        leaves = [j for j in range(1, robot.NF + 1) if j not in inner] or [robot.NF]
        return max(leaves, key=lambda j: (len(path(robot, 0, j)[1]), j))
