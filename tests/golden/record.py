"""Golden hashes: operation counts, names and texts of every model of the library, in every language.

`python tests/golden/record.py` writes tests/golden/<robot>.json anew (all robots, or those named); the test compares. A
hash that changes is declared in the commit that changes it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import robosym as rs
from cases.library import ROBOTS
from robosym.mechanism import Robot

FOLDER = Path(__file__).parent
LANGUAGES = ("listing", "c", "cpp", "fortran", "matlab", "mathematica", "maple", "python", "julia", "rust", "latex")
INIT = ("c", "h", "fortran", "python", "julia")  #: languages with an option to compute constants once
SOLUTION_LANGUAGES = ("c", "python")
LARGE = 4000  #: operations beyond which one listing stands for all languages

Make = Callable[[Robot], Any]


def _last(robot: Robot) -> int:
    return robot.NL


#: models of any robot, by name
MODELS: dict[str, Make] = {
    "transform": lambda r: rs.transform(r, 0, _last(r)),
    "direct_geometry": lambda r: rs.direct_geometry(r, 0, _last(r)),
    "direct_geometry back": lambda r: rs.direct_geometry(r, _last(r), 0),
    "paul_matrices": rs.paul_matrices,
    "jacobian": lambda r: rs.jacobian(r, _last(r)),
    "jacobian 0": lambda r: rs.jacobian(r, _last(r), 0, 0),
    "operational_jacobian": lambda r: rs.operational_jacobian(r, _last(r)),
    "velocities": rs.velocities,
    "accelerations": rs.accelerations,
    "jdot_qdot": lambda r: rs.jdot_qdot(r, _last(r)),
    "loop_kinematics": rs.loop_kinematics,
    "loop_kinematics solution": lambda r: rs.loop_kinematics(r).solution(),
    "inverse_dynamics": rs.inverse_dynamics,
    "inverse_dynamics base": lambda r: rs.inverse_dynamics(r, base_parameters=True),
    "inverse_dynamics tree": lambda r: rs.inverse_dynamics(r, structure="tree"),
    "bias_torques": rs.bias_torques,
    "gravity_torques": rs.gravity_torques,
    "inertia_matrix": rs.inertia_matrix,
    "coriolis_matrix": rs.coriolis_matrix,
    "direct_dynamics": rs.direct_dynamics,
    "direct_dynamics cholesky": lambda r: rs.direct_dynamics(r, route="cholesky"),
    "modified_newton_euler": rs.modified_newton_euler,
    "lagrange": rs.lagrange,
    "dynamic_identification": rs.dynamic_identification,
    "dynamic_identification base": lambda r: rs.dynamic_identification(r, base_parameters=True),
    "energy_identification": rs.energy_identification,
    "power_identification": rs.power_identification,
    "filtered_identification": rs.filtered_identification,
}
#: models that take a while: of some robots only
SLOW: dict[str, tuple[Make, tuple[str, ...]]] = {
    "determinant": (lambda r: rs.jacobian(r, _last(r)).determinant(), ("rx90", "puma560", "scara", "stanford", "lwr")),
    "inverse_jacobian": (lambda r: rs.jacobian(r, _last(r)).inverse(), ("rx90", "puma560", "stanford", "gantry3p3r")),
    "lagrange expanded": (lambda r: rs.lagrange(r, form="expanded"), ("planar2r", "scara", "lumped2axis")),
    "general_equations": (lambda r: rs.general_equations(r, stop="AB").model, ("rx90", "ur5e")),
    "inverse_dynamics derivative": (lambda r: rs.inverse_dynamics(r).derivative("q", "qd"), ("rx90", "scara")),
    "optimize 1": (lambda r: rs.optimize(rs.inverse_dynamics(r), 1), ("rx90", "sr400", "lwr", "stanford")),
    "optimize max": (lambda r: rs.optimize(rs.inverse_dynamics(r), "max"), ("rx90", "stanford", "scara")),
    "optimize max direct": (lambda r: rs.optimize(rs.direct_dynamics(r), "max"), ("rx90", "scara")),
}
#: results that are texts for people
TEXTS: dict[str, tuple[Callable[[Robot], str], tuple[str, ...] | None]] = {
    "base_parameters": (lambda r: _base_text(rs.base_parameters(r)), None),
    "base_parameters numeric": (
        lambda r: _base_text(rs.base_parameters(r, method="numeric")), ("rx90", "sr400", "akr3000", "scara", "puma560"),
    ),
    "par": (lambda r: r.dumps("par"), None),
    "yaml": (lambda r: r.dumps("yaml"), None),
}  # fmt: skip
#: solutions as programs
SOLUTIONS: dict[str, tuple[Make, tuple[str, ...]]] = {
    "inverse_geometry": (
        rs.inverse_geometry,
        ("rx90", "puma560", "scara", "stanford", "ur5e", "ur10e", "tx90", "gantry3p3r"),
    ),
    "loop_geometry": (rs.loop_geometry, ("sr400", "akr3000")),
}


def _base_text(base: Any) -> str:
    return "\n".join([*base.names, *map(str, base.eliminated), *(f"{k}: {v}" for k, v in base.grouping.items())])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _attempt(make: Callable[[], str]) -> str:
    """The hash of a text, or in clear the refusal that stands in its place; versions, checksums and bounds aside."""
    try:
        return digest(re.sub(r".*(Written by robosym|Described by|Stack: at most).*\n", "", make()))
    except rs.Error as error:
        return f"{type(error).__name__}: {error}"


def model_record(make: Callable[[], Any]) -> dict[str, str] | str:
    try:
        model = make()
    except rs.Error as error:
        return f"{type(error).__name__}: {error}"
    found = {
        "operations": str(model.operations),
        "names": digest(repr((model.kind, model.title, dict(model.inputs), dict(model.outputs)))),
        "definitions": digest(" ".join(model.definitions)),
    }
    small = model.operations.total < LARGE
    for language in LANGUAGES if small else ("listing",):
        found[language] = _attempt(lambda language=language: model.code(language))
    for language in INIT if small else ():
        found[f"{language} init"] = _attempt(lambda language=language: model.code(language, init=True))
    return found


def records(robot: Robot) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is recorded of a robot, each ready to be made."""

    def solution(make: Make) -> dict[str, str] | str:
        try:
            made = make(robot)
        except rs.Error as error:
            return f"{type(error).__name__}: {error}"
        found = {"words": _attempt(made.explain), "latex": _attempt(made.latex)}
        return found | {language: _attempt(lambda: made.code(language)) for language in SOLUTION_LANGUAGES}  # noqa: B023

    for name, make in MODELS.items():
        yield name, lambda make=make: model_record(lambda: make(robot))
    for name, (make, robots) in SLOW.items():
        if robot.name in robots:
            yield name, lambda make=make: model_record(lambda: make(robot))
    for name, (text, names) in TEXTS.items():
        if names is None or robot.name in names:
            yield name, lambda text=text: _attempt(lambda: text(robot))
    for name, (make, robots) in SOLUTIONS.items():
        if robot.name in robots:
            yield name, lambda make=make: solution(make)


def record_of(name: str) -> dict[str, Any]:
    """Everything that is recorded of a library robot."""
    robot = rs.load(name)
    return {key: make() for key, make in records(robot)}


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def write(name: str) -> str:
    path_of(name).write_text(json.dumps(record_of(name), indent=0) + "\n", encoding="utf-8")
    return name


def main() -> None:
    names = sys.argv[1:] or ROBOTS
    with ProcessPoolExecutor(2) as pool:
        for name in pool.map(write, names):
            print(name, flush=True)


if __name__ == "__main__":
    main()
