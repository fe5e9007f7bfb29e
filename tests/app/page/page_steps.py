"""Frequent actions of a user on the page."""

from __future__ import annotations

from typing import Any

__all__ = ["cell", "open_robot"]


def open_robot(page: Any, name: str) -> None:
    """Choose a robot of the library on the first screen."""
    card = page.locator(".rc").filter(has=page.get_by_text(name, exact=True)).first
    if card.count() == 0:  # the first cards are not all
        page.locator(".more-all").click()
    card.click()
    page.wait_for_url("**/robot/**")
    page.wait_for_selector(".cells td")


def cell(page: Any, table: str, row: int, column: str) -> Any:
    """A cell of a table by the key of its column."""
    return page.locator(f'[data-table="{table}"] td[data-cell^="{row} "][data-column="{column}"]')
