"""Descriptions from files: operations of an arm from URDF against its table, a humanoid's time, files that agree.

`python benchmarks/descriptions.py FOLDER ...` adds the share of the URDF and MJCF files below these folders that load
and agree with Pinocchio and MuJoCo to 1e-9 in the poses of all named frames, torques and inertia.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from pathlib import Path

from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

BAR = 1e-9
FIELDS = "XX XY XZ YY YZ ZZ MX MY MZ M".split()


def with_symbols(robot: rs.Robot) -> rs.Robot:
    """With symbols for the inertia of every link that a joint moves, and no drives."""
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
    """40 joints: two legs of 6, two arms of 7 with 4 fingers each, a waist of 3, a neck of 3."""
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


def times() -> list[Row]:
    text = humanoid()
    start = time.perf_counter()
    robot = rs.loads(text, format="urdf")
    rs.inverse_dynamics(robot)
    taken = time.perf_counter() - start
    assert len(robot.joint_names) == 40
    return [Row("humanoid of 40 joints, URDF: load and inverse dynamics, s", taken, 2)]


def compared(file: Path) -> str:
    """What becomes of a file: "agrees", "differs", "refused", "no robot" or "the oracle refuses it"."""
    import mujoco
    import pinocchio as pin

    from oracles.mujoco_files import compared_with_mujoco
    from oracles.urdf_files import compared_with_pinocchio

    urdf = file.suffix == ".urdf"
    try:
        model = pin.buildModelFromUrdf(str(file)) if urdf else mujoco.MjModel.from_xml_path(str(file))
    except (ValueError, RuntimeError):
        return "the oracle refuses it"
    try:
        robot = rs.load(file)
    except rs.Error as error:
        print(f"refused: {error}")
        return "no robot" if "no joint of the robot moves" in str(error) else "refused"
    if robot.loops or robot.base.kind != "fixed" or model.nv != len(robot.joint_names) or model.nq < model.nv:
        return "loads; loops or a floating base, compared in the tests"
    found = compared_with_pinocchio(robot, model) if urdf else compared_with_mujoco(robot, model)
    if found.worst >= BAR:
        print(f"differs: {file}: {found}")
    return "agrees" if found.worst < BAR else "differs"


def files(folders: list[str]) -> list[Row]:
    rows = []
    for ending in ("urdf", "xml"):
        seen: dict[str, Path] = {}
        for file in sorted(path for folder in folders for path in Path(folder).rglob(f"*.{ending}")):
            text = file.read_text(errors="replace")
            if ending == "urdf" or "<mujoco" in text:
                seen.setdefault(text, file)
        counts = Counter(compared(file) for file in seen.values())
        print(f"{ending}: {dict(counts)}")
        share = counts["agrees"] / max(1, counts["agrees"] + counts["differs"] + counts["refused"])
        rows.append(
            Row(f"{len(seen)} different .{ending} files: share that loads and agrees", share, 0.95, at_least=True)
        )
    return rows


def main() -> None:
    warnings.simplefilter("ignore")
    print_table("Descriptions", [*operations(), *times(), *(files(sys.argv[1:]) if sys.argv[1:] else [])])


if __name__ == "__main__":
    main()
