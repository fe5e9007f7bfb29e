"""A folder with what a controller needs of a robot: C functions, their self-test, a CMake file, and two wrappers."""

from robosym.export.bundle import bundle

__all__ = ["bundle"]
