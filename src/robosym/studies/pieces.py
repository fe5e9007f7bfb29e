"""Work of the workers of a study: pieces of its samples as arrays, with the errors of failed samples.

Results of pieces are combined in any order and stored in a folder, so that a study can continue later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.samples import Array
from robosym.errors import FormatError, InputError
from robosym.files import TEMPORARY_SUFFIX, read_text, write_text
from robosym.studies.samples_of import SampleList
from robosym.table_files import write_arrays

__all__ = ["AllResults", "Folder", "Job", "Piece", "PieceResult"]

#: number of the robot, first sample, and end of the samples
Piece = tuple[int, int, int]


@dataclass
class PieceResult:
    """Values by name (empty if there is one), one row per sample, and failed samples relative to the start."""

    values: dict[str, Array]
    failures: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """One function per robot, of one sample or of a batch; picklable if the functions are."""

    functions: tuple[Callable[..., object], ...]
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
        found: list[object] = []
        failures: dict[int, str] = {}
        for k in range(start, stop):
            try:
                found.append(function(self.samples.one(k)))
            except Exception as error:  # any error of the function: the other samples continue
                failures[k - start] = _words(error)
                found.append(None)
        return PieceResult(_stacked(found), failures)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _columns(result: object, count: int) -> dict[str, Array]:
    """Return the results of a function of a batch by name."""
    named = _named(result)
    columns = {name: np.asarray(value) for name, value in named.items()}
    for name, column in columns.items():
        if column.shape[:1] != (count,):
            what = f" {name!r}" if name else ""
            raise InputError(
                f"function: expected {count} rows{what}, one per sample, found an array of shape {column.shape}"
            )
    return columns


def _named(result: object) -> dict[str, object]:
    if isinstance(result, Mapping):
        return {str(name): value for name, value in result.items()}
    if hasattr(result, "_asdict"):
        return dict(result._asdict().items())
    return {"": result}


def _stacked(found: list[object]) -> dict[str, Array]:
    """Return results of single samples as arrays; None for failed samples."""
    known = [None if result is None else _named(result) for result in found]
    names = next((list(result) for result in known if result is not None), [])
    columns = {}
    for name in names:
        values = [None if result is None else result.get(name) for result in known]
        columns[name] = _array(values)
    return columns


def _array(values: list[object]) -> Array:
    """Return numbers and arrays of one shape as an array with NaN for missing ones; other values as objects."""
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


_FAILED = "failed"  #: entry of a file with the indices and errors of failed samples


class AllResults:
    """Arrays of all samples, filled piece by piece."""

    def __init__(self, robots: int, samples: int) -> None:
        self.shape = (robots, samples)
        self.done: NDArray[np.bool_] = np.zeros(self.shape, dtype=bool)
        self._values: dict[str, Array] = {}
        self._filled: dict[str, NDArray[np.bool_]] = {}  #: samples with a value of this name
        self.failures: dict[tuple[int, int], str] = {}

    def put(self, piece: Piece, result: PieceResult) -> None:
        robot, start, stop = piece
        for name, column in result.values.items():
            whole = self._values.get(name)
            if whole is None:
                whole = self._values[name] = np.zeros((*self.shape, *column.shape[1:]), column.dtype)
                self._filled[name] = np.zeros(self.shape, dtype=bool)
            elif whole.shape[2:] != column.shape[1:] and column.dtype != object and whole.dtype != object:
                raise InputError(
                    f"function: expected results of one shape, found {whole.shape[2:]} and, from sample {start} on, "
                    f"{column.shape[1:]}"
                )
            wanted = np.result_type(whole, column)
            if wanted != whole.dtype:
                whole = self._values[name] = whole.astype(wanted)
            whole[robot, start:stop] = column
            self._filled[name][robot, start:stop] = True
        self.done[robot, start:stop] = True
        for place, words in result.failures.items():
            self.failures[robot, start + place] = words
            self.done[robot, start + place] = False

    @property
    def values(self) -> dict[str, Array]:
        """Arrays by name; None or NaN for samples without a value."""
        return {name: self._blanked(whole, ~self._filled[name]) for name, whole in self._values.items()}

    def _blanked(self, whole: Array, missing: NDArray[np.bool_]) -> Array:
        if not missing.any() or whole.dtype.kind not in "biufcO":
            return whole
        whole = whole.astype(np.result_type(whole, np.float64))  # integers cannot be NaN
        whole[missing] = None if whole.dtype == object else np.nan
        return whole


class Folder:
    """Finished pieces, one file each, written atomically."""

    def __init__(self, path: str | Path, digest: str) -> None:
        """Open the folder; `digest` identifies the study, and results of another study are rejected."""
        if not isinstance(path, (str, Path)):
            raise InputError(f"path: expected a folder, found {path!r}")
        self._path = Path(path)
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"expected a folder: {error.strerror}", str(path)) from None
        wanted = {"robosym study": 2, "of": digest}
        note = self._path / "study.json"
        if note.exists():
            try:
                found = json.loads(read_text(note))
            except ValueError:
                found = None
            if found != wanted:
                raise FormatError(
                    "expected results of this study, found another study with a different function, samples, robots "
                    "or options: use an empty folder",
                    str(path),
                )
        elif any(not left.name.endswith(TEMPORARY_SUFFIX) for left in self._path.iterdir()):
            raise FormatError("expected an empty folder or the folder of this study, found other files", str(path))
        else:
            write_text(note, json.dumps(wanted) + "\n")

    def known(self) -> list[tuple[Piece, PieceResult]]:
        """Return the stored pieces; damaged files are ignored, and their pieces computed again."""
        found = []
        for path in sorted(self._path.glob("piece_*.npz")):
            try:
                robot, start, stop = map(int, path.stem.split("_")[1:])
                with np.load(path, allow_pickle=False) as data:
                    values = {
                        name.removeprefix("value "): data[name] for name in data.files if name.startswith("value ")
                    }
                    failures = {int(k): str(v) for k, v in json.loads(str(data[_FAILED])).items()}
            except Exception:
                continue
            found.append(((robot, start, stop), PieceResult(values, failures)))
        return found

    def store(self, piece: Piece, result: PieceResult) -> None:
        """Store the result of a piece."""
        if any(column.dtype == object for column in result.values.values()):
            raise InputError(
                "path: expected results that are numbers or arrays of one shape: leave path out for other objects"
            )
        values = {f"value {name}": column for name, column in result.values.items()}
        values[_FAILED] = np.array(json.dumps(result.failures))
        write_arrays(self._path / "piece_{:d}_{:d}_{:d}.npz".format(*piece), values, compressed=False)
