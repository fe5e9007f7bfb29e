"""Chapters of a book on dynamics, base parameters, identification, operations and generated code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.arrays import Array
from robosym.algebra.generic import random_arrays
from robosym.drawing.axes import MapAxis
from robosym.drawing.maps import maps
from robosym.dynamics import (
    direct_dynamics,
    gravity_torques,
    inertia_matrix,
    inverse_dynamics,
)  # fmt: skip
from robosym.dynamics.identification import IdentificationModel, dynamic_identification
from robosym.errors import Error, InputError
from robosym.export.book.blocks import BookFigure, BookTable, Chapter, DerivedSteps, Paragraph, ProgramText, Section
from robosym.export.book.kinematic_chapters import RANK, drawn_pose, end_of, generic_joints
from robosym.export.derivations.derive import derivation
from robosym.kinematics import direct_geometry, jacobian
from robosym.mechanism import DRIVE, INERTIA, Robot
from robosym.model import Model
from robosym.parameters import base_parameters
from robosym.parameters.linear_forms import row_text

__all__ = ["base", "code", "cost", "dynamics", "identification"]

_NAMES = (
    "Each variable is the component of a vector of the recursion: `W21` is component 2 of the angular velocity "
    "of link 1, `WP` an angular acceleration, `VP` an acceleration less gravity, `F` a force of inertia, `E` and "
    "`N` force and moment on a link, `GAM` the torque of a motor. `C2` and `S2` are cosine and sine of joint 2."
)
_PLATFORM_NAMES = (
    "The inputs are the pose of the platform (`R11` to `R33`, `PX`, `PY`, `PZ`), its twist and its acceleration; the "
    "variables `X` are intermediate results, and `GAM` is the effort of a motor."
)
_SMALL = 3  #: largest number of joints whose dynamic model is derived in full
_GRID = 41
_UNLOADED = 1e-6  #: a smaller change of gravity torques in N m is none
_ABSENT = 1e-12  #: norm of a column without effect
_STATES = 400
_CALLS, _ROUNDS = 400, 5


def dynamics(robot: Robot, numeric: Robot) -> Chapter:
    """Return the equations of motion: a derivation for small robots, the recursion as a listing for others."""
    chapter = Chapter("Dynamics")
    small = len(robot.tree_joints) <= _SMALL and not robot.loops and not robot.couplings
    if small:
        chapter.paragraph(
            "The inverse dynamic model gives the torques and forces of the motors for positions, velocities and "
            "accelerations of the joints. It follows from the kinetic and the potential energy."
        )
        chapter.add(DerivedSteps(derivation(robot, "lagrange")))
        chapter.add(Section("The same by Newton and Euler"), DerivedSteps(derivation(robot, "newton_euler")))
    else:
        model = inverse_dynamics(robot)
        chapter.paragraph(
            "The inverse dynamic model follows from the recursion of Newton and Euler, written with intermediate "
            f"variables. It takes {model.operations}."
        )
        chapter.paragraph(_PLATFORM_NAMES if robot.coordinates == "platform" else _NAMES)
        chapter.add(ProgramText(_listing(model), "", 2))
    chapter.add(*_torque_map(numeric))
    return chapter


def _listing(model: Model) -> str:
    """Return the equations of a listing, without its head."""
    lines = model.code("listing", no_tables=True).splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith("(* Equations")), -1)
    return "\n".join(line for line in lines[start + 1 :] if line.strip() and not line.startswith("(*"))


def _torque_map(robot: Robot) -> Iterator[Section | Paragraph | BookFigure]:
    """Yield the largest gravity torque over the two joints that change it most."""
    if robot.loops or robot.couplings or robot.coordinates != "joints" or len(robot.joint_names) < 2:
        return
    model = gravity_torques(robot).compile()
    q = np.tile(generic_joints(robot, 3), (_STATES, 1))
    spread = []
    rng = random_arrays("book of a robot", 1)
    for k in range(q.shape[1]):
        moved = q.copy()
        moved[:, k] = rng.uniform(-np.pi, np.pi, _STATES)
        spread.append(float(np.ptp(np.asarray(model(q=moved)), axis=0).max()))
    if max(spread) < _UNLOADED:
        return
    one, other = sorted(np.argsort(spread)[-2:])
    values = np.linspace(-np.pi, np.pi, _GRID)
    table = np.tile(q[0], (_GRID, _GRID, 1))
    table[:, :, one], table[:, :, other] = values[:, None], values[None]
    torques = np.asarray(model(q=table))
    motor = int(np.abs(torques).reshape(-1, torques.shape[-1]).max(axis=0).argmax())
    names = robot.joint_names
    slides = [robot.frame(j).joint_type.only_slides for j in robot.tree_joints]
    axes = [MapAxis(names[k], values, "m" if slides[k] else "rad") for k in (one, other)]
    unit = "N" if slides[motor] else "N m"
    canvas = maps("", axes[0], axes[1], {"": torques[:, :, motor]}, f"GAM{robot.tree_joints[motor]} [{unit}]")
    yield Section("Torques of gravity")
    yield Paragraph(
        f"The motor of joint ${names[motor]}$ carries the largest torque of gravity: at most "
        f"{np.abs(torques[:, :, motor]).max():.4g} {unit} over ${names[one]}$ and ${names[other]}$."
    )
    yield BookFigure(canvas.svg(), f"Torque of gravity of joint ${names[motor]}$.", 0.85)


def base(robot: Robot) -> Chapter:
    """Return the base inertial parameters."""
    chapter = Chapter("Base inertial parameters")
    found = base_parameters(robot)
    chapter.paragraph(
        f"Of {len(found.standard_names)} inertial parameters, the motion of the robot depends on "
        f"{len(found.names)} combinations only, its base parameters. They are the parameters that an "
        "identification can estimate, and a model in them takes fewer operations."
    )
    try:
        chapter.add(DerivedSteps(derivation(robot, "base_parameters")))
    except Error:
        rows = tuple((f"${name}$", f"${row_text(row)}$") for name, row in found.coefficients.items())
        chapter.add(BookTable(("parameter", "of standard parameters"), rows, "Base parameters.", 2))
        chapter.paragraph(found.remark)
    return chapter


def identification(robot: Robot, values: Mapping[str, float]) -> Chapter:
    """Return the identification model: its columns, and how well random states determine the parameters."""
    chapter = Chapter("Identification model")
    inertial = {name for link in robot.links for name in symbols([getattr(link, f) for f in (*INERTIA, *DRIVE)])}
    robot = robot.with_values({name: value for name, value in values.items() if name not in inertial})
    try:
        model = dynamic_identification(robot, base_parameters=True)
    except InputError:  # a parallel robot with numbers
        robot = robot.symbolic()
        model = dynamic_identification(robot, base_parameters=True)
    motors = len(model.outputs[next(iter(model.outputs))])
    chapter.paragraph(
        "The torques are linear in the inertial and friction parameters: they are the product of the observation "
        f"matrix D and the parameters. D has {motors} rows, one per motor, and takes {model.operations}."
    )
    columns = model.compile()
    with suppress(Error, KeyError, ValueError, TypeError):
        W, names = _observation(model, columns, robot)
        sizes = np.linalg.svd(W / np.linalg.norm(W, axis=0), compute_uv=False)
        rank = int((sizes > RANK * sizes[0]).sum())
        chapter.paragraph(
            f"At {_STATES} random states, D has {W.shape[1]} columns that are not zero and rank {rank} by "
            f"singular values. The condition number of its scaled columns is {sizes[0] / sizes[rank - 1]:.4g}; an "
            "exciting trajectory (`rs.exciting_trajectory`) reduces it."
        )
        norms = np.linalg.norm(W, axis=0) / np.sqrt(len(W))
        rows = [(f"${name}$", f"{norm:.3g}") for name, norm in zip(names, norms, strict=True)]
        across = 4
        rows += [("", "")] * (-len(rows) % across)
        down = len(rows) // across
        grid = tuple(tuple(x for k in range(across) for x in rows[k * down + r]) for r in range(down))
        chapter.add(
            BookTable(("parameter", "effect") * across, grid, "Root mean square of each column of D at random states.")
        )
    return chapter


def _observation(model: IdentificationModel, function: Any, robot: Robot) -> tuple[Array, list[str]]:
    """Return the observation matrix of random states, with the names of its columns."""
    rng = random_arrays("book of a robot", 4)
    given: dict[str, Any] = {}
    for group, names in model.inputs.items():
        if group == "parameters":
            given[group] = {}
        elif group == "pose":
            given[group] = np.tile(drawn_pose(robot), (_STATES, 1))
            given[group][:, 9:] += 0.05 * rng.uniform(-1, 1, (_STATES, 3))
        elif group == "gravity":
            given[group] = np.full(len(names), -9.81)
        else:
            given[group] = rng.uniform(-1, 1, (_STATES, len(names)))
    if "parameters" in given:
        raise KeyError
    values = np.asarray(function(**given))
    W = values.reshape(-1, values.shape[-1])
    W = W[np.isfinite(W).all(axis=1)]
    if not len(W):
        raise ValueError("the legs reach none of the poses")
    columns = list(model.columns)
    kept = np.linalg.norm(W, axis=0) > _ABSENT
    return W[:, kept], [name for name, keep in zip(columns, kept, strict=True) if keep]


def cost(robot: Robot) -> Chapter:
    """Return operations and run times of the models."""
    chapter = Chapter("Operations and run times")
    made: dict[str, Callable[[], Any]] = {
        "direct geometric model": lambda: direct_geometry(robot, 0, end_of(robot)),
        "Jacobian matrix": lambda: (
            jacobian(robot, end_of(robot)) if robot.coordinates != "platform" else jacobian(robot)
        ),
        "gravity torques": lambda: gravity_torques(robot),
        "inertia matrix": lambda: inertia_matrix(robot),
        "inverse dynamic model": lambda: inverse_dynamics(robot),
        "inverse dynamic model in base parameters": lambda: inverse_dynamics(robot, base_parameters=True),
        "direct dynamic model": lambda: direct_dynamics(robot),
    }
    rows = []
    for name, make in made.items():
        with suppress(Error, AttributeError):
            model = make()
            if not isinstance(model, Model):
                continue
            ops = model.operations
            online = ops.total if ops.online is None else ops.online.total
            counts = (ops.additions, ops.multiplications, ops.functions, online)
            rows.append((name, *map(str, counts), f"{_run_time(model) * 1e9:.0f}"))
    chapter.paragraph(
        "Operations as SYMORO+ counts them: a sum or difference is an addition; a product, a quotient or a square is a "
        "multiplication. Online operations depend on the motion; the others are computed once. The time is that of one "
        "state in a table of states, compiled to machine code on the computer that made this book."
    )
    head = ("model", "+, -", "*, /", "functions", "online", "time [ns]")
    chapter.add(BookTable(head, tuple(rows), "Operations and run times of the models."))
    return chapter


def _run_time(model: Model) -> float:
    """Return the time per state in s, the smallest of several runs."""
    function = model.compile()
    given: dict[str, Any] = {}
    for group, names in model.inputs.items():
        if group == "pose":
            given[group] = np.tile(np.r_[np.eye(3).ravel(), 0.0, 0.0, 0.5], (_CALLS, 1))
        elif group == "parameters":
            given[group] = dict.fromkeys(names, 0.5)
        else:
            given[group] = np.full((_CALLS, len(names)), 0.3)
    best = np.inf
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            start = time.perf_counter()
            function(**given)
            best = min(best, time.perf_counter() - start)
    return float(best) / _CALLS


def code(robot: Robot) -> Chapter:
    """Return generated code."""
    chapter = Chapter("Generated code", appendix=True)
    model = inverse_dynamics(robot, base_parameters=True)
    chapter.paragraph(
        "The inverse dynamic model in base parameters in C. The command `robosym inverse-dynamics` writes it in other "
        "languages, and `robosym bundle` with a self-test."
    )
    chapter.add(ProgramText(model.code("c"), "c", 1))
    return chapter
