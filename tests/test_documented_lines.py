"""Every command line and Python snippet of README and docs runs, in a folder with example files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.app.cli.parser import Parser
from robosym.app.menus import COMMANDS
from robosym.drawing.example_values import example_values

ROOT = Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])  # tutorials: tests/test_tutorials.py
#: in a code block or in a sentence
LINE = re.compile(r"(?:^(?:\$ |    )?|`)(robosym (?:-|[a-z][a-z-]*(?: |$|`)).*?)(?:`|\s+# .*|$)", re.MULTILINE)
SNIPPET = re.compile(r"```python\n((?:(?!```).)*)```(?!\s*```(?:text)?\n)", re.DOTALL)
WORDS = {command.word for command in COMMANDS.values()}
#: servers, and lines with an ellipsis
READ_ONLY = ("app",)
URDF = """<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mass value="1"/><origin xyz="0.2 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool0"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="flange" type="fixed"><parent link="lower"/><child link="tool0"/><origin xyz="0.4 0 0"/></joint>
</robot>"""


def lines() -> list[str]:
    """Return the distinct command lines without trailing comments."""
    found = [line for page in PAGES for line in LINE.findall(page.read_text(encoding="utf-8"))]
    known = [line.strip() for line in found if line.split()[1].startswith("-") or line.split()[1] in WORDS]
    return list(dict.fromkeys(known))


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Create a folder with the files that the pages use."""
    before, folder = os.getcwd(), tmp_path_factory.mktemp("own")
    os.chdir(folder)
    Path("arm.urdf").write_text(URDF)
    inertial = '<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    Path("dog.urdf").write_text(URDF.replace('<link name="base"/>', f'<link name="base">{inertial}</link>'))
    robot = rs.load("planar2r").with_links([{"FV": 1, "FS": 1, "ZZ": 0.4, "MX": 0.5, "M": 1}] * 2 + [{}])
    robot.write("arm.yaml")
    robot.write("arm.par")
    fivebar = rs.load("fivebar")
    fivebar.with_values(example_values(fivebar)).write("fivebar.yaml")
    rs.inverse_dynamics(robot).write("arm_dyn.c")
    t = np.arange(0, 8, 0.01)
    q = np.stack([np.sin(1.1 * t) + 0.4 * np.sin(2.3 * t), np.sin(1.7 * t) - 0.3 * np.cos(2.9 * t)], axis=1)
    qd = np.gradient(q, t, axis=0)
    qdd = np.gradient(qd, t, axis=0)
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    noise = np.random.default_rng(0).normal(size=tau.shape) * 0.01
    for name, more in (("a", 0), ("b", 0), ("c", 0), ("free", 0), ("loaded", 0.5 * qdd + np.cos(q)), ("motion", 0)):
        table = np.column_stack([t, q, tau + noise + more])
        np.savetxt(f"{name}.csv", table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.10g")
    Path("poses.csv").write_text("x,y,z,roll,pitch,yaw\n0.3,0.2,0.4,0,1.57,0\n0.3,0.2,0.5,0,1.57,0\n")
    Path("path.csv").write_text("0,0,-1.1\n0.1,0.05,-1.1\n")
    rs.inverse_dynamics(rs.load("rx90")).write("rx90_dyn.f90")
    yield
    os.chdir(before)


def test_lines_are_found() -> None:
    found = lines()
    assert len(found) > 20 and any(line.startswith("robosym workspace delta") for line in found)


@pytest.mark.parametrize("line", lines())
def test_documented_command_runs(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(line)[1:]
    if words[0] in READ_ONLY or "..." in words:
        command = next(command for command in COMMANDS.values() if command.word == words[0])
        Parser(command).values([word for word in words[1:] if word != "..."])
        return
    try:
        code = main(words)
    except SystemExit as end:  # --help
        code = end.code or 0
    assert code == 0, capsys.readouterr().err


def test_command_line_of_own_platform() -> None:
    """The page on parallel robots uses a file in place of a name."""
    rs.load("fivebar").write("machine.yaml")
    line = "robosym workspace machine.yaml --x 0:0.1:3 --y 0.05:0.1:2 --table -o reach.csv"
    assert main(shlex.split(line)[1:]) == 0
    head, *rows = Path("reach.csv").read_text().splitlines()
    assert head == "x,y,reached,dexterity" and len(rows) == 6


SNIPPETS = [
    pytest.param(code, id=f"{page.stem}-{number}", marks=[pytest.mark.long] * (page.stem == "optimizer"))
    for page in PAGES
    for number, code in enumerate(SNIPPET.findall(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_snippet_without_output_runs(code: str) -> None:
    state = {"q": np.zeros(2), "qd": np.zeros(2), "qdd": np.zeros(2), "v": np.zeros(6), "R": np.eye(3)}
    exec(compile(code, "snippet", "exec"), {"rs": rs, "np": np, **state})
