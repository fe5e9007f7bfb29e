"""The check of plain English finds what it must and nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import robosym

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import commit_subject  # noqa: E402
import language  # noqa: E402

#: rule: text that must be found, text that must not be
EXAMPLES = {
    "per": (
        ["a row a sample", "one number a joint", "28 ns a state", "116 operations a link", "a column\na joint"],
        ["one row per sample", "a point of a link", "as many rows as a joint has", "a value a joint is given"],
    ),
    "told": (["the user is told", "cannot be told apart", "tell them apart"], ["tolerance", "`told`"]),
    "said": (["it is said that", "is not said"], ["she had said"]),
    "refused": (["a name is refused", "the refusal", "refuses a file"], ["rejected", "refuse_name_list"]),
    "freedoms": (["more motors than freedoms"], ["degrees of freedom"]),
    "online": (["operations on line", "on-line"], ["online", "an error on line 7", "a point on line 2 of the page"]),
    "offline": (["computed off line", "off-line"], ["offline"]),
    "fast-path": (["the quick way in"], ["the fast path"]),
    "slow-path": (["the careful way"], ["the slow path"]),
    "generic": (["a position of no particularity"], ["a generic position"]),
    "so-many": (["so many variants"], ["so that many variants", "that many"]),
    "released": (["a model that is let go of", "lets go of it"], ["the model is released"]),
    "deadlock": (["waits for ever"], ["forever", "for every robot"]),
    "overhead": (["that is what it takes"], ["this is what it takes to reach a pose"]),
    "from-to": (
        ["RX90 375 for 405, UR5e 121 for 168", "119 operations for 162.", "39.8 for 53.5 ns"],
        ["reduced from 422 to 396", "use 1 for 2 joints", "190 for 17 parameters", "waits 3 s for 1,000 frames"],
    ),
    "fix": (["the remedy is"], ["the suggested fix is"]),
    "module": (["the room of algebra", "lower rooms"], ["there is no room left", "room for one more"]),
    "duplicate": (["its twin"], ["its duplicate"]),
    "consistent": (["links that can exist"], ["physically consistent inertias"]),
    "std-dev": (["the deviation of residuals"], ["the standard deviation", "std. deviation", "standard\ndeviations"]),
    "cached": (["kept for the next call", "kept on disk"], ["terms are kept in order", "kept within limits"]),
    "branch": (["every way to reach a pose"], ["every branch", "a way to write files"]),
    "passed": (["the self-test is right"], ["the self-test passed", "this is what the test is for"]),
    "stationary": (["samples at rest say nothing"], ["stationary samples"]),
    "in-words": (["rejected in words"], ["in other words"]),
    "but-for": (["zero but for rounding"], ["zero up to rounding"]),
    "unchanged": (["it is taken as it is"], ["as it is known", "it is not changed"]),
    "of-which": (["two legs, of which one moves"], ["two legs; one of them moves"]),
    "of-whose": (["an arm all of whose joints turn"], ["an arm whose joints turn"]),
    "if-none": (["zero where there is none"], ["zero if there is none"]),
    "what-is": (["what a platform can do", "---- what is shown"], ["What is a platform?", "Motion of a platform"]),
    "stands": (["the mass stands at the ball", "legs stand in a branch"], ["R stands for", "symbols stand for it"]),
    "worked-out": (["it is worked out"], ["it is computed"]),
    "goes-on": (["the work goes on"], ["the work continues", "it goes to infinity"]),
    "what-follows": (["move what follows", "what is left of it"], ["What is a platform?"]),
    "spelling": (
        ["the centre", "behaviour", "neighbouring", "recognised", "to optimise", "modelling", "labelled", "grey"],
        ["center", "behavior", "raise, otherwise, precise, exercise, noise", "analyses", "our hours"],
    ),
}  # fmt: skip


def found_in(text: str) -> set[str]:
    passages = [language.Passage(1, 1 + text.count("\n"), text)]
    return {finding.rule for finding in language.words(passages, Path("a.py"), text.splitlines())}


def test_every_rule_has_examples() -> None:
    named = {rule.name for section in ("phrases", "spelling") for rule in language.rules(section)}
    assert named == set(EXAMPLES)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_finds_phrases_and_only_these(rule: str) -> None:
    wrong, right = EXAMPLES[rule]
    for text in wrong:
        assert rule in found_in(text), text
    for text in right:
        assert not found_in(text), text


def findings_of(tmp_path: Path, text: str, name: str = "a.py") -> list[str]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return [f"{f.line} {f.rule}" for f in language.findings(path)]


def test_reads_comments_strings_and_docstrings_but_not_code(tmp_path: Path) -> None:
    text = (
        '"""A model that is\nlet go of."""\n\n'
        "values = {'centre': 1}  # a key is not prose\n"
        "raise ValueError(\n    f'robot {values}: '\n    f'{values} is refused'\n)\n"
        "# a row\n# a sample\n"
    )
    assert findings_of(tmp_path, text) == ["2 released", "7 refused", "9 per"]
    assert not findings_of(tmp_path, "rows = 1  # a row\njoints = 2  # a joint\n")


def test_finds_names_where_they_are_defined(tmp_path: Path) -> None:
    text = "class Stance:\n    held_by = 1\n\n\ndef about_centre(told):\n    return told\n"
    assert findings_of(tmp_path, text) == ["1 name", "5 name", "5 name"]
    assert findings_of(tmp_path, "def test_a_name_is_refused():\n    pass\n") == ["1 refused", "1 name"]
    assert not findings_of(tmp_path, "def test_rejects_names():\n    pass\n")


def test_reads_pages_with_their_examples_and_output(tmp_path: Path) -> None:
    text = "# Robots\nMetres.\n\n```python\nx = 1  # a colour\ntold = 2\n```\n\n```text\nrefused\n```\n\n`told`\n"
    assert sorted(findings_of(tmp_path, text, "a.md")) == ["10 refused", "2 spelling", "5 spelling"]


def test_reads_comments_and_strings_of_scripts(tmp_path: Path) -> None:
    text = "const told = 1;  // it is refused\nconst hint = 'a grey\\'s colour';\n/* one\n   metre */\n"
    assert findings_of(tmp_path, text, "a.js") == ["1 refused", "2 spelling", "2 spelling", "4 spelling"]
    assert findings_of(tmp_path, "description: A colour.\n", "form.yml") == ["1 spelling"]


def test_asks_a_page_on_inverse_geometry_to_name_inverse_kinematics(tmp_path: Path) -> None:
    assert findings_of(tmp_path, "# Poses\nThe inverse geometric model.\n", "a.md") == ["2 ik"]
    assert not findings_of(tmp_path, "The inverse geometric model, known as inverse kinematics (IK).\n", "b.md")


def test_finds_broken_tables(tmp_path: Path) -> None:
    head = "| a | b |\n| --- | --- |\n"
    assert findings_of(tmp_path, f"{head}| 1 |\n", "a.md") == ["3 table"]
    assert findings_of(tmp_path, f"{head}| 1 | two\nlines |\n", "b.md") == ["3 table", "4 table"]
    assert not findings_of(tmp_path, f"{head}| `a|b` | 2<!--= x|y --> |\n\ntext\n\n| a |\n| --- |\n", "c.md")


@pytest.mark.parametrize(
    ("docstring", "wrong"),
    [
        ("Return the mass.", False),
        ("Return the mass.\n\nOf all links.", False),
        ("The mass", True),
        ("The mass of all\nlinks.", True),
        ("The mass.\nOf all links.", True),
    ],
)
def test_asks_for_a_summary_line(docstring: str, wrong: bool) -> None:
    nodes = language.nodes_of(f'def mass():\n    """{docstring}"""\n')
    assert bool(list(language.docstring_findings(Path("a.py"), nodes))) is wrong


def test_finds_error_messages_that_begin_with_no() -> None:
    def found(text: str) -> bool:
        return bool(list(language.message_findings(Path("a.py"), language.nodes_of(text))))

    assert found("raise InputError('no value is given')")
    assert found("raise InputError(f'{robot.name}: no joint {name}')")
    assert not found("raise InputError(f'{robot.name}: unknown joint {name}, which has no motor')")
    assert not found("print('no value is given')")


COMPLETE = '''
def mass(robot, *links, factor=1) -> float:
    """Return the mass.

    Parameters
    ----------
    robot : Robot
        The robot.
    *links : int
        Numbers of links.
    factor : float
        Factor without unit.

    Returns
    -------
    float
        Mass in kg.
    """
'''


@pytest.mark.parametrize(
    ("removed", "expected"),
    [
        ("", None),
        ("        Factor without unit.\n", "factor"),
        ("    *links : int\n        Numbers of links.\n", "links"),
        ("    Returns\n    -------\n    float\n        Mass in kg.\n", "Returns"),
        ("    Parameters\n    ----------\n", "Parameters"),
    ],
)
def test_asks_for_sections_of_public_functions(removed: str, expected: str | None) -> None:
    function = ast.parse(COMPLETE.replace(removed, "") if removed else COMPLETE).body[0]
    assert isinstance(function, ast.FunctionDef)
    missing = list(language.missing_sections(function))
    assert (expected is None) == (not missing) and (expected is None or expected in missing[0])


def test_asks_for_errors_and_a_running_example() -> None:
    parts = {
        "Raises": "    Raises\n    ------\n    InputError\n        If invalid.\n",
        "Examples": "    Examples\n    --------\n    >>> 1\n    1\n",
    }
    for left_out in ("", *parts):
        text = "".join(part for name, part in parts.items() if name != left_out)
        function = ast.parse(f'def f(x):\n    """Return x.\n\n{text}    """\n').body[0]
        assert isinstance(function, ast.FunctionDef)
        missing = list(language.missing_example(function))
        assert len(missing) == bool(left_out) and all(left_out in message for message in missing)


@pytest.mark.parametrize(("text", "number"), [("Return the mass.", 0), ("What it weighs.", 1), ("Of all links.", 1)])
def test_asks_for_an_imperative(text: str, number: int) -> None:
    nodes = language.nodes_of(f'def f():\n    """{text}"""\n')
    assert len(list(language.docstring_findings(Path("f.py"), nodes))) == number


def test_checks_every_public_name() -> None:
    named = {node.name for _, node in language.public_definitions()}
    assert {*robosym.__all__} - named == {"formulations"}  # a module


def test_knows_the_public_functions() -> None:
    places = language.public_functions()
    named = {
        name for name, found in language.definitions().items() for path, node in found if (path, node.lineno) in places
    }
    assert {"load", "inverse_dynamics", "optimize", "compose"} <= named and len(places) > 100


@pytest.mark.long
def test_project_has_no_findings() -> None:
    """`make test` runs `python tools/language.py` instead."""
    paths = language.files(language.FOLDERS + language.PAGES)
    found = [str(f) for path in paths for f in language.findings(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("subject", "accepted"),
    [
        ("runtime: reuse constants across blocks", True),
        ("Add a check of plain English", True),
        ("cli, menus: process options in order", True),
        ("Added a check of plain English", False),
        ("runtime: reusing constants across blocks", False),
        ("platforms: poses that the legs do not allow", False),
        ("The energy model of a platform is generated", False),
        ("runtime: reuse constants across blocks.", False),
        ("fix", False),
        ("runtime: reuse constants across blocks, " + "and " * 10, False),
        ("runtime: fix #12 and more", False),
    ],
)
def test_checks_subjects_of_commits(subject: str, accepted: bool, tmp_path: Path) -> None:
    assert (not commit_subject.problems(subject)) is accepted
    message = tmp_path / "message"
    message.write_text(subject + "\n\nwhy\n", encoding="utf-8")
    hook = subprocess.run([ROOT / "tools" / "hooks" / "commit-msg", message], cwd=ROOT, capture_output=True, text=True)
    assert (hook.returncode == 0) is accepted and bool(hook.stderr) is not accepted
