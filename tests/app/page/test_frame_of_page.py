"""The frame of the page in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from page_steps import open_robot
from playwright.sync_api import expect

from robosym.app.menus import COMMANDS, MENUS
from robosym.app.page.finder import HIDDEN, words

_PATIENCE = 25_000  # ms


def test_opens_library_robot(window: Any) -> None:
    page = window()
    assert page.locator("h1").first.inner_text() == "Open a robot"
    open_robot(page, "rx90")
    assert "RX90" in page.locator(".titlefield").input_value()
    page.reload()
    page.wait_for_selector(".titlefield")
    assert "RX90" in page.locator(".titlefield").input_value()
    page.get_by_title("Dark theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.long
def test_every_command_opens_from_its_menu(window: Any) -> None:
    """Each by a click, from whatever was shown before; what fails is in the program's standard error."""
    page = window()
    open_robot(page, "rx90")
    for menu in MENUS[1:]:
        page.locator(".nav").get_by_title(menu, exact=True).click()
        for command in (c for c in COMMANDS.values() if c.menu == menu and c.name not in HIDDEN):
            entry = page.locator(".nav .sub a").filter(has_text=re.compile(f"^{re.escape(words(command.name))}$"))
            entry.click()
            expect(entry).to_have_class(re.compile("on"), timeout=_PATIENCE)
