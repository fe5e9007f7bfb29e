"""The gallery: a picture of every robot of the library, and a page that shows them with their numbers.

`python tools/gallery.py` writes docs/gallery/*.svg and docs/gallery.md anew; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import robosym as rs

DOCS = Path(__file__).parent.parent / "docs"


def picture(name: str) -> str:
    """A robot as it stands in the gallery."""
    return rs.load(name).draw().svg()


def facts(name: str) -> list[str]:
    """What a line of the table says of a robot."""
    robot = rs.load(name)
    base, count = (_or_nothing(ask, robot) for ask in (_base_parameters, _operations))
    return [f"[{name}](#{name})", robot.structure, str(len(robot.joint_names)), str(len(robot.motors)), base, count]


def _base_parameters(robot: Any) -> str:
    return str(len(rs.base_parameters(robot).names))


def _operations(robot: Any) -> str:
    count = rs.inverse_dynamics(robot, base_parameters=True).operations
    return f"{count.additions} +, {count.multiplications} *"


def _or_nothing(ask: Callable[[Any], str], robot: Any) -> str:
    try:
        return ask(robot)
    except (rs.Error, TypeError):  # what a kind of robot does not have
        return ""


def page() -> str:
    head = ["robot", "structure", "joints", "motors", "base parameters", "inverse dynamics on them"]
    lines = [
        "# Gallery",
        "",
        "The robots of the library, as `rs.load(name).draw()` shows them. Numbers are computed when this ",
    ]
    lines[-1] += "page is made (`python tools/gallery.py`)."
    lines += ["", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(facts(name))} |" for name in rs.library()]
    for name in rs.library():
        robot = rs.load(name)
        lines += ["", f"## {name}", f"{robot.title}.", "", f"![{robot.title}](gallery/{name}.svg)", "", robot.source]
    return "\n".join(lines) + "\n"


def main() -> None:
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name in rs.library():
        (DOCS / "gallery" / f"{name}.svg").write_text(picture(name), encoding="utf-8")
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
