"""Generated functions called with integers, and models whose symbols are reserved words."""

from __future__ import annotations

import keyword
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from robosym.languages.program import function_name
from robosym.model import Model

# ---------------------------------------------------------------------------------------------- integers


def _python(model: Model, **options: Any) -> Any:
    space: dict[str, Any] = {}
    exec(compile(model.code("python", **options), "model.py", "exec"), space)
    return space


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int64, bool, int])
def test_python_converts_integers(kind: Any) -> None:
    """Products of small integers would overflow."""
    model = rs.inverse_dynamics(rs.load("planar2r"))
    rng = np.random.default_rng(0)
    given = {group: rng.integers(1, 100, len(names)).astype(kind) for group, names in model.inputs.items()}
    right = model.compile()(**{group: values.astype(float) for group, values in given.items()})
    found = _python(model)[function_name(model)](**given)
    assert found.dtype == float and np.allclose(found, right, rtol=1e-12)
    if kind is int:
        found = _python(model)[function_name(model)](**{group: values.tolist() for group, values in given.items()})
        assert np.allclose(found, right, rtol=1e-12)
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    assert np.allclose(model.to_jax()(**given), right, rtol=1e-12)


def test_python_keeps_single_and_complex_numbers() -> None:
    """Single precision and the complex-step derivative work."""
    model = rs.inverse_dynamics(rs.load("planar2r"))
    function = _python(model)[function_name(model)]
    given = {group: np.full(len(names), 0.3) for group, names in model.inputs.items()}
    assert function(**{g: v.astype(np.float32) for g, v in given.items()}).dtype == np.float32
    step = function(**{**given, "q": given["q"] + [1e-30j, 0]}).imag / 1e-30
    off = [function(**{**given, "q": given["q"] + [e, 0]}) for e in (1e-6, -1e-6)]
    assert np.allclose(step, (off[0] - off[1]) / 2e-6, atol=1e-7)


def test_octave_converts_integers(tmp_path: Path) -> None:
    """Integer arithmetic saturates in Octave."""
    model = rs.inverse_dynamics(rs.load("planar2r"))
    name = function_name(model)
    model.write(tmp_path / f"{name}.m")
    given = {group: np.arange(1, len(names) + 1) * 20 for group, names in model.inputs.items()}
    right = model.compile()(**{group: values.astype(float) for group, values in given.items()})
    arguments = ", ".join(f"int8([{'; '.join(map(str, np.minimum(v, 127)))}])" for v in given.values())
    right = model.compile()(**{group: np.minimum(values, 127).astype(float) for group, values in given.items()})
    (tmp_path / "check.m").write_text(f"printf('%.17g ', {name}({arguments}));\n")
    text = toolchains.run(toolchains.tool("octave-cli"), "--no-gui", "--no-init-file", "check.m", cwd=tmp_path)
    assert np.allclose([float(x) for x in text.split()], right, rtol=1e-12)


def test_python_solution_converts_integers() -> None:
    """A pose of small integers as input of an inverse geometric model."""
    model = rs.inverse_geometry(rs.load("scara"))
    values = dict.fromkeys(model.parameters, 60.0)
    space = _python_solution(model)
    T = np.eye(4, dtype=np.int8)
    T[:3, :3] = np.diag([1, -1, -1]) if not len(model.solve(np.eye(4), values)) else np.eye(3)
    T[0, 3] = 100
    given = [[values[name] for name in model.parameters]] if values else []
    whole = [[int(x) for x in row] for row in given]
    found = space["igm"](T, *np.array(whole, dtype=np.int8))
    right = space["igm"](T.astype(float).tolist(), *given)
    assert found[0] == right[0] and np.allclose(found[1], right[1])


def _python_solution(model: Any) -> Any:
    space: dict[str, Any] = {}
    exec(compile(model.code("python"), "solution.py", "exec"), space)
    return space


# ----------------------------------------------------------------------------------------------- reserved words

OCTAVE = """__FILE__ __LINE__ break case catch classdef continue do else elseif end end_try_catch end_unwind_protect
    endarguments endclassdef endenumeration endevents endfor endfunction endif endmethods endparfor endproperties
    endspmd endswitch endwhile for function global if otherwise parfor persistent return spmd switch try until
    unwind_protect unwind_protect_cleanup while ans i pi"""
WORDS = sorted(
    set(OCTAVE.split())
    | set(keyword.kwlist)
    | set(keyword.softkwlist)
    | set(
        """and or not xor bitand bitor compl and_eq or_eq xor_eq not_eq catch try throw new delete class template
        namespace using operator this private public protected virtual friend explicit mutable typeid co_await
        concept requires constexpr consteval constinit decltype noexcept nullptr static_assert thread_local wchar_t
        char8_t char16_t final override import module export inline restrict typeof typeof_unqual alignas alignof bool
        _Bool _Complex _Imaginary _Generic _Static_assert _Noreturn _Alignas _Alignof _Atomic _Thread_local _Pragma
        __LINE__ __FILE__ __func__ __DATE__ __TIME__ __STDC__ __cplusplus __asm__ __attribute__ __debug__ __name__
        asm near far linux unix I NULL   errno stdin stdout M_PI sinf powf hypot gamma lgamma y0 y1 yn j0 jn
        isnan index time main exit abs div signal read write
        async await dyn fn impl let loop match mod move mut pub ref trait type unsafe use where yield box become macro
        self Self super crate union gen priv unsized f64 usize str
        function subroutine module program end do if call implicit none intent real integer double precision data
        common save parameter return stop print format entry dimension external intrinsic interface contains result
        sign sqrt atan2 shared constants robosym_sign Scalar Parameters Constants evaluate p x T q
        begin baremodule let local macro quote struct abstract primitive isa im ccall outer
        proc od fi elif local Digits D E O Pi Re Im GAMMA  true false module option
        Sin Cos Module List Return C K N Power Times Plus Set If Do Null True False None _ __ _x x_ np batch floating
        endofline k1 n1 c1 s1 a1 v1 i1 mask1 free1 scale1 once1 roots1 found rest attempt count other""".split()
    )
    - {"Pi", "sin", "cos", "tan", "sqrt", "atan2", "sign", "abs", "exp", "log"}
)


def _model(names: list[str]) -> Model:
    """Return a model of a robot whose link lengths have these names."""
    frames = [{"d": name, "theta": f"q{j}", "alpha": "Pi/2" if j % 2 else 0} for j, name in enumerate(names, 1)]
    robot = rs.loads(
        "name: words\ngravity: [0, 0, G3]\nframes:\n" + "".join(f"  - {_flow(f)}\n" for f in frames), "yaml"
    )
    return rs.direct_geometry(robot, 0, len(names))


def _flow(frame: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: '{value}'" for key, value in frame.items()) + "}"


@pytest.fixture(scope="module")
def model() -> Model:
    return _model(WORDS)


RUNNERS = {
    "c": toolchains.c, "c init": toolchains.c_init, "cpp": toolchains.cpp, "fortran": toolchains.fortran,
    "fortran 77": toolchains.RUNNERS["fortran 77"], "octave": toolchains.octave, "python": toolchains.python,
    "rust": toolchains.rust,
}  # fmt: skip


@pytest.mark.parametrize("runner", RUNNERS)
def test_reserved_words(runner: str, model: Model, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    state = {group: rng.uniform(-1, 1, len(names)).tolist() for group, names in model.inputs.items()}
    right = np.ravel(model.compile()(**{group: np.array(values) for group, values in state.items()}))
    assert np.allclose(RUNNERS[runner](model, [state], tmp_path)[0], right, atol=1e-12)


def test_c_compiles_as_cpp(model: Model, tmp_path: Path) -> None:
    (tmp_path / "m.c").write_text(model.code("c", init=True))
    for compiler, standard in (("g++", "c++20"), ("gcc", "c2x"), ("gcc", "gnu89"), ("clang", "c2x")):
        language = "c++" if "+" in standard else "c"
        if standard != "gnu89":
            toolchains.run(
                toolchains.tool(compiler), f"-std={standard}", "-x", language, "-fsyntax-only", "m.c", cwd=tmp_path
            )


@pytest.mark.parametrize("length", [57, 63, 64, 90])
@pytest.mark.parametrize("runner", ["fortran", "fortran 77", "octave"])
def test_long_names(runner: str, length: int, tmp_path: Path) -> None:
    """Names with a common prefix longer than the maximum identifier length stay distinct."""
    names = [f"{'L' * (length - 2)}{k:02d}" for k in range(12)] + [f"{'l' * (length - 2)}{k:02d}" for k in range(3)]
    model = _model(names)
    rng = np.random.default_rng(0)
    state = {group: rng.uniform(-1, 1, len(words)).tolist() for group, words in model.inputs.items()}
    right = np.ravel(model.compile()(**{group: np.array(values) for group, values in state.items()}))
    assert np.allclose(RUNNERS[runner](model, [state], tmp_path)[0], right, atol=1e-12)


@pytest.mark.parametrize("language", ["fortran", "matlab"])
def test_long_robot_names(language: str, tmp_path: Path) -> None:
    """A truncated function name keeps the kind of model, and the file has the name of the function."""
    robot = rs.load("planar2r").edit(name="a" * 100)
    paths = [m.write(tmp_path, language)[0] for m in (rs.inverse_dynamics(robot), rs.gravity_torques(robot))]
    assert len({path.name for path in paths}) == 2 and all(len(path.stem) <= 63 for path in paths)
    if language == "matlab":
        assert all(f" = {path.stem}(" in path.read_text() for path in paths)
    else:
        gfortran = toolchains.tool("gfortran")
        subprocess.run([gfortran, "-std=f2008", "-fsyntax-only", *paths], cwd=tmp_path, check=True)


def test_solutions_with_names_of_loop_variables(tmp_path: Path) -> None:
    """Lengths named like the variables of the generated loops: k1, c1, n1."""
    text = rs.load("rx90").dumps("yaml")
    plain = rs.loads(text, "yaml")
    names = rs.inverse_geometry(plain).parameters
    solutions = []
    for words in (names, ("k1", "c2"), ("n3", "s1"), ("mask1", "v2"), ("and", "_Generic"), ("catch", "__LINE__")):
        renamed = text
        for old, new in zip(names, words, strict=True):
            renamed = renamed.replace(old, new)
        model = rs.inverse_geometry(rs.loads(renamed, "yaml"))
        numbers = dict(zip(words, (0.45, 0.43), strict=True))
        T = model.solver.numeric({name: numbers[name] for name in model.parameters}).forward(np.full((1, 6), 0.4))[0]
        given = [numbers[name] for name in model.parameters]
        solutions.append(_python_solution(model)["igm"](T.tolist(), given)[1])
        (tmp_path / "s.c").write_text(model.code("c"))
        (tmp_path / "s.hpp").write_text(model.code("cpp"))
        flags = ["-std=c99", "-Wall", "-Wshadow", "-Werror", "-fsyntax-only"]
        toolchains.run(toolchains.tool("gcc"), *flags, "s.c", cwd=tmp_path)
        toolchains.run(toolchains.tool("g++"), "-std=c++17", "-fsyntax-only", "-x", "c++", "s.hpp", cwd=tmp_path)
    assert len(solutions[0]) == 8 and all(np.allclose(solutions[0], other) for other in solutions)
