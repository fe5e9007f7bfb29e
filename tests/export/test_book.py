"""Books of robots: chapters, checked numbers, and files."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from robosym.export.book.blocks import segments
from robosym.export.book.number_checks import energy_at, frame_poses


@pytest.fixture(scope="module")
def planar() -> rs.Book:
    return rs.book(rs.load("planar2r"))


def test_numbers_of_a_book_agree_with_other_sources(planar: rs.Book) -> None:
    assert {one.unit for one in planar.comparisons} == {"m", "m/s", "W"}
    assert max(one.difference for one in planar.comparisons) < 1e-8
    assert any(abs(one.model) > 1 for one in planar.comparisons)


def test_energy_by_differences_is_that_of_bars() -> None:
    """The energy by differences is that of a point mass on a circle."""
    robot = rs.load("planar2r")
    path = lambda t: {"t1": 2.0 * t, "t2": 0.0}  # noqa: E731
    assert energy_at(robot, path, 0.0) == pytest.approx((1 / 3 + 1 / 3 + 1 + 2 * 0.5) * 4 / 2, rel=1e-9)
    poses = frame_poses(robot, {"t1": 0.3, "t2": 0.4})
    np.testing.assert_allclose(poses[3, :2, 3], [np.cos(0.3) + np.cos(0.7), np.sin(0.3) + np.sin(0.7)])


def test_chapters_depend_on_the_robot(planar: rs.Book) -> None:
    titles = [chapter.title for chapter in planar.chapters]
    for title in ("Description", "Inverse geometric model", "Dynamics", "Base inertial parameters", "Checked numbers"):
        assert title in titles
    assert "Closed loops" not in titles and "Generated code" in titles


def test_page_is_self_contained(planar: rs.Book, tmp_path: Path) -> None:
    text = planar.write(tmp_path / "arm.html").read_text(encoding="utf-8")
    HTMLParser().feed(text)
    outside = [link for link in re.findall(r"(?:src|href)=[\"']([^\"']+)", text) if link.startswith(("http", "//"))]
    assert not outside and text.count("<math") > 100 and "<iframe srcdoc" in text
    assert text.count("<section") == text.count("</section>") == len(planar.chapters)


def test_pdf_has_all_chapters(planar: rs.Book, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    data = planar.write(tmp_path / "arm.pdf").read_bytes()
    assert data.startswith(b"%PDF") and 8 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 40


def test_latex_names_its_pictures(planar: rs.Book, tmp_path: Path) -> None:
    text = planar.write(tmp_path / "arm.tex").read_text(encoding="utf-8")
    for name in re.findall(r"includegraphics\[[^]]*\]{([^}]*)}", text):
        assert (tmp_path / f"{name}.svg").exists()
    assert text.count(r"\begin{") == text.count(r"\end{") and text.count(r"\chapter{") == len(planar.chapters)


def test_rejects_other_extensions(planar: rs.Book, tmp_path: Path) -> None:
    with pytest.raises(rs.InputError, match=r"expected an extension of \.pdf, \.html, \.tex, \.typ"):
        planar.write(tmp_path / "arm.doc")


def test_text_has_formulas_and_code() -> None:
    assert segments("a $x$ and `y`") == [("text", "a "), ("math", "x"), ("text", " and "), ("code", "y")]
