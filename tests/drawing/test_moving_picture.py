"""Animated pictures of motions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import robosym as rs

Image = pytest.importorskip("PIL.Image")


def test_pictures_play_the_motion(tmp_path: Path) -> None:
    run = rs.simulate(rs.load("planar2r"), q=[0.0, 0.0], until=0.4)
    for name, kind in (("fall.gif", "GIF"), ("fall.png", "PNG")):
        image = Image.open(run.animate(tmp_path / name))
        assert image.format == kind and image.n_frames == 7
        frames = []
        for number in range(image.n_frames):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB"), dtype=int))
        assert all(np.abs(a - b).max() > 50 for a, b in pairwise(frames))


def test_rejects_other_extensions(tmp_path: Path) -> None:
    run = rs.simulate(rs.load("planar2r"), q=[0.0, 0.0], until=0.1)
    with pytest.raises(rs.FormatError, match=r"expected \.html, \.gif or \.png, found \.mp4"):
        run.animate(tmp_path / "fall.mp4")
