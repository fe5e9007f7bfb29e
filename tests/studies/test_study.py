"""Studies: equal results in all processes, and no losses when workers die or the study is interrupted."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long
from robosym.studies import workers as workers_module
from robosym.studies.ready import READY
from robosym.studies.workers import cores, on_cores

ROWS = np.random.default_rng(0).uniform(-2, 2, (60, 3))


def norm(row: Any) -> float:
    return float(np.linalg.norm(row))


def parts(row: Any) -> dict[str, Any]:
    if row[0] > 1.5:
        raise ValueError("too far")
    return {"sum": row.sum(), "twice": 2 * row}


def length(robot: rs.Robot, sample: Any) -> float:
    return float(robot.with_values({"D3": sample["D3"]}).NF * sample["D3"] + sample["t2"])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as made,
        distributed.Client(made, set_as_default=False),
    ):
        yield made.scheduler_address


# ---------------------------------------------------------------------------------------------- results as arrays


@pytest.mark.parametrize("workers", [1, 2, "all"])
def test_results_do_not_depend_on_workers(workers: Any) -> None:
    found = rs.study(norm, ROWS, workers=workers, progress=False)
    np.testing.assert_allclose(found.values, np.linalg.norm(ROWS, axis=1))
    assert found.done.all() and not found.failures and "60 samples" in repr(found)


def test_lambda_on_all_cores() -> None:
    factor = 3.0
    np.testing.assert_allclose(rs.study(lambda row: factor * row, ROWS, workers=2).values, factor * ROWS)


def test_vectorized_function() -> None:
    found = rs.study(lambda rows: {"a": rows.sum(axis=1), "b": rows}, ROWS, vectorized=True, chunk=7)
    np.testing.assert_allclose(found["a"], ROWS.sum(axis=1))
    np.testing.assert_allclose(found["b"], ROWS)
    with pytest.raises(rs.InputError, match="expected 60 rows"):
        rs.study(lambda rows: 1.0, ROWS, vectorized=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_reports_failures(workers: int) -> None:
    found = rs.study(parts, ROWS, workers=workers)
    bad = ROWS[:, 0] > 1.5
    assert 0 < bad.sum() == len(found.failures)
    assert set(found.failures.values()) == {"ValueError: too far"}
    assert {(int(k),) for k in np.flatnonzero(bad)} == set(found.failures)
    assert np.isnan(found["twice"][bad]).all() and (found.done == ~bad).all()
    np.testing.assert_allclose(found["sum"][~bad], ROWS[~bad].sum(axis=1))
    with pytest.raises(rs.InputError, match="every sample failed, the first with: ValueError: too far"):
        rs.study(parts, ROWS[bad])
    with pytest.raises(rs.InputError, match="expected sum, twice, found 'product'"):
        found["product"]


def test_grid_of_named_columns() -> None:
    found = rs.study(lambda s: s["x"] - 10 * s["y"], {"x": [1, 2, 3], "y": [0.5, 0.25]}, chunk=2)
    np.testing.assert_allclose(found.values, np.array([[1, 2, 3]]).T - 10 * np.array([[0.5, 0.25]]))
    assert list(found.axes) == ["x", "y"]
    together = rs.study(lambda s: s["x"] * s["y"], {"x": [1, 2], "y": [5, 7]}, paired=True)
    np.testing.assert_allclose(together.values, [5, 14])


def test_robots_are_an_axis() -> None:
    robot = rs.load("rx90")
    grid = {"D3": [0.4, 0.5], "t2": [0.1, 0.2, 0.3]}
    one = rs.study(length, grid, robot)
    several = rs.study(length, grid, {"first": robot, "second": robot}, workers=2)
    assert one.values.shape == (2, 3) and several.values.shape == (2, 2, 3) and several.robots == ("first", "second")
    np.testing.assert_allclose(several.values[1], one.values)


def test_objects_as_samples_and_results() -> None:
    found = rs.study(lambda text: [text] * len(text), ["a", "bb"])
    assert found.values.dtype == object and found.values[1] == ["bb", "bb"]


def test_writes_file(tmp_path: Path) -> None:
    rs.study(parts, ROWS).write(tmp_path / "found.npz")
    with np.load(tmp_path / "found.npz") as data:
        assert data["twice"].shape == (60, 3) and data["done"].shape == (60,)


# ----------------------------------------------------------------------------------------------- functions at hand


@pytest.mark.parametrize("name", ["ur10e", "panda", "scara"])
def test_manipulability_and_singularity_against_singular_values(name: str) -> None:
    robot = rs.load(name)
    n = len(robot.tree_joints)
    q = np.random.default_rng(1).uniform(-2, 2, (200, n))
    J = rs.jacobian(robot, robot.NF).compile()(q=q)
    sizes = np.linalg.svd(J, compute_uv=False)
    np.testing.assert_allclose(rs.study("manipulability", q, robot).values, sizes.prod(axis=1), atol=1e-12)
    found = rs.study("singularity", q, robot, workers=2)
    np.testing.assert_allclose(found["least"], sizes[:, -1], atol=1e-12)
    np.testing.assert_allclose(found["share"], sizes[:, -1] / sizes[:, 0], atol=1e-12)
    for task, rows in (("position", slice(0, 3)), ("rotation", slice(3, 6))):
        right = np.linalg.svd(J[:, rows], compute_uv=False).prod(axis=1)
        np.testing.assert_allclose(rs.study("manipulability", q, robot, task=task).values, right, atol=1e-12)


def test_manipulability_is_zero_in_singular_position() -> None:
    straight = np.array([[0.3, -0.4, 0.0, 0.5, 1.0, 0.2], [0.3, -0.4, 0.7, 0.5, 0.0, 0.2]])
    np.testing.assert_allclose(rs.study("manipulability", straight, "ur10e").values, 0, atol=1e-15)


def test_workspace() -> None:
    q = np.random.default_rng(2).uniform(-2, 2, (50, 6))
    T = rs.direct_geometry(rs.load("ur10e"), 0, 6).compile()(q=q)
    np.testing.assert_allclose(rs.study("workspace", q, "ur10e", workers=2).values, T[:, :3, 3])


def test_design_of_lengths_over_a_grid_of_parameters() -> None:
    robot = rs.load("rx90")
    grid = {"D3": [0.3, 0.45], "t3": np.linspace(-1, 1, 5), "t5": [0.7]}
    at = {"t1": 0.1, "t2": 0.2, "t4": 0.3, "t6": 0.4, "RL4": 0.5}
    found = rs.study("manipulability", grid, robot, at=at)
    for i, d3 in enumerate(grid["D3"]):
        for k, t3 in enumerate(grid["t3"]):
            J = rs.jacobian(robot.with_values({"D3": d3, "RL4": 0.5}), 6).compile()(q=[0.1, 0.2, t3, 0.3, 0.7, 0.4])
            assert found.values[i, k, 0] == pytest.approx(abs(np.linalg.det(J)), rel=1e-10)


def test_any_model() -> None:
    model = rs.inverse_dynamics(rs.load("ur10e"))
    draws = {name: np.random.default_rng(3).uniform(-1, 1, 40) for group in model.inputs.values() for name in group}
    found = rs.study(model, draws, paired=True)
    given = {group: np.stack([draws[name] for name in names], axis=1) for group, names in model.inputs.items()}
    np.testing.assert_allclose(found.values, model.compile()(**given))


# ---------------------------------------------------------------------------------------------- workers that die


def deadly(folder: str) -> Any:
    def function(row: Any) -> float:
        mark = Path(folder) / f"{row[0]:.6f}"
        if abs(row[0]) < 0.3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(row.sum())

    return function


def test_killed_worker_loses_nothing(tmp_path: Path) -> None:
    """The first worker at each of several samples dies; another one does the work."""
    assert (np.abs(ROWS[:, 0]) < 0.3).sum() > 2
    found = rs.study(deadly(str(tmp_path)), ROWS, workers=2, chunk=4)
    np.testing.assert_allclose(found.values, ROWS.sum(axis=1))
    assert not found.failures and len(list(tmp_path.iterdir())) == (np.abs(ROWS[:, 0]) < 0.3).sum()


def test_names_sample_that_kills_every_worker() -> None:
    def function(k: Any) -> float:
        if k == 5:
            os._exit(3)
        return 2.0 * k

    found = rs.study(function, list(range(12)), workers=2, chunk=4)
    assert found.failures == {(5,): "the worker process died"}
    np.testing.assert_allclose(np.delete(found.values, 5), np.delete(2.0 * np.arange(12), 5))


def test_leaves_no_processes() -> None:
    import multiprocessing

    list(on_cores(norm, [0.0, 1.0], 2))
    results = on_cores(lambda k: time.sleep(30), range(4), 2)
    with pytest.raises(RuntimeError), _interrupted():
        next(results)
    results.close()
    assert not multiprocessing.active_children() and cores() >= 1


def _interrupted() -> Any:
    """Run with an alarm in place of a user who interrupts."""
    from contextlib import contextmanager

    @contextmanager
    def alarm() -> Iterator[None]:
        def ring(*_: Any) -> None:
            raise RuntimeError("enough")

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return alarm()


SCRIPT = """
import sys, time
import numpy as np
import robosym as rs

def slow(row):
    time.sleep(0.02)
    with open(sys.argv[2], "a") as log:
        log.write("x")
    return float(row.sum())

rows = np.arange(300.0).reshape(100, 3)
found = rs.study(slow, rows, path=sys.argv[1], workers=int(sys.argv[3]), chunk=5)
assert (found.values == rows.sum(axis=1)).all()
print("done")
"""


@pytest.mark.parametrize("workers", quick_and_long(["1", "2"], long="1"))
def test_continues_killed_study(tmp_path: Path, workers: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    folder, log = tmp_path / "kept", tmp_path / "log"
    command = [sys.executable, str(script), str(folder), str(log), workers]
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(command, env=there)
    end = time.monotonic() + 60
    while len(list(folder.glob("piece_*"))) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    first.kill()
    first.wait()
    kept = len(list(folder.glob("piece_*.npz")))
    assert 4 <= kept < 20
    time.sleep(0.2)  # time for the workers to notice the end of their parent
    before = log.stat().st_size
    done = subprocess.run(command, env=there, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr
    assert log.stat().st_size - before == 100 - 5 * kept
    again = subprocess.run(command, env=there, capture_output=True, text=True, timeout=120)
    assert again.stdout == "done\n" and log.stat().st_size - before == 100 - 5 * kept


def test_folders_of_other_studies_and_damaged_files(tmp_path: Path) -> None:
    rs.study(norm, ROWS, path=tmp_path / "kept", chunk=10)
    pieces = sorted((tmp_path / "kept").glob("piece_*"))
    assert len(pieces) == 6
    pieces[2].write_bytes(pieces[2].read_bytes()[:50])
    np.testing.assert_allclose(rs.study(norm, ROWS, path=tmp_path / "kept").values, np.linalg.norm(ROWS, axis=1))
    with pytest.raises(rs.FormatError, match="another study"):
        rs.study(norm, ROWS + 1, path=tmp_path / "kept")
    with pytest.raises(rs.FormatError, match="expected an empty folder"):
        rs.study(norm, ROWS, path=tmp_path)
    with pytest.raises(rs.FormatError, match="expected a folder"):
        rs.study(norm, ROWS, path=pieces[0])
    with pytest.raises(rs.InputError, match="expected results that are numbers"):
        rs.study(lambda row: "text", ROWS, path=tmp_path / "texts")


# --------------------------------------------------------------------------------------------------------- a cluster


@pytest.mark.usefixtures("full_effort")  # like the workers
def test_on_a_cluster(address: str) -> None:
    np.testing.assert_allclose(rs.study(norm, ROWS, cluster=address).values, np.linalg.norm(ROWS, axis=1))
    q = np.random.default_rng(4).uniform(-2, 2, (500, 6))
    here = rs.study("manipulability", q, "ur10e")
    np.testing.assert_array_equal(rs.study("manipulability", q, "ur10e", cluster=address).values, here.values)
    found = rs.study(parts, ROWS, cluster=address)
    assert set(found.failures.values()) == {"ValueError: too far"}


@pytest.mark.long
def test_killed_cluster_worker_loses_nothing(address: str, tmp_path: Path) -> None:
    rows = ROWS.copy()
    rows[:, 0] += np.abs(rows[:, 0]) < 0.3
    rows[[17, 44], 0] = 0.1, 0.2
    found = rs.study(deadly(str(tmp_path)), rows, cluster=address, chunk=6)
    np.testing.assert_allclose(found.values, rows.sum(axis=1))
    assert not found.failures and len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("full_effort")  # like the tasks
def test_tasks_reuse_compiled_model(address: str) -> None:
    """Workers receive the machine code."""
    f = rs.inverse_dynamics(rs.load("ur10e")).compile()

    def function(row: Any) -> Any:
        from robosym.runtime import engine

        def never(*_: Any) -> bytes:
            raise AssertionError("made anew")

        engine._compiled = never
        return pickle.loads(data)(q=row, qd=row, qdd=row)

    data = pickle.dumps(f)
    q = np.random.default_rng(5).uniform(-1, 1, (20, 6))
    found = rs.study(function, q, cluster=address)
    assert not found.failures
    np.testing.assert_array_equal(found.values, f(q=q, qd=q, qdd=q))


# --------------------------------------------------------------------------------------------------------- mistakes

MISTAKES: dict[str, tuple[Any, ...]] = {
    "expected at least one sample, found none": (norm, []),
    "expected at least one row": (norm, np.array(3.0)),
    "expected an array of rows, a list, or a mapping": (norm, 5),
    "expected finite numbers": (norm, [[1.0, float("nan")]]),
    "x: expected numbers": (norm, {"x": ["a"]}),
    "expected columns by name, found none": (norm, {}),
    "different lengths": (norm, {"x": [1], "y": [1, 2]}, {"paired": True}),
    "expected a function, a model or a name": (7, ROWS),
    "did you mean 'manipulability'": ("manipulabilty", ROWS, {"robots": "ur10e"}),
    "expected a robot": ("workspace", ROWS),
    "expected rows of 6 joint positions, found 3": ("workspace", ROWS, {"robots": "ur10e"}),
    "unknown input 't7'": ("workspace", {"t7": [1]}, {"robots": "ur10e"}),
    "expected values for t2": ("workspace", {"t1": [1]}, {"robots": "ur10e"}),
    "at: unknown input 'u'": ("workspace", {"t1": [1]}, {"robots": "ur10e", "at": {"u": 1}}),
    "at: t2: expected a finite number": ("workspace", {"t1": [1]}, {"robots": "ur10e", "at": {"t2": "x"}}),
    "task: expected one of": ("manipulability", ROWS, {"robots": "ur10e", "task": "everything"}),
    "unknown option 'speed'": ("manipulability", ROWS, {"robots": "ur10e", "speed": 1}),
    "workers: expected": (norm, ROWS, {"workers": 0}),
    "chunk: expected": (norm, ROWS, {"chunk": 0}),
    "robots: expected a robot": (norm, ROWS, {"robots": 5}),
    "robots: expected at least one robot": (norm, ROWS, {"robots": []}),
    "only models and named functions": (norm, ROWS, {"at": {"x": 1.0}}),
    "cluster: expected an address": (norm, ROWS, {"cluster": 7}),
    "progress: expected": (norm, ROWS, {"progress": 3}),
    "expected results of one shape": (lambda row: row[: int(row[0] > 0) + 1], ROWS, {"chunk": 1}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_rejects_invalid_arguments(message: str) -> None:
    function, samples, *more = MISTAKES[message]
    with pytest.raises(rs.Error, match=message):
        rs.study(function, samples, **(more[0] if more else {}))


def test_rejects_unreachable_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers_module, "_PATIENCE", 0.5)
    with pytest.raises(rs.InputError, match="cannot connect to"):
        rs.study(norm, ROWS, cluster="tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(rs.InputError, match=r"pip install robosym\[studies\]"):
        rs.study(norm, ROWS, cluster=True)


def test_progress() -> None:
    reports: list[tuple[int, int]] = []
    rs.study(norm, ROWS, progress=lambda *x: reports.append(x), chunk=20)
    assert reports == [(0, 60), (20, 60), (40, 60), (60, 60)]
    rs.study(norm, ROWS, progress=True)
    assert set(READY) == {"manipulability", "singularity", "workspace"}


def test_sampled_value_overrides_at() -> None:
    model = rs.gravity_torques(rs.load("planar2r"))
    angles = np.linspace(0, 1, 5)
    both = rs.study(model, {"t1": angles}, at={"t1": 3.0, "t2": 0.4})
    expected = model.compile()(q=np.column_stack([angles, np.full(5, 0.4)]))
    np.testing.assert_allclose(both.values, expected, atol=1e-12)


def test_random_positions_require_joint_coordinates() -> None:
    """Joint limits do not bound motors of a transmission and poses of a platform."""
    for robot in (rs.load("planar2r").with_transmission([[1, 0], [1, 2]]), rs.load("delta")):
        with pytest.raises(rs.InputError, match="has a platform or a transmission"):
            rs.study("workspace", 10, robots=robot)


def test_workspace_of_another_link_and_of_a_tool() -> None:
    q = np.random.default_rng(2).uniform(-2, 2, (10, 6))
    robot = rs.load("ur10e")
    T = rs.direct_geometry(robot, 0, 4).compile()(q=q)
    np.testing.assert_allclose(rs.study("workspace", q, robot, link=4).values, T[:, :3, 3], atol=1e-12)
    tool = np.eye(4)
    tool[:3, 3] = [0.1, -0.2, 0.3]
    T = rs.direct_geometry(robot, 0, 6).compile()(q=q) @ tool
    np.testing.assert_allclose(rs.study("workspace", q, robot, tool=tool).values, T[:, :3, 3], atol=1e-12)
    with pytest.raises(rs.InputError, match="unknown option 'task'"):
        rs.study("workspace", q, robot, task="position")


def test_summary_of_each_component() -> None:
    rows = np.array([[1.0, 10, -4], [2, 20, -6], [6, 60, -2], [3, 30, 0]])
    lines = str(rs.study(lambda row: row, rows)).splitlines()
    assert lines[1:] == [
        "  values 1: 1 .. 6, mean 3", "  values 2: 10 .. 60, mean 30", "  values 3: -6 .. 0, mean -3"
    ]  # fmt: skip
    assert str(rs.study(norm, rows[:, :1])).splitlines()[1:] == ["  values: 1 .. 6, mean 3"]
    grid = {"x": [1, 2, 6], "y": [10, 20, 30, 0]}
    assert str(rs.study(lambda s: s["x"] + s["y"], grid)).splitlines()[1:] == ["  values: 1 .. 36, mean 18"]
    assert str(rs.study(lambda s: [s["x"], s["y"]], grid)).splitlines()[1:] == [
        "  values 1: 1 .. 6, mean 3", "  values 2: 0 .. 30, mean 15"
    ]  # fmt: skip


def test_rows_of_a_csv_file(tmp_path: Path) -> None:
    """Columns are the robot, the axes or the sample number, and the components."""
    grid = {"x": [1.0, 2.0], "y": [0.5, 0.25, 0.125]}
    study = rs.study(lambda s: {"sum": s["x"] + s["y"], "both": [s["x"], s["y"]]}, grid)
    study.write(tmp_path / "grid.csv")
    table = np.genfromtxt(tmp_path / "grid.csv", delimiter=",", names=True)
    assert table.dtype.names == ("x", "y", "sum", "both1", "both2")
    np.testing.assert_array_equal(table["sum"].reshape(2, 3), study["sum"])
    np.testing.assert_array_equal(table["x"], table["both1"])
    np.testing.assert_array_equal(table["y"], np.tile(grid["y"], 2))
    rs.study(norm, ROWS[:3]).write(tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[0] == "sample,values" and [line.split(",")[0] for line in lines[1:]] == ["1", "2", "3"]
    robot = rs.load("rx90")
    several = rs.study(length, {"D3": [0.4], "t2": [0.1, 0.2]}, {"first": robot, "second": robot})
    several.write(tmp_path / "robots.csv")
    lines = (tmp_path / "robots.csv").read_text().splitlines()
    assert lines[0] == "robot,D3,t2,values"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["first", "0.4", "0.1"], ["first", "0.4", "0.2"], ["second", "0.4", "0.1"], ["second", "0.4", "0.2"]
    ]  # fmt: skip
    with pytest.raises(rs.InputError, match=r"expected a .npz or .csv file"):
        several.write(tmp_path / "robots.txt")


def test_work_is_divided_into_few_even_pieces() -> None:
    """Workers receive pieces, not single samples."""
    reports: list[tuple[int, int]] = []
    rs.study(norm, np.ones((1000, 2)), workers=2, progress=lambda *x: reports.append(x))
    assert reports[-1] == (1000, 1000) and 2 * 16 <= len(reports) - 1 <= 2 * 32


class Trap:
    """Object that leaves a mark when it is unpickled."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.mark),)


def test_nothing_is_unpickled_from_a_folder(tmp_path: Path) -> None:
    """A piece with objects is computed again, and its code does not run."""
    folder, mark = tmp_path / "study", tmp_path / "mark"
    right = rs.study(norm, ROWS, path=folder, chunk=30).values
    pieces = sorted(folder.glob("piece_*.npz"))
    assert len(pieces) == 2
    trap = np.empty(30, dtype=object)
    trap[:] = [Trap(str(mark))] * 30
    np.savez(pieces[0], **{"value ": trap, "failed": np.array("{}")})  # type: ignore[arg-type]
    np.testing.assert_array_equal(rs.study(norm, ROWS, path=folder, chunk=30).values, right)
    assert not mark.exists()


def crane(turn: Any, slide: Any) -> rs.Robot:
    """Return a robot whose frame 2 is at the distance r2 from the axis, in the direction t1 - Pi/2."""
    first: dict[str, Any] = {"theta": "t1"} | ({"limits": {"position": turn}} if turn else {})
    second: dict[str, Any] = {"sigma": 1, "alpha": "Pi/2", "r": "r2"}
    return rs.robot("crane", frames=[first, second | ({"limits": {"position": slide}} if slide else {})])


@pytest.mark.parametrize("turn", [[-0.5, 1.0], None, ["-inf", 1.0], [-0.5, "inf"]])
def test_random_positions_are_within_limits(turn: Any) -> None:
    """They cover the whole range; a revolute joint without limits covers one turn."""
    x, y, _ = rs.study("workspace", 500, crane(turn, [0.2, 0.9])).values.T
    angle = np.angle((x + 1j * y) * 1j)
    low, high = (-0.5, 1.0) if turn else (-np.pi, np.pi)
    low, high = (-np.pi if turn and turn[0] == "-inf" else low), (np.pi if turn and turn[1] == "inf" else high)
    for values, (least, most) in ((np.hypot(x, y), (0.2, 0.9)), (angle, (low, high))):
        assert len(values) == 500 and least <= values.min() and values.max() <= most
        assert np.ptp(values) > 0.97 * (most - least)


def test_rejects_random_positions() -> None:
    for slide in (None, [0, "inf"], ["-inf", 0]):
        with pytest.raises(rs.InputError, match="joint 2: expected position limits"):
            rs.study("workspace", 10, crane(None, slide))
    assert rs.study("workspace", "1", crane(None, [0, 1])).values.shape == (1, 3)
    for wrong in (0, -1):
        with pytest.raises(rs.InputError, match="samples: expected a number from 1"):
            rs.study("workspace", wrong, crane(None, [0, 1]))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("t2=-2:2:5 t3=0:1:2", {"t2": [-2, -1, 0, 1, 2], "t3": [0, 1]}), ("a=3", {"a": [3]}),
        ("a=1:2:1, b=4", {"a": [1], "b": [4]}),
    ],
)  # fmt: skip
def test_grids_as_text(text: str, columns: dict[str, list[float]]) -> None:
    found = rs.study(lambda s: sum(s.values()), text)
    assert {name: list(axis) for name, axis in found.axes.items()} == columns
    for wrong in ("a=1:2", "a=1:2:0", "a=1:2:1.5", "a=x", "a=1:2:3:4"):
        with pytest.raises(rs.InputError, match="expected name=from:to:count"):
            rs.study(norm, wrong)


def test_failed_batch_fails_completely() -> None:
    def half(rows: Any) -> Any:
        if rows[0, 0] >= 5:
            raise ValueError
        return rows[:, 0]

    found = rs.study(half, np.arange(10.0)[:, None], vectorized=True, chunk=5)
    assert found.failures == {(k,): "ValueError" for k in range(5, 10)}
    np.testing.assert_array_equal(found.done, np.arange(10) < 5)
    np.testing.assert_array_equal(found.values[:5], np.arange(5.0))
    assert np.isnan(found.values[5:]).all() and str(found).count("failed at") == 5


def test_outputs_and_joints_by_name() -> None:
    robot = rs.load("panda")
    model = rs.compose(rs.gravity_torques(robot), rs.direct_geometry(robot, 0, 7))
    names = robot.joint_names
    swept = np.linspace(-1, 1, 4)
    at = {name: 0.1 * k for k, name in enumerate(names, 1) if k != 3}
    found = rs.study(model, {names[2]: swept}, at=at)
    q = np.tile(0.1 * np.arange(1.0, 8), (4, 1))
    q[:, 2] = swept
    np.testing.assert_allclose(found["Q"], rs.gravity_torques(robot).compile()(q=q), atol=1e-12)
    np.testing.assert_allclose(found["T"], rs.direct_geometry(robot, 0, 7).compile()(q=q), atol=1e-12)


def test_computes_only_missing_samples(tmp_path: Path) -> None:
    """The folder has a gap in the middle."""
    log = tmp_path / "log"

    def counted(row: Any) -> float:
        with log.open("a") as stream:
            stream.write(f"{int(row[0])} ")
        return 2.0 * row[0]

    rows = np.arange(12.0)[:, None]
    rs.study(counted, rows, path=tmp_path / "study", chunk=3)
    assert [int(word) for word in log.read_text().split()] == list(range(12))
    for name in ("piece_0_3_6.npz", "piece_0_9_12.npz"):
        (tmp_path / "study" / name).unlink()
    log.unlink()
    reports: list[tuple[int, int]] = []
    found = rs.study(counted, rows, path=tmp_path / "study", chunk=2, progress=lambda *x: reports.append(x))
    assert [int(word) for word in log.read_text().split()] == [3, 4, 5, 9, 10, 11]
    assert reports == [(6, 12), (8, 12), (9, 12), (11, 12), (12, 12)]
    np.testing.assert_array_equal(found.values, 2 * np.arange(12.0))


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_missing_values_are_nan_or_none(chunk: int) -> None:
    """Integers become floats if one is missing; objects are None."""
    assert rs.study(lambda k: 2 * int(k), [1, 2, 3], chunk=chunk).values.dtype.kind == "i"
    assert rs.study(lambda k: 2 if k < 2 else 2.5, [1, 2, 3], chunk=chunk).values.tolist() == [2, 2.5, 2.5]
    failed = rs.study(lambda k: 1 // int(k), [1, 0, 1], chunk=chunk)
    np.testing.assert_array_equal(failed.values, [1, np.nan, 1])
    assert failed.failures == {(1,): "ZeroDivisionError: integer division or modulo by zero"}
    named = rs.study(lambda k: {"a": int(k)} if k < 2 else {"a": int(k), "b": [True, False]}, [1, 2, 3], chunk=chunk)
    np.testing.assert_array_equal(named["a"], [1, 2, 3])
    if chunk == 1:
        np.testing.assert_array_equal(named["b"], [[np.nan, np.nan], [1, 0], [1, 0]])
    things = rs.study(lambda k: ["x"] * (1 // int(k)), [1, 0, 1], chunk=chunk)
    assert things.values.tolist() == [["x"], None, ["x"]]
