"""Evaluation of a function over many samples and robots: in this process, on all cores, or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.errors import InputError, counted
from robosym.formats import load
from robosym.mechanism import Robot
from robosym.model import Model
from robosym.studies.fingerprint import fingerprint
from robosym.studies.pieces import AllResults, Folder, Job, Piece, PieceResult
from robosym.studies.ready import Evaluation, ready
from robosym.studies.samples_of import SampleList
from robosym.studies.workers import Progress, WorkerDied, client_of, cores, here, on_cluster, on_cores, reporting
from robosym.table_files import numbered, write_arrays, write_rows

__all__ = ["Study", "study"]

_MOST = 10**9  #: maximum number of random positions
_ROUNDS = 32  #: pieces per worker: few enough for low overhead, many enough to balance the load
_BATCH = 100_000  #: maximum number of samples per piece


@dataclass(frozen=True, eq=False)
class Study:
    """Results of a study as arrays.

    The axes are the robots, if several were given, and the samples or the axes of a grid.

    Attributes
    ----------
    values : ndarray or mapping of str to ndarray
        Results; NaN for failed samples.
    axes : mapping of str to ndarray
        Axes of a grid by name.
    failures : mapping of tuple of int to str
        Error messages of failed samples, by index.

    Examples
    --------
    >>> import robosym as rs
    >>> result = rs.study("singularity", 100, robots=rs.load("planar2r"))
    >>> list(result.values)
    ['least', 'share']
    """

    values: Array | dict[str, Array]
    axes: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    robots: tuple[str, ...] = ()
    failures: Mapping[tuple[int, ...], str] = field(default_factory=dict)
    done: NDArray[np.bool_] = field(default_factory=lambda: np.ones(0, dtype=bool))
    seconds: float = 0.0

    def __getitem__(self, name: str) -> Array:
        if not isinstance(self.values, Mapping) or name not in self.values:
            known = list(self.values) if isinstance(self.values, Mapping) else []
            raise InputError(
                f"name: expected {', '.join(known) or 'no name, because the study has one array'}, found {name!r}"
            )
        return self.values[name]

    def write(self, path: str | Path) -> Study:
        """Write values, axes and failures to a .npz file, or one row per sample to a .csv file.

        Parameters
        ----------
        path : str or Path
            File to write (.npz or .csv).

        Returns
        -------
        Study
            The study itself.

        Raises
        ------
        InputError
            If the values are neither numbers nor arrays, or the extension is unknown.
        """
        named = self.values if isinstance(self.values, Mapping) else {"values": self.values}
        if any(np.asarray(value).dtype == object for value in named.values()):
            raise InputError("write: expected values that are numbers or arrays of one shape, found other objects")
        suffix = Path(path).suffix.lower()
        if suffix == ".csv":
            names, *rows = self._rows(named)
            write_rows(path, [str(name) for name in names], rows)
            return self
        if suffix != ".npz":
            raise InputError(f"{path}: expected a .npz or .csv file")
        axes = {f"axis {name}": column for name, column in self.axes.items()}
        write_arrays(path, {**named, **axes, "done": self.done, "robots": np.array(self.robots)}, compressed=False)
        return self

    def plot(self, path: str | Path, names: Sequence[str] = (), largest: Sequence[str] = ()) -> Study:
        """Plot the values over a grid of one or two columns, the positions of an arm, or two criteria.

        Parameters
        ----------
        path : str or Path
            File to write: .svg, .png or .html.
        names : sequence of str
            Values to plot. With two names, the second is plotted over the first, with their Pareto front.
        largest : sequence of str
            Those of `names` for which larger values are better.

        Returns
        -------
        Study
            The study itself.
        """
        from robosym.studies.study_plots import plotted_study

        plotted_study(self, names, largest).write(path)
        return self

    def _rows(self, named: Mapping[str, Array]) -> Iterator[list[str | float]]:
        """Return rows with robot, grid axes or sample number, and values; names in the first row."""
        flat = {name: np.asarray(value, dtype=float).reshape(self.done.size, -1) for name, value in named.items()}
        flat = {name: value[:, 0] if value.shape[1] == 1 else value for name, value in flat.items()}
        columns = numbered(flat)
        yield [*(["robot"] if self.robots else []), *(self.axes or ["sample"]), *columns]
        for row, (place, values) in enumerate(
            zip(np.ndindex(self.done.shape), zip(*columns.values(), strict=True), strict=True), 1
        ):
            robot, rest = ([self.robots[place[0]]], place[1:]) if self.robots else ([], place)
            at = [float(axis[k]) for axis, k in zip(self.axes.values(), rest, strict=True)] if self.axes else [str(row)]
            yield [*robot, *at, *values]

    def __str__(self) -> str:
        """Return minimum, mean and maximum of the values."""
        named = self.values if isinstance(self.values, Mapping) else {"values": self.values}
        lines = [repr(self)[1:-1]]
        for name, value in named.items():
            if value.dtype.kind in "biuf" and np.isfinite(value).any():
                flat = value.reshape(*self.done.shape, -1)
                for k, column in enumerate(np.moveaxis(flat, -1, 0)):
                    label = name if flat.shape[-1] == 1 else f"{name} {k + 1}"
                    least, mean, most = np.nanmin(column), np.nanmean(column), np.nanmax(column)
                    lines.append(f"  {label}: {least:.6g} .. {most:.6g}, mean {mean:.6g}")
        lines += [f"  failed at {', '.join(map(str, place))}: {why}" for place, why in list(self.failures.items())[:5]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        total = self.done.size
        failed = f", {len(self.failures)} failed" if self.failures else ""
        over = f" over {' x '.join(f'{n}[{len(c)}]' for n, c in self.axes.items())}" if self.axes else ""
        return f"<Study of {counted(total, 'sample')}{over}{failed}, {self.seconds:.3g} s>"


def study(
    function: Callable[..., object] | Model | str,
    samples: object,
    robots: object = None,
    *,
    at: Mapping[str, float] | None = None,
    vectorized: bool = False,
    paired: bool = False,
    workers: int | str = 1,
    cluster: object = None,
    path: str | Path | None = None,
    chunk: int | None = None,
    progress: Progress = None,
    **options: Any,
) -> Study:
    """Evaluate a function at all samples.

    A sample of a mapping is a mapping of numbers; for a model the names are its inputs (joint variables, parameters
    such as lengths). It runs in this process, in processes of this machine, or on a Dask cluster (`cluster=True`: one
    of this machine; in a script, below `if __name__ == "__main__":`). If a worker process dies, its samples are
    evaluated by others; a sample that terminates every worker, or raises an error, is listed in `failures`. A folder
    `path` whose function (its code, the values it closes over, its bound arguments), samples, robots or options differ
    is rejected.

    Parameters
    ----------
    function
        Function of a sample (preceded by a robot if `robots` are given) that returns a number, an array or a mapping
        of these; a Model; or one of "manipulability", "singularity" and "workspace" (options `link` and `task`).
    samples
        Array of rows, list, or mapping of columns by name: a grid, also as text, "t2=-2:2:50 t3=0:1:11". For a named
        function, also the number of random positions within the joint limits.
    robots
        A robot or its name, or several in a list or a mapping.
    at
        Value of an input that is not sampled: t1=0.5.
    vectorized
        Whether the function accepts many samples and returns one row per sample.
    paired
        Whether the columns of a mapping are paired, instead of axes of a grid.
    workers
        Number of processes, or all for one per core.
    cluster
        Address of a Dask cluster.
    path
        Folder that stores finished parts, from which an interrupted study continues.
    chunk
        Number of samples per part.
    progress
        True for a bar, or a function called with (done, total), which may raise an exception to cancel.
    **options
        Options of a named function, such as `link` and `task`.

    Returns
    -------
    Study
        Values of all samples and failures.

    Raises
    ------
    InputError
        If an argument is invalid, or every sample failed.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.study("workspace", "t1=0:1:3 t2=0:1:2", robots="planar2r").values.shape
    (3, 2, 3)
    """
    begun = time.perf_counter()
    named = _robots(robots)
    listed = SampleList(_drawn(samples, named) if isinstance(function, str) else samples, paired)
    count = _workers(workers, cluster)
    job = _job(function, listed, named, at or {}, vectorized, options)
    gathered = AllResults(len(job.functions), len(listed))
    folder = None
    if path is not None:
        what = function.code("listing") if isinstance(function, Model) else function
        folder = Folder(path, fingerprint(what, listed, named, dict(at or {}), vectorized, options))
    for piece, result in folder.known() if folder is not None else ():
        gathered.put(piece, result)
    pieces = list(_pieces(gathered, _size(chunk, gathered, count, job.batched)))
    with reporting(f"study of {counted(len(listed), 'sample')}", gathered.done.size, progress) as report:
        report(int(gathered.done.sum()))
        for piece, result in _spread(job, pieces, count, cluster):
            gathered.put(piece, result)
            if folder is not None:
                folder.store(piece, result)
            report(int(gathered.done.sum()) + len(gathered.failures))
    return _finished(gathered, listed, named, time.perf_counter() - begun)


def _spread(job: Job, pieces: list[Piece], count: int, cluster: object) -> Iterator[tuple[Piece, PieceResult]]:
    """Yield each piece with its result; if a piece terminates workers, its samples are evaluated one by one."""
    if cluster is None and count == 1:
        yield from here(job, pieces)
        return
    if cluster is None:
        yield from _surviving(partial(on_cores, job, workers=count), pieces)
        return
    with client_of(cluster, count) as client:
        yield from _surviving(partial(on_cluster, job, client=client), pieces)


def _surviving(
    run: Callable[..., Iterable[tuple[Piece, PieceResult | WorkerDied]]], pieces: list[Piece]
) -> Iterator[tuple[Piece, PieceResult]]:
    alone: list[Piece] = []
    for piece, result in run(pieces=pieces):
        if isinstance(result, WorkerDied):
            robot, start, stop = piece
            alone += [(robot, k, k + 1) for k in range(start, stop)]
        else:
            yield piece, result
    for piece, result in run(pieces=alone) if alone else ():
        yield piece, PieceResult({}, {0: "the worker process died"}) if isinstance(result, WorkerDied) else result


def _job(
    function: object, samples: SampleList, robots: Mapping[str, Robot] | None, at: Mapping[str, float],
    vectorized: bool, options: Mapping[str, Any],
) -> Job:  # fmt: skip
    """Return the work of the study."""
    if isinstance(function, (str, Model)):
        if isinstance(function, Model):
            if robots is not None or options:
                raise InputError("function: expected no robots and no options with a model, which contains its robot")
            found = [Evaluation(function, at)]
        else:
            if robots is None:
                raise InputError(f"{function}: expected a robot: pass robots")
            found = [ready(function, robot, at, options) for robot in robots.values()]
        for evaluation in found:
            evaluation.check(samples.names, samples.width)
        return Job(tuple(found), samples, True)
    if not callable(function):
        raise InputError(f"function: expected a function, a model or a name, found {type(function).__name__}")
    if at or options:
        unknown = ", ".join(["at"] * bool(at) + list(options))
        raise InputError(f"{unknown}: only models and named functions accept this argument")
    if robots is None:
        return Job((function,), samples, vectorized)
    functions = tuple(partial(function, robot) for robot in robots.values())
    return Job(functions, samples, vectorized)


def _robots(robots: object) -> dict[str, Robot] | None:
    """Return the robots by name; a single robot has an empty name and no axis in the results."""
    if robots is None:
        return None
    if isinstance(robots, Mapping):
        named = dict(robots)
    elif isinstance(robots, Sequence) and not isinstance(robots, str):
        named = {f"{k}": robot for k, robot in enumerate(robots)}
    else:
        named = {"": robots}
    if not named:
        raise InputError("robots: expected at least one robot, found none")
    loaded = {name: load(robot) if isinstance(robot, (str, Path)) else robot for name, robot in named.items()}
    for name, robot in loaded.items():
        if not isinstance(robot, Robot):
            raise InputError(f"robots: {f'{name}: ' if name else ''}expected a robot, found {type(robot).__name__}")
    return loaded


def _drawn(samples: object, robots: Mapping[str, Robot] | None) -> object:
    """Return random positions if the samples are a number; unlimited revolute joints get a full turn."""
    if isinstance(samples, str) and samples.strip().isdecimal():
        samples = int(samples)
    if isinstance(samples, bool) or not isinstance(samples, int) or not robots:
        return samples
    if not 1 <= samples <= _MOST:
        raise InputError(f"samples: expected a number from 1 to {_MOST}, found {samples}")
    robot = next(iter(robots.values()))
    if robot.coordinates not in ("joints", "active"):
        raise InputError(
            f"samples: expected a grid or rows of inputs: {robot.name} has a platform or a transmission, "
            "and random positions require joint limits"
        )
    lower, upper = [], []
    for j in robot.tree_joints:
        limits, turns = robot.joint(j).limits, robot.frame(j).sigma == 0
        if not turns and (limits.lower is None or limits.upper is None):
            raise InputError(
                f"samples: joint {j}: expected position limits of the prismatic joint for random positions, found "
                "none: use a grid"
            )
        lower.append(-np.pi if limits.lower is None else limits.lower)
        upper.append(np.pi if limits.upper is None else limits.upper)
    return random_arrays("samples of studies").uniform(lower, upper, (samples, len(lower)))


def _workers(workers: int | str, cluster: object) -> int:
    if workers == "all":
        return cores()
    if isinstance(workers, str) and workers.isdecimal():
        workers = int(workers)
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers: expected a positive number or 'all', found {workers!r}")
    return cores() if cluster is not None and workers == 1 else workers


def _size(chunk: int | None, gathered: AllResults, workers: int, batched: bool) -> int:
    if chunk is not None:
        if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
            raise InputError(f"chunk: expected a positive number of samples, found {chunk!r}")
        return chunk
    even = -(-int((~gathered.done).sum()) // (workers * _ROUNDS))
    return min(_BATCH, gathered.shape[1]) if batched and workers == 1 else max(1, min(even, _BATCH))


def _pieces(gathered: AllResults, size: int) -> Iterator[Piece]:
    """Yield the samples that are not done yet, in pieces of at most `size`."""
    for robot, row in enumerate(gathered.done):
        open_ = np.flatnonzero(~row)
        runs = np.split(open_, np.flatnonzero(np.diff(open_) > 1) + 1)
        for run in runs:
            for k in range(0, len(run), size):
                part = run[k : k + size]
                yield robot, int(part[0]), int(part[-1]) + 1


def _finished(gathered: AllResults, samples: SampleList, robots: Mapping[str, Robot] | None, seconds: float) -> Study:
    if gathered.failures and not gathered.done.any():
        raise InputError(f"function: every sample failed, the first with: {next(iter(gathered.failures.values()))}")
    single = robots is None or list(robots) == [""]
    leading = samples.shape if single else (len(gathered.done), *samples.shape)
    values = {name: whole.reshape(*leading, *whole.shape[2:]) for name, whole in gathered.values.items()}
    failures = {}
    for (robot, k), words in sorted(gathered.failures.items()):
        place = tuple(int(x) for x in np.unravel_index(k, samples.shape))
        failures[place if single else (robot, *place)] = words
    return Study(
        values=values[""] if list(values) == [""] else values,
        axes=samples.axes,
        robots=() if single else tuple(robots or ()),
        failures=failures,
        done=gathered.done.reshape(leading),
        seconds=seconds,
    )
