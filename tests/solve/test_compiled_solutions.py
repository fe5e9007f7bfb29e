"""Test that `solve` returns the same solutions before and after it compiles to machine code, also in batches."""

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
from robosym.solve.pose import poses_of

H = np.pi / 2


def rows(alphas, d, r, sigma=()):
    return [
        {"alpha": a, "d": x, **({"sigma": 1, "theta": 0.0, "r": f"r{j}"} if j in sigma else {"theta": f"t{j}", "r": z})}
        for j, (a, x, z) in enumerate(zip(alphas, d, r, strict=True), 1)
    ]


def poses(model, seed=0, count=6):
    """Return poses of random joint positions and of joints at right angles."""
    chain = model.solver.numeric({})
    q = np.random.default_rng(seed).uniform(-3, 3, (count, len(chain.joints)))
    q = np.where(chain.prismatic, 0.4 * q, np.vstack([q[: count // 2], np.round(q[count // 2 :] / H) * H]))
    return q, chain.forward(q), chain.prismatic


def same(first, later, prismatic):
    """Check equal solutions in equal order, up to whole turns; a continuum may be sampled at other points."""
    assert first.shape == later.shape and first.free == later.free
    apart = np.where(prismatic, np.asarray(first) - later, 2 * np.sin((np.asarray(first) - later) / 2))
    assert np.abs(apart).max(initial=0) < 1e-6


ARMS = {
    # Paul's steps neglect terms that determine the next joint: reachable poses had no solution
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


#: each kind of arm and each size of the neglected terms once
QUICK = {"lost", "wrist 5", "parallel 9", "skew 15", "wrist 15"}


@pytest.mark.parametrize("name", quick_and_long(ARMS, long=set(ARMS) - QUICK))
def test_compilation_does_not_change_solutions(name):
    model = inverse_geometry(build("arm", ARMS[name]))
    q, T, prismatic = poses(model)
    exact, _, tolerances = poses_of(T, model.given, 1e-9)
    first = model._slow_path(exact, {}, tolerances)  # never compiled
    later = [model.solve(pose) for pose in T]
    batch = model.solve(T)
    for number, (known, a, b, c) in enumerate(zip(q, first, later, batch, strict=True)):
        assert gap(np.asarray(a), known, prismatic) < 1e-5 or number >= len(q) // 2  # these may be singular
        same(a, b, prismatic)
        same(a, c, prismatic)


@pytest.mark.parametrize("noise", [0.0, 1e-10, 1e-8, 1e-6])
def test_repeated_calls_of_a_urdf_arm_with_noisy_axes(noise):
    """The first call returns what the sixtieth does, wherever some axes are parallel and others nearly so."""
    rng = np.random.default_rng(7)
    axes = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, -1], [0, 1, 0.0]])
    axes[[1, 3, 5]] += noise * rng.normal(size=(3, 3))
    origins = [[0, 0, 0.09], [0, 0.13, 0], [0, -0.12, 0.42], [0, 0, 0.39], [0, 0.1, 0], [0, 0, 0.09]]
    model = rs.inverse_geometry(rs.loads(urdf(axes, origins), format="urdf"))
    T = model.solver.numeric({}).forward(rng.uniform(-2, 2, (1, 6)))[0]
    first = model.solve(T)
    assert len(first)
    for _ in range(59):
        same(first, model.solve(T), np.zeros(6, bool))


def urdf(axes, origins):
    """Return the description of an arm of revolute joints."""
    parts = ['<robot name="arm"><link name="l0"/>']
    for k, vectors in enumerate(zip(axes, origins, strict=True), 1):
        axis, origin = (" ".join(repr(float(x)) for x in vector) for vector in vectors)
        parts.append(
            f'<link name="l{k}"/><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{origin}"/><axis xyz="{axis}"/></joint>'
        )
    return "".join(parts) + "</robot>"


def test_closed_form_that_cannot_be_compiled(monkeypatch):
    """If a branch divides by zero at every pose, the steps are still interpreted."""
    from robosym.model.solution import unrolled as straight

    def fails(self, k):
        raise ExpressionError("division by zero")

    robot = rs.load("ur5e")
    compiled = rs.inverse_geometry(robot)
    T = compiled.solver.numeric({}).forward(np.full((1, 6), 0.3))[0]
    first = compiled.compile().solve(T)
    monkeypatch.setitem(straight._ROOTS, "sine", fails)
    monkeypatch.setenv("ROBOSYM_CACHE", "off")
    model = rs.inverse_geometry(rs.loads(robot.dumps("yaml"), format="yaml"))
    for _ in range(3):
        same(first, model.solve(T), np.zeros(6, bool))
    with pytest.raises(rs.InputError, match="could be compiled"):
        model.compile()
    with pytest.raises(rs.InputError, match="divides by zero"):
        model.code("fortran")


def test_solutions_do_not_depend_on_other_poses_of_a_batch():
    """Singular poses are searched from random starts, which are equal for every pose."""
    model = inverse_geometry(rs.load("rx90").with_values({"D3": 0.45, "RL4": 0.45}))
    q = np.zeros((3, 6))
    q[:, 1] = [0.3, -0.4, 0.8]
    T = model.solver.numeric({}).forward(q)
    for alone, beside in zip([model.solve(pose) for pose in T], model.solve(T), strict=True):
        same(alone, beside, np.zeros(6, bool))


def test_closed_robot_returns_the_reference_mode():
    """On the SR400, only `modes="all"` returns crossed parallelograms; every row has its mode."""
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
    motors = model.solve(T, passive=False, modes="all")  # the crank angle differs between the modes
    of = {tuple(np.round(row, 9)): mode for row, mode in zip(_columns(every, model.motors), every.modes, strict=True)}
    assert motors.shape == (16, 6) and [of[tuple(np.round(row, 9))] for row in motors] == list(motors.modes)
    assert pickle.loads(pickle.dumps(every)).modes == copy.deepcopy(every).modes == every.modes
    with pytest.raises(rs.InputError, match="modes: expected 'reference' or 'all'"):
        model.solve(T, modes="some")


def test_returns_all_modes_without_a_reference():
    """The AKR3000 has no reference position and no parallelogram, so all its modes are returned."""
    values = {"D3": 0.7, "D4": 0.6, "D7": 0.9, "g13": 0.4, "D13": 0.5, "g14": 0.3, "D14": 0.55, "RL8": 1.0}
    model = inverse_geometry(rs.load("akr3000"))
    q = np.random.default_rng(3).uniform(-1, 1, (4, 6))
    for T in model.solver.numeric(values).forward(q):
        found, every = model.solve(T, values), model.solve(T, values, modes="all")
        assert len(found) == len(every) == 32 and found.modes == every.modes and any(found.modes)


def _columns(solutions, names):
    return np.asarray(solutions)[:, [solutions.joints.index(name) for name in names]]


def test_reason_names_the_tables_of_equations():
    """The Stanford arm needs an equation of Pieper, even with Paul's method."""
    model = inverse_geometry(rs.load("stanford"), "paul")
    assert "r3 from one of table 2.2" in model.reason and any("Pieper" in step.type for step in model.steps)
    assert inverse_geometry(rs.load("rx90"), "paul").reason == "Every joint follows from equations of table 2.1."


#: The closed forms of these arms divide by angles between nearly parallel axes and lost well-conditioned solutions.
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


def test_parameter_values_may_make_axes_nearly_parallel():
    """The accuracy of a symbolic closed form depends on the values; if it is poor, the general method is used too."""
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


def test_warns_about_nearly_dependent_joints():
    arm = rows([0, H, 0, 5e-7, 0.3], [0, 0.3, 0, 0.2, 0.1], [0.1, 0, 0, 0, 0], {3, 4})
    with pytest.warns(rs.RobotWarning, match="joints r3, r4 are nearly dependent"):
        inverse_geometry(build("arm", arm))


def test_coupled_loops_return_the_reference_first():
    """Every row closes the loops and reaches the pose; at the pose of the reference, the reference comes first."""
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
