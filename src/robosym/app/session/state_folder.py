"""Where a page keeps what must outlive it: unsaved work, history, jobs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["state_folder"]


def state_folder() -> Path:
    """The folder of this user, made where it is not there; the environment variable ROBOSYM_STATE names another."""
    given = os.environ.get("ROBOSYM_STATE")
    if given:
        folder = Path(given)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "robosym"
    else:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "robosym"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
