"""Shared pages in Chromium, from the disk and without a network: models against Pinocchio, loops, poses, exports."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from PIL import Image

import robosym as rs
from long_cases import quick_and_long
from oracles.pinocchio import Oracle
from robosym.errors import InputError
from robosym.mechanism import Robot

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARM = """
name: arm
gravity: [0, 0, -9.81]
frames:
  - {theta: t1, r: 0.4}
  - {theta: t2, alpha: Pi/2}
  - {sigma: 1, r: r3, alpha: Pi/2, d: 0.3, limits: {position: [0.1, 0.6]}}
  - {theta: t4, alpha: -Pi/2}
links:
  1: {M: 8, com: [0.01, 0.02, -0.1], inertia: [0.1, 0, 0, 0.1, 0, 0.05]}
  2: {M: 5, com: [0.15, 0.01, 0.02], inertia: [0.02, 0.001, 0, 0.09, 0, 0.1]}
  3: {M: 3, com: [0.02, 0, -0.1], inertia: [0.03, 0, 0, 0.03, 0, 0.01]}
  4: {M: 1, com: [0.05, 0.03, 0.08], inertia: [0.004, 0, 0, 0.004, 0, 0.002]}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Write and open the page of a robot; nothing else may be requested, and no script may fail."""
    failed: list[str] = []
    pages = []

    def opener(robot: Robot, **options: Any) -> Any:
        path = tmp_path / "page.html"
        rs.share(robot, **options).write(path)
        context = browser.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True, offline=True)
        page = context.new_page()
        page.on("request", lambda one: one.url.startswith(("file:", "blob:", "data:")) or failed.append(one.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_function("window.robosymPage")
        pages.append(context)
        return page

    yield opener
    for context in pages:
        context.close()
    assert not failed


def placed(page: Any) -> dict[str, float]:
    """Return the joints of the page by variable."""
    found: dict[str, float] = page.evaluate("robosymPage.mechanism.values(robosymPage.q)")
    return found


def drag(page: Any, dx: int, dy: int) -> None:
    """Drag the ring of the handle."""
    x, y = page.evaluate(
        "(() => { const p = robosymPage, P = p.poses[p.frame]; return p.view.project([P[3], P[7], P[11]]) })()"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2, steps=4)
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def test_models_of_an_arm_follow_its_sliders(opened: Any) -> None:
    robot = rs.loads(ARM, format="yaml")
    page, oracle = opened(robot), Oracle(robot, {})
    for row, key in ((1, "ArrowRight"), (2, "End"), (0, "Home")):
        page.locator(".joint input[type=range]").nth(row).focus()
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        found = page.evaluate(
            """() => { const p = robosymPage; return { tau: Object.values(p.evaluate('inverse_dynamics')),
            J: p.jacobian(p.q, p.poses), A: Object.values(p.evaluate('inertia_matrix')),
            pose: p.poses[p.frame], manipulability: p.dexterity(p.q, p.poses).manipulability } }"""
        )
        joints = placed(page)
        q = np.array([joints[name] for name in ("t1", "t2", "r3", "t4")])
        np.testing.assert_allclose(found["tau"], oracle.torques(q, 0 * q, 0 * q, {}), atol=1e-9)
        model, data, at = oracle.model, oracle.data, oracle.q(q)
        np.testing.assert_allclose(np.reshape(found["A"], (4, 4)), pin.crba(model, data, at), atol=1e-9)
        pin.computeJointJacobians(model, data, at)
        pin.updateFramePlacements(model, data)
        frame = oracle.frames[4]
        J = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(found["J"], J, atol=1e-9)
        assert found["manipulability"] == pytest.approx(np.prod(np.linalg.svd(J, compute_uv=False)), abs=1e-9)
        np.testing.assert_allclose(np.reshape(found["pose"], (3, 4)), data.oMf[frame].homogeneous[:3], atol=1e-9)
    assert placed(page)["r3"] == pytest.approx(0.6)
    units = [text.split()[-1] for text in page.locator(".effort output").all_inner_texts()]
    assert units == ["m", "m", "N", "m"]  # of N m


@pytest.mark.parametrize(
    "name", quick_and_long(["gough", "tricept_wrist", "delta", "sr400", "fivebar"], long=["tricept_wrist", "delta"])
)
def test_torques_of_closed_and_parallel_robots(opened: Any, name: str) -> None:
    """The robot with loops in place of platforms is another derivation of the same torques."""
    robot = rs.load(name)
    draw = np.random.default_rng(3)
    known = rs.share(robot, functions="inverse_dynamics").posture.values
    symbols = [symbol for symbol in robot.parameters if symbol not in known and not symbol.startswith(("Q", "GAM"))]
    numbers = {**known, **{symbol: float(draw.uniform(0.5, 2)) for symbol in symbols}}
    page = opened(robot.with_values(numbers), functions="inverse_dynamics")
    page.locator(".joint input[type=range]").first.focus()
    for key in ("PageUp", "ArrowLeft"):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        joints = placed(page)
        found = page.evaluate("Object.values(robosymPage.evaluate('inverse_dynamics'))")
        closed = robot.with_values(numbers).to_closed()
        model = rs.inverse_dynamics(closed, friction="smooth")
        q = [joints[variable] for variable in model.inputs["q"]]
        given = {group: np.zeros(len(names)) for group, names in model.inputs.items() if group not in ("q", "q_cut")}
        if "q_cut" in model.inputs:
            given["q_cut"] = np.array([joints[variable] for variable in model.inputs["q_cut"]])
        expected = model.compile()(q=np.array(q), **given)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
        gaps = page.evaluate("robosymPage.mechanism.gaps(robosymPage.q).gap")
        assert np.abs(gaps).max() < 1e-9


def test_inverse_kinematics_by_hand_by_number_and_all_solutions(opened: Any) -> None:
    page = opened(rs.load("rx90"))
    before = page.evaluate("robosymPage.poses[robosymPage.frame]")
    drag(page, -50, 40)
    after = page.evaluate("robosymPage.poses[robosymPage.frame]")
    moved = np.reshape(after, (3, 4)) - np.reshape(before, (3, 4))
    assert np.linalg.norm(moved[:, 3]) > 0.05
    assert np.abs(moved[:, :3]).max() < 1e-6  # the orientation stays
    field = page.locator(".pose input").nth(2)
    field.fill("0.4")
    field.press("Enter")
    page.wait_for_function("Math.abs(robosymPage.poses[robosymPage.frame][11] - 0.4) < 1e-9")
    page.get_by_role("button", name="Show all").click()
    page.wait_for_selector("text=8 solutions")
    pose = page.evaluate("robosymPage.poses[robosymPage.frame]")
    postures = set()
    for number in range(7):
        page.get_by_role("button", name="2", exact=True).click()
        np.testing.assert_allclose(page.evaluate("robosymPage.poses[robosymPage.frame]"), pose, atol=1e-8)
        postures.add(tuple(np.round(list(placed(page).values()), 3)))
        if number:
            break
    assert len(postures) > 1


def test_platform_is_dragged_and_stops_where_its_legs_end(opened: Any) -> None:
    page = opened(rs.load("delta"))
    drag(page, 40, 20)
    assert np.abs(page.evaluate("robosymPage.mechanism.gaps(robosymPage.q).gap")).max() < 1e-9
    drag(page, 1100, -20)
    page.wait_for_selector("text=Out of reach")


def test_motion_plays_and_everything_can_be_downloaded(opened: Any) -> None:
    robot = rs.loads(ARM, format="yaml")
    page = opened(robot)
    page.locator("summary", has_text="Motion").click()
    page.get_by_role("button", name="Start here").click()
    page.evaluate("robosymPage.turn('t2', 0.9); robosymPage.turn('t1', -0.5)")
    motion = page.evaluate("robosymPage.motion()")
    oracle, t = Oracle(robot, {}), np.array(motion["t"])
    q, h = np.array(motion["path"]), motion["t"][1]
    qd = np.gradient(q, h, axis=0)
    qdd = np.gradient(qd, h, axis=0)
    middle = len(t) // 3
    expected = oracle.torques(q[middle], qd[middle], qdd[middle], {})
    np.testing.assert_allclose([one["values"][middle] for one in motion["series"]], expected, atol=0.02)
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Play").wait_for()
    files = {}
    for kind in ("PNG", "SVG", "GIF"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        files[kind] = Path(download.value.path()).read_bytes()
    assert Image.open(io.BytesIO(files["PNG"])).width >= 1400
    picture = Image.open(io.BytesIO(files["GIF"]))
    assert picture.n_frames == 31 and picture.info["loop"] == 0
    picture.seek(30)
    assert len(picture.convert("RGB").getcolors(1 << 16)) > 20
    text = files["SVG"].decode()
    assert len(ElementTree.fromstring(text).findall("{http://www.w3.org/2000/svg}polygon")) > 100
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").last.click()
    table = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert table[0] == "t,t1,t2,r3,t4" and len(table) == len(t) + 1


def test_models_by_name_and_numbers_of_the_reader(opened: Any) -> None:
    robot = rs.loads(ARM.replace("{M: 8,", "{M: MB,"), format="yaml")
    page = opened(robot, functions={"weight": rs.gravity_torques(robot), "kinetic": rs.inertia_matrix(robot)})
    before = page.evaluate("robosymPage.evaluate('kinetic').A11")
    page.locator("summary", has_text="Parameters").click()
    field = page.get_by_label("MB", exact=True)
    field.fill("100")
    field.press("Enter")
    assert page.evaluate("robosymPage.fields.MB") == 100
    assert page.evaluate("robosymPage.evaluate('kinetic').A11") != before


def test_escapes_hostile_titles_and_names_nothing_elsewhere() -> None:
    robot = rs.load("planar2r").edit(title='</script><script>alert("x")</script>')
    text = rs.share(robot, functions="jacobian").html()
    assert "<script>alert" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|src=|@import", text)


def test_rejects_invalid_arguments(tmp_path: Path) -> None:
    robot = rs.load("planar2r")
    with pytest.raises(InputError, match=r"ends in \.html"):
        rs.share(robot, functions="jacobian").write(tmp_path / "a.svg")
    with pytest.raises(InputError, match="expected names among"):
        rs.share(robot, functions="jacobain")
    with pytest.raises(InputError, match="frame"):
        rs.share(robot, frame="tool")
    assert not list(tmp_path.iterdir())
