"""The live pages of the documentation."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

from oracles.pinocchio import Oracle

ROOT = Path(__file__).resolve().parents[1]


def test_pages_of_the_documentation_exist() -> None:
    demo = runpy.run_path(str(ROOT / "tools" / "demo.py"))
    page = (ROOT / "docs" / "demo.md").read_text(encoding="utf-8")
    assert all(f"demo/{name}.html" in page for name in demo["PAGES"])
    text = demo["page"]("rx90")
    assert "Stäubli RX90" in text and len(text) < 250_000


def test_arm_of_the_demonstration_has_numbers() -> None:
    arm = runpy.run_path(str(ROOT / "tools" / "demo.py"))["rx90"]()
    q = np.array([0.5, 1.1, -2.4, 0.3, 1.0, 0.2])
    assert np.abs(Oracle(arm, {}).torques(q, 0 * q, 0 * q, {})).max() > 10
