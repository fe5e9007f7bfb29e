"""The table of commands: complete, in agreement with the public functions, and open to one row more."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS, MENUS, Argument, Command, Option
from robosym.languages import LANGUAGES
from robosym.model import Model, Workspace

#: the functions of the guide's menus
PUBLIC = """
transform direct_geometry inverse_geometry loop_geometry jacobian velocities accelerations jdot_qdot loop_kinematics
inverse_dynamics lagrange inertia_matrix bias_torques direct_dynamics base_parameters energy_identification
power_identification dynamic_identification filtered_identification identify optimize
""".split()


def test_every_function_of_the_guides_menus_has_a_row() -> None:
    assert set(PUBLIC) <= COMMANDS.keys()
    assert {command.menu for command in COMMANDS.values()} == set(MENUS)


#: public functions to which a command of several calls passes its options
PASSED_ON: dict[str, tuple[Any, ...]] = {
    "achievable_accelerations": (rs.achievable_accelerations,), "identify": (rs.prepare, rs.identify),
    "identify_drives": (rs.prepare,), "identify_payload": (rs.prepare, rs.identify),
    "precision": (rs.Model.precision,), "solve": (rs.inverse_geometry,),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_a_row_agrees_with_its_function(command: Command) -> None:
    function = inspect.signature(command.public_function())
    passed_on = {n: p for f in PASSED_ON.get(command.name, ()) for n, p in inspect.signature(f).parameters.items()}
    names = {use: [o.target or o.name for o in command.options if o.use == use] for use in ("keyword", "platform")}
    keywords = dict.fromkeys([*names["keyword"], *names["platform"]])
    function.bind(*command.arguments, **keywords)  # no name that the function does not have
    declared = command.accepted()
    assert not names["platform"] or (declared is not None and {*names["platform"]} <= {*str(declared.platform).split()})
    for option in command.options:
        if option.choices and option.default is not None:
            assert option.default in option.offered()
        if option.use == "keyword" and option.default is not None and option.name != "stop":
            assert option.default == {**passed_on, **function.parameters}[option.name].default


def test_languages_are_offered_as_they_are_known() -> None:
    of = {option.name: option for option in COMMANDS["inverse_geometry"].options}
    assert of["language"].offered() == tuple(LANGUAGES)
    of = {option.name: option for option in COMMANDS["velocities"].options}
    assert of["language"].offered() == tuple(LANGUAGES) and ", ".join(LANGUAGES) in of["language"].text()


CHOICES = [
    (command, option, choice)
    for command in COMMANDS.values()
    for option in command.options
    if option.use == "keyword"
    for choice in option.offered()
    if choice not in ("Sigma", "determinant")  # of the general method: these take long
]


@pytest.mark.parametrize(("command", "option", "choice"), CHOICES, ids=lambda part: getattr(part, "name", part))
def test_every_choice_is_accepted(command: Command, option: Option, choice: str) -> None:
    """An unknown word is refused as such; a robot that a method does not suit is another matter."""
    values = {"robot": "rx90", "link": 6, "log": "none.csv", "function": "manipulability", "samples": "9"}
    values |= {option.name: choice}
    try:
        command.run(values)
    except rs.Error as error:
        assert repr(choice) not in str(error)
    with pytest.raises(rs.InputError, match="'nonsense'"):
        command.run(values | {option.name: "nonsense"})


def test_a_zero_is_given_and_an_empty_list_is_not() -> None:
    outcome = COMMANDS["jacobian"].run({"robot": "rx90", "link": 6, "projection": 0, "select": []})
    assert outcome.result.projection == 0 and outcome.before is None
    assert COMMANDS["jacobian"].run({"robot": "rx90", "link": 6}).result.projection != 0


@pytest.mark.parametrize("answer", [False, "no", "false"])
def test_no_is_an_answer(answer: object) -> None:
    """From Python or a page, too: a regressor without friction, where the robot has it."""
    robot = rs.load("rx90")
    found = COMMANDS["dynamic_identification"].run({"robot": robot, "friction": answer}).result
    assert found.columns == rs.dynamic_identification(robot, friction=False).columns
    assert found.columns != rs.dynamic_identification(robot).columns


def test_what_an_option_does_to_the_result() -> None:
    run = COMMANDS["inverse_dynamics"].run
    robot = rs.load("sr400")
    tree = run({"robot": "sr400", "tree": True, "base_parameters": True, "select": ["GAM1"], "optimize": "1"})
    right = rs.inverse_dynamics(robot, structure="tree", base_parameters=True).select("GAM1")
    assert tree.before.operations == right.operations
    assert tree.result.operations == rs.optimize(right, 1).operations


@pytest.mark.parametrize(
    ("line", "loaded"), [("--help", []), ("show rx90", ["yaml"]), ("inverse-dynamics rx90", ["yaml"])]
)
def test_what_a_command_does_not_need_is_not_loaded(line: str, loaded: list[str]) -> None:
    code = (
        f"import sys\nfrom robosym.app.cli.main import main\nmain({line.split()})\n"
        "print([name for name in ('numpy', 'sympy', 'llvmlite', 'yaml') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.splitlines()[-1] == str(loaded)


# ------------------------------------------------------------------- CONTRIBUTING.md, "Add a model"


def total_mass(robot: rs.Robot, factor: int = 1) -> Model:
    """The mass of all links, times a factor."""
    with Workspace(robot, ("parameters",)) as work:
        work.define("MT", factor * sum(work.value(link.M) for link in robot.links))
        return work.model("mas", "Mass", {"mass": ("MT",)})


ROW = Command(
    "Dynamic", "total_mass", "The mass of all links.",
    (Argument("robot", "robot", "A robot."),),
    (Option("factor", "number", "Times this."), *COMMANDS["velocities"].options),
)  # fmt: skip


def test_add_a_model(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(rs, "total_mass", total_mass, raising=False)
    monkeypatch.setitem(COMMANDS, ROW.name, ROW)
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert "total-mass" in listed and "The mass of all links." in listed
    assert main(["total-mass", "rx90", "--factor", "2", "-l", "c"]) == 0
    assert "mass[0] = 2.0*" in capsys.readouterr().out
    masses = {f"M{j}": 0.5 * j for j in range(1, 7)}
    assert ROW.run({"robot": "rx90", "factor": 2}).result.compile()(parameters=masses) == 2 * sum(masses.values())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_what_is_missing_is_said(name):
    """A surface may ask before everything is filled in."""
    needed = [argument for argument in COMMANDS[name].arguments if not argument.optional]
    for argument in needed[:1]:
        with pytest.raises(rs.Error, match=f"expected {argument.name}, "):
            COMMANDS[name].run({})
