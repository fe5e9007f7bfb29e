"""Generated functions and tables of a robot: the part of a ROS 2 package that differs between robots."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from robosym.dynamics import gravity_torques, inertia_matrix, inverse_dynamics
from robosym.dynamics.bias_torques import friction_torques
from robosym.errors import InputError
from robosym.export.bundle import need_numbers
from robosym.formats.tree_in_numbers import numeric_tree
from robosym.kinematics import direct_geometry, jacobian
from robosym.languages import code
from robosym.languages.header import provenance
from robosym.languages.language import find_language
from robosym.mechanism import Robot
from robosym.mechanism.added_frame import tool_frame
from robosym.model import Model
from robosym.model.solution.recipe import Recipe
from robosym.optimizer.optimize import fastest
from robosym.solve import inverse_geometry
from robosym.solve.redundant import RedundantGeometry

__all__ = ["PackagedArm", "model_sources", "solution_sources"]


@dataclass(frozen=True)
class NamedLink:
    """A link by name: its frame, and the index of the last joint that moves it among the joints of the tree."""

    name: str
    frame: int
    joint: int


@dataclass(frozen=True)
class PackagedArm:
    """A robot in numbers, the name of its package, and its end."""

    robot: Robot
    package: str
    end: int
    links: tuple[NamedLink, ...]
    friction: Model | None
    models: Mapping[str, Model]
    remarks: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, robot: Robot, package: str, frame: int | str | None, tool: Any) -> PackagedArm:
        """Derive the models of a robot, with a tool if there is one."""
        robot, end = tool_frame(robot, frame, tool)
        models = {
            "inverse_dynamics": inverse_dynamics(robot, friction="no"),
            "gravity": gravity_torques(robot),
            "inertia": inertia_matrix(robot),
        }
        need_numbers(robot, models.values())
        links = tuple(_links(robot))
        for k, link in enumerate(links):
            models[f"pose_{k}"] = _pose(robot, link.frame)
            if link.joint >= 0:
                models[f"jacobian_{k}"] = jacobian(robot, link.frame, 0)
        models = {name: fastest(model) for name, model in models.items()}
        for name, model in models.items():
            expected = ("q", "qd", "qdd") if name == "inverse_dynamics" else ("q",)
            if tuple(model.inputs) != expected:
                raise InputError(
                    f"ros2: expected a robot in numbers, found the inputs {', '.join(model.inputs)} of {name}"
                )
        return cls(robot, package, robot.frame_number(end), links, friction_torques(robot), models)

    @property
    def joints(self) -> tuple[int, ...]:
        """Numbers of the joints of the tree, in the order of the generated functions."""
        return self.robot.tree_joints

    def place(self, joint: int) -> int:
        """Return the place of a joint by its number."""
        return self.joints.index(joint)


def _pose(robot: Robot, frame: int) -> Model:
    found = direct_geometry(robot, 0, frame)
    assert isinstance(found, Model)  # there is no platform
    return found


def _links(robot: Robot) -> list[NamedLink]:
    """Return the links of the URDF, the root first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # entries that URDF lacks are no matter here
        tree = numeric_tree(robot, "URDF")
    made = {name: link.number for link in tree for name in link.names}
    named = dict(robot.frame_names)
    if 0 not in named.values():
        named = {next(iter(made)): 0, **named}
    if len(named) == 1:  # a description without names
        named = made
    ordered = sorted(named.items(), key=lambda pair: pair[1] != 0)  # the root first
    return [NamedLink(name, number, _carrier(robot, number)) for name, number in ordered]


def _carrier(robot: Robot, frame: int) -> int:
    while frame and frame not in robot.tree_joints:
        frame = robot.frame(frame).ant
    return robot.tree_joints.index(frame) if frame else -1


# ------------------------------------------------------------------------------------------------ files


def model_sources(arm: PackagedArm) -> dict[str, str]:
    """Return the C functions, and the tables of joints and links."""
    own, texts = arm.package, {}
    models = dict(arm.models) | ({"friction": arm.friction} if arm.friction is not None else {})
    headers = []
    for part, names in _parts(models).items():
        sources = [code(models[name], "c", name=f"{own}_{name}", header=f"{part}.h") for name in names]
        texts[f"src/{part}.c"] = "\n".join(sources)
        texts[f"include/{own}/{part}.h"] = "\n".join(code(models[name], "h", name=f"{own}_{name}") for name in names)
        headers.append(f'#include "{own}/{part}.h"')
    template = files("robosym.export.ros2").joinpath("templates", "robot.hpp").read_text("utf-8")
    for word, value in (
        ("ROBOT_HEADERS", "\n".join(headers)), ("ROBOT_PACKAGE", own), ("ROBOT_JOINTS", str(len(arm.joints))),
        ("ROBOT_LINKS", str(len(arm.links))),
    ):  # fmt: skip
        template = template.replace(word, value)
    texts = {name: text.replace(f'#include "{name[4:-2]}.h"', f'#include "{own}/{name[4:-2]}.h"')
             for name, text in texts.items()}  # fmt: skip
    return texts | {f"include/{own}/robot.hpp": template, "src/robot.cpp": _tables(arm)}


def _parts(models: Mapping[str, Model]) -> dict[str, list[str]]:
    """Return the functions of each C file: dynamics and geometry."""
    links = [name for name in models if name.startswith(("pose_", "jacobian_"))]
    return {"dynamics": [name for name in models if name not in links], "links": links}


def _tables(arm: PackagedArm) -> str:
    own, robot = arm.package, arm.robot
    head = find_language("cpp").commented([f"{robot.name}: joints and links", "", *provenance(robot)])
    lines = [*head, f'#include "{own}/robot.hpp"', "", f"namespace {own}", "{", ""]
    rows = [_joint_row(arm, j) for j in arm.joints]
    lines += _table("Joint", "joints", "kJoints", rows)
    links = [
        f"{{{_quoted(link.name)}, {link.joint}, {own}_pose_{k}, "
        f"{f'{own}_jacobian_{k}' if link.joint >= 0 else 'nullptr'}}}"
        for k, link in enumerate(arm.links)
    ]  # fmt: skip
    lines += [*_table("Link", "links", "kLinks", links), *_friction(arm), f"}}  // namespace {own}", ""]
    return "\n".join(lines)


def _table(kind: str, name: str, count: str, rows: Sequence[str]) -> list[str]:
    return [
        f"const std::array<{kind}, {count}> & {name}()", "{", f"  static const std::array<{kind}, {count}> table{{{{",
        *(f"    {row}," for row in rows), "  }};", "  return table;", "}", "",
    ]  # fmt: skip


def _joint_row(arm: PackagedArm, j: int) -> str:
    robot = arm.robot
    joint, frame = robot.joint(j), robot.frame(j)
    limits, follows = joint.limits, joint.follows
    bounded = limits.lower is not None and limits.upper is not None
    leader = -1 if follows is None else robot.joint_names.index(follows.joint)
    entries = [
        _quoted(robot.joint_name(j)), str(_carrier(robot, frame.ant)), _word(frame.joint_type.turns), _word(bounded),
        repr(float(limits.lower or 0.0)), repr(float(limits.upper or 0.0)), repr(float(limits.effort or 0.0)),
        str(leader), repr(float(follows.ratio if follows else 1.0)), repr(float(follows.offset if follows else 0.0)),
    ]  # fmt: skip
    return f"{{{', '.join(entries)}}}"


def _friction(arm: PackagedArm) -> list[str]:
    given = arm.friction is not None
    lines = [f"bool has_friction_efforts() {{return {_word(given)};}}", ""]
    lines += ["bool friction_efforts(const double * qd, double * efforts)", "{"]
    if arm.friction is None:
        return [*lines, "  (void)qd;", "  (void)efforts;", "  return false;", "}", ""]
    rest = "  static const double q[kJoints] = {};  // friction does not depend on it"
    passed = ", ".join([*("q" if group == "q" else "qd" for group in arm.friction.inputs), "efforts"])
    body = [rest] if "q" in arm.friction.inputs else []
    return [*lines, *body, f"  {arm.package}_friction({passed});", "  return true;", "}", ""]


def _quoted(text: str) -> str:
    return json.dumps(text)


def _word(value: bool) -> str:
    return "true" if value else "false"


# ------------------------------------------------------------------------------------------------ solutions


def solution_sources(arm: PackagedArm) -> dict[str, str]:
    """Return the inverse geometric model in C, and the function that calls it.

    Raises
    ------
    InputError
        If the pose of the end leaves more than one joint undetermined.
    """
    found, given = _solution(arm)
    recipe = found.recipe(f"{arm.package}")
    if set(recipe.inputs) - {"T", "parameters"}:
        raise InputError(f"{arm.robot.name}: the pose of the end depends on joints that do not carry it")
    name = f"{arm.package}_igm"
    return {
        "src/solution.c": recipe.code("c", header=f"{arm.package}/solution.h"),
        f"include/{arm.package}/solution.h": recipe.code("h"),
        "src/candidates.cpp": _candidates(arm, recipe, name, given),
    }


def _solution(arm: PackagedArm) -> tuple[Any, str]:
    """Return the model of the end and the variable of the joint that is chosen freely, if there is one."""
    robot = arm.robot
    found = inverse_geometry(robot, frame=arm.end)
    if isinstance(found, RedundantGeometry):
        variables = [robot.variable(j) for j in arm.joints]
        middle = found.joints[len(found.joints) // 2 - 1]
        if found.redundancy not in variables:  # an arm angle: MoveIt knows joints only
            found = inverse_geometry(robot, frame=arm.end, redundant=middle)
        return found.at, found.redundancy
    return found, ""


def _candidates(arm: PackagedArm, recipe: Recipe, name: str, given: str) -> str:
    own, robot = arm.package, arm.robot
    variables = [robot.variable(j) for j in arm.joints]
    columns = [variables.index(output) for output in recipe.outputs]
    solved = [*columns, *([variables.index(given)] if given and given not in recipe.outputs else [])]
    link = next(k for k, link in enumerate(arm.links) if link.frame == arm.end)
    call = f"{name}(T, {'&free, ' if 'parameters' in recipe.inputs else ''}rows, &count)"
    lines = [
        *find_language("cpp").commented([f"{robot.name}: inverse geometric model", "", *provenance(robot)]),
        f'#include "{own}/solutions.hpp"', "", f'#include "{own}/solution.h"', "", f"namespace {own}", "{", "",
        "const Link & solved_link()", "{", f"  return links()[{link}];", "}", "",
        "const std::vector<std::size_t> & solved_joints()", "{",
        f"  static const std::vector<std::size_t> places{{{', '.join(map(str, solved))}}};", "  return places;", "}",
        "",
        f"bool is_redundant() {{return {_word(bool(given))};}}", "",
        "std::vector<Eigen::VectorXd> candidates(const double * T, double free)", "{",
        f"  double rows[{name.upper()}_MOST][{len(columns)}];", "  int count = 0;",
        *([] if "parameters" in recipe.inputs else ["  (void)free;"]),
        f"  static_cast<void>({call});", "  std::vector<Eigen::VectorXd> found;",
        "  for (int k = 0; k < count; ++k) {", f"    Eigen::VectorXd row({len(solved)});",
        f"    row.head({len(columns)}) = Eigen::Map<const Eigen::VectorXd>(rows[k], {len(columns)});",
        *([f"    row({len(columns)}) = free;"] if given else []), "    found.push_back(row);", "  }",
        "  return found;", "}", "", f"}}  // namespace {own}", "",
    ]  # fmt: skip
    return "\n".join(lines)
