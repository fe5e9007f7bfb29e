"""The table of commands: complete, in agreement with the public functions, and open to one row more."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS, MENUS, Command, Option
from robosym.app.menus.option_values import KINDS
from robosym.app.menus.table import _completed
from robosym.app.session.document import Document
from robosym.app.session.requests import Request, command_line, equivalent
from robosym.app.session.results import Results
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


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_row_matches_signature_of_its_function(command: Command) -> None:
    """Additions of a row are parameters of the function, and everything has a help text."""
    keywords = dict.fromkeys(option.keyword for option in command.options if option.use == "keyword")
    inspect.signature(command.public_function()).bind(*command.arguments, **keywords)
    for part in (*command.arguments, *command.options):
        assert part.help.endswith(".") and part.help[:1] != part.help[:1].lower(), (part.name, part.help)
        assert part.kind in KINDS
    for option in command.options:
        assert option.default is None or not option.choices or option.default in option.offered()


def test_offers_registered_languages() -> None:
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
def test_every_choice_is_accepted(
    command: Command, option: Option, choice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown choice raises an error that names it; a method may reject the robot for other reasons."""
    monkeypatch.chdir(tmp_path)
    values = {"robot": "rx90", "link": 6, "log": "none.csv", "function": "manipulability", "samples": "9"}
    values |= {"functions": "gravity_torques"} if command.name == "build" else {}
    values |= {option.name: choice}
    try:
        command.run(values)
    except rs.Error as error:
        assert f"found {choice!r}" not in str(error)
    with pytest.raises(rs.InputError, match="'nonsense'"):
        command.run(values | {option.name: "nonsense"})


def test_zero_is_passed_and_an_empty_list_is_not() -> None:
    outcome = COMMANDS["jacobian"].run({"robot": "rx90", "link": 6, "projection": 0, "select": []})
    assert outcome.result.projection == 0 and outcome.before is None
    assert COMMANDS["jacobian"].run({"robot": "rx90", "link": 6}).result.projection != 0


@pytest.mark.parametrize("answer", [False, "no", "false"])
def test_negative_flags_are_passed(answer: object) -> None:
    """From Python or a page, too: a regressor without friction, where the robot has it."""
    robot = rs.load("rx90")
    found = COMMANDS["dynamic_identification"].run({"robot": robot, "friction": answer}).result
    assert found.columns == rs.dynamic_identification(robot, friction=False).columns
    assert found.columns != rs.dynamic_identification(robot).columns


def test_options_change_the_result() -> None:
    run = COMMANDS["inverse_dynamics"].run
    robot = rs.load("sr400")
    tree = run({"robot": "sr400", "tree": True, "base_parameters": True, "select": ["GAM1"], "optimize": "1"})
    right = rs.inverse_dynamics(robot, structure="tree", base_parameters=True).select("GAM1")
    assert tree.before.operations == right.operations
    assert tree.result.operations == rs.optimize(right, 1).operations


@pytest.mark.parametrize(
    ("line", "loaded"), [("--help", []), ("show rx90", ["yaml"]), ("inverse-dynamics rx90", ["yaml"])]
)
def test_commands_import_lazily(line: str, loaded: list[str]) -> None:
    code = (
        f"import sys\nfrom robosym.app.cli.main import main\nmain({line.split()})\n"
        "print([name for name in ('numpy', 'sympy', 'llvmlite', 'yaml') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.splitlines()[-1] == str(loaded)


# ------------------------------------------------------------------- CONTRIBUTING.md, "Add a model"


def total_mass(
    robot: rs.Robot, factor: int = 1, unit: Literal["kg", "g"] = "kg", heavy: bool = False, progress: Any = None
) -> Model:
    """The mass of all links, times a factor.

    Parameters
    ----------
    factor
        Factor of the masses.
    unit
        Unit of the result: `kg` or `g`.
    heavy
        Count every link twice.
    """
    progress and progress(1, 2)
    factor *= (1000 if unit == "g" else 1) * (2 if heavy else 1)
    with Workspace(robot, ("parameters",)) as work:
        work.define("MT", factor * sum(work.value(link.M) for link in robot.links))
        return work.model("mas", "Mass", {"mass": ("MT",)})


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> Command:
    """One row, and the function that it names."""
    row = _completed(Command("Dynamic", "total_mass", "Mass of all links."))
    monkeypatch.setattr(rs, "total_mass", total_mass, raising=False)
    monkeypatch.setitem(COMMANDS, row.name, row)
    return row


def test_row_defines_a_command(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert "total-mass" in listed and "Mass of all links." in listed
    assert main(["total-mass", "rx90", "--factor", "2", "-l", "c"]) == 0
    assert "mass[0] = 2.0*" in capsys.readouterr().out
    masses = {f"M{j}": 0.5 * j for j in range(1, 7)}
    total = sum(masses.values())
    for values, expected in (({"factor": 2}, 2 * total), ({"unit": "g", "heavy": True}, 2000 * total)):
        assert row.run({"robot": "rx90", **values}).result.compile()(parameters=masses) == expected
    stages: list[str] = []
    row.run({"robot": "rx90"}, stages.append)
    assert stages == ["1 of 2"] and stages[0].share == 0.5


def test_row_defines_help_and_validation(row: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["total-mass", "--help"])
    help_text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for part in ("--factor NUMBER Factor of the masses. [default: 1]", "Count every link twice.", "--time-limit",
                 "Unit of the result: kg or g. [default: kg]"):  # fmt: skip
        assert part in help_text
    assert main(["total-mass", "rx90", "--unit", "lb"]) == 1
    assert "--unit: expected one of kg, g, found 'lb'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["total-mass", "rx90", "--factor", "many"])
    assert "--factor: expected a whole number, found 'many'" in capsys.readouterr().err


def test_row_is_on_the_page_and_in_the_history(row: Command, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page draws the options of the command; a request prints itself as a line and as Python, and is stored."""
    kinds = {option.name: (option.kind, option.offered(), option.default) for option in row.options}
    assert kinds["factor"] == ("number", (), 1) and kinds["unit"] == ("text", ("kg", "g"), "kg")
    assert kinds["heavy"] == ("flag", (), None)
    monkeypatch.setenv("ROBOSYM_STATE", str(tmp_path))
    results = Results(Document(rs.load("rx90"), "rx90"), {})
    request = results.request("total_mass", {"factor": "3", "unit": "g", "heavy": True})
    assert command_line(request) == "robosym total-mass rx90 --factor 3 --unit g --heavy"
    assert equivalent(request).python.startswith('print(rs.total_mass(rs.load("rx90"), factor=3, unit="g", heavy=True)')
    assert Request(**request.plain()).row is row
    with pytest.raises(rs.InputError, match="factor: expected a whole number, found 'x'"):
        results.request("total_mass", {"factor": "x"})
    assert row.option_reason(next(o for o in row.options if o.name == "factor"), rs.load("rx90")) == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [("solve rx90", "solve: expected --pose, pose to reach"), ("motors delta", "motors: expected --pose, pose of the"),
     ("identify-drives rx90 a.csv b.csv", "identify-drives: expected --mass, mass of the load in kg")],
)  # fmt: skip
def test_reports_a_missing_option(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A parameter without a default is an option that is required."""
    assert main(line.split()) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_reports_a_missing_argument(name):
    """An interface may run a command before every field is filled in."""
    needed = [argument for argument in COMMANDS[name].arguments if not argument.optional]
    for argument in needed[:1]:
        with pytest.raises(rs.Error, match=f"expected {argument.name}, "):
            COMMANDS[name].run({})
