"""Write the gallery: a picture of every robot in the library, and a page with a table of their properties.

`python tools/gallery.py` writes docs/gallery/*.svg and docs/gallery.md; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import robosym as rs

DOCS = Path(__file__).parent.parent / "docs"


def picture(name: str) -> str:
    """Return the SVG drawing of a robot."""
    return rs.load(name).draw().svg()


def facts(name: str) -> list[str]:
    """Return the cells of a robot in the table."""
    robot = rs.load(name)
    base, count = (_or_nothing(ask, robot) for ask in (_base_parameters, _operations))
    return [f"[{name}](#{name})", robot.structure, str(len(robot.joint_names)), str(len(robot.motors)), base, count]


def _base_parameters(robot: Any) -> str:
    return str(len(rs.base_parameters(robot).names))


def _operations(robot: Any) -> str:
    count = rs.inverse_dynamics(robot, base_parameters=True).operations
    return f"{count.additions}\u00a0+, {count.multiplications}\u00a0*"  # without line breaks before the signs


def _or_nothing(ask: Callable[[Any], str], robot: Any) -> str:
    try:
        return ask(robot)
    except (rs.Error, TypeError):  # not available for this kind of robot
        return ""


def page() -> str:
    head = ["robot", "structure", "joints", "motors", "base parameters", "operations"]
    lines = [
        "---", "tags: [robot library, KUKA, Franka, Universal Robots, Stäubli, Delta, Stewart platform]", "---",
        "# Robot library", "",
        "Each robot of the library is loaded by its name, `rs.load(\"rx90\")`, and drawn by its method `draw`. The "
        "last column counts the operations of the inverse dynamics with base parameters, before optimization.",
    ]  # fmt: skip
    lines += ["", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(facts(name))} |" for name in rs.library()]
    for name in rs.library():
        robot = rs.load(name)
        lines += ["", f"## {name}", f"{robot.title}.", "", f"![{robot.title}](gallery/{name}.svg)", "", robot.source]
    lines += ["", "## Next", "", "- [YAML format](yaml.md): describe a robot of your own."]
    lines += ["- [Pictures](drawing.md): views, positions and file formats."]
    return "\n".join(lines) + "\n"


def main() -> None:
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name in rs.library():
        (DOCS / "gallery" / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
