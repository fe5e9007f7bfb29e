"""Test the kernel of the general method against LAPACK, and Python, C and machine code against each other."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest

from cases.forward import build
from oracles.raghavan_roth import all_solutions
from robosym.chains.elimination import all_solutions as kernel
from robosym.chains.elimination import doubles
from robosym.chains.elimination.fourteen_equations import sigma
from robosym.chains.elimination.qr_eigenvalues import balance, eigenvalues, hessenberg
from robosym.languages.plain import parse_plain
from robosym.languages.plain_c import plain_c
from robosym.solve import inverse_geometry
from robosym.solve.fast_solver import GeneralFast
from robosym.solve.general import elimination_sources, prepared

compiler = shutil.which("gcc") or shutil.which("cc")
KINDS = ["RRRRRR", *("".join("P" if j in c else "R" for j in range(6)) for c in itertools.combinations(range(6), 2))]


def random_chain(types, rng, right=False):
    rows = []
    for j, kind in enumerate(types, 1):
        alpha = rng.choice([-1, 0, 1]) * np.pi / 2 if right else rng.uniform(-3, 3)
        row = {"alpha": alpha, "d": rng.uniform(0.1, 1)}
        row |= {"theta": f"t{j}", "r": rng.uniform(0.1, 1)} if kind == "R" else {
            "sigma": 1, "theta": rng.uniform(-3, 3), "r": f"r{j}"}  # fmt: skip
        rows.append(row)
    return inverse_geometry(build("arm", rows), "general").solver.numeric({})


def configurations(chain, rng):
    q = rng.uniform(-1, 1, (3, 6)) * np.where(chain.prismatic, 1, np.pi)
    q[1] = np.where(chain.prismatic, q[1], np.pi)  # infinite half-angle tangents
    q[2] = np.where(chain.prismatic, q[2], np.round(q[2] / (np.pi / 2)) * np.pi / 2)
    return q


def gaps(found, wanted, chain):
    """Return the distance of each wanted solution from the nearest solution found."""
    off = found[None] - wanted[:, None]
    off = np.where(chain.prismatic, off / np.maximum(1, np.abs(wanted[:, None])), 2 * np.sin(off / 2))
    return np.abs(off).max(axis=2).min(axis=1, initial=np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_finds_every_solution_that_lapack_finds(seed):
    rng = np.random.default_rng(seed)
    for types in ("RRRRRR", *KINDS[1 + 3 * seed : 4 + 3 * seed]):
        chain = random_chain(types, rng)
        plans = prepared(chain, np.zeros(6))
        q = configurations(chain, rng)
        T = chain.forward(q)
        found, errors, free, counts = plans.solve(T, np.array(1e-9))
        for number, pose in enumerate(T):
            rows = found[number, : counts[number]]
            assert errors[number, : counts[number]].max() < 1e-9 * max(1, chain.length)
            assert not free[number, : counts[number]].any()
            wanted = np.concatenate([all_solutions(chain, pose), q[number : number + 1]])
            assert gaps(rows, wanted, chain).max() < 1e-4, (types, number)


def views(plans):
    return memoryview(plans.shape), memoryview(plans.constants), memoryview(plans.plans)


@pytest.mark.parametrize("types", ["RRRRRR", "RPRRPR"])
def test_python_and_machine_code_agree(types):
    rng = np.random.default_rng(4)
    chain = random_chain(types, rng)
    plans = prepared(chain, np.zeros(6))
    T = chain.forward(configurations(chain, rng)[:2])
    found, _, _, counts = plans.solve(T, np.array(1e-9))
    for number, pose in enumerate(T):
        q, errors, free = np.zeros((16, 6)), np.zeros(16), np.zeros(16, np.intc)
        out = [memoryview(part.reshape(-1)) for part in (q, errors, free)]
        count = kernel.general_solutions(*views(plans), memoryview(pose[:3].ravel().copy()), 1e-9, *out)
        assert count == counts[number]
        assert gaps(q[:count], found[number, :count], chain).max() < 1e-5  # double roots are less accurate


@pytest.mark.skipif(compiler is None, reason="no C compiler")
def test_c_and_machine_code_agree(tmp_path):
    source = "#include <math.h>\n" + plain_c(parse_plain(elimination_sources()), "", ("many_solutions",))
    source = source.replace("static void many_solutions", "void many_solutions")
    (tmp_path / "kernel.c").write_text(source)
    library = tmp_path / "kernel.so"
    flags = ["-O1", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", str(library), str(tmp_path / "kernel.c"), "-lm"], check=True)
    many = ctypes.CDLL(str(library)).many_solutions
    rng = np.random.default_rng(5)
    for types in ("RRRRRR", "RRPRRR", "PRRPRR"):
        chain = random_chain(types, rng)
        plans = prepared(chain, np.zeros(6))
        T = chain.forward(rng.uniform(-2, 2, (20, 6)))
        found, _, _, counts = plans.solve(T, np.array(1e-9))
        poses, tolerances = np.ascontiguousarray(T[:, :3]), np.full(20, 1e-9)
        q, errors = np.zeros((20, 16, 6)), np.zeros((20, 16))
        free, numbers = np.zeros((20, 16), np.intc), np.zeros(20, np.intc)
        given = (plans.shape, plans.constants, plans.plans, poses, tolerances, q, errors, free, numbers)
        pointers = [ctypes.c_void_p(part.ctypes.data) for part in given]
        many(*pointers[:3], 20, *pointers[3:])
        assert np.array_equal(numbers, counts)
        for number, count in enumerate(counts):
            assert gaps(q[number, :count], found[number, :count], chain).max(initial=0) < 1e-8


def test_eigenvalues_agree_with_numpy():
    """Check random and badly scaled matrices, repeated eigenvalues, a zero column, a zero row and a cyclic shift.

    Roots at infinity give repeated eigenvalues; on a cyclic shift, plain double steps do not converge.
    """
    rng = np.random.default_rng(6)
    shift = np.roll(np.eye(24), 1, axis=1)
    basis = rng.normal(size=(24, 24))
    equal = basis @ np.diag([*[-2.365] * 12, *rng.normal(size=12)]) @ np.linalg.inv(basis)
    sizes = 2.0 ** rng.integers(-30, 30, 24)
    uneven, empty = rng.normal(size=(24, 24)), rng.normal(size=(24, 24))
    empty[:, 5] = 0
    cases = ((rng.normal(size=(24, 24)), 1e-10), (shift, 1e-10), (equal, 1e-6), (empty, 1e-10), (empty.T, 1e-10))
    for A, precision in (*cases, (uneven / sizes[:, None] * sizes, None)):
        H, real, imaginary = doubles(576), doubles(24), doubles(24)
        for place, entry in enumerate(A.ravel()):
            H[place] = entry
        balance(24, H)
        hessenberg(24, H)
        assert eigenvalues(24, H, real, imaginary) == 24
        found = np.array(real) + 1j * np.array(imaginary)
        wanted = np.linalg.eigvals(uneven if precision is None else A)
        assert max(np.abs(found - value).min() for value in wanted) < (precision or 1e-10)


def test_equations_are_scaled_to_unit_rows():
    """Each row is divided by its largest entry, so that units do not matter; the entries keep their places."""
    rng = np.random.default_rng(8)
    for hidden in range(3):
        given = rng.normal(size=(6, 27)) * 10.0 ** rng.integers(-6, 6, (6, 1))
        given[4] = 0
        E, S = doubles(162), doubles(432)
        for place, entry in enumerate(given.ravel()):
            E[place] = entry
        sigma(hidden, E, S)
        sizes = np.abs(given).max(axis=1, keepdims=True)
        rows = np.array(E).reshape(6, 27)
        assert np.allclose(rows * sizes, given, rtol=1e-12, atol=0)
        assert [np.abs(row).max() for row in rows] == [1, 1, 1, 1, 0, 1]
        powers = np.moveaxis(
            rows.reshape(6, 3, 3, 3), 1 + hidden, 1
        )  # equation, power of the hidden unknown, powers of the others
        x, y, z = rng.normal(size=3)
        by_rows = np.einsum("mpij,p,i,j->m", powers, *(value ** np.arange(3) for value in (x, y, z)))
        columns = np.outer(y ** np.arange(4), z ** np.arange(3)).ravel()
        values = sum(x**p * np.array(S).reshape(3, 12, 12)[p] @ columns for p in range(3))
        assert np.allclose(values, [*by_rows, *(y * by_rows)])


def test_only_invalid_poses_take_the_slow_path():
    rng = np.random.default_rng(9)
    model = inverse_geometry(build("arm", [
        {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1), "theta": f"t{j}", "r": rng.uniform(0.1, 1)}
        for j in range(1, 7)
    ]), "general")  # fmt: skip
    T = model.solver.numeric({}).forward(rng.uniform(-3, 3, (8, 6)))
    fast = GeneralFast(model.solver)
    q, errors, counts, doubtful = fast.many(T, {}, 1e-9)
    assert not len(doubtful) and counts.min() >= 1 and len(q) == len(errors) == counts.sum()
    wrong = T.copy()
    wrong[1, :3, :3] *= -1  # left-handed
    wrong[3, 0, 3] = np.nan
    wrong[5, 3, 3] = 2.0
    wrong[6, :3, :3] *= 1.001
    _, _, found, doubtful = fast.many(wrong, {}, 1e-9)
    assert doubtful.tolist() == [1, 3, 5, 6]
    assert np.array_equal(found, np.where(np.isin(np.arange(8), doubtful), 0, counts))


@pytest.mark.parametrize("tool", [0.5, 1e4])
def test_tolerance_scales_with_robot_and_tool(tool):
    rng = np.random.default_rng(3)
    rows = [
        {"alpha": rng.uniform(-3, 3), "d": rng.uniform(0.1, 1), "theta": f"t{j}", "r": rng.uniform(0.1, 1)}
        for j in range(1, 7)
    ]
    rows.append({"sigma": 2, "alpha": 0.3, "d": tool, "theta": 0.4})
    chain = inverse_geometry(build("arm", rows), "general").solver.numeric({})
    q = rng.uniform(-3, 3, (4, 6))
    found, errors, _, counts = prepared(chain, np.zeros(6)).solve(chain.forward(q), np.array(1e-13))
    for number, count in enumerate(counts):
        assert gaps(found[number, :count], q[number : number + 1], chain).max() < 1e-5
        assert errors[number, :count].max() <= 1e-13 * (tool + 20)
