"""What the first screen says of each robot of the library; made by tools/library_pictures.py."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["catalogue"]


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, Any]]:
    """By name: title, joints, structure, and whether the robot is symbolic or numeric."""
    path = Path(__file__).parent / "assets" / "library" / "catalogue.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found
