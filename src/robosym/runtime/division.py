"""A batch whose result has its place, divided among threads: the machine code runs without Python's lock."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError
from robosym.runtime.kernel import Entry

__all__ = ["divided"]

Array = NDArray[Any]

_LEAST = 1024  #: states that are worth a thread


def divided(entry: Entry, arrays: Sequence[Array], out: Any, threads: Any) -> tuple[Array, ...]:
    """The outputs for arrays that fit, in `out` where it is given."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f"threads: expected a number from 1 on, found {threads!r}")
    leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    places = _places(entry, leading, out)
    count = min(int(threads), int(np.prod(leading, dtype=np.int64)) // _LEAST)
    if not arrays:  # a model of nothing
        found = entry.batch()
        for place, result in zip(places, found if isinstance(found, tuple) else (found,), strict=True):
            place[...] = result
    elif count < 2 or any(np.may_share_memory(array, place) for array in arrays for place in places):
        entry.batch(*arrays, out=places)  # NumPy heeds arrays that overlap
    else:
        _spread(entry, arrays, places, leading, count)
    return places


def _places(entry: Entry, leading: tuple[int, ...], out: Any) -> tuple[Array, ...]:
    shapes = [(*leading, *shape) for _, shape in entry.outputs]
    if out is None:
        return tuple(np.empty(shape, entry.form.dtype) for shape in shapes)
    places = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    if len(places) != len(shapes):
        names = ", ".join(name for name, _ in entry.outputs)
        raise InputError(f"out: expected {len(shapes)} arrays ({names}), found {len(places)}")
    for (name, _), shape, place in zip(entry.outputs, shapes, places, strict=True):
        if not isinstance(place, np.ndarray):
            raise InputError(f"out: {name}: expected an array, found {type(place).__name__}")
        if place.shape != shape or place.dtype != np.dtype(entry.form.dtype):
            wanted, found = f"{entry.form.dtype} {shape}", f"{place.dtype} {place.shape}"
            raise InputError(f"out: {name}: expected an array of {wanted}, found {found}")
        if not place.flags.writeable:
            raise InputError(f"out: {name}: expected an array that can be written to")
    return places


def _spread(
    entry: Entry, arrays: Sequence[Array], places: tuple[Array, ...], leading: tuple[int, ...], count: int
) -> None:
    """The longest axis of the batch in as many parts as there are threads; the last one runs in this thread."""
    axis = int(np.argmax(leading))
    back = len(leading) - axis  # from the end of the leading axes, where arrays are aligned
    borders = [leading[axis] * k // count for k in range(count + 1)]
    errors: list[BaseException] = []

    def part(array: Array, core: int, low: int, high: int) -> Array:
        place = array.ndim - core - back
        if place < 0 or array.shape[place] == 1:
            return array  # the same for all
        return array[(slice(None),) * place + (slice(low, high),)]

    def run(low: int, high: int) -> None:
        try:
            cores = [len(shape) for _, shape in entry.outputs]
            taken = tuple(part(place, core, low, high) for place, core in zip(places, cores, strict=True))
            entry.batch(*(part(array, 1, low, high) for array in arrays), out=taken)
        except BaseException as error:
            errors.append(error)

    helpers = [threading.Thread(target=run, args=borders[k : k + 2], daemon=True) for k in range(count - 1)]
    for helper in helpers:
        helper.start()
    run(borders[-2], borders[-1])
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
