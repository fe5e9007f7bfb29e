"""The native format: its defaults, its conversions, and what it says of damaged files."""

import re
import time
from pathlib import Path

import pytest

import robosym as rs
from robosym.algebra import numeric_value
from robosym.errors import FormatError
from robosym.formats import loads
from robosym.formats.yaml_nodes import read_nodes

ARM = """\
name: arm
frames:
  - {theta: t1, r: 0.5}
  - {alpha: Pi/2, theta: t2}
  - {sigma: 2, d: L}
links:
  1: {M: 2, com: [0.1, 0, -0.3], inertia: [0.1, 0.01, 0.02, 0.2, 0.03, 0.3]}
  2: {XX: XX2, M: M2, FV: 0.5, eta: 1, k: K2}
gravity: [0, 0, -9.81]
"""


def error(text: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        loads(text, "yaml")
    return caught.value


def changed(old: str, new: str) -> str:
    assert ARM.count(old) == 1
    return ARM.replace(old, new)


def test_defaults() -> None:
    robot = loads(ARM, "yaml")
    assert [(f.ant, f.sigma, f.mu) for f in robot.frames] == [(0, 0, 1), (1, 0, 1), (2, 2, 0)]
    assert [str(j.QP) for j in robot.joints] == ["QP1", "QP2", "0"]
    assert [str(j.GAM) for j in robot.joints] == ["GAM1", "GAM2", "GAM3"]
    assert [(j.eta, str(j.k)) for j in robot.joints] == [(0, "0"), (1, "K2"), (0, "0")]
    assert robot.base.kind == "fixed" and robot.base.link is None
    assert [str(z) for z in robot.base.Z] == "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1".split()
    assert robot.link(3).M.is_zero and str(robot.link(2).XX) == "XX2"


def test_inertia_moves_to_the_origin() -> None:
    link = loads(ARM, "yaml").link(1)
    found = {name: numeric_value(getattr(link, name)) for name in "XX XY XZ YY YZ ZZ MX MY MZ M".split()}
    assert found == {
        "XX": 0.28, "XY": 0.01, "XZ": 0.08, "YY": 0.4, "YZ": 0.03, "ZZ": 0.32, "MX": 0.2, "MY": 0, "MZ": -0.6, "M": 2,
    }  # fmt: skip


def test_inertia_of_symbols_agrees_with_that_of_numbers() -> None:
    values = {"m": 2, "x": 0.1, "y": 0.4, "z": -0.3, "a": 0.1, "b": 0.01, "c": 0.02, "d": 0.2, "e": 0.03, "f": 0.3}
    numbers = ", ".join(str(values[name]) for name in "abcdef")
    link = "{{M: {}, com: [{}], inertia: [{}]}}"
    old = link.format("2", "0.1, 0, -0.3", "0.1, 0.01, 0.02, 0.2, 0.03, 0.3")
    exact = loads(changed(old, link.format("2", "0.1, 0.4, -0.3", numbers)), "yaml").link(1)
    symbolic = loads(changed(old, link.format("m", "x, y, z", "a, b, c, d, e, f")), "yaml").with_values(values).link(1)
    for name in "XX XY XZ YY YZ ZZ MX MY MZ".split():
        assert numeric_value(getattr(symbolic, name)) == pytest.approx(numeric_value(getattr(exact, name)), abs=1e-15)


def test_scalars_are_expressions_not_yaml_types() -> None:
    robot = loads(changed("d: L", "d: 1e3, b: yes, gamma: on, alpha: '2*Pi/3', r: 010"), "yaml")
    frame = robot.frame(3)
    found = [str(entry) for entry in (frame.d, frame.b, frame.gamma, frame.alpha, frame.r)]
    assert found == ["1000", "yes", "on", "2*Pi/3", "10"]
    for bad in ("~", "2020-01-01T", "1_000", "0o7", ".inf", "1:30"):
        assert "frame 3: d: " in error(changed("d: L", f"d: {bad}")).message


def test_symbolic_links() -> None:
    text = ARM[: ARM.index("links:")] + "links: symbolic\ngravity: [0, 0, G3]\n"
    robot = loads(text, "yaml")
    assert robot == robot.symbolic()
    assert "links: symbolic" in robot.dumps("yaml")


def test_moving_base() -> None:
    text = ARM + "base: {type: floating, link: symbolic}\nwrench: {0: [F, 0, 0, 0, 0, 0]}\n"
    base = loads(text, "yaml").base
    assert base.kind == "floating" and base.link is not None
    assert (str(base.link.M), str(base.link.FX), str(base.link.IA)) == ("M0", "F", "0")
    assert error(ARM + "base: {type: mobile, W0: [0, 0, 0]}\n").message == (
        "base: missing motion of a mobile base: WP0, V0, VP0"
    )
    assert error(ARM + "base: {link: {M: 3}}\n").message == "base: link: not allowed for a fixed base"
    assert error(ARM + "base: {type: flying}\n").message == "base: type: expected fixed, mobile, floating, found flying"
    assert error(ARM + "base: {type: floating, link: {M: t1}}\n").line == 10


CASES = {
    "unknown key": ("gravity:", "gravty:", 9, 1, "the description: unknown key gravty (did you mean 'gravity'?)"),
    "unknown field": ("alpha: Pi/2", "alfa: Pi/2", 4, 6, "frame 2: unknown key alfa (did you mean 'alpha'?)"),
    "unknown link field": ("FV: 0.5", "Fv: 0.5", 8, 23, "link 2: unknown key Fv (did you mean 'FV'?)"),
    "key twice": ("{alpha: Pi/2, ", "{alpha: Pi/2, alpha: 0, ", 4, 19, "duplicate key alpha"),
    "link twice": ("  2: {XX", "  1: {XX", 8, 3, "duplicate key 1"),
    "link twice, spelled differently": ("  2: {XX", "  1.0: {XX", 8, 3, "links: duplicate entry 1"),
    "no such link": ("  2: {XX", "  4: {XX", 8, 3, "links: expected a link from 1 to 3, found 4"),
    "link by name": ("  2: {XX", "  two: {XX", 8, 3, "links: unknown frame two: expected a number"),
    "wrong antecedent": ("{alpha: Pi/2, ", "{ant: 2, ", 4, 11,
        "frame 2: ant: expected an antecedent from 0 to 1, found 2"),
    "wrong sigma": ("sigma: 2", "sigma: 4", 5, 13,
        "frame 3: sigma: expected 0 (revolute), 1 (prismatic), 2 (fixed) or 3 (helical), found 4"),
    "not an integer": ("sigma: 2", "sigma: two", 5, 13, "frame 3: sigma: expected an integer, found two"),
    "no variable": ("theta: t2", "theta: 2", 4, 26,
        "frame 2: theta: expected the variable of the revolute joint, found the constant 2"),
    "no theta at all": (", theta: t2", "", 4, 5,
        "frame 2: theta: expected the variable of the revolute joint, found the constant 0"),
    "variable twice": ("theta: t2", "theta: t1", 4, 26, "frame 2: theta: the variable t1 is already used by frame 1"),
    "variable as parameter": ("M: M2", "M: t1", 8, 19,
        "frame 2: M: t1 is the variable of frame 1: expected a parameter"),
    "variable as center of mass": ("com: [0.1,", "com: [t1,", 7, 6, "frame 1: XZ: t1 is the variable of frame 1"),
    "variable as gravity": ("[0, 0, -9.81]", "[0, 0, t1]", 9, 17, "G[3]: gravity: t1 is the variable"),
    "unknown function": ("d: L", "d: foo(L)", 5, 19, "frame 3: d: unknown function 'foo'"),
    "empty entry": ("d: L", "d: ''", 5, 19, "frame 3: d: expected a number or an expression, found nothing"),
    "list for a number": ("d: L", "d: [L]", 5, 19, "frame 3: d: expected a number or an expression, found a list"),
    "number for a list": ("[0, 0, -9.81]", "-9.81", 9, 10, "gravity: expected a list, found '-9.81'"),
    "short list": ("[0, 0, -9.81]", "[0, -9.81]", 9, 10, "gravity: expected 3 entries, found 2"),
    "short tensor": ("0.03, 0.3]", "0.03]", 7, 43, "link 1: inertia: expected 6 entries, found 5"),
    "two forms": ("{M: 2, com", "{M: 2, XX: 1, com", 7, 17,
        "link 1: XX: expected either moments at the frame origin or com and inertia, found both"),
    "word for links": ("name: arm", "name: arm\nwrench: symbolic", 2, 9,
        "wrench: expected a mapping, found 'symbolic'"),
    "name is a list": ("name: arm", "name: [arm]", 1, 7, "name: expected a text, found a list"),
    "name with a quote": ("name: arm", "name: it's", 1, 7, "name: expected a name of letters"),
    "frame is a word": ("  - {sigma: 2, d: L}", "  - fixed", 5, 5, "frame 3: expected a mapping, found 'fixed'"),
    "not elastic or rigid": ("eta: 1", "eta: 2", 8, 37, "frame 2: eta: expected 1 (elastic) or 0 (rigid), found 2"),
    "alias": ("d: L", "d: *x", 5, 19, "aliases (*name) are not supported"),
    "anchor": ("d: L", "d: &x L", 5, 19, "anchors (&name) are not supported"),
    "tag": ("d: L", "d: !!int 5", 5, 19, "tags (!name) are not supported"),
    "broken flow": ("d: L}", "d: L", 6, 6, "invalid YAML: while parsing a flow mapping"),
    "tab": ("  - {sigma", "\t- {sigma", 5, 1, "invalid YAML: "),
    "second document": ("links:", "---\nlinks:", 6, 1, "expected one document, found a second one"),
    "list as a key": ("d: L", "[d]: L", 5, 16, "expected a plain word as a key"),
    "merge key": ("d: L", "<<: L", 5, 16, "frame 3: unknown key <<"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_damaged(case: str) -> None:
    old, new, line, column, message = CASES[case]
    found = error(changed(old, new))
    assert message in found.message
    assert found.line == line
    if "YAML" not in message:
        assert found.column == column


def test_missing_and_empty() -> None:
    assert error("").message == error("# nothing\n").message == "expected a robot description, found an empty file"
    assert error("name: x\n").message == "missing keys frames, gravity"
    assert error("- 1\n").message == "the description: expected a mapping, found a list"
    none = "name: x\nframes: []\ngravity: [0, 0, 0]\n"
    assert error(none).message == "frames: expected at least one frame, found none"
    assert error("name:\nframes: [{theta: t}]\ngravity: [0, 0, 0]\n").message == "name: expected a name, found nothing"
    assert loads(ARM.replace("name: arm\n", ""), "yaml", name="given").name == "given"


def test_loops() -> None:
    text = """\
name: loop
frames:
  - {theta: t1}
  - {ant: 0, theta: t2}
  - {ant: 1, mu: 0, d: 1, theta: t3}
  - {ant: 3, mu: 0, d: 1, theta: t4}
  - {ant: 2, sigma: 2, d: 1}
loops: [[4, 5]]
gravity: [0, 0, G3]
"""
    assert loads(text, "yaml").loops == ((4, 5),)
    assert "loops[1]: expected [4, 5], found [3, 5]" in error(text.replace("[[4, 5]]", "[[3, 5]]")).message
    assert "loops[1]: expected 2 entries, found 1" in error(text.replace("[[4, 5]]", "[[5]]")).message
    assert "loops: expected a list, found '4'" in error(text.replace("[[4, 5]]", "4")).message
    many = text.replace("[[4, 5]]", "[[1, 2], [3, 4], [4, 5]]")
    assert "expected more than 6 frames for 3 loops, found 5" in error(many).message
    same = error(text.replace("{ant: 2, sigma: 2, d: 1}", "{ant: 3, sigma: 2, d: 1}"))
    assert "frame 5: ant: frames 4 and 5 close a loop: expected different links" in same.message
    assert (same.line, same.column) == (7, 11)
    sprung = loads(text.replace("gravity", "links: {4: {eta: 1, k: K4}}\ngravity"), "yaml")
    assert sprung.joint(4).eta == 1 and loads(sprung.dumps("yaml"), "yaml") == sprung
    heavy, rotor = (text.replace("gravity", f"links: {{4: {{{field}: 1}}}}\ngravity") for field in ("M", "IA"))
    assert "joint 4: M: not allowed: a cut joint has no link: cut this loop elsewhere" in error(heavy).message
    assert "joint 4: IA: not allowed: a cut joint has no link" in error(rotor).message
    rubbing = "links: {4: {FV: 0.3, friction: {OFF: 2, FC: [0.1, 'tanh(q)']}}}\ngravity"
    robot = loads(text.replace("gravity", rubbing), "yaml")
    assert [name for name, _ in robot.joint(4).friction.values] == ["FV", "OFF", "FC"]
    assert loads(robot.dumps("yaml"), "yaml") == robot
    twice = rubbing.replace("OFF: 2", "FV: 2")
    assert "duplicate key FV" in error(text.replace("gravity", twice)).message
    follower = text.replace("theta: t4}", "theta: t4, follows: [t1, 2, 0]}")
    assert "a cut joint cannot follow another" in error(follower).message
    coupled = text.replace("gravity", "couplings: {t3: 2*t4}\ngravity")
    assert "t4 is a cut joint, which cannot be coupled: cut this loop elsewhere" in error(coupled).message
    weld = text.replace("theta: t4}", "sigma: 2, theta: 1}").replace("gravity", "links: {4: {eta: 1, k: 3}}\ngravity")
    assert "expected 0 (a fixed frame has no joint)" in error(weld).message


BOMBS = {
    "billion laughs": "a: &a [x]\n" + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in ("ab", "bc", "cd", "de", "ef")),
    "deep flow": "\n".join("[" * 50 for _ in range(2000)),
    "deep mapping": "{a: " * 20_000,
    "deep block": "".join(" " * i + "a:\n" for i in range(400)),
    "long line": "name: " + "x" * 200_000,
    "long text": "# comment\n" * 900_000,
    "many frames": "name: x\ngravity: [0, 0, 0]\nframes:\n" + "  - {theta: t}\n" * 5_000,
    "many keys": "".join(f"key{i}: 1\n" for i in range(30_000)),
    "control character": "name: \x07\n",
    "zero byte": "name: \0\n",
    "surrogate": "name: \ud800\n",
}  # fmt: skip


@pytest.mark.parametrize("case", BOMBS)
def test_rejects_expanding_texts_quickly(case: str) -> None:
    start = time.process_time()
    found = error(BOMBS[case])
    assert len(str(found)) < 400
    assert time.process_time() - start < 3


def test_examples_of_the_docs() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "yaml.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in guide.split("```yaml\n")[1:]]
    examples = [block for block in blocks if block.startswith("name:")]  # the others are fragments
    assert [loads(text, "yaml").structure for text in examples] == [
        "simple",
        "closed",
        "parallel",
        "parallel",
        "parallel",
        "hybrid",
    ]
    for text in examples:
        robot = loads(text, "yaml")
        assert loads(robot.dumps("yaml"), "yaml") == robot
        assert loads(robot.dumps()) == robot


def test_nodes_have_positions() -> None:
    root = read_nodes("a: [1, {b: c}]\n", None)
    assert root["a"][1]["b"].column == 12  # type: ignore[call-overload,index,union-attr]


NAMED = """
name: named
base: {name: world}
frames:
  - {ant: world, theta: t1, name: upper}
  - {d: 0.5, theta: t2, name: forearm, joint: elbow}
  - {ant: elbow, sigma: 2, d: 0.3, name: tool0}
  - {ant: tool0, sigma: 2, r: 0.1, name: tcp}
  - {ant: upper, alpha: 90deg, sigma: 1, r: r5}
links: {upper: {M: 1}, forearm: {M: 2}, tool0: {M: 3}}
wrench: {tcp: [FX, 0, 0, 0, 0, 0]}
gravity: [0, 0, -9.81]
"""


def test_frame_names_replace_numbers() -> None:
    numbers = NAMED
    for name, number in {"ant: world": "ant: 0", "ant: elbow": "ant: 2", "ant: tool0": "ant: 3", "ant: upper": "ant: 1",
                         "{upper: {M": "{1: {M", "forearm: {M": "2: {M", "tool0: {M": "3: {M", "{tcp:": "{4:",
                         "90deg": "Pi/2"}.items():  # fmt: skip
        assert name in numbers
        numbers = numbers.replace(name, number)
    assert rs.loads(NAMED, format="yaml") == rs.loads(numbers, format="yaml")
    with pytest.raises(rs.FormatError, match=r"8:11: frame 4: ant: unknown frame tol0 \(did you mean 'tool0'\?\)"):
        rs.loads(NAMED.replace("ant: tool0", "ant: tol0"), format="yaml")


@pytest.mark.parametrize("name", ["planar3rrr", "tricept_wrist"])
def test_places_take_degrees(name: str) -> None:
    text = rs.load(name).dumps("yaml")
    changed = re.sub(
        r"(gamma|alpha|theta): (-?)(\d*)\*?Pi/(\d+)",
        lambda m: f"{m[1]}: {m[2]}{180 * int(m[3] or 1) // int(m[4])}deg",
        text,
    )
    assert "deg" in changed.split("place")[1] and rs.loads(changed, format="yaml") == rs.loads(text, format="yaml")


def test_edits_take_degrees_and_names() -> None:
    robot = rs.loads(NAMED, format="yaml")
    changed = robot.edit({"frame2.alpha": "90deg", "tcp.ant": "elbow"})
    assert changed == robot.edit({"frame2.alpha": "Pi/2", "frame4.ant": 2})
    with pytest.raises(rs.Error, match="did you mean 'forearm'"):
        robot.edit({"frame4.ant": "forarm"})
