"""A model on the page: generated, searched, evaluated, plotted, in several languages, as a user does it."""

from __future__ import annotations

from typing import Any

from page_steps import open_robot


def test_a_model_is_generated_and_read(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    page.locator(".nav a").filter(has_text="Dynamic").first.click()
    page.locator(".nav .sub a").filter(has_text="Inverse dynamics").click()
    assert "only for a closed robot" in page.locator(".opt").inner_text()
    page.get_by_role("switch", name="Base parameters").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".eq .katex")
    assert page.locator(".total-n").inner_text() == "510"
    assert (
        "robosym inverse-dynamics rx90 --base-parameters --optimize 0 -o rx90_dyn.c"
        in page.locator(".same").inner_text()
    )
    # a variable is found, and marked in equations and code
    page.locator(".finder input").fill("NO12")
    page.wait_for_selector(".code .cl[data-d=NO12]")
    assert page.locator(".finder .n-hits").inner_text().startswith("1 of ")
    marked = "getComputedStyle(document.querySelector('{} [data-d=NO12]')).backgroundColor"
    plain = "getComputedStyle(document.querySelector('.eqs [data-d=NO22]')).backgroundColor"
    assert page.evaluate(marked.format(".eqs")) == page.evaluate(marked.format(".code")) != page.evaluate(plain)
    # another language, and another level: fewer operations
    page.locator(".tabs a").filter(has_text="Python").click()
    page.wait_for_function("document.querySelector('.code').textContent.includes('def rx90')")
    assert "rx90_dyn.py" in page.locator(".same").inner_text()
    page.locator(".lv").filter(has_text="Level 2").click()
    page.wait_for_function("+document.querySelector('.total-n').innerText < 510")
    # numbers in, numbers out, a plot over an input
    page.locator(".tabs a").filter(has_text="Values").click()
    page.get_by_label("QDP1", exact=True).fill("2")
    page.wait_for_function("[...document.querySelectorAll('.vout .num')].some(one => Number(one.innerText) !== 0)")
    page.locator(".vrow").filter(has_text="t2").first.hover()
    page.get_by_title("Plot over t2", exact=True).click()
    page.wait_for_selector(".vplot canvas")


def test_an_error_is_said_and_the_page_lives(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    key = page.url.rstrip("/").rpartition("/")[2]
    page.goto(page.url.partition("/robot/")[0] + f"/robot/{key}?view=model&command=velocities")
    page.get_by_label("Select", exact=True).fill("<script>alert(1)</script>")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".unmade")
    assert "has no variable '<script>alert(1)</script>'" in page.locator(".unmade").inner_text()
    page.get_by_label("Select", exact=True).fill("W")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".eq .katex, .mx .katex")
