"""On phones and at a zoom of 200 %, every view fits the window, and tabs replace its columns."""

from __future__ import annotations

from typing import Any

import pytest
from page_steps import open_robot

from long_cases import quick_and_long

OUTSIDE = """() => [...document.querySelectorAll(".top *, .menus > a, .panetabs a, .obtn .btn, .head > *, .pose-do *")]
  .filter((one) => one.offsetParent && one.getBoundingClientRect().width > 1 && !one.closest(".sub, .seg"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize(("width", "height"), quick_and_long([(390, 844), (640, 360)], long=[(640, 360)]))
def test_every_view_fits(window: Any, width: int, height: int) -> None:
    page = window()
    page.set_viewport_size({"width": width, "height": height})
    open_robot(page, "planar2r")
    address = page.url.partition("?")[0]
    picture = page.locator(".robot > .side").bounding_box()
    assert picture["y"] > page.locator(".sections").bounding_box()["y"]  # below the tables
    assert page.evaluate(OUTSIDE) == []
    for view, panes in {
        "model&command=inverse_dynamics": ("Options", "Result", "Code"),
        "inverse&command=inverse_geometry": ("Pose and solutions", "Steps"),
        "simulate&command=simulate": ("Options", "Picture", "Plots"),
        "identification&command=identify": ("Options", "Fit"),
        "history": (),
    }.items():
        page.goto(f"{address}?view={view}")
        page.wait_for_selector(".main > .head h1")
        if panes:
            page.wait_for_selector(".panetabs a.on")
        for pane in panes:
            page.get_by_role("tab", name=pane, exact=True).click()
            shown = page.locator("[data-pane]:visible")
            assert shown.count() >= 1 and shown.first.bounding_box()["width"] > 0.9 * width
        assert page.evaluate(OUTSIDE) == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_divider_resizes_the_picture(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    side = page.locator(".robot > .side")
    before = side.bounding_box()["width"]
    box = page.locator(".divider").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] - 98, box["y"] + 200)
    page.mouse.up()
    assert abs(side.bounding_box()["width"] - before - 100) < 3
    page.locator(".divider").focus()
    page.keyboard.press("ArrowRight")
    assert abs(side.bounding_box()["width"] - before - 76) < 3
    page.reload()
    page.wait_for_selector(".divider")
    assert abs(side.bounding_box()["width"] - before - 76) < 3
