"""Kernels for graphics processors: OpenCL on PoCL, WGSL on a software Vulkan device, PTX and CUDA by NVIDIA's tools."""

from __future__ import annotations

import re
import runpy
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases.toolchains import run
from oracles.pinocchio import Oracle
from robosym.algebra import FUNCTIONS
from robosym.export.gpu.kernel_sources import kernel_source
from robosym.export.gpu.ptx import ARCHITECTURE, assembler, ptx, resources

Call = Callable[..., dict[str, np.ndarray]]


def launched(folder: Path, language: str) -> Call:
    """Return the function that the generated example defines; skip without a device."""
    pytest.importorskip({"opencl": "pyopencl", "wgsl": "wgpu"}[language])
    try:
        return runpy.run_path(str(folder / "launch.py"))["robot_call"]  # type: ignore[no-any-return]
    except Exception as error:  # PyOpenCL and wgpu have errors of their own
        if not re.search(r"platform|adapter|device", str(error), re.IGNORECASE):
            raise
        pytest.skip(f"no device for {language}: {error}")


def states(count: int, size: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(-3, 3, (3, count, size))


@pytest.mark.parametrize(
    ("language", "precision", "bound"),
    [
        ("opencl", "double", 1e-13),
        pytest.param("opencl", "single", 2e-5, marks=pytest.mark.long),
        ("wgsl", "single", 2e-5),
    ],
)
def test_torques_agree_with_pinocchio(language: str, precision: str, bound: float, tmp_path: Path) -> None:
    robot = rs.load("ur5e")
    rs.build(robot, language, tmp_path, "inverse_dynamics gravity_torques", name="arm", precision=precision)  # type: ignore[arg-type]
    q, qd, qdd = states(100, 6)  # not a multiple of a workgroup
    call = launched(tmp_path, language)
    found = call("arm_inverse_dynamics", q=q, qd=qd, qdd=qdd)["tau"]
    oracle = Oracle(robot, {})
    right = np.array([oracle.torques(*row, {}) for row in zip(q, qd, qdd, strict=True)])
    assert np.abs(found - right).max() <= bound * np.abs(right).max()
    found = call("arm_gravity_torques", q=q)["Q"]
    right = np.array([oracle.torques(row, 0 * row, 0 * row, {}) for row in q])
    assert np.abs(found - right).max() <= bound * np.abs(right).max()


def shared_inputs() -> tuple[rs.Model, dict[str, np.ndarray]]:
    """A robot whose masses are inputs that all states share, with a matrix as output."""
    model = rs.inertia_matrix(rs.load("rx90"))
    random = np.random.default_rng(5)
    given = {g: random.uniform(0.2, 1.0, (7 if g == "q" else 1, len(names))) for g, names in model.inputs.items()}
    return model, given


@pytest.mark.parametrize("language", ["opencl", "wgsl"])
def test_shared_inputs_and_matrices(language: str, tmp_path: Path) -> None:
    model, given = shared_inputs()
    model.build(language, tmp_path, name="arm", precision="single")
    found = launched(tmp_path, language)("arm", **given)["A"]
    right = np.asarray(model.compile()(**{g: a if g == "q" else a[0] for g, a in given.items()}))
    np.testing.assert_allclose(found, right, atol=3e-6 * np.abs(right).max())


def test_stages_pass_values_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several kernels in place of one."""
    model = rs.inverse_dynamics("ur5e")
    q, qd, qdd = states(70, 6)
    right = model.compile()(q=q, qd=qd, qdd=qdd)
    monkeypatch.setattr("robosym.export.gpu.kernel_folder.kernel_source", partial(kernel_source, stage=80))
    for language in ("opencl", "wgsl"):
        folder = tmp_path / language
        model.build(language, folder, name="arm", precision="single")
        assert "`arm_1`, `arm_2`" in (folder / "README.md").read_text()
        found = launched(folder, language)("arm", q=q, qd=qd, qdd=qdd)["tau"]
        assert np.abs(found - right).max() <= 2e-5 * np.abs(right).max()


def test_every_function(tmp_path: Path) -> None:
    from export.test_wasm import of_functions

    model = of_functions()
    given = np.array([(x, y) for x in (0.3, -0.7, 12.0, 1e5, 6e5) for y in (0.4, -2.0)])
    model.build("opencl", tmp_path, name="every")
    [found] = launched(tmp_path, "opencl")("every", **{next(iter(model.inputs)): given}).values()
    for k, name in enumerate(FUNCTIONS):
        with np.errstate(all="ignore"):
            right = getattr(np, FUNCTIONS[name].numpy)(*given.T[: FUNCTIONS[name].arity])
        if name in ("sin", "cos"):
            right[given[:, 0] > 2.0**19] = np.nan  # larger angles are not reduced
        np.testing.assert_allclose(found[:, k], right, rtol=1e-14, atol=4e-16, err_msg=name)


def angles(precision: str) -> np.ndarray:
    limit = 2.0**19 if precision == "double" else 2.0**12
    dense = np.concatenate([np.linspace(-limit, limit, 20001), np.linspace(-8, 8, 20001), np.pi / 2 * np.arange(999)])
    return dense.astype(np.float64 if precision == "double" else np.float32)


@pytest.mark.parametrize(
    ("language", "precision", "bound"),
    [
        ("opencl", "double", 3e-16),
        pytest.param("opencl", "single", 2e-7, marks=pytest.mark.long),
        ("wgsl", "single", 2e-7),
    ],
)
def test_sine_and_cosine(language: str, precision: str, bound: float, tmp_path: Path) -> None:
    """Also near multiples of a quarter turn, and NaN for NaN, infinity and angles beyond the limit."""
    model = rs.transform("planar2r", 0, 1)
    model.build(language, tmp_path, name="turn", precision=precision)
    given = angles(precision)
    call = launched(tmp_path, language)
    found = call("turn", q=np.column_stack([given, 0 * given]))["T"]
    wide = given.astype(np.longdouble)
    assert np.abs(found[:, 0, 0] - np.cos(wide)).max() < bound
    assert np.abs(found[:, 1, 0] - np.sin(wide)).max() < bound
    far = call("turn", q=[[np.nan, 0.0], [np.inf, 0.0], [1e9, 0.0]])["T"]
    assert np.isnan(far[:, 0, 0]).all()


@pytest.mark.parametrize("precision", ["double", "single"])
def test_ptx_passes_the_assembler_without_spills(precision: str) -> None:
    if assembler() is None:
        pytest.skip("ptxas is not installed")
    models = {"arm": rs.inverse_dynamics("ur5e"), "other": rs.inverse_dynamics("panda")}
    report = resources(ptx(models, precision))
    assert set(report) == set(models)
    assert all(0 < used <= 255 and spilled == 0 for used, spilled in report.values())


@pytest.mark.parametrize("precision", [pytest.param("double", marks=pytest.mark.long), "single"])
def test_cuda_compiles(precision: str, tmp_path: Path) -> None:
    compiler = shutil.which("nvcc")
    if compiler is None:
        pytest.skip("nvcc is not installed")
    rs.build(rs.load("ur5e"), "cuda", tmp_path, "inverse_dynamics inverse_geometry", precision=precision)  # type: ignore[arg-type]
    run(compiler, "-ptx", f"-arch={ARCHITECTURE}", "-Werror", "all-warnings", "ur5e.cu", "-o", "a.ptx", cwd=tmp_path)
    text = (tmp_path / "a.ptx").read_text()
    assert ".entry ur5e_inverse_dynamics(" in text and ".entry ur5e_inverse_geometry(" in text
    compile((tmp_path / "launch.py").read_text(), "launch.py", "exec")


def test_two_robots_in_one_program(tmp_path: Path) -> None:
    """Every name at the level of the file begins with the name of its function."""
    for language in ("opencl", "cuda", "wgsl"):
        found: list[set[str]] = []
        for name in ("left", "right"):
            text = kernel_source(rs.gravity_torques("ur5e"), language, name, "single").text
            pattern = r"^(?:@group.*> |fn |struct )(\w+)" if language == "wgsl" else r"^\S.*(?:void|float) (\w+)\("
            found.append(set(re.findall(pattern, text, re.M)))
            assert found[-1] and all(word.startswith(name) for word in found[-1])
        assert not found[0] & found[1]


def test_rejects_functions_that_a_language_lacks(tmp_path: Path) -> None:
    model = rs.inverse_dynamics(rs.load("scara").edit({"link1.FS": 0.5}), friction="smooth")
    with pytest.raises(rs.InputError, match="wgsl: expected a model with abs, cos, sign, sin, sqrt only, found tanh"):
        model.build("wgsl", tmp_path)
    with pytest.raises(rs.InputError, match="precision: expected auto or single for wgsl"):
        rs.gravity_torques("ur5e").build("wgsl", tmp_path, precision="double")
    with pytest.raises(rs.InputError, match="name: expected an identifier that is not reserved in opencl, found 'mix'"):
        rs.gravity_torques("ur5e").build("opencl", tmp_path, name="mix")
    with pytest.warns(rs.RobotWarning, match="left out: ur5e_inverse_geometry"):
        rs.build(rs.load("ur5e"), "wgsl", tmp_path, "gravity_torques inverse_geometry")
    with pytest.raises(rs.InputError, match=r"did you mean 'opencl'"):
        rs.gravity_torques("ur5e").build("open-cl", tmp_path)
