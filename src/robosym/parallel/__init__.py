"""Parallel robots: a platform carried by legs (GS; RNE 5)."""

from __future__ import annotations

#: the public functions that take a `Parallel`, and the modules that hold them
FUNCTIONS = {
    "direct_geometry": "robosym.parallel.forward",
}
