"""Convert user input to arrays, checking shape and finiteness."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError, counted

__all__ = ["Array", "Shape", "numbers", "one_thread"]

Array = NDArray[np.float64]
#: sizes of the axes; None stands for any size, and a leading ... for any number of axes
Shape = tuple["int | EllipsisType | None", ...]


def numbers(name: str, given: object, shape: Shape = (...,), finite: bool = True) -> Array:
    """Return an array of the expected shape; error messages start with `name`. Unless `finite`, inf is allowed."""
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected {_words(shape)}, found {given!r:.200}") from None
    sizes = shape[1:] if shape[:1] == (...,) else shape
    own = array.shape[array.ndim - len(sizes) :] if sizes != shape else array.shape
    if len(own) != len(sizes) or any(size not in (None, found) for size, found in zip(sizes, own, strict=True)):
        row = array.ndim == len(sizes) == 1
        expected, found = (_words(sizes), str(len(array))) if row else (_words(shape), f"the shape {array.shape}")
        raise InputError(f"{name}: expected {expected}, found {found}")
    wrong = ~np.isfinite(array) if finite else np.isnan(array)
    if wrong.any():
        raise InputError(f"{name}: expected {'finite ' if finite else ''}numbers, found {array[wrong].flat[0]}")
    return array


def _words(shape: Shape) -> str:
    if shape == (...,):
        return "numbers"
    if shape == ():
        return "a number"
    if len(shape) == 1 and isinstance(shape[0], int):
        return counted(shape[0], "number")
    names = ", ".join("..." if size is ... else "n" if size is None else str(size) for size in shape)
    return f"numbers of the shape ({names}{',' if len(shape) == 1 else ''})"


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict linear algebra to one thread, because threads slow down small matrices on a busy machine."""
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        yield
