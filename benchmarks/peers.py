"""Compare inverse dynamics of the Stäubli RX90 with other programs, on one core and in turns with robosym.

All programs use the same double-precision data, and their torques agree up to rounding. Differences are stated in each
row: robosym and JAX evaluate all states at once, the others one after the other; CasADi and JAX receive the numerical
Newton-Euler recursion below and simplify it themselves; MuJoCo is called from Python (about 0.3 us per call) and checks
for contacts and constraints. Pinocchio's code generation (`pinocchio.casadi`, `pinocchio.cppadcg`) is not part of the
wheel on PyPI; the benchmarks `batch_*` use its C++ library. C needs gcc; packages that are not installed are skipped.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from pinocchio_cpp import STATES, Array, Values, joints, race, rx90_with_numbers
from table import Row, print_table, spread_of

import robosym as rs
from robosym.algebra import evaluate

ROUNDS = 25
GCC = ("gcc", "-O3", "-march=native", "-shared", "-fPIC")
Vector = list[Any]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(*vectors: Vector) -> Vector:
    return [sum(parts[1:], parts[0]) for parts in zip(*vectors, strict=True)]


def times(matrix: list[Vector], vector: Vector) -> Vector:
    return [
        sum(a * b for a, b in zip(row, vector, strict=True) if not (isinstance(a, float) and not a)) for row in matrix
    ]


def newton_euler(robot: rs.Robot, values: Values, sin: Any, cos: Any, q: Any, qd: Any, qdd: Any) -> Vector:
    """Return the torques by the textbook recursion, for any kind of numbers; zeros of the geometry are omitted."""
    w, wd = [0.0] * 3, [0.0] * 3
    a = [-evaluate([g], values)[0] for g in robot.gravity]
    outward = []
    for j, (turn, origin, mass, com, inertia, armature) in enumerate(joints(robot, values)):
        turn = np.where(np.abs(turn) < 1e-12, 0.0, turn)
        p = [float(x) for x in np.where(np.abs(origin) < 1e-12, 0.0, origin)]
        s, c = sin(q[j]), cos(q[j])
        rotation = [[float(r[0]) * c + float(r[1]) * s, float(r[1]) * c - float(r[0]) * s, float(r[2])] for r in turn]
        back = [list(column) for column in zip(*rotation, strict=True)]
        a = times(back, plus(a, cross(wd, p), cross(w, cross(w, p))))
        turned = times(back, w)
        wd = plus(times(back, wd), [turned[1] * qd[j], -turned[0] * qd[j], qdd[j]])
        w = plus(turned, [0.0, 0.0, qd[j]])
        center = [float(x) for x in com]
        tensor = [[float(x) for x in row] for row in inertia]
        force = [mass * x for x in plus(a, cross(wd, center), cross(w, cross(w, center)))]
        moment = plus(times(tensor, wd), cross(w, times(tensor, w)), cross(center, force))
        outward.append((rotation, p, force, moment, armature * qdd[j]))
    f, n = [0.0] * 3, [0.0] * 3
    torques = []
    for rotation, p, force, moment, extra in reversed(outward):
        n, f = plus(n, moment), plus(f, force)
        torques.append(n[2] + extra)
        f = times(rotation, f)
        n = plus(times(rotation, n), cross(p, f))
    return torques[::-1]


def library(text: str, folder: Path, name: str) -> Callable[[], None]:
    """Compile C code with a loop `run(states, results, count)` and return it as a function of addresses."""
    (folder / f"{name}.c").write_text(text)
    subprocess.run([*GCC, f"{name}.c", "-o", f"{name}.so", "-lm"], cwd=folder, check=True)
    run: Any = ctypes.CDLL(str(folder / f"{name}.so")).run
    run.restype, run.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    return run  # type: ignore[no-any-return]


def emitted_c(robot: rs.Robot, values: Values, folder: Path) -> Any:
    """Return robosym's C, called for one state after the other, as `robosym inverse-dynamics -o` writes it."""
    text = rs.optimize(rs.inverse_dynamics(robot.with_values(values)), 2, goal="speed").code("c")
    loop = "for (long i = 0; i < n; ++i) rx90_dyn(x + 18 * i, x + 18 * i + 6, x + 18 * i + 12, y + 6 * i);"
    return library(f"{text}\nvoid run(const double *x, double *y, long n) {{ {loop} }}\n", folder, "ours")


def casadi_c(robot: rs.Robot, values: Values, folder: Path) -> Any:
    """Return CasADi's C code of the recursion."""
    casadi = import_module("casadi")
    x = casadi.SX.sym("x", 18)
    torques = newton_euler(robot, values, casadi.sin, casadi.cos, x[0:6], x[6:12], x[12:18])
    function = casadi.Function("rnea", [x], [casadi.vertcat(*torques)])
    generator = casadi.CodeGenerator("casadi_rnea.c", {"with_header": False})
    generator.add(function)
    loop = (
        f"double w[{max(1, function.sz_w())}]; for (long i = 0; i < n; ++i) {{ const double *a[1] = {{x + 18 * i}}; "
        "double *r[1] = {y + 6 * i}; rnea(a, r, 0, w, 0); }"
    )
    return library(f"{generator.dump()}\nvoid run(const double *x, double *y, long n) {{ {loop} }}\n", folder, "casadi")


def with_jax(robot: rs.Robot, values: Values, states: Array) -> Callable[[], Array]:
    """Return the recursion for all states at once, compiled by XLA."""
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    numbers = import_module("jax.numpy")

    def torques(x: Any) -> Any:
        return numbers.stack(newton_euler(robot, values, numbers.sin, numbers.cos, x[0:6], x[6:12], x[12:18]))

    function, columns = jax.jit(torques), jax.device_put(np.ascontiguousarray(states.T))
    return lambda: np.asarray(function(columns).block_until_ready()).T


def with_mujoco(robot: rs.Robot, values: Values, states: Array) -> Callable[[], Array]:
    """Return a loop over `mj_inverse` in Python."""
    mujoco = import_module("mujoco")
    gravity = " ".join(str(evaluate([g], values)[0]) for g in robot.gravity)
    bodies, closing = "", ""
    for j, (turn, origin, mass, com, inertia, armature) in enumerate(joints(robot, values)):
        sizes, axes = np.linalg.eigh(inertia)
        axes = axes * np.sign(np.linalg.det(axes))
        place, frame = (np.hstack([m[:, 0], m[:, 1]]) for m in (turn, axes))
        text = [" ".join(f"{x:.17g}" for x in v) for v in (origin, place, com, frame, sizes)]
        bodies += (
            f'<body pos="{text[0]}" xyaxes="{text[1]}">'
            f'<joint name="j{j}" type="hinge" axis="0 0 1" armature="{armature!r}"/>'
            f'<inertial pos="{text[2]}" xyaxes="{text[3]}" mass="{mass!r}" diaginertia="{text[4]}"/>'
        )
        closing += "</body>"
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler balanceinertia="false"/><option gravity="{gravity}"/>'
        f"<worldbody>{bodies}{closing}</worldbody></mujoco>"
    )
    data, out = mujoco.MjData(model), np.empty((len(states), 6))
    q, qd, qdd = states[:, :6], states[:, 6:12], states[:, 12:]

    def run() -> Array:
        for k in range(len(states)):
            data.qpos, data.qvel, data.qacc = q[k], qd[k], qdd[k]
            mujoco.mj_inverse(model, data)
            out[k] = data.qfrc_inverse
        return out

    return run


def peers(robot: rs.Robot, values: Values, states: Array, folder: Path) -> Iterator[tuple[str, Callable[[], Array]]]:
    """Return the available programs: a name that states the differences, and a run over all states."""
    ways: dict[str, Callable[[], Any]] = {
        "our own C by gcc -O3, one state at a time": lambda: emitted_c(robot, values, folder),
        "CasADi's C by gcc -O3, one state at a time": lambda: casadi_c(robot, values, folder),
        "JAX on the CPU, all states": lambda: with_jax(robot, values, states),
        "MuJoCo's mj_inverse from Python, one state at a time": lambda: with_mujoco(robot, values, states),
    }
    for name, make in ways.items():
        try:
            made = make()
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"left out: {name} ({error})")
            continue
        if "C by gcc" in name:
            out = np.empty((len(states), 6))
            yield name, lambda run=made, out=out: run(states.ctypes.data, out.ctypes.data, len(states)) or out
        else:
            yield name, made


def main() -> None:
    if hasattr(os, "sched_setaffinity"):  # before JAX starts its threads
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    robot, values = rx90_with_numbers()
    rng = np.random.default_rng(1)
    states = rng.uniform(-3, 3, (STATES, 18))
    q, qd, qdd = (np.ascontiguousarray(states[:, k : k + 6]) for k in (0, 6, 12))
    f = rs.inverse_dynamics(robot.with_values(values)).compile()
    out = np.empty((STATES, 6))
    rows, largest = [], 0.0

    def seconds(call: Callable[[], Any]) -> float:
        start = time.process_time()  # processor time: other processes have less effect
        call()
        return time.process_time() - start

    with tempfile.TemporaryDirectory() as temporary:
        for name, call in peers(robot, values, states, Path(temporary)):
            largest = max(largest, float(np.abs(call() - f(q, qd, qdd, out=out)).max() / np.abs(out).max()))
            pairs = [(seconds(call), seconds(lambda: f(q, qd, qdd, out=out))) for _ in range(ROUNDS)]
            theirs, ours = (statistics.median(side) / STATES * 1e9 for side in zip(*pairs, strict=True))
            ratios = [a / b for a, b in pairs]
            what = f"{name}, over robosym ({theirs:.0f} ns over {ours:.1f} ns)"
            key = name.split(",")[0]
            rows.append(Row(what, statistics.median(ratios), 1, at_least=True, spread=spread_of(ratios), key=key))
            if name.startswith("our own"):
                result = race("rnea", robot, values, states, call)
                what = f"Pinocchio C++ over our own C ({result.times})"
                rows.append(Row(what, result.ratio, 7, True, result.spread, key="Pinocchio C++ over our own C"))
    rows.append(Row("largest relative difference of torques", largest, 1e-11))
    print_table(f"RX90 inverse dynamics with numbers, {STATES} states, one core", rows)


if __name__ == "__main__":
    main()
