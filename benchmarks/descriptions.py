"""Measure reading of robot files: operations of an arm from URDF and from its table, time of a humanoid, agreement.

`python benchmarks/descriptions.py FOLDER ...` adds the share of the URDF and MJCF files in these folders that load and
agree with Pinocchio and MuJoCo to 1e-9 in the poses of all named frames, torques and inertia, with fixed and floating
bases and in loops, and the share whose output these programs read as the same robot.

An angle such as 1.5707963 is read as Pi/2. A file that differs only by such digits is compared again with what
Pinocchio reads from our output, which contains the exact angles; these files are counted separately.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

BAR = 1e-9
FIELDS = "XX XY XZ YY YZ ZZ MX MY MZ M".split()


def with_symbols(robot: rs.Robot) -> rs.Robot:
    """Return the robot with symbolic inertias of all moving links and without drives."""
    own = [robot.frame(j).is_joint for j in range(1, robot.NL + 1)]
    none = {"IA": 0, "FV": 0, "FS": 0}
    return robot.with_links(
        {f: f"{f}{j}" for f in FIELDS} | none if is_joint else {} for j, is_joint in enumerate(own, 1)
    )


def operations() -> list[Row]:
    rows = []
    for name in ("puma560", "ur5e", "ur10e", "tx90"):
        by_hand = with_symbols(rs.load(name))
        read = with_symbols(rs.loads(rs.load(name).dumps("urdf"), format="urdf"))
        wanted, found = (rs.inverse_dynamics(r, base_parameters=True).operations.total for r in (by_hand, read))
        rows.append(Row(f"{name} from URDF: operations; bar: its table by hand", found, wanted))
    return rows


def humanoid() -> str:
    """Return a URDF with 40 joints: two legs of 6, two arms of 7 with 4 fingers each, a waist of 3, a neck of 3."""
    parts = ['<robot name="humanoid">', '<link name="pelvis"/>']

    def limb(name: str, parent: str, axes: str, step: str) -> str:
        for n, axis in enumerate(axes, 1):
            child, xyz = f"{name}{n}", " ".join("1" if axis == one else "0" for one in "xyz")
            parts.append(
                f'<link name="{child}"><inertial><origin xyz="0.01 0.02 -0.1" rpy="0.1 0.2 0"/><mass value="1.{n}"/>'
                '<inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.0015" izz="0.025"/></inertial></link>'
                f'<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
                f'<origin xyz="{step}"/><axis xyz="{xyz}"/>'
                '<limit lower="-2" upper="2" effort="9" velocity="9"/></joint>'
            )
            parent = child
        return parent

    trunk = limb("waist", "pelvis", "zxy", "0 0 0.1")
    limb("neck", trunk, "zyx", "0 0 0.1")
    for side, y in (("left", "0.1"), ("right", "-0.1")):
        limb(f"{side}_leg", "pelvis", "zxyyyx", f"0 {y} -0.2")
        hand = limb(f"{side}_arm", trunk, "yxzyzyx", f"0 {y} 0.1")
        for finger in range(4):
            limb(f"{side}_finger{finger}", hand, "y", f"0.05 {y} 0.0{finger}")
    return "\n".join([*parts, "</robot>"])


def first_output() -> list[Row]:
    """Measure `robosym show`: wall and processor time until it has printed, the minimum of five runs."""
    found = []
    for _ in range(5):
        start, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-m", "robosym", "show", "rx90"], check=True, capture_output=True)
        after = os.times()
        busy = after.children_user - before.children_user + after.children_system - before.children_system
        found.append((time.perf_counter() - start, busy))
    return [
        Row("robosym show, first output, s", min(wall for wall, _ in found), 0.6),
        Row("robosym show, processor time, s", min(busy for _, busy in found), 0.6),
    ]


def times() -> list[Row]:
    text = humanoid()
    start = time.perf_counter()
    robot = rs.loads(text, format="urdf")
    rs.inverse_dynamics(robot)
    taken = time.perf_counter() - start
    assert len(robot.joint_names) == 40
    return [
        Row("humanoid of 40 joints, URDF: load and inverse dynamics, s", taken, 2),
        *first_output(),
    ]


AGREES, DIGITS, DIFFERS, REJECTED = "agrees", "agrees, with rounded angles as parts of Pi", "differs", "rejected"
NO_ROBOT, MESHES = "no robot: it has no moving joint", "masses of meshes are missing, with a warning; poses agree"
NO_ORACLE, LOADS = "the other program rejects it", "loads; found no position for a comparison"
PARTLY = "rejected: a part is in another folder"
ROUNDED = 1e-7  #: effect of rounded angles on poses, torques and inertias


def oracle(urdf: bool, source: Path | str) -> Any:
    """Return the model that Pinocchio or MuJoCo reads from a file or a text, or None."""
    import mujoco
    import pinocchio as pin

    try:
        if urdf:
            return pin.buildModelFromUrdf(str(source)) if isinstance(source, Path) else pin.buildModelFromXML(source)
        if isinstance(source, Path):
            return mujoco.MjModel.from_xml_path(str(source))
        return mujoco.MjModel.from_xml_string(source)
    except (ValueError, RuntimeError):
        return None


def difference(urdf: bool, robot: rs.Robot, model: Any) -> Any:
    """Return the difference of poses, torques and inertia, or None if no closed position is found."""
    import numpy as np

    from oracles.mujoco_files import compared_in_loops, compared_with_mujoco, independent_joints
    from oracles.urdf_files import Differences, compared_floating, compared_with_pinocchio

    if urdf:
        return (compared_floating if robot.base.kind == "floating" else compared_with_pinocchio)(robot, model)
    if not robot.loops:
        return compared_with_mujoco(robot, model)
    start = np.array([robot.position[robot.variable(j)] for j in robot.tree_joints])
    try:
        active = [robot.tree_joints.index(j) for j in independent_joints(robot)]
        known = [robot.variable(robot.tree_joints[k]) for k in active]
        q = np.asarray(rs.loop_geometry(robot, known=known).solve(start[active] + 0.05, near=start))
        return Differences(0.0, compared_in_loops(robot, model, q[0]), 0.0)
    except (rs.Error, IndexError, AssertionError, KeyError, ValueError):
        return None


def compared(file: Path) -> tuple[str, str]:
    """Return the result for a file and for the same robot after writing and reading."""
    urdf = file.suffix == ".urdf"
    model = oracle(urdf, file)
    if model is None:
        return NO_ORACLE, ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = rs.load(file)
        except rs.Error as error:
            if any(words in str(error) for words in ("no joint of the robot moves", "expected <worldbody>")):
                return NO_ROBOT, ""
            if "in the folder of the description" in str(error):
                return PARTLY, ""
            print(f"rejected: {error}")
            return REJECTED, ""
    meshes = any("meshes are not read" in str(one.message) for one in caught)
    try:
        found = difference(urdf, robot, model)
    except rs.Error:  # floating bodies without mass
        if not meshes:
            raise
        return MESHES, ""
    if found is None:
        return LOADS, ""
    again, text = DIFFERS, ""
    try:
        text = robot.dumps("urdf" if urdf else "mjcf")
        written = oracle(urdf, text)
        if written is not None:
            other = difference(urdf, rs.loads(text), written)
            ours = difference(urdf, robot, written)
            if other is not None and ours is not None and max(other.worst, ours.worst) < BAR:
                again = AGREES
    except rs.Error as error:
        print(f"not written: {file}: {error}")
        again = REJECTED
    if again == DIFFERS:
        print(f"round trip differs: {file}")
    if found.worst < BAR:
        return AGREES, again
    if meshes:
        return (MESHES if found.geometry < BAR else DIFFERS), again
    result = DIGITS if urdf and found.worst < ROUNDED and again == AGREES else DIFFERS
    print(f"{result}: {file}: {found}")
    return result, again


def files(folders: list[str]) -> list[Row]:
    rows = []
    for ending in ("urdf", "xml"):
        seen: dict[str, Path] = {}
        for file in sorted(path for folder in folders for path in Path(folder).rglob(f"*.{ending}")):
            text = file.read_text(errors="replace")
            if ending == "urdf" or "<mujoco" in text:
                seen.setdefault(text, file)
        results = [compared(file) for file in seen.values()]
        counts, written = (Counter(result[part] for result in results) for part in (0, 1))
        print(f"{ending}: {dict(counts)}; written again: {dict(written)}")
        good = counts[AGREES] + counts[DIGITS]
        compared_files = good + counts[DIFFERS] + counts[REJECTED]
        kept = written[AGREES] / max(1, written[AGREES] + written[DIFFERS] + written[REJECTED])
        rows += [
            Row(
                f"{compared_files} .{ending} files: share that loads and agrees",
                good / max(1, compared_files),
                0.95,
                at_least=True,
            ),
            Row(f".{ending}: share that agrees after being written and read again", kept, 0.95, at_least=True),
        ]
    return rows


def main() -> None:
    warnings.simplefilter("ignore")
    print_table("Descriptions", [*operations(), *times(), *(files(sys.argv[1:]) if sys.argv[1:] else [])])


if __name__ == "__main__":
    main()
