"""Write pictures and summaries of the library's robots for the start view of the page into the package's assets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import robosym as rs

FOLDER = Path(__file__).parent.parent / "src" / "robosym" / "app" / "page" / "assets" / "library"
SIZE = (368, 272)
KINDS = {"simple": "open chain", "tree": "tree", "closed": "closed", "parallel": "parallel", "hybrid": "hybrid"}


def summary(robot: Any) -> dict[str, Any]:
    """Return the contents of a card: title, number of joints, structure, symbolic or numeric."""
    structure = KINDS[getattr(robot, "structure", "hybrid")]
    symbolic = any(not re.fullmatch(r"(QP|QDP|GAM)\w+|[WV][XYZ]0", name) for name in robot.parameters)
    title = re.sub(r"\s*\((symbolic|numeric|inertia symbolic)\)$", "", robot.title)
    return {
        "title": title,
        "joints": len(robot.joint_names),
        "structure": structure,
        "numbers": "symbolic" if symbolic else "numeric",
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    robots = {name: rs.load(name) for name in rs.library()}
    found = {name: summary(robot) for name, robot in robots.items()}
    (FOLDER / "catalogue.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, robot in robots.items():
        drawn = rs.draw(robot, size=SIZE, hide=("names", "axes", "frames", "grid")).svg()
        # the card is the background in both themes
        clear = re.sub(r'<rect [^>]*width="(368|100%)"[^>]*/>', "", drawn, count=1)
        clear = clear[: clear.rindex("</g>")] + "</g></svg>\n"  # without the axes of frame 0
        (FOLDER / f"{name}.svg").write_text(clear, encoding="utf-8")
        print(f"wrote {name}.svg")


if __name__ == "__main__":
    main()
