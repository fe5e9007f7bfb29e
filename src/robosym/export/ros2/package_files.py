"""Files around the sources of a ROS 2 package: manifest, build, plugin descriptions, parameters, launch, test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from robosym.algebra.generic import random_arrays
from robosym.export.ros2.model_sources import PackagedArm
from robosym.languages.header import provenance
from robosym.safe_text import comment, markup

__all__ = ["PLUGINS", "Package", "PluginKind", "package_files"]


@dataclass(frozen=True)
class PluginKind:
    """A plugin of the package: its source, its class, the base class, and the packages that it needs."""

    source: str
    own_class: str
    base_class: str
    needs: tuple[str, ...]
    about: str


PLUGINS = {
    "inverse_dynamics_solver": PluginKind(
        "inverse_dynamics_solver.cpp", "InverseDynamicsSolver", "inverse_dynamics_solver::InverseDynamicsSolver",
        ("inverse_dynamics_solver", "rclcpp"), "Inertia matrix, Coriolis, gravity and friction efforts"),
    "kinematics_interface": PluginKind(
        "kinematics_interface.cpp", "KinematicsInterface", "kinematics_interface::KinematicsInterface",
        ("kinematics_interface", "rclcpp"), "Poses and Jacobian matrices of all links"),
    "moveit": PluginKind(
        "moveit_kinematics.cpp", "MoveItKinematics", "kinematics::KinematicsBase",
        ("moveit_core", "moveit_msgs", "geometry_msgs", "rclcpp"), "Inverse kinematics in closed form"),
    "controller": PluginKind(
        "controller.cpp", "EffortController", "controller_interface::ControllerInterface",
        ("controller_interface", "hardware_interface", "rclcpp_lifecycle", "trajectory_msgs", "rclcpp"),
        "Gravity compensation and computed torque control"),
}  # fmt: skip
#: package that loads the plugins, where it is not the first one that they need
_LOADER = {"moveit": "moveit_core"}


@dataclass(frozen=True)
class Package:
    """An arm, its plugins and the paths of the generated sources."""

    arm: PackagedArm
    plugins: tuple[str, ...]
    generated: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.arm.package


def package_files(package: Package) -> dict[str, str]:
    """Return the files by path."""
    name = package.name
    texts = {
        "package.xml": _manifest(package),
        "CMakeLists.txt": _cmake(package),
        "README.md": _readme(package),
    }
    for plugin in package.plugins:
        texts[f"{plugin}_plugin.xml"] = _plugin_description(package, plugin)
    if "controller" in package.plugins:
        texts["config/controllers.yaml"] = _controllers(package)
    if "moveit" in package.plugins:
        texts["config/kinematics.yaml"] = _kinematics(package)
    texts[f"launch/{name}.launch.py"] = _launch(package)
    texts["test/test_model.cpp"] = _test(package)
    return texts


def _notes(package: Package, sign: str = "#") -> list[str]:
    return [f"{sign} {comment(line)}" for line in (package.arm.robot.name, *provenance(package.arm.robot))]


def _needs(package: Package) -> list[str]:
    return list(dict.fromkeys(need for plugin in package.plugins for need in PLUGINS[plugin].needs))


# ------------------------------------------------------------------------------------------------ build


def _manifest(package: Package) -> str:
    lines = ['<?xml version="1.0"?>', '<package format="3">', f"  <name>{package.name}</name>"]
    lines += ["  <version>1.0.0</version>", f"  <description>Models of {markup(package.arm.robot.name)}, written by "
              "robosym</description>"]  # fmt: skip
    lines += ['  <maintainer email="you@example.com">you</maintainer>', "  <license>MIT</license>", ""]
    lines += ["  <buildtool_depend>ament_cmake</buildtool_depend>", "  <depend>eigen</depend>"]
    lines += ["  <depend>pluginlib</depend>", *(f"  <depend>{need}</depend>" for need in _needs(package))]
    lines += ["  <exec_depend>robot_state_publisher</exec_depend>", "  <exec_depend>controller_manager</exec_depend>"]
    return "\n".join([*lines, "", "  <export>", "    <build_type>ament_cmake</build_type>", "  </export>", "</package>",
                      ""])  # fmt: skip


def _cmake(package: Package) -> str:
    name = package.name
    sources = [*package.generated, "src/model.cpp", *(["src/solutions.cpp"] if "moveit" in package.plugins else [])]
    lines = [
        *_notes(package), "cmake_minimum_required(VERSION 3.16)", f"project({name} C CXX)", "",
        "set(CMAKE_C_STANDARD 99)", "set(CMAKE_CXX_STANDARD 17)", "set(CMAKE_CXX_STANDARD_REQUIRED ON)",
        "if(NOT CMAKE_BUILD_TYPE)", "  set(CMAKE_BUILD_TYPE Release)", "endif()",
        "add_compile_options(-Wall -Wextra)", "", "find_package(ament_cmake REQUIRED)",
        "find_package(Eigen3 REQUIRED NO_MODULE)", "find_package(pluginlib REQUIRED)",
        *(f"find_package({need} REQUIRED)" for need in _needs(package)), "",
        f"add_library(${{PROJECT_NAME}}_model STATIC {' '.join(sources)})",
        "set_target_properties(${PROJECT_NAME}_model PROPERTIES POSITION_INDEPENDENT_CODE ON)",
        "target_include_directories(${PROJECT_NAME}_model PUBLIC include)",
        "target_link_libraries(${PROJECT_NAME}_model PUBLIC Eigen3::Eigen m)", "",
    ]  # fmt: skip
    for plugin in package.plugins:
        kind = PLUGINS[plugin]
        target = f"${{PROJECT_NAME}}_{plugin}"
        loader = _LOADER.get(plugin, kind.needs[0])
        targets = " ".join(f"${{{need}_TARGETS}}" for need in kind.needs)
        lines += [
            f"add_library({target} SHARED src/{kind.source})",
            f"target_link_libraries({target} PRIVATE ${{PROJECT_NAME}}_model)",
            "if(COMMAND ament_target_dependencies)",
            f"  ament_target_dependencies({target} pluginlib {' '.join(kind.needs)})", "else()",
            f"  target_link_libraries({target} PRIVATE pluginlib::pluginlib {targets})", "endif()",
            f"pluginlib_export_plugin_description_file({loader} {plugin}_plugin.xml)",
            f"install(TARGETS {target} LIBRARY DESTINATION lib RUNTIME DESTINATION bin)", "",
        ]  # fmt: skip
    folders = ["launch", "urdf", *(["config"] if {"controller", "moveit"} & set(package.plugins) else [])]
    return "\n".join([
        *lines, f"install(DIRECTORY {' '.join(folders)} DESTINATION share/${{PROJECT_NAME}})", "",
        "if(BUILD_TESTING)", "  enable_testing()", "  add_executable(${PROJECT_NAME}_test test/test_model.cpp)",
        "  target_link_libraries(${PROJECT_NAME}_test ${PROJECT_NAME}_model)",
        "  add_test(NAME ${PROJECT_NAME}_test COMMAND ${PROJECT_NAME}_test)", "endif()", "", "ament_package()", "",
    ])  # fmt: skip


def _plugin_description(package: Package, plugin: str) -> str:
    kind = PLUGINS[plugin]
    return "\n".join([
        f'<library path="{package.name}_{plugin}">',
        f'  <class name="{package.name}/{kind.own_class}" type="{package.name}::{kind.own_class}"',
        f'         base_class_type="{kind.base_class}">',
        f"    <description>{kind.about} of {markup(package.arm.robot.name)}.</description>", "  </class>",
        "</library>", "",
    ])  # fmt: skip


# ------------------------------------------------------------------------------------------------ parameters


def _free_joints(package: Package) -> list[str]:
    robot = package.arm.robot
    return [robot.joint_name(j) for j in package.arm.joints if robot.joint(j).follows is None]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(json.dumps(name) for name in names)


def _controllers(package: Package) -> str:
    joints, name = _free_joints(package), package.name
    own = f"{name}_controller"
    return "\n".join([
        *_notes(package), "controller_manager:", "  ros__parameters:", "    update_rate: 1000", f"    {own}:",
        f"      type: {name}/EffortController", "    joint_state_broadcaster:",
        "      type: joint_state_broadcaster/JointStateBroadcaster", "", f"{own}:", "  ros__parameters:",
        f"    joints: [{_quoted(joints)}]", "    mode: gravity_compensation  # or computed_torque",
        f"    kp: [{', '.join(['100.0'] * len(joints))}]  # 1/s^2, one per joint",
        f"    kd: [{', '.join(['20.0'] * len(joints))}]  # 1/s; in gravity_compensation damping in N m s/rad: set 0.0",
        "    friction: false", "",
    ])  # fmt: skip


def _kinematics(package: Package) -> str:
    return "\n".join([
        *_notes(package), "# The planning group of the SRDF whose tip is fixed to the end of the arm.", "arm:",
        f"  kinematics_solver: {package.name}/MoveItKinematics", "  kinematics_solver_search_resolution: 0.05",
        "  kinematics_solver_timeout: 0.05", "",
    ])  # fmt: skip


def _launch(package: Package) -> str:
    name = package.name
    controlled = "controller" in package.plugins
    lines = [
        f'"""Publish the description of the robot{" and start the controller" if controlled else ""}."""', "",
        "from pathlib import Path", "", "from ament_index_python.packages import get_package_share_directory",
        "from launch import LaunchDescription", "from launch_ros.actions import Node", "", "",
        "def generate_launch_description():", f'    share = Path(get_package_share_directory("{name}"))',
        f'    description = (share / "urdf" / "{name}.urdf").read_text(encoding="utf-8")',
        "    nodes = [", "        Node(", '            package="robot_state_publisher",',
        '            executable="robot_state_publisher",',
        '            parameters=[{"robot_description": description}],', "        ),",
    ]  # fmt: skip
    if controlled:
        lines += [
            "        # a robot or simulator with ros2_control starts the controller manager",
            "        Node(", '            package="controller_manager",', '            executable="spawner",',
            f'            arguments=["{name}_controller", "--param-file", str(share / "config" / "controllers.yaml")],',
            "        ),",
        ]  # fmt: skip
    return "\n".join([*lines, "    ]", "    return LaunchDescription(nodes)", ""])


# ------------------------------------------------------------------------------------------------ test


def _test(package: Package) -> str:
    """Return a program that compares the functions with numbers computed here, and solutions with their poses."""
    arm, own = package.arm, package.name
    count = len(arm.joints)
    q, qd, qdd = random_arrays("self-tests of bundles").uniform(-1, 1, (3, count))
    tau = np.atleast_1d(arm.models["inverse_dynamics"].compile()(q=q, qd=qd, qdd=qdd))
    end = next(k for k, link in enumerate(arm.links) if link.frame == arm.end)
    T = np.reshape(arm.models[f"pose_{end}"].compile()(q=q), (4, 4))
    lines = [
        *_notes(package, "//"), f'#include "{own}/model.hpp"', "#include <cmath>", "#include <cstdio>",
        "#include <cstdlib>", *([f'#include "{own}/solutions.hpp"'] if "moveit" in package.plugins else []), "",
        "static void expect(bool holds, const char * what)", "{", "  if (!holds) {",
        '    std::printf("failed: %s\\n", what);', "    std::exit(1);", "  }", "}", "",
        "int main()", "{", f"  {own}::Values q({count}), qd({count}), qdd({count}), tau({count});",
        *(f"  {n} << {', '.join(map(repr, map(float, v)))};" for n, v in (("q", q), ("qd", qd), ("qdd", qdd),
                                                                          ("tau", tau))),
        f"  {own}::Values found({count});",
        f"  {own}_inverse_dynamics(q.data(), qd.data(), qdd.data(), found.data());",
        '  expect((found - tau).norm() <= 1e-9 * (1.0 + tau.norm()), "inverse dynamics");',
        f"  const Eigen::Isometry3d pose = {own}::link_pose({own}::links()[{end}], q);",
        f"  Eigen::Vector3d point({', '.join(repr(float(x)) for x in T[:3, 3])});",
        '  expect((pose.translation() - point).norm() <= 1e-9 * (1.0 + point.norm()), "pose of the end");',
    ]  # fmt: skip
    if "moveit" in package.plugins:
        lines += [
            f"  const auto & joints = {own}::solved_joints();",
            f"  const double free = {own}::is_redundant() ? q(static_cast<Eigen::Index>(joints.back())) : 0.0;",
            "  bool reached = false;", f"  for (const Eigen::VectorXd & solution : {own}::solutions_of(pose, free)) {{",
            "    double gap = 0.0;", "    for (std::size_t k = 0; k < joints.size(); ++k) {",
            "      gap += std::abs(std::remainder(solution(static_cast<Eigen::Index>(k)) -",
            "                                     q(static_cast<Eigen::Index>(joints[k])), 6.283185307179586));",
            "    }", "    reached = reached || gap < 1e-6;", "  }",
            '  expect(reached, "the joint position is among the solutions of its pose");',
        ]  # fmt: skip
    return "\n".join([*lines, '  std::printf("passed\\n");', "  return 0;", "}", ""])


# ------------------------------------------------------------------------------------------------ guide


def _readme(package: Package) -> str:
    version = import_module("robosym").__version__
    name, arm = package.name, package.arm
    lines = [
        f"# {name}", "", f"Models of {comment(arm.robot.name)}, written by robosym {version}.", "",
        "```sh", "cd your_workspace/src  # put this folder here", "rosdep install --from-paths . -i -y", "cd ..",
        f"colcon build --packages-select {name}", f"colcon test --packages-select {name}", "```", "",
        "The sources were compiled and run by the tests of robosym against substitutes for the headers of ROS 2, not",
        "against ROS 2 itself.", "", "| plugin | contents |", "| --- | --- |",
        *(f"| `{name}/{PLUGINS[plugin].own_class}` | {PLUGINS[plugin].about} |" for plugin in package.plugins), "",
        "Joints, in the default order of vectors; the parameter `joints` of each plugin sets another one:", "",
        *(f"{k}. `{comment(joint)}`" for k, joint in enumerate(_free_joints(package), 1)), "",
        f"Links: {', '.join(f'`{comment(link.name)}`' for link in arm.links)}.", "",
        *(comment(remark) for remark in arm.remarks), "",
    ]  # fmt: skip
    return "\n".join(lines)
