"""Report text that is not plain English: private phrases, British spelling, docstrings without a summary or sections.

`python tools/language.py` reads everything a person reads: docstrings, comments and strings of Python and JavaScript
files, Markdown, pages and forms. The rules are data, in `tools/language_rules.txt`.

    python tools/language.py src/robosym/algebra      # one package
    python tools/language.py --count                  # number of findings per package
    python tools/language.py --only per --only fix   # some rules
    python tools/language.py                          # the whole project (`make lint`)
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "robosym"
DATA = Path(__file__).with_name("language_rules.txt")
#: folders and files that are read if no path is given
FOLDERS = "src tests docs examples tools benchmarks paper .github".split()
PAGES = "README.md CHANGELOG.md ARCHITECTURE.md CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md".split()
#: quoted code is not prose
CODE = re.compile(r"\"[\w.-]+\"|``[^`]+``|`[^`\n]+`|https?://\S+|\]\([^)\s]*\)|<!--.*?-->")
#: comments and strings of JavaScript; scripts of others are minified
SCRIPT_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
READ = ("*.py", "*.md", "*.js", "*.html", "*.yml")  #: files that are read in folders
SECTION = re.compile(r"^([A-Z]\w+(?: \w+)?)\n-{3,}$", re.MULTILINE)
FRAGMENT = re.compile(r"(?:Of|What|By|As|Where|How|Those|Which) ")  #: first words of a fragment
FENCE = re.compile(r"^(```+)(\w*)\n(.*?)^\1", re.MULTILINE | re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@dataclass(frozen=True)
class Rule:
    """A pattern that text must not match, and what to write instead."""

    name: str
    write: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Finding:
    """A place in a file that breaks a rule."""

    path: Path
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        path = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f"{path}:{self.line}: {self.message} [{self.rule}]"


@dataclass(frozen=True)
class Passage:
    """Text for people, with its first and last line in the file."""

    first: int
    last: int
    text: str


@lru_cache
def sections() -> dict[str, list[str]]:
    """Return the lines of each section of the data file, without comments."""
    found: dict[str, list[str]] = {}
    for line in DATA.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            found[line.strip("[]")] = lines = []
        elif line.strip() and not line.startswith("#"):
            lines.append(line.strip())
    return found


@lru_cache
def rules(section: str) -> tuple[Rule, ...]:
    """Return the rules of a section of the data file."""
    table = []
    for line in sections()[section]:
        name, write, pattern = (part.strip() for part in line.split(" | ", 2))
        flags = re.IGNORECASE if section != "names" else 0
        table.append(Rule(name, write, re.compile(pattern.replace(" ", r"\s+"), flags)))
    return tuple(table)


def words(passages: Iterable[Passage], path: Path, lines: list[str]) -> Iterator[Finding]:
    """Find phrases and spellings that the rules replace."""
    for passage in passages:
        text = CODE.sub(lambda match: re.sub(r"[^\n]", "`", match[0]), passage.text)
        for rule in (*rules("phrases"), *rules("spelling")):
            for match in rule.pattern.finditer(text):
                shown = " ".join(match[0].split())
                line = _line_of(match, text, passage, lines)
                yield Finding(path, line, rule.name, f"found '{shown}' - write '{rule.write}'")


def _line_of(match: re.Match[str], text: str, passage: Passage, lines: list[str]) -> int:
    """Return the line of a match; a string in several pieces has fewer line breaks than its source."""
    counted = passage.first + text.count("\n", 0, match.start())
    first_line = match[0].split("\n")[0].strip()
    if first_line not in lines[min(counted, len(lines)) - 1]:
        for number in range(passage.first, passage.last + 1):
            if first_line in lines[number - 1]:
                return number
    return counted


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown_passages(text: str) -> Iterator[Passage]:
    """Yield the prose of a page, printed output, and the comments and strings of Python examples."""

    def blank(block: str) -> str:
        return "\n" * block.count("\n")

    for fence in FENCE.finditer(text):
        first = text.count("\n", 0, fence.start()) + 2
        if fence[2] in ("python", "py"):
            for passage in python_passages(fence[3], None):
                yield Passage(passage.first + first - 1, passage.last + first - 1, passage.text)
        elif fence[2] in ("", "text"):
            yield Passage(first, first + fence[3].count("\n"), fence[3])
    prose = FENCE.sub(lambda match: blank(match[0]), text)
    yield Passage(1, prose.count("\n") + 1, prose)


def table_findings(path: Path, text: str) -> Iterator[Finding]:
    """Find rows of tables that are broken into several lines or have another number of cells than the first row."""
    bare = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    bars = 0  # in the first row of the table, or 0 outside tables
    for number, line in enumerate(bare.split("\n"), 1):
        row = re.sub(r"<!--.*?-->|`[^`]*`|\\\|", "", line).rstrip()
        if row.startswith("|"):
            bars = bars or row.count("|")
            if not row.endswith("|") or row.count("|") != bars:
                yield Finding(path, number, "table", f"expected a row of {bars - 1} cells on one line: '{line[:40]}'")
        elif row:
            if bars and not line.startswith("<!--"):
                yield Finding(path, number, "table", f"expected an empty line after a table: '{line[:40]}'")
            bars = 0
        else:
            bars = 0


def markdown_findings(path: Path, text: str) -> Iterator[Finding]:
    """Check the words and tables of a page, and that a page on the inverse geometric model mentions the name IK."""
    yield from words(markdown_passages(text), path, text.splitlines() or [""])
    yield from table_findings(path, text)
    prose = CODE.sub("", FENCE.sub("", text))
    mention = re.search(r"inverse geometr(y|ic)", prose, re.IGNORECASE)
    if mention and not re.search(r"inverse\s+kinematics", prose, re.IGNORECASE) and path.name != "CHANGELOG.md":
        line = text[: max(0, text.find(mention[0]))].count("\n") + 1
        yield Finding(path, line, "ik", "add at the first mention: known elsewhere as inverse kinematics (IK)")


def script_passages(text: str) -> Iterator[Passage]:
    """Yield comments and strings of several words in JavaScript."""
    for match in SCRIPT_TEXT.finditer(text):
        if re.search(r"\w\s+\w", match[0]):
            first = text.count("\n", 0, match.start()) + 1
            yield Passage(first, first + match[0].count("\n"), match[0].strip("/*\"'` "))


# --- Python -----------------------------------------------------------------------------------------------------------


#: all nodes of a syntax tree, the module first; each walk over a tree takes as long as parsing it
Nodes = list[ast.AST]


def nodes_of(text: str) -> Nodes:
    """Return all nodes of the syntax tree of a program."""
    return list(ast.walk(ast.parse(text)))


def python_passages(text: str, nodes: Nodes | None) -> Iterator[Passage]:
    """Yield comments, docstrings and strings of several words; a block of comments is one passage."""
    block: list[str] = []
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.COMMENT:
                continue
            content = token.string.lstrip("#: ")
            alone = not token.line[: token.start[1]].strip()  # a comment behind code is a passage of its own
            if block and (token.start[0] != last + 1 or not alone):
                yield Passage(last - len(block) + 1, last, "\n".join(block))
                block = []
            block.append(content)
            last = token.start[0]
    except (tokenize.TokenError, IndentationError):
        pass  # an excerpt on a page need not be a whole program
    if block:
        yield Passage(last - len(block) + 1, last, "\n".join(block))
    try:
        nodes = nodes or nodes_of(text)
    except SyntaxError:
        return
    inside = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in inside:
            content = string_of(node)
            if re.search(r"\w\s+\w", content):
                yield Passage(node.lineno, node.end_lineno or node.lineno, content)


def string_of(node: ast.expr) -> str:
    """Return a string literal, with {} for what an f-string fills in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(string_of(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def name_findings(path: Path, nodes: Nodes) -> Iterator[Finding]:
    """Find names that are not terms of the field, where they are defined."""
    for node in nodes:
        names: list[str] = []
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [node.name]
        elif isinstance(node, ast.arg):
            names = [node.arg]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names = [node.attr]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            sentence = Passage(node.lineno, node.lineno, node.name.replace("_", " "))
            yield from words([sentence], path, [""] * node.lineno)
        for name in names:
            for rule in rules("names"):
                if rule.pattern.fullmatch(name.strip("_")):
                    yield Finding(path, node.lineno, rule.name, f"found name '{name}' - write '{rule.write}'")


def message_findings(path: Path, nodes: Nodes) -> Iterator[Finding]:
    """Find error messages that begin with "no", also after the place of the error."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if not called.endswith(("Error", "Problem", "problem")):
            continue
        for argument in node.args:
            text = string_of(argument)
            if re.match(r"((\{\}|[\w.]+)(:\d+)?: )*no ", text, re.IGNORECASE):
                yield Finding(path, argument.lineno, "message", f"error message begins with 'no': '{text[:40]}'")


def docstring_findings(path: Path, nodes: Nodes) -> Iterator[Finding]:
    """Find docstrings whose first line is not a complete sentence."""
    for node in nodes:
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.get_docstring(node)
        if text is None:
            continue
        first, _, rest = text.partition("\n")
        line = node.body[0].lineno
        if not first.endswith((".", "?")):
            yield Finding(path, line, "summary", f"first line is not a sentence with a period: '{first[:50]}'")
        elif rest and not rest.startswith("\n"):
            yield Finding(path, line, "summary", f"expected an empty line after the first sentence: '{first[:50]}'")
        elif FRAGMENT.match(first):
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            wanted = "an imperative such as 'Return ...'" if function else "a noun and its meaning"
            yield Finding(path, line, "summary", f"expected {wanted}: '{first[:50]}'")


# --- sections of public functions -------------------------------------------------------------------------------------


@lru_cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@lru_cache
def definitions() -> dict[str, list[tuple[Path, ast.ClassDef | Function]]]:
    """Return every class and function at the top of a module of the source, by name."""
    found: dict[str, list[tuple[Path, ast.ClassDef | Function]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in _parsed(path).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(node.name, []).append((path, node))
    return found


@lru_cache
def public_definitions() -> tuple[tuple[Path, ast.ClassDef | Function], ...]:
    """Return file and definition of every function and class of `robosym.__all__`."""
    homes: dict[str, str] = {}
    for node in _parsed(SOURCE / "__init__.py").body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_HOMES":
            homes = ast.literal_eval(node.value)
    found = []
    for home, names in homes.items():
        package = SOURCE.joinpath(*home.split("."))
        for name in names.split():
            there = definitions().get(name, [])
            own = [(p, node) for p, node in there if p.is_relative_to(package) or p == package.with_suffix(".py")]
            found += own or there  # a package may export a name of another one
    return tuple(found)


@lru_cache
def public_functions() -> frozenset[tuple[Path, int]]:
    """Return file and line of every function of `robosym.__all__`, and of every public method of its classes."""
    return frozenset(part for path, node in public_definitions() for part in _public_parts(path, node))


@lru_cache
def public_names() -> frozenset[tuple[Path, int]]:
    """Return file and line of every function and class of `robosym.__all__`."""
    return frozenset((path, node.lineno) for path, node in public_definitions())


def _public_parts(path: Path, node: ast.ClassDef | Function) -> Iterator[tuple[Path, int]]:
    if not isinstance(node, ast.ClassDef):
        yield path, node.lineno
        return
    for part in node.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and not part.name.startswith("_"):
            yield path, part.lineno
    for base in node.bases:  # class names are unique in the source
        for other_path, other in definitions().get(getattr(base, "id", ""), ()):
            if isinstance(other, ast.ClassDef):
                yield from _public_parts(other_path, other)


def section_findings(path: Path, nodes: Nodes) -> Iterator[Finding]:
    """Find public functions whose docstring does not describe every parameter and the result."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (path, node.lineno) in public_functions():
            for message in missing_sections(node):
                yield Finding(path, node.lineno, "sections", f"{node.name}: {message}")
    for top in ast.iter_child_nodes(nodes[0]):
        if isinstance(top, (ast.FunctionDef, ast.ClassDef)) and (path, top.lineno) in public_names():
            for message in missing_example(top):
                yield Finding(path, top.lineno, "sections", f"{top.name}: {message}")


def missing_example(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """Yield the missing parts of the docstring of a public name: an example, and the errors of a function."""
    if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Warning", "Reached")):
        return
    text = ast.get_docstring(node) or ""
    sections = SECTION.split(text)[1::2]
    if "Examples" not in sections or ">>> " not in text:
        yield "expected a section 'Examples' that runs"
    if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.vararg) and "Raises" not in sections:
        yield "expected a section 'Raises'"


def missing_sections(node: Function) -> Iterator[str]:
    """Yield the missing parts of the docstring of a public function; a property needs only a sentence."""
    decorators = {getattr(d, "id", getattr(d, "attr", "")) for d in node.decorator_list}
    if decorators & {"overload", "setter"}:
        return
    text = ast.get_docstring(node)
    if text is None:
        yield "no docstring"
        return
    if decorators & {"property", "cached_property"}:
        return
    parts = SECTION.split(text)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
    names = [name for name in names if name not in ("self", "cls") and not name.startswith("_")]
    described = described_names(bodies.get("Parameters", "") + "\n" + bodies.get("Other Parameters", ""))
    missing = [name for name in names if name not in described]
    if names and "Parameters" not in bodies:
        yield f"expected a section 'Parameters' with {', '.join(names)}"
    elif missing:
        yield f"expected a description of the parameters {', '.join(missing)}"
    returned = ast.unparse(node.returns) if node.returns else ""
    if returned not in ("", "None", "NoReturn", "Never") and not (bodies.keys() & {"Returns", "Yields"}):
        yield "expected a section 'Returns'"


def described_names(section: str) -> set[str]:
    """Return the names of a section that are followed by an indented description."""
    names: set[str] = set()
    lines = section.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line and not line[0].isspace() and following.startswith(" ") and following.strip():
            names |= {name.strip(" *") for name in line.split(" : ")[0].split(",")}
    return names


# --- files ------------------------------------------------------------------------------------------------------------


def findings(path: Path) -> list[Finding]:
    """Return all findings of one file, by line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        found = list(markdown_findings(path, text))
    elif path.suffix != ".py":
        lines = text.splitlines() or [""]
        whole = [Passage(1, len(lines), text)]  # pages and forms are all text
        found = list(words(script_passages(text) if path.suffix == ".js" else whole, path, lines))
    else:
        nodes = nodes_of(text)
        found = list(words(python_passages(text, nodes), path, text.splitlines() or [""]))
        found += name_findings(path, nodes)
        if path.is_relative_to(SOURCE):
            found += [*message_findings(path, nodes), *section_findings(path, nodes)]
        if path.is_relative_to(SOURCE) or path.is_relative_to(ROOT / "tools"):
            found += docstring_findings(path, nodes)
    return sorted(found, key=lambda finding: finding.line)


def files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the files with text for people below the given paths, without minified scripts."""
    found: set[Path] = set()
    for name in paths:
        path = (ROOT / name).resolve() if not Path(name).exists() else Path(name).resolve()
        if not path.exists():
            sys.exit(f"{name}: expected a file or a folder, found nothing there")
        found |= {path} if path.is_file() else {part for kind in READ for part in path.rglob(kind)}
    found = {path for path in found if ".min." not in path.name}
    return sorted(found - {ROOT / name for name in sections()["exempt"]})


def package_of(path: Path) -> str:
    """Return the package of the source or the folder that a file is counted under."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:3]) if parts[0] == "src" else "/".join(parts[: 2 if len(parts) > 2 else 1])


def main(arguments: list[str] | None = None) -> int:
    """Print the findings and return 1 if there are any."""
    parser = argparse.ArgumentParser(description="Report text that is not plain English.")
    parser.add_argument("paths", nargs="*", help="files and folders; by default the whole project")
    parser.add_argument("--count", action="store_true", help="print the number of findings per package")
    parser.add_argument("--only", action="append", metavar="RULE", help="check this rule only; may be repeated")
    options = parser.parse_args(arguments)
    chosen = files(options.paths or FOLDERS + PAGES)
    found = [f for path in chosen for f in findings(path) if not options.only or f.rule in options.only]
    if options.count:
        for package, number in sorted(Counter(package_of(f.path) for f in found).items()):
            print(f"{number:6} {package}")
        print(f"{len(found):6} total: {', '.join(f'{r} {n}' for r, n in Counter(f.rule for f in found).most_common())}")
    else:
        print("\n".join(map(str, found)) or f"{len(chosen)} files without findings")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
