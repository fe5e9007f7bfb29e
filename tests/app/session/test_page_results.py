"""Commands as a page shows them: data of the right kinds, the numbers of the model, the text of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.app.cli.main import main
from robosym.app.menus import COMMANDS
from robosym.app.session.generation import code, evaluated, generate, level_counts
from robosym.app.session.requests import Request, typed
from robosym.languages.sections import sections


def quiet(_: str) -> None:
    """Nobody listens."""


def without_origin(text: str) -> str:
    """Python cannot know the command line that emitted code names."""
    return re.sub(r"(Written by robosym [\d.]+, ).*", r"\1", text)


RX90 = Request("inverse_dynamics", "rx90", {"base_parameters": True})


def test_model_with_counts_and_sections() -> None:
    shown = generate(RX90)
    model = rs.inverse_dynamics(rs.load("rx90"), base_parameters=True)
    assert shown.gives == "model" and shown.counts is not None
    assert shown.counts.total == model.operations.total
    titles = [(section.part, section.title) for section in shown.sections]
    assert ("Forward", "Link 2") in titles and ("Backward", "Link 1") in titles and titles[-1] == ("Outputs", "tau")
    listed = code(RX90, shown.kept, "listing").text
    for section in shown.sections:
        for equation in section.equations:
            assert f"{equation.name} = " in listed
    assert shown.same.line == "robosym inverse-dynamics rx90 --base-parameters --optimize 0 -o rx90_dyn.c"


@pytest.mark.parametrize("name", ["planar2r", "scara", "sr400", "stanford"])
def test_equations_equal_the_listing(name: str) -> None:
    model = rs.inverse_dynamics(rs.load(name))
    listed = re.sub(r"\s+", " ", model.code("listing"))
    for section in sections(model):
        for equation in section.equations:
            assert f" {equation.name} = {equation.text} " in listed, equation


def test_matrices_are_shown_as_matrices() -> None:
    shown = generate(Request("inertia_matrix", "planar2r"))
    assert [len(row) for row in shown.sections[-1].matrix] == [2, 2]


def test_values_and_plots_equal_the_model() -> None:
    request = Request("inverse_dynamics", "scara")
    shown = generate(request)
    rng = np.random.default_rng(5)
    values = {name: float(rng.normal()) for group in shown.inputs for name in group.names}
    right = rs.inverse_dynamics(rs.load("scara")).compile()(
        **{group.name: [values[name] for name in group.names] for group in shown.inputs}
    )
    found = evaluated(request, shown.kept, values)
    assert np.allclose([column[0] for column in found.values()], right)
    over = evaluated(request, shown.kept, values, "t1", [values["t1"], 1.0, 2.0])
    assert np.isclose(over["GAM2"][0], found["GAM2"][0])
    with pytest.raises(rs.InputError, match="no input 't9'"):
        evaluated(request, shown.kept, {"t9": 1.0})


def test_levels() -> None:
    shown = generate(RX90)
    model = rs.inverse_dynamics(rs.load("rx90"), base_parameters=True)
    assert level_counts(RX90, shown.kept, "2").total == rs.optimize(model, 2).operations.total
    optimized = RX90.with_values(optimize="2")
    assert level_counts(optimized, None, "").total == model.operations.total


LINES = [
    Request("inverse_dynamics", "scara", {"base_parameters": True, "optimize": "1", "select": ["GAM1", "GAM2"]}),
    Request("direct_geometry", "rx90", {"i": -1, "j": 6, "derivative": ["q"]}),
    Request("jacobian", "scara", {"link": 4, "rows": [1, 2, 6], "frame": 0}),
    Request("inertia_matrix", "sr400", {"tree": True, "set": ["D3=0.45"]}),
    Request("inverse_dynamics", "planar2r", {"set": ["gravity=[0,-9.81,0]"], "init": True, "name": "torques"}),
    Request("general_equations", "rx90", {"stop": "AB"}),
    Request("determinant", "scara", {"link": 4, "rows": [1, 2, 6]}),
    Request("loop_kinematics", "sr400", {"solution": True, "reference": ["t1=0.1"]}),
    Request("computed_torque", "planar2r", {"kp": "100,80"}),
    Request("inertia_matrix", "scara", {"optimize": "2", "goal": "speed", "budget": "2.5"}),
]


@pytest.mark.parametrize("request_", LINES, ids=lambda request: request.command)
@pytest.mark.parametrize("language", ["listing", "c", "python"])
def test_command_line_and_python_reproduce_the_page(
    request_: Request,
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import shlex

    monkeypatch.chdir(tmp_path)
    shown = code(request_, None, language)
    words = shlex.split(shown.same.line)
    assert words[0] == "robosym" and main(words[1:]) == 0
    written = (tmp_path / shown.file).read_text()
    assert written == shown.text
    (tmp_path / shown.file).unlink()
    exec(compile(shown.same.program, "copied", "exec"), {})
    assert without_origin((tmp_path / shown.file).read_text()) == without_origin(shown.text)


SHOWN = [
    Request("base_parameters", "scara", {"method": "numeric"}),
    Request("inverse_geometry", "scara", {"fixed": ["t4=0.2"]}),
    Request("solve", "scara", {"pose": ["0.3,0.4,-0.1,0,0,0.5"], "values": []}),
    Request("inverse_dynamics", "planar2r", {"at": ["q=0.1,0.2", "qd=0,0", "qdd=0,0", "D2=1"], "select": ["GAM1"]}),
    Request("inverse_dynamics", "planar2r", {"at": ["q=0.1,0.2", "QP1=3", "QP2=1.5", "qdd=0.4,0"]}),
    Request("motors", "delta", {"pose": "0,0,-0.5"}),
    Request("compare_formulations", "planar2r"),
    Request("study", "scara", {"function": "manipulability", "samples": "20"}),
]


@pytest.mark.parametrize("request_", SHOWN, ids=lambda request: request.command)
def test_texts_equal_command_line_and_python(request_: Request, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    try:
        shown = generate(request_)
    except rs.Error as error:
        assert main(shlex.split(_line(request_))[1:]) == 1
        assert str(error).partition(": ")[2] in capsys.readouterr().err  # the argument is named as the option is
        return
    assert main(shlex.split(shown.same.line)[1:]) == 0
    typed_line = capsys.readouterr().out
    exec(compile(shown.same.program, "copied", "exec"), {})
    printed = capsys.readouterr().out
    assert shown.text == typed_line and "app.menus" not in shown.same.program
    if request_.command in ("solve", "motors") or request_.values.get("at"):  # arrays: the same numbers in other words
        numbers = re.findall(r"-?\d+\.\d+", printed)
        table = [float(x) for x in re.findall(r"-?\d+\.\d+", typed_line) if abs(float(x)) > 1e-6]
        assert all(np.isclose([float(n) for n in numbers], x, rtol=1e-4, atol=1e-4).any() for x in table)
    else:
        assert printed == typed_line


def _line(request: Request) -> str:
    from robosym.app.session.requests import command_line

    return command_line(request)


def test_files_are_returned_as_bytes_and_stay_in_their_folder(tmp_path: Path) -> None:
    shown = generate(Request("base_parameters", "planar2r", {"write": "../../evil/name.yaml"}))
    assert list(shown.files) == ["name.yaml"]
    assert rs.loads(shown.files["name.yaml"].decode(), format="yaml").name == "planar2r"
    bundle = generate(Request("bundle", "planar2r", {"output": "controller"}))
    assert bundle.gives == "files" and any(name.endswith("CMakeLists.txt") for name in bundle.files)


def test_bundle_without_output_stays_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bundle = generate(Request("bundle", "planar2r"))
    assert "planar2r_c/CMakeLists.txt" in bundle.files and list(tmp_path.iterdir()) == []


def test_page_and_command_line_name_bundle_after_the_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rs.load("planar2r").edit(name="milla").write("arm.yaml")
    values = {"set": [f"{name}=0.5" for name in rs.load("arm.yaml").parameters]}
    shown = generate(Request("bundle", "arm.yaml", values))
    assert {Path(name).parent.name for name in shown.files} == {"milla_c"}
    assert not Path("milla_c").exists()
    assert main(["bundle", "arm.yaml", *(word for entry in values["set"] for word in ("--set", entry))]) == 0
    assert {path.name for path in Path("milla_c").iterdir()} == {Path(name).name for name in shown.files}


def test_loads_named_robot_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, loaded = tmp_path / "arm.yaml", []
    rs.load("planar2r").write(path)
    read = rs.load
    monkeypatch.setattr(rs, "load", lambda name, **options: loaded.append(name) or read(name, **options))
    for _ in range(2):
        generate(Request("inverse_dynamics", str(path)))
        generate(Request("jacobian", str(path), {"link": 2}))
    assert loaded == [str(path)]
    rs.load("scara").write(path)
    assert len(generate(Request("inverse_dynamics", str(path), stamp="new")).outputs[0].names) == 4


def test_python_text_evaluates_states_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "states.csv"
    path.write_text("t1,t2\n0.1,0.2\n0.3,0.4\n")
    shown = generate(Request("direct_geometry", "planar2r", {"at": [str(path)]}))
    printed: list[object] = []
    exec(shown.same.program, {"print": printed.append})
    np.testing.assert_array_equal(np.array(printed[0].rows), shown.rows)  # type: ignore[attr-defined]
    assert len(shown.rows) == 2 and str(path) in shown.same.python


def test_unsaved_robot_is_passed_as_text() -> None:
    robot = rs.load("stanford").with_values({"RL2": "0.7"})
    shown = generate(Request("direct_geometry", "mine.yaml", {"i": 0, "j": 6}, robot.dumps("yaml")))
    assert "RL2" not in [name for group in shown.inputs for name in group.names]
    assert 'rs.load("mine.yaml")' in shown.same.python


def test_fields_are_parsed_like_the_command_line() -> None:
    rows = {option.name: option for option in COMMANDS["identify"].options}
    assert typed(rows["cut"], "7.5") == 7.5 and typed(rows["ratio"], "32, -48.5") == "32, -48.5"
    assert typed(rows["columns"], "q1=axis one; q2=b") == ["q1=axis one", "q2=b"]
    with pytest.raises(rs.InputError, match="cut: expected a number, found 'x'"):
        typed(rows["cut"], "x")
    select = next(option for option in COMMANDS["lagrange"].options if option.name == "select")
    assert typed(select, "A11, A12\nQ1") == ["A11", "A12", "Q1"] and typed(select, " ") is None
