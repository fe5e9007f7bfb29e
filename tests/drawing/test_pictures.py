"""Pictures are well-formed and self-contained, names are legible, and solids hide each other correctly."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from long_cases import quick_and_long
from robosym.app.cli.main import main
from robosym.drawing.convex import cast, convex_of
from robosym.drawing.marks import Label
from robosym.drawing.parts import FramePoint, Solid
from robosym.drawing.svg import painted_order

ROOT = Path(__file__).parent.parent.parent


def inside(box: tuple[float, ...], other: tuple[float, ...]) -> float:
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return max(0.0, width) * max(0.0, height)


@pytest.mark.parametrize(
    "name",
    quick_and_long(["rx90", "sr400", "akr3000", "planar3rrr", "lumped2axis", "gough", "iiwa14"], long="gough akr3000"),
)
def test_names_do_not_overlap(name: str) -> None:
    drawing = rs.load(name).draw()
    labels = [mark for mark in drawing.marks(drawing.seen()) if isinstance(mark, Label)]
    boxes = []
    for label in labels:
        w, h = label.extent
        boxes.append((label.at[0] - w, label.at[1] - h, label.at[0] + w, label.at[1] + h))
        assert boxes[-1][0] >= 0 and boxes[-1][2] <= 720 and boxes[-1][1] >= 0 and boxes[-1][3] <= 540
    worst = max((inside(a, b) for k, a in enumerate(boxes) for b in boxes[:k]), default=0.0)
    assert len(labels) >= 5 and worst < 25  # labels have about 200 square pixels each


def test_everything_is_inside_picture() -> None:
    drawing = rs.load("ur5e").draw()
    for view in ("auto", "front", "top", (33, -40)):
        seen = replace(drawing, view=view).seen()
        for body in seen.bodies:
            low, high = body.bounds
            assert (np.abs(low[:2]) <= [360, 270]).all() and (np.abs(high[:2]) <= [360, 270]).all()


def test_svg_is_well_formed_and_self_contained() -> None:
    text = rs.load("rx90").draw(select=4, dark=True).svg()
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg") and len(text) < 60_000
    assert not re.search(r"href|url\((?!#)|http(?!://www\.w3\.org/2000/svg)", text)
    assert (
        'stroke-width="2.2"' in text and 'stroke-width="2.2"' not in rs.load("rx90").draw().svg()
    )  # the selected frame


def test_page_is_interactive_and_self_contained() -> None:
    text = rs.load("gough").draw().html()
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|src=|@import", text)
    assert "webgl" in text and text.count('type="range"') == 6  # of the motors
    assert rs.load("rx90").draw().html().count('type="range"') == 6


def test_escapes_hostile_names() -> None:
    bad = '</script><script>alert("x")</script>'
    robot = rs.load("planar2r").edit(title=bad)
    robot = robot.edit({"frame3.name": "<img src=x>"})
    for text in (robot.draw().html(), robot.draw().svg(), robot.draw()._repr_html_()):
        assert "<script>alert" not in text and "<img" not in text


def test_png() -> None:
    image = pytest.importorskip("PIL.Image")
    import io

    data = rs.load("scara").draw(size=(320, 240)).png(scale=1)
    picture = image.open(io.BytesIO(data))
    assert picture.format == "PNG" and picture.size == (320, 240)
    pixels = np.asarray(picture.convert("RGB"), dtype=int)
    dark = (np.abs(pixels - [0x6E, 0x7A, 0x8D]).sum(axis=-1) < 90).mean()
    assert 0.01 < dark < 0.3  # joints are visible


def test_heights_of_solids() -> None:
    """Heights of a box and a ball by hand; view coordinates equal those of frame 0."""
    poses = np.eye(4)[None]
    box = convex_of(Solid("box", (FramePoint(0, (0, 0, -1)), FramePoint(0, (0, 0, 2))), 1.0, "link", 1), poses)
    ball = convex_of(Solid("ball", (FramePoint(0, (0, 0, 1)),), 2.0, "link", 1), poses)
    tube = convex_of(Solid("tube", (FramePoint(0, (-3, 0, 0)), FramePoint(0, (3, 0, 0))), 1.0, "link", 1, 1.0), poses)
    assert box and ball and tube
    x, y = np.array([0.0, 0.9, 1.1]), np.zeros(3)
    assert np.array_equal(cast(box, x, y)[0], [2, 2, -np.inf])
    assert np.allclose(cast(ball, x, y)[0], 1 + np.sqrt(4 - x**2))
    height, normals = cast(tube, np.zeros(2), np.array([0.0, 0.6]))
    assert np.allclose(height, [1, 0.8], atol=0.01) and np.allclose(normals[1], [0, 0.6, 0.8], atol=0.02)


def test_paints_from_back_to_front() -> None:
    depths = np.array([[3.0, 3.0, -np.inf], [1.0, -np.inf, 1.0], [-np.inf, 2.0, 2.0]])
    assert painted_order(depths) == [1, 2, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "fron"}, "did you mean 'front'"),
        ({"view": (0, 120)}, "elevation from -90 to 90"),
        ({"size": (1, 1)}, "of 64 to 4000 pixels"),
        ({"size": "big"}, "such as 720x540"),
        ({"hide": ["name"]}, "did you mean 'names'"),
        ({"select": 9}, "frames 1 to 6"),
    ],
)
def test_rejects_invalid_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(rs.InputError, match=message):
        rs.draw(rs.load("rx90"), **options)  # type: ignore[arg-type]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("arm.svg", "arm.html"):
        line = ["draw", "rx90", *"--joint t2=Pi/3 --view -50,20 --size 320x240 -o".split(), str(tmp_path / name)]
        assert main(line) == 0 and (tmp_path / name).stat().st_size > 5000
    assert main(["draw", "rx90", "-o", str(tmp_path / "arm.jpg")]) == 1
    assert "expected a name that ends in .svg, .png, .html" in capsys.readouterr().err
    assert main(["draw", "rx90", "--joint", "t2"]) == 1
    assert "NAME=NUMBER" in capsys.readouterr().err
