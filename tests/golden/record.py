"""Operation counts and names of the models of the library, and four complete listings, as texts that a person reads.

`python tests/golden/record.py` writes tests/golden/<robot>.txt anew (all robots, or those named) and the listings; the
tests compare. A change that is meant shows as a readable difference of these files in the commit that makes it.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import robosym as rs
from cases.library import PARALLEL, ROBOTS
from robosym.mechanism import Robot
from robosym.model import Model, flat, shape

FOLDER = Path(__file__).parent
WIDTH = 118  #: columns of a line

Make = Callable[[Robot], Model]


def _last(robot: Robot) -> int:
    return robot.NL


#: models of any robot of links, by name
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
#: models of robots with a platform
PLATFORM_MODELS: dict[str, Make] = {
    "jacobian": rs.jacobian,
    "inverse_dynamics": rs.inverse_dynamics,
    "bias_torques": rs.bias_torques,
    "inertia_matrix": rs.inertia_matrix,
    "direct_dynamics": rs.direct_dynamics,
}
#: models that take seconds, of some robots only
SLOW: dict[str, tuple[Make, tuple[str, ...]]] = {
    "determinant": (lambda r: rs.jacobian(r, _last(r)).determinant(), ("rx90", "puma560", "scara", "stanford", "lwr")),
    "inverse_jacobian": (lambda r: rs.jacobian(r, _last(r)).inverse(), ("rx90", "puma560", "stanford", "gantry3p3r")),
    "lagrange expanded": (lambda r: rs.lagrange(r, form="expanded"), ("planar2r", "scara", "lumped2axis")),
    "general_equations": (lambda r: rs.general_equations(r, stop="AB").model, ("rx90", "ur5e")),
    "inverse_dynamics derivative": (lambda r: rs.inverse_dynamics(r).derivative("q", "qd"), ("rx90", "scara")),
    "optimize 1": (lambda r: rs.optimize(rs.inverse_dynamics(r), 1), ("rx90", "sr400", "lwr", "stanford")),
}
#: models after the longest search, which takes many seconds
SEARCHED: dict[str, tuple[Make, tuple[str, ...]]] = {
    "optimize max": (lambda r: rs.optimize(rs.inverse_dynamics(r), "max"), ("rx90", "stanford", "scara")),
    "optimize max direct": (lambda r: rs.optimize(rs.direct_dynamics(r), "max"), ("rx90", "scara")),
}
#: complete texts: a file, the robot, and the language
LISTINGS = {
    "rx90.dyn": ("rx90", "listing"),
    "sr400.dyn": ("sr400", "listing"),
    "delta.dyn": ("delta", "listing"),
    "planar2r.c": ("planar2r", "c"),
}


def models_of(robot: Robot, searched: bool) -> Iterator[tuple[str, Make]]:
    if searched:
        yield from ((name, make) for name, (make, robots) in SEARCHED.items() if robot.name in robots)
        return
    yield from (PLATFORM_MODELS if robot.name in PARALLEL else MODELS).items()
    yield from ((name, make) for name, (make, robots) in SLOW.items() if robot.name in robots)


def record_of(robot: Robot, searched: bool = False) -> str:
    """The counts of every model of a robot, then the names of its inputs, outputs and base parameters."""
    rows, inputs, outputs = [], dict[str, list[str]](), dict[str, list[str]]()
    for name, make in models_of(robot, searched):
        try:
            model = make(robot)
        except rs.Error as error:
            rows.append(f"{name:<28} {type(error).__name__}: {error}")
            continue
        total = model.operations
        online = total.online.total if total.online is not None else total.total
        counts = f"{total.additions:6}{total.multiplications:6}{total.functions:6}{online:8}"
        rows.append(f"{name:<28}{counts}   {' '.join(model.inputs)} -> {' '.join(model.outputs)}")
        for group, names in model.inputs.items():
            inputs.setdefault(f"{group}: {' '.join(names)}", []).append(name)
        for group, layout in model.outputs.items():
            outputs.setdefault(f"{group}: {_entries(layout)}", []).append(name)
    parts = [
        f"{robot.name}: operations and names of its models{' after the longest search' if searched else ''}",
        f"{'':28}{'+ -':>6}{'* /':>6}{'sin..':>6}{'online':>8}   inputs -> outputs",
        *rows,
        *_names("Inputs", inputs),
        *_names("Outputs", outputs),
    ]
    if not searched and robot.name not in PARALLEL:
        parts += _base_parameters(robot)
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _entries(layout: object) -> str:
    """The names of a vector; of a matrix its size, its first and its last name."""
    names = list(flat(layout))  # type: ignore[arg-type]
    size = shape(layout)  # type: ignore[arg-type]
    if len(size) < 2:
        return " ".join(names)
    return f"{' x '.join(map(str, size))}, {names[0]} to {names[-1]}"


def _names(title: str, groups: dict[str, list[str]]) -> Iterator[str]:
    """Yield each group of names once, with its models if there are other groups of that name."""
    yield from ("", title)
    heads = [text.partition(":")[0] for text in groups]
    for (text, models), head in sorted(zip(groups.items(), heads, strict=True), key=lambda entry: entry[1]):
        yield from _wrapped(f"{text}  ({', '.join(models)})" if heads.count(head) > 1 else text)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)


def _base_parameters(robot: Robot) -> Iterator[str]:
    yield from ("", "Base parameters")
    try:
        base = rs.base_parameters(robot)
    except rs.Error as error:
        yield f"  {type(error).__name__}: {error}"
        return
    for name in base.names:
        relation = str(base.grouping.get(name, name))
        yield from _wrapped(name if relation == name else f"{name} = {relation}")
    yield from _wrapped(f"grouped or without effect: {' '.join(map(str, base.eliminated))}")


def listing_of(name: str) -> str:
    """The complete inverse dynamic model as text, without the version, the checksum and the bound of the stack."""
    robot, language = LISTINGS[name]
    text = rs.inverse_dynamics(rs.load(robot)).code(language)
    return re.sub(r".*(Written by robosym|Described by|Stack: at most).*\n", "", text)


def path_of(name: str, searched: bool = False) -> Path:
    return FOLDER / f"{name}{' searched' if searched else ''}.txt".replace(" ", "_")


def write(name: str) -> str:
    robot = rs.load(name)
    path_of(name).write_text(record_of(robot), encoding="utf-8")
    if any(name in robots for _, robots in SEARCHED.values()):
        path_of(name, searched=True).write_text(record_of(robot, searched=True), encoding="utf-8")
    return name


def main(names: Iterable[str]) -> None:
    for name in LISTINGS:
        (FOLDER / name).write_text(listing_of(name), encoding="utf-8")
    with ProcessPoolExecutor(2) as pool:
        for name in pool.map(write, names):
            print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or (*ROBOTS, *PARALLEL))
