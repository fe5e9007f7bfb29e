"""Test that closed forms in machine code give the solutions and the errors of the slow path."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap
from chains.test_paul import VALUES
from long_cases import quick_and_long
from robosym.chains.elimination.branch_rows import branch_rows
from robosym.chains.numeric_chain import parameter_values
from robosym.solve import inverse_geometry
from robosym.solve.fast_solver import SolutionBatch
from robosym.solve.pose import poses_of

TOOL = np.array([[1, 0, 0, 0.1], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1.0]])


def poses_of_all_kinds(model, values, count, seed=0):
    """Return random poses, poses at right angles, nearly singular ones, and some that may be out of reach."""
    chain = model.solver.numeric(parameter_values(model.parameters, values, model.fixed))
    rng = np.random.default_rng(seed)
    n, lengths, part = len(chain.joints), chain.prismatic, count // 4
    q = np.where(lengths, chain.length, np.pi) * rng.uniform(-1, 1, (count, n))
    rounded = np.where(lengths, np.round(q, 1), np.round(q / (np.pi / 2)) * np.pi / 2)
    q[:part] = rounded[:part]
    at = np.arange(part, 2 * part), rng.integers(0, n, part)
    q[at] = np.where(lengths[at[1]], 0.0, rounded[at])
    near = 10.0 ** rng.uniform(-9, -2, (part, 1)) * (rng.random((part, 1)) < 0.5)
    q[part : 2 * part] += near * rng.normal(size=(part, n))
    T = chain.forward(q)
    T[-part // 2 :, :3, 3] *= rng.uniform(0.5, 2, (len(T[-part // 2 :]), 1))
    return T


def compare(model, values=None, count=240, seed=0):
    model.compile()
    T = poses_of_all_kinds(model, values, count, seed)
    found = model.solve(T, parameters=values)
    poses, _, tolerances = poses_of(T, model.given, 1e-9)
    expected = model._slow_path(poses, parameter_values(model.parameters, values, model.fixed), tolerances)
    assert isinstance(found, SolutionBatch) and len(found) == count
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert len(one) == len(other) and set(one.free) == set(other.free), number
        if not len(one):
            continue
        off = np.asarray(one)[:, None] - np.asarray(other)
        lengths = np.array([name.startswith("r") for name in model.joints])
        off = np.abs(np.where(lengths, off, 2 * np.sin(off / 2))).max(axis=2)
        assert off.min(axis=0).max() < 1e-6 and off.min(axis=1).max() < 1e-6, number
        assert one.errors.max() < 1e-9
    for number in range(0, count, 12):
        single = model.solve(T[number], parameters=values)
        assert len(single) == len(expected[number]) and set(single.free) == set(expected[number].free)
    return found


@pytest.mark.parametrize(
    "name", quick_and_long(["rx90", "ur5e", "stanford", "scara", "gantry3p3r"], long="rx90 gantry3p3r")
)
def test_library(name):
    found = compare(inverse_geometry(rs.load(name)), VALUES.get(name))
    assert len(found.rows) == found.counts.sum() and found.singular == (name != "scara")


def test_tools_points_and_fixed_joints():
    compare(inverse_geometry(rs.load("puma560"), tool=TOOL), count=80)
    compare(inverse_geometry(rs.load("planar2r"), given="P"), count=80)
    seven = inverse_geometry(rs.load("lwr"), fixed={"t3": 0.3}).compile()
    values = parameter_values(seven.parameters, None, seven.fixed)
    chain = seven.solver.numeric(values)
    q = np.random.default_rng(0).uniform(-2, 2, (30, 7))
    q[:, 2] = 0.3
    found = seven.solve(chain.forward(q))
    for row, solutions in zip(np.delete(q, 2, axis=1), found, strict=True):
        assert np.abs(2 * np.sin((np.asarray(solutions) - row) / 2)).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("seed", quick_and_long(range(4), long=[2, 3]))
def test_random_arms(seed):
    rng = np.random.default_rng(seed)
    done = 0
    while done < 2:
        rows = []
        for j in range(1, int(rng.integers(3, 7)) + 1):
            row = {"alpha": float(rng.choice([0, np.pi / 2, -np.pi / 2])), "d": float(rng.choice([0, 0.3, 0.5]))}
            if rng.random() < 0.25:
                row |= {"sigma": 1, "theta": float(rng.choice([0, np.pi / 2])), "r": f"r{j}"}
            else:
                row |= {"theta": f"t{j}", "r": float(rng.choice([0, 0.2]))}
            rows.append(row)
        try:
            model = inverse_geometry(build("arm", rows), "paul", "snaP" if len(rows) > 3 else "P").compile()
        except rs.Error:
            continue
        compare(model, count=80, seed=seed)
        done += 1


@pytest.mark.parametrize("given", ["aP", "saP"])
def test_ignores_columns_that_are_not_given(given):
    """Columns that are not given may have any value."""
    arm = [{"theta": "t1", "r": 0.2}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.5, "theta": "t3"},
           {"d": 0.4, "theta": "t4"}, {"alpha": "Pi/2", "theta": "t5", "r": 0.1}]  # fmt: skip
    model = inverse_geometry(build("arm", arm), given=given)
    compare(model, count=60)
    T = model.solver.numeric({}).forward(np.random.default_rng(3).uniform(-2, 2, (8, len(model.problem.unknown))))
    counts = model.solve(T).counts
    T[:, :3, ["sna".index(axis) for axis in "sna" if axis not in given]] = 7.0
    assert np.array_equal(model.solve(T).counts, counts) and counts.all()


def test_threads_with_parameters_of_their_own():
    model = inverse_geometry(rs.load("rx90")).compile()
    sets = [{"D3": 0.45, "RL4": 0.45}, {"D3": 0.3, "RL4": 0.6}]
    q = np.random.default_rng(4).uniform(-3, 3, (40, 6))

    def found(number):
        T = model.solver.numeric(sets[number % 2]).forward(q)
        solutions = [np.asarray(model.solve(pose, sets[number % 2])) for pose in T]
        return max(gap(rows, row, [False] * 6) for rows, row in zip(solutions, q, strict=True))

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(found, range(12))) < 1e-6


def test_rejects_invalid_poses():
    model = inverse_geometry(rs.load("ur5e")).compile()
    T = model.solver.numeric({}).forward(np.full((5, 6), 0.7))
    T[3, 0, 0] += 0.1
    with pytest.raises(rs.Error, match="pose 3 is not a rotation"):
        model.solve(T)
    T[3] = np.diag([1, 1, -1, 1])
    with pytest.raises(rs.Error, match="pose 3 is not a rotation: its determinant is -1"):
        model.solve(T)
    T[3] = np.nan
    with pytest.raises(rs.Error, match="not a finite number"):
        model.solve(T)
    T[3] = T[2]
    T[3, 3] = [0, 0, 0.1, 1]
    with pytest.raises(rs.Error, match=r"expected 0 0 0 1 as the last row of a pose, found 0 0 0\.1 1"):
        model.solve(T[3])


def test_rounded_poses():
    """A rotation rounded to seven digits is replaced by the nearest rotation."""
    model = inverse_geometry(rs.load("ur5e")).compile()
    T = np.round(model.solver.numeric({}).forward(np.full((1, 6), 0.7)), 7)
    poses, _, tolerances = poses_of(T, "snaP", 1e-9)
    [expected] = model._slow_path(poses, {}, tolerances)
    for found in (model.solve(T[0]), model.solve(T)[0], model(T[0].tolist())):
        assert np.abs(np.asarray(found) - np.asarray(expected)).max() < 1e-9


def test_sequence_of_solutions():
    model = inverse_geometry(rs.load("ur5e")).compile()
    q = np.random.default_rng(1).uniform(-3, 3, (7, 6))
    found = model.solve(model.solver.numeric({}).forward(q))
    assert len(found[1:3]) == 2 and np.array_equal(found[-1], found[6]) and "7 poses" in repr(found)
    with pytest.raises(IndexError):
        found[7]
    nearest = model.solve(model.solver.numeric({}).forward(q), near=q[0])
    assert np.abs(np.asarray(nearest[0])[0] - q[0]).max() < 1e-9


def test_compiles_at_construction(monkeypatch):
    """The first pose takes the same path as all others: no call derives or compiles anything."""
    models = [inverse_geometry(rs.load("scara")), inverse_geometry(rs.load("iiwa14"))]

    def rejected(*arguments, **options):
        raise AssertionError("compiled in a call")

    monkeypatch.setattr("robosym.runtime.engine.build", rejected)
    monkeypatch.setattr("robosym.runtime.compiled.Compiled._made", rejected)
    for model in models:
        more = {} if model is models[0] else {"redundancy": 0.3}
        T = getattr(model, "at", model).solver.numeric({}).forward(np.full((1, 4 + 3 * bool(more)), 0.3))[0]
        assert np.array_equal(model.solve(T, **more), model.solve(T, **more)) and len(model.solve(T, **more))


def test_models_are_cached_on_disk(monkeypatch, tmp_path):
    """A model of an equal chain comes from the cache, with the robot of the call; a damaged entry is derived again."""
    monkeypatch.setenv("ROBOSYM_CACHE", str(tmp_path))
    text = rs.load("ur5e").dumps("yaml")
    first = inverse_geometry(rs.loads(text, format="yaml"))
    T = first.solver.numeric({}).forward(np.full((1, 6), 0.3))[0]
    derived = []
    module = sys.modules["robosym.solve.inverse_geometry"]
    original = module._derived
    monkeypatch.setattr(module, "_derived", lambda *given: derived.append(given) or original(*given))
    robot = rs.loads(text, format="yaml")
    again = inverse_geometry(robot)
    assert again.robot is robot and not derived and np.array_equal(again.solve(T), first.solve(T))
    longer = inverse_geometry(rs.loads(text.replace("0.1625", "0.2625"), format="yaml"))
    assert len(derived) == 1 and not np.allclose(longer.solve(T)[0], first.solve(T)[0])
    for entry in tmp_path.iterdir():
        entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    damaged = inverse_geometry(rs.loads(text, format="yaml"))
    assert len(derived) == 2 and np.array_equal(damaged.solve(T), first.solve(T))


def test_rejects_arms_without_closed_form():
    with pytest.raises(rs.Error, match="no closed form without quartics"):
        inverse_geometry(rs.load("scara"), "general", "P", fixed=("t4",)).compile()


def test_branches_are_chosen_and_sorted():
    """Small margins, doubtful branches and poses that are not rotations need another look."""
    joints, branches = 2, 4
    shape = np.array([joints, branches, 1, 1, 0], np.intc)
    q = np.array([[0.5, 2.0], [-np.pi, 1.0], [0.5, -3.0], [0.1, 0.1]])
    errors = np.array([1e-13, 0.0, 2e-13, 0.7])

    def run(errors=errors, margin=1.0, rotation=0.0):
        rows, left, numbers = np.zeros((branches, joints)), np.zeros(branches), np.zeros(1, np.intc)
        given = [np.array(part, float) for part in (q, errors, [rotation], [margin])]
        views = [memoryview(part).cast("B").cast("d") for part in (*given, rows, left)]
        clear = memoryview(np.array([0.1])).cast("B").cast("d")
        ints = [memoryview(part).cast("B").cast("i") for part in (shape, numbers)]
        return branch_rows(ints[0], clear, 1e-11, 1e-2, 1, *views, ints[1]), rows, left, numbers[0]

    total, rows, left, number = run()
    assert total == number == 3
    assert np.allclose(rows[:3], [[0.5, -3], [0.5, 2], [np.pi, 1]]) and left[:3].tolist() == [2e-13, 1e-13, 0.0]
    assert run(errors=[1e-13, 0.0, 1e-5, np.nan])[3] == -1
    assert run(errors=[1e-13, np.nan, np.nan, np.nan])[3] == 1
    assert run(margin=0.05)[3] == run(rotation=1e-3)[3] == run(rotation=np.nan)[3] == -1
    assert run(margin=np.nan)[3] == 3  # of a branch that does not exist
