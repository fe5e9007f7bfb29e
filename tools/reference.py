"""The reference: one page with the docstrings of every public name, by the menus of the guide.

`python tools/reference.py` writes docs/reference.md; a test holds that no public name is missing.
"""

from __future__ import annotations

from pathlib import Path

import robosym as rs
from robosym.model.groups import GROUPS

PAGE = Path(__file__).parent.parent / "docs" / "reference.md"
#: rooms whose names stand together, in the order of the guide's menus; what is new comes last
CHAPTERS = {
    "Robots": ("formats", "mechanism", "drawing"),
    "Geometric": ("solve", "solve.pose_coordinates"),
    "Kinematic": ("kinematics", "studies.platform_reach", "studies.platform_reach", "studies.cables"),
    "Dynamic": ("dynamics", "simulation", "control"),
    "Identification": ("parameters", "experiment"),
    "Models, optimizer, code": ("model", "optimizer", "languages", "export"),
    "Errors": ("errors",),
}
ALONE = {"formulations"}  #: a module, whose functions stand in the guide


def page() -> str:
    rows = [
        f"| `{group.name}` | {group.meaning} | {group.unit} | {'on line' if group.online else 'once'} |"
        for group in GROUPS.values()
    ]
    lines = [
        "# Reference", "",
        "Every public name, `rs.name` after `import robosym as rs`. A robot may be given by its name in the library or "
        "by the path of a file wherever a function takes one. Arrays: the last axis are the names of a group in the "
        "order of `model.inputs`, leading axes are a batch; matrices are (rows, columns). Angles in rad, lengths in m, "
        "masses in kg, forces in N, moments in N m.", "",
        "## Groups of inputs", "", "| group | what | unit | changes |", "| --- | --- | --- | --- |", *rows,
    ]  # fmt: skip
    left = dict(rs._HOMES)
    chapters = {title: [h for h in homes if h in left] for title, homes in CHAPTERS.items()}
    known = {home for homes in chapters.values() for home in homes}
    chapters["More"] = [home for home in left if home not in known]
    for title, homes in chapters.items():
        names = [(home, name) for home in homes for name in left[home].split() if name not in ALONE]
        if names:
            lines += ["", f"## {title}"]
        for home, name in names:
            lines += ["", f"::: robosym.{home}.{name}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
