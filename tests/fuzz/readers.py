"""All functions that read untrusted data, with valid files as a corpus."""

from __future__ import annotations

import io
import json
import os
import random
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import robosym as rs
from cases import models
from cases.hybrid import two_goughs
from cases.linkages import excavator
from fuzz import page_readers as page
from random_robots import random_robot
from robosym.algebra import Graph, parse
from robosym.files import decode
from robosym.formats.pose_texts import pose_from, poses_from
from robosym.languages.reading import read_model_text
from robosym.runtime.evaluation import state_columns as table_file
from robosym.simulation.motion_limits import _file as limits_file
from robosym.simulation.motions import columns_of
from robosym.simulation.motor_loads import motors_of as motor_file

_FOLDER = Path(tempfile.gettempdir()) / f"robosym_fuzz_{os.getpid()}"  # shared with forked processes


class Reader:
    """Name, valid inputs, and function of a reader."""

    def __init__(self, name: str, good: Callable[[], list[bytes]], call: Callable[[bytes], object]) -> None:
        self.name, self._good, self.call = name, good, call

    @cached_property
    def good(self) -> list[bytes]:
        return self._good()


def _robots(form: str) -> Callable[[], list[bytes]]:
    def good() -> list[bytes]:
        rng = random.Random(1)
        symbolic = form in ("par", "opensymoro", "yaml")
        chosen: list[Any] = [rs.load("planar2r"), rs.load("scara")] if symbolic else []
        options = {"symbolic": symbolic, "wrenches": symbolic, "drives": True}
        chosen += [random_robot(rng, links=k, **options) for k in (1, 2, 3)]
        chosen += [random_robot(rng, links=2, floating=True, **options)] if form != "sdf" else []
        if symbolic:
            chosen += [random_robot(rng, links=2, loops=1, expressions=True, elastic=True, symbolic=True)]
        if form == "yaml":
            chosen += [rs.load("planar3rrr"), excavator()[0], two_goughs()]
            position = excavator()
            chosen += [position[0].edit(position=position[1])]
        return [robot.dumps(form).encode() for robot in chosen] + _EXTRA.get(form, [])

    return good


_EXTRA = {
    "yaml": [
        b"name: arm\nframes:\n  - {type: spherical, d: 0.3}\n  - {theta: t2, limits: {lower: -1, upper: 1}}\n"
        b"links: symbolic\ncouplings: {t3: 2*t2 + 0.1}\ngravity: [0, 0, G3]\n",
        b"name: a\nconvention: standard\nframes:\n  - {alpha: Pi/2, a: 0.1, d: 0.2, theta: t1}\nlinks:\n"
        b"  1: {mass: 2, centre: [0.1, 0, 0], inertia: [1, 2, 3, 0, 0, 0], friction: {FV: 1, shape: stribeck}}\n",
    ],
    "mjcf": [
        b'<mujoco model="m"><compiler angle="degree" eulerseq="zyx" boundmass="0.1" boundinertia="0.01" balanc'
        b'einertia="true" settotalmass="5" inertiagrouprange="0 3"/><option gravity="0 0 -9" density="0"><flag'
        b' damper="disable" gravity="enable"/></option><default><default class="c"><joint damping="1" range="-'
        b'90 90" armature="0.1"/><geom density="200" group="1"/></default></default><worldbody><frame pos="1 0'
        b' 0"><body name="a" childclass="c" pos="0 0 1" quat="1 0 0 0"><inertial mass="1" pos="0 0 0" fulliner'
        b'tia="1 1 1 0 0 0"/><joint name="j" class="c" axis="0 1 0" ref="3" actuatorfrcrange="-3 3"/><body nam'
        b'e="b" axisangle="1 0 0 30"><joint name="k" type="slide" axis="1 0 0" range="-1 1"/><geom type="cylin'
        b'der" size="0.1 0.2" mass="2"/><geom type="box" size="1 2 3" zaxis="0 1 1"/><site name="s" pos="0 0 1'
        b'"/><body name="cc"><joint name="b3" type="ball"/><geom type="ellipsoid" size="1 2 3"/></body></body>'
        b'</body></frame></worldbody><equality><joint joint1="j" joint2="k" polycoef="0.1 2 0 0 0"/><connect b'
        b'ody1="b" anchor="1 0 0"/><weld body1="cc" body2="a" relpose="0 0 1 1 0 0 0"/></equality><actuator><m'
        b'otor joint="j" gear="3"/></actuator><tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></ten'
        b"don></mujoco>",
        b'<mujoco><compiler angle="radian" eulerseq="xyz"/><default><joint damping="1"/></default><worldbody>'
        b'<body name="a" pos="0 0 1" euler="1 2 3"><freejoint/><geom type="capsule" fromto="0 0 0 1 1 1" size="0.1"/>'
        b'<body><joint type="ball"/><geom size="0.1"/><site name="s"/></body></body></worldbody>'
        b'<equality><connect body1="a" body2="world" anchor="0 0 0"/><joint joint1="x" polycoef="0 1"/></equality>'
        b'<include file="other.xml"/></mujoco>',
    ],
    "urdf": [
        b'<robot name="r"><link name="base"/><link name="a"><inertial><origin xyz="1 0 0" rpy="0.1 0 0"/><mass'
        b' value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="'
        b'b"/><link name="c"/><link name="tool0"/><joint name="j" type="revolute"><parent link="base"/><child '
        b'link="a"/><origin xyz="0 0 1" rpy="1.5707963 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" ef'
        b'fort="3" velocity="2"/><dynamics damping="1" friction="2"/></joint><joint name="k" type="continuous"'
        b'><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/><mimic joint="j" multipl'
        b'ier="2" offset="1"/></joint><joint name="l" type="prismatic"><parent link="base"/><child link="c"/><'
        b'axis xyz="0 1 0"/><limit lower="0" upper="1"/></joint><joint name="t" type="fixed"><parent link="b"/'
        b'><child link="tool0"/></joint><loop_joint name="o" type="revolute"><link1 link="b" xyz="1 0 0" rpy="'
        b'0 0 0"/><link2 link="c" xyz="0 0 0.5"/><axis xyz="0 1 0"/></loop_joint><transmission><joint name="j"'
        b'/></transmission><gazebo reference="a"><gravity>1</gravity></gazebo></robot>',
        b'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"'
        b' izz="1"/></inertial></link><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        b'<axis xyz="0 1 1"/><limit lower="-1" upper="1" effort="3"/><mimic joint="j" multiplier="2"/>'
        b'<origin xyz="1 2 3" rpy="0 0 1.57"/></joint></robot>',
    ],
    "sdf": [
        b'<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity><model name="m"><pose degrees="true">1 2'
        b' 3 10 20 30</pose><frame name="f" attached_to="a"><pose relative_to="b">0 0 1 0 0 0</pose></frame><l'
        b'ink name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inerti'
        b'al></link><link name="b"><pose relative_to="a">1 0 0 0 0.5 0</pose></link><link name="c"><pose rotat'
        b'ion_format="quat_xyzw">0 0 0 0 0 0 1</pose></link><joint name="j" type="revolute"><parent>a</parent>'
        b'<child>b</child><axis><xyz expressed_in="f">0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effo'
        b"rt>3</effort></limit><dynamics><damping>1</damping><friction>0.1</friction></dynamics></axis></joint"
        b'><joint name="u" type="universal"><parent>b</parent><child>c</child><pose>0 0 1 0 0 0</pose><axis><x'
        b'yz>1 0 0</xyz><mimic joint="j"><multiplier>2</multiplier><offset>1</offset><reference>0</reference><'
        b'/mimic></axis><axis2><xyz>0 1 0</xyz></axis2></joint><frame name="g"/></model></world></sdf>',
        b'<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose></link><link name="b"/>'
        b'<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="a">0 0 1</xyz>'
        b"</axis></joint><include><uri>model://other</uri></include></model></sdf>",
    ],
}


def _read_robot(form: str) -> Callable[[bytes], object]:
    def call(data: bytes) -> object:
        robot: Any = rs.loads(decode(data), form)
        if len(data) % 16 == 0 and form in (
            "yaml",
            "par",
            "opensymoro",
        ):  # round trip
            assert rs.loads(robot.dumps(form), form) == robot, "read again, it is another robot"
        return robot

    return call


def _listings(language: str, **options: Any) -> Callable[[], list[bytes]]:
    def good() -> list[bytes]:
        small = rs.inverse_dynamics(rs.load("planar2r"))
        free = rs.energy(random_robot(random.Random(4), links=1, symbolic=True))
        chosen = [small, models.awkward(), models.read_and_written(), free, rs.gravity_torques(rs.load("scara"))]
        return [model.code(language, **options).encode() for model in chosen]

    return good


def _read_code(file: str) -> Callable[[bytes], object]:
    return lambda data: read_model_text(decode(data), name=file)


def _in_file(suffix: str, call: Callable[[Path], object]) -> Callable[[bytes], object]:
    def written(data: bytes) -> object:
        _FOLDER.mkdir(exist_ok=True)
        path = _FOLDER / f"input{suffix}"
        path.write_bytes(data)
        return call(path)

    return written


def _logs() -> list[bytes]:
    rows = "\n".join(f"{k / 100},{np.sin(k)},{np.cos(k)},{k},{-k}" for k in range(40))
    head = ("t,q1,q2,tau1,tau2", "time [ms];q1 [deg];q2 [deg];current1 [mA];current2 [A]", "t q1 q2 tau1 tau2")
    marks = (",", ";", " ")
    return [f"{h}\n{rows.replace(',', m)}\n".encode() for h, m in zip(head, marks, strict=True)]


def _archives() -> list[bytes]:
    stream, t = io.BytesIO(), np.linspace(0, 1, 40)
    np.savez(stream, t=t, q=np.ones((40, 2)), tau=np.ones((40, 2)))
    packed = io.BytesIO()
    np.savez_compressed(packed, t=t, q=np.ones((40, 2)), tau=np.ones((40, 2)))
    return [stream.getvalue(), packed.getvalue()]


def _parquets() -> list[bytes]:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({name: np.arange(40) / 100 for name in ("t", "q1", "tau1")})
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream)
    return [stream.getvalue()]


def _texts(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


def _matrices() -> list[bytes]:
    return [json.dumps({"poses": np.eye(4).tolist()}).encode()]


_IDENTITY = "1,0,0,0.3,0,1,0,0.1,0,0,1,0.5"
_EXPRESSIONS = _texts(
    "2*Pi/3 - atan2(L1, -L2)^2", "sqrt(a^2 + b^2)*sign(x) + 1e-7*exp(-y)", "-(a + b)*c/(3 - sin(t1 + t2))", "1/3",
)  # fmt: skip
READERS = {
    reader.name: reader
    for reader in (
        Reader("par", _robots("par"), _read_robot("par")),
        Reader("opensymoro", _robots("opensymoro"), _read_robot("opensymoro")),
        Reader("yaml", _robots("yaml"), _read_robot("yaml")),
        Reader("urdf", _robots("urdf"), _read_robot("urdf")),
        Reader("mjcf", _robots("mjcf"), _read_robot("mjcf")),
        Reader("sdf", _robots("sdf"), _read_robot("sdf")),
        Reader("any format", _robots("yaml"), lambda data: rs.loads(decode(data))),
        Reader("listing", _listings("listing"), _read_code("model.dyn")),
        Reader("c", _listings("c"), _read_code("model.c")),
        Reader("fortran", _listings("fortran"), _read_code("model.f90")),
        Reader("fortran 77", _listings("fortran", form="fixed"), _read_code("model.f")),
        Reader("matlab", _listings("matlab"), _read_code("model.m")),
        Reader("maple", _listings("maple"), _read_code("model.mp")),
        Reader("mathematica", _listings("mathematica"), _read_code("model.mh")),
        Reader("expression", _EXPRESSIONS, lambda data: parse(decode(data), Graph())),
        Reader("log", _logs, _in_file(".csv", rs.Log)),
        Reader("log archive", _archives, _in_file(".npz", rs.Log)),
        Reader("log parquet", _parquets, _in_file(".parquet", rs.Log)),
        Reader("motors", _texts("name,torque,speed,inertia\na,1,300,0.1\nb,2,200,0.2\n"), _in_file(".csv", motor_file)),
        Reader("motion", _texts("t,q1,q2,qd1,qd2\n0,1,2,3,4\n1,2,3,4,5\n"), _in_file(".csv", columns_of)),
        Reader("table", _texts("q1,q2\n1,2\n3,4\n"), _in_file(".csv", table_file)),
        Reader("poses", _texts(f"{_IDENTITY}\n", "1,2,3,0,0,0\n"), _in_file(".csv", lambda p: poses_from([str(p)]))),
        Reader("poses in JSON", _matrices, _in_file(".json", lambda p: poses_from([str(p)]))),
        Reader("pose", _texts(_IDENTITY, "1 2 3 rpy 0 0 1"), lambda data: pose_from(decode(data))),
        Reader("limits", _texts("velocity: [2, 2]\ntau: 30\nq: [[-1, 1], [-2, 2]]\n"), _in_file(".yaml", limits_file)),
        Reader("page messages", page.good_messages, page.messages),
        Reader("kept work", page.good_work, page.kept_work),
        Reader("history", page.good_history, page.history),
        Reader("jobs", page.good_jobs, page.jobs),
        Reader("study piece", page.good_pieces, page.piece),
    )
}  # fmt: skip
