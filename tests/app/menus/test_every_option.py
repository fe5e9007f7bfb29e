"""Every command, every option, every value that it allows: what is typed arrives in Python as it is meant."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from app.menus.option_cases import ARGUMENTS, BESIDE, BY_KIND, BY_OPTION, LINES, NEEDS, PYTHON, USUAL, write_robots
from robosym.app.cli.main import main
from robosym.app.cli.parser import Parser
from robosym.app.menus import COMMANDS, Command, Option
from robosym.app.menus.calls import Call
from robosym.app.menus.option_values import TRUTH_KINDS, opposite
from robosym.languages.header import made_by
from robosym.optimizer.optimize import fastest
from robosym.runtime.evaluation import Numbers

YES, NO = ("", "yes", "true", "YES", "on"), ("no", "false", "off")
_NOT_GIVEN = object()


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All lines are typed in a folder with robots and logs of a user's own."""
    folder = tmp_path_factory.mktemp("own")
    write_robots(folder)
    for command in COMMANDS.values():  # signatures are read before functions are replaced
        assert isinstance(command.arguments + command.options, tuple)
    load, load_once = rs.load, cache(rs.load)

    @wraps(load)
    def shared(path: Any, **options: Any) -> rs.Robot:
        """The files stay as they are: each is read once."""
        return load(path, **options) if any(options.values()) else load_once(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(rs, "load", shared)
        yield


# --------------------------------------------------------------------------------------- typed values


def typed_values(command: Command, option: Option) -> list[tuple[list[str], Any]]:
    """Words of a line for every value that the option allows, and the value that Python is given."""
    if option.kind in TRUTH_KINDS:
        yes: Any = option.stands_for or True
        no: Any = _NOT_GIVEN if option.kind == "flag" else False
        found = [([option.word, *filter(None, [word])], yes) for word in YES]
        found += [([option.word, word], no) for word in NO]
        found += [([f"{option.word}=yes"], yes), ([f"{option.word}=no"], no), ([opposite(option.word)], no)]
        return found + ([([option.word, "smooth"], "smooth")] if option.kind == "friction" else [])
    if option.choices:
        return [([option.word, choice], choice) for choice in option.offered()]
    for key in ((command.name, option.name), option.name):
        if key in BY_OPTION and (option.kind not in BY_KIND or isinstance(key, tuple)):
            return [([f"{option.word}={text}"], value) for text, value in BY_OPTION[key]]
    if option.kind not in BY_KIND:
        pytest.fail(f"{command.name} {option.word}: give it a case in tests/app/menus/option_cases.py")
    return [([f"{option.word}={text}"], value) for text, value in BY_KIND[option.kind]]


def line_of(command: Command, option: Option) -> list[str]:
    """The arguments of the command, with a robot that the option is for."""
    words = list(LINES.get((command.name, option.name), ARGUMENTS.get(command.name, ("arm.yaml",))))
    if (command.name, option.name) in LINES:
        return words
    if option.needs in NEEDS and words:
        place = next(k for k, argument in enumerate(command.arguments) if argument.name == "robot")
        optional = [k for k, argument in enumerate(command.arguments) if argument.optional]
        words[place] = NEEDS[option.needs]
        words = [word for k, word in enumerate(words) if option.needs != "platform" or k not in optional]
    return words


def required_words(command: Command, but: str = "") -> list[str]:
    """Words for the options that a command cannot do without."""
    needed = [option.name for option in command.options if option.required and option.name != but]
    return [f"--{name.replace('_', '-')}={USUAL[command.name][name][0]}" for name in needed]


def parsed(command: Command, words: list[str]) -> dict[str, Any]:
    return _parser(command.name).values(words)


@cache
def _parser(name: str) -> Parser:
    return Parser(COMMANDS[name])


# ------------------------------------------------------------------- arguments of the public functions


class Called(Exception):
    """Instead of a result: the arguments of the public function."""


def _keywords_of(command: Command, words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the named arguments that a line passes to the public function, without running it."""

    def stand_in(*_: Any, **keywords: Any) -> Any:
        raise Called(keywords)

    declared = command.accepted()
    with monkeypatch.context() as patch, pytest.raises(Called) as called:
        patch.setattr(Command, "public_function", lambda _: stand_in)
        patch.setattr(Command, "accepted", lambda _: declared)
        command.run(parsed(command, words))
    found: dict[str, Any] = called.value.args[0]
    return found


def _options(command: Command, uses: tuple[str, ...]) -> list[Option]:
    return [option for option in command.options if option.use in uses]


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_arguments_of_the_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the public function; a command that is more than its call (see `PYTHON`) reads other texts by itself."""
    command = COMMANDS[name]
    for option in _options(command, ("keyword",)):
        start, target = line_of(command, option), option.target or option.name
        usual = _keywords_of(command, [*start, *required_words(command)], monkeypatch)
        without = {**usual, target: _NOT_GIVEN}
        start += required_words(command, option.name)
        for words, value in typed_values(command, option):
            called = _keywords_of(command, [*start, *words], monkeypatch)
            found = called.get(target, _NOT_GIVEN)
            if name not in PYTHON or _is_closed(option):
                assert _same(found, value) or _same_text(found, value), (words, found, value)
            assert {**called, target: _NOT_GIVEN} == without, words  # nothing else changes


def _is_closed(option: Option) -> bool:
    """Whether the table says every value that the option allows."""
    return option.kind in TRUTH_KINDS or bool(option.choices)


def _is_read_by_the_function(command: Command, option: Option) -> bool:
    """Whether the public function is given a text such as 3,4 for [3, 4]: only its result tells that it is the same."""
    if option.kind != "text" or option.use != "keyword" or (command.name, option.name) in LEFT_OUT:
        return False
    return any(not isinstance(value, str) for _, value in typed_values(command, option))


#: a Dask cluster; processes, which have tests of their own
LEFT_OUT = {("study", "cluster")}


def _same_text(found: Any, value: Any) -> bool:
    """A text that the function itself reads: 3,4 for [3, 4]."""
    plain = value if isinstance(value, list | tuple) else [value]
    return isinstance(found, str) and found.replace("x", ",") in {",".join(map(str, plain)), str(value)}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, rs.Model) and isinstance(other, rs.Model):
        return one.code("listing") == other.code("listing")
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=0, atol=1e-15, equal_nan=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, Path) or isinstance(other, Path):
        return str(one) == str(other)
    return type(one) is type(other) and bool(one == other) if isinstance(one, bool) else bool(one == other)


# -------------------------------------------------------------------------------- results of commands

#: not run here: a server; a search of seconds, which has tests of its own; eliminations that take minutes
NOT_RUN = ("app", "excite", "general_equations")


def _shown(result: Any) -> Any:
    """Return a result as a user sees it."""
    if isinstance(result, rs.Model):
        return result.code("listing")
    if isinstance(result, list) and result and isinstance(result[0], Path):
        return sorted((path.name, path.read_text()) for path in result)
    if isinstance(result, _Arguments):
        return result.text
    for name in ("explain", "svg"):
        if hasattr(result, name):
            return getattr(result, name)()
    if isinstance(result, Numbers) and not result.shown:
        return np.asarray(result.rows).tolist()
    if isinstance(result, rs.Study):
        return np.asarray(result.values).tolist()
    return result if isinstance(result, list) else str(result)


def _python(command: Command, words: list[str], keywords: dict[str, Any]) -> Any:
    """Return the Python call that corresponds to the command."""
    values = parsed(command, words)
    arguments = [values[argument.name] for argument in command.arguments if values[argument.name] is not None]
    arguments = [rs.load(a) if a == values.get("robot") and command.name != "show" else a for a in arguments]
    result = PYTHON.get(command.name, command.public_function())(*arguments, **keywords)
    if command.then:
        result = getattr(result, command.then)
        result = result() if callable(result) else result
    return result


def _outcome(run: Any) -> Any:
    try:
        return _shown(run())
    except rs.Error as error:
        return type(error)


class _Arguments:
    """In place of a result that takes long: the arguments of the call, and what was done with it."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.text = str(_plain({name: value for name, value in given.items() if value is not None}))
        self.axes, self.reached, self.dexterity = {"x": np.arange(2.0)}, np.ones(2), np.array([0.5, 0.25])

    def __getattr__(self, name: str) -> Any:
        if name not in ("write", "plot", "animate"):
            raise AttributeError(name)
        return lambda path: setattr(self, "text", f"{self.text} {name} {path}")

    def report(self) -> str:
        return self.text

    def as_table(self) -> _Arguments:
        rows = np.stack([*self.axes.values(), self.reached, self.dexterity], axis=1)
        self.text = Numbers((*self.axes, "reached", "dexterity"), rows).text("csv")
        return self

    __str__ = report


def _plain(value: Any) -> Any:
    """Robots, models and arrays as texts and lists."""
    if isinstance(value, rs.Robot):
        return value.dumps("yaml")
    if isinstance(value, rs.Model):
        return value.code("listing")
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(one) for one in np.asarray(value).tolist()]
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _called(function: Any) -> Any:
    """A function that gives its arguments, defaults among them."""

    def stand_in(*given: Any, **keywords: Any) -> _Arguments:
        bound = signature(function).bind(*given, **keywords)
        bound.apply_defaults()
        return _Arguments(bound.arguments)

    return stand_in


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NOT_RUN])
def test_results_equal_those_of_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Yes and no and every choice of a call of one function; every option of a command that is more than that."""
    for slow in ("simulate", "workspace", "fmu", "build", "ros2"):
        monkeypatch.setattr(rs, slow, _called(getattr(rs, slow)))
    monkeypatch.setattr(rs.Model, "precision", _called(rs.Model.precision))
    command = COMMANDS[name]
    for option in _options(command, ("keyword",)):
        if name not in PYTHON and not _is_closed(option) and not _is_read_by_the_function(command, option):
            continue
        start, target = line_of(command, option), option.target or option.name
        usual = {**USUAL.get(name, {}), **BESIDE.get((name, option.name), {})}
        beside = [f"--{n.replace('_', '-')}={text}" for n, (text, _) in usual.items() if n != option.name and text]
        failed: list[bool] = []
        once = {repr(value): (words, value) for words, value in typed_values(command, option)}
        for words, value in once.values():
            line = [*start, *beside, *words]
            typed = _outcome(lambda line=line: command.run(parsed(command, line)).result)
            names = {o.name: o.target or o.name for o in command.options}
            given = {names[n]: native for n, (text, native) in usual.items() if n != option.name and text}
            given |= {} if value is _NOT_GIVEN else {target: value}
            python = _outcome(lambda start=start, given=given: _python(command, start, given))
            assert typed == python, words
            failed.append(isinstance(typed, type))
        assert not all(failed), f"{name} {option.word}: expected a case that is no error"


# ------------------------------------------------------- changes of the robot, a model, a result

_EASY = rs.gravity_torques(rs.load("planar2r"))  #: in place of the model of every command, which does not matter here
#: what an option does to a model: words of the line, and the same in Python
ON_MODELS: dict[str, list[tuple[list[str], Any]]] = {
    "select": [(["--select", "Q1"], lambda m: m.select("Q1")),
               (["-s", "Q1", "-s", "Q2"], lambda m: m.select("Q1", "Q2"))],
    "derivative": [(["--derivative", "q"], lambda m: m.derivative("q"))],
    "gradient": [(["--gradient", "q"], lambda m: m.gradient("q"))],
    "optimize": [(["--optimize", w], lambda m, w=w: rs.optimize(m, int(w) if w.isdigit() else w))
                 for w in ("0", "1", "2", "3", "max")],
    "level": [(["--level", w], lambda m, w=w: rs.optimize(m, int(w) if w.isdigit() else w)) for w in ("0", "3", "max")],
    "goal": [(["--optimize", "2", "--goal", w], lambda m, w=w: rs.optimize(m, 2, goal=w))
             for w in ("operations", "speed")],
    "budget": [(["--optimize", "2", "--budget", "0.5"], lambda m: rs.optimize(m, 2, budget=0.5))],
    "bounds": [(["--bounds", "q=0.5"], lambda m: m.with_bounds({"q": 0.5}))],
    "at": [(["--at", "q=0.1,0.2"], lambda m: m.compile()(q=[[0.1, 0.2]])),
           (["--at", "t1=0.1", "--at", "t2=0.2"], lambda m: m.compile()(q=[[0.1, 0.2]]))],
}  # fmt: skip
#: options of a language: words of the line, and the arguments of `Model.code`
ON_CODE: dict[str, list[tuple[list[str], tuple[str, dict[str, Any]]]]] = {
    "init": [(["-l", "c", "--init"], ("c", {"init": True})), (["-l", "c", "--init", "no"], ("c", {})),
             (["-l", "c", "--no-init"], ("c", {}))],
    "precision": [(["-l", "c", "--precision", w], ("c", {"precision": w})) for w in ("double", "single")],
    "name": [(["-l", "c", "--name", "mine"], ("c", {"name": "mine"}))],
    "prefix": [(["-l", "c", "--prefix", "left_"], ("c", {"prefix": "left_"}))],
    "no_tables": [(["--no-tables"], ("listing", {"no_tables": True})), (["--no-tables=no"], ("listing", {})),
                  (["--tables"], ("listing", {}))],
    "language": [(["--language", w], (w, {})) for w in COMMANDS["velocities"].options[1].offered()],
}  # fmt: skip
MODELS = [name for name, command in COMMANDS.items() if command.gives == "model"]


def _with_easy_model(command: Command, patch: pytest.MonkeyPatch) -> None:
    """The public function gives the easy model, and so does the part of its result that is wanted."""

    class Result:
        pass

    def give(*_: Any, **__: Any) -> Any:
        if not command.then:
            return _EASY
        result = Result()
        setattr(result, command.then, _EASY if command.then == "model" else lambda: _EASY)
        return result

    _stand_in(command, give, patch)


def _stand_in(command: Command, give: Any, patch: pytest.MonkeyPatch) -> None:
    """In the place of the public function; of a command of several calls, what makes the call."""
    composed = ".composed:" in command.function
    patch.setattr(Command, "public_function", lambda _: (lambda *a, **k: Call("x").known(give())) if composed else give)


@cache
def _once(*given: Any) -> Any:
    """Every command has the same models: each is optimized and compiled once."""
    function, model, *rest = given
    return function(model, *rest[:-1], **dict(rest[-1]))


def _optimized(model: rs.Model, level: Any, progress: Any = None, **more: Any) -> Any:
    return _once(_OPTIMIZE, model, level, tuple(more.items()))


def _compiled(model: rs.Model) -> Any:
    return _once(_COMPILE, model, ())


_OPTIMIZE, _COMPILE = rs.optimize, rs.Model.compile


@pytest.mark.parametrize("name", MODELS)
def test_options_of_models(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command = COMMANDS[name]
    _with_easy_model(command, monkeypatch)
    monkeypatch.setattr(rs, "optimize", _optimized)
    monkeypatch.setattr(rs.Model, "compile", _compiled)
    start = [command.word, *ARGUMENTS.get(name, ("arm.yaml",))]
    level = ["--level", "0"] if name == "optimize" else []
    for option in command.options:
        for words, python in ON_MODELS.get(option.name, []):
            words = [w.replace("--optimize", "--level") for w in words] if name == "optimize" else words
            before = level if level and "--level" not in words else []
            typed = command.run(parsed(command, [*start[1:], *before, *words])).result
            right = python(_EASY)
            assert np.array_equal(typed.rows, np.reshape(right, (1, -1))) if option.name == "at" else (
                typed.code("listing") == right.code("listing")
            ), words  # fmt: skip
        for words, (language, options) in ON_CODE.get(option.name, []):
            line = [*start, *level, *words]
            capsys.readouterr()
            assert main(line) == 0, line
            with made_by(shlex.join(["robosym", *line])):
                assert capsys.readouterr().out == _EASY.code(language, **options), words


@pytest.mark.parametrize("name", MODELS)
def test_files_of_models(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `Model.write` writes them; C for a compiler in the form that runs fastest."""
    command = COMMANDS[name]
    _with_easy_model(command, monkeypatch)
    for file, model in (("a.m", _EASY), ("a.c", fastest(_EASY) if name != "optimize" else _EASY), ("a.grav", _EASY)):
        line = [command.word, *ARGUMENTS.get(name, ("arm.yaml",)), "-o", file]
        line += ["--level", "0"] if name == "optimize" else []
        assert main(line) == 0
        typed = Path(file).read_text()
        with made_by(shlex.join(["robosym", *line])):
            model.write(file)
        assert typed == Path(file).read_text(), line


def _moved(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


#: effect of an option on the robot: words of the line, and the same in Python
ON_ROBOTS: dict[str, list[tuple[list[str], Any]]] = {
    "set": [(["--set", "D2=0.45"], lambda robot: robot.with_values({"D2": "0.45"})),
            (["--set", "link2.FX=F", "--set", "gravity=[0,0,G]"],
             lambda robot: robot.edit({"link2.FX": "F", "gravity": ["0", "0", "G"]}))],
    "add_frame": [(["--add-frame", "tcp=tip:0.1,0,0"], lambda robot: robot.with_frame("tcp", "tip", _moved(0.1)))],
    "inputs": [(["--inputs", "gravity"], lambda robot: robot.with_inputs("gravity")),
               (["--inputs", "payload:2"], lambda robot: robot.with_inputs("payload:2"))],
    "xacro": [],  # tests/formats/test_xacro_and_loops.py has a file that takes arguments
    "floating": [(["--no-floating"], lambda robot: robot), (["--floating", "no"], lambda robot: robot)],
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n, c in COMMANDS.items() if any(o.name == "set" for o in c.options)])
def test_values_of_the_robot(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command = COMMANDS[name]
    place = next(k for k, argument in enumerate(command.arguments) if argument.name == "robot")
    given: list[Any] = []

    def stand_in(*arguments: Any, **_: Any) -> Any:
        given[:] = [arguments[place]]
        raise Called

    start = list(ARGUMENTS.get(name, ("arm.yaml",)))
    start[place] = "arm.yaml"
    start += required_words(command)
    arm = rs.load("arm.yaml")
    cases = [case for option in command.options for case in ON_ROBOTS.get(option.name, [])]
    if name != "show":
        monkeypatch.setattr(Command, "public_function", lambda _: stand_in)
    for words, python in cases:
        values = parsed(command, [*start, *words])
        if name == "show":
            given[:] = [command.run(values).result]
        else:
            with pytest.raises(Called):
                command.run(values)
        robot = given[0].value if isinstance(given[0], Call) else given[0]
        assert robot.dumps("yaml") == python(arm).dumps("yaml"), words
    with pytest.raises(rs.Error):
        command.run(parsed(command, [*start, "--floating"]))  # a YAML file says itself whether it floats
    with pytest.raises(rs.Error, match="arguments: expected a file"):
        command.run(parsed(command, [*start, "--xacro", "name=arm"]))


#: options that do something to another result: their tests
ELSEWHERE = {
    ("loop_kinematics", "solution"), ("identify", "essential"), ("identify", "bootstrap"), ("identify", "consistent"),
    ("identify", "report"), ("identify", "write"), ("base_parameters", "write"), ("calibration_parameters", "write"),
    ("calibration_postures", "write"), ("calibrate", "write"), ("calibrate", "table"), ("calibrate", "report"),
    ("excite", "write"),
    ("excite", "plot"), ("study", "write"), ("simulate", "write"), ("simulate", "plot"), ("simulate", "animate"),
    ("motor_loads", "write"), ("time_optimal_motion", "write"), ("time_optimal_motion", "plot"),
    ("joint_trajectory", "write"), ("joint_trajectory", "plot"), ("cartesian_trajectory", "write"),
    ("singularities", "plot"), ("workspace", "write"), ("workspace", "plot"), ("workspace", "quantity"),
    ("identify", "table"), ("identify_payload", "table"), ("study", "plot"),
}  # fmt: skip


def test_every_option_has_a_case() -> None:
    """An option that is added to the table fails here until it has one."""
    for command in COMMANDS.values():
        for option in command.options:
            if option.use == "keyword":
                assert typed_values(command, option), f"{command.name} {option.word}"
                continue
            # the last two: test_time_limits.py, tests/app/cli/test_coordinates.py
            known = {*ON_MODELS, *ON_CODE, *ON_ROBOTS, "output", "time_limit", "coordinates"}
            has = option.name in known or (command.name, option.name) in ELSEWHERE
            assert has, f"{command.name} {option.word}: give it a case in tests/app/menus/test_every_option.py"


def test_methods_of_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options that replace a result by what a method of it gives, or write it."""

    class Result:
        """Notes what is asked of it."""

        def __init__(self, asked: tuple[Any, ...] = ()) -> None:
            self.asked = asked

        def __getattr__(self, name: str) -> Any:
            if name == "robot":
                return Result((*self.asked, name))
            return lambda *given, **more: (
                noted.append((*self.asked, name, *map(str, given), *more.items())) or Result((*self.asked, name))
            )

    noted: list[Any] = []
    for name, word in sorted(ELSEWHERE):
        command = COMMANDS[name]
        _stand_in(command, lambda *_, **__: Result(), monkeypatch)
        option = next(o for o in command.options if o.name == word)
        is_flag = option.kind == "flag"
        target = {"robot": ("robot", "write"), "itself": ("write",)}.get(option.target, (word,))
        answers = [([option.word], True), ([opposite(option.word)], False), ([option.word, "no"], False)]
        if option.use == "with":  # goes with the option of another method
            words = [f"--{option.target}", "file.x", option.word, option.choices[0]]
            noted.clear()
            command.run(parsed(command, [*ARGUMENTS.get(name, ("arm.yaml",)), *words]))
            assert noted == [(option.target, "file.x", (option.name, option.choices[0]))], (name, words)
            continue
        for words, wanted in answers if is_flag else [([option.word, "file.x"], True)]:
            noted.clear()
            command.run(parsed(command, [*ARGUMENTS.get(name, ("arm.yaml",)), *words]))
            assert noted == ([(*target, *([] if is_flag else ["file.x"]))] if wanted else []), (name, words)


# --------------------------------------------------------------------------------------------- wrong values

#: kinds whose values can be wrong by themselves, and a text that is; other texts are names or files of the user
WRONG = {
    "frame": "nosuchframe", "number": "many", "numbers": "1,x", "joints": "nosuchjoint", "values": "t1=x!", "known":
    "t1=x!", "pose": "1,x,2", "quantity": "soon", "quantities": "1,x!", "axis": "0:1", "ranges": "q", "law":
    "pid:kp=1", "followed": "1,x!", "motors": "9:torque=1", "stops": "1", "columns": "q1", "pairs": "3",
    "yes or no": "maybe", "friction": "maybe", "flag": "maybe", "terms": "nosuchterm",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NOT_RUN])
def test_errors_show_the_value_as_typed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the option and its value, and no internal error occurs."""
    command = COMMANDS[name]
    for option in command.options:
        text = "nosuchchoice" if option.choices else WRONG.get(option.kind)
        if text is None or option.use == "with":
            continue
        usual = {**USUAL.get(name, {}), **BESIDE.get((name, option.name), {})}
        beside = [f"--{n.replace('_', '-')}={given}" for n, (given, _) in usual.items() if n != option.name and given]
        line = [command.word, *line_of(command, option), *beside, f"{option.word}={text}"]
        try:
            code = main(line)
        except SystemExit as end:
            code = end.code
        message = capsys.readouterr().err
        typed = text.partition("=")[0] if option.kind in ("values", "known") else text.split(",")[-1].split(":")[0]
        assert code in (1, 2) and typed in message, (line, message)
        assert option.word in message, (line, message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("jacobian loop.yaml 2 --reference=99=1", "--reference: 99 is not a joint variable"),
        ("loop-kinematics loop.yaml --reference=no=1", "--reference: no is not a joint variable"),
        ("base-parameters loop.yaml --reference=no=1", "--reference: no is not a joint variable"),
        ("inverse-dynamics loop.yaml --weights=no=1", "--weights: expected motors (t1), found 'no'"),
        ("identify numbers.yaml log.csv --cut=-1", "--cut: expected a positive number, found -1"),
        ("identify numbers.yaml untimed.csv --step=0", "--step: expected a positive number of seconds, found 0"),
        ("identify numbers.yaml named.csv --columns=q1=no", "--columns: log named.csv: unknown column 'no'"),
        ("identify numbers.yaml log.csv --ratio=1,2,3", "--ratio: expected 2 motors, as in the log, found 3"),
        ("identify-drives numbers.yaml log.csv loaded.csv --mass=-1", "--mass: expected a positive mass in kg"),
        ("motor-loads numbers.yaml motion.csv --drives=1,2,3", "--drives: drive: ratio: expected 2 motors"),
        ("draw numbers.yaml --joint=no=1", "--joint: numbers has no joint no"),
        ("solve arm.yaml --pose=0.7,0.4,0 --given=P --values=no=1", "--values: this model has no parameter no"),
        ("transform arm.yaml 0 2 --also=3,99", "--also: arm has the frames"),
        ("cable-tensions cables.yaml --pose=0,0,1 --upper=-1", "--upper: expected bounds with 0 <= lower < upper"),
        ("simulate numbers.yaml --controller=computed_torque:kp=1/2/3", "--controller: kp: expected 1 or 2 gains"),
        (
            "simulate numbers.yaml --controller=pd_gravity:kp=1,kd=1 --reference=1,2,3",
            "--reference: q_desired: expected",
        ),
        (
            "simulate numbers.yaml --reference=1,2",
            "--reference: expected a controller that follows it: pass --controller",
        ),
        ("simulate numbers.yaml --motor=1:torque=x!", "--motor: joint 1: torque: expected a number, found 'x!'"),
        ("achievable-accelerations arm.yaml --motor=1:torque=x!", "--motor: joint 1: torque: unexpected character '!'"),
        ("inverse-dynamics arm.yaml --friction=maybe", "--friction: expected yes, no or smooth, found 'maybe'"),
        ("new mine 99999999", "LINKS: expected at most 10000, found 99999999"),
        ("new mine 3 --output=mine.xyz", "--output: mine.xyz: expected a file with the extension"),
        ("inverse-dynamics arm.yaml --output=arm.xyz", "--output: 'arm.xyz': unknown extension"),
        ("draw arm.yaml --output=arm.csv", "--output: arm.csv: expected a name that ends in .svg"),
        ("base-parameters arm.yaml --write=arm.xyz", "--write: arm.xyz: expected a file with the extension"),
        ("motor-loads numbers.yaml motion.csv --write=no/such/folder.csv", "--write: no/such/folder.csv: directory"),
        ("bundle numbers.yaml --frame=0", "--frame: numbers has the frames 1 to 3, found 0"),
        ("manipulability arm.yaml --link=0", "--link: arm has the frames 1 to 3, found 0"),
        ("paul-matrices arm.yaml --frame=9", "--frame: arm has the frames 0 to 3, found 9"),
        ("solve arm.yaml --pose=nosuch.csv", "--pose: nosuch.csv: file not found"),
        ("force-ellipsoid arm.yaml --limits=0", "--limits: expected torques above 0, found 0"),
        ("calibration-parameters arm.yaml --values=no=1", "--values: arm has no symbol 'no'"),
        ("identify numbers.yaml log.csv --rest=99", "lower the velocity of stationary samples with --rest"),
        ("identify numbers.yaml untimed.csv --step=99", "--step: expected the time between samples in seconds"),
    ],
)
def test_errors_of_the_function_name_the_option(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(line.split())
    except SystemExit as end:
        code = end.code
    assert code in (1, 2)
    assert message in capsys.readouterr().err


def test_rejects_empty_values(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["jacobian", "arm.yaml", "2", "--joints="])
    assert "--joints: expected a value, found ''" in capsys.readouterr().err
