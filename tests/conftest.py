"""What holds for all tests: machine code is made anew, so that no test passes by what was kept from another run."""

from __future__ import annotations

import os

os.environ["ROBOSYM_CACHE"] = "off"
