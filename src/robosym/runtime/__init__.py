"""Models compiled to machine code, with NumPy arrays as inputs and outputs."""

from robosym.runtime.compiled import Compiled

__all__ = ["Compiled"]
