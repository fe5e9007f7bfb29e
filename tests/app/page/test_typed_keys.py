"""Keys that are typed arrive: in every field of the views, at any speed, while jobs run and the robot moves."""

from __future__ import annotations

from typing import Any

import pytest
from page_steps import cell, open_robot
from playwright.sync_api import expect

from long_cases import quick_and_long

FIELDS = ".opt input:visible:not([type=checkbox]):not([type=file])"


VIEWS = ("simulate&command=simulate", "model&command=inverse_dynamics", "model&command=excite")


@pytest.mark.parametrize(
    ("view", "delay"),
    quick_and_long(
        [(view, delay) for view in VIEWS for delay in (0, 60)], long=[(VIEWS[0], 60), (VIEWS[1], 0), (VIEWS[2], 60)]
    ),
)
def test_every_field_keeps_what_is_typed(window: Any, view: str, delay: int) -> None:
    page = window()
    open_robot(page, "ur5e")
    page.goto(f"{page.url.partition('?')[0]}?view={view}")
    page.wait_for_selector(FIELDS)
    page.evaluate("document.querySelectorAll('details.more-opt').forEach((fold) => { fold.open = true })")
    fields = page.locator(FIELDS)
    names = [field.get_attribute("aria-label") for field in fields.all()]
    assert len(names) >= 5
    for number, name in enumerate(names):
        field = fields.nth(number)
        field.click()
        page.keyboard.type(f"0.75{number}", delay=delay)
        assert field.input_value() == f"0.75{number}", name
    page.wait_for_timeout(300)  # answers of the server
    assert [field.input_value() for field in fields.all()] == [f"0.75{number}" for number in range(len(names))]


def test_fields_keep_keys_while_a_job_runs(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    page.goto(f"{page.url.partition('?')[0]}?view=model&command=inverse_dynamics")
    page.get_by_role("radio", name="Max", exact=True).click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".obtn .spin")
    field = page.get_by_label("Keep only", exact=True)
    field.click()
    page.keyboard.type("GAM1, GAM2", delay=150)  # longer than the job bar needs to appear
    assert field.input_value() == "GAM1, GAM2"
    page.wait_for_selector(".eq .math")
    assert field.input_value() == "GAM1, GAM2"


def test_dialog_keeps_name_of_new_robot(window: Any) -> None:
    page = window()
    page.keyboard.press("n")
    page.wait_for_selector(".new")
    field = page.locator(".new").get_by_label("name", exact=True)
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("my_arm", delay=60)
    page.locator(".new").get_by_role("radio", name="Parallel", exact=True).click()
    page.wait_for_timeout(300)
    assert field.input_value() == "my_arm"
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/robot/**")
    page.wait_for_selector(".pick")
    assert "my_arm" in page.locator(".pick").inner_text()


def test_cells_and_blocks_are_typed_copied_and_pasted(window: Any) -> None:
    page = window(permissions=["clipboard-read", "clipboard-write"])
    open_robot(page, "planar2r")
    cell(page, "frames", 0, "gamma").click()
    page.keyboard.type("0.25", delay=30)
    page.keyboard.press("Tab")
    page.keyboard.type("0.5", delay=0)
    page.keyboard.press("Enter")
    expect(cell(page, "frames", 0, "gamma")).to_have_text("0.25")
    expect(cell(page, "frames", 0, "b")).to_have_text("0.5")
    cell(page, "frames", 0, "gamma").click()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == "0.25\t0.5"
    cell(page, "frames", 1, "gamma").click()
    page.keyboard.press("Control+v")
    expect(cell(page, "frames", 1, "b")).to_have_text("0.5")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Delete")
    expect(cell(page, "frames", 1, "b")).to_have_text("0")


def test_message_is_above_its_cell(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    cell(page, "frames", 1, "theta").dblclick()
    page.keyboard.type("t1")
    page.wait_for_selector(".cells .pop")
    message, here = page.locator(".cells .pop").bounding_box(), cell(page, "frames", 1, "theta").bounding_box()
    assert message["y"] + message["height"] <= here["y"] + 1
