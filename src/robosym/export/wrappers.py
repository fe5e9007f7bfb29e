"""Files around the functions of a bundle: common header, closing of loops, C++ header, CMake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

from robosym.languages.cpp import definitions
from robosym.languages.header import agreed, describe, guarded, named_entries, own_namespace, provenance
from robosym.languages.language import find_language
from robosym.mechanism import Robot
from robosym.model import Model, flat
from robosym.safe_text import comment
from robosym.solve.inverse_geometry import InverseGeometry

__all__ = ["array_sizes", "closed_source", "cmake", "cpp_header", "motor_places", "others", "umbrella"]


_CLOSED = {"double": "1e-22", "float": "1e-10f"}  #: square of the gap of closed loops


def array_sizes(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    """Return the sizes of the arrays that a function reads and writes."""
    read = {group: len(names) for group, names in model.inputs.items()}
    return read, {group: len(list(flat(layout))) for group, layout in model.outputs.items()}


def _head(robot: Robot, title: str, mark: str = "c", more: Sequence[str] = ()) -> list[str]:
    return find_language(mark).commented([f"{robot.name}: {title}", "", *provenance(robot), *more])


def _contents(robot: Robot, prefix: str, models: Mapping[str, Model], solution: InverseGeometry | None) -> list[str]:
    """Return a description of each function, and the joint names in the order of `q`."""
    lines = [""]
    for name, model in models.items():
        words = [f"{prefix}_{name}: {model.title}", *model.about.values()]
        lines += wrap("; ".join(words), 100, subsequent_indent="    ")
    if solution is not None:
        lines += wrap(f"{prefix}_igm: joints from the pose of {solution.problem.chain.goal}", 100)
    joints = robot.tree_joints if "q" in models["inverse_dynamics"].inputs else robot.motors
    return [*lines, *named_entries(["q"], [robot.joint(j).name for j in joints])]


def umbrella(
    robot: Robot, prefix: str, headers: Sequence[str], scalar: str, models: Mapping[str, Model],
    solution: InverseGeometry | None,
) -> str:  # fmt: skip
    """Return the header that includes the others."""
    dynamics = models["inverse_dynamics"]
    in_joints = "q" in dynamics.inputs
    sizes = {"JOINTS": len(robot.tree_joints)} if in_joints else {}
    if robot.loops or not in_joints:
        sizes["MOTORS"] = len(robot.motors)
    more = _contents(robot, prefix, models, solution)
    lines = [*(f'#include "{header}"' for header in headers), ""]
    lines += agreed((f"{prefix.upper()}_{word}", size) for word, size in sizes.items())
    if robot.loops:
        lines += ["", *_closed_declarations(prefix, robot, scalar, dynamics)]
    return "\n".join([*_head(robot, "functions for a controller", "c", more), *guarded(prefix, "H", lines)])


# ------------------------------------------------------------------------ closed loops


_MOTION = {"q": "q", "qd": "rates", "qdd": "accelerations"}  #: argument names of the groups in closed robots


def others(dynamics: Model) -> list[str]:
    """Return the input groups other than the motion: gravity, parameters of a payload."""
    return [group for group in dynamics.inputs if group not in _MOTION]


def _signatures(prefix: str, robot: Robot, scalar: str, dynamics: Model) -> tuple[str, str]:
    motors, joints = len(robot.motors), len(robot.tree_joints)
    close = f"int {prefix}_close(const {scalar} motors[ROBOSYM_ARRAY({motors})], {scalar} q[ROBOSYM_ARRAY({joints})])"
    sizes = dict.fromkeys(("motors", "rates", "accelerations"), motors)
    sizes |= {group: len(dynamics.inputs[group]) for group in others(dynamics)}
    given = ", ".join(f"const {scalar} {name}[ROBOSYM_ARRAY({size})]" for name, size in sizes.items())
    torque = (
        f"int {prefix}_torque({given},\n    {scalar} q[ROBOSYM_ARRAY({joints})], {scalar} tau[ROBOSYM_ARRAY({motors})])"
    )
    return close, torque


def _closed_declarations(prefix: str, robot: Robot, scalar: str, dynamics: Model) -> list[str]:
    close, torque = _signatures(prefix, robot, scalar, dynamics)
    more = others(dynamics)
    rest = f"; {', '.join(more)} as {prefix}_inverse_dynamics takes them" if more else ""
    return [
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "/* Close the loops by Newton's method: takes motor positions and a nearby position q, and updates q.",
        "   Returns 0, or 1 if the loops cannot be closed (q is then unchanged). */",
        f"{close};",
        f"/* Motor torques from motor positions, rates and accelerations{rest}; q as above, for the next call. */",
        f"{torque};",
        "#ifdef __cplusplus",
        "}",
        "#endif",
    ]


def motor_places(robot: Robot) -> list[int]:
    """Return the indices of the motors among the tree joints."""
    return [place for place, j in enumerate(robot.tree_joints) if robot.frame(j).mu]


def closed_source(robot: Robot, prefix: str, dynamics: Model, scalar: str) -> str:
    """Return the functions of a closed robot that solve its loops."""
    names = [robot.variable(j) for j in robot.tree_joints]
    joints = len(names)
    tiny = _CLOSED[scalar]
    close, torque = _signatures(prefix, robot, scalar, dynamics)
    used = [_MOTION.get(group, group) for group in dynamics.inputs]
    given = ", ".join([*used, "tau"])
    unused = [f"    (void){name};" for name in ("rates", "accelerations") if name not in used]
    lines = [
        *_head(robot, "closing of loops and motor torques"),
        "",
        f'#include "{prefix}.h"',
        "",
        close,
        "{",
        f"    {scalar} now[{joints}], next[{joints}], gap[2];",
        f"    for (int i = 0; i < {joints}; ++i) now[i] = q[i];",
        *(f"    now[{place}] = motors[{k}];" for k, place in enumerate(motor_places(robot))),
        "    for (int round = 0; round < 30; ++round) {",
        f"        {prefix}_closing_step(now, next, gap);",
        f"        if (gap[0] <= {tiny}) {{",
        f"            if (!(gap[1] <= 1{'.0f' if scalar == 'float' else '.0'})) return 1;",
        f"            for (int i = 0; i < {joints}; ++i) q[i] = now[i];",
        "            return 0;",
        "        }",
        f"        for (int i = 0; i < {joints}; ++i) now[i] = next[i];",
        "    }",
        "    return 1;",
        "}",
        "",
        torque,
        "{",
        *unused,
        f"    if ({prefix}_close(motors, q) != 0) return 1;",
        f"    {prefix}_inverse_dynamics({given});",
        "    return 0;",
        "}",
        "",
    ]
    return "\n".join(lines)


# ------------------------------------------------------------------------- other tools


def cpp_header(robot: Robot, prefix: str, models: Mapping[str, Model]) -> str:
    """Return a C++11 header that needs only <array> and <cmath>: for ROS 2 and micro-ROS."""
    inner = [line for name, model in models.items() for line in _cpp_definitions(name, model)]
    lines = ["namespace detail {", "", *inner, "}  // namespace detail", ""]
    for name, model in models.items():
        given, results = array_sizes(model)
        arguments = [f"const std::array<Scalar, {size}>& {group}" for group, size in given.items()]
        arguments += [f"std::array<Scalar, {size}>& {group}" for group, size in results.items()]
        passed = ", ".join(f"{group}.data()" for group in (*given, *results))
        lines += [f"/// {comment(model.title)}.", "template <typename Scalar>"]
        lines += [f"inline void {name}({', '.join(arguments)}) {{", f"    detail::{name}<Scalar>({passed});", "}", ""]
    lines = [f"namespace {prefix} {{", *own_namespace(lines[:-1]), f"}}  // namespace {prefix}"]
    lines = ["#include <array>", "#include <cmath>", "", *lines]
    return "\n".join([*_head(robot, "model functions for C++", "cpp"), *guarded(prefix, "HPP", lines)])


def _cpp_definitions(name: str, model: Model) -> list[str]:
    """Return the templates of a model, below its description."""
    return [*find_language("cpp").commented(describe(model, find_language("cpp"))), *definitions(model, name), ""]


def cmake(robot: Robot, prefix: str, sources: Sequence[str], precision: str) -> str:
    """Return a CMake file for a library and its self-test."""
    return "\n".join(
        [
            *(f"# {comment(line)}" for line in [f"{robot.name}: library for a controller", *provenance(robot)]),
            "cmake_minimum_required(VERSION 3.10)",
            f"project({prefix} C)",
            "set(CMAKE_C_STANDARD 99)",
            "if(NOT CMAKE_BUILD_TYPE)",
            "  set(CMAKE_BUILD_TYPE Release)",
            "endif()",
            f"add_library({prefix} STATIC {' '.join(sources)})",
            f"target_include_directories({prefix} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})",
            "if(UNIX)",
            f"  target_link_libraries({prefix} PUBLIC m)",
            "endif()",
            "enable_testing()",
            f"add_executable({prefix}_test {prefix}_test.c)",
            f"target_link_libraries({prefix}_test {prefix})",
            f"add_test(NAME {prefix}_test COMMAND {prefix}_test)",
            "",
        ]
    )
