"""No view has a critical or serious violation of the rules of axe-core, with the light and the dark theme."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from page_steps import open_robot

import robosym as rs
from cases.arm_logs import log_file, robot_file

axe = pytest.importorskip("axe_playwright_python", reason="axe-core is not installed")
RULES = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
CHECK = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => ["critical", "serious"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ").slice(0, 400)}`)"""


def check(page: Any) -> None:
    if not page.evaluate("!!window.axe"):
        page.evaluate(RULES)
    for theme in ("dark", "light"):
        page.evaluate(f"robosym.theme({theme!r})")
        assert page.evaluate(CHECK) == [], f"{page.url}, {theme}"


def view(page: Any, wait: str, **what: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in what.items())
    page.goto(f"{page.url.partition('?')[0]}?{query}")
    page.wait_for_selector(wait)


def test_start_and_dialogs(window: Any) -> None:
    page = window()
    check(page)
    for key, shown in (("n", ".new"), ("?", ".keys"), ("Control+k", ".palette")):
        page.keyboard.press(key)
        page.wait_for_selector(shown)
        check(page)
        page.keyboard.press("Escape")
        page.wait_for_selector(shown, state="detached")


def test_robot_models_and_solutions(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    page.wait_for_selector(".stage canvas")
    page.locator(".cells td[data-cell]").first.click()
    check(page)
    page.locator("[data-table=frames]").locator("td[data-column=theta]").last.dblclick()
    page.keyboard.type("t1")  # twice: an error below its cell
    page.keyboard.press("Enter")
    page.wait_for_selector(".cells .pop")
    check(page)
    page.keyboard.press("Control+z")
    view(page, ".eq .math", view="model", command="inverse_dynamics", run="1")
    check(page)
    page.get_by_role("tab", name="Values").click()
    page.get_by_title("Plot over t1", exact=True).click()
    page.wait_for_selector(".vplot canvas")
    check(page)
    view(page, ".nt td", view="model", command="base_parameters", run="1")
    check(page)
    view(page, ".sols tbody tr", view="inverse", command="inverse_geometry")
    check(page)
    view(page, ".hist tbody tr", view="history")
    check(page)


@pytest.mark.long
def test_failures_and_motions(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    view(page, ".obtn .btn", view="model", command="inverse_dynamics")
    page.get_by_label("Keep only", exact=True).fill("GMA1")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".unmade")
    check(page)
    view(page, ".sim-opt", view="simulate", command="simulate")
    page.get_by_role("radio", name="Trajectory").click()
    page.get_by_role("button", name="Add current position").click()
    page.locator(".sim-opt .obtn .btn").click()
    page.wait_for_selector(".motion-plots canvas")
    page.wait_for_timeout(300)
    check(page)


@pytest.mark.long
def test_identification(window: Any, tmp_path: Path) -> None:
    robot = robot_file(tmp_path)
    log_file(rs.load(robot), tmp_path / "run.csv")
    page = window()
    page.locator("input[type=file]").first.set_input_files(str(robot))
    page.wait_for_selector(".cells td")
    view(page, ".dropzone", view="identification", command="identify")
    check(page)
    page.locator("input[type=file]").first.set_input_files(str(tmp_path / "run.csv"))
    page.wait_for_selector(".filecard")
    check(page)
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".pars tbody tr")
    page.wait_for_selector(".plots canvas")
    check(page)
