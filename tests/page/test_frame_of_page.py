"""The frame of the page in a real browser."""

from __future__ import annotations

from typing import Any

from page_steps import open_robot


def test_a_robot_of_the_library_is_opened(window: Any) -> None:
    page = window()
    assert page.locator("h1").first.inner_text() == "Open a robot"
    open_robot(page, "rx90")
    assert "RX90" in page.locator(".titlefield").input_value()
    page.reload()
    page.wait_for_selector(".titlefield")
    assert "RX90" in page.locator(".titlefield").input_value()
    page.get_by_title("Dark theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
