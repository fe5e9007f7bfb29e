"""Written robots read back equal and are written the same again."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases.library import ROBOTS
from random_robots import random_robot
from robosym.errors import RobotError
from robosym.formats import dumps, library, library_entries, load, loads, write
from robosym.mechanism import Robot

FORMATS = ("par", "opensymoro", "yaml")


def assert_round_trip(robot: Robot) -> None:
    for form in FORMATS:
        text = dumps(robot, form)
        again = loads(text, form)
        assert again == robot, form
        assert dumps(again, form) == text, form


@pytest.mark.parametrize("name", ROBOTS)
def test_library(name: str) -> None:
    robot = load(name)
    assert robot.name == name
    assert robot.title and robot.source
    assert_round_trip(robot)


@pytest.mark.parametrize("seed", range(40))
def test_random_robots(seed: int) -> None:
    rng = random.Random(seed)
    links = rng.randrange(3, 9)
    robot = random_robot(
        rng, links=links, tree=seed % 3 > 0, loops=seed % 4 if seed % 3 > 0 else 0, symbolic=seed % 2 == 0,
        floating=seed % 5 == 1, mobile=seed % 7 == 2, elastic=seed % 3 == 1, expressions=seed % 2 == 1,
    )  # fmt: skip
    assert_round_trip(robot)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 4))
def test_expressions_round_trip(seed: int, links: int) -> None:
    robot = random_robot(random.Random(seed), links=links, expressions=True, symbolic=True)
    assert_round_trip(robot)


def test_reading_order_does_not_matter() -> None:
    """Nodes are numbered in reading order; equality and text do not depend on it."""
    text = dumps(load("rx90"), "opensymoro")
    text = text.replace("b = {0,0,0,0,0,0}", "b = {0,0,0,z-y,0,z+(x-y)}").replace("D3", "x-(y-z)+w*(y-x)")
    lines = text.split("\n")
    head, rest = lines[:7], lines[7:]
    assert loads("\n".join(head + rest[::-1])) == loads(text)
    assert dumps(loads("\n".join(head + rest[::-1]))) == dumps(loads(text))


def test_dialects_differ_in_spelling_only() -> None:
    robot = load("sr400")
    symoro, opensymoro = dumps(robot, "par"), dumps(robot, "opensymoro")
    assert "Ant = {\n        0,1,2,3,4,5,1,7,8,3}" in symoro
    assert "gamma = {\n        0,0,0,0,0,0,0,0,0,Pi/2}" in symoro
    assert "Type = 2 (* Closed *)" in symoro
    assert symoro.index("\nZ = ") < symoro.index("\nG = ")
    assert "is_" not in symoro and "\neta" not in symoro and "GAM" not in symoro
    assert "ant = {0,1,2,3,4,5,1,7,8,3}\n" in opensymoro
    assert "gamma = {0,0,0,0,0,0,0,0,0,pi/2}\n" in opensymoro
    assert opensymoro.index("\nG = ") < opensymoro.index("\nZ = ")
    assert "GAM = {GAM1," in opensymoro and "is_floating = False\n" in opensymoro
    assert loads(symoro, "opensymoro") == loads(opensymoro, "par")


def test_symoro_omits_default_opensymoro_keys() -> None:
    robot = random_robot(random.Random(3), links=3, floating=True, elastic=True)
    text = dumps(robot)
    assert "is_floating = True" in text and "eta = {" in text and "is_mobile" not in text
    assert_round_trip(robot)


def test_numbers_have_no_exponent_and_long_arrays_wrap() -> None:
    """Mathematica reads 1e-05 as a product, and SYMORO+ writes ten values per line."""
    robot = load("ur5e").with_links([{"XX": 1e-5, "YY": 2.5e30, "ZZ": 1e22}] + [{}] * 5)
    assert "XX = {\n        0.00001," in dumps(robot)
    assert_round_trip(robot)
    long = random_robot(random.Random(1), links=23, tree=False)
    assert all(len(line.split(",")) <= 11 for line in dumps(long).split("\n"))


def test_thousand_links() -> None:
    robot = random_robot(random.Random(2), links=1000, symbolic=True)
    text = dumps(robot, "opensymoro")
    assert loads(text).NL == 1000


def test_long_entries_are_wrapped_or_rejected() -> None:
    wide = "+".join(f"a{i}" for i in range(2400))
    robot = load("rx90").with_links([{"XX": wide}] * 6)
    assert loads(dumps(robot, "opensymoro")) == robot
    longer = robot.with_values({f"a{k}": wide.replace("a", letter) for k, letter in enumerate("bcef")})
    with pytest.raises(RobotError, match=r"XX: expected an expression of at most .* characters"):
        dumps(longer)


@pytest.mark.parametrize("name", ["it's", "a*)b", "two\nlines", "", " x", "n" * 101])
def test_rejects_names_that_are_unsafe_in_code(name: str) -> None:
    with pytest.raises(RobotError, match="name: expected"):
        random_robot(random.Random(1), links=1, name=name)
    with pytest.raises(RobotError, match="name: expected"):
        load("rx90").edit(name=name)
    robot = random_robot(random.Random(1), links=1)
    object.__setattr__(robot, "name", name)  # bypasses validation
    for form in FORMATS:
        with pytest.raises(RobotError, match="name: expected"):
            dumps(robot, form)


@pytest.mark.parametrize("title", ["a: b # c", "- [x", 'say "no"', "é \N{SNOWMAN}", "yes", "1e3", "tab\there", "null"])
def test_yaml_quotes_titles_and_names(title: str) -> None:
    robot = replace(load("rx90"), title=title, source=f"{title}\n\n{title}  {title}")
    again = loads(dumps(robot, "yaml"), "yaml")
    assert (again.title, again.source) == (robot.title, robot.source)


def test_library_entries_have_titles() -> None:
    entries = library_entries()
    assert tuple(entry.name for entry in entries) == library()
    assert all(entry.title for entry in entries)


def test_load_ignores_case_and_takes_paths(tmp_path) -> None:  # type: ignore[no-untyped-def]
    robot = load("RX90")
    for file in ("a.par", "b.yaml", "c.yml", "D.PAR"):
        write(robot, tmp_path / file)
        assert load(tmp_path / file) == load(str(tmp_path / file)) == robot
    robot.write(tmp_path / "e.par")
    assert robot.dumps() == (tmp_path / "e.par").read_text()
    write(robot, tmp_path / "o.par", format="opensymoro")
    assert "ant = {" in (tmp_path / "o.par").read_text()


@pytest.mark.parametrize("ending", ["", 'suffix: ""', "suffix: _b"])
def test_module_suffixes_round_trip(ending: str) -> None:
    """The default suffix is the number of the module; with an empty one symbols are shared."""
    text = f"""name: two
modules:
  - {{frames: [{{theta: t1}}], links: symbolic}}
  - frames: [{{d: 0.5, theta: t2}}]
    links: symbolic
    {ending}
gravity: [0, 0, -9.81]
"""
    robot = loads(text, "yaml")
    mark = {"": "_2", 'suffix: ""': "", "suffix: _b": "_b"}[ending]
    assert [str(part.link(1).XX) for part in robot.module_robots()] == ["XX1", f"XX1{mark}"]
    written = dumps(robot, "yaml")
    assert loads(written, "yaml") == robot and dumps(loads(written, "yaml"), "yaml") == written


def test_friction_round_trip() -> None:
    robot = load("planar2r").edit(
        {"joint1.smooth": 0.02, "joint1.OFF": 0.3, "joint2.stribeck": 0.1, "joint2.FB": 0.5, "joint2.FVP": 0.7}
    )
    again = loads(dumps(robot, "yaml"), "yaml")
    assert again == robot and again.joint(1).friction.smooth == 0.02 and again.joint(2).friction.stribeck == 0.1
    both = robot.edit({"joint2.smooth": 0.5})
    assert loads(dumps(both, "yaml"), "yaml") == both != robot
