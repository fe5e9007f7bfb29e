"""Generate pages of the site: the Python reference and the command line; add KaTeX, the YAML schema and the live arm.

MkDocs calls `on_files` (see `hooks` in mkdocs.yml): the pages exist in the built site only, so they are never out of
date. `python tools/reference.py` prints the names of the pages.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path

import demo

import robosym as rs
from robosym.app.menus import COMMANDS, MENUS, Command, Option
from robosym.model.groups import GROUPS

ROOT = Path(__file__).resolve().parent.parent
KATEX = ROOT / "src" / "robosym" / "app" / "page" / "assets" / "katex"
SCHEMA = ROOT / "src" / "robosym" / "formats" / "robosym.schema.json"
#: page, title, described modules, summary, and the page to read next
CHAPTERS = {
    "robots": (
        "Robots", ("formats", "mechanism", "drawing"),
        "Load, describe, edit, check, draw and write robots.", ("File formats", "../yaml.md"),
    ),
    "geometry": (
        "Geometry and inverse kinematics",
        ("kinematics", "solve", "solve.pose_coordinates", "solve.pose_solver"),
        "Transformation matrices, Jacobians, velocities, inverse geometric models (inverse kinematics) and loops.",
        ("Inverse geometric models", "../inverse_geometry.md"),
    ),
    "platforms": (
        "Parallel robots", ("studies.platform_workspace", "studies.singular_poses", "studies.cables"),
        "Singularities, dexterity, workspace and cable tensions of robots with a platform.",
        ("Parallel robots", "../parallel.md"),
    ),
    "dynamics": (
        "Dynamics", ("dynamics",),
        "Inverse and direct dynamics, inertia matrix, gravity and Coriolis torques, energy.",
        ("Dynamic models", "../dynamics.md"),
    ),
    "identification": (
        "Identification", ("parameters", "dynamics.identification", "experiment"),
        "Base parameters, regressors, logs, estimation, exciting trajectories and motor sizing.",
        ("Identification", "../identification.md"),
    ),
    "simulation": (
        "Simulation, control and studies", ("simulation", "control", "studies"),
        "Simulate motions, generate control laws, evaluate functions over many samples.",
        ("Simulation, control and studies", "../workbench.md"),
    ),
    "models": (
        "Models, optimizer and code", ("model", "optimizer", "languages", "export"),
        "The `Model` that every generator returns: counting, optimizing, printing and compiling it.",
        ("Languages", "../languages.md"),
    ),
    "errors": ("Errors and warnings", ("errors",), "Exceptions and warnings.", ("Error codes", "../errors.md")),
}  # fmt: skip
ALONE = {"formulations"}  #: a module: its functions are described in docs/dynamics.md
TAGS = {
    "geometry": "[forward kinematics, FK, inverse kinematics, IK, Jacobian, inverse geometric model]",
    "identification": "[regressor, base parameters, parameter estimation]",
    "robots": "[URDF, MJCF, SDF, SYMORO+]",
    "dynamics": "[RNEA, ABA, CRBA, forward dynamics, mass matrix]",
}


def page_of(home: str) -> str:
    """Return the page that lists a module, or else the one that lists its package."""
    listed = {module: page for page, (_, modules, _, _) in CHAPTERS.items() for module in modules}
    return listed.get(home) or listed.get(home.split(".")[0], "models")


def names_of(page: str) -> list[tuple[str, str]]:
    """Return module and name of everything that a page describes."""
    homes = [home for home in rs._HOMES if page_of(home) == page]
    return [(home, name) for home in homes for name in rs._HOMES[home].split() if name not in ALONE]


def defined(home: str, name: str) -> Any:
    """Return the function or class of a public name."""
    return getattr(importlib.import_module(f"robosym.{home}"), name)


def path_of(home: str, name: str) -> str:
    """Return the path of the definition; in its package, a function may have the name of its module."""
    return f"{defined(home, name).__module__}.{name}"


def first_sentence(home: str, name: str) -> str:
    """Return the first line of a docstring, for a table."""
    doc = inspect.getdoc(defined(home, name)) or ""
    text = " ".join(doc.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", text)[0].rstrip(".").replace("|", "\\|")


def overview() -> str:
    """Return the page with conventions, groups of inputs, and one table of public names per page."""
    groups = [
        f"| `{group.name}` | {group.meaning} | {group.unit} | {'online' if group.online else 'once'} |"
        for group in GROUPS.values()
    ]
    lines = [
        "---", "tags: [API, functions]", "---", "# Python reference", "",
        "Every public name is available as `rs.name` after `import robosym as rs`. Functions that take a robot accept "
        "a `Robot`, the name of one in the [library](../gallery.md), or the path of a [file](../robot_files.md).", "",
        "## Conventions", "",
        "- **Units** are SI: rad, m, s, kg, N, N m.",
        "- **Frames** follow the modified Denavit-Hartenberg notation of Khalil and Kleinfinger. Frame 0 is the base, "
        "frame -1 the world. Frame and joint names are accepted wherever a number is.",
        "- **Arrays**: the last axis has one entry per name of a group, in the order of `model.inputs`; leading axes "
        "are a batch. Matrices have the shape (rows, columns).",
        "- **Gravity** is the acceleration of a free-falling body in frame 0: `[0, 0, -9.81]` where z points up.", "",
        "## Groups of inputs", "",
        "The last column says whether a group changes from call to call (online) or is set once.", "",
        "| group | meaning | unit | changes |", "| --- | --- | --- | --- |", *groups,
    ]  # fmt: skip
    for page, (title, _, about, _) in CHAPTERS.items():
        lines += ["", f"## [{title}]({page}.md)", "", about, "", "| name | description |", "| --- | --- |"]
        for home, name in names_of(page):
            lines.append(f"| [`{name}`]({page}.md#{path_of(home, name)}) | {first_sentence(home, name)} |")
    lines += ["", "## Next", "", "- [Command line](commands.md): the same functions as commands."]
    lines += ["- [How-to guides](../how_to/index.md): complete tasks, from an empty directory."]
    return "\n".join(lines) + "\n"


def chapter(page: str) -> str:
    """Return a page with the docstrings of its names, rendered by mkdocstrings."""
    title, _, about, (where, target) = CHAPTERS[page]
    lines = ["---", f"tags: {TAGS.get(page, '[API]')}", "---", f"# {title}", "", about]
    for home, name in names_of(page):
        lines += ["", f"::: {path_of(home, name)}"]
    lines += ["", "## Next", "", f"- [{where}]({target}): the same topic as a guide, with examples."]
    lines += ["- [Python reference](index.md): all names in one table."]
    return "\n".join(lines) + "\n"


def _row(option: Option) -> str:
    words = ", ".join(f"`{word}`" for word in (option.word, option.short) if word)
    value = f" `{option.stand_in}`" if option.stand_in else ""  # a bar inside code does not divide the cell
    return f"| {words}{value} | {option.text().replace('|', '&#124;')} |"


def _shared() -> dict[str, Option]:
    """Return the options that at least a quarter of the commands share, by their row."""
    rows = Counter(_row(option) for command in COMMANDS.values() for option in command.options)
    options = {_row(option): option for command in COMMANDS.values() for option in command.options}
    return {row: options[row] for row, count in rows.items() if count >= len(COMMANDS) / 4}


def commands() -> str:
    """Return the page of all commands, from the table that defines the command line."""
    shared = _shared()
    lines = [
        "---", "tags: [CLI, command line, options, terminal]", "---", "# Command line", "",
        "`robosym COMMAND [ARGUMENTS] [OPTIONS]`. Each command calls the Python function of the same name, with "
        "underscores in place of dashes. `robosym --help` lists the commands and `robosym COMMAND --help` prints the "
        "options of one.", "",
        "Options that take yes or no are given as `--x`, `--no-x` or `--x yes|no`. Numbers may be expressions and may "
        "have a unit: `Pi/2`, `30deg`. A command returns 0 on success, 1 on an error, 2 on a line it cannot read, "
        "124 after its time limit and 130 after Ctrl C.", "",
        "## Shared options", "", "Most commands that generate a model take these.", "",
        "| option | meaning |", "| --- | --- |", *shared,
    ]  # fmt: skip
    for menu in MENUS:
        lines += ["", f"## {menu}"]
        for command in sorted((c for c in COMMANDS.values() if c.menu == menu), key=lambda c: c.word):
            lines += _command(command, shared)
    lines += ["", "## Next", "", "- [Python reference](index.md): the functions behind the commands."]
    lines += ["- [Error codes](../errors.md): what the code behind a message means."]
    return "\n".join(lines) + "\n"


def _command(command: Command, shared: dict[str, Option]) -> list[str]:
    words = " ".join(argument.name.upper() for argument in command.arguments)
    lines = ["", f"### {command.word}", "", command.sentence, "", "```text", f"robosym {command.word} {words}".rstrip()]
    lines += ["```", "", "| argument or option | meaning |", "| --- | --- |"]
    lines += [f"| `{argument.name.upper()}` | {argument.help} |" for argument in command.arguments]
    rows = [_row(option) for option in command.options]
    lines += [row for row in rows if row not in shared]
    if len(lines) and lines[-1] == "| --- | --- |":
        del lines[-3:]
    common = [shared[row].word for row in rows if row in shared]
    if common:
        lines += ["", f"[Shared options](#shared-options): {', '.join(f'`{word}`' for word in common)}."]
    return lines


def pages() -> dict[str, str]:
    """Return every generated page, by its path below docs/."""
    made = {"reference/index.md": overview(), "reference/commands.md": commands()}
    return made | {f"reference/{page}.md": chapter(page) for page in CHAPTERS}


def assets() -> dict[str, Path]:
    """Return the files of the package that the site contains: KaTeX of `robosym app`, and the schema of YAML files."""
    found = {f"katex/{path.relative_to(KATEX).as_posix()}": path for path in sorted(KATEX.rglob("*")) if path.is_file()}
    return found | {SCHEMA.name: SCHEMA}


def _listed(entries: Any, above: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str, str]]:
    """Return section, title and path of the pages of a navigation."""
    found: list[tuple[tuple[str, ...], str, str]] = []
    for entry in entries:
        for title, target in entry.items() if isinstance(entry, dict) else [(above[-1] if above else "", entry)]:
            found += [(above, title, target)] if isinstance(target, str) else _listed(target, (*above, title))
    return found


def index_for_programs(navigation: Any, texts: dict[str, str]) -> str:
    """Return llms.txt: an index of the pages in Markdown, with the first paragraph of each."""
    lines = ["# robosym", "", "> Symbolic models of robots as lean code and fast callables, from one description.", ""]
    section = ""
    for above, title, path in _listed(navigation):
        top = above[0] if above else "Start"
        if top != section:
            lines += [*([""] if section else []), f"## {top}", ""]
            section = top
        text = texts.get(path) or (ROOT / "docs" / path).read_text(encoding="utf-8")
        body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
        plain = [part for part in body.split("\n\n") if re.match(r"\s*[A-Z]", part)]
        about = " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)|<!--.*?-->", r"\1", plain[0]).split()) if plain else ""
        about = re.split(r"(?<=[.:])\s", about)[0]
        lines.append(f"- [{title}]({path.replace('.md', '.html')}): {about}")
    return "\n".join(lines) + "\n"


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages and the files of the package to the files of the site."""
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    for name in demo.PAGES:
        files.append(File.generated(config, f"demo/{name}.html", content=demo.page(name)))
    files.append(File.generated(config, "llms.txt", content=index_for_programs(config.nav, pages())))
    for name, source in assets().items():
        files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


if __name__ == "__main__":
    print("\n".join(pages()))
