"""What the workers of a study do: pieces of its samples, each as arrays, and what failed in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError
from robosym.studies.samples_of import SampleList

__all__ = ["Job", "Piece", "PieceResult"]

#: which robot, the first sample and the one after the last
Piece = tuple[int, int, int]


@dataclass
class PieceResult:
    """Values by name ("" where there is one), a row a sample; samples that failed, from the first one of the piece."""

    values: dict[str, NDArray[Any]]
    failures: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A function for each robot, of one sample or of a batch; it can be pickled where they can."""

    functions: tuple[Callable[..., Any], ...]
    samples: SampleList
    batched: bool

    def __call__(self, piece: Piece) -> PieceResult:
        robot, start, stop = piece
        function = self.functions[robot]
        if self.batched:
            try:
                return PieceResult(_columns(function(self.samples.part(start, stop)), stop - start))
            except InputError:
                raise
            except Exception as error:
                return PieceResult({}, {k: _words(error) for k in range(stop - start)})
        found: list[Any] = []
        failures: dict[int, str] = {}
        for k in range(start, stop):
            try:
                found.append(function(self.samples.one(k)))
            except Exception as error:  # of the function, whatever it is: the other samples go on
                failures[k - start] = _words(error)
                found.append(None)
        return PieceResult(_stacked(found), failures)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _columns(result: Any, count: int) -> dict[str, NDArray[Any]]:
    """What a function of a batch gave."""
    named = _named(result)
    columns = {name: np.asarray(value) for name, value in named.items()}
    for name, column in columns.items():
        if column.shape[:1] != (count,):
            what = f" {name!r}" if name else ""
            raise InputError(
                f"function: expected a row{what} for each of {count} samples, found the shape {column.shape}"
            )
    return columns


def _named(result: Any) -> dict[str, Any]:
    if isinstance(result, Mapping):
        return {str(name): value for name, value in result.items()}
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    return {"": result}


def _stacked(found: list[Any]) -> dict[str, NDArray[Any]]:
    """Results of single samples as arrays; None where one failed."""
    known = [None if result is None else _named(result) for result in found]
    names = next((list(result) for result in known if result is not None), [])
    columns = {}
    for name in names:
        values = [None if result is None else result.get(name) for result in known]
        columns[name] = _array(values)
    return columns


def _array(values: list[Any]) -> NDArray[Any]:
    """Numbers and arrays of one shape as an array, NaN where there is none; anything else as things."""
    arrays = [None if value is None else np.asarray(value) for value in values]
    shapes = {array.shape for array in arrays if array is not None}
    kinds = {array.dtype.kind for array in arrays if array is not None}
    if len(shapes) == 1 and kinds <= set("biufc"):
        [shape] = shapes
        dtype = np.result_type(*(array for array in arrays if array is not None))
        if any(array is None for array in arrays):
            dtype = np.result_type(dtype, np.float64)
        return np.array([np.full(shape, np.nan) if array is None else array for array in arrays], dtype)
    things = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        things[k] = value
    return things
