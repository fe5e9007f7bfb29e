"""What was generated comes back: over a reload, from the history, two compared; long work is canceled."""

from __future__ import annotations

from typing import Any

import pytest
from page_steps import open_robot


def asked(page: Any, command: str) -> None:
    """Open the view of a command by its address, as a reload does."""
    page.goto(page.url.partition("?")[0] + f"?view=model&command={command}")
    page.wait_for_selector(".obtn .btn")


@pytest.mark.long
def test_restores_and_compares_entries(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    asked(page, "velocities")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".eq .math, .mx .math")
    page.reload()
    page.wait_for_selector(".eq .math, .mx .math")  # what was generated is there at once
    page.get_by_role("radio", name="1", exact=True).click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelector('.same').innerText.includes('--optimize 1')")
    page.locator(".nav a").filter(has_text="History").click()
    page.wait_for_selector(".hist tbody tr:nth-child(2)")
    for row in (0, 1):
        page.locator(".hist input").nth(row).click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_selector(".diffs")
    text = page.locator(".versus").inner_text()
    assert text.count("robosym velocities planar2r") == 2 and "Optimize" in text and "Operations" in text
    page.wait_for_selector(".diffs .dl, .diffs .gap")
    page.get_by_role("button", name="Restore").first.click()
    page.wait_for_selector(".eq .math, .mx .math")
    assert "--optimize 0" in page.locator(".same").inner_text()


@pytest.mark.long
def test_long_job_shows_progress_and_can_be_canceled(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    asked(page, "lagrange")
    for choice in ("Expanded", "Max"):
        page.get_by_role("radio", name=choice).click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".jobs .job")
    asked(page, "transform")  # another view, while the job is running
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".mx .math")
    page.locator(".jobs .job").get_by_role("button", name="Cancel").click()
    page.wait_for_selector(".jobs .job", state="detached")
