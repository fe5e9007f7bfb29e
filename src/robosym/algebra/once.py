"""Properties that are worked out once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:
    import functools
    from contextlib import nullcontext

    class cached_property(functools.cached_property):
        """Without the lock that it has before Python 3.12, one for all objects.

        In a process that is forked while another thread holds it, nobody would ever let go of it.
        """

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self.lock = nullcontext()
