"""Every element of a format is read, has no effect on the robot, or is reported."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

import robosym as rs
from robosym.formats.mjcf_reader import MJCF
from robosym.formats.sdf_reader import SDF
from robosym.formats.urdf_reader import URDF


def warnings_of(text: str) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rs.loads(text)
    return [str(one.message) for one in found]


# ------------------------------------------------------------------------- MJCF


def schema() -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Return every element of MuJoCo's schema by path, with its attributes."""
    lines: list[list[Any]] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head = re.match(r"( *)(\S+) \([!?*R]\)(.*)", line)
        if head is not None:
            lines.append([len(head[1]) // 3, head[2].replace("(world)body", "body"), head[3].split()])
        elif line.strip():
            lines[-1][2] += line.split()
    path: list[str] = []
    for depth, tag, attributes in lines:
        path[depth:] = [tag]
        yield tuple(path), attributes


def table_of(path: tuple[str, ...]) -> str | None:
    """Return the table of an element, or None if its parent decides."""
    top = path[1] if len(path) > 1 else "mujoco"
    if top in ("equality", "actuator"):
        return (
            top if len(path) == 3 and path[-1] in ("connect", "weld", "joint", "motor", "general", "position") else None
        )
    inside = {"mujoco", "compiler", "option", "flag", "body", "inertial", "joint", "freejoint", "geom", "site"}
    return path[-1] if top in ("mujoco", "compiler", "option", "body") and path[-1] in inside else None


def test_table_covers_mjcf() -> None:
    seen = 0
    places = dict(schema())
    assert ("mujoco", "body", "joint") in places, "the schema has another format"
    for path, attributes in places.items():
        table = table_of(path)
        if table is not None:
            known = MJCF[table]
            named = {*known.read, *known.inert, *known.neutral}
            assert {f"@{name}" for name in attributes} <= named, (path, {*attributes} - {n[1:] for n in named})
            seen += len(attributes)
    assert seen > 200


ARM = """<mujoco model="arm"><compiler angle="radian" {compiler}/>
<option gravity="0 0 -9.81" {option}><flag {flag}/></option>
<worldbody><body name="a" pos="0 0 1"><inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.2 0.25"/>
<joint name="j" type="hinge" axis="0 1 0" damping="0.3" frictionloss="0.2" {joint}/>
<body name="b" pos="0.5 0 0"><inertial mass="0.2" pos="0 0.1 0.05" fullinertia="0.02 0.03 0.03 0.004 0 0.001"/>
<joint name="k" axis="0.3 1 0"/></body></body></worldbody>
<actuator><motor joint="j" {motor}/></actuator></mujoco>"""


def arm(**words: str) -> str:
    return ARM.format(**{**dict.fromkeys(("compiler", "option", "flag", "joint", "motor"), ""), **words})


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("option", 'density="1000"'), ("option", 'viscosity="0.1"'), ("compiler", 'alignfree="true"'),
        ("joint", 'springdamper="0.1 1"'), ("joint", 'stiffness="3"'), ("motor", 'armature="0.1"'),
        ("motor", 'damping="0.1"'), ("joint", 'unheard="1"'), ("joint", 'actuatorfrcrange="-1 2"'),
    ],
)  # fmt: skip
def test_mjcf_reports_what_changes_the_dynamics(place: str, word: str) -> None:
    assert any(word.split("=")[0] in message for message in warnings_of(arm(**{place: word})))
    assert warnings_of(arm()) == []


@pytest.mark.parametrize("neutral", ['option=density="0"', 'joint=springdamper="0 0"', 'compiler=alignfree="false"'])
def test_neutral_values_are_not_reported(neutral: str) -> None:
    place, word = neutral.split("=", 1)
    assert warnings_of(arm(**{place: word})) == []


@pytest.mark.parametrize(
    "words",
    [
        {}, {"compiler": 'boundmass="0.7"'}, {"compiler": 'boundinertia="0.15"'},
        {"compiler": 'boundmass="3" boundinertia="0.21" balanceinertia="true"'}, {"flag": 'damper="disable"'},
        {"flag": 'frictionloss="disable" gravity="disable"'}, {"flag": 'constraint="disable"'},
        {"compiler": 'settotalmass="5"'}, {"compiler": 'inertiafromgeom="true"'},
        {"compiler": 'inertiafromgeom="true" inertiagrouprange="3 4"'},
    ],
)  # fmt: skip
def test_dynamics_agree_with_mujoco(words: dict[str, str]) -> None:
    text = arm(**words)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = (0.3, -0.7), (0.9, 0.4)
    mujoco.mj_forward(model, data)
    robot = rs.loads(text)
    q, qd = np.array(data.qpos), np.array(data.qvel)
    inertia = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, inertia) if mujoco.__version__ >= "3.4" else mujoco.mj_fullM(model, inertia, data.qM)
    np.testing.assert_allclose(rs.inertia_matrix(robot).compile()(q=q), inertia, atol=1e-9)
    loss = [float(np.asarray(model.dof_frictionloss)[k]) for k in range(2)]
    off = mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    friction = np.zeros(2) if model.opt.disableflags & off else np.array(loss) * np.sign(qd)
    wanted = np.array(data.qfrc_bias) - np.array(data.qfrc_passive) + friction
    np.testing.assert_allclose(rs.bias_torques(robot).compile()(q=q, qd=qd), wanted, atol=1e-9)


# -------------------------------------------------------------------------- SDF

#: the elements of SDFormat 1.12 that a model is made of, with their attributes
SPECIFICATION = {
    "model": "@name @canonical_link @placement_frame static self_collide allow_auto_disable enable_wind frame pose "
    "link joint plugin gripper",
    "model/link": "@name gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial "
    "collision visual sensor projector audio_sink audio_source battery light particle_emitter",
    "model/link/inertial": "@auto mass density auto_inertia_params pose inertia fluid_added_mass",
    "model/link/inertial/inertia": "ixx ixy ixz iyy iyz izz",
    "model/joint": "@name @type parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch axis "
    "axis2 physics pose sensor",
    "model/joint/axis": "xyz dynamics limit mimic",
    "model/joint/axis/xyz": "@expressed_in",
    "model/joint/axis/dynamics": "damping friction spring_reference spring_stiffness",
    "model/joint/axis/limit": "lower upper effort velocity stiffness dissipation",
    "model/joint/axis/mimic": "@joint @axis multiplier offset reference",
    "model/frame": "@name @attached_to pose",
    "model/pose": "@relative_to @rotation_format @degrees",
    "world": "@name audio wind gravity magnetic_field atmosphere gui physics scene light frame model actor plugin road "
    "spherical_coordinates state population",
}


def test_table_covers_sdf() -> None:
    for path, words in SPECIFICATION.items():
        known = SDF[path]
        assert {*words.split()} <= {*known.read, *known.inert, *known.neutral}, path


LINK = '<link name="{name}">{more}<inertial{auto}><mass>1</mass>{added}</inertial></link>'
SDF_ARM = """<sdf version="1.11"><model name="arm">{pose}{first}{second}
<joint name="world_joint" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="{kind}"><parent>a</parent><child>b</child><pose>0.1 0 0 0 0 0</pose>
<axis><xyz>0 1 0</xyz><dynamics><damping>0.5</damping>{dynamics}</dynamics></axis>
<axis2><xyz>1 0 0</xyz><dynamics><damping>0.25</damping></dynamics><limit><upper>1</upper></limit></axis2></joint>
</model></sdf>"""


def sdf(kind: str = "revolute", pose: str = "", **words: str) -> str:
    words = {**dict.fromkeys(("more", "auto", "added", "dynamics"), ""), **words}
    dynamics = words.pop("dynamics")
    first, second = (LINK.format(name=name, **words) for name in "ab")
    return SDF_ARM.format(first=first, second=second, dynamics=dynamics, kind=kind, pose=pose)


@pytest.mark.parametrize(
    "words",
    [
        {"more": "<gravity>false</gravity>"}, {"more": "<kinematic>1</kinematic>"}, {"auto": ' auto="true"'},
        {"more": "<velocity_decay><linear>0.1</linear></velocity_decay>"},
        {"added": "<fluid_added_mass><xx>2</xx></fluid_added_mass>"},
        {"dynamics": "<spring_stiffness>5</spring_stiffness>"}, {"more": "<unheard/>"},
    ],
)  # fmt: skip
def test_sdf_reports_what_changes_the_dynamics(words: dict[str, str]) -> None:
    (value,) = words.values()
    name = re.sub(r"\W+", " ", value).split()[0]
    assert any(name in message and "is ignored" in message for message in warnings_of(sdf(**words))), warnings_of(
        sdf(**words)
    )
    plain = [*warnings_of(sdf()), *warnings_of(sdf(more="<gravity>1</gravity><enable_wind>false</enable_wind>"))]
    assert not [message for message in plain if "is ignored" in message]


def test_sdf_universal_joint_has_friction_and_limits() -> None:
    robot = rs.loads(sdf(kind="universal"))
    assert [float(link.FV) for link in robot.links if not link.FV.is_zero] == [0.5, 0.25]  # type: ignore[arg-type]
    assert [limits.upper for limits in robot.joint_limits] == [None, 1]


def test_sdf_gravity_of_a_tilted_model() -> None:
    robot = rs.loads(sdf(pose="<pose>0 0 0 0 1.5707963267948966 0</pose>"))  # its x axis points down
    assert [round(float(g), 9) for g in robot.gravity] == [9.8, 0, 0]  # type: ignore[arg-type]


def test_sdf_mimic_is_read_and_written() -> None:
    leader = (
        '<joint name="lead" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>'
    )
    mimic = '<mimic joint="lead"><multiplier>-2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    text = sdf().replace("</dynamics></axis>\n", f"</dynamics>{mimic}</axis>\n")
    text = text.replace("</model>", f'<link name="c"/>{leader}</model>')
    robot = rs.loads(text)
    follow = robot.relations["j"]
    assert (follow.joint, follow.ratio, follow.offset) == ("lead", -2, pytest.approx(0.7))
    assert rs.loads(robot.dumps("sdf")).relations == robot.relations


# ------------------------------------------------------------------------- URDF

URDF_LISTS = {
    "robot": "@name @version link joint material transmission gazebo sensor",
    "robot/link": "@name @type inertial visual collision",
    "robot/joint": "@name @type origin parent child axis calibration dynamics limit mimic safety_controller",
    "robot/joint/limit": "@lower @upper @effort @velocity",
    "robot/joint/dynamics": "@damping @friction",
}


def test_table_covers_urdf() -> None:
    for path, words in URDF_LISTS.items():
        assert {*words.split()} <= {*URDF[path].read, *URDF[path].inert}, path


@pytest.mark.parametrize(
    "more",
    [
        '<gazebo reference="j"><springStiffness>3</springStiffness></gazebo>',
        '<gazebo reference="b"><gravity>false</gravity></gazebo>',
        "<unheard/>",
    ],
)
def test_urdf_reports_what_changes_the_dynamics(more: str) -> None:
    text = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    text += '<child link="b"/></joint>{}</robot>'
    assert any("is ignored" in message for message in warnings_of(text.format(more)))
    assert warnings_of(text.format('<gazebo reference="b"><mu1>0.2</mu1><gravity>true</gravity></gazebo>')) == []


def test_joint_defaults_do_not_apply_to_free_joints() -> None:
    text = """<mujoco><default><joint damping="1" armature="0.1"/></default><worldbody><body><freejoint/>
    <inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><body pos="1 0 0"><joint name="j"/>
    <inertial mass="1" pos="0 0 0.1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    assert list(model.dof_damping) == [0] * 6 + [1] and warnings_of(text) == []


@pytest.mark.filterwarnings("ignore:.*cannot describe gravity")
@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf"])
def test_writing_reports_ignored_friction(form: str) -> None:
    """Only nonzero parameters are reported."""
    robot = rs.load("planar2r").with_links([{"FV": 1, "FS": 2}, {"FV": 3}, {}])
    robot = robot.edit({"joint1.OFF": 0.3, "joint1.FVP": 0, "joint2.OFF": 0, "joint2.FSN": 0.1})
    with pytest.warns(rs.RobotWarning, match="can only describe FV and FS: OFF1, FSN2 ignored"):
        text = robot.dumps(form)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = rs.loads(text)
    assert [float(link.FV) for link in again.links if not link.FV.is_zero] == [1, 3]  # type: ignore[arg-type]
