"""Machine code, which `solve` makes after some calls, gives the answers of the calls before, in batches too."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place
from long_cases import quick_and_long
from robosym.coordinates.loops import loops_of
from robosym.errors import ExpressionError
from robosym.solve import inverse_geometry

H = np.pi / 2


def rows(alphas, d, r, sigma=()):
    return [
        {"alpha": a, "d": x, **({"sigma": 1, "theta": 0.0, "r": f"r{j}"} if j in sigma else {"theta": f"t{j}", "r": z})}
        for j, (a, x, z) in enumerate(zip(alphas, d, r, strict=True), 1)
    ]


def poses(model, seed=0, count=6):
    """Of random joints, and of joints at right angles."""
    chain = model.solver.numeric({})
    q = np.random.default_rng(seed).uniform(-3, 3, (count, len(chain.joints)))
    q = np.where(chain.prismatic, 0.4 * q, np.vstack([q[: count // 2], np.round(q[count // 2 :] / H) * H]))
    return q, chain.forward(q), chain.prismatic


def same(first, later, prismatic):
    """The same solutions in the same order, angles on the circle; a continuum of them may be sampled elsewhere."""
    assert first.shape == later.shape and first.free == later.free
    apart = np.where(prismatic, np.asarray(first) - later, 2 * np.sin((np.asarray(first) - later) / 2))
    assert np.abs(apart).max(initial=0) < 1e-6


ARMS = {
    # Paul's steps neglect what decides the next joint: reachable poses had no solution
    "lost": rows([1e-9, -H, H, 1e-11, -1e-7], [0.3, 0.816, 0, 0, 0.5], [0.4537, 0, 1e-14, 0, 1e-9], {4}),
    **{
        f"{name} {k}": rows(a, d, r)
        for k in (5, 7, 9, 12, 15)
        for name, a, d, r in (
            ("wrist", [0, -H, 10.0**-k, -H, H, -H], [0, 0, 0.4, 0, 0, 0], [0, 0.3, 0.1, 0.4, 0, 0]),
            ("parallel", [0, H, 10.0**-k, 0, H, -H], [0, 0, 0.4, 0.4, 0, 0], [0.3, 0, 0, 0.1, 0.1, 0.1]),
            ("skew", [10.0**-k, -H + 10.0**-k, 0, -H, H, -H], [0, 0.1, 0.4, 0.05, 0, 0], [0, 0, 0, 0.4, 0, 0]),
        )
    },
}


#: each kind of arm once, and each size of what is neglected
QUICK = {"lost", "wrist 5", "parallel 9", "skew 15", "wrist 15"}


@pytest.mark.parametrize("name", quick_and_long(ARMS, long=set(ARMS) - QUICK))
def test_compilation_changes_no_answer(name):
    model = inverse_geometry(build("arm", ARMS[name]))
    q, T, prismatic = poses(model)
    model._use.poses = -(10**9)  # never compiled
    first = [model.solve(pose) for pose in T]
    model._use.poses = 10**9
    later = [model.solve(pose) for pose in T]
    batch = model.solve(T)
    for number, (known, a, b, c) in enumerate(zip(q, first, later, batch, strict=True)):
        assert gap(np.asarray(a), known, prismatic) < 1e-5 or number >= len(q) // 2  # these may be singular
        same(a, b, prismatic)
        same(a, c, prismatic)


def test_forty_calls():
    """As a user calls it: the machine code is made on the way."""
    model = inverse_geometry(build("arm", ARMS["lost"]))
    _, T, prismatic = poses(model)
    first = model.solve(T[0])
    assert len(first)
    for _ in range(40):
        same(first, model.solve(T[0]), prismatic)


def test_a_closed_form_that_cannot_be_compiled(monkeypatch):
    """A branch that divides by zero whatever the pose: the steps are run as before."""
    from robosym.model.solution import unrolled as straight

    def fails(self, k):
        raise ExpressionError("division by zero")

    model = rs.inverse_geometry(rs.load("ur5e"))
    T = model.solver.numeric({}).forward(np.full((1, 6), 0.3))[0]
    first = model.solve(T)
    monkeypatch.setitem(straight._ROOTS, "sine", fails)
    for _ in range(40):
        same(first, model.solve(T), np.zeros(6, bool))
    with pytest.raises(rs.InputError, match="could be compiled"):
        model.compile()
    with pytest.raises(rs.InputError, match="divides by zero"):
        model.code("fortran")


def test_a_pose_has_the_same_solutions_beside_others():
    """Singular poses are searched from random starts, the same ones for every pose."""
    model = inverse_geometry(rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45}))
    q = np.zeros((3, 6))
    q[:, 1] = [0.3, -0.4, 0.8]
    T = model.solver.numeric({}).forward(q)
    for alone, beside in zip([model.solve(pose) for pose in T], model.solve(T), strict=True):
        same(alone, beside, np.zeros(6, bool))


def test_loops_have_the_mode_of_the_reference():
    """The SR400: without `modes` no parallelogram is crossed, with it every row says its mode."""
    robot = rs.load("sr400").with_values({"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3})
    model = inverse_geometry(robot)
    T = model.solver.numeric({}).forward(np.full((1, 6), 0.4))[0]
    found, every = model.solve(T), model.solve(T, modes="all")
    t2, t3, t7, t8 = (np.asarray(found)[:, model.joints.index(name)] for name in ("t2", "t3", "t7", "t8"))
    assert found.shape == (8, 8) and found.modes == (0,) * 8
    assert np.allclose(np.exp(1j * t8), np.exp(1j * (t2 - t7)))  # opposite sides stay parallel
    assert every.shape == (16, 8) and sorted(every.modes) == [0] * 8 + [1] * 8
    rows = np.asarray(every)[np.array(every.modes) == 0]
    assert np.allclose(rows, found) and len(t3) == 8
    assert model.solve(T, passive=False).shape == (8, len(model.motors))
    assert model.solve(T, near=found[3]).modes == (0,) * 8
    motors = model.solve(T, passive=False, modes="all")  # the crank stands otherwise in each mode
    of = {tuple(np.round(row, 9)): mode for row, mode in zip(_columns(every, model.motors), every.modes, strict=True)}
    assert motors.shape == (16, 6) and [of[tuple(np.round(row, 9))] for row in motors] == list(motors.modes)
    assert pickle.loads(pickle.dumps(every)).modes == copy.deepcopy(every).modes == every.modes
    with pytest.raises(rs.InputError, match="modes: expected 'reference' or 'all'"):
        model.solve(T, modes="some")


def test_without_a_reference_no_reachable_pose_is_lost():
    """The AKR3000 has no reference position and no parallelogram: all its modes are meant, each row says its own."""
    values = {"D3": 0.7, "D4": 0.6, "D7": 0.9, "g13": 0.4, "D13": 0.5, "g14": 0.3, "D14": 0.55, "RL8": 1.0}
    model = inverse_geometry(rs.load("akr3000"))
    q = np.random.default_rng(3).uniform(-1, 1, (4, 6))
    for T in model.solver.numeric(values).forward(q):
        found, every = model.solve(T, values), model.solve(T, values, modes="all")
        assert len(found) == len(every) == 32 and found.modes == every.modes and any(found.modes)


def _columns(solutions, names):
    return np.asarray(solutions)[:, [solutions.joints.index(name) for name in names]]


def test_the_tables_of_the_steps():
    """The Stanford arm needs an equation of Pieper's, also by Paul's method."""
    model = inverse_geometry(rs.load("stanford"), "paul")
    assert "r3 from one of table 2.2" in model.reason and any("Pieper" in step.type for step in model.steps)
    assert inverse_geometry(rs.load("rx90"), "paul").reason == "Every joint follows from equations of table 2.1."


#: Closed forms of these divide by angles of nearly parallel axes: they lost solutions that the pose determines well.
WEAK = {
    "at right angles": rows([0, H + 1e-5, np.pi - 1e-12, np.pi - 1e-3], [0, 0, 0.5, 0.3], [1e-8, 0, 0.1, 0.1], {2}),
    "everywhere": rows([0, -H, np.pi, -1e-6, H - 1e-12], [0.5, 0, 0.4, 0.3, 0], [0, 0, 0, 0.2, 0], {1, 3}),
    "second of two": rows([0, 0, -H, np.pi + 1e-6, H - 1e-6], [0, 0.5, 0, 1e-4, 0], [0, 0, 0.35, 0.2, 0.2], {1}),
    "no candidate": rows([0, np.pi - 1e-8, H - 1e-8, -1e-3, 1e-6], [0.5, 0.3, 0.5, 0, 0.3], [0, 1e-7, 0, 0.1, 0], {5}),
    "far candidate": rows(
        [0, 0, -H + 1e-10, H, H + 1e-10], [0.3, 0.4, 0.5, 0.5, 1e-9], [0.1, 0, 1e-4, 0.1, 0.1]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WEAK)
def test_nearly_parallel_axes_lose_no_solution(name):
    model = inverse_geometry(build("arm", WEAK[name]))
    chain = model.solver.numeric({})
    q, T, prismatic = poses(model, seed=5, count=40)
    later = model.solve(T)
    determined = 0
    for known, pose, found in zip(q, T, later, strict=True):
        weakest = np.linalg.svd(chain._rows(chain.jacobian(known[None])[1])[0] * chain._units, compute_uv=False)[-1]
        if weakest > 1e-5:
            determined += 1
            assert gap(np.asarray(found), known, prismatic) < 1e-4
        else:
            assert gap(np.asarray(found), known, prismatic) < 1e-4 or found.complete is False or found.singular
        same(found, model.solve(pose), prismatic)
    assert determined > 15


def test_parameters_that_make_axes_nearly_parallel():
    """A closed form of symbols is precise or not by their values: elsewhere the general method stands beside it."""
    table = [{**row, "alpha": f"a{j}" if row["alpha"] else 0} for j, row in enumerate(WEAK["everywhere"], 1)]
    values = {f"a{j}": row["alpha"] for j, row in enumerate(WEAK["everywhere"], 1) if row["alpha"]}
    model = inverse_geometry(build("arm", table))
    chain = model.solver.numeric(values)
    q = np.random.default_rng(2).uniform(-1, 1, (12, 5))
    for known, pose in zip(q, chain.forward(q), strict=True):
        assert gap(np.asarray(model.solve(pose, values)), known, chain.prismatic) < 1e-5
    usual = {name: 0.3 + 0.2 * k for k, name in enumerate(values)}
    chain = model.solver.numeric(usual)
    for known, pose in zip(q, chain.forward(q), strict=True):
        assert gap(np.asarray(model.solve(pose, usual)), known, chain.prismatic) < 1e-5


def test_joints_that_are_nearly_dependent_are_reported():
    arm = rows([0, H, 0, 5e-7, 0.3], [0, 0.3, 0, 0.2, 0.1], [0.1, 0, 0, 0, 0], {3, 4})
    with pytest.warns(rs.RobotWarning, match="joints r3, r4 are nearly dependent"):
        inverse_geometry(build("arm", arm))


def test_loops_that_only_close_together_have_the_reference_first():
    """Every row closes the loops and reaches the pose; the reference position comes first where the pose is its own."""
    robot = rs.load("planar3rrr").to_closed()
    model = inverse_geometry(robot)
    chain = model.solver.numeric({})
    T = chain.forward(np.array([[robot.position[name] for name in model.problem.chain.names]]))[0]
    found = model.solve(T)
    reference = [robot.position[name] for name in found.joints]
    assert len(found) == 8 and found.modes == ()
    assert np.abs(2 * np.sin((np.asarray(found)[0] - reference) / 2)).max() < 1e-9
    for row in np.asarray(found):
        values = dict(zip(found.joints, row, strict=True))
        for loop in loops_of(robot):
            cut, fixed = (place(robot, {**values, robot.variable(loop.cut): 0.0}, j) for j in (loop.cut, loop.fixed))
            np.testing.assert_allclose(cut[:3, 2:], fixed[:3, 2:], atol=1e-9)
