"""Closed loops: structure, parallelograms, constraints, closing in numbers, their geometry and kinematics."""

from robosym.loops.loop_geometry import LoopGeometry, loop_geometry
from robosym.loops.loop_kinematics import LoopKinematics, loop_kinematics

__all__ = ["LoopGeometry", "LoopKinematics", "loop_geometry", "loop_kinematics"]
