"""Measure the response time of the page to a click, the size of its source, and conversions of an edited robot to text.

Without Chromium, measurements in a browser are skipped.
"""

from __future__ import annotations

import os
import pickle
import statistics
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

from page import CHROMIUM, CLICK, FLAGS, PATIENCE, program
from table import Row, print_table, spread_of

import robosym as rs
from robosym.formats.yaml import read_description, write_yaml

CLICKS = 20
APP = Path(rs.__file__).parent / "app"
CONVERSIONS = (read_description.__code__, write_yaml.__code__)  #: conversions between text and robots


def click_to_equations(browser: Any) -> list[float]:
    """Return the times from clicks on Generate to the equations of the RX90's inverse dynamics, in ms.

    Every click requests a different function name, so that no earlier result is reused.
    """
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    times = []
    with program("rx90") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        page.wait_for_timeout(3000)  # meanwhile a process is started
        page.goto(f"{address.partition('?')[0]}?view=model&command=inverse_dynamics")
        page.wait_for_selector(".obtn .btn")
        for number in range(CLICKS):
            page.locator("details.more-opt").evaluate("(fold) => { fold.open = true }")
            page.get_by_label("Name", exact=True).fill(f"torques{number}")
            page.wait_for_timeout(2000)  # meanwhile operations at other levels are counted
            times.append(float(page.evaluate(CLICK)))
        page.close()
    return times


def conversions() -> int:
    """Return how often a robot is parsed or printed between the edit of a cell and the new model."""
    from robosym.app.session import Sessions
    from robosym.app.session.generation import generate

    count = 0

    def called(frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code in CONVERSIONS

    with tempfile.TemporaryDirectory() as state:
        os.environ["ROBOSYM_STATE"] = state
        session = Sessions(keep=False).open("rx90")
        sys.setprofile(called)
        try:
            session.document.edit("frames", 2, "d", "0.45")
            request = session.results.request("inverse_dynamics", {})
            generate(pickle.loads(pickle.dumps(request)))  # as it is sent to a worker
        finally:
            sys.setprofile(None)
    return count


def sizes() -> list[Row]:
    """Return rows with the numbers of lines of the source."""
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in APP.rglob("*.py")}
    own = {path: count for path, count in lines.items() if path.parent.name in ("page", "session")}
    return [
        Row("lines of the largest file of page and session", max(own.values()), 350),
        Row("lines of app", sum(lines.values()), 10_500),
    ]


def main() -> None:
    rows = []
    if CHROMIUM is not None:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            times = click_to_equations(browser)
            browser.close()
        what = "ms from a click to the equations of RX90's inverse dynamics, page open"
        rows.append(Row(what, statistics.median(times), 150, spread=spread_of(times)))
    rows += sizes()
    rows.append(Row("robots parsed or printed between an edit and its model", conversions(), 1))
    print_table("Clicks on the page", rows)


if __name__ == "__main__":
    main()
