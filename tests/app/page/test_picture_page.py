"""The picture in a real browser: sliders, selection both ways, a dragged flange, solutions, a motion that plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_steps import open_robot

import robosym as rs

_COMPILED = 90_000  #: ms until models are compiled on a loaded computer
STAGE = "document.querySelector('.stage').stage"


def shown(page: Any) -> None:
    page.wait_for_function(f"{STAGE}?.renders > 0")


def test_slider_moves_robot_and_selection_highlights_link(window: Callable[..., Any]) -> None:
    page = window()
    open_robot(page, "panda")
    shown(page)
    assert page.locator(".sl").count() == 7
    before = page.evaluate(f"{STAGE}.poses[8].slice()")
    slider = page.locator(".sl .tr").nth(1)
    field = page.locator(".sl input").nth(1)
    first = float(field.input_value().replace("\N{MINUS SIGN}", "-"))
    slider.press("Shift+ArrowRight")
    page.wait_for_function(f"Math.abs({STAGE}.poses[8][3] - ({before[3]})) > 1e-3")
    assert abs(float(field.input_value().replace("\N{MINUS SIGN}", "-")) - first - 10) < 0.11
    slider.press("Alt+ArrowLeft")
    field.fill("-20")
    field.press("Enter")
    page.wait_for_function("document.querySelectorAll('.sl .tr')[1].ariaValueNow < -0.34")
    page.evaluate(f"{STAGE}.$emit('pick', {{link: 4}})")
    page.wait_for_function(f"{STAGE}.selected === 4")
    page.wait_for_selector(".sl.on >> text=t4")
    page.wait_for_selector("tr.sel")
    page.get_by_role("button", name="Names").click()
    page.wait_for_function(f"{STAGE}.state.names === false")


def test_closed_robot_has_sliders_for_motors_and_symbols(window: Callable[..., Any]) -> None:
    page = window()
    open_robot(page, "sr400")
    shown(page)
    assert page.locator(".sl").count() == 6
    before = page.evaluate(f"{STAGE}.poses[3].slice()")
    page.locator(".sl .tr").nth(1).press("Shift+ArrowRight")
    page.wait_for_function(f"Math.abs({STAGE}.poses[3][3] - ({before[3]})) > 1e-3")
    cut, fixed = page.evaluate(f"{STAGE}.data.loops[0]")
    gap = page.evaluate(f"Math.hypot(...[3, 7, 11].map((k) => {STAGE}.poses[{cut}][k] - {STAGE}.poses[{fixed}][k]))")
    assert gap < 1e-6
    length = page.locator(".symbols input").first
    length.fill("0.4")
    length.press("Enter")
    page.wait_for_function(f"Math.abs({STAGE}.poses[2][3] - ({before[3]})) >= 0 && {STAGE}.data.solids.length > 5")
    length.fill("no number")
    length.press("Enter")
    page.wait_for_selector(".status.error")


def test_shows_solutions_and_drags_the_flange(window: Callable[..., Any]) -> None:
    page = window()
    open_robot(page, "ur5e")
    page.goto(page.url.split("?")[0] + "?view=inverse&command=inverse_geometry")
    shown(page)
    page.wait_for_function("document.querySelectorAll('.sols tbody tr').length === 8")
    assert page.locator(".step").count() == 6
    assert page.locator(".step .math").count() > 20
    page.keyboard.press("3")
    page.wait_for_selector(".sols tr.sel >> text=3")
    assert page.evaluate(f"{STAGE}.ghostGroups.length") == 7
    x, y = page.evaluate(f"(() => {{ const s = {STAGE}; return s.project(s.origin(s.data.flange)) }})()")
    box = page.locator(".stage .over").bounding_box()
    place = page.locator(".pose-fields input").first.input_value()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 20, box["y"] + y + 12, steps=4)
    page.mouse.up()
    page.wait_for_function(f"document.querySelector('.pose-fields input').value !== {place!r}")
    page.wait_for_function("document.querySelectorAll('.sols tbody tr').length > 0")
    # typing is not interrupted by the moving robot
    far, beside = (page.locator(".pose-fields input").nth(k) for k in (0, 1))
    place = beside.input_value()
    page.mouse.move(box["x"] + x + 20, box["y"] + y + 12)
    page.mouse.down()
    far.fill("9")
    page.mouse.move(box["x"] + x + 50, box["y"] + y + 40, steps=4)
    page.wait_for_function(f"document.querySelectorAll('.pose-fields input')[1].value !== {place!r}")
    page.mouse.up()
    assert far.input_value() == "9"
    far.press("Enter")
    page.wait_for_selector("text=No solutions")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as given:
        page.get_by_role("menuitem", name="Python .py").click()
    assert "def " in Path(given.value.path()).read_text(encoding="utf-8")
    page.get_by_role("radio", name="General").click()
    page.wait_for_function("document.querySelector('.same').innerText.includes('--method general')")


@pytest.mark.long
def test_plots_follow_the_animation(window: Callable[..., Any]) -> None:
    page = window()
    open_robot(page, "ur5e")
    page.goto(page.url.split("?")[0] + "?view=simulate&command=simulate")
    shown(page)
    page.get_by_label("Until").fill("0.8")
    page.locator(".sim-opt .btn.pri").click()
    page.wait_for_function(f"{STAGE}.motion && {STAGE}.now > 0")
    page.wait_for_selector(".motion-plots canvas")
    page.evaluate("window.dispatchEvent(new CustomEvent('robosym-seek', { detail: 0.5 }))")
    page.wait_for_function(f"Math.abs({STAGE}.now - 0.5) < 1e-9")
    page.wait_for_selector(".player >> text=0.50")
    page.get_by_role("radio", name="Trajectory").click()
    page.get_by_role("button", name="Add current position").click()
    page.locator(".sim-opt .sl .tr").first.press("Shift+ArrowRight")
    page.get_by_role("button", name="Add current position").click()
    page.locator(".sim-opt .btn.pri").click()
    page.wait_for_function(f"{STAGE}.motion.t.at(-1) < 4.1")


def test_values_and_picture_follow_sliders_without_the_server(
    window: Callable[..., Any], started: Callable[..., Any], tmp_path: Path
) -> None:
    """Torques are those of a compiled model in Python; after the program has ended, everything still moves."""
    program = started(tmp_path, "ur5e", "--port", "0")
    page = window(program.path, of=program)
    shown(page)
    page.locator(".live > summary").click()
    page.wait_for_selector(".live-values .effort", timeout=_COMPILED)
    program.process.kill()
    program.process.wait()
    before = page.evaluate(f"{STAGE}.poses[6].slice()")
    torques = page.locator(".live-values .effort output").all_inner_texts()
    page.locator(".sl .tr").nth(1).press("Shift+ArrowRight")
    page.wait_for_function(f"Math.abs({STAGE}.poses[6][11] - ({before[11]})) > 1e-3")
    page.wait_for_function(f"document.querySelectorAll('.live-values .effort output')[1].innerText !== '{torques[1]}'")
    q = page.evaluate(f"{STAGE}.q")
    model = rs.gravity_torques(rs.load("ur5e"))
    expected = model.compile()(q=np.array(q))
    texts = page.locator(".live-values .effort output").all_inner_texts()
    found = [float(text.split()[0].replace("\N{MINUS SIGN}", "-")) for text in texts]
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-3)
    pose = model.robot and rs.load("ur5e").draw(dict(zip(model.inputs["q"], q, strict=True))).scene.poses[6]
    np.testing.assert_allclose(np.reshape(page.evaluate(f"{STAGE}.poses[6]"), (3, 4)), pose[:3], atol=1e-9)


def test_watched_model_is_shown_beside_the_picture(window: Callable[..., Any]) -> None:
    page = window()
    open_robot(page, "scara")
    page.goto(page.url.split("?")[0] + "?view=model&command=inertia_matrix&run=1")
    page.locator(".obtn .btn").first.click()
    page.wait_for_selector(".eq")
    page.get_by_role("tab", name="Values").click()
    page.get_by_role("button", name="Watch").click()
    page.goto(page.url.split("?")[0])
    shown(page)
    page.locator(".live > summary").click()
    page.wait_for_selector(".live-values .effort", timeout=_COMPILED)
    page.locator(".live-values summary", has_text="Inertia matrix").last.click()
    page.wait_for_selector(".live-values td[title=A11]")
    plotted = page.get_by_label("Value to plot").locator("option").all_inner_texts()
    assert "A: A11" in plotted
