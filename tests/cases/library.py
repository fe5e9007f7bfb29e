"""Names of the library by kind of description."""

from __future__ import annotations

import robosym as rs
from robosym.formats.yaml import find

PARALLEL = tuple(name for name in rs.library() if "\nplatform:" in find(name))
HYBRID = tuple(name for name in rs.library() if "\nmodules:" in find(name))
ON_THE_GROUND = tuple(name for name in rs.library() if "\ncontacts:" in find(name))
ROBOTS = tuple(name for name in rs.library() if name not in (*PARALLEL, *HYBRID, *ON_THE_GROUND))
