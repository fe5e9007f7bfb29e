"""Results of pieces put together, whatever order they come in; kept in a folder, so that a study can go on later."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.errors import FormatError, InputError
from robosym.files import TEMPORARY_SUFFIX, read_text, write_bytes, write_text
from robosym.studies.job import Piece, PieceResult

__all__ = ["Folder", "Gathered"]

_FAILED = "failed"  #: of a file: places and words of what failed


class Gathered:
    """Arrays of all samples, filled piece by piece."""

    def __init__(self, robots: int, samples: int) -> None:
        self.shape = (robots, samples)
        self.done: NDArray[np.bool_] = np.zeros(self.shape, dtype=bool)
        self._values: dict[str, NDArray[Any]] = {}
        self._filled: dict[str, NDArray[np.bool_]] = {}  #: samples that have a value of this name
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
                    f"function: results have different shapes: {whole.shape[2:]} and, from sample {start} on, "
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
    def values(self) -> dict[str, NDArray[Any]]:
        """Arrays by name; None or NaN where a sample has no value, which must not look like a result."""
        return {name: self._blanked(whole, ~self._filled[name]) for name, whole in self._values.items()}

    def _blanked(self, whole: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
        if not missing.any() or whole.dtype.kind not in "biufcO":
            return whole
        whole = whole.astype(np.result_type(whole, np.float64))  # whole numbers cannot be NaN
        whole[missing] = None if whole.dtype == object else np.nan
        return whole


class Folder:
    """Pieces that are done, a file each, written whole or not at all."""

    def __init__(self, path: str | Path, digest: str) -> None:
        """`digest` is of all that the results follow from; a folder with results of another study is rejected."""
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
                    "the folder holds another study: its function, samples, robots or options differ; "
                    "name an empty folder",
                    str(path),
                )
        elif any(not left.name.endswith(TEMPORARY_SUFFIX) for left in self._path.iterdir()):
            raise FormatError("expected an empty folder, or that of the same study", str(path))
        else:
            write_text(note, json.dumps(wanted) + "\n")

    def known(self) -> list[tuple[Piece, PieceResult]]:
        """What is there; a file that is damaged is passed over, and its piece done again."""
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

    def keep(self, piece: Piece, result: PieceResult) -> None:
        if any(column.dtype == object for column in result.values.values()):
            raise InputError("path: only numbers and arrays of one shape can be kept in a folder")
        stream = io.BytesIO()
        values = {f"value {name}": column for name, column in result.values.items()}
        np.savez(stream, **values, **{_FAILED: np.array(json.dumps(result.failures))})  # type: ignore[arg-type]
        write_bytes(self._path / "piece_{:d}_{:d}_{:d}.npz".format(*piece), stream.getvalue())
