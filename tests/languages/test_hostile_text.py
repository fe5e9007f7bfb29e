"""Names, titles and paths that contain code stay text in generated files, which are compiled, imported or parsed."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import robosym as rs
from cases.toolchains import run, tool
from robosym.errors import Error, InputError
from robosym.export.programs.matlab_folder import s_function
from robosym.export.wrappers import cmake, cpp_header, umbrella
from robosym.languages import LANGUAGES
from robosym.mechanism import Robot
from robosym.safe_text import comment, latex, one_line

#: each would end a comment, a string or an element of at least one language, or break its source
PAYLOADS = [
    "a*/ int evil = 1; /*", "a*/*/ int evil = 1; /*/*", "*//*/ evil(); /*", "/* open", "// evil", "a\\", "a\\\\", "??/",
    "a ??/\nint evil;", "a\nint evil;", "a\r\nint evil;", "a\rint evil;", "a\x0bevil()", "a\x0cevil()", "a\x85evil()",
    "a\u2028evil()", "a\u2029evil()", 'a""" + evil() + """', '"""\nimport evil\n"""', 'a"', 'a""', "a'''", "\\N{DASH}",
    "\\x", "\\u12", "\\U", "\\\n", "a\x00b", "a\x1b[31mb", "\ud800", "\u202e evil", "\u2066 evil", "*) evil[]; (*",
    "(* open", "(* (* a *)", "*)", "#= evil", "=# evil()", "%{", "%}\nevil()", "#{\nevil\n#}", "!evil", "&\nevil",
    "c\nx = evil()", "]]> evil", "--> <evil/> <!--", "<script>evil()</script>", "</script><script>evil()",
    "'\" onload=evil() x='", "&lt; &evil;", "\\end{document}\\evil", "${evil} $(evil) `evil`", "\\input{evil} ^^5cevil",
    "$ENV{HOME} @evil@ %s {0}", ") message(FATAL_ERROR evil", "]=] evil [=[", "é漢字 \N{SNOWMAN}", "x" * 5000,
]  # fmt: skip
ALL = "\N{BULLET}".join(PAYLOADS)  # in sequence, one payload may close what another opens


def hostile(model: rs.Model, text: str) -> rs.Model:
    """Return the model with `text` in every place that text of a user or a file can reach."""
    robot = model.robot
    assert robot is not None
    robot = unchecked(robot, text, "name", "title", "source", "origin")
    about = dict.fromkeys(model.outputs, text)
    return replace(model, name=text, title=text, form=text, about=about, robot=robot)


def unchecked(robot: Robot, text: str, *parts: str) -> Robot:
    """Return the robot with a text that validation would reject."""
    made = replace(robot)
    for part in parts:
        object.__setattr__(made, part, text)
    return made


@pytest.fixture(scope="module")
def model() -> rs.Model:
    return rs.direct_geometry(rs.load("planar2r"), 0, 2)


def emitted(model: rs.Model, language: str) -> Iterator[str]:
    yield from (hostile(model, text).code(language) for text in (*PAYLOADS, ALL))


def bare(text: str) -> str:
    """Return the source with whitespace normalized."""
    return re.sub(r"\s+", " ", text)


# ------------------------------------------------------------------------------------------------- languages


def test_number_of_payloads() -> None:
    assert len(set(PAYLOADS)) >= 50


@pytest.mark.parametrize("standard", ["gnu17", "c++17"])
def test_c_and_cpp(standard: str, model: rs.Model, tmp_path: Path) -> None:
    languages = ("cpp",) if "+" in standard else ("c", "h")
    compiler = tool("g++") if "+" in standard else tool("gcc")
    ends = {"c": ".c", "h": ".h", "cpp": ".hpp"}
    trigraphs = ["-trigraphs", "-Wno-trigraphs"] if standard == "gnu17" else []
    for language in languages:
        files = []
        for number, text in enumerate(emitted(model, language)):
            path = tmp_path / f"m{number}{ends[language]}"
            path.write_text(text, encoding="utf-8")
            files.append(path.name)
        whole = tmp_path / ("all.cpp" if language == "cpp" else "all.c")
        # function names differ except for payloads of punctuation only, whose guards are then equal, too
        whole.write_text("".join(f'#include "{name}"\n' for name in files if language != "c") + "int main(void);\n")
        sources = files if language == "c" else [whole.name]
        run(compiler, f"-std={standard}", *trigraphs, "-Wall", "-Werror", "-fsyntax-only", *sources, cwd=tmp_path)
        for text in emitted(model, language):
            assert "evil" not in re.sub(r"/\*.*?\*/|//[^\n]*|\w*evil\w*_fgm\w*|\w*EVIL\w*", "", text, flags=re.S)


@pytest.mark.parametrize("init", [False, True])
def test_python(init: bool, model: rs.Model) -> None:
    for text in (*PAYLOADS, ALL):
        tree = ast.parse(hostile(model, text).code("python", init=init))
        kinds = [type(node) for node in tree.body]
        assert kinds == [ast.Expr, ast.Import, *([ast.FunctionDef] * (2 + init))]
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not any("evil" in name for name in names)


@pytest.mark.parametrize("form", ["free", "fixed"])
def test_fortran(form: str, model: rs.Model, tmp_path: Path) -> None:
    end, flags = (".f90", ["-std=f2008"]) if form == "free" else (".f", ["-std=legacy"])
    files = []
    for number, text in enumerate((*PAYLOADS, ALL)):
        (tmp_path / f"m{number}{end}").write_text(hostile(model, text).code("fortran", form=form), encoding="utf-8")
        files.append(f"m{number}{end}")
    run(tool("gfortran"), *flags, "-Wall", "-fsyntax-only", *files, cwd=tmp_path)


def test_rust(model: rs.Model, tmp_path: Path) -> None:
    lines = []
    for number, text in enumerate(emitted(model, "rust")):
        (tmp_path / f"m{number}.rs").write_text(text, encoding="utf-8")
        lines.append(f"mod m{number};")
    (tmp_path / "main.rs").write_text("\n".join([*lines, "fn main() {}", ""]))
    run(tool("rustc"), "--edition", "2021", "--emit=metadata", "main.rs", cwd=tmp_path)


def test_octave(model: rs.Model, tmp_path: Path) -> None:
    """Every file is parsed; a comment that ends early would be a statement, which fails."""
    lines = []
    for number, text in enumerate(emitted(model, "matlab")):
        (tmp_path / f"m{number}.m").write_text(text, encoding="utf-8")
        lines.append(f"assert(size(m{number}([0.1; 0.2]{', [1; 1]' * (len(model.inputs) - 1)})), [4 4]);")
    (tmp_path / "check.m").write_text("\n".join(["warning('off', 'all');", *lines, ""]))
    run(tool("octave-cli", "octave"), "--no-gui", "--no-init-file", "check.m", cwd=tmp_path)


def test_modelica(model: rs.Model) -> None:
    parser = pytest.importorskip("pymoca.parser", reason="pymoca is not installed")
    for text in emitted(model, "modelica"):
        left = re.sub(r'//[^\n]*|"[^"\n]*"|\w*evil\w*_fgm', "", text)
        assert "evil" not in left and left.count(chr(34)) == 0
        *_, package = parser.parse(text).classes.values()
        assert [*package.classes] == ["RealInput", "RealOutput", "evaluate", "Signals"]


def test_line_comments_and_blocks(model: rs.Model) -> None:
    """For languages without a parser here: outside comments, the sources of all payloads are equal."""
    blocks = {"mathematica": r"\(\*.*?\*\)", "listing": r"\(\*.*?\*\)"}
    lines = {"maple": "#", "julia": "#", "latex": "%"}
    for language in (*blocks, *lines):
        found = set()
        for text in emitted(model, language):
            assert max(text.count(mark) for mark in "\x00\x1b\r\x0b\x0c\x85\u2028\u2029\u202e\u2066") == 0
            text.encode("utf-8")
            if language in blocks:
                left = re.sub(blocks[language], "", text, flags=re.S)
                assert "(*" not in left and "*)" not in left
            else:
                left = "\n".join(line for line in text.split("\n") if not line.startswith(lines[language]))
            found.add(bare(re.sub(r"[A-Za-z]\w*(_fgm|Fgm)!?|\\section\*.*", "", left)))
        assert len(found) == 1, language


@pytest.mark.parametrize("payload", [*PAYLOADS, ALL])
def test_latex_headings(payload: str) -> None:
    """Only commands that print a character are left."""
    text = latex(payload)
    assert "\n" not in text and text.isascii()
    known = r"\\text(backslash|asciicircum|asciitilde|less|greater|bar|quotedbl)\{\}|\\[_#$%&{}]"
    assert not set(re.sub(known, "", text)) & set('\\^~_#$%&{}<>|"')


def test_solutions(tmp_path: Path) -> None:
    solution = rs.inverse_geometry(rs.load("scara"))
    recipe = solution.recipe("scara")
    robot = unchecked(recipe.robot, ALL, "origin")
    wrong = replace(recipe, name="a b", title=ALL, robot=robot)
    (tmp_path / "s.c").write_text(wrong.code("c"), encoding="utf-8")
    (tmp_path / "s.hpp").write_text(wrong.code("cpp"), encoding="utf-8")
    run(tool("gcc"), "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "s.c", cwd=tmp_path)
    run(tool("g++"), "-std=c++17", "-fsyntax-only", "-x", "c++", "s.hpp", cwd=tmp_path)
    assert "evil" not in {node.id for node in ast.walk(ast.parse(wrong.code("python"))) if isinstance(node, ast.Name)}
    for language in ("listing", "latex"):
        text = wrong.code(language)
        assert "\r" not in text and "\x00" not in text and "evil" not in text.split("*)")[-1].split("documentclass")[-1]


def test_covers_every_language() -> None:
    tried = {
        "c",
        "h",
        "cpp",
        "python",
        "fortran",
        "rust",
        "matlab",
        "mathematica",
        "listing",
        "maple",
        "julia",
        "latex",
        "modelica",
    }
    assert set(LANGUAGES) <= tried


# --------------------------------------------------------------------------------------------------- bundles


def test_bundles(model: rs.Model, tmp_path: Path) -> None:
    robot = unchecked(rs.load("planar2r"), ALL, "name", "origin")
    models = {"inverse_dynamics": hostile(model, ALL)}
    files = {
        "CMakeLists.txt": cmake(robot, "arm", ["arm.c"], "double"),
        "arm.h": umbrella(robot, "arm", [], "double", models, None),
        "arm.hpp": cpp_header(robot, "arm", models),
        "arm_sfun.c": s_function(models["inverse_dynamics"], "arm_inverse_dynamics", "arm_sfun"),
        "arm.c": '#include "arm.h"\n', "arm_test.c": "int main(void) { return 0; }\n", "u.cpp": '#include "arm.hpp"\n',
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        left = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", "", text, flags=re.S | re.M)
        assert "evil" not in re.sub(r"\w*evil\w*_fgm\w*", "", left), name
    run(tool("cmake"), "-S", ".", "-B", "build", cwd=tmp_path)
    run(tool("g++"), "-std=c++17", "-fsyntax-only", "u.cpp", cwd=tmp_path)


@pytest.mark.parametrize("name", ["int", "namespace", "std", "test", "all", "m", "9 lives", "é"])
def test_bundle_prefixes(name: str, tmp_path: Path) -> None:
    """Robot names that are C++ keywords or CMake targets."""
    robot = rs.load("planar2r").edit(name=name)
    robot = robot.with_values(dict.fromkeys(robot.parameters, 0.5))
    rs.bundle(robot, tmp_path)
    [header] = list(tmp_path.glob("*.hpp"))
    run(tool("g++"), "-std=c++17", "-fsyntax-only", "-x", "c++", header, cwd=tmp_path)
    if name in ("test", "m"):
        run(tool("cmake"), "-S", ".", "-B", "build", cwd=tmp_path)


# ------------------------------------------------------------------------------------------ pictures and pages


class _Tags(HTMLParser):
    """The elements of a page and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(key for key, _ in attrs)))


def tags(page: str) -> list[tuple[str, tuple[str, ...]]]:
    parser = _Tags()
    parser.feed(page)
    return parser.found


@pytest.mark.parametrize("payload", [ALL, "<script>evil()</script>", "'\" onload=evil() x='", "a\x00b\x1b"])
def test_svg_and_html(payload: str) -> None:
    robot = rs.load("planar2r")
    plain = robot.draw(values=dict.fromkeys(robot.parameters, 0.5))
    bad = unchecked(robot, payload, "title", "source")
    bad = bad.edit(**{"joint1.name": one_line(payload).replace("*", "")[:90].strip(), "frame2.name": "a<b>&\"'c"})
    drawing = bad.draw(values=dict.fromkeys(robot.parameters, 0.5))
    ElementTree.fromstring(drawing.svg())
    assert set(tags(drawing.svg())) == set(tags(plain.svg()))
    assert set(tags(drawing.html())) == set(tags(plain.html()))
    assert tags(drawing._repr_html_()) == tags(plain._repr_html_())
    named = robot.edit(**{"joint1.name": "one", "frame2.name": "two"})
    assert tags(bad._repr_html_()) == tags(named._repr_html_())
    model = rs.direct_geometry(robot, 0, 2)
    assert tags(hostile(model, payload)._repr_html_()) == tags(model._repr_html_())


# ------------------------------------------------------------------------------------------------------ input


def test_names_are_checked_on_input() -> None:
    robot = rs.load("planar2r")
    rejected = 0
    for payload in PAYLOADS:
        if re.fullmatch(r"[\w\-+.,:/()\[\]@#&=!~% ]{1,100}", payload) and payload == payload.strip():
            continue
        rejected += 1
        with pytest.raises(Error, match="name"):
            robot.edit(name=payload)
        with pytest.raises(Error, match="name"):
            rs.Robot.new(2, name=payload)
    assert rejected >= 50


def test_names_in_files() -> None:
    urdf = rs.load("ur5e").dumps("urdf")
    evil = urdf.replace('name="ur5e"', 'name="a*/ int evil; /*"', 1)
    assert evil != urdf
    with pytest.raises(Error, match="name: expected a name of letters"):
        rs.loads(evil, "urdf")
    par = rs.load("rx90").dumps("par").replace("'rx90'", '\'""" evil\'')
    with pytest.raises(Error, match="name"):
        rs.loads(par, "par")


def test_reread_listing(tmp_path: Path) -> None:
    """Name and title of a model come from comments of the file."""
    listing = rs.direct_geometry(rs.load("planar2r"), 0, 2).code("listing")
    path = tmp_path / "m.txt"
    path.write_text(listing.replace("planar2r", 'x""" evil() """ */ int evil; /*'))
    again = rs.read_model(path)
    assert "evil" in again.name
    ast.parse(again.code("python"))
    (tmp_path / "m.c").write_text(again.code("c"))
    run(tool("gcc"), "-std=c99", "-fsyntax-only", "m.c", cwd=tmp_path)
    assert comment(again.name) in again.code("c")


def test_rejects_options_with_code(model: rs.Model, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="library"):
        model.code("python", library="os; evil")
    with pytest.raises(InputError, match="header"):
        model.code("c", header='a"\n#define evil')
    with pytest.raises(InputError, match="name"):
        model.code("c", name="f(void); int evil")
    with pytest.raises(InputError, match="header"):
        model.write(tmp_path / 'a".c')


def test_compiler_detects_unescaped_comments(tmp_path: Path) -> None:
    """Without `comment`, the first payload is compiled as code."""
    (tmp_path / "m.c").write_text(f"/* {PAYLOADS[0]} */\nint main(void) {{ return evil; }}\n")
    done = subprocess.run([tool("gcc"), "-fsyntax-only", "m.c"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0
