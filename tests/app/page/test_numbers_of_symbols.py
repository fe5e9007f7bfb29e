"""Commands that need numbers ask for those of all symbols once; a button that cannot work says what is needed."""

from __future__ import annotations

from typing import Any

import pytest
from page_steps import open_robot

import robosym as rs
from robosym.drawing.example_values import example_values, geometric_symbols


def test_numbers_are_asked_once(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    address = page.url.partition("?")[0]
    page.goto(f"{address}?view=model&command=bundle")
    needed = page.locator(".blocked")
    needed.wait_for()
    assert needed.inner_text() == "Needed: numbers of 81 symbols"
    assert page.locator(".obtn .btn").is_disabled()
    field = page.get_by_label("D3", exact=True)
    field.click()
    page.keyboard.type("0.62", delay=40)
    page.keyboard.press("Tab")
    page.get_by_text("Needed: numbers of 80 symbols").wait_for()
    assert field.input_value() == "0.62"
    page.get_by_role("button", name="Example numbers").click()
    needed.wait_for(state="detached")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".nt td")
    assert "rx90_c/rx90_igm.c" in page.locator(".nt").inner_text()
    assert "--set D3=0.62" in page.locator(".same").inner_text()
    page.goto(f"{address}?view=simulate&command=simulate")  # the same numbers elsewhere
    page.get_by_text("81 of 81").wait_for()
    page.goto(address)
    page.wait_for_selector(".symbols")
    assert page.locator(".symbols").get_by_label("D3").input_value() == "0.62"


def test_inputs_that_are_missing_are_named(window: Any) -> None:
    page = window()
    open_robot(page, "delta")
    page.goto(f"{page.url.partition('?')[0]}?view=model&command=workspace")
    page.get_by_text("Needed: one of X, Y, Z, Roll, Pitch, Yaw").wait_for()
    page.get_by_label("X", exact=True).click()
    page.keyboard.type("-0.1:0.1:3", delay=30)
    page.locator(".blocked").wait_for(state="detached")
    assert page.get_by_label("X", exact=True).input_value() == "-0.1:0.1:3"


@pytest.mark.parametrize("name", ["rx90", "sr400", "delta", "gough_stewart", "tricept_wrist"])
def test_example_numbers_are_complete_and_consistent(name: str) -> None:
    robot = rs.load(name)
    values = example_values(robot)
    assert set(geometric_symbols(robot)) <= set(values)
    numeric = robot.with_values(values)
    assert not any("inertia" in remark for remark in numeric.check())
    model = rs.inverse_dynamics(numeric)
    assert not model.inputs["parameters"] if "parameters" in model.inputs else True
