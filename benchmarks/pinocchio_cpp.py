"""Time Pinocchio's C++ algorithms on a serial arm, in turns with robosym.

Needs g++ and the wheels `pin` (headers and library of Pinocchio) and `casadi` (headers of Eigen). Compiling the C++
program takes some minutes and 4 GB; it is stored in build/pinocchio or in a folder given on the command line.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from table import spread_of

import robosym as rs
from robosym.algebra import Expr, evaluate

STATES = 2000
REPETITIONS = 41
FLAGS = (
    "-std=c++17 -O3 -march=native -DNDEBUG -w -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 "
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12"
).split()

Array = NDArray[np.float64]
Values = dict[str, float]


def rx90_with_numbers() -> tuple[rs.Robot, Values]:
    """Return the RX90 with symbolic standard parameters, and physically consistent values of them.

    Friction is zero, since `rnea` has none; our model still computes it.
    """
    robot = rs.load("rx90")
    rng = np.random.default_rng(7)
    values: Values = {}
    for j in range(1, robot.NL + 1):
        mass, com = rng.uniform(1, 10), rng.uniform(-0.2, 0.2, 3)
        axes = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        at_com = axes @ np.diag(rng.uniform(0.1, 0.19, 3)) @ axes.T
        at_frame = at_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
        names = [f"{name}{j}" for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ")]
        values |= dict(zip(names, [*at_frame[np.triu_indices(3)], *(mass * com)], strict=True))
        values |= {f"M{j}": mass, f"IA{j}": rng.uniform(0.1, 1), f"FV{j}": 0.0, f"FS{j}": 0.0}
    return robot, values | {"D3": 0.45, "RL4": 0.45, "G3": -9.81}


def joints(robot: rs.Robot, values: Values) -> list[tuple[Array, Array, float, Array, Array, float]]:
    """Return each revolute joint in the form of Pinocchio.

    Each item has rotation and translation of its frame in the parent frame, mass, center of mass, inertia about it and
    armature.
    """
    still = values | {robot.variable(j): 0.0 for j in robot.tree_joints}

    def number(expression: Expr) -> float:
        return evaluate([expression], still)[0]

    described = []
    for j, frame in enumerate(robot.frames, 1):
        cg, sg, ca, sa = (f(number(angle)) for angle in (frame.gamma, frame.alpha) for f in (np.cos, np.sin))
        turn = np.array([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
        origin = turn @ [number(frame.d), 0, number(frame.r)] + [0, 0, number(frame.b)]
        mass = values[f"M{j}"]
        com = np.array([values[f"{axis}{j}"] for axis in ("MX", "MY", "MZ")]) / mass
        xx, xy, xz, yy, yz, zz = (values[f"{name}{j}"] for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        at_frame = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        at_com = at_frame - mass * (com @ com * np.eye(3) - np.outer(com, com))
        described.append((turn, origin, mass, com, at_com, values[f"IA{j}"]))
    return described


def offline_groups(model: rs.Model, values: Values) -> dict[str, Array]:
    """Return the parameters and gravity as arrays."""
    groups = (group for group in ("gravity", "parameters") if group in model.inputs)
    return {group: np.array([values[name] for name in model.inputs[group]]) for group in groups}


#: folder of compiled programs
KEPT = Path(__file__).resolve().parent.parent / "build" / "pinocchio"


def compile_reference(folder: Path, name: str = "pinocchio_dynamics") -> Path:
    """Build a C++ program of this folder against the wheels, unless `folder` contains it already."""
    source, program = Path(__file__).with_name(f"{name}.cpp"), folder / name
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    folder.mkdir(parents=True, exist_ok=True)
    packages = Path(sysconfig.get_path("purelib"))
    prefix = packages / "cmeel.prefix"
    includes = [f"-I{prefix / 'include'}", f"-I{packages / 'casadi' / 'include' / 'eigen3'}"]
    libraries = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    print("compiling Pinocchio's program, some minutes ...", flush=True)
    subprocess.run(["g++", *FLAGS, *includes, str(source), "-o", str(program), *libraries], check=True)
    return program


def text_of(robot: rs.Robot, values: Values) -> str:
    """Return the arm in the format of pinocchio_dynamics.cpp."""
    gravity = [evaluate([g], values)[0] for g in robot.gravity]
    lines = [gravity]
    for turn, origin, mass, com, inertia, armature in joints(robot, values):
        tensor = [inertia[i] for i in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
        lines.append([*turn.ravel(), *origin, mass, *com, *tensor, armature])
    return f"{robot.NL}\n" + "\n".join(" ".join(repr(float(x)) for x in line) for line in lines) + "\n"


@dataclass(frozen=True)
class Race:
    """Times per state of both programs in ns, and the largest relative difference of their results."""

    theirs: float
    ours: float
    ratio: float  #: median of the ratios of runs in turns
    spread: tuple[float, float]  #: spread of these ratios
    difference: float

    @property
    def times(self) -> str:
        return f"{self.theirs:.0f} ns over {self.ours:.1f} ns"


def race(
    algorithm: str, robot: rs.Robot, values: Values, states: Array, ours: Callable[[], Any],
    as_theirs: Callable[[Any], Array] = np.asarray,
) -> Race:  # fmt: skip
    """Compare an algorithm: "rnea", "aba", "crba", "regressor" or "derivatives".

    `states` are rows of q, v and accelerations (torques for "aba"); `as_theirs` reorders our results as theirs.
    """
    return raced("pinocchio_dynamics", [algorithm], text_of(robot, values), states, ours, as_theirs)


def raced(
    name: str, arguments: list[str], text: str, states: Array, ours: Callable[[], Any],
    as_theirs: Callable[[Any], Array] = np.asarray,
) -> Race:  # fmt: skip
    """Compare a C++ program with ours; both run in turns on one core, so that a busy machine slows both."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        program = compile_reference(Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT, name)
        (folder / "model.txt").write_text(text)
        states.tofile(folder / "states.bin")
        files = [str(folder / file) for file in ("model.txt", "states.bin", "results.bin")]
        them, us = _in_turns([str(program), *arguments, *files], len(states), ours)
        expected = np.fromfile(folder / "results.bin").reshape(len(states), -1)
    found = as_theirs(ours()).reshape(len(states), -1)
    difference = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    ratios = [b / a for a, b in zip(us, them, strict=True)]
    return Race(
        statistics.median(them), statistics.median(us), statistics.median(ratios), spread_of(ratios), difference
    )


def _in_turns(command: list[str], count: int, ours: Callable[[], Any]) -> tuple[list[float], list[float]]:
    """Return the times per state of both programs in ns, for each run.

    They are processor times if the system reports them, so that other processes have less effect.
    """
    them: list[float] = []
    us: list[float] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reference:
        assert reference.stdin is not None
        assert reference.stdout is not None
        for _ in range(REPETITIONS):
            begun = _processor_time(reference.pid)
            print("run", file=reference.stdin, flush=True)
            waited = float(reference.stdout.readline())
            taken = _processor_time(reference.pid)
            them.append(waited if begun is None or taken is None else (taken - begun) / count * 1e9)
            start = time.process_time()
            for _ in range(10):
                ours()
            us.append((time.process_time() - start) / 10 / count * 1e9)
        reference.stdin.close()
    return them, us


def _processor_time(process: int) -> float | None:
    """Return the processor time of a process in s; Linux also reports that of other processes."""
    if not sys.platform.startswith("linux"):
        return None
    clock = (~process << 3) | 2  # as in clock_getcpuclockid
    return time.clock_gettime(clock)
