"""Write screenshots of the page, taken in Chromium, to docs/pictures: `python tools/screenshots.py [view ...]`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
LARGE, SMALL, TABLET = (1440, 900), (1280, 720), (1024, 768)
_SETTLED = 700  # ms


def _write(data: bytes, path: Path) -> None:
    """Write a PNG file with 256 colors, which takes a third of the bytes without a visible difference."""
    from io import BytesIO

    from PIL import Image

    Image.open(BytesIO(data)).convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)


def _open(page: Any, name: str) -> None:
    page.locator(".rc").filter(has=page.get_by_text(name, exact=True)).first.click()
    page.wait_for_url("**/robot/**")
    page.wait_for_selector(".cells td")


def start(page: Any) -> None:
    page.wait_for_selector(".rc img")


def robot(page: Any) -> None:
    _open(page, "rx90")
    cell = page.locator('[data-table="frames"] [data-cell="5 7"]')
    cell.dblclick()
    page.keyboard.type("t4")
    page.keyboard.press("Enter")
    page.locator('[data-table="frames"] tbody td.h').nth(3).click()
    page.wait_for_selector(".pop")


def new(page: Any) -> None:
    page.keyboard.press("n")
    page.wait_for_selector(".new")


def search(page: Any) -> None:
    _open(page, "rx90")
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette")
    page.keyboard.type("inert")


def keys(page: Any) -> None:
    page.keyboard.press("?")
    page.wait_for_selector(".keyboard")


def parallel(page: Any) -> None:
    _open(page, "delta")


def inverse(page: Any) -> None:
    _open(page, "ur5e")
    page.goto(page.url.split("?")[0] + "?view=inverse&command=inverse_geometry")
    page.wait_for_selector(".sols tbody tr")
    page.locator(".sols tbody tr").nth(4).click()


def simulate(page: Any) -> None:
    _open(page, "puma560")
    page.goto(page.url.split("?")[0] + "?view=simulate&command=simulate")
    page.locator(".sim-opt .btn.pri").click()
    page.wait_for_selector(".player >> text=/ 10.00 s/")
    page.evaluate("window.dispatchEvent(new CustomEvent('robosym-seek', { detail: 1.2 }))")


def closed(page: Any) -> None:
    _open(page, "sr400")


def _command(page: Any, robot_name: str, view: str, command: str) -> None:
    _open(page, robot_name)
    page.goto(f"{page.url}?view={view}&command={command}")
    page.wait_for_selector(".head h1, .head .b")
    page.wait_for_timeout(_SETTLED)


def model(page: Any) -> None:
    _command(page, "rx90", "model", "inverse_dynamics")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".res .math")
    page.wait_for_timeout(4 * _SETTLED)


def identification(page: Any) -> None:
    _command(page, "puma560", "identification", "identify")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "puma560_run3.csv", "mimeType": "text/csv", "buffer": _log("puma560")}
    )
    page.wait_for_timeout(4 * _SETTLED)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".pars tbody tr")
    page.wait_for_timeout(4 * _SETTLED)


def history(page: Any) -> None:
    model(page)
    page.goto(f"{page.url.partition('?')[0]}?view=history")
    page.wait_for_timeout(4 * _SETTLED)


def compare(page: Any) -> None:
    """Compare two entries of the history."""
    model(page)
    page.get_by_role("radio", name="2", exact=True).click()
    page.wait_for_timeout(_SETTLED)
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelector('.same').innerText.includes('--optimize 2')")
    page.goto(f"{page.url.partition('?')[0]}?view=history")
    for row in (1, 0):
        page.locator(".hist input").nth(row).click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_selector(".diffs .dl")


def _log(name: str) -> bytes:
    """Return a log of a library robot as CSV: a motion, and the torques of the inverse model with noise."""
    import numpy as np

    import robosym as rs
    from robosym.algebra.generic import random_arrays

    robot = rs.load(name)
    n, t = len(robot.joint_names), np.arange(0, 20, 0.002)
    noise = random_arrays("exciting motions")
    q, qd, qdd = (np.zeros((len(t), n)) for _ in range(3))
    for k in range(1, 6):
        w = 2 * np.pi * k / 20
        a, b = 1.2 * noise.standard_normal((2, n)) / k
        q += a * np.sin(w * t[:, None]) + b * np.cos(w * t[:, None])
        qd += w * (a * np.cos(w * t[:, None]) - b * np.sin(w * t[:, None]))
        qdd -= w * w * (a * np.sin(w * t[:, None]) + b * np.cos(w * t[:, None]))
    tau = rs.inverse_dynamics(robot).compile()(q=q, qd=qd, qdd=qdd)
    tau = tau + 0.02 * np.abs(tau).max(axis=0) * noise.standard_normal(tau.shape)
    names = ",".join(["t", *(f"q{j}" for j in range(1, n + 1)), *(f"tau{j}" for j in range(1, n + 1))])
    rows = "\n".join(",".join(f"{value:.9g}" for value in row) for row in np.hstack([t[:, None], q, tau]))
    return f"{names}\n{rows}\n".encode()


#: name, size, theme and the actions before the screenshot
VIEWS: list[tuple[str, tuple[int, int], str, Callable[[Any], None]]] = [
    ("start", LARGE, "light", start),
    ("start-dark", LARGE, "dark", start),
    ("robot", LARGE, "light", robot),
    ("robot-dark", LARGE, "dark", robot),
    ("robot-small", SMALL, "light", robot),
    ("robot-tablet", TABLET, "light", robot),
    ("new", LARGE, "light", new),
    ("search", LARGE, "light", search),
    ("keys", LARGE, "light", keys),
    ("parallel", LARGE, "light", parallel),
    ("model", LARGE, "light", model),
    ("model-dark", LARGE, "dark", model),
    ("identification", LARGE, "light", identification),
    ("history", LARGE, "light", history),
    ("compare", LARGE, "light", compare),
    ("closed", LARGE, "dark", closed),
    ("inverse", LARGE, "light", inverse),
    ("inverse-dark", LARGE, "dark", inverse),
    ("inverse-small", SMALL, "light", inverse),
    ("inverse-tablet", TABLET, "light", inverse),
    ("simulate", LARGE, "light", simulate),
    ("simulate-dark", LARGE, "dark", simulate),
    ("simulate-tablet", TABLET, "light", simulate),
]


def main(wanted: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as state, sync_playwright() as playwright:
        line = [sys.executable, "-m", "robosym", "app", "--port", "0", "--no-browser"]
        from os import environ

        program = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env={**environ, "ROBOSYM_STATE": state})
        assert program.stdout is not None
        address = next(found[0] for found in (re.search(r"http://\S+", words) for words in program.stdout) if found)
        flags = ["--no-sandbox", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        try:
            for name, (width, height), theme, act in VIEWS:
                if wanted and name not in wanted:
                    continue
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                page = context.new_page()
                page.goto(address)
                page.wait_for_selector(".app .nav a")
                act(page)
                page.wait_for_timeout(_SETTLED)
                _write(page.screenshot(), FOLDER / f"page_{name}.png")
                context.close()
                print(f"wrote page_{name}.png")
        finally:
            browser.close()
            program.terminate()
            program.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
