"""Identification in a browser: a log is dropped, its columns chosen, fitted, downloaded; it outlives a kill."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest_of_page import Served, until

import robosym as rs
from cases.arm_logs import FV, log_file, robot_file

CHOICES = {"Time": "clock", "Positions, rad": "axis1 \u2026 axis2", "Torques, N m": "moment1 \u2026 moment2"}


def saved(page: Any, button: str) -> str:
    """The file that a button gives."""
    with page.expect_download() as given:
        page.get_by_role("button", name=button).click()
    return Path(given.value.path()).read_text(encoding="utf-8")


@pytest.mark.long
def test_fits_a_log_and_restores_the_result(
    served: Served, started: Callable[..., Served], window: Any, tmp_path: Path
) -> None:
    robot = robot_file(tmp_path)
    log_file(rs.load(robot), tmp_path / "run.csv", ("clock", "axis", "moment"))
    page = window()
    page.locator("input[type=file]").first.set_input_files(str(robot))
    page.wait_for_selector(".cells td")
    page.goto(page.url.partition("?")[0] + "?view=identification&command=identify")
    page.wait_for_selector(".dropzone")
    page.locator("input[type=file]").first.set_input_files(str(tmp_path / "run.csv"))
    for label, choice in CHOICES.items():
        page.get_by_label(label, exact=True).select_option(choice)
        if label == "Time":  # the step is no longer asked for
            page.wait_for_selector("[aria-label=Step]", state="detached")
    until(lambda: any("moment1" in one.read_text() for one in (served.folder / "open").glob("*.json")))
    served.end(signal.SIGKILL)  # before anything is fitted: log and columns are there again
    again = started(served.folder, "--port", served.host.rpartition(":")[2])
    page.goto(f"http://{again.host}{page.url.partition(served.host)[2]}")
    page.wait_for_function("document.querySelector(\"[aria-label='Torques, N m']\")?.value.startsWith('moment1')")
    page.get_by_label("Low-pass filter").fill("8")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".pars tbody tr")
    rows = dict(row.split("\t")[:2] for row in page.locator(".pars tbody").inner_text().splitlines() if "\t" in row)
    assert abs(float(rows["FV1"]) - FV[0]) < 0.05
    page.wait_for_selector(".plots canvas")
    assert page.locator(".plots canvas").count() == 2
    page.get_by_role("radio", name="Histogram").click()
    assert "<html" in saved(page, "Report")
    assert rs.loads(saved(page, "Robot with values"), format="yaml").name == rs.load(robot).name
    assert "robosym identify arm.yaml run.csv" in page.locator(".status").inner_text()
    page.locator(".nav a").filter(has_text="History").click()
    page.get_by_role("button", name="Restore").first.click()
    page.wait_for_selector(".pars tbody tr")
