"""The files of a bundle, written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.samples import Array
from robosym.coordinates.accepts import accepts
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing
from robosym.coordinates.reference import numeric_reference
from robosym.errors import InputError
from robosym.export.contents import (
    functions_of,
    motor_places,
    need_numbers,
    pose_solution,
    with_one_list,
)
from robosym.export.self_test import self_test
from robosym.export.wrappers import closed_source, cmake, cpp_header, s_function, umbrella
from robosym.files import write_texts
from robosym.languages import code
from robosym.languages.reserved import C_WORDS
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import aimed
from robosym.model import Model
from robosym.optimizer.fastest import fastest
from robosym.safe_text import identifier
from robosym.solve.platform_assembly import allowed_motions

__all__ = ["bundle"]


#: names that cannot be a namespace of C++ or a target of CMake
_TAKEN = C_WORDS | frozenset(
    """all ALL_BUILD help install INSTALL preinstall clean edit_cache rebuild_cache test RUN_TESTS package PACKAGE
    package_source ZERO_CHECK c m dl""".split()
)
SCALARS = {"double": "double", "single": "float"}  #: the type of a number, by precision


@accepts("floating", platform="folder prefix precision friction")
def bundle(
    robot: Robot,
    folder: str | Path | None = None,
    prefix: str = "",
    precision: str = "double",
    frame: int | str | None = None,
    tool: Any = None,
    friction: bool | str = "smooth",
) -> list[Path]:
    """Write C functions with their headers, a self-test, a CMake file, an S-function and a C++ header; the paths.

    Inverse dynamics, gravity torques, direct geometry of `frame` (the end of the arm), or of a
    `tool` on it (4x4, or x y z roll pitch yaw), its Jacobian in frame 0 and, where a pose
    determines the joints, inverse geometry; of a closed robot also the functions that close its loops. Of a parallel
    robot, which needs a reference position: inverse dynamics from the motion of the platform, the motors from its pose,
    J_p^-1 and J_p. The geometry and the links must be numbers; symbols of gravity, of the orientation of the base and
    of a payload stay inputs of the functions (`robot.with_inputs`), and so
    does gravity on a moving base. The folder is by default `<prefix>_c`, `prefix` begins
    every name (default: the robot's name); `precision` is "double" or "single"; `friction` in
    inverse dynamics is "smooth" (tanh in the place of the sign of velocities, which chatters where they are measured),
    "yes" (as described) or "no", and the header says which. In double precision the models have the
    form that runs fastest; in single precision there is no S-function, and inverse geometry of arms is in double.
    """
    if robot.base.kind != "fixed" and not set(symbols(robot.gravity)):
        robot = robot.with_inputs("gravity")  # it turns with the base: a number would hold for one orientation alone
    robot, frame = aimed(robot, frame, tool)
    if precision not in SCALARS:
        raise InputError(f"precision: expected {' or '.join(SCALARS)}, found {precision!r}")
    prefix = identifier(prefix or robot.name)
    prefix = f"robot_{prefix}" if prefix in _TAKEN else prefix
    models = functions_of(robot, frame, friction)
    need_numbers(robot, models.values())
    if precision == "double":  # in single precision every digit counts
        models = {name: fastest(model) for name, model in models.items()}
    models = with_one_list(models)
    solution = pose_solution(robot, frame)
    texts = _texts(robot, prefix, precision, models, solution)
    folder = Path(folder or f"{prefix}_c")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from None
    write_texts({folder / name: text for name, text in texts.items()})
    return [folder / name for name in texts]


def _texts(robot: Robot, prefix: str, precision: str, models: dict[str, Model], solution: Any) -> dict[str, str]:
    scalar = SCALARS[precision]
    texts: dict[str, str] = {}
    for name, model in models.items():
        options = {"precision": precision, "name": f"{prefix}_{name}"}
        texts[f"{prefix}_{name}.c"] = code(model, "c", header=f"{prefix}_{name}.h", **options)
        texts[f"{prefix}_{name}.h"] = code(model, "h", **options)
    if solution is not None:
        recipe = solution.recipe(prefix)
        texts[f"{prefix}_igm.c"] = recipe.code("c", header=f"{prefix}_igm.h")
        texts[f"{prefix}_igm.h"] = recipe.code("h")
    if robot.loops:
        texts[f"{prefix}_closed.c"] = closed_source(robot, prefix, models["inverse_dynamics"], scalar)
    sources = [name for name in texts if name.endswith(".c")]
    texts[f"{prefix}.h"] = umbrella(
        robot, prefix, [name for name in texts if name.endswith(".h")], scalar, models, solution
    )
    motors = motor_places(robot) if robot.loops else []
    texts[f"{prefix}_test.c"] = self_test(prefix, scalar, models, solution, _positions(robot), motors)
    texts["CMakeLists.txt"] = cmake(robot, prefix, sources, precision)
    if precision == "double":
        texts[f"{prefix}_sfun.c"] = s_function(robot, prefix, "inverse_dynamics", models["inverse_dynamics"])
    texts[f"{prefix}.hpp"] = cpp_header(robot, prefix, models)
    return texts


def _positions(robot: Robot) -> dict[str, Array]:
    """Closed positions of the joints of the tree, or motions of the platform; none where any position will do."""
    if robot.modules:
        reference = numeric_reference(robot)
        assert reference is not None
        samples = [reference.samples[0], *reference.around(4)]
        poses = np.resize([[*sample.pose_values.values()] for sample in samples], (5, 12))
        random = random_arrays("self-tests of bundles").uniform(-0.9, 0.9, (2, 5, 6))
        return dict(
            zip(("pose", "twist", "acceleration"), (poses, *allowed_motions(robot, poses, *random)), strict=True)
        )
    if not robot.loops:
        return {}
    found = closed_positions(Closing(robot), {}, random_arrays("self-tests of bundles", 2), 5)
    return {"q": np.array([[values[robot.variable(j)] for j in robot.tree_joints] for values in found])}
