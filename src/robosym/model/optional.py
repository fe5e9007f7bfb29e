"""Libraries that robosym does not require."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from robosym.errors import InputError

__all__ = ["library"]


def library(name: str, package: str) -> Any:
    """Import a library, or raise an error that says how to install it."""
    with suppress(ImportError):
        found = import_module(name)
        if getattr(found, "__file__", None) is not None:  # otherwise it is a folder of this name, not a library
            return found
    raise InputError(f"{package} is not installed: pip install {package}")
