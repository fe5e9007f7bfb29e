"""Measure the page: start-up time, size of the extra `ui`, frame rate of the picture, memory.

`python benchmarks/page.py [models]`; memory is measured over 1,000 models by default. Without Chromium, measurements in
a browser are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from table import Row, note, print_table

OWN = ("numpy", "sympy", "llvmlite", "pyyaml", "rich", "defusedxml", "threadpoolctl")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
PATIENCE = 120_000  # ms


@contextmanager
def program(*words: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run `robosym app` and yield its address; stop it afterwards."""
    with tempfile.TemporaryDirectory() as state:
        line = [sys.executable, "-m", "robosym", "app", *words, "--port", "0", "--no-browser"]
        running = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env={**os.environ, "ROBOSYM_STATE": state})
        assert running.stdout is not None
        try:
            found = (re.search(r"http://\S+", words) for words in running.stdout)
            yield next(one[0] for one in found if one), running
        finally:
            running.terminate()
            running.wait()


def size_of_extra() -> float:
    """Return the size of NiceGUI and of its dependencies that robosym does not need, in MB."""
    own: dict[str, int] = {}
    for name in OWN:
        _installed(name, own)
    every: dict[str, int] = {}
    _installed("nicegui", every)
    return sum(size for name, size in every.items() if name not in own) / 1e6


def _installed(name: str, found: dict[str, int]) -> None:
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return
    files = [Path(str(file.locate())) for file in package.files or ()]
    found[key] = sum(path.stat().st_size for path in files if path.exists() and path.suffix != ".pyc")
    for needed in package.requires or ():
        if "extra ==" not in needed:
            _installed(re.split(r"[^\w.-]", needed)[0], found)


def start_to_usable(browser: Any) -> float:
    """Return the time from the command to tables and menus on the screen in s, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        begun = time.perf_counter()
        with program("rx90") as (address, _):
            page.goto(address, wait_until="commit")
            page.wait_for_selector(".cells td")
            best = min(best, time.perf_counter() - begun)
            page.close()
    return best


MOVED = """async () => {
  const stage = document.querySelector(".stage").stage, slider = document.querySelectorAll(".sl .tr")[1], times = [];
  for (let k = 0; k < 25; k++) {
    const poses = stage.poses, drawn = stage.renders, begun = performance.now();
    slider.dispatchEvent(new KeyboardEvent("keydown", { key: k % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
    await new Promise((done) => {
      const look = () => (stage.poses !== poses && stage.renders > drawn ? done() : requestAnimationFrame(look));
      look();
    });
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[12];
}"""


DRAGGED = """async () => {
  const stage = document.querySelector(".stage").stage, slider = document.querySelectorAll(".sl .tr")[1];
  const rail = slider.querySelector(".rail").getBoundingClientRect(), y = rail.top + rail.height / 2;
  const pointer = (kind, share) => slider.dispatchEvent(new PointerEvent(kind, {
    clientX: rail.left + share * rail.width, clientY: y, pointerId: 1, bubbles: true, button: 0 }));
  slider.setPointerCapture = () => {};
  const start = stage.mechanism.joints.findIndex((joint) => joint.movable) >= 0 ? Number(slider.ariaValueNow) : 0;
  const [low, high] = [Number(slider.ariaValueMin), Number(slider.ariaValueMax)], here = (start - low) / (high - low);
  pointer("pointerdown", here);
  const drawn = stage.renders, begun = performance.now();
  for (let k = 0; performance.now() - begun < 3000; k++) {
    pointer("pointermove", here + 0.1 * Math.sin(k / 12));
    await new Promise(requestAnimationFrame);
  }
  const found = 1000 * (stage.renders - drawn) / (performance.now() - begun);
  pointer("pointerup", here);
  return found;
}"""


def picture(browser: Any, robot: str, script: str) -> float:
    """Return the result of a script on the picture of a robot."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    with program(robot) as (address, _):
        page.goto(address)
        page.wait_for_function("document.querySelector('.stage')?.stage?.renders > 0")
        page.wait_for_timeout(1000)
        found = float(page.evaluate(script))
        page.close()
    return found


def models_on_screen(browser: Any) -> list[Row]:
    """Measure a click to the equations of the RX90, and drawing and searching a listing of 5,000 lines."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    with program("rx90") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        page.wait_for_timeout(3000)  # a user needs this long to look; meanwhile a process is started
        best = float("inf")
        for command in ("inverse_dynamics", "bias_torques", "inverse_dynamics"):
            page.goto(f"{address.partition('?')[0]}?view=model&command={command}")
            page.wait_for_selector(".obtn .btn")
            if command == "inverse_dynamics":
                if best < float("inf"):  # not the previous model
                    page.get_by_role("switch", name="Base parameters").click()
                page.wait_for_timeout(1000)
                best = min(best, page.evaluate(CLICK) / 1000)
        shown, found = page.evaluate(LISTING)
        page.close()
    return [
        Row("seconds from a click to the equations of RX90's inverse dynamics", best, 0.25),
        Row("seconds until 5,000 lines are shown", shown / 1000, 2),
        Row("seconds until one of them is found", found / 1000, 2),
    ]


KEYED = (
    "simulate&command=simulate",
    "model&command=excite",
    "model&command=inverse_dynamics",
    "model&command=identify",
)
INPUTS = ".opt input:visible:not([type=checkbox]):not([type=file])"


def lost_keys(browser: Any) -> int:
    """Return the number of fields that do not hold what was typed, at 0 to 200 ms per key, also during a job."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    lost = 0
    with program("ur5e") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        for view in KEYED:
            for delay in (0, 50, 200):
                page.goto(f"{address.partition('?')[0]}?view={view}")
                page.wait_for_selector(INPUTS)
                page.wait_for_timeout(500)
                if delay == 50:
                    page.keyboard.press("Control+Enter")  # type while a job runs, or after an error
                    page.wait_for_timeout(500)
                fields = page.locator(INPUTS)
                for number in range(fields.count() if delay < 200 else min(3, fields.count())):
                    fields.nth(number).click()
                    page.keyboard.press("Control+a")
                    page.keyboard.type(f"0.{number}75", delay=delay)
                    page.wait_for_timeout(50)
                    lost += fields.nth(number).input_value() != f"0.{number}75"
        page.close()
    return lost


def edit_to_shown(browser: Any) -> float:
    """Return the median time from Enter in a cell until the new entry is shown, in s."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    times = []
    with program("rx90") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        page.wait_for_timeout(2000)
        for number in range(9):
            cell = page.locator("[data-table=frames] td[data-cell='2 5']")
            cell.dblclick()
            page.keyboard.type(f"0.{number}5")
            page.wait_for_timeout(400)  # the answer about the typed text
            times.append(float(page.evaluate(EDIT, f"0.{number}5")))
        page.close()
    return statistics.median(times) / 1000


EDIT = """(text) => new Promise((done) => {
  const begun = performance.now(), table = document.querySelector("[data-table=frames]");
  table.querySelector("td input").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  const look = () => {
    const shown = table.querySelector("td[data-cell='2 5']").textContent.trim() === text;
    shown && document.querySelector(".unsaved") ? done(performance.now() - begun) : requestAnimationFrame(look);
  };
  look();
})"""


def scrolling(browser: Any) -> float:
    """Return the frames per second while the equations of the largest model are scrolled."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    with program("gough_stewart") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        page.goto(f"{address.partition('?')[0]}?view=model&command=inverse_dynamics&run=1")
        page.wait_for_selector(".eq .math")
        page.wait_for_timeout(3000)
        found = float(page.evaluate(SCROLL))
        page.close()
    return found


SCROLL = """() => new Promise((done) => {
  const list = document.querySelector(".eqs"), begun = performance.now();
  let frames = 0;
  const step = () => {
    list.scrollTop += 60;
    frames++;
    const passed = performance.now() - begun;
    passed < 3000 ? requestAnimationFrame(step) : done((1000 * frames) / passed);
  };
  requestAnimationFrame(step);
})"""


def violations(browser: Any) -> int:
    """Return the number of critical and serious violations of axe-core on all views, light and dark."""
    import axe_playwright_python

    rules = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    found = 0
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    with program("rx90") as (address, _):
        page.goto(address)
        page.wait_for_selector(".cells td")
        for view in VIEWED:
            page.goto(f"{address.partition('?')[0]}?view={view}")
            page.wait_for_selector(".nav a")
            page.wait_for_timeout(2500)
            page.evaluate(rules)
            for theme in ("dark", "light"):
                page.evaluate(f"robosym.theme('{theme}')")
                found += int(page.evaluate(SERIOUS))
        page.close()
    return found


VIEWED = (
    "robot", "model&command=inverse_dynamics&run=1", "model&command=base_parameters&run=1", "simulate&command=simulate",
    "inverse&command=inverse_geometry", "identification&command=identify", "history", "model&command=draw&run=1",
)  # fmt: skip
SERIOUS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => ["critical", "serious"].includes(one.impact)).reduce((sum, one) => sum + one.nodes.length, 0)"""

ROBOTS = ("rx90", "ur5e", "scara", "sr400", "delta", "gough_stewart", "cable8", "tricept_wrist", "planar2r", "fivebar")
LIMIT = 25.0  #: seconds after which a command counts as one that works


def failing() -> tuple[int, int]:
    """Return how many combinations of command and robot fail though the page runs them, and how many there are.

    The page disables commands that do not apply and asks for what is needed; symbols have example numbers here.
    """
    import robosym as rs
    from robosym.app.menus import COMMANDS
    from robosym.app.page.finder import HIDDEN
    from robosym.app.page.options import preset
    from robosym.app.session import Sessions
    from robosym.app.session.generation import generate
    from robosym.drawing.example_values import example_values

    failed = count = 0
    for name in ROBOTS:
        session = Sessions(keep=False).open(name)
        session.results.numbers.update({one: repr(value) for one, value in example_values(session.robot).items()})
        for row in (row for row in COMMANDS.values() if row.name not in HIDDEN):
            count += 1
            fields: dict[str, Any] = {}
            preset(row, session.robot, fields)
            missing = [part for part in row.missing(fields, session.robot) if part.name not in ("robot", "output")]
            if row.reason(session.robot) or missing:
                continue
            try:
                with warnings.catch_warnings(), rs.time_limit(LIMIT):
                    warnings.simplefilter("ignore")
                    generate(session.results.request(row.name, fields))
            except rs.TimeLimitReached:
                continue
            except rs.Error as error:
                failed += 1
                print(f"{row.word} of {name}: {error}", file=sys.stderr)
    return failed, count


CLICK = """() => new Promise((done) => {
  const begun = performance.now();
  document.querySelectorAll(".eq").forEach((one) => one.remove());
  const seen = new MutationObserver(() => {
    if (!document.querySelector(".eq .math")) return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));
  });
  seen.observe(document.body, { childList: true, subtree: true });
  document.querySelector(".obtn .btn").click();
})"""
LISTING = """async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const code = getElement(+document.querySelector(".code").id.slice(1));
  const line = (k) => `X${k} = A${k % 97}*cos(t${k % 7}) + 0.${k}*B${k % 31} - X${Math.max(0, k - 3)}*(C${k} - D${k})`;
  const text = Array.from({ length: 5000 }, (_, k) => line(k)).join("\\n");
  const begun = performance.now();
  code.fill(text, "listing");
  await drawn();
  const shown = performance.now();
  code.at(code.matches("X4990").at(-1));
  await drawn();
  return [shown - begun, performance.now() - shown];
}"""


def resident(process: int) -> float:
    """Return the memory of a process and its child processes, in MB."""
    pages = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(status.parent.name) == process or int(fields[1]) == process:
                pages += int((status.parent / "statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(models: int) -> float:
    """Return the memory growth in percent: the maximum after later tenths of the models, relative to the first."""
    line = [sys.executable, str(Path(__file__).resolve()), "--generate", str(models)]
    with tempfile.TemporaryDirectory() as state:
        env = {**os.environ, "ROBOSYM_STATE": state}
        running = subprocess.Popen(line, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=env)
        assert running.stdout is not None and running.stdin is not None
        sizes = []
        for _ in running.stdout:
            sizes.append(resident(running.pid))
            running.stdin.write("\n")
            running.stdin.flush()
        running.wait()
    return 100 * (max(sizes[1:]) / sizes[0] - 1)


def generate(models: int) -> None:
    """Generate models through sessions and jobs, as the page does; pause after each tenth for a measurement."""
    from robosym.app.session import Sessions

    robots = Sessions()
    names = ("rx90", "scara", "ur5e", "stanford")
    commands = ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "velocities")
    sessions = [robots.open(name) for name in names]
    for number in range(models):
        results = sessions[number % 4].results
        results.start(results.request(commands[number // 4 % 4], {})).future.result()
        if (number + 1) % max(models // 10, 1) == 0:
            print(number + 1, flush=True)
            sys.stdin.readline()


def idle(browser: Any) -> float:
    """Return the memory growth of an open window in 8 idle hours, in percent, with timers that do not wait.

    An idle page only polls its jobs every 0.4 s, that is 72,000 times in 8 hours, and as often here.
    """
    line = [sys.executable, str(Path(__file__).resolve()), "--idle"]
    with tempfile.TemporaryDirectory() as state:
        env = {**os.environ, "ROBOSYM_STATE": state}
        running = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=env)
        assert running.stdout is not None
        sizes = []
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        try:
            for line_of_output in running.stdout:
                if found := re.search(r"http://\S+", line_of_output):
                    page.goto(found[0])
                elif line_of_output.startswith("tick"):
                    sizes.append(resident(running.pid))
                    if len(sizes) == 10:
                        break
            page.close()
        finally:
            running.terminate()
            running.wait()
    return 100 * (max(sizes[1:]) / sizes[0] - 1)


TICKS = 72_000  # in 8 hours


def idle_program() -> None:
    """Serve the page of rx90 with timers that do not wait; print a line after each tenth of the ticks."""
    from robosym.app.page import job_bar
    from robosym.app.page.serve import app

    look, seen = job_bar.JobBar.refresh, [0]

    def counted(bar: Any) -> None:
        look(bar)
        seen[0] += 1
        if seen[0] % (TICKS // 10) == 0:
            print("tick", seen[0], flush=True)

    job_bar.JobBar.refresh = counted  # type: ignore[method-assign]
    job_bar.EVERY = 1e-4
    app("rx90", 0, True)


def main() -> None:
    if "--idle" in sys.argv:
        idle_program()
        return
    if "--generate" in sys.argv:
        generate(int(sys.argv[-1]))
        os._exit(0)  # without waiting for workers
    models = int(sys.argv[1]) if sys.argv[1:] else 1000
    rows = [Row("megabytes of the extra `ui`", size_of_extra(), 100)]
    if CHROMIUM is not None:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            rows.append(Row("seconds from the command to a usable page", start_to_usable(browser), 2))
            rows.append(Row("fields that lose typed keys", lost_keys(browser), 0))
            rows.append(Row("seconds from a cell's new entry to the table with it", edit_to_shown(browser), 0.15))
            rows.append(Row("frames per second, scrolling the largest model", scrolling(browser), 30, at_least=True))
            rows.append(Row("critical and serious violations of axe-core", violations(browser), 0))
            moved = picture(browser, "panda", MOVED)
            rows.append(Row("ms from a slider to the moved robot, 7 axes", moved, 50))
            frames = picture(browser, "gough_stewart", "document.querySelector('.stage').stage.spin(3)")
            rows.append(Row("frames per second, Gough-Stewart robot of 31 joints", frames, 20, at_least=True))
            for robot, name, bar in (("rx90", "RX90", 50), ("gough_stewart", "Gough-Stewart robot", 25)):
                dragged = picture(browser, robot, DRAGGED)
                rows.append(Row(f"frames per second while a slider is dragged, {name}", dragged, bar, at_least=True))
                limit = picture(browser, robot, "document.querySelector('.stage').stage.spin(3)")
                note(f"frames per second of the renderer alone, {name}", limit)
            rows += models_on_screen(browser)
            rows.append(Row("percent of memory growth after the timer ticks of 8 idle hours", idle(browser), 20))
            browser.close()
    failed, count = failing()
    rows.append(Row("combinations of command and robot that fail when run", failed, 0, spread=(0, count)))
    rows.append(Row(f"percent of memory growth after {models} models", growth(models), 20))
    print_table("The page", rows)


if __name__ == "__main__":
    main()
