"""Tables edited in a real browser: keys, errors at the cell, undo, frames, saving, unsaved work, two windows."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from page_steps import cell, open_robot

import robosym as rs


def test_cells_are_edited_by_keyboard_and_validated(window: Any, tmp_path: Path) -> None:
    page = window()
    open_robot(page, "rx90")
    cell(page, "frames", 5, "theta").click()
    page.keyboard.type("t4")  # begins to type over the old entry
    page.wait_for_selector(".pop")  # shown before Enter
    assert "The variable t4 is already used by frame 4" in page.locator(".pop").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("td.err")
    assert "1 entry to correct: frame 6, θ" in page.locator(".foot").inner_text()
    page.get_by_role("button", name="Use t6").click()
    page.wait_for_selector("td.err", state="detached")
    cell(page, "frames", 2, "d").click()
    page.keyboard.press("Enter")
    page.keyboard.type("0.45")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.unsaved')")
    page.keyboard.type("0.1")  # Enter went to the next row
    page.keyboard.press("Tab")
    page.wait_for_function(
        "document.querySelectorAll('[data-table=frames] [data-cell=\"3 6\"]')[0].innerText === '0.1'"
    )
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    page.wait_for_function("document.querySelectorAll('[data-table=frames] [data-cell=\"3 6\"]')[0].innerText === '0'")
    with page.expect_download() as saved:
        page.keyboard.press("Control+s")
    saved.value.save_as(tmp_path / "a.yaml")
    assert str(rs.load(tmp_path / "a.yaml").frame(3).d) == "0.45"
    page.wait_for_selector(".unsaved", state="detached")


def test_cells_show_short_numbers_and_edit_all_digits(window: Any) -> None:
    page = window()
    page.set_viewport_size({"width": 1280, "height": 720})
    open_robot(page, "rx90")
    for row, typed in ((2, "-3.673205103355e-06"), (3, "0.1699999999988532")):
        cell(page, "frames", row, "d").click()
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('[data-table=frames] [data-cell=\"3 6\"]').innerText === '0.17'")
    assert cell(page, "frames", 2, "d").inner_text() == "-3.67e-6"
    too_long = "[...document.querySelectorAll('[data-table=frames] td')].filter(td => td.scrollWidth > td.clientWidth)"
    assert page.evaluate(f"{too_long}.map(td => td.innerText)") == []
    cell(page, "frames", 2, "d").dblclick()
    assert page.locator("td.edit input").input_value() == "-3.673205103355e-06"


@pytest.mark.long
def test_adds_moves_and_removes_frames(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    cell(page, "frames", 2, "d").click()
    page.keyboard.press("Insert")
    page.wait_for_selector('[data-table=frames] [data-cell="6 0"]')
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_function("document.querySelectorAll('[data-table=frames] [data-cell=\"3 6\"]')[0].innerText === 'D3'")
    page.get_by_role("button", name="Remove frame 4").click()
    page.wait_for_selector('[data-table=frames] [data-cell="6 0"]', state="detached")
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette")
    page.keyboard.type("light theme")
    page.keyboard.press("Escape")
    page.wait_for_selector(".palette", state="detached")
    page.keyboard.press("?")
    page.wait_for_selector(".keyboard")


@pytest.mark.long
def test_unsaved_work_survives_restart_and_windows_synchronize(window: Any, started: Any, tmp_path: Path) -> None:
    first = started(tmp_path, "rx90", "--port", "0")
    page = window(first.path, of=first)
    cell(page, "frames", 2, "d").click()
    page.keyboard.type("0.3")
    page.keyboard.press("Enter")
    page.wait_for_selector(".unsaved")
    other = window(page.url.partition(first.host)[2], of=first)
    assert cell(other, "frames", 2, "d").inner_text() == "0.3"
    cell(other, "frames", 0, "r").click()
    other.keyboard.type("<script>window.bad = 1</script>")  # an error in one window is shown in both
    other.keyboard.press("Enter")
    page.wait_for_selector("td.err")
    assert page.evaluate("window.bad") is None
    page.reload()
    page.wait_for_selector("td.err")
    first.end(signal.SIGKILL)
    second = started(tmp_path, "--port", first.host.rpartition(":")[2])
    page.goto(page.url)  # the token is the same
    page.wait_for_selector("td.err")
    assert cell(page, "frames", 2, "d").inner_text() == "0.3"
    start = window("/", of=second)
    start.get_by_role("button", name="Continue").click()
    start.wait_for_selector("td.err")


HOSTILE = {
    "broken.yaml": (b"frames: [{theta: t1}, {theta: t1}]\ngravity: [0, 0, 0]\nname: b\n", "broken.yaml:1:31"),
    "huge.yaml": (b"x" * 8_000_001, "longer than 8000000 bytes"),
    "picture.png": (b"\x89PNG", "expected a file with the extension"),
    "<img src=x onerror=alert(1)>.yaml": (b"\0", "expected text"),
    "bomb.xml": (b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><robot name="&c;"/>', "bomb.xml"),
    "empty.par": (b"", "empty.par"),
    "signs.yaml": (b'name: "<b>x</b>"\nframes: [{theta: t1}]\ngravity: [0, 0, 0]\n', "expected a name of letters"),
}


@pytest.mark.long
def test_accepts_dropped_and_selected_files(window: Any, tmp_path: Path) -> None:
    page = window()
    for name, (data, words) in HOSTILE.items():
        payload = {"name": name, "mimeType": "text/plain", "buffer": data}
        page.locator("input[type=file]").set_input_files(payload)
        page.wait_for_function("words => document.querySelector('.failed')?.innerText.includes(words)", arg=words)
        page.get_by_title("Close").click()
        page.wait_for_selector(".failed", state="hidden")
    named = b'title: "<b onmouseover=alert(1)>x</b>"\nframes: [{theta: t1}]\ngravity: [0, 0, 0]\n'
    page.locator("input[type=file]").set_input_files(
        {"name": "../../x.yaml", "mimeType": "text/plain", "buffer": named}
    )
    page.wait_for_url("**/robot/**")
    page.wait_for_selector(".cells td")
    assert "<b onmouseover=alert(1)>x</b>" in page.locator(".pick").inner_text()


@pytest.mark.long
def test_new_robots(window: Any) -> None:
    for kind in ("Closed", "Parallel"):
        page = window()
        page.keyboard.press("n")
        page.locator(".new").get_by_role("radio", name=kind, exact=True).click()
        page.locator(".new").get_by_label("links", exact=True).fill("3")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url("**/robot/**")
        page.wait_for_selector(".cells td")
        assert page.locator(".foot .se:not(.odd)").count() == 0


def test_rejects_page_of_another_origin(window: Any, served: Any, tmp_path: Path) -> None:
    """A page elsewhere on this computer, in the same browser, with the user's cookie at hand."""
    import http.server
    import threading

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(tmp_path))

        def log_message(self, format: str, *values: Any) -> None:
            pass

    (tmp_path / "evil.html").write_text("<h1>evil</h1>")
    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    page = window()
    page.goto(f"http://127.0.0.1:{evil.server_port}/evil.html")
    post = """async ([host, path, mode]) => {
        try { const a = await fetch('http://' + host + path, {method: 'POST', body: 'x', mode, credentials: 'include'});
              return a.type + ' ' + a.status; } catch (e) { return 'rejected'; } }"""
    assert page.evaluate(post, [served.host, "/file", "cors"]) == "rejected"
    assert page.evaluate(post, [served.host, "/file", "no-cors"]) in ("opaque 0", "rejected")
    socket = """host => new Promise((done) => {
        const s = new WebSocket('ws://' + host + '/_nicegui_ws/socket.io/?EIO=4&transport=websocket');
        s.onopen = () => done('open'); s.onerror = () => done('rejected'); })"""
    assert page.evaluate(socket, served.host) == "rejected"
    frame = "host => { const f = document.createElement('iframe'); f.src = 'http://' + host; document.body.append(f); }"
    page.evaluate(frame, served.host)
    evil.shutdown()
