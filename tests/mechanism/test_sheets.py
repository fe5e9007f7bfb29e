"""Display of robots: one line, text tables, notebook tables; `show` uses five digits on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import robosym as rs


def test_one_line() -> None:
    assert repr(rs.load("rx90")) == "<Robot rx90: Stäubli RX90 (symbolic); simple, 6 joints>"
    assert repr(rs.load("delta")).startswith("<Robot delta: ")
    assert repr(rs.load("tricept_wrist")).startswith("<Robot tricept_wrist: ")


def test_print_shows_full_precision() -> None:
    text = str(rs.load("ur5e"))
    assert "0.000187430297565" in text and "Inertia at the frame's origin (kg m^2, kg m, kg)" in text
    assert "Wrench" not in text
    assert "Wrench of the link on its environment, in its frame (N, N m)" in str(rs.load("planar_mobile"))


@pytest.mark.parametrize("name", ["rx90", "sr400", "delta", "tricept_wrist"])
def test_notebook_shows_tables(name: str) -> None:
    robot = rs.load(name)
    root = ElementTree.fromstring(robot._repr_html_())
    assert root.findall(".//table") and "0" in {cell.text for cell in root.iter("td")}
    base = ElementTree.fromstring(rs.base_parameters("planar2r")._repr_html_())
    assert [cell.text for cell in base.iter("th")] == ["parameter", "of standard parameters"]


def test_names_are_escaped() -> None:
    bad = rs.load("planar2r").edit(title="<script>x</script>")
    assert "<script>" not in bad._repr_html_()


def shown(terminal: bool) -> str:
    command = [sys.executable, "-m", "robosym.app.cli.main", "show", "ur5e"]
    if not terminal:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdout=slave, stderr=subprocess.DEVNULL, env=os.environ | {"COLUMNS": "80"})
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    process.wait(timeout=60)
    return re.sub(r"\x1b\[[0-9;?]*\w", "", text.decode())


def test_show_shortens_numbers_on_terminal_only() -> None:
    screen, pipe = shown(True), shown(False)
    assert "0.00018743 " in screen and "…" not in screen and "0.000187430297565" not in screen
    assert "0.000187430297565" in pipe and "kg m^2" in pipe and "(m/s^2, in frame 0)" in pipe
