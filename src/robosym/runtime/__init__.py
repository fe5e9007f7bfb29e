"""Models as machine code, NumPy arrays in and out."""

from robosym.runtime.compiled import Compiled

__all__ = ["Compiled"]
