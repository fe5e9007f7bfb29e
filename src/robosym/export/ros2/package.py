"""`ros2`: an ament_cmake package with plugins that are generated for a robot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from robosym.coordinates.accepts import accepts
from robosym.errors import InputError, closest
from robosym.export.folders import default_output, write_folder
from robosym.export.ros2.model_sources import PackagedArm, model_sources, solution_sources
from robosym.export.ros2.package_files import PLUGINS, Package, package_files
from robosym.files import read_text
from robosym.mechanism import Robot

__all__ = ["ros2"]

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@accepts("fixed", loops=False)
def ros2(
    robot: Robot, folder: str | Path | None = None, *, plugins: str | Sequence[str] = "", name: str = "",
    frame: int | str | None = None, tool: Any = None,
) -> list[Path]:  # fmt: skip
    """Write a ROS 2 package (ament_cmake) with plugins generated for a robot; return the paths.

    Plugins: `inverse_dynamics_solver` (dynamic model), `kinematics_interface` (poses and Jacobians of all links),
    `moveit` (a `KinematicsBase` with all solutions in closed form, limits and a redundant joint), and `controller` (a
    ros2_control controller for gravity compensation and computed torque). Joints and links are addressed by name. The
    package includes parameters, a launch file, the description as URDF and a test against results of robosym.

    Parameters
    ----------
    robot : Robot
        Tree of joints on a fixed base, in numbers.
    folder : str or Path, optional
        Folder to write. Default: the name of the package.
    plugins : str or list of str, optional
        Plugins to write. Default: all that the robot supports.
    name : str
        Name of the package. Default: the name of the folder, or of the robot with _models.
    frame : int or str, optional
        Link whose pose the inverse geometric model takes. Default: the end of the arm.
    tool : array_like, optional
        Pose of a tool frame in that link: x, y, z, roll, pitch, yaw, or a 4x4 matrix.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If the robot is not a tree in numbers, an option is invalid, or the robot does not support a plugin that is
        named.

    Examples
    --------
    >>> import robosym as rs
    >>> written = rs.ros2(rs.load("puma560"), "arm_models")
    >>> [path.name for path in written][:3]
    ['package.xml', 'CMakeLists.txt', 'README.md']
    """
    if folder is not None and not isinstance(folder, (str, Path)):
        raise InputError(f"folder: expected a path, found {folder!r}")
    own = _package_name(name or (Path(folder).name if folder else default_output("ros2", robot, {})), bool(name))
    where = Path(folder or own)
    chosen = _plugins(plugins)
    arm = PackagedArm.of(robot, own, frame, tool)
    texts = model_sources(arm)
    solution = None
    if "moveit" in chosen:
        try:
            solution = solution_sources(arm)
        except InputError as error:
            if plugins:
                raise
            chosen.remove("moveit")
            arm.remarks.append(f"There is no MoveIt plugin: {error}")
    if solution is not None:
        texts |= solution
    package = Package(arm, tuple(chosen), tuple(name for name in texts if name.startswith("src/")))
    texts = package_files(package) | _templates(own, chosen) | texts | {f"urdf/{own}.urdf": _description(robot)}
    return write_folder(where, texts)


def _package_name(given: str, strict: bool) -> str:
    """Return a name that ament accepts: small letters, digits and single underscores."""
    if strict and (not _NAME.fullmatch(given) or "__" in given):
        raise InputError(
            f"name: expected small letters, digits and single underscores, beginning with a letter, found {given!r}"
        )
    found = re.sub(r"_+", "_", re.sub(r"[^a-z0-9]", "_", given.lower(), flags=re.ASCII)).strip("_")
    return found if _NAME.fullmatch(found) else f"robot_{found}".rstrip("_")


def _plugins(given: str | Sequence[str]) -> list[str]:
    names: Iterable[object] = given.replace(",", " ").split() if isinstance(given, str) else [*given]
    found = []
    for name in names:
        if name not in PLUGINS:
            raise InputError(
                f"plugins: expected names among {', '.join(PLUGINS)}, found {name!r}{closest(str(name), PLUGINS)}"
            )
        found.append(str(name))
    return list(dict.fromkeys(found)) or list(PLUGINS)


def _templates(own: str, plugins: Sequence[str]) -> dict[str, str]:
    """Return the sources that are equal for all robots, with the name of the package."""
    wanted = {f"include/{own}/model.hpp": "model.hpp", "src/model.cpp": "model.cpp"}
    if "moveit" in plugins:
        wanted |= {f"include/{own}/solutions.hpp": "solutions.hpp", "src/solutions.cpp": "solutions.cpp"}
    wanted |= {f"src/{PLUGINS[name].source}": PLUGINS[name].source for name in plugins}
    texts = {}
    for path, template in wanted.items():
        text = files("robosym.export.ros2").joinpath("templates", template).read_text("utf-8")
        texts[path] = f"// Written by robosym {import_module('robosym').__version__}.\n" + text.replace(
            "ROBOT_PACKAGE", own
        )
    return texts


def _description(robot: Robot) -> str:
    """Return the URDF that the robot was read from, or the one that describes it."""
    source = getattr(robot, "source", None)
    if isinstance(source, (str, Path)) and str(source).endswith(".urdf"):
        try:
            return read_text(source)
        except InputError:
            pass
    return robot.dumps("urdf")
