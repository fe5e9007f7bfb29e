"""The gallery in the docs contains what the package draws, for every robot of the library."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import robosym as rs
from long_cases import quick_and_long

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import gallery  # noqa: E402

#: a robot of each kind; others are drawn by the same code
DRAWN = {"fivebar", "planar3rrr", "cable8", "gs_tree", "sr400", "gen3", "scara", "tricept_wrist"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.mark.parametrize(
    "name", quick_and_long(rs.library(), long=[name for name in rs.library() if name not in DRAWN])
)
def test_pictures_are_up_to_date(name: str) -> None:
    """Compare elements; numbers may differ by a pixel between machines."""
    kept, made = (ROOT / "docs" / "gallery" / f"{name}.svg").read_text(encoding="utf-8"), gallery.picture(name)
    assert re.findall(r"<\w+", kept) == re.findall(r"<\w+", made)
    shapes = [re.findall(r'(?:cx|cy|x|y|rx|ry)="([^"]*)"', text) for text in (kept, made)]
    assert all(abs(float(a) - float(b)) < 1.5 for a, b in zip(*shapes, strict=True) if NUMBER.fullmatch(a))


def test_page_lists_every_robot() -> None:
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [*rs.library(), "Next"]
    for name in ("rx90", "planar2r"):
        assert f"| {' | '.join(gallery.facts(name))} |" in text
