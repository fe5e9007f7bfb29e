"""Samples of a study in any form: rows, objects, or a grid of named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robosym.algebra.arrays import Array, numbers
from robosym.errors import InputError

__all__ = ["SampleList", "grid"]


class SampleList:
    """Samples in order; `shape` is the shape of the results: one axis, or one per column of a grid."""

    def __init__(self, samples: object, paired: bool = False) -> None:
        self.names: list[str] | None = None
        self.shape: tuple[int, ...]
        self.axes: dict[str, Array] = {}
        self._columns: dict[str, Array] = {}
        self._things: Array | list[object] = []
        if isinstance(samples, str):
            samples = grid(samples)
        if isinstance(samples, Mapping):
            self._from_columns(samples, paired)
        elif isinstance(samples, np.ndarray):
            if samples.ndim == 0:
                raise InputError("samples: expected at least one row, found one number")
            self._things, self.shape = samples, (len(samples),)
        elif isinstance(samples, Sequence) and not isinstance(samples, (str, bytes)):
            self._things, self.shape = list(samples), (len(samples),)
            if samples and all(isinstance(x, (int, float, list, tuple)) and not isinstance(x, bool) for x in samples):
                self._things = numbers("samples", samples)
        else:
            found = type(samples).__name__
            raise InputError(f"samples: expected an array of rows, a list, or a mapping of columns, found {found}")
        if not len(self):
            raise InputError("samples: expected at least one sample, found none")

    def _from_columns(self, samples: Mapping[str, object], paired: bool) -> None:
        if not samples:
            raise InputError("samples: expected columns by name, found none")
        columns = {}
        for name, values in samples.items():
            if not isinstance(name, str):
                raise InputError(f"samples: expected names of columns, found {name!r}")
            columns[name] = np.atleast_1d(numbers(f"samples: {name}", values))
            if columns[name].ndim != 1 or not columns[name].size:
                raise InputError(
                    f"samples: {name}: expected a vector of numbers, found an array of shape {columns[name].shape}"
                )
        self.names = list(columns)
        if paired:
            lengths = {name: len(column) for name, column in columns.items()}
            if len(set(lengths.values())) > 1:
                raise InputError(f"samples: expected columns of equal length, found different lengths {lengths}")
            self._columns, self.shape = columns, (next(iter(lengths.values())),)
        else:
            self.axes = columns
            self.shape = tuple(len(column) for column in columns.values())

    def __len__(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def width(self) -> int:
        """Number of columns of an array of rows; 0 for other samples."""
        return self._things.shape[1] if isinstance(self._things, np.ndarray) and self._things.ndim == 2 else 0

    def part(self, start: int, stop: int) -> dict[str, Array] | Array | list[object]:
        """Return samples as a batch: a mapping of columns, or a slice."""
        if self.axes:
            places = np.unravel_index(np.arange(start, stop), self.shape)
            return {name: column[at] for (name, column), at in zip(self.axes.items(), places, strict=True)}
        if self.names is not None:
            return {name: column[start:stop] for name, column in self._columns.items()}
        return self._things[start:stop]

    def one(self, k: int) -> object:
        """Return one sample: a mapping of numbers, a row, or an object."""
        batch = self.part(k, k + 1)
        return {name: float(column[0]) for name, column in batch.items()} if isinstance(batch, dict) else batch[0]


def grid(text: str) -> dict[str, Array]:
    """Return columns from "t2=-2:2:50 t3=0:1:11" (from, to, count); a single number is a constant."""
    columns = {}
    for word in text.replace(",", " ").split():
        name, _, values = word.partition("=")
        try:
            ends = [float(part) for part in values.split(":")]
            if len(ends) == 3 and ends[2] >= 1 and ends[2].is_integer():
                columns[name] = np.linspace(ends[0], ends[1], int(ends[2]))
            elif len(ends) == 1:
                columns[name] = np.array(ends)
            else:
                raise ValueError
        except ValueError:
            raise InputError(f"samples: expected name=from:to:count, as in t2=-2:2:50, found {word!r}") from None
    return columns
